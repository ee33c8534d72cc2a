"""What normbench sends a peer, read: lines into requests, requests into tasks, files into arrays."""

import json
from dataclasses import replace

from normbench_peer import STORED, Refused, Stage, Task, Tensor, Unsupported, np

LONGEST_LINE = 1 << 20


def whole(request, name, least):
    """The member `name` as an integer."""
    value = request.get(name)
    if not isinstance(value, int) or isinstance(value, bool) or value < least:
        raise Refused(f'{request["type"]}: "{name}" is {json.dumps(value)} (an integer from {least})')
    return value


def text(request, name, holder=None):
    """The member `name` of the request, or of `holder` in it, as a string."""
    value = (request if holder is None else holder).get(name)
    if not isinstance(value, str):
        raise Refused(f'{request["type"]}: "{name}" is {json.dumps(value)} (a string)')
    return value


def parsed(line):
    """The request in a line; None stands for a line that was too long."""

    def no_number(word):
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


def tensor_of(written):
    fits = (isinstance(written, dict) and written.get("dtype") in STORED
            and written.get("layout", "nchw") in ("nchw", "nhwc")
            and isinstance(written.get("shape"), list) and len(written["shape"]) == 4
            and all(isinstance(extent, int) and extent > 0 for extent in written["shape"]))
    if not fits:
        raise Refused(f"prepare: not a tensor: {json.dumps(written)}")
    return Tensor(written["dtype"], tuple(written["shape"]), written.get("layout", "nchw"),
                  written.get("memory", "pageable"))


def stage_of(written):
    if not isinstance(written, dict) or not isinstance(written.get("op"), str):
        raise Refused('prepare: a stage is an object with an "op"')
    tensors = [written.get(side) for side in ("in", "out")]
    if not all(isinstance(side, list) for side in tensors):
        raise Refused('prepare: a stage has lists "in" and "out"')
    if any(len(side) != 1 for side in tensors):
        raise Unsupported(f'op "{written["op"]}" with more than one input or output')
    return Stage(op=written["op"], parameters=written.get("parameters") or {}, place=written.get("place", "cpu"),
                 kernel=written.get("kernel", ""), output=written.get("output", "reuse"),
                 input=tensor_of(tensors[0][0]), result=tensor_of(tensors[1][0]))


def task_of(request):
    inputs, stages = request.get("inputs"), request.get("stages")
    if not isinstance(inputs, list) or not isinstance(stages, list) or not stages:
        raise Refused('prepare: needs "inputs" and "stages"')
    if len(inputs) != 1:
        raise Unsupported(f"{len(inputs)} inputs (only chains with one)")
    stages = [stage_of(stage) for stage in stages]
    # Where the input lies is known to the first stage only.
    start = replace(tensor_of(inputs[0]), memory=stages[0].input.memory)
    return Task(threads=whole(request, "threads", 1), device=request.get("device", "cpu"),
                copies=whole(request, "copies", 1), input=start, stages=stages)


def load(path, tensor):
    """The array in a .npy file, held to what was said of it."""
    with open(path, "rb") as file:
        array = np.lib.format.read_array(file, allow_pickle=False)
    if array.dtype.str != STORED[tensor.dtype] or array.shape != tensor.array_shape:
        raise Refused(f"prepare: {path} holds {array.dtype.str} {list(array.shape)}, "
                      f"not {STORED[tensor.dtype]} {list(tensor.array_shape)}")
    return array


def store(path, array, tensor):
    if array.dtype.str != STORED[tensor.dtype] or array.shape != tensor.array_shape:
        raise Refused(f"the result is {array.dtype.str} {list(array.shape)}, "
                      f"not {STORED[tensor.dtype]} {list(tensor.array_shape)}")
    with open(path, "wb") as file:
        np.lib.format.write_array(file, np.ascontiguousarray(array), allow_pickle=False)
