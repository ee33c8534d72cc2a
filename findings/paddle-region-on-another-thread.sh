#!/usr/bin/env bash
# PaddlePaddle's profiler exports a Chrome trace, in which slices of a thread are told to nest by their times.
# Guess: a region that Python opens (RecordEvent) is on the thread that opened it, around the operators that ran in it.
# Seen with PaddlePaddle 3.3.1: the one thread stands there as two, "N(Python)" and "N(C++)", so that no operator is in any region.
# And starts are cut to whole microseconds while durations keep three decimals, so that some slices seem to end after what is
# around them; exact times are in their arguments.
. "$(dirname "$0")/lib.sh"
install paddlepaddle==3.3.1 setuptools==82.0.0
expect 'threads of the region: Python; of operators: C++; whole starts: True; whole durations: False' <<'PYTHON'
import glob
import json

import paddle
from paddle import profiler

with profiler.Profiler(targets=[profiler.ProfilerTarget.CPU], on_trace_ready=profiler.export_chrome_tracing("traces")) as watched:
    x = paddle.ones([64, 64])
    with profiler.RecordEvent("my region"):
        for _ in range(20):
            x = paddle.tanh(paddle.matmul(x, x))
    watched.step()
(path,) = glob.glob("traces/*.json")
events = [event for event in json.load(open(path))["traceEvents"] if event.get("ph") == "X"]


def threads(of):
    return " ".join(sorted({event["tid"].split("(")[1].rstrip(")") for event in events if of(event)}))


print(f"threads of the region: {threads(lambda event: event['name'].startswith('my region'))}; of operators: "
      f"{threads(lambda event: event['cat'] == 'Operator')}; "
      f"whole starts: {all(float(event['ts']).is_integer() for event in events)}; "
      f"whole durations: {all(float(event['dur']).is_integer() for event in events)}")
PYTHON
