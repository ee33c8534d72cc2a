"""Tests which architectures a build has code for: those of all GPUs of the machine that the CUDA Toolkit knows.

usage: gpus_here_test.py SOURCE_DIR
"""

import shutil
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

SOURCE = Path(sys.argv.pop(1)).resolve()
SCRIPT = """
include(%s)
architectures_of_gpus_here(nvcc architectures why)
message("${architectures}${why}")
"""
NONE, UNKNOWN = "90, as there is no GPU here", "90, as this CUDA Toolkit has no code for the GPU here (sm_{})"


class GpusHere(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.dir = Path(folder.name)
        (self.dir / "here.cmake").write_text(SCRIPT % (SOURCE / "cmake/gpus_here.cmake"))
        self.tool("nvcc", "sm_70\nsm_75\nsm_80\nsm_89\nsm_90\nsm_100\nsm_120")

    def tool(self, name, said, exit_code=0):
        (self.dir / name).write_text(f"#!/bin/sh\necho '{said}'\nexit {exit_code}\n")
        (self.dir / name).chmod(0o755)

    def chosen(self, **env):
        done = subprocess.run([shutil.which("cmake"), "-P", self.dir / "here.cmake"], capture_output=True, text=True,
                              env={"PATH": str(self.dir), **env})
        self.assertEqual(done.returncode, 0, done.stderr)
        return done.stderr.strip()

    def test_all_are_built_for_once_each(self):
        for said, architectures in (("9.0", "90"), ("8.0\n8.0\n8.0", "80"), ("12.0\n8.9\n12.0", "89;120"), ("10.0", "100")):
            with self.subTest(said=said):
                self.tool("nvidia-smi", said)
                self.assertEqual(self.chosen(), architectures)

    def test_whichever_is_chosen_to_run(self):
        self.tool("nvidia-smi", "8.0\n9.0")
        self.assertEqual(self.chosen(CUDA_VISIBLE_DEVICES="1"), "80;90")

    def test_those_that_the_toolkit_or_the_kernels_are_not_for_are_left_out(self):
        for said, architectures in (("6.1\n8.0", "80"), ("7.0\n9.0\n12.1", "90"), ("[N/A]\n9.0", "90"),
                                    ("6.1", UNKNOWN.format("61")), ("12.1\n7.0", UNKNOWN.format("70 and sm_121"))):
            with self.subTest(said=said):
                self.tool("nvidia-smi", said)
                self.assertEqual(self.chosen(), architectures)

    def test_without_one_it_is_said(self):
        self.assertEqual(self.chosen(), NONE)
        self.tool("nvidia-smi", "No devices were found", 6)
        self.assertEqual(self.chosen(), NONE)
        self.tool("nvidia-smi", "NVIDIA-SMI has failed: driver 580.95 does not answer", 9)
        self.assertEqual(self.chosen(), NONE)


unittest.main()
