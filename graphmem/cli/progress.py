"""Progress of a long command, shown on a terminal only."""

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Protocol


class Advance(Protocol):
    """Takes the number of things done since the last call, and the total if it became known."""

    def __call__(self, done: int, total: int | None = None, /) -> None:
        """Show the progress."""


@contextmanager
def progress(what: str, total: int | None = None) -> Iterator[Advance]:
    """Show a bar on stderr inside the context."""
    known = total
    if not sys.stderr.isatty():
        yield lambda done, total=None, /: None
        return
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn

    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn())
    with Progress(*columns, console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task(what, total=known)

        def advance(done: int, total: int | None = None, /) -> None:
            bar.update(task, advance=done, total=known if total is None else total)

        yield advance
