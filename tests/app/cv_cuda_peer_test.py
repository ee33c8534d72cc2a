"""Tests the CV-CUDA peer with a stand-in for the library: the calls that it makes, and the requests that it
refuses.

usage: cv_cuda_peer_test.py SOURCE_DIR

Nothing here runs on a GPU. The exit code is 77 if the peers' environment has no numpy.
"""

import ast
import os
import subprocess
import sys
import textwrap
import unittest
from pathlib import Path

sys.dont_write_bytecode = True
from python_peers_test import (EVERY_FORM, HAS_GPU, NORMALIZE, PEERS, PLANAR, PLANAR_FLOAT, ROWS, SUB, TO_FLOAT,  # noqa: E402
                               PeerTest, found)

# A stand-in for CV-CUDA, which follows its documentation, and a stand-in for the parts of PyTorch
# that the peer uses. Both compute with NumPy arrays, and report that these are on a GPU.
CV_CUDA_STAND_IN = '''
import types
import numpy as np

class TensorLayout(str):
    pass

class Tensor:
    def __init__(self, array, layout):
        self.array, self.layout = np.ascontiguousarray(array), str(layout)

    def cuda(self):
        return self

    def rows(self):
        """With the extents in the order NHWC."""
        return self.array if self.layout == "NHWC" else self.array.transpose(0, 2, 3, 1)

    def of(self, rows):
        """Such rows in this layout."""
        return Tensor(rows if self.layout == "NHWC" else rows.transpose(0, 3, 1, 2), self.layout)

def as_tensor(buffer, layout=None):
    return Tensor(buffer.array, layout)

def as_stream(arg):
    return f"stream {arg}"

Format = types.SimpleNamespace(U8=("u1", 1), RGB8=("u1", 3), RGBA8=("u1", 4), F32=("f4", 1), RGBf32=("f4", 3),
                               RGBAf32=("f4", 4))

def as_image(buffer, format):
    assert (buffer.array.dtype.str[1:], buffer.array.shape[2]) == format
    return buffer.array

class ImageBatchVarShape(list):
    def __init__(self, capacity):
        self.capacity = capacity

    def pushback(self, images):
        self.extend(images)
        assert len(self) <= self.capacity

def crop_flip_normalize_reformat(src, out_shape, out_dtype, out_layout, rect, flip_code, base, scale, flags=None, *,
                                 stream=None):
    assert stream == "stream 0" and flags == 0 and rect.layout == base.layout == scale.layout == "NHWC"
    assert rect.array.shape == (len(src), 1, 1, 4) and flip_code.array.shape == (len(src), 1)
    out = []
    for image, ((at,),), (code,) in zip(src, rect.array, flip_code.array):
        x, y, width, height = at
        image = image[y : y + height, x : x + width]
        image = image[::-1] if code in (0, -1) else image
        image = image[:, ::-1] if code in (1, -1) else image
        out.append((image.astype(np.float32) - base.array[0, 0]) * scale.array[0, 0])
    result = Tensor(out, "NHWC") if out_layout == "NHWC" else Tensor(np.array(out).transpose(0, 3, 1, 2), "NCHW")
    assert result.array.shape == tuple(out_shape) and result.array.dtype == out_dtype
    return result

def reformat(src, layout, *, stream=None):
    return Tensor(src.rows() if layout == "NHWC" else src.rows().transpose(0, 3, 1, 2), layout)

def crop(inpt, top, left, height, width, *, stream=None):
    return inpt.of(inpt.rows()[:, top : top + height, left : left + width])

def horizontal_flip(inpt, *, stream=None):
    return inpt.of(inpt.rows()[:, :, ::-1])

def vertical_flip(inpt, *, stream=None):
    return inpt.of(inpt.rows()[:, ::-1])

def to_dtype(inpt, dtype, scale=False, *, stream=None):
    return Tensor(inpt.array.astype(dtype), inpt.layout)

def normalize(inpt, mean, std, inplace=False, *, stream=None):
    assert inpt.array.dtype.kind == "f"
    return inpt.of((inpt.rows() - np.float32(mean)) * np.float32(1 / np.array(std)))

tv = types.SimpleNamespace(crop=crop, horizontal_flip=horizontal_flip, vertical_flip=vertical_flip, to_dtype=to_dtype,
                           normalize=normalize)
'''
CV_CUDA_TORCH_STAND_IN = '''
import types
__version__ = "1"

class Sent:
    def __init__(self, array):
        self.array = array

    def to(self, device):
        assert device == "cuda:0"
        return Sent(self.array.copy())

    def __len__(self):
        return len(self.array)

    def __iter__(self):
        return map(Sent, self.array)

    cpu = lambda self: self
    numpy = lambda self: self.array

class Event:
    def __init__(self, enable_timing):
        pass

    record = lambda self: None
    elapsed_time = lambda self, other: 0.5

from_numpy = as_tensor = lambda buffer: Sent(getattr(buffer, "array", buffer))
cuda = types.SimpleNamespace(is_available=lambda: True, set_device=lambda device: None, Event=Event,
                             synchronize=lambda: None, current_stream=lambda: types.SimpleNamespace(cuda_stream=0))
'''


def on_gpu(request):
    """Changes the request so that all tensors are in device memory, and returns it."""
    request["device"] = "cuda:0"
    for stage in request["stages"]:
        stage["place"] = "cuda"
        for tensor in (*stage["in"], *stage["out"]):
            tensor["memory"] = "device"
    return request


class CvCuda(PeerTest):
    def cv_cuda(self, *options):
        """Starts the peer with stand-ins for its libraries. Returns the conversation with it."""
        for module, text in (("cvcuda", CV_CUDA_STAND_IN), ("torch", CV_CUDA_TORCH_STAND_IN)):
            (self.dir / f"{module}.py").write_text(text)
        about = self.dir / "cvcuda_cu12-0.19.0.dist-info"
        about.mkdir(exist_ok=True)
        (about / "METADATA").write_text("Metadata-Version: 2.1\nName: cvcuda-cu12\nVersion: 0.19.0\n")
        peer = self.converse([PEERS / "run", "cvcuda_peer.py", *options], {**os.environ, "PYTHONPATH": str(self.dir)})
        reply = peer.hello()
        if reply["type"] == "unavailable":
            self.skipTest(reply["why"])
        self.assertEqual(reply["version"], "0.19.0")
        found.add("cvcuda_peer.py")
        return peer

    def test_what_is_asked_of_cv_cuda(self):
        """Compares results of the stand-ins, which compute what the documentation says. Nothing here runs on a
        GPU."""
        whole = [(ROWS, [{**NORMALIZE, **more}]) for more in (
            {}, {"layout": "nchw"}, {"scale": 0.5}, {"crop": {"size": [3, 4], "at": [1, 2]}},
            *({"flip": flip, "layout": "nchw", "crop": {"size": [4, 3]}} for flip in ("horizontal", "vertical", "both")))]
        whole.append(({"dtype": "float32", "layout": "nhwc"}, [NORMALIZE]))
        single = [(PLANAR, [TO_FLOAT, {"op": "flip", "axis": "vertical"}]), (PLANAR, [{"op": "layout", "to": "nhwc"}]),
                  (PLANAR, [{**NORMALIZE, "scale": 0.5}])]
        for form, cases in (("fused", whole), ("tv", [*whole, *EVERY_FORM, *single])):
            peer = self.cv_cuda("--as", form)
            for source, stages in cases:
                with self.subTest(form=form, source=source, stages=stages):
                    request, expected, result = self.written(source, stages)
                    self.assert_runs(peer, on_gpu(request), expected, result)
            self.assertEqual(peer.ask({"type": "run", "iterations": 1, "warmup_ns": 0})["device_ns"], 500_000)

    def test_the_stand_in_is_called_as_cv_cuda_is(self):
        """If CV-CUDA is installed, its stubs must have the parameters that the stand-in has."""
        found = subprocess.run([PEERS / "run", self.script("""
            import importlib.util
            found = importlib.util.find_spec("cvcuda")
            print(found.submodule_search_locations[0] if found else "")""")], capture_output=True, text=True).stdout.strip()
        if not found:
            self.skipTest("CV-CUDA is not installed (scripts/peers/setup does that where there is an NVIDIA GPU)")
        stubs = [Path(found) / "__init__.pyi", *(Path(found) / "tv").glob("_*.py")]
        known = {}
        for file in stubs:
            for node in ast.walk(ast.parse(file.read_text())):
                if isinstance(node, ast.FunctionDef):
                    known.setdefault(node.name, []).append(self.parameters(node))
        for node in ast.parse(CV_CUDA_STAND_IN).body:
            if isinstance(node, ast.FunctionDef):
                used = self.parameters(node)
                self.assertTrue(any(used <= there for there in known[node.name]), (node.name, used, known[node.name]))

    @staticmethod
    def parameters(function):
        return {one.arg for one in (*function.args.posonlyargs, *function.args.args, *function.args.kwonlyargs)}

    def script(self, text):
        path = self.dir / "script.py"
        path.write_text(textwrap.dedent(text))
        return path

    def test_cv_cuda_without_a_device(self):
        peer = self.peer("cvcuda_peer.py")
        request, _, _ = self.written(ROWS, [NORMALIZE])
        self.assertEqual(peer.ask(request), {"type": "unsupported", "why": "CV-CUDA works on a GPU"})
        if HAS_GPU:
            return
        reply = peer.ask(on_gpu(request))
        self.assertEqual(reply["type"], "unsupported")
        self.assertRegex(reply["why"], "^no device: ")

    def test_cv_cuda_unsupported(self):
        whole = ("CV-CUDA's fused kernel turns images of 1, 3 or 4 channels in nhwc, uint8 or float32, into float32")
        only = "CV-CUDA's fused kernel does one normalize and nothing else (--as tv does ops one by one)"
        for form, source, stages, why in (
                ("fused", PLANAR, [NORMALIZE], whole), ("fused", ROWS, [{**NORMALIZE, "dtype": "float16"}], whole),
                ("fused", ROWS, [TO_FLOAT, NORMALIZE], only),
                ("fused", ROWS, [{**NORMALIZE, "constants": "per_call"}], "CV-CUDA has its constants made once here"),
                ("tv", PLANAR, [TO_FLOAT, SUB], 'cvcuda.tv has no op "sub" here'),
                ("tv", PLANAR, [{**NORMALIZE, "dtype": "bfloat16"}], "CV-CUDA has no bfloat16"),
                ("tv", PLANAR_FLOAT, [{**NORMALIZE, "output": "in_place"}],
                 'cvcuda.tv does not do this "normalize" in place'),
                ("tv", PLANAR_FLOAT, [{"op": "cast", "to": "uint8"}],
                 "cvcuda.tv.to_dtype truncates floating point to uint8")):
            with self.subTest(form=form, stages=stages):
                request, _, _ = self.written(source, stages)
                self.assertEqual(self.cv_cuda("--as", form).ask(on_gpu(request)), {"type": "unsupported", "why": why})


if __name__ == "__main__":
    program = unittest.main(argv=[sys.argv[0], *sys.argv[2:]], exit=False)
    if not program.result.wasSuccessful():
        sys.exit(1)
    if not found:
        print("skipped: numpy is not installed (run scripts/peers/setup)")
        sys.exit(77)
