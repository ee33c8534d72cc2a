"""Does torch_peer.py time an op as torch.utils.benchmark does? Both take turns; run by hand on a quiet machine.

usage: torch_peer_timing.py [--rounds N]     in the environment that scripts/peers/setup made

The two timers take turns in one process, and this is repeated in several processes, one after another. Each process
has its own heap and threads, so that times of the same code differ between processes by more than the timers do. A
second Timer ("control") shows the smallest difference that this machine can resolve.
"""

import argparse
import itertools
import json
import multiprocessing
import os
import statistics
import sys
import tempfile
from pathlib import Path

import numpy as np
import torch
from torch.utils.benchmark import Timer
from torchvision.transforms.v2 import functional

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "scripts/peers"))
from normbench.peer.session import Session, use_allocator  # noqa: E402
from torch_peer import TorchPeer  # noqa: E402

SHAPES = ((1, 3, 256, 256), (10, 3, 720, 1280))
MEAN, STD = [123.675, 116.28, 103.53], [58.395, 57.12, 57.375]
TURN_NS = 10_000_000
WARM_UP_NS = 2_000_000
# Each statement computes a result and then frees the previous one. The time includes the freeing, as in the peer.
FORMS = {
    "eager": ("kept[0] = (x - mean) / std", {}),
    "torchvision": ("kept[0] = F.normalize(F.to_dtype(x, torch.float32, scale=True), m, s)",
                    {"F": functional, "m": [v / 255 for v in MEAN], "s": [v / 255 for v in STD]}),
}


def peer_timer(form, array, threads, allocator):
    """Returns a function that gives the ns per iteration as torch_peer.py reports them, for one normalize."""
    session = Session(TorchPeer(form, reuse=False), None, None, allocator)

    def ask(request):
        reply = session.answer(json.dumps(request).encode())
        if reply["type"] not in ("hello", "ready", "ran"):
            raise SystemExit(f"torch_peer.py: {reply}")
        return reply

    ask({"type": "hello", "protocol": 1})
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "x.npy"
        np.save(path, array)
        tensor = {"dtype": "uint8", "shape": array.shape, "layout": "nchw", "memory": "pageable"}
        stage = {"op": "normalize", "parameters": {"mean": MEAN, "std": STD}, "place": "cpu", "output": "fresh",
                 "in": [tensor], "out": [{**tensor, "dtype": "float32"}]}
        ask({"type": "prepare", "threads": threads, "device": "cpu", "copies": 1,
             "inputs": [{"path": str(path), **tensor}], "stages": [stage]})
    return lambda iterations: ask({"type": "run", "iterations": iterations,
                                   "warmup_ns": WARM_UP_NS})["wall_ns"] / iterations


def own_timer(form, array, threads):
    """Returns a function that gives the ns per iteration as torch.utils.benchmark measures them."""
    statement, names = FORMS[form]
    names = {**names, "torch": torch, "x": torch.from_numpy(array).clone(), "kept": [None]}
    for name, values in (("mean", MEAN), ("std", STD)):
        names[name] = torch.tensor(values).view(1, -1, 1, 1)
    timer = Timer(stmt=statement, globals=names, num_threads=threads)

    def time(iterations):
        timer.timeit(max(1, iterations * WARM_UP_NS // TURN_NS))
        return timer.timeit(iterations).times[0] * 1e9

    return time


def times_of(form, shape, threads, allocator, rounds):
    """Returns the ns per iteration, a value per round: {"peer": [...], "timer": [...], "control": [...]}."""
    use_allocator(allocator)
    array = np.random.default_rng(1).integers(0, 256, shape, np.uint8)
    timers = {"peer": peer_timer(form, array, threads, allocator)}  # comes first: it turns on inference mode for all
    timers.update({name: own_timer(form, array, threads) for name in ("timer", "control")})
    a_few = max(1, round(TURN_NS / timers["peer"](1)))
    iterations = max(1, round(TURN_NS / timers["peer"](a_few)))
    times = {name: [] for name in timers}
    for order in itertools.islice(itertools.cycle(itertools.permutations(timers)), rounds):
        for name in order:
            times[name].append(timers[name](iterations))
    return times


def compare(case, options):
    """Returns a line of text about one case."""
    processes = multiprocessing.get_context("spawn")
    with processes.Pool(1, maxtasksperchild=1) as pool:
        measured = pool.starmap(times_of, [(*case, options.allocator, options.rounds)] * options.processes, chunksize=1)

    def ratio(one, other):
        medians = sorted(statistics.median(a / b for a, b in zip(times[one], times[other])) for times in measured)
        return statistics.median(medians), f"({medians[0]:.3f} to {medians[-1]:.3f})"

    form, shape, threads = case
    time = statistics.median(itertools.chain.from_iterable(times["peer"] for times in measured))
    middle, spread = ratio("peer", "timer")
    control, control_spread = ratio("control", "timer")
    return (f"{form:12} {'x'.join(map(str, shape)):14} {threads} thread(s)  {time / 1e6:8.4f} ms  "
            f"ratio {middle:.3f} {spread}  control {control:.3f} {control_spread}  "
            f"{'within' if abs(middle - 1) <= 0.05 else 'NOT within'} 5 %")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rounds", type=int, default=60, help="in each process")
    parser.add_argument("--processes", type=int, default=5)
    parser.add_argument("--forms", nargs="*", choices=FORMS, default=list(FORMS))
    parser.add_argument("--threads", type=int, nargs="*", default=sorted({1, len(os.sched_getaffinity(0))}))
    parser.add_argument("--allocator", choices=("stock", "no-faults"), default="no-faults", help="of both; with stock, "
                        "whether a small case faults is chance, and differs between processes by a factor")
    options = parser.parse_args()
    print(f"torch {torch.__version__}, malloc {options.allocator}, {options.processes} processes of {options.rounds} "
          "rounds; ratio = torch_peer.py / torch.utils.benchmark, median (least to most of a process)")
    for case in itertools.product(options.forms, SHAPES, options.threads):
        print(compare(case, options), flush=True)


if __name__ == "__main__":
    main()
