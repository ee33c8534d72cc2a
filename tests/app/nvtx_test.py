"""Tests what an NVTX tool sees of a real run. The calls are those that the project's injection library logs.

usage: nvtx_test.py NORMBENCH SOURCE_DIR TESTS_DIR [unittest arguments]

TESTS_DIR has libnvtx_injection.so. The tests are skipped if it was not built (no NVTX headers).
TESTS_DIR may also have normbench_on_fake_cuda, for calls about a device.
"""

import bisect
import collections
import ctypes
import functools
import json
import os
import re
import struct
import subprocess
import sys
import tempfile
import unittest
import zlib
from pathlib import Path

NORMBENCH, SOURCE_DIR, TESTS_DIR = (Path(p).resolve() for p in sys.argv[1:4])
INJECTION = TESTS_DIR / "libnvtx_injection.so"
ON_FAKE_CUDA = TESTS_DIR / "normbench_on_fake_cuda"
SKIPPED = 77
HAS_PAYLOADS = INJECTION.exists() and hasattr(ctypes.CDLL(str(INJECTION)), "InitializeInjectionNvtxExtension")

KINDS = ["run", "point", "variant", "step", "stage", "part", "init", "warmup", "worker", "range", "image"]
LABEL = "to float {i}"
WAIT, WARMUP, ACTIVE = 1, 1, 3
PIXELS = 3 * 64 * 64
UINT64 = 18  # NVTX_PAYLOAD_ENTRY_TYPE_UINT64

CONFIG = {
    "schema": 1,
    "name": "seen",
    "measure": {"max_seconds_per_group": 0.05, "precision": 0.2, "cache": "hot"},
    "profile": {"wait": WAIT, "warmup": WARMUP, "active": ACTIVE},
    "experiments": [
        {
            "name": "sizes",
            "threads": 2,
            "sweep": {"batch": [1, 2]},
            "source": {"batch": "$batch", "size": [64, 64]},
            "variants": {
                "eager": [{"op": "cast", "to": "float32"}, {"op": "sub", "mean": [1, 2, 3]}],
                'fused "quoted" ü': [{"op": "normalize", "mean": [1, 2, 3], "std": [1, 1, 1]}],
            },
        },
        {
            "name": "files",
            "threads": 2,
            "load": {"batch": 4, "size": [16, 16]},
            "variants": {"load, cast": [{"op": "cast", "to": "float32"}]},
        },
        {
            "name": "named",
            "threads": 2,
            "source": {"batch": 1, "size": [64, 64]},
            "variants": {
                "in ranges": [
                    {"range": "preprocess", "stages": [
                        {"op": "cast", "to": "float32", "label": LABEL},
                        {"range": "inner", "stages": [{"op": "sub", "mean": [1, 2, 3]}]},
                    ]},
                    {"op": "div", "std": [1, 2, 3]},
                ],
            },
        },
    ],
}

NORMALIZE = {"op": "normalize", "mean": [1, 2, 3], "std": [1, 1, 1]}
ON_DEVICE = {
    **CONFIG,
    "experiments": [
        {
            "name": "device",
            "source": {"batch": 2, "size": [64, 64], "memory": "pinned"},
            "variants": {"one by one": ["h2d", NORMALIZE],
                         "graph": {"stages": ["h2d", NORMALIZE], "graph": True}},
        }
    ],
}


def png(height, width):
    """Returns a PNG of a grey ramp."""

    def chunk(kind, data):
        body = kind + data
        return struct.pack(">I", len(data)) + body + struct.pack(">I", zlib.crc32(body))

    rows = b"".join(b"\0" + bytes((3 * x + 5 * y) % 256 for x in range(width)) for y in range(height))
    header = struct.pack(">IIBBBBB", width, height, 8, 0, 0, 0, 0)
    return (b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header) + chunk(b"IDAT", zlib.compress(rows))
            + chunk(b"IEND", b""))


class Range:
    """A range from its push to its pop. `path` has the ranges around it, outermost first."""

    def __init__(self, push, name, kind, path, first):
        self.push, self.name, self.kind, self.path, self.first = push, name, kind, path, first
        self.thread, self.last = (push["pid"], push["tid"]), None

    def within(self, kind):
        return any(outer.kind == kind for outer in self.path)

    def around(self, kind):
        """Returns the innermost range of this kind around this range."""
        return next(outer for outer in reversed(self.path) if outer.kind == kind)

    def kinds(self):
        return [outer.kind for outer in self.path] + [self.kind]


def label_of(name):
    """Returns the label that documents have for the stage of a range with this name."""
    return re.sub(r"^to float \d+$", LABEL, name)


class Seen:
    """The NVTX calls of one run, and the ranges that these calls open and close."""

    def __init__(self, log):
        self.lines = [json.loads(line) for line in log.read_text().splitlines()]
        self.strings = {line["string"]: line["text"] for line in self.calls("register_string")}
        self.categories = {line["category"]: line["name"] for line in self.calls("name_category")}
        self.ranges, self.mistakes = [], []
        stacks = collections.defaultdict(list)
        for number, line in enumerate(self.lines):
            stack = stacks[line["pid"], line["tid"]]
            if line["call"] == "push":
                stack.append(self.opened(line, number, list(stack)))
            elif line["call"] == "pop" and stack:
                stack.pop().last = number
            elif line["call"] == "pop":
                self.mistakes.append(f"line {number}: a pop without a push")
        self.mistakes += [f"{r.name} is never popped" for stack in stacks.values() for r in stack]

    def opened(self, line, number, path):
        name = self.strings.get(line["message"].get("string"), line["message"].get("text"))
        kind = self.categories.get(line["category"], name)  # only `capture` has no category
        self.ranges.append(Range(line, name, kind, path, number))
        return self.ranges[-1]

    def calls(self, name):
        return [line for line in self.lines if line["call"] == name]

    def of(self, kind):
        return [r for r in self.ranges if r.kind == kind]


def seen_of(log, *command):
    """Runs a command. Returns the calls that a tool sees, and stdout."""
    environment = {**os.environ, "NVTX_INJECTION64_PATH": str(INJECTION),
                   "NVTX_INJECTION_LOG": str(log)}
    done = subprocess.run(command, capture_output=True, text=True, env=environment)
    assert done.returncode == 0, done.stderr
    return Seen(log), done.stdout


def run_seen(program, folder, config, *args):
    """Runs a config. Returns the calls that a tool sees, and the results document."""
    out, file = folder / "out", folder / "config.json"
    folder.mkdir()
    file.write_text(json.dumps(config))
    seen, _ = seen_of(folder / "calls.jsonl", program, "run", "--config", file, "--out", out, *args)
    return seen, json.loads((out / "results.json").read_text())


def of_both_runs(check):
    """Decorates a check, so that it is made for the run that only profiled and for the run that
    also measured."""

    @functools.wraps(check)
    def test(self):
        for name in ("profiled", "measured"):
            with self.subTest(run=name):
                check(self, getattr(self, name))

    return test


class NvtxTest(unittest.TestCase):
    maxDiff = None

    @classmethod
    def setUpClass(cls):
        folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(folder.cleanup)
        cls.dir = Path(folder.name)
        cls.images = cls.dir / "images"
        cls.images.mkdir()
        for i in range(4):
            (cls.images / f"{i}.png").write_bytes(png(20 + i, 30))
        cls.profiled, cls.document = run_seen(
            NORMBENCH, cls.dir / "profiled", CONFIG, "--images", cls.images)
        cls.measured, cls.measured_document = run_seen(
            NORMBENCH, cls.dir / "measured", CONFIG, "--images", cls.images, "--measure")

    # --- domain, categories and balance

    @of_both_runs
    def test_pushes_and_pops_balance_in_every_thread(self, seen):
        self.assertEqual(seen.mistakes, [])
        self.assertGreater(len({r.thread for r in seen.ranges}), 1)

    @of_both_runs
    def test_nothing_else_is_called(self, seen):
        self.assertEqual(seen.calls("unexpected"), [])

    @of_both_runs
    def test_there_is_one_domain_and_all_is_in_it(self, seen):
        domains = seen.calls("create_domain")
        self.assertEqual([line["name"] for line in domains], ["normbench"])
        used = {line["domain"] for line in seen.lines if "domain" in line}
        self.assertEqual(used, {domains[0]["domain"]})

    @of_both_runs
    def test_every_kind_is_a_named_category_with_a_colour_of_its_own(self, seen):
        self.assertEqual(list(seen.categories.values()), KINDS)
        colours = collections.defaultdict(set)
        for r in seen.ranges:
            if r.name != "capture":
                self.assertIn(r.push["category"], seen.categories)
                colours[r.kind].add(r.push["color"])
        self.assertEqual(sorted(colours), sorted(KINDS))
        self.assertEqual([len(of_kind) for of_kind in colours.values()], [1] * len(KINDS))
        self.assertEqual(len(set.union(*colours.values())), len(KINDS))
        self.assertEqual({colour >> 24 for of in colours.values() for colour in of}, {0xFF})

    @of_both_runs
    def test_every_name_is_a_string_registered_once(self, seen):
        texts = [line["text"] for line in seen.calls("register_string")]
        self.assertEqual(len(texts), len(set(texts)))
        self.assertEqual({r.name for r in seen.ranges}, set(texts))
        for r in seen.ranges:
            self.assertIn("string", r.push["message"])
        self.assertIn('fused "quoted" ü', texts)

    # --- the bytes

    @unittest.skipUnless(HAS_PAYLOADS, "built with NVTX headers that have no payloads")
    @of_both_runs
    def test_bytes_have_one_schema(self, seen):
        [schema] = seen.calls("register_schema")
        self.assertEqual((schema["name"], schema["size"]), ("bytes", 8))
        self.assertEqual(schema["entries"], [{"name": "bytes", "type": UINT64}])
        payloads = [r.push["payload"] for r in seen.ranges if r.push["payload"] is not None]
        self.assertEqual({(p["schema"], p["size"], p["count"]) for p in payloads},
                         {(schema["schema"], 8, 1)})

    def planned_bytes(self):
        """Returns the bytes that the stages of each case move according to the document."""
        bytes_of = {}
        for group in self.document["groups"]:
            for case in group["cases"]:
                for stage in case["stages"]:
                    key = (group["experiment"], json.dumps(group["point"]), case["variant"],
                           stage.get("label", stage["op"]))
                    bytes_of[key] = stage["bytes"]
        return bytes_of

    @of_both_runs
    def test_a_stage_has_the_bytes_of_the_plan(self, seen):
        planned = self.planned_bytes()
        self.assertEqual(planned["sizes", '{"batch": 2}', "eager", "cast"], 2 * PIXELS * (1 + 4))
        self.assertEqual(planned["sizes", '{"batch": 1}', "eager", "sub"], PIXELS * (4 + 4))
        checked = set()
        for stage in seen.of("stage"):
            experiment, _, point = stage.around("point").name.partition(" ")
            key = (experiment, json.dumps(json.loads(point or "{}")), stage.around("variant").name,
                   label_of(stage.name))
            if key not in planned:
                continue  # a stage of a limit
            self.assertEqual(stage.push["payload"]["value"], planned[key], key)
            checked.add(key)
        self.assertEqual(checked, set(planned))

    @of_both_runs
    def test_what_decodes_has_the_bytes_of_its_file(self, seen):
        sizes = {path.stat().st_size for path in self.images.iterdir()}
        decoded = {r.push["payload"]["value"] for r in seen.of("part") if r.name == "decode"}
        self.assertEqual(decoded, sizes)

    @of_both_runs
    def test_what_moves_nothing_has_no_payload(self, seen):
        for r in seen.ranges:
            if r.kind not in ("stage", "part") or r.name == "read":
                self.assertIsNone(r.push["payload"], r.name)

    # --- threads

    @of_both_runs
    def test_threads_of_a_team_are_named(self, seen):
        names = {(line["pid"], line["thread"]): line["name"] for line in seen.calls("name_thread")}
        self.assertEqual(len(names), len(seen.calls("name_thread")))
        self.assertEqual(set(names.values()), {"omp worker 1"})
        self.assertEqual({r.thread for r in seen.of("worker")}, set(names))
        for line in seen.calls("name_thread"):
            self.assertEqual(line["thread"], line["tid"])  # each thread names itself

    def test_a_workers_share_lies_in_the_time_of_its_stage(self):
        for seen, document in ((self.profiled, self.document), (self.measured, self.measured_document)):
            self.check_shares(seen, document)

    def check_shares(self, seen, document):
        stages = seen.of("stage")  # stages do not overlap
        starts = [stage.first for stage in stages]
        for share in seen.of("worker"):
            self.assertEqual(share.path, [])
            around = stages[bisect.bisect(starts, share.first) - 1]
            self.assertLess(around.first, share.first)
            self.assertLess(share.last, around.last)
            self.assertEqual(around.name, share.name)
        shares = {share.name for share in seen.of("worker")}
        self.assertIn("load", shares)  # other stages may use one thread for so small an image
        limits = {stage.get("label", stage["op"]) for group in document["groups"]
                  for limit in group["limits"] if limit["status"] == "ok" for stage in limit["stages"]}
        self.assertLessEqual({label_of(name) for name in shares},
                             {"cast", "sub", "div", "normalize", "load", LABEL} | limits)

    def test_parts_of_a_loading_step_lie_in_its_images(self):
        outer = {p.path[-1].kind for p in self.profiled.of("part") if p.within("step")}
        self.assertEqual(outer, {"image"})
        elsewhere = {p.path[-1].kind for p in self.profiled.of("part")
                     if p.path and not p.within("step")}
        self.assertLessEqual(elsewhere, {"warmup", "worker", "point", "image"})  # the checked call has parts, too

    # --- nesting

    def recorded_steps(self, seen):
        """Returns (point, variant, step, stages) for the steps of the profile pass, in order, without the
        warm-up."""
        steps = [s for s in seen.of("step") if s.within("capture") and not s.within("warmup")]
        return [(s.around("point").name, s.around("variant").name, s.name,
                 [r.name for r in seen.of("stage") if s in r.path]) for s in steps]

    def expected_steps(self):
        numbers = [WAIT + WARMUP + i for i in range(ACTIVE)]
        cases = [
            ('sizes {"batch":1}', "eager", ["cast", "sub"]),
            ('sizes {"batch":1}', 'fused "quoted" ü', ["normalize"]),
            ('sizes {"batch":2}', "eager", ["cast", "sub"]),
            ('sizes {"batch":2}', 'fused "quoted" ü', ["normalize"]),
            ("files", "load, cast", ["load", "cast"]),
            ("named", "in ranges", [LABEL, "sub", "div"]),
        ]
        return [(point, variant, f"ProfilerStep#{i}", [name.replace("{i}", str(i)) for name in stages])
                for point, variant, stages in cases for i in numbers]

    @of_both_runs
    def test_one_capture_encloses_the_profile_of_every_group(self, seen):
        [capture] = seen.of("capture")
        self.assertEqual(capture.kinds(), ["run", "capture"])
        self.assertEqual(self.recorded_steps(seen), self.expected_steps())

    def test_every_stage_range_lies_in_the_capture_when_only_profiling(self):
        [capture] = self.profiled.of("capture")
        self.assertEqual([s.name for s in self.profiled.of("stage") if not s.within("capture")], [])
        for share in self.profiled.of("worker"):
            self.assertLess(capture.first, share.first)
            self.assertLess(share.last, capture.last)

    def test_measuring_comes_before_the_capture_and_has_stages_too(self):
        [capture] = self.measured.of("capture")
        outside = [s for s in self.measured.of("stage") if not s.within("capture")]
        for stage in outside:
            self.assertLess(stage.last, capture.first)
            self.assertEqual([kind for kind in stage.kinds() if kind != "range"],
                             ["run", "point", "variant", "step", "stage"])
            self.assertRegex(stage.around("step").name, r"^#\d+$")
        self.assertLessEqual({"cast", "sub", "load"}, {stage.name for stage in outside})

    def test_turns_have_ranges_and_no_numbers(self):
        [capture] = self.measured.of("capture")
        named = [r for r in self.measured.ranges
                 if r.last < capture.first and any(o.name == "in ranges" for o in r.path)]
        self.assertIn((["preprocess"], LABEL), self.in_ranges(named))
        self.assertEqual([r.name for r in named if re.match(r"to float \d", r.name)], [])
        for r in named:
            if r.kind == "range":
                self.assertTrue(r.within("step"))

    @staticmethod
    def in_ranges(ranges):
        """Returns (names of the config's ranges around the stage, name of the stage) for each stage
        in `ranges`."""
        return [([o.name for o in r.path if o.kind == "range"], r.name)
                for r in ranges if r.kind == "stage"]

    @of_both_runs
    def test_ranges_of_the_config_are_around_their_stages(self, seen):
        for step in seen.of("step"):
            if not step.within("capture") or step.around("variant").name != "in ranges":
                continue
            number = step.name.removeprefix("ProfilerStep#")
            self.assertEqual(
                self.in_ranges([r for r in seen.ranges if step in r.path]),
                [(["preprocess"], f"to float {number}"), (["preprocess", "inner"], "sub"),
                 ([], "div")])

    @of_both_runs
    def test_stages_of_the_capture_are_nested_as_documented(self, seen):
        nesting = ["run", "capture", "point", "variant", "step", "stage"]
        in_warmup = nesting[:4] + ["warmup"] + nesting[4:]
        for stage in seen.of("stage"):
            if stage.within("capture"):
                kinds = [kind for kind in stage.kinds() if kind != "range"]
                self.assertIn(kinds, (nesting, in_warmup))

    @of_both_runs
    def test_stages_of_warm_up_lie_in_warmup(self, seen):
        for step in seen.of("step"):
            if not step.within("capture"):
                self.assertFalse(step.within("warmup"))
                continue
            number = int(step.name.removeprefix("ProfilerStep#"))
            self.assertEqual(step.within("warmup"), number < WAIT + WARMUP, step.name)
        for stage in seen.of("stage"):
            self.assertTrue(stage.within("step"), stage.name)

    @of_both_runs
    def test_every_profiled_variant_has_an_init_and_warms_up(self, seen):
        for variant in seen.of("variant"):
            if not variant.within("capture"):
                continue
            inside = [r.kind for r in seen.ranges if r.path[-1:] == [variant]]
            self.assertEqual(inside[0], "init")
            self.assertEqual(set(inside[1:-ACTIVE]), {"warmup"})
            self.assertEqual(inside[-ACTIVE:], ["step"] * ACTIVE)

    def test_measuring_limits_is_a_run_too(self):
        seen, text = seen_of(self.dir / "info.jsonl", NORMBENCH, "info", "--format", "json")
        self.assertEqual(seen.mistakes, [])
        self.assertEqual([r.name for r in seen.of("run")], ["memory-limits", "other-limits"])
        for r in seen.ranges:
            if r.name != "cost" and r.kind not in ("run", "worker"):
                self.assertEqual(r.path[0].kind, "run", r.name)
        points = {r.name for r in seen.of("point")}
        self.assertLessEqual({limit["kind"] for limit in json.loads(text)["limits"]}, points)

    def test_the_document_says_that_a_tool_was_attached(self):
        self.assertTrue(self.document["traced"])
        self.assertTrue(self.measured_document["traced"])

    def test_a_tool_that_cannot_be_loaded_changes_nothing(self):
        out = self.dir / "without"
        environment = {**os.environ, "NVTX_INJECTION64_PATH": str(self.dir / "missing.so")}
        done = subprocess.run(
            [NORMBENCH, "run", "--config", self.dir / "profiled/config.json", "--out", out,
             "--images", self.images, "--only", "files"],
            capture_output=True, text=True, env=environment)
        self.assertEqual(done.returncode, 0, done.stderr)
        [group] = json.loads((out / "results.json").read_text())["groups"]
        self.assertEqual([case["status"] for case in group["cases"]], ["ok"])


class InFlightTest(unittest.TestCase):
    """Tests items that overlap. Each has a range from its start to its end, on any threads."""

    @classmethod
    def setUpClass(cls):
        folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(folder.cleanup)
        stages = [{"op": "cast", "to": "float32"}, {"op": "sub", "mean": [1, 2, 3], "lane": "second"}]
        config = {**CONFIG, "experiments": [
            {"name": "flow", "source": {"batch": 1, "size": [64, 64]},
             "variants": {"three": {"stages": stages, "in_flight": 3, "items": 9}}}]}
        cls.seen, _ = run_seen(NORMBENCH, Path(folder.name) / "run", config)
        cls.started = {line["range"]: (number, line) for number, line in enumerate(cls.seen.lines)
                       if line["call"] == "start"}
        cls.ended = {line["range"]: number for number, line in enumerate(cls.seen.lines) if line["call"] == "end"}

    def test_every_range_that_starts_ends_once(self):
        self.assertEqual(self.seen.mistakes, [])
        self.assertEqual(self.seen.calls("unexpected"), [])
        self.assertEqual(len(self.ended), len(self.seen.calls("end")))
        self.assertEqual(set(self.started), set(self.ended))

    def test_there_is_one_for_each_item_of_the_window(self):
        [window] = [r for r in self.seen.of("step") if r.name.startswith("ProfilerStep#") and not r.within("warmup")]
        inside = [(line, number, self.ended[key]) for key, (number, line) in self.started.items()
                  if window.first < number < window.last]
        names = [self.seen.strings[line["message"]["string"]] for line, _, _ in inside]
        self.assertEqual(names, [f"#{i}" for i in range(ACTIVE)])
        self.assertEqual({self.seen.categories[line["category"]] for line, _, _ in inside}, {"step"})
        stages = [s for s in self.seen.of("stage") if window.first < s.first < window.last]
        self.assertEqual(sorted(s.name for s in stages), ["cast"] * ACTIVE + ["sub"] * ACTIVE)
        # Both stages of an item are in its range, on two threads. The stages of one thread are in order.
        for name in ("cast", "sub"):
            of_name = [s for s in stages if s.name == name]
            self.assertEqual(len({s.thread for s in of_name}), 1)
            for stage, (_, first, last) in zip(of_name, inside):
                self.assertLess(first, stage.first)
                self.assertLess(stage.last, last)
        self.assertEqual(len({s.thread for s in stages}), 2)

    def test_lanes_name_their_threads(self):
        names = {line["name"] for line in self.seen.calls("name_thread")}
        self.assertLessEqual({"lane cpu", "lane second"}, names)


@unittest.skipUnless(ON_FAKE_CUDA.exists(), "built without the CUDA Toolkit")
class DeviceTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(folder.cleanup)
        cls.seen, cls.document = run_seen(ON_FAKE_CUDA, Path(folder.name) / "run", ON_DEVICE)

    def test_pushes_and_pops_balance_and_nothing_else_is_called(self):
        self.assertEqual(self.seen.mistakes, [])
        self.assertEqual(self.seen.calls("unexpected"), [])

    def test_device_and_streams_are_named(self):
        self.assertEqual([line["device"] for line in self.seen.calls("name_device")], [0])
        streams = self.seen.calls("name_stream")
        self.assertGreater(len(streams), 0)
        for line in self.seen.calls("name_device") + streams:
            self.assertIn("normbench", line["name"])

    def test_a_graph_is_one_range_with_the_bytes_of_its_stages(self):
        bytes_of = {}
        for case in self.document["groups"][0]["cases"]:
            bytes_of[case["variant"]] = [stage["bytes"] for stage in case["stages"]]
        for variant, expected in (("one by one", bytes_of["one by one"]),
                                  ("graph", [sum(bytes_of["graph"])])):
            steps = [s for s in self.seen.of("step") if s.around("variant").name == variant]
            self.assertEqual(len(steps), WAIT + WARMUP + ACTIVE)
            for step in steps:
                stages = [s for s in self.seen.of("stage") if s.path[-1] is step]
                self.assertEqual([s.push["payload"]["value"] for s in stages], expected)

    def test_the_capture_encloses_every_stage(self):
        self.assertEqual(len(self.seen.of("capture")), 1)
        self.assertEqual([s.name for s in self.seen.of("stage") if not s.within("capture")], [])


if __name__ == "__main__":
    if not INJECTION.exists():
        print("skipped: built without NVTX headers", file=sys.stderr)
        sys.exit(SKIPPED)
    unittest.main(argv=[sys.argv[0], *sys.argv[4:]], verbosity=2)
