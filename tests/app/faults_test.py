"""Tests the real binary in trouble: runs that are resumed elsewhere, killed, interrupted, or cannot write.

usage: faults_test.py NORMBENCH [unittest arguments]

NORMBENCH_FAULT_SEED seeds the moments of the kills. The seed is printed.
"""

import contextlib
import ctypes
import fcntl
import itertools
import json
import os
import pty
import random
import re
import resource
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import unittest
from pathlib import Path

from thread_sanitizer import without_thread_sanitizer

# A shell that starts this in the background has Ctrl-C ignored, and nohup a terminal that is closed, also in the programs that are
# started here.
signal.signal(signal.SIGINT, signal.default_int_handler)
signal.signal(signal.SIGHUP, signal.SIG_DFL)
NORMBENCH = Path(sys.argv[1]).resolve()
SEED = int(os.environ.get("NORMBENCH_FAULT_SEED", random.randrange(1 << 30)))
KILLS = 20
OUTPUTS = {"journal.jsonl", "report.html", "results.json", "table.txt", "trace.json"}

NORMALIZE = {"op": "normalize", "mean": [1, 2, 3], "std": [1, 1, 1]}
EAGER = [{"op": "cast", "to": "float32"}, {"op": "sub", "mean": [1, 2, 3]}]
SMALL = {
    "schema": 1,
    "name": "small",
    "measure": {"max_seconds_per_group": 0.05, "precision": 0.2, "cache": "hot"},
    "profile": {"active": 2},
    "experiments": [
        {
            "name": "sizes",
            "sweep": {"batch": [1, 2, 3, 4]},
            "source": {"batch": "$batch", "size": [64, 64]},
            "variants": {"eager": EAGER, "fused": [NORMALIZE]},
        }
    ],
}
# One call of the second group takes almost ten seconds.
SLOW = {
    **SMALL,
    "name": "slow",
    "experiments": [
        {
            "name": name,
            "source": {"batch": batch, "size": [480, 640]},
            "variants": {"eager": [EAGER[0]] + [{**EAGER[1], "output": "in_place"}] * subs},
        }
        for name, batch, subs in (("short", 1, 1), ("long", 32, 400))
    ],
}


def changed(config, **measure):
    return {**config, "measure": {**config["measure"], **measure}}


def normbench(*args, **kwargs):
    kwargs = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, **kwargs}
    return subprocess.run([NORMBENCH, *map(str, args)], text=True, **kwargs)


def structure(document):
    """Returns the parts of a results document that do not depend on the measured times."""
    # Members of a case that depend on its rounds. If the machine was busy, ratios are missing and
    # `busy` is present.
    OF_THE_ROUNDS = {"ratio", "of_limit", "busy", "cut_order", "cut_rounds"}

    def case(result):
        stages = [(stage["op"], stage["kernel"], stage["out"]) for stage in result["stages"]]
        return result["variant"], result["status"], stages, len(result.keys() - OF_THE_ROUNDS)

    def group(result):
        return {
            "point": (result["experiment"], result["point"], result["baseline"]),
            "cases": [case(c) for c in result["cases"]],
            "limits": [case(c) for c in result["limits"]],
            "profile": [(p["variant"], p["steps"], len(p["rows"])) for p in result["profile"]],
            "keys": len(result.keys() - OF_THE_ROUNDS),
        }

    return sorted(document), document["interrupted"], [group(g) for g in document["groups"]]


class FaultsCase(unittest.TestCase):
    maxDiff = None

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.dir = Path(folder.name).resolve()
        (self.dir / "tmp").mkdir()
        self.environment = {**os.environ, "TMPDIR": str(self.dir / "tmp")}
        self.out = self.dir / "out"
        self.config = self.dir / "config.json"
        self.config.write_text(json.dumps(SMALL, indent=1))

    def run_config(self, *args, code=0, **kwargs):
        done = normbench("run", "--config", self.config, "--out", self.out, *args,
                         **{"env": self.environment, **kwargs})
        self.assertEqual(done.returncode, code, done.stderr)
        return done

    def resume(self, *args, code=0, out=None, **kwargs):
        done = normbench("run", "--resume", out or self.out, *args,
                         **{"env": self.environment, **kwargs})
        self.assertEqual(done.returncode, code, done.stderr)
        return done

    def document(self, out=None):
        return json.loads(((out or self.out) / "results.json").read_text())

    def journal(self, out=None):
        return [json.loads(line) for line in
                ((out or self.out) / "journal.jsonl").read_text().splitlines()]

    def write_journal(self, lines):
        (self.out / "journal.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))

    def cut_journal(self):
        """Leaves the header and two finished groups.

        On a slow machine there are also lines with "seconds", which have the rounds of unfinished groups.
        """
        header, *groups = self.journal()
        self.write_journal([header, *[group for group in groups if "seconds" not in group][:2]])

    def files(self, folder):
        return {path.relative_to(folder): path.read_bytes()
                for path in sorted(folder.rglob("*")) if path.is_file()}

    def assert_no_torn_file(self, folder):
        """Checks that every file of a run is absent or whole, and that there are no other files."""
        names = {path.name for path in folder.iterdir()}
        self.assertLessEqual(names, OUTPUTS)
        for name in names & {"results.json", "trace.json"}:
            json.loads((folder / name).read_text())
        if "journal.jsonl" in names:
            self.journal(folder)

    def start(self, *args, **kwargs):
        """Starts a run, and waits until its first group is in the journal. Returns the process."""
        running = subprocess.Popen(
            [NORMBENCH, "run", "--config", self.config, "--out", self.out, *args],
            **{"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True,
               "env": self.environment, **kwargs})
        next(line for line in running.stderr if " rounds (" in line)
        return running

    def end(self, running, code):
        output, errors = running.communicate(timeout=60)
        self.assertEqual(running.returncode, code, errors)
        return output, errors


class ResumeTest(FaultsCase):
    """Tests that --resume continues a run only with the same config, binary and machine."""

    def cut_run(self):
        """Makes a run that has finished two of its groups, without profiles."""
        self.run_config()
        self.cut_journal()
        for name in OUTPUTS - {"journal.jsonl"}:
            (self.out / name).unlink(missing_ok=True)

    def assert_refused(self, *args, lines):
        before = self.files(self.dir)
        done = self.resume(*args, code=3)
        self.assertEqual(
            done.stderr.splitlines(),
            [f"normbench: the run in {self.out} started under other conditions:",
             *(f"  {line}" for line in lines),
             "Start a new run with another --out, or continue anyway with --force."])
        self.assertEqual(done.stdout, "")
        self.assertEqual(self.files(self.dir), before)

    def change_header(self, pointer, value):
        """Sets the value at `pointer` in the header of the journal. Returns the previous value."""
        lines = self.journal()
        *parents, last = pointer.strip("/").split("/")
        place = lines[0]["header"]
        for name in parents:
            place = place[name]
        before, place[last] = place[last], value
        self.write_journal(lines)
        return before

    def test_each_fact_that_differs_is_named(self):
        self.cut_run()
        journal = (self.out / "journal.jsonl").read_bytes()
        for pointer, name in {
            "/tool/version": "the version of normbench",
            "/tool/revision": "the binary's revision",
            "/tool/build": "the binary's build type",
            "/tool/compiler": "the binary's compiler",
            "/tool/flags": "the binary's flags",
            "/binary": "the binary's digest (it was built anew)",
            "/environment/cpu/model": "the CPU",
            "/environment/simd": "the instruction set of CPU kernels",
            "/environment/threads_bound": "how threads are bound to CPUs",
            "/environment/kernel": "the kernel",
        }.items():
            (self.out / "journal.jsonl").write_bytes(journal)
            now = self.change_header(pointer, "before")
            self.assert_refused(lines=[f"{name}: was before, is {now or 'none'}"])
        for pointer, name in {
            "/environment/cpu/cores": "CPU cores",
            "/environment/affinity_cpus": "CPUs that normbench may use",
            "/environment/available_threads": "threads that normbench may use",
        }.items():
            (self.out / "journal.jsonl").write_bytes(journal)
            now = self.change_header(pointer, 1000)
            self.assert_refused(lines=[f"{name}: was 1000, is {now or 'none'}"])

    def test_memory_is_compared_as_it_is_shown(self):
        self.cut_run()
        now = self.change_header("/environment/memory/total_bytes", 1)
        lines = self.resume(code=3).stderr.splitlines()
        self.assertRegex(lines[1], r"^  the memory: was 1 B, is \d")
        self.change_header("/environment/memory/total_bytes", now + 4096)
        self.resume()

    def test_all_differences_are_named_at_once(self):
        self.cut_run()
        cpu = self.change_header("/environment/cpu/model", "Z80")
        self.change_header("/environment/gpu", {"name": "Voodoo 2", "driver": "3.02"})
        gpu = self.change_header("/tool/revision", "abc1234")
        self.assert_refused(lines=[
            f"the binary's revision: was abc1234, is {gpu}",
            f"the CPU: was Z80, is {cpu or 'none'}",
            "the GPU: was Voodoo 2, is none",
            "the GPU's driver: was 3.02, is none"])

    def test_options_that_contradict_are_refused_and_others_not(self):
        self.run_config("--only", "fused", "--quick")
        for args, line in (
            (["--only", "eager"], '--only: was ["fused"], is ["eager"]'),
            (["--set", "precision=0.5"], '--set: was none, is ["precision=0.5"]'),
            (["--no-profile"], "--no-profile: was not given, is given"),
            (["--device", "3"], "--device: was 0, is 3"),
            (["--machine", "mine"], "--machine: was none, is mine"),
            (["--simd", "AVX2"], "--simd: was none, is AVX2"),
            (["--images", self.dir], f"--images: was none, is {self.dir}"),
        ):
            self.assert_refused(*args, lines=[line])
        self.resume("--only", "fused", "--quick", "--device", "0", "--config", self.config)

    def test_a_changed_config_is_refused_with_its_line(self):
        self.cut_run()
        text = self.config.read_text()
        self.config.write_text(text.replace('"name": "small"', '"name": "large"'))
        self.assert_refused(
            lines=[f'the config {self.config}, line 3: was " "name": "small",", is " "name": "large","'])
        self.config.write_text(text + "{}\n")
        lines = text.count("\n") + 1
        self.assertIn(f"the config {self.config}, line {lines}: was \"}}\", is \"}}{{}}\"",
                      self.resume(code=3).stderr)
        self.config.write_text(text + "\n")
        self.resume()

    def test_another_config_is_refused(self):
        self.cut_run()
        other = self.dir / "other.json"
        other.write_text(self.config.read_text().replace("sizes", "seizes"))
        self.assertIn('was "   "name": "sizes",", is "   "name": "seizes",',
                      self.resume("--config", other, code=3).stderr)

    def test_without_the_config_the_journal_has_it(self):
        self.cut_run()
        self.config.unlink()
        self.resume()
        self.assertEqual(len(self.document()["groups"]), 4)

    def test_relative_paths_mean_the_same_elsewhere(self):
        done = normbench("run", "--config", "config.json", "--out", "out", cwd=self.dir)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.resume("--images", self.dir, code=3, cwd="/")
        self.resume(cwd="/")
        self.config.write_text(json.dumps({**SMALL, "name": "other"}, indent=1))
        self.assertIn("the config config.json, line 3:", self.resume(code=3, cwd="/").stderr)

    def test_force_goes_on_and_says_so_in_the_document(self):
        self.cut_run()
        cpu = self.change_header("/environment/cpu/model", "Z80")
        line = f"the CPU: was Z80, is {cpu or 'none'}"
        done = self.resume("--force", "--quick", code=0)
        notes = ["--quick: was not given, is given", line]
        for note in notes:
            self.assertIn(f"normbench: continuing although it differs: {note}\n", done.stderr)
        document = self.document()
        self.assertEqual(document["environment"]["resumed_despite"], notes)
        self.assertFalse(document["quick"])  # as in the journal; --quick is ignored
        self.assertEqual(len(document["groups"]), 4)
        self.resume("--force")
        self.assertEqual([entry["despite"] for entry in self.journal() if "despite" in entry], [notes])
        self.assertEqual(self.document()["environment"]["resumed_despite"], notes)

    def test_usage(self):
        self.cut_run()
        for args, message in (
            (["--resume", self.out, "--out", self.dir / "x"], "leave --out out"),
            (["--resume", self.out, "--config", self.config, "--config", self.config], "one run"),
            (["--config", self.config, "--force"], "--force goes with --resume DIR"),
            (["--config", self.config, "--machine", " "], "--machine: expected a name, without control characters"),
            (["--config", self.config, "--machine", "a\nb"], "--machine: expected a name, without control characters"),
            (["--resume", self.dir / "absent"], "nothing to resume there"),
            (["--resume", self.config], "nothing to resume there"),
        ):
            done = normbench("run", *args)
            self.assertEqual(done.returncode, 2, args)
            self.assertIn(message, done.stderr)
        self.assertFalse((self.dir / "x").exists())

    def test_journals_that_cannot_be_used(self):
        self.cut_run()
        header, first, second = self.journal()
        twice = json.loads(json.dumps(second))
        twice["result"]["cases"][0]["variant"] = "fused"
        for lines, message in (
            ([header, first, {"group": 1}, second], "entry 3: "),
            ([header, 7], "entry 2: "),
            ([{**header, "journal": 2}, first], "entry 1: /journal: 2 is newer than this version"),
            ([header, {**first, "group": 9}], "it names group 9, but the config plans 4 groups"),
            ([header, {"hung": {"group": 9, "contender": "a", "why": "b"}}], "it names group 9"),
            ([header, {**second, "group": 0}], 'its group 0 is "sizes" at {"batch":2} with "eager"'),
            ([header, first, twice], 'its group 1 is "sizes" at {"batch":2} with "fused", "fused"'),
            ([{"journal": 1, "header": {}}, first], "describes no run"),
        ):
            self.write_journal(lines)
            for args in ([], ["--force"]):
                before = self.files(self.dir)
                done = self.resume(*args, code=2)
                self.assertIn(message, done.stderr)
                self.assertIn(str(self.out), done.stderr)
                self.assertEqual(self.files(self.dir), before)

    def test_a_header_that_lacks_an_option_is_refused_unless_older_versions_wrote_it(self):
        self.cut_run()
        header, *groups = self.journal()
        absent = [("machine",), ("options",),
                  *(("options", name) for name in ("images", "set", "only", "quick", "no_profile"))]
        newer = [("device",), ("simd",), ("folder",), ("free_bytes",), ("options", "allow_peers")]
        for *parents, name in absent + newer:
            lines = json.loads(json.dumps([header, *groups]))
            place = lines[0]["header"]
            for parent in parents:
                place = place[parent]
            del place[name]
            self.write_journal(lines)
            if (*parents, name) in newer:
                self.resume("--force")
            else:
                self.assertIn("describes no run", self.resume("--force", code=2).stderr)

    def test_a_run_that_is_finished_says_so_and_is_shown(self):
        done = self.run_config()
        again = self.resume()
        self.assertEqual(again.stderr,
                         f"normbench: nothing left to measure: the run in {self.out} is finished\n")
        self.assertEqual(again.stdout.split("\nWrote")[0], done.stdout.split("\nWrote")[0])
        self.cut_journal()
        self.assertNotIn("nothing left to measure", self.resume().stderr)

    def test_a_finished_run_with_a_failed_case_exits_1_again(self):
        load = {"load": {"batch": 1, "path": str(self.dir / "broken.png")},
                "variants": {"load": ["copy"]}}
        (self.dir / "broken.png").write_text("hello")
        self.config.write_text(json.dumps({**SMALL, "experiments": [{"name": "files", **load}]}))
        self.run_config(code=1)
        self.assertIn("nothing left to measure", self.resume(code=1).stderr)

    def test_a_case_that_failed_is_not_taken_for_one_that_cannot_run(self):
        why = "1 of 1 files cannot be read: broken.png (a text, not a picture)"
        load = {"load": {"batch": 1, "path": str(self.dir / "broken.png")},
                "variants": {"load": ["copy"]}}
        (self.dir / "broken.png").write_text("hello")
        self.config.write_text(json.dumps({**SMALL, "experiments": [{"name": "files", **load}]}))
        done = self.run_config(code=1)
        self.assertIn(f"[1/1] files: 1 failed ({why})\n", done.stderr)
        self.assertTrue(done.stderr.endswith("\nnormbench: nothing was measured: 1 of 1 failed\n"), done.stderr)
        self.assertNotIn("nothing to run here", done.stderr)
        self.assertIn("  Nothing was measured: 1 of 1 failed.\n", done.stdout)
        self.assertIn("  Nothing was measured: 1 of 1 failed.\n", normbench("report", self.out).stdout)
        self.assertEqual(normbench("report", self.out, "--table", "torch").stdout,
                         f"Nothing was profiled: 1 failed ({why}).\n")
        asked = normbench("report", self.out, "--table", "torch", "--format", "csv")
        self.assertIn(f"nothing was profiled, so it has no table: 1 failed ({why})\n", asked.stderr)

    def test_a_case_that_failed_beside_one_that_ran_is_named_when_its_group_is_done(self):
        broken = self.dir / "broken.png"
        broken.write_text("hello")
        self.config.write_text(json.dumps({**SMALL, "experiments": [
            {"name": "mixed", "variants": {"ok": [{"op": "source", "batch": 1, "size": [64, 64]}, "copy"],
                                           "bad": [{"op": "load", "batch": 1, "size": [64, 64], "path": str(broken)},
                                                   "copy"]}}]}))
        self.assertRegex(self.run_config(code=1).stderr,
                         r"\[1/1\] mixed: \d+ rounds \(\w+\), 1 failed \(1 of 1 files cannot be read: ")

    def test_a_journal_is_open_in_one_process_at_a_time(self):
        self.cut_run()
        with (self.out / "journal.jsonl").open() as other:
            fcntl.flock(other, fcntl.LOCK_EX)
            self.assertIn("another normbench is writing to it", self.resume(code=2).stderr)
        self.resume()


class HangTest(FaultsCase):
    def test_a_case_that_hangs_fails_and_the_other_configs_are_run(self):
        self.config.write_text(json.dumps(changed(SLOW, turn_timeout_seconds=0.8)))
        small = self.dir / "small.json"
        small.write_text(json.dumps(SMALL))
        done = self.run_config("--config", small, "--no-profile", "--machine", "lab-7", "--set",
                               "seed=7", "--set", "precision=0.3", code=1)
        self.assertIn("eager: a turn took more than 0.8 s; continuing without it\n", done.stderr)
        groups = self.document(self.out / "slow")["groups"]
        self.assertEqual([group["cases"][0]["status"] for group in groups], ["ok", "failed"])
        self.assertEqual(len(self.document(self.out / "small")["groups"]), 4)
        self.assertFalse((self.out / "small" / "trace.json").exists())
        for name in ("slow", "small"):  # both resumes have the original options
            document = self.document(self.out / name)
            self.assertEqual(document["environment"]["host"], "lab-7")
            self.assertEqual((document["seed"], document["precision"]), (7, 0.3))

    def test_what_hangs_in_one_process_runs_in_no_other(self):
        self.config.write_text(json.dumps(changed(SLOW, turn_timeout_seconds=0.8, processes=3)))
        done = self.run_config("--no-profile", code=1)
        self.assertEqual(done.stderr.count("eager: a turn took more than 0.8 s; continuing without it\n"), 1)
        journal = (self.out / "journal.jsonl").read_text()
        self.assertEqual(journal.count('{"hung":'), 1)

    def test_a_part_that_cannot_say_what_hangs_ends(self):
        options = {"images": "", "set": [], "only": [], "quick": False, "no_profile": True}
        job = {"file": "slow", "text": json.dumps(changed(SLOW, turn_timeout_seconds=0.8)),
               "options": options, "machine": ""}
        asked = {"asker": os.getpid(), "job": job, "group": 1, "part": 0, "first": None,
                 "limits": True, "hung": {}}
        with open("/dev/full", "w") as full:
            done = normbench("part", input=json.dumps(asked), stdout=full, timeout=60)
        self.assertEqual(done.returncode, 5, done.stderr)
        self.assertIn("eager hangs: cannot write to stdout: No space left on device\n", done.stderr)


class KillTest(FaultsCase):
    """Tests kill -9 and --resume. The document then has the structure of an uninterrupted run."""

    def unbroken(self):
        begin = time.monotonic()
        self.run_config()
        seconds = time.monotonic() - begin
        expected = structure(self.document())
        shutil.rmtree(self.out)
        return expected, seconds

    def kill_after(self, seconds, *args):
        """Starts a run, and kills it after `seconds`. Returns True if it was still running."""
        running = subprocess.Popen([NORMBENCH, "run", *args], stdout=subprocess.DEVNULL,
                                   stderr=subprocess.DEVNULL, env=self.environment)
        with contextlib.suppress(subprocess.TimeoutExpired):
            running.wait(seconds)
        running.kill()
        return running.wait() != 0

    def arguments(self):
        """Returns the arguments that continue the run. If the run was killed before it wrote the
        first line of its journal, the arguments start it again."""
        journal = self.out / "journal.jsonl"
        if journal.exists() and b"\n" in journal.read_bytes():
            return ["--resume", self.out]
        return ["--config", self.config, "--out", self.out]

    def assert_whole(self, expected, moment):
        done = normbench("run", *self.arguments(), env=self.environment)
        self.assertEqual(done.returncode, 0, f"{moment}: {done.stderr}")
        self.assertEqual(structure(self.document()), expected, moment)
        self.assert_no_torn_file(self.out)

    def test_killed_at_random_moments_then_resumed(self):
        expected, seconds = self.unbroken()
        moments = random.Random(SEED)
        killed, kept = 0, []
        while killed < KILLS:
            moment = moments.uniform(0, seconds)
            if self.kill_after(moment, *self.arguments()):
                killed += 1
                kept.append(len(self.journal_after_kill()))
                self.assert_whole(expected, f"kill {killed} after {moment:.3f} s, seed {SEED}")
            shutil.rmtree(self.out, ignore_errors=True)
        print(f"seed {SEED}, {KILLS} kills within {seconds:.2f} s; whole journal lines: {kept}")
        self.assertGreater(len(set(kept)), 2, "the moments differ too little")

    def journal_after_kill(self):
        journal = self.out / "journal.jsonl"
        return journal.read_bytes().split(b"\n")[:-1] if journal.exists() else []

    def test_killed_again_and_again(self):
        expected, seconds = self.unbroken()
        moments = random.Random(SEED)
        kills = 0
        while self.kill_after(moments.uniform(0, 2 * seconds / 3), *self.arguments()) and kills < 30:
            kills += 1
        self.assert_whole(expected, f"{kills} kills, seed {SEED}")

    def test_what_a_killed_run_left_half_written_is_removed(self):
        self.run_config()
        for name in ("results.json.4711.tmp", "trace.json.4711.tmp"):
            (self.out / name).write_text('{"schema"')
        (self.out / "mine.tmp").write_text("")
        self.resume()
        self.assertEqual({path.name for path in self.out.iterdir()}, OUTPUTS | {"mine.tmp"})

    def test_parts_of_a_killed_run_end_with_it(self):
        self.config.write_text(
            json.dumps(changed(SMALL, max_seconds_per_group=50, precision=1e-5, processes=2)))
        running = subprocess.Popen(
            [NORMBENCH, "run", "--config", self.config, "--out", self.out],
            start_new_session=True, stderr=subprocess.DEVNULL)
        children = Path(f"/proc/{running.pid}/task/{running.pid}/children")
        deadline = time.monotonic() + 20
        while not (child := children.read_text().split()) and time.monotonic() < deadline:
            time.sleep(0.01)
        self.assertEqual(len(child), 1)
        running.kill()
        running.wait()
        while self.is_running(child[0]) and time.monotonic() < deadline:
            time.sleep(0.01)
        self.assertFalse(self.is_running(child[0]))

    def test_a_run_fails_with_its_part(self):
        self.config.write_text(
            json.dumps(changed(SMALL, max_seconds_per_group=50, precision=1e-5, processes=2)))
        running = subprocess.Popen(
            [NORMBENCH, "run", "--config", self.config, "--out", self.out],
            stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        children = Path(f"/proc/{running.pid}/task/{running.pid}/children")
        deadline = time.monotonic() + 20
        while not (child := children.read_text().split()) and time.monotonic() < deadline:
            time.sleep(0.01)
        os.kill(int(child[0]), signal.SIGKILL)
        _, errors = self.end(running, 1)
        self.assertIn("a measuring process ended with signal 9 (Killed)", errors)

    def is_running(self, process):
        try:
            return Path(f"/proc/{process}/stat").read_text().rsplit(")", 1)[1].split()[0] != "Z"
        except FileNotFoundError:
            return False


class InterruptTest(FaultsCase):
    def assert_interrupted(self):
        document = self.document()
        self.assertTrue(document["interrupted"])
        self.assertTrue(document["missing"])
        kept = {entry["group"]: entry["result"]["cases"][0]["rounds"] for entry in self.journal()[1:]}
        self.assertEqual([group["cases"][0]["rounds"] for group in document["groups"]], list(kept.values()))
        self.assert_no_torn_file(self.out)

    def long_groups(self):
        self.config.write_text(json.dumps(changed(SMALL, max_seconds_per_group=1, precision=1e-5)))

    def test_one_signal_keeps_what_is_finished(self):
        self.long_groups()
        for how in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            running = self.start("--no-profile")
            running.send_signal(how)
            output, _ = self.end(running, 130)
            self.assertIn(f"continue with: normbench run --resume {self.out}\n", output)
            self.assert_interrupted()
            shutil.rmtree(self.out)

    def test_rounds_of_the_group_in_hand_are_reported_and_continued(self):
        experiment = {**SMALL["experiments"][0], "sweep": {"batch": [1, 2]}}
        self.config.write_text(json.dumps({**changed(SMALL, max_seconds_per_group=1.5, precision=1e-5),
                                           "experiments": [experiment]}))
        self.run_config("--no-profile")
        expected = structure(self.document())
        shutil.rmtree(self.out)
        moments = random.Random(SEED)
        partial = tries = 0
        while partial < int(os.environ.get("NORMBENCH_INTERRUPTS", "3")) and tries < 60:
            tries += 1
            running = self.start("--no-profile")
            time.sleep(moments.uniform(0.4, 1.3))
            running.send_signal(signal.SIGINT)
            output, _ = self.end(running, 130)
            self.assert_interrupted()
            document = self.document()
            begun = {json.dumps(one["point"]): one["rounds"] for one in document["missing"] if one.get("rounds")}
            self.assertLessEqual(len(begun), 1)
            for point, rounds in begun.items():
                partial += 1
                group, = (one for one in document["groups"] if json.dumps(one["point"]) == point)
                self.assertEqual(len(group["order"]), rounds)
                for text in (output, normbench("report", self.out).stdout):
                    self.assertIn(f"has only {rounds} round", " ".join(text.split()))
            self.resume()
            self.assertEqual(structure(self.document()), expected)
            for group in self.document()["groups"]:
                before = [one for one in document["groups"] if one["point"] == group["point"]]
                for one in before:
                    self.assertEqual(group["order"][:len(one["order"])], one["order"])
                    for case, earlier in zip(group["cases"], one["cases"]):
                        times = earlier["rounds"]["wall_ns"]
                        self.assertEqual(case["rounds"]["wall_ns"][:len(times)], times)
            shutil.rmtree(self.out)
        self.assertGreater(partial, 0)

    def test_a_signal_sent_twice_at_once_is_one(self):
        self.long_groups()
        running = self.start()
        running.send_signal(signal.SIGTERM)
        running.send_signal(signal.SIGTERM)
        self.end(running, 130)
        self.assert_interrupted()

    @without_thread_sanitizer(NORMBENCH, "keeps a signal back until a write returns")
    def test_a_second_ctrl_c_ends_at_once(self):
        reader, writer = os.pipe()
        fcntl.fcntl(writer, fcntl.F_SETPIPE_SZ, 4096)
        running = self.start("--format", "json", "--allow-peers", stdout=writer)
        os.close(writer)
        while not (self.out / "trace.json").exists():  # the last file; then the run blocks, as nobody reads its output
            self.assertIsNone(running.poll())
            time.sleep(0.01)
        running.send_signal(signal.SIGINT)
        with self.assertRaises(subprocess.TimeoutExpired):
            running.wait(0.25)  # so that the second signal is not merged with the first
        running.send_signal(signal.SIGINT)
        _, errors = self.end(running, 130)
        self.assertIn(f"normbench: stopped at once; continue with: normbench run --resume {self.out} --allow-peers\n", errors)
        os.close(reader)
        self.assert_no_torn_file(self.out)

    def test_nohup_is_respected(self):
        running = self.start(preexec_fn=lambda: signal.signal(signal.SIGHUP, signal.SIG_IGN))
        running.send_signal(signal.SIGHUP)
        self.end(running, 0)
        self.assertFalse(self.document()["interrupted"])

    def test_a_terminal_that_is_closed(self):
        self.long_groups()
        child, terminal = pty.fork()
        if child == 0:
            os.execv(NORMBENCH, ["normbench", "run", "--config", self.config, "--out", self.out])
        shown = b""
        while b"[2/4]" not in shown:
            shown += os.read(terminal, 4096)
        os.close(terminal)
        _, status = os.waitpid(child, 0)
        self.assertEqual(os.waitstatus_to_exitcode(status), 130)
        self.assert_interrupted()


class StreamsTest(FaultsCase):
    """Tests that the files of a run do not depend on where stdout and stderr go."""

    def setUp(self):
        super().setUp()
        experiment = {**SMALL["experiments"][0], "sweep": {"batch": [1]}}
        self.config.write_text(json.dumps({**SMALL, "experiments": [experiment]}))

    def test_a_reader_that_has_gone_is_silent(self):
        self.run_config()
        document = self.out / "results.json"
        for args in (["report", document], ["report", document, "--format", "json"], ["list"],
                     ["check", self.config], ["info", "--no-limits"], ["--help"],
                     ["run", "--config", self.config, "--out", self.dir / "other"]):
            reader, writer = os.pipe()
            os.close(reader)
            done = normbench(*args, stdout=writer)
            os.close(writer)
            self.assertEqual(done.returncode, 0, args)
            self.assertNotIn("normbench:", done.stderr)
        self.assertEqual({path.name for path in (self.dir / "other").iterdir()}, OUTPUTS)

    def test_head(self):
        self.run_config()
        done = subprocess.run(
            ["bash", "-c", '"$0" report "$1" --format json | head -1; echo ${PIPESTATUS[0]}',
             NORMBENCH, self.out / "results.json"], capture_output=True, text=True)
        self.assertEqual((done.stdout, done.stderr), ("{\n0\n", ""))

    def test_results_that_cannot_be_shown_are_an_error(self):
        self.run_config()
        document = self.out / "results.json"
        for args in (["report", document], ["report", document, "--format", "json"],
                     ["report", document, "--format", "table"], ["list"], ["check", self.config],
                     ["info", "--no-limits"], ["--help"], ["--version"], ["run", "--help"],
                     ["run", "--resume", self.out], ["run", "--resume", self.out, "--format", "json"]):
            with open("/dev/full", "w") as full:
                done = normbench(*args, stdout=full)
            self.assertEqual(done.returncode, 5, args)
            *notes, last = done.stderr.splitlines()
            self.assertEqual(last, "normbench: cannot write to stdout: No space left on device")
            self.assertEqual(len(notes), 1 if "--resume" in args else 0, done.stderr)
        self.assertFalse(self.document()["interrupted"])

    def test_stderr_that_cannot_be_written_is_no_error(self):
        with open("/dev/full", "w") as full:
            self.run_config(stderr=full)

    def test_closed_streams_are_not_taken_by_files(self):
        for number, closed in enumerate(itertools.chain.from_iterable(
                itertools.combinations((0, 1, 2), length) for length in (1, 2, 3))):
            self.out = self.dir / f"out{number}"
            done = self.run_config(code=5 if 1 in closed else 0,
                                   preexec_fn=lambda closed=closed: [os.close(fd) for fd in closed])
            if 1 in closed and 2 not in closed:
                self.assertIn("normbench: cannot write to stdout: it is closed\n", done.stderr)
            self.assertEqual({path.name for path in self.out.iterdir()}, OUTPUTS)
            self.assert_no_torn_file(self.out)
            self.assertEqual(len(self.document()["groups"]), 1)


def obey_permissions():
    """Makes root obey the permissions of files. Called in a child process."""
    for capability in (1, 2):  # CAP_DAC_OVERRIDE, CAP_DAC_READ_SEARCH
        ctypes.CDLL(None).prctl(24, capability, 0, 0, 0)  # PR_CAPBSET_DROP


def limit_files(size):
    def limit():
        resource.setrlimit(resource.RLIMIT_FSIZE, (size, size))
    return limit


class UnwritableTest(FaultsCase):
    """Tests runs that cannot write: they exit with 5, name the file and the reason, and save
    finished groups elsewhere if possible."""

    def rescued(self, pattern):
        folders = list(self.dir.glob(pattern))
        self.assertEqual(len(folders), 1, pattern)
        self.assert_no_torn_file(folders[0])
        return folders[0]

    def on_small_disk(self, size, prepare="true", after="true"):
        """Runs in a small file system of its own. Its folder is copied to `copy` before the file system is
        unmounted."""
        script = ('mkdir disk && mount -t tmpfs -o "size=$1" tmpfs disk || exit 99\n'
                  f"{prepare}\n"
                  '"$0" run --config config.json --out disk/out; code=$?\n'
                  f"{after}\n"
                  "cp -a disk copy; exit $code")
        done = subprocess.run(["unshare", "--user", "--map-root-user", "--mount", "sh", "-c", script,
                               NORMBENCH, size], cwd=self.dir, env=self.environment,
                              capture_output=True, text=True)
        if done.returncode == 99 or "unshare" in done.stderr:
            self.skipTest(f"no small file system can be mounted here: {done.stderr.strip()}")
        return done

    def test_a_disk_that_is_full_for_the_journal(self):
        done = self.on_small_disk("32k")
        self.assertEqual(done.returncode, 5, done.stderr)
        for name in ("journal.jsonl", "results.json", "report.html"):
            self.assertIn(f"normbench: cannot write disk/out/{name}: No space left on device\n",
                          done.stderr)
        self.assertNotIn("nterrupted", done.stdout)
        self.assertRegex(done.stdout, r"\nEnded early, its journal could not be written: \d of 4 groups (is|are)\s+missing: ")
        rescued = self.rescued("tmp/normbench-out-rescued-*")
        # The table may still fit on the full disk, so it may or may not be among the rescued files.
        self.assertRegex(done.stderr, "results.json, (table.txt, )?report.html, journal.jsonl to "
                         f"{re.escape(str(rescued))} instead\n")
        self.assertIn(f"continue with: normbench run --resume {rescued}\n", done.stderr)
        finished = self.document(rescued)
        self.assertTrue(finished["interrupted"])
        self.assertGreaterEqual(len(finished["groups"]), 1)
        self.assertLessEqual(len(finished["groups"]), 4)
        kept = self.journal(self.dir / "copy" / "out")  # all lines are whole
        self.assertGreaterEqual(len(kept), 1)
        self.assert_no_torn_file(self.dir / "copy" / "out")
        self.resume(out=rescued)
        groups = self.document(rescued)["groups"]
        self.assertEqual([group["point"]["batch"] for group in groups], [1, 2, 3, 4])
        self.assertEqual(groups[0]["cases"], finished["groups"][0]["cases"])

    def test_a_disk_that_is_full_for_the_results(self):
        self.run_config()
        room = (self.out / "journal.jsonl").stat().st_size + 30_000
        done = self.on_small_disk(str(room))
        self.assertEqual(done.returncode, 5, done.stderr)
        self.assertIn("normbench: cannot write disk/out/results.json: No space left on device\n",
                      done.stderr)
        rescued = self.rescued("tmp/normbench-out-rescued-*")
        self.assertEqual(len(self.document(rescued)["groups"]), 4)
        self.assertFalse((rescued / "journal.jsonl").exists())
        self.assertNotIn("--resume", done.stderr)
        copy = self.dir / "copy" / "out"
        self.assert_no_torn_file(copy)
        self.assertFalse((copy / "results.json").exists())
        self.resume(out=copy)
        self.assertEqual(structure(self.document(copy)), structure(self.document(rescued)))

    @without_thread_sanitizer(NORMBENCH, "has a temporary file of its own")
    def test_a_disk_that_is_full_with_nothing_else_to_go_to(self):
        done = self.on_small_disk("32k", prepare="export TMPDIR=$PWD/disk")
        self.assertEqual(done.returncode, 5, done.stderr)
        self.assertRegex(done.stderr, r"normbench: they could not be written to another folder either: cannot \w+ disk/out-rescued-\S+: No space left on "
                                      r"device; cannot \w+ \S+/disk/normbench-out-rescued-\S+: No space left on device\n")
        self.assertIn("continue with: normbench run --resume disk/out\n", done.stderr)
        copy = self.dir / "copy"
        self.assertEqual([path.name for path in copy.iterdir()], ["out"])
        self.assert_no_torn_file(copy / "out")
        self.resume(out=copy / "out")
        self.assertEqual(len(self.document(copy / "out")["groups"]), 4)

    def test_a_disk_that_is_full_from_the_start(self):
        done = self.on_small_disk("8k", prepare="head -c 8192 /dev/zero > disk/zeros")
        self.assertEqual(done.returncode, 5, done.stderr)
        self.assertEqual(done.stdout, "")
        self.assertEqual(
            done.stderr,
            "normbench: cannot write disk/out/journal.jsonl: No space left on device\n")
        self.assertEqual(list((self.dir / "copy" / "out").iterdir()), [])

    def test_a_read_only_file_system(self):
        done = self.on_small_disk("64k", prepare="mount -o remount,ro disk")
        self.assertEqual(done.returncode, 5, done.stderr)
        self.assertEqual(done.stderr,
                         "normbench: cannot create disk/out: Read-only file system\n")
        done = self.on_read_only_folder()
        self.assertEqual(done.stderr,
                         "normbench: cannot write disk/out/journal.jsonl: Read-only file system\n")

    def on_read_only_folder(self):
        shutil.rmtree(self.dir / "copy")
        (self.dir / "disk").rmdir()
        return self.on_small_disk("64k", prepare="mkdir disk/out && mount -o remount,ro disk")

    @without_thread_sanitizer(NORMBENCH, "has a temporary file of its own")
    def test_files_that_may_not_grow(self):
        done = self.run_config(code=5, preexec_fn=limit_files(8192))
        self.assertIn(f"normbench: cannot write {self.out}/journal.jsonl: File too large\n", done.stderr)
        self.assertRegex(done.stderr, r"they could not be written to another folder either: cannot write \S+: File too large; cannot write \S+: File")
        self.assert_no_torn_file(self.out)
        self.assertEqual(list((self.dir / "tmp").iterdir()), [])
        self.resume()
        self.assertEqual(len(self.document()["groups"]), 4)

    def test_a_folder_without_permission(self):
        self.out.mkdir(mode=0o555)
        done = self.run_config(code=5, preexec_fn=obey_permissions)
        self.assertEqual(done.stderr,
                         f"normbench: cannot write {self.out}/journal.jsonl: Permission denied\n")
        self.out.chmod(0o000)
        self.run_config(code=5, preexec_fn=obey_permissions)
        self.out.chmod(0o755)
        self.assertEqual(list(self.out.iterdir()), [])

    def test_a_folder_that_loses_its_permission(self):
        running = self.start(preexec_fn=obey_permissions)
        self.out.chmod(0o555)
        _, errors = self.end(running, 5)
        self.out.chmod(0o755)
        self.assertIn(f"normbench: cannot write {self.out}/results.json: Permission denied\n", errors)
        rescued = self.rescued("out-rescued-*")
        self.assertEqual(len(self.document(rescued)["groups"]), 4)
        self.assertEqual([path.name for path in self.out.iterdir()], ["journal.jsonl"])

    def test_a_folder_that_vanishes(self):
        running = self.start()
        shutil.rmtree(self.out)
        output, errors = self.end(running, 5)
        self.assertIn(f"normbench: cannot write {self.out}/journal.jsonl: No such file or directory\n",
                      errors)
        self.assertFalse(self.out.exists())
        self.assertNotIn("Wrote", output)
        rescued = self.rescued("out-rescued-*")
        self.assertIn(f"continue with: normbench run --resume {rescued}\n", errors)
        self.assertGreaterEqual(len(self.document(rescued)["groups"]), 1)
        self.resume(out=rescued)
        self.assertEqual(len(self.document(rescued)["groups"]), 4)

    def test_something_else_has_the_name_of_the_folder(self):
        file = self.dir / "file"
        file.write_text("mine")
        for out in (file, file / "out"):
            self.out = out
            self.assertEqual(self.run_config(code=5).stderr,
                             f"normbench: cannot create {out}: {file} is not a folder\n")
        (self.dir / "results").write_text("mine")
        done = normbench("run", "--config", self.config, cwd=self.dir)
        self.assertEqual(done.returncode, 5)
        self.assertRegex(done.stderr, r"^normbench: cannot create results: results is not a folder\n$")
        self.assertEqual(file.read_text(), "mine")

    def test_a_report_that_cannot_be_written(self):
        self.run_config()
        for out, message in (
            (self.dir / "absent" / "x", "No such file or directory"),
            (self.dir, "it exists and is not a regular file"),
            ("/dev/full", "it exists and is not a regular file"),
        ):
            done = normbench("report", self.out / "results.json", "--out", out)
            self.assertEqual(done.returncode, 5)
            self.assertEqual(done.stderr, f"normbench: cannot write {out}: {message}\n")
        target = self.dir / "report.txt"
        target.write_text("normbench 0.1.0 · an older report")
        done = normbench("report", self.out / "results.json", "--out", target,
                         preexec_fn=limit_files(100))
        self.assertEqual(done.returncode, 5)
        self.assertEqual(target.read_text(), "normbench 0.1.0 · an older report")
        self.assertEqual([path.name for path in self.dir.glob("*.tmp")], [])


class RefusedThreadsTest(FaultsCase):
    @without_thread_sanitizer(NORMBENCH, "needs the addresses that this test takes")
    def test_threads_that_the_system_refuses_fail_their_cases_alone(self):
        stack, room = 1 << 30, 16 << 30  # in bytes: one stack; the address space, room for about 15 stacks

        def limit():
            resource.setrlimit(resource.RLIMIT_STACK, (stack, stack))
            resource.setrlimit(resource.RLIMIT_AS, (room, room))

        stages = {"stages": [NORMALIZE, {**NORMALIZE, "label": "again", "lane": "other"}], "items": 50}
        experiment = {
            "name": "threads", "source": {"size": [64, 64]},
            "variants": {
                "few": {**stages, "in_flight": 2},
                "a thread for each": {**stages, "in_flight": 50, "submit": "item"},
                "many servers": {**stages, "in_flight": 50, "lanes": {"other": {"servers": 50}}},
            },
        }
        self.config.write_text(json.dumps({**SMALL, "experiments": [experiment]}))
        self.run_config("--no-profile", code=1, preexec_fn=limit)
        (group,) = self.document()["groups"]
        cases = {case["variant"]: case for case in group["cases"]}
        self.assertEqual(cases.pop("few")["status"], "ok")
        for case in cases.values():
            self.assertEqual(case["status"], "failed")
            self.assertEqual(case["reason"], "cannot start a thread for items in flight: Resource temporarily "
                                             "unavailable")


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0], "-v", *sys.argv[2:]])
