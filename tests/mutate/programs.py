"""programs.py - the unit test programs of the core: built, run, and which lines of the core each executes.

The compiler and the linker come from the Makefile (CORE_COMPILE, UNIT_LINK), objects from its targets core and
mutate-objects. A test whose object links with the core alone is a test of the core.
"""

import hashlib
import json
import os
import resource
import shlex
import shutil
import signal
import subprocess
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

CORE = "extension/core"
TESTS = "tests/unit"
MEMORY = 6 << 30  # bytes a program may use: what grows without end is killed
LEAST_SECONDS = 5
SLOWER = 6  # a program may take this many times the processor time it takes without a mutation
WALL = 8  # and this many times that on the clock: other work may keep it waiting


SANITIZED = 5  # times slower with sanitizers in one object


def call(command, **more):
    return subprocess.run(command, capture_output=True, text=True, **more)


def core_files(root):
    return sorted(str(p.relative_to(root)) for p in (root / CORE).rglob("*.c"))


def digest(root):
    """Of everything that the lines executed depend on."""
    sum_ = hashlib.sha256()
    for path in sorted(p for top in (CORE, TESTS, "tests/mutate") for p in (root / top).rglob("*.[chy]*")):
        if path.is_file():
            sum_.update(str(path.relative_to(root)).encode() + b"\0" + path.read_bytes() + b"\0")
    sum_.update((os.environ["CORE_COMPILE"] + os.environ["UNIT_LINK"]).encode())
    return sum_.hexdigest()


class Programs:
    """Programs by name (the object's path below tests/unit); `seconds` of processor time; `lines` executed."""

    def __init__(self, root, build, jobs):
        self.root, self.build, self.jobs = root, build, jobs
        self.seconds = {}
        self.lines = {}  # core file -> line -> names of programs
        self.known = {}  # core file -> lines that have code

    # ------------------------------------------------------------------------------------ building

    def make(self, variant, target, *settings):
        command = ["make", "-s", f"-j{self.jobs}", f"BUILD={self.build / variant}", "OPT=-O1", *settings, target]
        result = call(command, cwd=self.root)
        if result.returncode != 0:
            raise SystemExit(f"mutate: {shlex.join(command)} failed\n{result.stderr[-3000:]}")

    def names(self):
        tests = self.root / TESTS
        return sorted(str(path.relative_to(tests).with_suffix("")) for path in tests.rglob("test_*.c"))

    def link(self, name, out, objects=(), flags=(), core="plain"):
        """objects come before the archive's members of the same symbols, which are then left out; core: whose."""
        plain = self.build / "plain"
        main = plain / "obj" / TESTS / f"{name}.o"
        out.parent.mkdir(parents=True, exist_ok=True)
        libraries = [plain / "libphsupport.a", self.build / core / "libphcore.a"]
        compiler, *shared = shlex.split(os.environ["UNIT_LINK"])
        command = [compiler, *flags, "-o", out, main, *objects, "-Wl,--start-group", *libraries, "-Wl,--end-group"]
        return call([str(part) for part in command] + shared).returncode == 0

    # ------------------------------------------------------------------------------------- running

    def run(self, program, folder, seconds, env=(), memory=MEMORY):
        """("passed" | "failed" | "took too long", processor seconds)."""

        def limit():
            resource.setrlimit(resource.RLIMIT_CPU, (int(seconds) + 1, int(seconds) + 2))
            resource.setrlimit(resource.RLIMIT_AS, (memory, memory))
            resource.setrlimit(resource.RLIMIT_CORE, (0, 0))

        environment = dict(os.environ, CMOCKA_MESSAGE_OUTPUT="STDOUT", **dict(env))
        process = subprocess.Popen([str(program)], cwd=folder, env=environment, start_new_session=True,
                                   stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                                   preexec_fn=limit)  # fmt: skip
        deadline = time.monotonic() + WALL * seconds
        while True:
            pid, status, usage = os.wait4(process.pid, os.WNOHANG)
            if pid != 0:
                break
            if time.monotonic() > deadline:
                os.killpg(process.pid, signal.SIGKILL)
                _, status, usage = os.wait4(process.pid, 0)
                break
            time.sleep(0.01)
        process.returncode = os.waitstatus_to_exitcode(status)
        used = usage.ru_utime + usage.ru_stime
        if process.returncode in (-signal.SIGXCPU, -signal.SIGKILL):
            return "took too long", used
        return "passed" if process.returncode == 0 else "failed", used

    def limit_of(self, name):
        return LEAST_SECONDS + SLOWER * self.seconds[name]

    def run_sanitized(self, name, program, folder):
        """Shadow memory makes limits of addresses useless."""
        options = {
            "ASAN_OPTIONS": f"detect_leaks=1:abort_on_error=0:hard_rss_limit_mb={MEMORY >> 20}",
            "LSAN_OPTIONS": f"suppressions={self.root / 'tests/lib/lsan.supp'}",
        }
        seconds = SANITIZED * self.limit_of(name)
        return self.run(program, folder, seconds, options, resource.RLIM_INFINITY)

    # ------------------------------------------------------------------------------------- survey

    def survey(self):
        """Build everything, and learn what each program executes, or remember it."""
        self.make("plain", "mutate-objects")
        memory = self.build / "survey.json"
        key = digest(self.root)
        known = json.loads(memory.read_text()) if memory.exists() else {}
        if known.get("digest") != key:
            known = {"digest": key} | self._learn()
            memory.write_text(json.dumps(known))
        self.seconds = known["seconds"]
        for name, files in known["lines"].items():
            for file, lines in files.items():
                for line in lines:
                    self.lines.setdefault(file, {}).setdefault(line, set()).add(name)
        self.known = {file: set(lines) for file, lines in known["known"].items()}

    def _learn(self):
        self.make("cover", "core", "COVER=--coverage")
        with ThreadPoolExecutor(self.jobs) as pool:
            answers = [a for a in pool.map(self._learn_one, self.names()) if a is not None]
        known = {}
        for answer in answers:
            for file, lines in answer["known"].items():
                known.setdefault(file, set()).update(lines)
        return {
            "seconds": {a["name"]: a["seconds"] for a in answers},
            "lines": {a["name"]: a["lines"] for a in answers},
            "known": {file: sorted(lines) for file, lines in known.items()},
        }

    def _learn_one(self, name):
        plain, cover = self.build / "plain/programs" / name, self.build / "cover/programs" / name
        if not self.link(name, plain):
            return None
        answer, seconds = self.run(plain, self.build, 600)
        if answer != "passed":
            raise SystemExit(f"mutate: {plain} {answer} without any mutation")
        self.link(name, cover, flags=["--coverage"], core="cover")
        counts = self.build / "cover/counts" / name
        shutil.rmtree(counts, ignore_errors=True)
        answer, _ = self.run(cover, self.build, 900, {"GCOV_PREFIX": str(counts)})
        if answer != "passed":
            raise SystemExit(f"mutate: {cover} {answer} without any mutation")
        lines, known = self._read_counts(counts)
        shutil.rmtree(counts)
        return {"name": name, "seconds": seconds, "lines": lines, "known": known}

    def _read_counts(self, counts):
        """gcov wants the notes next to the counts."""
        objects = self.build / "cover/obj"
        files = []
        for path in counts.rglob("*.gcda"):
            relative = path.relative_to(str(counts) + str(objects))
            if relative.is_relative_to(CORE):
                path.with_suffix(".gcno").symlink_to((objects / relative).with_suffix(".gcno"))
                files.append(str(path))
        output = call(["gcov", "--json-format", "--stdout", *files], cwd=self.root).stdout
        lines, known = {}, {}
        for text in output.splitlines():
            for file in json.loads(text)["files"] if text.startswith("{") else []:
                if file["file"].startswith(CORE) and file["file"].endswith(".c"):
                    known[file["file"]] = [line["line_number"] for line in file["lines"]]
                    lines[file["file"]] = [line["line_number"] for line in file["lines"] if line["count"] > 0]
        return lines, known

    def covering(self, file, first, last):
        """Programs that execute one of the lines, fastest first. A line without code goes with those around it."""
        known = self.known.get(file, set())
        wanted = set()
        for line in range(first, last + 1):
            if line in known:
                wanted.add(line)
            else:
                wanted |= {max((k for k in known if k < line), default=0), min((k for k in known if k > line), default=0)}
        names = set().union(*(self.lines.get(file, {}).get(line, set()) for line in wanted))
        return sorted(names, key=lambda name: (self.seconds[name], name))
