"""Tests the completion of command lines in the shells that are installed, and the manual page.

usage: completion_test.py NORMBENCH
"""

import re
import shutil
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

NORMBENCH = Path(sys.argv[1]).resolve()


def normbench(*args):
    return subprocess.run([NORMBENCH, *args], capture_output=True, text=True)


def commands():
    """Returns the subcommands that --help lists, in order."""
    text = normbench("--help").stdout
    return re.findall(r"^  ([a-z]+) ", text[text.index("ommands:"):text.index("Exit codes")], flags=re.M)


class CompletionTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.dir = Path(folder.name)
        (self.dir / "photos of cats").mkdir()
        (self.dir / "mine.jsonc").write_text("")
        (self.dir / "table").mkdir()  # has the name of a subcommand
        for shell in ("bash", "zsh", "fish"):
            (self.dir / f"completion.{shell}").write_text(normbench("completion", shell).stdout)

    def shell(self, *command):
        if not shutil.which(command[0]):
            self.skipTest(f"no {command[0]}")
        done = subprocess.run(command, capture_output=True, text=True, cwd=self.dir,
                              env={"PATH": f"{NORMBENCH.parent}:/usr/bin:/bin", "HOME": str(self.dir)})
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        return done.stdout

    def in_bash(self, *words):
        return self.shell("bash", "-c", 'source completion.bash; COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _normbench; '
                          'printf "%s\\n" "${COMPREPLY[@]}"', "bash", "normbench", *words).split("\n")[:-1]

    def in_fish(self, line):
        return [entry.split("\t")[0] for entry in
                self.shell("fish", "-c", f"source completion.fish; complete -C 'normbench {line}'").splitlines()]

    def test_bash(self):
        self.assertEqual(self.in_bash(""), [*commands(), "--help", "--version"])
        self.assertEqual(self.in_bash("re"), ["report", "reproduce"])
        self.assertEqual(self.in_bash("run", "--ta"), ["--table"])
        self.assertEqual(self.in_bash("run", "--table", ""), ["torch", "stats"])
        self.assertEqual(self.in_bash("run", "--table", "s"), ["stats"])
        self.assertEqual(self.in_bash("init", "--images", "ph"), ["photos of cats"])
        self.assertEqual(self.in_bash("tab"), ["table"])
        self.assertEqual(self.in_bash("run", "--table", "=", "s"), ["stats"])
        self.assertEqual(self.in_bash("run", "--table", "="), ["torch", "stats"])
        self.assertEqual(self.in_bash("check", "m"), ["mine.jsonc"])
        self.assertEqual(self.in_bash("completion", ""), ["bash", "zsh", "fish"])
        self.assertEqual(self.in_bash("report", "x", "--format", "h"), ["html"])

    def test_bash_knows_every_option(self):
        for command in commands():
            shown = set(re.findall(r"^  (?:-h,)?(--[a-z-]+)", normbench(command, "--help").stdout, flags=re.M))
            self.assertEqual(set(self.in_bash(command, "--")), shown, command)

    def refuses(self, command, option, word):
        """Returns True if the command reports the word as unknown. Some formats of `report` need
        --table, so `report` is tried with and without --table."""
        places = {"prepare": ["nowhere", "else", *([] if option == "--storage" else ["--storage", "png"])],
                  "compare": ["nowhere", "else"], "init": ["nowhere/x"], "list": [], "run": [],
                  "info": ["x"], "selftest": ["x"], "calibrate": ["x"], "reproduce": ["A1", "--from", "nowhere"]}.get(command, ["nowhere"])
        tries = [[option, word, *places]] + ([[option, word, *places, "--table", "torch"]] if (command, option) == ("report", "--format") else [])
        said = [subprocess.run([NORMBENCH, command, *words], capture_output=True, text=True, cwd=self.dir, timeout=60).stderr
                for words in tries]
        return all(re.search(f'unknown (format|value|{option[2:].replace("-", "[-_]")}) "{word}"', text) for text in said)

    def test_every_word_that_is_offered_is_taken_and_no_other(self):
        tried = 0
        for command in commands():
            for option in re.findall(r"^  (--[a-z-]+) \w", normbench(command, "--help").stdout, flags=re.M):
                words = [word for word in self.in_bash(command, option, "") if not (self.dir / word).exists()]
                if not words:
                    continue
                self.assertTrue(self.refuses(command, option, "nonsense"), f"{command} {option}")
                for word in words:
                    tried += 1
                    self.assertFalse(self.refuses(command, option, word), f"{command} {option} {word}")
        self.assertGreater(tried, 40)

    def test_fish(self):
        self.assertEqual(sorted(self.in_fish("")), sorted(commands()))
        self.assertEqual(self.in_fish("run --tab"), ["--table"])
        self.assertEqual(sorted(self.in_fish("run --table ")), ["stats", "torch"])
        self.assertEqual(self.in_fish("init --images ph"), ["photos of cats/"])
        self.assertEqual(self.in_fish("check mi"), ["mine.jsonc"])
        self.assertEqual(sorted(self.in_fish("completion ")), ["bash", "fish", "zsh"])

    def test_zsh(self):
        """Runs zsh in a pseudo-terminal, because zsh completes only on a terminal."""
        script = r'''
          zmodload zsh/zpty
          zpty shell zsh -f -i
          ask() { local line; zpty -w -n shell "$1"$'\t\t'; sleep 1; while zpty -r -t shell line; do print -r -- "$line"; done }
          zpty -w shell "PS1='> '; autoload -Uz compinit; compinit -D -u; source ./completion.zsh; stty -echo"
          sleep 1; while zpty -r -t shell line; do :; done
          ask "normbench run --tab"; print @@; zpty -w -n shell $'\x15'
          ask "normbench run --table "; print @@; zpty -w -n shell $'\x15'
          ask "normbench re"
          zpty -d shell'''
        option, words, names = self.shell("zsh", "-f", "-c", script).split("@@")
        self.assertIn("--table", option)
        self.assertIn("torch", words)
        self.assertIn("stats", words)
        self.assertIn("report", names)
        self.assertIn("reproduce", names)

    def test_an_unknown_shell(self):
        done = normbench("completion", "tcsh")
        self.assertEqual((done.returncode, done.stdout), (2, ""))
        self.assertIn("bash, zsh, fish", done.stderr)


class ManTest(unittest.TestCase):
    def test_it_has_every_command_and_option(self):
        page = normbench("man").stdout.replace("\\-", "-")
        for command in commands():
            section = page[page.index(f".SS {command}\n"):]
            section = section[: section.find(".SS ", 4) if ".SS " in section[4:] else None]
            for option in re.findall(r"^  (--[a-z-]+)", normbench(command, "--help").stdout, flags=re.M):
                self.assertIn(f"\\fB{option}\\fR", section)
        self.assertIn(".TP\n\\fB130\\fR\ninterrupted", page)

    def test_readers_of_manual_pages_find_no_mistake(self):
        tools = {"man": ["man", "--warnings", "-E", "UTF-8", "-l", "-"], "mandoc": ["mandoc", "-Tlint", "-Wwarning"]}
        found = {name: argv for name, argv in tools.items() if shutil.which(name)}
        if not found:
            self.skipTest("neither man nor mandoc")
        page = normbench("man").stdout
        for name, argv in found.items():
            done = subprocess.run(argv, input=page, capture_output=True, text=True, env={"PATH": "/usr/bin:/bin", "LC_ALL": "C.UTF-8"})
            wrong = [line for line in (done.stdout if name == "mandoc" else done.stderr).splitlines()
                     if "missing date" not in line]  # the page of a build has no date
            self.assertEqual(wrong, [], name)


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0], *sys.argv[2:]])
