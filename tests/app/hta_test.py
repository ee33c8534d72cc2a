"""Reads traces with HolisticTraceAnalysis, a reader of PyTorch's traces: the trace of a real CPU run, and the trace
of a GPU run that was made by hand (tests/trace/synthetic_gpu.h).

usage: hta_test.py NORMBENCH SOURCE_DIR TESTS_DIR

Skipped (exit 77) if HolisticTraceAnalysis cannot be installed.
"""

import json
import os
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

NORMBENCH, SOURCE_DIR, TESTS_DIR = (Path(p).resolve() for p in sys.argv[1:4])
PYTHON = TESTS_DIR / "hta" / "bin" / "python"

CONFIG = {
    "schema": 1,
    "name": "small",
    "measure": {"max_seconds_per_group": 0.05, "precision": 0.2, "cache": "hot"},
    "profile": {"wait": 1, "warmup": 1, "active": 4},
    "experiments": [
        {
            "name": "e",
            "source": {"batch": 2, "size": [128, 128]},
            "variants": {
                "eager": [{"op": "cast", "to": "float32"}, {"op": "sub", "mean": [1, 2, 3]}],
            },
        }
    ],
}


def read_by_hta(folder):
    """Returns what HTA reports about the trace in a folder."""
    out = folder.parent / (folder.name + ".said")
    done = subprocess.run(
        [PYTHON, SOURCE_DIR / "tests" / "app" / "hta_read.py", folder, out],
        capture_output=True,
        text=True,
        env={**os.environ, "HTA_DISABLE_NS_ROUNDING": "1"},  # otherwise HTA truncates times to microseconds
    )
    if done.returncode != 0:
        raise AssertionError(f"HTA failed on {folder.name}:\n{done.stdout}\n{done.stderr}")
    return json.loads(out.read_text())


class CpuRun(unittest.TestCase):
    """Tests the trace of a CPU run of the program."""

    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        cls.dir = Path(cls.folder.name)
        config = cls.dir / "config.json"
        config.write_text(json.dumps(CONFIG))
        for name, flags in (("plain", []), ("packed", ["--gzip-trace"])):
            out = cls.dir / f"out-{name}"
            command = [NORMBENCH, "run", "--config", config, "--out", out, *flags]
            done = subprocess.run(command, capture_output=True, text=True)
            assert done.returncode == 0, done.stderr
            traces = cls.dir / name  # HTA reads every JSON file in a folder as a trace
            traces.mkdir()
            file = next(out.glob("trace.json*"))
            file.rename(traces / file.name)

    @classmethod
    def tearDownClass(cls):
        cls.folder.cleanup()

    def test_steps_and_times_are_those_of_the_file(self):
        trace = json.loads((self.dir / "plain" / "trace.json").read_text())
        slices = [e for e in trace["traceEvents"] if e["ph"] == "X"]
        said = read_by_hta(self.dir / "plain")
        self.assertEqual(said["ranks"], [0])
        self.assertEqual(said["iterations"], [2, 3, 4, 5])
        self.assertEqual(said["metadata"]["config"], "small")
        for name in ("cast", "sub"):
            expected = [e["dur"] for e in slices if e["name"] == name and e["cat"] == "cpu_op"]
            row = said["ops"]["cpu_op"][name]
            self.assertEqual(len(expected), 4)
            self.assertEqual(row["calls"], 4)
            self.assertAlmostEqual(row["us"], sum(expected), places=3)

    def test_packed_traces_are_read_too(self):
        said = read_by_hta(self.dir / "packed")
        self.assertEqual(said["iterations"], [2, 3, 4, 5])
        self.assertEqual(said["ops"]["cpu_op"]["sub"]["calls"], 4)


class InFlight(unittest.TestCase):
    """Tests a pipeline whose items overlap. Its trace has a single step, in which each stage is
    counted once per item."""

    def test_window_and_times_are_those_of_the_file(self):
        with tempfile.TemporaryDirectory() as folder:
            folder = Path(folder)
            config = json.loads(json.dumps(CONFIG))
            stages = config["experiments"][0]["variants"]["eager"]
            stages[1]["lane"] = "second"
            config["experiments"][0]["variants"] = {"three": {"stages": stages, "in_flight": 3, "items": 9}}
            (folder / "config.json").write_text(json.dumps(config))
            subprocess.run([NORMBENCH, "run", "--config", folder / "config.json", "--out", folder / "out"],
                           check=True, capture_output=True)
            (folder / "traces").mkdir()
            (folder / "out" / "trace.json").rename(folder / "traces" / "trace.json")
            events = json.loads((folder / "traces" / "trace.json").read_text())["traceEvents"]
            said = read_by_hta(folder / "traces")
        self.assertEqual(len([e for e in events if e["ph"] == "b"]), 4)
        self.assertEqual(said["iterations"], [2])
        for name in ("cast", "sub"):
            expected = [e["dur"] for e in events if e["ph"] == "X" and e["name"] == name and e["cat"] == "cpu_op"]
            row = said["ops"]["cpu_op"][name]
            self.assertEqual((len(expected), row["calls"]), (4, 4))
            self.assertAlmostEqual(row["us"], sum(expected), places=3)


class SyntheticGpu(unittest.TestCase):
    """Tests the four steps of the synthetic GPU run. Times are in microseconds."""

    @classmethod
    def setUpClass(cls):
        with tempfile.TemporaryDirectory() as folder:
            traces = Path(folder) / "gpu"
            traces.mkdir()
            subprocess.run(
                [TESTS_DIR / "trace_test", "--gtest_filter=SyntheticGpu.IsWrittenForOtherPrograms"],
                env={**os.environ, "NORMBENCH_SYNTHETIC_TRACE": str(traces / "trace.json")},
                check=True,
                capture_output=True,
            )
            cls.said = read_by_hta(traces)

    def test_steps(self):
        self.assertEqual(self.said["iterations"], [2, 3, 4, 5])

    def test_kernel_breakdown(self):
        sums = {name: row["sum"] for name, row in self.said["kernels"].items()}
        self.assertEqual(
            sums,
            {
                "void normalize<unsigned char, float>(float*)": 400,
                "cast": 240,
                "sub": 200,
                "div": 280,
                "tail": 240,
                "Memcpy HtoD (Pinned -> Device)": 400,
                "Memcpy DtoH (Device -> Pinned)": 800,
                "Memset (Device)": 40,
            },
        )
        self.assertEqual(self.said["kernels"]["div"]["mean"], 70)
        self.assertEqual(self.said["kernels"]["div"]["type"], "COMPUTATION")
        self.assertEqual(self.said["kernels"]["Memset (Device)"]["type"], "MEMORY")

    def test_kinds_of_work_and_their_overlap(self):
        self.assertEqual(
            self.said["types"],
            {"MEMORY": 1200, "COMPUTATION": 1040, "COMPUTATION overlapping MEMORY": 40},
        )

    def test_idle_time(self):
        self.assertEqual(
            self.said["temporal"],
            {
                "idle_time(": 1380,
                "compute_time(": 1080,
                "non_compute_time(": 1200,
                "kernel_time(": 3660,
            },
        )

    def test_why_streams_are_idle(self):
        idle = {key: time for key, time in self.said["idle"].items() if time != 0}
        self.assertEqual(
            idle,
            {
                "7 host_wait": 2070,  # the first launch of the next step comes after all work
                "7 kernel_wait": -80,  # tail starts 20 before div ends, in each of 4 steps
                "7 other": 200,  # 50 per step: from the launch of the graph to its first kernel
                "13 host_wait": 2420,
                "14 host_wait": 2820,
            },
        )


def main():
    done = subprocess.run(
        [SOURCE_DIR / "tests" / "hta_setup", TESTS_DIR / "hta"], capture_output=True, text=True
    )
    if done.returncode != 0:
        reason = (done.stderr.strip() or done.stdout.strip() or "no reason given").splitlines()[-1]
        print(f"SKIPPED: HolisticTraceAnalysis cannot be had: {reason}")
        return 77
    return 0 if unittest.main(argv=[sys.argv[0], "-v"], exit=False).result.wasSuccessful() else 1


if __name__ == "__main__":
    sys.exit(main())
