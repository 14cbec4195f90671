"""Rows as columns: large results without an object per value.

COPY BINARY of rows whose columns have one width each, and no nulls, is an array of records: NumPy reads it as it is.
"""

from __future__ import annotations

from typing import Any, Mapping, Sequence

import numpy as np
import psycopg

_WIDTHS = {"int4": ">i4", "int8": ">i8", "float8": ">f8"}
_HEAD = 19  # "PGCOPY\n\xff\r\n\0", flags, and the length of an extension


def fixed_rows(
    connection: psycopg.Connection[Any], query: str, types: Mapping[str, str]
) -> dict[str, np.ndarray[Any, Any]]:
    """The columns of a query that gives no null: types are int4, int8 or float8 by name, in their order."""
    fields: list[tuple[str, str]] = [("n_fields", ">i2")]
    for i, (name, kind) in enumerate(types.items()):
        fields += [(f"length_{i}", ">i4"), (name, _WIDTHS[kind])]
    record = np.dtype(fields)
    chunks: list[bytes] = []
    with connection.cursor() as cursor, cursor.copy(f"COPY ({query}) TO STDOUT (FORMAT binary)") as copy:
        chunks.extend(bytes(chunk) for chunk in copy)
    body = b"".join(chunks)[_HEAD:-2]
    rows = np.frombuffer(body, dtype=record)
    if len(rows) and not all((rows[f"length_{i}"] == record[name].itemsize).all() for i, name in enumerate(types)):
        raise ValueError("a column has nulls or another width")
    return {name: rows[name].astype(record[name].newbyteorder("="), copy=True) for name in types}


def joined(parts: Sequence[bytes], dtype: str) -> np.ndarray[Any, Any]:
    """Arrays of little-endian numbers, one after the other."""
    return np.frombuffer(b"".join(parts), dtype=np.dtype(dtype))
