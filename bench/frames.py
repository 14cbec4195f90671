#!/usr/bin/env python3
"""What the Python package costs, and Hatchet and Thicket reading the same files themselves.

usage: frames.py PROFILE TRACE APPLICATION FILE FILES...

PROFILE and TRACE are runs, APPLICATION has the runs of FILES, FILE is the profile's.
Prints a line a step: its name, CPU seconds of this process and of its two servers, wall seconds, and what came out;
of a step that is repeated the least. Without Hatchet or Thicket their steps are left out.

SPDX-License-Identifier: PostgreSQL
"""
import resource
import sys
import time

import perfhouse


class Steps:
    def __init__(self, warehouse):
        asked = (warehouse.sql("SELECT pg_backend_pid()", to=to) for to in ("pandas", "arrow"))
        self.servers = [int(answer["pg_backend_pid"][0]) for answer in (next(asked), next(asked).to_pandas())]

    def cpu(self):
        mine = resource.getrusage(resource.RUSAGE_SELF)
        total = mine.ru_utime + mine.ru_stime
        for server in self.servers:
            with open(f"/proc/{server}/schedstat", encoding="ascii") as stat:
                total += int(stat.read().split()[0]) / 1e9
        return total

    def measure(self, name, step, times=3):
        best = None
        for _ in range(times):
            cpu, began = self.cpu(), time.monotonic()
            result = step()
            cost = self.cpu() - cpu, time.monotonic() - began
            best = cost if best is None else min(best, cost)
        print(f"{name}\t{best[0]:.3f}\t{best[1]:.3f}\t{result}", flush=True)


def beside_hatchet(steps, path):
    try:
        import hatchet
    except ImportError:
        return
    steps.measure("hatchets", lambda: len(hatchet.GraphFrame.from_caliper(path, node_ordering=False).dataframe), 1)


def beside_thicket(steps, paths):
    try:
        import hatchet
        import thicket
    except ImportError:
        return

    def read():
        frames = [hatchet.GraphFrame.from_caliper(path, node_ordering=False) for path in paths]
        runs = [thicket.Thicket.thicketize_graphframe(frame, path) for frame, path in zip(frames, paths)]
        return len(thicket.Thicket.concat_thickets(runs, axis="index", disable_tqdm=True).profile)

    steps.measure("thickets", read, 1)


def main():
    profile, trace, application, path, *paths = sys.argv[1:]
    with perfhouse.connect() as warehouse:
        steps = Steps(warehouse)
        # the first question of a connection looks its functions up
        warehouse.events(int(trace), 0, 1)
        steps.measure("GraphFrame", lambda: len(warehouse.profile(int(profile)).to_hatchet().dataframe))
        steps.measure("Thicket", lambda: len(warehouse.thicket(application=application).profile))
        steps.measure("pandas", lambda: len(warehouse.events(int(trace))))
        steps.measure("arrow", lambda: warehouse.events(int(trace), to="arrow").num_rows)
        beside_hatchet(steps, path)
        beside_thicket(steps, paths)


main()
