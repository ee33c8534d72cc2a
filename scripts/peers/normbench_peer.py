"""What a peer of normbench is made of. Subclass Peer, say what to measure, and serve it:

    class Mine(Peer):
        name = "mine"

        def prepare(self, task):
            return lambda x: ...      # from one array to its result

    serve(Mine())

docs/peers.md describes the protocol, my_kernel.py is a whole example.
"""

import argparse

# What peers take from here beside Peer and serve().
from peer_session import Session, chain, wired  # noqa: F401
from peer_task import BrokenFile, Stage, Task, Tensor, Unavailable, Unsupported, installed, np  # noqa: F401


class Peer:
    """One library or kernel that takes turns with normbench's own."""

    name = ""
    # True where prepare() knows stages of several inputs and outputs: it returns a list of callables, one a stage, from
    # the arrays that the stage reads to its result, or a tuple of them.
    takes_several = False
    # True where prepare() knows tasks that load files (task.loads). The first of the list that it returns is then a
    # function of (first item, count): an iterator over the batches of just these items, which loads none before it is
    # made and none after the last one.
    takes_files = False

    def version(self):
        """Its version as text; raises Unavailable where it cannot work."""
        return "1"

    def prepare(self, task):
        """What to measure: a callable from input to result, or a list of them, one a stage, which
        are then timed one by one too. Raises Unsupported."""
        raise NotImplementedError

    def psnr(self, task):
        """The least PSNR in dB that loaded images keep, where they are not normbench's within its bound; else None."""
        return None

    def filter(self, task):
        """By which filter loaded images are resized: "triangle", as PIL and normbench do, or "box", the mean of what a pixel
        covers."""
        return "triangle"

    def rounds(self, task):
        """What it holds in the dtype of the output where normbench holds float32, so that its bounds allow for that:
        of "input", "constants", "difference", "statistics", "gradients" (docs/peers.md)."""
        return []

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

    def close(self):
        """Ends what prepare() started, as processes: before another prepare(), and in the end."""


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


def serve(peer, options=None):
    """Answers normbench on standard input and output until it closes them."""
    Session.on_standard_streams(peer, getattr(options, "allocator", "stock")).serve()
