"""Runs the program perfhouse: its private server and its renderer."""

from __future__ import annotations

import os
import shutil
import subprocess
import tempfile
from typing import Callable, Optional, Sequence


class ProgramError(RuntimeError):
    """What the program said when it failed."""


def find() -> str:
    """The program: of the environment variable PERFHOUSE, else on PATH."""
    program = os.environ.get("PERFHOUSE") or shutil.which("perfhouse")
    if program is None:
        raise ProgramError(
            "the program perfhouse was not found, which pip does not bring: build it in the project's folder (make; as root: make install) "
            "and put build/bin on PATH, or name the program in PERFHOUSE. "
            'A warehouse that runs elsewhere needs none: perfhouse.connect("host=... dbname=...").'
        )
    return program


def run(arguments: Sequence[str]) -> bytes:
    """Its standard output; ProgramError with its words when it fails."""
    done = subprocess.run([find(), *arguments], stdin=subprocess.DEVNULL, capture_output=True, check=False)
    _check(done.returncode, done.stderr)
    return done.stdout


def run_lines(arguments: Sequence[str], tell: Callable[[bytes], None]) -> None:
    """Tells each line of its standard output as it comes; stopped when tell fails or somebody interrupts."""
    with tempfile.TemporaryFile() as errors:
        process = subprocess.Popen([find(), *arguments], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=errors)
        try:
            for line in process.stdout or ():
                tell(line)
        except BaseException:
            process.terminate()
            raise
        finally:
            if process.stdout is not None:
                process.stdout.close()
            process.wait()
        errors.seek(0)
        _check(process.returncode, errors.read())


def _check(code: Optional[int], errors: bytes) -> None:
    if code != 0:
        raise ProgramError(errors.decode("utf-8", "replace").strip() or f"perfhouse ended with {code}")
