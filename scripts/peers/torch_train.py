"""The op `model` as a step of training: forward, cross-entropy, backward and SGD. The result is the logits."""

import torch
import torch_models
from normbench.peer import Unsupported
from torch_stages import DTYPES

MOMENTUM = 0.9
HALVES = ("float16", "bfloat16")


def model(stage, device):
    """Returns the stage as a function of one tensor, which does a step of training or inference."""
    return step(stage, device) if stage.parameters.get("train") else torch_models.model(stage, device)


def step(stage, device):
    """Returns a step of training as a function of one tensor. Weights are float32. Halves are computed with autocast."""
    dtype, kind = stage.input.dtype, torch.device(device).type
    if kind == "cpu" and dtype == "float16":
        raise Unsupported("training in float16 needs CUDA (on a CPU: float32 or bfloat16)")
    net = torch_models.layers(stage, device, DTYPES["float32"]).train()
    check(net, stage)
    normalize = torch_models.normalize_before(stage, device)
    loss_of = torch.nn.CrossEntropyLoss()
    labels = torch.arange(stage.input.shape[0], device=device) % 1000
    rate = stage.parameters.get("learning_rate", 0)
    optimizer = torch.optim.SGD(net.parameters(), lr=rate, momentum=MOMENTUM)
    scaler = torch.amp.GradScaler(kind, enabled=dtype == "float16")

    def run(x):
        x = normalize(x)
        with torch.autocast(kind, DTYPES[dtype], enabled=dtype in HALVES):
            logits = net(x)
            loss = loss_of(logits, labels)
        optimizer.zero_grad()
        scaler.scale(loss).backward()
        scaler.step(optimizer)
        scaler.update()
        return torch_models.as_images(logits.detach())

    return run


def check(net, stage):
    """Raises Unsupported for networks whose logits differ between steps, or that have several outputs."""
    random = [type(part).__name__ for part in net.modules() if is_random(part)]
    if random:
        raise Unsupported(f'"{stage.parameters["name"]}" drops values at random when it trains ({random[0]}): '
                          "its logits cannot be compared")
    if any(getattr(part, "aux_logits", False) for part in net.modules()):
        raise Unsupported(f'"{stage.parameters["name"]}" has several outputs when it trains')


def is_random(part):
    return type(part).__name__.startswith(("Dropout", "StochasticDepth")) and part.p > 0
