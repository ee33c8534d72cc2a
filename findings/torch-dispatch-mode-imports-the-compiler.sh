#!/usr/bin/env bash
# A TorchDispatchMode sees each operation of a block: people count copies, bytes or floating-point operations with it, and tests
# watch with it what a loader does. This one only passes each operation on.
# Guess: it makes every operation a few microseconds slower, the first one like all others.
# Seen with PyTorch 2.15.0: the first operation in the block imports more than 500 modules, among them torch._dynamo, torch._inductor,
# sympy and triton, which no operation before it needed and `import torch` leaves out. That takes seconds; the second operation imports
# nothing. A process that is forked for each measurement pays it each time, unless its parent has had such a block before.
. "$(dirname "$0")/lib.sh"
install torch==2.15.0 numpy==2.4.6
expect 'an operation outside the block: 0 modules
the first one in it: more than 500 modules, with sympy, torch._dynamo, torch._inductor, triton
the second one in it: 0 modules
the first one in a second block: 0 modules' <<'PYTHON'
import sys

import torch
from torch.utils._python_dispatch import TorchDispatchMode


class PassOn(TorchDispatchMode):
    def __torch_dispatch__(self, func, types, args=(), kwargs=None):
        return func(*args, **(kwargs or {}))


ones = torch.ones(4)
ones + ones
seen = set(sys.modules)


def tell(what):
    new = set(sys.modules) - seen
    seen.update(new)
    told = [name for name in ("sympy", "torch._dynamo", "torch._inductor", "triton") if name in new]
    print(f"{what}: {'more than 500' if len(new) > 500 else len(new)} modules{', with ' if told else ''}{', '.join(told)}")


ones + ones
tell("an operation outside the block")
with PassOn():
    ones + ones
    tell("the first one in it")
    ones + ones
    tell("the second one in it")
with PassOn():
    ones + ones
    tell("the first one in a second block")
PYTHON
