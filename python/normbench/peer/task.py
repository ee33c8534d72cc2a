"""The task of a peer, and how it is read: lines become requests, requests become tasks, files become arrays."""

from __future__ import annotations

import importlib.metadata
import importlib.util
import json
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, NoReturn

if TYPE_CHECKING:  # always a module here: without NumPy no peer gets as far as to use it
    import numpy
    from numpy.typing import NDArray

    np = numpy  # type checkers let other modules import this name, but not that of `import numpy as np`
else:
    try:
        import numpy as np
    except ImportError:  # reported in the answer to `hello`
        np = None

Message = dict[str, Any]  # a request or a reply

# The dtype in a .npy file. NumPy has no bfloat16, so the file has its bits as uint16.
STORED = {"uint8": "|u1", "float16": "<f2", "bfloat16": "<u2", "float32": "<f4"}
LONGEST_LINE = 1 << 20
OWN_CODE = ("batches", "transform", "step")  # the ops that are the user's own code
STARTS = ("load", "batches")  # the ops that make items, and so have no input


class Unavailable(Exception):
    """This peer cannot work on this machine. The text is the reason and what would help."""


class Unsupported(Exception):
    """This peer does not support a task. The text names what it does not support."""


class Refused(Exception):
    """A request is wrong. The text is the mistake."""


class BrokenFile(Exception):
    """A file to load cannot be read. The text is its path and the reason."""


@dataclass(frozen=True)
class Tensor:
    """The description of an array. `shape` is [n, c, h, w], also for nhwc."""

    dtype: str
    shape: tuple[int, int, int, int]
    layout: str = "nchw"
    memory: str = "pageable"

    @property
    def array_shape(self) -> tuple[int, int, int, int]:
        """The shape in the order of the layout."""
        n, c, h, w = self.shape
        return (n, c, h, w) if self.layout == "nchw" else (n, h, w, c)


@dataclass(frozen=True)
class Stage:
    """One op with its options from the config. Values have numbers: first the task's inputs, then results of stages."""

    op: str
    parameters: dict[str, Any]
    place: str  # cpu or cuda
    kernel: str  # "" unless the config forces one
    output: str  # reuse, fresh, in_place or cuda_malloc
    inputs: list[Tensor]
    results: list[Tensor]
    reads: list[int] = field(default_factory=list)  # numbers of its inputs; empty in a plain chain
    writes: list[int] = field(default_factory=list)  # numbers of its results; empty in a plain chain
    # Only for the op load, which has no inputs: the path of a JSON file with a list of image paths.
    files: str = ""
    narrow: bool = False  # true: computed in the dtype of the result; false: in float32

    @property
    def input(self) -> Tensor:
        return self.inputs[0]

    @property
    def result(self) -> Tensor:
        return self.results[0]

    def channels(self, name: str) -> list[float]:
        """Returns the parameter `name` as one value for each channel. A single value is repeated."""
        said = self.parameters[name]
        values: list[float] = list(said) if isinstance(said, list) else [said]
        return values * self.input.shape[1] if len(values) == 1 else values

    @property
    def standard(self) -> tuple[list[float], list[float]]:
        """Mean and std of each channel of a normalize, in the units of its input."""
        scale = self.parameters.get("scale", 1)
        mean, std = ([value / scale for value in self.channels(name)] for name in ("mean", "std"))
        return mean, std

    @property
    def window(self) -> tuple[int, int, int, int] | None:
        """The window (top, left, height, width) of a crop or normalize; None for the whole image."""
        crop = self.parameters if self.op == "crop" else self.parameters.get("crop")
        if isinstance(crop, list):
            if len(crop) != 1:
                raise Unsupported("this peer takes one window, not several at once")
            crop = crop[0]
        if not crop:
            return None
        height, width = crop["size"]
        rows, columns = self.input.shape[2:]
        top, left = crop.get("at") or ((rows - height) // 2, (columns - width) // 2)
        return top, left, height, width

    @property
    def flipped(self) -> str:
        """The axes that are mirrored: "", "w", "h" or "hw"."""
        said = self.parameters.get("axis", "horizontal") if self.op == "flip" else self.parameters.get("flip", "none")
        return {"none": "", "horizontal": "w", "vertical": "h", "both": "hw"}[said]

    @property
    def is_plain(self) -> bool:
        """True for a stage that changes no layout and does not crop or mirror."""
        return not self.window and not self.flipped and self.input.layout == self.result.layout


@dataclass(frozen=True)
class Task:
    """The content of a `prepare` request."""

    threads: int
    device: str  # cpu or cuda:0
    copies: int  # number of copies of the inputs; iterations use them in turn
    inputs: list[Tensor]
    stages: list[Stage]
    # Numbers of the values that are results. Empty in a plain chain: its result is that of the last
    # stage.
    outputs: list[int] = field(default_factory=list)
    unlike: bool = False  # true: the copies of the inputs must differ

    @property
    def loads(self) -> bool:
        """True if items come from files. Then there are no inputs."""
        return self.stages[0].op == "load"

    @property
    def is_fed(self) -> bool:
        """True if the first stage makes the items: from files, or by the user's own loader. Then there are no inputs."""
        return self.stages[0].op in STARTS

    @property
    def has_own_code(self) -> bool:
        """True if a stage is the user's own code, whose result is described and not checked."""
        return any(stage.op in OWN_CODE for stage in self.stages)

    @property
    def results(self) -> list[Tensor]:
        """Descriptions of the results of an iteration, in order."""
        if not self.outputs:
            return [self.stages[-1].result]
        made = {value: tensor for stage in self.stages for value, tensor in zip(stage.writes, stage.results)}
        return [made[value] if value in made else self.inputs[value] for value in self.outputs]


def installed(module: str, title: str, distribution: str | None = None, by_name: str = "") -> str:
    """Returns the version of a Python library, if possible without importing it. Raises Unavailable.

    `by_name` is what scripts/peers/setup calls a library that it installs only if it is named.
    """
    try:
        found = importlib.util.find_spec(module)
    except ModuleNotFoundError:  # of the package around the module
        found = None
    if found is None:
        raise Unavailable(f"{title} is not installed (run {' '.join(('scripts/peers/setup', by_name)).strip()})")
    try:
        return importlib.metadata.version(distribution or module)
    except importlib.metadata.PackageNotFoundError:
        version: str = importlib.import_module(module).__version__
        return version


def whole(request: Message, name: str, least: int) -> int:
    """Returns the member `name` if it is an integer of at least `least`. Raises Refused otherwise."""
    value = request.get(name)
    if not isinstance(value, int) or isinstance(value, bool) or value < least:
        raise Refused(f'{request["type"]}: "{name}" is {json.dumps(value)} (an integer from {least})')
    return value


def text(request: Message, name: str, holder: Message | None = None) -> str:
    """Returns the member `name` of the request, or of `holder` in it, if it is a string. Raises Refused otherwise."""
    value = (request if holder is None else holder).get(name)
    if not isinstance(value, str):
        raise Refused(f'{request["type"]}: "{name}" is {json.dumps(value)} (a string)')
    return value


def parsed(line: bytes | None) -> Message:
    """Returns the request in a line. Raises Refused. A `line` of None means that it was too long."""

    def no_number(word: str) -> NoReturn:
        raise ValueError(f"{word} is not JSON")

    if line is None:
        raise Refused(f"a line of more than {LONGEST_LINE} bytes")
    try:
        request = json.loads(line.rstrip(), parse_constant=no_number)
    except (ValueError, RecursionError) as mistake:
        raise Refused(f"not JSON: {mistake}") from None
    if not isinstance(request, dict) or not isinstance(request.get("type"), str):
        raise Refused('a request is an object with a "type"')
    return request


def tensor_of(written: Any) -> Tensor:
    fits = (isinstance(written, dict) and written.get("dtype") in STORED
            and written.get("layout", "nchw") in ("nchw", "nhwc")
            and isinstance(written.get("shape"), list) and len(written["shape"]) == 4
            and all(isinstance(extent, int) and extent > 0 for extent in written["shape"]))
    if not fits:
        raise Refused(f"prepare: not a tensor: {json.dumps(written)}")
    if written.get("pixel_format", "rgb") != "rgb":
        raise Unsupported(f"images are RGB here, not {written['pixel_format']}")
    return Tensor(written["dtype"], tuple(written["shape"]), written.get("layout", "nchw"),
                  written.get("memory", "pageable"))


def stage_of(written: Any) -> Stage:
    if not isinstance(written, dict) or not isinstance(written.get("op"), str):
        raise Refused('prepare: a stage is an object with an "op"')
    tensors: list[Any] = [written.get(side) for side in ("in", "out")]
    if not all(isinstance(side, list) for side in tensors):
        raise Refused('prepare: a stage has lists "in" and "out"')
    numbers: list[Any] = [written.get(side, []) for side in ("reads", "writes")]
    if not all(isinstance(side, list) and all(type(value) is int for value in side) for side in numbers):
        raise Refused('prepare: "reads" and "writes" of a stage are lists of integers')
    loads, starts = written["op"] == "load", written["op"] in STARTS
    if numbers == [[], []] and [len(side) for side in tensors] != [0 if starts else 1, 1]:
        raise Unsupported(f'op "{written["op"]}" with more than one input or output')
    if numbers != [[], []] and [len(side) for side in numbers] != [len(side) for side in tensors]:
        raise Refused('prepare: "reads" and "writes" name as many values as "in" and "out" describe')
    if not (tensors[0] or starts) or not tensors[1]:
        raise Refused('prepare: a stage has an input and an output')
    return Stage(op=written["op"], parameters=written.get("parameters") or {}, place=written.get("place", "cpu"),
                 kernel=written.get("kernel", ""), output=written.get("output", "reuse"),
                 inputs=[tensor_of(one) for one in tensors[0]], results=[tensor_of(one) for one in tensors[1]],
                 reads=numbers[0], writes=numbers[1],
                 files=text({"type": "prepare"}, "files", written) if loads else "")


def task_of(request: Message) -> Task:
    inputs, stages = request.get("inputs"), request.get("stages")
    if not isinstance(inputs, list) or not isinstance(stages, list) or not stages:
        raise Refused('prepare: needs "inputs" and "stages"')
    stages = [stage_of(stage) for stage in stages]
    outputs = request.get("outputs", [])
    starts = [stage.op in STARTS for stage in stages]
    if any(starts) and (outputs or inputs or starts[1:] != [False] * len(starts[1:])):
        start = "a load that is" if "load" in [stage.op for stage in stages] else "batches that are"
        raise Unsupported(f"{start} not the start of a plain chain")
    if not outputs and len(inputs) != 1 - starts[0]:
        raise Unsupported(f"{len(inputs)} inputs (only chains with one)")
    if outputs:
        check_wiring(len(inputs), stages, outputs)
    # The description of an input has no kind of memory, so it is taken from the input of the first
    # stage. All inputs are in the same kind of memory.
    tensors = [replace(tensor_of(one), memory=stages[0].input.memory) for one in inputs]
    return Task(threads=whole(request, "threads", 1), device=request.get("device", "cpu"),
                copies=whole(request, "copies", 1), inputs=tensors, stages=stages, outputs=outputs,
                unlike=request.get("unlike", False) is True)


def check_wiring(inputs: int, stages: list[Stage], outputs: Any) -> None:
    """Raises Refused if a stage reads a value that no earlier stage made, or an output does not exist."""
    known = set(range(inputs))
    for stage in stages:
        if not set(stage.reads) <= known:
            raise Refused(f'prepare: "{stage.op}" reads a value that nothing gives')
        known |= set(stage.writes)
    if not isinstance(outputs, list) or not set(outputs) <= known:
        raise Refused('prepare: "outputs" names a value that nothing gives')


def load(path: str, tensor: Tensor) -> NDArray[Any]:
    """Returns the array in a .npy file. Raises Refused if it does not match its description."""
    with open(path, "rb") as file:
        array = np.lib.format.read_array(file, allow_pickle=False)
    if array.dtype.str != STORED[tensor.dtype] or array.shape != tensor.array_shape:
        raise Refused(f"prepare: {path} holds {array.dtype.str} {list(array.shape)}, "
                      f"not {STORED[tensor.dtype]} {list(tensor.array_shape)}")
    return array


def moved_on(array: NDArray[Any], tensor: Tensor, pixels: int) -> NDArray[Any]:
    """Returns the array with the pixels of each image moved by `pixels` in row order. Pixels moved beyond the
    end come first."""
    n, c, h, w = tensor.shape
    lying = (n, h * w, c) if tensor.layout == "nhwc" else (n * c, h * w)
    return np.roll(array.reshape(lying), pixels, axis=1).reshape(array.shape)


def store(path: str, array: NDArray[Any], tensor: Tensor) -> None:
    if array.dtype.str != STORED[tensor.dtype] or array.shape != tensor.array_shape:
        raise Refused(f"the result is {array.dtype.str} {list(array.shape)}, "
                      f"not {STORED[tensor.dtype]} {list(tensor.array_shape)}")
    with open(path, "wb") as file:
        np.lib.format.write_array(file, np.ascontiguousarray(array), allow_pickle=False)
