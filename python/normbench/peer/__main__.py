"""Serves your own code to normbench as a peer: python3 -m normbench.peer FILE.py:OBJECT"""

from __future__ import annotations

import argparse
import importlib.util
import sys
from pathlib import Path
from typing import Any

from . import Session, arguments
from .own import Missing, OwnCodeError, own, told
from .session import Streams


def named(text: str) -> tuple[str, str]:
    """Returns the file and the object in a text like "train.py:loader". Raises argparse.ArgumentTypeError."""
    file, _, name = text.rpartition(":")
    if not file or not name:
        raise argparse.ArgumentTypeError(f'"{text}" is not FILE.py:OBJECT')
    return file, name


def loaded(file: str, name: str) -> Any:
    """Imports the file, and returns the object that it calls `name`, such as "loader" or "Model.step". Raises OwnCodeError."""
    path = Path(file).resolve()
    module = sys.modules.get(path.stem)
    if getattr(module, "__file__", None) != str(path):
        module = imported(path)
    found: Any = module
    for part in name.split("."):
        if not hasattr(found, part):
            names = own_names(module)
            has = f"it has: {names}" if names else 'it has no names of its own; code under if __name__ == "__main__": does not run'
            raise OwnCodeError(f'{file} has no "{name}" ({has})')
        found = getattr(found, part)
    return found


def own_names(module: Any) -> str:
    """Returns the names that a module itself defines, at most 20 of them. Leaves out what it imports."""
    def is_own(key: str, value: Any) -> bool:
        return not key.startswith("_") and not isinstance(value, type(sys)) and (
            getattr(value, "__module__", module.__name__) == module.__name__ or not hasattr(value, "__name__"))

    names = sorted(key for key, value in vars(module).items() if is_own(key, value))
    return ", ".join([*names[:20], *(["…"] if len(names) > 20 else [])])


def imported(path: Path) -> Any:
    """Imports a file as the module of its name, which its worker processes can import, too."""
    spec = importlib.util.spec_from_file_location(path.stem, path)
    if not path.is_file() or spec is None or spec.loader is None:
        raise OwnCodeError(f"{path} is no Python file that can be imported")
    module = importlib.util.module_from_spec(spec)
    sys.path.insert(0, str(path.parent))
    sys.argv = [str(path)]  # the options of normbench are none of the file's own
    sys.modules[path.stem] = module
    try:
        spec.loader.exec_module(module)
    except SystemExit as end:
        raise OwnCodeError(f"{path.name} ends Python while it is imported: sys.exit({end.code!r}) (put that under "
                           'if __name__ == "__main__":)') from end
    except Exception as failure:
        raise OwnCodeError(f"{path.name} cannot be imported: {told(failure)[:900]}") from failure
    return module


def main() -> None:
    parser = arguments(__doc__)
    parser.prog = "python3 -m normbench.peer"
    parser.add_argument("object", type=named, metavar="FILE.py:OBJECT",
                        help="a loader, a dataset of PyTorch, a function of a batch, or a function or class that makes one")
    parser.add_argument("--step", type=named, metavar="FILE.py:FUNCTION", help="a function that is called with each batch")
    parser.add_argument("--batch-size", type=int, default=32, metavar="N", help="of a DataLoader around a dataset (default: 32)")
    parser.add_argument("--workers", type=int, default=0, metavar="N", help="processes of a DataLoader around a dataset (default: 0)")
    parser.add_argument("--no-copies", action="store_true",
                        help="do not count copies, for which a child process makes two further batches")
    options = parser.parse_args()
    streams = Streams()  # what the user's code prints from here on goes to stderr
    try:
        what = loaded(*options.object)
        step = loaded(*options.step) if options.step else None
        peer = own(what, step, options.object[1], batch_size=options.batch_size, workers=options.workers,
                   copies=not options.no_copies)
    except OwnCodeError as mistake:
        peer = Missing(str(mistake))
    Session(peer, streams.requests, streams.replies, options.allocator).serve()


if __name__ == "__main__":
    main()
