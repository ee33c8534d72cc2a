"""normbench: where, and in which form, should images be cast, normalised and moved to the GPU?

    import normbench

    results = normbench.run("quickstart")
    print(results.text())
    results.to_pandas()

docs/python.md is the guide.
"""

from ._commands import Comparison, check, compare, run
from ._errors import BadInput, CaseFailed, Error, Mistake, NotComparable, NotWritten
from ._program import program
from ._results import Case, Group, Results, load

__all__ = ["BadInput", "Case", "CaseFailed", "Comparison", "Error", "Group", "Mistake", "NotComparable", "NotWritten", "Results",
           "check", "compare", "load", "program", "run"]
