"""Tests `normbench prepare`: its files, mistakes, kills, full disks and broken images.

usage: prepare_test.py NORMBENCH
"""
import ast
import ctypes
import json
import os
import pathlib
import pty
import random
import signal
import struct
import subprocess
import sys
import tempfile
import time
import unittest
import zlib

NORMBENCH = pathlib.Path(sys.argv[1]).resolve()


def chunk(kind, data):
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))


def png(rows):
    """Returns a PNG of rows of red, green and blue bytes."""
    lines = b"".join(b"\0" + row for row in rows)
    return (b"\x89PNG\r\n\x1a\n" +
            chunk(b"IHDR", struct.pack(">IIBBBBB", len(rows[0]) // 3, len(rows), 8, 2, 0, 0, 0)) +
            chunk(b"IDAT", zlib.compress(lines, 1)) + chunk(b"IEND", b""))


def noise(height, width, seed):
    """Returns rows of noise, which no format compresses."""
    generator = random.Random(seed)
    return [generator.randbytes(3 * width) for _ in range(height)]


def read_png(file):
    """Returns the rows of a PNG of 8-bit RGB. Its rows may have any filter."""
    at, data, (width, height) = 8, b"", struct.unpack(">II", file[16:24])
    while at < len(file):
        (length,), kind = struct.unpack(">I", file[at:at + 4]), file[at + 4:at + 8]
        data += file[at + 8:at + 8 + length] if kind == b"IDAT" else b""
        at += 12 + length
    data, stride, above, rows = zlib.decompress(data), 3 * width, bytes(3 * width), []
    for y in range(height):
        filtered, kind = data[y * (stride + 1) + 1:(y + 1) * (stride + 1)], data[y * (stride + 1)]
        row = bytearray()
        for x, value in enumerate(filtered):
            left, up, corner = row[x - 3] if x > 2 else 0, above[x], above[x - 3] if x > 2 else 0
            near = min((left, up, corner), key=lambda v: abs(left + up - corner - v))
            row.append((value + (0, left, up, (left + up) // 2, near)[kind]) % 256)
        above = bytes(row)
        rows.append(above)
    return rows


def read_npy(file):
    """Returns the shape, the offset of the data, and the data of a .npy of uint8."""
    assert file[:8] == b"\x93NUMPY\1\0", file[:8]
    (length,) = struct.unpack("<H", file[8:10])
    header = ast.literal_eval(file[10:10 + length].decode())
    assert (header["descr"], header["fortran_order"]) == ("|u1", False), header
    return header["shape"], 10 + length, file[10 + length:]


def resized(rows, height, width):
    """Resizes by the definition of the triangle filter: the centres of pixels are at half integers,
    and the triangle is wider if the image shrinks."""
    def taps(size, to):
        scale = size / to
        for i in range(to):
            centre, reach = (i + 0.5) * scale, max(1.0, scale)
            weights = {j: 1 - abs(j + 0.5 - centre) / reach for j in range(size)
                       if abs(j + 0.5 - centre) < reach}
            total = sum(weights.values())
            yield {j: weight / total for j, weight in weights.items()}

    across = [[sum(weight * row[3 * j + c] for j, weight in tap.items()) for tap in taps(len(row) // 3, width)
               for c in range(3)] for row in rows]
    return [[sum(weight * across[j][x] for j, weight in tap.items()) for x in range(3 * width)]
            for tap in taps(len(rows), height)]


def files_of(folder):
    return {path.name: path.read_bytes() for path in folder.iterdir() if path.is_file()}


class Prepare(unittest.TestCase):
    def setUp(self):
        temporary = tempfile.TemporaryDirectory()
        self.addCleanup(temporary.cleanup)
        self.dir = pathlib.Path(temporary.name)
        self.photos = self.dir / "photos"
        self.photos.mkdir()
        self.sets = 0

    def make_photos(self, count, height=40, width=60):
        """Writes images. Returns their rows by name."""
        made = {f"{i:03}": noise(height, width, i) for i in range(count)}
        for name, rows in made.items():
            (self.photos / f"{name}.png").write_bytes(png(rows))
        return made

    def command(self, folder, *args, source=None):
        return [str(arg) for arg in (NORMBENCH, "prepare", source or self.photos, folder, *args)]

    def prepare(self, folder, *args, code=0, source=None, **kwargs):
        done = subprocess.run(self.command(folder, *args, source=source), capture_output=True, text=True,
                              timeout=120, **kwargs)
        self.assertEqual(done.returncode, code, done.stderr + done.stdout)
        return done

    def new_set(self, *args, **kwargs):
        self.sets += 1
        folder = self.dir / f"set {self.sets}"
        self.prepare(folder, *args, **kwargs)
        return folder

    def manifest(self, folder):
        """Compares the manifest with the files. Returns the manifest without its seconds."""
        manifest = json.loads((folder / "manifest.json").read_text())
        files = files_of(folder)
        del files["manifest.json"]
        self.assertEqual(sorted(files), sorted(file["name"] for file in manifest["files"]))
        for file in manifest["files"]:
            content = files[file["name"]]
            self.assertEqual((file["bytes"], file["crc32"]), (len(content), f"{zlib.crc32(content):08x}"))
        self.assertEqual(manifest["bytes"], sum(map(len, files.values())))
        self.assertEqual(manifest["images"], sum(file["images"] for file in manifest["files"]))
        self.assertEqual(manifest["images"], len(manifest["sources"]))
        for source in manifest["sources"]:
            content = (self.photos / source["name"]).read_bytes()
            self.assertEqual((source["bytes"], source["crc32"]), (len(content), f"{zlib.crc32(content):08x}"))
        self.assertEqual(manifest["source_bytes"], sum(source["bytes"] for source in manifest["sources"]))
        self.assertGreater(manifest.pop("seconds"), 0)
        return manifest

    def same(self, folder, other):
        """Checks that both folders have the same content. Seconds may differ."""
        self.assertEqual(self.manifest(folder), self.manifest(other))
        files, others = files_of(folder), files_of(other)
        for name in files:
            if name != "manifest.json":
                self.assertEqual(files[name], others[name], name)


class Forms(Prepare):
    def test_each_form_holds_the_images(self):
        made = self.make_photos(3)
        (self.photos / "000.png").rename(self.photos / "000.PNG")
        for storage, end, read in (
            ("png", "png", lambda file: b"".join(read_png(file))),
            ("npy", "npy", lambda file: read_npy(file)[2]),
        ):
            folder = self.new_set("--storage", storage)
            manifest = self.manifest(folder)
            self.assertEqual({key: manifest[key] for key in ("schema", "storage", "height", "width", "quality",
                                                             "shards", "layout", "dtype", "images", "left_out")},
                             {"schema": 1, "storage": storage, "height": None, "width": None, "quality": None,
                              "shards": None, "layout": "nhwc", "dtype": "uint8", "images": 3, "left_out": []})
            self.assertEqual(manifest["tool"]["name"], "normbench")
            self.assertEqual([source["name"] for source in manifest["sources"]], ["000.PNG", "001.png", "002.png"])
            for name, rows in made.items():
                self.assertEqual(read((folder / f"{name}.{end}").read_bytes()), b"".join(rows), storage)
        shape, offset, _ = read_npy((folder / "000.npy").read_bytes())
        self.assertEqual((shape, offset % 64), ((40, 60, 3), 0))

    def test_a_jpeg_has_the_quality_that_is_asked_for(self):
        self.make_photos(2)
        folders = [self.new_set("--storage", "jpeg", *args) for args in ([], ["--quality", 95], ["--quality", 30])]
        self.assertEqual([self.manifest(folder)["quality"] for folder in folders], [95, 95, 30])
        self.same(*folders[:2])
        sizes = [(folder / "001.jpg").stat().st_size for folder in folders]
        self.assertLess(sizes[2], 0.6 * sizes[1])
        back = self.new_set("--storage", "raw", "--size", 40, 60, source=folders[0])
        error = max(abs(a - b) for a, b in zip((back / "001.raw").read_bytes(), b"".join(noise(40, 60, 1))))
        self.assertLess(error, 40)  # JPEG's error for noise at quality 95; wrong rows would differ by up to 255

    def test_a_size_is_what_an_antialiased_resize_gives(self):
        made = self.make_photos(2)
        folder = self.new_set("--storage", "raw", "--size", 13, 80)
        for name, rows in made.items():
            pixels = (folder / f"{name}.raw").read_bytes()
            self.assertEqual(len(pixels), 13 * 80 * 3)
            expected = [value for row in resized(rows, 13, 80) for value in row]
            self.assertLessEqual(max(abs(a - b) for a, b in zip(pixels, expected)), 0.51 + 0.1)

    def test_shards_hold_all_images_in_order(self):
        self.make_photos(10)
        single = self.new_set("--storage", "raw", "--size", 8, 9)
        images = [(single / f"{i:03}.raw").read_bytes() for i in range(10)]
        for storage in ("raw", "npy"):
            folder = self.new_set("--storage", storage, "--size", 8, 9, "--shards", 4)
            manifest = self.manifest(folder)
            names = [f"shard-{i:04}-of-0004.{storage}" for i in range(4)]
            self.assertEqual([file["name"] for file in manifest["files"]], names)
            counts = [file["images"] for file in manifest["files"]]
            self.assertEqual((sum(counts), sorted(counts)), (10, [2, 2, 3, 3]))
            held = b""
            for name, count in zip(names, counts):
                content = (folder / name).read_bytes()
                if storage == "npy":
                    shape, offset, content = read_npy(content)
                    self.assertEqual((shape, offset % 64), ((count, 8, 9, 3), 0))
                held += content
            self.assertEqual(held, b"".join(images))

    def test_planes_are_those_that_load_gives(self):
        self.make_photos(4)
        plain = self.new_set("--storage", "raw", "--size", 8, 9, "--pixel-format", "ycbcr420")
        shards = self.new_set("--storage", "npy", "--size", 8, 9, "--pixel-format", "ycbcr420", "--shards", 2)
        bytes_of_an_image = 8 * 9 + 2 * 4 * 5
        files = sorted(plain.glob("*.raw"))
        self.assertEqual({file.stat().st_size for file in files}, {bytes_of_an_image})
        whole = b"".join(file.read_bytes() for file in files)
        rows = b"".join(file.read_bytes()[128:] for file in sorted(shards.glob("*.npy")))
        self.assertEqual(whole, rows)
        manifest = self.manifest(plain)
        self.assertEqual((manifest["pixel_format"], manifest["layout"]), ("ycbcr420", "nchw"))
        self.assertEqual(len(whole), bytes_of_an_image * manifest["images"])

    def test_threads_change_no_byte(self):
        self.make_photos(30)
        for args in (["png", "--size", 30, 30], ["npy", "--size", 20, 20, "--shards", 3]):
            folders = [self.new_set("--storage", *args, "--threads", n) for n in (1, 2, 7)]
            self.same(folders[0], folders[1])
            self.same(folders[0], folders[2])

    def test_sources_may_be_a_file_or_a_glob(self):
        self.make_photos(12)
        names = [source["name"] for source in self.manifest(
            self.new_set("--storage", "png", source=self.photos / "00[13]*"))["sources"]]
        self.assertEqual(names, ["001.png", "003.png"])
        folder = self.new_set("--storage", "png", source=self.photos / "007.png")
        self.assertEqual(sorted(files_of(folder)), ["007.png", "manifest.json"])

    def test_what_is_said(self):
        self.make_photos(40, 4, 4)
        done = self.prepare(self.dir / "set", "--storage", "raw", "--size", 4, 4)
        self.assertRegex(done.stdout, r"^40 images in \S+/set: [\d.]+ kB read, 1.92 kB written \(0\.\d+x\) in "
                                      r"[\d.]+ s, [\d.,]+ images/s\n$")
        lines = done.stderr.splitlines()
        self.assertEqual(len(lines), 10, lines)
        for tenth, line in enumerate(lines, 1):
            self.assertRegex(line, rf"^{4 * tenth} of 40 images, [\d.,]+ images/s, about \d+ s left$")
        before = files_of(self.dir / "set")
        done = self.prepare(self.dir / "set", "--storage", "raw", "--size", 4, 4)
        self.assertRegex(done.stdout, r"^40 images in \S+/set: .*\nNothing to do: it is there already\n$")
        self.assertEqual(done.stderr, "")
        self.assertEqual(files_of(self.dir / "set"), before)


class Mistakes(Prepare):
    def refused(self, folder, *args, **kwargs):
        before = files_of(folder) if folder.exists() else None
        done = self.prepare(folder, *args, code=2, **kwargs)
        self.assertEqual(done.stdout, "")
        self.assertEqual(files_of(folder) if folder.exists() else None, before)
        return done.stderr.splitlines()

    def test_all_are_told_at_once(self):
        self.make_photos(3)
        (self.photos / "001.jpg").write_bytes(b"")
        out = self.dir / "out"
        self.assertEqual(
            self.refused(out, "--storage", "raw", "--quality", 3, "--shards", 9, "--threads", 0, "--on-error", "stop"),
            ["normbench: --threads 0: expected a whole number from 1 to 4096",
             'normbench: unknown on-error "stop" (known: fail, skip)',
             "normbench: --quality: is for --storage jpeg only",
             "normbench: --storage raw: needs --size H W, since the files do not store their shape",
             "normbench: --shards: needs --size H W, since a shard's images have one size",
             "normbench: --shards 9: there are only 4 images",
             "6 mistakes; nothing was run"])
        self.assertEqual(
            self.refused(out, "--storage", "tiff", "--size", 0, "x", source=self.dir / "nowhere"),
            ['normbench: unknown storage "tiff" (known: jpeg, png, raw, npy)',
             "normbench: --size 0: expected a whole number from 1 to 268435456",
             "normbench: --size x: expected a whole number from 1 to 268435456",
             f"normbench: no such folder or file: {self.dir}/nowhere",
             "4 mistakes; nothing was run"])
        self.assertEqual(self.refused(out, "--storage", "png", "--shards", 2, source=self.photos / "002.png"),
                         ["normbench: --shards: is for --storage raw and npy only; png stores a file for each image",
                          "normbench: --shards 2: there is only 1 image",
                          "2 mistakes; nothing was run"])

    def test_planes_have_a_size_and_are_no_pictures(self):
        self.make_photos(2)
        out = self.dir / "refused"
        self.assertEqual(self.refused(out, "--storage", "png", "--pixel-format", "ycbcr420"),
                         ["normbench: --pixel-format ycbcr420: is for --storage raw and npy only"])
        self.assertEqual(self.refused(out, "--storage", "npy", "--pixel-format", "ycbcr420"),
                         ["normbench: --pixel-format ycbcr420: needs --size H W, since the files do not store their shape"])

    def test_of_the_command_line(self):
        self.make_photos(1)
        see = "; see normbench prepare --help"
        for args, line in ((["--size", 2], "--size: expected two values, H W"),
                           (["--size", 2, 3, "--size", 2, 3], "--size: given more than once"),
                           (["--size", 2, 3, 4], 'unexpected "4" (prepare takes SRC DST)'),
                           (["--shard", 2], 'unknown option "--shard" (did you mean "--shards"?)')):
            self.assertEqual(self.refused(self.dir / "out", "--storage", "png", *args),
                             [f"normbench: {line}{see}"])
        self.assertEqual(self.refused(self.dir / "out"), [f"normbench: --storage is required{see}"])

    def test_a_dataset_has_a_folder_of_its_own(self):
        self.make_photos(2)
        (self.dir / "link").symlink_to(self.photos)
        for folder in (self.photos, self.dir / "link", self.dir):
            self.assertEqual(self.refused(folder, "--storage", "npy")[0],
                             f"normbench: {self.photos}/000.png: lies in {folder}, which is for the dataset "
                             "(give another folder)")
        links = self.dir / "links"
        links.mkdir()
        (links / "a.png").symlink_to(self.photos / "000.png")
        self.assertEqual(self.refused(links, "--storage", "npy", source=links)[0],
                         f"normbench: {links}/a.png: lies in {links}, which is for the dataset (give another folder)")
        other = self.dir / "other"
        other.mkdir()
        (other / "000.npy").write_bytes(b"mine")
        self.assertEqual(self.refused(other, "--storage", "npy"),
                         [f"normbench: {other} holds other files: 000.npy (give a new or an empty folder)"])
        file = self.dir / "file"
        file.write_text("mine")
        done = self.prepare(file, "--storage", "npy", code=5)
        self.assertEqual(done.stderr, f"normbench: cannot create {file}: {file} is not a folder\n")
        self.manifest(self.prepare_in_photos())

    def prepare_in_photos(self):
        inside = self.photos / "set"
        self.prepare(inside, "--storage", "npy")
        return inside

    def test_another_dataset_is_not_overwritten(self):
        self.make_photos(4)
        finished = self.new_set("--storage", "npy", "--size", 5, 6, "--shards", 2)
        begun = self.dir / "begun"
        (self.photos / "broken.png").write_bytes(b"")
        self.prepare(begun, "--storage", "npy", "--size", 5, 6, "--shards", 2, code=1)
        for folder, is_begun in ((finished, False), (begun, True)):
            what = "preparation" if is_begun else "dataset"
            lines = self.refused(folder, "--storage", "jpeg", "--size", 5, 7)
            expected = [f"{folder}: holds another {what}: {text}" for text in (
                "storage was npy, is jpeg", "width was 6, is 7", "quality was not given, is 95",
                "shards was 2, is not given")]
            self.assertEqual(lines[:4], expected)
            lines = self.refused(folder, "--storage", "npy", "--size", 5, 6, "--shards", 2,
                                 source=self.photos / "00[12].png")
            self.assertRegex(lines[0], f"holds another {what}: no longer among the images: \\S*000.png")

    def test_what_is_damaged_is_not_guessed(self):
        self.make_photos(2)
        folder = self.new_set("--storage", "png")
        (folder / "manifest.json").write_text('{"tool": {"name": "normbench"}}')
        self.assertIn("manifest.json: ", self.refused(folder, "--storage", "png")[0])
        (folder / "manifest.json").write_text('{"name": "an app of the web"}')
        self.assertIn("holds other files: ", self.refused(folder, "--storage", "png")[0])
        begun = self.dir / "begun"
        begun.mkdir()
        (begun / "prepare.jsonl").write_text("{}\n")
        self.assertIn("prepare.jsonl: entry 1: ", self.refused(begun, "--storage", "png")[0])


class Broken(Prepare):
    def setUp(self):
        super().setUp()
        self.made = self.make_photos(5)
        self.kept = (self.photos / "001.png").read_bytes()
        (self.photos / "001.png").write_bytes(b"")
        (self.photos / "003.png").write_bytes(b"\x01ello")
        self.reason = "not an image this version reads (JPEG, PNG and WebP; the file starts with 01 65 6c 6c)"

    def test_images_are_all_named_and_the_others_done(self):
        folder = self.dir / "set"
        for _ in range(2):
            done = self.prepare(folder, "--storage", "png", "--threads", 2, code=1)
            self.assertEqual(done.stdout, "")
            self.assertEqual(done.stderr.splitlines()[-2:], [
                f"normbench: 2 of 5 images cannot be read: 001.png (empty file); 003.png ({self.reason})",
                "normbench: all other files are done; repair these, or leave them out with --on-error skip, and give "
                "the same command again"])
            self.assertEqual(sorted(files_of(folder)), ["000.png", "002.png", "004.png", "prepare.jsonl"])
        (self.photos / "001.png").write_bytes(self.kept)
        self.prepare(folder, "--storage", "png", code=1)
        done = self.prepare(folder, "--storage", "png", "--on-error", "skip")
        self.assertIn(f"Left out: 003.png ({self.reason})\n", done.stdout)
        self.assertEqual(b"".join(read_png((folder / "001.png").read_bytes())), b"".join(self.made["001"]))
        manifest = self.manifest(folder)
        self.assertEqual(manifest["left_out"], [{"name": "003.png", "bytes": 5, "why": self.reason}])
        self.assertEqual(manifest["images"], 4)
        self.same(folder, self.new_set("--storage", "png", "--on-error", "skip"))

    def test_a_shard_with_one_is_not_made_or_goes_without(self):
        args = ["--storage", "npy", "--size", 8, 8, "--shards", 2]
        folder = self.dir / "set"
        self.prepare(folder, *args, code=1)
        self.assertEqual(sorted(files_of(folder)), ["prepare.jsonl"])
        (self.photos / "003.png").unlink()
        (self.photos / "003.png").write_bytes(png(self.made["003"]))
        self.prepare(folder, *args, code=1)
        self.assertEqual(sorted(files_of(folder)), ["prepare.jsonl", "shard-0001-of-0002.npy"])
        self.prepare(folder, *args, "--on-error", "skip")
        manifest = self.manifest(folder)
        self.assertEqual([file["images"] for file in manifest["files"]], [1, 3])
        self.assertEqual(read_npy((folder / "shard-0000-of-0002.npy").read_bytes())[0], (1, 8, 8, 3))
        self.same(folder, self.new_set(*args, "--on-error", "skip", "--threads", 2))

    def test_a_repaired_image_is_not_taken_for_left_out(self):
        args = ["--storage", "npy", "--size", 8, 8, "--shards", 2, "--on-error", "skip"]
        folder = self.dir / "set"
        self.prepare(folder, *args)
        self.assertIn("Nothing to do", self.prepare(folder, *args).stdout)
        (self.photos / "001.png").write_bytes(self.kept)
        self.assertIn(f"changed since the preparation of {folder} began: {self.photos}/001.png (",
                      self.prepare(folder, *args, code=1).stderr)

    def test_a_link_that_leads_nowhere_is_a_broken_image(self):
        (self.photos / "001.png").unlink()
        (self.photos / "001.png").symlink_to(self.dir / "gone.png")
        folder = self.dir / "set"
        done = self.prepare(folder, "--storage", "png", code=1)
        self.assertIn("normbench: 2 of 5 images cannot be read: 001.png (No such file or directory); 003.png", done.stderr)
        done = self.prepare(folder, "--storage", "png", "--on-error", "skip")
        self.assertIn("Left out: 001.png (No such file or directory)\nLeft out: 003.png", done.stdout)

    def test_images_of_a_shard_may_differ_by_their_ends_alone(self):
        (self.photos / "000.PNG").write_bytes((self.photos / "000.png").read_bytes())
        source = self.photos / "000.*"
        done = self.prepare(self.dir / "a", "--storage", "npy", "--size", 8, 8, source=source, code=2)
        self.assertIn(f"normbench: {self.photos}/000.PNG and {self.photos}/000.png have the same name without the extension "
                      "(rename one)\n", done.stderr)
        self.prepare(self.dir / "b", "--storage", "npy", "--size", 8, 8, "--shards", 1, source=source)
        self.assertEqual(self.manifest(self.dir / "b")["images"], 2)

    def test_an_image_that_was_repaired_meanwhile_is_taken(self):
        args = ["--storage", "npy", "--size", 8, 8, "--shards", 2]
        folder = self.dir / "set"
        self.prepare(folder, *args, code=1)
        lines = (folder / "prepare.jsonl").read_text().splitlines()
        skipped = self.dir / "skipped"
        self.prepare(skipped, *args, "--on-error", "skip")
        manifest = json.loads((skipped / "manifest.json").read_text())
        first = manifest["files"][0]  # as if `prepare` had been killed after this file
        lines.append(json.dumps({"file": first, "sources": manifest["sources"][:1],
                                 "left_out": manifest["left_out"][:1], "seconds": 1}))
        (folder / "prepare.jsonl").write_text("\n".join(lines) + "\n")
        (folder / first["name"]).write_bytes((skipped / first["name"]).read_bytes())
        (self.photos / "001.png").write_bytes(self.kept)
        self.prepare(folder, *args, "--on-error", "skip")
        self.assertEqual([image["name"] for image in self.manifest(folder)["left_out"]], ["003.png"])

    def test_what_was_left_out_is_not_when_all_are_wanted(self):
        args = ["--storage", "npy", "--size", 8, 8, "--shards", 2]
        folder = self.dir / "set"
        subprocess.run(self.command(folder, *args, "--on-error", "skip"), check=True, capture_output=True)
        journal = self.dir / "begun"
        journal.mkdir()
        # Makes the state of a `prepare` that was killed before it wrote its manifest.
        self.prepare(journal, *args, code=1)
        lines = (journal / "prepare.jsonl").read_text().splitlines()
        manifest = json.loads((folder / "manifest.json").read_text())
        first = manifest["files"][0]
        lines.append(json.dumps({"file": first, "sources": manifest["sources"][:1],
                                 "left_out": manifest["left_out"][:1], "seconds": 1}))
        (journal / "prepare.jsonl").write_text("\n".join(lines) + "\n")
        (journal / first["name"]).write_bytes((folder / first["name"]).read_bytes())
        done = self.prepare(journal, *args, code=1)
        self.assertIn("2 of 5 images cannot be read", done.stderr)
        self.prepare(journal, *args, "--on-error", "skip")
        self.same(journal, folder)

    def test_a_file_that_is_lost_with_its_source_is_not_in_the_manifest(self):
        def obey_permissions():  # makes root obey the permissions of files
            for capability in (1, 2):  # CAP_DAC_OVERRIDE, CAP_DAC_READ_SEARCH
                ctypes.CDLL(None).prctl(24, capability, 0, 0, 0)  # PR_CAPBSET_DROP

        folder = self.dir / "set"
        self.prepare(folder, "--storage", "png", code=1)
        (folder / "000.png").unlink()
        (self.photos / "000.png").chmod(0)
        self.prepare(folder, "--storage", "png", "--on-error", "skip", preexec_fn=obey_permissions)
        (self.photos / "000.png").chmod(0o644)
        left_out = self.manifest(folder)["left_out"]
        self.assertEqual([image["name"] for image in left_out], ["000.png", "001.png", "003.png"])
        self.assertEqual(left_out[0]["why"], "Permission denied")

    def test_there_is_no_dataset_without_an_image(self):
        done = self.prepare(self.dir / "set", "--storage", "png", "--on-error", "skip", code=1,
                            source=self.photos / "00[13].png")
        self.assertEqual(done.stderr.splitlines()[-1], "normbench: no image is left")
        self.assertFalse((self.dir / "set" / "manifest.json").exists())


class Changed(Prepare):
    def test_a_source_that_changes_before_the_rest_is_made(self):
        self.make_photos(4)
        folder = self.dir / "set"
        (self.photos / "002.png").write_bytes(b"")
        self.prepare(folder, "--storage", "png", code=1)
        kept = files_of(folder)
        (self.photos / "000.png").write_bytes(png(noise(40, 60, 99)))
        done = self.prepare(folder, "--storage", "png", "--on-error", "skip", code=1)
        self.assertEqual(done.stderr, f"normbench: changed since the preparation of {folder} began: "
                                      f"{self.photos}/000.png (finished files are kept; remove the folder to start "
                                      "again)\n")
        self.assertEqual(files_of(folder), kept)


class Interrupted(Prepare):
    FORMS = (["--storage", "png", "--size", 64, 64], ["--storage", "npy", "--size", 48, 64, "--shards", 5])

    def start(self, folder, *args):
        # A shell that runs the tests in the background may have set SIGINT to be ignored. So the
        # default action is restored.
        return subprocess.Popen(self.command(folder, *args), stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                                preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL))

    def test_killed_at_any_moment_it_gives_the_same(self):
        self.make_photos(24, 200, 200)
        generator = random.Random(7)
        for args in self.FORMS:
            begin = time.monotonic()
            whole = self.new_set(*args)
            took = time.monotonic() - begin
            expected, kills, partial = files_of(whole), 0, 0
            for number in range(10):
                folder = self.dir / f"killed {args[1]} {number}"
                for _ in range(3):
                    running = self.start(folder, *args, "--threads", 1 + number % 2)
                    time.sleep(generator.uniform(0, took))
                    running.kill()
                    running.communicate()
                    kills += running.returncode == -signal.SIGKILL
                    for name, content in files_of(folder).items() if folder.exists() else ():
                        if name not in ("prepare.jsonl", "manifest.json") and not name.endswith(".tmp"):
                            self.assertEqual(content, expected[name])  # whole, or absent
                            partial += 1
                self.prepare(folder, *args, "--threads", 1 + number % 2)
                self.same(folder, whole)
            self.assertGreater(kills, 5)
            self.assertGreater(partial, 5)  # files that a killed `prepare` left

    def test_what_is_finished_is_not_made_again(self):
        self.make_photos(6, 100, 100)
        folder = self.dir / "set"
        (self.photos / "003.png").write_bytes(b"")
        self.prepare(folder, "--storage", "npy", code=1)
        before = {path.name: path.stat() for path in folder.glob("*.npy")}
        self.assertEqual(len(before), 5)
        done = self.prepare(folder, "--storage", "npy", "--on-error", "skip")
        self.assertTrue(done.stderr.startswith("5 of 6 images are done already\n"), done.stderr)
        for name, status in before.items():
            now = (folder / name).stat()
            self.assertEqual((now.st_ino, now.st_mtime_ns), (status.st_ino, status.st_mtime_ns))

    def test_seconds_are_those_of_all_parts(self):
        self.make_photos(3)
        folder = self.dir / "set"
        (self.photos / "001.png").write_bytes(b"")
        self.prepare(folder, "--storage", "npy", code=1)
        journal = folder / "prepare.jsonl"
        lines = [json.loads(line) for line in journal.read_text().splitlines()]
        lines = [{**line, "seconds": 1000 + line["seconds"]} if "seconds" in line else line for line in lines]
        journal.write_text("".join(json.dumps(line) + "\n" for line in lines))
        self.prepare(folder, "--storage", "npy", "--on-error", "skip")
        seconds = json.loads((folder / "manifest.json").read_text())["seconds"]
        self.assertTrue(1000 < seconds < 1060, seconds)

    def test_signals_end_it_after_the_image_in_hand(self):
        self.make_photos(60, 300, 300)
        whole = self.new_set("--storage", "png")
        for how in (signal.SIGINT, signal.SIGTERM):
            folder = self.dir / f"stopped by {how}"
            running = self.start(folder, "--storage", "png", "--threads", 1)
            running.stderr.readline()  # it reports each tenth, so a tenth is done now
            running.send_signal(how)
            out, err = running.communicate(timeout=60)
            self.assertEqual(running.returncode, 130, err)
            self.assertRegex(out, r"^Interrupted: \d+ of 60 images are done; continue with the same command\n$")
            done = int(out.split()[1])
            names = sorted(files_of(folder))
            self.assertEqual(names, [f"{i:03}.png" for i in range(done)] + ["prepare.jsonl"])
            self.assertIn(f"{done} of 60 images are done already",
                          self.prepare(folder, "--storage", "png").stderr)
            self.same(folder, whole)

    def test_one_process_at_a_time(self):
        self.make_photos(60, 300, 300)
        folder = self.dir / "set"
        running = self.start(folder, "--storage", "png", "--threads", 1)
        running.stderr.readline()
        done = self.prepare(folder, "--storage", "png", code=2)
        self.assertIn("prepare.jsonl: another normbench is writing to it (wait for its end)", done.stderr)
        running.communicate(timeout=60)
        self.assertEqual(running.returncode, 0)
        self.manifest(folder)

    def test_killed_between_the_manifest_and_the_end(self):
        self.make_photos(2)
        folder = self.dir / "set"
        (self.photos / "001.png").rename(self.dir / "kept")
        (self.photos / "001.png").write_bytes(b"")
        self.prepare(folder, "--storage", "png", code=1)
        journal = (folder / "prepare.jsonl").read_bytes()
        self.prepare(folder, "--storage", "png", "--on-error", "skip")
        (folder / "prepare.jsonl").write_bytes(journal)
        self.assertIn("Nothing to do", self.prepare(folder, "--storage", "png", "--on-error", "skip").stdout)
        self.manifest(folder)

    def test_a_terminal_has_one_line(self):
        self.make_photos(40, 300, 300)
        child, terminal = pty.fork()
        if child == 0:
            os.execve(NORMBENCH, self.command(self.dir / "set", "--storage", "png", "--threads", 1),
                      {**os.environ, "TERM": "xterm"})
        shown = b""
        try:
            while part := os.read(terminal, 4096):
                shown += part
        except OSError:  # the process has ended
            pass
        _, status = os.waitpid(child, 0)
        os.close(terminal)
        self.assertEqual(status, 0)
        lines = shown.decode().replace("\r\n", "\n").split("\n")
        self.assertEqual(len(lines), 3, lines)  # the second line says what to do next, the last is empty
        self.assertRegex(lines[0].split("\r\x1b[K")[-1], r"^40 images in ")


class Disk(Prepare):
    def on_small_disk(self, size, *args):
        """Runs on a disk of its own. Its files are copied to `begun` before the disk is unmounted."""
        (self.dir / "disk").mkdir(exist_ok=True)
        script = ('mount -t tmpfs -o size="$1" none disk || exit 99\n'
                  'cp -a begun disk/set 2> /dev/null\n'
                  'shift; "$@"; code=$?\n'
                  "rm -rf begun; cp -a disk/set begun; exit $code")
        done = subprocess.run(["unshare", "--user", "--map-root-user", "--mount", "sh", "-c", script, "sh", size,
                               *self.command("disk/set", *args)], cwd=self.dir, capture_output=True, text=True,
                              timeout=120)
        if done.returncode == 99 or "unshare" in done.stderr:
            self.skipTest(f"no small file system can be mounted here: {done.stderr.strip()}")
        return done

    def test_a_full_disk(self):
        self.make_photos(12, 100, 100)  # 30 kB each as raw
        for args, wanted in ((["--storage", "raw", "--size", 100, 100], r"\d+.raw"),
                             (["--storage", "npy", "--size", 100, 100, "--shards", 3], r"shard-000\d-of-0003.npy")):
            done = self.on_small_disk("200k", *args, "--threads", 2)
            self.assertEqual((done.returncode, done.stdout), (5, ""), done.stderr)
            self.assertRegex(done.stderr.splitlines()[-1],
                             rf"^normbench: cannot write disk/set/{wanted}: No space left on device$")
            left = files_of(self.dir / "begun")
            self.assertEqual([name for name in left if name.endswith(".tmp")], [])
            self.assertGreater(len(left), 1)
            done = self.on_small_disk("2m", *args)
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertIn(" of 12 images are done already\n", done.stderr)
            self.same(self.dir / "begun", self.new_set(*args))
            subprocess.run(["rm", "-rf", self.dir / "begun"], check=True)

    def test_a_disk_that_is_full_from_the_start(self):
        self.make_photos(2)
        done = self.on_small_disk("4k", "--storage", "png")
        self.assertEqual(done.returncode, 5, done.stderr)
        self.assertRegex(done.stderr, r"^normbench: cannot \w+ disk/set\S*: No space left on device\n$")


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0], "-v", *sys.argv[2:]])
