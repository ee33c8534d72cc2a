"""A PyTorch peer that computes the gradients of group norm by automatic differentiation. They do
not depend on the statistics in the request. torch_peer.py calls the kernel for gradients instead.
"""

from normbench.peer import arguments, serve
from torch_peer import TorchPeer


def backward(stage):
    """Returns the function that runs `stage`. The function repeats the forward pass, lets PyTorch
    differentiate it, and ignores `mean` and `rstd`. It calls the native op, because torch.nn's
    function refuses groups of one value."""
    import torch
    from torch_group_norm import sizes
    from torch_stages import FORMATS

    def run(dy, x, gamma, mean, rstd):
        with torch.inference_mode(False):
            dy, x, gamma = (one.clone() for one in (dy, x, gamma))
            beta = torch.zeros_like(gamma)
            leaves = [one.requires_grad_() for one in (x, gamma, beta)]
            y = torch.native_group_norm(x, gamma.flatten(), beta.flatten(), *sizes(stage, x), 1e-5)[0]
            dx, dgamma, dbeta = torch.autograd.grad(y, leaves, dy)
            return dx.contiguous(memory_format=FORMATS[stage.result.layout]), dgamma, dbeta

    return run


class AutogradPeer(TorchPeer):
    def _stage(self, stage, task):
        is_backward = stage.op == "group_norm" and stage.parameters.get("direction") == "backward"
        return backward(stage) if is_backward else super()._stage(stage, task)


if __name__ == "__main__":
    options = arguments(__doc__).parse_args()
    serve(AutogradPeer("eager", False, False), options)
