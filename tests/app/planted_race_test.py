"""Tests that ThreadSanitizer sees a buffer that is used again while its item is in flight.

usage: planted_race_test.py MEASURE_TEST

Skipped (exit 77) if MEASURE_TEST was built without ThreadSanitizer.
"""

import os
import subprocess
import sys
import unittest
from pathlib import Path

MEASURE_TEST = Path(sys.argv[1])
SKIPPED = 77


class PlantedRace(unittest.TestCase):
    def run_test(self, name):
        return subprocess.run([MEASURE_TEST, "--gtest_also_run_disabled_tests",
                               f"--gtest_filter=FreelyFlyingTest.{name}"], capture_output=True, text=True,
                              env={**os.environ, "TSAN_OPTIONS": "ignore_noninstrumented_modules=1 halt_on_error=1"})

    def test_it_is_reported(self):
        done = self.run_test("DISABLED_OnTheSameBuffers")
        self.assertEqual(done.returncode, 66, done.stderr)
        self.assertIn("WARNING: ThreadSanitizer: data race", done.stderr)
        self.assertIn("normalize.cpp", done.stderr)  # normalize reads what cast writes for the next item

    def test_nothing_is_reported_of_buffers_of_their_own(self):
        done = self.run_test("OnBuffersOfTheirOwn")
        self.assertEqual(done.returncode, 0, done.stderr)


if __name__ == "__main__":
    if b"__tsan_init" not in MEASURE_TEST.read_bytes():
        print("skipped: built without ThreadSanitizer", file=sys.stderr)
        sys.exit(SKIPPED)
    unittest.main(argv=sys.argv[:1])
