"""What a peer of normbench is made of. Subclass Peer, say what to measure, and serve it:

    class Mine(Peer):
        name = "mine"

        def prepare(self, task):
            return lambda x: ...      # from one array to its result

    serve(Mine())

docs/peers.md describes the protocol, my_kernel.py is a whole example.
"""

import argparse
import ctypes
import importlib.metadata
import importlib.util
from dataclasses import dataclass

try:
    import numpy as np
except ImportError:  # the answer to `hello` says so; take it from here, and your peer does too
    np = None

# How each dtype lies in a .npy file; bfloat16 has no dtype there, so its bits do.
STORED = {"uint8": "|u1", "float16": "<f2", "bfloat16": "<u2", "float32": "<f4"}


class Unavailable(Exception):
    """This peer cannot work on this machine; the text says why and what would help."""


class Unsupported(Exception):
    """This peer does not do what was asked; the text says what."""


class Refused(Exception):
    """A request that makes no sense; the text says what is wrong."""


@dataclass(frozen=True)
class Tensor:
    """What normbench says of an array. `shape` is [n, c, h, w], also for nhwc."""

    dtype: str
    shape: tuple
    layout: str = "nchw"
    memory: str = "pageable"

    @property
    def array_shape(self):
        """Its extents in the order in which they lie in memory."""
        n, c, h, w = self.shape
        return (n, c, h, w) if self.layout == "nchw" else (n, h, w, c)


@dataclass(frozen=True)
class Stage:
    """One op of the chain, with what the config says of it."""

    op: str
    parameters: dict
    place: str  # cpu or cuda
    kernel: str  # "" unless the config forces one
    output: str  # reuse, fresh, in_place or cuda_malloc
    input: Tensor
    result: Tensor

    def channels(self, name):
        """The parameter `name` with one value a channel."""
        values = self.parameters[name]
        values = list(values) if isinstance(values, list) else [values]
        return values * self.input.shape[1] if len(values) == 1 else values

    @property
    def window(self):
        """(top, left, height, width) of a crop's or normalize's window; None for the whole image."""
        crop = self.parameters if self.op == "crop" else self.parameters.get("crop")
        if not crop:
            return None
        height, width = crop["size"]
        rows, columns = self.input.shape[2:]
        top, left = crop.get("at") or ((rows - height) // 2, (columns - width) // 2)
        return top, left, height, width

    @property
    def flipped(self):
        """Which of the axes "h" and "w" are mirrored, as a string: "", "w", "h" or "hw"."""
        said = self.parameters.get("axis", "horizontal") if self.op == "flip" else self.parameters.get("flip", "none")
        return {"none": "", "horizontal": "w", "vertical": "h", "both": "hw"}[said]

    @property
    def is_plain(self):
        """True for a normalize that changes no layout, and cuts and mirrors nothing."""
        return not self.window and not self.flipped and self.input.layout == self.result.layout


@dataclass(frozen=True)
class Task:
    """All that `prepare` asks for."""

    threads: int
    device: str  # cpu or cuda:0
    copies: int  # of the input: one an iteration, in turn
    input: Tensor
    stages: list


class Peer:
    """One library or kernel that takes turns with normbench's own."""

    name = ""

    def version(self):
        """Its version as text; raises Unavailable where it cannot work."""
        return "1"

    def prepare(self, task):
        """What to measure: a callable from input to result, or a list of them, one a stage, which
        are then timed one by one too. Raises Unsupported."""
        raise NotImplementedError

    def take(self, array, tensor):
        """The library's own copy of a numpy array, in the memory that `tensor` names."""
        return array.copy()

    def ready(self, kernel, example):
        """Called once before the first run, with what prepare() made and an input."""

    def give(self, result, tensor):
        """The result as a numpy array in the order of tensor.array_shape."""
        return result

    def synchronize(self):
        """Waits until everything that was submitted is done."""

    def start_device_clock(self):
        """Marks the start of a timed region on the device, if there is one."""

    def stop_device_clock(self):
        """Marks its end, without waiting."""

    def device_ns(self):
        """Nanoseconds on the device between the two marks, after synchronize(); None without a device."""
        return None


def installed(module, title, distribution=None):
    """The version of a Python library, without importing it where that is possible."""
    if importlib.util.find_spec(module) is None:
        raise Unavailable(f"{title} is not installed (run scripts/peers/setup)")
    try:
        return importlib.metadata.version(distribution or module)
    except importlib.metadata.PackageNotFoundError:
        return importlib.import_module(module).__version__


def arguments(about):
    """A parser of the options that every peer has."""
    parser = argparse.ArgumentParser(description=about)
    parser.add_argument(
        "--allocator",
        choices=("stock", "no-faults"),
        default="stock",
        help="no-faults: malloc keeps what it was given back, so that outputs fault only once (glibc)",
    )
    return parser


def use_allocator(name):
    """Sets malloc up; call it before a library allocates its arrays. Raises Unavailable."""
    if name == "stock":
        return
    trim_threshold, top_pad, mmap_max = -1, -2, -4  # of <malloc.h>
    mallopt = getattr(ctypes.CDLL(None), "mallopt", None)
    wanted = ((mmap_max, 0), (trim_threshold, -1), (top_pad, 64 << 20))
    if mallopt is None or not all(mallopt(key, value) for key, value in wanted):
        raise Unavailable("--allocator no-faults needs glibc's mallopt, which this C library lacks")


def chain(steps):
    """One callable that runs the steps one after the other, keeping no result but the last."""
    if len(steps) == 1:
        return steps[0]

    def run(x):
        for step in steps:
            x = step(x)
        return x

    return run


def serve(peer, options=None):
    """Answers normbench on standard input and output until it closes them."""
    from peer_session import Session  # it needs this module

    Session.on_standard_streams(peer, getattr(options, "allocator", "stock")).serve()
