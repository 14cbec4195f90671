#!/usr/bin/env python3
"""Writes a trace as PyTorch's profiler does: operators that launch kernels, for HolisticTraceAnalysis.

usage: kineto.py N_KERNELS > FILE

Each kernel comes with an operator and a call of the runtime: three events.

SPDX-License-Identifier: PostgreSQL
"""
import json
import sys

STREAMS = [7, 7, 7, 20]  # of the kernels: collectives have one of their own
KERNELS = ["gemm", "softmax", "layer_norm", "ncclDevKernel_AllReduce"]


def event(cat, name, tid, at, duration, **args):
    return {"ph": "X", "cat": cat, "name": name, "pid": 1 if cat != "kernel" else 0, "tid": tid, "ts": at, "dur": duration,
            "args": args}


def events(n_kernels):
    """Eight launches at a time, faster than the device: streams wait for the host, between kernels, and for each other."""
    for i in range(n_kernels):
        name = KERNELS[i % len(KERNELS)]
        stream = STREAMS[i % len(STREAMS)]
        batch, place = divmod(i, 8)
        launch = 400 * batch + 3 * place
        start = 400 * batch + 30 + 20 * place + (60 if place >= 5 else 0)
        yield event("cpu_op", f"aten::{name}", 1, launch, 3, **{"External id": i + 1})
        yield event("cuda_runtime", "cudaLaunchKernel", 1, launch + 1, 1, correlation=i + 1)
        yield event("kernel", name, stream, start, 25 if stream != STREAMS[0] else 5 + i % 7, correlation=i + 1,
                    stream=stream, device=0)


def main():
    head = {"schemaVersion": 1, "distributedInfo": {"backend": "nccl", "rank": 0, "world_size": 1},
            "deviceProperties": [{"id": 0, "name": "device"}]}
    sys.stdout.write(json.dumps(head)[:-1] + ', "traceEvents": [\n')
    sys.stdout.write(",\n".join(json.dumps(one) for one in events(int(sys.argv[1]))))
    sys.stdout.write("\n]}\n")


main()
