"""Tests `normbench reproduce` with the real binary: what it lists, runs, judges and refuses.

usage: reproduce_test.py NORMBENCH ROOT
"""

import json
import os
import pathlib
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import unittest

# A shell that starts this in the background has Ctrl-C ignored, also in the programs that are started here.
signal.signal(signal.SIGINT, signal.default_int_handler)
NORMBENCH, ROOT = (pathlib.Path(path).resolve() for path in sys.argv[1:3])
IDS = [f"{letter}{i}" for letter, count in zip("ABCDF", (8, 12, 5, 5, 12)) for i in range(1, count + 1)]

CPU = {
    "name": "chains",
    "ids": ["A1", "A2"],
    "question": "How long?",
    "source": {"batch": 1, "size": [64, 64]},
    "baseline": "once",
    "variants": {"once": ["copy"], "nine times": ["copy"] * 9},
    "published": [
        {"ids": ["A1"], "variant": "nine times", "wall_ms": 175.5, "where": "a table"},
        {"ids": ["A1"], "variant": "once", "stage": "copy", "wall_ms": 5, "items": 10, "where": "a table"},
    ],
    "claims": [
        {"ids": ["A2"], "text": "a thousand times faster", "expects": ["once", "<", "nine times"], "ratio": 1000},
        {"ids": ["A2"], "text": "the other way round", "expects": ["nine times", "<", "once"]},
    ],
}
GPU = {
    "name": "send",
    "ids": ["A5"],
    "question": "How long?",
    "source": {"batch": 1, "size": [64, 64]},
    "variants": {"there": ["h2d"], "there and back": ["h2d", "d2h", "h2d"]},
    "claims": [{"ids": ["A5"], "text": "there is faster", "expects": ["there", "<", "there and back"]}],
}


class Reproduce(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.dir = pathlib.Path(folder.name)
        self.configs = self.dir / "configs"
        self.configs.mkdir()
        for name, experiment in (("cpu", CPU), ("gpu", GPU)):
            config = {"schema": 1, "name": name, "about": "A test.", "experiments": [experiment]}
            (self.configs / f"{name}.json").write_text(json.dumps(config))

    def normbench(self, *words, code=0):
        done = subprocess.run([NORMBENCH, "reproduce", *words], cwd=self.dir, capture_output=True, text=True, timeout=120)
        self.assertEqual(done.returncode, code, done.stderr + done.stdout)
        return done

    def rows(self, *words, code=0):
        out = self.normbench("--configs", str(self.configs), "--format", "json", *words, code=code).stdout
        return json.loads(out)["reproduction"]

    def test_lists_every_id_with_a_config_or_the_reason_for_none(self):
        lines = self.normbench("--list", "--configs", str(ROOT / "configs")).stdout.splitlines()
        listed = [line.split()[0] for line in lines if re.match(r"  [A-F]\d+ ", line)]
        self.assertEqual(listed, IDS)
        self.assertLessEqual(max(map(len, lines)), 100)
        blocks = re.findall(r"^  ([A-F]\d+) (.*)\n((?:    .*\n)+)", "\n".join(lines) + "\n", flags=re.M)
        self.assertEqual([block[0] for block in blocks], IDS)
        for _, _, below in blocks:
            self.assertRegex(below, r"[a-z0-9-]+/[a-z0-9-]+\n$|\(.+\)\n$")
        self.assertIn("GPU", dict(block[:2] for block in blocks)["A5"])

    def publish(self, *experiments):
        """Writes publications into the folder of configs. The program uses them instead of its own.
        Returns their file."""
        folder = self.configs / "publications"
        folder.mkdir(exist_ok=True)
        talk = {"name": "talk", "origin": "a talk", "says": "It copies.", "experiments": list(experiments)}
        (folder / "experiments.json").write_text(json.dumps({"schema": 1, "publications": [talk]}))
        return folder / "experiments.json"

    def test_configs_may_bring_publications_of_their_own(self):
        self.publish({"id": "A2", "about": "copies"}, {"id": "Z1", "about": "more", "missing": "later"})
        listed = self.normbench("--list", "--configs", str(self.configs)).stdout
        self.assertRegex(listed, r"^  A2  talk.*\n      copies\n      cpu/chains\n  Z1  talk\n      more\n      \(later\)\n  talk: a talk\n$")
        self.assertIn('unknown source or id "A1"', self.normbench("A1", "--configs", str(self.configs), code=2).stderr)

    def test_a_reproduction_is_shown_with_the_publications_it_was_made_with(self):
        self.publish({"id": "A2", "about": "copies"}, {"id": "A5", "about": "sends"}, {"id": "Z2", "about": "has no config"})
        made = self.rows("--quick", "--out", "out")
        self.assertEqual([row["why"] for row in made if row["id"] == "Z2"], ["no config has it"])
        shown = json.loads(self.normbench("--from", "out", "--format", "json").stdout)["reproduction"]
        self.assertEqual([row for row in shown if row["id"] != "Z2"], [row for row in made if row["id"] != "Z2"])
        self.rows("A2", "Z2", "--quick", "--out", "one")
        shown = json.loads(self.normbench("--from", "one", "--format", "json").stdout)["reproduction"]
        self.assertEqual({row["id"] for row in shown}, {"A2", "Z2"})  # the ids that the run was asked for
        (self.dir / "kept").mkdir()
        shutil.copy(self.dir / "out/cpu/results.json", self.dir / "kept/a.json")
        kept = self.normbench("--from", "kept", "--configs", str(self.configs))
        self.assertIn("A5, Z2: no document has it", kept.stdout)
        self.assertEqual(kept.stderr, "normbench: ids in documents that no publication has: A1\n")
        self.configs.rename(self.dir / "moved")
        gone = self.normbench("--from", "one", "--format", "json").stdout  # with the program's publications
        self.assertEqual({row["id"] for row in json.loads(gone)["reproduction"]}, set(IDS))

    def test_a_folder_of_configs_may_hold_what_init_writes(self):
        subprocess.run([NORMBENCH, "init", "mine.jsonc"], cwd=self.configs, capture_output=True, check=True, timeout=60)
        (self.configs / "reproduce.json").write_text("{}")
        listed = subprocess.run([NORMBENCH, "list", "configs", "--configs", self.configs], capture_output=True, text=True, timeout=60)
        self.assertEqual(listed.returncode, 0, listed.stderr)
        self.assertRegex(listed.stdout, r"(?m)^  mine ")

    def test_a_list_says_which_ids_do_not_match(self):
        self.publish({"id": "A2", "about": "copies"}, {"id": "Z2", "about": "more"})
        listed = self.normbench("--list", "--configs", str(self.configs))
        self.assertRegex(listed.stdout, r"  Z2  talk\n      more\n      \(no config has it\)\n")
        self.assertEqual(listed.stderr, "normbench: ids in configs that no publication has: A1, A5\n")

    def test_publications_of_nothing_are_a_mistake(self):
        file = self.publish()
        refused = self.normbench("--list", "--configs", str(self.configs), code=2).stderr
        self.assertIn(f"{file}:/publications/0/experiments: is an empty list (expected one or more)", refused)
        file.write_text('{"schema": 1, "publications": []}')
        refused = self.normbench("--list", "--configs", str(self.configs), code=2).stderr
        self.assertIn(f"{file}:/publications: is an empty list (expected one or more)", refused)

    def test_mistakes_in_publications_are_told_as_those_of_configs(self):
        file = self.publish({"id": "A2"}, {"id": "A2", "abuot": "copies"})
        done = self.normbench("--list", "--configs", str(self.configs), code=2)
        self.assertEqual(done.stderr.splitlines(), [
            f'{file}:/publications/0/experiments/0: no "about" (what it measures)',
            f'{file}:/publications/0/experiments/1/id: "A2" is there twice (expected another word)',
            f'{file}:/publications/0/experiments/1: no "about" (what it measures)',
            f'{file}:/publications/0/experiments/1/abuot: unknown key "abuot" (did you mean "about"?)',
            "4 mistakes; nothing was run"])

    def test_judges_by_size_and_says_what_cannot_run(self):
        rows = self.rows("blog", "B1", "--quick", "--out", "out")
        by_id = {id: [row for row in rows if row["id"] == id] for id in IDS[:9]}
        sized, reversed_ = by_id["A2"]
        self.assertEqual((sized["published"], sized["verdict"]), ({"low": 1000, "high": 1000}, "direction only"))
        self.assertLess(1, sized["here"]["low"])
        self.assertLessEqual(sized["here"]["value"], sized["here"]["high"])
        self.assertEqual((reversed_["published"], reversed_["verdict"]), (None, "contradicted"))
        whole, stage = by_id["A1"]
        self.assertEqual((whole["claimed"], whole["unit"], whole["of"]), ("nine times", "ms", "wall"))
        self.assertEqual((stage["claimed"], stage["published"]), ("once: copy", 0.5))
        self.assertGreater(whole["here"], stage["here"])
        [sent] = by_id["A5"]
        if sent["verdict"] == "not testable here":
            self.assertEqual((sent["why"], sent["here"]), ("no GPU", None))
        [none] = by_id["B1"]
        self.assertEqual(none["verdict"], "not run")
        self.assertTrue(none["why"].startswith("nothing is timed"), none["why"])
        for name in ("cpu", "gpu"):
            self.assertTrue((self.dir / "out" / name / "results.json").exists())

    def test_goes_on_as_it_was_asked_for_and_writes_over_nothing(self):
        self.rows("A1", "A5", "--quick", "--out", "out")
        document = self.dir / "out/cpu/results.json"
        before = document.read_text()
        refused = self.normbench("A1", "--configs", str(self.configs), "--out", "out", code=2)
        self.assertIn("reproduce --resume out", refused.stderr)
        shutil.rmtree(self.dir / "out/gpu")
        resumed = self.normbench("--resume", "out", "--format", "json")
        self.assertEqual({row["id"] for row in json.loads(resumed.stdout)["reproduction"]}, {"A1", "A5"})
        self.assertEqual(json.loads(document.read_text())["groups"], json.loads(before)["groups"])
        self.assertTrue(json.loads((self.dir / "out/gpu/results.json").read_text())["quick"])
        for words, why in ((["A1", "--resume", "out"], "leave out A1"), (["--resume", "out", "--quick"], "leave out --quick"),
                           (["--resume", "typo"], "holds no reproduction")):  # fmt: skip
            self.assertIn(why, self.normbench(*words, code=2).stderr)
        self.assertFalse((self.dir / "typo").exists())

    def test_shows_kept_documents_and_runs_nothing(self):
        made = self.rows("A1", "A2", "--quick", "--machine", "some machine", "--out", "out")
        document = json.loads((self.dir / "out/cpu/results.json").read_text())
        self.assertEqual(document["environment"]["host"], "some machine")
        (self.dir / "kept").mkdir()
        shutil.copy(self.dir / "out/cpu/results.json", self.dir / "kept/a name.json")
        before = (self.dir / "out/cpu/results.json").stat().st_mtime_ns
        for folder in ("out", "kept"):  # the folder of a run; a folder of single files
            shown = self.normbench("A1", "A2", "--from", folder, "--format", "json").stdout
            self.assertEqual(json.loads(shown)["reproduction"], made)
        self.assertRegex(self.normbench("A2", "--from", "kept").stdout, r"^  id +claimed")
        page = self.normbench("A2", "--from", "kept", "--format", "findings").stdout
        self.assertIn("`normbench reproduce A2 --from kept --format findings` renders it", page)
        self.assertIn("Measured on some machine (", page)
        self.assertIn("## blog: ", page)
        self.assertNotIn("## slides", page)
        self.assertIn('"the other way round" (A2) is **contradicted**: ', page)
        self.assertIn("[cpu](<../kept/a name.json>)", page)
        self.assertEqual((self.dir / "out/cpu/results.json").stat().st_mtime_ns, before)
        self.assertEqual(sorted(os.listdir(self.dir)), ["configs", "kept", "out"])

    def test_kept_documents_that_cannot_be_read_are_named(self):
        self.rows("A1", "--quick", "--out", "out")
        whole = (self.dir / "out/cpu/results.json").read_text()
        (self.dir / "out/loose.json").write_text(whole[: len(whole) // 2].rstrip("} \n"))
        for command in ([NORMBENCH, "reproduce", "--from", "out"], [NORMBENCH, "report", "out"]):
            failed = subprocess.run(command, cwd=self.dir, capture_output=True, text=True, timeout=60)
            self.assertEqual((failed.returncode, failed.stdout), (2, ""))
            self.assertRegex(failed.stderr, r"out/loose\.json: .*\(it seems to be cut off\)")
        self.assertIn("no results.json", self.normbench("--from", "configs", code=2).stderr)
        for words in (["--list"], ["--quick"], ["--out", "x"], ["--allow-peers"], ["--resume", "x"]):
            refused = self.normbench("--from", "out", *words, code=2)
            self.assertIn(f"--from runs nothing, it shows documents: leave out {words[0]}", refused.stderr)

    def test_the_page_of_findings_is_that_of_the_kept_documents(self):
        words = ["--from", "results/reproduce", "--format", "findings"]
        made = subprocess.run([NORMBENCH, "reproduce", *words], cwd=ROOT, capture_output=True, text=True, timeout=60)
        self.assertEqual(made.returncode, 0, made.stderr)
        self.assertTrue(
            made.stdout == (ROOT / "docs/findings.md").read_text(),
            f"docs/findings.md is another page: normbench reproduce {' '.join(words)} > docs/findings.md",
        )
        for link in re.findall(r"\]\(<?(.+?)>?\)", made.stdout):
            self.assertTrue((ROOT / "docs" / link).exists(), link)
        for kept in (ROOT / "results/reproduce").glob("*.json"):
            self.assertLess(kept.stat().st_size, 1_000_000, kept.name)
            self.assertNotRegex(kept.read_text(), "/(home|root|tmp|work|Users)/", f"{kept.name} holds a path of its machine")

    def test_readme_has_a_line_for_each_source(self):
        readme = (ROOT / "README.md").read_text()
        for source in ("blog", "pix2pix", "torchvision", "group-norm", "slides"):
            self.assertIn(f"| `normbench reproduce {source} --allow-peers` |", readme)
        self.assertIn("docs/findings.md", readme)

    def test_lists_configs_with_what_they_need(self):
        lines = subprocess.run([NORMBENCH, "list", "configs", "--configs", ROOT / "configs"],
                               capture_output=True, text=True, check=True, timeout=120).stdout.splitlines()  # fmt: skip
        self.assertLessEqual(max(map(len, lines)), 100)
        rows = {line.split()[0]: line for line in lines if re.match(r"  [a-z]", line)}
        self.assertEqual(set(rows), {path.stem for path in (ROOT / "configs").glob("*.json")})
        self.assertRegex(rows["blog-cpu"], r"^  blog-cpu · 2 peers, [\d.]+ [GM]B · budget \d+ s$")
        self.assertRegex(lines[lines.index(rows["blog-cpu"]) + 1], "^    The CPU half")
        self.assertRegex(rows["peers-gpu"], r"GPU( \(.+\))?, \d+ peers")
        refused = subprocess.run([NORMBENCH, "list", "ops", "--configs", "x"], capture_output=True, text=True, timeout=60)
        self.assertEqual((refused.returncode, refused.stdout), (2, ""))

    def test_what_has_nothing_to_run_leaves_no_folder(self):
        rows = self.rows("A8", "B1")
        self.assertEqual([row["verdict"] for row in rows], ["not run"] * 2)
        self.assertEqual(os.listdir(self.dir), ["configs"])

    def test_a_signal_ends_the_run_too_and_the_line_goes_on(self):
        config = json.loads((self.configs / "cpu.json").read_text())
        config["measure"] = {"max_seconds_per_group": 60, "precision": 1e-6}
        (self.configs / "cpu.json").write_text(json.dumps(config))
        run = subprocess.Popen([NORMBENCH, "reproduce", "A1", "A5", "--configs", self.configs, "--out", "out"], cwd=self.dir,
                               stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)  # fmt: skip
        self.addCleanup(run.kill)
        journal = self.dir / "out/cpu/journal.jsonl"
        end = time.monotonic() + 60
        while not journal.exists() and time.monotonic() < end:
            time.sleep(0.05)
        time.sleep(0.5)
        run.send_signal(signal.SIGTERM)  # only the parent process gets it
        shown, said = run.communicate(timeout=60)
        self.assertEqual(run.returncode, 130, said)
        self.assertIn("A5: the run was interrupted before it", shown)
        self.assertTrue((self.dir / "out/cpu/results.json").exists())
        self.assert_goes_on(said)

    def assert_goes_on(self, said):
        """Checks that the command that `said` ends with goes on with the reproduction."""
        [line] = re.findall(r"; continue with: normbench (reproduce --resume out.*)\n", said)
        resumed = subprocess.Popen([NORMBENCH, *line.split()], cwd=self.dir, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
        self.addCleanup(resumed.kill)
        while "cpu (chains)" not in resumed.stderr.readline():
            self.assertIsNone(resumed.poll())
        resumed.send_signal(signal.SIGINT)
        _, said = resumed.communicate(timeout=60)
        self.assertEqual(resumed.returncode, 130, said)

    def test_whoever_starts_it_may_ignore_ends_of_children(self):
        command = [NORMBENCH, "reproduce", "A2", "--configs", self.configs, "--quick", "--out", "out"]
        done = subprocess.run(command, cwd=self.dir, capture_output=True, text=True, timeout=60,
                              preexec_fn=lambda: signal.signal(signal.SIGCHLD, signal.SIG_IGN))  # fmt: skip
        self.assertEqual(done.returncode, 0, done.stderr)

    def test_a_second_signal_says_how_to_go_on(self):
        config = json.loads((self.configs / "cpu.json").read_text())
        config["measure"] = {"max_seconds_per_group": 60, "precision": 1e-6}
        config["experiments"][0]["source"] = {"batch": 64, "size": [1080, 1920]}  # long turns
        (self.configs / "cpu.json").write_text(json.dumps(config))
        run = subprocess.Popen([NORMBENCH, "reproduce", "A1", "--configs", self.configs, "--out", "out", "--allow-peers"],
                               cwd=self.dir, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)  # fmt: skip
        self.addCleanup(run.kill)
        end = time.monotonic() + 60
        while not (self.dir / "out/cpu/journal.jsonl").exists() and time.monotonic() < end:
            time.sleep(0.05)
        (child,) = pathlib.Path(f"/proc/{run.pid}/task/{run.pid}/children").read_text().split()
        os.kill(int(child), signal.SIGSTOP)  # so that it does not end before the second signal
        self.addCleanup(lambda: self.is_running(child) and os.kill(int(child), signal.SIGKILL))
        run.send_signal(signal.SIGINT)
        time.sleep(0.3)  # a second signal sooner than that counts as the first one, sent twice
        run.send_signal(signal.SIGINT)
        run.wait(timeout=60)
        os.kill(int(child), signal.SIGCONT)
        _, said = run.communicate(timeout=60)
        self.assertEqual(run.returncode, 130, said)
        self.assertIn("normbench: stopped at once; continue with: ", said)
        self.assertNotIn("normbench run --resume", said)
        self.assert_goes_on(said)

    def test_a_run_ends_with_the_reproduction_that_started_it(self):
        config = json.loads((self.configs / "cpu.json").read_text())
        config["measure"] = {"max_seconds_per_group": 60, "precision": 1e-6}
        (self.configs / "cpu.json").write_text(json.dumps(config))
        run = subprocess.Popen([NORMBENCH, "reproduce", "A1", "--configs", self.configs, "--out", "out"], cwd=self.dir,
                               stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)  # fmt: skip
        self.addCleanup(run.kill)
        end = time.monotonic() + 60
        journal = self.dir / "out/cpu/journal.jsonl"
        while not (journal.exists() and '"result"' in journal.read_text()) and time.monotonic() < end:
            time.sleep(0.05)
        (child,) = pathlib.Path(f"/proc/{run.pid}/task/{run.pid}/children").read_text().split()
        run.kill()
        run.wait()
        while self.is_running(child) and time.monotonic() < end:
            time.sleep(0.05)
        self.assertFalse(self.is_running(child))
        self.assertTrue((self.dir / "out/cpu/results.json").exists())

    def is_running(self, process):
        try:
            return pathlib.Path(f"/proc/{process}/stat").read_text().rsplit(")", 1)[1].split()[0] != "Z"
        except FileNotFoundError:
            return False

    def test_mistakes_of_a_config_are_told_before_anything_runs(self):
        (self.configs / "gpu.json").write_text(json.dumps({
            "schema": 1, "name": "gpu", "experiments": [{**GPU, "variants": {"there": ["h3d"]}, "claims": []}]}))
        failed = self.normbench("A1", "A5", "--configs", str(self.configs), "--out", "out", code=2)
        self.assertIn('unknown op "h3d"', failed.stderr)
        self.assertFalse((self.dir / "out").exists())

    def test_text_and_markdown_are_tables(self):
        text = self.normbench("A2", "--configs", str(self.configs), "--quick", "--out", "out").stdout
        self.assertRegex(text, r"^  id +claimed +published +here +verdict\n")
        self.assertRegex(text, r"\n  1 of 1 experiment ran here\.\n$")
        markdown = self.normbench("--resume", "out", "--format", "markdown").stdout
        self.assertRegex(markdown, r"^\| id \| claimed \| published \| here \| verdict \| why \|\n")

    def test_refuses_what_it_does_not_know(self):
        refused = self.normbench("blogg", "Z9", code=2)
        self.assertIn('unknown source or id "blogg" (did you mean "blog"?)', refused.stderr)
        self.assertIn('"Z9"', refused.stderr)
        refused = self.normbench("--configs", "nowhere", code=2)
        self.assertIn("nowhere", refused.stderr)
        self.assertIn("leave out --format", self.normbench("--list", "--format", "json", code=2).stderr)


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0], *sys.argv[3:]], verbosity=2)
