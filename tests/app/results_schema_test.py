"""Tests `normbench schema --of results` by documents of all kinds, and by an independent validator (jsonschema, from
PyPI or Debian).

- Every kept document and fresh ones of each kind are valid, and have no member that the schema does not describe.
- What the reader refuses in a changed document, the schema refuses, and the other way round.
- docs/results.md has the members of the schema in its tables. NORMBENCH_UPDATE_GOLDEN=1 writes them anew.

usage: results_schema_test.py NORMBENCH SOURCE_DIR TESTS_DIR [unittest arguments]

TESTS_DIR has example_documents, which prints documents of all kinds, and normbench_on_fake_cuda, which measures on a
fake GPU, if the build has it.
"""

import copy
import json
import os
import random
import re
import signal
import struct
import subprocess
import sys
import tempfile
import unittest
import zlib
from pathlib import Path

NORMBENCH, SOURCE_DIR, TESTS_DIR = (Path(p).resolve() for p in sys.argv[1:4])
FAKE_NVML = TESTS_DIR / "libfake_nvml.so"
DEBIANS = "/usr/bin/python3"  # the Python with Debian's packages

try:
    import jsonschema
except ImportError:
    if not sys.executable.startswith(DEBIANS):
        os.execv(DEBIANS, [DEBIANS, *sys.argv])
    print("skipped: no jsonschema (Debian: python3-jsonschema)")
    sys.exit(77)

TEXT = subprocess.run([NORMBENCH, "schema", "--of", "results"], capture_output=True, text=True, check=True).stdout
SCHEMA = json.loads(TEXT)
KEPT = SOURCE_DIR / "configs/schema/results.json"
PAGE = SOURCE_DIR / "docs/results.md"
# Members of the document whose types the reader does not check.
FACTS = {"tool", "environment", "calibration", "condition"}

PEER = '''
import json, sys
for line in sys.stdin:
    request = json.loads(line)
    answer = {"type": "hello", "protocol": 1, "name": "wrong", "version": "1"}
    print(json.dumps(answer if request["type"] == "hello" else {"type": "error", "why": "it is broken"}), flush=True)
'''


def png(height, width):
    rows = b"".join(b"\0" + bytes((x * 5 + y * 3 + c * 40) % 256 for x in range(width) for c in range(3)) for y in range(height))
    chunks = [(b"IHDR", struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)), (b"IDAT", zlib.compress(rows)), (b"IEND", b"")]
    return b"\x89PNG\r\n\x1a\n" + b"".join(struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))
                                           for kind, data in chunks)


def closed(schema):
    """Returns the schema with all objects closed, so that it refuses members that it does not describe."""
    if isinstance(schema, list):
        return [closed(one) for one in schema]
    if not isinstance(schema, dict):
        return schema
    result = {key: closed(value) for key, value in schema.items()}
    if isinstance(schema.get("properties"), dict) and schema.get("type") == "object":
        result.setdefault("additionalProperties", False)
    return result


# CLOSED also refuses unknown members. Every document that is valid for CLOSED is valid for OPEN.
OPEN, CLOSED = (jsonschema.Draft202012Validator(schema) for schema in (SCHEMA, closed(SCHEMA)))


def mistakes(document, validator=CLOSED):
    found = [f"/{'/'.join(map(str, e.absolute_path))}: {e.message[:200]}" for e in validator.iter_errors(document)]
    return found[:5]


def documents_in(folder):
    """Yields the results documents below a folder, also of those in a list, by the path of their file."""
    for path in sorted(folder.rglob("*.json")):
        try:
            content = json.loads(path.read_text())
        except ValueError:
            continue
        for one in content if isinstance(content, list) else [content]:
            if isinstance(one, dict) and "schema" in one and "groups" in one:
                yield path, one


def properties(schema, pointer=""):
    """Yields (pointer, schema) of every property that a schema describes."""
    if isinstance(schema, dict):
        for name, one in schema.get("properties", {}).items() if schema.get("type") == "object" else ():
            yield f"{pointer}/{name}", one
        for key, value in schema.items():
            yield from properties(value, f"{pointer}/{key}")
    elif isinstance(schema, list):
        for value in schema:
            yield from properties(value, pointer)


def target(schema):
    """Returns what a schema refers to, with null left out."""
    while isinstance(schema, dict) and ("$ref" in schema or "anyOf" in schema):
        schema = SCHEMA["$defs"][schema["$ref"].rsplit("/", 1)[1]] if "$ref" in schema else schema["anyOf"][0]
    return schema


def is_unread(pointer):
    """Returns True if the member at a pointer is a fact or derived, or lies in one that is."""
    schema = SCHEMA
    for key in pointer:
        schema = target(schema)
        if isinstance(key, int):
            schema = schema.get("items", {})
            continue
        schema = schema.get("properties", {}).get(key, schema.get("additionalProperties", {}))
        if not isinstance(schema, dict):
            return False
        if schema.get("description", "").startswith("Derived:") or any(
                schema.get("$ref", "").endswith("/" + fact) for fact in FACTS):
            return True
    return False


def places(value, pointer=()):
    yield pointer, value
    if isinstance(value, dict):
        for key, one in value.items():
            yield from places(one, (*pointer, key))
    if isinstance(value, list):
        for index, one in enumerate(value[:3]):
            yield from places(one, (*pointer, index))


def changed(document, pointer, change):
    holder = {"": copy.deepcopy(document)}
    at = holder
    for key in ("", *pointer)[:-1]:
        at = at[key]
    last = ("", *pointer)[-1]
    at[last] = change(at[last])
    return holder[""]


class Runs(unittest.TestCase):
    """Makes documents by real runs."""

    @classmethod
    def setUpClass(cls):
        folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(folder.cleanup)
        cls.dir = Path(folder.name)
        (cls.dir / "photos").mkdir()
        for i in range(5):
            (cls.dir / f"photos/{i}.png").write_bytes(png(40 + i, 60))
        (cls.dir / "photos/broken.png").write_bytes(b"no picture")
        (cls.dir / "peer.py").write_text(PEER)

    @classmethod
    def environment(cls):
        return {**os.environ, "XDG_STATE_HOME": str(cls.dir / "state")}

    @classmethod
    def run_config(cls, name, experiments, *args, program=NORMBENCH, env=None, **head):
        config = cls.dir / f"{name}.json"
        config.write_text(json.dumps({"schema": 1, "name": name, "measure": {"max_seconds_per_group": 0.2, "cache": "hot"},
                                      "experiments": experiments, **head}))
        out = cls.dir / f"out-{name}"
        done = subprocess.run([program, "run", config, "--out", out, "--no-html", *args], capture_output=True, text=True,
                              env=env or cls.environment())
        if done.returncode not in (0, 1):
            raise AssertionError(done.stderr)
        return json.loads((out / "results.json").read_text())

    @classmethod
    def quickstart(cls):
        out = cls.dir / "out-quickstart"
        subprocess.run([NORMBENCH, "run", SOURCE_DIR / "configs/quickstart.json", "--quick", "--set", "max_seconds_per_group=0.2",
                        "--out", out], capture_output=True, check=True, env=cls.environment())
        return json.loads((out / "results.json").read_text())

    @classmethod
    def profiled(cls):
        """A sweep with claims, a published time, cases on a GPU and a profile, after a calibration."""
        subprocess.run([NORMBENCH, "calibrate", "--pairs", "1"], capture_output=True, check=True, env=cls.environment())
        normalize = {"op": "normalize", "mean": [1, 2, 3], "std": [1, 1, 1]}
        return cls.run_config("profiled", [{
            "name": "sizes", "sweep": {"batch": [1, 4, 16]}, "source": {"batch": "$batch", "size": [64, 64]},
            "variants": {"eager": [{"op": "cast", "to": "float32"}, {"op": "sub", "mean": [1, 2, 3]}, {"op": "div", "std": [1, 1, 1]}],
                         "fused": [normalize], "gpu": ["h2d", normalize, "d2h"]},
            "baseline": "eager",
            "claims": [{"text": "fused is faster", "expects": ["fused", "<", "eager"]},
                       {"text": "the more so the larger the batch", "expects": ["fused", "<", "eager"],
                        "across": {"batch": "grows"}}],
            "published": [{"variant": "eager", "wall_ms": 1.5, "where": "here"}]}], profile={"active": 2})

    @classmethod
    def several(cls):
        """A loader with an unreadable file, items in flight, and an experiment with `may_differ`."""
        cast = {"op": "cast", "to": "float32"}
        return cls.run_config("several", [
            {"name": "photos", "load": {"size": [32, 32], "batch": 2, "on_error": "skip"},
             "variants": {"in turn": [cast], "in flight": {"stages": [cast], "in_flight": 2}}},
            {"name": "differ", "source": {"batch": 2, "size": [16, 16]}, "may_differ": ["dtype"],
             "variants": {"single": [cast], "half": [{"op": "cast", "to": "float16"}]}}], "--images", cls.dir / "photos")

    @classmethod
    def failed(cls):
        return cls.run_config("failed", [
            {"name": "e", "source": {"batch": 2, "size": [16, 16]},
             "variants": {"own": [{"op": "cast", "to": "float32"}],
                          "peer": {"stages": [{"op": "cast", "to": "float32"}], "peer": "wrong"}}}],
            "--allow-peers", peers={"wrong": [sys.executable, str(cls.dir / "peer.py")]})

    @classmethod
    def interrupted(cls):
        config = cls.dir / "interrupted.json"
        config.write_text(json.dumps({"schema": 1, "name": "interrupted", "measure": {"max_seconds_per_group": 1, "precision": 1e-5},
                                      "experiments": [{"name": "e", "sweep": {"batch": [1, 2, 3, 4]},
                                                       "source": {"batch": "$batch", "size": [64, 64]},
                                                       "variants": {"a": ["copy"], "b": ["copy", "copy"]}}]}))
        out = cls.dir / "out-interrupted"
        running = subprocess.Popen([NORMBENCH, "run", config, "--out", out], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE,
                                   text=True, env=cls.environment())
        next(line for line in running.stderr if " rounds (" in line)
        running.send_signal(signal.SIGINT)
        running.stderr.read()
        running.stderr.close()
        running.wait()
        return json.loads((out / "results.json").read_text())

    @classmethod
    def on_fake_gpu(cls):
        """A run of the program with the fake CUDA runtime, NVML and CUPTI; None where the build has none."""
        program = TESTS_DIR / "normbench_on_fake_cuda"
        if not program.exists() or not FAKE_NVML.exists():
            return None
        libraries = cls.dir / "libraries"
        libraries.mkdir()
        (libraries / "libnvidia-ml.so.1").symlink_to(FAKE_NVML)
        env = {**cls.environment(), "CUDA_HOME": str(libraries), "LD_LIBRARY_PATH": f"{libraries}:{TESTS_DIR / 'fake_cupti'}"}
        normalize = {"op": "normalize", "mean": [1, 2, 3], "std": [4, 5, 6]}
        return cls.run_config("gpu", [{"name": "e", "source": {"batch": 1, "size": [4, 8], "memory": "pinned"},
                                       "variants": {"fresh": ["h2d", {**normalize, "output": "fresh"}],
                                                    "graph": {"stages": ["h2d", normalize], "graph": True}}}],
                              program=program, env=env, profile={"active": 2})

    @classmethod
    def documents(cls):
        made = {one.__name__: one() for one in (cls.quickstart, cls.profiled, cls.several, cls.failed, cls.interrupted, cls.on_fake_gpu)}
        return {name: document for name, document in made.items() if document}


class Fresh(Runs):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.made = cls.documents()

    def cases(self, name):
        return [case for group in self.made[name]["groups"] for case in group["cases"]]

    def test_they_are_what_they_are_for(self):
        self.assertTrue(self.made["interrupted"]["interrupted"])
        self.assertTrue(self.made["interrupted"]["missing"])
        self.assertEqual({case["status"] for case in self.cases("failed")}, {"ok", "failed"})
        self.assertIn("calibration", self.made["profiled"])
        self.assertTrue(self.made["profiled"]["groups"][0]["profile"][0]["rows"])
        self.assertTrue(self.made["profiled"]["experiments"][0]["crossovers"])
        self.assertTrue(self.cases("several")[0]["dataset"]["left_out"])
        self.assertTrue(self.cases("several")[1]["pipeline"]["lanes"])
        self.assertEqual(self.made["several"]["groups"][-1]["may_differ"], ["dtype"])
        if not self.made["quickstart"]["environment"]["gpu"]:
            self.assertEqual({case["status"] for case in self.cases("quickstart")}, {"skipped", "ok"} & {
                case["status"] for case in self.cases("quickstart")})
            self.assertIn("skipped", {case["status"] for case in self.cases("profiled")})
        if "on_fake_gpu" in self.made:
            self.assertTrue(self.made["on_fake_gpu"]["environment"]["gpu"]["name"])
            self.assertIn("condition_before", self.made["on_fake_gpu"]["groups"][0])

    def test_they_are_valid_and_have_nothing_that_is_not_described(self):
        for name, document in self.made.items():
            self.assertEqual(mistakes(document), [], name)

    def test_a_member_that_is_not_described_is_seen(self):
        document = self.made["quickstart"]
        for pointer, value in places(document):
            open_objects = {"axes", "point", "parameters", "config", "places", "at", "flags", "cpu_ratio", "seconds", "held_back_ns"}
            if isinstance(value, dict) and not open_objects & set(pointer):
                more = changed(document, pointer, lambda old: {**old, "colour": 1})
                self.assertEqual(mistakes(more, OPEN), [], pointer)
                self.assertNotEqual(mistakes(more), [], pointer)

    def test_the_schema_refuses_what_the_reader_refuses_and_nothing_else(self):
        chance = random.Random(7)
        wrong = [None, True, -1, 0, 2.5, 1e30, "", "no such word", [], [1], [-1], ["x"], [[1]], {}, {"a": 1}]
        files = []
        for document in self.made.values():
            spots = [pointer for pointer, _ in places(document) if pointer and "config" not in pointer]
            for number in range(80):
                pointer = chance.choice(spots)
                if number % 5 == 0:
                    files.append((pointer[:-1], changed(document, pointer[:-1], lambda old, last=pointer[-1]: (
                        {key: value for key, value in old.items() if key != last} if isinstance(old, dict) else old))))
                else:
                    files.append((pointer, changed(document, pointer, lambda old, new=chance.choice(wrong): new)))
        for number, (_, document) in enumerate(files):
            (self.dir / f"{number}.json").write_text(json.dumps(document))
        refused = self.refused_by_the_reader(len(files))
        both = 0
        for number, (pointer, document) in enumerate(files):
            seen = mistakes(document, OPEN)
            if number in refused:
                both += bool(seen)
                self.assertTrue(seen or self.is_of_agreement(refused[number]), f"{pointer}: {refused[number]}")
            elif not is_unread(pointer):
                one_for_a_list = any("is not of type 'array'" in mistake for mistake in seen)
                self.assertFalse(seen and not one_for_a_list, f"{pointer}: {seen}")
        self.assertGreater(both, len(files) / 5)

    def refused_by_the_reader(self, count):
        """Returns what `normbench report` says against each of the files, by their number."""
        done = subprocess.run([NORMBENCH, "report", "--format", "json", *(f"{n}.json" for n in range(count))], cwd=self.dir,
                              capture_output=True, text=True)
        said = {}
        for number, text in re.findall(r"^(?:normbench: )?(\d+)\.json: ?(.*)$", done.stderr, flags=re.M):
            said.setdefault(int(number), []).append(text)
        self.assertTrue(said, done.stderr[:2000])
        return said

    def is_of_agreement(self, said):
        """Returns True if all mistakes are of values that do not agree with each other, which a schema cannot tell."""
        agreement = ("has lane", "values, as many as", "values (expected", "contender ", "has stage", "stands twice", "is 0",
                     "expected [n, c, h, w]", "must be at most 1e+40")
        return all(any(part in text for part in agreement) for text in said)


class Kept(unittest.TestCase):
    def test_they_are_valid(self):
        count = 0
        for folder in ("results", "tests", "docs", "findings"):
            for path, document in documents_in(SOURCE_DIR / folder):
                with self.subTest(path=path.relative_to(SOURCE_DIR)):
                    self.assertEqual(mistakes(document), [])
                    count += 1
        self.assertGreater(count, 30)

    def test_so_are_the_examples_of_the_tests(self):
        made = json.loads(subprocess.run([TESTS_DIR / "example_documents"], capture_output=True, check=True).stdout)
        self.assertGreater(len(made), 20)
        for document in made:
            self.assertEqual(mistakes(document), [], document["name"])

    def test_so_are_documents_without_what_newer_versions_added(self):
        """A document of the first version had only members that the reader requires, or that always were written."""
        document = next(document for _, document in documents_in(SOURCE_DIR / "results"))
        for pointer, value in list(places(document)):
            if isinstance(value, dict) and "description" in target_at(pointer):
                required = target_at(pointer).get("required", ())
                old = changed(document, pointer, lambda whole: {key: one for key, one in whole.items() if key in required})
                self.assertEqual(mistakes(old, OPEN), [], pointer)


def target_at(pointer):
    """Returns the schema of an object in a document; {} if none is described."""
    schema = SCHEMA
    for key in pointer:
        schema = target(schema)
        schema = schema.get("items", {}) if isinstance(key, int) else schema.get("properties", {}).get(key, {})
    return target(schema)


class Schema(unittest.TestCase):
    def test_it_is_a_schema_and_the_kept_one_is_it(self):
        jsonschema.Draft202012Validator.check_schema(SCHEMA)
        self.assertEqual(KEPT.read_text(), TEXT, "normbench schema --of results --out configs/schema/results.json")

    def test_every_member_and_every_object_has_a_description(self):
        all_members = list(properties(SCHEMA))
        self.assertGreater(len(all_members), 250)
        for pointer, schema in all_members:
            text = schema.get("description", "")
            self.assertRegex(text, r"^\S.*[^. ]$", pointer)
            self.assertEqual(text.count("["), text.count("]"), pointer)
        for name, schema in SCHEMA["$defs"].items():
            self.assertRegex(schema.get("description", ""), r"^\S.*[^. ]$", name)

    def test_numbers_with_a_unit_in_their_name_say_the_unit(self):
        units = {"_ns": "ns", "_ms": "ms", "_bytes": "bytes", "bytes": "bytes", "_mhz": "MHz", "_khz": "kHz", "_db": "dB",
                 "_joules": "J", "_c": "degrees Celsius", "_w": "W", "_mj": "mJ", "gb_per_s": "GB/s", "seconds": "s"}
        for pointer, schema in properties(SCHEMA):
            types = {schema.get("type")} if isinstance(schema.get("type"), str) else set(schema.get("type", ()))
            holds = schema if not types & {"array"} else schema["items"]
            if not {"integer", "number"} & ({holds.get("type")} if isinstance(holds.get("type"), str) else set(holds.get("type", ()))):
                continue
            for ending, unit in units.items():
                if pointer.rsplit("/", 1)[1].endswith(ending):
                    self.assertTrue(schema["description"].endswith(f"[{unit}]"), pointer)

    def test_an_unknown_word_is_a_usage_error(self):
        done = subprocess.run([NORMBENCH, "schema", "--of", "result"], capture_output=True, text=True)
        self.assertEqual((done.returncode, done.stdout), (2, ""))
        self.assertIn('--of: unknown value "result" (known: config, results)', done.stderr)

    def test_the_default_is_the_config(self):
        texts = [subprocess.run([NORMBENCH, "schema", *of], capture_output=True, text=True).stdout for of in ((), ("--of", "config"))]
        self.assertEqual(texts[0], texts[1])
        self.assertEqual(json.loads(texts[0])["title"], "normbench config")


def type_text(schema):
    """Returns the type of a member for a table of the page."""
    if "$ref" in schema:
        name = schema["$ref"].rsplit("/", 1)[1]
        return f"[{name}](#{name})"
    if "anyOf" in schema:
        return " or ".join(type_text(one) for one in schema["anyOf"])
    if "const" in schema:
        return f"`{json.dumps(schema['const'])}`"
    if "enum" in schema:
        return ", ".join("null" if word is None else f"`{json.dumps(word)}`" for word in schema["enum"])
    types = schema.get("type", "any")
    if isinstance(types, list):
        return " or ".join([type_text({**schema, "type": one}) for one in types if one != "null"] + ["null"] * ("null" in types))
    words = {"array": "list", "object": "object", "string": "text", "boolean": "true or false", "integer": "whole number", "number": "number"}
    held = schema["items"] if types == "array" else schema.get("additionalProperties")
    return words.get(types, types) + (f" of {type_text(held)}" if isinstance(held, dict) else "")


def table(schema):
    """Returns the table of an object's members as Markdown."""
    lines = ["| member | type | unit | meaning |", "|:--|:--|:--|:--|"]
    required = schema.get("required", ())
    for name, one in schema["properties"].items():
        text, unit = re.fullmatch(r"(.*?)(?: \[([^\]]*)\])?", one["description"]).groups()
        cells = [f"`{name}`" + ("" if name not in required else " (required)"), type_text(one), unit or "", text]
        lines.append("| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |")
    return "\n".join(lines) + "\n"


class Page(unittest.TestCase):
    def test_its_tables_are_those_of_the_schema(self):
        objects = {"results": SCHEMA, **{name: one for name, one in SCHEMA["$defs"].items() if "properties" in one}}
        text = PAGE.read_text()
        marked = re.compile(r"^### (\w+)\n\n(.*?)\n\n((?:\|.*\n)+)", re.M)
        made = marked.sub(lambda found: f"### {found[1]}\n\n{objects[found[1]]['description']}.\n\n{table(objects[found[1]])}"
                          if found[1] in objects else found[0], text)
        if os.environ.get("NORMBENCH_UPDATE_GOLDEN"):
            PAGE.write_text(made)
            text = made
        self.assertEqual(made, text, "NORMBENCH_UPDATE_GOLDEN=1 ctest -R results_schema")
        self.assertEqual({found[1] for found in marked.finditer(text)} & set(objects), set(objects))


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1] + sys.argv[4:])
