"""Tests the Python package.

usage: python_test.py NORMBENCH SOURCE_DIR [unittest arguments]
"""

import json
import os
import pickle
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import unittest
from pathlib import Path

NORMBENCH, SOURCE = (Path(p).resolve() for p in sys.argv[1:3])
FOLDER = tempfile.TemporaryDirectory()
# As in a checkout, the package finds the program in ../build/release.
PYTHON = Path(FOLDER.name) / "python"
shutil.copytree(SOURCE / "python/normbench", PYTHON / "normbench", ignore=shutil.ignore_patterns("__pycache__"))
shutil.copy(SOURCE / "python/pyproject.toml", PYTHON)
PROGRAM = Path(FOLDER.name) / "build/release/normbench"
PROGRAM.parent.mkdir(parents=True)
PROGRAM.symlink_to(NORMBENCH)
sys.path.insert(0, str(PYTHON))

import normbench  # noqa: E402  (the path is set first)

STD = {"mean": [123.675, 116.28, 103.53], "std": [58.395, 57.12, 57.375]}
CONFIG = {
    "schema": 1, "name": "small", "measure": {"max_seconds_per_group": 2},
    "defaults": {"source": {"dtype": "uint8", "batch": 1, "size": [32, 32]}, "normalize": STD},
    "experiments": [{"name": "e", "question": "Which?", "variants": {
        "fused": ["normalize"], "eager": [{"op": "cast", "to": "float32"}, "sub", "div"]}}]}


class InAFolder(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        before = os.getcwd()
        self.addCleanup(os.chdir, before)
        os.chdir(folder.name)
        self.folder = Path(folder.name)


class RunTest(InAFolder):
    def test_a_dict_is_measured(self):
        results = normbench.run(CONFIG, out="out", quick=True, progress=False)
        self.assertEqual(results.name, "small")
        self.assertEqual([case.variant for case in results.cases], ["fused", "eager"])
        self.assertGreater(results.cases[0].median_ms, 0)
        self.assertEqual(list(results.experiments), ["e"])
        self.assertTrue((self.folder / "out/results.json").is_file())
        self.assertIn("e", results.text())

    def test_options_are_those_of_the_command(self):
        results = normbench.run(CONFIG, out=Path("out"), quick=True, no_profile=True, progress=False, set={"source.batch": 2},
                                only=["fused"], vary={"normalize.dtype": ["float32", "float16"]})
        self.assertEqual({case.images for case in results.cases}, {2})
        self.assertIn("float16", str([case.axes for case in results.cases] + [case.variant for case in results.cases]))
        self.assertFalse((self.folder / "out/trace.json").exists())

    def test_a_name_of_its_own_configs(self):
        self.assertIn("quickstart", normbench.check("quickstart"))

    def test_the_folder_has_the_name_of_the_file(self):
        Path("mine.json").write_text(json.dumps(CONFIG))
        results = normbench.run("mine.json", quick=True, no_profile=True, progress=False)
        (run,) = Path("results").iterdir()
        self.assertTrue(run.name.startswith("mine-2"), run)
        self.assertEqual(Path(results.path), Path.cwd() / "results" / run.name)
        os.chdir("results")
        self.assertEqual(len(results.rows()), 2)  # wherever the working folder is

    def test_runs_of_the_same_second_have_folders_of_their_own(self):
        code = "import json, normbench; normbench.run(json.load(open('config.json')), quick=True, no_profile=True, progress=False)"
        hot = {**CONFIG, "measure": {"max_seconds_per_group": 2, "cache": "hot"}}  # cold buffers of three runs may take gigabytes
        Path("config.json").write_text(json.dumps(hot))
        children = [subprocess.Popen([sys.executable, "-c", code], env={**os.environ, "PYTHONPATH": str(PYTHON)}) for _ in range(3)]
        self.assertEqual([child.wait() for child in children], [0, 0, 0])
        self.assertEqual(len(list(Path("results").glob("*/results.json"))), 3)

    def test_all_mistakes_have_pointers(self):
        bad = {**CONFIG, "experiments": [{"name": "e", "threads": "many", "variants": {"a": ["nonsense"]}}]}
        for call in (normbench.run, normbench.check):
            with self.assertRaises(normbench.BadInput) as caught:
                call(bad) if call is normbench.check else call(bad, progress=False)
            self.assertEqual([(one.file, one.pointer) for one in caught.exception.mistakes],
                             [("-", "/experiments/0/threads"), ("-", "/experiments/0/variants/a/0")])
            self.assertIn('unknown op "nonsense"', caught.exception.mistakes[1].text)
            self.assertEqual(caught.exception.code, 2)
        self.assertEqual(list(self.folder.iterdir()), [])

    def test_a_name_that_is_no_folder_is_a_mistake_and_makes_none(self):
        Path("inner").mkdir()
        os.chdir("inner")
        before = os.stat("..").st_mtime_ns
        for name in ("../above", "a/b", ".hidden", "a\0b", "", 5, None):
            with self.subTest(name=name), self.assertRaises(normbench.BadInput) as caught:
                normbench.run({**CONFIG, "name": name}, progress=False)
            self.assertEqual(caught.exception.mistakes[0].pointer, "/name")
        self.assertEqual(list(Path().iterdir()), [])
        self.assertEqual(os.stat("..").st_mtime_ns, before)  # nor for a moment

    def test_mistakes_of_a_file_name_it(self):
        Path("a: b.json").write_text('{"schema": 1,')
        with self.assertRaises(normbench.BadInput) as caught:
            normbench.check("a: b.json")
        (mistake,) = caught.exception.mistakes
        self.assertEqual((mistake.file, mistake.pointer), ("a: b.json", ""))

    def test_wrong_options_are_told(self):
        with self.assertRaises(normbench.BadInput) as caught:
            normbench.run(CONFIG, progress=False, no_such_option=True)
        self.assertIn("--no-such-option", str(caught.exception))
        self.assertEqual(caught.exception.mistakes, [])

    def test_what_means_nothing_in_python_is_refused(self):
        with self.assertRaises(ValueError):
            normbench.check({**CONFIG, "precision": float("nan")})
        for option in ("help", "format", "strict"):
            with self.assertRaises(TypeError):
                normbench.run(CONFIG, **{option: True})
        for wrong in ("", 3):
            with self.assertRaises(TypeError):
                normbench.run(CONFIG, out=wrong)
        with self.assertRaises(TypeError):
            normbench.compare("a", "b", out="c")
        self.assertEqual(list(self.folder.iterdir()), [])

    def test_values_are_json(self):
        text = normbench.check({**CONFIG, "about": "x"}, set={"source.layout": "nhwc"}, only=[], resume=None)
        self.assertIn("nhwc", text)
        with self.assertRaises(normbench.BadInput):
            normbench.check(CONFIG, set={"threads": "2"})  # a string, no number

    def test_numbers_of_numpy_are_numbers(self):
        class Eight:  # like numpy.int64(8)
            def tolist(self):
                return 8

        self.assertIn("8x3x16x16", normbench.check(CONFIG, set={}) + normbench.check(
            {**CONFIG, "defaults": {**CONFIG["defaults"], "source": {"batch": Eight(), "size": [16, 16]}}}))
        with self.assertRaisesRegex(TypeError, "a config cannot hold {1}"):
            normbench.check({**CONFIG, "about": {1}})
        for config in (5, [CONFIG]):
            with self.assertRaisesRegex(TypeError, "expected a config"):
                normbench.check(config)

    def test_a_folder_that_cannot_be_written_is_told(self):
        Path("file").write_text("")
        with self.assertRaises(normbench.NotWritten) as caught:
            normbench.run(CONFIG, out="file/out", progress=False)
        self.assertEqual(caught.exception.code, 5)

    def test_a_failed_case_is_told_with_the_results(self):
        peer = {**CONFIG, "peers": {"none": ["/bin/false"]}}
        peer["experiments"] = [{"name": "e", "variants": {"peer": {"peer": "none", "stages": ["normalize"]}, "own": ["normalize"]}}]
        with self.assertRaises(normbench.CaseFailed) as caught:
            normbench.run(peer, out="out", quick=True, allow_peers=True, progress=False)
        self.assertIn("e, peer: ", str(caught.exception))
        results = caught.exception.results
        self.assertEqual([case.status for case in results.cases], ["failed", "ok"])
        self.assertEqual(caught.exception.code, 1)

    def test_a_folder_with_results_is_not_overwritten(self):
        normbench.run(CONFIG, out="out", quick=True, no_profile=True, progress=False)
        before = Path("out/results.json").read_bytes()
        with self.assertRaises(normbench.Error):
            normbench.run(CONFIG, out="out", quick=True, no_profile=True, progress=False)
        self.assertEqual(Path("out/results.json").read_bytes(), before)

    def start(self, code, seconds):
        """Starts Python code that runs the config, and waits until the journal has rounds."""
        config = {**CONFIG, "measure": {"max_seconds_per_group": seconds, "precision": 0.0001}}
        Path("config.json").write_text(json.dumps(config))
        before = "import json, normbench\nconfig = json.load(open('config.json'))\n"
        child = subprocess.Popen([sys.executable, "-c", before + code], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                                 env={**os.environ, "PYTHONPATH": str(PYTHON)})
        journal = self.folder / "out/journal.jsonl"
        for _ in range(600):
            if journal.exists() and '"result"' in journal.read_text(errors="replace"):
                return child, config
            time.sleep(0.1)
        self.fail("no rounds in the journal")

    RUN = "try:\n    normbench.run(config, out='out', no_profile=True)\nexcept KeyboardInterrupt as why:\n    print(why)\n"

    def test_an_interrupt_keeps_what_is_there(self):
        for count in (1, 2):  # a second Ctrl-C soon after the first is that of an impatient user, or of timeout(1)
            child, config = self.start(self.RUN, 6)
            for _ in range(count):
                child.send_signal(signal.SIGINT)
                time.sleep(0.05)
            out, told = child.communicate(timeout=60)
            self.assertEqual(out, "interrupted; what was measured is in out\n", told)
            results = normbench.load("out")
            self.assertTrue(results.interrupted)
            if count == 1:
                shutil.rmtree("out")
        kept = len(results.cases[0].rounds["wall_ns"])
        resumed = normbench.run(config, resume="out", no_profile=True, progress=False)
        self.assertFalse(resumed.interrupted)
        self.assertGreater(len(resumed.cases[0].rounds["wall_ns"]), kept)

    def test_the_program_ends_with_its_caller(self):
        child, _ = self.start(self.RUN, 60)
        program = Path(f"/proc/{child.pid}/task/{child.pid}/children").read_text().split()
        self.assertEqual(len(program), 1)
        child.kill()
        child.communicate()
        for _ in range(200):
            if not Path(f"/proc/{program[0]}").exists():
                return
            time.sleep(0.1)
        self.fail("the program outlived Python")

    def test_it_is_measured_without_a_stderr(self):
        code = "import sys\nsys.stderr = None\nprint(normbench.run(config, out='other', quick=True, no_profile=True).name)\n"
        Path("config.json").write_text(json.dumps(CONFIG))
        done = subprocess.run([sys.executable, "-c", "import json, normbench\nconfig = json.load(open('config.json'))\n" + code],
                              capture_output=True, text=True, env={**os.environ, "PYTHONPATH": str(PYTHON)})
        self.assertEqual(done.stdout, "small\n", done.stderr)


class LoadTest(InAFolder):
    def test_every_kept_document(self):
        documents = sorted((SOURCE / "results").glob("*.json"))
        self.assertGreater(len(documents), 10)
        for document in documents:
            with self.subTest(document=document.name):
                results = normbench.load(document)
                rows = results.rows()
                self.assertEqual([(row["experiment"], row["status"]) for row in rows],
                                 [(case.experiment, case.status) for case in results.cases])
                for row, case in zip(rows, results.cases):
                    self.assertTrue(row["variant"].startswith(case.variant), row)
                    if case.status == "ok":
                        self.assertAlmostEqual(row["time_ms"], case.median_ms, delta=1e-9 * case.median_ms)

    def test_rounds(self):
        results = normbench.load(SOURCE / "results/quickstart-xeon-emr-2c-20261128.json")
        case = results.cases[0]
        document = json.loads((SOURCE / "results/quickstart-xeon-emr-2c-20261128.json").read_text())
        said = document["groups"][0]["cases"][0]["rounds"]["wall_ns"]
        self.assertEqual(list(case.rounds["wall_ns"]), said)
        rows = [row for row in results.round_rows() if row["variant"] == case.variant]
        self.assertEqual([row["wall_ns"] for row in rows], said)
        self.assertEqual([row["round"] for row in rows], list(range(len(said))))
        # Other cases have page faults, so the rows of this case have zeros in the column of page
        # faults. The document has no such column for this case.
        self.assertEqual({len(row) for row in results.round_rows()}, {len(rows[0])})
        json.dumps(results.data)

    def test_rounds_that_were_held_up_are_marked(self):
        results = normbench.load(SOURCE / "results/constants-epyc-zen5-2c-20261121.json")
        flags = [case.data.get("flags", {}).get("held up", []) for case in results.cases]
        self.assertGreater(sum(map(len, flags)), 0)
        rows = iter(results.round_rows())
        for case, held_up in zip(results.cases, flags):
            for number in range(len(case.data.get("rounds", {}).get("wall_ns", []))):
                row = next(rows)
                self.assertEqual((row["round"], row["held_up"]), (number, number in held_up))

    def test_a_folder_of_several_is_refused(self):
        def put(name, folder):
            Path(folder).mkdir()
            shutil.copy(SOURCE / f"results/{name}.json", Path(folder) / "results.json")

        put("quickstart-xeon-emr-2c-20261128", "one")
        alone = normbench.load(".")
        self.assertEqual(alone.path, str(self.folder.resolve() / "one"))
        rows = alone.rows()
        put("kernels-cpu-hd-xeon-emr-2c-20261128", "two")
        self.assertEqual(alone.rows(), rows)  # still those of the run that was loaded
        with self.assertRaises(normbench.BadInput):
            normbench.load(".")

    def test_verdicts_are_the_programs(self):
        results = normbench.load(SOURCE / "results/quickstart-xeon-emr-2c-20261128.json")
        self.assertEqual(results.groups[0].verdict["winner"], "fused")

    def test_what_is_no_document_is_refused(self):
        Path("wrong.json").write_text('{"schema": 1, "groups": 3}')
        with self.assertRaises(normbench.BadInput) as caught:
            normbench.load("wrong.json")
        self.assertTrue(caught.exception.mistakes)
        with self.assertRaises(normbench.BadInput):
            normbench.load("none.json")

    def test_the_frame_of_a_notebook_holds_the_page(self):
        results = normbench.load(SOURCE / "results/quickstart-xeon-emr-2c-20261128.json")
        frame = results._repr_html_()
        self.assertTrue(frame.startswith('<iframe srcdoc="'))
        self.assertEqual(frame.count('"'), 8)  # those of the frame's attributes
        self.assertIn("&lt;title&gt;", frame)
        # Links within the page lead to the page, and its rounds can be saved.
        self.assertIn("&lt;head&gt;&lt;base href=&quot;about:srcdoc&quot;&gt;", frame)
        self.assertIn("allow-downloads", frame)

    def test_a_file_that_was_changed_is_not_mixed_with_what_was_loaded(self):
        shutil.copy(SOURCE / "results/quickstart-xeon-emr-2c-20261128.json", "one.json")
        results = normbench.load("one.json")
        self.assertEqual(len(results.rows()), len(results.cases))
        shutil.copy(SOURCE / "results/kernels-cpu-hd-xeon-emr-2c-20261128.json", "one.json")
        for ask in (results.rows, results.text, results.html, lambda: list(results.round_rows())):
            with self.assertRaisesRegex(normbench.Error, "load it again"):
                ask()
        Path("one.json").unlink()
        with self.assertRaisesRegex(normbench.Error, "load it again"):
            results.rows()


class CompareTest(InAFolder):
    def test_a_document_with_itself(self):
        document = SOURCE / "results/quickstart-xeon-emr-2c-20261128.json"
        done = normbench.compare(document, document)
        self.assertFalse(done.slower)
        self.assertEqual(done.gate, "undecided")
        self.assertEqual(repr(done), "<Comparison: undecided>")
        results = normbench.load(document)
        self.assertEqual(normbench.compare(results, results).data["gate"], "undecided")

    def test_a_slower_side_is_found(self):
        document = json.loads((SOURCE / "results/quickstart-xeon-emr-2c-20261128.json").read_text())
        for minute, (side, factor) in enumerate((("base", 1), ("new", 3))):
            for run in range(6):
                changed = json.loads(json.dumps(document))
                changed["environment"]["date"] = f"2026-11-28T0{run}:0{minute}:00Z"
                for group in changed["groups"]:
                    for case in group["cases"]:
                        if case["variant"] == "fused":
                            for clock in ("wall_ns", "cpu_ns"):
                                case["rounds"][clock] = [factor * ns + run for ns in case["rounds"][clock]]
                folder = Path(side) / str(run)
                folder.mkdir(parents=True)
                (folder / "results.json").write_text(json.dumps(changed))
        self.assertTrue(normbench.compare("base", "new").slower)
        self.assertFalse(normbench.compare("new", "base").slower)

    def test_other_machines_are_refused(self):
        with self.assertRaises(normbench.NotComparable):
            normbench.compare(SOURCE / "results/quickstart-xeon-emr-2c-20261128.json",
                              SOURCE / "results/quickstart-epyc-zen5-2c-20261121.json")


class ModuleTest(unittest.TestCase):
    def test_exceptions_go_through_pickle(self):
        mistakes = [normbench.Mistake("a.json", "/x", "wrong")]
        for error in (normbench.BadInput("a", 2, mistakes), normbench.Error("b", -9), normbench.NotComparable("c", 3),
                      normbench.CaseFailed("d", 1, None)):
            same = pickle.loads(pickle.dumps(error))
            self.assertEqual((type(same), str(same), vars(same)), (type(error), str(error), vars(error)))

    def test_its_parts_are_there_when_asked_for(self):
        code = "import sys, normbench\nprint('normbench.peer' in sys.modules, normbench.peer.variant.__name__)"
        done = subprocess.run([sys.executable, "-c", code], env={**os.environ, "PYTHONPATH": str(PYTHON)}, capture_output=True, text=True)
        self.assertEqual(done.stdout, "False variant\n", done.stderr)
        self.assertRegex(normbench.__version__, r"^\d+\.\d+\.\d+$")
        with self.assertRaisesRegex(AttributeError, "module 'normbench' has no attribute 'none'"):
            normbench.none


class ProgramTest(unittest.TestCase):
    def test_a_package_without_its_program_tells_so(self):
        with tempfile.TemporaryDirectory() as folder:
            shutil.copytree(PYTHON / "normbench", Path(folder) / "normbench")
            done = subprocess.run([sys.executable, "-c", "import normbench; normbench.check('quickstart')"], cwd=folder,
                                  env={**os.environ, "PYTHONPATH": folder}, capture_output=True, text=True)
            self.assertIn("normbench._errors.Error: the program of this package is gone", done.stderr)

    def test_the_module_is_the_program(self):
        done = subprocess.run([sys.executable, "-m", "normbench", "--version"], env={**os.environ, "PYTHONPATH": str(PYTHON)},
                              capture_output=True, text=True)
        own = subprocess.run([PROGRAM, "--version"], capture_output=True, text=True)
        self.assertEqual(done.stdout, own.stdout)


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0], "-v", *sys.argv[3:]])
