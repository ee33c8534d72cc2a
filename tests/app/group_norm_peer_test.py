"""What the PyTorch peer makes of stages with several tensors: group norm, its gradients and the chain of their steps,
held to PyTorch's own arithmetic in double and its automatic differentiation.

usage: group_norm_peer_test.py SOURCE_DIR; exit code 77 where PyTorch is missing
"""

import json
import os
import sys
import tempfile
import unittest
from pathlib import Path

PEERS = Path(sys.argv[1]).resolve() / "scripts/peers"
VENV = Path(os.environ.get("NORMBENCH_PEERS_VENV", PEERS.parents[1] / "build/peers-venv"))
if sys.prefix == sys.base_prefix and (VENV / "bin/python").exists():
    os.execv(VENV / "bin/python", [str(VENV / "bin/python"), *sys.argv])
try:
    import numpy as np
    import torch
except ImportError:
    print("PyTorch is not installed: nothing was tested")
    sys.exit(77)
sys.dont_write_bytecode = True
sys.path.insert(0, str(PEERS))
from peer_session import Session  # noqa: E402
from numpy_peer import NumpyPeer  # noqa: E402
from torch_peer import TorchPeer  # noqa: E402

SHAPE, GROUPS, EPS = (3, 6, 5, 7), 2, 1e-3
CHANNELS, STATISTICS = (1, 6, 1, 1), (3, 2, 1, 1)


def described(shape, dtype="float32"):
    return {"dtype": dtype, "shape": list(shape), "layout": "nchw", "memory": "pageable"}


def stage(op, reads, writes, shapes, **parameters):
    """A stage of a request; `shapes`: of every value, by its number."""
    return {"op": op, "parameters": parameters, "place": "cpu", "output": "reuse", "reads": reads, "writes": writes,
            "in": [described(shapes[value]) for value in reads], "out": [described(shapes[value]) for value in writes]}


class Conversation:
    def __init__(self, folder, peer=None):
        self.folder = Path(folder)
        self.session = Session(peer or TorchPeer("eager", False, False), None, None)
        self.ask(type="hello", protocol=1, tool="a test")

    def ask(self, **request):
        return self.session.answer(json.dumps(request).encode())

    def prepare(self, arrays, stages, outputs, **more):
        inputs = []
        for array in arrays:
            path = self.folder / f"{len(inputs)}.npy"
            np.save(path, array)
            inputs.append({"path": str(path), **described(array.shape)})
        return self.ask(type="prepare", threads=1, device="cpu", copies=2, inputs=inputs, stages=stages,
                        outputs=outputs, **more)

    def results(self, count):
        paths = [str(self.folder / f"out{i}.npy") for i in range(count)]
        ran = self.ask(type="run", iterations=3, warmup_ns=1)
        written = self.ask(type="output", paths=paths)
        return ran, written, [np.load(path) for path in paths] if written["type"] == "written" else []


class GroupNorm(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.talk = Conversation(self.folder.name)
        random = np.random.default_rng(1)
        normal = lambda shape, mean=0.0: (mean + random.standard_normal(shape)).astype("f4")
        self.x, self.dy, self.gamma, self.beta = normal(SHAPE, 3), normal(SHAPE), normal(CHANNELS), normal(CHANNELS)
        x, gamma, beta = (torch.tensor(a, dtype=torch.float64, requires_grad=True)
                          for a in (self.x, self.gamma, self.beta))
        y = torch.nn.functional.group_norm(x, GROUPS, gamma.flatten(), beta.flatten(), EPS)
        y.backward(torch.tensor(self.dy, dtype=torch.float64))
        groups = self.x.astype("f8").reshape(*STATISTICS[:2], -1)
        self.mean = groups.mean(2).reshape(STATISTICS)
        self.rstd = 1 / np.sqrt(groups.var(2) + EPS).reshape(STATISTICS)
        self.y = y.detach().numpy()
        self.gradients = [one.grad.numpy() for one in (x, gamma, beta)]

    def assert_results(self, arrays, stages, outputs, expected):
        self.assertEqual(self.talk.prepare(arrays, stages, outputs), {"type": "ready"})
        ran, written, results = self.talk.results(len(outputs))
        self.assertEqual((ran["type"], written["type"]), ("ran", "written"), (ran, written))
        for result, wanted in zip(results, expected, strict=True):
            self.assertEqual(result.shape, wanted.shape)
            np.testing.assert_allclose(result, wanted, rtol=1e-5, atol=1e-5)

    def test_forward(self):
        shapes = [SHAPE, CHANNELS, CHANNELS, SHAPE, STATISTICS, STATISTICS]
        self.assert_results([self.x, self.gamma, self.beta],
                            [stage("group_norm", [0, 1, 2], [3, 4, 5], shapes, groups=GROUPS, eps=EPS)], [3, 4, 5],
                            [self.y, self.mean, self.rstd])

    def backward(self, accumulate):
        shapes = [SHAPE, SHAPE, CHANNELS, STATISTICS, STATISTICS, SHAPE, CHANNELS, CHANNELS]
        arrays = [self.dy, self.x, self.gamma, self.mean.astype("f4"), self.rstd.astype("f4")]
        old = [self.x, self.beta, self.gamma] if accumulate else []
        shapes = shapes[: 5 + len(old)] + [SHAPE, CHANNELS, CHANNELS]
        made = [len(arrays) + len(old) + i for i in range(3)]
        expected = [new + (old[i] if old else 0) for i, new in enumerate(self.gradients)]
        self.assert_results(arrays + old,
                            [stage("group_norm", list(range(made[0])), made, shapes, groups=GROUPS, eps=EPS,
                                   direction="backward", accumulate=accumulate)], made, expected)

    def test_backward(self):
        self.backward(accumulate=False)

    def test_accumulating_backward(self):
        self.backward(accumulate=True)

    def test_the_chain(self):
        # 0 x, 1 dy, 2 gamma, 3 beta; 4 mean, 5 rstd, 6 h, 7 y; 8 dh, 9 dx, 10 dy * h, 11 dgamma, 12 dbeta, 13 sum
        shapes = [SHAPE, SHAPE, CHANNELS, CHANNELS, STATISTICS, STATISTICS, *[SHAPE] * 5, CHANNELS, CHANNELS, SHAPE]
        stages = [stage("moments", [0], [4, 5], shapes, groups=GROUPS, eps=EPS),
                  stage("scale_shift", [0, 4, 5], [6], shapes, over="group"),
                  stage("scale_shift", [6, 2, 3], [7], shapes),
                  stage("mul", [1, 2], [8], shapes),
                  stage("batch_norm_backward", [8, 0, 4, 5], [9], shapes),
                  stage("mul", [1, 6], [10], shapes),
                  stage("sum", [10], [11], shapes),
                  stage("sum", [1], [12], shapes),
                  stage("accumulate", [0, 9], [13], shapes)]
        self.assert_results([self.x, self.dy, self.gamma, self.beta], stages, [7, 4, 9, 11, 12, 13],
                            [self.y, self.mean, *self.gradients, self.x + self.gradients[0]])

    def test_wrong_wiring(self):
        shapes = [SHAPE, STATISTICS, STATISTICS]
        right = stage("moments", [0], [1, 2], shapes, groups=GROUPS)
        for wrong, why in (({**right, "reads": [7]}, "reads a value that nothing gives"),
                           ({**right, "writes": [1]}, "as many values"),
                           ({**right, "reads": "0"}, "lists of integers")):
            reply = self.talk.prepare([self.x], [wrong], [1])
            self.assertEqual(reply["type"], "error")
            self.assertIn(why, reply["why"])
        self.assertIn("nothing gives", self.talk.prepare([self.x], [right], [9])["why"])

    def test_peers_of_plain_chains_say_so(self):
        other = Conversation(self.folder.name, NumpyPeer(False))
        reply = other.prepare([self.x], [stage("moments", [0], [1, 2], [SHAPE, STATISTICS, STATISTICS])], [1])
        self.assertEqual(reply["type"], "unsupported")
        self.assertIn("plain chains", reply["why"])


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
