"""Tests that the real binary overwrites only files of its own: no inputs, no other files, no links. Also tests that
it reads back what it wrote, of any size.

usage: own_files_test.py NORMBENCH SOURCE_DIR [unittest arguments]

NORMBENCH_LARGE_MB: size of the large document in MB (default: 20). The times and the memory for it are printed.
"""

import copy
import gzip
import json
import os
import re
import resource
import shutil
import stat
import subprocess
import sys
import tempfile
import time
import unittest
from pathlib import Path

NORMBENCH = Path(sys.argv[1]).resolve()
SOURCE = Path(sys.argv[2]).resolve()
KEPT = SOURCE / "results/quickstart-xeon-480m-2c-20261123.json"
LARGE_MB = int(os.environ.get("NORMBENCH_LARGE_MB", 20))
SMALL = {
    "schema": 1,
    "name": "small",
    "measure": {"max_seconds_per_group": 0.05, "precision": 0.2, "cache": "hot"},
    "profile": {"active": 2},
    "experiments": [{"name": "sizes", "source": {"batch": 1, "size": [64, 64]},
                     "variants": {"fused": [{"op": "normalize", "mean": [1, 2, 3], "std": [1, 1, 1]}]}}],
}
OUTPUTS = ("journal.jsonl", "report.html", "results.json", "table.txt", "trace.json")


class FilesCase(unittest.TestCase):
    maxDiff = None

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.dir = Path(folder.name).resolve()
        (self.dir / "tmp").mkdir()
        self.config = self.dir / "config.json"
        self.config.write_text(json.dumps(SMALL))
        shutil.copy(KEPT, self.dir / "doc.json")

    def normbench(self, *args, code=0, **kwargs):
        done = subprocess.run([NORMBENCH, *map(str, args)], timeout=300, text=True, cwd=self.dir,
                              **{"capture_output": True, "env": {**os.environ, "TMPDIR": str(self.dir / "tmp")}, **kwargs})
        self.assertEqual(done.returncode, code, done.stderr)
        return done

    def run_config(self, *args, **kwargs):
        return self.normbench("run", "--config", self.config, "--quiet", *args, **kwargs)

    def everything(self):
        """Returns the content of the folder: the targets of links, and the bytes and inodes of files."""
        return {path.relative_to(self.dir): (path.lstat().st_ino, os.readlink(path) if path.is_symlink() else
                                             path.read_bytes() if path.is_file() else "")
                for path in sorted(self.dir.rglob("*"))}

    def refused(self, *args, lines, code=2):
        before = self.everything()
        done = self.normbench(*args, code=code)
        self.assertEqual(done.stderr, "".join(f"normbench: {line}\n" for line in lines))
        self.assertEqual(done.stdout, "")
        self.assertEqual(self.everything(), before)


class OutputTest(FilesCase):
    """Tests --out FILE."""

    def commands(self):
        """Returns the commands that write to --out, with their inputs."""
        self.run_config("--out", "run")
        return {
            ("compare", "doc.json", "doc.json", "--format", "markdown"): ["doc.json"],
            ("compare", "doc.json", "run", "--force"): ["doc.json", "run/results.json"],
            ("report", "run"): ["run/results.json"],
            ("report", "run", "doc.json", "--format", "json"): ["doc.json", "run/results.json"],
            ("report", "run", "--table", "stats", "--format", "csv"): ["run/results.json"],
            ("table", "run"): ["run/trace.json"],
            ("table", "run/trace.json", "--format", "json"): ["run/trace.json"],
            ("schema",): [],
            ("calibrate", "--pairs", "1"): [],
        }

    def test_inputs_are_never_outputs(self):
        for command, inputs in self.commands().items():
            for name in inputs:
                (self.dir / "link").symlink_to(name)
                (self.dir / "hard").hardlink_to(self.dir / name)
                for out in (name, self.dir / name, f"tmp/../{name}", "link", "hard"):
                    with self.subTest(command, out=out):
                        self.refused(*command, "--out", out,
                                     lines=[f"--out {out}: is one of the inputs (name another file)"])
                (self.dir / "link").unlink()
                (self.dir / "hard").unlink()

    def test_what_is_kept_is_an_input_of_calibrate(self):
        state = self.dir / "state/normbench/calibration.json"
        env = {**os.environ, "XDG_STATE_HOME": str(self.dir / "state")}
        done = self.normbench("calibrate", "--pairs", 1, "--out", state, env=env, code=2)
        self.assertIn("is one of the inputs", done.stderr)
        state.parent.mkdir(parents=True)
        state.write_text('{"schema": 2}')
        done = self.normbench("calibrate", "--pairs", 1, env=env, code=2)
        self.assertEqual(done.stderr, f"normbench: {state}: no calibrations of this version in it "
                                      "(move it: calibrations are kept there)\n")
        self.assertEqual(state.read_text(), '{"schema": 2}')

    def test_what_normbench_did_not_write_is_left_alone(self):
        others = {"mine.txt": "mine\n", "mine.json": '{"schema": 1, "name": "config"}', "mine.html": "<html></html>",
                  "mine.xml": '<testsuites name="pytest"></testsuites>', "mine.csv": "a,b\n1,2\n", "mine.md": "# Mine\n",
                  "times.csv": "name,count,mean,min,p50,p95,max\n", "list.txt": "3 regressed tests to look at tomorrow\n",
                  "mail.txt": "Re: Profile of the applicant\n", "damaged.gz": b"\x1f\x8bgarbage",
                  "cut.gz": gzip.compress(b"x" * 100)[:-20], "empty.gz": gzip.compress(b"")}
        for command in self.commands():
            for name, content in others.items():
                (self.dir / name).write_bytes(content if isinstance(content, bytes) else content.encode())
                with self.subTest(command, out=name):
                    self.refused(*command, "--out", name,
                                 lines=[f"--out {name}: is there, and normbench did not write it (remove it, or name "
                                        "another file)"])

    def test_measurements_are_never_replaced(self):
        self.run_config("--out", "run")
        self.run_config("--out", "other")
        self.normbench("report", "run", "doc.json", "--format", "json", "--out", "both.json")
        for command in (("report", "run"), ("report", "run", "--format", "json"),
                        ("report", "run", "doc.json", "--format", "json")):
            for out in ("other/results.json", "other/trace.json", "other/journal.jsonl", "both.json"):
                with self.subTest(command, out=out):
                    self.refused(*command, "--out", out, lines=[f"--out {out}: is there, and holds measurements (remove it, "
                                                                "or name another file)"])

    def test_a_list_beside_documents_is_none_of_them(self):
        (self.dir / "docs").mkdir()
        shutil.copy(KEPT, self.dir / "docs/doc.json")
        self.normbench("report", "doc.json", "docs/doc.json", "--format", "json", "--out", "docs/both.json")
        self.assertEqual(self.normbench("report", "docs").stdout, self.normbench("report", "doc.json").stdout)

    def test_its_own_files_are_replaced_again_and_again(self):
        (self.dir / "empty").write_text("")
        self.run_config("--out", "run")
        made = [("compare", "doc.json", "doc.json", "--format", form)
                for form in ("text", "markdown", "html", "json", "junit")]
        made += [("report", "run", "--format", form) for form in ("text", "table", "html")]
        made += [("report", "run", "--table", kind, "--format", form) for kind in ("torch", "stats")
                 for form in ("text", "csv", "json", "markdown")]
        made += [("table", "run", "--table", kind, "--format", form) for kind in ("torch", "stats")
                 for form in ("csv", "json", "markdown")]
        made += [("report", "run", "--table", "answer", "--format", form) for form in ("text", "csv", "json", "markdown")]
        made += [("table", "run", "--table", "stats"), ("schema",), ("schema", "--of", "results")]
        for command in made:
            out = self.dir / "_".join(command).replace("/", "-")
            with self.subTest(command):
                self.normbench(*command, "--out", out)
                first = out.read_bytes()
                self.assertGreater(len(first), 0)
                self.normbench(*command, "--out", out)
                self.assertEqual(out.read_bytes(), first)
        self.normbench("report", "run", "--out", "empty")
        # PyTorch writes tables that look the same, so a table does not show that normbench wrote
        # it.
        self.normbench("table", "run", "--out", "torch.txt")
        self.refused("table", "run", "--out", "torch.txt",
                     lines=["--out torch.txt: is there, and normbench did not write it (remove it, or name another file)"])

    def test_links_are_not_written_through(self):
        (self.dir / "target").write_text("")
        for name, target in (("link", "target"), ("dangling", "absent"), ("out", "/dev/stdout")):
            (self.dir / name).symlink_to(target)
            self.refused("schema", "--out", name, lines=[f"--out {name}: it is a link (name the file itself)"])

    def test_a_link_beside_the_output_is_not_followed(self):
        (self.dir / "target").write_text("mine")
        # normbench's temporary file has the process id in its name. exec keeps the shell's process
        # id, so that the shell knows the name.
        subprocess.run(["sh", "-c", 'ln -s target schema.json.$$.tmp && exec "$0" schema --out schema.json', NORMBENCH],
                       cwd=self.dir, check=True)
        self.assertEqual((self.dir / "target").read_text(), "mine")
        self.assertEqual(json.loads((self.dir / "schema.json").read_text())["title"], "normbench config")

    def test_a_pipe_is_not_the_output(self):
        done = subprocess.run(["bash", "-c", '"$0" report <(cat doc.json) --out "$1"', NORMBENCH, "x" * 300],
                              cwd=self.dir, capture_output=True, text=True)
        self.assertEqual(done.stderr, f"normbench: cannot write {'x' * 300}: File name too long\n")
        self.assertEqual(done.returncode, 5)


class FolderTest(FilesCase):
    """Tests run --out DIR."""

    def test_files_of_others_are_named_and_left_alone(self):
        out = self.dir / "foreign"
        out.mkdir()
        for name in ("report.html", "table.txt", "trace.json", "trace.json.gz", "results.json", "journal.jsonl"):
            (out / name).write_text("mine\n")
        (out / "other.txt").write_text("mine")
        self.refused("run", "--config", self.config, "--out", "foreign",
                     lines=["foreign holds what a run would write over: journal.jsonl, table.txt, report.html, "
                            "results.json, trace.json, trace.json.gz (another --out, or move them)"])
        for path in out.iterdir():
            if path.name not in ("report.html", "other.txt"):
                path.unlink()
        self.refused("run", "--config", self.config, "--out", "foreign",
                     lines=["foreign holds what a run would write over: report.html (another --out, or move it)"])
        (out / "report.html").unlink()
        for name in ("results.json.17.tmp", "mine.tmp"):
            (out / name).write_text("mine")
        self.run_config("--out", "foreign")
        self.assertEqual({path.name for path in out.iterdir()},
                         {*OUTPUTS, "other.txt", "results.json.17.tmp", "mine.tmp"})

    def test_several_configs_name_all_of_them(self):
        other = self.dir / "other.json"
        other.write_text(json.dumps({**SMALL, "name": "other"}))
        for name in ("small", "other"):
            (self.dir / "out" / name).mkdir(parents=True)
            (self.dir / "out" / name / "table.txt").write_text("mine")
        before = self.everything()
        done = self.normbench("run", "--config", self.config, other, "--out", "out", code=2)
        for name in ("small", "other"):
            self.assertIn(f"out/{name} holds what a run would write over: table.txt", done.stderr)
        self.assertEqual(self.everything(), before)

    def test_a_link_or_a_pipe_named_as_the_journal(self):
        for what in ("link", "dangling", "pipe", "folder"):
            out = self.dir / what
            out.mkdir()
            journal = out / "journal.jsonl"
            if what == "link":
                (self.dir / "victim").write_text("")
                journal.symlink_to("../victim")
            elif what == "dangling":
                journal.symlink_to("../absent")
            elif what == "pipe":
                os.mkfifo(journal)
            else:
                journal.mkdir()
            before = journal.lstat()
            with self.subTest(what):
                done = self.run_config("--out", what, code=2)
                self.assertIn(f"{what} holds what a run would write over: journal.jsonl", done.stderr)
                done = self.normbench("run", "--resume", what, code=2)
                self.assertIn("journal.jsonl: is", done.stderr)
                self.assertEqual(journal.lstat(), before)
        self.assertEqual((self.dir / "victim").read_text(), "")
        self.assertFalse((self.dir / "absent").exists())

    def test_a_journal_that_became_a_link_is_not_resumed(self):
        self.run_config("--out", "run")
        journal = self.dir / "run/journal.jsonl"
        journal.rename(self.dir / "victim")
        journal.symlink_to("../victim")
        before = self.everything()
        done = self.normbench("run", "--resume", "run", code=2)
        self.assertIn("journal.jsonl: is no journal: it is a link", done.stderr)
        self.assertEqual(self.everything(), before)

    def test_what_is_resumed_replaces_its_own_alone(self):
        self.run_config("--out", "run", "--gzip-trace")
        (self.dir / "run/table.txt").write_text("mine")
        (self.dir / "run/report.html").unlink()
        (self.dir / "run/report.html").symlink_to("elsewhere")
        before = self.everything()
        done = self.normbench("run", "--resume", "run", code=2)
        self.assertEqual(done.stderr,
                         "normbench: run holds what the run would write over: table.txt: is there, and normbench did not "
                         "write it; report.html: it is a link (name the file itself) (move them)\n")
        self.assertEqual(self.everything(), before)
        for name in ("table.txt", "report.html"):
            (self.dir / "run" / name).unlink()
        self.normbench("run", "--resume", "run", "--gzip-trace")
        with gzip.open(self.dir / "run/trace.json.gz") as trace:
            json.load(trace)

    def test_runs_of_one_second_have_folders_of_their_own(self):
        command = [NORMBENCH, "run", "--config", self.config, "--quiet", "--no-profile"]
        running = [subprocess.Popen(command, cwd=self.dir, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
                   for _ in range(6)]
        for process in running:
            _, errors = process.communicate(timeout=120)
            self.assertEqual(process.returncode, 0, errors)
        folders = sorted(path.name for path in (self.dir / "results").iterdir())
        self.assertEqual(len(folders), 6)
        for name in folders:
            self.assertRegex(name, r"^small-\d{8}T\d{6}Z(-\d)?$")
            self.assertTrue((self.dir / "results" / name / "results.json").exists())

    def test_two_runs_of_one_folder_at_once(self):
        command = [NORMBENCH, "run", "--config", self.config, "--quiet", "--out", "same"]
        running = [subprocess.Popen(command, cwd=self.dir, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
                   for _ in range(4)]
        ended = [(process.communicate(timeout=120)[1], process.returncode) for process in running]
        self.assertEqual(sorted(code for _, code in ended).count(0), 1, ended)
        for errors, code in ended:
            if code != 0:
                self.assertRegex(errors, "already holds a run|another normbench is writing to it|File exists")

    def test_reproductions(self):
        configs = self.dir / "configs"
        configs.mkdir()
        experiment = {**SMALL["experiments"][0], "ids": ["A1"]}
        (configs / "small.json").write_text(json.dumps({**SMALL, "experiments": [experiment]}))
        command = ["reproduce", "A1", "--configs", "configs", "--quiet"]
        (self.dir / "out/small").mkdir(parents=True)
        (self.dir / "out/report.html").write_text("mine")  # no command would write this file
        (self.dir / "out/small/report.html").write_text("mine")
        (self.dir / "out/small/table.txt").write_text("mine")
        self.refused(*command, "--out", "out",
                     lines=["out/small holds what a run would write over: table.txt, report.html (another --out, or move "
                            "them)"])
        shutil.rmtree(self.dir / "out/small")
        self.normbench(*command, "--out", "out")
        self.assertEqual((self.dir / "out/report.html").read_text(), "mine")
        running = [subprocess.Popen([NORMBENCH, *command], cwd=self.dir, stdout=subprocess.DEVNULL,
                                    stderr=subprocess.PIPE, text=True) for _ in range(3)]
        for process in running:
            _, errors = process.communicate(timeout=120)
            self.assertEqual(process.returncode, 0, errors)
        self.assertEqual(len(list((self.dir / "results").glob("reproduce-*"))), 3)


class ReasonTest(FilesCase):
    """Tests that an error names the system's reason, and that nothing is left behind."""

    def test_too_many_open_files(self):
        seen = set()
        for most in range(4, 24):
            out = self.dir / f"few{most}"
            done = subprocess.run(["bash", "-c", f'ulimit -n {most}; exec "$@"', "run", NORMBENCH, "run", "--config",
                                   self.config, "--out", out, "--quiet"], cwd=self.dir, capture_output=True, text=True,
                                  env={**os.environ, "TMPDIR": str(self.dir / "tmp")}, timeout=120)
            with self.subTest(most):
                seen.add(done.returncode)
                self.assertIn(done.returncode, (0, 1, 2, 5), done.stderr)
                self.assertNotIn("room", done.stderr)
                if done.returncode == 5:
                    self.assertIn(f"Too many open files (the limit is {most}: ulimit -n)\n", done.stderr)
                for folder in [*(self.dir / "tmp").iterdir(), *self.dir.glob("few*-rescued-*")]:
                    self.assertNotEqual(list(folder.iterdir()), [], done.stderr)
                for path in self.dir.rglob("*.tmp"):
                    self.fail(f"{path} is left behind")
        self.assertIn(0, seen)
        self.assertIn(5, seen)

    def test_too_few_open_files_for_images_scratch_files_or_a_peer(self):
        (self.dir / "images").mkdir()
        for name in ("orientation6.jpg", "depth-16-bit.png"):
            shutil.copy(SOURCE / "tests/ops/data" / name, self.dir / "images")
        load = {"op": "load", "path": str(self.dir / "images"), "batch": 1, "size": [8, 8]}
        source = {"op": "source", "batch": 1, "size": [8, 8]}
        variants = {"load": [load, "copy"], "save": [{**source, "layout": "nhwc"}, {"op": "save", "format": "png"}],
                    "peer": {"peer": "true", "stages": [{**source, "layout": "nchw"}, "copy"]}}
        self.config.write_text(json.dumps(
            {**SMALL, "peers": {"true": ["true"]},
             "experiments": [{"name": name, "variants": {name: variant}} for name, variant in variants.items()]}))
        named = set()
        for most in range(4, 12):
            done = subprocess.run(["bash", "-c", f'ulimit -n {most}; exec "$@"', "run", NORMBENCH, "run", "--config",
                                   self.config, "--out", self.dir / f"few{most}", "--quiet", "--allow-peers"],
                                  cwd=self.dir, capture_output=True, text=True, timeout=120,
                                  env={**os.environ, "TMPDIR": str(self.dir / "tmp")})
            with self.subTest(most):
                said = " ".join((done.stdout + done.stderr).split())
                self.assertEqual(said.count("Too many open files"),
                                 said.count(f"Too many open files (the limit is {most}: ulimit -n)"), said)
                named |= {name for name in variants
                          if re.search(rf"Failed \([^·]*Too many open files[^·]*: {name}\b", said)}
                self.assertEqual([path for path in (self.dir / "tmp").iterdir() if path.is_dir()], [])
        self.assertLessEqual({"load", "peer"}, named, said)


def grown(document, megabytes):
    """Returns the document with copies of its groups under other names, until it has `megabytes` MB."""
    groups, size, number = [], 0, 0
    each = [(group, len(json.dumps(group, indent=1))) for group in document["groups"]]
    while size < megabytes * 1_000_000:
        number += 1
        for group, length in each:
            again = copy.copy(group)
            again["experiment"] = f"{group['experiment']} {number}"
            groups.append(again)
            size += length
    return {**document, "groups": groups}


class LargeTest(FilesCase):
    """Tests that large documents of runs can be read."""

    def measured(self, *args, code=0):
        before = time.monotonic()
        process = subprocess.Popen([NORMBENCH, *map(str, args)], cwd=self.dir, stdout=subprocess.PIPE,
                                   stderr=subprocess.PIPE, text=True)
        out, errors = process.communicate(timeout=600)
        seconds = time.monotonic() - before
        self.assertEqual(process.returncode, code, errors)
        peak = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 1024
        print(f"{' '.join(map(str, args))}: {seconds:.1f} s, at most {peak:.0f} MiB so far")
        return out

    def test_a_large_document(self):
        document = grown(json.loads(KEPT.read_text()), LARGE_MB)
        file = self.dir / "large.json"
        file.write_text(json.dumps(document, indent=1))
        cases = sum(len(group["cases"]) for group in document["groups"])
        print(f"{file.stat().st_size / 1e6:.0f} MB, {cases} cases")
        self.assertGreater(file.stat().st_size, 16_000_000)
        out = self.measured("report", "large.json")
        self.assertIn(f"{len(document['groups'])} groups", out)
        self.measured("report", "large.json", "--format", "json", "--out", "again.json")
        self.measured("report", "large.json", "--format", "html", "--out", "page.html")
        self.measured("compare", "large.json", "large.json", "--format", "json", "--out", "compare.json")
        self.assertEqual(json.loads((self.dir / "compare.json").read_text())["summary"]["cases"], cases)
        self.assertEqual(len(json.loads((self.dir / "again.json").read_text())["groups"]), len(document["groups"]))

    def test_what_a_large_config_makes_is_read(self):
        """Tests the largest config that is allowed. The document of a run has the config twice."""
        self.config.write_text(json.dumps({**SMALL, "about": "a" * 15_990_000}))
        self.run_config("--no-profile", "--out", "run")
        self.assertGreater((self.dir / "run/results.json").stat().st_size, 30_000_000)
        self.normbench("report", "run")
        self.normbench("compare", "run", "run")
        self.normbench("run", "--resume", "run")
        self.assertIn("results.json: about 32", self.normbench("check", self.config).stdout)
        self.config.write_text(json.dumps({**SMALL, "about": "a" * 16_000_000}))
        done = self.run_config("--out", "not", code=2)
        self.assertIn("is larger than 16.0 MB", done.stderr)
        self.assertFalse((self.dir / "not").exists())

    def test_check_says_how_large_a_document_becomes(self):
        self.assertNotIn("results.json:", self.normbench("check", self.config).stdout)

        def swept(points):
            experiment = {**SMALL["experiments"][0], "sweep": {"batch": list(range(1, points + 1))},
                          "source": {"batch": "$batch", "size": [8, 8]}}
            self.config.write_text(json.dumps({**SMALL, "experiments": [experiment]}))

        swept(2500)
        said = re.search(r"results\.json: about ([\d.]+) MB, at 20 rounds a case", self.normbench("check", self.config).stdout)
        self.assertTrue(said)
        swept(25)
        self.run_config("--out", "run")
        measured = 100 * (self.dir / "run/results.json").stat().st_size / 1e6
        self.assertTrue(0.5 < float(said[1]) / measured < 2, f"said {said[1]} MB, {measured} MB would be")

    def test_memory_that_there_is_not(self):
        """Tests that a file that does not fit in memory is refused before it is read."""
        large = self.dir / "large.json"
        with large.open("wb") as file:
            file.truncate(1 << 40)
        done = self.normbench("report", "large.json", code=2)
        self.assertRegex(done.stderr, r"^large\.json: is 1[.\d]* TB: to read it takes about 1[.\d]* TB of memory, and "
                                      r"[.\d]+ [GM]B are free\n$")

    def test_what_never_ends(self):
        done = self.normbench("report", "/dev/zero", code=2)
        self.assertRegex(done.stderr, r"^/dev/zero: is larger than [.\d]+ [GM]B\n$")


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0], *sys.argv[3:]])
