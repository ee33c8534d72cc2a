"""Tests instruction sets with the real binary: --simd, the self-test on each, and `list kernels`.

usage: simd_test.py NORMBENCH [unittest arguments]
"""

import json
import os
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

NORMBENCH = Path(sys.argv[1]).resolve()

SMALL = {
    "schema": 1,
    "name": "small",
    "measure": {"max_seconds_per_group": 0.05, "precision": 0.2, "cache": "hot"},
    "experiments": [
        {
            "name": "sizes",
            "sweep": {"batch": [1, 2]},
            "source": {"batch": "$batch", "size": [64, 64]},
            "variants": {
                "eager": [{"op": "cast", "to": "float32"}, {"op": "sub", "mean": [1, 2, 3]}],
                "fused": [{"op": "normalize", "mean": [1, 2, 3], "std": [1, 1, 1]}],
            },
        }
    ],
}


def normbench(*args, **kwargs):
    return subprocess.run([NORMBENCH, *map(str, args)], capture_output=True, text=True, **kwargs)


def environment(*args):
    done = normbench("info", "--format", "json", "--no-limits", *args)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)["environment"]


TARGETS = environment()["simd_targets"]
BEST, PORTABLE = TARGETS[0], TARGETS[-1]


class SimdTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.dir = Path(folder.name).resolve()
        self.config = self.dir / "config.json"
        self.config.write_text(json.dumps(SMALL))

    def run_small(self, out, *args):
        done = normbench("run", "--config", self.config, "--out", out, "--no-profile", *args)
        self.assertEqual(done.returncode, 0, done.stderr)
        return done

    def header(self, out):
        return json.loads((out / "journal.jsonl").read_text().splitlines()[0])["header"]

    # --- the option

    def test_the_best_is_in_use_unless_another_is_forced(self):
        self.assertEqual(environment()["simd"], BEST)
        for target in TARGETS:
            forced = environment("--simd", target)
            self.assertEqual((forced["simd"], forced["simd_targets"]), (target, TARGETS))

    def test_unknown_ones_are_refused_with_the_known_ones(self):
        expected = f'unknown instruction set "AVX9" (known: {", ".join(TARGETS)})'
        for args in (["info", "--no-limits"], ["selftest"], ["run", "--config", self.config], ["peer"]):
            done = normbench(*args, "--simd", "AVX9", cwd=self.dir, input="")
            self.assertEqual((done.returncode, done.stdout), (2, ""), args)
            self.assertEqual(done.stderr, f"normbench: {expected}\n", args)
        self.assertEqual([path.name for path in self.dir.iterdir()], ["config.json"])

    def test_documents_say_it_and_are_not_compared_across_it(self):
        base, now = self.dir / "base", self.dir / "now"
        self.run_small(base)
        done = self.run_small(now, "--simd", PORTABLE)
        self.assertIn(f", only {PORTABLE}, ", " ".join(done.stdout.split()))
        document = json.loads((now / "results.json").read_text())
        self.assertEqual(document["environment"]["simd"], PORTABLE)
        compared = normbench("compare", base, now)
        self.assertEqual(compared.returncode, 3, compared.stdout)
        self.assertRegex(compared.stdout + compared.stderr, f"instruction set.*{BEST}.*{PORTABLE}")

    def test_a_resumed_run_keeps_it(self):
        out = self.dir / "out"
        self.run_small(out, "--simd", PORTABLE)
        journal = (out / "journal.jsonl").read_text().splitlines()
        (out / "journal.jsonl").write_text("\n".join(journal[:2]) + "\n")  # as if the run was killed here
        self.assertEqual(self.header(out)["simd"], PORTABLE)
        refused = normbench("run", "--resume", out, "--simd", BEST)
        self.assertEqual(refused.returncode, 3)
        self.assertIn(f"--simd: was {PORTABLE}, is {BEST}", refused.stderr)
        done = normbench("run", "--resume", out)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(json.loads((out / "results.json").read_text())["environment"]["simd"],
                         PORTABLE)

    def test_the_processes_of_a_run_keep_it(self):
        out = self.dir / "out"
        self.run_small(out)
        job = {**self.header(out), "simd": "AVX9"}
        asked = {"asker": os.getpid(), "job": job, "group": 0, "part": 1, "first": None, "limits": [], "hung": {}}
        done = normbench("part", input=json.dumps(asked))
        self.assertEqual(done.returncode, 2, done.stderr)
        self.assertIn('unknown instruction set "AVX9"', done.stderr)

    # --- the self-test

    def selftest(self, *args):
        done = normbench("selftest", "--quick", "--place", "cpu", "--format", "json", *args)
        self.assertEqual(done.returncode, 0, done.stdout)
        return json.loads(done.stdout)["places"][0]

    def test_the_selftest_runs_on_all_of_them(self):
        place = self.selftest("--kernel", "copy")
        self.assertEqual(place["simd"], TARGETS)
        self.assertEqual(place["teams"][0], 1)
        one = self.selftest("--kernel", "copy", "--simd", PORTABLE)
        self.assertEqual(one["simd"], [PORTABLE])
        for row, alone in zip(place["rows"], one["rows"]):
            self.assertEqual(row["runs"], len(TARGETS) * alone["runs"])
        text = normbench("selftest", "--quick", "--place", "cpu", "--kernel", "copy").stdout
        self.assertIn(f'\ncpu: each row on {", ".join(TARGETS)}; the same bits from teams of 1, ', text)
        self.assertRegex(text, r"\ncpu: not tested: .+\n")

    # --- list kernels

    def test_list_kernels_says_what_is_chosen_on_one_screen(self):
        done = normbench("list", "kernels")
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        lines = done.stdout.splitlines()
        self.assertLessEqual(len(lines), 45)
        self.assertLessEqual(max(map(len, lines)), 100)
        self.assertRegex(done.stdout, r"(?m)^  normalize +reference \*fused .*lut ycc( +reference \*fused|$)")
        words = " ".join(done.stdout.split())
        self.assertIn(f"instructions {BEST}, the best of {' '.join(TARGETS)} (", words)
        for label in ("caches", "stores", "fresh pages", "team", "threads"):
            self.assertRegex(done.stdout, rf"(?m)^  {label} +\S")

    def test_list_kernels_for_programs(self):
        done = normbench("list", "kernels", "--format", "json")
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        places = {place["place"]: place for place in json.loads(done.stdout)["places"]}
        self.assertEqual(list(places), ["cpu", "cuda"])
        self.assertIsNone(places["cpu"]["unavailable"])
        self.assertIn({"op": "normalize", "kernel": "fused"}, places["cpu"]["rows"])
        tested = {(row["op"], row["kernel"]) for row in self.selftest()["rows"]}
        self.assertLessEqual(tested, {(row["op"], row["kernel"]) for row in places["cpu"]["rows"]})
        for what in ([], ["ops"], ["configs"]):
            done = normbench("list", *what, "--format", "json")
            self.assertEqual((done.returncode, done.stdout), (2, ""))
            self.assertEqual(done.stderr, "normbench: --format json is only for: normbench list kernels\n")


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0], *sys.argv[2:]], verbosity=2)
