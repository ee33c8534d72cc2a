"""The program's commands as functions."""

from __future__ import annotations

import json
import os
import re
import time
from pathlib import Path
from typing import Any, Mapping, Sequence, Union

from ._errors import CaseFailed, Error
from ._program import succeed
from ._results import Results, load, written

Config = Union[str, Path, Mapping[str, Any]]
Value = Union[None, bool, int, float, str, Path, Sequence[object], Mapping[str, Any]]


def run(config: Config, *, out: str | Path | None = None, progress: bool = True, **options: Value) -> Results:
    """Measures what a config describes, and returns the results.

    `config` is the path of a file, the name of a config that comes with normbench ("quickstart"), or a dict. Paths in a dict are relative
    to the working folder. `out` is the folder to write to, by default results/NAME-TIME, where NAME is the name of the file or the
    dict's "name". `options` are those of `normbench run`, with _ for -: `quick=True`, `images="photos"`, `only=["fused", "eager"]`,
    `set={"precision": 0.05}`, `vary={"normalize.dtype": ["float32", "float16"]}`, `axis={"source.batch": [1, 8]}`.

    Raises BadInput with all mistakes before anything is measured, CaseFailed with the results if a case failed, and the other classes
    of Error. After a Ctrl-C it raises KeyboardInterrupt, which names the folder, once the program has written what it has: load() reads
    it, and `run(config, resume=folder)` goes on.
    """
    file, stdin, name = _given(config)
    resumed = options.pop("resume", None)
    words = _words(options, but=("format", "quiet", "strict"))
    made: list[Path] = []  # folders that are removed if the program refuses to run
    if resumed is not None:
        folder = _path(resumed)
    else:
        folder = _path(out) if out is not None else _taken(Path("results") / f"{name}-{time.strftime('%Y%m%dT%H%M%SZ', time.gmtime())}", made)
    where = f"--{'out' if resumed is None else 'resume'}={folder}"
    arguments = ["run", file, where, f"--asker={os.getpid()}", *words]
    before = written(folder)
    try:
        ended = succeed(arguments, stdin, progress, fine=(0, 1))
    except KeyboardInterrupt:
        _remove_empty(made)
        kept = folder.is_dir() and any(folder.iterdir())
        raise KeyboardInterrupt(f"interrupted; what was measured is in {folder}" if kept else "interrupted") from None
    except Error:
        _remove_empty(made)
        raise
    if written(folder) in (None, before):
        raise Error(ended.told.strip(), ended.code)
    results = load(folder)
    if ended.code == 1:
        failed = [f"{case.experiment}, {case.variant}: {case.reason}" for case in results.cases if case.status == "failed"]
        raise CaseFailed("; ".join(failed) or ended.told.strip(), 1, results)
    return results


def check(config: Config, **options: Value) -> str:
    """Returns what a config would run, as text: stages, bytes, memory and time. Runs nothing.

    Takes what run() takes, with the options of `normbench check`. Raises BadInput with all mistakes.
    """
    file, stdin, _ = _given(config)
    arguments = ["check", file, f"--asker={os.getpid()}", *_words(options, but=("quiet",))]
    return succeed(arguments, stdin, progress=False).stdout


class Comparison:
    """What became slower or faster between two sides. `data` is the document of `normbench compare --format json`."""

    def __init__(self, data: dict[str, Any], slower: bool):
        self.data = data
        self.slower = slower  # a regression was found

    @property
    def gate(self) -> str:
        """The answer: "passed", "regressed", or "undecided" if the measurements cannot tell."""
        gate: str = self.data["gate"]
        return gate

    def __repr__(self) -> str:
        return f"<Comparison: {self.gate}>"


def compare(base: str | Path | Results, new: str | Path | Results, **options: Value) -> Comparison:
    """Compares two sides of the same measurements.

    Each side is a results.json, a run's folder, a folder of several runs, or what load() or run() returned. Raises NotComparable if machine,
    build or config differ, unless `force=True`.
    """
    words = _words(options, but=("format", "out", "quiet", "strict"))
    sides = [_plain(side.path if isinstance(side, Results) else side) for side in (base, new)]
    ended = succeed(["compare", *sides, "--format", "json", *words], progress=False, fine=(0, 1))
    if not ended.stdout:
        raise Error(ended.told.strip(), ended.code)
    return Comparison(json.loads(ended.stdout), ended.code == 1)


def _given(config: Config) -> tuple[str, str | None, str]:
    """Returns the argument for a config, what stdin gets, and the config's name; "run" for a name that the program will refuse."""
    if isinstance(config, Mapping):
        name = config.get("name")
        is_fine = isinstance(name, str) and re.fullmatch(r"[A-Za-z0-9_-][A-Za-z0-9._-]*", name)
        return "-", json.dumps(config, allow_nan=False, default=_as_json), str(name) if is_fine else "run"
    return _plain(config, "a config (a path, the name of one that comes with normbench, or a dict)"), None, Path(config).stem


def _as_json(value: object) -> object:
    """Returns a path as text, and numbers and arrays of NumPy as those of Python. Raises TypeError for what a config cannot hold."""
    if isinstance(value, os.PathLike):
        return _plain(value)
    to_list = getattr(value, "tolist", None)
    if to_list is None:
        raise TypeError(f"a config cannot hold {value!r} (numbers, strings, paths, lists and dicts)")
    return to_list()


def _plain(path: object, expected: str = "a path") -> str:
    """Returns a path as text that is no option. Raises TypeError for what is no path, which says what is expected."""
    if not isinstance(path, (str, os.PathLike)) or not str(path):
        raise TypeError(f"expected {expected}, got {path!r}")
    return f"./{path}" if str(path).startswith("-") else str(path)


def _path(value: object) -> Path:
    return Path(_plain(value))


def _taken(path: Path, made: list[Path]) -> Path:
    """Makes the folder, or the first of PATH-2, PATH-3 and so on that does not exist, and returns its path.

    Adds the folders that it makes to `made`, the innermost first.
    """
    free, number = path, 1
    is_new = not path.parent.exists()
    while True:
        try:
            free.mkdir(parents=True)
            made += [free, free.parent] if is_new else [free]
            return free
        except FileExistsError:
            number += 1
            free = path.with_name(f"{path.name}-{number}")
        except OSError:
            return free  # the program says why it cannot be written


def _remove_empty(folders: Sequence[Path]) -> None:
    for folder in folders:
        try:
            folder.rmdir()
        except OSError:
            return  # not empty


def _words(options: Mapping[str, Value], but: Sequence[str]) -> list[str]:
    """Returns options as words of a command line. False and None leave an option out.

    Values in a mapping are JSON. Raises TypeError for the options in `but`, which mean nothing in Python.
    """
    words: list[str] = []
    for name, value in options.items():
        option = "--" + name.strip("_").replace("_", "-")
        if option.strip("-") in ("help", *but):
            raise TypeError(f"{name} is no option in Python")
        if value is None or value is False:
            continue
        if value is True:
            words.append(option)
        elif isinstance(value, Mapping):
            words += [f"{option}={key}={json.dumps(one, allow_nan=False)}" for key, one in value.items()]
        elif isinstance(value, (str, Path, int, float)):
            words.append(f"{option}={value}")
        else:
            words += [f"{option}={one}" for one in value]
    return words
