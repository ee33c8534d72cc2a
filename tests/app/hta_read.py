"""Writes what HolisticTraceAnalysis computes from the only trace in a folder, as JSON. Runs in its own Python.

usage: hta_read.py FOLDER OUT.json
"""

import json
import sys

from hta.trace_analysis import TraceAnalysis


def column(table, start):
    """Returns the column whose name begins with `start`. The unit in the name differs between versions."""
    return table[next(name for name in table.columns if name.startswith(start))]


def ops(trace):
    """Returns the calls and the total time of each name on the host, by category."""
    names = trace.symbol_table.get_sym_table()
    table = trace.get_trace(0)
    host = table[table["stream"] == -1]
    result = {}
    for category, name, duration in zip(host["cat"], host["name"], host["dur"]):
        row = result.setdefault(names[category], {}).setdefault(names[name], {"calls": 0, "us": 0})
        row["calls"] += 1
        row["us"] += float(duration)
    return result


def work(analysis):
    types, kernels = analysis.get_gpu_kernel_breakdown(
        visualize=False, num_kernels=50, include_memory_kernels=True
    )
    temporal = analysis.get_temporal_breakdown(visualize=False)
    idle = analysis.get_idle_time_breakdown(ranks=[0], consecutive_kernel_delay=30, visualize=False)
    idle = idle[0] if isinstance(idle, tuple) else idle
    return {
        "types": {t: float(s) for t, s in zip(types["kernel_type"], types["sum"])},
        "kernels": {
            name: {"sum": float(s), "mean": float(m), "max": float(x), "type": t}
            for name, s, m, x, t in zip(
                kernels["name"],
                column(kernels, "sum"),
                column(kernels, "mean"),
                column(kernels, "max"),
                kernels["kernel_type"],
            )
        },
        "temporal": {
            key: float(column(temporal, key).iloc[0])
            for key in ("idle_time(", "compute_time(", "non_compute_time(", "kernel_time(")
        },
        "idle": {
            f"{int(stream)} {category}": float(time)
            for stream, category, time in zip(idle["stream"], idle["idle_category"], idle["idle_time"])
        },
    }


def main():
    folder, out = sys.argv[1:3]
    # Without this option, HTA leaves out the last step, and all work on streams that overlaps with
    # this step.
    analysis = TraceAnalysis(trace_dir=folder, include_last_profiler_step=True)
    trace = analysis.t
    said = {
        "ranks": [int(rank) for rank in trace.get_ranks()],
        "iterations": [int(i) for i in trace.get_iterations(0)],
        "ops": ops(trace),
        "metadata": trace.meta_data[0],
    }
    if (trace.get_trace(0)["stream"] > 0).any():
        said.update(work(analysis))
    with open(out, "w") as file:
        json.dump(said, file)


if __name__ == "__main__":
    main()
