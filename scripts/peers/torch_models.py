"""The op `model`: a network of torchvision with the same weights in every process, and its export to ONNX."""

import difflib
import tempfile
import warnings
from pathlib import Path

import torch
from normbench.peer import Unsupported
from torch_stages import DTYPES, FORMATS

SEED = 20240515


def network(stage, device, dtype=None):
    """Returns the network alone, in the layout of the input and in its dtype or `dtype`."""
    net = weighted(stage.parameters["name"])
    return net.to(device, dtype or DTYPES[stage.input.dtype], memory_format=FORMATS[stage.input.layout])


def weighted(name):
    """Returns a network of torchvision by name. Its weights are always the same, and nothing is downloaded."""
    torchvision = torchvision_models()
    known = torchvision.list_models(module=torchvision)
    if name not in known:
        near = difflib.get_close_matches(name, known, 1)
        raise Unsupported(f'torchvision has no classifier "{name}"' + (f' (did you mean "{near[0]}"?)' if near else ""))
    with torch.random.fork_rng(devices=[]), warnings.catch_warnings():
        warnings.simplefilter("ignore")  # some networks warn that their default initialisation will change
        torch.manual_seed(SEED)
        net = torchvision.get_model(name, weights=None)
        for weight in net.parameters():  # some networks end in weights of 0, so all logits would be 0
            if weight.dim() > 1 and not weight.any():
                torch.nn.init.normal_(weight, std=0.02)
        return settle(net)


def torchvision_models():
    try:
        import torchvision.models
    except (ImportError, OSError, RuntimeError) as broken:
        raise Unsupported(f"a model needs torchvision, which cannot be imported: {broken}") from broken
    return torchvision.models


def settle(net):
    """Returns the network in eval mode, with statistics of random noise in its batch norms.

    Training would leave statistics of images there. Without statistics, activations grow by a power of two in each block,
    beyond the range of float16, or vanish.
    """
    net.eval()
    norms = [part for part in net.modules() if isinstance(part, torch.nn.BatchNorm2d)]
    if not norms:
        return net
    for norm in norms:
        norm.train().momentum = 1.0
    with torch.no_grad():
        net(torch.randn(8, 3, 224, 224))
    return net.eval()


class Normalize(torch.nn.Module):
    """Computes (x - mean) / std in the input's dtype."""

    def __init__(self, stage, device):
        super().__init__()
        for name in ("mean", "std"):
            value = torch.tensor(stage.channels(name), dtype=DTYPES[stage.input.dtype], device=device)
            self.register_buffer(name, value.view(1, -1, 1, 1))

    def forward(self, x):
        return (x - self.mean) / self.std


def as_images(logits):
    return logits[:, :, None, None]


def layers(stage, device, dtype=None):
    """Returns the network, with the normalisation as its first layer if the stage has "normalize": "inside"."""
    net = network(stage, device, dtype)
    if stage.parameters.get("normalize") == "inside":
        return torch.nn.Sequential(Normalize(stage, device), net).eval()
    return net


def normalize_before(stage, device):
    """Returns the normalisation before the network. It does nothing unless the stage has "normalize": "before"."""
    return Normalize(stage, device) if stage.parameters.get("normalize") == "before" else torch.nn.Identity()


def model(stage, device):
    """Returns the stage as a function of one tensor."""
    net = layers(stage, device)
    if stage.parameters.get("normalize") != "before":
        return lambda x: as_images(net(x))
    normalize = normalize_before(stage, device)
    return lambda x: as_images(net(normalize(x)))


def exported(task):
    """Exports the task's network to ONNX. Returns a function of one numpy array that runs it in ONNX Runtime."""
    onnxruntime = require_onnx()
    stage = task.stages[0]
    if len(task.stages) > 1 or stage.op != "model" or stage.parameters.get("normalize") == "before":
        raise Unsupported("what is exported to ONNX is a model alone (with normalisation inside or none)")
    if task.device != "cpu" or stage.input.dtype != "float32" or stage.input.layout != "nchw":
        raise Unsupported("ONNX Runtime runs float32 nchw on the CPU here")
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads, options.inter_op_num_threads = task.threads, 1
    with tempfile.TemporaryDirectory() as folder:
        path = str(Path(folder) / "model.onnx")
        write_onnx(layers(stage, "cpu"), torch.zeros(stage.input.shape), path)
        session = onnxruntime.InferenceSession(path, options, providers=["CPUExecutionProvider"])
    return lambda x: as_images(session.run(None, {"x": x})[0])


def require_onnx():
    try:
        import onnx  # noqa: F401, the exporter needs it
        import onnxruntime
    except (ImportError, OSError) as broken:
        raise Unsupported(f"ONNX cannot be imported: {broken}") from broken
    return onnxruntime


def write_onnx(net, example, path):
    with warnings.catch_warnings():  # the older exporter warns that there is a newer one, which needs onnxscript
        warnings.simplefilter("ignore")
        torch.onnx.export(net, (example,), path, dynamo=False, input_names=["x"], output_names=["logits"])
