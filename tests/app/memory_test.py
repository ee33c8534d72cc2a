"""Tests the real binary with cases that are larger than memory. It must skip such a case, or the
case must fail alone.

usage: memory_test.py NORMBENCH
"""

import json
import resource
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

from thread_sanitizer import without_thread_sanitizer

NORMBENCH = Path(sys.argv[1]).resolve()
HUGE = 2_000_000_000  # images of 12,288 bytes; no machine has memory for them


def config(batches, more=None):
    return {
        "schema": 1,
        "name": "memory",
        "measure": {"max_seconds_per_group": 0.05, "precision": 0.2, "cache": "hot", **(more or {})},
        "profile": {"active": 2},
        "experiments": [
            {
                "name": "e",
                "variants": {
                    f"batch {batch}": [
                        {"op": "source", "batch": batch, "size": [64, 64]},
                        {"op": "cast", "to": "float32"},
                    ]
                    for batch in batches
                },
            }
        ],
    }


class MemoryTest(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.dir = Path(self.folder.name)

    def normbench(self, command, content, *args, before=None):
        path = self.dir / "config.json"
        path.write_text(json.dumps(content))
        said = ["run", "--config", path] if command == "run" else [command, path]
        return subprocess.run(
            [NORMBENCH, *said, *args], capture_output=True, text=True, preexec_fn=before
        )

    def run_cases(self, content, before=None):
        out = self.dir / "out"
        done = self.normbench("run", content, "--out", out, before=before)
        document = json.loads((out / "results.json").read_text())
        cases = document["groups"][0]["cases"]
        return done, [(c["variant"], c["status"], c.get("reason", "")) for c in cases]

    def test_what_no_machine_holds_is_skipped_with_the_figure(self):
        done, cases = self.run_cases(config([2, HUGE]))
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(cases[0], ("batch 2", "ok", ""))
        self.assertEqual(cases[1][1], "skipped")
        self.assertRegex(
            cases[1][2],
            r"^needs 123 TB of host memory, [\d.]+ [MGT]B are free "
            r"\([\d.]+ [MGT]B free in the (machine|container), of which [\d.]+ [MG]B are kept back\)$",
        )

    def test_check_says_what_is_skipped_and_what_is_free(self):
        done = self.normbench("check", config([2, HUGE]))
        self.assertEqual(done.returncode, 0, done.stderr)
        text = " ".join(done.stdout.split())
        self.assertRegex(text, r"free: [\d.]+ [MGT]B of host memory \([\d.]+ [MGT]B free in the ")
        self.assertIn("skipped: needs 123 TB of host memory, ", text)

    def test_parts_in_processes_of_their_own_skip_the_same(self):
        done, cases = self.run_cases(config([2, HUGE], {"processes": 2}))
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual([case[1] for case in cases], ["ok", "skipped"])

    @without_thread_sanitizer(NORMBENCH, "needs more addresses than this limit has")
    def test_memory_that_is_refused_at_run_time_fails_the_group_not_the_process(self):
        # The plan looks only at free memory, so it allows the case. limit() limits the address
        # space, so the allocation fails at run time.
        def limit():
            resource.setrlimit(resource.RLIMIT_AS, (700_000_000, 700_000_000))

        done, cases = self.run_cases(config([40_000]), before=limit)  # cases of 0.5 and 2 GB
        self.assertEqual(done.returncode, 1, done.stderr)
        self.assertEqual(cases[0][1], "failed")
        self.assertRegex(
            cases[0][2],
            r"^needs 1\.97 GB of pageable memory: cannot allocate 1\.97 GB: mmap failed: ",
        )


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0]], verbosity=2)
