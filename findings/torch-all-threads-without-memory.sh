#!/usr/bin/env bash
# torch.profiler records memory with `profile_memory`, and threads that it did not start with `profile_all_threads` of its
# experimental configuration.
# Guess: with both, the memory that operators of all threads take.
# Seen with PyTorch 2.15.0 on a CPU: operators of all threads, and no memory, not even that of the thread which records: every
# operator is said to have taken 0 bytes, without a warning.
. "$(dirname "$0")/lib.sh"
install torch==2.15.0 numpy==2.4.6
expect 'of this thread: 3 adds, 12 MB
of all threads: 6 adds, 0 MB' <<'PYTHON'
import threading

import torch
from torch.profiler import ProfilerActivity, _ExperimentalConfig, profile


def work(x):
    kept = [x + 1 for _ in range(3)]
    return len(kept)


x = torch.ones(1000, 1000)
for of, config in (("this thread", None), ("all threads", _ExperimentalConfig(profile_all_threads=True))):
    with profile(activities=[ProfilerActivity.CPU], profile_memory=True, experimental_config=config) as watched:
        other = threading.Thread(target=work, args=(x,))
        other.start()
        other.join()
        work(x)
    adds = [event for event in watched.events() if event.name == "aten::add"]
    memory = sum(event.self_cpu_memory_usage for event in adds)
    print(f"of {of}: {len(adds)} adds, {memory / 1e6:.0f} MB")
PYTHON
