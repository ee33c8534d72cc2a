"""Results documents in Python. Everything derived from measurements comes from the program, so it is what reports show."""

from __future__ import annotations

import functools
import html
import json
import os
from pathlib import Path
from typing import TYPE_CHECKING, Any, Iterator, Mapping

from ._errors import BadInput, Error
from ._program import succeed

if TYPE_CHECKING:
    import pandas
    import polars


class Case:
    """A variant of an experiment at one point of its sweep, as it was measured. `data` is its object in the document."""

    def __init__(self, group: dict[str, Any], data: dict[str, Any]):
        self.data = data
        self.experiment: str = group["experiment"]
        self.point: dict[str, Any] = group["point"]
        self.variant: str = data["variant"]
        self.axes: dict[str, Any] = data["axes"]
        self.status: str = data["status"]  # "ok", "skipped" or "failed"
        self.reason: str = data["reason"]  # why it was skipped or failed, else ""
        self.iterations: int = data["iterations"]  # of a turn
        self.images: int = data["images"]  # of an iteration

    @property
    def median_ms(self) -> float | None:
        """The median time of an iteration in ms, on the clock that decides. None without measurements."""
        summary = self.data.get("summary")
        return summary["median_ns"] / 1e6 if summary else None

    @functools.cached_property
    def rounds(self) -> Mapping[str, Any]:
        """The columns of the case's rounds: "wall_ns", "cpu_ns" and more, with one value for each round. Columns of zeros are left out.

        Times are those of a turn, in ns. Divide them by `iterations`, and by `images` for the time of an image. With NumPy installed the
        columns are its arrays, else lists.
        """
        return {name: _array(values) for name, values in self.data.get("rounds", {}).items()}

    def __repr__(self) -> str:
        told = f"{self.median_ms:.4g} ms" if self.median_ms is not None else f"{self.status}: {self.reason}"
        axes = f" {self.axes}" if self.axes else ""
        return f"<Case {self.experiment}, {self.variant}{axes}: {told}>"


class Group:
    """An experiment at one point of its sweep: cases that were measured together. `data` is its object in the document."""

    def __init__(self, data: dict[str, Any]):
        self.data = data
        self.experiment: str = data["experiment"]
        self.point: dict[str, Any] = data["point"]
        self.baseline: str = data["baseline"]
        self.cases: list[Case] = [Case(data, one) for one in data["cases"]]

    @property
    def verdict(self) -> dict[str, Any]:
        """The verdict as the program derives it, with "winner", "bound", "cause" and "text". Empty if there is none."""
        verdict: dict[str, Any] = self.data.get("verdict", {})
        return verdict

    def __repr__(self) -> str:
        return f"<Group {self.experiment} {self.point}: {len(self.cases)} cases>"


class Results:
    """A results document. `data` is the whole document, with what the program derives from it. `path` is its file or folder."""

    def __init__(self, path: str, data: dict[str, Any]):
        self.path = path
        self.data = data
        self.name: str = data["name"]
        self.interrupted: bool = data["interrupted"]
        self.groups: list[Group] = [Group(one) for one in data["groups"]]
        self._written = written(path)

    @property
    def cases(self) -> list[Case]:
        """All cases of all groups, in the order of the document."""
        return [case for group in self.groups for case in group.cases]

    @property
    def experiments(self) -> dict[str, list[Group]]:
        """The groups of each experiment, by its name."""
        named: dict[str, list[Group]] = {}
        for group in self.groups:
            named.setdefault(group.experiment, []).append(group)
        return named

    def text(self) -> str:
        """Returns the report as text, as the program prints it at the end of a run."""
        return self._report("--format", "text")

    def html(self) -> str:
        """Returns the report as a page of HTML, with all it needs in it."""
        return self._report("--format", "html", "--quiet")

    def rows(self) -> list[dict[str, Any]]:
        """Returns a row for each case. docs/results.md describes the columns."""
        rows: list[dict[str, Any]] = json.loads(self._report("--table", "answer", "--format", "json", "--quiet"))
        return rows

    def _report(self, *options: str) -> str:
        """Returns what the program reports of the document. Raises Error if the file is not the one that was loaded."""
        if written(self.path) != self._written:
            raise Error(f"{self.path} is gone or was changed after it was loaded (load it again)", 2)
        return succeed(["report", self.path, *options], progress=False).stdout

    def round_rows(self) -> Iterator[dict[str, Any]]:
        """Returns a row for each round of each case: which case, "round" from 0, and a value of each of its columns.

        Times are those of a turn, in ns. "held_up" tells that other programs held the round up, so that no figure counts it.
        """
        names = self._columns_of_rounds()
        for row, case in zip(self.rows(), self.cases):
            about = {"experiment": row["experiment"], "point": row["point"], "variant": row["variant"],
                     "iterations": case.iterations, "images": case.images}
            columns = case.data.get("rounds", {})
            held_up = set(case.data.get("flags", {}).get("held up", []))
            for i in range(len(columns.get("wall_ns", []))):
                values = {name: columns[name][i] if name in columns else 0 for name in names}
                yield {**about, "round": i, "held_up": i in held_up, **values}

    def _columns_of_rounds(self) -> list[str]:
        return list(dict.fromkeys(["wall_ns", *(name for case in self.cases for name in case.data.get("rounds", {}))]))

    def _table(self, rounds: bool) -> tuple[list[dict[str, Any]], list[str], list[str]]:
        """Returns the rows of a frame, its columns, and those of the columns that hold numbers of which none is known."""
        if rounds:
            rows = list(self.round_rows())
            columns = ["experiment", "point", "variant", "iterations", "images", "round", "held_up", *self._columns_of_rounds()]
        else:
            rows = self.rows()
            columns = list(rows[0]) if rows else []
        return rows, columns, [name for name in columns if rows and all(row[name] is None for row in rows)]

    def to_pandas(self, rounds: bool = False) -> "pandas.DataFrame":
        """Returns a pandas DataFrame with a row for each case, or for each round of each case. Needs pandas."""
        import pandas

        rows, columns, unknown = self._table(rounds)
        return pandas.DataFrame(rows, columns=pandas.Index(columns)).astype(dict.fromkeys(unknown, "float64"))

    def to_polars(self, rounds: bool = False) -> "polars.DataFrame":
        """Returns a polars DataFrame with a row for each case, or for each round of each case. Needs polars."""
        import polars

        rows, columns, unknown = self._table(rounds)
        if not rows:
            return polars.DataFrame(schema=columns)
        return polars.DataFrame(rows, infer_schema_length=None, schema_overrides=dict.fromkeys(unknown, polars.Float64))

    def __repr__(self) -> str:
        return f"<Results {self.name}: {len(self.groups)} groups, {len(self.cases)} cases>"

    def _repr_html_(self) -> str:
        # A frame keeps the page's styles and scripts apart from those of the notebook. Links to places in the page
        # need a base, without which they would lead to the notebook.
        page = html.escape(self.html().replace("<head>", '<head><base href="about:srcdoc">', 1), quote=True)
        name = html.escape(self.name)
        return (f'<iframe srcdoc="{page}" sandbox="allow-scripts allow-downloads" title="{name}" '
                'style="width: 100%; height: 40em; border: 0"></iframe>'
                f"<small>normbench: {name}. A notebook that is not trusted shows no report above.</small>")


def load(path: str | Path) -> Results:
    """Reads results: a results.json, the folder of a run, or a folder with one such folder in it.

    Raises BadInput if it is no results document, a damaged one, or a folder with several.
    """
    whole = os.path.abspath(path)
    if written(whole) is None:  # a folder of runs: if there is one run, it is that one from here on, whatever comes beside it
        runs = [run for run in Path(whole).glob("*") if written(str(run)) is not None]
        whole = str(runs[0]) if len(runs) == 1 else whole
    data = json.loads(succeed(["report", whole, "--format", "json", "--quiet"], progress=False).stdout)
    if isinstance(data, list):
        raise BadInput(f"{path} holds {len(data)} documents: load them one by one", 2, [])
    return Results(whole, data)


def written(path: str | Path) -> tuple[int, int, int] | None:
    """Returns what tells whether the document at a path is still the same: its inode, size and time. None without a file."""
    try:
        status = os.stat(os.path.join(path, "results.json") if os.path.isdir(path) else path)
    except OSError:
        return None
    return status.st_ino, status.st_size, status.st_mtime_ns


def _array(values: list[int]) -> Any:
    try:
        import numpy
    except ImportError:
        return values
    return numpy.asarray(values)
