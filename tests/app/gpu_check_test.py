"""scripts/gpu-check where there is no GPU: in a package whose bin/normbench runs on the CUDA runtime of the tests.

usage: gpu_check_test.py ON_FAKE_CUDA SOURCE_DIR [unittest arguments]

That runtime is asked to take as long as a GPU (tests/cuda/fake_costs.h), in a model at a tenth: of the pixels,
of the caches, of every latency and of gpu-check's time. So eight minutes are 48 seconds here. What does not
shrink, such as the start of a process or the sizes of the self-test, weighs ten times as much as on a GPU.
With FASTER=1 in the environment test_all_fine takes the whole eight minutes, and measures the limits in info too.
"""

import json
import math
import os
import re
import shutil
import signal
import subprocess
import sys
import tarfile
import tempfile
import time
import unittest
from pathlib import Path

ON_FAKE_CUDA, SOURCE_DIR = (Path(p).resolve() for p in sys.argv[1:3])

FASTER = int(os.environ.get("FASTER", 10))
MUCH_FASTER = 100  # for what is not about time
INFO_SECONDS = 15  # on a GPU; its sizes do not shrink, so it sleeps instead
SMALL_CACHES = f"package:1 l3:1(size={32_000_000 // FASTER}) core:2 pu:1"  # of 32 MB, a tenth; hwloc's words
NVIDIA_SMI = "echo '==============NVSMI LOG=============='"
SANITIZER = 'while [ "${1#--}" != "$1" ]; do shift 2; done; exec "$@"'  # as if nothing were found
NO_TORCH = 'exec /usr/bin/env -i python3 -I -S "$@"'  # no package is found


def scaled(config):
    """With a tenth of the pixels."""
    if isinstance(config, list):
        return [scaled(one) for one in config]
    if not isinstance(config, dict):
        return config
    return {key: scaled_size(value) if key == "size" else scaled(value) for key, value in config.items()}


def scaled_size(size):
    if isinstance(size, int):
        return max(1, round(size / math.sqrt(FASTER)))
    return [scaled_size(one) for one in size] if isinstance(size, list) else size


def tiny(config):
    """One small group in place of a config's, for what is not about time."""
    eager = [{"op": "cast", "to": "float32"}, {"op": "sub", "mean": [1, 2, 3]}]
    variants = {"eager": ["h2d", *eager], "cast only": ["h2d", eager[0]]}
    if config["name"] == "peers-gpu":
        variants = {"torch": {"peer": "torch", "stages": eager[:1]}, "here": eager[:1]}
    return {"schema": 1, "name": config["name"], "peers": config.get("peers", {}),
            "measure": {"cache": "hot", "precision": 0.2, "max_seconds_per_group": 0.1},
            "profile": {"wait": 0, "warmup": 0, "active": 1},
            "experiments": [{"name": "tiny", "question": "Which is fast?", "variants": variants,
                             "source": {"dtype": "uint8", "batch": 1, "size": [4, 8]}}]}


def many_groups(config):
    """More than there is time for."""
    (experiment,) = config["experiments"]
    return {**config, "experiments": [{**experiment, "sweep": {"batch": list(range(1, 1001))},
                                       "source": {**experiment["source"], "batch": "$batch"}}]}


def read_config(path):
    return json.loads(re.sub(r"(?m)^\s*//.*$", "", path.read_text()))


def groups_in(journal):
    return set(re.findall(r'(?m)^{"group":(\d+)', journal.read_text()))


class GpuDay(unittest.TestCase):
    maxDiff = None

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.dir = Path(folder.name)
        self.package = self.dir / "package"
        self.tools = self.dir / "tools"
        shared = self.package / "share/normbench"
        (shared / "configs").mkdir(parents=True)
        (shared / "scripts").mkdir()
        (shared / "scripts/peers").symlink_to(SOURCE_DIR / "scripts/peers")
        self.script = Path(shutil.copy(SOURCE_DIR / "scripts/gpu-check", shared / "scripts"))
        self.tool("nvidia-smi", NVIDIA_SMI)
        self.tool("compute-sanitizer", SANITIZER)
        self.tool("python", NO_TORCH, self.dir / "venv/bin")
        self.faster = MUCH_FASTER
        self.normbench()

    def tool(self, name, script, folder=None):
        """A program of that name, found before any other."""
        path = (folder or self.tools) / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(f"#!/bin/sh\n{script}\n")
        path.chmod(0o755)

    def full_time(self, seconds):
        """So much is the full time, and a program has 3 s to stop."""
        text = self.script.read_text()
        for name, value in (("full", seconds), ("grace", 3000)):
            text, changed = re.subn(rf"(?m)^{name}=\d+", f"{name}={value}", text)
            self.assertEqual(changed, 1, name)
        self.script.write_text(text)

    def normbench(self, before="", info="--no-limits", selftest="--quick"):
        """Runs `before` first. `info` and `selftest` are options of the whole ones."""
        self.tool("normbench", f"""{before}
            case "$*" in selftest*--quick*) ;; selftest*) set -- "$@" {selftest} ;; esac
            case "$*" in info*json*) ;; info*) set -- "$@" {info} ;; esac
            exec {ON_FAKE_CUDA} "$@\"""", self.package / "bin")

    def configs(self, change):
        for path in (SOURCE_DIR / "configs").glob("*.json"):
            to = self.package / "share/normbench/configs" / path.name
            config = change(read_config(path))
            # With its costs that runtime runs bodies of kernels only before the first and the last check.
            config["measure"] = {**config.get("measure", {}), "checked_calls": 2}
            to.write_text(json.dumps(config))

    def gpu_check(self, *args, seconds=460 / FASTER, interrupt_after=None, **variables):
        """Runs it for so long at most; its output is kept, and what it archived unpacked."""
        self.environment = {**os.environ, "PATH": f"{self.tools}:{os.environ['PATH']}",
                       "NORMBENCH_FAKE_COSTS": str(self.faster), "HWLOC_SYNTHETIC": SMALL_CACHES,
                       "NORMBENCH_PEERS_VENV": str(self.dir / "venv"), **variables}
        archive = self.dir / "seen.tar.gz"
        archive.unlink(missing_ok=True)
        begin = time.monotonic()
        process = subprocess.Popen([self.script, "--out", archive, "--seconds", str(int(seconds)), *args],
                                   env=self.environment, stdin=subprocess.DEVNULL, text=True,
                                   stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        if interrupt_after is not None:
            for line in process.stdout:
                if f" {interrupt_after} " in line:
                    break
            process.send_signal(signal.SIGINT)
        self.text, errors = process.communicate()
        self.seconds, self.code = time.monotonic() - begin, process.returncode
        self.assertEqual(errors, "")
        with tarfile.open(archive) as tar:
            tar.extractall(self.dir)
        self.seen = self.dir / "gpu-check"
        self.summary = (self.seen / "summary.txt").read_text()

    def line(self, name):
        """The line about a step, its time left out: "passed info: Tesla T4, …"."""
        for line in self.summary.splitlines():
            parts = re.match(r"(passed|FAILED|skipped|cut short) +(.*?)(:|  +(?:\d+ min ?)?(?:[\d.]+ s)?\b|  |$) *(.*)", line)
            if parts and name in parts[2].split(", "):
                return f"{parts[1]} {parts[2]}: {parts[4]}".removesuffix(": ")
        self.fail(f"nothing about {name} in:\n{self.summary}")

    def document(self, config):
        (path,) = self.seen.glob(f"{config}-*/results.json")
        return json.loads(path.read_text())

    def test_all_fine(self):
        self.configs(scaled)
        if FASTER == 1:
            self.normbench(info="", selftest="")
        else:
            self.normbench(f"case \"$*\" in info*json*) ;; info*) sleep {INFO_SECONDS / FASTER} ;; esac", selftest="")
        self.faster = FASTER
        self.gpu_check()
        if FASTER == 1:
            print(self.text, f"exit {self.code} after {self.seconds:.1f} s")
        self.assertEqual(self.code, 0, self.text)
        self.assertLess(self.seconds, 480 / FASTER)
        self.assertRegex(self.line("info"), "^(passed|cut short) info: Tesla T4, driver unknown for CUDA")
        self.assertRegex(self.line("selftest-quick"), "^passed selftest-quick: cuda: .*, all right$")
        self.assertEqual(self.line("gpu-check"), "passed gpu-check: 6 groups, 15 of 15 outputs correct")
        for group in self.document("gpu-check-tesla-t4")["groups"]:
            self.assertLessEqual(len(group["cases"]), 4)
            self.assertLessEqual(len(group["cases"] + group["limits"]), 15, group["experiment"])
            for case in group["cases"]:
                self.assertEqual(case["status"], "skipped" if case["variant"] == "torch eager" else "ok", case)
        self.assertRegex(self.line("blog-gpu"),
                         r"^(passed|cut short) blog-gpu: \d groups?, (\d+) of \2 outputs correct")
        self.assertRegex(self.line("peers-gpu"), "^skipped peers-gpu: python3 has no numpy ")
        self.assertRegex(self.line("selftest"), "^(passed|cut short) selftest: cuda: .*(all right|not finished)$")
        for tool in ("memcheck", "racecheck", "initcheck"):
            self.assertRegex(self.line(tool), f"^(passed|cut short) {tool}")

    def test_failing_selftest(self):
        self.configs(tiny)
        self.normbench("""case "$1" in selftest)
            echo "cuda cast/eager: 1x1x1x1 uint8 nchw -> float32 nchw: element 0 not written"
            echo "cuda: 78 rows, 4,105 cases, 1 row WRONG"; exit 1; esac""")
        self.gpu_check()
        self.assertEqual(self.code, 1)
        self.assertEqual(self.line("selftest-quick"),
                         "FAILED selftest-quick: exit 1: cuda cast/eager: 1x1x1x1 uint8 nchw -> float32 nchw: "
                         "element 0 not written; cuda: 78 rows, 4,105 cases, 1 row WRONG")
        self.assertRegex(self.line("gpu-check"),
                         "^skipped gpu-check, blog-gpu, .*, peers-gpu: the quick self-test failed$")
        self.assertRegex(self.line("selftest"), "^FAILED selftest: exit 1: ")  # all of it says more
        self.assertRegex(self.line("memcheck"), "^FAILED memcheck: exit 1: ")

    def test_slow_selftest(self):
        self.configs(tiny)
        self.normbench('case "$*" in selftest*--quick*) exec sleep 60; esac', selftest="--kernel launch")
        self.full_time(20)
        self.gpu_check(seconds=20)
        self.assertEqual(self.code, 1)
        self.assertRegex(self.line("selftest-quick"), r"^FAILED selftest-quick: not done in 2\.6 s$")
        self.assertEqual(self.line("gpu-check"), "passed gpu-check: 1 group, 2 of 2 outputs correct")
        self.assertRegex(self.line("selftest"), "^passed selftest: cuda: 1 row, .*, all right$")

    def test_slow_and_wrong_selftest(self):
        self.configs(tiny)
        self.normbench("""case "$*" in selftest*--quick*)
            trap 'echo "cuda: 2 rows, 3 cases, 1 row WRONG, not finished"; exit 130' TERM; sleep 60 & wait; esac""")
        self.gpu_check(seconds=8)
        self.assertEqual(self.line("selftest-quick"),
                         "FAILED selftest-quick: cuda: 2 rows, 3 cases, 1 row WRONG, not finished")
        self.assertRegex(self.line("gpu-check"), "^skipped gpu-check, .*: the quick self-test failed$")

    def test_killed_selftest(self):
        """As by Linux when memory runs out, which is not that time was up."""
        self.configs(tiny)
        self.normbench('case "$*" in selftest*--quick*) kill -KILL $$; esac')
        self.gpu_check()
        self.assertEqual(self.code, 1)
        self.assertEqual(self.line("selftest-quick"), "FAILED selftest-quick: killed by SIGKILL (out of memory?)")
        self.assertRegex(self.line("gpu-check"), "^skipped gpu-check, .*: the quick self-test failed$")

    def test_crashing_config(self):
        self.configs(tiny)
        self.normbench('case "$*" in *blog-gpu.json*) echo words; kill -SEGV $$; esac')
        self.gpu_check()
        self.assertEqual(self.code, 1)
        self.assertRegex(self.line("blog-gpu"), "^FAILED blog-gpu: killed by SIGSEGV: words")
        self.assertEqual(self.line("memory-kinds"), "passed memory-kinds: 1 group, 2 of 2 outputs correct")

    def test_too_little_time(self):
        """Fails nothing, and tells of nothing to finish where nothing was begun."""
        self.configs(tiny)
        self.normbench("case $1 in selftest | run) exec sleep 60; esac")
        self.gpu_check(seconds=8)
        self.assertEqual(self.code, 0, self.text)
        for step in ("selftest-quick", "gpu-check", "blog-gpu"):
            self.assertEqual(self.line(step), f"cut short {step}: nothing was finished")
        self.assertNotIn("FAILED", self.summary)
        self.assertNotIn("To finish", self.text)

    def test_hanging_config(self):
        self.configs(tiny)
        self.normbench('case "$*" in *blog-gpu.json*) trap "" TERM; while :; do sleep 1; done; esac')
        self.full_time(20)
        self.gpu_check(seconds=20)
        self.assertEqual(self.code, 1)
        self.assertLess(self.seconds, 23)  # the last step may take 3 s to be stopped
        self.assertRegex(self.line("blog-gpu"), "^FAILED blog-gpu: did not stop when its .* s were up, "
                         "and was killed: it hangs$")
        self.assertEqual(self.line("memory-kinds"), "passed memory-kinds: 1 group, 2 of 2 outputs correct")

    def test_refused_sanitizer(self):
        self.configs(tiny)
        self.tool("compute-sanitizer", """echo "========= COMPUTE-SANITIZER"
            echo "========= Error: Device not supported. Please refer to the documentation"; exit 255""")
        self.gpu_check()
        self.assertEqual(self.code, 0, self.text)
        self.assertEqual(self.line("memcheck"),
                         "skipped memcheck, racecheck, initcheck: compute-sanitizer is refused here: "
                         "Error: Device not supported. Please refer to the documentation")

    def test_old_driver(self):
        self.configs(tiny)
        self.gpu_check(NORMBENCH_FAKE_DRIVER="11040")
        self.assertEqual(self.code, 1)
        self.assertRegex(self.line("selftest-quick"),
                         r"^FAILED selftest-quick: exit 1: the NVIDIA driver is too old, it is for CUDA 11.4: "
                         r"install driver \d+ or newer \(this build is for CUDA \d+\.\d\)$")
        self.assertRegex(self.line("gpu-check"), "^skipped gpu-check, .*: there is no GPU to use$")
        self.assertEqual(self.line("memcheck"), "skipped selftest, memcheck, racecheck, initcheck: there is no GPU to use")

    def test_slow_nvidia_smi(self):
        self.configs(tiny)
        self.tool("nvidia-smi", "exec sleep 60")
        self.gpu_check()
        self.assertEqual(self.code, 0, self.text)
        self.assertRegex(self.line("nvidia-smi"), "^skipped nvidia-smi: no answer in ")
        self.assertEqual(self.line("gpu-check"), "passed gpu-check: 1 group, 2 of 2 outputs correct")

    def test_names_of_gpus(self):
        self.configs(tiny)
        log = self.dir / "log"
        for name, slug in (("Tesla T4", "tesla-t4"), ("NVIDIA H100 80GB HBM3", "h100-80gb-hbm3"),
                           ("NVIDIA GeForce RTX 4090", "geforce-rtx-4090"), ("Quadro P1000", "quadro-p1000")):
            info = json.dumps({"environment": {"cpu": {"name": "no"}, "gpu": {"driver": None, "name": name}}}, indent=2)
            self.tool("normbench", f"""case $1 in
                info) echo '{info}' ;;
                selftest) echo "cuda: 1 row, 1 case, all right" ;;
                run) echo "$@" >{log} ;;
                *) echo normbench ;;
                esac""", self.package / "bin")
            self.gpu_check()
            self.assertIn(f" --machine {slug} ", log.read_text())
            self.assertRegex(log.read_text(), rf" --out \S+-{slug}-\d{{8}} ")

    def test_torch(self):
        self.configs(tiny)
        self.tool("python", f"""case "$1" in
            */torch_peer.py) exec {sys.executable} {SOURCE_DIR}/tests/tiny_peer.py right ;;
            *) echo "PyTorch 2.9.0+cu130"; esac""", self.dir / "venv/bin")
        self.gpu_check()
        self.assertEqual(self.code, 0, self.text)
        self.assertEqual(self.line("peers-gpu"), "passed peers-gpu: 1 group, 2 of 2 outputs correct")

    def test_cut_short(self):
        self.configs(lambda config: many_groups(tiny(config)) if config["name"] == "blog-gpu" else tiny(config))
        self.gpu_check(seconds=20)
        self.assertEqual(self.code, 0, self.text)
        self.assertRegex(self.line("blog-gpu"), r"^cut short blog-gpu: \d+ groups?, \d+ of \d+ outputs correct$")
        cut = self.document("blog-gpu")
        self.assertTrue(cut["interrupted"])
        (command,) = re.findall(r"To finish blog-gpu here: tar .* && \S+/bin/normbench (run --resume \S+)", self.text)
        resumed = subprocess.Popen([self.package / "bin/normbench", *command.split()], cwd=self.dir,
                                   env=self.environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        self.addCleanup(resumed.wait)
        self.addCleanup(resumed.kill)
        (journal,) = self.seen.glob("blog-gpu-*/journal.jsonl")
        while resumed.poll() is None and len(groups_in(journal)) <= len(cut["groups"]):
            time.sleep(0.05)
        self.assertIsNone(resumed.poll())  # it had gone on

    def test_interrupt(self):
        self.configs(tiny)
        self.gpu_check(interrupt_after="info")
        self.assertEqual(self.code, 130)
        self.assertRegex(self.line("gpu-check"), "gpu-check, blog-gpu, .*: interrupted$")

    def test_interrupt_of_the_sanitizer(self):
        """Which was not refused."""
        self.configs(tiny)
        self.tool("compute-sanitizer", "kill -INT $(cut -d' ' -f4 /proc/$PPID/stat); exec sleep 60")
        self.gpu_check()
        self.assertEqual(self.code, 130)
        self.assertEqual(self.line("memcheck"), "skipped memcheck, racecheck, initcheck: interrupted")

    def test_usage(self):
        self.configs(tiny)
        done = subprocess.run([self.script, "--out", self.dir / "seen.tar.gz", "--device", "9"], capture_output=True,
                              text=True, env={**os.environ, "NORMBENCH_FAKE_COSTS": str(MUCH_FASTER)})
        self.assertEqual((done.returncode, done.stdout), (2, ""))
        self.assertRegex(done.stderr, r"^gpu-check: no CUDA device 9 \(this machine has 1: 0; .*\) \(usage: .*\)\n$")
        done = subprocess.run([SOURCE_DIR / "scripts/gpu-check", "--out", "--device", "x", "--seconds", "0.5",
                               "none.tar.gz"], capture_output=True, text=True)
        self.assertEqual((done.returncode, done.stdout), (2, ""))
        self.assertEqual(done.stderr, "gpu-check: --out needs a value; --device x: not a number; --seconds 0.5: not a "
                         "whole number above 0; no package none.tar.gz "
                         "(usage: gpu-check [PACKAGE] --out FILE.tar.gz [--device N] [--seconds S])\n")


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1] + sys.argv[3:])
