"""normbench: where, and in which form, should images be cast, normalised and moved to the GPU?

    import normbench

    results = normbench.run("quickstart")
    print(results.text())
    results.to_pandas()

docs/python.md is the guide.
"""

from typing import TYPE_CHECKING, Any

from ._commands import Comparison, check, compare, run
from ._errors import BadInput, CaseFailed, Error, Mistake, NotComparable, NotWritten
from ._program import program
from ._results import Case, Group, Results, load

if TYPE_CHECKING:
    from . import peer as peer

    __version__: str

__all__ = ["BadInput", "Case", "CaseFailed", "Comparison", "Error", "Group", "Mistake", "NotComparable", "NotWritten", "Results",
           "check", "compare", "load", "program", "run"]


def __getattr__(name: str) -> Any:
    """Imports `normbench.peer`, which needs NumPy, and asks the program for `__version__` when they are used first."""
    if name == "peer":
        import importlib

        return importlib.import_module(".peer", __name__)
    if name == "__version__":
        from ._program import succeed

        return succeed(["--version"], progress=False).stdout.split()[1]
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
