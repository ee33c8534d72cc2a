"""Counts what PyTorch copies while the user's own code makes a batch.

PyTorch tells each of its operations to a dispatch mode. Operations that only move values, or change their dtype, are
counted as copies. What NumPy, Pillow and other libraries copy is not seen.
"""

from __future__ import annotations

import copy
import sys
from typing import Any, Callable

Copies = list[dict[str, Any]]  # "op", "calls", "bytes"

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

    def stop(self) -> None:
        self._mode.__exit__(None, None, None)

    def take(self, shared_from: Any = None) -> Copies:
        """Returns the copies since the last call, the largest first.

        `shared_from`: a batch that a worker process is about to send. Its tensors that lie outside shared memory count
        as copied there.
        """
        for tensor in tensors_in(shared_from):
            if not tensor.is_shared():
                count(self._counted, "share_memory_", tensor.numel() * tensor.element_size())
        copies = [{"op": name, "calls": calls, "bytes": size} for name, (calls, size) in self._counted.items()]
        self._counted.clear()
        return sorted(copies, key=lambda one: (-one["bytes"], one["op"]))


def count(counted: dict[str, list[int]], name: str, size: int) -> None:
    entry = counted.setdefault(name, [0, 0])
    entry[0] += 1
    entry[1] += size


def tensors_in(batch: Any) -> list[Any]:
    """Returns the tensors on the CPU in nested lists, tuples and dicts."""
    if isinstance(batch, dict):
        return [tensor for value in batch.values() for tensor in tensors_in(value)]
    if isinstance(batch, (list, tuple)):
        return [tensor for value in batch for tensor in tensors_in(value)]
    return [batch] if isinstance(batch, sys.modules["torch"].Tensor) and batch.device.type == "cpu" else []


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
        return batch, self._counter.take(shared_from=batch) if self._counter is not None else []


def copies_of_call(function: Callable[[], Any]) -> Copies:
    """Returns what PyTorch copies in a call of a function in this process."""
    counter = Counter()
    counter.start()
    try:
        function()
    finally:
        counter.stop()
    return counter.take()


def copies_of_workers(loader: Any) -> Copies:
    """Returns what PyTorch copies to make the first batch of a DataLoader with workers: in one worker, and to pin it."""
    counting = CountingWorker(loader)
    alone = copy.copy(loader)
    alone._iterator = None
    alone.num_workers, alone.prefetch_factor = 1, 1
    alone.worker_init_fn, alone.collate_fn = counting.start, counting.collate
    batch, copies = next(iter(alone))
    pinned = [tensor for tensor in tensors_in(batch) if loader.pin_memory and tensor.is_pinned()]
    if pinned:
        copies.append({"op": "_pin_memory", "calls": len(pinned), "bytes": sum(one.numel() * one.element_size() for one in pinned)})
    return sorted(copies, key=lambda one: (-one["bytes"], one["op"]))
