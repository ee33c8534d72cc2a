"""Tests `normbench init` and `normbench schema` with the real binary and an independent validator (jsonschema, from
PyPI or Debian).

usage: init_test.py NORMBENCH SOURCE_DIR
"""

import copy
import itertools
import json
import os
import random
import re
import struct
import subprocess
import sys
import tempfile
import unittest
import zlib
from pathlib import Path

NORMBENCH, SOURCE_DIR = (Path(p).resolve() for p in sys.argv[1:3])
DEBIANS = "/usr/bin/python3"  # the Python with Debian's packages

try:
    import jsonschema
except ImportError:
    if not sys.executable.startswith(DEBIANS):
        os.execv(DEBIANS, [DEBIANS, *sys.argv])
    print("skipped: no jsonschema (Debian: python3-jsonschema)")
    sys.exit(77)

CONFIGS = sorted((SOURCE_DIR / "configs").glob("*.json"))
TEN_MISTAKES = SOURCE_DIR / "tests/app/data/ten_mistakes.json"


def normbench(*args, **kwargs):
    return subprocess.run([NORMBENCH, *(a if isinstance(a, bytes) else str(a) for a in args)], capture_output=True, text=True, **kwargs)


def parse(text):
    """Parses JSON with comments."""
    return json.loads(re.sub(r'("(?:\\.|[^"\\])*")|//[^\n]*|/\*.*?\*/', lambda m: m[1] or "", text, flags=re.S))


def png(height, width):
    rows = b"".join(b"\0" + bytes((x * 5 + y * 3 + c * 40) % 256 for x in range(width) for c in range(3))
                    for y in range(height))
    chunks = [(b"IHDR", struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)), (b"IDAT", zlib.compress(rows)), (b"IEND", b"")]
    return b"\x89PNG\r\n\x1a\n" + b"".join(struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))
                                           for kind, data in chunks)


class InFolder(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.dir = Path(folder.name)

    def photos(self, count=3):
        folder = self.dir / "photos"
        folder.mkdir()
        for i in range(count):
            (folder / f"{i}.png").write_bytes(png(40 + i, 60))
        return folder


class InitTest(InFolder):
    def init(self, *args):
        return normbench("init", *args, cwd=self.dir)

    def test_what_it_writes_runs_without_an_edit(self):
        self.photos()
        done = self.init("--images", "photos", "--size", 24, 32)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertEqual(done.stdout, "Wrote mine.jsonc (for editors: normbench.schema.json)\n"
                                      "Next: normbench run --config mine.jsonc\n")
        self.assertEqual({p.name for p in self.dir.iterdir()}, {"photos", "mine.jsonc", "normbench.schema.json"})
        ran = normbench("run", "--config", "mine.jsonc", "--quick", "--out", "out", cwd=self.dir)
        self.assertEqual(ran.returncode, 0, ran.stderr)
        self.assertIn("<svg", (self.dir / "out/report.html").read_text())
        results = json.loads((self.dir / "out/results.json").read_text())
        self.assertEqual([(g["experiment"], g["baseline"]) for g in results["groups"]],
                         [("loader", "decode, then cast, sub, div"), ("form", "cast, sub, div")])
        for group in results["groups"]:
            self.assertEqual({c["status"] for c in group["cases"]}, {"ok"})

    def test_every_choice_is_a_config_without_mistakes(self):
        self.photos(1)
        schema = jsonschema.Draft202012Validator(json.loads(normbench("schema").stdout))
        files = []
        for number, (images, dtype, gpu) in enumerate(itertools.product([[], ["--images", "photos"]],
                                                                        ["float16", "bfloat16", "float32"],
                                                                        [[], ["--gpu"]])):
            files.append(f"{number}.jsonc")
            done = self.init(files[-1], *images, *gpu, "--dtype", dtype, "--batch", 2, "--size", 8, 8)
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertEqual(list(schema.iter_errors(parse((self.dir / files[-1]).read_text()))), [])
        done = normbench("check", *files, cwd=self.dir)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        # Outputs of a group are compared, so all variants have the same dtype.
        self.assertIn("2x3x8x8 float16", done.stdout)
        self.assertIn("h2d", done.stdout)

    def test_images_elsewhere_are_found_from_the_configs_own_folder(self):
        self.photos()
        (self.dir / "configs").mkdir()
        for file, images in (("configs/up.jsonc", "photos"), ("below.jsonc", self.dir / "photos"),
                             ("glob.jsonc", "photos/[01].png")):
            self.assertEqual(self.init(file, "--images", images).returncode, 0)
            done = normbench("check", self.dir / file, cwd="/")
            self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn('"path": "photos"', (self.dir / "below.jsonc").read_text())
        self.assertIn("2 image files", normbench("check", self.dir / "glob.jsonc").stdout)

    def test_names_of_every_kind(self):
        folder = self.dir / 'a "quoted" ünïcödé 🙂 \\ folder'
        folder.mkdir()
        (folder / "x.png").write_bytes(png(9, 9))
        done = self.init("my nice: config.jsonc", "--images", folder)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("--config 'my nice: config.jsonc'", done.stdout)
        self.assertEqual(parse((self.dir / "my nice: config.jsonc").read_text())["name"], "my-nice-config")
        done = normbench("check", "my nice: config.jsonc", cwd=self.dir)
        self.assertEqual(done.returncode, 0, done.stderr)
        (folder / "x.png").rename(self.dir / "x.png")
        for images in ("$photos", "..photos", "$$"):
            (self.dir / images).mkdir()
            (self.dir / images / "x.png").write_bytes(png(9, 9))
            done = self.init(f"of {images}.jsonc", "--images", images)
            self.assertEqual(done.returncode, 0, done.stderr)
            done = normbench("check", f"of {images}.jsonc", cwd=self.dir)
            self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn('"path": "..photos"', (self.dir / "of ..photos.jsonc").read_text())
        self.assertIn("--config ./-x.jsonc", self.init("--", "-x.jsonc").stdout)
        for file in (".jsonc", "ünï.jsonc", "..jsonc", "x" * 200):
            done = self.init(file)
            self.assertEqual((done.returncode, normbench("check", file, cwd=self.dir).returncode), (0, 0), file)

    def test_all_mistakes_at_once_and_nothing_is_written(self):
        (self.dir / "mine.jsonc").write_text("mine")
        done = self.init("--images", "nowhere", "--batch", 0, "--size", "x", 4, "--dtype", "float61")
        self.assertEqual((done.returncode, done.stdout), (2, ""))
        lines = done.stderr.splitlines()
        self.assertEqual((len(lines), lines[-1]), (6, "5 mistakes; nothing was run"), done.stderr)
        for line, part in zip(lines, ["--batch 0", "float61", "mine.jsonc already exists", "--size x", "--images nowhere"]):
            self.assertIn(part, line)
        self.assertEqual({p.name for p in self.dir.iterdir()}, {"mine.jsonc"})
        self.assertEqual((self.dir / "mine.jsonc").read_text(), "mine")
        self.assertIn("known: float16, bfloat16, float32", self.init("other.jsonc", "--dtype", "uint8").stderr)
        (self.dir / "empty").mkdir()
        self.assertEqual(self.init("other.jsonc", "--images", "empty").returncode, 2)
        done = self.init("nowhere/x.jsonc")
        self.assertEqual(done.returncode, 5, done.stderr)
        done = self.init("--images", os.fsencode(self.dir) + b"/bad\xff")
        self.assertEqual(done.returncode, 2, done.stderr)
        self.assertIn("not UTF-8", done.stderr)

    def test_the_schema_is_written_over_no_other_file(self):
        self.assertIn("is the schema's name", self.init("normbench.schema.json").stderr)
        schema = self.dir / "normbench.schema.json"
        for theirs in ("{}", "not JSON", '{"title": "theirs"}'):
            schema.write_text(theirs)
            done = self.init("other.jsonc")
            self.assertEqual((done.returncode, schema.read_text()), (2, theirs), done.stderr)
            self.assertFalse((self.dir / "other.jsonc").exists())
        schema.write_text('{"$schema": "", "title": "normbench config", "older": true}')
        self.assertEqual(self.init("other.jsonc").returncode, 0)
        self.assertEqual(schema.read_text(), normbench("schema").stdout)
        (self.dir / "too long").mkdir()
        self.assertEqual(self.init("too long/" + "x" * 300).returncode, 5)
        self.assertEqual(list((self.dir / "too long").iterdir()), [])


def places(value, pointer=()):
    """Yields (place, value) for `value` itself and for every value in it."""
    yield pointer, value
    items = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, member in items:
        yield from places(member, (*pointer, key))


def changed(config, pointer, change):
    """Returns a copy of the config. The value at `pointer` is replaced by change(value)."""
    holder = {"": copy.deepcopy(config)}
    at = holder
    for key in ("", *pointer)[:-1]:
        at = at[key]
    last = ("", *pointer)[-1]
    at[last] = change(at[last])
    return holder[""]


class SchemaTest(InFolder):
    @classmethod
    def setUpClass(cls):
        cls.text = normbench("schema").stdout
        cls.schema = json.loads(cls.text)
        cls.validator = jsonschema.Draft202012Validator(cls.schema)

    def accepts(self, config):
        return self.validator.is_valid(config)

    def test_it_is_a_schema_and_the_kept_one_is_it(self):
        jsonschema.Draft202012Validator.check_schema(self.schema)
        self.assertEqual((SOURCE_DIR / "configs/schema/normbench.json").read_text(), self.text,
                         "normbench schema --out configs/schema/normbench.json")

    def test_every_config_names_it_and_is_accepted(self):
        for file in CONFIGS:
            config = parse(file.read_text())
            self.assertEqual(config["$schema"], "./schema/normbench.json", file.name)
            self.assertEqual([e.message for e in self.validator.iter_errors(config)], [], file.name)

    def test_ten_mistakes(self):
        """The schema refuses the config with all ten mistakes. It also refuses a config with a
        single experiment, if the mistake in the experiment can be found without planning."""
        config = json.loads(TEN_MISTAKES.read_text())
        self.assertFalse(self.accepts(config))
        seen = [e["name"] for e in config["experiments"]
                if not self.accepts({"schema": 1, "name": "one", "experiments": [e]})]
        self.assertEqual(seen, ["a", "b", "d", "f"])  # these are wrong: an op, a key, a batch, a dtype
        self.assertFalse(self.accepts({**config, "experiments": [{"name": "x", "variants": {"y": ["copy"]}}]}))  # wrong "precision"

    def test_what_a_config_may_say_in_several_ways(self):
        """Tests values that a config may have, but that no config of the repository has. The schema and `check`
        accept them."""
        copy_of = lambda **members: {"name": "e", "variants": {"v": ["copy"]}, **members}
        sizes = [{"batch": 1}, {"batch": 2, "size": [4, 4]}]
        accepted = [
            copy_of(sweep={"s": sizes}, source="$s"), copy_of(sweep={"s": sizes}, source=["$s"]),
            copy_of(source=[{"batch": 1}]), copy_of(threads="all"), copy_of(measure={"cache": "hot"}),
            copy_of(sweep={"v": [["copy"], ["flip"]]}, variants={"v": "$v"}), copy_of(variants={"v": {"stages": ["copy"], "threads": 1}}),
            copy_of(sweep={"op": ["copy", "flip"]}, variants={"v": ["$op"]}),
            copy_of(sweep={"op": ["copy", "flip"]}, variants={"v": [{"op": "$op"}]}),
            copy_of(variants={"v": [{"range": "r", "stages": ["copy", {"range": "s", "stages": ["flip"]}]}]}),
            copy_of(variants={"v": [{"op": "normalize", "mean": 1, "std": [2], "crop": {"size": [2, 2]}}]}),
            copy_of(variants={"v": [{"op": "normalize", "mean": [1], "std": 2, "crop": [{"size": [2, 2], "at": [0, 0]}]}]}),
            copy_of(source={"dtype": "float32", "values": {"normal": [0, 1]}, "shape": [1, 2, 3, 4]}),
            copy_of(variants={"a": {"stages": ["copy", "flip"], "in_flight": 2, "lanes": {"cpu": {"servers": 2}}}}),
        ]
        refused = [copy_of(variants={"v": [{"stages": ["copy"]}]}), copy_of(variants={"v": []}), copy_of(variants={}),
                   copy_of(source={"values": {"normal": [0]}}), copy_of(threads=0), copy_of(published=None), copy_of(claims={}),
                   copy_of(variants={"v": [{"op": "normalize", "mean": 1, "std": 2, "crop": {"at": [0, 0]}}]})]
        files = []
        for number, experiment in enumerate(accepted + refused):
            config = {"schema": 1, "name": "one", "experiments": [experiment]}
            files.append(self.dir / f"{number}.json")
            files[-1].write_text(json.dumps(config))
            is_right = number < len(accepted)
            self.assertEqual(self.accepts(config), is_right, f"{experiment}")
            done = normbench("check", files[-1])
            self.assertEqual(done.returncode, 0 if is_right else 2, f"{experiment} {done.stderr}")

    def test_it_never_refuses_what_is_accepted_and_sees_types_words_and_keys(self):
        """Changes random values of all configs, and compares the answers of the schema and of `check`."""
        chance = random.Random(4)
        wrong = [None, True, -1, 0, 3, 2.5, "", "$no", "cpu", "float16", [], [1], [1, 2], {}, {"op": "cast"}, "x" * 50]
        files = []
        for config in (parse(file.read_text()) for file in CONFIGS):
            spots = [pointer for pointer, _ in places(config)][1:]
            for number in range(24):
                pointer = chance.choice(spots)
                if number % 4 == 0:
                    change = lambda value: {**value, "colour": 1} if isinstance(value, dict) else value
                else:
                    new = chance.choice(wrong)
                    change = lambda value, new=new: new
                files.append((pointer, changed(config, pointer, change)))
        for number, (_, config) in enumerate(files):
            (self.dir / f"{number}.json").write_text(json.dumps(config))
        done = normbench("check", *(f"{n}.json" for n in range(len(files))), cwd=self.dir)
        mistakes = {}
        for line in done.stderr.splitlines():
            if found := re.match(r"(\d+)\.json:(.*?): (.*)", line):
                mistakes.setdefault(int(found[1]), []).append(found[3])
        self.assertGreater(len(mistakes), len(files) / 3)
        visible, seen = 0, 0
        for number, (pointer, config) in enumerate(files):
            refused = not self.accepts(config)
            if number not in mistakes:
                self.assertFalse(refused and f"{pointer}: {self.blame(config)}")
                continue
            said = mistakes[number]
            by_axis = {"sweep", "vary"} & set(pointer)  # values of an axis may have any type
            if not by_axis and any(m.startswith(("unknown key", "expected a number,", "expected an integer", "expected true or false",
                                 "must be at least", "must be at most")) for m in said):
                visible += 1
                self.assertTrue(refused, f"{pointer}: {said}")
            seen += refused
        self.assertGreater(visible, 50)
        print(f"{len(files)} changed configs: check refuses {len(mistakes)}, the schema {seen} of these")

    def blame(self, config):
        worst = jsonschema.exceptions.best_match(self.validator.iter_errors(config))
        return f"{list(worst.absolute_path)}: {worst.message[:300]}"


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0], *sys.argv[3:]])
