"""Tests names with control characters: in documents, traces, peers, folders and on the command line, on terminals
and pipes.

usage: hostile_text_test.py NORMBENCH SOURCE_DIR
"""

import fcntl
import json
import os
import pty
import re
import struct
import subprocess
import sys
import tempfile
import termios
import threading
import unittest
from pathlib import Path

NORMBENCH, SOURCE_DIR = (Path(p).resolve() for p in sys.argv[1:3])
QUICKSTART = SOURCE_DIR / "configs/quickstart.json"
KEPT = SOURCE_DIR / "results/quickstart-xeon-480m-2c-20261123.json"

# A text with a colour code, a change of the window title, a line break, a return to the start of
# the line, C1's CSI, a change of text direction, a line separator, and DEL.
HOSTILE = "\033[31mred\033]0;owned\a\nINJECTED \r\t\b\u009b2J\u202eturned\u2028INJECTED\ufeff\x7f"
SHOWN = (r"\u001b[31mred\u001b]0;owned\u0007\nINJECTED \r\t\b\u009b2J\u202eturned\u2028INJECTED\ufeff\u007f")
# The name of a file, with bytes that are not UTF-8.
HOSTILE_NAME = b"\033[31mred\nINJECTED\xff\xc2\x9b2J"
SHOWN_NAME = r"\u001b[31mred\nINJECTED\xff\u009b2J"

OURS = re.compile(r"\033\[(?:0|1|31|32|33)m")
LIVE = re.compile(r"\r\033\[K")
CONTROL = re.compile("[\0-\x09\x0b-\x1f\x7f-\x9f\u2028-\u202e\u2066-\u2069\ufeff\udc80-\udcff]")


def environment(**more):
    kept = {name: value for name, value in os.environ.items() if name.startswith(("LD_", "ASAN_", "UBSAN_", "TSAN_"))}
    return {"PATH": "/usr/bin:/bin", "HOME": "/nonexistent", "LANG": "C.UTF-8", **kept, **more}


def command_of(args):
    return [NORMBENCH, *(a if isinstance(a, bytes) else str(a) for a in args)]


def on_terminal(*args, cwd, terminal="xterm-256color", **more):
    """Runs a command on a terminal. Returns the output of both streams, in the order of printing, and the exit
    code."""
    master, slave = pty.openpty()
    fcntl.ioctl(slave, termios.TIOCSWINSZ, struct.pack("HHHH", 40, 100, 0, 0))
    process = subprocess.Popen(command_of(args), stdin=subprocess.DEVNULL, stdout=slave, stderr=slave, cwd=cwd,
                               env=environment(TERM=terminal, **more))
    os.close(slave)
    parts = []

    def read():
        try:
            while part := os.read(master, 65536):
                parts.append(part)
        except OSError:  # the process has closed the terminal
            pass

    reader = threading.Thread(target=read)
    reader.start()
    code = process.wait(timeout=300)
    reader.join()
    os.close(master)
    return re.sub("\r+\n", "\n", b"".join(parts).decode(errors="surrogateescape")), code


def hostile_document():
    """Returns a kept document with control characters in the names and facts that texts show."""
    document = json.loads(KEPT.read_text())

    def worse(json_object, *keys):
        for key in keys:
            if isinstance(json_object.get(key), str):
                json_object[key] += HOSTILE

    def worse_everywhere(value):
        if isinstance(value, dict):
            return {key + (HOSTILE if key == "memory" else ""): worse_everywhere(member) for key, member in value.items()}
        return value + HOSTILE if isinstance(value, str) else value

    worse(document, "name", "about")
    worse(document["tool"], "version", "revision", "compiler")
    document["environment"] = {**worse_everywhere(document["environment"]), "places": {"cpu": "available", "cuda": HOSTILE}}
    for group in document["groups"]:
        worse(group, "experiment", "question", "baseline")
        for one in group["cases"] + group["limits"]:
            worse(one, "variant", "reason", "written")
            one["notes"] = [HOSTILE]
            for stage in one["stages"]:
                worse(stage, "label", "kernel")
        group["cases"][0].update(peer=HOSTILE, peer_version="torch" + HOSTILE)
        group["cases"][1].update(status="skipped", reason=HOSTILE, rounds={"wall_ns": []})
        for stage in group["cases"][1]["stages"]:
            stage["rounds_ns"] = []
        for profile in group["profile"]:
            worse(profile, "variant")
            for row in profile["rows"]:
                worse(row, "name", "shapes")
        for claim in group["claims"]:
            worse(claim, "text", "left", "right")
            claim["ids"] = ["A5"]
        group["published"] = [{"variant": group["cases"][0]["variant"], "wall_ms": 1, "where": HOSTILE, "ids": ["A5"]}]
    return document


class HostileTextTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.dir = Path(folder.name)

    def assert_harmless(self, text, colours=False, lines=True):
        """Checks that a text has no control characters; with `colours`, none but normbench's own.
        With `lines`, also checks that no line begins with a part of a hostile name."""
        if colours:
            text = OURS.sub("", LIVE.sub("", text))
        found = CONTROL.search(text)
        self.assertIsNone(found, found and text[max(0, found.start() - 200):found.end() + 50])
        for line in text.split("\n") if lines else []:
            self.assertFalse(line.lstrip().startswith("INJECTED"), text)

    def shown(self, *args, codes=(0,), lines=False):
        """Runs a command, and checks its output on a terminal with colours and on one without.
        Returns its output through a pipe."""
        for terminal in ("xterm-256color", "dumb"):
            text, code = on_terminal(*args, cwd=self.dir, terminal=terminal)
            self.assertIn(code, codes, text)
            self.assert_harmless(text, colours=terminal != "dumb", lines=lines)
        done = subprocess.run(command_of(args), cwd=self.dir, capture_output=True, env=environment())
        self.assertIn(done.returncode, codes)
        return (done.stdout + done.stderr).decode(errors="surrogateescape")

    def shown_as_text(self, *args, codes=(0,)):
        text = self.shown(*args, codes=codes, lines=True)
        self.assert_harmless(text)
        return text

    # --- documents

    def write_document(self):
        (self.dir / "doc.json").write_text(json.dumps(hostile_document()))

    def test_reports_of_a_document(self):
        self.write_document()
        self.assertIn(SHOWN, self.shown_as_text("report", "doc.json", "--format", "table"))
        for options in ((), ("--table", "torch"), ("--table", "stats"), ("--table", "torch", "--format", "markdown")):
            self.assertIn(r"\u001b[31mred", self.shown_as_text("report", "doc.json", *options).replace("\\\\", "\\").replace("\\[", "["))
        for format in ("text", "table"):
            out = self.dir / f"{format}.txt"
            subprocess.run(command_of(("report", "doc.json", "--format", format, "--out", out)), cwd=self.dir, check=True)
            self.assert_harmless(out.read_text())

    def test_documents_for_programs_have_what_is_there(self):
        self.write_document()
        read = json.loads(self.shown("report", "doc.json", "--format", "json"))
        self.assertTrue(read["groups"][0]["question"].endswith(HOSTILE))
        on_screen, _ = on_terminal("report", "doc.json", "--format", "json", cwd=self.dir)
        self.assertEqual(json.loads(on_screen), read)  # JSON escapes the characters
        self.assertIn("\033[31mred", self.shown("report", "doc.json", "--table", "torch", "--format", "csv"))
        self.shown("report", "doc.json", "--format", "html")

    def test_comparisons(self):
        self.write_document()
        text = self.shown_as_text("compare", "doc.json", "doc.json")
        self.assertIn(r"\u001b[31mred", text)
        for format in ("markdown", "html", "json", "junit"):
            self.shown("compare", "doc.json", "doc.json", "--format", format)
        other = hostile_document()
        other["tool"]["compiler"] = "another" + HOSTILE
        other["config"]["seed"] = HOSTILE
        (self.dir / "other.json").write_text(json.dumps(other))
        self.assertIn(SHOWN, self.shown_as_text("compare", "doc.json", "other.json", codes=(3,)))
        self.shown_as_text("compare", "doc.json", "other.json", "--force", codes=(0, 1))

    def test_reproductions_and_predictions(self):
        self.write_document()
        self.assertIn(r"\u001b[31mred", self.shown_as_text("reproduce", "A5", "--from", "doc.json"))
        for format in ("markdown", "html", "json", "findings"):
            self.shown("reproduce", "A5", "--from", "doc.json", "--format", format)
        self.assertIn(SHOWN, self.shown_as_text("check", SOURCE_DIR / "configs/pix2pix.json", "--times", "doc.json"))

    def test_broken_documents(self):
        for content in ('{"groups": "' + HOSTILE.replace("\n", "") + '"}', '{"schema": 1, "groups": [], "' + "\\u001b[31m" + '": 1}',
                        json.dumps({"schema": HOSTILE, "tool": {}, "groups": [{HOSTILE: HOSTILE}]}), HOSTILE, "\033\x9b\xff"):
            (self.dir / "broken.json").write_bytes(content.encode("utf-8", "surrogateescape"))
            for command in ("report", "check", "table"):
                self.shown_as_text(command, "broken.json", codes=(2,))

    # --- traces

    def test_tables_of_a_trace(self):
        slice = {"ph": "X", "cat": "cpu_op", "name": "x" + HOSTILE, "ts": 1, "dur": 5, "pid": 1, "tid": 1,
                 "args": {"Input Dims": [[1]], "Input type": [HOSTILE]}}
        events = [slice, {**slice, "name": "plain", "ts": 10}, {"ph": "M", "name": "thread_name", "pid": 1, "tid": 1, "args": {"name": HOSTILE}}]
        (self.dir / "trace.json").write_text(json.dumps({"traceEvents": events, "normbench": {"device_times": [HOSTILE]}}))
        for options in ((), ("--table", "stats"), ("--group-by-input-shape",), ("trace.json",)):
            text = self.shown_as_text("table", "trace.json", *options)
            self.assertIn(r"x\u001b[31mred", text)
            lines = [line for line in text.split("\n") if "plain" in line or r"\u001b" in line]
            self.assertEqual(len({len(line.rstrip()) for line in lines[:2]}), 1, text)  # the columns stay aligned
        self.assertIn(r"x\\u001b\[31mred", self.shown_as_text("table", "trace.json", "--format", "markdown"))
        self.assertIn("x\033[31mred", self.shown("table", "trace.json", "--format", "csv"))
        self.assertEqual(json.loads(self.shown("table", "trace.json", "--format", "json"))["rows"][0]["name"], "x" + HOSTILE)
        subprocess.run(command_of(("table", "trace.json", "--out", "table.txt")), cwd=self.dir, check=True)
        self.assert_harmless((self.dir / "table.txt").read_text())

    # --- configs, paths and the command line

    def test_configs_with_control_characters_are_refused(self):
        for place in ("\033", "\u009b", "\u202e", "\u2028"):
            config = {"schema": 1, "name": "x" + place, "experiments": [{"name": "e", "variants": {"a" + place: ["copy"]}}]}
            (self.dir / "config.json").write_text(json.dumps(config))
            text = self.shown_as_text("check", "config.json", codes=(2,))
            self.assertIn("/name: holds a control character", text)
            self.assertIn("/experiments/0/variants: has a name with a control character", text)

    def test_paths(self):
        folder = os.path.join(os.fsencode(self.dir), HOSTILE_NAME)
        os.mkdir(folder)
        name = os.path.join(HOSTILE_NAME, HOSTILE_NAME + b".jpg")
        with open(os.path.join(os.fsencode(self.dir), name), "wb") as file:
            file.write(b"\377\330\033[31m")
        config = os.path.join(HOSTILE_NAME, b"c.json")
        with open(os.path.join(os.fsencode(self.dir), config), "w") as file:
            json.dump({"schema": 1, "name": "c", "experiments": [{"name": "e", "variants": {"a": ["copy"]}}]}, file)
        loading = {"schema": 1, "name": "l", "experiments": [{
            "name": "e", "variants": {"a": [{"op": "load", "batch": 1, "size": [8, 8], "path": "*/*.jpg"}]}}]}
        (self.dir / "load.json").write_text(json.dumps(loading))
        absent = HOSTILE_NAME + b"absent"
        for command, codes in (
                (("report", absent), (2,)), (("report", HOSTILE_NAME), (2,)), (("table", absent), (2,)), (("table", HOSTILE_NAME), (2,)),
                (("compare", absent, absent), (2,)), (("check", absent), (2,)), (("run", "--config", absent), (2,)),
                (("run", "--resume", absent), (2,)), (("reproduce", "--from", absent), (2,)), (("reproduce", HOSTILE_NAME), (2,)),
                (("check", "load.json"), (2,)), (("init", HOSTILE_NAME + b"/c.json"), (2,)),
                (("prepare", HOSTILE_NAME, "prepared", "--storage", "npy", "--size", "8", "8"), (0, 1, 2)), (("list", "configs", "--configs", absent), (2,))):
            with self.subTest(command=command):
                self.assertIn(r"\u001b[31mred", self.shown_as_text(*command, codes=codes))

    def test_files_that_are_written(self):
        with tempfile.TemporaryDirectory() as folder:
            there = os.path.join(os.fsencode(folder), HOSTILE_NAME)
            (self.dir / "config.json").write_text(json.dumps(
                {"schema": 1, "name": "c", "measure": {"max_seconds_per_group": 0.2},
                 "experiments": [{"name": "e", "source": {"batch": 1, "size": [8, 8]}, "variants": {"a": ["copy"]}}]}))
            for i, command in enumerate((("run", "--config", "config.json", "--out"), ("init",))):
                self.assert_harmless(on_terminal(*command, there + b"%d" % i, cwd=self.dir)[0], colours=True)

    def test_the_command_line(self):
        for args in (("run", "--" + HOSTILE), (HOSTILE,), ("--" + HOSTILE,), ("list", HOSTILE), ("check", QUICKSTART, "--set", HOSTILE),
                     ("report", KEPT, "--format", HOSTILE), ("report", KEPT, "--table", HOSTILE), ("run", HOSTILE),
                     ("table", KEPT, "--sort-by", HOSTILE), ("reproduce", HOSTILE, "other"), ("init", "--batch", HOSTILE, "--size", HOSTILE, "1"),
                     ("check", QUICKSTART, "--only", HOSTILE), ("report", KEPT, "extra" + HOSTILE)):
            with self.subTest(args=args):
                self.assertIn(r"\u001b[31mred", self.shown_as_text(*args, codes=(2,)))

    # --- peers

    def test_what_a_peer_says(self):
        program = ("import json, sys\n"
                   f"hostile = {HOSTILE!r}\n"
                   "for line in sys.stdin:\n"
                   "    kind = json.loads(line)['type']\n"
                   "    if HOW == 'die': sys.stderr.write(hostile * 3); sys.exit(3)\n"
                   "    if HOW == 'error' and kind != 'hello': print(json.dumps({'type': 'error', 'why': hostile}), flush=True)\n"
                   "    elif HOW == 'garbage': print(hostile, flush=True)\n"
                   "    else: print(json.dumps({'type': hostile, 'protocol': 1, 'name': hostile, 'version': hostile}), flush=True)\n")
        for how in ("die", "error", "garbage", "name"):
            (self.dir / "config.json").write_text(json.dumps(
                {"schema": 1, "name": "c", "measure": {"max_seconds_per_group": 0.2},
                 "peers": {"p": [sys.executable, "-c", f"HOW = {how!r}\n" + program]},
                 "experiments": [{"name": "e", "source": {"batch": 1, "size": [8, 8]},
                                  "variants": {"a": ["copy"], "p": {"peer": "p", "stages": ["copy"]}}}]}))
            with self.subTest(how=how):
                for run in range(2):
                    out = self.dir / f"{how}{run}"
                    args = ("run", "--config", "config.json", "--allow-peers", "--out", out)
                    if run == 0:
                        self.assert_harmless(on_terminal(*args, cwd=self.dir)[0], colours=True)
                    else:
                        done = subprocess.run(command_of(args), cwd=self.dir, capture_output=True, env=environment())
                        self.assert_harmless((done.stdout + done.stderr).decode())
                    self.assert_harmless((out / "table.txt").read_text())
                    self.assertIn(r"\u001b[31mred", (out / "table.txt").read_text())
                self.shown_as_text("check", "config.json")
                self.shown_as_text("run", "--config", "config.json", "--out", f"not-allowed-{how}", codes=(0, 2))


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0], *sys.argv[3:]])
