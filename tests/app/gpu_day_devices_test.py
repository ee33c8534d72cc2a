"""Tests the whole program on the second of two GPUs, with the fake CUDA runtime, NVML and CUPTI.

usage: gpu_day_devices_test.py TESTS_DIR FAKE_NVML [unittest arguments]

TESTS_DIR has normbench_on_fake_cuda, fake_cupti/libcupti.so.13 and trace_check. A test is skipped
if it needs one of these files and the build does not have it.
"""

import json
import os
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

TESTS_DIR, FAKE_NVML = (Path(p).resolve() for p in sys.argv[1:3])
ON_FAKE_CUDA = TESTS_DIR / "normbench_on_fake_cuda"
FAKE_CUPTI = TESTS_DIR / "fake_cupti"
TRACE_CHECK = TESTS_DIR / "trace_check"
TOOL_VARIABLES = ("NSYS_", "NSYSDK_", "NV_NSIGHT_", "NV_COMPUTE_", "NV_SANITIZER_", "NVTX_", "CUDA_INJECTION")
NORMALIZE = {"op": "normalize", "mean": [1, 2, 3], "std": [4, 5, 6]}
CONFIG = {
    "schema": 1,
    "name": "second",
    "measure": {"max_seconds_per_group": 0.05, "precision": 0.2, "cache": "hot"},
    "profile": {"wait": 1, "warmup": 1, "active": 2},
    "experiments": [
        {
            "name": "e",
            "source": {"batch": 1, "size": [4, 8], "memory": "pinned"},
            "variants": {"fresh": ["h2d", {**NORMALIZE, "output": "fresh"}],
                         "graph": {"stages": ["h2d", NORMALIZE], "graph": True}},
        }
    ],
}
# Mounts a folder where the program looks for the NUMA node of a GPU.
IN_SYSFS = 'mount --bind {}/pci /sys/bus/pci/devices && exec "$@"'


def may_bind():
    return subprocess.run(["unshare", "-Urm", "true"], capture_output=True).returncode == 0


class SecondDevice(unittest.TestCase):
    maxDiff = None

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.dir = Path(folder.name)
        (self.dir / "libnvidia-ml.so.1").symlink_to(FAKE_NVML)

    def normbench(self, *args, code=0, before=()):
        env = {name: value for name, value in os.environ.items() if not name.startswith(TOOL_VARIABLES)}
        env.update(FAKE_CUDA_DEVICES="2", CUDA_HOME=str(self.dir),
                   LD_LIBRARY_PATH=f"{self.dir}:{FAKE_CUPTI}")
        done = subprocess.run([*before, ON_FAKE_CUDA, *map(str, args)], capture_output=True, text=True, env=env)
        self.assertEqual(done.returncode, code, done.stderr)
        return done

    def gpu(self, *args, **options):
        done = self.normbench("info", "--format", "json", "--no-limits", *args, **options)
        return json.loads(done.stdout)["environment"]["gpu"]

    def test_its_facts_come_from_runtime_and_nvml(self):
        facts = {}
        for device in (0, 1):
            gpu = self.gpu("--device", device)
            self.assertNotEqual(gpu["uuid"], facts.get("uuid"))
            facts = gpu
            self.assertEqual(
                {name: gpu[name] for name in ("device", "name", "pci_bus_id", "memory_bytes", "nvml",
                                              "power_limit_w")},
                {"device": device, "name": ["Fake GPU", "Fake GPU 1"][device],
                 "pci_bus_id": ["0000:17:00.0", "0000:1b:00.0"][device],
                 "memory_bytes": (device + 1) << 30, "nvml": "available",
                 "power_limit_w": [700, 350][device]})

    @unittest.skipUnless(may_bind(), "no namespaces of one's own here")
    def test_host_memory_lies_on_its_node(self):
        for bus_id, node in (("0000:17:00.0", 0), ("0000:1b:00.0", 1)):
            folder = self.dir / "pci" / bus_id
            folder.mkdir(parents=True)
            (folder / "numa_node").write_text(f"{node}\n")
        before = ("unshare", "-Urm", "sh", "-c", IN_SYSFS.format(self.dir), "sh")
        for device in (0, 1):
            self.assertEqual(self.gpu("--device", device, before=before)["numa_node"], device)

    def test_a_run_is_right_and_its_trace_names_it(self):
        path = self.dir / "config.json"
        path.write_text(json.dumps(CONFIG))
        out = self.dir / "out"
        self.normbench("run", "--config", path, "--out", out, "--device", 1)
        document = json.loads((out / "results.json").read_text())
        [group] = document["groups"]
        self.assertEqual([case["status"] for case in group["cases"]], ["ok", "ok"])
        self.assertEqual(document["environment"]["gpu"]["device"], 1)
        self.assertEqual(group["condition_before"]["sm_clock_mhz"], 1410)
        trace = json.loads((out / "trace.json").read_text())
        [properties] = trace["deviceProperties"]
        self.assertEqual((properties["id"], properties["name"]), (1, "Fake GPU 1"))
        kernels = [event for event in trace["traceEvents"] if event.get("cat") == "kernel"]
        self.assertEqual({(event["pid"], event["args"]["device"]) for event in kernels}, {(1, 1)})
        self.assertEqual(trace["normbench"]["device_times"], ["CUPTI" if FAKE_CUPTI.exists() else "CUDA events"])
        if TRACE_CHECK.exists():
            done = subprocess.run([TRACE_CHECK, out / "trace.json"], capture_output=True, text=True)
            self.assertEqual((done.returncode, done.stdout), (0, ""))

    def test_what_held_its_clocks_back_is_told_though_it_is_gone(self):
        path = self.dir / "config.json"
        path.write_text(json.dumps(CONFIG))
        out = self.dir / "out"
        before = ("env", "FAKE_NVML_HELD_BACK_NS=250000000")
        done = self.normbench("run", "--config", path, "--out", out, before=before)
        held = json.loads((out / "results.json").read_text())["groups"][0]["gpu_held_back"]
        self.assertEqual(list(held["seconds"]), ["sw_power_cap"])
        self.assertEqual(held["seconds"]["sw_power_cap"], min(0.25, held["of_seconds"]))
        self.assertRegex(done.stdout, r"held its clocks back \(sw_power_cap for \d\.\d of \d\.\d s")

    def test_what_leaves_it_alone_makes_no_context(self):
        contexts = self.dir / "contexts"
        before = ("env", f"FAKE_CUDA_CONTEXTS={contexts}")
        path = self.dir / "config.json"
        for name, stages, makes in (("cpu", [{"op": "cast", "to": "float32"}, {**NORMALIZE, "lane": "b"}], ""),
                                    ("gpu", ["h2d", NORMALIZE], "cudaSetDevice\n")):
            config = {**CONFIG, "name": name}
            config["experiments"] = [{"name": "e", "source": {"batch": 1, "size": [4, 8]},
                                      "variants": {"v": {"stages": stages, "in_flight": 2, "items": 3}}}]
            path.write_text(json.dumps(config))
            self.normbench("check", path, before=before)
            out = self.dir / name
            self.normbench("run", "--config", path, "--out", out, before=before)
            self.assertEqual(contexts.read_text() if contexts.exists() else "", 2 * makes)
            gpu = json.loads((out / "results.json").read_text())["environment"]["gpu"]
            self.assertEqual((gpu["name"], gpu["pcie"]["measured"]), ("Fake GPU", "under load" if makes else "idle"))
            self.assertIsNotNone(gpu["free_memory_bytes"])

    def test_a_device_that_is_not_there_is_a_mistake(self):
        done = self.normbench("info", "--device", 2, code=2)
        self.assertIn("no CUDA device 2 (this machine has 2: 0, 1; choose with --device)", done.stderr)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1] + sys.argv[3:], verbosity=1)
