"""A warehouse for the tests, in a folder of its own: two runs of LULESH by 8 ranks, one by 27, and a trace."""

import os
import pathlib
import subprocess
from typing import Iterator

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
DATA = ROOT / "tests" / "data"


@pytest.fixture(scope="session")
def warehouse(tmp_path_factory: pytest.TempPathFactory) -> Iterator["object"]:
    perfhouse = pytest.importorskip("perfhouse")
    program = os.environ.setdefault("PERFHOUSE", str(ROOT / "build" / "bin" / "perfhouse"))
    if not os.access(program, os.X_OK):
        pytest.skip(f"no program at {program}: run make first")
    home = tmp_path_factory.mktemp("perfhouse")
    home.chmod(0o711)  # root's server runs as another user
    home.parent.chmod(0o711)
    home.parent.parent.chmod(0o711)
    os.environ["PERFHOUSE_HOME"] = str(home / "home")
    history = DATA / "lulesh-history"
    inputs = [history / f"lulesh-{name}.cali" for name in ("3e01c40-n8-1", "46c2a1d-n8-1", "3e01c40-n27-1")]
    for path in [*inputs, DATA / "traces" / "lulesh-8"]:
        subprocess.run([program, "load", "--set", "application=lulesh", str(path)], check=True)
    with perfhouse.connect() as opened:
        yield opened
    subprocess.run([program, "down"], check=True)
