"""Tests that a group's time is told before it exceeds its time limit, by `check` and by `run`.

usage: budget_test.py NORMBENCH TINY_PEER [unittest arguments]
"""

import json
import re
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

NORMBENCH, TINY_PEER = (Path(p).resolve() for p in sys.argv[1:3])


class SlowPeer(unittest.TestCase):
    """A peer that answers each `run` 0.2 s late. The fewest rounds take 12 times as long."""

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)
        self.config = self.folder / "slow.json"
        self.config.write_text(json.dumps({
            "schema": 1, "name": "slow",
            "measure": {"max_seconds_per_group": 0.3, "cache": "hot"},
            "peers": {"late": [sys.executable, str(TINY_PEER), "late run"]},
            "experiments": [{
                "name": "cast", "question": "Which is faster?",
                "source": {"batch": 1, "size": [8, 8]},
                "variants": {"here": [{"op": "cast", "to": "float32"}],
                             "there": {"peer": "late", "stages": [{"op": "cast", "to": "float32"}]}}}]}))

    def normbench(self, *arguments):
        done = subprocess.run([NORMBENCH, *map(str, arguments)], capture_output=True, text=True, cwd=self.folder)
        self.assertEqual(done.returncode, 0, done.stderr)
        return done

    def overrun(self, text):
        """Returns the seconds that the text tells; None if it tells no overrun."""
        told = re.search(r"cast: about ([\d.]+) s instead of 0\.3 s: .* to prepare, at least [0-9]+ rounds", text)
        return float(told[1]) if told else None

    def test_check_tells_it_if_the_peer_may_be_started(self):
        self.assertIsNone(self.overrun(self.normbench("check", self.config).stderr))
        seconds = self.overrun(self.normbench("check", self.config, "--allow-peers").stderr)
        self.assertGreater(seconds, 12 * 0.2)

    def test_run_tells_it_before_the_first_round(self):
        done = self.normbench("run", self.config, "--allow-peers", "--out", self.folder / "out")
        self.assertGreater(self.overrun(done.stderr), 12 * 0.2)
        results = json.loads((self.folder / "out" / "results.json").read_text())
        [group] = results["groups"]
        self.assertEqual({case["status"] for case in group["cases"]}, {"ok"})
        self.assertGreaterEqual(len(group["order"]), 12)


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0], *sys.argv[3:]])
