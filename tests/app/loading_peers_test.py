"""Tests peers that load image files and train a network: the images and their pixels, what the peers report, and
what they refuse.

usage: loading_peers_test.py SOURCE_DIR

Runs in the peers' environment, and makes its own files. The exit code is 77 if the environment lacks PyTorch or
OpenCV.
"""

import importlib.util
import json
import os
import select
import signal
import struct
import sys
import time
import unittest
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

sys.dont_write_bytecode = True
from python_peers_test import PEERS, Conversation, PeerTest  # noqa: E402

VENV = Path(os.environ.get("NORMBENCH_PEERS_VENV", PEERS.parents[1] / "build/peers-venv"))
if sys.prefix == sys.base_prefix and (VENV / "bin/python").exists():
    os.execv(VENV / "bin/python", [str(VENV / "bin/python"), *sys.argv])
try:
    import cv2
    import numpy as np
    import torch
    import torchvision  # noqa: F401
except ImportError as missing:
    print(f"skipped: {missing} (run scripts/peers/setup)")
    sys.exit(77)
sys.path.insert(0, str(PEERS))
import jpeg_header  # noqa: E402
import opencv_images  # noqa: E402
import opencv_peer  # noqa: E402
import torch_load  # noqa: E402
import torch_models  # noqa: E402
from normbench.peer.files import load_of  # noqa: E402
from normbench.peer.task import Stage, Tensor  # noqa: E402

TORCHVISION, TORCH_OPENCV = ("torch_peer.py", "--as", "torchvision"), ("torch_peer.py", "--decoder", "opencv")
IMREAD = ("opencv_peer.py", "--as", "imread")
WORKERS = ("--workers", "2")
# Pairs: the command of a peer, and the number of threads in its task.
EVERY_DECODER = [((*TORCHVISION,), 1), ((*TORCHVISION,), 2), ((*TORCHVISION, *WORKERS), 1), ((*TORCH_OPENCV,), 2),
                 ((*TORCH_OPENCV, *WORKERS), 1), ((*IMREAD,), 1), ((*IMREAD,), 2), ((*IMREAD, "--reduced"), 1),
                 ((*IMREAD, "--reuse"), 2)]
NVIMAGECODEC = ("torch_peer.py", "--decoder", "nvimagecodec")
if importlib.util.find_spec("nvidia") and importlib.util.find_spec("nvidia.nvimgcodec"):
    EVERY_DECODER += [((*NVIMAGECODEC,), 1), ((*NVIMAGECODEC,), 2)]  # only on the CPU: decoding on a GPU is not tested here
TORCHCODEC = ("torch_peer.py", "--decoder", "torchcodec")
if importlib.util.find_spec("torchcodec"):
    EVERY_DECODER += [((*TORCHCODEC,), 2), ((*TORCHCODEC, *WORKERS), 1)]
READY = {"type": "ready"}
READY_TO_LOAD = {**READY, "takes_first": True}
MEAN, STD = [123.675, 116.28, 103.53], [58.395, 57.12, 57.375]
CONSTANTS = {"mean": MEAN, "std": STD}
started = {}  # running peers by command


def tearDownModule():
    for peer in started.values():
        peer.finish()
        peer.process.stderr.close()


# --- the reference


def triangle(source, target):
    """Returns the weights of PIL's triangle filter: target x source."""
    scale = source / target
    centres, reach = (np.arange(target)[:, None] + 0.5) * scale, max(1.0, scale)
    weights = np.maximum(0, 1 - np.abs((np.arange(source) + 0.5 - centres) / reach))
    return weights / weights.sum(axis=1, keepdims=True)


def resized(image, size, filter="triangle"):
    """Resizes an image [h, w, 3] in double precision."""
    rows, columns = (FILTERS[filter](image.shape[axis], size[axis]) for axis in (0, 1))
    return np.einsum("yk,klc,xl->yxc", rows, image.astype(np.float64), columns, optimize=True)


def box(source, target):
    """Returns the weights of the mean over the area of each target pixel. If the axis does not
    shrink, returns the weights of a triangle filter."""
    if target >= source:
        return triangle(source, target)
    begin, pixel = np.arange(target)[:, None] * (source / target), np.arange(source)
    weights = np.maximum(0, np.minimum(begin + source / target, pixel + 1) - np.maximum(begin, pixel))
    return weights / weights.sum(axis=1, keepdims=True)


FILTERS = {None: triangle, "triangle": triangle, "box": box}


def psnr(image, expected):
    error = np.mean((image - expected) ** 2)
    return np.inf if error == 0 else 10 * np.log10(255 ** 2 / error)


def picture(height, width, seed=1):
    """Returns an RGB image of smooth shapes with some texture."""
    dice = np.random.default_rng(seed)
    coarse = dice.integers(0, 256, (height // 16 + 2, width // 16 + 2, 3)).astype(np.float32)
    smooth = cv2.resize(coarse, (width, height), interpolation=cv2.INTER_CUBIC)
    return np.clip(smooth + dice.normal(0, 4, smooth.shape), 0, 255).astype(np.uint8)


def write_image(path, rgb):
    assert cv2.imwrite(str(path), rgb[..., ::-1] if rgb.ndim == 3 else rgb)
    return str(path)


def plain(number):
    """Returns an image of one colour, which tells `number` and the order of the channels."""
    return np.full((5, 7, 3), (number, 100 + number, 200 + number), np.uint8)


def turned(path, orientation):
    """Adds an Exif orientation to a JPEG."""
    tiff = b"MM\0*" + struct.pack(">IHHHIHHI", 8, 1, 0x0112, 3, 1, orientation, 0, 0)
    app1 = b"Exif\0\0" + tiff
    data = Path(path).read_bytes()
    Path(path).write_bytes(data[:2] + b"\xff\xe1" + struct.pack(">H", len(app1) + 2) + app1 + data[2:])


def children(pid):
    return [int(word) for word in Path(f"/proc/{pid}/task/{pid}/children").read_text().split()]


class LoadingTest(PeerTest):
    def request(self, files, shape, layout="nhwc", threads=1, more=(), **parameters):
        """Returns a `prepare` request with a load and further stages. Each of `more` is (op, parameters, changes of
        its tensor)."""
        path = self.dir / "files.json"
        path.write_text(files if isinstance(files, str) else json.dumps([str(file) for file in files]))
        tensor = {"dtype": "uint8", "shape": list(shape), "layout": layout, "memory": "pageable"}
        stages = [{"op": "load", "parameters": {"batch": shape[0], "size": list(shape[2:]), **parameters},
                   "place": "cpu", "output": "fresh", "in": [], "out": [tensor], "files": str(path)}]
        for op, said, changes in more:
            before, tensor = tensor, {**tensor, **changes}
            stages.append({"op": op, "parameters": said, "place": "cpu", "output": "fresh", "in": [before],
                           "out": [tensor]})
        return {"type": "prepare", "threads": threads, "device": "cpu", "copies": 1, "inputs": [], "stages": stages}

    def greeted(self, command):
        """Returns a running peer, which other tests may have used before, because starting PyTorch
        takes seconds."""
        if command not in started:
            started[command] = Conversation([PEERS / "run", *command], PEERS)
            self.assertEqual(started[command].hello()["type"], "hello")
        return started[command]

    def prepared(self, command, *request, **how):
        peer = self.greeted(command)
        reply = peer.ask(self.request(*request, **how))
        self.assertEqual(reply["type"], "ready", reply)
        peer.psnr, peer.filter = reply.get("psnr"), reply.get("filter")
        return peer

    def run_of(self, peer, iterations, warmup_ns=0):
        ran = peer.ask({"type": "run", "iterations": iterations, "warmup_ns": warmup_ns})
        self.assertEqual(ran["type"], "ran", ran)
        return ran

    def output(self, peer):
        out = self.dir / "out.npy"
        written = peer.ask({"type": "output", "path": str(out)})
        self.assertEqual((written["type"], type(written["copy"])), ("written", int), written)
        return np.load(out)

    def last_of(self, peer, iterations, warmup_ns=0):
        self.run_of(peer, iterations, warmup_ns)
        return self.output(peer)

    def plain_files(self, count):
        return [write_image(self.dir / f"{number}.png", plain(number)) for number in range(count)]

    def assert_items(self, peer, count, batch):
        """Checks that runs of several lengths end with the right images. There are `count` images of one colour
        each."""
        for iterations, warmup_ns in ((1, 0), (2, 1), (5, 3_000_000), (1, 1), (4, 0)):
            expected = [number % count for number in range((iterations - 1) * batch, iterations * batch)]
            images = self.last_of(peer, iterations, warmup_ns)
            self.assertEqual([image[0, 0].tolist() for image in images],
                             [plain(number)[0, 0].tolist() for number in expected])
            self.assertTrue((images == images[:, :1, :1]).all())


class Images(LoadingTest):
    def test_items_are_the_next_images_in_order_in_every_run(self):
        for command, threads in EVERY_DECODER:
            with self.subTest(command=command, threads=threads):
                peer = self.prepared(command, self.plain_files(7), (3, 3, 4, 6), threads=threads)
                self.assert_items(peer, 7, 3)

    def test_a_pass_may_begin_with_any_item(self):
        tensor = Tensor("uint8", (3, 3, 4, 6), "nhwc")
        path = self.dir / "files.json"
        path.write_text(json.dumps(self.plain_files(7)))
        load = load_of(Stage("load", {}, "cpu", "", "fresh", [], [tensor], files=str(path)))
        kinds = [torch_load.loader(load, "torchvision", threads, workers, False) for threads, workers in
                 ((1, 0), (2, 0), (1, 1))]
        for batches in (*(kind.batches for kind in kinds), opencv_peer.imread(load, False, lambda: np.zeros(
                tensor.array_shape, np.uint8), map)):
            self.assertEqual([np.asarray(batch)[:, 0, 0, 0].tolist() for batch in batches(1, 2)], [[3, 4, 5], [6, 0, 1]])
        for kind in kinds:
            kind.close()

    def test_one_file_fills_batches(self):
        for command, threads in EVERY_DECODER[::2]:
            with self.subTest(command=command):
                peer = self.prepared(command, self.plain_files(1), (4, 3, 4, 6), threads=threads)
                self.assert_items(peer, 1, 4)

    def assert_pixels(self, command, threads, files, pictures, size):
        for layout in ("nhwc", "nchw"):
            peer = self.prepared(command, files, (len(files), 3, *size), layout, threads)
            batch = self.last_of(peer, 1)
            images = batch if layout == "nhwc" else batch.transpose(0, 2, 3, 1)
            self.assertEqual(images.shape, (len(files), *size, 3))
            for image, exact in zip(images, pictures):
                self.assertGreaterEqual(psnr(image, resized(exact, size, peer.filter)), peer.psnr)
                if command[:3] == TORCHVISION or (exact.shape[0] < size[0] and exact.shape[1] < size[1]):
                    self.assertLess(np.abs(image - resized(exact, size)).max(), 1.51)

    def test_pixels_keep_what_a_peer_says_of_them(self):
        pictures = [picture(90, 170, 1), picture(131, 64, 2), picture(40, 60, 3)]
        files = [write_image(self.dir / f"{i}.png", image) for i, image in enumerate(pictures)]
        for command, threads in EVERY_DECODER:
            for size in ((32, 40), (96, 200)):  # smaller and larger than the pictures
                with self.subTest(command=command, threads=threads, size=size):
                    self.assert_pixels(command, threads, files, pictures, size)

    def test_opencv_shrinks_one_side_by_area_while_the_other_grows(self):
        for height, width in ((118, 1), (1, 118), (300, 20), (64, 3)):
            image = picture(height, width)
            into = np.zeros((64, 64, 3), np.uint8)
            pixels = opencv_images.resized(image, (64, 64), into)
            self.assertGreaterEqual(psnr(pixels, resized(image, (64, 64), "box")), opencv_images.PSNR_AREA, (height, width))
            self.assertTrue((into == pixels).all(), (height, width))

    def test_what_they_say_of_their_pixels(self):
        for command, threads in EVERY_DECODER:
            with self.subTest(command=command):
                peer = self.prepared(command, self.plain_files(1), (1, 3, 4, 6), threads=threads)
                self.assertEqual(peer.psnr, 20 if "--reduced" in command else 30 if "nvimagecodec" in command else 40)
                self.assertEqual(peer.filter, "triangle" if command[:3] in (TORCHVISION, TORCHCODEC, NVIMAGECODEC) else "box")

    def test_photographs_are_shown_upright(self):
        shown = picture(120, 80)
        path = write_image(self.dir / "turned.jpg", np.rot90(shown))  # turned left, with EXIF that turns it right
        turned(path, 6)
        for command, threads in EVERY_DECODER:
            with self.subTest(command=command):
                peer = self.prepared(command, [path], (1, 3, 60, 40), threads=threads)
                self.assertGreater(psnr(self.last_of(peer, 1)[0], resized(shown, (60, 40))), 30)

    def test_gray_alpha_and_16_bits_become_3_channels_of_8(self):
        gray, alpha = np.full((8, 8), 77, np.uint8), np.full((8, 8, 4), (30, 20, 10, 128), np.uint8)
        files = [write_image(self.dir / "gray.png", gray), write_image(self.dir / "gray.jpg", gray),
                 write_image(self.dir / "deep.png", np.full((8, 8), 77 * 257, np.uint16))]
        cv2.imwrite(str(self.dir / "alpha.png"), alpha)  # BGRA
        files.append(str(self.dir / "alpha.png"))
        for command, threads in EVERY_DECODER[::2]:
            with self.subTest(command=command):
                peer = self.prepared(command, files, (4, 3, 4, 4), threads=threads)
                means = self.last_of(peer, 1).mean(axis=(1, 2)).tolist()
                self.assertEqual(means, [[77] * 3] * 3 + [[10, 20, 30]])

    def test_reduced_decodes_jpegs_by_what_leaves_the_size(self):
        path = write_image(self.dir / "a.jpg", picture(163, 325))
        for size, by, flag in (((20, 40), 8, cv2.IMREAD_REDUCED_COLOR_8), ((21, 41), 8, cv2.IMREAD_REDUCED_COLOR_8),
                               ((22, 41), 4, cv2.IMREAD_REDUCED_COLOR_4), ((41, 82), 4, cv2.IMREAD_REDUCED_COLOR_4),
                               ((41, 83), 2, cv2.IMREAD_REDUCED_COLOR_2), ((82, 163), 2, cv2.IMREAD_REDUCED_COLOR_2),
                               ((83, 163), 1, cv2.IMREAD_COLOR), ((400, 400), 1, cv2.IMREAD_COLOR)):
            with self.subTest(size=size):
                self.assertEqual(opencv_images.reduction(path, size), by)
                decoded = cv2.imread(path, flag)
                expected = cv2.resize(decoded, size[::-1], interpolation=cv2.INTER_LINEAR if size[0] == 400 else
                                      cv2.INTER_AREA)[..., ::-1]
                self.assertTrue((opencv_images.load(path, size, reduced=True) == expected).all())
        peer = self.prepared((*IMREAD, "--reduced"), [path], (1, 3, 20, 40))
        self.assertFalse((self.last_of(peer, 1) == opencv_images.load(path, (20, 40))).all())
        turned(path, 6)
        self.assertEqual([opencv_images.reduction(path, size) for size in ((40, 20), (20, 40))], [8, 4])

    def test_the_extent_is_that_of_a_frame(self):
        path = Path(write_image(self.dir / "a.jpg", picture(163, 325)))
        for marker in (0xC4, 0xC8, 0xCC, 0xFE):  # tables and comments that may precede the frame
            data = path.read_bytes()
            path.write_bytes(data[:2] + bytes((0xFF, marker, 0, 9)) + bytes(range(1, 8)) + data[2:])
            self.assertEqual(jpeg_header.upright_extent(path), (163, 325))

    def test_reduced_leaves_other_files_alone(self):
        png = write_image(self.dir / "a.png", picture(160, 320))
        cut = self.dir / "cut.jpg"
        cut.write_bytes(b"\xff\xd8\xff\xe1")
        for path in (png, str(cut), str(self.dir / "absent.jpg")):
            self.assertEqual(opencv_images.reduction(path, (20, 40)), 1)

    def test_a_broken_file_is_named_and_the_peer_goes_on(self):
        files = self.plain_files(6)
        Path(files[4]).write_bytes(Path(files[4]).read_bytes()[:20])
        for command, threads in EVERY_DECODER:
            with self.subTest(command=command, threads=threads):
                peer = self.prepared(command, files, (2, 3, 4, 6), threads=threads)
                for _ in range(2):
                    self.assertEqual(self.last_of(peer, 2)[:, 0, 0, 0].tolist(), [2, 3])
                    failed = peer.ask({"type": "run", "iterations": 3, "warmup_ns": 0})
                    self.assertEqual(failed["type"], "error")
                    self.assertTrue(failed["why"].startswith(f"{files[4]}: "), failed)
                    self.assertNotIn("\n", failed["why"])

    def test_a_chain_behind_a_load(self):
        files = self.plain_files(5)
        normalize = ("normalize", CONSTANTS, {"dtype": "float32"})
        for command in (TORCHVISION, (*TORCHVISION, *WORKERS), TORCH_OPENCV, (*TORCH_OPENCV, *WORKERS)):
            for layout in ("nhwc", "nchw"):
                with self.subTest(command=command, layout=layout):
                    peer = self.prepared(command, files, (2, 3, 4, 6), layout, more=[normalize])
                    got = self.last_of(peer, 3)
                    got = got if layout == "nhwc" else got.transpose(0, 2, 3, 1)
                    expected = (np.stack([plain(4), plain(0)])[:, :4, :6] - np.array(MEAN)) / STD
                    self.assertLess(np.abs(got - expected).max(), 1e-5)

    def test_spans_tell_the_load_and_what_follows(self):
        files = [write_image(self.dir / f"{i}.png", picture(300, 400, i)) for i in range(2)]
        normalize = ("normalize", CONSTANTS, {"dtype": "float32"})
        for command in (TORCHVISION, (*TORCHVISION, *WORKERS)):
            with self.subTest(command=command):
                peer = self.prepared(command, files, (2, 3, 200, 300), more=[normalize])
                self.assertNotIn("spans", self.run_of(peer, 2))
                ran = self.run_of(peer, 4, warmup_ns=20_000_000)
                self.assertEqual([stage for stage, _ in ran["spans"]], [0, 1])
                spent = dict(map(tuple, ran["spans"]))
                self.assertGreater(spent[0], spent[1])  # decoding takes most of the time
                self.assertTrue(0.5 * ran["wall_ns"] < spent[0] + spent[1] <= ran["wall_ns"], ran)
        peer = self.prepared(TORCHVISION, files, (2, 3, 200, 300))
        self.assertNotIn("spans", self.run_of(peer, 4, warmup_ns=20_000_000))  # a single span would be the whole time


class Workers(LoadingTest):
    def heavy_files(self):
        """Writes two images that take tens of milliseconds each to decode."""
        noise = np.random.default_rng(3).integers(0, 256, (1200, 1600, 3), np.uint8)
        return [write_image(self.dir / f"{name}.png", noise) for name in "ab"]

    def cpu_ns(self, pids):
        return sum(time.clock_gettime_ns(~pid << 3 | 2) for pid in pids)

    def test_their_time_and_faults_are_told(self):
        files, shape = self.heavy_files(), (2, 3, 200, 300)
        own, theirs = (self.run_of(self.prepared(command, files, shape), 6, 1)
                       for command in (TORCHVISION, (*TORCHVISION, *WORKERS)))
        self.assertTrue(0.5 * own["cpu_ns"] < theirs["cpu_ns"], (own, theirs))
        self.assertGreater(theirs["minor_faults"], 1000)  # without those of its workers, the peer has about a hundred
        single = self.run_of(self.greeted((*TORCHVISION, *WORKERS)), 1)
        for what in ("cpu_ns", "minor_faults"):  # each run is counted separately
            self.assertLess(single[what], 0.6 * theirs[what], (single, theirs))

    def test_they_live_from_run_to_run_and_rest_in_between(self):
        peer = self.prepared((*TORCHVISION, *WORKERS), self.heavy_files(), (1, 3, 200, 300))
        pids = children(peer.process.pid)
        self.assertEqual(len(pids), 2)
        self.run_of(peer, 1, 1)  # from here on, both have started
        for _ in range(2):
            before = self.cpu_ns(pids)
            time.sleep(0.3)
            rested = self.cpu_ns(pids)
            self.run_of(peer, 3, 1)  # four images
            self.assertEqual(children(peer.process.pid), pids)
            self.assertLess(rested - before, (self.cpu_ns(pids) - rested) / 8)  # they have decoded not even half an image

    def test_they_end_before_another_task_and_with_the_peer(self):
        peer = self.peer(*TORCHVISION, *WORKERS)
        self.assertEqual(peer.ask(self.request(self.plain_files(3), (2, 3, 4, 6)))["type"], "ready")
        first = children(peer.process.pid)
        self.assertEqual(peer.ask(self.request(self.plain_files(2), (2, 3, 4, 6)))["type"], "ready")
        second = children(peer.process.pid)
        self.assertEqual((len(first), len(second), set(first) & set(second)), (2, 2, set()))
        self.assert_items(peer, 2, 2)
        start = time.monotonic()
        self.assertEqual(peer.finish()[0], 0)
        self.assertLess(time.monotonic() - start, 4)  # normbench waits for 5 s
        self.assertFalse([pid for pid in first + second if Path(f"/proc/{pid}").exists()])

    def test_they_hold_no_pipe_of_a_peer_that_died(self):
        peer = self.peer(*TORCHVISION, *WORKERS)
        self.assertEqual(peer.ask(self.request(self.plain_files(1), (1, 3, 4, 6)))["type"], "ready")
        self.run_of(peer, 1)
        pids = children(peer.process.pid)
        for pid in pids:
            self.assertEqual(os.readlink(f"/proc/{pid}/fd/1"), os.readlink(f"/proc/{peer.process.pid}/fd/1"))  # both have stderr as stdout
            os.kill(pid, signal.SIGSTOP)
        try:
            peer.process.kill()
            self.assertTrue(select.select([peer.process.stdout], [], [], 5)[0], "its end is not seen")
            self.assertEqual(peer.process.stdout.read(), b"")
        finally:
            for pid in pids:
                os.kill(pid, signal.SIGKILL)

    def test_threads_of_a_pool_have_one_of_pytorchs_and_the_main_one_keeps_its_own(self):
        torch.set_num_threads(2)
        pool = torch_load.single_threaded_pool(3)
        self.assertEqual(set(pool.map(lambda _: torch.get_num_threads(), range(9))), {1})
        with ThreadPoolExecutor(1) as others:
            self.assertEqual((torch.get_num_threads(), others.submit(torch.get_num_threads).result()), (2, 2))
        pool.shutdown()


class Stored(LoadingTest):
    """Tests files of pixels. The three files have 3, 1 and 2 images."""

    COUNTS, SIZE = (3, 1, 2), (5, 7)

    def written(self, storage, layout):
        """Writes the files. Returns (files, all images)."""
        height, width = self.SIZE
        shape = (height, width, 3) if layout == "nhwc" else (3, height, width)
        images = np.random.default_rng(5).integers(0, 256, (sum(self.COUNTS), *shape), np.uint8)
        files, first = [], 0
        for count in self.COUNTS:
            files.append(self.dir / f"{len(files)}.{storage}")
            part = images[first] if count == 1 else images[first : first + count]
            part.tofile(files[-1]) if storage == "raw" else np.save(files[-1], part)
            first += count
        return files, images

    def assert_stored(self, options, **parameters):
        layout = parameters.pop("layout", "nhwc")
        files, images = self.written(parameters["storage"], layout)
        peer = self.greeted(("torch_peer.py", *options))
        self.assertEqual(peer.ask(self.request(files, (4, 3, *self.SIZE), layout, **parameters)), READY_TO_LOAD)
        for iterations in (1, 2, 5, 1):
            batch = self.last_of(peer, iterations, 1)
            expected = images[[n % len(images) for n in range(4 * iterations - 4, 4 * iterations)]]
            self.assertTrue((batch == expected).all())
        return peer

    def test_all_kinds(self):
        for storage in ("raw", "npy"):
            for via in ("read", "mmap"):
                for options, how in (((), {}), ((), {"threads": 2, "layout": "nchw"}), (WORKERS, {}),
                                     (("--as", "torchvision", *WORKERS), {"layout": "nchw", "page_cache": "cold"}),
                                     ((), {"page_cache": "cold"})):
                    with self.subTest(storage=storage, via=via, options=options, how=how):
                        self.assert_stored(options, storage=storage, via=via, **how)

    def mapped(self, pid):
        return {Path(line.split()[-1]).name for line in Path(f"/proc/{pid}/maps").read_text().splitlines()
                if str(self.dir) in line and line.split()[-1].endswith((".raw", ".npy"))}

    def test_what_stays_mapped_between_runs(self):
        for options in ((), WORKERS):
            for page_cache, expected in (("warm", {"0.raw", "2.raw"}), ("cold", set())):
                with self.subTest(options=options, page_cache=page_cache):
                    peer = self.assert_stored(options, storage="raw", via="mmap", page_cache=page_cache)
                    for pid in children(peer.process.pid) or [peer.process.pid]:
                        self.assertEqual(self.mapped(pid), expected)

    def test_files_of_other_pixels_are_named(self):
        peer = self.greeted(("torch_peer.py",))
        image = np.zeros((5, 7, 3), np.uint8)
        np.save(self.dir / "fortran.npy", np.asfortranarray(image))
        np.save(self.dir / "wide.npy", image[:, :6])
        np.save(self.dir / "tall.npy", image.reshape(7, 5, 3))
        np.save(self.dir / "float.npy", image.astype(np.float32))
        np.save(self.dir / "none.npy", np.zeros((0, 5, 7, 3), np.uint8))
        (self.dir / "odd.raw").write_bytes(bytes(5 * 7 * 3 + 1))
        (self.dir / "empty.raw").write_bytes(b"")
        (self.dir / "text.npy").write_text("no array")
        for name in ("fortran.npy", "wide.npy", "tall.npy", "float.npy", "none.npy", "odd.raw", "empty.raw", "text.npy",
                     "no.npy"):
            with self.subTest(name=name):
                path = self.dir / name
                reply = peer.ask(self.request([path], (1, 3, 5, 7), storage=path.suffix[1:]))
                self.assertEqual(reply["type"], "error")
                self.assertTrue(reply["why"].startswith(f"{path}: "), reply)
        reply = peer.ask(self.request([self.dir / "wide.npy"], (1, 3, 5, 7), storage="npy"))
        self.assertEqual(reply["why"], f"{self.dir}/wide.npy: holds uint8 [5, 6, 3], not images of uint8 [5, 7, 3]")

    def test_a_file_that_was_cut_since_is_named(self):
        for options in ((), WORKERS):
            for storage in ("raw", "npy"):
                with self.subTest(options=options, storage=storage):
                    peer = self.assert_stored(options, storage=storage)
                    cut = self.dir / f"2.{storage}"
                    cut.write_bytes(cut.read_bytes()[:-1])
                    self.run_of(peer, 1)  # does not reach the cut file
                    reply = peer.ask({"type": "run", "iterations": 2, "warmup_ns": 0})
                    self.assertEqual(reply["type"], "error")
                    self.assertTrue(reply["why"].startswith(f"{cut}: "), reply)


# A peer that prints a line for each item when it is taken: "item NUMBER TAKEN of COUNT". TAKEN
# counts the items taken so far in this pass, and COUNT is the number of items in the pass.
PROBE = '''
from normbench.peer import Peer, np, serve

class Probe(Peer):
    name = "probe"
    takes_files = True

    def prepare(self, task):
        return [self.batches, lambda x: x + 1]

    def batches(self, first, count):
        taken = 0
        for item in range(first, first + count):
            taken += 1
            print("item", item, taken, "of", count)
            yield np.full((1, 2, 2, 3), item % 256, np.uint8)  # a long warm-up has more items

    def close(self):
        print("closed")

serve(Probe())
'''


class Protocol(LoadingTest):
    def test_each_pass_asks_for_its_items_and_takes_them_all(self):
        (self.dir / "probe.py").write_text(PROBE)
        peer = self.converse([PEERS / "run", self.dir / "probe.py"])
        self.assertEqual(peer.hello()["type"], "hello")
        more = [("copy", {}, {})]
        self.assertEqual(peer.ask(self.request(["x"], (1, 3, 2, 2), more=more)), READY_TO_LOAD)
        for iterations, warmup_ns in ((2, 0), (3, 1), (3, 100_000_000)):
            self.assertEqual(int(self.last_of(peer, iterations, warmup_ns)[0, 0, 0, 0]), iterations)
        lines = [line.split() for line in peer.finish()[1].splitlines()]
        self.assertEqual((lines[0], lines[-1]), (["closed"], ["closed"]))
        items = [tuple(int(lines[i][k]) for k in (1, 2, 4)) for i in range(1, len(lines) - 1)]
        self.assertEqual(items[:6], [(0, 1, 2), (1, 2, 2), (0, 1, 1), (0, 1, 3), (1, 2, 3), (2, 3, 3)])
        self.assertEqual(items[-3:], [(0, 1, 3), (1, 2, 3), (2, 3, 3)])
        warm_up = items[6:-3]  # the passes of the warm-up take the items in order
        self.assertEqual([item for item, _, _ in warm_up], list(range(len(warm_up))))
        self.assertGreater(len({count for _, _, count in warm_up}), 1)
        for (_, taken, count), (_, following, _) in zip(warm_up, [*warm_up[1:], (0, 1, 0)]):
            self.assertEqual(following, 1 if taken == count else taken + 1)

    def test_a_list_of_files_that_is_none(self):
        path = self.dir / "files.json"
        for command in (TORCHVISION, IMREAD):
            peer = self.greeted(command)
            for text in ("[]", '{"files": []}', "[7]", "7"):
                with self.subTest(command=command, text=text):
                    self.assertEqual(peer.ask(self.request(text, (1, 3, 4, 6))),
                                     {"type": "error", "why": f"prepare: {path} is no list of paths"})
            for text in ("[", None):
                request = self.request(text or "", (1, 3, 4, 6))
                path.write_text(text) if text else path.unlink()
                reply = peer.ask(request)
                self.assertEqual(reply["type"], "error")
                self.assertTrue(reply["why"].startswith(f"prepare: cannot read the list of files {path}: "), reply)
            request = self.request(self.plain_files(1), (1, 3, 4, 6))
            del request["stages"][0]["files"]
            self.assertEqual(peer.ask(request), {"type": "error", "why": 'prepare: "files" is null (a string)'})
            self.assertEqual(peer.ask(self.request(self.plain_files(1), (1, 3, 4, 6)))["type"], "ready")  # the peer continues

    def assert_unsupported(self, command, why, *shape, **how):
        with self.subTest(command=command, why=why):
            peer = self.greeted(command)
            shape = shape or ((1, 3, 4, 6),)
            self.assertEqual(peer.ask(self.request(self.plain_files(1), *shape, **how)),
                             {"type": "unsupported", "why": why})

    def test_what_no_loader_does(self):
        whole = "what is loaded goes through the stages as whole new batches (without --each and --reuse)"
        for command in (TORCHVISION, IMREAD):
            for why, how in (
                    ('files are loaded in the order of their names here, not with "shuffle"', {"shuffle": True}),
                    ('images are resized whole here, not with "fit": "crop"', {"fit": "crop"}),
                    ('encoded images are read here, not with "via": "mmap"', {"via": "mmap"}),
                    ('no files of "storage": "zip" (known: image, raw, npy)', {"storage": "zip"})):
                self.assert_unsupported(command, why, **how)
        for options in (("--each", "turn"), ("--reuse",)):
            self.assert_unsupported(("torch_peer.py", *options), whole)
        self.assert_unsupported((*TORCHVISION, *WORKERS, "--pin-memory"),
                                "--pin-memory is for batches of --workers that go to a GPU")
        self.assert_unsupported((*NVIMAGECODEC, *WORKERS),
                                "nvImageCodec decodes whole batches on threads of its own (without --workers)")
        there = {**self.request(self.plain_files(1), (1, 3, 4, 6)), "device": "cuda:0"}
        self.assertEqual(self.greeted(NVIMAGECODEC).ask(there), {
            "type": "unsupported", "why": "nvImageCodec decodes on the GPU, so an h2d comes next: it finds its batch there"})
        for form, name in (("compile", "torch.compile"), ("one-call", "torch.to"), ("onnx", "ONNX Runtime")):
            self.assert_unsupported(("torch_peer.py", "--as", form),
                                    f"{name} loads no files (eager and torchvision do)")
        for script, name in (("numpy_peer.py", "numpy"), ("my_kernel.py", "my-kernel")):
            self.assert_unsupported((script,), f"{name} loads no files")

    def test_what_opencv_does_not(self):
        only = "opencv-imread does one load and nothing else, and only that form does"
        self.assert_unsupported(IMREAD, only, more=[("normalize", CONSTANTS, {"dtype": "float32"})])
        self.assert_unsupported(("opencv_peer.py",), only)
        self.assert_unsupported(IMREAD, "opencv-imread loads encoded images only", storage="raw")

    def test_a_load_is_the_start_of_a_chain(self):
        why, peer = "a load that is not the start of a plain chain", self.greeted(TORCHVISION)
        request = self.request(self.plain_files(1), (1, 3, 4, 6), more=[("copy", {}, {})])
        load, copy = request["stages"]
        for changes in ({"stages": [load, load]}, {"stages": [copy, load]}, {"inputs": [copy["in"][0]]}):
            self.assertEqual(peer.ask({**request, **changes}), {"type": "unsupported", "why": why})
        wired = {**request, "stages": [{**load, "reads": [], "writes": [0]}], "outputs": [0]}
        self.assertEqual(peer.ask(wired), {"type": "unsupported", "why": why})
        self.assertEqual(peer.ask({**request, "stages": [copy]}),
                         {"type": "unsupported", "why": "0 inputs (only chains with one)"})


class Training(LoadingTest):
    def step(self, name="resnet18", dtype="float32", layout="nchw", batch=4, **parameters):
        """Returns a `prepare` request of one network on random input."""
        shape = (batch, 3, 48, 48)
        x = torch.randn(shape, generator=torch.Generator().manual_seed(4)).numpy()
        stored = (torch.from_numpy(x).to(torch.bfloat16).view(torch.int16).numpy().view("<u2") if dtype == "bfloat16"
                  else x.astype(dtype))
        path = self.dir / "in.npy"
        np.save(path, stored if layout == "nchw" else np.ascontiguousarray(stored.transpose(0, 2, 3, 1)))
        tensor = {"dtype": dtype, "shape": list(shape), "layout": layout, "memory": "pageable"}
        logits = {**tensor, "shape": [batch, 1000, 1, 1], "layout": "nchw"}
        return {"type": "prepare", "threads": 1, "device": "cpu", "copies": 1, "inputs": [{"path": str(path), **tensor}],
                "stages": [{"op": "model", "parameters": {"name": name, "train": True, **parameters}, "place": "cpu",
                            "output": "fresh", "in": [tensor], "out": [logits]}]}

    def logits(self, peer, runs=1, **how):
        """Makes `runs` runs of two steps each. Returns the logits after each run."""
        reply = peer.ask(self.step(**how))
        self.assertEqual(reply, READY)
        read = lambda y: y.astype(np.uint32).__lshift__(16).view(np.float32) if y.dtype == np.uint16 else y
        return [read(self.last_of(peer, 2, run)) for run in range(runs)]

    def share(self, logits, expected):
        """Returns the largest difference as a share of the largest expected magnitude."""
        self.assertTrue(np.isfinite(logits).all())
        return np.abs(logits - expected).max() / np.abs(expected).max()

    def test_logits_are_the_same_in_all_steps_and_processes(self):
        peer = self.greeted(("torch_peer.py",))
        first, second = self.logits(peer, runs=2)
        (again,) = self.logits(self.peer("torch_peer.py"))
        self.assertEqual(first.shape, (4, 1000, 1, 1))
        self.assertTrue((first == second).all() and (first == again).all())
        (inference,) = self.logits(peer, train=False)  # its batch norms use other statistics
        self.assertGreater(self.share(inference, first), 0.05)
        (last,) = self.logits(peer)
        self.assertTrue((first == last).all())

    def test_it_is_pytorchs_training(self):
        """The logits of the fourth step are those of four steps computed here with the same learning rate."""
        net, request = torch_models.weighted("resnet18").train(), self.step(learning_rate=0.01)
        x = torch.from_numpy(np.load(request["inputs"][0]["path"]))
        optimizer = torch.optim.SGD(net.parameters(), lr=0.01, momentum=0.9)
        for _ in range(4):
            y = net(x)
            optimizer.zero_grad()
            torch.nn.functional.cross_entropy(y, torch.arange(4)).backward()
            optimizer.step()
        peer = self.greeted(("torch_peer.py",))
        early, late = self.logits(peer, runs=2, learning_rate=0.01)  # after 2 and 5 steps: the second run warms up
        self.assertEqual(peer.ask(request), READY)
        fourth = self.last_of(peer, 4)[..., 0, 0]
        self.assertLess(self.share(fourth, y.detach().numpy()), 1e-3)
        self.assertGreater(self.share(early[..., 0, 0], fourth), 2e-3)
        self.assertGreater(self.share(late, early), 2e-3)

    def test_layouts_dtypes_and_normalisation(self):
        peer = self.greeted(("torch_peer.py",))
        (plain,) = self.logits(peer)
        (rows,) = self.logits(peer, layout="nhwc")
        self.assertLess(self.share(rows, plain), 1e-3)
        (half,) = self.logits(peer, dtype="bfloat16")
        self.assertLess(self.share(half, plain), 0.128)
        self.assertGreater(self.share(half, plain), 0)
        constants = {"mean": [0.1, 0.2, 0.3], "std": [1.5, 0.7, 1.2]}
        (inside,), (before,) = (self.logits(peer, normalize=where, **constants) for where in ("inside", "before"))
        self.assertLess(self.share(before, inside), 1e-3)
        self.assertGreater(self.share(plain, inside), 1e-2)

    def test_behind_a_load(self):
        files = [write_image(self.dir / f"{i}.png", picture(48, 48, i)) for i in range(4)]
        more = [("normalize", CONSTANTS, {"dtype": "float32"}),
                ("model", {"name": "resnet18", "train": True}, {"dtype": "float32", "shape": [2, 1000, 1, 1],
                                                                "layout": "nchw"})]
        found = []
        for options in ((), WORKERS):
            peer = self.prepared(("torch_peer.py", *options), files, (2, 3, 48, 48), more=more)
            found += [self.last_of(peer, 3, 1), self.last_of(peer, 2), self.last_of(peer, 1)]
        self.assertTrue((found[0] == found[2]).all() and (found[0] == found[3]).all())  # items 2 and 0 have the same images
        self.assertTrue((found[1] == found[4]).all())
        self.assertGreater(self.share(found[1], found[0]), 1e-2)  # item 1 has other images

    def test_what_is_not_trained(self):
        cases = [
            ((), self.step(dtype="float16"), "training in float16 needs CUDA (on a CPU: float32 or bfloat16)"),
            ((), self.step(name="alexnet"), '"alexnet" drops values at random when it trains (Dropout): its logits cannot '
             "be compared"),
            ((), self.step(name="convnext_tiny"), '"convnext_tiny" drops values at random when it trains '
             "(StochasticDepth): its logits cannot be compared"),
            (("--reuse",), self.step(), '--reuse does not cover this "model"')]
        eager = "a model is trained by eager ops on whole batches (--as eager, without --each)"
        for options in (("--as", "compile"), ("--as", "onnx"), ("--as", "torchvision"), ("--as", "one-call"),
                        ("--each", "turn")):
            cases.append((options, self.step(), eager))
        for options, request, why in cases:
            with self.subTest(options=options, why=why):
                np.save(request["inputs"][0]["path"], np.zeros((4, 3, 48, 48), request["inputs"][0]["dtype"]))
                self.assertEqual(self.greeted(("torch_peer.py", *options)).ask(request),
                                 {"type": "unsupported", "why": why})


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0], *sys.argv[2:]])
