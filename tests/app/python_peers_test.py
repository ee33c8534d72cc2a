"""Tests the Python peers through normbench's protocol. Results are compared with plain Python, and
all errors are tried.

usage: python_peers_test.py SOURCE_DIR

A peer whose library is missing is skipped. If all peers are skipped, the exit code is 77.
"""

import json
import math
import os
import random
import shutil
import struct
import subprocess
import sys
import tempfile
import threading
import unittest
from pathlib import Path

PEERS = Path(sys.argv[1]).resolve() / "scripts/peers"
STORED = {"uint8": "|u1", "float16": "<f2", "bfloat16": "<u2", "float32": "<f4"}
MEAN, STD = [123.675, 116.28, 103.53], [58.395, 57.12, 57.375]
TOLERANCE = {"uint8": 0, "float16": 1e-3, "bfloat16": 8e-3, "float32": 1e-6}  # relative to 1 + the value
SIZE = (2, 3, 5, 7)
HAS_GPU = subprocess.run([PEERS / "has-gpu"]).returncode == 0
found = set()  # peers whose library is installed


# --- arrays as flat lists in the order n, c, h, w


def reordered(values, shape, layout):
    """Converts from the order n, c, h, w to the order of the layout."""
    n, c, h, w = shape
    if layout == "nchw":
        return values
    at = lambda i, k, y, x: values[((i * c + k) * h + y) * w + x]
    return [at(i, k, y, x) for i in range(n) for y in range(h) for x in range(w) for k in range(c)]


def ordered(values, shape, layout):
    """Converts from the order of the layout to n, c, h, w."""
    n, c, h, w = shape
    if layout == "nchw":
        return values
    at = lambda i, k, y, x: values[((i * h + y) * w + x) * c + k]
    return [at(i, k, y, x) for i in range(n) for k in range(c) for y in range(h) for x in range(w)]


def array_shape(shape, layout):
    n, c, h, w = shape
    return (n, c, h, w) if layout == "nchw" else (n, h, w, c)


def write_npy(path, values, shape, dtype):
    if dtype == "bfloat16":
        values = [struct.unpack("<I", struct.pack("<f", v))[0] >> 16 for v in values]
    header = f"{{'descr': '{STORED[dtype]}', 'fortran_order': False, 'shape': {tuple(shape)}, }}"
    header += " " * (-(len(header) + 11) % 64) + "\n"
    code = {"uint8": "B", "float16": "e", "bfloat16": "H", "float32": "f"}[dtype]
    data = struct.pack(f"<{len(values)}{code}", *values)
    path.write_bytes(b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header.encode() + data)


def read_npy(path):
    """Returns (values, shape, descr) of a .npy file. bfloat16 is converted to its values."""
    data = path.read_bytes()
    length = struct.unpack("<H", data[8:10])[0]
    header = eval(data[10 : 10 + length])
    code, size = {"|u1": ("B", 1), "<f2": ("e", 2), "<u2": ("H", 2), "<f4": ("f", 4)}[header["descr"]]
    count = math.prod(header["shape"])
    values = struct.unpack(f"<{count}{code}", data[10 + length : 10 + length + size * count])
    if header["descr"] == "<u2":
        values = [struct.unpack("<f", struct.pack("<I", v << 16))[0] for v in values]
    return list(values), header["shape"], header["descr"]


# --- the reference


def triangle(source, target):
    """Returns, for each of `target` pixels, its (index, weight) pairs among `source` pixels, as in PIL."""
    scale = source / target
    reach, taps = max(1.0, scale), []
    for i in range(target):
        centre = (i + 0.5) * scale
        raw = [(k, max(0.0, 1 - abs((k + 0.5 - centre) / reach))) for k in range(source)]
        total = sum(weight for _, weight in raw)
        taps.append([(k, weight / total) for k, weight in raw if weight])
    return taps


def select(values, shape, rows, columns):
    """Returns an image whose rows and columns are weighted sums of the rows and columns of
    `values`. `rows` and `columns` have the (index, weight) pairs of each sum."""
    n, c, h, w = shape
    across = [sum(p * values[start + k] for k, p in taps) for start in range(0, len(values), w) for taps in columns]
    width = len(columns)
    return [sum(p * across[(plane * h + k) * width + x] for k, p in taps)
            for plane in range(n * c) for taps in rows for x in range(width)]


def window(stage, shape):
    """Returns (rows, columns) for select(), which apply the crop, flip or resize of the stage. A
    normalize may have a crop and a flip."""
    h, w = shape[2:]
    if stage["op"] == "resize":
        return triangle(h, stage["size"][0]), triangle(w, stage["size"][1])
    crop = stage if stage["op"] == "crop" else stage.get("crop", {})
    height, width = crop.get("size", (h, w))
    top, left = crop.get("at", ((h - height) // 2, (w - width) // 2))
    rows, columns = list(range(top, top + height)), list(range(left, left + width))
    flip = stage.get("axis", "horizontal") if stage["op"] == "flip" else stage.get("flip")
    rows = rows[::-1] if flip in ("vertical", "both") else rows
    columns = columns[::-1] if flip in ("horizontal", "both") else columns
    return [[(y, 1)] for y in rows], [[(x, 1)] for x in columns]


def reference(stage, values, shape, dtype):
    """Returns (values, shape, dtype) of the stage's result, computed in double precision."""
    if stage["op"] in ("crop", "flip", "resize", "normalize"):
        rows, columns = window(stage, shape)
        values = select(values, shape, rows, columns)
        shape = (*shape[:2], len(rows), len(columns))
    scale = stage.get("scale", 1) if stage["op"] == "normalize" else 1
    mean = stage["mean"] if stage["op"] in ("sub", "normalize") else [0] * shape[1]
    std = stage["std"] if stage["op"] in ("div", "normalize") else [1] * shape[1]
    plane = shape[2] * shape[3]
    channel = [(i // plane) % shape[1] for i in range(len(values))]
    values = [(v * scale - mean[c]) / std[c] for v, c in zip(values, channel)]
    dtype = {"cast": stage.get("to"), "normalize": stage.get("dtype", "float32")}.get(stage["op"], dtype)
    if dtype == "uint8":
        values = [min(max(round(v), 0), 255) for v in values]
    return values, shape, dtype


def layout_after(stage, layout):
    return stage.get("layout" if stage["op"] == "normalize" else "to", layout) if stage["op"] != "cast" else layout


# --- a conversation


class Conversation:
    """A peer process. A reply that does not come in time fails the test."""

    def __init__(self, command, folder, env=None):
        self.process = subprocess.Popen([str(part) for part in command], cwd=folder, stdin=subprocess.PIPE,
                                        stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=env)
        self._stderr = []
        self._reader = threading.Thread(target=lambda: self._stderr.append(self.process.stderr.read()), daemon=True)
        self._reader.start()

    def ask(self, request):
        return self.ask_line(json.dumps(request))

    def ask_line(self, line):
        self.process.stdin.write(line.encode() + b"\n")
        self.process.stdin.flush()
        watch = threading.Timer(240, self.process.kill)
        watch.start()
        try:
            reply = self.process.stdout.readline()
        finally:
            watch.cancel()
        if not reply:
            raise AssertionError(f"no reply to {line[:200]}\n{self.finish()[1]}")
        return json.loads(reply, parse_constant=lambda word: self._no_json(word))

    def hello(self):
        return self.ask({"type": "hello", "protocol": 1, "tool": "normbench 0"})

    def finish(self):
        """Ends the input. Returns (exit code, stderr, rest of stdout)."""
        if not self.process.stdin.closed:
            self.process.stdin.close()
        code = self.process.wait(60)
        rest = self.process.stdout.read()
        self._reader.join(10)
        self.process.stdout.close()
        return code, b"".join(self._stderr).decode(), rest

    def _no_json(self, word):
        raise AssertionError(f"{word} is not JSON")


class PeerTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.dir = Path(folder.name)

    def converse(self, command, env=None):
        conversation = Conversation(command, self.dir, env)

        def end():
            conversation.process.kill()
            conversation.process.wait()
            for stream in (conversation.process.stdin, conversation.process.stdout, conversation.process.stderr):
                stream.close()

        self.addCleanup(end)
        return conversation

    def peer(self, script, *options):
        """Starts a peer and greets it. The test is skipped if its library is missing."""
        conversation = self.converse([PEERS / "run", script, *options])
        reply = conversation.hello()
        if reply["type"] == "unavailable":
            self.skipTest(f"{script}: {reply['why']}")
        self.assertEqual((reply["type"], reply["protocol"]), ("hello", 1), reply)
        self.assertRegex(reply["version"], r"^\d")
        found.add(script)
        conversation.name = reply["name"]
        return conversation

    def written(self, source, stages):
        """Writes an input. Returns a `prepare` request, the expected values, and the description of the result."""
        dtype, layout = source["dtype"], source["layout"]
        shape = tuple(source.get("shape", SIZE))
        dice = random.Random(7)
        values = [dice.randrange(256) for _ in range(math.prod(shape))]
        path = self.dir / "in.npy"
        write_npy(path, reordered(values, shape, layout), array_shape(shape, layout), dtype)
        tensor = lambda: {"dtype": dtype, "shape": list(shape), "layout": layout, "memory": "pageable"}
        request = {"type": "prepare", "threads": 1, "device": "cpu", "copies": 3,
                   "inputs": [{"path": str(path), **tensor()}], "stages": []}
        for stage in stages:
            before = tensor()
            values, shape, dtype = reference(stage, values, shape, dtype)
            layout = layout_after(stage, layout)
            own = {key: value for key, value in stage.items() if key not in ("op", "output", "kernel", "memory")}
            request["stages"].append({"op": stage["op"], "parameters": own, "place": "cpu",
                                      "output": stage.get("output", "reuse"), "in": [before], "out": [tensor()],
                                      **({"kernel": stage["kernel"]} if "kernel" in stage else {})})
        return request, values, (shape, layout, dtype)

    def assert_runs(self, peer, request, expected, result):
        """Sends `prepare`, then runs twice. Compares the output of each run with the expected
        values."""
        self.assertEqual(peer.ask(request)["type"], "ready")
        for warmup_ns, iterations in ((0, 1), (100_000, 4)):
            ran = peer.ask({"type": "run", "iterations": iterations, "warmup_ns": warmup_ns})
            self.assertEqual(ran.get("type"), "ran", ran)
            self.assertGreater(ran["wall_ns"], 0)
        out = self.dir / "out.npy"
        written = peer.ask({"type": "output", "path": str(out)})
        self.assertEqual((written["type"], type(written["copy"])), ("written", int), written)
        shape, layout, dtype = result
        values, stored_shape, descr = read_npy(out)
        self.assertEqual((stored_shape, descr), (array_shape(shape, layout), STORED[dtype]))
        worst = max(abs(a - b) / (1 + abs(b)) for a, b in zip(ordered(values, shape, layout), expected))
        self.assertLessEqual(worst, TOLERANCE[dtype])

    def assert_results(self, script, options, cases):
        """Compares every case with the reference, one after another in one process."""
        peer = self.peer(script, *options)
        for source, stages in cases:
            with self.subTest(script=script, options=options, source=source, stages=stages):
                request, expected, result = self.written(source, stages)
                self.assert_runs(peer, request, expected, result)
        code, _, rest = peer.finish()
        self.assertEqual((code, rest), (0, b""))

    def assert_unsupported(self, script, options, cases):
        """Checks that the peer refuses each case: (source, stages, reason) or (source, stages, reason, changes of
        the request)."""
        peer = self.peer(script, *options)
        for source, stages, why, *changes in cases:
            with self.subTest(script=script, options=options, stages=stages):
                request, _, _ = self.written(source, stages)
                request.update(*changes)
                self.assertEqual(peer.ask(request), {"type": "unsupported", "why": why})


NORMALIZE = {"op": "normalize", "mean": MEAN, "std": STD}
SUB, DIV = {"op": "sub", "mean": MEAN}, {"op": "div", "std": STD}
TO_FLOAT = {"op": "cast", "to": "float32"}
PLANAR, ROWS = {"dtype": "uint8", "layout": "nchw"}, {"dtype": "uint8", "layout": "nhwc"}
PLANAR_FLOAT = {"dtype": "float32", "layout": "nchw"}
MOVED = {**NORMALIZE, "crop": {"size": [3, 4], "at": [1, 2]}, "flip": "both", "layout": "nhwc"}

EVERY_FORM = [
    (PLANAR, [NORMALIZE]),
    (ROWS, [NORMALIZE]),
    (PLANAR_FLOAT, [NORMALIZE]),
    (PLANAR, [MOVED]),
    (ROWS, [{**NORMALIZE, "layout": "nchw", "crop": {"size": [4, 4]}, "flip": "horizontal"}]),
    (PLANAR, [{"op": "crop", "size": [4, 3]}, {"op": "flip"}, NORMALIZE]),
    (ROWS, [{"op": "layout", "to": "nchw"}, NORMALIZE, {"op": "cast", "to": "float16"}]),
    (PLANAR, [{**NORMALIZE, "dtype": "float16"}]),
    ({"dtype": "float16", "layout": "nchw"}, [NORMALIZE]),
]
ARITHMETIC = [
    (PLANAR, [TO_FLOAT, SUB, DIV]),
    (PLANAR, [TO_FLOAT, SUB, {**DIV, "output": "in_place"}]),
    (PLANAR, [TO_FLOAT, {"op": "flip", "axis": "vertical"}, {"op": "cast", "to": "uint8"}]),
    (PLANAR_FLOAT, [SUB, DIV, {"op": "copy"}]),
    (PLANAR, [{**NORMALIZE, "scale": 0.5}]),
    ({"dtype": "float16", "layout": "nchw"}, [{**NORMALIZE, "scale": 0.3}]),
]
KEPT = [(PLANAR, [NORMALIZE]), (PLANAR_FLOAT, [NORMALIZE]), (ROWS, [TO_FLOAT, SUB, DIV])]


# A stand-in for the parts of PyTorch that torch_stages.py needs. Each tensor that is made for
# constants is added to the list `made`.
STAND_IN = '''
uint8, float16, bfloat16, float32 = "u8", "f16", "bf16", "f32"
contiguous_format = channels_last = clone = None
made = []

class Tensor:
    pin_memory = None
    view = sub_ = div_ = __sub__ = __truediv__ = lambda self, *_: self

    def __init__(self, calls=()):
        self.calls = calls

    def to(self, *where, **how):
        words = [repr(one) for one in where] + [f"{key}={value}" for key, value in how.items()]
        return Tensor([*self.calls, f"to({', '.join(words)})"])

def tensor(values, dtype, device):
    made.append(values)
    return Tensor()
'''
CALLS = '''
import torch
from normbench.peer.task import Stage, Tensor
from torch_stages import eager, one_call, transfer

def stage(op, before, after, place="cuda", output="fresh", **parameters):
    between = [Tensor(dtype, (1, 3, 2, 2), memory=memory) for dtype, memory in (before, after)]
    return Stage(op, parameters, place, "", output, between[:1], between[1:])

def constants(output, how):
    # Returns the number of constants that the second call of a chain makes.
    f32, steps = ("float32", "pageable"), []
    for op, name in (("sub", "mean"), ("div", "std")):
        steps.append(eager(stage(op, f32, f32, "cpu", output, constants=how, **{name: [1, 2, 3]}), "cpu"))
    for _ in range(2):
        torch.made.clear()
        for step in steps:
            step(torch.Tensor())
    return len(torch.made)

here, sent, half, half_sent = ("uint8", "pageable"), ("uint8", "device"), ("float16", "pageable"), ("float16", "device")
waits = sys.argv[1] != "--blocking"
first_cast = [stage("cast", here, half, "cpu"), stage("h2d", half, half_sent)]
first_sent = [stage("h2d", here, sent), stage("cast", sent, half_sent)]
for call in (one_call(first_cast, "cuda:0", waits), one_call(first_sent, "cuda:0", waits),
             lambda x: eager(first_sent[1], "cuda:0")(transfer(first_sent[0], "cuda:0", waits)(x))):
    print(*call(torch.Tensor()).calls)
print(*(constants(output, how) for output in ("fresh", "in_place") for how in ("cached", "per_call")))
'''


# A stand-in for PyTorch on a machine with a GPU, and a script that prepares a chain for torch.compile.
GPU_STAND_IN = '''
import types

def nothing(*_, **__):
    return types.SimpleNamespace(__enter__=nothing, __exit__=nothing)

set_num_threads = inference_mode = nothing
cuda = types.SimpleNamespace(is_available=lambda: True, set_device=nothing, Event=nothing)
compile = lambda whole, **_: "compiled"
'''
COMPILED_ON_GPU = '''
import os
import sys
import sysconfig
import types

sysconfig.get_paths = lambda: {"include": os.path.dirname(__file__)}
sys.path.insert(1, sys.argv[1])
from normbench.peer import Unsupported
from torch_peer import TorchPeer

task = types.SimpleNamespace(threads=1, device="cuda:0", stages=[], outputs=[], loads=False)
try:
    print(TorchPeer("compile", False, False).prepare(task))
except Unsupported as why:
    print(why)
'''


class Results(PeerTest):
    def test_my_kernel(self):
        self.assert_results("my_kernel.py", [], [(PLANAR, [NORMALIZE]), (ROWS, [NORMALIZE]),
                                                 (PLANAR, [{**NORMALIZE, "scale": 0.5}])])
        self.assert_unsupported("my_kernel.py", [], [
            (PLANAR, [TO_FLOAT, NORMALIZE], "my-kernel does normalize only, without crop, flip or another layout"),
            (PLANAR, [{**NORMALIZE, "dtype": "float16"}], "my-kernel does not make float16 of uint8")])

    def test_numpy(self):
        self.assert_results("numpy_peer.py", [], EVERY_FORM + ARITHMETIC)
        self.assert_results("numpy_peer.py", ["--reuse"], KEPT)

    def test_numpy_unsupported(self):
        self.assert_unsupported("numpy_peer.py", [], [
            (PLANAR, [NORMALIZE], "numpy computes these ops on one thread, not 2", {"threads": 2}),
            (PLANAR, [NORMALIZE], "numpy runs on the CPU only", {"device": "cuda:0"}),
            (PLANAR, [{**NORMALIZE, "dtype": "bfloat16"}], "numpy has no bfloat16"),
            (PLANAR_FLOAT, [{"op": "resize", "size": [3, 3]}], 'numpy has no op "resize"'),
            (PLANAR, [{**NORMALIZE, "kernel": "lut"}], 'numpy has no kernels to choose from ("kernel": "lut")')])
        self.assert_unsupported("numpy_peer.py", ["--reuse"],
                                [(PLANAR, [MOVED], '--reuse does not cover this "normalize"')])

    def test_torch_eager(self):
        bfloat16 = [(PLANAR, [{**NORMALIZE, "dtype": "bfloat16"}]),
                    ({"dtype": "bfloat16", "layout": "nhwc"}, [NORMALIZE])]
        resized = [(PLANAR, [TO_FLOAT, {"op": "resize", "size": [3, 9]}, NORMALIZE]),
                   (ROWS, [TO_FLOAT, {"op": "resize", "size": [8, 4]}])]
        per_call = [(PLANAR, [TO_FLOAT, {**SUB, "constants": "per_call"}, {**DIV, "constants": "per_call"}]),
                    (PLANAR, [{**NORMALIZE, "constants": "per_call"}]),
                    (PLANAR_FLOAT, [{"op": "copy"}, {**NORMALIZE, "output": "in_place"}]),
                    (PLANAR_FLOAT, [SUB, {**DIV, "constants": "per_call", "output": "in_place"}])]
        self.assert_results("torch_peer.py", [], EVERY_FORM + ARITHMETIC + bfloat16 + resized + per_call)

    def test_torch_reuse(self):
        self.assert_results("torch_peer.py", ["--reuse"], KEPT)
        self.assert_unsupported("torch_peer.py", ["--reuse"],
                                [(PLANAR, [MOVED], '--reuse does not cover this "normalize"')])
        self.assert_unsupported("torch_peer.py", ["--reuse", "--as", "torchvision"], [
            (PLANAR, [NORMALIZE], "torchvision allocates its outputs itself (--reuse is for eager ops)")])

    def test_torch_each_image(self):
        for each in ("turn", "thread"):
            self.assert_results("torch_peer.py", ["--each", each], EVERY_FORM)
        for others in (["--reuse"], ["--as", "compile"], ["--as", "one-call"]):
            self.assert_unsupported("torch_peer.py", ["--each", "thread", *others], [
                (PLANAR, [NORMALIZE], "--each runs eager ops and torchvision's on single images")])

    def test_torchvision(self):
        resized = [(PLANAR, [TO_FLOAT, {"op": "resize", "size": [3, 9]}, NORMALIZE])]
        unit = [(PLANAR, [{"op": "normalize", "scale": 1 / 255, "mean": [0.485, 0.456, 0.406],
                           "std": [0.229, 0.224, 0.225]}])]
        self.assert_results("torch_peer.py", ["--as", "torchvision"], EVERY_FORM + resized + unit)
        self.assert_unsupported("torch_peer.py", ["--as", "torchvision"], [
            (PLANAR, [TO_FLOAT, SUB], 'torchvision has no op "sub"'),
            (PLANAR, [{**NORMALIZE, "scale": 0.5}], "torchvision scales by 1 / 255 or not at all, not by 0.5")])

    def test_torch_one_call(self):
        half, back = {"op": "cast", "to": "float16"}, {"op": "cast", "to": "uint8"}
        for waits in ([], ["--blocking"]):
            self.assert_results("torch_peer.py", ["--as", "one-call", *waits], [(PLANAR, [half]), (ROWS, [TO_FLOAT])])
        one = "one call .to(device, dtype) is a cast and an h2d, or a cast alone"
        self.assert_unsupported("torch_peer.py", ["--as", "one-call"], [
            (PLANAR, [NORMALIZE], one),
            (PLANAR, [TO_FLOAT, half], one),
            (PLANAR_FLOAT, [{"op": "flip"}, half], one),
            (PLANAR_FLOAT, [back], ".to(dtype) truncates floating point to uint8")])
        self.assert_unsupported("torch_peer.py", ["--as", "one-call", "--reuse"], [
            (PLANAR, [half], "torch.to allocates its outputs itself (--reuse is for eager ops)")])
        if not HAS_GPU:
            self.assert_unsupported("torch_peer.py", ["--as", "one-call"], [
                (PLANAR, [half], "PyTorch sees no CUDA device (or was installed without CUDA)", {"device": "cuda:0"})])

    def test_what_is_asked_of_torch(self):
        """Uses a stand-in that logs calls: each `.to`, and the number of constants made per iteration."""
        (self.dir / "torch.py").write_text(STAND_IN)
        script = self.dir / "calls.py"
        script.write_text(f"import sys\nsys.path.insert(0, {str(PEERS)!r})\n" + CALLS)
        for option, non_blocking in (("--blocking", False), ("", True)):
            said = subprocess.run([sys.executable, script, option], capture_output=True, text=True, cwd=self.dir)
            self.assertEqual(said.returncode, 0, said.stderr)
            one = f"to('cuda:0', 'f16', non_blocking={non_blocking})"
            send = f"to('cuda:0', non_blocking={non_blocking})"
            self.assertEqual(said.stdout.splitlines(), [one, one, f"{send} to('f16', copy=True)", "0 2 0 2"])

    def test_torch_compile_on_a_gpu_needs_a_compiler_and_triton(self):
        """Uses a stand-in for PyTorch on a machine with a GPU. Each step installs one more requirement."""
        for module, text in (("torch", GPU_STAND_IN), ("script", COMPILED_ON_GPU)):
            (self.dir / f"{module}.py").write_text(text)
        (self.dir / "Python.h").touch()
        compiler = self.dir / "gcc"

        def said(**env):
            done = subprocess.run([sys.executable, "-S", self.dir / "script.py", PEERS], capture_output=True, text=True,
                                  env={"PATH": str(self.dir), **env})
            self.assertEqual(done.returncode, 0, done.stderr)
            return done.stdout.strip()

        without = "torch.compile needs a C compiler on a GPU, too (install gcc)"
        self.assertEqual(said(), without)
        compiler.touch(0o755)
        self.assertEqual(said(CC="no-compiler"), without)
        self.assertEqual(said(), "torch.compile needs Triton on a GPU (install triton)")
        (self.dir / "triton.py").touch()
        self.assertEqual(said(), "compiled")

    def test_torch_compile(self):
        peer = self.peer("torch_peer.py", "--as", "compile")
        request, _, _ = self.written(PLANAR, [NORMALIZE])
        reply = peer.ask(request)
        if reply["type"] == "unsupported" and reply["why"].startswith("torch.compile needs"):
            self.skipTest(reply["why"])
        self.assertEqual(reply, {"type": "ready"})
        self.assert_results("torch_peer.py", ["--as", "compile"], [*(EVERY_FORM[i] for i in (0, 1, 3)), ARITHMETIC[0]])

    def logits(self, name, dtype="float32", layout="nchw", options=(), **parameters):
        """Returns the logits of a network for two images, from a new process."""
        peer = self.peer("torch_peer.py", *options)
        request, _, _ = self.written({"dtype": dtype, "layout": layout, "shape": (2, 3, 64, 64)}, [{"op": "copy"}])
        stage = request["stages"][0]
        stage.update({"op": "model", "parameters": {"name": name, **parameters}})
        stage["out"] = [{**stage["out"][0], "shape": [2, 1000, 1, 1], "layout": "nchw"}]
        reply = peer.ask(request)
        if reply["type"] == "unsupported":
            self.skipTest(reply["why"])
        self.assertEqual(reply, {"type": "ready"})
        ran = peer.ask({"type": "run", "iterations": 1, "warmup_ns": 0})
        self.assertEqual(ran.get("type"), "ran", ran)
        out = self.dir / "out.npy"
        written = peer.ask({"type": "output", "path": str(out)})
        self.assertEqual((written["type"], type(written["copy"])), ("written", int), written)
        values, shape, descr = read_npy(out)
        self.assertEqual((shape, descr), ((2, 1000, 1, 1), STORED[dtype]))
        return values

    def assert_near(self, values, expected, share):
        self.assertTrue(all(map(math.isfinite, values)))
        worst = max(abs(a - b) for a, b in zip(values, expected))
        self.assertLess(worst, share * max(map(abs, expected)))

    def test_torch_models(self):
        constants = {"mean": MEAN, "std": STD}
        inside = self.logits("resnet18", normalize="inside", **constants)
        self.assert_near(self.logits("resnet18", normalize="before", **constants), inside, 1e-3)
        self.assert_near(self.logits("resnet18", layout="nhwc", normalize="inside", **constants), inside, 1e-3)
        self.assert_near(self.logits("resnet18", dtype="float16", normalize="inside", **constants), inside, 8e-3)
        for other in (self.logits("resnet18", **constants),
                      self.logits("resnet18", normalize="inside", mean=MEAN, std=[2 * std for std in STD])):
            with self.assertRaises(AssertionError):
                self.assert_near(other, inside, 1e-3)

    def test_torch_models_by_other_means(self):
        constants = {"normalize": "inside", "mean": MEAN, "std": STD}
        inside = self.logits("squeezenet1_1", **constants)
        for form in ("compile", "onnx"):
            with self.subTest(form=form):
                self.assert_near(self.logits("squeezenet1_1", options=("--as", form), **constants), inside, 1e-3)

    def test_torch_models_that_it_lacks(self):
        source, model = {**PLANAR_FLOAT, "shape": (1, 3, 8, 8)}, {"op": "model", "name": "resnet81"}
        self.assert_unsupported("torch_peer.py", [], [
            (source, [model], 'torchvision has no classifier "resnet81" (did you mean "resnet18"?)')])
        self.assert_unsupported("torch_peer.py", ["--reuse"], [(source, [model], '--reuse does not cover this "model"')])
        self.assert_unsupported("torch_peer.py", ["--as", "onnx"], [
            (source, [NORMALIZE, model], "what is exported to ONNX is a model alone (with normalisation inside or none)"),
            ({**source, "layout": "nhwc"}, [model], "ONNX Runtime runs float32 nchw on the CPU here")])

    def test_torch_unsupported(self):
        self.assert_unsupported("torch_peer.py", [], [
            (PLANAR, [{"op": "compute"}], 'torch has no op "compute"'),
            (PLANAR, [{"op": "moments", "groups": 3}], "moments is not for uint8 (cast first)"),
            (PLANAR_FLOAT, [{**NORMALIZE, "layout": "nhwc", "output": "in_place"}],
             'torch does not do this "normalize" in place'),
            (PLANAR, [{"op": "resize", "size": [3, 3]}],
             "PyTorch's antialiased resize of uint8 rounds between its two passes (cast to float32 first)")])
        if not HAS_GPU:
            self.assert_unsupported("torch_peer.py", [], [
                (PLANAR, [NORMALIZE], "PyTorch sees no CUDA device (or was installed without CUDA)",
                 {"device": "cuda:0"})])

    def test_opencv(self):
        scaled = {**NORMALIZE, "scale": 0.5}
        for form in ("lut", "convert"):
            for keep in ([], ["--reuse"]):
                self.assert_results("opencv_peer.py", ["--as", form, *keep], [(ROWS, [NORMALIZE]), (ROWS, [scaled])])
        planar = {**NORMALIZE, "layout": "nchw"}
        for form in ("blob", "blob-params"):
            self.assert_results("opencv_peer.py", ["--as", form],
                                [(ROWS, [planar]), (ROWS, [{**planar, "std": [58.0] * 3}])])

    def test_opencv_unsupported(self):
        self.assert_unsupported("opencv_peer.py", [], [
            (PLANAR, [NORMALIZE], "opencv-lut turns nhwc into nhwc, whole images only"),
            (ROWS, [{**NORMALIZE, "dtype": "float16"}], "opencv-lut turns uint8 into float32"),
            (ROWS, [NORMALIZE, SUB], "opencv-lut does one normalize and nothing else")])
        self.assert_unsupported("opencv_peer.py", ["--as", "blob"], [
            (ROWS, [NORMALIZE], "opencv-blob turns nhwc into nchw, whole images only")])


# A peer whose results show how the session called it.
PROBE = '''
import ctypes, os, sys, weakref
from normbench.peer import Peer, np, serve

class Probe(Peer):
    name = "probe"
    calls = 0
    results = []

    def prepare(self, task):
        return getattr(self, sys.argv[1])

    def count(self, x):
        """A result of as many calls as there were."""
        self.calls += 1
        return np.full(x.shape, self.calls, np.float32)

    def alive(self, x):
        """A result of as many earlier results as are still alive."""
        y = np.full(x.shape, sum(earlier() is not None for earlier in self.results), np.float32)
        self.results.append(weakref.ref(y))
        return y

    def rotate(self, x):
        """A result that is 1 where this input was never seen before."""
        new = id(x) not in self.__dict__.setdefault("seen", {})
        self.seen[id(x)] = x
        return np.full(x.shape, new, np.float32)

    def talk(self, x):
        print("from print")
        os.write(1, b"from write\\n")
        os.system("echo from a child")
        ctypes.CDLL(None).puts(b"from C")
        ctypes.CDLL(None).fflush(None)
        assert sys.stdin.read() == ""
        return x.astype(np.float32)

    def fail(self, x):
        raise ValueError("no pixels today")

    def wrong(self, x):
        return x[:1]

serve(Probe())
'''


class Library(PeerTest):
    def probe(self, what):
        script = self.dir / "probe.py"
        script.write_text(PROBE)
        peer = self.converse([PEERS / "run", script, what])
        reply = peer.hello()
        if reply["type"] == "unavailable":
            self.skipTest(reply["why"])
        self.assertEqual(reply, {"type": "hello", "protocol": 1, "name": "probe", "version": "1"})
        return peer

    def prepared(self, what):
        peer = self.probe(what)
        request, _, _ = self.written(PLANAR, [NORMALIZE])
        self.assertEqual(peer.ask(request), {"type": "ready"})
        return peer

    def run_once(self, peer, iterations, warmup_ns=0):
        ran = peer.ask({"type": "run", "iterations": iterations, "warmup_ns": warmup_ns})
        self.assertEqual(ran["type"], "ran", ran)
        return ran

    def first_value(self, peer):
        out = self.dir / "out.npy"
        written = peer.ask({"type": "output", "path": str(out)})
        self.assertEqual((written["type"], type(written["copy"])), ("written", int), written)
        return read_npy(out)[0][0]

    def test_iterations_and_warm_up_are_what_was_asked(self):
        peer = self.prepared("count")
        ran = self.run_once(peer, 3)
        self.assertEqual(self.first_value(peer), 3)
        self.assertEqual(set(ran), {"type", "wall_ns", "cpu_ns", "minor_faults", "major_faults"})
        self.run_once(peer, 2, warmup_ns=1)
        self.assertEqual(self.first_value(peer), 6)
        self.run_once(peer, 1, warmup_ns=2_000_000)
        self.assertGreater(self.first_value(peer), 8)

    def test_one_earlier_result_is_alive_as_in_a_loop(self):
        peer = self.prepared("alive")
        self.run_once(peer, 1)
        self.assertEqual(self.first_value(peer), 0)
        for _ in range(2):
            self.run_once(peer, 5, warmup_ns=1)
            self.assertEqual(self.first_value(peer), 1)

    def test_on_a_device_as_many_earlier_results_live_as_inputs_rotate(self):
        """Enough earlier results stay alive. Otherwise the device's allocator would reuse freed
        memory at once, whose data the cache may still hold."""
        for copies, alive in ((5, 4), (2, 1), (1, 1)):
            peer = self.probe("alive")
            request, _, _ = self.written(PLANAR, [NORMALIZE])
            request["stages"][-1]["out"][0]["memory"] = "device"
            self.assertEqual(peer.ask({**request, "copies": copies, "device": "cuda:0"}), {"type": "ready"})
            for _ in range(2):
                self.run_once(peer, 9, warmup_ns=1)
                self.assertEqual(self.first_value(peer), alive)

    def test_of_results_that_a_device_sent_back_one_lives(self):
        peer = self.probe("alive")
        request, _, _ = self.written(PLANAR, [NORMALIZE])
        self.assertEqual(peer.ask({**request, "copies": 5, "device": "cuda:0"}), {"type": "ready"})
        self.run_once(peer, 9, warmup_ns=1)
        self.assertEqual(self.first_value(peer), 1)

    def test_inputs_rotate_over_the_copies(self):
        peer = self.prepared("rotate")
        seen = []
        for _ in range(5):
            self.run_once(peer, 1)
            seen.append(self.first_value(peer))
        self.assertEqual(seen, [1, 1, 1, 0, 0])

    def test_nothing_a_kernel_prints_reaches_the_replies(self):
        peer = self.prepared("talk")
        self.run_once(peer, 1)
        code, stderr, rest = peer.finish()
        self.assertEqual((code, rest), (0, b""))
        for line in ("from print", "from write", "from a child", "from C"):
            self.assertIn(line, stderr)

    def test_a_failing_kernel_is_an_error_with_a_traceback_on_stderr(self):
        peer = self.prepared("fail")
        for _ in range(2):
            self.assertEqual(peer.ask({"type": "run", "iterations": 1, "warmup_ns": 0}),
                             {"type": "error", "why": "ValueError: no pixels today"})
        self.assertEqual(peer.ask({"type": "output", "path": str(self.dir / "x")}),
                         {"type": "error", "why": "output before run"})
        self.assertIn("in fail\n    raise ValueError", peer.finish()[1])

    def test_a_result_of_another_kind_is_an_error(self):
        peer = self.prepared("wrong")
        self.run_once(peer, 1)
        self.assertEqual(peer.ask({"type": "output", "path": str(self.dir / "x.npy")}),
                         {"type": "error", "why": "the result is |u1 [1, 3, 5, 7], not <f4 [2, 3, 5, 7]"})

    def test_requests_that_make_no_sense(self):
        peer = self.probe("count")
        request, _, _ = self.written(PLANAR, [NORMALIZE])
        tensor = dict(request["stages"][0]["in"][0])
        path = str(self.dir / "absent.npy")
        run = {"type": "run", "iterations": 1, "warmup_ns": 0}
        mistakes = [
            ('{"type":', "not JSON: Expecting value: line 1 column 9 (char 8)"),
            ('{"type": "run", "iterations": NaN}', "not JSON: NaN is not JSON"),
            ("[" * 100_000, None),
            ("7", 'a request is an object with a "type"'),
            ('{"type": 7}', 'a request is an object with a "type"'),
            ("x" * (1 << 20), None),
            ("x" * (1 << 20) + "x", "a line of more than 1048576 bytes"),
            ("x" * (5 << 20), "a line of more than 1048576 bytes"),
            ({"type": "rnu"}, 'unknown request "rnu" (known: hello, describe, prepare, run, output, close)'),
            ({"type": "hello", "protocol": "1"}, 'hello: "protocol" is "1" (an integer from 1)'),
            (run, "run before prepare"),
            ({"type": "output", "path": path}, "output before run"),
            ({"type": "prepare"}, 'prepare: needs "inputs" and "stages"'),
            ({**request, "copies": 0}, 'prepare: "copies" is 0 (an integer from 1)'),
            ({**request, "stages": [7]}, 'prepare: a stage is an object with an "op"'),
            ({**request, "stages": [{"op": "cast"}]}, 'prepare: a stage has lists "in" and "out"'),
            ({**request, "inputs": [{**tensor}]}, 'prepare: "path" is null (a string)'),
            ({**request, "inputs": [{**tensor, "path": path}]},
             f"FileNotFoundError: [Errno 2] No such file or directory: '{path}'"),
            ({**request, "inputs": [{**request["inputs"][0], "shape": [2, 3, 5, 8]}]},
             f"prepare: {self.dir}/in.npy holds |u1 [2, 3, 5, 7], not |u1 [2, 3, 5, 8]"),
            ({**request, "inputs": [{**request["inputs"][0], "dtype": "float16"}]},
             f"prepare: {self.dir}/in.npy holds |u1 [2, 3, 5, 7], not <f2 [2, 3, 5, 7]"),
            (run, "run before prepare"),
        ]
        for message, why in mistakes:
            with self.subTest(message=str(message)[:100]):
                reply = peer.ask_line(message if isinstance(message, str) else json.dumps(message))
                self.assertEqual(reply["type"], "error")
                if why:
                    self.assertEqual(reply["why"], why)
        odd = {**tensor, "dtype": "float64"}
        self.assertEqual(peer.ask({**request, "inputs": [{**odd, "path": path}]}),
                         {"type": "error", "why": f"prepare: not a tensor: {json.dumps({**odd, 'path': path})}"})
        self.assertEqual(peer.ask({**request, "inputs": request["inputs"] * 2}),
                         {"type": "unsupported", "why": "2 inputs (only chains with one)"})
        self.assertEqual(peer.ask(request), {"type": "ready"})  # the peer still works
        for change in ({"iterations": 0}, {"iterations": True}, {"iterations": 1.5}):
            self.assertEqual(peer.ask({**run, **change})["type"], "error")
        self.run_once(peer, 1)
        self.assertEqual(peer.ask({"type": "output", "path": str(self.dir / "no/out.npy")})["type"], "error")

    def test_prepare_comes_after_hello(self):
        peer = self.converse([PEERS / "run", "numpy_peer.py"])
        self.assertEqual(peer.ask({"type": "prepare"}), {"type": "error", "why": "prepare before hello"})

    def test_close_and_the_end_of_input_end_it(self):
        peer = self.converse([PEERS / "run", "numpy_peer.py"])
        peer.process.stdin.write(b'{"type": "close"}\n')
        peer.process.stdin.flush()
        self.assertEqual(peer.process.wait(60), 0)
        self.assertEqual(self.converse([PEERS / "run", "numpy_peer.py"]).finish(), (0, "", b""))

    def spans_of(self, size, stages):
        """Returns the spans of a run after a warm-up; None if there are none. The first run has no warm-up and no
        spans."""
        peer = self.peer("numpy_peer.py")
        request, _, _ = self.written({**PLANAR, "shape": (1, 3, size, size)}, stages)
        self.assertEqual(peer.ask({**request, "copies": 1}), {"type": "ready"})
        self.assertNotIn("spans", self.run_once(peer, 1))
        ran = self.run_once(peer, 4, warmup_ns=100_000_000)  # so long that a pause of the process does not matter
        self.assertLessEqual(sum(ns for _, ns in ran.get("spans", [])), ran["wall_ns"])
        return ran.get("spans")

    def test_several_stages_are_timed_where_they_take_long_enough(self):
        self.assertEqual([stage for stage, _ in self.spans_of(500, [TO_FLOAT, SUB, DIV])], [0, 1, 2])
        self.assertIsNone(self.spans_of(4, [TO_FLOAT, SUB, DIV]))
        self.assertIsNone(self.spans_of(500, [TO_FLOAT]))  # a single stage is the whole time


# A peer whose start_device_clock() takes 50 ms.
SLOW_CLOCK = """
import time
from my_kernel import MyKernel, serve

class SlowClock(MyKernel):
    def start_device_clock(self):
        self._start = time.perf_counter_ns()
        time.sleep(0.05)
    def stop_device_clock(self):
        self._stop = time.perf_counter_ns()
    def device_ns(self):
        return self._stop - self._start

serve(SlowClock())
"""


class DeviceClock(PeerTest):
    def test_it_runs_within_the_wall_clock(self):
        script = self.dir / "slow_clock.py"
        script.write_text(SLOW_CLOCK)
        peer = self.converse([PEERS / "run", script])
        if peer.hello()["type"] == "unavailable":
            self.skipTest("numpy is missing")
        request, _, _ = self.written(PLANAR, [NORMALIZE])
        self.assertEqual(peer.ask(request), {"type": "ready"})
        ran = peer.ask({"type": "run", "iterations": 1, "warmup_ns": 0})
        self.assertGreater(ran["device_ns"], 50_000_000)
        self.assertLessEqual(ran["device_ns"], ran["wall_ns"])


class Faults(PeerTest):
    def faults(self, script, *options):
        """Returns the minor faults per iteration, for outputs of 50 MB, after malloc's heap has grown."""
        peer = self.peer(script, *options)
        request, _, _ = self.written(PLANAR, [NORMALIZE])
        shape = [1, 3, 2048, 2048]
        path = self.dir / "big.npy"
        write_npy(path, list(os.urandom(math.prod(shape))), shape, "uint8")
        big = json.loads(json.dumps(request).replace(json.dumps(list(SIZE)), json.dumps(shape)))
        big["inputs"][0]["path"], big["copies"] = str(path), 1
        self.assertEqual(peer.ask(big), {"type": "ready"})
        runs = [peer.ask({"type": "run", "iterations": 4, "warmup_ns": 1}) for _ in range(6)]
        return min(ran["minor_faults"] / 4 for ran in runs)

    def test_outputs_fault_only_once_when_malloc_keeps_them(self):
        for script in ("numpy_peer.py", "torch_peer.py"):
            with self.subTest(script=script):
                kept, stock = self.faults(script, "--allocator", "no-faults"), self.faults(script)
                self.assertLess(kept, 64)
                self.assertLessEqual(kept, stock)
                print(f"{script}: {stock:.0f} faults an iteration, {kept:.0f} with --allocator no-faults")


# What `setup --check` says of the libraries that are installed only by name, if none of them is there.
BY_NAME = "".join(f"  not installed: {name} (scripts/peers/setup {name})\n"
                  for name in ("torchcodec", "simplejpeg", "cykooz-resizer", "kornia-rs", "spdl", "dali"))


class Missing(PeerTest):
    """Tests that a peer without its library says so, and how to install it. `-S` hides installed packages."""

    def hello_of(self, command, *modules):
        for module in modules:  # stand-ins that the peer can import
            (self.dir / f"{module}.py").write_text('__version__ = "1"\n')
        env = {**os.environ, "PYTHONPATH": str(self.dir)}
        return self.converse([sys.executable, "-S", PEERS / command[0], *command[1:]], env).hello()

    def test_what_is_missing_is_named(self):
        for script, modules, title in (("numpy_peer.py", [], "numpy"), ("my_kernel.py", [], "numpy"), ("dali_peer.py", [], "numpy"),
                                       ("torch_peer.py", [], "numpy"), ("torch_peer.py", ["numpy"], "PyTorch"),
                                       ("cvcuda_peer.py", ["numpy"], "PyTorch"),
                                       ("opencv_peer.py", ["numpy"], "OpenCV")):
            with self.subTest(script=script, modules=modules):
                self.assertEqual(self.hello_of([script], *modules), {
                    "type": "unavailable", "why": f"{title} is not installed (run scripts/peers/setup)"})

    def test_libraries_that_are_installed_by_name(self):
        images = ["images_peer.py", "--decoder"]
        for command, title, name in (
                ([*images, "torchcodec"], "TorchCodec", " torchcodec"), ([*images, "simplejpeg"], "simplejpeg", " simplejpeg"),
                ([*images, "kornia-rs"], "kornia-rs", " kornia-rs"), ([*images, "spdl"], "spdl", " spdl"),
                ([*images, "pillow"], "Pillow", ""), ([*images, "opencv"], "OpenCV", ""),
                (["images_peer.py", "--resizer", "cykooz-3"], "cykooz-resizer", " cykooz-resizer"),
                (["dali_peer.py"], "DALI", " dali")):
            with self.subTest(command=command):
                self.assertEqual(self.hello_of(command, "numpy"), {
                    "type": "unavailable", "why": f"{title} is not installed (run scripts/peers/setup{name})"})

    def test_torchvision_is_a_library_of_its_own(self):
        (self.dir / "torch.py").write_text('__version__ = "1"\n')
        (self.dir / "numpy.py").write_text('__version__ = "1"\n')
        peer = self.converse([sys.executable, "-S", PEERS / "torch_peer.py", "--as", "torchvision"],
                             {**os.environ, "PYTHONPATH": str(self.dir)})
        self.assertEqual(peer.hello()["why"], "torchvision is not installed (run scripts/peers/setup)")

    def test_setup_adds_nvidias_libraries_where_there_is_a_gpu(self):
        shutil.copy(PEERS / "setup", self.dir)
        for gpu, more in ((1, ""), (0, " cvcuda-cu12 nvidia-nvimgcodec-cu12")):
            (self.dir / "has-gpu").write_text(f"#!/bin/sh\nexit {gpu}\n")
            (self.dir / "has-gpu").chmod(0o755)
            said = subprocess.run([self.dir / "setup", "--check"], capture_output=True, text=True,
                                  env={**os.environ, "NORMBENCH_PEERS_VENV": str(self.dir / "none")})
            missing = f"numpy torch torchvision opencv-python-headless onnx onnxruntime{more}"
            self.assertEqual(said.stdout, f"{self.dir}/none:\n{BY_NAME}  missing: {missing} (run scripts/peers/setup)\n")

    def test_setup_knows_the_libraries_that_it_installs_by_name(self):
        said = subprocess.run([PEERS / "setup", "simplejpeg", "jpegs"], capture_output=True, text=True)
        names = "torchcodec simplejpeg cykooz-resizer kornia-rs spdl dali"
        self.assertEqual((said.returncode, said.stdout, said.stderr),
                         (2, "", f"usage: scripts/peers/setup [--check | NAME...] (NAME: {names})\n"))

    def test_cv_cuda_is_there_with_a_gpu_only(self):
        for module in ("torch", "numpy"):
            (self.dir / f"{module}.py").write_text('__version__ = "1"\n')
        peer = self.converse([sys.executable, "-S", PEERS / "cvcuda_peer.py"],
                             {**os.environ, "PYTHONPATH": str(self.dir)})
        self.assertEqual(peer.hello()["why"],
                         "CV-CUDA is not installed (scripts/peers/setup does that where there is an NVIDIA GPU)")

    def test_onnx_needs_two_more(self):
        for module in ("torch", "numpy"):
            (self.dir / f"{module}.py").write_text('__version__ = "1"\n')
        for missing in ("onnx", "onnxruntime"):
            peer = self.converse([sys.executable, "-S", PEERS / "torch_peer.py", "--as", "onnx"],
                                 {**os.environ, "PYTHONPATH": str(self.dir)})
            self.assertEqual(peer.hello()["why"], f"{missing} is not installed (run scripts/peers/setup)")
            (self.dir / f"{missing}.py").write_text('__version__ = "1"\n')

    def test_a_gpu_is_found_by_its_driver_under_windows_too(self):
        """Under WSL, has-gpu finds a GPU by its driver, so that the setup installs a PyTorch with
        CUDA."""

        def has_gpu(*files):
            root = self.dir / "-".join(files).replace("/", "_")
            for file in files:
                (root / file).parent.mkdir(parents=True, exist_ok=True)
                (root / file).touch()
            return subprocess.run([PEERS / "has-gpu", root]).returncode == 0

        windows, driver = "dev/dxg", "usr/lib/wsl/lib/libcuda.so.1"
        self.assertEqual([has_gpu("dev/null"), has_gpu("dev/nvidiactl"), has_gpu(windows), has_gpu(windows, driver)],
                         [False, True, False, True])

    def test_usage(self):
        for command in ([PEERS / "run"], [PEERS / "run", "torch_peer.py", "--as", "jax"], [PEERS / "setup", "--chekc"]):
            code, stderr, rest = self.converse(command).finish()
            self.assertNotEqual(code, 0)
            self.assertIn("usage:", stderr)
            self.assertEqual(rest, b"")


if __name__ == "__main__":
    program = unittest.main(argv=[sys.argv[0], *sys.argv[2:]], exit=False)
    if not program.result.wasSuccessful():
        sys.exit(1)
    if not found:
        print("skipped: no library of a peer is installed (run scripts/peers/setup)")
        sys.exit(77)
