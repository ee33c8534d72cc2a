"""normbench's ops as eager PyTorch ops, one to one. Images are logical NCHW tensors. For nhwc they have
channels_last strides."""

import itertools

import torch
import torch_group_norm
from normbench.peer import Unsupported, chain

DTYPES = {"uint8": torch.uint8, "float16": torch.float16, "bfloat16": torch.bfloat16, "float32": torch.float32}
FORMATS = {"nchw": torch.contiguous_format, "nhwc": torch.channels_last}
AXES = {"h": 2, "w": 3}


def constant(stage, name, device):
    dtype = DTYPES[stage.result.dtype] if stage.narrow else torch.float32
    return torch.tensor(stage.channels(name), dtype=dtype, device=device).view(1, -1, 1, 1)


def dense(stage):
    """Returns a function that makes a tensor contiguous in the result's layout. If it is contiguous already,
    the call costs only a check."""
    layout = FORMATS[stage.result.layout]
    return lambda x: x.contiguous(memory_format=layout)


def in_dtype(stage, compute):
    """Returns `compute`, whose result is float32, followed by a cast to the result's dtype."""
    dtype = DTYPES[stage.result.dtype]
    return compute if dtype is torch.float32 else lambda x: compute(x).to(dtype)


def cast(stage, _):
    dtype = DTYPES[stage.result.dtype]
    if dtype is torch.uint8 and stage.input.dtype != "uint8":
        return lambda x: x.round().clamp(0, 255).to(dtype)
    return lambda x: x.to(dtype, copy=True)


def constant_of(stage, name, device):
    """Returns a function that returns the constant. It is made here once, or anew in each call."""
    if stage.parameters.get("constants") == "per_call":
        return lambda: constant(stage, name, device)
    made = constant(stage, name, device)
    return lambda: made


def sub(stage, device):
    mean = constant_of(stage, "mean", device)
    if stage.output == "in_place":
        return lambda x: x.sub_(mean())
    return in_dtype(stage, lambda x: x - mean())


def div(stage, device):
    std = constant_of(stage, "std", device)
    if stage.output == "in_place":
        return lambda x: x.div_(std())
    return in_dtype(stage, lambda x: x / std())


def scaled(stage, device):
    """Returns (x * scale - mean) / std as people write it."""
    mean, std = constant_of(stage, "mean", device), constant_of(stage, "std", device)
    scale = stage.parameters.get("scale", 1)
    if stage.narrow:
        dtype = DTYPES[stage.result.dtype]
        return lambda x: ((x.to(dtype) if scale == 1 else x.to(dtype) * scale) - mean()) / std()
    if scale != 1:  # a float16 tensor times a number is float16, so cast to float32 first
        compute = lambda x: (x * scale - mean()) / std()
        return chain([torch.Tensor.float, compute]) if "float16" in stage.input.dtype else compute
    if stage.output == "in_place":
        return lambda x: x.sub_(mean()).div_(std())
    return lambda x: (x - mean()) / std()


def moves(stage):
    """Returns the crop and the flip of a stage as a list of functions. A crop is a view, and a flip a copy."""
    steps = []
    if stage.window:
        top, left, height, width = stage.window
        steps.append(lambda x: x[:, :, top : top + height, left : left + width])
    if stage.flipped:
        axes = [AXES[axis] for axis in stage.flipped]
        steps.append(lambda x: torch.flip(x, axes))
    return steps


def normalize(stage, device):
    steps = [*moves(stage), in_dtype(stage, scaled(stage, device))]
    return chain(steps if stage.is_plain else [*steps, dense(stage)])


def move(stage, _):
    return chain([*moves(stage), dense(stage)])


def layout(stage, _):
    return dense(stage) if stage.input.layout != stage.result.layout else torch.clone


def resize(stage, _):
    if stage.input.dtype != "float32":
        raise Unsupported(f"PyTorch's antialiased resize of {stage.input.dtype} rounds between its two passes "
                          "(cast to float32 first)")
    size = stage.parameters["size"]
    interpolate = torch.nn.functional.interpolate
    return chain([lambda x: interpolate(x, size=size, mode="bilinear", align_corners=False, antialias=True),
                  dense(stage)])


def h2d(_, device, non_blocking):
    return lambda x: x.to(device, non_blocking=non_blocking)


def d2h(stage, _, non_blocking):
    if stage.result.memory == "pageable":
        return lambda x: x.cpu()
    kept = {"dtype": DTYPES[stage.result.dtype], "pin_memory": True, "memory_format": FORMATS[stage.result.layout]}
    return lambda x: torch.empty(x.shape, **kept).copy_(x, non_blocking=non_blocking)


def pin(*_):
    return torch.Tensor.pin_memory


OPS = {"cast": cast, "sub": sub, "div": div, "normalize": normalize, "crop": move, "flip": move, "layout": layout,
       "copy": lambda stage, device: torch.clone, "resize": resize}
TRANSFERS = {"h2d": h2d, "d2h": d2h, "pin": pin}


def transfer(stage, device, non_blocking):
    if stage.output == "in_place":
        raise Unsupported(f'torch does not do this "{stage.op}" in place')
    return TRANSFERS[stage.op](stage, device, non_blocking)


def one_call(stages, device, non_blocking):
    """Returns a cast and a copy to the device, in either order, as one x.to(device, dtype)."""
    ops = [stage.op for stage in stages]
    if ops not in (["cast"], ["cast", "h2d"], ["h2d", "cast"]) or any(s.output == "in_place" for s in stages):
        raise Unsupported("one call .to(device, dtype) is a cast and an h2d, or a cast alone")
    before, after = stages[0].input, stages[-1].result
    if after.dtype == "uint8" and before.dtype != "uint8":
        raise Unsupported(".to(dtype) truncates floating point to uint8")
    if before.memory not in ("pageable", "pinned", "device") or after.memory not in ("pageable", "device"):
        raise Unsupported(f"one call .to(device, dtype) brings nothing from {before.memory} to {after.memory} memory")
    target, dtype = device if after.memory == "device" else "cpu", DTYPES[after.dtype]
    return lambda x: x.to(target, dtype, non_blocking=non_blocking)


def eager(stage, device):
    """Returns the stage as a function of one tensor."""
    if stage.op in torch_group_norm.OPS:
        return torch_group_norm.stage(stage, device)
    if stage.op not in OPS:
        raise Unsupported(f'torch has no op "{stage.op}"')
    plain = stage.op in ("sub", "div", "normalize") and stage.is_plain and stage.parameters.get("scale", 1) == 1
    if stage.output == "in_place" and not (plain and stage.input.dtype == stage.result.dtype == "float32"):
        raise Unsupported(f'torch does not do this "{stage.op}" in place')
    return OPS[stage.op](stage, device)


def into_kept(stage, device, copies):
    """Returns a cast, sub, div or plain normalize that writes into kept tensors, one for each copy of the input."""
    wanted = stage.op in ("cast", "sub", "div", "normalize") and stage.is_plain
    if not wanted or stage.result.dtype == "uint8" or stage.parameters.get("scale", 1) != 1:
        raise Unsupported(f'--reuse does not cover this "{stage.op}"')
    dtype, form = DTYPES[stage.result.dtype], FORMATS[stage.result.layout]
    kept = itertools.cycle([torch.empty(stage.result.shape, dtype=dtype, device=device, memory_format=form)
                            for _ in range(copies)])
    if stage.op == "cast":
        return lambda x: next(kept).copy_(x)
    if dtype is not torch.float32:
        raise Unsupported(f'--reuse does not cover "{stage.op}" to {stage.result.dtype}')
    return arithmetic_into(kept, stage, device)


def arithmetic_into(kept, stage, device):
    mean = constant_of(stage, "mean", device) if stage.op != "div" else None
    std = constant_of(stage, "std", device) if stage.op != "sub" else None
    if stage.op == "sub":
        return lambda x: torch.sub(x, mean(), out=next(kept))
    if stage.op == "div":
        return lambda x: torch.div(x, std(), out=next(kept))
    if stage.input.dtype == "float32":
        return lambda x: torch.sub(x, mean(), out=next(kept)).div_(std())
    # torch.sub(uint8, float32, out=...) would first cast into a temporary tensor.
    return lambda x: next(kept).copy_(x).sub_(mean()).div_(std())
