"""Tests peers of the user's own Python code, and `normbench init --python`, with the real program.

usage: own_code_test.py NORMBENCH SOURCE_DIR [unittest arguments]

The code runs in this Python if it has NumPy, else in the environment of scripts/peers/setup. Without NumPy the exit
code is 77. Tests of PyTorch are skipped if that Python does not have it.
"""

import json
import os
import re
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

NORMBENCH, SOURCE = (Path(p).resolve() for p in sys.argv[1:3])


def python_with(module):
    """Returns the first Python that has a module, or None."""
    venv = Path(os.environ.get("NORMBENCH_PEERS_VENV", SOURCE / "build/peers-venv")) / "bin/python3"
    for python in (Path(sys.executable), venv):
        if python.exists() and subprocess.run([python, "-c", f"import {module}"], capture_output=True).returncode == 0:
            return python
    return None


PYTHON = python_with("torch") or python_with("numpy")
if PYTHON is None:
    print("skipped: no NumPy (run scripts/peers/setup)")
    sys.exit(77)
HAS_TORCH = python_with("torch") is not None

NUMPY_CODE = '''
import os, sys
import numpy as np
from normbench.peer import variant

print("what the code prints is no part of a reply")
sys.stdout.flush()

class Loader:
    def __init__(self, dtype="float32", batches=4):
        self.dtype, self.batches = dtype, batches
    def __len__(self):
        return self.batches
    def __iter__(self):
        for i in range(self.batches):
            yield np.full((2, 3, 8, 8), i, self.dtype), np.arange(2)

loader = Loader()
double = Loader("float64")
strided = [np.zeros((2, 3, 8, 16), np.float32)[..., ::2]]
table = [np.zeros((2, 5), np.int64)]

def generator():
    yield from Loader()

def make_loader():
    return Loader("uint8")

once = (batch for batch in Loader())
longer = Loader(batches=5)
empty = []
rest = [np.zeros((n, 3, 8, 8), np.float32) for n in (4, 4, 1)]
listed = [[np.zeros((3, 8, 8), np.uint8)] * 4] * 2

def dicts():
    for _ in range(4):
        yield {"images": np.zeros((2, 3, 8, 8), np.float32), "labels": [1, 2]}

pairs = [(np.zeros((8, 16, 16), np.float32), np.zeros((8, 32, 32), np.float32))] * 2

masked = [(np.zeros((3, 16, 16), np.uint8), np.zeros((1, 16, 16), np.uint8))] * 2

def mapped():
    return map(lambda batch: batch[0], Loader())

def pops(batch):
    batch.pop("labels")
    batch.pop("images").sum()

def replaces(batch):
    batch["images"] = batch["images"].astype(np.float64)

def ends(batch):
    next(iter(()))

class Needy(Loader):
    def __init__(self, root):
        super().__init__()

def needy(count):
    yield from Loader(count)

def with_defaults(batches=4):
    return Loader(batches=batches)

def leaves(batch):
    sys.exit("no GPU here")

def step(batch):
    images, labels = batch
    for _ in range(20):
        np.sort(images, axis=None)

def to_float(batch):
    return batch.astype(np.float32) / 255

class Scale:
    def __call__(self, batch):
        return batch * 2

@variant(name="named by the decorator", step=step)
class Decorated(Loader):
    pass

def raises(batch):
    raise ValueError("no such colour")

class Raising:
    def __iter__(self):
        yield np.zeros((2, 3, 8, 8), np.float32)
        raise OSError("disk gone")

class Ragged:
    def __iter__(self):
        while True:
            yield [np.zeros((3, 8 + i, 8), np.float32) for i in range(3)]

class Lying:
    def __len__(self):
        raise RuntimeError("ask later")
    def __iter__(self):
        return iter(Loader())

class Forking:
    def __iter__(self):
        while True:
            os.fork()
            yield np.zeros((2, 3, 8, 8), np.float32)

def nothing(batch):
    pass

words = ["a", "b"]
number = 3
'''

TORCH_CODE = '''
import os, sys, time
import torch
from torch.utils.data import DataLoader, Dataset
from torchvision.transforms import v2

class Images(Dataset):
    dtype = torch.float32
    def __init__(self):
        self.images = torch.zeros(48, 3, 64, 64, dtype=torch.uint8)
        self.transform = v2.Compose([v2.CenterCrop(56), v2.ToDtype(self.dtype, scale=True)])
    def __len__(self):
        return len(self.images)
    def __getitem__(self, i):
        return self.transform(self.images[i]), i % 10

images = Images()
loader = DataLoader(images, batch_size=8, num_workers=2)
plain = DataLoader(images, batch_size=8)
kept = DataLoader(images, batch_size=8, num_workers=2, persistent_workers=True)
single = DataLoader(images, batch_size=None)
model = torch.nn.Sequential(torch.nn.Flatten(), torch.nn.Linear(3 * 56 * 56, 10))

def step(batch):
    x, y = batch
    torch.nn.functional.cross_entropy(model(x.float()), y).backward()

def listed(samples):
    return torch.stack([image for image, _ in samples]), torch.tensor([label for _, label in samples])
collated = DataLoader(images, batch_size=8, num_workers=1, collate_fn=listed)

class Lazy(Images):  # opens its files in the process that reads them, once
    opened_by = None
    def __getitem__(self, i):
        if Lazy.opened_by is None:
            Lazy.opened_by = os.getpid()
        if Lazy.opened_by != os.getpid():
            raise RuntimeError("the file was opened in another process")
        return super().__getitem__(i)
lazy = DataLoader(Lazy(), batch_size=8, num_workers=2)

class Wrapped:
    def __iter__(self):
        return iter(loader)
wrapped = Wrapped()

class Elsewhere:
    """Gives batches in the process that imported this file. In any other process it does what is said."""
    def __init__(self, act):
        self.act, self.pid = act, os.getpid()
    def __iter__(self):
        if os.getpid() != self.pid:
            self.act()
        return iter([torch.zeros(2, 3, 8, 8)] * 4)
exits, hangs = Elsewhere(sys.exit), Elsewhere(lambda: time.sleep(600))

class Broken(Images):
    def __getitem__(self, i):
        raise KeyError("label")
broken = DataLoader(Broken(), num_workers=2)

def meta(batch):
    return batch.to("meta")

def last(batch):
    return batch.float().contiguous(memory_format=torch.channels_last)
'''


class OwnCodeTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)
        (self.folder / "code.py").write_text(NUMPY_CODE)
        (self.folder / "with_torch.py").write_text(TORCH_CODE)
        self.environment = {**os.environ, "PATH": f"{PYTHON.parent}:{os.environ['PATH']}", "PYTHONPATH": str(SOURCE / "python"),
                            "PYTHONDONTWRITEBYTECODE": "1"}

    def normbench(self, *words):
        return subprocess.run([NORMBENCH, *words], cwd=self.folder, env=self.environment, capture_output=True, text=True, timeout=300)

    def init(self, *words):
        (self.folder / "mine.jsonc").unlink(missing_ok=True)
        done = self.normbench("init", *words)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("--allow-peers", done.stdout)
        return re.sub(r"//[^\n]*", "", (self.folder / "mine.jsonc").read_text())

    def run_config(self, seconds=1, code=0):
        out = Path(tempfile.mkdtemp(dir=self.folder)) / "out"
        done = self.normbench("run", "--config", "mine.jsonc", "--allow-peers", "--out", out, "--no-profile",
                              "--set", f"max_seconds_per_group={seconds}")
        self.assertEqual(done.returncode, code, done.stdout + done.stderr)
        return json.loads((out / "results.json").read_text()), " ".join(done.stdout.split())  # lines are wrapped

    def measured(self, *words, seconds=1):
        self.init(*words)
        document, text = self.run_config(seconds)
        (group,) = document["groups"]
        return group, text

    def reason(self, *words):
        """Returns why init refuses the code."""
        done = self.normbench("init", *words)
        self.assertEqual(done.returncode, 2, done.stdout + done.stderr)
        self.assertFalse((self.folder / "mine.jsonc").exists())
        return done.stderr

    def failure(self, stages, name="loader", step=""):
        """Returns why a variant of the code fails, beside one that does not."""
        command = ["python3", "-m", "normbench.peer", f"code.py:{name}", *(["--step", f"code.py:{step}"] if step else [])]
        config = {"schema": 1, "name": "mine", "measure": {"max_seconds_per_group": 0.5, "turn_timeout_seconds": 20, "cache": "hot"},
                  "peers": {"mine": command, "fine": ["python3", "-m", "normbench.peer", "code.py:to_float"]},
                  "experiments": [{"name": "e", "source": {"dtype": "uint8", "batch": 2, "size": [8, 8]},
                                   "variants": {"mine": {"peer": "mine", "stages": stages},
                                                "fine": {"peer": "fine", "stages": ["source", {"op": "transform", "dtype": "float32"}]}}}]}
        (self.folder / "mine.jsonc").write_text(json.dumps(config))
        document, _ = self.run_config(0.5, code=1)
        mine, fine = document["groups"][0]["cases"]
        self.assertEqual((mine["status"], fine["status"]), ("failed", "ok"), mine["reason"] + fine["reason"])
        return mine["reason"]


class LoaderTest(OwnCodeTest):
    def test_says_what_it_gives(self):
        group, text = self.measured("--python", "code.py:loader")
        (case,) = group["cases"]
        self.assertEqual(case["given"], {"dtype": "float32", "shape": [2, 3, 8, 8], "order": "contiguous", "device": "cpu",
                                         "pinned": False, "bytes": 1536, "batch_bytes": 1552})
        self.assertEqual(case["iterations"] % 4, 0)  # whole epochs
        self.assertIn("loader gives float32 [2, 3, 8, 8], pageable, 1.55 kB a batch: 4.0x the bytes of uint8.", text)
        self.assertNotIn("not what the config says", text)
        self.assertEqual(case["check"]["held_to"], "nothing")

    def test_with_a_step_says_what_loading_costs(self):
        group, text = self.measured("--python", "code.py:loader", "--step", "code.py:step", seconds=2)
        self.assertEqual([case["variant"] for case in group["cases"]], ["loader", "batches that take no time"])
        if "headspaces" not in group:  # on a machine that has other work
            self.assertRegex(text, "Busy:|too few rounds to say what loading costs")
            return
        (headspace,) = group["headspaces"]
        self.assertEqual((headspace["variant"], headspace["cached"]), ("loader", "batches that take no time"))
        self.assertTrue(0 <= headspace["share"]["low"] <= headspace["share"]["value"] <= headspace["share"]["high"] < 1)
        self.assertIn("so loading costs", text)
        self.assertEqual([stage["label"] for stage in group["cases"][0]["stages"]], ["batches", "step"])

    def test_says_where_it_is_not_what_the_config_says(self):
        config = self.init("--python", "code.py:loader")
        (self.folder / "mine.jsonc").write_text(config.replace('"dtype": "float32"', '"dtype": "uint8"'))
        _, text = self.run_config()
        self.assertIn("That is not what the config says: float32, not uint8.", text)

    def test_what_init_wrote_is_what_it_found(self):
        for name, more in (("double", "8.0x the bytes of uint8"), ("strided", "not contiguous"), ("rest", "loader"), ("listed", "[4, 3, 8, 8]")):
            with self.subTest(name):
                _, text = self.measured("--python", f"code.py:{name}", seconds=0.5)
                self.assertIn(more, text)
                self.assertNotIn("not what the config says", text)

    def test_the_last_batch_of_an_epoch_may_be_shorter(self):
        group, text = self.measured("--python", "code.py:rest", seconds=0.5)
        self.assertEqual(group["cases"][0]["given"]["shape"], [4, 3, 8, 8])

    def test_a_step_may_change_the_batch(self):
        for step in ("pops", "replaces"):
            group, text = self.measured("--python", "code.py:dicts", "--step", f"code.py:{step}", seconds=0.5)
            for case in group["cases"]:
                self.assertEqual((case["status"], case["given"]["dtype"], case["given"]["shape"]), ("ok", "float32", [2, 3, 8, 8]))
            self.assertNotIn("not what the config says", text)

    def test_images_are_those_that_it_gives(self):
        config = self.init("--python", "code.py:loader")
        (self.folder / "mine.jsonc").write_text(config.replace('"batch": 2', '"batch": 8'))
        document, text = self.run_config()
        self.assertEqual(document["groups"][0]["cases"][0]["images"], 2)
        self.assertIn("That is not what the config says: shape [2, 3, 8, 8], not 8x3x8x8.", text)

    def test_each_loader_has_epochs_of_its_own(self):
        config = json.loads(self.init("--python", "code.py:loader"))
        config["peers"]["other"] = ["python3", "-m", "normbench.peer", "code.py:longer"]
        config["experiments"][0]["variants"]["other"] = {"peer": "other", "stages": config["experiments"][0]["variants"]["loader"]["stages"]}
        (self.folder / "mine.jsonc").write_text(json.dumps(config))
        document, _ = self.run_config(1)
        for case, epoch in zip(document["groups"][0]["cases"], (4, 5)):
            self.assertEqual(case["iterations"] % epoch, 0, case)

    def test_takes_what_users_have(self):
        for name, dtype, more in (("generator", "float32", {}), ("make_loader", "uint8", {}), ("strided", "float32", {"order": "strided"}),
                                  ("table", "int64", {"shape": [2, 5]}), ("Loader", "float32", {}), ("Lying", "float32", {}),
                                  ("pairs", "float32", {"shape": [8, 32, 32]}), ("masked", "uint8", {"shape": [3, 16, 16]}),
                                  ("mapped", "float32", {})):
            with self.subTest(name):
                group, _ = self.measured("--python", f"code.py:{name}", seconds=0.5)
                self.assertEqual({**group["cases"][0]["given"], **more, "dtype": dtype}, group["cases"][0]["given"])

    def test_a_decorator_names_it_and_its_step(self):
        group, _ = self.measured("--python", "code.py:Decorated", seconds=0.5)
        self.assertEqual([case["variant"] for case in group["cases"]], ["Decorated", "batches that take no time"])
        self.assertTrue(group["cases"][0]["peer_version"].startswith("named by the decorator"), group["cases"][0])

    def test_a_file_that_reads_its_options_is_imported(self):
        (self.folder / "script.py").write_text("import argparse\nfrom code import Loader\nargparse.ArgumentParser().parse_args()\nx = Loader()\n")
        self.init("--python", "script.py:x")

    def test_a_transform_takes_a_source(self):
        group, text = self.measured("--python", "code.py:to_float")
        self.assertEqual([case["variant"] for case in group["cases"]], ["to_float", "normbench, one pass"])
        self.assertEqual(group["cases"][0]["given"]["dtype"], "float32")
        self.assertIn("to_float gives float32 [32, 3, 224, 224]", text)
        group, _ = self.measured("--python", "code.py:Scale", seconds=0.5)
        self.assertEqual(group["cases"][0]["given"]["dtype"], "uint8")


class MistakeTest(OwnCodeTest):
    def test_init_says_all_that_is_wrong(self):
        text = self.reason("--python", "code.py", "--step", "none.py:step")
        self.assertIn("--python code.py: expected FILE.py:OBJECT", text)
        self.assertIn("--step none.py:step: no file none.py", text)
        self.assertIn("--step goes with --python", self.reason("--step", "code.py:step"))
        self.assertIn("leave the options out", self.reason("--python", "code.py:loader", "--size", "8", "8"))
        (self.folder / "broken.py").write_text("import nothing_of_this_name\n")
        (self.folder / "ends.py").write_text("import sys\nsys.exit(3)\n")
        self.assertIn("leave --batch out", self.reason("--python", "code.py:loader", "--batch", "4"))
        self.assertIn("leave --gpu and --step out", self.reason("--python", "code.py:to_float", "--step", "code.py:step"))
        (self.folder / "typo.py").write_text("x = 1\n\ny = = 2\n")
        (self.folder / "guarded.py").write_text("if __name__ == '__main__':\n    loader = []\n")
        for code, why in (("code.py:lader", 'code.py has no "lader" (it has: '), ("code.py:number", "number is neither a loader"),
                          ("code.py:once", "your object is a generator, which can be read only once (give the function that makes it)"),
                          ("code.py:Needy", "Needy cannot be called without arguments: missing a required argument: 'root'"),
                          ("code.py:needy", "needy cannot be called without arguments: missing a required argument: 'count'"),
                          ("code.py:with_defaults", "your function returned a Loader when it was called with a batch (for a function that"),
                          ("typo.py:x", "typo.py cannot be imported: SyntaxError at typo.py:3: invalid syntax"),
                          ("guarded.py:loader", 'it has no names of its own; code under if __name__ == "__main__": does not run'),
                          ("code.py:raises", "your code raised ValueError at code.py:"), ("code.py:nothing", "your code returned None"),
                          ("code.py:words", "your code gave a str without an array"), ("code.py:Ragged", "3 images of unlike sizes"),
                          ("ends.py:x", "ends.py ends Python while it is imported: sys.exit(3)"),
                          ("broken.py:x", "broken.py cannot be imported: ModuleNotFoundError at broken.py:1: No module named")):
            with self.subTest(code):
                self.assertIn(why, self.reason("--python", code))

    def test_a_variant_fails_alone(self):
        batches = {"op": "batches", "batch": 2, "size": [8, 8]}
        source = ["source", "transform"]
        for stages, name, why in (
                (source, "raises", r"your code raised ValueError at code\.py:\d+: no such colour \(it was called with an? .*, uint8 "
                                   r"\[2, 3, 8, 8\]: if that is not what it takes, measure a function that converts the batch"),
                ([batches], "number", r"own code gives no batches: it is of the type int \(a loader can be iterated\)"
                                      r"|number gives no batches: it is of the type int \(a loader can be iterated\)"),
                (source, "loader", "loader is no function of a batch, but of the type Loader"),
                (source, "nothing", r"your code returned None \(return the batch"),
                ([batches], "Raising", r"your code raised OSError at code\.py:\d+: disk gone"),
                ([batches], "Ragged", r"your code gave 3 images of unlike sizes .*\(resize or crop them to one size, and stack them\)"),
                ([batches], "once", r"your object is a generator, which can be read only once"),
                ([batches], "empty", "gave no batch"),
                (source, "leaves", r"your code ended Python: sys\.exit\('no GPU here'\)"),
                ([batches], "Forking", r"your code forked, and the child returned into normbench \(end the child with os\._exit\(\)"),
                ([batches], "lader", r'code\.py has no "lader"')):
            with self.subTest(name):
                self.assertRegex(self.failure(stages, name), why)
        self.assertRegex(self.failure([batches, "step"], step="raises"), "your code raised ValueError")
        self.assertRegex(self.failure([batches, "step"], step="ends"), r"your code raised StopIteration at code\.py:\d+")
        self.assertIn("there is no step (name it", self.failure([batches, "step"]))

    def test_a_script_serves_what_it_has(self):
        (self.folder / "script.py").write_text("from normbench.peer import serve\ndef make():\n    print('printed')\n    return [1]\nserve(make)\n")
        (self.folder / "wrong.py").write_text("from normbench.peer import serve\nclass Wrong:\n    def __init__(self):\n"
                                              "        print('printed')\n        raise ValueError('no data')\nserve(Wrong)\n")
        for script, kind in (("script.py", "hello"), ("wrong.py", "error")):
            done = subprocess.run([PYTHON, script], cwd=self.folder, env=self.environment, capture_output=True, text=True,
                                  input='{"type": "hello", "protocol": 1}\n{"type": "close"}\n', timeout=60)
            (reply,) = [json.loads(line) for line in done.stdout.splitlines()]
            self.assertEqual(reply["type"], kind, done.stderr)
        self.assertRegex(reply["why"], r"your code raised ValueError at wrong\.py:\d+: no data")

    def test_what_cannot_be_run_is_skipped(self):
        config = {"schema": 1, "name": "mine", "measure": {"max_seconds_per_group": 0.5, "cache": "hot"},
                  "peers": {"mine": ["python3", "-m", "normbench.peer", "code.py:loader"],
                            "kernel": [str(SOURCE / "scripts/peers/run"), "my_kernel.py"]},
                  "experiments": [{"name": "e", "source": {"dtype": "uint8", "batch": 2, "size": [8, 8]}, "variants": {
                      "another op": {"peer": "mine", "stages": ["source", {"op": "cast", "to": "float32"}]},
                      "another peer": {"peer": "kernel", "stages": [{"op": "batches", "batch": 2, "size": [8, 8]}]}}}]}
        (self.folder / "mine.jsonc").write_text(json.dumps(config))
        self.environment["NORMBENCH_PEERS_VENV"] = str(PYTHON.parent.parent)
        document, _ = self.run_config(0.5)
        reasons = [case["reason"] for case in document["groups"][0]["cases"]]
        for reason, why in zip(reasons, ('"cast" beside your own code', 'my-kernel has no "batches"')):
            self.assertIn(why, reason)


@unittest.skipUnless(HAS_TORCH, "no PyTorch")
class TorchTest(OwnCodeTest):
    def test_a_dataloader_says_its_workers(self):
        group, text = self.measured("--python", "with_torch.py:loader", "--step", "with_torch.py:step", seconds=4)
        given = group["cases"][0]["given"]
        self.assertEqual((given["dtype"], given["shape"], given["pinned"], given["workers"]), ("float32", [8, 3, 56, 56], False, 2))
        self.assertIn("pageable, from 2 workers", text)
        self.assertIn("4.0x the bytes of uint8", text)
        self.assertRegex(text, "so loading costs|too few rounds to say what loading costs|Busy:")

    def test_one_changed_line_is_seen(self):
        self.init("--python", "with_torch.py:plain")
        (self.folder / "with_torch.py").write_text(TORCH_CODE.replace("dtype = torch.float32", "dtype = torch.uint8"))
        _, text = self.run_config()
        self.assertIn("plain gives uint8 [8, 3, 56, 56], pageable, from 0 workers", text)
        self.assertIn("as many bytes as uint8 has", text)
        self.assertIn("That is not what the config says: uint8, not float32.", text)

    def test_a_dataset_is_tried_with_workers(self):
        group, _ = self.measured("--python", "with_torch.py:images", "--batch", "8", seconds=4)
        self.assertEqual([case["given"]["workers"] for case in group["cases"]], [0, len(os.sched_getaffinity(0))])

    def test_says_what_pytorch_copied(self):
        batch = 8 * 3 * 56 * 56 * 4
        made = [{"op": "_to_copy", "calls": 8, "bytes": batch}, {"op": "stack", "calls": 1, "bytes": batch}]
        labels = {"op": "share_memory_", "calls": 1, "bytes": 64}
        for name, copies in (("plain", made), ("loader", [*made, labels]),
                             ("collated", [made[0], {"op": "share_memory_", "calls": 2, "bytes": batch + 64}, made[1]]),
                             ("last", [{"op": "_to_copy", "calls": 1, "bytes": 32 * 3 * 224 * 224 * 4},
                                       {"op": "clone", "calls": 1, "bytes": 32 * 3 * 224 * 224 * 4}]),
                             ("lazy", [*made, labels]), ("wrapped", None)):
            with self.subTest(name):
                group, text = self.measured("--python", f"with_torch.py:{name}", seconds=1)
                given = group["cases"][0]["given"]
                order = lambda one: (-one["bytes"], one["op"])
                self.assertEqual(given.get("copies"), copies and sorted(copies, key=order))
                self.assertEqual("PyTorch copied" in text, copies is not None)

    def test_code_that_cannot_be_counted_is_measured_all_the_same(self):
        for name in ("exits", "hangs"):
            with self.subTest(name):
                group, _ = self.measured("--python", f"with_torch.py:{name}", seconds=0.5)
                self.assertEqual(group["cases"][0]["status"], "ok", group["cases"][0]["reason"])
                self.assertNotIn("copies", group["cases"][0]["given"])

    def test_copies_are_not_counted_if_so_asked(self):
        config = self.init("--python", "with_torch.py:plain")
        (self.folder / "mine.jsonc").write_text(config.replace('"with_torch.py:plain"', '"with_torch.py:plain", "--no-copies"'))
        document, text = self.run_config(0.5)
        self.assertNotIn("copies", document["groups"][0]["cases"][0]["given"])
        self.assertNotIn("PyTorch copied", text)

    def test_persistent_workers_end_with_the_first_batch(self):
        code = ("import multiprocessing, with_torch\nfrom normbench.peer.own import own\nloader = with_torch.kept\n"
                "own(loader).describe()\nprint(len(multiprocessing.active_children()))")
        done = subprocess.run([PYTHON, "-c", code], cwd=self.folder, env=self.environment, capture_output=True, text=True, timeout=60)
        self.assertEqual(done.stdout, "0\n", done.stderr)

    def test_an_image_is_a_batch_of_one(self):
        group, text = self.measured("--python", "with_torch.py:single", seconds=0.5)
        self.assertEqual((group["cases"][0]["given"]["shape"], group["cases"][0]["stages"][0]["out"]["shape"]), ([3, 56, 56], [1, 3, 56, 56]))
        self.assertNotIn("not what the config says", text)

    def test_memory_formats(self):
        group, text = self.measured("--python", "with_torch.py:last", seconds=0.5)
        self.assertEqual(group["cases"][0]["given"]["order"], "channels_last")
        self.assertNotIn("not what the config says", text)

    def test_a_worker_that_raises_is_named(self):
        self.assertIn("your code raised KeyError at with_torch.py:", self.reason("--python", "with_torch.py:broken"))

    def test_an_array_elsewhere_is_told(self):  # "meta" stands for a GPU, which is not at hand
        self.init("--python", "with_torch.py:meta")
        document, _ = self.run_config(code=1)
        self.assertIn('your code gave an array on meta, whose work the CPU\'s clock does not see', document["groups"][0]["cases"][0]["reason"])


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0], *sys.argv[3:]])
