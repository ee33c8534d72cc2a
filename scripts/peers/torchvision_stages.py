"""normbench's ops as calls of torchvision.transforms.v2.functional, as torchvision recommends."""

import math

from normbench.peer import Unsupported, chain
from torch_stages import AXES, DTYPES, dense, layout
from torchvision.transforms.v2 import functional


def cast(stage):
    dtype = DTYPES[stage.result.dtype]
    if stage.result.dtype == "uint8":
        raise Unsupported("torchvision's to_dtype truncates floating point to uint8")
    return lambda x: functional.to_dtype(x, dtype, scale=False)


def constants(stage):
    """Returns mean and std for functional.normalize. If the stage's input is uint8, to_dtype divides it by 255
    before, so mean and std are those of values in 0..1."""
    mean, std = stage.channels("mean"), stage.channels("std")
    scale = stage.parameters.get("scale", 1)
    if stage.input.dtype == "uint8" and scale == 1:
        return [m / 255 for m in mean], [s / 255 for s in std]
    if scale != 1 and not (stage.input.dtype == "uint8" and math.isclose(scale, 1 / 255, rel_tol=1e-6)):
        raise Unsupported(f"torchvision scales by 1 / 255 or not at all, not by {scale}")
    return mean, std


def normalize(stage):
    (mean, std), dtype = constants(stage), DTYPES[stage.result.dtype]
    to_dtype, standardize = functional.to_dtype, functional.normalize
    single, whole = DTYPES["float32"], stage.input.dtype == "uint8"
    if stage.narrow:  # as in models of that dtype: functional.normalize rounds mean, std and x - mean to it
        steps = [lambda x: standardize(to_dtype(x, dtype, scale=whole), mean, std)]
    elif stage.input.dtype == "float32":
        steps = [lambda x: standardize(x, mean, std)]
    else:  # one expression, so that the result of to_dtype is freed as early as in a user's code
        steps = [lambda x: standardize(to_dtype(x, single, scale=whole), mean, std)]
    if stage.result.dtype != "float32" and not stage.narrow:
        steps.append(lambda x: to_dtype(x, dtype))
    return chain(steps if stage.is_plain else [*moves(stage), *steps, dense(stage)])


def moves(stage):
    steps = []
    if stage.window:
        steps.append(lambda x: functional.crop(x, *stage.window))
    flips = {"w": functional.horizontal_flip, "h": functional.vertical_flip}
    return steps + [flips[axis] for axis in AXES if axis in stage.flipped]


def move(stage):
    return chain([*moves(stage), dense(stage)])


def resize(stage):
    if stage.input.dtype != "float32":
        raise Unsupported(f"torchvision's antialiased resize of {stage.input.dtype} rounds between its two passes "
                          "(cast to float32 first)")
    size = stage.parameters["size"]
    return chain([lambda x: functional.resize(x, size, antialias=True), dense(stage)])


OPS = {"cast": cast, "normalize": normalize, "crop": move, "flip": move, "resize": resize,
       "layout": lambda stage: layout(stage, None)}


def functional_stage(stage):
    """Returns the stage as a function of one tensor."""
    if stage.output == "in_place":
        raise Unsupported(f'torchvision does no "{stage.op}" in place here')
    if stage.op not in OPS:
        raise Unsupported(f'torchvision has no op "{stage.op}"')
    return OPS[stage.op](stage)
