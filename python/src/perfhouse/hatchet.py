"""Profiles as Hatchet's GraphFrames, many of them as a Thicket."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

if TYPE_CHECKING:
    from perfhouse.profile import Profile
    from perfhouse.warehouse import Warehouse

_AXES = ("rank", "thread", "iteration")


def _make_graph(nodes: pd.DataFrame) -> tuple[Any, list[Any]]:
    """Hatchet's graph of rows in pre-order, and its nodes in that order."""
    from hatchet.frame import Frame
    from hatchet.graph import Graph
    from hatchet.node import Node

    made: list[Any] = []
    roots: list[Any] = []
    for name, kind, parent in zip(nodes["name"], nodes["kind"], nodes["parent"]):
        above = None if pd.isna(parent) else made[int(parent)]
        node = Node(Frame({"name": name, "type": kind}), above)
        if above is None:
            roots.append(node)
        else:
            above.add_child(node)
        made.append(node)
    graph = Graph(roots)
    graph.enumerate_traverse()
    return graph, made


def _make_frame(profile: Profile, nodes: pd.DataFrame, made: list[Any], axes: dict[str, Any]) -> tuple[pd.DataFrame, list[str]]:
    """The costs by node and axes, each an array by location; and the names of the metrics."""
    metrics: list[str] = profile.metrics()["metric"].tolist()
    data: dict[str, Any] = {}
    index: list[Any] = []
    for metric in metrics:
        values = profile.values(metric)
        of_node = values["node"].to_numpy()
        if not index:
            index = [np.array(made, dtype=object)[of_node]] + [axis[values["location"].to_numpy()] for axis in axes.values()]
            data["name"] = nodes["name"].to_numpy()[of_node]
            data["module"] = nodes["module"].to_numpy()[of_node]
        data[metric] = values["exclusive"].to_numpy()
        data[f"{metric} (inc)"] = values["inclusive"].to_numpy()
    names = ["node", *axes]
    whole = pd.MultiIndex.from_arrays(index, names=names) if axes else pd.Index(index[0], name="node")
    return pd.DataFrame(data, index=whole, copy=False), metrics


def _inclusive(metrics: list[str]) -> list[str]:
    return [f"{metric} (inc)" for metric in metrics]


def graphframe_of(profile: Profile) -> Any:
    """Rows by node and by those of rank, thread and iteration that tell columns apart."""
    from hatchet.graphframe import GraphFrame

    nodes = profile.nodes()
    columns = profile.columns().sort_values("location")
    graph, made = _make_graph(nodes)
    axes = {axis: columns[axis].to_numpy() for axis in _AXES if columns[axis].nunique(dropna=True) > 1}
    frame, metrics = _make_frame(profile, nodes, made, axes)
    return GraphFrame(graph, frame, metrics, _inclusive(metrics))


def thicket_of(warehouse: Warehouse, runs: pd.DataFrame) -> Any:
    """The means over ranks of each run, by node and run; profiles of the Thicket are the numbers of the runs. The server
    unites the trees, so that no graphs have to be united here."""
    from thicket import Thicket

    from perfhouse.profile import ensemble_of

    ensemble = ensemble_of(warehouse, runs)
    numbers = sorted(int(run) for run in runs["run_id"])
    nodes = ensemble.nodes()
    graph, made = _make_graph(nodes)
    frame, metrics = _make_frame(ensemble, nodes, made, {"profile": np.array(numbers)})
    return Thicket(
        graph=graph,
        dataframe=frame,
        exc_metrics=metrics,
        inc_metrics=_inclusive(metrics),
        metadata=runs.set_index(runs["run_id"].rename("profile")).sort_index(),
        profile=numbers,
        profile_mapping={number: f"run {number}" for number in numbers},
    )
