"""How long the processors of this machine have worked for a process: unlike the time on a clock, it
hardly depends on what else the machine does; and the memory that it holds. Elsewhere than on Linux
0."""

import os
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

PROCESSES = Path("/proc")


def processor_s(process: int) -> float:
    """Seconds that the process and all below it have taken so far."""
    if not PROCESSES.is_dir():
        return 0.0
    return sum(map(_ticks, _with_children(process))) / os.sysconf("SC_CLK_TCK")


def memory_mb(process: int) -> tuple[float, float]:
    """Megabytes of memory that a process holds, and those of all below it."""
    if not PROCESSES.is_dir():
        return 0.0, 0.0
    own, *others = _with_children(process)
    return _resident(own), sum(map(_resident, others))


def _resident(process: int) -> float:
    with suppress(OSError):
        pages = int((PROCESSES / str(process) / "statm").read_text("ascii").split()[1])
        return pages * os.sysconf("SC_PAGE_SIZE") / 1e6
    return 0.0


def _with_children(process: int) -> Iterator[int]:
    yield process
    for path in PROCESSES.glob(f"{process}/task/*/children"):
        with suppress(OSError):  # it has ended meanwhile
            for child in path.read_text("ascii").split():
                yield from _with_children(int(child))


def _ticks(process: int) -> int:
    with suppress(OSError):
        fields = (PROCESSES / str(process) / "stat").read_text("utf-8").rpartition(")")[2].split()
        return int(fields[11]) + int(fields[12])  # as user and as system
    return 0
