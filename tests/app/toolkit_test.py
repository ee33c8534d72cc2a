"""Tests scripts/toolkit without fetching packages: wrong usage, and packages that cannot be
reached. .ci/toolkits runs scripts/toolkit with packages.

usage: toolkit_test.py SOURCE_DIR
"""

import os
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

TOOLKIT = Path(sys.argv[1]).resolve() / "scripts" / "toolkit"
NOBODY = "http://127.0.0.1:9"  # no server listens here


class ToolkitTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.dir = Path(folder.name)

    def run_toolkit(self, *arguments):
        (self.dir / "apt.conf").write_text(f'Acquire::http::Proxy "{NOBODY}"; Acquire::https::Proxy "{NOBODY}"; Acquire::Retries "0";')
        environment = {**os.environ, "APT_CONFIG": str(self.dir / "apt.conf"), "PIP_INDEX_URL": NOBODY, "PIP_RETRIES": "0"}
        environment.pop("PIP_EXTRA_INDEX_URL", None)
        done = subprocess.run([TOOLKIT, *map(str, arguments)], capture_output=True, text=True, env=environment)
        return done.returncode, done.stderr

    def test_wrong_usage_says_what_would_be_right(self):
        usage = "scripts/toolkit: needs a version and a folder (usage: scripts/toolkit 12.4|13.5 FOLDER)\n"
        self.assertEqual(self.run_toolkit(), (2, usage))
        self.assertEqual(self.run_toolkit("13.5"), (2, usage))
        self.assertEqual(self.run_toolkit("13.5", ""),
                         (2, "scripts/toolkit: the folder has no name (usage: scripts/toolkit 12.4|13.5 FOLDER)\n"))
        self.assertEqual(self.run_toolkit("11.8", self.dir / "to"),
                         (2, 'scripts/toolkit: unknown version "11.8" (known: 12.4, 13.5)\n'))

    def test_a_folder_with_something_else_is_left_alone(self):
        kept = self.dir / "to" / "kept"
        kept.parent.mkdir()
        kept.write_text("mine")
        self.assertEqual(self.run_toolkit("13.5", kept.parent),
                         (2, f"scripts/toolkit: {kept.parent} is not empty and holds no CUDA Toolkit 13.5\n"))
        self.assertEqual(kept.read_text(), "mine")

    def test_a_toolkit_that_is_there_is_not_fetched_again(self):
        nvcc = self.dir / "to" / "bin" / "nvcc"
        nvcc.parent.mkdir(parents=True)
        nvcc.write_text("#!/bin/sh\necho 'Cuda compilation tools, release 13.5, V13.5.37'\n")
        nvcc.chmod(0o755)
        self.assertEqual(self.run_toolkit("13.5", self.dir / "to"), (0, ""))

    def test_a_relative_folder_is_below_the_working_folder(self):
        """The script gives apt an absolute folder, because apt would look for a relative one below
        its own folder."""
        tools = self.dir / "tools"
        tools.mkdir()
        said = self.dir / "said"
        for name, script in (("apt-get", f'echo "$*" >>{said}; [ "$1" = indextargets ] && echo {NOBODY}'),
                             ("dpkg", "exit 1")):
            (tools / name).write_text(f"#!/bin/sh\n{script}\n")
            (tools / name).chmod(0o755)
        subprocess.run([TOOLKIT, "12.4", "below/to"], cwd=self.dir, capture_output=True,
                       env={**os.environ, "PATH": f"{tools}:{os.environ['PATH']}"})
        if said.exists():  # only on a Debian system
            self.assertRegex(said.read_text(), f"Dir::State={self.dir}/below/")

    def test_packages_out_of_reach_leave_nothing_and_have_an_exit_code_of_their_own(self):
        for version, where in (("12.4", "Debian's archive is not reached"), ("13.5", "Python's packages are not reached")):
            with self.subTest(version=version):
                folder = self.dir / version
                folder.mkdir()
                code, said = self.run_toolkit(version, folder / "to")
                self.assertEqual(code, 77, said)
                if version == "13.5" or "no source" not in said and "no Debian" not in said:
                    self.assertIn(f"scripts/toolkit: {where}", said)
                self.assertEqual(list(folder.iterdir()), [])


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0], *sys.argv[2:]], verbosity=2)
