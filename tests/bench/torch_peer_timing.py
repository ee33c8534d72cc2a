"""Does torch_peer.py time an op as torch.utils.benchmark does? Both take turns; run by hand on a quiet machine.

usage: torch_peer_timing.py [--rounds N]     in the environment that scripts/peers/setup made
"""

import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path
from time import sleep

import numpy as np
import torch
from torch.utils.benchmark import Timer

PEERS = Path(__file__).resolve().parents[2] / "scripts/peers"
sys.path.insert(0, str(PEERS))
from normbench_peer import use_allocator  # noqa: E402
MEAN, STD = [123.675, 116.28, 103.53], [58.395, 57.12, 57.375]
TURN_NS = 40_000_000
WARM_UP_NS = 10_000_000
# The result before is freed when the next one is there, inside of the timing: so does the peer.
FORMS = {
    "eager": ("kept[0] = (x - mean) / std", {}),
    "torchvision": ("kept[0] = F.normalize(F.to_dtype(x, torch.float32, scale=True), m, s)",
                    {"m": [v / 255 for v in MEAN], "s": [v / 255 for v in STD]}),
}


class Peer:
    """torch_peer.py, prepared for one normalize."""

    def __init__(self, form, array, threads, allocator, folder):
        command = [PEERS / "run", "torch_peer.py", "--as", form, "--allocator", allocator]
        self._process = subprocess.Popen(command, stdin=subprocess.PIPE,
                                         stdout=subprocess.PIPE, text=True)
        np.save(folder / "x.npy", array)
        tensor = {"dtype": "uint8", "shape": array.shape, "layout": "nchw", "memory": "pageable"}
        stage = {"op": "normalize", "parameters": {"mean": MEAN, "std": STD}, "place": "cpu", "output": "fresh",
                 "in": [tensor], "out": [{**tensor, "dtype": "float32"}]}
        self._ask({"type": "hello", "protocol": 1})
        self._ask({"type": "prepare", "threads": threads, "device": "cpu", "copies": 1,
                   "inputs": [{"path": str(folder / "x.npy"), **tensor}], "stages": [stage]})

    def _ask(self, request):
        self._process.stdin.write(json.dumps(request) + "\n")
        self._process.stdin.flush()
        reply = json.loads(self._process.stdout.readline())
        if reply["type"] not in ("hello", "ready", "ran"):
            raise SystemExit(f"torch_peer.py: {reply}")
        return reply

    def time(self, iterations):
        return self._ask({"type": "run", "iterations": iterations, "warmup_ns": WARM_UP_NS})["wall_ns"] / iterations

    def end(self):
        self._process.stdin.close()
        self._process.wait()


def own_timer(form, array, threads):
    statement, names = FORMS[form]
    names = {**names, "torch": torch, "x": torch.from_numpy(array).clone(), "kept": [None]}
    if form == "torchvision":
        from torchvision.transforms.v2 import functional

        names["F"] = functional
    for name, values in (("mean", MEAN), ("std", STD)):
        names[name] = torch.tensor(values).view(1, -1, 1, 1)
    timer = Timer(stmt=statement, globals=names, num_threads=threads)

    def time(iterations):
        with torch.inference_mode():
            timer.timeit(max(1, iterations * WARM_UP_NS // TURN_NS))
            return timer.timeit(iterations).times[0] * 1e9

    return time


def ratios_of(form, array, options, threads):
    """The ratios peer / torch.utils.benchmark of interleaved rounds, and the peer's times; one peer's process."""
    with tempfile.TemporaryDirectory() as folder:
        peer = Peer(form, array, threads, options.allocator, Path(folder))
        own = own_timer(form, array, threads)
        iterations = max(1, round(TURN_NS / peer.time(1)))
        ratios, times = [], []
        for turn in range(options.rounds):
            taken = {}
            for who in ("peer", "own") if turn % 2 else ("own", "peer"):
                sleep(0.03)  # until the other's threads have stopped to spin
                taken[who] = (peer.time if who == "peer" else own)(iterations)
            ratios.append(taken["peer"] / taken["own"])
            times.append(taken["peer"])
        peer.end()
    return ratios, times


def compare(form, shape, threads, options):
    """A line about one case: several peers, for where their buffers lie makes a difference too."""
    array = np.random.default_rng(1).integers(0, 256, shape, np.uint8)
    ratios, times, placed = [], [], []
    for _ in range(options.processes):
        placed.append(torch.empty(np.random.randint(1 << 20)))  # so that our own lie elsewhere
        more, taken = ratios_of(form, array, options, threads)
        ratios, times = sorted(ratios + more), times + taken
    middle = statistics.median(ratios)
    low, high = (ratios[round(q * (len(ratios) - 1))] for q in (0.25, 0.75))
    return (f"{form:12} {'x'.join(map(str, shape)):15} {threads} thread(s)  {statistics.median(times) / 1e6:9.4f} ms  "
            f"ratio {middle:.3f} (half of them in {low:.3f} to {high:.3f})  "
            f"{'within' if abs(middle - 1) <= 0.05 else 'NOT within'} 5 %")


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=12, help="with each process")
    parser.add_argument("--processes", type=int, default=5)
    parser.add_argument("--forms", nargs="*", choices=FORMS, default=list(FORMS))
    parser.add_argument("--threads", type=int, nargs="*", default=sorted({1, len(os.sched_getaffinity(0))}))
    parser.add_argument("--allocator", choices=("stock", "no-faults"), default="no-faults", help="of both; with stock, "
                        "whether a small case faults is chance, and differs between processes by a factor")
    options = parser.parse_args()
    use_allocator(options.allocator)
    print(f"torch {torch.__version__}, {options.processes} x {options.rounds} rounds, malloc {options.allocator}; "
          "ratio = torch_peer.py / torch.utils.benchmark")
    for form in options.forms:
        for shape in ((1, 3, 256, 256), (10, 3, 720, 1280)):
            for threads in options.threads:
                print(compare(form, shape, threads, options), flush=True)


if __name__ == "__main__":
    main()
