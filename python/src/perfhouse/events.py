"""The events of a trace as a data frame or an Arrow table.

The server sends a row for each chunk of up to 16,384 events with its columns as bytes; they become columns of the result
without an object for each event.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Iterator, Optional, Sequence

import numpy as np
import pandas as pd
import pyarrow as pa

from perfhouse.columns import packed
from perfhouse.literal import literal
from perfhouse.progress import Progress, Wish

if TYPE_CHECKING:
    from perfhouse.warehouse import Warehouse

# of what the server packs; where it has -1, there is none
_PACKED = {"time": "<i8", "kind": "u1", "region": "<i4", "peer": "<i4", "bytes": "<i8"}


class Window:
    """What is asked for: the events of a run from start to before end (ns), of some locations."""

    def __init__(self, run: int, start: Optional[int], end: Optional[int], locations: Optional[Sequence[int]]):
        self.run, self.start, self.end, self.locations = int(run), start, end, locations

    def query(self) -> str:
        conditions = [f"run_id = {self.run}"]
        if self.start is not None:
            conditions.append(f"t_last >= {int(self.start)}")
        if self.end is not None:
            conditions.append(f"t_first < {int(self.end)}")
        if self.locations is not None:
            conditions.append(f"location = ANY ({literal([int(at) for at in self.locations])}::int4[])")
        return (
            'SELECT location, coalesce(rank, -1) AS rank, n, "time", kind, region, peer, bytes FROM event_columns'
            f" WHERE {' AND '.join(conditions)} ORDER BY location, chunk_no"
        )

    def is_whole(self) -> bool:
        return self.start is None and self.end is None and self.locations is None

    def holds(self, time: np.ndarray[Any, Any]) -> Optional[np.ndarray[Any, Any]]:
        """Which of these times are inside; None: all, because chunks are not cut."""
        if self.start is None and self.end is None:
            return None
        inside = np.ones(len(time), dtype=bool)
        if self.start is not None:
            inside &= time >= self.start
        if self.end is not None:
            inside &= time < self.end
        return inside


class _Words:
    """What the numbers of a column mean; several may mean the same, and what means nothing is missing."""

    def __init__(self, known: pa.Table):
        numbers, words = (column.to_pylist() for column in known.columns)
        places: dict[str, int] = {}
        # one more than the last number: that of -1
        self.places = np.full(max(numbers, default=-1) + 2, -1, dtype=np.min_scalar_type(-1 - len(numbers)))
        for number, word in sorted(zip(numbers, words)):
            self.places[number] = places.setdefault(word, len(places))
        self.words = list(places)


class _Events:
    """The answer, some chunks at a time: kind and region are places among their words."""

    def __init__(self, warehouse: Warehouse, window: Window, wish: Wish):
        self.window = window
        known = warehouse.columns.fetch(f"SELECT n_events FROM trace WHERE run_id = {window.run}")["n_events"].to_pylist()
        if not known:
            raise LookupError(f"run {window.run} does not exist or has no trace")
        with Progress("fetching", "events", known[0] if window.is_whole() else None, wish) as progress:
            self.fetched = warehouse.columns.fetch(window.query(), lambda batch: progress.step(sum(batch["n"].to_pylist())))
        self.words = {
            "kind": _Words(warehouse.columns.fetch("SELECT code, kind FROM event_kinds()")),
            "region": _Words(warehouse.columns.fetch(f"SELECT local_id, name FROM trace_region WHERE run_id = {window.run}")),
        }

    def parts(self) -> Iterator[dict[str, np.ndarray[Any, Any]]]:
        for batch in self.fetched.to_batches() or [_no_rows(self.fetched)]:
            n = batch["n"].to_numpy()
            data = {name: np.repeat(batch[name].to_numpy(), n) for name in ("location", "rank")}
            data.update((name, packed(batch[name], dtype)) for name, dtype in _PACKED.items())
            inside = self.window.holds(data["time"])
            if inside is not None:
                data = {name: values[inside] for name, values in data.items()}
            for name, meaning in self.words.items():
                data[name] = meaning.places[data[name]]
            yield data


def _no_rows(table: pa.Table) -> pa.RecordBatch:
    return pa.RecordBatch.from_pylist([], schema=table.schema)


def events_frame(warehouse: Warehouse, window: Window, wish: Wish = None) -> pd.DataFrame:
    events = _Events(warehouse, window, wish)
    parts = list(events.parts())
    columns: dict[str, Any] = {name: np.concatenate([part.pop(name) for part in parts]) for name in list(parts[0])}
    for name, meaning in events.words.items():
        kinds = pd.CategoricalDtype(pd.Index(meaning.words, dtype=object))
        columns[name] = pd.Categorical.from_codes(columns[name], dtype=kinds, validate=False)
    return pd.DataFrame(columns, copy=False)


def _with_nulls(values: np.ndarray[Any, Any]) -> pa.Array:
    """-1 is null."""
    there = values >= 0
    bitmap = None if there.all() else pa.py_buffer(np.packbits(there, bitorder="little"))
    return pa.Array.from_buffers(pa.from_numpy_dtype(values.dtype), len(values), [bitmap, pa.py_buffer(values)])


def _batch(data: dict[str, np.ndarray[Any, Any]], words: dict[str, pa.Array]) -> pa.RecordBatch:
    columns = {name: pa.array(values) if name in ("location", "time") else _with_nulls(values) for name, values in data.items()}
    for name, meaning in words.items():
        # the places were made here: they need no check against the dictionary
        columns[name] = pa.DictionaryArray.from_arrays(columns[name], meaning, safe=False)
    return pa.RecordBatch.from_pydict(columns)


def events_table(warehouse: Warehouse, window: Window, wish: Wish = None) -> pa.Table:
    """kind and region are dictionaries; rank, region, peer and bytes are null where an event has none."""
    events = _Events(warehouse, window, wish)
    words = {name: pa.array(meaning.words, pa.string()) for name, meaning in events.words.items()}
    return pa.Table.from_batches([_batch(data, words) for data in events.parts()])
