"""Tests the package and scripts/package. The package runs in an empty folder with an empty
environment.

usage: package_test.py PACKAGE [--root FOLDER] [unittest's arguments]

PACKAGE is the .tar.gz, or the wheel, which is installed in a virtual environment.
--root: run the package with the root FOLDER, under bubblewrap. FOLDER has an older distribution
(debootstrap --variant=minbase jammy FOLDER).
"""

import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

PACKAGE = Path(sys.argv.pop(1)).resolve()
ROOT = None
if sys.argv[1:2] == ["--root"]:
    ROOT = Path(sys.argv.pop(2)).resolve()
    del sys.argv[1]
SCRIPTS = Path(__file__).resolve().parents[1] / "scripts"
NEEDS = SCRIPTS / "package-needs"


class PackageTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(cls.folder.cleanup)
        if PACKAGE.suffix == ".whl":
            cls.root = Path(cls.folder.name) / "venv"
            subprocess.run([sys.executable, "-m", "venv", cls.root], check=True)
            subprocess.run([cls.root / "bin/pip", "install", "--quiet", "--no-index", "--no-deps", PACKAGE], check=True)
            cls.program, cls.private = cls.root / "bin/normbench", "share/normbench/lib"
        else:
            subprocess.run(["tar", "-xzf", PACKAGE, "-C", cls.folder.name], check=True)
            (cls.root,) = Path(cls.folder.name).iterdir()
            cls.program, cls.private = cls.root / "lib/normbench/normbench", "lib/normbench"
        cls.inside = ROOT and [
            "bwrap", "--ro-bind", ROOT, "/", "--proc", "/proc", "--dev", "/dev", "--ro-bind", "/sys", "/sys",
            "--tmpfs", "/tmp", "--ro-bind", cls.root, cls.root, "--chdir", "/tmp"] or []

    def normbench(self, *args):
        with tempfile.TemporaryDirectory() as empty:
            return subprocess.run(
                [*self.inside, "env", "-i", self.root / "bin/normbench", *args],
                cwd=empty, capture_output=True, text=True, timeout=300)

    def test_is_small(self):
        self.assertLessEqual(PACKAGE.stat().st_size, (12 if PACKAGE.suffix == ".whl" else 40) << 20)

    def test_brings_what_shells_and_man_look_for(self):
        for place, part in (("bash-completion/completions/normbench", "complete "), ("zsh/site-functions/_normbench", "#compdef"),
                            ("fish/vendor_completions.d/normbench.fish", "complete -c normbench"), ("man/man1/normbench.1", ".TH")):
            self.assertIn(part, (self.root / "share" / place).read_text(), place)
        for of, name in (("config", "normbench.json"), ("results", "results.json")):
            schema = self.root / "share/normbench/configs/schema" / name
            self.assertEqual(self.normbench("schema", "--of", of).stdout, schema.read_text())

    def missing(self, root):
        done = subprocess.run([NEEDS, root], capture_output=True, text=True)
        self.assertEqual(done.returncode, 1 if done.stderr else 0)
        return done.stderr.splitlines()

    def copy(self):
        """Returns a temporary copy of the files that package-needs reads."""
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        copied = Path(folder.name)
        shutil.copytree(self.root / self.private, copied / self.private, symlinks=True)
        (copied / "share/doc/normbench").mkdir(parents=True)
        shutil.copy(self.root / "share/doc/normbench/README.md", copied / "share/doc/normbench")
        return copied

    def test_needs_what_readme_says(self):
        self.assertEqual(self.missing(self.root), [])

    def test_a_newer_symbol_is_found(self):
        copied = self.copy()
        newer = copied / "newer.c"
        newer.write_text("unsigned arc4random(void); unsigned newer(void) { return arc4random(); }")
        library = copied / self.private / "libz.so.1"
        library.unlink()
        subprocess.run(["cc", "-shared", "-fPIC", "-o", library, newer], check=True)
        self.assertEqual(
            self.missing(copied),
            [f"package-needs: {self.private}/libz.so.1: arc4random needs GLIBC_2.36; README promises 2.34"])

    def test_skips_characters_with_its_own_libstdcxx(self):
        # Debian's object files of libstdc++ lack this function, so the package has one of its own.
        copied = self.copy()
        source = copied / "skip.cpp"
        source.write_text("""
            #include <iostream>
            #include <limits>
            #include <sstream>
            int main() {
              std::istringstream narrow("abcde");
              std::wistringstream wide(L"abcde");
              std::cout << char(narrow.ignore(2).peek()) << narrow.gcount() << narrow.ignore(9).eof() << narrow.fail() << narrow.gcount();
              std::cout << wide.ignore(1, L'x').gcount() << wide.ignore(std::numeric_limits<std::streamsize>::max()).gcount();
            }""")
        program = copied / "skip"
        subprocess.run(["c++", "-std=c++20", "-o", program, source], check=True)
        own = dict(os.environ, LD_LIBRARY_PATH=str(copied / self.private), LD_BIND_NOW="1")
        answers = [subprocess.run([program], env=env, capture_output=True, text=True, check=True).stdout for env in (os.environ, own)]
        self.assertEqual(answers, ["c010314", "c010314"])

    def test_a_library_that_is_not_brought_is_found(self):
        copied = self.copy()
        for path in (copied / self.private).glob("libudev.*"):
            path.unlink()
        (hwloc,) = [path.name for path in (copied / self.private).glob("libhwloc.so*") if not path.is_symlink()]
        self.assertEqual(
            self.missing(copied),
            [f"package-needs: {self.private}/{hwloc}: needs libudev.so.1, which README does not take from the system",
             "package-needs: libudev: README says that the package brings it; it is not there"])

    def test_a_library_that_readme_does_not_name_is_found(self):
        copied = self.copy()
        shutil.copy(copied / self.private / "libz.so.1", copied / self.private / "libother.so.1")
        self.assertEqual(
            self.missing(copied), ["package-needs: libother: the package brings it; README does not say so"])

    def test_loads_what_it_brings(self):
        """The program loads the package's libraries, and not the system's libraries with the same
        names."""
        done = subprocess.run(
            ["env", "-i", "ldd", self.program], capture_output=True, text=True)
        self.assertNotIn("not found", done.stdout)
        private = (self.root / self.private).resolve()
        loaded = {Path(path).resolve() for path in re.findall(r"=> (\S+)", done.stdout)}
        self.assertEqual(
            {path for path in loaded if path.parent == private}, {path.resolve() for path in private.glob("*.so*")})

    def test_says_whose_libraries_it_brings(self):
        notices = {p.name for p in (self.root / "share/doc/normbench/third-party").iterdir()}
        for library in ("libfmt", "libhwloc", "libutf8proc"):
            self.assertTrue(any(name.startswith(library) for name in notices), notices)

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

    def test_lists_published_experiments(self):
        done = self.normbench("reproduce", "--list")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("A1  blog", done.stdout)

    def test_a_peer_runs(self):
        config = self.root / "peer.json"
        config.write_text(json.dumps({
            "schema": 1, "name": "peer",
            "defaults": {"source": {"dtype": "uint8", "batch": 1, "size": [64, 64]},
                         "normalize": {"mean": [123.675, 116.28, 103.53], "std": [58.395, 57.12, 57.375]}},
            "peers": {"same": [str(self.root / "bin/normbench"), "peer"]},
            "experiments": [{"name": "peer", "question": "Does it run?", "variants": {
                "peer": {"peer": "same", "stages": ["normalize"]}, "here": ["normalize"]}}]}))
        done = self.normbench("run", "--config", config, "--quick", "--allow-peers", "--format", "json")
        self.assertEqual(done.returncode, 0, done.stderr)
        cases = {c["variant"]: c["status"] for g in json.loads(done.stdout)["groups"] for c in g["cases"]}
        self.assertEqual(cases, {"peer": "ok", "here": "ok"})

    def test_a_mistake_is_said(self):
        done = self.normbench("check", "no.json")
        self.assertEqual(done.returncode, 2)
        self.assertIn("no.json", done.stderr)

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
            self.assertRegex(done.stdout, "FAILED +machine .*(driver|GPU)")
            self.assertRegex(done.stdout, "skipped +selftest-quick, .*, gpu-check, .*, blog-gpu, ")
            self.assertTrue(out.exists())


class ScriptTest(unittest.TestCase):
    """Runs scripts/package with a fake CMake and with a build script that fails."""

    def package(self, will_build):
        """Returns what scripts/package prints before and after the build. `will_build` is what the
        fake CMake says that it will build."""
        with tempfile.TemporaryDirectory() as name:
            root = Path(name)
            (root / "scripts").mkdir()
            shutil.copy(SCRIPTS / "package", root / "scripts")
            for path, script in {
                "scripts/setup": "", "scripts/build": "echo building; exit 1",
                "tools/cmake": f"""echo "-- Will build: {will_build}"
                    echo 'set(CPACK_PACKAGE_FILE_NAME "normbench-9-linux")' >build/package/CPackConfig.cmake""",
            }.items():
                (root / path).parent.mkdir(exist_ok=True)
                (root / path).write_text(f"#!/bin/sh\n{script}\n")
                (root / path).chmod(0o755)
            done = subprocess.run([root / "scripts/package"], stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                                  text=True, env={**os.environ, "PATH": f"{root}/tools:{os.environ['PATH']}"})
            self.assertEqual(done.returncode, 1)
            return done.stdout.splitlines()

    def test_says_first_what_it_makes(self):
        self.assertEqual(self.package("the kernels, CUDA for sm_75"),
                         ["Making dist/normbench-9-linux.tar.gz: the kernels, CUDA for sm_75", "building"])

    def test_builds_nothing_without_cuda(self):
        self.assertEqual(self.package("the kernels, no CUDA"), [
            "scripts/package: no CUDA Toolkit 12.4 or newer here, without which a package runs nothing on a GPU: "
            "install one (README says how), or name its folder with --cuda"])


if __name__ == "__main__":
    unittest.main()
