"""Runs the program perfhouse: its private server and its renderer."""

from __future__ import annotations

import os
import shutil
import subprocess
from typing import Sequence


class ProgramError(RuntimeError):
    """What the program said when it failed."""


def find() -> str:
    """The program: of the environment variable PERFHOUSE, else on PATH."""
    program = os.environ.get("PERFHOUSE") or shutil.which("perfhouse")
    if program is None:
        raise ProgramError(
            "the program perfhouse was not found: install it (make && make install), put it on PATH, or name it in PERFHOUSE"
        )
    return program


def run(arguments: Sequence[str]) -> bytes:
    """Its standard output; ProgramError with its words when it fails."""
    done = subprocess.run([find(), *arguments], stdin=subprocess.DEVNULL, capture_output=True, check=False)
    if done.returncode != 0:
        raise ProgramError(done.stderr.decode("utf-8", "replace").strip() or f"perfhouse ended with {done.returncode}")
    return done.stdout
