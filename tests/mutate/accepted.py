"""accepted.py - survivors that are all right, and why.

An entry is the lines with the change, as in a patch but with blanks squeezed, and the reason; a blank line ends it:

    extension/core/base/arena.c
    - size_t room = 2 * used;
    + size_t room = 3 * used;
    How fast the room grows, not what is in it.
"""

from dataclasses import dataclass


@dataclass
class Entry:
    place: str
    file: str
    original: str
    mutated: str
    reason: str


def read(path):
    """Entries by (file, original, mutated)."""
    entries = {}
    number = 0
    for block in path.read_text().split("\n\n"):
        start, number = number + 1, number + block.count("\n") + 2
        lines = [line for line in block.strip().splitlines() if not line.startswith("#")]
        if not lines:
            continue
        if len(lines) < 4 or not lines[1].startswith("- ") or not lines[2].startswith("+"):
            raise SystemExit(f"{path}:{start}: an entry is a file, - line, + line and a reason")
        entry = Entry(f"{path}:{start}", lines[0], lines[1][2:], lines[2][2:], " ".join(lines[3:]))
        entries[(entry.file, entry.original, entry.mutated)] = entry
    return entries


def stale(entries, root, killed):
    """What is wrong with entries: their line is gone, or a test notices the change now."""
    for key, entry in entries.items():
        source = root / entry.file
        if not source.exists() or entry.original not in " ".join(source.read_text().split()):
            yield f"{entry.place}: {entry.file} has no such line any more"
        elif key in killed:
            yield f"{entry.place}: {killed[key]} notices it now"
