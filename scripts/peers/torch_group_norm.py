"""Group normalization in PyTorch: the native op with its gradients, and the steps that PyTorch 1.3 ran instead.

The steps are batch_norm over [1, N * groups, …] and affine operations, each in a stage of its own.
"""

import torch
from normbench.peer import Unsupported


def sizes(stage, x):
    """Returns the size arguments of a native op: images, channels, pixels, groups."""
    n, c, h, w = x.shape
    return n, c, h * w, stage.parameters["groups"]


def is_narrow(stage):
    """Returns True if gamma, beta, mean and rstd are held in the dtype of x. On a GPU they always are."""
    return stage.narrow or stage.place == "cuda"


def matching(parameter, x, narrow):
    """Returns gamma or beta, [1, C, 1, 1] float32, as native ops take them: flat, and if `narrow` in the dtype of x."""
    flat = parameter.flatten()
    return flat.to(x.dtype) if narrow else flat


def forward(stage):
    eps, affine = stage.parameters.get("eps", 1e-5), stage.parameters.get("affine", True)

    def run(x, gamma=None, beta=None):
        weight = matching(gamma, x, is_narrow(stage)) if affine else None
        bias = matching(beta, x, is_narrow(stage)) if affine else None
        y, mean, rstd = torch.ops.aten.native_group_norm(x, weight, bias, *sizes(stage, x), eps)
        return y, mean.float(), rstd.float()

    return run


def backward(stage):
    affine, accumulate = stage.parameters.get("affine", True), stage.parameters.get("accumulate", False)
    first_old = 5 if affine else 4

    def run(*tensors):
        dy, x, *rest = tensors[:first_old]
        weight = matching(rest[0], x, is_narrow(stage)) if affine else None
        mean, rstd = (one.flatten(1).to(x.dtype if is_narrow(stage) else one.dtype) for one in rest[-2:])
        found = torch.ops.aten.native_group_norm_backward(dy, x, mean, rstd, weight, *sizes(stage, x), [True, affine, affine])
        found = [found[0], *(one.float().view(1, -1, 1, 1) for one in found[1:])] if affine else [found[0]]
        if accumulate:
            found = [old + new for old, new in zip(tensors[first_old:], found)]
        return tuple(found) if affine else found[0]

    return run


def rounds(stage):
    """Returns which values the native op holds in the dtype of x. New gradients are held in that dtype until they
    are added to old ones."""
    held = ["constants", "statistics"] if is_narrow(stage) else []
    return held + (["gradients"] if stage.parameters.get("accumulate") else [])


def group_norm(stage):
    return backward(stage) if stage.parameters.get("direction", "forward") == "backward" else forward(stage)


def flat(x, statistics):
    """Returns x as [1, N * groups, elements of a group], so that each group is a channel."""
    return x.reshape(1, statistics.numel(), -1)


def moments(stage):
    groups, eps = stage.parameters["groups"], stage.parameters.get("eps", 1e-5)

    def run(x):
        variance, mean = torch.var_mean(x.reshape(x.shape[0], groups, -1).float(), dim=2, correction=0)
        return mean, torch.rsqrt(variance + eps)

    return run


def scale_shift(stage):
    if stage.parameters.get("over", "channel") == "channel":
        return lambda x, gamma, beta: torch.addcmul(beta, x, gamma).to(x.dtype)

    def run(x, mean, rstd):
        variance = rstd.flatten().pow(-2)
        return torch.ops.aten.native_batch_norm(flat(x, mean), None, None, mean.flatten(), variance, False, 0, 0)[0].view_as(x)

    return run


def batch_norm_backward(stage):
    def run(dh, x, mean, rstd):
        found = torch.ops.aten.native_batch_norm_backward(flat(dh, mean), flat(x, mean), None, None, None, mean.flatten(),
                                                rstd.flatten(), True, 0, [True, False, False])
        return found[0].view_as(x)

    return run


OPS = {"group_norm": group_norm, "moments": moments, "scale_shift": scale_shift,
       "mul": lambda stage: lambda a, b: (a * b).to(a.dtype), "batch_norm_backward": batch_norm_backward,
       "sum": lambda stage: lambda x: x.sum((0, 2, 3), keepdim=True, dtype=torch.float32),
       "accumulate": lambda stage: torch.add}


def stage(stage, device):
    """Returns the stage as a function of the tensors that it reads."""
    if stage.output == "in_place":
        raise Unsupported(f'torch does not do this "{stage.op}" in place')
    if stage.input.dtype == "uint8":
        raise Unsupported(f"{stage.op} is not for uint8 (cast first)")
    return OPS[stage.op](stage)
