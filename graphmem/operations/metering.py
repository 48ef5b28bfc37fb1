"""Counts what protocols ask for, by operation and outcome."""

import asyncio
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Final, TypeVar

from graphmem.errors import GraphmemError, TimedOut
from graphmem.operations.codes import INTERNAL
from graphmem.operations.command import Command
from graphmem.operations.operation import Operation
from graphmem.operations.texts import checked
from graphmem.services.meter import ANSWERS, OPERATION, OTHER, REQUESTS, Meter

__all__ = ["ANSWERS", "OTHER", "Meter"]  # for protocols, which reach services by this layer

OK: Final = "OK"
CANCELLED: Final = "CANCELLED"  # the caller went away
Answer = TypeVar("Answer")


async def run_counted(protocol: str, command: Command[Answer], operation: Operation) -> Answer:
    """Run a command, and count it with its outcome and its time. Raises what it raises."""
    with _counted(operation, protocol, operation_name(type(command))):
        return await (await checked(command, operation)).run(operation)


def count_refused(meter: Meter, protocol: str, code: object) -> None:
    """Count a request that names no operation, or whose operations were not run."""
    meter.count(REQUESTS, protocol, OTHER, str(code))


def operation_name(command: type[Command]) -> str:
    """Return the name of an operation: that of its class."""
    return command.__name__[0].lower() + command.__name__[1:]


@contextmanager
def _counted(
    operation: Operation, protocol: str, name: str, clock: Callable[[], float] = time.perf_counter
) -> Iterator[None]:
    began, outcome = clock(), INTERNAL
    try:
        with operation.service.meter.spans.open(name, {"graphmem.protocol": protocol}):
            yield
        outcome = OK
    except GraphmemError as error:
        outcome = error.code
        raise
    except asyncio.CancelledError:
        outcome = TimedOut.code if _is_over(operation) else CANCELLED
        raise
    finally:
        meter = operation.service.meter
        meter.count(REQUESTS, protocol, name, outcome)
        meter.time(OPERATION, clock() - began, name)


def _is_over(operation: Operation) -> bool:
    return operation.ends is not None and asyncio.get_running_loop().time() >= operation.ends
