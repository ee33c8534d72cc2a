"""A peer of the user's own code: a loader such as a DataLoader, a transform of a batch, a step with a batch."""

from __future__ import annotations

import copy
import inspect
import mmap
import os
import re
import sys
import traceback
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Callable, Iterable, cast

from . import Peer
from .copies import Copies, copies_of_call, copies_of_iterable, copies_of_workers, in_child, in_order, parts_of, unpinned
from .task import BrokenFile, Task, Tensor, Unsupported, np

Function = Callable[[Any], Any]
MOST_CHANNELS = 4  # red, green, blue and alpha


class OwnCodeError(BrokenFile):
    """The user's own code does what cannot be measured. The text says what to change."""


@dataclass(frozen=True)
class Array:
    """What an array of a batch is, in the words of its library."""

    dtype: str
    shape: tuple[int, ...]
    order: str  # contiguous, channels_last or strided
    device: str
    pinned: bool
    bytes: int


def described(value: Any) -> Array | None:
    """Returns what an array is: a tensor of PyTorch, or an array of NumPy. Returns None for other values."""
    torch = sys.modules.get("torch")
    if torch is not None and isinstance(value, torch.Tensor):
        order = "contiguous" if value.is_contiguous() else "strided"
        if value.dim() == 4 and order == "strided" and value.is_contiguous(memory_format=torch.channels_last):
            order = "channels_last"
        return Array(str(value.dtype).replace("torch.", ""), tuple(value.shape), order, str(value.device),
                     value.device.type == "cpu" and value.is_pinned(), value.numel() * value.element_size())
    numpy = sys.modules.get("numpy")
    if numpy is not None and isinstance(value, numpy.ndarray) and not value.dtype.hasobject:
        order = "contiguous" if value.flags.c_contiguous else "strided"
        return Array(value.dtype.name, value.shape, order, "cpu", False, value.nbytes)
    return None


def arrays_in(value: Any) -> list[Array]:
    """Returns the arrays in a value: in nested lists, tuples and dicts, and in the attributes of other objects.

    A list of images of one size counts as one array. Raises OwnCodeError for a list of images of unlike sizes.
    """
    found: list[Array] = []
    seen: set[int] = set()

    def look(one: Any, depth: int) -> None:
        if id(one) in seen or depth > 6:
            return
        seen.add(id(one))
        array = described(one) or stacked(one)
        if array is not None:
            found.append(array)
        else:
            for part in parts_of(one):
                look(part, depth + 1)

    look(value, 0)
    return found


def stacked(value: Any) -> Array | None:
    """Returns what a list of images [c, h, w] or [h, w, c] of one size is as a batch. Returns None for other values.

    Images that differ in dtype or in the number of channels, such as an image and its mask, are no batch. Raises OwnCodeError for images of
    unlike sizes.
    """
    if not isinstance(value, (list, tuple)) or len(value) < 2:
        return None
    images = [one for one in map(described, value) if one is not None and len(one.shape) == 3]
    if len(images) < len(value):
        return None
    first = images[0]
    channels = next((axis for axis in (0, 2) if first.shape[axis] <= MOST_CHANNELS), None)
    if channels is None or any((one.dtype, one.shape[channels]) != (first.dtype, first.shape[channels]) for one in images):
        return None
    shapes = dict.fromkeys(one.shape for one in images)
    if len(shapes) > 1:
        raise OwnCodeError(f"your code gave {len(images)} images of unlike sizes ({', '.join(str(list(shape)) for shape in list(shapes)[:3])}) "
                           "instead of one batch (resize or crop them to one size, and stack them)")
    return Array(first.dtype, (len(images), *first.shape), "strided", first.device, first.pinned, len(images) * first.bytes)


def facts_of(batch: Any) -> dict[str, Any]:
    """Returns what a batch is: its largest array, and the bytes of all. Raises OwnCodeError for what is no batch."""
    if batch is None:
        raise OwnCodeError("your code returned None (return the batch: an array, or arrays in a list, tuple or dict)")
    arrays = arrays_in(batch)
    if not arrays:
        raise OwnCodeError(f"your code gave a {type(batch).__name__} without an array of PyTorch or NumPy in it "
                           "(convert images to tensors, for example in the collate function)")
    largest = max(arrays, key=lambda one: one.bytes)
    if largest.bytes == 0:
        raise OwnCodeError("your code gave an empty array (give at least one image)")
    return {"dtype": largest.dtype, "shape": list(largest.shape), "order": largest.order, "device": largest.device,
            "pinned": largest.pinned, "bytes": largest.bytes, "batch_bytes": sum(one.bytes for one in arrays)}


def is_users(file: str) -> bool:
    """Returns True for a file that belongs neither to this package, nor to Python, nor to an installed package."""
    others = (os.path.dirname(__file__), os.path.dirname(os.__file__))
    return "site-packages" not in file and not file.startswith(("<", *others))


def told(failure: BaseException) -> str:
    """Returns an exception as text, like "ValueError at train.py:12: no file". For one of a worker process it is the worker's.

    The place is the last one in the user's own files, if there is one.
    """
    text, kind = str(failure), type(failure).__name__
    places = [(file, int(line)) for file, line in re.findall(r'^  File "(.+)", line (\d+)', text, re.M)]
    if places:  # a DataLoader puts the worker's traceback into the text
        last = list(re.finditer(r"^  File .*\n(?: .*\n)*", text, re.M))[-1]
        text = " ".join(text[last.end():].strip().splitlines()).partition(": ")[2]
    elif isinstance(failure, SyntaxError) and failure.filename is not None:
        places, text = [(failure.filename, failure.lineno or 0)], failure.msg
    else:
        places = [(frame.filename, frame.lineno or 0) for frame in traceback.extract_tb(failure.__traceback__)]
    file, line = ([place for place in places if is_users(place[0])] or places)[-1]
    return f"{kind} at {os.path.basename(file)}:{line}: {text}"


class Guard:
    """Calls the user's own code. Turns its exceptions into sentences, and notices if it forks and the child returns."""

    def __init__(self) -> None:
        self._process = os.getpid()
        self._forked = mmap.mmap(-1, 1)  # memory that child processes share

    def __call__(self, function: Callable[..., Any], *arguments: Any, advice: Callable[[], str] = lambda: "run it alone, and mend it") -> Any:
        """Returns what the function returns. Raises StopIteration only if the function is `next`, and OwnCodeError with the advice."""
        try:
            result = function(*arguments)
        except OwnCodeError:
            raise
        except SystemExit as end:
            raise OwnCodeError(f"your code ended Python: sys.exit({end.code!r})") from end
        except Exception as failure:
            self.check()
            if isinstance(failure, StopIteration) and function is next:
                raise
            raise OwnCodeError(f"your code raised {told(failure)[:900]} ({advice()})") from failure
        self.check()
        return result

    def check(self) -> None:
        """Ends this process if it is a child of the peer. Raises OwnCodeError in the peer if that has happened."""
        if os.getpid() != self._process:
            self._forked[0] = 1
            os._exit(1)
        if self._forked[0]:
            raise OwnCodeError("your code forked, and the child returned into normbench (end the child with os._exit() "
                               "in your code, or use multiprocessing)")


class Batches:
    """An iterator over `count` batches of a loader. Starts the loader anew, and after each of its ends. `first` is its first batch."""

    def __init__(self, loader: Iterable[Any], count: int, call: Guard) -> None:
        self.first: Any = None
        self._loader, self._count, self._call = loader, count, call
        self._iterator: Iterator[Any] = call(iter, loader)
        self._given = 0  # batches so far
        self._in_epoch = 0  # batches since the loader was started
        self._length = length_of(loader)

    def __iter__(self) -> Batches:
        return self

    def __next__(self) -> Any:
        if self._given == self._count:
            raise StopIteration
        try:
            batch = self._call(next, self._iterator)
        except StopIteration:
            if self._in_epoch == 0:
                raise OwnCodeError("your loader gave no batch (is it empty, are there fewer images than a batch with drop_last, or is it "
                                   "a generator, which can be read only once: give the function that makes it)") from None
            self._iterator, self._in_epoch = self._call(iter, self._loader), 0
            return next(self)
        if self._given == 0:
            self.first = copied(batch)  # a step may change the batch
        self._given += 1
        self._in_epoch += 1
        if self._given == self._count and self._in_epoch == self._length:
            try:  # the end of the epoch is a part of it: workers end there
                self._call(next, self._iterator)
            except StopIteration:
                self._in_epoch = 0
        return batch

    def stop(self) -> None:
        """Stops what goes on: workers that load ahead. A loader that keeps its workers keeps them only after a whole epoch."""
        if self._in_epoch > 0 and getattr(self._loader, "persistent_workers", False):
            shut_down = getattr(self._iterator, "_shutdown_workers", None)
            if shut_down is not None and getattr(self._loader, "_iterator", None) is self._iterator:
                self._loader._iterator = None  # type: ignore[attr-defined]
                shut_down()
        self._iterator = iter(())


def first_of(loader: Iterable[Any], call: Guard) -> Any:
    """Returns the first batch of a loader, and ends the workers that have begun with others."""
    batches = Batches(loader, 1, call)
    try:
        return next(batches)
    finally:
        batches.stop()


def length_of(loader: Any) -> int:
    """Returns the number of batches in an epoch; 0 if it is not known."""
    try:
        length = len(loader)
    except Exception:  # an IterableDataset has none, and a length of the user's own may raise anything
        return 0
    return length if 0 < length < 1 << 31 else 0


def copied(batch: Any) -> Any:
    """Returns a batch with containers of its own, so that a step that changes them finds them again. Arrays are shared."""
    if isinstance(batch, dict):
        same = copy.copy(batch)
        for key, value in batch.items():
            same[key] = copied(value)
        return same
    if isinstance(batch, list):
        return [copied(value) for value in batch]
    if type(batch) is tuple:
        return tuple(copied(value) for value in batch)
    return batch


class Maker:
    """A loader that is made by a function each time it is started, such as a generator function."""

    def __init__(self, make: Callable[[], Iterable[Any]]) -> None:
        self._make = make

    def __iter__(self) -> Iterator[Any]:
        return iter(self._make())


def is_loader(what: Any) -> bool:
    """Returns True for an object that can be iterated, and is neither a dataset of single images nor a module of PyTorch."""
    torch = sys.modules.get("torch")
    if is_dataset(what) or (torch is not None and isinstance(what, torch.nn.Module)):
        return False
    return hasattr(what, "__iter__") and not isinstance(what, (str, bytes, type))


def is_dataset(what: Any) -> bool:
    """Returns True for a dataset of PyTorch, which gives single images."""
    torch = sys.modules.get("torch.utils.data")
    return torch is not None and isinstance(what, torch.Dataset)


def made(what: Any) -> Any:
    """Returns the object to measure. Calls a class, and a function without parameters, which make it.

    Raises OwnCodeError if a class or a generator function needs arguments, and for a generator.
    """
    if inspect.isgenerator(what):
        raise OwnCodeError("your object is a generator, which can be read only once (give the function that makes it)")
    if isinstance(what, type) or inspect.isgeneratorfunction(what):
        try:
            inspect.signature(what).bind()
        except TypeError as missing:
            raise OwnCodeError(f"{what.__name__} cannot be called without arguments: {missing} (give a function without parameters that "
                               "calls it)") from missing
        except ValueError:
            pass  # a class in C, whose parameters are not known
    if isinstance(what, type):
        return made(what())
    if inspect.isgeneratorfunction(what):
        return Maker(what)
    if inspect.isfunction(what) and not inspect.signature(what).parameters:
        result = what()
        return Maker(what) if isinstance(result, Iterator) else result
    return what


class Own(Peer):
    """Runs the user's own code. `what` is a loader, a dataset of PyTorch, or a function of a batch.

    `step` is called with each batch. `batch_size` and `workers` are those of a DataLoader around a dataset. `copies`: copies are counted,
    for which a child process makes two further batches.
    """

    has_own_code = True

    def __init__(self, what: Any, step: Function | None = None, name: str = "", batch_size: int = 32, workers: int = 0,
                 copies: bool = True) -> None:
        self.name = name or getattr(what, "__name__", type(what).__name__)
        self._call = Guard()
        self._what, self._step = self._call(made, what), step
        self._batch_size, self._workers, self._counts = batch_size, workers, copies
        self._device = "cpu"
        self._loader: Any = None
        self._running: Batches | None = None  # kept until the turn's time is known, so that its end is not timed
        self._copies: Copies | None = None  # None: not known
        self._counted = self._cached = False
        self._input: Any = None  # the last array that a transform got
        self._last: Any = None  # the first batch of the last turn, or the last result of a transform
        self.note(getattr(self._what, "normbench_variant", {}))

    def note(self, noted: dict[str, Any]) -> None:
        """Takes what variant() has noted: a name, and a step unless there is one."""
        self.name = noted.get("name") or self.name
        self._step = self._step or noted.get("step")

    def version(self) -> str:
        torch = sys.modules.get("torch")
        return f"with torch {torch.__version__}" if torch is not None else "1"

    def prepare(self, task: Task) -> list[Callable[..., Any]]:
        torch = sys.modules.get("torch")
        if torch is not None:
            torch.set_num_threads(task.threads)
        self._device = task.device
        steps: list[Callable[..., Any]] = []
        for stage in task.stages:
            if stage.op == "batches":
                steps.append(self._batches(cached=stage.parameters.get("cached") is True))
            elif stage.op == "transform":
                steps.append(self._transform())
            elif stage.op == "step":
                steps.append(self._with_step())
            elif stage.op == "h2d" and torch is not None:
                steps.append(lambda batch: self._call(on_device, batch, task.device))
            else:
                raise Unsupported(f'"{stage.op}" beside your own code (batches, transform, step; h2d with PyTorch)')
        return steps

    def _batches(self, cached: bool) -> Callable[[int, int], Iterator[Any]]:
        self._loader, self._cached = self.loader(), cached
        if cached:
            first = first_of(self._loader, self._call)
            self._last = copied(first)
            return lambda _, count: (copied(first) for _ in range(count))

        def batches(_: int, count: int) -> Iterator[Any]:
            self.end_turn()
            self._running = Batches(self._loader, count, self._call)
            return self._running

        return batches

    def loader(self) -> Any:
        """Returns the loader: the object itself, or a DataLoader around a dataset. Raises Unsupported."""
        if is_dataset(self._what):
            if gives_batches(self._what, self._call):
                return self._what
            return sys.modules["torch.utils.data"].DataLoader(self._what, batch_size=self._batch_size, num_workers=self._workers)
        if not is_loader(self._what):
            raise OwnCodeError(f"{self.name} gives no batches: it is of the type {type(self._what).__name__} (a loader can be iterated)")
        return self._what

    def _transform(self) -> Function:
        if not callable(self._what):
            raise OwnCodeError(f"{self.name} is no function of a batch, but of the type {type(self._what).__name__}")

        def transform(batch: Any) -> Any:
            self._input = batch
            result = self._transformed(batch)
            self._last = copied(result)  # a step may change the result
            return result

        return transform

    def _transformed(self, batch: Any) -> Any:
        """Calls the transform. Raises OwnCodeError, which says what the transform was called with."""
        def advice() -> str:  # made only after a failure, because the call is timed
            array = cast("Array", described(batch))
            library = "a NumPy array" if isinstance(batch, np.ndarray) else "a tensor of PyTorch"
            return (f"it was called with {library}, {array.dtype} {list(array.shape)}: if that is not what it takes, measure a function that "
                    "converts the batch and then calls it")

        return self._call(self._what, batch, advice=advice)

    def _with_step(self) -> Function:
        step = self._step
        if step is None:
            raise OwnCodeError('there is no step (name it: --step train.py:step, or serve(loader, step=...))')

        def run(batch: Any) -> Any:
            if self._last is None:
                self._last = copied(batch)
            self._call(step, batch)
            return batch

        return run

    def epoch(self) -> int:
        return length_of(self._loader)

    def describe(self) -> dict[str, Any]:
        if is_dataset(self._what) or is_loader(self._what):
            loader = self.loader()
            facts = facts_of(first_of(loader, self._call))
            workers = getattr(loader, "num_workers", None)
            return {"kind": "dataset" if is_dataset(self._what) else "loader", "has_step": self._step is not None,
                    **facts, **({} if workers is None else {"workers": workers})}
        if not callable(self._what):
            raise OwnCodeError(f"{self.name} is neither a loader, nor a dataset of PyTorch, nor a function of a batch, but "
                               f"of the type {type(self._what).__name__}")
        sample = np.zeros((self._batch_size, 3, 224, 224), np.uint8)
        torch = sys.modules.get("torch")
        result = self._transformed(sample if torch is None else torch.from_numpy(sample))
        if is_dataset(result) or (is_loader(result) and described(result) is None and not isinstance(result, (Mapping, Sequence))):
            raise OwnCodeError(f"your function returned a {type(result).__name__} when it was called with a batch (for a function that makes "
                               "a loader, give one without parameters that calls it)")
        return {"kind": "transform", "has_step": False, **facts_of(result)}

    def given(self) -> dict[str, Any]:
        self._call.check()
        facts = facts_of(self._last)
        if self._device == "cpu" and facts["device"] != "cpu":
            raise OwnCodeError(f"your code gave an array on {facts['device']}, whose work the CPU's clock does not see (keep "
                               'batches on the CPU, and add the stage "h2d", so that the transfer is measured)')
        workers = getattr(self._loader, "num_workers", None)
        if not self._counted:
            self._copies, self._counted = self._count_copies(), True
        known = {"workers": workers, "copies": self._copies}
        return {**facts, **{name: value for name, value in known.items() if value is not None}}

    def _count_copies(self) -> Copies | None:
        """Has further batches made, and returns what PyTorch copies for one. Returns None where that cannot be told."""
        torch = sys.modules.get("torch")
        if torch is None or self._device != "cpu" or self._cached or not self._counts:
            return None
        loader, what, batch = self._loader, self._what, self._input
        if loader is None:
            return in_child(lambda: copies_of_call(lambda: what(batch)))
        if not isinstance(loader, torch.utils.data.DataLoader):
            return in_child(lambda: copies_of_iterable(loader))
        if loader.num_workers > 0:
            copies = in_child(lambda: copies_of_workers(loader))
        else:
            copies = in_child(lambda: copies_of_iterable(unpinned(loader)))
        pinned = [array.bytes for array in arrays_in(self._last) if array.pinned and loader.pin_memory]
        if copies is not None and pinned:
            copies.append({"op": "_pin_memory", "calls": len(pinned), "bytes": sum(pinned)})
        return None if copies is None else in_order(copies)

    def take(self, array: Any, tensor: Tensor) -> Any:
        """Returns a tensor if PyTorch is in use, else a NumPy array. Raises Unsupported for memory other than pageable."""
        if tensor.memory != "pageable":
            raise Unsupported(f"your own code takes no source in {tensor.memory} memory (pageable only)")
        torch = sys.modules.get("torch")
        if torch is None:
            return array.copy()
        if tensor.dtype == "bfloat16":
            return torch.from_numpy(array.view("int16").copy()).view(torch.bfloat16)
        return torch.from_numpy(array.copy())

    def synchronize(self) -> None:
        if self._device != "cpu":
            sys.modules["torch"].cuda.synchronize()

    def end_turn(self) -> None:
        if self._running is not None:
            self._last = self._running.first
            self._running.stop()
            self._running = None

    def close(self) -> None:
        self.end_turn()
        self._loader = self._last = self._input = self._copies = None
        self._counted = self._cached = False


class Missing(Own):
    """Stands for code that cannot be loaded. Its reason is the answer to the first request."""

    def __init__(self, why: str) -> None:
        self.name, self._why = "own code", why

    def version(self) -> str:
        raise OwnCodeError(self._why)

    def close(self) -> None:
        pass


def gives_batches(dataset: Any, call: Guard) -> bool:
    """Returns True for an IterableDataset of PyTorch that gives whole batches: its first item has an array with four axes."""
    if not isinstance(dataset, sys.modules["torch.utils.data"].IterableDataset):
        return False
    return any(len(array.shape) > 3 for array in arrays_in(first_of(dataset, call)))


def own(what: Any, step: Function | None = None, name: str = "", **options: Any) -> Own:
    """Returns the peer of an object, with what normbench.peer.variant() has noted in it, or in what it makes."""
    peer = Own(what, step, name, **options)
    peer.note(getattr(what, "normbench_variant", {}))
    return peer


def on_device(batch: Any, device: str) -> Any:
    """Returns the batch with its tensors on the device. Raises OwnCodeError if it has none."""
    if all(array.device != "cpu" for array in arrays_in(batch)):
        raise OwnCodeError("your batches are on a device already (leave the stage h2d out)")
    result = moved(batch, device)
    if all(array.device == "cpu" for array in arrays_in(result)):
        raise OwnCodeError(f"no tensors of PyTorch were found in your batches, which are of the type {type(batch).__name__} (convert arrays by "
                           "torch.from_numpy; give tensors in a tuple, list or dict, or in an object with a method to())")
    return result


def moved(batch: Any, device: str) -> Any:
    if isinstance(batch, dict):
        return {key: moved(value, device) for key, value in batch.items()}
    if isinstance(batch, (list, tuple)):
        parts = [moved(value, device) for value in batch]
        return type(batch)(*parts) if hasattr(batch, "_fields") else type(batch)(parts)
    return batch.to(device, non_blocking=True) if hasattr(batch, "to") else batch
