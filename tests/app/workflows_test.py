"""Tests the workflows for GitHub Actions that docs/ci.md shows, by rules of our own and with zizmor, a linter.

usage: workflows_test.py SOURCE_DIR TESTS_DIR

The linter is skipped (exit 77) if it cannot be installed; the other tests run all the same.
"""

import re
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

SOURCE_DIR, TESTS_DIR = (Path(p).resolve() for p in sys.argv[1:3])
PAGE = SOURCE_DIR / "docs/ci.md"
BLOCK = re.compile(r"^```yaml\n# (\.github/workflows/\S+)\n(.*?)^```$", re.M | re.S)
ZIZMOR = TESTS_DIR / "zizmor/bin/zizmor"
# GitHub's own actions are pinned only to a major version, so that docs/ci.md need not change with
# each of their releases.
POLICY = 'rules: {unpinned-uses: {config: {policies: {"actions/*": ref-pin}}}}\n'


def workflows(page):
    return dict(BLOCK.findall(page))


def scripts(workflow):
    """Returns the scripts of all steps: what follows `run:`, and the lines below it that are indented more."""
    found, column = [], None
    for line in workflow.splitlines():
        key = re.match(r"( *(?:- )?)run: ", line)
        if key:
            column = len(key[1])
            found.append(line)
        elif column is not None and line[:column + 1].strip() == "":
            found[-1] += line
        else:
            column = None
    return found


def mistakes(workflow):
    """Returns what is wrong with a workflow by our own rules."""
    found = []
    if any("${{" in script for script in scripts(workflow)):
        found.append("an expression within a script")
    if not re.search(r"^permissions: ", workflow, re.M):
        found.append("no permissions")
    found += [f"no major version: {used}" for used in re.findall(r"uses: (\S+)", workflow)
              if not re.fullmatch(r"actions/[\w-]+@v\d+", used)]
    return found


def linted(files):
    """Returns the linter's exit code and output for workflows."""
    with tempfile.TemporaryDirectory() as folder:
        for name, text in files.items():
            path = Path(folder) / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text)
        config = Path(folder) / "zizmor.yml"
        config.write_text(POLICY)
        done = subprocess.run([ZIZMOR, "--offline", "--no-progress", "--color=never", "--config", config, folder],
                              capture_output=True, text=True, timeout=120)
        return done.returncode, done.stdout + done.stderr


class RulesTest(unittest.TestCase):
    def test_the_page_has_workflows_without_mistakes(self):
        found = workflows(PAGE.read_text())
        self.assertGreaterEqual(len(found), 1)
        for name, workflow in found.items():
            self.assertEqual(mistakes(workflow), [], name)

    def test_a_planted_mistake_is_found(self):
        bad = "on: push\njobs:\n  a:\n    steps:\n      - run: echo ${{ github.base_ref }}\n      - uses: a/b@main\n"
        self.assertEqual(mistakes(bad), ["an expression within a script", "no permissions", "no major version: a/b@main"])
        self.assertEqual(mistakes("permissions: {}\n      - run: |\n          a\n          b ${{ c }}\n"),
                         ["an expression within a script"])
        self.assertEqual(mistakes('permissions: {}\n      - run: "$A"\n        env: {A: "${{ c }}"}\n'), [])


class LinterTest(unittest.TestCase):
    def test_it_finds_nothing(self):
        code, said = linted(workflows(PAGE.read_text()))
        self.assertEqual(code, 0, said)

    def test_it_finds_a_planted_mistake(self):
        bad = {name: text.replace('"origin/$BASE"', "origin/${{ github.base_ref }}")
               for name, text in workflows(PAGE.read_text()).items()}
        code, said = linted(bad)
        self.assertNotEqual(code, 0)
        self.assertIn("template-injection", said)


def passes(case):
    tests = unittest.defaultTestLoader.loadTestsFromTestCase(case)
    return unittest.TextTestRunner(verbosity=2).run(tests).wasSuccessful()


def main():
    if not passes(RulesTest):
        return 1
    done = subprocess.run([SOURCE_DIR / "tests/zizmor_setup", TESTS_DIR / "zizmor"], capture_output=True, text=True)
    if done.returncode != 0:
        reason = (done.stderr.strip() or done.stdout.strip() or "no reason given").splitlines()[-1]
        print(f"SKIPPED: zizmor cannot be had: {reason}")
        return 77
    return 0 if passes(LinterTest) else 1


if __name__ == "__main__":
    sys.exit(main())
