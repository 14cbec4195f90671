"""Parquet of an Arrow file: what `perfhouse export --format parquet` runs as `python3 -m perfhouse.parquet ARROW PARQUET`."""

from __future__ import annotations

import sys

import pyarrow as pa
import pyarrow.parquet


def convert(source: str, target: str) -> None:
    """Memory of a group of rows: the source is mapped."""
    with pa.memory_map(source) as mapped, pa.ipc.open_file(mapped) as reader:
        pyarrow.parquet.write_table(reader.read_all(), target, row_group_size=1 << 20)


if __name__ == "__main__":
    convert(*sys.argv[1:])
