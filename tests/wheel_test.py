"""Tests the wheel as its users have it: installed by pip in fresh virtual environments, from empty folders.

usage: wheel_test.py WHEEL [unittest's arguments]

Installs from PyPI the tools that check wheels and types. Where several Pythons are at hand (python3.9 to python3.14 in PATH), the wheel
is installed with the oldest and with the newest, too.
"""

import os
import re
import shutil
import stat
import subprocess
import sys
import tempfile
import time
import unittest
from pathlib import Path

WHEEL = Path(sys.argv.pop(1)).resolve()
TOOLS = ["auditwheel==6.8.2", "check-wheel-contents==0.6.3", "mypy==2.4.1", "basedpyright==1.40.2", "twine==7.0.0", "vermin==1.9.2",
         "numpy==2.4.6", "pandas==3.1.1", "pandas-stubs==3.1.0.261029", "polars==2.1.0",
         "nbconvert==7.17.2", "ipykernel==7.4.0"]


def pythons():
    """Returns this Python, and the oldest and the newest other one in PATH that work."""
    found = []
    for minor in range(9, 15):
        path = shutil.which(f"python3.{minor}")
        if path and subprocess.run([path, "-c", "import venv, ensurepip"], capture_output=True).returncode == 0:
            found.append(path)
    return list(dict.fromkeys([sys.executable, *found[:1], *found[-1:]]))


class Installed(unittest.TestCase):
    """Makes a folder with a virtual environment for each test class."""

    python = sys.executable

    @classmethod
    def setUpClass(cls):
        folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(folder.cleanup)
        cls.folder = Path(folder.name)
        cls.venv = cls.install(cls.python, "venv")

    @classmethod
    def install(cls, python, name):
        venv = cls.folder / name
        subprocess.run([python, "-m", "venv", venv], check=True)
        subprocess.run([venv / "bin/pip", "install", "--quiet", "--no-index", WHEEL], check=True)
        return venv

    def call(self, *words, cwd=None, **more):
        return subprocess.run(words, cwd=cwd or self.folder, capture_output=True, text=True, timeout=300, **more)

    def answer(self, code, **more):
        done = self.call(self.venv / "bin/python", "-c", code, **more)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        return done.stdout


class WheelTest(Installed):
    def test_answers_from_an_empty_folder(self):
        for python in pythons():
            with self.subTest(python=python), tempfile.TemporaryDirectory() as empty:
                start = time.monotonic()
                venv = self.install(python, "fresh-" + Path(python).name)
                installed = time.monotonic() - start
                done = self.call("env", "-i", venv / "bin/normbench", "run", "--config", "quickstart", cwd=empty)
                self.assertEqual(done.returncode, 0, done.stderr)
                self.assertIn("fused", done.stdout)
                print(f"{Path(python).name}: installed in {installed:.1f} s, install to answer {time.monotonic() - start:.1f} s")
                (run,) = Path(empty, "results").iterdir()
                self.assertTrue((run / "results.json").is_file())

    def test_the_command_is_the_program_itself(self):
        program = self.venv / "bin/normbench"
        self.assertEqual(program.read_bytes()[:4], b"\x7fELF")
        self.assertTrue(program.stat().st_mode & stat.S_IXUSR)

    def test_a_program_in_path_is_not_taken(self):
        other = self.folder / "other"
        other.mkdir()
        (other / "normbench").write_text("#!/bin/sh\necho wrong\n")
        (other / "normbench").chmod(0o755)
        path = {"PATH": f"{other}:{os.environ['PATH']}"}
        module = self.call(self.venv / "bin/python", "-m", "normbench", "--version", env=path)
        own = self.call(self.venv / "bin/normbench", "--version")
        self.assertEqual((module.stdout, module.stderr), (own.stdout, ""))
        said = self.answer("import normbench; print(normbench.program())", env=path)
        self.assertEqual(Path(said.strip()), (self.venv / "bin/normbench").resolve())

    def test_module_passes_words_and_code_on(self):
        done = self.call(self.venv / "bin/python", "-m", "normbench", "run", "no such file.json")
        self.assertEqual(done.returncode, 2)
        self.assertIn("no such file.json", done.stderr)

    def test_is_found_in_a_target_folder(self):
        target = self.folder / "target"
        subprocess.run([self.venv / "bin/pip", "install", "--quiet", "--no-index", "--target", target, WHEEL], check=True)
        done = self.call(sys.executable, "-S", "-m", "normbench", "list", "configs", env={"PYTHONPATH": str(target)})
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("quickstart", done.stdout)
        loaded = self.call("env", "-i", "ldd", target / "bin/normbench").stdout
        for library in ("libfmt", "libhwloc", "libstdc++"):
            (path,) = re.findall(rf"{re.escape(library)}\.\S+ => (\S+)", loaded)
            self.assertEqual(Path(path).resolve().parent, (target / "share/normbench/lib").resolve())

    def test_uninstall_leaves_nothing(self):
        bare = self.folder / "bare"
        subprocess.run([self.python, "-m", "venv", bare], check=True)
        before = sorted(bare.rglob("*"))
        subprocess.run([bare / "bin/pip", "install", "--quiet", "--no-index", WHEEL], check=True)
        self.assertGreater(len(sorted(bare.rglob("*"))), len(before) + 100)
        subprocess.run([bare / "bin/pip", "uninstall", "--quiet", "--yes", "normbench"], check=True)
        left = [path for path in sorted(bare.rglob("*")) if path not in before and "__pycache__" not in path.parts]
        # pip may leave empty folders of files that it installed outside of site-packages.
        self.assertEqual([path for path in left if not path.is_dir()], [])

    def test_works_where_it_may_not_write(self):
        script = ('mount --bind "$0" "$0" && mount -o remount,bind,ro "$0" || exit 99\n'
                  'touch "$0/x" 2>/dev/null && exit 98\n'
                  '"$0/bin/normbench" run --config quickstart --quick')
        with tempfile.TemporaryDirectory() as empty:
            done = self.call("unshare", "--user", "--map-root-user", "--mount", "sh", "-c", script, self.venv, cwd=empty)
            if done.returncode == 99 or "unshare" in done.stderr:
                self.skipTest(f"no folder can be made read-only here: {done.stderr.strip()}")
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertEqual([path.name for path in Path(empty).iterdir()], ["results"])

    def test_links_to_unpacked_files_work(self):
        # As `uv pip install --link-mode symlink` makes them.
        unpacked, linked = self.folder / "unpacked", self.folder / "linked"
        subprocess.run([sys.executable, "-m", "zipfile", "-e", WHEEL, unpacked], check=True)
        (name,) = [path.name for path in unpacked.glob("*.data")]
        program = unpacked / name / "scripts/normbench"
        program.chmod(0o755)
        (linked / "bin").mkdir(parents=True)
        (linked / "bin/normbench").symlink_to(program)
        done = self.call("env", "-i", linked / "bin/normbench", "list", "configs")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("quickstart", done.stdout)

    def test_peers_run_in_the_environment_of_the_wheel(self):
        # Without an activated environment, python3 is another Python.
        peer = self.venv / "share/normbench/scripts/peers/run"
        done = self.call(peer, "-m", "normbench.peer", "--help", env={"PATH": os.defpath})
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("FILE.py:OBJECT", done.stdout)

    def test_brings_licences(self):
        done = self.call(self.venv / "bin/pip", "show", "--files", "normbench")
        for name in ("LICENSE", "libfmt", "libgomp1", "libstdc++6", "libhwloc"):
            self.assertRegex(done.stdout, rf"dist-info/licenses/.*{re.escape(name)}")


class ToolsTest(Installed):
    """What the tools of PyPI say of the wheel."""

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        subprocess.run([cls.venv / "bin/pip", "install", "--quiet", *TOOLS], check=True)
        cls.package = next(cls.venv.glob("lib/python3*/site-packages/normbench"))

    def tool(self, *words):
        done = self.call(self.venv / "bin" / words[0], *words[1:])
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        return done.stdout

    def test_twine_and_check_wheel_contents(self):
        self.assertIn("PASSED", self.tool("twine", "check", "--strict", WHEEL))
        # W002 reports duplicate files. The wheel has two kinds on purpose: the files of
        # normbench.peer also lie beside the peers, and the licences also lie in share/doc.
        self.assertIn("OK", self.tool("check-wheel-contents", "--ignore", "W002", WHEEL))

    def test_auditwheel_agrees_with_the_tag(self):
        said = " ".join(self.tool("auditwheel", "show", WHEEL).split())
        self.assertIn('is consistent with the following platform tag: "manylinux_2_34_x86_64"', said)

    def test_types(self):
        self.assertIn("Success", self.tool("mypy", "--strict", "-p", "normbench"))
        source = self.folder / "source"
        source.mkdir()
        shutil.copy(Path(__file__).resolve().parents[1] / "python/pyproject.toml", source)
        shutil.copytree(self.package, source / "normbench", ignore=shutil.ignore_patterns("__pycache__"))
        done = self.call(self.venv / "bin/basedpyright", "--pythonpath", self.venv / "bin/python", cwd=source)
        self.assertIn("0 errors", done.stdout)
        self.tool("vermin", "-t=3.9-", "--no-tips", "--quiet", self.package)

    def test_frames(self):
        document = Path(__file__).resolve().parents[1] / "results/kernels-cpu-hd-xeon-emr-2c-20261128.json"
        code = ("import normbench, sys, time\nstart = time.monotonic()\nresults = normbench.load(sys.argv[1])\nframe = results.to_pandas()\n"
                "print(len(frame) == len(results.cases) == len(results.to_polars()), frame['time_ms'].dtype, time.monotonic() - start)\n"
                "rounds = results.to_pandas(rounds=True)\n"
                "print(len(rounds) == sum(len(case.rounds['wall_ns']) for case in results.cases), type(results.cases[0].rounds['wall_ns']))\n")
        done = self.call(self.venv / "bin/python", "-c", code, document)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertRegex(done.stdout, r"^True float64 [\d.]+\nTrue <class 'numpy.ndarray'>\n$")
        print(done.stdout)

    def test_frames_of_what_was_not_measured_have_columns(self):
        document = Path(__file__).resolve().parents[1] / "results/reproduce/blog-gpu.json"
        code = ("import normbench, polars, sys\nresults = normbench.load(sys.argv[1])\n"
                "for frame in (results.to_pandas(rounds=True), results.to_polars(rounds=True)):\n"
                "    print(len(frame), list(frame.columns))\n"
                "print(results.to_pandas()['time_ms'].dtype, results.to_polars()['time_ms'].dtype)\n")
        done = self.call(self.venv / "bin/python", "-c", code, document)
        self.assertEqual(done.returncode, 0, done.stderr)
        columns = "0 ['experiment', 'point', 'variant', 'iterations', 'images', 'round', 'held_up', 'wall_ns']\n"
        self.assertEqual(done.stdout, 2 * columns + "float64 Float64\n")

    def test_python3_of_a_peer_is_that_of_the_environment(self):
        (self.folder / "code.py").write_text("import numpy as np\ndef make():\n    yield np.zeros((2, 3, 8, 8), np.uint8)\n")
        code = ("import normbench\n"
                "config = {'schema': 1, 'name': 'mine', 'peers': {'mine': ['python3', '-m', 'normbench.peer', 'code.py:make']},\n"
                "  'experiments': [{'name': 'e', 'variants': {'v': {'peer': 'mine', 'stages': [\n"
                "    {'op': 'batches', 'batch': 2, 'size': [8, 8], 'dtype': 'uint8'}]}}}]}\n"
                "results = normbench.run(config, quick=True, allow_peers=True, progress=False)\n"
                "print(results.cases[0].data['given']['dtype'])\n")
        self.assertEqual(self.answer(code, env={"PATH": os.defpath}), "uint8\n")
        config = code[code.index("config = {"):code.index("results = ")]
        self.answer(f"import json\n{config}json.dump(config, open('mine.json', 'w'))")
        done = self.call(self.venv / "bin/normbench", "run", "--config", "mine.json", "--quick", "--allow-peers", env={"PATH": os.defpath})
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        self.assertIn("v gives uint8 [2, 3, 8, 8]", " ".join(done.stdout.split()))

    def test_own_code(self):
        test = Path(__file__).resolve().parent / "app/own_code_test.py"
        done = self.call(self.venv / "bin/python", test, self.venv / "bin/normbench", test.parents[2],
                         env={**os.environ, "NORMBENCH_PEERS_VENV": str(self.venv)})
        self.assertEqual(done.returncode, 0, done.stderr)

    def test_the_notebook_runs(self):
        notebook = self.folder / "quickstart.ipynb"
        shutil.copy(Path(__file__).resolve().parents[1] / "docs/quickstart.ipynb", notebook)
        done = self.call(self.venv / "bin/jupyter", "nbconvert", "--to", "html", "--execute", notebook)
        self.assertEqual(done.returncode, 0, done.stderr)
        page = notebook.with_suffix(".html").read_text()
        self.assertEqual(len(re.findall(r"<iframe [^>]*srcdoc=", page)), 1)
        self.assertIn("unknown op &quot;normalise&quot;", page.replace('"', "&quot;"))

    def test_users_get_the_types(self):
        user = self.folder / "user.py"
        user.write_text("import normbench\n\nresults = normbench.run('quickstart', quick=True)\nreveal_type(results.cases[0].median_ms)\n"
                        "wrong: int = results.name\n")
        done = self.call(self.venv / "bin/mypy", "--strict", user)
        self.assertIn('Revealed type is "float | None"', done.stdout)
        self.assertIn('has type "str", variable has type "int"', done.stdout)
        self.assertIn("Found 1 error", done.stdout)


if __name__ == "__main__":
    unittest.main(verbosity=2)
