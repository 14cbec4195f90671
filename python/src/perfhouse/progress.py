"""How far what takes long has come: by tqdm where it is installed, else as a line of text that overwrites itself.

A wish is what callers say as progress=: True, False, a function of (done, total), where total is None when nobody knows it,
or None: in a notebook, and only of what takes longer than a second.
"""

from __future__ import annotations

import sys
import time
from importlib.util import find_spec
from typing import Any, Callable, Optional, Union

Wish = Union[bool, Callable[[int, Optional[int]], None], None]

_AFTER = 1.0  # seconds before anything is shown that nobody asked for
_AGAIN = 0.1  # seconds between two lines of text


def in_notebook() -> bool:
    """Whether a person looks at the output of this kernel."""
    try:
        from IPython import get_ipython
    except ImportError:
        return False
    return type(get_ipython()).__name__ == "ZMQInteractiveShell"


class Progress:
    """Of one task; to be used as a context. done and total are in the unit."""

    def __init__(self, what: str, unit: str, total: Optional[int] = None, wish: Wish = None):
        self.what, self.unit, self.total, self.done = what, unit, total, 0
        self._tell = wish if callable(wish) else None
        self._shown = _bar(self, 0 if wish else _AFTER) if self._tell is None and (in_notebook() if wish is None else wish) else None

    def __enter__(self) -> Progress:
        return self

    def __exit__(self, *_: object) -> None:
        if self._shown is not None:
            self._shown.close()

    def step(self, more: int) -> None:
        self.reach(self.done + more, self.total)

    def reach(self, done: int, total: Optional[int]) -> None:
        self.done, self.total = done, total
        if self._tell is not None:
            self._tell(done, total)
        elif self._shown is not None:
            self._shown.show(self)


def _bar(progress: Progress, after: float) -> Any:
    try:
        import tqdm
    except ImportError:
        return _Line(after)
    if not (in_notebook() and find_spec("ipywidgets")):
        return _Tqdm(tqdm.tqdm, progress, after)  # as text, which needs no widgets
    import tqdm.notebook

    return _Tqdm(tqdm.notebook.tqdm, progress, after)


class _Tqdm:
    def __init__(self, tqdm: Any, progress: Progress, after: float):
        self.bar = tqdm(desc=progress.what, unit=f" {progress.unit}", unit_scale=True, total=progress.total, delay=after, leave=False)

    def show(self, progress: Progress) -> None:
        self.bar.total = progress.total
        self.bar.update(progress.done - self.bar.n)

    def close(self) -> None:
        self.bar.close()


class _Line:
    def __init__(self, after: float):
        self.next, self.width = time.monotonic() + after, 0

    def show(self, progress: Progress) -> None:
        now = time.monotonic()
        if now < self.next:
            return
        self.next = now + _AGAIN
        share = f" ({100 * progress.done // progress.total} %)" if progress.total else ""
        self._write(f"{progress.what}: {progress.done:,} {progress.unit}{share}")

    def _write(self, text: str) -> None:
        sys.stderr.write("\r" + text.ljust(self.width))
        sys.stderr.flush()
        self.width = len(text)

    def close(self) -> None:
        if self.width:
            self._write("")
            sys.stderr.write("\r")
            sys.stderr.flush()
