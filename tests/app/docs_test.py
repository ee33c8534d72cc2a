"""Tests README, CONTRIBUTING, SECURITY and docs/: their commands run, their outputs are as shown, their links lead
somewhere.

usage: docs_test.py NORMBENCH SOURCE_DIR [unittest arguments]

bash runs the blocks ```sh of a page in order, in one folder. The folder has links to the
repository's files, and photographs in photos/.
`normbench` is on the PATH, and `normbench run` is shortened.
A block ```console has lines `$ command`, and what the commands print to stdout and stderr. A line `…` stands for
any lines.
`<!-- exit 3 -->` before a block gives its exit code.
`<!-- file: NAME -->` before a block writes it to the folder of the commands.
`<!-- not run: reason -->` before a block ```sh says why the block is not run. The scripts, subcommands and options
in it have to exist all the same.
A block ```jsonc that begins with `{"schema": 1` is a whole config, and `normbench check` accepts it. Other blocks
```jsonc are members of a config.
"""

import json
import os
import re
import shlex
import shutil
import struct
import subprocess
import sys
import tempfile
import unittest
import zlib
from functools import cache
from pathlib import Path

NORMBENCH, SOURCE_DIR = (Path(p).resolve() for p in sys.argv[1:3])
MOST_README_BYTES, MOST_PICTURE_BYTES = 12_000, 200_000
PAGES = [SOURCE_DIR / name for name in ("README.md", "CONTRIBUTING.md", "SECURITY.md")]
PAGES += sorted((SOURCE_DIR / "docs").glob("*.md"))

FENCE = re.compile(r"((?:^<!-- [^\n]* -->\n)*)^```(\w*)\n(.*?)^```$", re.M | re.S)
LEFT_OUT = "…"


class Block:
    """A fenced block, and the instructions in the comments before it."""

    def __init__(self, page, match):
        comments, self.language, self.text = match.groups()
        self.line = page.read_text()[: match.start(2)].count("\n") + 1
        self.where = f"{page.name}:{self.line}"
        self.not_run = re.search(r"<!-- not run: (.+?) -->", comments)
        file = re.search(r"<!-- file: (\S+) -->", comments)
        self.file = file[1] if file else None
        code = re.search(r"<!-- exit (\d+) -->", comments)
        self.code = int(code[1]) if code else 0


def blocks(page, *languages):
    found = [Block(page, match) for match in FENCE.finditer(page.read_text())]
    return [block for block in found if block.language in languages]


def prose(page):
    return re.sub(r"`[^`\n]*`", "", FENCE.sub("", page.read_text()))


def chunk(kind, data):
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))


def png(width, height, seed):
    """Returns a PNG of an 8-bit RGB gradient."""
    rows = b"".join(
        b"\0" + bytes((seed + 3 * x + 5 * y + 17 * c) % 256 for x in range(width) for c in range(3)) for y in range(height))
    return (b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)) +
            chunk(b"IDAT", zlib.compress(rows)) + chunk(b"IEND", b""))


# A script that is used instead of the program. It starts the program with the same arguments, and
# makes `run` shorter.
QUICK = """#!/bin/sh
if [ "$1" = run ]; then
  shift
  exec {program} run --quick --set max_seconds_per_group=0.2 "$@"
fi
exec {program} "$@"
"""


class Copy:
    """A folder in which the commands of pages run, and their environment. The folder has links to the repository's
    files, which are not changed."""

    def __init__(self, folder):
        self.dir = folder
        for name in ("configs", "docs", "scripts"):
            (folder / name).symlink_to(SOURCE_DIR / name)
        results = folder / "results"
        results.mkdir()
        for kept in [*(SOURCE_DIR / "results").glob("*.json"), SOURCE_DIR / "results/reproduce"]:
            (results / kept.name).symlink_to(kept)
        (folder / "photos").mkdir()
        for i in range(5):
            (folder / f"photos/{i}.png").write_bytes(png(64, 48 + i, 31 * i))
        tools = folder / ".tools"
        tools.mkdir()
        program = tools / "normbench"
        program.write_text(QUICK.format(program=shlex.quote(str(NORMBENCH))))
        program.chmod(0o755)
        # The Python package looks for the program in ../build/release, where a build would put it.
        shutil.copytree(SOURCE_DIR / "python/normbench", folder / "python/normbench", ignore=shutil.ignore_patterns("__pycache__"))
        shutil.copy(SOURCE_DIR / "python/pyproject.toml", folder / "python")
        (folder / "build/release").mkdir(parents=True)
        (folder / "build/release/normbench").symlink_to(program)
        self.environment = {
            "PATH": f"{tools}:{os.environ['PATH']}", "HOME": str(folder), "LANG": "C.UTF-8", "TMPDIR": str(folder),
            "PYTHONPATH": str(folder / "python"),
            **{name: value for name, value in os.environ.items() if name.startswith(("LD_", "ASAN_", "UBSAN_", "TSAN_"))}}

    def run(self, command):
        """Returns the output of both streams, in the order of printing, and the exit code."""
        done = subprocess.run(["bash", "-eu", "-o", "pipefail", "-c", command], cwd=self.dir, env=self.environment, text=True,
                              stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=120)
        return done.stdout, done.returncode


def commands(text):
    """Yields the words of each command in a block. Comments are skipped."""
    text = text.replace("\\\n", " ")
    for line in text.splitlines():
        words = []
        lexer = shlex.shlex(line, posix=True, punctuation_chars=True)
        lexer.whitespace_split = True
        for word in lexer:
            if set(word) <= set("();<>|&"):
                yield words
                words = []
            else:
                words.append(word)
        yield words


@cache
def help_of(subcommand):
    done = subprocess.run([NORMBENCH, subcommand, "--help"], capture_output=True, text=True, timeout=60)
    return done.stdout if f" {subcommand} [OPTIONS]" in done.stdout else None


def shell_mistakes(words):
    """Yields a mistake for each script, subcommand or option of a command that does not exist."""
    for i, word in enumerate(words):
        after = words[i + 1 :]
        options = [re.match(r"--[a-z][a-z-]*", option)[0] for option in after if re.match(r"--[a-z]", option)]
        if word.startswith(("scripts/", "tests/", "configs/")):
            if not (SOURCE_DIR / word).exists():
                yield f"no {word}"
            elif word.startswith("scripts/") and i == 0:
                said = (SOURCE_DIR / word).read_text()
                yield from (f"{word} has no {option}" for option in options if option not in said)
        if word == "normbench" or word.endswith(("release/normbench", "bin/normbench")):
            if not after or after[0].startswith(("-", "build/")):  # here the program is the argument of a test
                continue
            said = help_of(after[0])
            if said is None:
                yield f"no normbench {after[0]}"
            else:
                yield from (f"normbench {after[0]} has no {option}" for option in options if not re.search(rf"{option}\b(?!-)", said))


def shown_mistake(shown, printed):
    """Returns the first shown line that is not printed, or "". The line `…` matches any lines."""
    shown, printed = shown.rstrip("\n").split("\n"), printed.rstrip("\n").split("\n")
    at, skip = 0, False
    for line in shown:
        if line == LEFT_OUT:
            skip = True
            continue
        while skip and at < len(printed) and printed[at] != line:
            at += 1
        if at == len(printed) or printed[at] != line:
            return f"{line!r}, not {printed[at]!r}" if at < len(printed) else f"{line!r}, not the end"
        at, skip = at + 1, False
    return "" if skip or at == len(printed) else f"the end, not {printed[at]!r}"


def without_comments(text):
    return re.sub(r'("(?:[^"\\]|\\.)*")|//[^\n]*', lambda match: match[1] or "", text)


def anchors(page):
    """Returns the anchors that GitHub gives to the headings of a page."""
    headings = re.findall(r"^#+ (.+)$", FENCE.sub("", page.read_text()), re.M)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}


class DocsTest(unittest.TestCase):
    def copy(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        return Copy(Path(folder.name))

    def test_commands_run(self):
        for page in PAGES:
            copy = self.copy()
            for block in blocks(page, "sh"):
                if block.not_run:
                    continue
                with self.subTest(block=block.where):
                    printed, code = copy.run(block.text)
                    self.assertEqual(code, block.code, f"\n{block.text}{printed}")

    def test_outputs_are_what_is_printed(self):
        copy = self.copy()
        count = 0
        for page in PAGES:
            for block in blocks(page, "console", "python"):
                if block.file:
                    (copy.dir / block.file).write_text(block.text)
                for shown in re.split(r"^\$ ", block.text, flags=re.M)[1:] if block.language == "console" else ():
                    with self.subTest(block=block.where):
                        command, _, expected = shown.partition("\n")
                        printed, code = copy.run(command)
                        self.assertEqual(code, block.code, printed)
                        self.assertEqual(shown_mistake(expected, printed), "", f"$ {command}\n{printed}")
                        count += 1
        self.assertGreater(count, 5)

    def test_what_is_not_run_exists(self):
        for page in PAGES:
            for block in blocks(page, "sh"):
                if block.not_run:
                    with self.subTest(block=block.where):
                        self.assertEqual([mistake for words in commands(block.text) for mistake in shell_mistakes(words)], [])

    def test_readme_names_what_a_newcomer_needs(self):
        text = (SOURCE_DIR / "README.md").read_text()
        for needed in ("scripts/run", "scripts/test", "normbench init", "$ normbench report results/", "scripts/gpu-check", "docs/images/report.png"):
            self.assertIn(needed, text)
        for page in PAGES[1:]:
            self.assertIn(f"]({page.relative_to(SOURCE_DIR)})", text)

    def test_configs_pass_check(self):
        copy = self.copy()
        count = 0
        for page in PAGES:
            for block in blocks(page, "json", "jsonc"):
                with self.subTest(block=block.where):
                    if block.text.startswith('{"schema": 1'):
                        config = copy.dir / "block.jsonc"
                        config.write_text(block.text)
                        printed, code = copy.run("normbench check block.jsonc")
                        self.assertEqual(code, 0, printed)
                        count += 1
                    else:
                        plain = without_comments(block.text).strip()
                        json.loads(plain if plain.startswith(("{", "[")) else "{" + plain.rstrip(",") + "}")
        self.assertGreater(count, 2)

    def test_links_lead_somewhere(self):
        for page in PAGES:
            for target in re.findall(r"\]\(<?([^)<>\s]+)>?\)", prose(page)):
                if target.startswith(("http://", "https://")):
                    continue
                with self.subTest(page=page.name, target=target):
                    path, _, anchor = target.partition("#")
                    file = (page.parent / path).resolve() if path else page
                    self.assertTrue(file.exists(), f"no {path}")
                    if anchor:
                        self.assertIn(anchor, anchors(file))

    def test_files_in_the_life_of_a_run_exist(self):
        section = (SOURCE_DIR / "CONTRIBUTING.md").read_text().split("\n### The life of a run\n")[1].split("\n## ")[0]
        files = re.findall(r"`([a-z_/]+/[a-z_]+\.(?:cpp|h))`", section)
        self.assertGreater(len(files), 20)
        self.assertEqual([file for file in files if not (SOURCE_DIR / "src" / file).is_file()], [])

    def test_pages_and_pictures_are_small(self):
        self.assertLessEqual((SOURCE_DIR / "README.md").stat().st_size, MOST_README_BYTES)
        for picture in (SOURCE_DIR / "docs/images").glob("*.png"):
            self.assertLess(picture.stat().st_size, MOST_PICTURE_BYTES, picture.name)

    def test_pages_hold_no_path_of_a_machine(self):
        for page in PAGES:
            self.assertNotRegex(page.read_text(), r"/(home|root|work|Users)/", page.name)


class ThisTest(unittest.TestCase):
    """Tests that the checks above find mistakes."""

    def test_sees_lines_that_differ(self):
        self.assertEqual(shown_mistake("a\n…\nd\n", "a\nb\nc\nd\n"), "")
        self.assertEqual(shown_mistake("…\nc\n…\n", "a\nb\nc\nd\n"), "")
        self.assertEqual(shown_mistake("a\nc\n", "a\nb\nc\n"), "'c', not 'b'")
        self.assertEqual(shown_mistake("a\n…\nx\n", "a\nb\n"), "'x', not the end")
        self.assertEqual(shown_mistake("a\n", "a\nb\n"), "the end, not 'b'")

    def test_sees_commands_that_do_not_exist(self):
        def mistakes(text):
            return [mistake for words in commands(text) for mistake in shell_mistakes(words)]

        self.assertEqual(mistakes("scripts/run  # sets up\nX=1 normbench run --config a.json && scripts/test tsan\n"), [])
        self.assertEqual(mistakes("scripts/walk\n"), ["no scripts/walk"])
        self.assertEqual(mistakes("nsys profile -o X \\\n  build/release/normbench run --confg x\n"), ["normbench run has no --confg"])
        self.assertEqual(mistakes("a && normbench walk --far\n"), ["no normbench walk"])
        self.assertEqual(mistakes("scripts/gpu-check --far\n"), ["scripts/gpu-check has no --far"])


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0], "-v", *sys.argv[3:]])
