"""What goes wrong, as exceptions. Each class is one of the program's exit codes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ._results import Results


@dataclass(frozen=True)
class Mistake:
    """A mistake in an input file.

    `file` is its path, "-" for a config that was given as a dict. `pointer` is the JSON pointer of the wrong value, and "" is the
    whole file. `text` tells what is wrong and what would be right.
    """

    file: str
    pointer: str
    text: str

    def __str__(self) -> str:
        return f"{self.file}:{self.pointer}: {self.text}" if self.pointer else f"{self.file}: {self.text}"


class Error(Exception):
    """normbench could not do what was asked. `code` is the exit code of the program, negative for a signal."""

    def __init__(self, message: str, code: int):
        super().__init__(message, code)
        self.code = code

    def __str__(self) -> str:
        return str(self.args[0])


class BadInput(Error):
    """The config, a document or an option is wrong, and nothing was run. `mistakes` has all mistakes in files."""

    def __init__(self, message: str, code: int, mistakes: list[Mistake]):
        super().__init__(message, code)
        self.args = (message, code, mistakes)  # with which pickle makes the exception anew
        self.mistakes = mistakes


class NotComparable(Error):
    """The two sides cannot be compared, or the run cannot be resumed, because machine, build or config differ."""


class NotWritten(Error):
    """Outputs could not be written."""


class CaseFailed(Error):
    """A case failed while it ran. `results` holds everything that was measured."""

    def __init__(self, message: str, code: int, results: Results):
        super().__init__(message, code)
        self.args = (message, code, results)
        self.results = results
