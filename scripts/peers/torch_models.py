"""The op `model`: a network of torchvision's, with the same weights in every process, and its export to ONNX."""

import difflib
import tempfile
import warnings
from pathlib import Path

import torch
from normbench_peer import Unsupported
from torch_stages import DTYPES, FORMATS

SEED = 20240515


def network(stage, device, dtype=None):
    """The network alone, in the input's dtype, or another, and its layout."""
    net = weighted(stage.parameters["name"])
    return net.to(device, dtype or DTYPES[stage.input.dtype], memory_format=FORMATS[stage.input.layout])


def weighted(name):
    """A network of torchvision's by name, with weights that are always the same. Nothing is downloaded."""
    torchvision = torchvision_models()
    known = torchvision.list_models(module=torchvision)
    if name not in known:
        near = difflib.get_close_matches(name, known, 1)
        raise Unsupported(f'torchvision has no classifier "{name}"' + (f' (did you mean "{near[0]}"?)' if near else ""))
    with torch.random.fork_rng(devices=[]), warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of networks whose default initialisation will change
        torch.manual_seed(SEED)
        net = torchvision.get_model(name, weights=None)
        for weight in net.parameters():  # some heads are all 0, and so would the logits be
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
    """In eval mode, its batch norms with the statistics of noise, as training leaves them with those of images:
    without them, activations grow by a power of two a block, beyond what a half holds, or vanish."""
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
    """(x - mean) / std in the input's dtype."""

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
    """The network, with the normalisation that is to be its first layer."""
    net = network(stage, device, dtype)
    if stage.parameters.get("normalize") == "inside":
        return torch.nn.Sequential(Normalize(stage, device), net).eval()
    return net


def normalize_before(stage, device):
    """The normalisation that is a step of its own before the network; nothing where there is none."""
    return Normalize(stage, device) if stage.parameters.get("normalize") == "before" else torch.nn.Identity()


def model(stage, device):
    """The stage as a function of one tensor."""
    net = layers(stage, device)
    if stage.parameters.get("normalize") != "before":
        return lambda x: as_images(net(x))
    normalize = normalize_before(stage, device)
    return lambda x: as_images(net(normalize(x)))


def exported(task):
    """The task's network as an ONNX file that ONNX Runtime runs: a function of one numpy array."""
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
    with warnings.catch_warnings():  # the newer exporter needs onnxscript, which the older one wants us to know
        warnings.simplefilter("ignore")
        torch.onnx.export(net, (example,), path, dynamo=False, input_names=["x"], output_names=["logits"])
