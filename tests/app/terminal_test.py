"""Tests the output of the real binary on terminals of several widths and kinds, and on a pipe.

usage: terminal_test.py NORMBENCH SOURCE_DIR
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
import unicodedata
import unittest
from pathlib import Path

NORMBENCH, SOURCE_DIR = (Path(p).resolve() for p in sys.argv[1:3])
KEPT = "results/quickstart-xeon-480m-2c-20261123.json"
ESCAPE = re.compile(r"\033\[[0-9;]*[a-zA-Z]")

CONFIG = {
    "schema": 1,
    "name": "a-rather-long-name-of-a-config",
    "measure": {"max_seconds_per_group": 1.5, "precision": 0.001, "cache": "hot"},
    "experiments": [{
        "name": "an experiment with a name that no narrow terminal has room for",
        "source": {"batch": 2, "size": [64, 64]},
        "variants": {"eager, in two steps that are called by a long name": [{"op": "cast", "to": "float32"}, "copy"],
                     "one": ["copy", {"op": "cast", "to": "float32"}]},
    }],
}


def on_terminal(*args, columns=80, terminal="xterm-256color", cwd=SOURCE_DIR, **environment):
    """Runs a command on a terminal. Returns the output of both streams, in the order of printing, and the exit
    code."""
    master, slave = pty.openpty()
    fcntl.ioctl(slave, termios.TIOCSWINSZ, struct.pack("HHHH", 40, columns, 0, 0))
    kept = {name: value for name, value in os.environ.items() if name.startswith(("LD_", "ASAN_", "UBSAN_", "TSAN_"))}
    process = subprocess.Popen([NORMBENCH, *map(str, args)], stdin=subprocess.DEVNULL, stdout=slave, stderr=slave, cwd=cwd,
                               env={"PATH": "/usr/bin:/bin", "HOME": "/nonexistent", "LANG": "C.UTF-8", "TERM": terminal,
                                    **kept, **environment})
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
    return b"".join(parts).decode().replace("\r\n", "\n"), code


def width(line):
    return sum(2 if unicodedata.east_asian_width(c) in "WF" else 1 for c in ESCAPE.sub("", line))


def words(line):
    return len(line.split())


class TerminalTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.dir = Path(folder.name)
        (self.dir / "config.json").write_text(json.dumps(CONFIG))

    def assert_fits(self, text, columns):
        for line in text.split("\n"):
            line = line.split("\r")[-1]
            if not line.startswith("Next: ") and "\n  normbench " not in "\n" + line:  # commands to copy do not wrap
                self.assertTrue(width(line) <= columns or words(line) == 1, f"{columns}: {line}")

    def test_everything_fits_narrow_and_wide_terminals(self):
        commands = [("--help",), ("run", "--help"), ("table", "--help"), ("init", "--help"), ("reproduce", "--help"),
                    ("report", KEPT), ("report", "results/reproduce/pix2pix.json"), ("list", "ops"), ("list", "configs"),
                    ("list", "kernels"), ("check", "configs/quickstart.json"), ("check", "configs/pix2pix.json"),
                    ("compare", KEPT, KEPT), ("reproduce", "--from", "results/reproduce"), ("info", "--no-limits")]
        for columns in (60, 80, 200):
            for command in commands:
                with self.subTest(columns=columns, command=command):
                    text, code = on_terminal(*command, columns=columns)
                    self.assertEqual(code, 0, text)
                    self.assert_fits(text, max(columns, 72) if "--help" in command else columns)

    def test_columns_says_another_width(self):
        text, _ = on_terminal("report", KEPT, columns=200, COLUMNS="60")
        self.assert_fits(text, 60)
        for nonsense in ("0", "x", "-5", "99999999999999999999"):
            self.assertEqual(on_terminal("report", KEPT, columns=80, COLUMNS=nonsense)[0], on_terminal("report", KEPT)[0])

    def test_a_pipe_is_100_columns_whatever_the_terminal(self):
        plain = subprocess.run([NORMBENCH, "report", KEPT], cwd=SOURCE_DIR, capture_output=True, text=True,
                               env={**os.environ, "COLUMNS": "60", "TERM": "xterm", "LC_ALL": "C"}, encoding="utf-8")
        self.assertEqual((plain.returncode, plain.stderr), (0, ""))
        self.assertNotIn("\033", plain.stdout)
        self.assertIn("·", plain.stdout)
        self.assertGreater(max(map(width, plain.stdout.split("\n"))), 80)
        self.assert_fits(plain.stdout, 100)

    def test_colour_only_where_it_is_wanted(self):
        self.assertIn("\033[1m", on_terminal("report", KEPT)[0])
        for how in ({"terminal": "dumb"}, {"terminal": ""}, {"NO_COLOR": "1"}):
            self.assertNotIn("\033", on_terminal("report", KEPT, **how)[0], how)
        coloured, plain = (ESCAPE.sub("", on_terminal("report", KEPT, **how)[0]) for how in ({}, {"NO_COLOR": "1"}))
        self.assertEqual(coloured, plain)
        page = self.dir / "page.txt"
        self.assertEqual(on_terminal("report", KEPT, "--out", page)[1], 0)
        self.assertNotIn("\033", page.read_text())

    def test_a_locale_without_utf8_gets_ascii(self):
        for locale in ({"LANG": "C"}, {"LC_ALL": "POSIX"}, {"LC_CTYPE": "de_DE.ISO-8859-1"}):
            text, code = on_terminal("report", KEPT, **locale)
            self.assertEqual(code, 0)
            self.assertTrue(text.isascii(), locale)
            self.assertEqual([width(line) for line in text.split("\n")],
                             [width(line) for line in on_terminal("report", KEPT)[0].split("\n")])
        self.assertIn("·", on_terminal("report", KEPT, LC_ALL="de_AT.UTF-8")[0])

    def test_the_live_line_never_wraps_and_leaves_nothing(self):
        text, code = on_terminal("run", "--config", "config.json", "--out", "out", columns=44, cwd=self.dir)
        self.assertEqual(code, 0, text)
        shown = re.findall(r"\r\033\[K([^\r\n]*)", text)
        self.assertGreater(len([line for line in shown if line]), 1)
        for line in shown[:-1]:
            self.assertLess(width(line), 44, line)
        self.assertIn("…", "".join(shown))
        screen = re.sub(r"[^\n\r]*\r\033\[K", "", text)  # the text that is not overwritten
        self.assertNotIn(" left", screen)

    def test_a_dumb_terminal_gets_lines(self):
        text, code = on_terminal("run", "--config", "config.json", "--out", "out", terminal="dumb", cwd=self.dir)
        self.assertEqual(code, 0)
        self.assertNotIn("\033", text)
        self.assertNotIn("\r", text)
        self.assertIn("[1/1] an experiment with a name", text)

    def test_quiet(self):
        for terminal in ("xterm", "dumb"):
            text, code = on_terminal("run", "--config", "config.json", "--out", f"out-{terminal}", "--quiet", terminal=terminal,
                                     cwd=self.dir)
            self.assertEqual(code, 0)
            self.assertNotIn("[1/1]", text)
            self.assertNotIn("Next:", text)
            self.assertNotIn("\r", text)
            self.assertIn("Wrote out-", text)
        done = subprocess.run([NORMBENCH, "run", "--config", "config.json", "--out", "piped", "--quiet"], cwd=self.dir,
                              capture_output=True, text=True)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        done = subprocess.run([NORMBENCH, "run", "--config", "nowhere.json", "--quiet"], cwd=self.dir, capture_output=True, text=True)
        self.assertEqual(done.returncode, 2)
        self.assertIn("nowhere.json", done.stderr)

    def test_documents_for_programs_are_the_same_in_any_locale(self):
        for format in ("json", "html"):
            self.assertEqual(on_terminal("report", KEPT, "--format", format, LANG="C")[0].replace("\r", ""),
                             on_terminal("report", KEPT, "--format", format)[0].replace("\r", ""))

    def test_columns_of_help_keep_their_place(self):
        text, _ = on_terminal("table", "--help", columns=60)
        below = text[text.index("Columns of torch:"):].splitlines()[1:]
        for line in below:
            self.assertRegex(line, r"^$|^\S.*:$|^  \S.{1,22}  \S|^ {24,26}\S|^  \S+$", line)

    def test_a_reproduction_asks_for_one_step_only(self):
        folder = self.dir / "configs"
        folder.mkdir()
        experiment = {**CONFIG["experiments"][0], "ids": ["A1"]}
        (folder / "a.json").write_text(json.dumps({**CONFIG, "name": "a", "experiments": [experiment]}))
        text, code = on_terminal("reproduce", "A1", "--configs", folder, "--quick", "--out", "out", cwd=self.dir)
        self.assertEqual((code, text.count("Next: ")), (0, 1), text)
        text, code = on_terminal("reproduce", "--resume", "out", "--quiet", cwd=self.dir)
        self.assertEqual((code, text.count("Next: "), text.count("Running ")), (0, 0, 0), text)

    def test_one_ctrl_c_is_answered_once(self):
        folder = self.dir / "configs"
        folder.mkdir()
        experiment = {**CONFIG["experiments"][0], "ids": ["A1"]}
        long = {"max_seconds_per_group": 60, "precision": 1e-6}
        (folder / "a.json").write_text(json.dumps({**CONFIG, "name": "a", "measure": long, "experiments": [experiment]}))
        child, terminal = pty.fork()
        if child == 0:
            os.chdir(self.dir)
            os.execv(NORMBENCH, ["normbench", "reproduce", "A1", "--configs", folder, "--out", "out"])
        shown = b""
        while b"round" not in shown:
            shown += os.read(terminal, 4096)
        os.write(terminal, b"\x03")  # Ctrl-C; the terminal also sends SIGINT to the run
        try:
            while part := os.read(terminal, 4096):
                shown += part
        except OSError:  # the process has closed the terminal
            pass
        _, status = os.waitpid(child, 0)
        self.assertEqual(os.waitstatus_to_exitcode(status), 130)
        self.assertEqual(shown.count(b"press Ctrl-C again to stop at once"), 1, shown)

    def test_each_command_says_what_comes_next_on_a_terminal_only(self):
        self.assertIn("Next: open out/report.html in a browser", on_terminal("run", "--config", "config.json", "--out", "out", cwd=self.dir)[0])
        for command in (("check", "configs/quickstart.json"), ("report", KEPT), ("compare", KEPT, KEPT), ("info", "--no-limits"),
                        ("list", "configs"), ("selftest", "--quick", "--place", "cpu", "--kernel", "copy/*")):
            text, code = on_terminal(*command)
            self.assertEqual(code, 0, text)
            self.assertEqual(text.count("Next: "), 1, command)
            piped = subprocess.run([NORMBENCH, *command], cwd=SOURCE_DIR, capture_output=True, text=True)
            self.assertNotIn("Next: ", piped.stdout + piped.stderr)


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0], *sys.argv[3:]])
