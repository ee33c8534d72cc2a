"""Writes a trace in the format of PyTorch: python3 make_large_trace.py EVENTS FILE[.gz]

For measurements: `/usr/bin/time -v normbench table FILE`. Each op launches a kernel. Each step has
a hundred ops on one of four threads.
"""

import gzip
import sys

OP = """  {{
    "ph": "X", "cat": "cpu_op", "name": "aten::op_{name}", "pid": 4242, "tid": {tid},
    "ts": {ts}.125, "dur": 60.250,
    "args": {{
      "External id": {id},"Record function id": 0, "Ev Idx": {id}
    }}
  }},
  {{
    "ph": "X", "cat": "cuda_runtime", "name": "cudaLaunchKernel", "pid": 4242, "tid": {tid},
    "ts": {ts}.500, "dur": 4.125,
    "args": {{
      "External id": {id}, "cbid": 211, "correlation": {id}
    }}
  }},
  {{
    "ph": "s", "id": {id}, "pid": 4242, "tid": {tid}, "ts": {ts}.500,
    "cat": "ac2g", "name": "ac2g"
  }},
  {{
    "ph": "X", "cat": "kernel", "name": "void at::native::kernel_{name}<float, 4>(int, float*)", "pid": 0, "tid": 7,
    "ts": {ts}.900, "dur": 70.001,
    "args": {{
      "External id": {id},
      "queued": 0, "device": 0, "context": 1,
      "stream": 7, "correlation": {id},
      "registers per thread": 32,
      "shared memory": 0,
      "blocks per SM": 5.3,
      "warps per SM": 21.2,
      "grid": [108, 1, 1],
      "block": [128, 1, 1],
      "est. achieved occupancy %": 50
    }}
  }},
  {{
    "ph": "f", "id": {id}, "pid": 0, "tid": 7, "ts": {ts}.900,
    "cat": "ac2g", "name": "ac2g", "bp": "e"
  }},
"""
STEP = """  {{
    "ph": "X", "cat": "user_annotation", "name": "ProfilerStep#{step}", "pid": 4242, "tid": {tid},
    "ts": {ts}.000, "dur": 9999.500,
    "args": {{
      "External id": {id},"Record function id": 0, "Ev Idx": {id}
    }}
  }},
"""
OPS_PER_STEP = 100


def write(out, events):
    out.write('{\n  "schemaVersion": 1,\n  "deviceProperties": [{"id": 0, "name": "GPU"}],\n  "traceEvents": [\n')
    number, written = 0, 0
    while written < events:
        step = number // OPS_PER_STEP
        tid = 4242 + step % 4
        if number % OPS_PER_STEP == 0:
            out.write(STEP.format(step=step, tid=tid, ts=100 * number, id=number + 10**9))
            written += 1
        out.write(OP.format(name=number % 500, tid=tid, ts=100 * number, id=number + 1))
        number, written = number + 1, written + 5
    out.write('  {"ph": "M", "name": "process_name", "pid": 4242, "tid": 0, "args": {"name": "python"}}\n')
    out.write('  ],\n  "traceName": "large.json"\n}\n')


def main():
    events, path = int(sys.argv[1]), sys.argv[2]
    opener = gzip.open if path.endswith(".gz") else open
    with opener(path, "wt") as out:
        write(out, events)


if __name__ == "__main__":
    main()
