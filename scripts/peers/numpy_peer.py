#!/usr/bin/env python3
"""numpy as a peer of normbench: computes the ops as a script without a framework does, on one thread."""

import itertools

from normbench.peer import Peer, Unsupported, arguments, installed, np, serve

AXES = {"nchw": {"h": 2, "w": 3}, "nhwc": {"h": 1, "w": 2}}


def constants(stage, name):
    shape = (1, -1, 1, 1) if stage.input.layout == "nchw" else (1, 1, 1, -1)
    return np.array(stage.channels(name), np.float32).reshape(shape)


def moved(stage):
    """Returns a function that returns a view of its input: cropped, mirrored, and with the layout of the result."""
    axes = AXES[stage.input.layout]
    where = [slice(None)] * 4
    if stage.window:
        top, left, height, width = stage.window
        where[axes["h"]], where[axes["w"]] = slice(top, top + height), slice(left, left + width)
    mirrored = tuple(axes[axis] for axis in stage.flipped)
    order = (0, 1, 2, 3)
    if stage.input.layout != stage.result.layout:
        order = (0, 2, 3, 1) if stage.result.layout == "nhwc" else (0, 3, 1, 2)
    where = tuple(where)
    return lambda x: np.flip(x[where], mirrored).transpose(order)


def cast(stage):
    dtype = np.dtype(stage.result.dtype)
    if stage.result.dtype == "uint8" and stage.input.dtype != "uint8":
        return lambda x: np.rint(x).clip(0, 255).astype(np.uint8)
    return lambda x: x.astype(dtype)


def arithmetic(stage):
    """Returns the stage as the NumPy expression of a typical script, computed in float32."""
    scale, narrow = np.float32(stage.parameters.get("scale", 1)), np.dtype(stage.result.dtype)
    if stage.op == "sub":
        mean = constants(stage, "mean")
        compute = lambda x: x - mean
    elif stage.op == "div":
        std = constants(stage, "std")
        compute = lambda x: x / std
    else:
        mean, std = constants(stage, "mean"), constants(stage, "std")
        compute = (lambda x: (x - mean) / std) if scale == 1 else (lambda x: (x * scale - mean) / std)
    if stage.input.dtype == stage.result.dtype == "float32":
        return compute
    if stage.result.dtype == "float32":
        return lambda x: compute(x.astype(np.float32))
    return lambda x: compute(x.astype(np.float32)).astype(narrow)


def normalize(stage):
    if stage.is_plain:
        return arithmetic(stage)
    compute, move = arithmetic(stage), moved(stage)
    return lambda x: np.ascontiguousarray(move(compute(x)))


def into_kept(stage, copies):
    """Returns the stage as a function that writes float32 into kept arrays. There is one for each copy of the input."""
    if stage.op not in ("normalize", "sub", "div", "cast") or stage.result.dtype != "float32" \
            or not stage.is_plain or stage.parameters.get("scale", 1) != 1:
        raise Unsupported(f'--reuse does not cover this "{stage.op}"')
    kept = itertools.cycle([np.empty(stage.result.array_shape, np.float32) for _ in range(copies)])
    if stage.op == "cast":
        def run(x):
            y = next(kept)
            np.copyto(y, x)
            return y
    elif stage.op == "normalize":
        mean, std = constants(stage, "mean"), constants(stage, "std")

        def run(x):
            y = np.subtract(x, mean, out=next(kept))
            return np.divide(y, std, out=y)
    else:
        step, by = {"sub": (np.subtract, "mean"), "div": (np.divide, "std")}[stage.op]
        constant = constants(stage, by)

        def run(x):
            return step(x, constant, out=next(kept))
    return run


def in_place(stage):
    if stage.op not in ("sub", "div") or stage.result.dtype != "float32":
        raise Unsupported(f'numpy does no "{stage.op}" in place here')
    step, by = {"sub": (np.subtract, "mean"), "div": (np.divide, "std")}[stage.op]
    constant = constants(stage, by)
    return lambda x: step(x, constant, out=x)


class NumpyPeer(Peer):
    name = "numpy"

    def __init__(self, reuse):
        self._reuse = reuse

    def version(self):
        return installed("numpy", "numpy")

    def prepare(self, task):
        if task.device != "cpu":
            raise Unsupported("numpy runs on the CPU only")
        if task.threads > 1:
            raise Unsupported(f"numpy computes these ops on one thread, not {task.threads}")
        return [self._stage(stage, task.copies) for stage in task.stages]

    def _stage(self, stage, copies):
        if "bfloat16" in (stage.input.dtype, stage.result.dtype):
            raise Unsupported("numpy has no bfloat16")
        if stage.input.memory != "pageable" or stage.result.memory != "pageable":
            raise Unsupported("numpy's arrays are in pageable memory")
        if stage.output == "in_place":
            return in_place(stage)
        if self._reuse:
            return into_kept(stage, copies)
        if stage.op in ("crop", "flip", "layout"):
            move = moved(stage)
            return lambda x: np.array(move(x), order="C")
        ops = {"cast": cast, "sub": arithmetic, "div": arithmetic, "normalize": normalize,
               "copy": lambda _: np.ndarray.copy}
        if stage.op not in ops:
            raise Unsupported(f'numpy has no op "{stage.op}"')
        return ops[stage.op](stage)


if __name__ == "__main__":
    parser = arguments(__doc__)
    parser.add_argument("--reuse", action="store_true", help="write into arrays that are kept (out=)")
    options = parser.parse_args()
    serve(NumpyPeer(options.reuse), options)
