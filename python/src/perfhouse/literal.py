"""Python values as SQL literals, for expressions; whole queries pass theirs as parameters."""

from __future__ import annotations

from typing import Any


def literal(value: Any) -> str:
    """The text of a number, text, boolean, None, or list of these."""
    if value is None:
        return "NULL"
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int):
        return str(value)
    if isinstance(value, float):
        return f"'{value!r}'::float8" if value != value or value in (float("inf"), float("-inf")) else repr(value)
    if isinstance(value, str):
        if "\0" in value:
            raise ValueError("text with a zero byte")
        # a backslash means itself only while standard_conforming_strings is on, which E'' does not ask
        return "E'" + value.replace("\\", "\\\\").replace("'", "''") + "'" if "\\" in value else "'" + value.replace("'", "''") + "'"
    if isinstance(value, (list, tuple, range)):
        return "ARRAY[" + ", ".join(literal(item) for item in value) + "]"
    raise TypeError(f"{type(value).__name__} is no SQL literal")
