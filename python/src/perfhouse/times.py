"""Times that Python's datetime cannot tell: infinity, before Christ and after 9999 are NaT in data frames."""

from __future__ import annotations

from typing import Any

import psycopg
from psycopg.types import datetime as types


class _OrMissing:
    def load(self, data: Any) -> Any:
        try:
            return super().load(data)  # type: ignore[misc]
        except psycopg.DataError:
            return None


class _Date(_OrMissing, types.DateBinaryLoader):
    pass


class _Timestamp(_OrMissing, types.TimestampBinaryLoader):
    pass


class _Timestamptz(_OrMissing, types.TimestamptzBinaryLoader):
    pass


def tell_what_can_be_told(connection: psycopg.Connection[Any]) -> None:
    """Other times of the connection's queries are None, in place of an error that loses the whole result."""
    connection.adapters.register_loader("date", _Date)
    connection.adapters.register_loader("timestamp", _Timestamp)
    connection.adapters.register_loader("timestamptz", _Timestamptz)
