"""How long a backup takes, and what callers feel of it.

    python -m bench.backups FOLDER [--notes 10000]

The folder is empty, or has the store of an earlier run. Beside the backup one caller recalls and
one writes, each one after the other without a pause, first with nothing else and then during it.
Reported: the seconds of the backup; recall at half and at 95 %, the longest write, the longest
recall, and writes at 95 %, in milliseconds, idle and beside the backup. Each write waits for the
rest of the pause, so one writer feels the pause once, as its longest write."""

import argparse
import asyncio
import io
import statistics
import time
from pathlib import Path

from bench.filling import Vectors, settings_of, users_of, write_users
from bench.jobs import LEAST_S, Felt, beside
from bench.speed import machine_ms
from graphmem.app import connect_context, open_server
from graphmem.services.backups.writing import write_backup
from graphmem.services.context import Context
from graphmem.services.verifying import verify
from graphmem.store.meta import notes_after


def told(felt: Felt) -> str:
    """What `Felt` tells, the longest recall, and writes at 95 %."""
    writes = statistics.quantiles([*felt.writes, *felt.writes], n=20)[-1]
    return f"{felt.told()} {max(felt.recalls):8.1f} {writes:8.1f}"


async def measure(context: Context, total: int) -> None:
    """Print a line for no backup and one for a backup."""
    users = users_of(total)
    some = [note.id for note in await notes_after(context.graph, "", 500)]
    await beside(context, users, some, _after(2 * LEAST_S))  # Java compiles meanwhile
    print("            s  recall     p95    write   recall (longest)  write (95 %)")
    print(f"idle        - {told(await beside(context, users, some, _after(LEAST_S)))}")
    for _ in range(2):
        began, ended = time.perf_counter(), asyncio.Event()
        feeling = asyncio.create_task(beside(context, users, some, ended.is_set))
        counts = await write_backup(context.graph, io.BytesIO(), context.clock())
        took = time.perf_counter() - began
        ended.set()
        print(f"backup {took:6.1f} {told(await feeling)}  {counts.nodes} {counts.relationships}")


def _after(seconds: float):
    end = time.perf_counter() + seconds
    return lambda: time.perf_counter() > end


async def run(folder: Path, total: int) -> None:
    """Fill the store, if it is empty, and measure."""
    settings, vectors = settings_of(folder, total), Vectors()
    async with (
        open_server(settings) as address,
        connect_context(settings, vectors, address, patience_s=60) as context,
    ):
        if (await verify(context.graph)).notes == 0:
            await write_users(context, vectors, total)
        await measure(context, total)


def main() -> None:
    """Parse the command line, fill and measure."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("folder", type=Path)
    parser.add_argument("--notes", type=int, default=10_000)
    given = parser.parse_args()
    print(f"machine_ms {machine_ms():.1f}")
    asyncio.run(run(given.folder.resolve(), given.notes))


if __name__ == "__main__":
    main()
