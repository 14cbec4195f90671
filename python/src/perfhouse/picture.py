"""Pictures, drawn by perfhouse-render."""

from __future__ import annotations

from pathlib import Path
from typing import Any, List, Optional

from perfhouse import program


class Picture:
    """A picture of a query, drawn when it is shown or saved."""

    def __init__(self, view: str, query: str, conninfo: Optional[str], options: dict[str, Any]):
        self.view, self.query = view, query
        self._conninfo, self._options = conninfo, options

    def _arguments(self, kind: str) -> List[str]:
        arguments = ["render", self.view, "--query", self.query, "--type", kind, "-o", "-"]
        if self._conninfo is not None:
            arguments += ["--db", self._conninfo]
        for name, value in self._options.items():
            option = "--" + name.replace("_", "-")
            if value is True:
                arguments.append(option)
            elif value is not False and value is not None:
                arguments += [option, str(value)]
        return arguments

    def draw(self, kind: str = "svg") -> bytes:
        """Its bytes as svg, png or pdf."""
        return program.run(self._arguments(kind))

    def save(self, path: str | Path) -> None:
        """Writes it; the name's end says as what."""
        Path(path).write_bytes(self.draw(Path(path).suffix.lstrip(".") or "svg"))

    def _repr_svg_(self) -> str:
        return self.draw("svg").decode()
