"""Profiles as Hatchet's GraphFrames, many of them as a Thicket."""

from __future__ import annotations

import importlib.util
from typing import TYPE_CHECKING, Any, NamedTuple, Optional

import numpy as np
import pandas as pd

from perfhouse.progress import Progress, Wish

if TYPE_CHECKING:
    from perfhouse.profile import Metrics, Profile
    from perfhouse.warehouse import Warehouse

_AXES = ("rank", "thread", "iteration")


class _Tree:
    """Hatchet's graph of rows in pre-order; its nodes have the numbers that Hatchet gives them, by name among siblings."""

    def __init__(self, nodes: pd.DataFrame):
        from hatchet.frame import Frame
        from hatchet.graph import Graph
        from hatchet.node import Node

        made: list[Any] = []
        roots: list[Any] = []
        for name, kind, parent in zip(nodes["name"], nodes["kind"], nodes["parent"].fillna(-1).astype(int)):
            above = made[parent] if parent >= 0 else None
            node = Node(Frame({"name": name, "type": kind}), above, depth=above._depth + 1 if above is not None else 0)
            (roots if above is None else above.children).append(node)
            made.append(node)
        self.graph = Graph(roots)
        self.nodes = _in_order(roots)
        self.numbers = np.fromiter((node._hatchet_nid for node in made), dtype=np.int32, count=len(made))
        # what Hatchet's readers tell of a node beside its frame; line 0 is none
        self.told = {name: self._by_number(nodes[name].to_numpy(dtype=object)) for name in ("name", "module", "file")}
        self.told["line"] = self._by_number(nodes["line"].to_numpy(dtype=np.int32, na_value=0))

    def _by_number(self, values: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
        ordered = np.empty_like(values)
        ordered[self.numbers] = values
        return ordered


def _in_order(roots: list[Any]) -> list[Any]:
    """Numbers the nodes in the order in which Hatchet traverses them, without its recursion."""
    from hatchet.node import traversal_order

    ordered: list[Any] = []
    waiting = sorted(roots, key=traversal_order, reverse=True)
    while waiting:
        node = waiting.pop()
        node._hatchet_nid = len(ordered)
        ordered.append(node)
        if len(node.children) > 1:
            waiting.extend(sorted(node.children, key=traversal_order, reverse=True))
        else:
            waiting.extend(node.children)
    return ordered


def _make_index(tree: _Tree, numbers: np.ndarray[Any, Any], locations: np.ndarray[Any, Any], axes: dict[str, Any]) -> pd.Index[Any]:
    """Of rows in their order: sorted as it is, so that nothing has to look for its levels."""
    nodes = pd.Index(tree.nodes, dtype=object)
    if not axes:
        return nodes[numbers].set_names("node")
    places = [pd.factorize(axis, sort=True) for axis in axes.values()]
    return pd.MultiIndex(
        levels=[nodes, *(values for _, values in places)],
        codes=[numbers, *(codes[locations] for codes, _ in places)],
        names=["node", *axes],
        verify_integrity=False,
    )


class _Made(NamedTuple):
    frame: pd.DataFrame
    metrics: list[str]
    present: np.ndarray[Any, Any]  # by row: is it measured?


class _Rows:
    """The rows of a frame, by number of the node, then unit: every unit of every node, or only those that were there."""

    def __init__(self, tree: _Tree, values: pd.DataFrame, n_units: int, fills: bool):
        self.of_cell = tree.numbers[values["node"].to_numpy()].astype(np.int64) * n_units + values["location"].to_numpy()
        if fills:
            self.present = np.zeros(len(tree.nodes) * n_units, dtype=bool)
            self.present[self.of_cell] = True
            self.numbers = np.repeat(np.arange(len(tree.nodes), dtype=np.int32), n_units)
            self.units = np.tile(np.arange(n_units, dtype=np.int32), len(tree.nodes))
        else:
            there = np.sort(self.of_cell)
            self.of_cell = np.searchsorted(there, self.of_cell)
            self.present = np.ones(len(there), dtype=bool)
            self.numbers, self.units = (part.astype(np.int32) for part in np.divmod(there, n_units))

    def spread(self, values: pd.Series[Any], absent: float) -> np.ndarray[Any, Any]:
        column = np.full(len(self.present), absent)
        column[self.of_cell] = values.to_numpy()
        return column


def _make_frame(profile: Profile, tree: _Tree, axes: dict[str, Any], n_units: int, absent: Optional[float], progress: Progress) -> _Made:
    """The costs by node and axes, each an array by location, of which flows that are absent have this value; None: no row."""
    told = profile.metrics()
    metrics: list[str] = told["metric"].tolist()
    data: dict[str, Any] = {}
    rows: Optional[_Rows] = None
    for metric, kind in zip(metrics, told["kind"]):
        values = profile.values(metric)
        if rows is None:
            # every metric has the same cells
            rows = _Rows(tree, values, n_units, absent is not None)
            data.update((name, values_of[rows.numbers]) for name, values_of in tree.told.items())
        filler = absent if absent is not None and kind == "flow" else np.nan
        data[metric] = rows.spread(values["exclusive"], filler)
        data[f"{metric} (inc)"] = rows.spread(values["inclusive"], filler)
        progress.reach(progress.done + 1, len(metrics))
    assert rows is not None  # a profile has a metric
    frame = pd.DataFrame(data, index=_make_index(tree, rows.numbers, rows.units, axes), copy=False)
    # load() gives them back
    frame.attrs["metric_units"] = dict(zip(metrics, told["unit"]))
    return _Made(frame, metrics, rows.present)


def _inclusive(metrics: list[str]) -> list[str]:
    return [f"{metric} (inc)" for metric in metrics]


def _need(package: str) -> None:
    """What is only installed where somebody asks for it."""
    if importlib.util.find_spec(package) is None:
        raise ModuleNotFoundError(f"{package} is not installed: pip install llnl-{package}, or ./python[thicket] for both", name=package)


def graphframe_of(profile: Profile, fill: bool = True, wish: Wish = None) -> Any:
    """Rows by node and by those of rank, thread and iteration that tell columns apart."""
    _need("hatchet")
    from hatchet.graphframe import GraphFrame

    tree = _Tree(profile.nodes())
    columns = profile.columns().sort_values("location")
    axes = {axis: columns[axis].to_numpy() for axis in _AXES if columns[axis].nunique(dropna=True) > 1}
    with Progress("fetching", "metrics", wish=wish) as progress:
        made = _make_frame(profile, tree, axes, len(columns), 0.0 if fill else None, progress)
    made.frame["present"] = made.present
    return GraphFrame(tree.graph, made.frame, made.metrics, _inclusive(made.metrics), default_metric=made.metrics[0])


def _metadata(runs: pd.DataFrame) -> pd.DataFrame:
    """What run_overview says of the runs and, a column each, what they say of themselves."""
    own = pd.DataFrame.from_records(list(runs["meta"].map(lambda meta: meta or {})), index=runs.index)
    both = pd.concat([runs, own.drop(columns=[name for name in own.columns if name in runs.columns])], axis="columns")
    return both.set_index(both["run_id"].rename("profile")).sort_index()


def thicket_of(warehouse: Warehouse, runs: pd.DataFrame, metrics: Metrics = None, wish: Wish = None) -> Any:
    """The means over ranks of each run, by node and run; profiles of the Thicket are the numbers of the runs. The server
    unites the trees, so that no graphs have to be united here."""
    _need("thicket")
    from thicket import Thicket

    from perfhouse.profile import ensemble_of

    ensemble = ensemble_of(warehouse, runs, metrics)
    numbers = sorted(int(run) for run in runs["run_id"])
    tree = _Tree(ensemble.nodes())
    with Progress("fetching", "metrics", wish=wish) as progress:
        # as Thicket fills what a profile has not
        made = _make_frame(ensemble, tree, {"profile": np.array(numbers)}, len(numbers), np.nan, progress)
    return Thicket(
        graph=tree.graph,
        dataframe=made.frame,
        exc_metrics=made.metrics,
        inc_metrics=_inclusive(made.metrics),
        default_metric=made.metrics[0],
        metadata=_metadata(runs),
        profile=numbers,
        profile_mapping={number: f"run {number}" for number in numbers},
    )
