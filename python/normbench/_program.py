"""Finds the program of this installation and runs it."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import tempfile
import threading
from pathlib import Path
from typing import IO, Mapping, NamedTuple, Sequence

from ._errors import BadInput, Error, Mistake, NotComparable, NotWritten


def program() -> str:
    """Returns the path of the program that was installed with this package. Never looks in PATH.

    Raises Error if the program is not there.
    """
    here = Path(os.path.abspath(__file__)).parent
    for path in (_beside(here), _recorded(here)):
        if path and path.is_file():
            return str(path.resolve())
    raise Error(f"the program of this package is gone ({here} was installed without it, or moved)", 127)


def _beside(here: Path) -> Path | None:
    """Returns where the program is in a checkout, in the package, and after `pip install --target`; None for other installations."""
    folder = here.parent
    if folder.name == "python" and (folder / "pyproject.toml").is_file():
        return folder.parent / "build/release/normbench"
    if folder.parts[-4:] == ("share", "normbench", "scripts", "peers"):
        return folder.parents[3] / "bin/normbench"
    if (folder / "share/normbench").is_dir():
        return folder / "bin/normbench"
    return None


def _recorded(here: Path) -> Path | None:
    """Returns the program in the list of files that an installer kept of this package, or None."""
    import importlib.metadata  # takes longer than the other imports

    try:
        wheel = importlib.metadata.distribution("normbench")
    except importlib.metadata.PackageNotFoundError:
        return None
    if Path(str(wheel.locate_file("normbench"))).resolve() != here.resolve():
        return None  # another installation
    programs = [file for file in wheel.files or [] if file.parts[-2:] == ("bin", "normbench")]
    return Path(str(programs[0].locate())) if programs else None


class Finished(NamedTuple):
    """How the program ended. `told` is what it wrote to stderr."""

    code: int
    stdout: str
    told: str


def call(arguments: Sequence[str], stdin: str | None = None, progress: bool = True,
         environment: Mapping[str, str] | None = None) -> Finished:
    """Runs the program and returns how it ended. Raises KeyboardInterrupt after a Ctrl-C, once the program has ended.

    With `progress`, what the program writes to stderr is also written to sys.stderr, as it comes. `environment` is added to that of
    this process. In a virtual environment, "python3" in the command of a peer is that of the environment, activated or not.
    """
    path = os.environ.get("PATH", os.defpath)
    if sys.prefix != sys.base_prefix:
        path = f"{Path(sys.executable).parent}{os.pathsep}{path}"
    # In a session of its own, the program gets no Ctrl-C from the terminal beside those that are passed on here.
    child = subprocess.Popen([program(), *arguments], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                             stderr=subprocess.PIPE, text=True, encoding="utf-8", errors="replace", start_new_session=True,
                             env={**os.environ, "PATH": path, **(environment or {})})
    out: list[str] = []
    told: list[str] = []
    try:
        assert child.stdin and child.stdout and child.stderr
        threads = [threading.Thread(target=_feed, args=(child.stdin, stdin or ""), daemon=True),
                   threading.Thread(target=_drain, args=(child.stdout, out, False), daemon=True),
                   threading.Thread(target=_drain, args=(child.stderr, told, progress), daemon=True)]
        for thread in threads:
            thread.start()
        child.wait()
    except BaseException as failure:
        _end(child, signal.SIGINT if isinstance(failure, KeyboardInterrupt) else signal.SIGTERM)
        raise
    for thread in threads:
        thread.join(5)  # a pipe stays open as long as a process that the program has left behind
    return Finished(child.returncode, "".join(out), "".join(told))


def _end(child: subprocess.Popen[str], how: signal.Signals) -> None:
    """Sends the signal and waits until the program has written what it has. Passes a second Ctrl-C on; a third one kills."""
    for number in (how, signal.SIGINT, signal.SIGKILL):
        try:
            child.send_signal(number)
            child.wait()
            return
        except KeyboardInterrupt:
            continue
    child.wait()


def _feed(pipe: IO[str], text: str) -> None:
    try:
        pipe.write(text)
        pipe.close()
    except OSError:
        pass  # the program ended before it had read all


def _drain(pipe: IO[str], into: list[str], show: bool) -> None:
    with pipe:
        for line in pipe:
            into.append(line)
            if show:
                try:
                    sys.stderr.write(line)
                    sys.stderr.flush()
                except (OSError, ValueError, AttributeError):
                    show = False  # there is no stderr, or it is closed


def succeed(arguments: Sequence[str], stdin: str | None = None, progress: bool = True,
            fine: Sequence[int] = (0,)) -> Finished:
    """Runs the program like call(). Raises the exception of its exit code, unless that is one of `fine`."""
    with tempfile.TemporaryDirectory(prefix="normbench-") as folder:
        file = Path(folder) / "mistakes.json"
        ended = call(arguments, stdin, progress, {"NORMBENCH_MISTAKES": str(file)})
        mistakes = json.loads(file.read_text("utf-8")) if file.exists() else []
    if ended.code in fine:
        return ended
    message = ended.told.strip() or f"normbench {arguments[0]} ended with code {ended.code}"
    if ended.code == 2:
        raise BadInput(message, 2, [Mistake(**mistake) for mistake in mistakes])
    if ended.code == 130:
        raise KeyboardInterrupt
    kind = {3: NotComparable, 5: NotWritten}.get(ended.code, Error)
    raise kind(message, ended.code)
