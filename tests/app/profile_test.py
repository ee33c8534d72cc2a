"""Tests the profile pass of the real binary: its schedule, attached tools, and the source of device times.

usage: profile_test.py NORMBENCH SOURCE_DIR TESTS_DIR [unittest arguments]

TESTS_DIR has normbench_on_fake_cuda (the whole program on a CUDA runtime without a GPU),
fake_cupti/libcupti.so.13, libnvtx_injection.so and trace_check. A test is skipped if it needs one
of these files and the build does not have it.
"""

import json
import os
import shutil
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

NORMBENCH, SOURCE_DIR, TESTS_DIR = (Path(p).resolve() for p in sys.argv[1:4])
ON_FAKE_CUDA = TESTS_DIR / "normbench_on_fake_cuda"
FAKE_CUPTI = TESTS_DIR / "fake_cupti"
INJECTION = TESTS_DIR / "libnvtx_injection.so"
TRACE_CHECK = TESTS_DIR / "trace_check"

TOOL_VARIABLES = ("NSYS_", "NSYSDK_", "NV_NSIGHT_", "NV_COMPUTE_", "NV_SANITIZER_", "NVTX_", "CUDA_INJECTION")
EVENTS = "device times come from CUDA events"

NORMALIZE = {"op": "normalize", "mean": [1, 2, 3], "std": [4, 5, 6]}
MEASURE = {"max_seconds_per_group": 0.05, "precision": 0.2, "cache": "hot"}
ON_CPU = {
    "schema": 1,
    "name": "small",
    "measure": MEASURE,
    "profile": {"wait": 1, "warmup": 1, "active": 2},
    "experiments": [
        {
            "name": "e",
            "source": {"batch": 1, "size": [32, 32]},
            "variants": {"eager": [{"op": "cast", "to": "float32"}, {"op": "sub", "mean": [1, 2, 3]}],
                         "fused": [NORMALIZE]},
        }
    ],
}
ON_GPU = {
    **ON_CPU,
    "experiments": [
        {
            "name": "e",
            "source": {"batch": 1, "size": [4, 8], "memory": "pinned"},
            "variants": {
                "gpu": ["h2d", NORMALIZE],
                "graph": {"stages": ["h2d", NORMALIZE], "graph": True},
                "cpu": [NORMALIZE, "h2d"],
            },
        },
        {"name": "host", "source": {"batch": 1, "size": [4, 8]}, "variants": {"host": [NORMALIZE]}},
    ],
}


def environment(**variables):
    """Returns this process's environment without the variables of tools, and with `variables`."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith(TOOL_VARIABLES)}
    return {**kept, **{name: str(value) for name, value in variables.items()}}


class ProfileTest(unittest.TestCase):
    maxDiff = None
    binary = NORMBENCH

    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.dir = Path(self.folder.name)

    def run_config(self, config, *args, code=0, **variables):
        """Runs a config. Returns the finished process and the document. Sets `out` to the folder of the run."""
        path = self.dir / "config.json"
        path.write_text(json.dumps(config))
        self.out = self.dir / f"out{len(list(self.dir.iterdir()))}"
        done = subprocess.run(
            [self.binary, "run", "--config", path, "--out", self.out, *map(str, args)],
            capture_output=True, text=True, env=environment(**variables))
        self.assertEqual(done.returncode, code, done.stderr)
        document = self.out / "results.json"
        return done, json.loads(document.read_text()) if document.exists() else None

    def trace(self):
        return json.loads((self.out / "trace.json").read_text())

    def assert_trace_is_valid(self):
        if TRACE_CHECK.exists():
            done = subprocess.run([TRACE_CHECK, self.out / "trace.json"], capture_output=True, text=True)
            self.assertEqual((done.returncode, done.stdout), (0, ""))


class OnCpu(ProfileTest):
    # --- the schedule

    def steps_of(self, profile):
        config = {**ON_CPU, "profile": profile}
        config["experiments"] = [{**ON_CPU["experiments"][0], "variants": {"fused": [NORMALIZE]}}]
        _, document = self.run_config(config)
        [found] = document["groups"][0]["profile"]
        names = [event["name"] for event in self.trace()["traceEvents"]
                 if event.get("cat") == "user_annotation"]
        self.assertEqual(len(names), found["steps"])
        return names, found.get("discarded", 0)

    def test_steps_are_those_of_the_schedule(self):
        names, discarded = self.steps_of(
            {"skip_first": 1, "wait": 1, "warmup": 2, "active": 2, "repeat": 2})
        self.assertEqual(names, [f"ProfilerStep#{n}" for n in (4, 5, 9, 10)])
        self.assertEqual(discarded, 4)

    def test_repeating_for_ever_is_once(self):
        names, discarded = self.steps_of({"wait": 0, "warmup": 1, "active": 2, "repeat": 0})
        self.assertEqual(names, ["ProfilerStep#1", "ProfilerStep#2"])
        self.assertEqual(discarded, 1)

    def test_the_first_wait_can_be_left_out(self):
        names, _ = self.steps_of({"wait": 3, "warmup": 0, "active": 1, "skip_first_wait": 1})
        self.assertEqual(names, ["ProfilerStep#0"])

    # --- what is recorded of stages

    def test_faults_are_those_of_the_stages(self):
        config = {**ON_CPU, "experiments": [{
            "name": "e", "source": {"batch": 3, "size": [1024, 1024]},
            "variants": {"eager": [{"op": "cast", "to": "float32", "output": "fresh"},
                                   {"op": "sub", "mean": [1, 2, 3], "output": "in_place"}]}}]}
        _, document = self.run_config(config)
        [profile] = document["groups"][0]["profile"]
        faults = {row["name"]: row.get("faults", 0) for row in profile["rows"]}
        counted = profile["counters"]["software"]
        self.assertGreater(faults["cast"], 2)  # 38 MB in each of 2 steps, in pages or huge pages
        self.assertLess(faults["sub"], faults["cast"])
        self.assertLessEqual(sum(faults.values()), counted["minor_faults"] + counted["major_faults"])

    def test_shapes_group_where_asked_for(self):
        config = {**ON_CPU, "profile": {**ON_CPU["profile"], "group_by_input_shape": True}}
        _, document = self.run_config(config)
        rows = document["groups"][0]["profile"][0]["rows"]
        self.assertEqual({row["name"]: row["shapes"] for row in rows if row["name"] in ("cast", "sub")},
                         {"cast": "[[1, 3, 32, 32]]", "sub": "[[1, 3, 32, 32]]"})

    # --- attached tools

    def assert_only_profiled(self, done, document, tool):
        self.assertEqual(done.stderr.count(f"measuring nothing: {tool} is attached (--measure"), 1)
        self.assertIn(f"Measured nothing: {tool} is attached (--measure measures all the same).",
                      " ".join(done.stdout.split()))
        self.assertTrue(document["traced"])
        self.assertEqual(document["environment"]["attached_tool"], tool)
        for group in document["groups"]:
            self.assertEqual(len(group["profile"]), len(group["cases"]))
            for case in group["cases"]:
                self.assertEqual((case["status"], case["check"]["ok"]), ("ok", True))
                self.assertEqual(case["rounds"]["wall_ns"], [])
            for profile in group["profile"]:
                self.assertEqual((profile["steps"], profile["overhead"]), (2, 0))

    def test_under_a_tool_only_the_profile_pass_runs(self):
        injected = "/opt/nvidia/nsight-systems/2025.3/target-linux-x64/libToolsInjection64.so"
        for tool, variables in (
            ("Nsight Systems", {"NSYS_PROFILING_SESSION_ID": 1}),
            ("Nsight Systems", {"CUDA_INJECTION64_PATH": injected, "NVTX_INJECTION64_PATH": injected}),
            ("Nsight Compute", {"NV_NSIGHT_INJECTION_PORT_BASE": 49152}),
            ("compute-sanitizer", {"NV_SANITIZER_INJECTION_PORT_BASE": 49152}),
            ("the CUDA tool libother.so", {"CUDA_INJECTION64_PATH": "/opt/libother.so"}),
        ):
            with self.subTest(tool=tool, variables=list(variables)):
                done, document = self.run_config(ON_CPU, **variables)
                self.assert_only_profiled(done, document, tool)
                self.assert_trace_is_valid()

    @unittest.skipUnless(INJECTION.exists(), "built without NVTX headers")
    def test_an_nvtx_tool_is_a_tool_too(self):
        done, document = self.run_config(ON_CPU, NVTX_INJECTION64_PATH=INJECTION,
                                         NVTX_INJECTION_LOG=self.dir / "log")
        self.assert_only_profiled(done, document, "the NVTX tool libnvtx_injection.so")

    @unittest.skipUnless(INJECTION.exists(), "built without NVTX headers")
    def test_a_tool_that_does_not_end_its_recording_costs_nothing(self):
        config = {**ON_CPU, "measure": {**MEASURE, "turn_timeout_seconds": 1}}
        hanging = {"NVTX_INJECTION64_PATH": INJECTION, "NVTX_INJECTION_HANGS": 1}
        done, document = self.run_config(config, **hanging)
        self.assert_only_profiled(done, document, "the NVTX tool libnvtx_injection.so")
        self.assert_trace_is_valid()
        self.assertIn(f"Wrote {self.out}: results.json, table.txt, report.html, trace.json",
                      " ".join(done.stdout.split()))
        left = ("normbench: the NVTX tool libnvtx_injection.so did not end its recording within 1 s: "
                "ending without it, the run is finished")
        self.assertEqual(done.stderr.splitlines()[-1], left)
        other = self.dir / "other.json"
        other.write_text(json.dumps({**config, "name": "other"}))
        done, _ = self.run_config(config, "--config", other, code=1, **hanging)
        self.assertEqual(done.stderr.splitlines()[-2:], [left, f"normbench: not run: {other}"])
        self.assertEqual([path.name for path in self.out.iterdir()], ["small"])

    def test_a_tool_that_is_not_there_is_none(self):
        done, document = self.run_config(ON_CPU, NVTX_INJECTION64_PATH=self.dir / "missing.so",
                                         CUDA_INJECTION64_PATH="")
        self.assertFalse(document["traced"])
        self.assertNotIn("attached", done.stderr)
        self.assertTrue(document["groups"][0]["cases"][0]["rounds"]["wall_ns"])

    def test_under_a_tool_it_measures_when_told_to(self):
        done, document = self.run_config(ON_CPU, "--measure", NSYS_PROFILING_SESSION_ID=1)
        self.assertNotIn("measuring nothing", done.stderr)
        self.assertTrue(document["traced"])
        self.assertEqual(document["environment"]["attached_tool"],
                         "Nsight Systems, measured all the same")
        self.assertTrue(document["groups"][0]["cases"][0]["rounds"]["wall_ns"])
        self.assertIn("nothing is ranked", done.stdout)
        self.assertGreater(document["groups"][0]["profile"][0]["overhead"], 0)

    def test_swept_runs_say_it_too(self):
        experiment = {**ON_CPU["experiments"][0], "sweep": {"batch": [1, 2]},
                      "source": {"batch": "$batch", "size": [32, 32]}}
        done, _ = self.run_config({**ON_CPU, "experiments": [experiment]}, NSYS_PROFILING_SESSION_ID=1)
        self.assertIn("Measured nothing, a profiling tool was attached at all 2 points.", done.stdout)

    def test_a_run_is_not_gone_on_with_without_its_tool(self):
        self.run_config(ON_CPU, NSYS_PROFILING_SESSION_ID=1)
        done = subprocess.run([self.binary, "run", "--resume", self.out], capture_output=True,
                              text=True, env=environment())
        self.assertEqual(done.returncode, 3, done.stderr)
        self.assertIn("the profiling tool attached: was Nsight Systems, is none", done.stderr)

    # --- what a tool captures

    def test_what_can_capture(self):
        done, _ = self.run_config(ON_CPU, "--capture", "what", code=2)
        self.assertIn("cuda-profiler", done.stderr)
        done, document = self.run_config(ON_CPU, "--capture", "cuda-profiler")
        if document["environment"]["gpu"] is None:
            self.assertIn("--capture cuda-profiler starts no profiler: ", done.stderr)
        else:
            self.assertNotIn("no profiler", done.stderr)
        done, _ = self.run_config(ON_CPU, "--capture", "nvtx")
        self.assertNotIn("profiler", done.stderr)


@unittest.skipUnless(ON_FAKE_CUDA.exists(), "built without CUDA")
class OnFakeCuda(ProfileTest):
    binary = ON_FAKE_CUDA

    def run_with_cupti(self, library, *args, config=ON_GPU, **variables):
        """Runs with the CUPTI in the folder `library`. No other CUPTI is found."""
        return self.run_config(config, *args, LD_LIBRARY_PATH=library, CUDA_HOME=self.dir / "no-toolkit",
                               PATH="/nowhere/bin", VIRTUAL_ENV="", CONDA_PREFIX="", **variables)

    def profiles(self, document):
        return {profile["variant"]: profile
                for group in document["groups"] for profile in group["profile"]}

    def assert_device_times(self, document, source):
        found = {variant: profile.get("device_times", "")
                 for variant, profile in self.profiles(document).items()}
        self.assertEqual(found, {"gpu": source, "graph": source, "cpu": source, "host": ""})

    def assert_events_because(self, done, document, why):
        self.assert_device_times(document, "CUDA events")
        lines = [line for line in done.stderr.splitlines() if EVENTS in line]
        self.assertEqual(len(lines), 1, done.stderr)
        self.assertRegex(lines[0], f"^normbench: {why}.*: {EVENTS}$")
        about = self.trace()["normbench"]
        self.assertEqual(about["device_times"], ["CUDA events"])
        self.assertEqual("normbench: " + about["no_cupti"], lines[0])
        for variant in ("gpu", "graph", "cpu"):
            profile = self.profiles(document)[variant]
            self.assertGreater(profile["clock_error_ns"], 0)
            self.assertGreater(sum(row.get("device_ns", 0) for row in profile["rows"]), 0)
        self.assert_trace_is_valid()

    def test_the_whole_program_runs_without_a_gpu(self):
        done, document = self.run_config(ON_GPU)
        statuses = {case["variant"]: case["status"]
                    for group in document["groups"] for case in group["cases"]}
        self.assertEqual(set(statuses.values()), {"ok"}, done.stderr)
        self.assertEqual(document["environment"]["gpu"]["name"], "Fake GPU")

    # --- the source of device times

    @unittest.skipUnless(FAKE_CUPTI.exists(), "built without CUPTI")
    def test_from_cupti_where_it_works(self):
        done, document = self.run_with_cupti(FAKE_CUPTI)
        self.assert_device_times(document, "CUPTI")
        self.assertNotIn("CUPTI", done.stderr)
        self.assertNotIn(EVENTS, done.stderr)
        trace = self.trace()
        self.assertEqual(trace["normbench"]["device_times"], ["CUPTI"])
        self.assertNotIn("no_cupti", trace["normbench"])
        kernels = [event for event in trace["traceEvents"] if event.get("cat") == "kernel"]
        # The fake CUPTI records one kernel for each push and pop of an external correlation id. In
        # each of 2 steps, there is such a pair for 2 stages of "gpu", one graph, and one stage of
        # "cpu".
        self.assertEqual(len(kernels), 2 * (2 + 1 + 1))
        for variant, profile in self.profiles(document).items():
            losses = profile.get("losses", {})
            self.assertEqual(losses.get("launches", 0), losses.get("launched", 0), variant)
        self.assert_trace_is_valid()

    @unittest.skipUnless(FAKE_CUPTI.exists(), "built without CUPTI")
    def test_from_events_where_cupti_does_not(self):
        for mode, why in (
            ("unusable", r"CUPTI cannot record \(cuptiSubscribe"),
            ("taken", "CUPTI is in use by Nsight Systems"),
            ("taken_unnamed", "CUPTI is in use by another tool"),
            ("old", "CUPTI is too old"),
            ("forbidden", "CUPTI cannot record .*INSUFFICIENT_PRIVILEGES"),
        ):
            with self.subTest(mode=mode):
                done, document = self.run_with_cupti(FAKE_CUPTI, FAKE_CUPTI_MODE=mode)
                self.assert_events_because(done, document, why)
                for group in document["groups"]:
                    for case in group["cases"]:
                        self.assertEqual(case["notes"], [])

    @unittest.skipUnless(FAKE_CUPTI.exists(), "built without CUPTI")
    def test_from_events_where_cupti_fails_in_the_middle(self):
        done, document = self.run_with_cupti(FAKE_CUPTI, FAKE_CUPTI_MODE="no_flush")
        self.assert_events_because(done, document, "CUPTI did not deliver its records")
        notes = {case["variant"]: case["notes"]
                 for group in document["groups"] for case in group["cases"]}
        self.assertRegex(notes.pop("gpu")[0], "profiled again with CUDA events.*CUPTI did not deliver its records")
        self.assertEqual(list(notes.values()), [[], [], []])

    def test_from_events_where_there_is_no_cupti(self):
        empty = self.dir / "empty"
        empty.mkdir()
        for name in ("libcupti.so.13", "libcupti.so.12", "libcupti.so"):
            (empty / name).write_text("no library")  # hides a real CUPTI
        done, document = self.run_with_cupti(empty)
        self.assert_events_because(done, document, "(CUPTI not found|built without CUPTI)")

    @unittest.skipUnless(FAKE_CUPTI.exists(), "built without CUPTI")
    def test_from_events_where_a_tool_has_cupti(self):
        for tool, variable in (("Nsight Systems", "NSYS_PROFILING_SESSION_ID"),
                               ("Nsight Compute", "NV_NSIGHT_INJECTION_PORT_BASE")):
            with self.subTest(tool=tool):
                done, document = self.run_with_cupti(FAKE_CUPTI, **{variable: 1})
                self.assert_events_because(done, document, f"{tool} is attached and has CUPTI")
                self.assertTrue(document["traced"])

    @unittest.skipUnless(FAKE_CUPTI.exists() and INJECTION.exists(), "built without CUPTI or NVTX")
    def test_an_nvtx_tool_leaves_cupti_alone_and_is_told_of_the_device(self):
        log = self.dir / "log"
        _, document = self.run_with_cupti(FAKE_CUPTI, NVTX_INJECTION64_PATH=INJECTION,
                                          NVTX_INJECTION_LOG=log)
        self.assert_device_times(document, "CUPTI")
        calls = [json.loads(line) for line in log.read_text().splitlines()]
        self.assertEqual([call["name"] for call in calls if call["call"] == "name_device"],
                         ["normbench GPU 0"])
        self.assertEqual({call["name"] for call in calls if call["call"] == "name_stream"},
                         {"normbench compute"})

    def test_nothing_is_said_where_no_profile_needs_a_device(self):
        config = {**ON_GPU, "experiments": ON_GPU["experiments"][1:]}
        done, document = self.run_with_cupti(FAKE_CUPTI, config=config, FAKE_CUPTI_MODE="taken")
        self.assertNotIn("CUPTI", done.stderr)
        self.assertEqual(document["groups"][0]["profile"][0].get("device_times", ""), "")

    # --- what readers of the trace need

    def test_the_trace_has_the_devices_properties(self):
        self.run_config(ON_GPU)
        [properties] = self.trace()["deviceProperties"]
        self.assertEqual(
            {name: properties[name] for name in ("id", "name", "totalGlobalMem", "computeMajor",
                                                 "computeMinor", "warpSize", "numSms",
                                                 "maxThreadsPerBlock", "sharedMemPerBlockOptin")},
            {"id": 0, "name": "Fake GPU", "totalGlobalMem": 1 << 30, "computeMajor": 9,
             "computeMinor": 0, "warpSize": 32, "numSms": 132, "maxThreadsPerBlock": 1024,
             "sharedMemPerBlockOptin": 227 << 10})

    def test_a_profiler_can_be_started(self):
        done, document = self.run_config(ON_GPU, "--capture", "cuda-profiler")
        self.assertNotIn("no profiler", done.stderr)
        self.assertEqual(len(document["groups"][0]["profile"]), 3)


class NsysCapture(ProfileTest):
    """Tests scripts/nsys-capture with a fake nsys."""

    SCRIPT = SOURCE_DIR / "scripts" / "nsys-capture"

    USES = ("bash", "basename", "date", "dirname", "readlink", "realpath", "rm", "sed", "stat")

    def setUp(self):
        super().setUp()
        self.bin = self.dir / "bin"
        self.bin.mkdir()
        for name in self.USES:
            (self.bin / name).symlink_to(shutil.which(name))

    def capture(self, *args, nsys=None):
        """Runs nsys-capture. `nsys` is the script that nsys-capture finds as nsys. If it is None,
        nsys-capture finds no nsys, even if the machine has one."""
        if nsys is not None:
            (self.bin / "nsys").write_text(nsys)
            (self.bin / "nsys").chmod(0o755)
        return subprocess.run(
            [self.SCRIPT, *map(str, args)], capture_output=True, text=True, cwd=self.dir,
            env=environment(PATH=self.bin, NORMBENCH=NORMBENCH))

    def config(self):
        path = self.dir / "my config.json"
        path.write_text(json.dumps(ON_CPU))
        return path

    def test_the_command_is_the_documented_one(self):
        done = self.capture(self.config(), "--stats=true", nsys='#!/bin/sh\nprintf "%s\\n" "$@"\nexit 7\n')
        printed, *ran = done.stdout.splitlines()
        self.assertRegex(printed, r"^nsys profile -t cuda,nvtx,osrt -c nvtx -p capture@normbench "
                                  r"--capture-range-end=stop --sample=none --cpuctxsw=none "
                                  r"-o 'my config-\w+' --stats=true "
                                  rf"{NORMBENCH} run --config '.*/my config.json'$")
        self.assertEqual(done.returncode, 7, done.stderr)
        self.assertEqual(ran[:8], ["profile", "-t", "cuda,nvtx,osrt", "-c", "nvtx", "-p",
                                   "capture@normbench", "--capture-range-end=stop"])
        self.assertEqual(ran[-4:], [str(NORMBENCH), "run", "--config", str(self.config())])
        self.assertIn(printed.split(" -o ")[0] + " ",
                      (SOURCE_DIR / "docs" / "nsight.md").read_text().replace(" \\\n  ", " "))

    def test_the_report_can_be_named(self):
        done = self.capture(self.config(), "-o", "mine", nsys='#!/bin/sh\nprintf "%s\\n" "$@"\n')
        self.assertEqual(done.stdout.splitlines()[0].count(" -o "), 1)
        self.assertIn(" -o mine ", done.stdout)

    def test_cpus_are_sampled_where_asked_for(self):
        for options in (["--sample=process-tree"], ["-s", "cpu"], ["--cpuctxsw", "system-wide"]):
            done = self.capture(self.config(), *options, "-o", "mine", nsys="#!/bin/sh\n")
            self.assertIn(f"--capture-range-end=stop {' '.join(options)} -o mine ", done.stdout)
            self.assertNotIn("none", done.stdout)

    def install(self, importer):
        """Installs an nsys that leaves a file to import and exits with 7, in folders as Debian has
        them. `importer` is the script of the program that imports the file."""
        lib = self.dir / "lib"
        for name, text in {
            "bin/nsys": 'while [ "${1#-o}" = "$1" ]; do shift; done\n'
                        'report=${1#-o}; report=${report:-$2}; echo seen > "${report%.nsys-rep}.qdstrm"; exit 7',
            "host-linux-x64/QdstrmImporter": importer,
        }.items():
            (lib / name).parent.mkdir(parents=True)
            (lib / name).write_text(f"#!/bin/sh\n{text}\n")
            (lib / name).chmod(0o755)
        (self.bin / "nsys").symlink_to("../lib/bin/nsys")

    def test_what_nsys_did_not_import_is_imported(self):
        self.install('printf "%s\\n" "$@" > args; while [ $# -gt 1 ]; do last=$2; shift; done; echo > "$last"')
        for options, forced in {
            ("-o", "re port"): [], ("-ore port",): [], ("-o", "re port.nsys-rep"): [],
            ("-o", "re port", "-f", "true"): ["--force-overwrite"],
            ("--force-overwrite=true", "-o", "re port"): ["--force-overwrite"],
        }.items():
            with self.subTest(options=options):
                done = self.capture(self.config(), *options)
                self.assertEqual(done.returncode, 7, done.stderr)
                self.assertEqual((self.dir / "args").read_text().splitlines(),
                                 [*forced, "--input-file", "re port.qdstrm",
                                  "--output-file", "re port.nsys-rep"])
                self.assertEqual(done.stdout.splitlines()[-1], "Imported: re port.nsys-rep")
                self.assertEqual([path.name for path in self.dir.glob("re port*")], ["re port.nsys-rep"])
                (self.dir / "re port.nsys-rep").unlink()
        done = self.capture(self.config())
        self.assertRegex(done.stdout.splitlines()[-1], r"^Imported: my config-\w+\.nsys-rep$")

    def test_what_cannot_be_imported_is_left_and_told(self):
        self.install("echo broken >&2; exit 3")
        done = self.capture(self.config(), "-o", "mine")
        self.assertEqual(done.returncode, 7)
        self.assertIn("broken\nnsys-capture: mine.qdstrm could not be imported", done.stderr)
        self.assertEqual([path.name for path in self.dir.glob("mine*")], ["mine.qdstrm"])

    def test_what_it_starts_is_profiled(self):
        nsys = ('#!/bin/sh\nwhile [ "$1" != "$NORMBENCH" ]; do [ "$1" != -o ] || : > "$2.nsys-rep"; shift; done\n'
                'NSYS_PROFILING_SESSION_ID=1 exec "$@"\n')
        done = self.capture(self.config(), nsys=nsys)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("measuring nothing: Nsight Systems is attached", done.stderr)

    def test_without_nsys_the_command_is_shown_and_the_reason(self):
        done = self.capture(self.config())
        self.assertEqual(done.returncode, 2)
        self.assertTrue(done.stdout.startswith("nsys profile -t cuda,nvtx,osrt "))
        self.assertIn("nsys-capture: no nsys here", done.stderr)

    def test_wrong_usage_is_told(self):
        self.assertEqual(self.capture().returncode, 2)
        done = self.capture("missing.json")
        self.assertEqual((done.returncode, done.stdout), (2, ""))
        self.assertIn("no config missing.json", done.stderr)
        done = self.capture("-h")
        self.assertEqual(done.returncode, 0)
        self.assertIn("scripts/nsys-capture CONFIG [NSYS OPTION...]", done.stdout)
        self.assertNotIn("set -euo", done.stdout)


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0], *sys.argv[4:]], verbosity=2)
