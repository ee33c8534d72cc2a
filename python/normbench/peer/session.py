"""The protocol of a peer, with one request or reply in a line. docs/peers.md describes it."""

from __future__ import annotations

import collections
import ctypes
import dataclasses
import gc
import itertools
import json
import os
import sys
import time
import traceback
from typing import TYPE_CHECKING, Any, BinaryIO, Callable, Iterator, Sequence, cast

from .task import (LONGEST_LINE, OWN_CODE, BrokenFile, Message, Refused, Task, Unavailable, Unsupported, installed, load, moved_on,
                   parsed, store, task_of, text, whole)
from .usage import Meter

if TYPE_CHECKING:
    from io import TextIOWrapper

    from . import Peer

PROTOCOL = 1
# Stages are timed one by one only if they take longer than this on average. The time for reading
# the clock is then negligible.
SHORTEST_TIMED_STAGE_NS = 50_000

# Arrays are Any in these types, because each library has its own.
Kernel = Callable[[Any], Any]  # from the input to the result, or from the list of inputs to the list of outputs
Step = Callable[..., Any]  # from the arrays that a stage reads to its result, or to a tuple of its results
Batches = Callable[[int, int], Iterator[Any]]  # from (first item, count) to the batches of these items


@dataclasses.dataclass
class Prepared:
    """A task with what is needed to run it."""

    task: Task
    kernel: Kernel
    inputs: Iterator[Any]  # the copies of the inputs in turn, endlessly; nothing if the first stage makes the items
    batches: Batches | None  # makes the items; None if there are inputs


def use_allocator(name: str) -> None:
    """Sets malloc's options. Call it before a library allocates arrays. Raises Unavailable."""
    if name == "stock":
        return
    trim_threshold, top_pad, mmap_max = -1, -2, -4  # constants in <malloc.h>
    mallopt = getattr(ctypes.CDLL(None), "mallopt", None)
    wanted = ((mmap_max, 0), (trim_threshold, -1), (top_pad, 64 << 20))
    if mallopt is None or not all(mallopt(key, value) for key, value in wanted):
        raise Unavailable("--allocator no-faults needs glibc's mallopt, which this C library lacks")


def chain(steps: Sequence[Kernel]) -> Kernel:
    """Returns a callable that runs the steps one after the other and keeps only the last result."""
    if len(steps) == 1:
        return steps[0]

    def run(x: Any) -> Any:
        for step in steps:
            x = step(x)
        return x

    return run


def wired(steps: Sequence[Step], task: Task) -> Callable[[Sequence[Any]], list[Any]]:
    """Returns a callable from a list of the task's inputs to a list of its outputs, for stages with several inputs.

    A value is freed after the last stage that reads it.
    """
    last = {value: index for index, stage in enumerate(task.stages) for value in stage.reads}
    plan: list[tuple[Step, list[int], list[int], list[int]]] = []
    for index, (step, stage) in enumerate(zip(steps, task.stages)):
        used = [value for value in {*stage.reads, *stage.writes}
                if last.get(value, index) == index and value not in task.outputs]
        plan.append((step, stage.reads, stage.writes, used))

    def run(inputs: Sequence[Any]) -> list[Any]:
        values = dict(enumerate(inputs))
        for step, reads, writes, used in plan:
            results = step(*[values[value] for value in reads])
            values.update(zip(writes, results if len(writes) > 1 else (results,)))
            for value in used:
                del values[value]
        return [values[value] for value in task.outputs]

    return run


class Streams:
    """Keeps stdin and stdout for the protocol. What libraries print goes to stderr, and their stdin is empty."""

    def __init__(self) -> None:
        self.requests, self.replies = os.fdopen(os.dup(0), "rb"), os.fdopen(os.dup(1), "wb")
        os.dup2(2, 1)
        cast("TextIOWrapper", sys.stdout).reconfigure(line_buffering=True)
        nothing = os.open(os.devnull, os.O_RDONLY)
        os.dup2(nothing, 0)
        os.close(nothing)
        os.register_at_fork(after_in_child=self._close)  # so workers keep no pipe open

    def _close(self) -> None:
        self.requests.close()
        self.replies.close()


class Session:
    """One peer's side of the conversation with normbench."""

    def __init__(self, peer: Peer, requests: BinaryIO, replies: BinaryIO, allocator: str = "stock") -> None:
        self._peer, self._requests, self._replies, self._allocator = peer, requests, replies, allocator
        self._greeted = False
        self._prepared: Prepared | None = None
        self._stages: list[Step] = []  # of a plain chain; empty if its stages cannot be timed one by one
        self._result: Any = None
        self._copies: list[Any] = []  # copies of the input, or of the list of inputs
        # Number of calls that used the copies in turn; index of the copy from which the result was
        # made.
        self._calls = self._copy = 0
        self._ran = False  # the kernel was called since it was prepared
        # For results on a device: the last results, which are kept so that their memory is not
        # reused. None for results on the host.
        self._earlier: collections.deque[Any] | None = None
        # The number of stages that are timed one by one: all of them, or 0. None before the first
        # warm-up.
        self._timed_stages: int | None = None

    def serve(self) -> None:
        """Answers requests until `close` or the end of input."""
        try:
            for line in self._lines():
                reply = self.answer(line)
                if reply is None:
                    return
                self._replies.write(json.dumps(reply, allow_nan=False).encode() + b"\n")
                self._replies.flush()
        except BrokenPipeError:
            pass  # normbench has closed the pipe
        finally:
            self._peer.close()

    def _lines(self) -> Iterator[bytes | None]:
        """Yields the lines of the input. A line that is too long is skipped and yielded as None."""
        while line := self._requests.readline(LONGEST_LINE + 1):
            too_long = len(line) > LONGEST_LINE and not line.endswith(b"\n")
            while too_long and line and not line.endswith(b"\n"):
                line = self._requests.readline(LONGEST_LINE)
            yield None if too_long else line

    def answer(self, line: bytes | None) -> Message | None:
        """Returns the reply to a line; None for `close`."""
        try:
            request = parsed(line)
            answers: dict[str, Callable[[Message], Message]] = {
                "hello": self._hello, "describe": self._describe, "prepare": self._prepare, "run": self._run,
                "output": self._output}
            if request["type"] == "close":
                return None
            if request["type"] not in answers:
                raise Refused(f'unknown request "{request["type"]}" (known: {", ".join(answers)}, close)')
            return answers[request["type"]](request)
        except Unavailable as why:
            return {"type": "unavailable", "why": str(why)}
        except Unsupported as why:
            return {"type": "unsupported", "why": str(why)}
        except (Refused, BrokenFile) as why:
            return {"type": "error", "why": str(why)}
        except Exception as failure:  # the peer continues: normbench decides what the failure means
            traceback.print_exc()
            return {"type": "error", "why": f"{type(failure).__name__}: {failure}"[:1000]}

    def _hello(self, request: Message) -> Message:
        whole(request, "protocol", 1)
        installed("numpy", "numpy")
        use_allocator(self._allocator)
        version = self._peer.version()
        self._greeted = True
        return {"type": "hello", "protocol": PROTOCOL, "name": self._peer.name, "version": version}

    def _describe(self, request: Message) -> Message:
        if not self._greeted:
            raise Refused("describe before hello")
        if not self._peer.has_own_code:
            raise Unsupported(f"{self._peer.name} runs no code of yours")
        return {"type": "described", **self._peer.describe()}

    def _prepare(self, request: Message) -> Message:
        if not self._greeted:
            raise Refused("prepare before hello")
        self._prepared = self._result = self._timed_stages = self._earlier = None
        self._stages, self._copies, self._calls, self._ran = [], [], 0, False
        self._peer.close()
        task = task_of(request)
        self._check(task)
        made = self._peer.prepare(task)
        batches: Batches | None = None
        if task.is_fed:
            if not isinstance(made, list):
                raise TypeError(f"prepare() returned {made!r}, but for files it returns a list: first the callable that takes "
                                "(first item, count) and returns an iterator over batches")
            batches, *steps = made
            made = [next, *steps]  # the first step takes the next batch from an iterator
        self._stages = made if isinstance(made, list) and not task.outputs else []
        if task.has_own_code and task.device == "cpu":
            self._timed_stages = len(self._stages) if len(self._stages) > 1 else 0
        kernel = (wired(made, task) if task.outputs else chain(made)) if isinstance(made, list) else made
        self._copies = self._made_copies(request["inputs"], task)
        self._peer.ready(kernel, None if task.is_fed else self._copies[0])
        self._prepared = Prepared(task, kernel, itertools.cycle(self._copies[:task.copies]), batches)
        if any(result.memory == "device" for result in task.results):
            self._earlier = collections.deque(maxlen=max(1, task.copies - 1))
        gc.collect()
        gc.freeze()
        psnr = self._peer.psnr(task)
        reply: Message = {"type": "ready"}
        if task.loads:
            reply["takes_first"] = True
        elif task.is_fed:
            reply["epoch"] = self._peer.epoch()
        elif task.unlike:
            reply["unlike"] = len(self._copies)
        if psnr is not None:
            reply.update(psnr=psnr, filter=self._peer.filter(task))
        if rounds := self._peer.rounds(task):
            reply["rounds"] = rounds
        return reply

    def _check(self, task: Task) -> None:
        """Raises Unsupported for tasks that no peer in Python, or not this peer, supports."""
        for stage in task.stages:
            if stage.kernel:
                raise Unsupported(f'{self._peer.name} has no kernels to choose from ("kernel": "{stage.kernel}")')
        if task.outputs and not self._peer.takes_several:
            raise Unsupported(f"{self._peer.name} takes plain chains of stages with one input")
        if task.loads and not self._peer.takes_files:
            raise Unsupported(f"{self._peer.name} loads no files")
        own = [stage.op for stage in task.stages if stage.op in OWN_CODE]
        if own and not self._peer.has_own_code:
            raise Unsupported(f'{self._peer.name} has no "{own[0]}" (docs/python.md describes peers of your own code)')

    def _made_copies(self, written: list[Any], task: Task) -> list[Any]:
        """Returns `task.copies` copies of the input, or of the list of inputs; an empty list if the first stage makes the items.

        If copies must differ, there are at least two: the second is then for calls that are checked but not timed.
        """
        if task.is_fed:
            return []
        arrays = [load(text({"type": "prepare"}, "path", one), tensor) for one, tensor in zip(written, task.inputs)]
        copies = [[self._peer.take(moved_on(array, tensor, number * task.unlike), tensor)
                   for array, tensor in zip(arrays, task.inputs)]
                  for number in range(max(task.copies, 1 + task.unlike))]
        return copies if task.outputs else [copy[0] for copy in copies]

    def _run(self, request: Message) -> Message:
        prepared = self._prepared
        if prepared is None:
            raise Refused("run before prepare")
        iterations = whole(request, "iterations", 1)
        warmup_ns = whole(request, "warmup_ns", 0)
        first = whole(request, "first", 0) if "first" in request else 0
        if not prepared.task.has_own_code:  # users' loops have it on
            gc.disable()
        try:
            if "copy" in request:
                return self._run_on(prepared, whole(request, "copy", 0))
            self._warm_up(prepared, warmup_ns)
            return self._timed(prepared, iterations, first)
        finally:
            gc.enable()

    def _run_on(self, prepared: Prepared, copy: int) -> Message:
        """Runs one iteration on the copy of the input with this index."""
        if prepared.task.is_fed or copy >= len(self._copies):
            raise Refused(f"run: there is no copy {copy} of the input")
        inputs, prepared.inputs = prepared.inputs, iter([self._copies[copy]])
        try:
            reply = self._timed(prepared, 1)
        finally:
            prepared.inputs = inputs
        self._calls, self._copy = self._calls - 1, copy
        return reply

    def _warm_up(self, prepared: Prepared, at_least_ns: int) -> None:
        """Runs iterations for at least this time, then decides whether stages are timed. Does nothing if the time is 0."""
        if at_least_ns == 0:
            return
        start, count, spent, items = time.perf_counter_ns(), 0, 0, 1
        while spent < at_least_ns or count == 0:
            self._loop(prepared, self._read_from(prepared, count, items), items)
            self._called(prepared, items)
            self._peer.synchronize()
            count, spent = count + items, time.perf_counter_ns() - start
            if prepared.task.is_fed:  # each pass starts unprefetched, so passes become longer
                items = min(count, (at_least_ns - spent) * count // spent + 1)
        if self._timed_stages is None:
            self._timed_stages = self._stages_to_time(prepared, spent / count)

    def _read_from(self, prepared: Prepared, first: int, count: int) -> Iterator[Any]:
        """Returns an iterator over what the first stage reads in a pass. Call it when the pass begins."""
        if not prepared.task.is_fed:
            return prepared.inputs
        return itertools.repeat(cast("Batches", prepared.batches)(first, count))

    def _stages_to_time(self, prepared: Prepared, iteration_ns: float) -> int:
        """Returns how many stages are timed: all or none.

        All are timed if there are several, if they take long enough, and if they run on the CPU, where a call takes as
        long as its work.
        """
        count = len(self._stages)
        on_cpu = prepared.task.device == "cpu"
        return count if count > 1 and on_cpu and iteration_ns > SHORTEST_TIMED_STAGE_NS * count else 0

    def _timed(self, prepared: Prepared, iterations: int, first: int = 0) -> Message:
        spent = [0] * (self._timed_stages or 0)
        self._peer.synchronize()
        meter = Meter()
        start = time.perf_counter_ns()
        self._peer.start_device_clock()  # the device's interval lies within the host's
        if spent:
            self._loop_by_stage(self._read_from(prepared, first, iterations), iterations, spent)
        else:
            self._loop(prepared, self._read_from(prepared, first, iterations), iterations)
        self._called(prepared, iterations)
        self._peer.stop_device_clock()
        self._peer.synchronize()
        wall, used = time.perf_counter_ns() - start, meter.used()
        self._peer.end_turn()
        after = meter.used().cpu_ns - used.cpu_ns
        reply: Message = {"type": "ran", "wall_ns": wall, **dataclasses.asdict(used)}
        if prepared.task.has_own_code:
            reply["after_cpu_ns"] = max(0, after)
        if (device_ns := self._peer.device_ns()) is not None:
            reply["device_ns"] = device_ns
        if spent:
            reply["spans"] = [[stage, ns] for stage, ns in enumerate(spent)]
        return reply

    # _loop() and _loop_by_stage() keep the result of an iteration until the next iteration is done,
    # as a user's loop with `y = f(x)` does. For results on a device, _loop() keeps the results of
    # the last `copies - 1` iterations. Otherwise a caching allocator would reuse memory that is
    # still in the device's cache.

    def _called(self, prepared: Prepared, count: int) -> None:
        """Counts calls, and notes which copy the last call used. Calls use the copies in turn."""
        self._ran = True
        self._calls += count
        self._copy = (self._calls - 1) % max(1, prepared.task.copies)

    def _loop(self, prepared: Prepared, inputs: Iterator[Any], iterations: int) -> None:
        kernel = prepared.kernel
        if self._earlier is not None:
            self._result = None
            for _ in range(iterations):
                self._earlier.append(kernel(next(inputs)))
            self._result = self._earlier[-1]
            return
        y, self._result = self._result, None
        for _ in range(iterations):
            y = kernel(next(inputs))
        self._result = y

    def _loop_by_stage(self, inputs: Iterator[Any], iterations: int, spent: list[int]) -> None:
        stages = list(enumerate(self._stages))
        clock = time.perf_counter_ns
        y, self._result = self._result, None
        for _ in range(iterations):
            x = next(inputs)
            for index, stage in stages:
                start = clock()
                x = stage(x)
                spent[index] += clock() - start
            y = x
        self._result = y

    def _output(self, request: Message) -> Message:
        if self._prepared is None or not self._ran:
            raise Refused("output before run")
        task = self._prepared.task
        if task.has_own_code:
            return {"type": "given", **self._peer.given()}
        if self._result is None:
            raise TypeError("the kernel returned None instead of a result")
        results = self._result if task.outputs else [self._result]
        paths = request.get("paths", [request.get("path")])
        if not isinstance(paths, list) or len(paths) != len(results) or not all(isinstance(path, str) for path in paths):
            raise Refused(f'output: needs {len(results)} "paths" (strings; "path" for one)')
        for path, result, tensor in zip(paths, results, task.results):
            store(path, self._peer.give(result, tensor), tensor)
        return {"type": "written", "copy": self._copy}
