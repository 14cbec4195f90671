#!/usr/bin/env python3
"""Asks a peer the questions that bench/run asks perfhouse, on the same files.

usage: ask.py hatchet|thicket|otava|hta FILE...
       ask.py duckdb FOLDER

Prints a line a step: its name, CPU seconds of this process and its children without imports, and what came out,
for the eye. An ImportError is exit code 3: the peer is not installed.

SPDX-License-Identifier: PostgreSQL
"""
import os
import resource
import sys


def cpu():
    times = resource.getrusage(resource.RUSAGE_SELF), resource.getrusage(resource.RUSAGE_CHILDREN)
    return sum(time.ru_utime + time.ru_stime for time in times)


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
    from hta.trace_analysis import TraceAnalysis

    steps = Steps()
    trace = TraceAnalysis(trace_files={0: paths[0]}, trace_dir=os.path.dirname(paths[0]))
    steps.done("load", len(trace.t.get_trace(0)))
    breakdown = trace.get_temporal_breakdown(visualize=False).iloc[0]
    steps.done("breakdown", f"{breakdown['compute_time(us)']:.0f} {breakdown['idle_time(us)']:.0f}")
    idle = trace.get_idle_time_breakdown(ranks=[0], visualize=False)[0]
    reasons = idle.groupby("idle_category")["idle_time"].sum()
    steps.done("idle", " ".join(f"{reasons.get(reason, 0):.0f}" for reason in ("host_wait", "kernel_wait", "other")))
    _, kernels = trace.get_gpu_kernel_breakdown(visualize=False, num_kernels=100, include_memory_kernels=False)
    steps.done("kernels", f"{kernels['sum (us)'].sum():.0f}")


# Of two runs a and b: cells (node, rank, exclusive, inclusive), and nodes with their call path, their supernode and,
# where they are its entries, the supernode of the caller. Values are the decimals of the file, in microseconds, which
# is what takes the least room. All on one thread, in one process.
DUCKDB_TABLES = """
CREATE TABLE cells_{run} AS SELECT node, rank, round(exclusive, 6) AS exclusive, round(inclusive, 6) AS inclusive
    FROM read_csv('{folder}/cells-{run}.csv', columns={{'node': 'INTEGER', 'rank': 'SMALLINT', 'exclusive': 'DOUBLE',
    'inclusive': 'DOUBLE'}}, header=false) ORDER BY node, rank;
CREATE TABLE nodes_{run} AS SELECT * FROM read_csv('{folder}/nodes-{run}.csv', columns={{'node': 'INTEGER',
    'callpath': 'BIGINT', 'supernode': 'VARCHAR', 'caller': 'VARCHAR', 'is_entry': 'BOOLEAN'}}, header=false);
"""
DUCKDB_MEANS = "(SELECT n.callpath, m.x, m.i FROM (SELECT node, avg(exclusive) x, avg(inclusive) i FROM cells_{0} GROUP BY node) m JOIN nodes_{0} n USING (node)) {0}"
DUCKDB_QUESTIONS = {
    "nodes": """SELECT node, count(*), avg(exclusive) AS answer, avg(inclusive) FROM cells_a GROUP BY node""",
    "statistics": """SELECT node, count(*), avg(exclusive), stddev_samp(exclusive), min(exclusive),
        quantile_cont(exclusive, [0.25, 0.5, 0.75])[3] AS answer, max(exclusive) FROM cells_a GROUP BY node""",
    "supernodes": """SELECT supernode, avg(x), avg(i), min(i), max(i) AS answer, max(x) FROM (
        SELECT supernode, rank, sum(exclusive) AS x, coalesce(sum(inclusive) FILTER (WHERE is_entry), 0) AS i
        FROM cells_a JOIN nodes_a USING (node) GROUP BY supernode, rank) GROUP BY supernode""",
    "edges": """SELECT caller, supernode, sum(inclusive) / (SELECT count(DISTINCT rank) FROM cells_a WHERE node = 0) AS answer
        FROM cells_a JOIN nodes_a USING (node) WHERE is_entry AND caller IS NOT NULL GROUP BY caller, supernode""",
    "difference": f"""SELECT coalesce(a.callpath, b.callpath), coalesce(b.x, 0) - coalesce(a.x, 0) AS answer,
        coalesce(b.i, 0) - coalesce(a.i, 0) FROM {DUCKDB_MEANS.format('a')} FULL JOIN {DUCKDB_MEANS.format('b')}
        ON a.callpath = b.callpath""",
    "node": """SELECT rank, inclusive, exclusive AS answer FROM cells_a WHERE node = 500 ORDER BY rank""",
}


def duckdb_cells(paths):
    import duckdb

    folder = paths[0]
    path = os.path.join(folder, "duckdb")
    steps = Steps()
    database = duckdb.connect(path, config={"threads": 1})
    database.execute("SET threads = 1")
    for run in "ab":
        database.execute(DUCKDB_TABLES.format(run=run, folder=folder))
    database.execute("CHECKPOINT")
    # two runs in one file
    count = database.execute("SELECT (SELECT count(*) FROM cells_a) + (SELECT count(*) FROM cells_b)").fetchone()[0]
    steps.done("load", os.path.getsize(path) / count)
    for name, question in DUCKDB_QUESTIONS.items():
        best = None
        for _ in range(7):
            began = cpu()
            rows = database.execute(question).fetchnumpy()
            spent = cpu() - began
            best = spent if best is None else min(best, spent)
        print(f"{name}\t{best:.6f}\t{float(abs(rows['answer']).sum()):.12g}", flush=True)


PEERS = {"duckdb": duckdb_cells, "hatchet": hatchet_profiles, "thicket": thicket_runs, "otava": otava_points, "hta": hta_trace}


def main():
    try:
        PEERS[sys.argv[1]](sys.argv[2:])
    except ImportError as error:
        print(error, file=sys.stderr)
        sys.exit(3)


main()
