"""Tests what Nsight Systems records of a run, in its SQLite export, against docs/nsight.md. Also tests
scripts/nsys-capture.

usage: nsys_test.py HOW SOURCE_DIR NORMBENCH

HOW is `kept` (the exports in tests/app/data), `real` (exports of runs under nsys, made now; skipped without nsys),
`keep` (makes new exports and keeps them) or `script` (nsys-capture with a fake nsys).
"""

import collections
import json
import os
import shutil
import signal
import sqlite3
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

HOW = sys.argv[1]
SOURCE_DIR, NORMBENCH = (Path(p).resolve() for p in sys.argv[2:4])
CAPTURE = SOURCE_DIR / "scripts" / "nsys-capture"
KEPT = SOURCE_DIR / "tests" / "app" / "data"
SKIPPED = 77

WARMUP_STEPS, ACTIVE = 2, 2
PIXELS = 3 * 128 * 128
CONFIG = {
    "schema": 1,
    "name": "seen",
    "measure": {"max_seconds_per_group": 0.05, "precision": 0.2, "cache": "hot", "turn_timeout_seconds": 20},
    "profile": {"wait": 1, "warmup": 1, "active": ACTIVE},
    "experiments": [
        {
            "name": "sizes",
            "threads": 2,
            "sweep": {"batch": [1, 2]},
            "source": {"batch": "$batch", "size": [128, 128]},
            "variants": {
                "eager": [{"op": "cast", "to": "float32"}, {"op": "sub", "mean": [1, 2, 3]}],
                'fused "quoted" ü': [{"op": "normalize", "mean": [1, 2, 3], "std": [4, 5, 6]}],
            },
        },
    ],
}
# A config with items in flight on two lanes.
IN_FLIGHT, ITEMS = 3, 6
LANES = {"normalize": "lane cpu", "inference": "lane inference", "denormalize": "lane cpu"}
PIPELINE = {
    **CONFIG,
    "profile": {"wait": 1, "warmup": 1, "active": ITEMS},
    "experiments": [
        {
            "name": "pipeline",
            "source": {"layout": "nhwc", "size": [64, 64]},
            "variants": {
                "three": {
                    "stages": [
                        {"op": "normalize", "mean": [1, 2, 3], "std": [4, 5, 6]},
                        {"op": "compute", "ms": 1, "label": "inference", "lane": "inference"},
                        {"op": "denormalize", "mean": [1, 2, 3], "std": [4, 5, 6]},
                    ],
                    "in_flight": IN_FLIGHT,
                    "items": ITEMS,
                },
            },
        },
    ],
}
KEPT_OF = {"nsys_export.sql": CONFIG, "nsys_items.sql": PIPELINE}
# For the stages of each variant: bytes read plus bytes written, per pixel and channel.
STAGES = {"eager": {"cast": 1 + 4, "sub": 4 + 4}, 'fused "quoted" ü': {"normalize": 1 + 4}}
# The colours of src/record/nvtx.cpp. Categories count from 1 in this order.
COLOURS = {
    "run": 0xFF4E79A7, "point": 0xFF76B7B2, "variant": 0xFF59A14F, "step": 0xFFEDC948, "stage": 0xFFF28E2B,
    "part": 0xFFFF9DA7, "init": 0xFFBAB0AC, "warmup": 0xFF9C755F, "worker": 0xFFB07AA1,
    "range": 0xFFE15759,
}


class Range:
    """A range of the export. `path` has the kinds of the ranges around it on its thread, outermost first."""

    def __init__(self, row, kind, path):
        self.start, self.end, self.colour, self.name = row["start"], row["end"], row["color"], row["text"]
        self.thread, self.domain, self.bytes = row["globalTid"], row["domainId"], row["uint64Value"]
        self.kind, self.path = kind, path


class Export:
    """The NVTX events of an SQLite export."""

    EVENTS = """
        SELECT kind.name AS event, start, "end", category, color, coalesce(text, value) AS text, globalTid,
               domainId, uint64Value
        FROM NVTX_EVENTS JOIN ENUM_NSYS_EVENT_TYPE AS kind ON kind.id = eventType
        LEFT JOIN StringIds ON StringIds.id = textId
        ORDER BY start, "end" DESC
    """

    def __init__(self, database):
        database.row_factory = sqlite3.Row
        events = collections.defaultdict(list)
        for row in database.execute(self.EVENTS):
            events[row["event"]].append(row)
        self.domains = {row["domainId"]: row["text"] for row in events["NvtxDomainCreate"]}
        self.categories = {row["category"]: row["text"] for row in events["NvtxCategory"]}
        self.threads = {row["globalTid"]: row["text"] for row in events["NvtxThread"]}
        self.items = [Range(row, self.categories[row["category"]], []) for row in events["NvtxStartEndRange"]]
        self.ranges = []
        open_of = collections.defaultdict(list)
        for row in events["NvtxPushPopRange"]:
            around = open_of[row["globalTid"]]
            while around and around[-1].end <= row["start"]:
                around.pop()
            kind = self.categories.get(row["category"], row["text"])  # only `capture` has no category
            self.ranges.append(Range(row, kind, [outer.kind for outer in around]))
            around.append(self.ranges[-1])

    def of(self, kind):
        return [r for r in self.ranges if r.kind == kind]


def environment():
    tools = ("NSYS_", "NVTX_", "CUDA_INJECTION")
    return {name: value for name, value in os.environ.items() if not name.startswith(tools)}


def ran(words, folder, seconds=120, **variables):
    """Runs a command to its end. If it takes longer than `seconds`, all processes of its session are killed.
    Returns the exit code and the output."""
    process = subprocess.Popen(list(map(str, words)), stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                               cwd=folder, env={**environment(), **variables}, start_new_session=True)
    try:
        output, _ = process.communicate(timeout=seconds)
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, signal.SIGKILL)
        process.communicate()
        raise
    return process.returncode, output


def captured(folder, config, *options):
    """Runs scripts/nsys-capture. Returns its exit code and output. On a busy machine nsys may fail
    with "sem_open". It is then run again, up to five times in all."""
    (folder / "config.json").write_text(json.dumps(config))
    for _ in range(5):
        code, output = ran([CAPTURE, "config.json", "-o", "seen", *options], folder, NORMBENCH=str(NORMBENCH))
        if "sem_open" not in output:
            break
    return code, output


def exported(folder):
    code, output = ran(["nsys", "export", "-t", "sqlite", "-o", "seen.sqlite", "seen.nsys-rep"], folder)
    assert code == 0, output
    return sqlite3.connect(folder / "seen.sqlite")


def keep(file, config):
    """Makes a kept export. It has only the tables and columns that the tests read, and the strings
    that these tables use."""
    with tempfile.TemporaryDirectory() as name:
        code, output = captured(Path(name), config)
        assert code == 0, output
        database = exported(Path(name))
        database.execute("ATTACH ':memory:' AS small")
        for table, query in {
            "ENUM_NSYS_EVENT_TYPE": "SELECT id, name FROM main.ENUM_NSYS_EVENT_TYPE"
                                    " WHERE id IN (SELECT eventType FROM main.NVTX_EVENTS)",
            "NVTX_EVENTS": 'SELECT start, "end", eventType, category, color, text, globalTid, textId, domainId,'
                           " uint64Value FROM main.NVTX_EVENTS",
            "StringIds": "SELECT * FROM main.StringIds WHERE id IN (SELECT textId FROM main.NVTX_EVENTS)",
        }.items():
            database.execute(f"CREATE TABLE small.{table} AS {query}")
        kept = sqlite3.connect(":memory:")
        for table, sql in database.execute("SELECT name, sql FROM small.sqlite_master").fetchall():
            kept.execute(sql)
            rows = database.execute(f"SELECT * FROM small.{table}").fetchall()
            kept.executemany(f"INSERT INTO {table} VALUES ({','.join('?' * len(rows[0]))})", rows)
        kept.commit()
        (KEPT / file).write_text("\n".join(kept.iterdump()) + "\n")


def kept(file):
    database = sqlite3.connect(":memory:")
    database.executescript((KEPT / file).read_text())
    return Export(database)


class Reading:
    """Tests for every export of a run of CONFIG."""

    maxDiff = None

    def test_all_ranges_are_of_the_domain_normbench(self):
        self.assertEqual(list(self.export.domains.values()), ["normbench"])
        self.assertEqual({r.domain for r in self.export.ranges}, set(self.export.domains))

    def test_kinds_are_categories_with_a_colour_each(self):
        self.assertEqual(self.export.categories, dict(enumerate(COLOURS, 1)))
        colours = {(r.kind, r.colour) for r in self.export.ranges}
        self.assertEqual({kind for kind, _ in colours},
                         {"capture", "point", "variant", "init", "warmup", "step", "stage", "worker"})
        for kind, colour in colours:
            self.assertEqual(colour, COLOURS.get(kind), kind)

    def test_all_lies_in_the_one_capture(self):
        [capture] = self.export.of("capture")
        self.assertEqual(capture.path, [])
        for r in self.export.ranges:
            self.assertLessEqual(capture.start, r.start, r.name)
            self.assertLessEqual(r.end, capture.end, r.name)

    def test_ranges_are_nested_as_documented(self):
        [capture] = self.export.of("capture")
        depth_and_name = [(len(r.path), r.name) for r in self.export.ranges if r.thread == capture.thread]

        def steps(variant, first, last, depth):
            for number in range(first, last):
                yield depth, f"ProfilerStep#{number}"
                yield from ((depth + 1, stage) for stage in STAGES[variant])

        expected = [(0, "capture")]
        for batch in (1, 2):
            expected.append((1, f'sizes {{"batch":{batch}}}'))
            for variant in STAGES:
                expected += [(2, variant), (3, "init"), (3, "warmup"), (3, "warmup")]
                expected += steps(variant, 0, WARMUP_STEPS, 4)
                expected += steps(variant, WARMUP_STEPS, WARMUP_STEPS + ACTIVE, 3)
        self.assertEqual(depth_and_name, expected)

    def test_kinds_are_nested_as_documented(self):
        around = ["capture", "point", "variant"]
        paths = {"capture": [[]], "point": [around[:1]], "variant": [around[:2]], "init": [around],
                 "warmup": [around], "step": [around, around + ["warmup"]],
                 "stage": [around + ["step"], around + ["warmup", "step"]], "worker": [[]]}
        for r in self.export.ranges:
            self.assertIn(r.path, paths[r.kind], r.name)

    def test_stages_have_their_bytes(self):
        stages = iter(self.export.of("stage"))
        for batch in (1, 2):
            for variant in STAGES:
                for _ in range(WARMUP_STEPS + ACTIVE):
                    for name, bytes_each in STAGES[variant].items():
                        stage = next(stages)
                        self.assertEqual((stage.name, stage.bytes), (name, batch * PIXELS * bytes_each))
        for r in self.export.ranges:
            if r.kind != "stage":
                self.assertIsNone(r.bytes, r.name)

    def test_workers_are_named_and_work_while_their_stage_runs(self):
        workers = self.export.of("worker")
        self.assertEqual({self.export.threads[r.thread] for r in workers}, {"omp worker 1"})
        stages = self.export.of("stage")
        for worker in workers:
            self.assertTrue(any(stage.name == worker.name and stage.start <= worker.start
                                and worker.end <= stage.end for stage in stages), worker.name)


class ItemsReading:
    """Tests for every export of a run of PIPELINE."""

    def inside(self, kind, ranges):
        [window] = self.export.of(kind)
        return [r for r in ranges if window.start <= r.start and r.end <= window.end]

    def test_items_are_start_end_ranges_with_the_category_of_a_step(self):
        for kind, count in (("warmup", WARMUP_STEPS), ("step", ITEMS)):
            items = self.inside(kind, self.export.items)
            self.assertEqual([item.name for item in items], [f"#{i}" for i in range(count)])
        self.assertEqual({(item.kind, item.colour, item.domain) for item in self.export.items},
                         {("step", COLOURS["step"], *self.export.domains)})

    def test_as_many_items_overlap_as_are_in_flight(self):
        items = self.inside("step", self.export.items)
        flying = [sum(other.start <= item.start < other.end for other in items) for item in items]
        self.assertEqual(max(flying), IN_FLIGHT)

    def test_stages_are_nested_on_the_threads_of_their_lanes_within_their_items(self):
        items = self.inside("step", self.export.items)
        stages = self.inside("step", self.export.of("stage"))
        for name, lane in LANES.items():
            runs = [stage for stage in stages if stage.name == name]
            self.assertEqual({self.export.threads[stage.thread] for stage in runs}, {lane})
            self.assertEqual(len(runs), ITEMS)
            for item, stage in zip(items, runs):
                self.assertTrue(item.start <= stage.start and stage.end <= item.end, (item.name, name))


class Kept(Reading, unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.export = kept("nsys_export.sql")


class KeptItems(ItemsReading, unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.export = kept("nsys_items.sql")


class Real(Reading, unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(folder.cleanup)
        cls.dir = Path(folder.name)
        cls.code, cls.output = captured(cls.dir, CONFIG)
        assert cls.code == 0, cls.output
        cls.export = Export(exported(cls.dir))

    def test_there_is_a_report_and_nothing_else_to_import(self):
        names = {path.name for path in self.dir.iterdir()}
        self.assertEqual(names - {"results"}, {"config.json", "seen.nsys-rep", "seen.sqlite"})

    def test_the_document_says_that_nsight_systems_was_attached(self):
        [written] = self.dir.glob("results/*/results.json")
        document = json.loads(written.read_text())
        self.assertEqual((document["traced"], document["environment"]["attached_tool"]), (True, "Nsight Systems"))
        self.assertEqual([len(group["profile"]) for group in document["groups"]], [len(STAGES)] * 2)

    def test_stats_has_the_documented_rows(self):
        for report in ("nvtx_pushpop_sum", "nvtxppsum"):  # newer and older name
            code, output = ran(["nsys", "stats", "-r", report, "--format", "csv", "seen.sqlite"], self.dir)
            if "could not be found" not in output:
                break
        self.assertEqual(code, 0, output)
        instances = {words[-1]: int(words[2]) for words in
                     (line.split(",") for line in output.splitlines()) if words[-1].startswith("normbench:")}
        self.assertEqual(instances["normbench:capture"], 1)
        self.assertEqual(instances["normbench:eager"], 2)
        for step in range(WARMUP_STEPS, WARMUP_STEPS + ACTIVE):
            self.assertEqual(instances[f"normbench:ProfilerStep#{step}"], 2 * len(STAGES))


class RealItems(ItemsReading, unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        with tempfile.TemporaryDirectory() as folder:
            code, output = captured(Path(folder), PIPELINE)
            assert code == 0, output
            cls.export = Export(exported(Path(folder)))


class Script(unittest.TestCase):
    """Tests the messages of nsys-capture, and the files that it leaves."""

    maxDiff = None
    USAGE = " (usage: scripts/nsys-capture CONFIG [NSYS OPTION...])\n"
    FIND_NAME = 'for word; do [ "$previous" = -o ] && name=$word; previous=$word; done; '

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.dir = Path(folder.name)
        for name in ("a.json", "b.json"):
            (self.dir / name).write_text("{}")
        self.report = self.dir / "seen.nsys-rep"
        self.nsys('echo new >"$name.nsys-rep"')

    def tool(self, path, script):
        (self.dir / path).parent.mkdir(parents=True, exist_ok=True)
        (self.dir / path).write_text(f"#!/bin/sh\n{script}\n")
        (self.dir / path).chmod(0o755)

    def nsys(self, script):
        self.tool("nsight/target/nsys", self.FIND_NAME + script)

    def capture(self, *options):
        """Runs nsys-capture. Returns its exit code, and its output without the line with nsys's
        command."""
        path = f"{self.dir}/nsight/target:{os.environ['PATH']}"
        code, output = ran([CAPTURE, *options], self.dir, PATH=path, NORMBENCH=str(NORMBENCH))
        return code, "".join(line for line in output.splitlines(keepends=True) if not line.startswith("nsys profile "))

    def refused(self, why, *options):
        """Checks that nsys-capture refuses the options before nsys starts."""
        files = sorted(self.dir.iterdir())
        self.assertEqual(self.capture(*options), (2, f"nsys-capture: {why}{self.USAGE}"))
        self.assertEqual(sorted(self.dir.iterdir()), files)

    def test_a_report(self):
        self.assertEqual(self.capture("a.json", "-o", "seen", "--cuda-graph-trace=node", "-t", "cuda"), (0, ""))
        self.assertEqual(self.report.read_text(), "new\n")

    def test_usage(self):
        self.refused("no config")
        self.refused("no config c.json", "c.json")
        self.refused("-o needs a file", "a.json", "-o")

    def test_two_configs(self):
        for options in ([], ["-o", "seen"], ["--cuda-graph-trace=node"], ["-s", "none"], ["-n"]):
            self.refused("one config at a time, then options of nsys: b.json", "a.json", *options, "b.json")

    def test_an_older_report_is_kept(self):
        for older in (self.report, self.dir / "seen.qdstrm"):
            older.write_text("older\n")
            for options in (["-o", "seen"], ["-oseen"], ["--output=seen.nsys-rep"]):
                self.refused(f"{older.name} exists already: name another with -o, or add -f true", "a.json", *options)
            self.assertEqual(older.read_text(), "older\n")
            older.unlink()
        self.report.write_text("older\n")
        self.assertEqual(self.capture("a.json", "-o", "seen", "-f", "true"), (0, ""))
        self.assertEqual(self.report.read_text(), "new\n")

    def test_no_report(self):
        self.nsys("echo No reports were generated")
        missing = "nsys-capture: nsys left no seen.nsys-rep: what it and normbench said is above\n"
        self.assertEqual(self.capture("a.json", "-o", "seen"), (1, "No reports were generated\n" + missing))
        self.nsys("exit 3")
        self.assertEqual(self.capture("a.json", "-o", "seen"), (3, missing))
        self.report.write_text("older\n")
        os.utime(self.report, (0, 0))
        self.assertEqual(self.capture("a.json", "-o", "seen", "-f", "true"), (3, missing))

    def test_what_nsys_does_not_import(self):
        self.nsys('echo raw >"$name.qdstrm"')
        self.tool("nsight/host-linux-x64/QdstrmImporter", 'cat "$2" >"$4"')
        self.assertEqual(self.capture("a.json", "-o", "seen"), (0, "Imported: seen.nsys-rep\n"))
        self.assertEqual(self.report.read_text(), "raw\n")
        self.assertFalse((self.dir / "seen.qdstrm").exists())


if __name__ == "__main__":
    if HOW == "keep":
        for file, config in KEPT_OF.items():
            keep(file, config)
        sys.exit()
    if HOW == "real" and shutil.which("nsys") is None:
        print("skipped: no nsys here (Nsight Systems)", file=sys.stderr)
        sys.exit(SKIPPED)
    chosen = {"kept": (Kept, KeptItems), "real": (Real, RealItems), "script": (Script,)}[HOW]
    suite = unittest.TestSuite(map(unittest.defaultTestLoader.loadTestsFromTestCase, chosen))
    sys.exit(not unittest.TextTestRunner(verbosity=2).run(suite).wasSuccessful())
