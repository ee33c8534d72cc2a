"""Measures the CPU time and page faults of a peer's process and its workers."""

from __future__ import annotations

import resource
import sys
import time
from dataclasses import dataclass


@dataclass(frozen=True)
class Usage:
    cpu_ns: int = 0
    minor_faults: int = 0
    major_faults: int = 0

    def minus(self, other: Usage) -> Usage:
        return Usage(self.cpu_ns - other.cpu_ns, self.minor_faults - other.minor_faults,
                     self.major_faults - other.major_faults)

    def plus(self, other: Usage) -> Usage:
        return Usage(self.cpu_ns + other.cpu_ns, self.minor_faults + other.minor_faults,
                     self.major_faults + other.major_faults)


def own() -> Usage:
    """Returns the usage of this process and of those of its children that have ended."""
    used, ended = (resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
    return Usage(time.process_time_ns() + round((ended.ru_utime + ended.ru_stime) * 1e9),
                 used.ru_minflt + ended.ru_minflt, used.ru_majflt + ended.ru_majflt)


def worker(pid: int) -> Usage:
    """Returns the usage of another process. Its CPU clock counts in ns, unlike /proc. Faults are in /proc/PID/stat."""
    with open(f"/proc/{pid}/stat", encoding="ascii", errors="replace") as file:
        fields = file.read().rpartition(")")[2].split()  # fields from the third on, since the name may contain blanks
    return Usage(time.clock_gettime_ns(~pid << 3 | 2), int(fields[7]), int(fields[9]))


def workers() -> dict[int, Usage]:
    """Returns the usage of each living child of multiprocessing, by process id. A DataLoader's workers are among them."""
    multiprocessing = sys.modules.get("multiprocessing")
    used: dict[int, Usage] = {}
    for process in multiprocessing.active_children() if multiprocessing else ():
        try:
            used[process.pid] = worker(process.pid)
        except OSError:
            pass  # it ended just now, or this is not Linux
    return used


class Meter:
    """Measures what is used since it was made."""

    def __init__(self) -> None:
        self._workers, self._own = workers(), own()

    def used(self) -> Usage:
        now, total = workers(), own().minus(self._own)
        for usage in now.values():
            total = total.plus(usage)
        for usage in self._workers.values():  # of a worker that has ended since, own() counts all
            total = total.minus(usage)
        return total
