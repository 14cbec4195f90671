"""Times that Python's datetime cannot tell: infinity, before Christ and after 9999 are NaT in data frames."""

from __future__ import annotations

from datetime import date, datetime
from typing import Any, Optional

import psycopg
from psycopg.types import datetime as types


class _Date(types.DateBinaryLoader):
    def load(self, data: Any) -> Optional[date]:  # type: ignore[override]
        try:
            return super().load(data)
        except psycopg.DataError:
            return None


class _Timestamp(types.TimestampBinaryLoader):
    def load(self, data: Any) -> Optional[datetime]:  # type: ignore[override]
        try:
            return super().load(data)
        except psycopg.DataError:
            return None


class _Timestamptz(types.TimestamptzBinaryLoader):
    def load(self, data: Any) -> Optional[datetime]:  # type: ignore[override]
        try:
            return super().load(data)
        except psycopg.DataError:
            return None


def tell_what_can_be_told(connection: psycopg.Connection[Any]) -> None:
    """Other times of the connection's queries are None, in place of an error that loses the whole result."""
    connection.adapters.register_loader("date", _Date)
    connection.adapters.register_loader("timestamp", _Timestamp)
    connection.adapters.register_loader("timestamptz", _Timestamptz)
