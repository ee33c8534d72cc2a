"""Tests scripts/gpu-check without a GPU: in a package whose bin/normbench runs on the fake CUDA runtime.

usage: gpu_check_test.py ON_FAKE_CUDA SOURCE_DIR [unittest arguments]

The fake runtime takes as long as a GPU (tests/cuda/fake_costs.h). Everything is scaled to a tenth:
pixels, caches, latencies, and the time of gpu-check, whose eight minutes are 48 seconds here. What
cannot be scaled, such as the start of a process or the sizes of the self-test, has ten times the
weight that it has on a GPU. With FASTER=1 in the environment, test_all_fine is not scaled: it takes
eight minutes, and info also measures the limits. compute-sanitizer and ncu are stand-ins.
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
MUCH_FASTER = 100  # for tests that do not depend on time
INFO_SECONDS = 15  # time of `info` on a GPU; tests sleep instead, because the sizes that it measures cannot be scaled
SMALL_CACHES = f"package:1 l3:1(size={32_000_000 // FASTER}) core:2 pu:1"  # a tenth of 32 MB, in hwloc's syntax
NVIDIA_SMI = "echo '==============NVSMI LOG=============='"
FAKE_CUPTI = ON_FAKE_CUDA.parent / "fake_cupti"
# The start of a fake compute-sanitizer: reads the options. "$log" and "$xml" are the files that it has to write.
SANITIZER = """while [ "${1#--}" != "$1" ]; do
    case "$1" in --log-file) log=$2; shift 2 ;; --save) xml=$2; shift 2 ;; --xml) shift ;; *) shift 2 ;; esac
done
"""
NO_TORCH = 'exec /usr/bin/env -i python3 -I -S "$@"'  # so that Python finds no package


def scaled(config):
    """Returns the config with a tenth of the pixels."""
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
    """Returns a config with one small group, for tests that do not depend on time."""
    eager = [{"op": "cast", "to": "float32"}, {"op": "sub", "mean": [1, 2, 3]}]
    variants = {"eager": ["h2d", *eager], "cast only": ["h2d", eager[0]]}
    if config["name"] == "peers-gpu":
        variants = {"torch": {"peer": "torch", "stages": eager[:1]}, "here": eager[:1]}
    if config["name"] == "gpu-dram":
        return {**config, "defaults": {**config["defaults"], "source": {**config["defaults"]["source"], "batch": 1, "size": [4, 8]}}}
    return {"schema": 1, "name": config["name"], "peers": config.get("peers", {}),
            "measure": {"cache": "hot", "precision": 0.2, "max_seconds_per_group": 0.1},
            "profile": {"wait": 0, "warmup": 0, "active": 1},
            "experiments": [{"name": "resident", "question": "Which is fast?", "variants": variants,
                             "source": {"dtype": "uint8", "batch": 1, "size": [4, 8]}}]}


def many_groups(config):
    """Returns the config with more groups than there is time for."""
    (experiment,) = config["experiments"]
    return {**config, "experiments": [{**experiment, "sweep": {"batch": list(range(1, 1001))},
                                       "source": {**experiment["source"], "batch": "$batch"}}]}


def read_config(path):
    return json.loads(re.sub(r"(?m)^\s*//.*$", "", path.read_text()))


def selftest_document(**place):
    """Returns the document that a self-test prints about the GPU's rows."""
    return json.dumps({"places": [{"place": "cuda", "unavailable": None, "lost": None, "rows": [], **place}]})


def row(op, kernel, failure="", finished=True):
    return {"op": op, "kernel": kernel, "accepted": 20, "wrong": int(bool(failure)), "finished": finished, "failure": failure}


def prints(document):
    return f"cat <<'JSON'\n{document}\nJSON\n"


def runs(pid):
    """Returns True if the process runs. A zombie does not run."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except FileNotFoundError:
        return False


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
        self.archive = self.dir / "seen.tar.gz"
        self.temporary = self.dir / "temporary"
        self.temporary.mkdir()
        shared = self.package / "share/normbench"
        (shared / "configs").mkdir(parents=True)
        (shared / "scripts").mkdir()
        (shared / "scripts/peers").symlink_to(SOURCE_DIR / "scripts/peers")
        self.script = shared / "scripts/gpu-check"
        self.tool("nvidia-smi", NVIDIA_SMI)
        self.tool("compute-sanitizer", SANITIZER + 'exec "$@"')
        self.tool("python", NO_TORCH, self.dir / "venv/bin")
        self.faster = MUCH_FASTER
        self.normbench()
        self.times(5)

    def tool(self, name, script, folder=None):
        """Adds a program `name` that is found before any other of that name."""
        path = (folder or self.tools) / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(f"#!/bin/sh\n{script}\n")
        path.chmod(0o755)

    def times(self, faster):
        """Divides the times of gpu-check by `faster`, but a program always has 3 s to stop."""
        shorter = f"""COLD, GRACE, ALONE = COLD / {faster}, 3, ALONE / 2
STEPS = tuple(step._replace(limit=step.limit / {faster}, least=step.least / {faster}) for step in STEPS)
"""
        shutil.copy(SOURCE_DIR / "scripts/gpu-check", self.script)
        main = 'if __name__ == "__main__":\n'
        before, found, after = self.script.read_text().partition(main)
        self.assertTrue(found)
        self.script.write_text(before + shorter + main + after)

    def normbench(self, before="", info="--no-limits", selftest="--quick"):
        """Makes a normbench that runs the script `before` first. `info` and `selftest` are options. They are added to
        each `info` without --no-limits and to each `selftest` without --quick, to shorten them."""
        # NORMBENCH_FAKE_COSTS makes the fake CUDA runtime simulate the times of a GPU. It then runs
        # kernels only for the first and the last check of a case. A self-test with --kernel runs
        # without this variable, so that all its kernels run.
        self.tool("normbench", f"""{before}
            case "$*" in selftest*--kernel*) unset NORMBENCH_FAKE_COSTS ;; esac
            case "$*" in selftest*--quick*) ;; selftest*) set -- "$@" {selftest} ;; esac
            case "$*" in info*--no-limits*) ;; info*) set -- "$@" {info} ;; esac
            exec {ON_FAKE_CUDA} "$@\"""", self.package / "bin")

    def configs(self, change):
        for path in (SOURCE_DIR / "configs").glob("*.json"):
            to = self.package / "share/normbench/configs" / path.name
            config = change(read_config(path))
            # With NORMBENCH_FAKE_COSTS, the fake CUDA runtime runs kernels only for the first and
            # the last check of a case. So only two calls are checked.
            config["measure"] = {**config.get("measure", {}), "checked_calls": 2}
            to.write_text(json.dumps(config))

    def start(self, *args, seconds=92, **variables):
        """Starts gpu-check. The process is killed when the test ends."""
        self.environment = {**os.environ, "PATH": f"{self.tools}:{os.environ['PATH']}", "TMPDIR": str(self.temporary),
                            "NORMBENCH_FAKE_COSTS": str(self.faster), "HWLOC_SYNTHETIC": SMALL_CACHES,
                            "NORMBENCH_PEERS_VENV": str(self.dir / "venv"), **variables}
        self.archive.unlink(missing_ok=True)
        self.begin = time.monotonic()
        process = subprocess.Popen([self.script, "--out", self.archive, "--seconds", str(int(seconds)), *args], env=self.environment,
                                   stdin=subprocess.DEVNULL, text=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        self.addCleanup(process.wait)
        self.addCleanup(process.kill)
        return process

    def gpu_check(self, *args, interrupt_after=None, **how):
        """Runs gpu-check to its end. Keeps its output, and unpacks its archive."""
        process = self.start(*args, **how)
        if interrupt_after is not None:
            for line in process.stdout:
                if f" {interrupt_after} " in line:
                    break
            process.send_signal(signal.SIGINT)
        self.text, errors = process.communicate()
        self.seconds, self.code = time.monotonic() - self.begin, process.returncode
        self.assertEqual(errors, "")
        self.unpack()
        self.assertEqual(list(self.temporary.iterdir()), [])

    def unpack(self):
        shutil.rmtree(self.dir / "gpu-check", ignore_errors=True)
        with tarfile.open(self.archive) as tar:
            tar.extractall(self.dir)
        by_tar = subprocess.run(["tar", "-tzf", self.archive], check=True, capture_output=True, text=True).stdout.split()
        self.seen = self.dir / "gpu-check"
        self.assertEqual(sorted(by_tar), sorted(str(path.relative_to(self.dir)) for path in self.seen.rglob("*") if path.is_file()))
        self.summary = (self.seen / "summary.txt").read_text()

    def line(self, name):
        """Returns the line about a step without its time, like "passed info: Tesla T4, …"."""
        for line in self.summary.splitlines():
            parts = re.match(r"(passed|FAILED|skipped|cut short) +(.*?)(:|  +(?:\d+ min ?)?(?:[\d.]+ s)?\b|  |$) *(.*)", line)
            if parts and name in parts[2].split(", "):
                return f"{parts[1]} {parts[2]}: {parts[4]}".removesuffix(": ")
        self.fail(f"nothing about {name} in:\n{self.summary}")

    def document(self, config):
        (path,) = self.seen.glob(f"{config}-*/results.json")
        return json.loads(path.read_text())

    # --- The whole day.

    def test_all_fine(self):
        self.configs(scaled)
        if FASTER == 1:
            self.normbench(info="", selftest="")
        else:
            self.normbench(f"case \"$*\" in info*--no-limits*) ;; info*) sleep {INFO_SECONDS / FASTER} ;; esac", selftest="")
        self.faster = FASTER
        self.times(FASTER)
        self.gpu_check(seconds=460 / FASTER)
        print(self.text, f"exit {self.code} after {self.seconds:.1f} s")
        self.assertEqual(self.code, 0, self.text)
        self.assertLess(self.seconds, 480 / FASTER)
        for step in ("machine", "info"):
            self.assertRegex(self.line(step), f"^(passed|cut short) {step}: Tesla T4, driver unknown for CUDA")
        self.assertRegex(self.line("selftest-quick"), r"^passed selftest-quick: \d+ rows, [\d,]+ cases, all right$")
        for step in ("one-group", "one-group-profile"):
            self.assertEqual(self.line(step), f"passed {step}: 1 group, 2 of 2 outputs correct")
        self.assertEqual(self.line("gpu-check"), "passed gpu-check: 6 groups, 15 of 15 outputs correct")
        self.assertEqual([group["profile"] for group in self.document("gpu-check-tesla-t4")["groups"]], [[]] * 6)
        for group in self.document("gpu-check-tesla-t4")["groups"]:
            self.assertLessEqual(len(group["cases"]), 4)
            self.assertLessEqual(len(group["cases"] + group["limits"]), 15, group["experiment"])
            self.assertIn(group["question"], self.text)
            for case in group["cases"]:
                self.assertEqual(case["status"], "skipped" if case["variant"] == "torch eager" else "ok", case)
        self.assertRegex(self.line("gpu-check-profile"), "^(passed|cut short) gpu-check-profile: ")
        self.assertRegex(self.line("blog-gpu"), r"^(passed|cut short) blog-gpu: \d groups?, (\d+) of \2 outputs correct")
        self.assertRegex(self.line("peers-gpu"), "^skipped peers-gpu: python3 has no numpy ")
        self.assertRegex(self.line("selftest"), "^(passed|cut short) selftest: .*(all right|not finished)$")
        for tool in ("memcheck-group-norm", "memcheck", "racecheck", "initcheck"):
            self.assertRegex(self.line(tool), f"^(passed|cut short) {tool}")
        self.assertRegex(self.line("ncu-stream"), r"^skipped ncu-normalize, ncu-stream: Nsight Compute \(ncu\) is not installed here$")

    def test_three_runs_are_the_whole(self):
        """Each of the three runs has its own steps. Together they are the whole plan."""
        self.configs(tiny)
        ran = []
        for run in ("1", "2", "3"):
            self.gpu_check("--run", run)
            self.assertEqual(self.code, 0, self.text)
            names = [name for line in self.summary.splitlines() if (found := re.match(r"(?:passed|skipped|cut short) +([\w, -]+?)(?:  |:)", line))
                     for name in found[1].split(", ")]
            self.assertEqual(names.pop(0), "machine")
            ran.append(names)
        plan = subprocess.run([self.script, "--plan"], capture_output=True, text=True, check=True).stdout
        self.assertEqual(sum(ran, []), re.findall(r"(?m)^([a-z-]+) +[123] ", plan))
        self.assertEqual(ran[0], ["nvidia-smi", "info", "selftest-quick", "one-group", "one-group-profile", "memcheck-group-norm"])
        self.assertEqual(ran[1][:2], ["gpu-check", "gpu-check-profile"])
        self.assertEqual(ran[2], ["selftest", "memcheck", "racecheck", "initcheck", "ncu-normalize", "ncu-stream"])

    def test_only_and_skip(self):
        self.configs(tiny)
        self.gpu_check("--only", "launch,layouts,nvidia-smi", "--skip", "layouts")
        self.assertEqual(self.code, 0, self.text)
        self.assertEqual(re.findall(r"(?m)^passed +(\S+)", self.summary), ["machine", "nvidia-smi", "launch"])

    def test_plan(self):
        """--plan runs nothing, so it needs no package and no --out."""
        def planned(*args):
            done = subprocess.run([SOURCE_DIR / "scripts/gpu-check", *args], capture_output=True, text=True)
            self.assertEqual((done.returncode, done.stderr), (0, ""))
            return done.stdout
        whole = planned("--plan")
        self.assertRegex(whole, r"(?m)^nvidia-smi +1 +10 s +2 s$")
        self.assertRegex(whole, r"(?m)^selftest-quick +1 +60 s +40 s$")  # the GPU's first answer may take long
        self.assertNotIn("time left over", whole)
        first = planned("--run", "1", "--plan")
        self.assertRegex(first, r"(?m)^selftest-quick +1 +60 s +40 s$")
        self.assertNotIn("\ngpu-check ", first)
        short = planned("--plan", "100")
        self.assertRegex(short, r"(?m)^selftest-quick +1 +40 s +40 s$")
        self.assertRegex(short, r"(?m)^one-group +1 +10 s +10 s$")
        self.assertRegex(short, r"(?m)^gpu-check +2 +only with time left over$")
        self.assertEqual(short, planned("--seconds", "100", "--plan"))

    # --- A failing step does not stop the other steps.

    def test_wrong_row(self):
        self.configs(tiny)
        wrong = "1x1x1x1 uint8 nchw -> float32 nchw: element 0 not written"
        document = selftest_document(rows=[row("crop", "vector"), row("cast", "eager", wrong)])
        self.normbench(f"""case "$1" in selftest) {prints(document)} exit 1; esac""")
        self.gpu_check()
        self.assertEqual(self.code, 1)
        self.assertEqual(self.line("selftest-quick"),
                         f"FAILED selftest-quick: exit 1: cast/eager: {wrong}; 2 rows, 40 cases, 1 row WRONG")
        self.assertEqual(self.line("gpu-check"), "passed gpu-check: 1 group, 2 of 2 outputs correct")
        self.assertEqual(self.line("cpu-vs-gpu"), "passed cpu-vs-gpu: 1 group, 2 of 2 outputs correct")
        self.assertRegex(self.line("selftest"), "^FAILED selftest: exit 1: ")  # the rest of the line is not tested
        self.assertRegex(self.line("memcheck"), "^FAILED memcheck: exit 1: ")
        self.assertEqual(json.loads((self.seen / "selftest-quick.json").read_text()), json.loads(document))
        self.assertEqual(len(self.document("blog-gpu")["groups"]), 1)

    def test_lost_device(self):
        """A row breaks the context, so the rows after it are not tested. They are tested in another
        run, without that row."""
        self.configs(tiny)
        lost = "cudaMalloc: an illegal memory access was encountered"
        document = selftest_document(lost=lost, rows=[row("crop", "vector"), row("cast", "eager", "a call failed"),
                                                      row("copy", "kernel", "not tested", finished=False)])
        self.normbench(f"""case "$*" in *--kernel*) ;; selftest*--quick*) {prints(document)} exit 1; esac""")
        self.gpu_check("--only", "selftest-quick,one-group")
        self.assertEqual(self.line("selftest-quick"), "FAILED selftest-quick: exit 1: cast/eager: a call failed; 3 rows, 60 cases, "
                         f"1 row WRONG, 1 row not finished; nothing runs any more: {lost}")
        self.assertRegex(self.line("selftest-quick-alone"), "^passed selftest-quick-alone: 3 rows, .*, all right$")  # the rows of `copy`
        self.assertEqual([path.name for path in (self.seen / "selftest-quick-alone").iterdir()], ["copy.json"])
        self.assertEqual(self.line("one-group"), "passed one-group: 1 group, 2 of 2 outputs correct")

    def test_hanging_row(self):
        """Every row except the hanging one is tested, including the other rows of the same op."""
        self.configs(tiny)
        self.normbench("""case "$*" in *--kernel*copy/reference* | *--kernel*copy/memcpy*) ;;
            selftest*--quick*--kernel*copy* | selftest*--quick) trap "" TERM; while :; do sleep 1; done; esac""")
        self.gpu_check("--only", "selftest-quick,one-group", seconds=120)
        self.assertEqual(self.code, 1)
        self.assertRegex(self.line("selftest-quick"), "^FAILED selftest-quick: did not stop when its .* s were up, and was killed: it hangs$")
        alone = self.line("selftest-quick-alone")
        self.assertRegex(alone, r"^FAILED selftest-quick-alone: copy/kernel: it hangs; \d+ rows, [\d,]+ cases, all right$")
        rows = {(one["op"], one["kernel"]) for path in (self.seen / "selftest-quick-alone").glob("*.json") if path.read_text()
                for one in json.loads(path.read_text())["places"][0]["rows"]}
        self.assertIn(("group_norm", "fused"), rows)
        self.assertEqual({kernel for op, kernel in rows if op == "copy"}, {"reference", "memcpy"})
        self.assertEqual(self.line("one-group"), "passed one-group: 1 group, 2 of 2 outputs correct")

    def test_hang_in_the_first_call(self):
        self.configs(tiny)
        self.normbench("""case "$*" in info*--no-limits*) trap "" TERM; while :; do sleep 1; done; esac
            case "$1" in info) exec sleep 60; esac""")
        self.gpu_check("--only", "nvidia-smi,info,selftest-quick,one-group,launch")
        self.assertEqual(self.code, 1)
        self.assertRegex(self.line("machine"), "^FAILED machine: did not stop when its 12 s were up, and was killed: it hangs")
        self.assertEqual(self.line("info"), "cut short info: nothing was finished")
        self.assertEqual(self.line("nvidia-smi"), "passed nvidia-smi")
        self.assertRegex(self.line("selftest-quick"), "^passed selftest-quick: .*, all right$")
        for config in ("one-group", "launch"):
            self.assertEqual(self.line(config), f"passed {config}: 1 group, 2 of 2 outputs correct")
            self.assertEqual(len(self.document(config)["groups"]), 1)

    def test_crash_in_the_profile(self):
        """The measurements of the crashing step are kept, and later steps run without the
        profile."""
        self.tracer("crashes")
        self.configs(tiny)
        self.gpu_check("--skip", "selftest,memcheck,racecheck,initcheck,one-group,one-group-profile,gpu-check,gpu-check-profile")
        self.assertEqual(self.code, 1)
        self.assertEqual(self.line("blog-gpu"), "FAILED blog-gpu: killed by SIGSEGV: 1 group, 2 of 2 outputs correct")
        self.assertEqual(self.line("blog-gpu-no-profile"), "passed blog-gpu-no-profile: 1 group, 2 of 2 outputs correct")
        self.assertEqual(len(self.document("blog-gpu-no-profile")["groups"]), 1)
        self.assertEqual(self.line("layouts"), "passed layouts: 1 group, 2 of 2 outputs correct, without the profile: "
                         "it ended blog-gpu (killed by SIGSEGV)")
        self.assertEqual(len(self.document("layouts")["groups"]), 1)

    def test_hang_in_the_profile(self):
        self.tracer("hangs")
        self.configs(tiny)
        self.gpu_check("--only", "gpu-check,gpu-check-profile,launch,constants")
        self.assertEqual(self.code, 1)
        self.assertEqual(self.line("gpu-check"), "passed gpu-check: 1 group, 2 of 2 outputs correct")
        self.assertRegex(self.line("gpu-check-profile"), "^FAILED gpu-check-profile: did not stop .*: it hangs; 1 group, 2 of 2 outputs correct$")
        for config in ("launch", "constants"):
            self.assertEqual(self.line(config), f"passed {config}: 1 group, 2 of 2 outputs correct, without the profile: "
                             "it ended gpu-check-profile (it hangs)")

    def tracer(self, mode):
        """Makes normbench profile with the fake CUPTI."""
        if not (FAKE_CUPTI / "libcupti.so.13").exists():
            self.skipTest("this build has no CUPTI")
        self.normbench(f"export LD_LIBRARY_PATH={FAKE_CUPTI} CUDA_HOME={self.dir}; case $1 in run) export FAKE_CUPTI_MODE={mode}; esac")

    def test_killed_from_outside(self):
        """The archive has every finished step, and no process continues to measure."""
        self.configs(tiny)
        pid = self.dir / "pid"
        self.normbench(f'case "$*" in run*launch.json*) echo $$ >{pid}; exec sleep 60; esac')
        process = self.start("--only", "nvidia-smi,selftest-quick,one-group,memory-kinds,launch,layouts")
        while not pid.exists() or not pid.read_text():
            self.assertIsNone(process.poll())
            time.sleep(0.05)
        process.kill()
        process.communicate()
        self.unpack()
        self.assertFalse(self.archive.with_name("seen.tar.gz.part").exists())
        self.assertEqual(re.findall(r"(?m)^passed +(\S+)", self.summary),
                         ["machine", "nvidia-smi", "selftest-quick", "one-group", "memory-kinds"])
        self.assertIn("NVSMI LOG", (self.seen / "nvidia-smi.txt").read_text())
        self.assertTrue(json.loads((self.seen / "selftest-quick.json").read_text())["places"][0]["rows"])
        for config in ("one-group", "memory-kinds"):
            self.assertEqual(len(self.document(config)["groups"]), 1)
        end = time.monotonic() + 20
        while runs(pid.read_text().strip()) and time.monotonic() < end:
            time.sleep(0.05)
        self.assertFalse(runs(pid.read_text().strip()))

    def test_slow_selftest(self):
        self.configs(tiny)
        self.normbench('case "$*" in selftest*--quick*) exec sleep 60; esac', selftest="--kernel launch")
        self.gpu_check("--only", "selftest-quick,gpu-check,selftest", seconds=60)
        self.assertEqual(self.code, 1)
        self.assertRegex(self.line("selftest-quick"), "^FAILED selftest-quick: not done in 12 s$")
        self.assertEqual(self.line("gpu-check"), "passed gpu-check: 1 group, 2 of 2 outputs correct")
        self.assertRegex(self.line("selftest"), "^passed selftest: 1 row, .*, all right$")

    def test_slow_and_wrong_selftest(self):
        self.configs(tiny)
        document = selftest_document(rows=[row("cast", "eager", "wrong"), row("copy", "kernel", finished=False)])
        self.normbench(f"""case "$*" in selftest*--quick*)
            found() {{ {prints(document)} exit 1; }}
            trap found TERM; sleep 60 & wait; esac""")
        self.gpu_check("--only", "selftest-quick,one-group")
        self.assertEqual(self.line("selftest-quick"),
                         "FAILED selftest-quick: cast/eager: wrong; 2 rows, 40 cases, 1 row WRONG, 1 row not finished")
        self.assertEqual(self.line("one-group"), "passed one-group: 1 group, 2 of 2 outputs correct")

    def test_killed_selftest(self):
        """The self-test is killed, as Linux does when memory runs out. That is not reported as
        running out of time."""
        self.configs(tiny)
        self.normbench('case "$*" in *--kernel*) ;; selftest*--quick*) kill -KILL $$; esac')
        self.gpu_check("--only", "selftest-quick,one-group", seconds=120)
        self.assertEqual(self.code, 1)
        self.assertEqual(self.line("selftest-quick"), "FAILED selftest-quick: killed by SIGKILL (out of memory?)")
        self.assertRegex(self.line("selftest-quick-alone"), "^passed selftest-quick-alone: .*, all right$")
        self.assertEqual(self.line("one-group"), "passed one-group: 1 group, 2 of 2 outputs correct")

    def test_crashing_config(self):
        """The config crashes with and without the profile, so the profile is not the cause."""
        self.configs(tiny)
        self.normbench('case "$*" in *blog-gpu.json*) echo words; kill -SEGV $$; esac')
        self.gpu_check("--only", "blog-gpu,memory-kinds")
        self.assertEqual(self.code, 1)
        for step in ("blog-gpu", "blog-gpu-no-profile"):
            self.assertEqual(self.line(step), f"FAILED {step}: killed by SIGSEGV: words")
        self.assertEqual(self.line("memory-kinds"), "passed memory-kinds: 1 group, 2 of 2 outputs correct")

    def test_wrong_output(self):
        """The report names the failed case."""
        self.configs(tiny)
        result = {"experiment": "e", "cases": [
            {"variant": "fine", "status": "ok", "check": {"ok": True}},
            {"variant": "bad", "status": "failed", "reason": "wrong output: element 3", "check": {"ok": False}}]}
        journal = f'{{"journal": 1}}\n{json.dumps({"group": 0, "result": result})}\n{{"group": 1, "resu'
        self.normbench(f"""case "$*" in *blog-gpu.json*)
            while [ "$1" != --out ]; do shift; done
            mkdir "$2"; printf %s '{journal}' >"$2/journal.jsonl"; exit 1; esac""")
        self.gpu_check("--only", "blog-gpu,launch")
        self.assertEqual(self.code, 1)
        self.assertEqual(self.line("blog-gpu"), 'FAILED blog-gpu: exit 1: 1 case failed: "bad" of e: wrong output: element 3')
        self.assertEqual(self.line("launch"), "passed launch: 1 group, 2 of 2 outputs correct")

    def test_odd_documents(self):
        """A document that the script does not understand fails its step only."""
        self.configs(tiny)
        self.normbench("""case "$*" in selftest*) echo '{"places": [{"place": "cuda"}]}'; exit 0 ;;
            info*--no-limits*) ;; info*) echo '[]'; exit 0; esac""")
        self.gpu_check("--only", "info,selftest-quick,one-group")
        self.assertEqual(self.code, 1)
        self.assertEqual(self.line("info"), "passed info")
        self.assertEqual(self.line("selftest-quick"), "FAILED selftest-quick: its document is not as it should be: KeyError('unavailable')")
        self.assertEqual(self.line("one-group"), "passed one-group: 1 group, 2 of 2 outputs correct")

    def test_too_little_time(self):
        """The first steps get their time. No step fails, and no command is given to finish steps
        that did not start."""
        self.configs(tiny)
        self.normbench("case $1 in selftest | run) exec sleep 60; esac")
        self.gpu_check(seconds=14)
        self.assertEqual(self.code, 0, self.text)
        for step in ("selftest-quick", "one-group"):
            self.assertEqual(self.line(step), f"cut short {step}: nothing was finished")
        self.assertRegex(self.line("initcheck"), "^skipped .*: no time is left$")
        self.assertNotIn("FAILED", self.summary)
        self.assertNotIn("To finish", self.text)

    def test_hanging_config(self):
        self.configs(tiny)
        self.normbench('case "$*" in *blog-gpu.json*) trap "" TERM; while :; do sleep 1; done; esac')
        self.times(2)
        self.gpu_check("--only", "blog-gpu,memory-kinds", seconds=16)
        self.assertEqual(self.code, 1)
        self.assertRegex(self.line("blog-gpu"), "^FAILED blog-gpu: did not stop when its .* s were up, and was killed: it hangs$")
        self.assertEqual(self.line("memory-kinds"), "passed memory-kinds: 1 group, 2 of 2 outputs correct")

    # --- Other tools.

    def test_refused_sanitizer(self):
        self.configs(tiny)
        self.tool("compute-sanitizer", SANITIZER + """echo "========= COMPUTE-SANITIZER" >"$log"
            echo "========= Error: Device not supported. Please refer to the documentation" >>"$log"; exit 255""")
        self.gpu_check()
        self.assertEqual(self.code, 0, self.text)
        why = "compute-sanitizer is refused here: Error: Device not supported. Please refer to the documentation"
        self.assertEqual(self.line("memcheck-group-norm"), f"skipped memcheck-group-norm: {why}")
        self.assertEqual(self.line("memcheck"), f"skipped memcheck, racecheck, initcheck: {why}")

    def test_sanitizer_that_finds_something(self):
        """The sanitizer's findings are reported in all cases: if a row is wrong as well, if the
        sanitizer's exit code is hidden, and if its file is cut off."""
        self.configs(tiny)
        record = ("<record><kind>Memcheck</kind><what><text>Invalid __global__ read of size 4 bytes</text>"
                  "<size>4</size></what><hostStack><f>main</f></hostStack></record>")
        document = selftest_document(rows=[row("group_norm", "fused", "wrong")])
        self.tool("compute-sanitizer", SANITIZER + f"""echo '<?xml version="1.0" encoding="utf-8"?><ComputeSanitizerOutput>{record * 2}<record>' >"$xml"
            case "$*" in *group_norm*) {prints(document)} exit 1 ;; *) "$@"; exit 99; esac""")
        self.gpu_check("--only", "memcheck-group-norm,memcheck")
        self.assertEqual(self.code, 1)
        found = "2 records in {}.xml, first Invalid __global__ read of size 4 bytes"
        self.assertEqual(self.line("memcheck-group-norm"), f"FAILED memcheck-group-norm: exit 1: {found.format('memcheck-group-norm')}; "
                         "group_norm/fused: wrong; 1 row, 20 cases, 1 row WRONG")
        self.assertRegex(self.line("memcheck"), f"^FAILED memcheck: exit 99: {found.format('memcheck')}; .*all right$")

    def test_crash_under_the_sanitizer(self):
        """A crash under the sanitizer is not taken for a refusal of the sanitizer, because the
        sanitizer can watch a single launch."""
        self.configs(tiny)
        self.tool("compute-sanitizer", SANITIZER + """case "$*" in *launch*) exec "$@"; esac
            echo "========= Error: process didn't terminate successfully" >"$log"; exit 255""")
        self.gpu_check("--only", "memcheck")
        self.assertEqual(self.code, 1)
        self.assertEqual(self.line("memcheck"), "FAILED memcheck: exit 255: Error: process didn't terminate successfully")

    def test_nsight_compute(self):
        self.configs(tiny)
        header = ('"ID","Process ID","Process Name","Host Name","Kernel Name","Context","Stream","Block Size","Grid Size","Device","CC",'
                  '"Section Name","Metric Name","Metric Unit","Metric Value"')
        lines = [f'"{launch}","7","normbench","h","run","1","7","(256, 1, 1)","(9, 1, 1)","0","9.0","Command line profiler metrics",{metric}'
                 for launch in (0, 1) for metric in ('"dram__bytes_read.sum","byte","199,065,600"', '"dram__bytes_write.sum","byte","796,262,400"',
                                                     '"gpu__time_duration.sum","nsecond","310,000"')]
        log = "\n".join(["==PROF== Connected to process 7", header, *lines])
        self.tool("ncu", f"""while [ "${{1#-}}" != "$1" ]; do
                case "$1" in --csv | --nvtx) shift ;; --log-file) log=$2; shift 2 ;; --nvtx-include) include=$2; shift 2 ;; *) shift 2 ;; esac
            done
            case $include in
                normbench@normalize/) "$@" && cat >"$log" <<'CSV'
{log}
CSV
 ;;
                *) "$@" && echo "==ERROR== ERR_NVGPUCTRPERM - The user does not have permission" >"$log"; exit 1 ;;
            esac""")
        self.gpu_check("--only", "ncu-normalize,ncu-stream")
        self.assertEqual(self.code, 0, self.text)
        self.assertEqual(self.line("ncu-normalize"), "passed ncu-normalize: 2 launches, each 199.1 MB read, 796.3 MB written, 310.0 us")
        self.assertEqual(self.line("ncu-stream"), "skipped ncu-stream: Nsight Compute counts nothing here: "
                         "ERROR== ERR_NVGPUCTRPERM - The user does not have permission")
        self.assertEqual([group["experiment"] for group in self.document("ncu-normalize")["groups"]], ["normalize"])

    def test_old_driver(self):
        self.configs(tiny)
        self.gpu_check(NORMBENCH_FAKE_DRIVER="11040")
        self.assertEqual(self.code, 1)
        self.assertRegex(self.line("machine"), r"^FAILED machine: the NVIDIA driver is too old, it supports CUDA 11.4: "
                         r"install driver \d+ or newer \(this build is for CUDA \d+\.\d\)$")
        self.assertRegex(self.line("info"), "^passed info")
        self.assertRegex(self.line("gpu-check"), "^skipped selftest-quick, one-group, .*, gpu-check, blog-gpu, .*: there is no GPU to use$"
                         .replace("gpu-check, blog-gpu", "gpu-check, gpu-check-profile, blog-gpu"))

    def test_slow_nvidia_smi(self):
        self.configs(tiny)
        self.tool("nvidia-smi", "exec sleep 60")
        self.gpu_check("--only", "nvidia-smi,one-group")
        self.assertEqual(self.code, 0, self.text)
        self.assertRegex(self.line("nvidia-smi"), "^skipped nvidia-smi: no answer in ")
        self.assertEqual(self.line("one-group"), "passed one-group: 1 group, 2 of 2 outputs correct")

    def test_names_of_gpus(self):
        self.configs(tiny)
        log = self.dir / "log"
        for name, slug in (("Tesla T4", "tesla-t4"), ("NVIDIA H100 80GB HBM3", "h100-80gb-hbm3"),
                           ("NVIDIA GeForce RTX 4090", "geforce-rtx-4090"), ("Quadro P1000", "quadro-p1000")):
            info = json.dumps({"environment": {"cpu": {"name": "no"}, "places": {"cuda": "available"}, "gpu": {"driver": None, "name": name}}})
            self.tool("normbench", f"""case $1 in
                info) echo '{info}' ;;
                selftest) {prints(selftest_document(rows=[row("launch", "empty")]))} ;;
                run) echo "$@" >{log} ;;
                *) echo normbench ;;
                esac""", self.package / "bin")
            self.gpu_check("--only", "launch")
            self.assertIn(f" --machine {slug} ", log.read_text())
            self.assertRegex(log.read_text(), rf" --out \S+-{slug}-\d{{8}} ")

    def test_torch(self):
        self.configs(tiny)
        self.tool("python", f"""case "$1" in
            */torch_peer.py) exec {sys.executable} {SOURCE_DIR}/tests/tiny_peer.py right ;;
            *) echo '{{"torch": "2.9.0+cu130"}}'; esac""", self.dir / "venv/bin")
        self.gpu_check("--only", "gpu-check,peers-gpu")
        self.assertEqual(self.code, 0, self.text)
        self.assertEqual(self.line("peers-gpu"), "passed peers-gpu: 1 group, 2 of 2 outputs correct")

    # --- The archive.

    def test_cut_short(self):
        self.configs(lambda config: many_groups(tiny(config)) if config["name"] == "blog-gpu" else tiny(config))
        self.gpu_check("--only", "gpu-check,blog-gpu", seconds=20)
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
        self.assertIsNone(resumed.poll())  # it is continuing the run

    def test_size_of_the_archive(self):
        """If the archive is too large, traces are left out first, then pages. Of each kind,
        larger files are left out first. Documents are always kept."""
        self.configs(tiny)
        bulk = "base64 -w 99 /dev/urandom | head -c {} >\"$2/{}\";".format
        self.normbench(f"""case "$*" in *launch.json*)
            (while [ "$1" != --out ]; do shift; done
             mkdir "$2"; {bulk(1_400_000, 'trace.json.gz')} {bulk(600_000, 'report.html')} {bulk(200_000, 'journal.jsonl')})
            exit 0; esac""")
        self.gpu_check("--only", "one-group,launch", "--max-size", "1")
        self.assertEqual(self.code, 0, self.text)
        self.assertLess(self.archive.stat().st_size, 2**20)
        (launch,) = self.seen.glob("launch-*")
        self.assertEqual(sorted(path.name for path in launch.iterdir()), ["journal.jsonl", "report.html"])
        self.assertEqual(len(self.document("one-group")["groups"]), 1)
        told = f"left out of the archive: {launch.name}/trace.json.gz (1.0 MiB)\n"
        self.assertIn(told, self.summary)
        self.assertIn(told, self.text)
        self.assertEqual(self.summary.count("left out"), 1)

    def test_nowhere_to_write(self):
        """If the archive cannot be written, its files are kept where there is room."""
        self.configs(tiny)
        folder = self.dir / "full"
        folder.mkdir()
        self.archive = folder / "seen.tar.gz"
        self.normbench(f'case "$*" in run*) rm -rf {folder}; esac')
        process = self.start("--only", "one-group")
        text, errors = process.communicate()
        self.assertEqual(process.returncode, 1)
        kept = re.fullmatch(rf"gpu-check: cannot write {self.archive}: .*; all of it is in (\S+)\n", errors)
        self.assertIn("passed     one-group ", (Path(kept[1]) / "summary.txt").read_text())

    def test_interrupt(self):
        self.configs(tiny)
        self.gpu_check(interrupt_after="info")
        self.assertEqual(self.code, 130)
        self.assertRegex(self.line("gpu-check"), "gpu-check, gpu-check-profile, blog-gpu, .*: interrupted$")

    def test_interrupt_of_the_sanitizer(self):
        """An interrupt while the sanitizer runs is not taken for a refusal of the sanitizer."""
        self.configs(tiny)
        self.tool("compute-sanitizer", "kill -INT $PPID; exec sleep 60")
        self.gpu_check("--only", "memcheck,racecheck")
        self.assertEqual(self.code, 130)
        self.assertEqual(self.line("memcheck"), "cut short memcheck: nothing was finished")
        self.assertEqual(self.line("racecheck"), "skipped racecheck: interrupted")

    def test_usage(self):
        self.configs(tiny)
        done = subprocess.run([self.script, "--out", self.archive, "--device", "9"], capture_output=True,
                              text=True, env={**os.environ, "NORMBENCH_FAKE_COSTS": str(MUCH_FASTER)})
        self.assertEqual((done.returncode, done.stdout), (2, ""))
        self.assertRegex(done.stderr, r"^gpu-check: no CUDA device 9 \(this machine has 1: 0; .*\) \(usage: .*\)\n$")
        self.assertFalse(self.archive.exists())
        for name in ("--out", "--only", "--skip"):  # an empty value, like that of an unset shell variable
            done = subprocess.run([self.script, "--plan", name, ""], capture_output=True, text=True)
            self.assertEqual((done.returncode, done.stdout), (2, ""), name)
            self.assertIn(f"{name} needs a value", done.stderr)
        for twice, words in ((["--run", "1", "--run", "2"], "--run is given more than once"),
                             (["--seconds", "10", "--plan", "20"], "--plan and --seconds both say a time")):
            done = subprocess.run([self.script, "--plan", *twice], capture_output=True, text=True)
            self.assertEqual((done.returncode, done.stdout), (2, ""), twice)
            self.assertIn(words, done.stderr)
        done = subprocess.run([self.script, "--out", "/proc/a.tar.gz"], capture_output=True, text=True)
        self.assertEqual((done.returncode, done.stdout), (2, ""))
        self.assertIn("gpu-check: --out /proc/a.tar.gz: ", done.stderr)
        done = subprocess.run([SOURCE_DIR / "scripts/gpu-check", "--out", "--device", "x", "--seconds", "0.5", "--run", "4", "--max-size",
                               "0", "--only", "info,launches", "none.tar.gz"], capture_output=True, text=True)
        self.assertEqual((done.returncode, done.stdout), (2, ""))
        names = re.findall(r"(?m)^    Step\(\"([\w-]+)", (SOURCE_DIR / "scripts/gpu-check").read_text())
        self.assertEqual(len(names), 22)
        self.assertEqual(done.stderr, "gpu-check: --out needs a value; --run 4: not 1, 2 or 3; --device x: not a number; --seconds 0.5: "
                         "not a whole number above 0; --max-size 0: not a whole number of MiB above 0; no package none.tar.gz; "
                         f"--only launches: no such step (known: {', '.join(names)}) "
                         "(usage: gpu-check [PACKAGE] --out FILE.tar.gz [OPTION...], see gpu-check --help)\n")


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1] + sys.argv[3:])
