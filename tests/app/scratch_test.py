"""Tests the files that a run saves: their folder, their checks, and that they are removed however
the run ends.

usage: scratch_test.py NORMBENCH
"""
import json
import os
import pathlib
import resource
import signal
import subprocess
import sys
import tempfile
import time
import unittest

NORMBENCH = pathlib.Path(sys.argv[1]).resolve()


class Scratch(unittest.TestCase):
    flight = {}  # members of a variant that say how items go through its stages

    def config(self, *saves, seconds=0.01, **more):
        """Returns a config with a variant for each save, and one that saves nothing."""
        variants = {f"save {i}": self.variant({"op": "save", **save}) for i, save in enumerate(saves)}
        variants["layout"] = self.variant()
        return {"schema": 1, "name": "saved", "measure": {"cache": "hot", "max_seconds_per_group": seconds, **more},
                "experiments": [{"name": "e", "source": {"batch": 2, "size": [40, 60]}, "variants": variants}]}

    def variant(self, *stages):
        return {"stages": [{"op": "layout", "to": "nhwc"}, *stages], **self.flight}

    def setUp(self):
        temporary = tempfile.TemporaryDirectory()
        self.addCleanup(temporary.cleanup)
        self.dir = pathlib.Path(temporary.name)
        self.scratch = self.dir / "scratch"
        self.tmp = self.dir / "tmp"
        self.scratch.mkdir()
        self.tmp.mkdir()
        self.out = self.dir / "out"
        self.environment = {**os.environ, "TMPDIR": str(self.tmp)}

    def command(self, document, *args):
        (self.dir / "config.json").write_text(json.dumps(document))
        return [NORMBENCH, "run", "--config", self.dir / "config.json", "--out", self.out, "--no-profile", *args]

    def run_config(self, document, *args, code=0, **kwargs):
        done = subprocess.run(self.command(document, *args), env=self.environment, cwd=self.dir, text=True,
                              capture_output=True, timeout=300, **kwargs)
        self.assertEqual(done.returncode, code, done.stderr)
        return done

    def cases(self):
        (group,) = json.loads((self.out / "results.json").read_text())["groups"]
        return {case["variant"]: case for case in group["cases"]}

    def start(self, document, *args):
        """Starts a run, and waits until it has begun to save files. Returns the process."""
        running = subprocess.Popen(self.command(document, *args), env=self.environment, cwd=self.dir,
                                   stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        end = time.monotonic() + 60
        while not list(self.scratch.glob("normbench-scratch-*/1-0-0.*")):
            self.assertIsNone(running.poll())
            self.assertLess(time.monotonic(), end)
            time.sleep(0.01)
        return running

    def test_every_format_is_checked_and_nothing_is_left(self):
        document = self.config({"format": "jpeg"}, {"format": "png"}, {"format": "raw"}, {"format": "npy"})
        document["experiments"][0]["variants"]["fresh"] = self.variant({"op": "copy", "output": "fresh"}, "save")
        self.run_config(document)
        for case in self.cases().values():
            self.assertEqual((case["status"], case["check"]["ok"]), ("ok", True), case)
        self.assertEqual(list(self.tmp.iterdir()), [])

    def test_a_folder_that_is_not_there_is_found_before_the_run(self):
        done = self.run_config(self.config({}), "--scratch", self.dir / "nowhere", code=2)
        self.assertIn("cannot make a scratch folder in", done.stderr)
        self.assertIn("nowhere: No such file or directory", done.stderr)
        done = self.run_config(self.config({}), "--scratch", "/proc", code=2)
        self.assertIn("cannot make a scratch folder in /proc: folders cannot be made there", done.stderr)
        self.assertFalse(self.out.exists())

    def test_a_mistake_is_told_at_its_place(self):
        document = self.config({})
        document["experiments"][0]["variants"]["save 0"] = [{"op": "cast", "to": "float32"}, "save"]
        done = self.run_config(document, code=2)
        self.assertIn("/experiments/0/variants/save 0/1: saves uint8 nhwc images, got", done.stderr)
        self.assertIn("denormalize makes uint8 nhwc images", done.stderr)

    def test_after_ctrl_c_nothing_is_left(self):
        running = self.start(self.config({}, seconds=100), "--scratch", self.scratch)
        running.send_signal(signal.SIGINT)
        self.assertEqual(running.wait(60), 130)
        self.assertEqual(list(self.scratch.iterdir()), [])

    def test_an_early_signal_leaves_nothing_either(self):
        for milliseconds in (20, 40, 60, 80, 120, 200):
            self.out = self.dir / f"out {milliseconds}"
            running = subprocess.Popen(self.command(self.config({}, seconds=100), "--scratch", self.scratch),
                                       env=self.environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
            time.sleep(milliseconds / 1000)
            running.send_signal(signal.SIGINT)
            self.assertIn(running.wait(60), (130, -signal.SIGINT))
            self.assertEqual(list(self.scratch.iterdir()), [], milliseconds)

    def test_what_a_killed_run_left_is_swept_and_what_runs_is_not(self):
        running = self.start(self.config({}, seconds=100), "--scratch", self.scratch)
        (left,) = self.scratch.iterdir()
        self.out = self.dir / "beside"
        self.run_config(self.config({}), "--scratch", self.scratch)
        self.assertEqual(list(self.scratch.iterdir()), [left])
        running.kill()
        running.wait()
        self.assertTrue(left.exists())
        self.out = self.dir / "after"
        self.run_config(self.config({}), "--scratch", self.scratch)
        self.assertEqual(list(self.scratch.iterdir()), [])

    def test_a_folder_that_vanishes_fails_its_case_alone(self):
        document = self.config({})
        document["experiments"][0]["variants"]["slow"] = self.variant({"op": "compute", "ms": 40}, "save")
        running = self.start(document, "--scratch", self.scratch)
        (folder,) = self.scratch.iterdir()
        folder.rename(self.dir / "gone")  # while the run writes files there
        self.assertEqual(running.wait(60), 1)
        cases = self.cases()
        failed = [name for name, case in cases.items() if case["status"] == "failed"]
        self.assertIn("slow", failed)
        for name in failed:
            self.assertRegex(cases[name]["reason"], r"^(cannot save|(item 0: )?wrong file) \d+-\d+-\d+\.jpeg: No such file or directory$")
        self.assertEqual(cases["layout"]["status"], "ok")
        self.assertEqual(list(self.scratch.iterdir()), [])

    def test_files_that_cannot_be_written_fail_their_case_alone(self):
        def limit():
            signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
            resource.setrlimit(resource.RLIMIT_FSIZE, (1 << 20, 1 << 20))

        document = self.config({"format": "raw"}, {"format": "jpeg", "quality": 10})
        document["experiments"][0]["source"]["size"] = [600, 800]  # 1.4 MB as raw
        self.run_config(document, "--scratch", self.scratch, code=1, preexec_fn=limit)
        cases = self.cases()
        self.assertEqual(cases["save 0"]["status"], "failed")
        self.assertRegex(cases["save 0"]["reason"], r"^cannot save 1-0-\d\.raw: File too large$")
        self.assertEqual(cases["save 1"]["status"], "ok")
        self.assertEqual(cases["layout"]["status"], "ok")
        self.assertEqual(list(self.scratch.iterdir()), [])

    def test_a_full_disk_fails_its_case_alone(self):
        """Runs on a disk of 1 MiB, which is mounted in a namespace of its own."""
        in_namespace = ["unshare", "--mount", "--user", "--map-root-user", "sh", "-ec",
                        'mount -t tmpfs -o size=1m none "$1"; shift\n'
                        'code=0; "$@" >/dev/null || code=$?\n'
                        'ls -A "$0"; exit $code', self.scratch, self.scratch]
        if subprocess.run([*in_namespace, "true"], capture_output=True).returncode != 0:
            self.skipTest("this system lets nobody mount a disk")
        document = self.config({"format": "raw"}, {"format": "jpeg", "quality": 10})
        document["experiments"][0]["source"]["size"] = [600, 800]  # 1.4 MB as raw
        done = subprocess.run([*in_namespace, *self.command(document, "--scratch", self.scratch)],
                              env=self.environment, capture_output=True, text=True, timeout=300)
        self.assertEqual((done.returncode, done.stdout), (1, ""), done.stderr)
        cases = self.cases()
        self.assertEqual(cases["save 0"]["status"], "failed")
        self.assertRegex(cases["save 0"]["reason"], r"^cannot save \d+-0-\d\.raw: No space left on device$")
        self.assertEqual(cases["save 1"]["status"], "ok")
        self.assertEqual(cases["layout"]["status"], "ok")

    def test_a_process_that_is_replaced_leaves_nothing(self):
        document = self.config({}, turn_timeout_seconds=0.3)
        document["experiments"][0]["variants"]["hangs"] = self.variant({"op": "compute", "ms": 5000}, "save")
        self.run_config(document, "--scratch", self.scratch, code=1)
        self.assertIn("took more than 0.3 s", self.cases()["hangs"]["reason"])
        self.assertEqual(self.cases()["save 0"]["status"], "ok")
        self.assertEqual(list(self.scratch.iterdir()), [])

    def test_several_processes_save_too(self):
        self.run_config(self.config({}, processes=2), "--scratch", self.scratch)
        self.assertEqual(self.cases()["save 0"]["status"], "ok")
        self.assertEqual(list(self.scratch.iterdir()), [])


class InFlight(Scratch):
    """The same tests with several items in flight."""
    flight = {"in_flight": 3, "items": 4}


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
