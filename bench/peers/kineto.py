#!/usr/bin/env python3
"""Writes a trace as PyTorch's profiler does: operators that launch kernels, for HolisticTraceAnalysis.

usage: kineto.py N_KERNELS > FILE

Each kernel comes with an operator and a call of the runtime: three events.

SPDX-License-Identifier: PostgreSQL
"""
import json
import sys

STREAM = 7
KERNELS = ["gemm", "softmax", "layer_norm", "ncclDevKernel_AllReduce"]


def event(cat, name, tid, at, duration, **args):
    return {"ph": "X", "cat": cat, "name": name, "pid": 1 if cat != "kernel" else 0, "tid": tid, "ts": at, "dur": duration,
            "args": args}


def events(n_kernels):
    for i in range(n_kernels):
        name = KERNELS[i % len(KERNELS)]
        at = 10 * i
        yield event("cpu_op", f"aten::{name}", 1, at, 8, **{"External id": i + 1})
        yield event("cuda_runtime", "cudaLaunchKernel", 1, at + 1, 2, correlation=i + 1)
        yield event("kernel", name, STREAM, at + 4, 5, correlation=i + 1, stream=STREAM, device=0)


def main():
    head = {"schemaVersion": 1, "distributedInfo": {"backend": "nccl", "rank": 0, "world_size": 1},
            "deviceProperties": [{"id": 0, "name": "device"}]}
    sys.stdout.write(json.dumps(head)[:-1] + ', "traceEvents": [\n')
    sys.stdout.write(",\n".join(json.dumps(one) for one in events(int(sys.argv[1]))))
    sys.stdout.write("\n]}\n")


main()
