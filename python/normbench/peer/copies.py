"""Counts what PyTorch copies while the user's own code makes a batch.

PyTorch tells each of its operations to a dispatch mode. Operations that only move values, or change their dtype, are
counted as copies. What NumPy, Pillow and other libraries copy is not seen.

A child process counts. So the process that is measured neither imports what a dispatch mode needs, nor calls the
user's code more often, nor waits for code that hangs.
"""

from __future__ import annotations

import copy
import json
import multiprocessing
import os
import select
import signal
import sys
import time
from typing import Any, Callable

Copies = list[dict[str, Any]]  # "op", "calls", "bytes"

SECONDS = 10  # after that the child is ended, and the copies are not known

# Operations of ATen that write elements which they have read and not computed.
COPYING = frozenset(["_pin_memory", "_to_copy", "cat", "clone", "constant_pad_nd", "copy_", "flip", "gather", "index", "index_select",
                     "masked_select", "repeat", "roll", "stack"])


class Counter:
    """Counts the operations that copy between start() and take()."""

    def __init__(self) -> None:
        from torch.utils._python_dispatch import TorchDispatchMode  # type: ignore[import-not-found, unused-ignore]

        counted: dict[str, list[int]] = {}

        class Mode(TorchDispatchMode):  # type: ignore[misc, unused-ignore]
            def __torch_dispatch__(self, function: Any, types: Any, arguments: Any = (), options: Any = None) -> Any:
                result = function(*arguments, **(options or {}))
                name = function.overloadpacket.__name__
                if name in COPYING:
                    count(counted, name, result.numel() * result.element_size())
                return result

        self._counted, self._mode = counted, Mode()

    def start(self) -> None:
        self._mode.__enter__()

    def take(self, sent: Any = None) -> Copies:
        """Returns the copies since the last call, the largest first.

        `sent`: a batch that a worker process is about to send. Storage of its tensors that does not lie in shared
        memory is copied there.
        """
        private = {tensor.untyped_storage().data_ptr(): tensor.untyped_storage().nbytes() for tensor in tensors_in(sent)
                   if not tensor.is_shared()}
        for size in private.values():
            count(self._counted, "share_memory_", size)
        copies = [{"op": name, "calls": calls, "bytes": size} for name, (calls, size) in self._counted.items()]
        self._counted.clear()
        return in_order(copies)


def count(counted: dict[str, list[int]], name: str, size: int) -> None:
    entry = counted.setdefault(name, [0, 0])
    entry[0] += 1
    entry[1] += size


def in_order(copies: Copies) -> Copies:
    return sorted(copies, key=lambda one: (-one["bytes"], one["op"]))


def parts_of(value: Any) -> list[Any]:
    """Returns the values in a list, tuple or dict, or in the attributes of another object."""
    if isinstance(value, dict):
        return list(value.values())
    if isinstance(value, (list, tuple)):
        return list(value)
    if hasattr(value, "__dict__") and not isinstance(value, type) and not callable(value):
        return list(vars(value).values())
    return []


def tensors_in(value: Any, depth: int = 0) -> list[Any]:
    """Returns the tensors on the CPU in a batch."""
    if isinstance(value, sys.modules["torch"].Tensor):
        return [value] if value.device.type == "cpu" else []
    return [tensor for part in parts_of(value) for tensor in tensors_in(part, depth + 1)] if depth < 6 else []


class CountingWorker:
    """Makes a worker process of a DataLoader count. Stands for the loader's `worker_init_fn` and for its `collate_fn`."""

    def __init__(self, loader: Any) -> None:
        self._start, self._collate = loader.worker_init_fn, loader.collate_fn
        self._counter: Counter | None = None

    def start(self, worker: int) -> None:
        if self._start is not None:
            self._start(worker)
        self._counter = Counter()
        self._counter.start()

    def collate(self, samples: Any) -> Any:
        batch = self._collate(samples)
        return batch, self._counter.take(sent=batch) if self._counter is not None else []


def copies_of_call(function: Callable[[], Any]) -> Copies:
    """Returns what PyTorch copies in the second call of a function in this process."""
    counter = Counter()
    counter.start()
    function()
    counter.take()
    function()
    return counter.take()


def copies_of_iterable(loader: Any) -> Copies | None:
    """Returns what PyTorch copies to make the second batch of a loader, or the only one. Returns None if other processes make it."""
    before = set(multiprocessing.active_children())
    counter = Counter()
    counter.start()
    iterator = iter(loader)
    next(iterator)
    copies = counter.take()
    if next(iterator, None) is not None:
        copies = counter.take()
    return copies if set(multiprocessing.active_children()) <= before else None


def unpinned(loader: Any) -> Any:
    """Returns a DataLoader that does not pin its batches, because CUDA does not work in a child process of one that uses it."""
    alone = copy.copy(loader)
    alone._iterator, alone.pin_memory = None, False
    return alone


def copies_of_workers(loader: Any) -> Copies:
    """Returns what PyTorch copies to make the second batch of a DataLoader, or the only one, in a worker."""
    counting = CountingWorker(loader)
    alone = unpinned(loader)
    alone.num_workers, alone.prefetch_factor = 1, 1
    alone.worker_init_fn, alone.collate_fn = counting.start, counting.collate
    iterator = iter(alone)
    copies: Copies = next(iterator)[1]
    return next(iterator, (None, copies))[1]


def in_child(counting: Callable[[], Copies | None]) -> Copies | None:
    """Returns what a function returns in a child process. Returns None if that takes too long, or if it raises or exits."""
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        try:
            os.setsid()  # with its workers a group of its own, which is ended below
            signal.signal(signal.SIGALRM, signal.SIG_DFL)
            signal.alarm(SECONDS + 2)  # ends it if the parent is gone by then
            sys.modules["torch"].set_num_threads(1)  # OpenMP's threads do not survive a fork
            os.write(writing, json.dumps(counting()).encode() + b"\n")
        finally:
            os._exit(0)  # the parent's iterators and files are not this process's to close
    os.close(writing)
    try:
        copies: Copies | None = json.loads(line_of(reading) or "null")
        return copies
    finally:
        os.close(reading)
        try:
            os.killpg(child, signal.SIGKILL)
        except ProcessLookupError:
            pass
        os.waitpid(child, 0)


def line_of(pipe: int) -> bytes:
    """Returns a line from a pipe, or nothing if there is none after `SECONDS`. Workers may hold the pipe open after the line."""
    line, end = b"", time.monotonic() + SECONDS
    while not line.endswith(b"\n"):
        ready, _, _ = select.select([pipe], [], [], max(0, end - time.monotonic()))
        part = os.read(pipe, 65536) if ready else b""
        if not part:
            return b""
        line += part
    return line
