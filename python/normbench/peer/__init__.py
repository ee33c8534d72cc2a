"""The base of a peer of normbench in Python. Subclass Peer, return what to measure, and serve it:

    from normbench.peer import Peer, serve

    class Mine(Peer):
        name = "mine"

        def prepare(self, task):
            return lambda x: ...      # computes the result of an array

    serve(Mine())

docs/peers.md describes the protocol. scripts/peers/my_kernel.py is a complete example.
"""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING, Any, Callable, Literal, Sequence

from .session import Session, Streams, chain, wired
from .task import BrokenFile, Stage, Task, Tensor, Unavailable, Unsupported, installed, np

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["BrokenFile", "Peer", "Session", "Stage", "Task", "Tensor", "Unavailable", "Unsupported", "arguments", "chain",
           "installed", "np", "serve", "variant", "wired"]


class Peer:
    """A library or kernel that takes turns with normbench's own kernels."""

    name: str = ""
    # True if prepare() supports stages with several inputs and outputs. prepare() then returns a
    # list with a callable for each stage. A callable takes the arrays that its stage reads, and
    # returns the result or a tuple of results.
    takes_several: bool = False
    # True if prepare() supports tasks that load files (task.loads). The first callable in the list
    # of prepare() then takes (first item, count) and returns an iterator over the batches of these
    # items. The iterator loads nothing before it is made and nothing after the last item.
    takes_files: bool = False
    # True if prepare() supports the ops batches, transform and step, which are the user's own code.
    has_own_code: bool = False

    def version(self) -> str:
        """Returns the library's version as text. Raises Unavailable if it cannot work on this machine."""
        return "1"

    def prepare(self, task: Task) -> Callable[[Any], Any] | list[Callable[..., Any]]:
        """Returns what to measure: a callable from input to result, or a list with one for each stage.

        The callables of a list are also timed one by one. Raises Unsupported.
        """
        raise NotImplementedError

    def epoch(self) -> int:
        """Returns the number of batches in an epoch of the user's own loader; 0 if it is not known."""
        return 0

    def describe(self) -> dict[str, Any]:
        """Returns what the user's own code is and gives, for `normbench init --python`. Runs it once."""
        raise NotImplementedError

    def given(self) -> dict[str, Any]:
        """Returns what the user's own code gave: dtype, shape, bytes, and what else docs/peers.md lists."""
        raise NotImplementedError

    def psnr(self, task: Task) -> float | None:
        """Returns the least PSNR in dB of images that are loaded, or resized in uint8; None if they are within normbench's bound."""
        return None

    def filter(self, task: Task) -> Literal["triangle", "box", "linear"]:
        """Returns the filter with which loaded images are resized.

        "triangle" is the filter of PIL and normbench. "box" is the mean of the input pixels that an output pixel covers.
        "linear" mixes the four input pixels around the centre of an output pixel, also where an image shrinks.
        """
        return "triangle"

    def rounds(self, task: Task) -> Sequence[Literal["input", "constants", "difference", "statistics", "gradients"]]:
        """Returns which values the library holds in the dtype of the output. normbench then widens its error bounds.

        The values are "input", "constants", "difference", "statistics" and "gradients" (docs/peers.md). normbench's
        own kernels hold them in float32.
        """
        return []

    def take(self, array: NDArray[Any], tensor: Tensor) -> Any:
        """Returns the library's own copy of a numpy array, in memory of the kind `tensor.memory`."""
        return array.copy()

    def ready(self, kernel: Callable[[Any], Any], example: Any) -> None:
        """Called once before the first run, with the callable from prepare() and an input (None if files are loaded)."""

    def give(self, result: Any, tensor: Tensor) -> NDArray[Any]:
        """Returns the result as a numpy array of shape tensor.array_shape."""
        array: NDArray[Any] = result
        return array

    def synchronize(self) -> None:
        """Waits until all submitted work is done."""

    def start_device_clock(self) -> None:
        """Marks the start of a timed region on the device, if there is one."""

    def stop_device_clock(self) -> None:
        """Marks the end of the timed region on the device, without waiting."""

    def device_ns(self) -> int | None:
        """Returns the device's time between the two marks in ns, after synchronize(). None without a device."""
        return None

    def end_turn(self) -> None:
        """Stops what would go on after a turn, such as workers that load ahead. Called when the turn's time is known."""

    def close(self) -> None:
        """Stops what prepare() started, such as processes. Called before another prepare() and at the end."""


def arguments(about: str | None) -> argparse.ArgumentParser:
    """Returns an argument parser with the options that every peer has."""
    parser = argparse.ArgumentParser(description=about)
    parser.add_argument(
        "--allocator",
        choices=("stock", "no-faults"),
        default="stock",
        help="no-faults: malloc keeps what it was given back, so that outputs fault only once (glibc)",
    )
    return parser


def variant(what: Any = None, *, step: Callable[[Any], Any] | None = None, name: str = "") -> Any:
    """Marks your own code for normbench, and returns it unchanged. It may be used as a decorator.

        @normbench.peer.variant
        def mine(batch):
            return batch.float() / 255

        loader = normbench.peer.variant(DataLoader(...), step=train_step)

    `what` is a loader (an iterable of batches), a dataset of PyTorch, a function or a callable class from a batch to its result, or a
    generator function. `step` is called with each batch of a loader. `name` replaces the object's own name in reports. A config names
    the object by `python3 -m normbench.peer FILE.py:OBJECT`.

    Raises TypeError for an object that cannot be marked, such as a list: give it to serve().
    """
    if what is None:
        return lambda later: variant(later, step=step, name=name)
    try:
        what.normbench_variant = {"step": step, "name": name}
    except AttributeError:
        raise TypeError(f"a {type(what).__name__} cannot be marked as a variant (call normbench.peer.serve with it)") from None
    return what


def serve(what: Any, options: argparse.Namespace | None = None, *, step: Callable[[Any], Any] | None = None) -> None:
    """Answers normbench's requests on standard input and output until normbench closes them.

    `what` is a Peer, or your own code as variant() takes it: `serve(DataLoader(...), step=train_step)`.
    """
    streams = Streams()  # what the user's code prints from here on goes to stderr
    if not isinstance(what, Peer):
        from .own import Missing, OwnCodeError, own  # imports this module

        try:
            what = own(what, step=step)
        except OwnCodeError as mistake:
            what = Missing(str(mistake))
    Session(what, streams.requests, streams.replies, getattr(options, "allocator", "stock")).serve()
