"""Checks the claims of all configs. A claim whose text names a size needs the size as a number, too
("ratio" or "within"). Without it, the direction alone would confirm the claim.

usage: claim_sizes.py ROOT
"""

import json
import pathlib
import re
import sys

SIZE = re.compile(
    r"\b\d+(\.\d+)?\s*(x\b(?!\d)|%|percent|times)|\b(half|twice|double|thrice|a third|a quarter|(two|three|four|ten) times)\b",
    re.IGNORECASE,
)
COMMENT = re.compile(r'("(?:[^"\\]|\\.)*")|//[^\n]*|/\*.*?\*/', re.DOTALL)


def read(path):
    return json.loads(COMMENT.sub(lambda found: found[1] or "", path.read_text()))


def unsized(config):
    for experiment in config["experiments"]:
        for claim in experiment.get("claims", []):
            if SIZE.search(claim["text"]) and "ratio" not in claim and "within" not in claim:
                yield experiment["name"], claim["text"]


def check_the_words():
    sized = ["3x faster", "3.69 times", "40 % slower", "half the time", "takes twice as long", "four times"]
    plain = ["1024x768 images", "one pass beats two", "uint8 first", "float32 is faster", "all 4 stages"]
    assert all(map(SIZE.search, sized)), [text for text in sized if not SIZE.search(text)]
    assert not any(map(SIZE.search, plain)), [text for text in plain if SIZE.search(text)]


def main():
    check_the_words()
    paths = sorted(pathlib.Path(sys.argv[1], "configs").glob("*.json"))
    assert paths, "no configs"
    found = [(path.name, *where) for path in paths for where in unsized(read(path))]
    for config, experiment, text in found:
        print(f'{config}, {experiment}: claim "{text}" has no "ratio" and no "within"')
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
