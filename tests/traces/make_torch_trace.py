"""Profiles a small model with PyTorch on the CPU: python3 make_torch_trace.py FOLDER

Writes these files:
  torch_cpu.json.gz     the trace
  torch_cpu_table.txt   PyTorch's table of the same profile
  torch_cpu_shapes.txt  PyTorch's table by input shapes
Writes the same files for torch_stack, which has frames of Python, and for torch_memory, which has
allocations. Prints PyTorch's version.
"""

import gzip
import re
import sys
import tempfile
import threading
from pathlib import Path

import torch
from torch.profiler import ProfilerActivity, profile, record_function, schedule

SORT_BY = "self_cpu_time_total"


def make_model():
    return torch.nn.Sequential(
        torch.nn.Conv2d(3, 4, 3), torch.nn.ReLU(), torch.nn.Flatten(), torch.nn.Linear(4 * 14 * 14, 10)
    )


def normalize(images):
    with record_function("normalize"):
        floats = images.to(torch.float32)
        return (floats - floats.mean(dim=(2, 3), keepdim=True)) / floats.std(dim=(2, 3), keepdim=True)


@torch.jit.script
def on_another_thread(x):
    return torch.relu(x).sum()


def step(model, images):
    with record_function("step's work"):
        with record_function("nested"):
            with record_function("nested"):  # both have one name, and count as one call
                x = normalize(images)
        future = torch.jit.fork(on_another_thread, x)
        loss = model(torch.cat([x, x])).square().mean() + torch.jit.wait(future)
        loss.backward()


def options():
    """Returns the options that record the ops of all threads, if this version of PyTorch has
    them."""
    try:
        return {"experimental_config": torch._C._profiler._ExperimentalConfig(profile_all_threads=True)}
    except TypeError:
        return {}


def other_thread(go, done):
    for _ in range(2):
        go.acquire()
        torch.ones(64, 64).matmul(torch.ones(64, 64)).exp()
        done.release()


def run(on_ready, **more):
    torch.manual_seed(1)
    torch.set_num_threads(2)
    model = make_model()
    images = torch.randint(0, 255, (2, 3, 16, 16), dtype=torch.uint8)
    go, done = threading.Semaphore(0), threading.Semaphore(0)
    with profile(
        activities=[ProfilerActivity.CPU],
        schedule=schedule(wait=1, warmup=1, active=2, repeat=1),
        record_shapes=True,
        on_trace_ready=on_ready,
        **more,
    ) as profiler:
        for number in range(4):
            if number == 2:
                thread = threading.Thread(target=other_thread, args=(go, done))
                thread.start()
            if number >= 2:
                go.release()
                done.acquire()
            step(model, images)
            profiler.step()
    thread.join()


def without_machine(text):
    """Removes the keys that name the machine or a file."""
    text = re.sub(r'"traceName": "[^"]*"', '"traceName": "torch.json"', text)
    return re.sub(r'\n *"(?:host_name|hostname)": "[^"]*",', "", text)


def write(profiler, folder, what):
    with tempfile.TemporaryDirectory() as scratch:
        path = Path(scratch) / "trace.json"
        profiler.export_chrome_trace(str(path))
        text = without_machine(path.read_text())
    with open(folder / f"torch_{what}.json.gz", "wb") as packed:
        with gzip.GzipFile(filename="", mode="wb", fileobj=packed, mtime=0) as out:
            out.write(text.encode())
    for name, by_shape in (("table", False), ("shapes", True)):
        averages = profiler.key_averages(group_by_input_shape=by_shape)
        (folder / f"torch_{what}_{name}.txt").write_text(averages.table(sort_by=SORT_BY, row_limit=-1))


def main():
    folder = Path(sys.argv[1])
    run(lambda profiler: write(profiler, folder, "cpu"), **options())
    run(lambda profiler: write(profiler, folder, "stack"), with_stack=True)
    # Without options(): PyTorch 2.15 records no memory if it records the ops of all threads.
    run(lambda profiler: write(profiler, folder, "memory"), profile_memory=True)
    print(torch.__version__)


if __name__ == "__main__":
    main()
