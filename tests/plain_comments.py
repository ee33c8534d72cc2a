"""Checks how comments begin: python3 tests/plain_comments.py SOURCE_DIR

A comment is a sentence, or a phrase that names its subject. A comment that begins with a word of
OPENINGS has its subject elsewhere, so that it has to be read twice.
Exits with 1 and prints one line per comment.
"""

import pathlib
import re
import sys

FOLDERS = [
    "src/analysis",
    "src/app",
    "src/backend",
    "src/core",
    "src/dataset",
    "src/document",
    "src/machine",
    "src/measure",
    "src/ops",
    "src/plan",
    "src/record",
    "src/report",
    "src/trace",
    "tests",
]
OPENINGS = ["Of", "Those", "That of", "The same of", "The same for", "Ones"]
SOURCES = {".h", ".cpp", ".cu", ".cuh"}
LINE = re.compile(r"\s*(///?)(?:\s+(.*))?$")
BEHIND_CODE = re.compile(r"[^\s:]\s+//\s+(.*)$")
OPENING = re.compile(rf"(?:{'|'.join(OPENINGS)})\b")


def comments(text):
    """Yields the number and the first line of each comment. A comment behind code counts as one,
    too."""
    before = None
    for number, line in enumerate(text.splitlines(), 1):
        whole = LINE.match(line)
        mark = whole[1] if whole and whole[2] else None
        if mark and mark != before:
            yield number, whole[2]
        elif not whole and (behind := BEHIND_CODE.search(line)):
            yield number, behind[1]
        before = mark


def violations(root):
    for folder in FOLDERS:
        for path in sorted((root / folder).rglob("*")):
            if path.suffix not in SOURCES:
                continue
            for number, comment in comments(path.read_text()):
                if OPENING.match(comment):
                    yield f"{path}:{number}: {comment}"


def check_itself():
    seen = [comment for _, comment in comments("/// Of two.\n/// Those.\n\n/// A sum\n//\n// That of a.\nint a;  // Of b\nint b;\n")]
    assert seen == ["Of two.", "A sum", "That of a.", "Of b"], seen
    assert [bool(OPENING.match(comment)) for comment in seen] == [True, False, True, True]


def main():
    check_itself()
    found = list(violations(pathlib.Path(sys.argv[1])))
    for violation in found:
        print(violation)
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
