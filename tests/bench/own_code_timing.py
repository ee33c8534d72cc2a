"""Does a peer of the user's own DataLoader time it as torch.utils.benchmark does? Run by hand on a quiet machine.

usage: own_code_timing.py [--rounds N]     in the environment that scripts/peers/setup made

The loop is `for batch in loader: step(batch)` over a whole epoch, with 2 workers that convert uint8 to float32. The
peer and a Timer of the same loop take turns in one process. A second Timer ("control") shows the smallest difference
that this machine can resolve. Prints the median ratios with a 95 % interval of the median (order statistics).
"""

import argparse
import json
import statistics
import sys
from pathlib import Path

import torch
from torch.utils.benchmark import Timer
from torch.utils.data import DataLoader, Dataset
from torchvision.transforms import v2

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "python"))
from normbench.peer.own import own  # noqa: E402
from normbench.peer.session import Session  # noqa: E402

BATCH, IMAGES = 16, 256


class Photos(Dataset):
    def __init__(self):
        self.images = torch.randint(0, 256, (IMAGES, 3, 256, 256), dtype=torch.uint8)
        self.transform = v2.Compose([v2.CenterCrop(224), v2.ToDtype(torch.float32, scale=True),
                                     v2.Normalize([0.485, 0.456, 0.406], [0.229, 0.224, 0.225])])

    def __len__(self):
        return IMAGES

    def __getitem__(self, i):
        return self.transform(self.images[i]), i % 10


def interval(values):
    """Returns the ends of a 95 % interval of the median."""
    values, count = sorted(values), len(values)
    from math import comb
    below, low = 0.0, 0
    while below + comb(count, low) / 2 ** count <= 0.025:
        below += comb(count, low) / 2 ** count
        low += 1
    return values[max(0, low - 1)], values[min(count - 1, count - low)]


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rounds", type=int, default=24)
    rounds = parser.parse_args().rounds
    loader = DataLoader(Photos(), batch_size=BATCH, num_workers=2)
    weights = torch.ones(3 * 224 * 224, 10)

    def step(batch):
        return batch[0].flatten(1) @ weights

    session = Session(own(loader, step), None, None)

    def ask(request):
        reply = session.answer(json.dumps(request).encode())
        if reply["type"] == "error":
            raise SystemExit(reply["why"])
        return reply

    tensor = {"dtype": "float32", "shape": [BATCH, 3, 224, 224], "layout": "nchw", "memory": "pageable"}
    ask({"type": "hello", "protocol": 1})
    epoch = ask({"type": "prepare", "threads": torch.get_num_threads(), "device": "cpu", "copies": 1, "inputs": [],
                 "stages": [{"op": "batches", "in": [], "out": [tensor]}, {"op": "step", "in": [tensor], "out": [tensor]}]})["epoch"]
    timer = Timer("for batch in loader: step(batch)", globals={"loader": loader, "step": step}, num_threads=torch.get_num_threads())
    turns = {"peer": lambda: ask({"type": "run", "iterations": epoch, "warmup_ns": 0})["wall_ns"] * 1e-9,
             "timer": lambda: timer.timeit(1).median, "control": lambda: timer.timeit(1).median}
    times = {name: [] for name in turns}
    for number in range(rounds):
        names = list(turns)
        for name in names[number % 3:] + names[:number % 3]:
            times[name].append(turns[name]())
    print(f"{epoch} batches an epoch, {statistics.median(times['timer']):.3f} s by the Timer, {rounds} rounds")
    for name in ("peer", "control"):
        ratios = [a / b for a, b in zip(times[name], times["timer"])]
        low, high = interval(ratios)
        print(f"{name} / timer: {statistics.median(ratios):.3f} ({low:.3f}-{high:.3f})")


if __name__ == "__main__":
    main()
