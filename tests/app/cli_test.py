"""Tests the real binary: exit codes, files, messages, kills and resumes.

usage: cli_test.py NORMBENCH TRACE_CHECK SOURCE_DIR
"""

import csv
import io
import json
import os
import signal
import struct
import subprocess
import sys
import tempfile
import unittest
import zlib
from pathlib import Path

NORMBENCH, TRACE_CHECK, SOURCE_DIR = (Path(p).resolve() for p in sys.argv[1:4])

SMALL = {
    "schema": 1,
    "name": "small",
    "measure": {"max_seconds_per_group": 0.05, "precision": 0.2, "cache": "hot"},
    "profile": {"active": 2},
    "experiments": [
        {
            "name": "sizes",
            "sweep": {"batch": [1, 2, 3, 4]},
            "source": {"batch": "$batch", "size": [64, 64]},
            "variants": {
                "eager": [{"op": "cast", "to": "float32"}, {"op": "sub", "mean": [1, 2, 3]}],
                "fused": [{"op": "normalize", "mean": [1, 2, 3], "std": [1, 1, 1]}],
                "gpu": ["h2d", {"op": "normalize", "mean": [1, 2, 3], "std": [1, 1, 1]}, "d2h"],
            },
        }
    ],
}


def chunk(kind, data):
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))


# A PNG of one black pixel.
PIXEL = (b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", struct.pack(">IIBBBBB", 1, 1, 8, 2, 0, 0, 0)) +
         chunk(b"IDAT", zlib.compress(b"\0\0\0\0")) + chunk(b"IEND", b""))


def normbench(*args, **kwargs):
    return subprocess.run([NORMBENCH, *map(str, args)], capture_output=True, text=True, **kwargs)


class CliTest(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.dir = Path(self.folder.name)

    def config(self, content, name="config.json"):
        path = self.dir / name
        path.write_text(content if isinstance(content, str) else json.dumps(content))
        return path

    def assert_mistake(self, path, expected):
        out = self.dir / "out"
        done = normbench("run", "--config", path, "--out", out)
        self.assertEqual(done.returncode, 2, done.stderr)
        self.assertIn(expected, done.stderr)
        self.assertEqual(done.stdout, "")
        self.assertFalse(out.exists())

    # --- help

    def test_every_subcommand_has_help_with_an_example(self):
        top = normbench("--help")
        self.assertEqual(top.returncode, 0)
        for command in ("run", "check", "compare", "report", "prepare", "table", "info", "list", "selftest", "calibrate"):
            self.assertIn(command, top.stdout)
            done = normbench(command, "--help")
            self.assertEqual(done.returncode, 0)
            self.assertIn(f"Example:\n  normbench {command}", done.stdout)

    def test_usage_errors_exit_2(self):
        for args in ([], ["rnu"], ["run"], ["run", "--confg", "x"], ["report", "x", "--format", "y"]):
            self.assertEqual(normbench(*args).returncode, 2, args)

    def test_nothing_where_a_value_belongs_is_a_mistake(self):
        for args in (["run", "--config", "x", "--out", ""], ["run", "--config", ""], ["check", ""],
                     ["run", "--config", "x", "--images", ""]):
            done = normbench(*args)
            self.assertEqual((done.returncode, done.stdout), (2, ""), args)
            self.assertIn("empty (expected a value)", done.stderr)

    def test_usage_errors_say_what_was_meant_and_where_help_is(self):
        commands = ("try, init, run, check, compare, report, reproduce, prepare, table, info, list, selftest, calibrate, schema, "
                    "help, completion, man, peer")
        run, top = "; see normbench run --help", "; see normbench --help"
        for args, lines in (
            ([], [f"no subcommand (known: {commands}){top}"]),
            (["runn"], [f'unknown subcommand "runn" (did you mean "run"?){top}']),
            (["runn", "--config", "x"], [f'unknown subcommand "runn" (did you mean "run"?){top}']),
            (["zzzzzzzz"], [f'unknown subcommand "zzzzzzzz" (known: {commands}){top}']),
            (["--config", "x"], [f'"--config" follows a subcommand (normbench run --config …){top}']),
            (["--quick", "run"], [f'"--quick" follows a subcommand (normbench run --quick …){run}']),
            (["--versoin"], [f'unknown option "--versoin" (did you mean "--version"?){top}']),
            (["run", "--confg", "x"],
             [f'unknown option "--confg" (did you mean "--config"?){run}']),
            (["run", "-config", "x", "--fromat=json"],
             [f'unknown option "-config" (did you mean "--config"?){run}',
              f'unknown option "--fromat" (did you mean "--format"?){run}']),
            (["run", "--zzzzzzzz"], [f'unknown option "--zzzzzzzz"{run}']),
            (["run", "--config", "x", "--out="], [f"--out: no value is given{run}"]),
            (["run", "--config", "x", "--out", "a", "--out", "b"], [f"--out: given more than once{run}"]),
            (["run", "--config", "x", "--quick=3"], [f"--quick: takes no value{run}"]),
            (["run", "--format", "text", "--simd", "x", "--simd", "y", "--quick=3", "--out"],
             [f"--out: no value is given{run}", f"--quick: takes no value{run}", f"--simd: given more than once{run}"]),
            (["info", "--format", "xml", "x"],
             ['unexpected "x" (info takes options only); see normbench info --help', 'unknown format "xml" (known: text, json)']),
            (["prepare", "a", "--size", "2", "2", "--size", "3", "3"],
             [f"{mistake}; see normbench prepare --help"
              for mistake in ("DST is required", "--storage is required", "--size: given more than once")]),
            (["calibrate", "--minutes", "1", "--pairs", "2"], ["--minutes excludes --pairs; see normbench calibrate --help"]),
            (["report", "--formt=csv"],
             ['unknown option "--formt" (did you mean "--format"?); see normbench report --help']),
            (["compare", "a"], ["NEW is required; see normbench compare --help"]),
            (["compare", "a", "b", "c"],
             ['unexpected "c" (compare takes BASE NEW); see normbench compare --help']),
            (["info", "x"], ['unexpected "x" (info takes options only); see normbench info --help']),
        ):
            done = normbench(*args)
            self.assertEqual((done.returncode, done.stdout), (2, ""), args)
            self.assertEqual(done.stderr.splitlines(), [f"normbench: {line}" for line in lines])

    def test_version_names_the_revision(self):
        self.assertRegex(normbench("--version").stdout, r"^normbench \d+\.\d+\.\d+ \(")

    def test_help_of_a_command_is_its_help(self):
        self.assertEqual(normbench("help", "run").stdout, normbench("run", "--help").stdout)
        self.assertEqual(normbench("help").stdout, normbench("--help").stdout)
        self.assertEqual(normbench("-V").stdout, normbench("--version").stdout)
        done = normbench("help", "runn")
        self.assertEqual((done.returncode, done.stderr), (2, 'normbench: unknown subcommand "runn" (did you mean "run"?)\n'))

    def test_a_config_is_named_with_or_without_an_option_or_read_from_stdin(self):
        config = self.config({"schema": 1, "name": "c", "experiments": [{"name": "e", "variants": {"v": ["copy"]}}]})
        def stages(done):
            """Returns the plan without its line about memory, of which some more or less is free at any time."""
            return [line for line in done.stdout.splitlines() if " free in the " not in line]

        plan = normbench("check", config)
        self.assertEqual(plan.returncode, 0, plan.stderr)
        self.assertGreater(len(stages(plan)), 3)
        for args in (["check", "--config", config], ["check", "-"]):
            done = normbench(*args, input=config.read_text())
            self.assertEqual((done.returncode, stages(done)), (0, stages(plan)), done.stderr)
        done = normbench("check")
        self.assertEqual((done.returncode, done.stderr), (2, "normbench: check: give a config FILE\n"))
        done = normbench("run", "-", "--quick", "--no-profile", "--out", self.dir / "out", input=config.read_text())
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertTrue((self.dir / "out/results.json").exists())

    def test_own_configs_are_found_by_their_names(self):
        for name in ("quickstart", "quickstart.json"):
            done = normbench("check", name, cwd=self.dir)
            self.assertEqual((done.returncode, done.stderr), (0, ""))
            self.assertIn("form", done.stdout)
        done = normbench("run", "--config", "quickstart", "--only", "form", "--quick", "--no-profile", "--out", "out",
                         "--set", "source.batch=1", "--format", "json", cwd=self.dir)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(json.loads(done.stdout)["name"], "quickstart")
        own = {"schema": 1, "name": "mine", "experiments": [{"name": "e", "variants": {"v": ["copy"]}}]}
        self.config(own, "quickstart.json")
        done = normbench("check", "quickstart", cwd=self.dir)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn('"quickstart" is quickstart.json of this folder', done.stderr)
        self.assertIn("mine", done.stdout)
        done = normbench("check", "quickstart.json", cwd=self.dir)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertIn("mine", done.stdout)
        self.config(own, "quickstart")
        done = normbench("check", "quickstart", cwd=self.dir)
        self.assertIn('"quickstart" is quickstart of this folder', done.stderr)
        for name in ("quickstrat", "./cpu-vs-gpu", "schema"):
            done = normbench("check", name, cwd=self.dir)
            self.assertEqual(done.returncode, 2)
            self.assertTrue(done.stderr.startswith(f"{name}: "), done.stderr)

    # --- devices

    def info(self, *args):
        done = normbench("info", "--format", "json", "--no-limits", *args)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(done.stderr, "")
        return json.loads(done.stdout)

    def test_info_says_what_is_missing(self):
        info = self.info()
        environment, missing = info["environment"], info["missing"]
        text = normbench("info", "--no-limits").stdout
        if environment["places"]["cuda"] == "available":
            self.assertIsInstance(environment["gpu"]["name"], str)
            self.assertIn(environment["gpu"]["name"], text)
            self.assertNotIn("cuda", missing)
        else:
            self.assertIsNone(environment["gpu"])
            self.assertEqual(missing["cuda"]["why"], environment["places"]["cuda"])
            self.assertEqual(missing["nvml"]["why"], "not looked for without a GPU")
            self.assertRegex(text, r"(?m)^  none +see what is missing, below$")
        words = " ".join(text.split())  # the text is wrapped
        for part in missing.values():
            self.assertIn(f'{part["name"]} {part["why"]} -> {part["means"]}', words)

    def test_info_is_arranged_for_people(self):
        text = normbench("info", "--no-limits", "--machine", "lab-7").stdout
        titles = [line for line in text.splitlines() if line and not line.startswith(" ")]
        self.assertRegex(titles[0], r"^normbench \d+\.\d+\.\d+ \(")
        self.assertEqual(titles[1:4], ["Machine", "GPU", "What measuring costs"])
        self.assertRegex(text, r"(?m)^  host +lab-7$")
        self.assertRegex(text, r"(?m)^  cores +\d+ cores?, ")
        self.assertRegex(text, r"(?m)^  reading the clock +[\d.]+ ns, in steps of [\d,.]+ ns$")
        self.assertLessEqual(max(map(len, text.splitlines())), 100)

    def test_info_costs_are_nanoseconds(self):
        costs = self.info()["costs"]
        self.assertEqual(
            sorted(costs),
            ["clock_ns", "clock_step_ns", "nvtx_ns", "range_ns", "range_recorded_ns"])
        self.assertGreater(costs["clock_ns"], 0)
        self.assertGreater(costs["range_recorded_ns"], costs["range_ns"])

    def test_info_measures_limits(self):
        done = normbench("info", "--format", "json")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("measuring limits", done.stderr)
        info = json.loads(done.stdout)
        limits = {}
        for limit in info["limits"]:
            limits.setdefault((limit["kind"], limit["name"]), []).append(limit)
        threads = sorted({1, info["environment"]["available_threads"]})
        for mix in ("read 1 : write 1", "read 1 : write 2", "read 1 : write 4"):
            rows = limits[("memory", mix)]
            self.assertEqual([row["threads"] for row in rows], threads)
            for row in rows:
                self.assertAlmostEqual(
                    row["bytes_per_second"], row["bytes"] * 1e9 / row["ns"], delta=1)
        for row in limits[("page faults", "first touch of a page")]:
            self.assertGreater(row["ns_per_fault"], 0)
        self.assertIn(("threads", "start and join a team"), limits)
        link = limits[("link", "to the GPU, pinned")][0]
        self.assertEqual("missing" in link, info["environment"]["gpu"] is None)

    def test_an_interrupted_info_says_what_is_missing(self):
        for form in ("text", "json"):
            running = subprocess.Popen([NORMBENCH, "info", "--format", form], stdout=subprocess.PIPE,
                                       stderr=subprocess.PIPE, text=True)
            next(line for line in running.stderr if " rounds (" in line)
            running.send_signal(signal.SIGINT)
            out, _ = running.communicate()
            self.assertEqual(running.returncode, 130)
            if form == "text":
                self.assertIn("\n  interrupted: limits that are missing here were not reached\n", out)
            else:
                info = json.loads(out)
                kinds = {limit["kind"] for limit in info["limits"]}
                self.assertEqual((info["interrupted"], kinds & {"memory", "launch"}), (True, {"memory"}))

    def test_info_usage_errors(self):
        done = normbench("info", "--format", "xml")
        self.assertEqual(done.returncode, 2)
        self.assertIn('unknown format "xml" (known: text, json)', done.stderr)

    def test_devices_that_are_no_number_or_not_there(self):
        config = self.config(SMALL)
        for device in ("-1", "x", "0.5"):
            for args in (["run", "--config", config], ["check", config], ["info", "--no-limits"]):
                done = normbench(*args, "--device", device)
                self.assertEqual(done.returncode, 2, args)
                self.assertIn("--device", done.stderr)
        if self.info()["environment"]["gpu"]:
            done = normbench("info", "--no-limits", "--device", "1000")
            self.assertEqual(done.returncode, 2)
            self.assertIn("1000", done.stderr)

    def test_without_a_gpu_any_device_is_skipped_for_the_drivers_reason(self):
        if self.info()["environment"]["gpu"]:
            self.skipTest("a GPU is at hand")
        reason = self.info("--device", "3")["environment"]["places"]["cuda"]
        self.assertEqual(reason, self.info()["environment"]["places"]["cuda"])
        out, _ = self.run_small("--device", "3")
        case = json.loads((out / "results.json").read_text())["groups"][0]["cases"][2]
        self.assertEqual((case["status"], case["reason"]), ("skipped", reason))

    # --- bad input

    def test_ten_mistakes_are_all_reported(self):
        config = SOURCE_DIR / "tests/app/data/ten_mistakes.json"
        out = self.dir / "out"
        done = normbench("run", "--config", config, "--out", out)
        self.assertEqual(done.returncode, 2)
        self.assertFalse(out.exists())
        issues = [line for line in done.stderr.splitlines() if line.startswith(f"{config}:/")]
        pointers = {line[len(str(config)) + 1 :].split(":")[0] for line in issues}
        self.assertEqual(len(issues), 10, done.stderr)
        for pointer in (
            "/measure/precision",
            "/experiments/0/variants/unknown op/0",
            "/experiments/1/sorce",
            "/experiments/2/variants/twice",
            "/experiments/3/source/batch",
            "/experiments/4/variants/two means for three channels/0",
            "/experiments/5/variants/dtype typo/0/to",
            "/experiments/6/source/batch",
            "/experiments/7/variants/cannot reach/1",
            "/experiments/8/source",
        ):
            self.assertTrue(any(p.startswith(pointer) for p in pointers), f"{pointer}\n{done.stderr}")

    def test_files_that_are_no_config(self):
        self.assert_mistake(self.config('{\n  "schema": 1,\n  oops\n}'), "line 3, column")
        self.assert_mistake(self.dir / "absent.json", "absent.json: ")
        self.assert_mistake(self.dir, "directory")
        self.assert_mistake(self.config(""), "empty")
        self.assert_mistake(self.config(" " * 50_000_000), "16.0 MB")
        self.assert_mistake(self.config("[" * 100_000), "64")
        self.assert_mistake(self.config("\x00\xff\xfe"), "line 1")
        for document in sorted((SOURCE_DIR / "results").glob("*.json")):
            done = normbench("check", document)
            self.assertEqual((done.returncode, done.stdout), (2, ""))
            self.assertEqual(done.stderr, f"{document}: is a results document, no config (show it: normbench "
                             "report FILE)\n")

    def test_mistakes_of_all_configs_are_told_before_any_is_run(self):
        good = self.config(SMALL)
        bad = self.config({**SMALL, "name": "bad", "measure": {"seed": "x"}}, "bad.json")
        absent, out = self.dir / "absent.json", self.dir / "out"
        done = normbench("run", "--config", good, bad, absent, "--out", out, cwd=self.dir)
        self.assertEqual((done.returncode, done.stdout), (2, ""))
        self.assertEqual(done.stderr.splitlines(), [
            f'{bad}:/measure/seed: expected an integer, got "x"',
            f"{absent}: no such file (check the path)",
            "2 mistakes; nothing was run"])
        self.assertEqual({p.name for p in self.dir.iterdir()}, {"config.json", "bad.json"})
        done = normbench("check", bad, good, absent)
        self.assertEqual(done.returncode, 2)
        self.assertEqual(len(done.stderr.splitlines()), 3)
        self.assertTrue(done.stdout.startswith("small\n"), done.stdout)

    def test_configs_that_would_write_to_one_folder_are_a_mistake(self):
        first, second = self.config(SMALL), self.config(SMALL, "second.json")
        other = self.config({**SMALL, "name": "other"}, "other.json")
        out = self.dir / "out"
        done = normbench("run", "--config", first, second, "--out", out)
        self.assertEqual((done.returncode, done.stdout), (2, ""))
        self.assertEqual(
            done.stderr,
            f'{second}:/name: "small" is the name of {first} too, which writes to {out}/small '
            "(rename one, or run without --out)\n")
        self.assertFalse(out.exists())
        (out / "other").mkdir(parents=True)
        (out / "other/results.json").write_text("")
        done = normbench("run", "--config", first, other, "--out", out)
        self.assertEqual((done.returncode, done.stdout), (2, ""))
        self.assertIn(f"{other}: {out}/other already holds a run", done.stderr)
        self.assertEqual([p.name for p in out.iterdir()], ["other"])

    def test_set_and_only_are_checked(self):
        config = self.config(SMALL)
        self.assertEqual(normbench("check", config, "--set", "precision").returncode, 2)
        self.assertEqual(normbench("check", config, "--set", "precison=0.1").returncode, 2)
        self.assertEqual(normbench("check", config, "--only", "nothing").returncode, 2)
        self.assertEqual(normbench("check", config, "--only", "fused").returncode, 0)

    def test_check_warns_of_constants_for_another_range(self):
        unit, bytes_ = {"mean": [0.485, 0.456, 0.406], "std": [0.229, 0.224, 0.225]}, {"mean": [124], "std": [58]}
        for variant, warned in (
            ([{"op": "normalize", **unit}], True),
            ([{"op": "cast", "to": "float32"}, {"op": "sub", "mean": unit["mean"]}], True),
            ([{"op": "normalize", **unit, "scale": 1 / 255}], False),
            ([{"op": "cast", "to": "float32"}, {"op": "div", "std": [255]}, {"op": "sub", "mean": unit["mean"]}], False),
            ([{"op": "normalize", **bytes_}], False),
            ([{"op": "normalize", "mean": [0], "std": [255]}], False),
        ):
            config = {
                "schema": 1,
                "name": "scales",
                "experiments": [
                    {"name": "e", "source": {"batch": 2, "size": [8, 8]}, "variants": {"v": variant}}
                ],
            }
            path = self.config(config)
            done = normbench("check", path, "--quiet")
            self.assertEqual(done.returncode, 0, done.stderr)
            told = f"normbench: {path}: e/v: a mean of 0.485, 0.456, 0.406 is of values of 0 to 1, and these images have 0 to 255"
            self.assertEqual(told in done.stderr, warned, (variant, done.stderr))

    def test_check_runs_nothing(self):
        done = normbench("check", self.config(SMALL), cwd=self.dir)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual([p.name for p in self.dir.iterdir()], ["config.json"])

    # --- selftest

    def test_selftest_holds_every_kernel_to_its_reference(self):
        done = normbench("selftest", "--quick")
        self.assertEqual(done.returncode, 0, done.stdout)
        self.assertRegex(done.stdout, r"\ncpu: \d+ rows, [\d,]+ cases, all right\ncuda: ")
        self.assertEqual(done.stderr, "")

    def test_selftest_json_is_one_document(self):
        done = normbench("selftest", "--quick", "--place", "cpu", "--kernel", "c*", "--format", "json")
        self.assertEqual(done.returncode, 0, done.stdout)
        document = json.loads(done.stdout)
        self.assertEqual([place["place"] for place in document["places"]], ["cpu"])
        rows = document["places"][0]["rows"]
        self.assertEqual(
            [f'{row["op"]}/{row["kernel"]}' for row in rows],
            ["crop/blocked", "crop/temporal", "concat/blocked", "concat/temporal", "cast/simd", "cast/temporal", "copy/blocked", "copy/temporal",
             "copy/nt", "compute/chain"],
        )

    def test_a_selftest_that_tested_nothing_fails(self):
        if self.info()["environment"]["gpu"]:
            self.skipTest("a GPU is at hand")
        done = normbench("selftest", "--quick", "--place", "cuda")
        self.assertEqual(done.returncode, 1)
        self.assertIn("\ncuda: skipped: no GPU (", done.stdout)
        self.assertEqual(done.stderr, "normbench: nothing was tested\n")
        done = normbench("selftest", "--quick", "--kernel", "load")  # the self-test has no cases for "load"
        self.assertEqual(done.returncode, 1)
        self.assertIn("cpu: no row to test\n", done.stdout)

    def test_selftest_usage_errors(self):
        for args, expected in (
            (["--place", "gpu"], 'unknown place "gpu" (known: cpu, cuda)'),
            (["--kernel", "nothing"], "--kernel nothing: no row to test"),
            (["--format", "xml"], 'unknown format "xml" (known: text, json)'),
        ):
            done = normbench("selftest", *args)
            self.assertEqual(done.returncode, 2, args)
            self.assertIn(expected, done.stderr)

    # --- a run

    def run_small(self, *args, code=0):
        out = self.dir / "out"
        done = normbench("run", "--config", self.config(SMALL), "--out", out, *args)
        self.assertEqual(done.returncode, code, done.stderr)
        return out, done

    def test_a_run_writes_documents_that_render_again(self):
        out, done = self.run_small()
        names = sorted(p.name for p in out.iterdir())
        self.assertEqual(names, ["journal.jsonl", "report.html", "results.json", "table.txt", "trace.json"])
        document = out / "results.json"
        table = normbench("report", document, "--format", "table").stdout
        self.assertEqual(table, (out / "table.txt").read_text())
        terminal = normbench("report", document).stdout
        self.assertTrue(done.stdout.startswith(terminal), done.stdout)
        for same in (["report", out], ["report", self.dir], ["report", out, "--format", "text"],
                     ["report", document, "--format", "terminal"]):
            self.assertEqual(normbench(*same).stdout, terminal, same)
        again = normbench("report", document, "--format", "json").stdout
        self.assertEqual(again, document.read_text())
        refused = normbench("report", out, "--out", document)
        self.assertEqual((refused.returncode, document.read_text()), (2, again))
        self.assertIn("is one of the inputs", refused.stderr)
        checked = subprocess.run([TRACE_CHECK, out / "trace.json"], capture_output=True, text=True)
        self.assertEqual(checked.returncode, 0, checked.stdout)

    def test_the_profiler_tables_of_a_document(self):
        out, _ = self.run_small()
        document = out / "results.json"
        profiles = [
            (group["point"]["batch"], profile)
            for group in json.loads(document.read_text())["groups"]
            for profile in group["profile"]
        ]
        self.assertGreaterEqual(len(profiles), 8)
        text = normbench("report", document, "--table", "torch").stdout
        self.assertEqual(text.count("Self CPU time total: "), len(profiles))
        self.assertIn("sizes: Profile of fused, batch=3\n", text)
        self.assertIn("p95", normbench("report", document, "--table", "stats").stdout)
        markdown = normbench("report", document, "--table", "stats", "--format", "markdown").stdout
        self.assertEqual(markdown.count("### sizes: "), len(profiles))

        made = json.loads(normbench("report", document, "--table", "torch", "--format", "json").stdout)
        self.assertEqual([table["variant"] for table in made], [p["variant"] for _, p in profiles])
        for table, (_, profile) in zip(made, profiles):
            totals = sum(row["self_cpu_ns"] for row in profile["rows"])
            self.assertEqual(table["totals"]["self_cpu_ns"], totals)

        made = normbench("report", document, "--table", "torch", "--format", "csv").stdout
        rows = list(csv.DictReader(io.StringIO(made, newline="")))
        expected = [
            (f"batch={batch}", profile["variant"], row["name"], str(row["cpu_ns"]))
            for batch, profile in profiles
            for row in profile["rows"]
        ]
        found = [(r["point"], r["variant"], r["name"], r["cpu_ns"]) for r in rows]
        self.assertEqual(sorted(found), sorted(expected))

    def test_several_documents_are_one_in_json_and_csv(self):
        out, _ = self.run_small("--only", "fused")
        text = (out / "results.json").read_text()
        for name in ("a.json", "b.json"):
            (self.dir / name).write_text(text)
        names = [str(self.dir / name) for name in ("a.json", "b.json")]
        document = json.loads(text)
        for paths in (names, [self.dir]):  # the folder has the two documents and the folder of a run
            count = 2 if paths is names else 3
            made = json.loads(normbench("report", *paths, "--format", "json").stdout)
            self.assertEqual(made, [document] * count)
            made = normbench("report", *paths, "--table", "torch", "--format", "csv").stdout
            rows = list(csv.DictReader(io.StringIO(made, newline="")))
            self.assertEqual([row["document"] for row in rows].count(names[1]), len(rows) // count)
            self.assertNotIn("document", [row["document"] for row in rows])
            made = json.loads(normbench("report", *paths, "--table", "torch", "--format", "json").stdout)
            self.assertEqual(len({table["document"] for table in made}), count)

    def test_a_report_of_what_is_no_run(self):
        (self.dir / "begun").mkdir()
        (self.dir / "begun/journal.jsonl").write_text("")
        (self.dir / "empty").mkdir()
        config = self.config(SMALL)
        done = normbench("report", self.dir / "begun", self.dir / "empty", config, "absent")
        self.assertEqual((done.returncode, done.stdout), (2, ""))
        self.assertEqual(done.stderr.splitlines(), [
            f"{self.dir}/begun: an unfinished run (finish it: normbench run --resume "
            f"{self.dir}/begun)",
            f"{self.dir}/empty: no results.json in this folder, nor in those inside it (expected a "
            "results.json, a run's folder, or a folder of runs)",
            f"{config}: is not a results document; it seems to be a config of normbench (measure it: "
            "normbench run --config FILE)",
            "absent: no such file (check the path)"])

    def test_tables_of_what_was_not_profiled(self):
        out, _ = self.run_small("--no-profile", "--only", "fused")
        document = out / "results.json"
        note = f"normbench: {document}: nothing was profiled, so it has no table\n"
        for form, shown in (("csv", ""), ("json", "[]\n"), ("markdown", "")):
            done = normbench("report", out, "--table", "torch", "--format", form)
            self.assertEqual((done.returncode, done.stdout, done.stderr), (0, shown, note), form)
        done = normbench("report", out, "--table", "torch")
        self.assertEqual((done.stdout, done.stderr), ("Nothing was profiled.\n", ""))

    def test_the_profiler_table_of_a_run(self):
        _, done = self.run_small("--table", "stats")
        self.assertRegex(done.stdout, r"\n  name +count +min +p50 +p95 +max")
        self.assertNotIn("CPU total", done.stdout)

    def test_unknown_tables_and_captures(self):
        config = self.config(SMALL)
        for args, expected in (
            (["run", "--config", config, "--table", "x"], 'unknown table "x" (known: torch, stats)'),
            (
                ["run", "--config", config, "--capture", "x"],
                'unknown capture "x" (known: nvtx, cuda-profiler)',
            ),
            (["run", "--config", config, "--trace-max-events", "-1"], "--trace-max-events"),
            (["report", "x.json", "--table", "x"], 'unknown table "x" (known: answer, torch, stats)'),
            (
                ["report", "x.json", "--table", "torch", "--format", "terminal"],
                'unknown format "terminal" (known: text, csv, json, markdown)',
            ),
        ):
            done = normbench(*args)
            self.assertEqual(done.returncode, 2, args)
            self.assertIn(expected, done.stderr)

    def test_what_cannot_run_is_skipped_and_said(self):
        out, done = self.run_small()
        cases = json.loads((out / "results.json").read_text())["groups"][0]["cases"]
        gpu = [case for case in cases if case["variant"] == "gpu"][0]
        if gpu["status"] == "ok":
            self.skipTest("a GPU is at hand")
        self.assertEqual(gpu["status"], "skipped")
        self.assertIn(gpu["reason"].split(" (")[0], " ".join(done.stdout.split()))

    def test_a_run_of_skipped_cases_says_that_nothing_was_measured(self):
        config = self.config({**SMALL, "experiments": [{
            "name": "files", "load": {}, "variants": {"copy": ["copy"], "cast": [
                {"op": "cast", "to": "float32"}]}}]})
        for form in ("text", "json"):
            done = normbench("run", "--config", config, "--out", self.dir / form, "--format", form)
            self.assertEqual(done.returncode, 0)
            self.assertEqual(done.stderr.splitlines()[-1],
                             "normbench: nothing was measured, every case was skipped: no images given "
                             "(--images DIR)")
        _, done = self.run_small()
        self.assertNotIn("nothing was measured", done.stderr)

    def test_a_folder_with_a_run_is_not_overwritten(self):
        out, _ = self.run_small()
        before = (out / "results.json").read_bytes()
        done = normbench("run", "--config", self.dir / "config.json", "--out", out)
        self.assertEqual(done.returncode, 2)
        self.assertIn("already holds a run", done.stderr)
        self.assertEqual((out / "results.json").read_bytes(), before)

    def test_rounds_of_several_processes_are_one_group(self):
        out, _ = self.run_small("--set", "/measure/processes=2", "--only", "fused")
        for group in json.loads((out / "results.json").read_text())["groups"]:
            rounds = group["cases"][0]["rounds"]["wall_ns"]
            self.assertEqual(len(rounds), len(group["order"]))
            self.assertGreaterEqual(len(rounds), 12)  # 6 rounds or more per process

    def test_a_case_has_all_its_threads_or_fails(self):
        config = self.config({**SMALL, "experiments": [{
            "name": "team",
            "source": {"batch": 2, "size": [64, 64]},
            "threads": 2,
            "variants": {"copy": ["copy"]},
        }]})

        def case(name, **environment):
            out = self.dir / name
            done = normbench("run", "--config", config, "--out", out, "--no-profile",
                             env={**os.environ, **environment})
            (group,) = json.loads((out / "results.json").read_text())["groups"]
            return done.returncode, group["cases"][0]

        code, one = case("limited", OMP_THREAD_LIMIT="1")
        self.assertEqual((code, one["status"]), (1, "failed"))
        self.assertIn("OpenMP starts only 1 of 2 threads", one["reason"])
        code, one = case("dynamic", OMP_DYNAMIC="true")
        self.assertEqual((code, one["status"]), (0, "ok"), one.get("reason"))

    def test_more_threads_than_cpus_are_said_once(self):
        crowd = len(os.sched_getaffinity(0)) + 1
        config = self.config({**SMALL, "experiments": [{
            "name": "team", "sweep": {"threads": [1, crowd]}, "threads": "$threads",
            "source": {"batch": 2, "size": [64, 64]}, "variants": {"copy": ["copy"], "again": ["copy"]}}]})
        said = rf'(?m)^normbench: small: {crowd} threads take turns on \d+ CPUs? \("threads": "all" takes \d+\)$'
        for args in (["check", config], ["run", "--no-profile", "--config", config, "--out", self.dir / "out"]):
            done = normbench(*args)
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertRegex(done.stderr, said)
            self.assertEqual(done.stderr.count("take turns"), 1)
        done = normbench("check", config, "--set", "/experiments/0/sweep/threads=[1]")
        self.assertEqual(done.stderr, "")

    def test_unknown_sort_key(self):
        config = self.config({**SMALL, "profile": {"sort_by": "cpu"}})
        self.assert_mistake(config, "/profile/sort_by: unknown value")

    def test_json_on_stdout_is_one_document(self):
        _, done = self.run_small("--format", "json")
        self.assertEqual(json.loads(done.stdout)["schema"], 1)

    def test_an_output_folder_that_cannot_be_made(self):
        (self.dir / "file").write_text("")
        done = normbench("run", "--config", self.config(SMALL), "--out", self.dir / "file" / "x")
        self.assertEqual(done.returncode, 5)
        self.assertIn("cannot create", done.stderr)

    def test_broken_images_are_named(self):
        images = self.dir / "images"
        images.mkdir()
        (images / "a.jpg").write_bytes(b"")
        (images / "b.png").write_bytes(b"\x01hello")
        config = self.config(
            {
                "schema": 1,
                "name": "files",
                "experiments": [{"name": "f", "load": {"batch": 1}, "variants": {"load": ["copy"]}}],
            }
        )
        out = self.dir / "out"
        done = normbench("run", "--config", config, "--out", out, "--images", images)
        self.assertEqual(done.returncode, 1, done.stderr)
        reason = json.loads((out / "results.json").read_text())["groups"][0]["cases"][0]["reason"]
        self.assertIn("a.jpg", reason)
        self.assertIn("b.png", reason)
        done = normbench("check", config, "--images", images)
        self.assertEqual(done.returncode, 2, done.stdout)
        self.assertRegex(done.stderr, r"^\S+config.json: f/load: 2 of 2 files cannot be read: a.jpg \(empty "
                         r"file\); b.png \(not an image.*\)\n$")
        (images / "c.png").write_bytes(PIXEL)
        done = normbench("check", config, "--images", images, "--set", "/experiments/0/load/on_error=skip")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("config.json: f/load: 2 of 3 files left out: a.jpg (empty file)", done.stderr)
        self.assertEqual(normbench("check", config, "--images", images / "c.png").stderr, "")
        out = self.dir / "again"
        done = normbench("run", "--config", config, "--out", out, "--images", images)
        self.assertEqual(done.returncode, 1, done.stderr)
        shown = " ".join(done.stdout.split())
        self.assertIn('2 of 3 files cannot be read ("on_error": "skip" goes on without them): a.jpg '
                      "(empty file); b.png (not an image", shown)
        self.assertIn("1 output not checked", shown)

    # --- interruptions

    def start_and_stop(self, how):
        """Starts a run, and sends it the signal `how` when the first group is finished."""
        out = self.dir / "out"
        running = subprocess.Popen(
            [NORMBENCH, "run", "--config", self.config(SMALL), "--out", out],
            stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
        next(line for line in running.stderr if " rounds (" in line)
        running.send_signal(how)
        running.stderr.read()
        code = running.wait()
        running.stderr.close()
        return out, code

    def assert_resumes_whole(self, out):
        lines = [json.loads(line) for line in (out / "journal.jsonl").read_text().splitlines()[1:]]
        # On a slow machine there are also lines with "seconds", which have the rounds of unfinished groups.
        first = next(line["result"] for line in lines if "seconds" not in line)
        done = normbench("run", "--resume", out)
        self.assertEqual(done.returncode, 0, done.stderr)
        groups = json.loads((out / "results.json").read_text())["groups"]
        self.assertEqual([g["point"]["batch"] for g in groups], [1, 2, 3, 4])
        for group in groups:
            self.assertEqual([c["variant"] for c in group["cases"]], ["eager", "fused", "gpu"])
        self.assertEqual(groups[0]["cases"][0]["rounds"], first["cases"][0]["rounds"])

    def test_a_resumed_run_keeps_its_device(self):
        if self.info()["environment"]["gpu"]:
            self.skipTest("a GPU is at hand, but not a second one for sure")
        out, _ = self.run_small(
            "--device", "3", "--set", "/measure/processes=2", "--only", "fused")
        journal = (out / "journal.jsonl").read_text().splitlines()
        self.assertEqual(json.loads(journal[0])["header"]["device"], 3)
        (out / "journal.jsonl").write_text("\n".join(journal[:2]) + "\n")  # as if the run was killed here
        self.assertEqual(normbench("run", "--resume", out).returncode, 0)
        self.assertEqual((out / "journal.jsonl").read_text().splitlines()[0], journal[0])

    def test_killed_then_resumed(self):
        out, code = self.start_and_stop(signal.SIGKILL)
        self.assertEqual(code, -signal.SIGKILL)
        self.assertFalse((out / "results.json").exists())
        self.assert_resumes_whole(out)

    def test_interrupted_then_resumed(self):
        out, code = self.start_and_stop(signal.SIGINT)
        if code == 0:
            self.skipTest("the run ended before the signal")
        self.assertEqual(code, 130)
        document = json.loads((out / "results.json").read_text())
        self.assertTrue(document["interrupted"])
        self.assertGreaterEqual(len(document["groups"]), 1)
        self.assert_resumes_whole(out)

    def test_the_fields_of_an_op_are_listed(self):
        listed = normbench("list", "ops")
        self.assertEqual((listed.returncode, listed.stderr), (0, ""))
        self.assertIn("  size, at\n", listed.stdout)
        crop = normbench("list", "ops", "crop")
        self.assertEqual((crop.returncode, crop.stderr), (0, ""))
        self.assertRegex(crop.stdout, r"(?m)^  size +\[2 values: whole number from 1\]$")
        for words, mistake in ((["ops", "cropp"], 'unknown op "cropp" (did you mean "crop"?)'),
                               (["kernels", "crop"], '"crop": a name is only for: normbench list ops OP')):
            wrong = normbench("list", *words)
            self.assertEqual((wrong.returncode, wrong.stdout, wrong.stderr), (2, "", f"normbench: {mistake}\n"))

    def test_hwloc_keeps_what_it_thinks_of_an_odd_topology_to_itself(self):
        cpus = self.dir / "root/sys/devices/system/cpu"
        cpus.mkdir(parents=True)
        for name in ("online", "possible", "present"):
            (cpus / name).write_text("0-3\n")
        for cpu in range(4):
            topology, cache = cpus / f"cpu{cpu}/topology", cpus / f"cpu{cpu}/cache/index3"
            for folder, files in ((topology, {"core_id": cpu, "thread_siblings": f"{1 << cpu:x}",
                                              "physical_package_id": 0, "core_siblings": "3" if cpu < 2 else "c"}),
                                  # CPUs 1 and 2 share a cache, but are in different packages. The
                                  # program keeps hwloc from writing a warning about this.
                                  (cache, {"shared_cpu_map": "6" if cpu in (1, 2) else f"{1 << cpu:x}", "level": 3,
                                           "type": "Unified", "size": "8192K", "coherency_line_size": 64})):
                folder.mkdir(parents=True)
                for name, content in files.items():
                    (folder / name).write_text(f"{content}\n")
        environment = {**os.environ, "HWLOC_FSROOT": str(cpus.parents[3])}
        environment.pop("HWLOC_HIDE_ERRORS", None)
        done = normbench("info", "--no-limits", env=environment)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertIn("4 cores, 4 threads", done.stdout)


class ScriptsTest(unittest.TestCase):
    def script(self, name, *args, root=SOURCE_DIR):
        return subprocess.run([root / "scripts" / name, *args], capture_output=True, text=True)

    def test_help_and_misuse(self):
        for name, misuses in (
            ("build", ([], ["--preset"], ["relaese"])),
            ("ci-regression", ([], ["HEAD"], ["--confg"])),
            ("gpu-check", ([], ["--out"], ["--devise", "1"])),
            ("package", (["rpm"], ["--cuda"], ["--cuda", "nowhere"])),
        ):
            for option in ("--help", "-h"):
                done = self.script(name, option)
                self.assertEqual((done.returncode, done.stderr), (0, ""), name)
                self.assertRegex(done.stdout, rf"(?m)^  (scripts/)?{name} ")
                self.assertRegex(done.stdout, r"(?m)^Exit: 0 ")
            for args in misuses:
                done = self.script(name, *args)
                self.assertEqual((done.returncode, done.stdout), (2, ""), (name, args))
                self.assertRegex(done.stderr, rf"^(scripts/)?{name}: [^\n]* \(usage: [^\n]*\)\n$")
        self.assertIn("unknown preset relaese; known: release debug",
                      self.script("build", "relaese").stderr)

    def gpu_check(self, gpu, selftest):
        """Runs gpu-check in a package whose normbench reports `gpu` as the state of the GPU and
        `selftest` as the rows of the self-test."""
        with tempfile.TemporaryDirectory() as folder:
            root = Path(folder)
            scripts = root / "share/normbench/scripts"
            scripts.mkdir(parents=True)
            (scripts / "gpu-check").write_bytes((SOURCE_DIR / "scripts/gpu-check").read_bytes())
            (root / "bin").mkdir()
            stand_in = root / "bin/normbench"
            info = json.dumps({"environment": {"places": {"cuda": gpu}, "gpu": None}})
            places = json.dumps({"places": [{"place": "cuda", "unavailable": None, "lost": None, "rows": selftest}]})
            stand_in.write_text(f"#!/bin/sh\ncase $1 in info) echo '{info}' ;; selftest) echo '{places}' ;; esac\n")
            for script in (scripts / "gpu-check", stand_in):
                script.chmod(0o755)
            return self.script("gpu-check", "--out", root / "seen.tar.gz",
                               root=root / "share/normbench")

    def test_gpu_check_needs_a_self_test_that_ran(self):
        row = {"op": "cast", "kernel": "eager", "accepted": 2, "wrong": 0, "finished": True, "failure": ""}
        done = self.gpu_check("no driver", [])
        self.assertEqual(done.returncode, 1)
        self.assertRegex(done.stdout, "FAILED +machine .* no driver\n")
        self.assertRegex(done.stdout, "skipped +selftest-quick, .*, selftest, memcheck, .*: there is no GPU to use\n")
        done = self.gpu_check("available", [])
        self.assertEqual(done.returncode, 1)
        self.assertRegex(done.stdout, "FAILED +selftest-quick .* no row was tested\n")
        done = self.gpu_check("available", [{**row, "wrong": 1, "failure": "element 0"}])
        self.assertEqual(done.returncode, 1)
        self.assertRegex(done.stdout, "FAILED +selftest-quick .* cast/eager: element 0; 1 row, 2 cases, 1 row WRONG\n")
        self.assertRegex(done.stdout, "passed +blog-gpu")
        done = self.gpu_check("available", [row])
        self.assertEqual(done.returncode, 0, done.stdout)
        self.assertRegex(done.stdout, "passed +selftest-quick")
        self.assertRegex(done.stdout, "passed +blog-gpu")


class RepositoryTest(unittest.TestCase):
    def test_every_reference_document_renders(self):
        documents = sorted((SOURCE_DIR / "results").glob("*.json"))
        self.assertTrue(documents)
        for document in documents:
            for form in ("text", "table", "json"):
                done = normbench("report", document, "--format", form)
                self.assertEqual(done.returncode, 0, f"{document} {form}: {done.stderr}")
            self.assertNotIn(str(Path.home()), document.read_text())


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0], "-v"])
