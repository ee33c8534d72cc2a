"""Tests the real program with peers in its rounds: good peers, broken peers, and what they must not leave behind.

usage: peers_test.py NORMBENCH SOURCE_DIR [unittest arguments]
"""

import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import unittest
from pathlib import Path

NORMBENCH, SOURCE_DIR = (Path(p).resolve() for p in sys.argv[1:3])
TINY = SOURCE_DIR / "tests/tiny_peer.py"
CAST = {"op": "cast", "to": "float32"}
ALLOW = "--allow-peers"


def config(*hows, variants=None, **measure):
    """Returns a config with a variant of normbench and one for each peer. A peer has the name of its behaviour."""
    return {
        "schema": 1,
        "name": "peers",
        "measure": {"max_seconds_per_group": 0.05, "precision": 0.2, "cache": "hot",
                    "turn_timeout_seconds": 20, **measure},
        "profile": {"active": 2},
        "peers": {how: ["python3", str(TINY), how] for how in hows},
        "experiments": [{
            "name": "cast",
            "source": {"batch": 2, "size": [4, 5]},
            "variants": {"ours": [CAST], **{how: {"peer": how, "stages": [CAST]} for how in hows},
                         **(variants or {})},
        }],
    }


class PeersTest(unittest.TestCase):
    maxDiff = None

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.dir = Path(folder.name).resolve()
        (self.dir / "tmp").mkdir()
        self.out, self.config = self.dir / "out", self.dir / "config.json"
        self.pids, self.log = self.dir / "pids", self.dir / "log"
        self.environment = {**os.environ, "TMPDIR": str(self.dir / "tmp"),
                            "TINY_PEER_PIDS": str(self.pids), "TINY_PEER_LOG": str(self.log)}

    def tearDown(self):
        """Checks that the peers have ended and their arrays are gone, however the run ended."""
        for pid in self.started():
            self.assertFalse(self.is_running(pid), pid)
        for folder in self.folders():
            self.assertFalse(folder.exists(), folder)
        self.assertEqual(list((self.dir / "tmp").iterdir()), [])

    def started(self):
        return [int(line) for line in self.pids.read_text().split()] if self.pids.exists() else []

    def is_running(self, pid, patience=5):
        """Returns True if the process still runs after `patience` seconds. A zombie counts as
        ended."""
        for _ in range(patience * 100):
            try:
                if not Path(f"/proc/{pid}/cmdline").read_bytes():
                    return False
            except FileNotFoundError:
                return False
            time.sleep(0.01)
        return True

    def requests(self):
        return [json.loads(line) for line in self.log.read_text().splitlines()] if self.log.exists() else []

    def folders(self):
        """Returns the folders through which arrays were passed to and from peers."""
        paths = [r["path"] for r in self.requests() if r["type"] == "output"]
        paths += [i["path"] for r in self.requests() if r["type"] == "prepare" for i in r["inputs"]]
        return {Path(path).parent for path in paths}

    def command(self, *args):
        return [NORMBENCH, *map(str, args)]

    def run_config(self, content, *args, code=0):
        self.config.write_text(json.dumps(content))
        done = subprocess.run(self.command("run", "--config", self.config, "--out", self.out, *args),
                              env=self.environment, capture_output=True, text=True, timeout=120)
        self.assertEqual(done.returncode, code, done.stdout + done.stderr)
        return done

    def start(self, content, *args):
        self.config.write_text(json.dumps(content))
        return subprocess.Popen(self.command("run", "--config", self.config, "--out", self.out, *args),
                                env=self.environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                                text=True)

    def resume(self, *args, code=0):
        done = subprocess.run(self.command("run", "--resume", self.out, *args), env=self.environment,
                              capture_output=True, text=True, timeout=120)
        self.assertEqual(done.returncode, code, done.stdout + done.stderr)
        return done

    def cases(self, group=0):
        document = json.loads((self.out / "results.json").read_text())
        return {case["variant"]: case for case in document["groups"][group]["cases"]}

    def wait_for(self, what):
        """Waits until a peer was sent a request of type `what`."""
        for _ in range(2000):
            if any(request["type"] == what for request in self.requests()):
                return
            time.sleep(0.01)
        self.fail(f"no peer was sent `{what}`")

    # --- runs

    def test_a_peer_takes_turns_in_every_round(self):
        done = self.run_config(config("right"), ALLOW)
        cases = self.cases()
        ours, theirs = cases["ours"], cases["right"]
        self.assertEqual(theirs["status"], "ok")
        self.assertTrue(theirs["check"]["ok"])
        self.assertEqual(theirs["peer"], "right")
        self.assertEqual(theirs["peer_version"], "tiny 1.5")
        self.assertNotIn("peer", ours)
        self.assertEqual(len(theirs["rounds"]["wall_ns"]), len(ours["rounds"]["wall_ns"]))
        self.assertGreater(theirs["iterations"], 1)
        self.assertEqual(set(theirs["rounds"]["minor_faults"]), {12})
        self.assertNotIn("context_switches", theirs["counters"])
        document = json.loads((self.out / "results.json").read_text())
        if "busy" not in document["groups"][0]:
            self.assertGreater(theirs["ratio"]["value"], 0)
        self.assertEqual([p["variant"] for p in document["groups"][0]["profile"]], ["ours"])
        self.assertIn("  Peers: tiny 1.5 (a process of its own may", done.stdout)
        self.assertRegex((self.out / "table.txt").read_text(), r"right +ok +tiny 1\.5 ")
        self.assertNotIn("allow-peers", done.stderr)
        self.assertEqual(len(self.started()), 1)
        self.assertEqual(self.requests()[-1], {"type": "close"})

    def test_broken_peers_fail_alone(self):
        hows = ["right", "die prepare", "hang run", "garbage run", "wrong later", "shape", "newer", "boast",
                "ignore"]
        done = self.run_config(config(*hows, turn_timeout_seconds=1), ALLOW, code=1)
        cases = self.cases()
        for good in ("ours", "right", "ignore"):
            self.assertEqual(cases[good]["status"], "ok", cases[good])
            self.assertTrue(cases[good]["check"]["ok"])
        rounds = len(cases["ours"]["rounds"]["wall_ns"])
        self.assertGreaterEqual(rounds, 12)
        self.assertEqual(len(cases["right"]["rounds"]["wall_ns"]), rounds)
        for how, reason in {
            "die prepare": 'peer die prepare ended with exit code 3 after `prepare`; its stderr: '
                           '"first" "the last words"',
            "hang run": "peer hang run: no answer to `run` within 1 s",
            "garbage run": "peer garbage run answered `run` with no JSON: "
                           '"Traceback (most recent call last):"',
            "newer": "peer newer uses protocol 2, but this normbench uses 1",
        }.items():
            self.assertEqual((cases[how]["status"], cases[how]["reason"]), ("failed", reason))
        for how, reason in {
            "wrong later": r"^wrong output: error 1 at \[0, 0, 1, 2\]",
            "shape": r"^peer shape wrote /.*/output\.npy: the file has the shape \(2, 3, 4, 1\)",
            "boast": r"^peer boast reports [0-9.,]+ ms for a turn that took [0-9.]+ ms$",
        }.items():
            self.assertEqual(cases[how]["status"], "failed")
            self.assertRegex(cases[how]["reason"], reason)
            self.assertEqual(cases[how]["rounds"]["wall_ns"], [])
        self.assertIn("Failed (peer newer uses protocol 2, but this normbench uses 1): newer", done.stdout)
        for line in done.stdout.splitlines():
            self.assertLessEqual(len(line), 100)

    def test_models_are_held_to_one_another(self):
        hows = ["right", "late output", "wrong"]
        content = config(*hows)
        content["experiments"][0].update({
            "source": {"batch": 2, "dtype": "float32", "size": [4, 5]},
            "variants": {how: {"peer": how, "stages": [{"op": "model", "name": "tiny"}]} for how in hows}})
        done = self.run_config(content, ALLOW, code=1)
        cases = self.cases()
        self.assertEqual(cases["right"]["check"]["variant"], "late output")
        self.assertEqual(cases["late output"]["check"]["held_to"], "variant")
        self.assertEqual(cases["wrong"]["status"], "failed")
        self.assertRegex(cases["wrong"]["reason"], r'^wrong output: error 1 at \[0, 7, 0, 0\], .* by "right", got')
        self.assertIn("2 of 3 outputs correct", done.stdout)
        self.assertRegex((self.out / "table.txt").read_text(), r"late output +correct, compared with right ")

    def test_a_model_alone_is_not_checked(self):
        content = config("right")
        content["experiments"][0].update({
            "source": {"batch": 2, "dtype": "float32", "size": [4, 5]},
            "variants": {"right": {"peer": "right", "stages": [{"op": "model", "name": "tiny"}]}}})
        done = self.run_config(content, ALLOW)
        self.assertEqual(self.cases()["right"]["check"]["held_to"], "nothing")
        self.assertIn("1 output not checked", done.stdout)
        self.assertIn("not checked: model has no reference, and no other variant has the same output", done.stdout)

    def test_peers_that_cannot_are_skipped(self):
        self.run_config(config("right", "unavailable", "unsupported"), ALLOW)
        cases = self.cases()
        for how, reason in (("unavailable", "peer unavailable: it is not installed (run setup)"),
                            ("unsupported", 'peer unsupported: tiny has no op "cast"')):
            self.assertEqual((cases[how]["status"], cases[how]["reason"]), ("skipped", reason))
        self.assertEqual(cases["right"]["status"], "ok")

    def test_a_command_that_is_not_there(self):
        content = config("right")
        content["peers"]["right"] = ["./absent"]
        self.run_config(content, ALLOW, code=1)
        self.assertEqual(self.cases()["right"]["reason"],
                         "peer right cannot be started: ./absent: No such file or directory")
        self.assertEqual(self.cases()["ours"]["status"], "ok")

    def test_commands_start_in_the_configs_folder(self):
        (self.dir / "peer").write_text(f"#!/bin/sh\nexec python3 {TINY} right\n")
        (self.dir / "peer").chmod(0o755)
        content = config("right")
        content["peers"]["right"] = ["./peer"]
        self.run_config(content, ALLOW)
        self.assertEqual(self.cases()["right"]["status"], "ok")

    # --- commands of peers run only if they are allowed

    def test_nothing_is_started_without_the_flag(self):
        done = self.run_config(config("right"))
        self.assertEqual(done.stderr.count("--allow-peers"), 1)
        self.assertIn(f"normbench: what peers run is skipped; --allow-peers runs their commands (right: "
                      f"python3 {TINY} right)\n", done.stderr)
        self.assertEqual(self.cases()["right"]["status"], "skipped")
        self.assertEqual(self.cases()["right"]["reason"], "peer commands run only with --allow-peers (this "
                                                          f"one: python3 {TINY} right)")
        self.assertEqual(self.started(), [])

    def test_other_configs_need_no_flag(self):
        self.assertNotIn("allow-peers", self.run_config(config()).stderr)
        content = config("right")
        del content["experiments"][0]["variants"]["right"]
        self.out = self.dir / "more"
        self.assertNotIn("allow-peers", self.run_config(content).stderr)

    def test_check_shows_the_command_and_starts_nothing(self):
        self.config.write_text(json.dumps(config("right")))
        done = subprocess.run(self.command("check", self.config), env=self.environment, capture_output=True,
                              text=True)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("peer right", done.stdout)
        self.assertIn(f" peer right (needs --allow-peers): python3 {TINY} right ", " ".join(done.stdout.split()) + " ")
        self.assertNotIn("skipped:", done.stdout)
        self.assertEqual(self.started(), [])

    # --- several processes, interrupts, resumes

    def test_each_process_of_a_group_starts_its_own(self):
        self.run_config(config("right", processes=2), ALLOW)
        cases = self.cases()
        self.assertEqual(cases["right"]["status"], "ok", cases["right"])
        self.assertEqual(len(cases["right"]["rounds"]["wall_ns"]), len(cases["ours"]["rounds"]["wall_ns"]))
        self.assertEqual(len(set(self.started())), 2)

    def test_an_interrupt_ends_a_peer_that_is_waited_for(self):
        content = config("right", "hang run")
        second = json.loads(json.dumps(content["experiments"][0]))
        del content["experiments"][0]["variants"]["hang run"]
        second["name"] = "again"
        content["experiments"].append(second)
        running = self.start(content, ALLOW)
        while len(self.started()) < 3:
            time.sleep(0.01)
        time.sleep(0.5)  # until the peer is asked to run
        begun = time.monotonic()
        running.send_signal(signal.SIGINT)
        output, errors = running.communicate(timeout=60)
        self.assertLess(time.monotonic() - begun, 10)
        self.assertEqual(running.returncode, 130, errors)
        self.assertIn(f"continue with: normbench run --resume {self.out} --allow-peers\n", output)
        document = json.loads((self.out / "results.json").read_text())
        self.assertEqual([group["experiment"] for group in document["groups"]], ["cast"])
        self.assertIn("  --allow-peers: was given, is not given\n", self.resume(code=3).stderr)
        for pid in self.started():
            self.assertFalse(self.is_running(pid))
        before = len(self.started())
        self.resume("--force")
        self.assertEqual(len(self.started()), before)
        self.assertEqual(self.cases(1)["right"]["status"], "skipped")
        self.assertEqual(self.cases(0)["right"]["status"], "ok")

    def test_a_resumed_run_has_its_peers(self):
        self.run_config(config("right"), ALLOW)
        journal = self.out / "journal.jsonl"
        journal.write_text(journal.read_text().splitlines()[0] + "\n")
        for name in ("results.json", "table.txt", "trace.json"):
            (self.out / name).unlink()
        self.resume(ALLOW)
        self.assertEqual(self.cases()["right"]["status"], "ok")
        self.assertEqual(len(self.started()), 2)

    def test_a_case_that_hangs_takes_no_peer_with_it(self):
        eager = [{"op": "source", "batch": 32, "size": [480, 640]}, CAST]
        eager += [{"op": "sub", "mean": [1, 2, 3], "output": "in_place"}] * 400  # takes almost ten seconds
        content = config("right", variants={"slow": eager}, turn_timeout_seconds=1.5)
        done = self.run_config(content, ALLOW, "--no-profile", code=1)
        self.assertIn("slow: a turn took more than 1.5 s; continuing without it\n", done.stderr)
        cases = self.cases()
        self.assertEqual(cases["slow"]["status"], "failed")
        self.assertEqual(cases["right"]["status"], "ok", cases["right"])
        self.assertEqual(len(self.started()), 2)  # before and after the restart

    def test_a_killed_run_leaves_no_peer(self):
        running = self.start(config("right", max_seconds_per_group=60, precision=1e-6), ALLOW)
        self.wait_for("run")
        running.kill()
        running.communicate()
        for pid in self.started():
            self.assertFalse(self.is_running(pid))
        self.remove_folders()

    def test_a_killed_run_leaves_no_peer_that_hangs_nor_what_a_script_has_started(self):
        script = self.dir / "peer.sh"
        script.write_text('echo $$ >> "$TINY_PEER_PIDS"\npython3 "$@"\ntrue\n')  # the shell stays as the parent
        for how, processes in (("", 1), ("script", 1), ("", 3)):
            content = config("hang run", max_seconds_per_group=60, precision=1e-6)
            if how:
                content["peers"]["hang run"][:1] = ["sh", str(script)]
            if processes > 1:
                content["measure"]["processes"] = processes
            running = self.start(content, ALLOW)
            with self.subTest(how, processes=processes):
                self.wait_for("run")
                running.kill()
                running.communicate()
                self.assertEqual(len(self.started()), 2 if how else 1)
                for pid in self.started():
                    self.assertFalse(self.is_running(pid))
            self.remove_folders()
            for file in (self.pids, self.log):
                file.unlink()
            shutil.rmtree(self.out)

    def remove_folders(self):
        for folder in self.folders():  # the killed run could not remove them
            if folder.exists():
                for file in folder.iterdir():
                    file.unlink()
                folder.rmdir()


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0], "-v", *sys.argv[3:]])
