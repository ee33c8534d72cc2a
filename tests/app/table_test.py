"""Tests `normbench table` on traces of PyTorch, of normbench and of other programs, with the real binary.

usage: table_test.py NORMBENCH SOURCE_DIR TESTS_DIR
"""

import csv
import gzip
import io
import json
import os
import random
import re
import resource
import shutil
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

NORMBENCH, SOURCE_DIR, TESTS_DIR = (Path(p).resolve() for p in sys.argv[1:4])
TRACES = SOURCE_DIR / "tests" / "traces"
TORCH_TRACE = TRACES / "torch_cpu.json.gz"
MAKE_TORCH_TRACE = TRACES / "make_torch_trace.py"
TORCH_ROWS = TRACES / "torch_rows.py"
ON_FAKE_CUDA = TESTS_DIR / "normbench_on_fake_cuda"
FAKE_CUPTI = TESTS_DIR / "fake_cupti" / "libcupti.so.13"

TORCH_HEADERS = [
    "Name", "Self CPU %", "Self CPU", "CPU total %", "CPU total", "CPU time avg",
    "Self CUDA", "Self CUDA %", "CUDA total", "CUDA time avg", "# of Calls", "Input Shapes",
]  # fmt: skip
STATS_HEADERS = ["place", "count", "min", "p50", "p95", "max", "GB/s", "% of limit", "faults"]

GPU_TRACE = """{"traceEvents": [
{"ph":"X","cat":"user_annotation","name":"ProfilerStep#0","pid":1,"tid":1,"ts":0,"dur":100},
{"ph":"X","cat":"cpu_op","name":"normalize","pid":1,"tid":1,"ts":10,"dur":20,"args":{"External id":5,"Input Dims":[[8,3]]}},
{"ph":"X","cat":"cpu_op","name":"normalize","pid":1,"tid":1,"ts":31,"dur":2,"args":{"External id":6,"Input Dims":[[1,3]]}},
{"ph":"X","cat":"cuda_runtime","name":"cudaLaunchKernel","pid":1,"tid":1,"ts":12,"dur":3,"args":{"External id":5,"correlation":9}},
{"ph":"X","cat":"gpu_memcpy","name":"Memcpy HtoD (Pinned -> Device)","pid":0,"tid":8,"ts":14,"dur":10,"args":{"stream":8,"correlation":7,"bytes":50000}},
{"ph":"X","cat":"kernel","name":"normalize_kernel","pid":0,"tid":7,"ts":20,"dur":40,"args":{"External id":5,"stream":7,"correlation":9}}
]}"""

CONFIG = {
    "schema": 1,
    "name": "one",
    "measure": {"max_seconds_per_group": 0.05, "precision": 0.2, "cache": "hot"},
    "profile": {"active": 3},
    "experiments": [
        {
            "name": "only",
            "source": {"batch": 2, "size": [64, 64]},
            "variants": {
                "eager": [{"op": "cast", "to": "float32"}, {"op": "sub", "mean": [1, 2, 3]}]
            },
        }
    ],
}


def cells(line):
    return [cell.strip() for cell in line.split("  ") if cell.strip()]


def torch_pythons():
    """Returns the Python interpreters that can import torch."""
    known = [os.environ.get("NORMBENCH_TORCH_PYTHON"), sys.executable, shutil.which("python3")]
    found = []
    for python in dict.fromkeys(filter(None, known)):
        asked = subprocess.run([python, "-c", "import torch"], capture_output=True)
        if asked.returncode == 0:
            found.append(python)
    return found


class RandomTrace:
    """A random trace. On some threads, ops nest and launch work. On other threads, ops overlap in
    any way."""

    HIDDEN = ("aten::is_leaf", "[memory]")
    NAMES = ("conv", "conv", "mul", "ProfilerStep#1", "ProfilerStep#2", *HIDDEN)

    def __init__(self, seed):
        self.random = random.Random(seed)
        self.events, self.last_id = [], 0
        for tid in (1, 2):
            self.grow(tid, 0, 60_000, 0)
        for tid in (3, 4):
            for _ in range(self.random.randrange(12)):
                start = self.random.randrange(50)
                self.add("cpu_op", tid, start, start + self.random.randrange(20))
        self.random.shuffle(self.events)

    def add(self, category, tid, start_ns, end_ns, name=None, **args):
        self.events.append(
            {
                "ph": "X",
                "cat": category,
                "name": name or self.random.choice(self.NAMES),
                "pid": 0 if category in ("kernel", "gpu_user_annotation") else 9,
                "tid": tid,
                "ts": start_ns / 1000,
                "dur": (end_ns - start_ns) / 1000,
                "args": args,
            }
        )

    def grow(self, tid, start_ns, end_ns, depth):
        """Fills the time with ops. All starts and ends differ."""
        now = start_ns
        while depth < 5 and (left := end_ns - now) > 100:
            now += self.random.randrange(1, 50)
            end = now + self.random.randrange(50, max(51, left - 60))
            if end >= end_ns:
                break
            self.last_id += 1
            op = self.last_id
            name = self.random.choice(self.NAMES)
            category = self.random.choice(("cpu_op", "user_annotation"))
            self.add(category, tid, now, end, name, **{"External id": op})
            inner = now + 1
            if name not in self.HIDDEN and self.random.random() < 0.4:
                self.launch(tid, now + 1, op)
                inner = now + 12
            self.grow(tid, inner, end, depth + 1)
            now = end + self.random.randrange(3)

    def launch(self, tid, now, op):
        link = {"External id": op, "correlation": op}
        self.add("cuda_runtime", tid, now, now + 10, "cudaLaunchKernel", **link)
        for _ in range(self.random.randrange(1, 3)):
            start = now + self.random.randrange(100_000)
            self.add("kernel", 7, start, start + self.random.randrange(1, 999), "k", **link)
            if self.random.random() < 0.2:
                self.add("gpu_user_annotation", 7, start, start + 999, "conv")

    def write(self, path):
        path.write_text(json.dumps({"traceEvents": self.events}))
        return path


class TableTest(unittest.TestCase):
    maxDiff = None

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.dir = Path(folder.name)

    def normbench(self, *args, binary=NORMBENCH, **environment):
        return subprocess.run(
            [binary, *map(str, args)],
            capture_output=True,
            text=True,
            timeout=300,
            env={**os.environ, **environment},
        )

    def table(self, *args):
        done = self.normbench("table", *args)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        return done.stdout

    def file(self, content, name="trace.json"):
        path = self.dir / name
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        return path

    def assert_mistake(self, expected, *args):
        done = self.normbench("table", *args)
        self.assertEqual((done.returncode, done.stdout), (2, ""), done.stderr)
        self.assertIn(expected, done.stderr)
        self.assertEqual(done.stderr.count("\n"), 1, done.stderr)

    # --- PyTorch's own traces

    def assert_as_torch(self, folder, what="cpu"):
        trace = folder / f"torch_{what}.json.gz"
        with gzip.open(trace, "rt") as packed:
            events = packed.read()
        if '"cpu_op"' in events and not re.search(r'"ts": \d+\.\d', events):
            self.skipTest("this PyTorch rounds its traces to microseconds, but not its tables")
        has_shapes = '"Input Dims"' in events  # a PyTorch without Kineto has no shapes
        for text, options in (("table", []), ("shapes", ["--group-by-input-shape"]))[: 1 + has_shapes]:
            torch = (folder / f"torch_{what}_{text}.txt").read_text().splitlines()
            ours = self.table(
                trace, "--sort-by", "self_cpu_time_total", "--row-limit", -1, *options
            ).splitlines()[: len(torch)]
            self.assertEqual([len(line) for line in ours], [len(line) for line in torch])
            self.assertEqual(ours[:3], torch[:3])
            self.assert_same_cell(ours[-1].split(": ")[1], torch[-1].split(": ")[1], "total")
            header = cells(torch[1])
            ours, torch = ([cells(line) for line in lines[3:-2]] for lines in (ours, torch))
            for our, their in zip(ours, torch):  # rows with equal times have no fixed order
                self.assert_same_cell(our[2], their[2], "Self CPU")
            for our, their in zip(sorted(ours, key=self.who), sorted(torch, key=self.who)):
                for title, *pair in zip(header, our, their, strict=True):
                    self.assert_same_cell(*pair, title)

    @staticmethod
    def who(row):
        """Returns name, calls and shapes."""
        return row[0], row[6:]

    def assert_same_cell(self, ours, torchs, title):
        """Compares cells. PyTorch adds microseconds as doubles, so the last digit may differ by
        rounding."""
        if title == "CPU time avg" or torchs.endswith(("%", "ms")) or re.search(r"\ds$", torchs):
            parts = [re.fullmatch(r"(-?[\d.]+)(\D+)", cell) for cell in (ours, torchs)]
            self.assertEqual(parts[0][2], parts[1][2], title)
            digits = [int(part[1].replace(".", "")) for part in parts]
            self.assertLessEqual(abs(digits[0] - digits[1]), 1, title)
        else:
            self.assertEqual(ours, torchs, title)

    def test_the_stored_trace_gives_torchs_own_table(self):
        self.assert_as_torch(TRACES)

    def test_a_fresh_trace_gives_torchs_own_table(self):
        pythons = torch_pythons()
        if not pythons:
            self.skipTest("no python here can import torch")
        for python in pythons:
            made = subprocess.run(
                [python, MAKE_TORCH_TRACE, self.dir], capture_output=True, text=True, timeout=300
            )
            self.assertEqual(made.returncode, 0, made.stderr)
            for what in ("cpu", "memory", "stack"):
                # Tables of traces with Python frames are compared only for PyTorch 2.15 and later.
                if what != "stack" or tuple(map(int, made.stdout.split(".")[:2])) >= (2, 15):
                    with self.subTest(what):
                        self.assert_as_torch(self.dir, what)

    def test_random_gpu_traces_give_the_rows_that_torchs_classes_make(self):
        pythons = torch_pythons()
        if not pythons:
            self.skipTest("no python here can import torch")
        traces = [RandomTrace(seed).write(self.dir / f"{seed}.json") for seed in range(40)]
        made = subprocess.run([pythons[0], TORCH_ROWS, *traces], capture_output=True, text=True)
        if made.returncode == 77:
            self.skipTest("this PyTorch is too old")
        self.assertEqual(made.returncode, 0, made.stderr)

        def place(row):
            return row["name"], row["place"], row["annotation"]

        for trace, expected in zip(traces, json.loads(made.stdout), strict=True):
            done = self.normbench("table", trace, "--format", "json")
            self.assertEqual(done.returncode, 0, done.stderr)
            document = json.loads(done.stdout)
            for warning in document["warnings"]:  # there are no other warnings
                self.assertRegex(warning, "within another one of the thread .* both count the time")
            ours = document["rows"]
            ours = [{key: row[key] for key in expected[0]} for row in ours]
            self.assertEqual(sorted(ours, key=place), sorted(expected, key=place), trace.name)

    def test_the_stored_trace_is_one_of_steps_threads_and_merged_calls(self):
        text = (TRACES / "torch_cpu_table.txt").read_text()
        for name in ("ProfilerStep*", "aten::conv2d", "normalize", "step's work", "nested"):
            self.assertRegex(text, rf"(?m)^ *{re.escape(name)} ")
        with gzip.open(TORCH_TRACE, "rt") as packed:
            events = json.load(packed)["traceEvents"]
        threads = {event["tid"] for event in events if event.get("cat") == "cpu_op"}
        self.assertGreaterEqual(len(threads), 2)
        nested = [event for event in events if event.get("name") == "nested"]
        shown = next(line for line in text.splitlines() if cells(line)[:1] == ["nested"])
        self.assertEqual(2 * int(cells(shown)[-1]), len(nested))
        self.assertLess(TORCH_TRACE.stat().st_size, 100_000)

    def test_in_traces_of_pytorch_1_work_belongs_to_the_op_around_its_call(self):
        document = json.loads(self.table(TRACES / "torch_1x.json", "--format", "json"))
        self.assertEqual((document["steps"], document["times"]["copy_ns"]), (5, 55_000_000))
        device_us = {
            row["name"]: (row["self_device_ns"] / 1000, row["device_ns"] / 1000)
            for row in document["rows"]
            if row["place"] == "cpu"
        }
        self.assertEqual(
            device_us,
            {
                "ProfilerStep*": (0, 57_500),
                "aten::to": (0, 55_000),
                "aten::_to_copy": (0, 55_000),
                "aten::empty_strided": (0, 0),
                "aten::copy_": (55_000, 55_000),
                "cudaMemcpyAsync": (0, 0),
                "cudaStreamSynchronize": (0, 0),
                "aten::sub": (2_500, 2_500),
                "cudaLaunchKernel": (0, 0),
            },
        )

    # --- traces of other programs, and odd traces

    def foreign(self, name, *args):
        """Returns the rows by name as (self us, total us, calls), the document, and the warnings."""
        done = self.normbench("table", TRACES / "foreign" / name, "--format", "json", *args)
        self.assertEqual(done.returncode, 0, done.stderr)
        document = json.loads(done.stdout)
        self.assertEqual(
            [f"warning: {TRACES / 'foreign' / name}: {text}" for text in document["warnings"]],
            done.stderr.splitlines(),
        )
        rows = {
            row["name"]: (row["self_cpu_ns"] / 1000, row["cpu_ns"] / 1000, row["calls"])
            for row in document["rows"]
        }
        return rows, document, done.stderr

    def test_stacks_that_begin_at_one_time_nest_by_their_order(self):
        rows, _, warnings = self.foreign("py-spy-0.4.3.json")
        self.assertEqual({name for name, row in rows.items() if row[0] > 0}, {"b"})
        self.assertEqual(rows["Thread._bootstrap"][:2], rows["Thread.run"][:2])
        self.assertEqual(warnings, "")
        rows, _, _ = self.foreign("begin-end-same-times.json")
        self.assertEqual(rows, {"main": (0, 1000, 1), "run": (0, 1000, 1), "leaf": (1000, 1000, 1)})

    def test_words_of_old_pytorch_in_files_of_others_are_no_kinds(self):
        rows, _, _ = self.foreign("onnxruntime-gpu-kinds.json")
        self.assertEqual(len(rows), 6)
        self.assertEqual(rows["implicit_gemm_f32"], (300, 300, 1))
        rows, document, warnings = self.foreign("paddle-3.3.1.json.gz")
        self.assertEqual(sum(row["calls"] for row in document["rows"]), 130)
        self.assertEqual(warnings, "")
        self.assertEqual(rows["mine"][1:], (1985.423, 1))
        self.assertFalse([name for name in rows if re.search(r"\[[\d.]+ [mu]?s\]$", name)])

    def test_starts_that_were_cut(self):
        rows, _, _ = self.foreign("truncated-starts.json")
        self.assertEqual({name: row[0] for name, row in rows.items()}, {"step": 0.2, "forward": 0.75, "op": 49.95})

    def test_ranges_of_collectives_have_no_self_time(self):
        rows, _, _ = self.foreign("async-communication.json")
        self.assertEqual(rows["gloo:all_reduce"], (0, 1020, 2))
        self.assertEqual(rows["train"], (680, 1000, 1))

    def test_stored_traces_of_torch_2_15_give_its_own_tables(self):
        for name, options in (("gloo", ["--sort-by", "none"]), ("with-stack", ["--sort-by", "none"])):
            expected = (TRACES / "foreign" / f"torch-2.15-{name}.txt").read_text().splitlines()
            path = TRACES / "foreign" / f"torch-2.15-{name}.json.gz"
            ours = self.table(path, *options).splitlines()[: len(expected)]
            header = cells(expected[1])
            self.assertEqual(cells(ours[1]), header)
            self.assertEqual(ours[-1], expected[-1])
            pairs = zip(*(sorted(map(cells, lines[3:-2])) for lines in (ours, expected)), strict=True)
            for our, their in pairs:
                for title, *pair in zip(header, our, their, strict=True):
                    self.assert_same_cell(*pair, title)

    def test_frames_of_python_take_time_from_the_range_around(self):
        rows, _, _ = self.foreign("python-frames.json")
        self.assertEqual(rows, {"data": (40, 1000, 1), "aten::mm": (300, 300, 1)})

    def test_memory_has_columns_where_it_was_recorded(self):
        events = json.loads(GPU_TRACE)["traceEvents"][:2]
        for said, columns in ((1, ["CPU Mem", "Self CPU Mem"]), (0, [])):
            text = self.table(self.file(json.dumps({"profile_memory": said, "traceEvents": events})))
            header = next(line for line in text.splitlines() if " Name " in line)
            self.assertEqual([cell for cell in cells(header) if "Mem" in cell], columns)
            self.assertEqual(text.count("0 B"), 2 * 2 * said)

    def test_async_ranges_have_rows_and_sums_have_none(self):
        rows, document, warnings = self.foreign("async-and-totals.json")
        self.assertEqual(rows["Source"], (0, 3000, 1))
        self.assertEqual(document["totals"]["self_cpu_ns"], 7_000_000)
        self.assertFalse([name for name in rows if name.startswith("Total ")])
        self.assertIn("4 \"Total …\" slices left out: a sum of others is no work", warnings)
        rows, _, _ = self.foreign("only-async.json")
        self.assertEqual(rows, {"request": (0, 90, 1), "old": (0, 45, 1)})

    def test_correlations_of_two_ranks(self):
        _, document, warnings = self.foreign("two-ranks-correlations.json")
        ops = {row["name"]: row["device_ns"] for row in document["rows"] if row["place"] == "cpu"}
        self.assertEqual(ops, {"rank0::op": 0, "rank1::op": 0, "cudaLaunchKernel": 0})
        self.assertIn("2 pieces of device work have a correlation that calls of several processes have", warnings)

    def test_what_a_full_profile_lost_is_no_slice(self):
        rows, document, _ = self.foreign("onnxruntime-truncated.json")
        self.assertNotIn("profile_truncated", rows)
        self.assertEqual(document["losses"]["dropped"], 50_002)
        self.assertEqual(document["times"]["wall_ns"], 1_247_000)

    def test_events_at_zero_are_counted_and_left_out(self):
        _, document, warnings = self.foreign("zero-times.json")
        self.assertEqual(document["times"]["wall_ns"], 500_000)
        self.assertIn("1 slice left out: ts is 0, and years later in the others (line 1)", warnings)

    def test_names_that_pytorch_could_not_write(self):
        rows, _, warnings = self.foreign("torch-2.15-names.json.gz")
        self.assertEqual(rows["unknown"][2], 5)
        self.assertIn('5 ranges named "unknown"', warnings)

    def test_what_is_almost_json_is_read_with_one_warning(self):
        three = {"load": (30, 100, 1), "decode": (40, 40, 1), "resize": (30, 30, 1)}
        for name, expected in (
            ("open-array", three),
            ("open-array-no-comma", three),
            ("trailing-comma", three),
            ("deep-args", three),
            ("nan-value", {"a": (5, 5, 1)}),
            ("inf-value", {"Memcpy HtoD (Pageable -> Device)": (0, 0, 1)}),
            ("latin1-name", {"lire caf\ufffd": (10, 10, 1)}),
        ):
            with self.subTest(name):
                rows, _, warnings = self.foreign(f"{name}.json")
                self.assertEqual(rows, expected)
                self.assertEqual(warnings.count("warning: "), 1, warnings)

    def table_in(self, megabytes, path):
        """Runs `normbench table` with a limit on its data memory. Returns the finished process."""
        limit = megabytes << 20
        return subprocess.run(
            [NORMBENCH, "table", path],
            capture_output=True,
            text=True,
            timeout=300,
            preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_DATA, (limit, limit)),
        )

    def packed(self, name, before, part, times, after):
        """Writes a gzip file. Its text is never whole in memory."""
        path = self.dir / name
        with gzip.open(path, "wb", compresslevel=1) as packed:
            packed.write(before)
            for _ in range(times):
                packed.write(part)
            packed.write(after)
        return path

    def test_memory_grows_with_what_is_kept_and_not_with_what_is_unpacked(self):
        event = b'{"ph":"X","name":"a","cat":"cpu_op","pid":1,"tid":1,"ts":1,"dur":1},'
        start = b'{"traceEvents":['
        in_args = start + event[:-2] + b',"args":{"x":"'
        for name, before, part, after in (
            ("same.json.gz", start, event * 1000, b"{}]}"),
            ("blank.json.gz", start + event, b" " * 70_000, b"{}]}"),
            ("text.json.gz", in_args, b"x" * 70_000, b'"}}]}'),
        ):
            with self.subTest(name):
                done = self.table_in(64, self.packed(name, before, part, 3000, after))
                self.assertEqual(done.returncode, 0, done.stderr)
                self.assertIn("Self CPU time total: 1.000us\n", done.stdout)
        done = self.table_in(128, self.packed("name.json.gz", start + b'{"name":"', b"x" * 70_000, 3000, b'"}]}'))
        self.assertEqual(done.returncode, 2)
        self.assertIn("line 1, column 25: a string of more than 16777216 bytes", done.stderr)

    # --- tables

    def test_device_work_has_rows_and_counts_for_its_ops(self):
        text = self.table(self.file(GPU_TRACE))
        header = next(line for line in text.splitlines() if " Name " in line)
        self.assertEqual(cells(header), [*TORCH_HEADERS[:-1]])
        rows = {cells(line)[0]: cells(line)[1:] for line in text.splitlines() if "us  " in line}
        self.assertEqual(rows["ProfilerStep*"][-5:], ["0.000us", "0.00%", "40.000us", "40.000us", "1"])
        self.assertEqual(rows["normalize"][-5:], ["40.000us", "80.00%", "40.000us", "20.000us", "2"])
        self.assertEqual(rows["cudaLaunchKernel"][1:5], ["3.000us", "3.00%", "3.000us", "3.000us"])
        self.assertEqual(rows["normalize_kernel"][-5:], ["40.000us", "80.00%", "40.000us", "40.000us", "1"])
        self.assertIn("\nSelf CPU time total: 100.000us\nSelf CUDA time total: 50.000us\n", text)
        self.assertIn("\nWall time of 1 step: 100.000us\n", text)
        self.assertIn("\nGPU busy 46 %: 46.000us, over all streams\n", text)
        self.assertIn("\nLost: 1 piece of device work has no launch in the profile\n", text)

    def test_packed_and_plain_are_the_same_whatever_their_names(self):
        plain = self.table(self.file(GPU_TRACE))
        packed = gzip.compress(GPU_TRACE.encode())
        self.assertEqual(self.table(self.file(packed, "packed.json.gz")), plain)
        self.assertEqual(self.table(self.file(packed, "packed.txt")), plain)
        self.assertEqual(self.table(self.file(packed + gzip.compress(b"\n"), "two")), plain)

    def test_json_and_csv_hold_numbers_of_all_rows(self):
        path = self.file(GPU_TRACE)
        document = json.loads(self.table(path, "--format", "json"))
        self.assertEqual(len(document["rows"]), 5)
        self.assertEqual(document["rows"][0]["name"], "ProfilerStep*")
        self.assertEqual(document["rows"][0]["cpu_ns"], 100_000)
        self.assertEqual(document["rows"][0]["self_cpu_ns"], 78_000)
        self.assertEqual(document["totals"], {"self_cpu_ns": 100_000, "device_ns": 50_000})
        self.assertEqual(document["times"]["busy_ns"], 46_000)
        self.assertEqual(document["losses"]["without_launch"], 1)
        rows = list(csv.DictReader(io.StringIO(self.table(path, "--format", "csv"))))
        self.assertEqual([row["name"] for row in rows], [row["name"] for row in document["rows"]])
        self.assertEqual(rows[0]["cpu_ns"], "100000")
        stats = json.loads(self.table(path, "--format", "json", "--table", "stats"))
        copy = next(row for row in stats["rows"] if row["name"].startswith("Memcpy"))
        self.assertEqual((copy["bytes"], copy["bytes_per_ns"], copy["p50_ns"]), (50_000, 5, 10_000))

    def test_markdown(self):
        text = self.table(self.file(GPU_TRACE), "--format", "markdown")
        self.assertIn("| Name | Self CPU % |", text)

    def test_sorting_and_limits(self):
        path = self.file(GPU_TRACE)

        def names(*args):
            return [row["name"] for row in json.loads(self.table(path, "--format", "json", *args))["rows"]]

        in_order = ["ProfilerStep*", "normalize", "cudaLaunchKernel"]
        in_order += ["Memcpy HtoD (Pinned -> Device)", "normalize_kernel"]
        self.assertEqual(names("--sort-by", "none"), in_order)
        self.assertEqual(names("--sort-by", "count")[0], "normalize")
        self.assertEqual(
            names("--sort-by", "self_cuda_time_total", "--row-limit", 3),
            ["normalize", "normalize_kernel", "Memcpy HtoD (Pinned -> Device)"],
        )
        self.assertEqual(names("--sort-by", "none", "--row-limit", -1), in_order)
        self.assertEqual(names("--sort-by", "none", "--group-by-input-shape").count("normalize"), 2)
        text = self.table(path, "--row-limit", 1)
        self.assertIn("4 more rows", text)
        self.assertNotIn("normalize ", text)

    def test_names_are_cut_as_asked(self):
        path = self.file(GPU_TRACE)
        self.assertIn(" Memcpy HtoD (Pinned -> Device) ", self.table(path))
        self.assertIn("\nMemcpy HtoD (Pin...  ", self.table(path, "--max-name-width", 19))
        self.assertIn(" Memcpy HtoD (Pinned -> Device) ", self.table(path, "--max-name-width", 0))

    def test_several_traces_each_below_its_name(self):
        one, two = self.file(GPU_TRACE, "one.json"), self.file(GPU_TRACE, "two.json")
        alone = self.table(one)
        self.assertEqual(self.table(one, two), f"{one}\n{alone}\n{two}\n{alone}")
        documents = json.loads(self.table(one, two, "--format", "json"))
        self.assertEqual([document["trace"] for document in documents], [str(one), str(two)])
        rows = list(csv.DictReader(io.StringIO(self.table(one, two, "--format", "csv"))))
        self.assertEqual([row["trace"] for row in rows], [str(one)] * 5 + [str(two)] * 5)
        self.assertEqual(self.table(one, two, "--format", "markdown").count("### "), 2)

    def test_out_is_a_file(self):
        path, out = self.file(GPU_TRACE), self.dir / "table.txt"
        self.assertEqual(self.table(path, "--out", out), "")
        self.assertEqual(out.read_text(), self.table(path))

    def test_traces_of_other_tools(self):
        path = self.file(
            '[{"ph":"B","name":"Parse","pid":"compiler","tid":0,"ts":"0"},'
            '{"ph":"X","name":"Emit","pid":"compiler","tid":0,"ts":2,"dur":3},'
            '{"ph":"E","pid":"compiler","tid":0,"ts":10}]'
        )
        rows = json.loads(self.table(path, "--format", "json"))["rows"]
        self.assertEqual([(row["name"], row["self_cpu_ns"]) for row in rows], [("Parse", 7000), ("Emit", 3000)])

    # --- normbench's own traces

    def assert_as_in_results(self, binary, config, **environment):
        out = self.dir / "out"
        path = self.file(json.dumps(config), "config.json")
        run = self.normbench("run", "--config", path, "--out", out, binary=binary, **environment)
        self.assertEqual(run.returncode, 0, run.stderr)
        profile = json.loads((out / "results.json").read_text())["groups"][0]["profile"][0]
        options = [out, "--format", "json", "--sort-by", "none"]
        torch = json.loads(self.table(*options))
        stats = json.loads(self.table(*options, "--table", "stats"))
        ours = [{**a, **b} for a, b in zip(torch["rows"], stats["rows"])]
        self.assertEqual([row["name"] for row in ours], [row["name"] for row in profile["rows"]])
        for expected, row in zip(profile["rows"], ours):
            for key, value in expected.items():
                # The table that is read from the trace may lack these columns.
                if key not in ("faults", "shapes", "longest"):
                    self.assertEqual(row[key] or 0, value, (expected["name"], key))
        for part in ("times", "losses"):
            for key, value in profile.get(part, {}).items():
                self.assertEqual(torch[part][key], value, key)
        self.assertEqual(torch["steps"], profile["steps"])
        self.assertEqual(torch["device_times"], profile.get("device_times", ""))
        return torch

    def test_a_runs_trace_gives_the_rows_of_its_results(self):
        document = self.assert_as_in_results(NORMBENCH, CONFIG)
        self.assertIn("ProfilerStep*", [row["name"] for row in document["rows"]])
        by_shape = json.loads(
            self.table(self.dir / "out", "--format", "json", "--group-by-input-shape")
        )
        cast = next(row for row in by_shape["rows"] if row["name"] == "cast")
        self.assertEqual(cast["shapes"], "[[2, 3, 64, 64]]")

    def gpu_config(self):
        stage = {"op": "normalize", "mean": [1, 2, 3], "std": [1, 1, 1]}
        experiment = {**CONFIG["experiments"][0], "variants": {"gpu": ["h2d", stage, "d2h"]}}
        return {**CONFIG, "experiments": [experiment]}

    @unittest.skipUnless(ON_FAKE_CUDA.exists(), "built without CUDA")
    def test_a_runs_trace_with_times_from_marks_gives_the_rows_of_its_results(self):
        document = self.assert_as_in_results(ON_FAKE_CUDA, self.gpu_config())
        self.assertEqual(document["device_times"], "CUDA events")
        self.assertGreater(document["totals"]["device_ns"], 0)
        self.assertGreater(document["times"]["exposed_copy_ns"], 0)

    @unittest.skipUnless(ON_FAKE_CUDA.exists() and FAKE_CUPTI.exists(), "built without CUPTI")
    def test_a_runs_trace_with_cuptis_records_gives_the_rows_of_its_results(self):
        document = self.assert_as_in_results(
            ON_FAKE_CUDA, self.gpu_config(), LD_LIBRARY_PATH=str(FAKE_CUPTI.parent)
        )
        self.assertEqual(document["device_times"], "CUPTI")
        self.assertIn("cudaLaunchKernel", [row["name"] for row in document["rows"]])
        self.assertGreater(document["losses"]["launched"], 0)

    # --- files that are no traces

    def test_what_is_no_trace_is_said_with_its_place(self):
        missing = self.dir / "missing.json"
        self.assert_mistake(f"normbench: {missing}: no such file", missing)
        self.assert_mistake(f"normbench: {self.dir}: no trace.json in this folder", self.dir)
        path = self.file("")
        self.assert_mistake(f"normbench: {path}: is empty", path)
        self.assert_mistake(": line 1, column 1: not JSON: unexpected hello", self.file("hello world"))
        self.assert_mistake("has no traceEvents", self.file('{"events": []}'))
        self.assert_mistake(": line 2, column 8: not JSON: unexpected nil", self.file('[\n{"ts": nil}]'))
        self.assert_mistake("cut off after 5 events", self.file(GPU_TRACE[:-30]))
        self.assert_mistake("nested deeper than 1000000", self.file('[{"args":{"a":' + "[" * 1_000_001))
        for path in (SOURCE_DIR / "results").glob("*/results.json"):
            self.assert_mistake("is a results document of normbench", path)

    def test_damaged_gzip_data_is_said(self):
        packed = gzip.compress(os.urandom(100_000).hex().join(['[{"name":"', '"}]']).encode())
        self.assert_mistake("damaged or cut off", self.file(packed[:-40_000]))
        broken = bytearray(packed)
        broken[len(packed) // 2] ^= 0xFF
        self.assert_mistake("", self.file(bytes(broken)))

    def test_what_could_not_be_used_is_a_warning(self):
        path = self.file('[{"ph":"X","cat":"cpu_op","name":"a","pid":1,"tid":1,"ts":1}]')
        done = self.normbench("table", path)
        self.assertEqual((done.returncode, done.stdout), (0, ""))
        self.assertIn(f"warning: {path}: 1 slice left out: no ts or dur", done.stderr)
        self.assertIn(f"warning: {path}: no events with a duration that a table shows", done.stderr)

    def test_usage(self):
        path = self.file(GPU_TRACE)
        self.assert_mistake('unknown table "x" (known: torch, stats)', path, "--table", "x")
        self.assert_mistake('unknown format "xml" (known: text, csv, json, markdown)', path, "--format", "xml")
        self.assert_mistake('unknown sort_by "cpu_tiem" (known: cpu_time, ', path, "--sort-by", "cpu_tiem")
        self.assert_mistake("--row-limit -2: ", path, "--row-limit", -2)
        self.assert_mistake("--max-name-width -1: ", path, "--max-name-width", -1)
        self.assert_mistake("TRACE is required")

    def test_help_explains_every_column_and_line(self):
        text = self.normbench("table", "--help").stdout
        self.assertIn("Example:\n  normbench table ", text)
        for title in [*TORCH_HEADERS, *STATS_HEADERS]:
            self.assertRegex(text, rf"(?m)^  (\S+ )*{re.escape(title)}( |$)")
        for line in ("Self CPU time total", "Self CUDA time total", "Wall time", "GPU busy"):
            self.assertIn(f"\n  {line} ", text)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
