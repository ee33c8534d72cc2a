"""The package in an empty folder, with an empty environment: what it is made of and that it runs.

usage: package_test.py PACKAGE.tar.gz
"""

import json
import re
import shutil
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

PACKAGE = Path(sys.argv.pop(1)).resolve()

# glibc, and the two that every system with a C++ program has.
SYSTEM = {
    "linux-vdso.so.1", "ld-linux-x86-64.so.2", "libc.so.6", "libm.so.6", "libdl.so.2",
    "libpthread.so.0", "librt.so.1", "libgcc_s.so.1", "libstdc++.so.6", "libgomp.so.1",
}


class PackageTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(cls.folder.cleanup)
        subprocess.run(["tar", "-xzf", PACKAGE, "-C", cls.folder.name], check=True)
        (cls.root,) = Path(cls.folder.name).iterdir()

    def normbench(self, *args):
        with tempfile.TemporaryDirectory() as empty:
            return subprocess.run(
                ["env", "-i", self.root / "bin/normbench", *args],
                cwd=empty, capture_output=True, text=True, timeout=300)

    def test_is_small(self):
        self.assertLessEqual(PACKAGE.stat().st_size, 40 << 20)

    def test_needs_only_the_system_and_what_it_brings(self):
        private = self.root / "lib/normbench"
        for program in [private / "normbench", *private.glob("*.so*")]:
            done = subprocess.run(["env", "-i", "ldd", program], capture_output=True, text=True)
            self.assertNotIn("not found", done.stdout, program)
        done = subprocess.run(
            ["env", "-i", "ldd", private / "normbench"], capture_output=True, text=True)
        for line in done.stdout.splitlines():
            name = Path(line.split()[0]).name
            path = re.search(r"=> (\S+)", line)
            brought = path and Path(path[1]).resolve().parent == private.resolve()
            self.assertTrue(brought or name in SYSTEM, line)

    def test_needs_no_newer_glibc_than_2_36(self):
        for program in (self.root / "lib/normbench").iterdir():
            done = subprocess.run(["objdump", "-T", program], capture_output=True, text=True)
            versions = {tuple(map(int, v.split("."))) for v in re.findall(r"GLIBC_([\d.]+)", done.stdout)}
            self.assertLessEqual(max(versions, default=(0,)), (2, 36), program)

    def test_says_whose_libraries_it_brings(self):
        notices = {p.name for p in (self.root / "share/doc/normbench/third-party").iterdir()}
        self.assertTrue(any(name.startswith("libfmt") for name in notices), notices)
        self.assertTrue(any(name.startswith("libhwloc") for name in notices), notices)

    def test_info_runs(self):
        done = self.normbench("info", "--format", "json")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("cpu", json.loads(done.stdout)["environment"])

    def test_selftest_passes(self):
        done = self.normbench("selftest", "--quick", "--place", "cpu")
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)

    def test_quickstart_runs(self):
        config = self.root / "share/normbench/configs/quickstart.json"
        done = self.normbench("run", "--config", config, "--quick", "--format", "json")
        self.assertEqual(done.returncode, 0, done.stderr)
        statuses = {c["variant"]: c["status"] for g in json.loads(done.stdout)["groups"] for c in g["cases"]}
        self.assertEqual(statuses["fused"], "ok")

    def test_gpu_check_says_what_it_could_not_do(self):
        if shutil.which("nvidia-smi"):
            self.skipTest("a GPU is here: gpu-check itself is the test")
        with tempfile.TemporaryDirectory() as empty:
            out = Path(empty) / "seen.tar.gz"
            done = subprocess.run(
                [self.root / "share/normbench/scripts/gpu-check", "--out", out],
                capture_output=True, text=True, timeout=300)
            self.assertEqual(done.returncode, 1)
            self.assertRegex(done.stdout, "passed +info")
            self.assertRegex(done.stdout, "FAILED +selftest-quick .* no NVIDIA driver")
            self.assertRegex(done.stdout, "skipped +gpu-check, blog-gpu")
            self.assertTrue(out.exists())


if __name__ == "__main__":
    unittest.main()
