"""Tests `normbench calibrate`, and how runs use a calibration, with the real binary.

usage: calibrate_test.py NORMBENCH
"""

import json
import os
import signal
import subprocess
import sys
import tempfile
import time
import unittest
from pathlib import Path

NORMBENCH = Path(sys.argv[1]).resolve()

SMALL = {
    "schema": 1,
    "name": "small",
    "measure": {"max_seconds_per_group": 0.05, "precision": 0.2, "cache": "hot"},
    "experiments": [
        {"name": "one", "source": {"size": [64, 64]}, "variants": {"a": [{"op": "cast", "to": "float32"}]}}
    ],
}
KEPT = {
    "date": "2026-11-20T23:54:00Z",
    "machine": "AMD EPYC, 2 cores",
    "seconds": 180.5,
    "pairs": 40,
    "excluding_one": 2,
    "false_alarms": 1,
    "false_alarm_low": 0.004,
    "false_alarm_high": 0.13,
    "slowed_pairs": 20,
    "slowed_found": 18,
    "slowed_wrong_way": 1,
    "slowed_wrong_size": 1,
    "visible": 0.021,
    "between": 0.013,
    "between_differences": 8,
}
NEWER = ("slowed_wrong_way", "slowed_wrong_size", "between_differences")


class CalibrateTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.dir = Path(folder.name)
        self.state = self.dir / "state"
        self.file = self.state / "normbench" / "calibration.json"
        self.env = {**os.environ, "XDG_STATE_HOME": str(self.state)}

    def normbench(self, *args):
        return subprocess.run(
            [NORMBENCH, *map(str, args)], capture_output=True, text=True, env=self.env, timeout=300
        )

    def this_machine(self):
        cpu = json.loads(self.normbench("info", "--format", "json").stdout)["environment"]["cpu"]
        return f"{cpu['model']}, {cpu['cores']} cores, host {os.uname().nodename}"

    def keep(self, text):
        self.file.parent.mkdir(parents=True)
        self.file.write_text(text if isinstance(text, str) else json.dumps(text))

    def run_small(self, *args):
        config, out = self.dir / "config.json", self.dir / "out"
        config.write_text(json.dumps(SMALL))
        done = self.normbench("run", "--config", config, "--out", out, "--no-profile", *args)
        self.assertEqual(done.returncode, 0, done.stderr)
        document = json.loads((out / "results.json").read_text())
        return done, document.get("calibration"), (out / "table.txt").read_text()

    # --- runs that use a calibration

    def test_a_run_holds_the_calibration_of_its_machine(self):
        self.keep({"schema": 1, "machines": {"another": {**KEPT, "pairs": 7}, self.this_machine(): KEPT}})
        done, calibration, table = self.run_small("--machine", "somebody")
        self.assertEqual(calibration, KEPT)
        self.assertIn("\ncalibrated 2026-11-20T23:54:00Z: identical code called different in 1 of 40 pairs", table)
        self.assertNotIn("calibrat", done.stdout + done.stderr)

    def test_one_of_an_older_version_is_held_and_lowers_no_margin(self):
        older = {key: value for key, value in KEPT.items() if key not in NEWER}
        self.keep({"schema": 1, "machines": {self.this_machine(): older}})
        done, calibration, table = self.run_small()
        self.assertEqual(calibration, older)
        self.assertIn("between processes 1.3 % (not known well enough to lower a margin)\n", table)
        self.assertNotIn("5 % more work", table)
        self.assertEqual(done.stderr.count("calibrat"), 0, done.stderr)
        document = self.dir / "out" / "results.json"
        for differences, margin in ((None, 0.05), (5, 0.05), (6, 0.02)):
            results = json.loads(document.read_text())
            results["config"]["measure"]["precision"] = 0.01
            if differences is not None:
                results["calibration"]["between_differences"] = differences
            for side in ("base", "new"):
                (self.dir / f"{side}.json").write_text(json.dumps(results))
            done = self.normbench("compare", self.dir / "base.json", self.dir / "new.json", "--format", "json")
            self.assertEqual(json.loads(done.stdout)["margin"], margin, differences)

    def test_that_of_another_machine_is_not_used(self):
        self.keep({"schema": 1, "machines": {"another": KEPT}})
        done, calibration, table = self.run_small()
        self.assertIsNone(calibration)
        self.assertNotIn("calibrat", done.stdout + done.stderr + table)

    def test_a_damaged_file_is_a_warning(self):
        for content, why in (
            ("{", "line 1"),
            ("[]", "no calibrations of this version"),
            ({"schema": 2, "machines": {}}, "no calibrations of this version"),
            ({"schema": 1, "machines": {"any": {**KEPT, "visible": "x"}}}, "no calibration of any"),
            ({"schema": 1, "machines": {"any": {**KEPT, "between_differences": "x"}}}, "no calibration of any"),
            ({"schema": 1, "machines": {"any": 3}}, "no calibration of any"),
        ):
            with self.subTest(content):
                self.setUp()
                self.keep(content)
                done, calibration, _ = self.run_small()
                self.assertIsNone(calibration)
                self.assertIn(f"warning: {self.file}: ", done.stderr)
                self.assertIn(why, done.stderr)
                self.assertIn("; continuing without a calibration\n", done.stderr)

    def test_without_a_home_there_is_none(self):
        for name in ("XDG_STATE_HOME", "HOME"):
            self.env.pop(name, None)
        self.assertIsNone(self.run_small()[1])
        self.env["XDG_STATE_HOME"] = "relative"
        self.env["HOME"] = str(self.dir)
        self.file = self.dir / ".local/state/normbench/calibration.json"
        self.keep({"schema": 1, "machines": {self.this_machine(): KEPT}})
        (self.dir / "out").rename(self.dir / "before")
        self.assertEqual(self.run_small()[1], KEPT)

    # --- the subcommand

    def test_usage(self):
        done = self.normbench("calibrate", "--help")
        self.assertIn("Example:\n  normbench calibrate", done.stdout)
        for args in (["--pairs", 3, "--minutes", 1], ["--pairs", 0], ["--minutes", 0], ["--format", "xml"]):
            self.assertEqual(self.normbench("calibrate", *args).returncode, 2, args)
        self.assertFalse(self.state.exists())

    def test_one_pair_of_each_kind(self):
        self.keep({"schema": 1, "machines": {"another": KEPT}})
        out = self.dir / "calibration.json"
        done = self.normbench("calibrate", "--pairs", 1, "--format", "json", "--seed", 5, "--out", out)
        self.assertEqual(done.returncode, 0, done.stderr)
        document = json.loads(done.stdout)
        self.assertEqual(document, json.loads(out.read_text()))
        pairs = document["pairs"]
        self.assertEqual(
            [(p["kind"], p["fresh_process"], p["seed"]) for p in pairs],
            [("identical", False, 5), ("cached", False, 21), ("slowed", False, 37), ("identical", True, 53)],
        )
        for pair in pairs:
            ratio = pair["ratio"]
            self.assertTrue(0 < ratio["low"] <= ratio["value"] <= ratio["high"], pair)
            self.assertGreaterEqual(pair["rounds"], 12)
        calibration = document["calibration"]
        self.assertEqual(list(calibration), list(KEPT))
        self.assertEqual((calibration["pairs"], calibration["slowed_pairs"]), (2, 1))
        self.assertEqual((calibration["between"], calibration["between_differences"]), (None, 0))
        answers = ("found", "not_found", "wrong_way", "wrong_size")
        for pair in pairs:
            self.assertIn(pair["answer"], answers if pair["kind"] == "slowed" else (None,), pair)
        kept = json.loads(self.file.read_text())
        self.assertEqual(kept["machines"], {"another": KEPT, self.this_machine(): calibration})
        self.assertEqual(self.run_small()[1], calibration)

    def test_what_cannot_be_kept_is_shown(self):
        self.state.write_text("a file where the folder should be")
        done = self.normbench("calibrate", "--pairs", 1)
        self.assertEqual(done.returncode, 5)
        self.assertRegex(done.stdout, r"(?m)^  pairs +n +rounds +ratio")
        self.assertNotIn("Kept in", done.stdout)
        self.assertIn(f"cannot write {self.file}: ", done.stderr)

    def test_an_interrupt_keeps_nothing(self):
        child = subprocess.Popen(
            [NORMBENCH, "calibrate"], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=self.env
        )
        resident = Path(f"/proc/{child.pid}/statm")
        while int(resident.read_text().split()[1]) < 25_000 and child.poll() is None:
            time.sleep(0.01)  # once this much memory is resident, it handles signals
        child.send_signal(signal.SIGINT)
        stdout, stderr = child.communicate(timeout=120)
        self.assertEqual(child.returncode, 130, stderr)
        self.assertEqual(stdout, "")
        self.assertIn("Interrupted; nothing is kept\n", stderr)
        self.assertFalse(self.state.exists())


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1], verbosity=2)
