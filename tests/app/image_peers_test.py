"""Tests the peers that decode and resize images by other libraries: their pixels, what they say of them, files of other
kinds, broken files, and what they refuse.

usage: image_peers_test.py SOURCE_DIR

Runs in the peers' environment, and makes its own files. A library that is missing is skipped. The exit code is 77 if
PyTorch or OpenCV is missing, which write and load files for comparison, or if all libraries of these peers are missing.
"""

import os
import shutil
import struct
import subprocess
import sys
import unittest
from pathlib import Path

sys.dont_write_bytecode = True
import loading_peers_test as loading  # noqa: E402
from loading_peers_test import CONSTANTS, MEAN, STD, LoadingTest, cv2, jpeg_header, np, picture, plain, psnr  # noqa: E402
from loading_peers_test import turned  # noqa: E402
from python_peers_test import PEERS, Conversation, PeerTest  # noqa: E402


def linear(source, target):
    """Returns the weights of the two pixels around the place of each target pixel, also where the axis shrinks."""
    places = np.clip((np.arange(target)[:, None] + 0.5) * (source / target) - 0.5, 0, source - 1)
    return np.maximum(0, 1 - np.abs(np.arange(source) - places))


loading.FILTERS["linear"] = linear
IMAGES = "images_peer.py"
LOADERS = [(IMAGES, "--decoder", decoder, *rest) for decoder, *rest in (
    ("pillow",), ("pillow", "--resizer", "cykooz-4"), ("opencv", "--reuse"), ("torchcodec", "--resizer", "opencv"),
    ("torchcodec",), ("simplejpeg", "--resizer", "cykooz-3"), ("simplejpeg", "--resizer", "cykooz-4"), ("kornia-rs",),
    ("simplejpeg", "--resizer", "cykooz-3", "--normalizer", "opencv"),
    ("kornia-rs", "--resizer", "pillow"), ("spdl",), ("spdl", "--resizer", "pillow"))] + [("dali_peer.py",)]
RESIZERS = [(IMAGES, "--resizer", name) for name in ("pillow", "opencv", "cykooz-3", "cykooz-4", "kornia-rs")]
NOT_TURNING = ("simplejpeg", "kornia-rs", "spdl")
# The decoders that refuse a JPEG whose second half is missing. The others make an image whose second half is gray.
NOTICE_THE_END = ("pillow", "torchcodec", "simplejpeg", "dali_peer.py")
started = {}  # running peers by command; None: the library is missing


def decoder_of(command):
    return command[2] if command[0] == IMAGES else command[0]


def tearDownModule():
    loading.tearDownModule()
    for peer in filter(None, started.values()):
        peer.finish()
        peer.process.stderr.close()


def write_jpeg(path, rgb, quality=95):
    assert cv2.imwrite(str(path), rgb[..., ::-1], [cv2.IMWRITE_JPEG_QUALITY, quality])
    return str(path)


def filled(path):
    """Puts five bytes 0xFF before each marker of a JPEG's header, as the standard allows."""
    data, at, parts = Path(path).read_bytes(), 2, [b"\xff\xd8"]
    while data[at + 1] != 0xDA:  # the segment before the pixels
        end = at + 2 + int.from_bytes(data[at + 2:at + 4], "big")
        parts.append(b"\xff" * 5 + data[at:end])
        at = end
    Path(path).write_bytes(b"".join(parts) + b"\xff" * 5 + data[at:])


def with_damaged_exif(path):
    """Adds an Exif block to a JPEG that ends within the list of its entries."""
    app1 = b"Exif\0\0MM\0*" + struct.pack(">IHHH", 8, 9, 0x010F, 2)
    data = Path(path).read_bytes()
    Path(path).write_bytes(data[:2] + b"\xff\xe1" + struct.pack(">H", len(app1) + 2) + app1 + data[2:])


class ImagesTest(LoadingTest):
    def greeted(self, command):
        """Returns a running peer, which other tests may have used before. Skips the test if its library is missing."""
        if command not in started:
            peer = Conversation([PEERS / "run", *command], PEERS)
            said = peer.hello()
            peer.name, peer.why = said.get("name"), said.get("why")
            if said["type"] == "unavailable":
                peer.finish()
                peer.process.stderr.close()
            started[command] = peer if said["type"] == "hello" else None
            print(f"{' '.join(command)}: {said.get('version') or peer.why}", file=sys.stderr)
        if started[command] is None:
            self.skipTest(f"the library of {' '.join(command)} is missing")
        return started[command]

    def for_each(self, commands, test):
        for command in commands:
            with self.subTest(command=command):
                test(command, self.greeted(command))

    def jpegs(self, count):
        """Writes images of one colour, which tells their number."""
        return [write_jpeg(self.dir / f"{number}.jpg", plain(20 * number)) for number in range(count)]

    def numbers(self, batch):
        return np.rint(batch[:, 2, 2, 0] / 20).astype(int).tolist()


class Loading(ImagesTest):
    def test_items_are_the_next_images_in_order_in_every_run(self):
        files = self.jpegs(5)

        def items(command, _):
            for threads, batch in ((1, 3), (2, 2)):
                peer = self.prepared(command, files, (batch, 3, 4, 6), threads=threads)
                for iterations, warmup_ns in ((1, 0), (2, 1), (5, 3_000_000), (1, 1), (4, 0)):
                    expected = [number % 5 for number in range((iterations - 1) * batch, iterations * batch)]
                    self.assertEqual(self.numbers(self.last_of(peer, iterations, warmup_ns)), expected)
                ran = peer.ask({"type": "run", "iterations": 2, "warmup_ns": 0, "first": 1})
                self.assertEqual(ran["type"], "ran", ran)
                self.assertEqual(self.numbers(self.output(peer)), [n % 5 for n in range(2 * batch, 3 * batch)])

        self.for_each(LOADERS, items)

    def test_pixels_keep_what_a_peer_says_of_them(self):
        """Loads JPEGs of 4:2:0. The exact images are resized from what OpenCV decodes, so that no loss of JPEG counts."""
        files = [write_jpeg(self.dir / f"{i}.jpg", picture(*size, i)) for i, size in
                 enumerate(((90, 170), (131, 64), (40, 60), (720, 1280)))]
        pictures = [cv2.imread(path)[..., ::-1] for path in files]

        def pixels(command, _):
            for size in ((32, 40), (96, 200), (40, 60)):  # smaller and larger than the pictures, and the size of one
                for layout, threads in (("nhwc", 1), ("nchw", 2)):
                    peer = self.prepared(command, files, (4, 3, *size), layout, threads)
                    batch = self.last_of(peer, 1)
                    images = batch if layout == "nhwc" else batch.transpose(0, 2, 3, 1)
                    kept = [psnr(image, loading.resized(exact, size, peer.filter))
                            for image, exact in zip(images, pictures)]
                    self.assertGreaterEqual(min(kept), peer.psnr, (size, layout))

        self.for_each(LOADERS, pixels)

    def test_what_they_say_of_their_pixels(self):
        said = {IMAGES: {("kornia-rs",): (40, "linear"), ("spdl",): (30, "triangle"), ("opencv", "--reuse"): (40, "box"),
                         ("torchcodec", "--resizer", "opencv"): (40, "box"),
                         ("spdl", "--resizer", "pillow"): (30, "triangle")},
                "dali_peer.py": {(): (35, "triangle")}}

        def bounds(command, _):
            peer = self.prepared(command, self.jpegs(1), (1, 3, 4, 6))
            self.assertEqual((peer.psnr, peer.filter), said[command[0]].get(command[2:], (40, "triangle")))

        self.for_each(LOADERS, bounds)

    def test_what_follows_a_load(self):
        """Normalised batches are those of the loaded uint8, or of unrounded pixels where one call does both."""
        files = [write_jpeg(self.dir / f"{i}.jpg", picture(60, 80, i)) for i in range(2)]
        shape, to = (2, 3, 24, 30), {"nhwc": (1, 1, 1, 3), "nchw": (1, 3, 1, 1)}
        mean, std = np.array(MEAN), np.array(STD)

        def chains(command, _):
            loaded = self.last_of(self.prepared(command, files, shape), 1).astype(float)
            for layout in ("nhwc", "nchw"):
                rows = loaded if layout == "nhwc" else loaded.transpose(0, 3, 1, 2)
                for dtype, relative in (("float32", 1e-6), ("float16", 1e-3)):
                    changes = {"dtype": dtype, "layout": layout}
                    for scale in (1, 1 / 255):
                        said = {"mean": list(mean * scale), "std": list(std * scale), "scale": scale}
                        peer = self.prepared(command, files, shape, more=[("normalize", said, changes)])
                        got = self.last_of(peer, 1)
                        exact = (rows - mean.reshape(to[layout])) / std.reshape(to[layout])
                        at_once = command[2:] == ("kornia-rs",) and (dtype, layout) == ("float32", "nchw")
                        bound = 0.51 / std.min() if at_once else relative * 4
                        self.assertEqual((got.dtype, got.shape), (dtype, exact.shape))
                        self.assertLess(np.abs(got - exact).max(), bound)
                cast = ("cast", {"to": "float32"}, {"dtype": "float32"})
                peer = self.prepared(command, files, shape, layout, more=[cast])
                self.assertTrue((self.last_of(peer, 1) == rows).all())

        self.for_each(LOADERS, chains)

    def test_photographs_are_shown_upright_or_refused(self):
        shown = picture(120, 80)
        path = write_jpeg(self.dir / "turned.jpg", np.rot90(shown))  # turned left, with EXIF that turns it right
        turned(path, 6)
        fill = shutil.copy(path, self.dir / "fill.jpg")
        filled(fill)

        def upright(command, _):
            decoder = decoder_of(command)
            for file in (path, fill):
                if decoder in NOT_TURNING:
                    self.assertEqual(self.greeted(command).ask(self.request([file], (1, 3, 60, 40))), {
                        "type": "unsupported", "why": f"{decoder} does not turn images by their Exif, as {file} asks for"})
                else:
                    peer = self.prepared(command, [file], (1, 3, 60, 40))
                    self.assertGreater(psnr(self.last_of(peer, 1)[0], loading.resized(shown, (60, 40))), 30)

        self.for_each(LOADERS, upright)

    def test_headers_that_ask_for_no_turn(self):
        """Loads a JPEG with bytes between its segments, one with a damaged Exif block, and two with orientations that
        mean nothing."""
        shown = picture(120, 80)
        files = [write_jpeg(self.dir / name, shown) for name in ("fill.jpg", "damaged.jpg", "0.jpg", "9.jpg")]
        filled(files[0])
        with_damaged_exif(files[1])
        turned(files[2], 0)
        turned(files[3], 9)

        def loaded(command, _):
            images = self.last_of(self.prepared(command, files, (4, 3, 60, 40)), 1)
            for path, image in zip(files, images):
                self.assertGreater(psnr(image, loading.resized(shown, (60, 40))), 30, path)

        self.for_each(LOADERS, loaded)

    def test_files_of_other_kinds(self):
        """A gray JPEG, a gray PNG, one with alpha, one of 16 bits: what a library makes of them, or says of them."""
        gray, deep = np.full((8, 8), 77, np.uint8), np.full((8, 8), 77 * 257, np.uint16)
        files = [loading.write_image(self.dir / "gray.jpg", gray), loading.write_image(self.dir / "gray.png", gray),
                 str(self.dir / "alpha.png"), loading.write_image(self.dir / "deep.png", deep)]
        cv2.imwrite(files[2], np.full((8, 8, 4), (30, 20, 10, 128), np.uint8))  # BGRA
        same = [[77] * 3, [77] * 3, [10, 20, 30], [77] * 3]
        expected = {"pillow": [*same[:3], [255] * 3],  # its convert("RGB") clips 16 bits
                    "spdl": [*same[:3], None],  # about 77: FFmpeg converts gray of 16 bits as that of a video
                    "kornia-rs": [same[0], "PNG is Grayscale Eight", "PNG is Rgba Eight", "PNG is Grayscale Sixteen"]}

        def kinds(command, _):
            decoder = decoder_of(command)
            for path, colour in zip(files, expected.get(decoder, same)):
                request = self.request([path], (1, 3, 4, 4))
                if decoder == "simplejpeg" and path.endswith(".png"):
                    self.assertEqual(self.greeted(command).ask(request), {
                        "type": "unsupported", "why": f"simplejpeg decodes JPEGs only, and {path} is none"})
                    continue
                peer = self.prepared(command, [path], (1, 3, 4, 4))
                if isinstance(colour, str):
                    failed = peer.ask({"type": "run", "iterations": 1, "warmup_ns": 0})
                    self.assertTrue(failed["why"].startswith(f"{path}: kornia-rs cannot decode it: "), failed)
                    self.assertIn(colour, failed["why"])
                else:
                    self.assertLessEqual(np.abs(self.last_of(peer, 1)[0] - (colour or 77.0)).max(), 0 if colour else 2)

        self.for_each(LOADERS, kinds)

    def test_a_broken_file_is_named_and_the_peer_goes_on(self):
        files = self.jpegs(5)
        cut = Path(write_jpeg(self.dir / "cut.jpg", picture(64, 64)))
        cut.write_bytes(cut.read_bytes()[:len(cut.read_bytes()) // 2])
        text = self.dir / "text.jpg"
        text.write_text("no image")

        def broken(command, _):
            decoder = decoder_of(command)
            for path in [cut] * (decoder in NOTICE_THE_END) + [text, self.dir / "absent.jpg"]:
                if decoder == "simplejpeg" and path == text:
                    self.assertEqual(self.greeted(command).ask(self.request([path], (1, 3, 4, 6)))["why"],
                                     f"simplejpeg decodes JPEGs only, and {path} is none")
                    continue
                peer = self.prepared(command, [*files[:4], path, files[4]], (2, 3, 4, 6), threads=2)
                for _ in range(2):
                    self.assertEqual(self.numbers(self.last_of(peer, 2)), [2, 3])
                    failed = peer.ask({"type": "run", "iterations": 3, "warmup_ns": 0})
                    self.assertEqual(failed["type"], "error")
                    behind = " or one behind it" if decoder == "dali_peer.py" else ""
                    self.assertTrue(failed["why"].startswith(f"{path}{behind}: "), failed)
                    self.assertNotIn("\n", failed["why"])

        self.for_each(LOADERS, broken)

    def test_what_they_do_not(self):
        normalize = ("normalize", CONSTANTS, {"dtype": "float32"})
        flipped = ("normalize", {**CONSTANTS, "flip": "horizontal"}, {"dtype": "float32"})
        narrow = ("normalize", CONSTANTS, {"dtype": "bfloat16"})

        def refusals(command, peer):
            name = "DALI" if command[0] == "dali_peer.py" else peer.name
            alone = f"{name} does a load and at most one cast or normalize behind it"
            for why, how in ((alone, {"more": [("copy", {}, {})]}), (alone, {"more": [("cast", {}, {}), normalize]}),
                             (f"{name} loads encoded images only", {"storage": "raw"}),
                             (f"{name} normalises whole images as they are", {"more": [flipped]}),
                             ("NumPy has no bfloat16", {"more": [narrow]}),
                             ('images are resized whole here, not with "fit": "crop"', {"fit": "crop"})):
                with self.subTest(why=why):
                    self.assertEqual(peer.ask(self.request(self.jpegs(1), (1, 3, 4, 6), **how)),
                                     {"type": "unsupported", "why": why})
            there = {**self.request(self.jpegs(1), (1, 3, 4, 6)), "device": "cuda:0"}
            self.assertEqual(peer.ask(there), {
                "type": "unsupported", "why": f"{name} makes batches on the CPU, in pageable memory"})

        self.for_each(LOADERS, refusals)


class Resizing(ImagesTest):
    def resize(self, images, size, threads=1, op="resize", **changes):
        """Returns a `prepare` request of one resize of images [n, h, w, c]."""
        path = self.dir / "in.npy"
        np.save(path, images)
        n, height, width, channels = images.shape
        tensor = {"dtype": images.dtype.name, "shape": [n, channels, height, width], "layout": "nhwc", "memory": "pageable",
                  **changes}
        return {"type": "prepare", "threads": threads, "device": "cpu", "copies": 2, "unlike": True,
                "inputs": [{"path": str(path), **tensor}],
                "stages": [{"op": op, "parameters": {"size": list(size)}, "place": "cpu", "output": "fresh",
                            "in": [tensor], "out": [{**tensor, "shape": [n, channels, *size]}]}]}

    def test_pixels_keep_what_a_peer_says_of_them(self):
        images = np.stack([picture(90, 120, seed) for seed in range(3)])

        def pixels(command, peer):
            for size, threads in (((32, 40), 1), ((200, 130), 2), ((45, 160), 2)):
                ready = peer.ask(self.resize(images, size, threads))
                self.assertEqual((ready["type"], ready["psnr"], ready["unlike"]), ("ready", 40, 2), ready)
                for copy in (0, 1):
                    self.run_of(peer, 1 + copy)
                    got = self.output(peer)
                    moved = np.roll(images.reshape(3, -1, 3), (copy + 1) % 2, axis=1).reshape(images.shape)
                    for image, exact in zip(got, moved if copy else images):
                        self.assertGreaterEqual(psnr(image, loading.resized(exact, size, ready["filter"])), 40)

        self.for_each(RESIZERS + [(*RESIZERS[1], "--reuse"), (*RESIZERS[2], "--reuse"), (*RESIZERS[3], "--reuse")], pixels)

    def test_what_they_do_not(self):
        images = np.zeros((1, 4, 4, 3), np.uint8)

        def refusals(command, peer):
            alone = f"{peer.name} does one resize and nothing else, on the CPU"
            rows = f"{peer.name} resizes rows of pixels: nhwc, 3 channels of uint8"
            planes = {"shape": [1, 3, 4, 4], "layout": "nchw"}
            for why, request in ((rows, self.resize(images[..., :1], (2, 2))),
                                 (rows, self.resize(images.astype(np.float32), (2, 2))),
                                 (rows, self.resize(np.zeros((1, 3, 4, 4), np.uint8), (2, 2), **planes)),
                                 (alone, self.resize(images, (2, 2), op="crop")),
                                 (alone, {**self.resize(images, (2, 2)), "device": "cuda:0"}),
                                 ("these libraries' images are in pageable memory",
                                  self.resize(images, (2, 2), memory="pinned"))):
                self.assertEqual(peer.ask(request), {"type": "unsupported", "why": why})
            self.assertEqual(peer.ask(self.request(self.jpegs(1), (1, 3, 4, 6))), {
                "type": "unsupported", "why": f"{peer.name} decodes no files (--decoder names who does)"})

        self.for_each(RESIZERS, refusals)
        for command, title in ((RESIZERS[0], "Pillow"), (RESIZERS[4], "kornia-rs")):
            with self.subTest(command=command):
                self.assertEqual(self.greeted((*command, "--reuse")).ask(self.resize(images, (2, 2))), {
                    "type": "unsupported", "why": f"{title} allocates its output itself (without --reuse)"})
        self.for_each(LOADERS[:1], lambda _, peer: self.assertEqual(peer.ask(self.resize(images, (2, 2))), {
            "type": "unsupported",
            "why": "pillow starts with a load (without --decoder, a library resizes images that are there)"}))
        self.for_each(LOADERS[-1:], lambda _, peer: self.assertEqual(peer.ask(self.resize(images, (2, 2))), {
            "type": "unsupported", "why": "DALI loads files and nothing else here"}))


class Headers(LoadingTest):
    def test_the_orientation_is_one_that_exif_knows(self):
        for stored in range(11):
            path = write_jpeg(self.dir / f"{stored}.jpg", picture(30, 20))
            turned(path, stored)
            known = stored if 1 <= stored <= 8 else 1
            self.assertEqual(jpeg_header.header(path), (30, 20, known))
            self.assertEqual(jpeg_header.upright_extent(path), (20, 30) if known >= 5 else (30, 20))

    def test_what_may_lie_between_segments(self):
        path = write_jpeg(self.dir / "a.jpg", picture(30, 20))
        turned(path, 6)
        filled(path)
        self.assertEqual(jpeg_header.header(path), (30, 20, 6))
        data = Path(path).read_bytes()
        Path(path).write_bytes(data[:2] + b"\1\xff\0" + data[2:])  # libjpeg skips them with a warning
        self.assertEqual(jpeg_header.header(path), (30, 20, 6))

    def test_a_damaged_exif_block_asks_for_no_turn(self):
        path = write_jpeg(self.dir / "a.jpg", picture(30, 20))
        with_damaged_exif(path)
        self.assertEqual(jpeg_header.header(path), (30, 20, 1))

    def test_files_without_a_header(self):
        path = self.dir / "a"
        for data, other in ((b"", True), (b"\xff", True), (b"\x89PNG\r\n\x1a\n", True), (b"\xff\xd8", False),
                            (b"\xff\xd8" + b"\xff" * 9, False), (b"\xff\xd8\xff\xe1\0\1", False)):
            path.write_bytes(data)
            self.assertEqual((jpeg_header.header(path), jpeg_header.is_other(path)), (None, other), data)
        path.unlink()
        self.assertEqual((jpeg_header.header(path), jpeg_header.is_other(path)), (None, False))


class Setup(PeerTest):
    """Runs the setup in an environment whose packages have only names and versions, and whose pip writes what it is to
    install to pip.log."""

    def setUp(self):
        super().setUp()
        self.installed, self.log = self.dir / "installed", self.dir / "pip.log"
        (self.dir / "venv/bin").mkdir(parents=True)
        self.program("venv/bin/python", f'[ "$1" = -m ] && echo "$@" >>{self.log} && exit\n'
                     f'PYTHONPATH={self.installed} exec "{sys.executable}" -S "$@"\n')
        self.program("has-gpu", "exit 1\n")
        shutil.copy(PEERS / "setup", self.dir)

    def program(self, name, text):
        (self.dir / name).write_text("#!/bin/sh\n" + text)
        (self.dir / name).chmod(0o755)

    def package(self, name, version):
        folder = self.installed / f"{name.replace('-', '_')}-{version}.dist-info"
        folder.mkdir(parents=True)
        (folder / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n")

    def run_setup(self, *names):
        return subprocess.run([self.dir / "setup", *names], capture_output=True, text=True,
                              env={**os.environ, "NORMBENCH_PEERS_VENV": str(self.dir / "venv")})

    def test_the_size_is_told_of_what_is_missing(self):
        for name, version in (("numpy", "2"), ("pillow", "13"), ("simplejpeg", "1.9.0")):
            self.package(name, version)
        said = self.run_setup("simplejpeg", "kornia-rs")
        self.assertEqual(said.returncode, 0, said.stderr)
        self.assertIn("installing kornia-rs into", said.stderr)
        self.assertIn("\n  kornia-rs: about 5 MB", said.stderr)
        self.assertNotIn("simplejpeg", said.stderr)
        self.assertEqual((self.run_setup("simplejpeg").stderr, self.log.read_text().count("\n")), ("", 1))

    def test_another_version_is_replaced(self):
        for name, version in (("numpy", "2"), ("spdl", "0.7.0"), ("kornia-rs", "0.2.0")):
            self.package(name, version)
        told = self.run_setup("--check").stdout
        self.assertIn("\n  spdl 0.7.0, to be replaced by 0.8.0 (scripts/peers/setup spdl)\n", told)
        self.assertIn("\n  kornia-rs 0.2.0\n", told)
        said = self.run_setup("spdl")
        self.assertIn("installing spdl==0.8.0 into", said.stderr)
        self.assertIn("\n  spdl: about 13 MB", said.stderr)
        self.assertIn("install numpy spdl==0.8.0\n", self.log.read_text())

    def test_names_that_are_none(self):
        for name in ("", "*", "@", "torchcodec simplejpeg", "$(false)"):
            said = self.run_setup(name)
            self.assertEqual((said.returncode, said.stdout), (2, ""), said)
            self.assertTrue(said.stderr.startswith("usage: scripts/peers/setup [--check | NAME...]"), said)
        self.assertFalse(self.log.exists())


class TorchcodecOfPytorch(PeerTest):
    def test_it_is_installed_by_name_and_its_version_is_told(self):
        for module in ("numpy", "torch", "torchvision"):  # stand-ins that the peer can import
            (self.dir / f"{module}.py").write_text('__version__ = "1"\n')
        command = [sys.executable, "-S", PEERS / "torch_peer.py", "--as", "torchvision", "--decoder", "torchcodec"]
        env = {**os.environ, "PYTHONPATH": str(self.dir)}
        self.assertEqual(self.converse(command, env).hello(), {
            "type": "unavailable", "why": "TorchCodec is not installed (run scripts/peers/setup torchcodec)"})
        (self.dir / "torchcodec.py").write_text('__version__ = "2"\n')
        self.assertEqual(self.converse(command, env).hello()["version"], "1+2")


class Usage(PeerTest):
    def test_a_library_is_named(self):
        code, stderr, _ = self.converse([PEERS / "run", IMAGES]).finish()
        self.assertEqual(code, 2)
        self.assertIn("error: --decoder, --resizer or both", stderr)


if __name__ == "__main__":
    program = unittest.main(argv=[sys.argv[0], *sys.argv[2:]], exit=False)
    if not program.result.wasSuccessful():
        sys.exit(1)
    if not any(started.values()):
        print("skipped: no library of these peers is installed (run scripts/peers/setup)")
        sys.exit(77)
