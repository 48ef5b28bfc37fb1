"""How long the processors of this machine have worked for a process: unlike the time on a clock, it
hardly depends on what else the machine does. On Linux; elsewhere 0."""

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
