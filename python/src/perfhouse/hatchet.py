"""Profiles as Hatchet's GraphFrames, many of them as a Thicket."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from perfhouse.progress import Progress, Wish

if TYPE_CHECKING:
    from perfhouse.profile import Profile
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


def _make_frame(
    profile: Profile, nodes: pd.DataFrame, tree: _Tree, axes: dict[str, Any], progress: Progress
) -> tuple[pd.DataFrame, list[str]]:
    """The costs by node and axes, each an array by location; and the names of the metrics."""
    told = profile.metrics()
    metrics: list[str] = told["metric"].tolist()
    data: dict[str, Any] = {}
    index: Any = None
    for metric in metrics:
        values = profile.values(metric)
        if index is None:
            # every metric has the same cells
            of_node = values["node"].to_numpy()
            order = np.argsort(tree.numbers[of_node], kind="stable")
            of_node = of_node[order]
            index = _make_index(tree, tree.numbers[of_node], values["location"].to_numpy()[order], axes)
            data["name"] = nodes["name"].to_numpy()[of_node]
            data["module"] = nodes["module"].to_numpy()[of_node]
        data[metric] = values["exclusive"].to_numpy()[order]
        data[f"{metric} (inc)"] = values["inclusive"].to_numpy()[order]
        progress.reach(progress.done + 1, len(metrics))
    frame = pd.DataFrame(data, index=index, copy=False)
    # load() gives them back
    frame.attrs["metric_units"] = dict(zip(metrics, told["unit"]))
    return frame, metrics


def _inclusive(metrics: list[str]) -> list[str]:
    return [f"{metric} (inc)" for metric in metrics]


def graphframe_of(profile: Profile, wish: Wish = None) -> Any:
    """Rows by node and by those of rank, thread and iteration that tell columns apart."""
    from hatchet.graphframe import GraphFrame

    nodes = profile.nodes()
    columns = profile.columns().sort_values("location")
    tree = _Tree(nodes)
    axes = {axis: columns[axis].to_numpy() for axis in _AXES if columns[axis].nunique(dropna=True) > 1}
    with Progress("fetching", "metrics", wish=wish) as progress:
        frame, metrics = _make_frame(profile, nodes, tree, axes, progress)
    return GraphFrame(tree.graph, frame, metrics, _inclusive(metrics), default_metric=metrics[0])


def thicket_of(warehouse: Warehouse, runs: pd.DataFrame, wish: Wish = None) -> Any:
    """The means over ranks of each run, by node and run; profiles of the Thicket are the numbers of the runs. The server
    unites the trees, so that no graphs have to be united here."""
    from thicket import Thicket

    from perfhouse.profile import ensemble_of

    ensemble = ensemble_of(warehouse, runs)
    numbers = sorted(int(run) for run in runs["run_id"])
    nodes = ensemble.nodes()
    tree = _Tree(nodes)
    with Progress("fetching", "metrics", wish=wish) as progress:
        frame, metrics = _make_frame(ensemble, nodes, tree, {"profile": np.array(numbers)}, progress)
    return Thicket(
        graph=tree.graph,
        dataframe=frame,
        exc_metrics=metrics,
        inc_metrics=_inclusive(metrics),
        default_metric=metrics[0],
        metadata=runs.set_index(runs["run_id"].rename("profile")).sort_index(),
        profile=numbers,
        profile_mapping={number: f"run {number}" for number in numbers},
    )
