#!/usr/bin/env python3
"""Asks a peer the questions that bench/run asks perfhouse, on the same files.

usage: ask.py hatchet|thicket|otava|hta FILE...

Prints a line a step: its name, CPU seconds of this process and its children without imports, and what came out,
for the eye. An ImportError is exit code 3: the peer is not installed.

SPDX-License-Identifier: PostgreSQL
"""
import os
import sys


def cpu():
    times = os.times()
    return times.user + times.system + times.children_user + times.children_system


class Steps:
    """Measures what is done between two calls."""

    def __init__(self):
        self.since = cpu()

    def done(self, name, result):
        now = cpu()
        print(f"{name}\t{now - self.since:.3f}\t{result}", flush=True)
        self.since = cpu()


def hatchet_profiles(paths):
    import hatchet

    steps = Steps()
    frames = [hatchet.GraphFrame.from_caliper(path, node_ordering=False) for path in paths]
    steps.done("load", sum(len(frame.dataframe) for frame in frames))
    statistics = frames[0].dataframe.groupby(level="node")["time"].agg(["mean", "min", "max", "std"])
    steps.done("statistics", len(statistics))
    if len(frames) > 1:
        # its operators change the frames that they are given
        difference = frames[0].copy() - frames[1].copy()
        steps.done("difference", len(difference.dataframe))


def thicket_runs(paths):
    import hatchet
    import thicket

    steps = Steps()
    # its own reader of these files has no way to say that their nodes have no order
    frames = [hatchet.GraphFrame.from_caliper(path, node_ordering=False) for path in paths]
    runs = [thicket.Thicket.thicketize_graphframe(frame, path) for frame, path in zip(frames, paths)]
    whole = thicket.Thicket.concat_thickets(runs, axis="index", disable_tqdm=True)
    steps.done("load", len(whole.profile))
    statistics = whole.dataframe.groupby(level="node")["time"].agg(["mean", "std"])
    steps.done("statistics", len(statistics))


def otava_points(paths):
    from otava.analysis import compute_change_points

    with open(paths[0], encoding="utf-8") as lines:
        series = [float(line) for line in lines]
    steps = Steps()
    found = compute_change_points(series)
    steps.done("points", len(found[0]))


def hta_trace(paths):
    from hta.common.trace import Trace

    steps = Steps()
    trace = Trace(trace_files={0: paths[0]}, trace_dir=os.path.dirname(paths[0]))
    trace.parse_traces(use_multiprocessing=False)
    steps.done("load", len(trace.get_trace(0)))
    rows = trace.get_trace(0)
    steps.done("profile", len(rows.groupby("name")["dur"].sum()))


PEERS = {"hatchet": hatchet_profiles, "thicket": thicket_runs, "otava": otava_points, "hta": hta_trace}


def main():
    try:
        PEERS[sys.argv[1]](sys.argv[2:])
    except ImportError as error:
        print(error, file=sys.stderr)
        sys.exit(3)


main()
