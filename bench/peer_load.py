#!/usr/bin/env python3
"""Loads a Caliper json-split file with a peer, for bench/run to measure.

usage: peer_load.py hatchet|thicket FILE

SPDX-License-Identifier: PostgreSQL
"""
import sys


def main():
    peer, path = sys.argv[1:3]
    if peer == "hatchet":
        import hatchet

        hatchet.GraphFrame.from_caliper(path)
    else:
        import thicket

        thicket.Thicket.from_caliper(path)


main()
