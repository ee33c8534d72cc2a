"""Computes PyTorch's table rows of the events in traces: python3 torch_rows.py TRACE... > rows.json

It passes the events to the classes that build torch.profiler's tables, as PyTorch's parser of
Kineto's results does. So GPU work can be tested without a GPU. Prints a list of rows for each
trace. Exits with 77 if this PyTorch is too old to distinguish annotations from ops.
"""

import inspect
import json
import sys

from torch.autograd import DeviceType
from torch.autograd.profiler_util import EventList, FunctionEvent, _filter_name, _rewrite_name

ON_HOST = ("cpu_op", "user_annotation", "cuda_runtime", "cuda_driver")
ON_DEVICE = ("kernel", "gpu_memcpy", "gpu_memset", "gpu_user_annotation")


def function_events(events):
    """Returns (event, is it an op?) for each event, and the events that are no ops, listed by the
    id of the op that they belong to."""
    made, by_link = [], {}
    for event in events:
        category, args = event["cat"], event.get("args", {})
        if category not in ON_HOST + ON_DEVICE or _filter_name(event["name"]):
            continue
        is_op = category in ("cpu_op", "user_annotation")
        start_ns = round(event["ts"] * 1000)
        one = FunctionEvent(
            id=args.get("External id" if is_op else "correlation", 0),
            name=_rewrite_name(event["name"], with_wildcard=True),
            thread=event["tid"],
            start_us=start_ns / 1000,
            end_us=(start_ns + round(event["dur"] * 1000)) / 1000,
            input_shapes=[],
            stack=[],
            use_device="cuda",
            device_type=DeviceType.CUDA if category in ON_DEVICE else DeviceType.CPU,
            is_user_annotation=category.endswith("user_annotation"),
        )
        made.append((one, is_op))
        if not is_op and "External id" in args:
            by_link.setdefault(args["External id"], []).append(one)
    return made, by_link


def rows(trace):
    made, by_link = function_events(trace["traceEvents"])
    for event, is_op in made:
        for linked in by_link.get(event.id, []) if is_op else []:
            if linked.device_type == DeviceType.CUDA:
                event.append_kernel(linked.name, 0, linked.time_range.elapsed_us())
            else:
                linked.thread = event.thread
    events = sorted((event for event, _ in made), key=lambda e: [e.time_range.start, -e.time_range.end])
    averages = EventList(events, use_device="cuda")
    averages._build_tree()
    return [
        {
            "name": row.key,
            "place": "cuda" if row.device_type == DeviceType.CUDA else "cpu",
            "annotation": row.is_user_annotation,
            "calls": row.count,
            "self_cpu_ns": round(1000 * row.self_cpu_time_total),
            "cpu_ns": round(1000 * row.cpu_time_total),
            "self_device_ns": round(1000 * row.self_device_time_total),
            "device_ns": round(1000 * row.device_time_total),
        }
        for row in averages.key_averages()
    ]


def main():
    if "is_user_annotation" not in inspect.signature(FunctionEvent).parameters:
        sys.exit(77)
    found = []
    for path in sys.argv[1:]:
        with open(path) as file:
            found.append(rows(json.load(file)))
    json.dump(found, sys.stdout)


if __name__ == "__main__":
    main()
