"""Into the warehouse: files, tables, and objects of Hatchet and Thicket as runs.

The program loads them; what is no file of a format that it reads is written as one before: tables as CSV (docs/FORMATS.md has
its columns), GraphFrames and each profile of a Thicket as Hatchet's JSON.
"""

from __future__ import annotations

import json
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Any, Iterator, Mapping, Optional

import pandas as pd
import pyarrow as pa
import pyarrow.parquet

from perfhouse import program
from perfhouse.progress import Progress, Wish

if TYPE_CHECKING:
    from perfhouse.warehouse import Warehouse

# metadata that become columns of run_overview, by their names there; its other columns the warehouse finds for itself
_KEYS = {"application": "application", "title": "title", "commit_id": "commit", "branch": "branch", "cluster": "cluster", "user_name": "user"}


def load(warehouse: Warehouse, data: Any, metadata: Mapping[str, Any], wish: Wish = None) -> list[int]:
    """The numbers of the runs, in the order of the input; content that is there already is not loaded again."""
    if isinstance(data, (str, Path)) and Path(data).suffix != ".parquet":
        return _run_loader(warehouse, [str(data)], metadata, wish)
    with tempfile.TemporaryDirectory(prefix="perfhouse-") as folder:
        return _run_loader(warehouse, [str(path) for path in _write(warehouse, data, Path(folder))], metadata, wish)


def _run_loader(warehouse: Warehouse, paths: list[str], metadata: Mapping[str, Any], wish: Wish) -> list[int]:
    arguments = ["load", "--json", "--progress", "--db", warehouse.conninfo]
    for key, value in metadata.items():
        arguments += ["--set", f"{key}={value}"]
    runs: list[int] = []
    with Progress("loading", "bytes", wish=wish) as progress:

        def tell(line: bytes) -> None:
            told = json.loads(line)
            if "total" in told:
                progress.reach(told["done"], told["total"])
            elif told.get("run_id") is not None:
                runs.append(int(told["run_id"]))

        program.run_lines([*arguments, "--", *paths], tell)
    return runs


def _write(warehouse: Warehouse, data: Any, folder: Path) -> Iterator[Path]:
    """Files that the program loads, one for each run."""
    if isinstance(data, (str, Path)):
        data = pyarrow.parquet.read_table(data)
    if isinstance(data, pa.Table):
        data = data.to_pandas()
    if isinstance(data, pd.DataFrame):
        yield _write_table(data, folder / "table.csv")
    elif hasattr(data, "profile") and hasattr(data, "metadata"):
        yield from _write_thicket(warehouse, data, folder)
    elif hasattr(data, "graph") and hasattr(data, "dataframe"):
        yield _write_graphframe(data, data.dataframe, folder / "graphframe.json")
    else:
        raise TypeError(f"a {type(data).__name__} is no table, GraphFrame, Thicket or path")


def _write_table(table: pd.DataFrame, path: Path) -> Path:
    if "callpath" not in table.columns:
        raise ValueError('a table needs a column "callpath": names from the root on, ";" between them')
    first = [name for name in ("callpath", "rank", "thread") if name in table.columns]
    if len(first) == len(table.columns):
        raise ValueError('a table needs a column of a metric, such as "time [s]"')
    table[[*first, *(name for name in table.columns if name not in first)]].to_csv(path, index=False)
    return path


def _reached(nodes: Any) -> set[Any]:
    """Nodes and those above them: a Thicket's graph has call paths of its other profiles, too."""
    reached: set[Any] = set()
    waiting = list(nodes)
    while waiting:
        node = waiting.pop()
        if node not in reached:
            reached.add(node)
            waiting.extend(node.parents)
    return reached


def _write_graphframe(source: Any, frame: pd.DataFrame, path: Path) -> Path:
    """Hatchet's form of graph and rows; of the columns the metrics, and rank and thread of the index."""
    metrics = [name for name in [*source.exc_metrics, *source.inc_metrics] if name in frame.columns]
    if "present" in frame.columns:
        frame = frame[frame["present"].astype(bool)]
    rows = frame[metrics].dropna(how="all").reset_index()
    reached = _reached(rows["node"].unique())
    number = {node: place for place, node in enumerate(node for node in source.graph.traverse() if node in reached)}
    graph = {
        str(place): {"data": node.frame.attrs, "children": [number[child] for child in node.children if child in reached]}
        for node, place in number.items()
    }
    rows["node"] = rows["node"].map(number)
    names = ["node", *(axis for axis in ("rank", "thread") if axis in rows.columns), *metrics]
    columns = [rows[name].tolist() for name in names]
    # NaN is not equal to itself: where there is none, nothing is said
    records = [{name: value for name, value in zip(names, row) if value == value} for row in zip(*columns)]
    with path.open("w", encoding="utf-8") as out:
        json.dump({"graph": [graph], "dataframe": records, "metric_units": source.dataframe.attrs.get("metric_units", {})}, out)
    return path


def _metadata_of(row: pd.Series[Any], known: set[str]) -> dict[str, Any]:
    """What is said of a run: its columns of run_overview that come from outside, and whatever that does not have."""
    said: dict[str, Any] = {}
    for name, value in row.items():
        key: Optional[str] = _KEYS.get(str(name), None if str(name) in known else str(name))
        if key is not None and isinstance(value, (str, int, float)) and value == value:
            said[key] = value
    return said


def _write_thicket(warehouse: Warehouse, thicket: Any, folder: Path) -> Iterator[Path]:
    known = set(warehouse.runs("n_ranks < 0").columns)
    level = next(name for name in thicket.dataframe.index.names if name != "node")
    for place, profile in enumerate(thicket.profile):
        path = folder / f"{place:06}-{profile}.json"
        _write_graphframe(thicket, thicket.dataframe.xs(profile, level=level), path)
        said = _metadata_of(thicket.metadata.loc[profile], known)
        path.with_suffix(".meta.json").write_text(json.dumps(said, default=str), encoding="utf-8")
        yield path
