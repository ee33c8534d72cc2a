"""`python -m normbench` is the program `normbench` of this installation."""

import os
import sys

from ._errors import Error
from ._program import program

if __name__ == "__main__":
    try:
        path = program()
    except Error as gone:
        print(f"normbench: {gone}", file=sys.stderr)
        sys.exit(gone.code)
    os.execv(path, ["normbench", *sys.argv[1:]])
