"""Tests `normbench compare` on generated documents, and scripts/ci-regression: verdicts, exit codes, errors.

usage: compare_test.py NORMBENCH SOURCE_DIR
"""

import copy
import json
import subprocess
import sys
import tempfile
import unittest
import xml.etree.ElementTree
from pathlib import Path

sys.path.append("/usr/lib/python3/dist-packages")  # so that any Python finds Debian's packages
try:
    import junitparser
except ImportError:  # scripts/setup installs it
    junitparser = None

NORMBENCH, SOURCE_DIR = (Path(p).resolve() for p in sys.argv[1:3])
REFERENCE = SOURCE_DIR / "results/quickstart-epyc-zen5-2c-20261121.json"


def compare(*args):
    return subprocess.run([NORMBENCH, "compare", *map(str, args)], capture_output=True, text=True)


def document(times_ns, minute=0, rounds=20, **members):
    """Returns a results document of one group. Its cases take `times_ns` in every round."""
    cases = [
        {
            "variant": variant,
            "status": "ok",
            "iterations": 1,
            "stages": [],
            "rounds": {"wall_ns": [int(ns)] * rounds},
            "check": {"ok": True, "max_abs_error": 1e-7, "bound": 1e-5},
        }
        for variant, ns in times_ns.items()
    ]
    return {
        "schema": 1,
        "tool": {"name": "normbench", "version": "1.0", "revision": "abc1234", "build": "Release"},
        "environment": {
            "date": f"2026-11-21T10:{minute:02}:00Z",
            "cpu": {"model": "Example CPU"},
            "available_threads": 2,
        },
        "config": {"schema": 1, "name": "example"},
        "name": "example",
        "cache": "cold",
        "clock": "wall",
        "groups": [{"experiment": "form", "point": {"batch": 8}, "cases": cases}],
        **members,
    }


class CompareTest(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.dir = Path(self.folder.name)

    def write(self, name, content):
        path = self.dir / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(content if isinstance(content, str) else json.dumps(content))
        return path

    def pairs(self, factors, count=10):
        """Writes folders of runs that took turns. NEW's times are BASE's times, multiplied by the
        variants' factors. Returns both folders."""
        for i in range(count):
            base = {variant: 1_000_000 + 1000 * i for variant in factors}
            now = {variant: base[variant] * factor for variant, factor in factors.items()}
            self.write(f"base/run-{i:02}/results.json", document(base, 2 * i))
            self.write(f"new/run-{i:02}/results.json", document(now, 2 * i + 1))
        return self.dir / "base", self.dir / "new"

    def verdicts(self, *args, code=0):
        done = compare(*args, "--format", "json")
        self.assertEqual(done.returncode, code, done.stderr)
        return {case["variant"]: case["verdict"] for case in json.loads(done.stdout)["cases"]}

    # --- verdicts and exit codes

    def test_every_verdict(self):
        base, new = self.pairs({"slower": 1.1, "faster": 0.9, "same": 1.0})
        for i in range(10):
            for side in ("base", "new"):
                path = self.dir / f"{side}/run-{i:02}/results.json"
                content = json.loads(path.read_text())
                noisy = copy.deepcopy(content["groups"][0]["cases"][0])
                noisy["variant"] = "noisy"
                factor = 1 + 0.1 * (i % 3 - 1) * (side == "new")
                noisy["rounds"]["wall_ns"] = [int(1e6 * factor)] * 20
                content["groups"][0]["cases"].append(noisy)
                path.write_text(json.dumps(content))
        self.assertEqual(
            self.verdicts(base, new, code=1),
            {"slower": "regressed", "faster": "improved", "same": "same", "noisy": "inconclusive"},
        )
        text = compare(base, new).stdout
        self.assertEqual(
            text.splitlines()[0],
            "1 regressed, 1 improved, 1 same, 1 inconclusive of 4 cases; margin 2.0 %",
        )

    def test_same_exits_0_even_when_strict(self):
        base, new = self.pairs({"a": 1.0, "b": 1.001})
        self.assertEqual(compare(base, new).returncode, 0)
        self.assertEqual(compare(base, new, "--strict").returncode, 0)

    def test_nothing_that_was_measured_exits_4_when_strict(self):
        for side in ("base", "new"):
            run = document({"a": 1})
            case = run["groups"][0]["cases"][0]
            case.update(status="skipped", reason="no CUDA device")
            del case["rounds"]
            self.write(f"{side}.json", run)
        sides = (self.dir / "base.json", self.dir / "new.json")
        self.assertEqual(compare(*sides).returncode, 0)
        self.assertEqual(compare(*sides, "--strict").returncode, 4)

    def test_300_regressions_exit_1(self):
        base, new = self.pairs({f"case {i}": 1.1 for i in range(300)}, count=13)
        done = compare(base, new)
        self.assertEqual(done.returncode, 1)
        self.assertTrue(done.stdout.startswith("300 regressed, 0 improved"), done.stdout[:200])

    def test_doubt_exits_0_and_4_when_strict(self):
        base, new = self.pairs({"a": 1.03, "b": 1}, count=6)
        for i in range(6):  # "b" is slower as often as faster; one run has most of the slowdown of "a"
            path = new / f"run-{i:02}/results.json"
            content = json.loads(path.read_text())
            a, b = content["groups"][0]["cases"]
            if i == 3:
                a["rounds"]["wall_ns"] = [2_000_000] * 20
            b["rounds"]["wall_ns"] = [930_000 if i % 2 else 1_120_000] * 20
            path.write_text(json.dumps(content))
        done = compare(base, new)
        self.assertEqual(done.returncode, 0, done.stdout)
        self.assertIn("1 regressed (1 not beyond doubt)", done.stdout)
        self.assertEqual(compare(base, new, "--strict").returncode, 4)

    def test_six_pairs_find_one_regression_among_however_many_cases(self):
        for cases in (4, 40):
            with self.subTest(cases=cases):
                factors = {f"case {i}": 1 + 0.001 * (i % 3) for i in range(cases)}
                base, new = self.pairs({**factors, "case 2": 10}, count=6)
                done = compare(base, new)
                self.assertEqual(done.returncode, 1, done.stdout)
                self.assertIn("1 regressed, 0 improved", done.stdout)

    def kept_pairs(self, of_base, of_new):
        """Writes six pairs of copies of a kept run. The times of its cases are multiplied by
        `of_base` in BASE and by `of_new` in NEW. The times of its limits are not changed."""
        for side, factor, later in (("base", of_base, 0), ("new", of_new, 1)):
            for i in range(6):
                run = json.loads(REFERENCE.read_text())
                run["environment"]["date"] = f"2026-11-21T10:{2 * i + later:02}:00Z"
                run["groups"] = run["groups"][:1]
                for case in run["groups"][0]["cases"]:
                    columns = case["rounds"]
                    columns["wall_ns"] = [int(factor * ns) for ns in columns["wall_ns"]]
                self.write(f"{side}/run-{i}/results.json", run)
        return self.dir / "base", self.dir / "new"

    def test_new_that_is_faster_than_its_own_limits_is_no_improvement(self):
        sides = self.kept_pairs(1, 1 / 33)
        self.assertEqual(self.verdicts(*sides, code=1)["fused"], "failed")
        self.assertIn("NEW is faster than its own limit", compare(*sides).stdout)

    def test_base_that_is_faster_than_its_own_limits_decides_nothing(self):
        sides = (*self.kept_pairs(1 / 33, 1), "--only", "fused")
        self.assertEqual(self.verdicts(*sides), {"fused": "inconclusive"})
        self.assertIn("BASE is faster than its own limit", compare(*sides).stdout)
        self.assertEqual(compare(*sides, "--strict").returncode, 4)

    def test_a_case_that_now_fails_exits_1(self):
        base, new = self.pairs({"a": 1, "b": 1})
        for path in new.glob("*/results.json"):
            content = json.loads(path.read_text())
            content["groups"][0]["cases"][0].update(status="failed", reason="wrong output")
            path.write_text(json.dumps(content))
        self.assertEqual(self.verdicts(base, new, code=1), {"a": "failed", "b": "same"})

    def test_margin_overrides(self):
        base, new = self.pairs({"a": 1.1})
        self.assertEqual(self.verdicts(base, new, "--margin", "0.2"), {"a": "same"})
        for margin in ("2", "-0.1", "x", "nan"):
            self.assertEqual(compare(base, new, "--margin", margin).returncode, 2, margin)

    def test_only_narrows(self):
        base, new = self.pairs({"a": 1.1, "b": 1})
        self.assertEqual(self.verdicts(base, new, "--only", "b"), {"b": "same"})
        done = compare(base, new, "--only", "nothing")
        self.assertEqual((done.returncode, done.stderr), (2, "normbench: --only nothing: no case matches\n"))

    def test_single_documents_and_run_folders(self):
        base, new = self.pairs({"a": 1.2}, count=1)
        for a, b in ((base / "run-00", new / "run-00"), (base / "run-00/results.json", new)):
            done = compare(a, b)
            self.assertEqual(done.returncode, 0)
            self.assertIn("one run a side: what runs of the same code differ by is not known", " ".join(done.stdout.split()))
            self.assertIn("1 regressed (1 not beyond doubt)", done.stdout)
            self.assertEqual(compare(a, b, "--strict").returncode, 4)
            self.assertIn("margin 5.0 %", done.stdout)

    def test_a_reference_document_against_itself(self):
        done = compare(REFERENCE, REFERENCE)
        self.assertEqual(done.returncode, 0)
        self.assertIn("BASE and NEW are the same document", done.stdout)
        self.assertIn("0 regressed", done.stdout)

    def test_one_run_a_side_calls_nothing_the_same_beyond_doubt(self):
        rounds = [1_000_000 + 1000 * (7 * i % 20) for i in range(20)]
        for side, minute in (("base", 0), ("new", 1)):
            run = document({"a": 1}, minute)
            run["groups"][0]["cases"][0]["rounds"]["wall_ns"] = rounds
            self.write(f"{side}.json", run)
        sides = (self.dir / "base.json", self.dir / "new.json")
        done = compare(*sides)
        self.assertEqual(done.returncode, 0)
        self.assertIn("1 same (1 not beyond doubt)", done.stdout)
        self.assertRegex(done.stdout, r" SAME\?\n")
        self.assertEqual(compare(*sides, "--strict").returncode, 4)
        self.assertIn("<details><summary>1 look the same</summary>", compare(*sides, "--format", "markdown").stdout)

    def pairs_with_limits(self, slower, of_limits):
        """Writes six pairs of runs. The machine's speed differs between NEW runs. Compared with BASE on the
        same machine, NEW's case takes `slower` times as long, and its limits `of_limits` times."""
        for i, machine in enumerate((1, 1.25, 0.8, 1.1, 0.9, 1.3)):
            for side, factor, limit, later in (("base", 1, 1, 0), ("new", machine * slower, machine * of_limits, 1)):
                run = document({"a": 1e6 * factor, "stream": 5e5 * limit}, 2 * i + later)
                group = run["groups"][0]
                group["limits"] = [group["cases"].pop()]
                group["limits"][0]["stages"] = [{"op": "stream", "place": "cpu", "bytes": 1000}]
                self.write(f"{side}/run-{i}/results.json", run)
        return self.dir / "base", self.dir / "new"

    def test_what_the_limits_of_the_same_rounds_changed_by_is_divided_out(self):
        done = compare(*self.pairs_with_limits(1.05, 1), "--format", "json")
        self.assertEqual(done.returncode, 1, done.stderr)
        (case,) = json.loads(done.stdout)["cases"]
        self.assertAlmostEqual(case["ratio_over_limits"]["value"], 1.05, places=5)
        self.assertLess(case["ratio"]["low"], 1)
        text = " ".join(compare(self.dir / "base", self.dir / "new").stdout.split())
        self.assertIn("REGRESSED form / a (batch=8): +5.0 % over the limits of the same rounds (95 %: +5.0 to +5.0 %)", text)
        self.assertIn("* over the limits of the same rounds: what these changed by", text)

    def test_limits_that_changed_in_all_pairs_are_not_divided_out(self):
        done = compare(*self.pairs_with_limits(1.5, 1.5), "--format", "json")
        self.assertEqual(done.returncode, 0, done.stderr)
        (case,) = json.loads(done.stdout)["cases"]
        self.assertEqual((case["verdict"], case["ratio_over_limits"]), ("inconclusive", None))
        self.assertIn("the limits beside it changed by up to", case["why"])
        self.assertEqual(compare(self.dir / "base", self.dir / "new", "--strict").returncode, 4)

    # --- what must not be compared

    def test_another_host_is_another_machine_unless_both_have_one_name(self):
        for name, host in (("base", "runner-1"), ("new", "runner-2"), ("alike", "runner-1")):
            run = document({"a": 1e6})
            run["environment"]["host"] = host
            self.write(f"{name}.json", run)
        done = compare(self.dir / "base.json", self.dir / "new.json")
        self.assertEqual((done.returncode, done.stdout), (3, ""))
        self.assertEqual(
            done.stderr,
            "normbench: not comparable: host: runner-1 in BASE, runner-2 in NEW\n"
            "normbench: nothing was compared (--force compares anyway)\n"
            "normbench: each host is a machine of its own; where several are to count as one, as containers with random "
            "names are, give all runs the same --machine NAME\n",
        )
        self.assertEqual(compare(self.dir / "base.json", self.dir / "new.json", "--force").returncode, 0)
        self.assertEqual(compare(self.dir / "base.json", self.dir / "alike.json").returncode, 0)

    def test_incomparable_documents_name_every_difference(self):
        base = self.write("base.json", document({"a": 1e6}))
        other = document({"a": 1e6}, quick=True)
        other["environment"]["cpu"]["model"] = "Other CPU"
        other["config"]["measure"] = {"seed": 2}
        new = self.write("new.json", other)
        done = compare(base, new)
        self.assertEqual((done.returncode, done.stdout), (3, ""))
        self.assertEqual(
            done.stderr,
            "normbench: not comparable: CPU: Example CPU in BASE, Other CPU in NEW\n"
            "normbench: not comparable: quick: false in BASE, true in NEW\n"
            'normbench: not comparable: config /measure: absent in BASE, {"seed":2} in NEW\n'
            "normbench: nothing was compared (--force compares anyway)\n",
        )
        forced = compare(base, new, "--force")
        self.assertEqual(forced.returncode, 0)
        self.assertIn("Not comparable, compared by force: CPU: Example CPU in BASE", forced.stdout)

    def test_nothing_in_common_exits_3_even_by_force(self):
        base = self.write("base.json", document({"a": 1e6}))
        new = self.write("new.json", document({"b": 1e6}))
        for args in ([], ["--force"]):
            done = compare(base, new, *args)
            self.assertEqual(done.returncode, 3)
            self.assertIn("no case in common", done.stderr)

    # --- bad documents

    def test_mistakes_of_both_documents_are_told_at_once(self):
        whole = json.dumps(document({"a": 1e6}))
        twice = document({"a": 1e6})
        twice["groups"] *= 2
        newer = document({"a": 1e6}, schema=2)
        google = {"context": {"json_schema_version": 1}, "benchmarks": [{"real_time": 1}]}
        nvbench = {"meta": {}, "devices": [], "benchmarks": [{"states": []}]}
        for content, message in (
            (whole[: len(whole) // 2], "(it seems to be cut off)"),
            (whole[:-3], "the text ends in the middle of a value"),
            ("", "is empty (expected JSON)"),
            ("time: 1", "line 1, column 1: unexpected time"),
            (newer, "this version reads schema 1; the document has 2: a newer normbench wrote it"),
            (google, "it seems to be Google Benchmark's output"),
            (nvbench, "it seems to be nvbench's output"),
            (twice, "/groups/1/cases/0: form, a stands twice, first at /groups/0/cases/0"),
        ):
            bad = self.write("bad.json", content)
            done = compare(bad, self.dir / "absent.json")
            self.assertEqual((done.returncode, done.stdout), (2, ""))
            lines = done.stderr.splitlines()
            self.assertEqual(len(lines), 2, done.stderr)
            self.assertTrue(lines[0].startswith(f"{bad}:"), lines[0])
            self.assertIn(message, lines[0])
            self.assertEqual(lines[1], f"{self.dir}/absent.json: no such file (check the path)")

    def test_folders_without_results(self):
        good = self.write("good.json", document({"a": 1e6}))
        (self.dir / "empty").mkdir()
        done = compare(self.dir / "empty", good)
        self.assertEqual(done.returncode, 2)
        self.assertIn("no results.json in this folder, nor in those inside it", done.stderr)
        self.write("runs/a/results.json", document({"a": 1e6}))
        self.write("runs/b/journal.jsonl", "")
        done = compare(self.dir / "runs", good)
        self.assertEqual(done.returncode, 2)
        self.assertIn("runs/b: an unfinished run", done.stderr)

    def test_usage_errors(self):
        good = self.write("good.json", document({"a": 1e6}))
        self.assertEqual(compare(good).returncode, 2)
        done = compare(good, good, "--format", "tex")
        self.assertEqual(done.returncode, 2)
        self.assertIn("known: text, markdown, html, json, junit", done.stderr)

    def test_an_output_that_cannot_be_written_exits_5(self):
        base, new = self.pairs({"a": 1})
        out = self.dir / "absent/compare.md"
        done = compare(base, new, "--format", "markdown", "--out", out)
        self.assertEqual(done.returncode, 5)
        self.assertIn(f"cannot write {out}", done.stderr)

    # --- formats

    def assert_keeps_to_the_schemas(self, root):
        """Checks `root` against the schemas of Jenkins' xUnit plugin (for `testsuites`) and of Maven Surefire (for
        `testsuite`)."""
        counts = ["tests", "failures", "errors"]
        elements = {  # required attributes, optional attributes, and children in order
            "testsuites": ([], ["name", "time", *counts], ["testsuite"]),
            "testsuite": (["name", "skipped", *counts], ["time"], ["properties", "testcase"]),
            "properties": ([], [], ["property"]),
            "property": (["name", "value"], [], []),
            "testcase": (["name", "time"], ["classname"], ["failure", "skipped", "error", "system-out", "system-err"]),
            "failure": (["type"], ["message"], []),
            "skipped": ([], ["message"], []),
            "system-out": ([], [], []),
        }
        self.assertEqual(root.tag, "testsuites")
        for element in root.iter():
            required, optional, children = elements[element.tag]
            self.assertLessEqual(set(required), set(element.attrib), element.tag)
            self.assertLessEqual(set(element.attrib), {*required, *optional}, element.tag)
            order = [children.index(child.tag) for child in element]
            self.assertEqual(order, sorted(order), element.tag)
            self.assertRegex(element.attrib.get("time", ""), r"^([0-9]*\.[0-9]{3})?$")
            for count in set(element.attrib) & {"skipped", *counts}:
                self.assertRegex(element.attrib[count], r"^[0-9]+$")
        for suite in root.iter("testsuite"):
            for outcome, count in (("failure", "failures"), ("skipped", "skipped"), ("error", "errors"), ("testcase", "tests")):
                self.assertEqual(len(list(suite.iter(outcome))), int(suite.attrib[count]), count)

    def test_the_kept_junit_keeps_to_the_schemas(self):
        for name in ("compare.xml", "compare_doubtful.xml"):
            self.assert_keeps_to_the_schemas(xml.etree.ElementTree.parse(SOURCE_DIR / "tests/golden" / name).getroot())

    def test_junit_is_read_by_others(self):
        base, new = self.pairs({'slow <&"> \u0001 → µ': 1.1, "same": 1})
        for path in new.glob("*/results.json"):
            content = json.loads(path.read_text())
            new_case = copy.deepcopy(content["groups"][0]["cases"][1])
            new_case["variant"] = "came"
            content["groups"][0]["cases"].append(new_case)
            path.write_text(json.dumps(content))
        out = self.dir / "compare.xml"
        self.assertEqual(compare(base, new, "--format", "junit", "--out", out).returncode, 1)
        root = xml.etree.ElementTree.parse(out).getroot()
        self.assert_keeps_to_the_schemas(root)
        self.assertEqual(root.attrib["failures"], "1")
        names = [case.attrib["name"] for case in root.iter("testcase")]
        self.assertEqual(names, ['slow <&"> \\u0001 → µ (batch=8)', "same (batch=8)", "came (batch=8)"])
        if junitparser is None:
            self.skipTest("junitparser is not installed (scripts/setup does it)")
        read = junitparser.JUnitXml.fromfile(str(out))
        self.assertEqual((read.tests, read.failures), (3, 1))
        (suite,) = list(read)
        self.assertEqual((suite.name, suite.tests, suite.skipped), ("form", 3, 1))
        results = {case.name: [type(r).__name__ for r in case.result] for case in suite}
        self.assertEqual(
            results,
            {'slow <&"> \\u0001 → µ (batch=8)': ["Failure"], "same (batch=8)": [], "came (batch=8)": ["Skipped"]},
        )

    def test_markdown_and_json_hold_every_case(self):
        base, new = self.pairs({"a | b": 1.1, "c": 1})
        markdown = compare(base, new, "--format", "markdown").stdout
        self.assertIn("| **REGRESSED** | form / a \\| b (batch=8) |", markdown)
        self.assertIn("<details><summary>1 same</summary>", markdown)
        document = json.loads(compare(base, new, "--format", "json").stdout)
        self.assertEqual((document["kind"], document["gate"]), ("comparison", "regressed"))
        self.assertEqual(document["summary"]["fails_gate"], 1)
        self.assertAlmostEqual(document["cases"][0]["ratio"]["value"], 1.1, places=5)


class RegressionScriptTest(unittest.TestCase):
    """Tests the mistakes that scripts/ci-regression finds before it builds anything."""

    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.repository = Path(self.folder.name) / "repository"
        (self.repository / "scripts").mkdir(parents=True)
        script = self.repository / "scripts/ci-regression"
        script.write_bytes((SOURCE_DIR / "scripts/ci-regression").read_bytes())
        script.chmod(0o755)
        self.git("init", "--quiet")
        self.git("add", ".")
        self.git("-c", "user.name=a", "-c", "user.email=a@b", "commit", "--quiet", "-m", "first")

    def git(self, *args):
        subprocess.run(["git", "-C", self.repository, *args], check=True, capture_output=True)

    def run_script(self, *args):
        done = subprocess.run(
            [self.repository / "scripts/ci-regression", *args],
            capture_output=True, text=True, cwd=self.folder.name)
        self.assertEqual(done.stdout, "")
        return done.returncode, done.stderr

    def test_usage(self):
        for args, message in (
            ([], "give two revisions"),
            (["HEAD"], "give two revisions"),
            (["HEAD", "HEAD", "--pears", "3"], "unknown option --pears"),
            (["HEAD", "HEAD", "--pairs", "0"], "--pairs needs a number"),
            (["HEAD", "HEAD", "--machine", ""], "--machine needs a name"),
            (["HEAD", "HEAD", "--out"], "--out needs a value"),
            (["HEAD", "HEAD", "--config", "absent.json"], "no config absent.json"),
        ):
            code, stderr = self.run_script(*args)
            self.assertEqual(code, 2, stderr)
            self.assertIn(f"ci-regression: {message}", stderr)

    def test_unknown_revision(self):
        code, stderr = self.run_script("HEAD", "no-such-branch")
        self.assertEqual(code, 2)
        self.assertIn("unknown revision no-such-branch", stderr)

    def test_changes_that_would_not_be_measured(self):
        script = self.repository / "scripts/ci-regression"
        script.write_text(script.read_text() + "# changed\n")
        code, stderr = self.run_script("HEAD", "HEAD")
        self.assertEqual(code, 2)
        self.assertIn("they would not be measured (commit or stash them)", stderr)

    def keep_binary(self):
        """Puts the program under test where scripts/ci-regression expects a build of HEAD."""
        run = lambda *words: subprocess.run(words, capture_output=True, text=True, cwd=self.repository).stdout.strip()
        has_gpu = subprocess.run("nvidia-smi -L", shell=True, capture_output=True).returncode == 0
        commit, compiler = run("git", "rev-parse", "HEAD"), run("c++", "-dumpfullversion")
        folder = self.repository / f"build/regression/{commit}-cuda-{'ON' if has_gpu else 'OFF'}-gcc-{compiler}"
        folder.mkdir(parents=True)
        (folder / "normbench").symlink_to(NORMBENCH)

    def test_fewer_pairs_than_decide_are_refused_before_anything_runs(self):
        self.keep_binary()
        code, stderr = self.run_script("HEAD", "HEAD", "--pairs", "5", "--out", f"{self.folder.name}/out")
        self.assertEqual(code, 2, stderr)
        self.assertIn("--pairs 5: 6 pairs of runs decide, however many cases there are", stderr)
        self.assertEqual(list(Path(self.folder.name).glob("out/*")), [])

    def test_runs_both_in_turns_as_one_machine_and_compares(self):
        self.keep_binary()
        config = {"schema": 1, "name": "tiny", "measure": {"max_seconds_per_group": 0.02, "cache": "hot"},
                  "experiments": [{"name": "form", "source": {"batch": 1, "size": [8, 8]},
                                   "variants": {"a": [{"op": "normalize", "mean": [0.5, 0.5, 0.5], "std": [0.5, 0.5, 0.5]}]}}]}
        path = Path(self.folder.name) / "tiny.json"
        path.write_text(json.dumps(config))
        out = Path(self.folder.name) / "out"
        done = subprocess.run([self.repository / "scripts/ci-regression", "HEAD", "HEAD", "--config", path, "--pairs", "6",
                               "--machine", "runners", "--out", out], capture_output=True, text=True)  # fmt: skip
        self.assertIn(done.returncode, (0, 1), done.stderr)
        self.assertIn("6 pairs of runs; 6 decide, however many cases there are\ntiny: pair 1 of 6\n", done.stderr)
        compared = json.loads((out / "compare.json").read_text())
        self.assertEqual((compared["pairs"], compared["pairs_needed"], compared["replicates"]), (6, 6, "runs"))
        self.assertEqual(compared["new"]["environment"]["host"], "runners")

    def test_a_revision_that_does_not_build(self):
        code, stderr = self.run_script("HEAD", "HEAD")
        self.assertEqual(code, 2)
        self.assertIn("does not build", stderr)
        listed = subprocess.run(["git", "-C", self.repository, "worktree", "list"],
                                capture_output=True, text=True).stdout
        self.assertEqual(len(listed.splitlines()), 1, listed)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
