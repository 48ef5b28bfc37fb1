"""What the files of the store still hold of a user who was erased.

    python -m bench.erasing [--notes 20] [--later 300]

One user writes notes with a word that nobody else has, and is erased; then another user writes
more notes. After each of the three Neo4j is stopped in good order, which writes a checkpoint, and
the word is counted in all files of the store.
"""

import argparse
import asyncio
import secrets
import tempfile
from collections import Counter
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Final

from graphmem.ai.embedders import create_embedder
from graphmem.app import connect_context, open_server
from graphmem.domain.notes import NoteDraft, WriteMode
from graphmem.services.actors import open_access
from graphmem.services.context import Context
from graphmem.services.forgetting.erasing import erase_user
from graphmem.services.writing.remember import remember_many
from graphmem.settings import load_settings

AT_ONCE: Final = 50  # notes written by one call
PLACES: Final = {
    "neostore.propertystore.db.strings": "texts",
    "neostore.propertystore.db.arrays": "lists",
    "transactions": "transaction log",
    "fulltext": "full-text index",
    "vector": "vector index",
    "range": "range indexes",
}


def found(folder: Path, word: str) -> Counter[str]:
    """How often a word is in the files below a folder, by what they are."""
    counts: Counter[str] = Counter()
    for path in sorted(folder.rglob("*")):
        if path.is_file():
            held = path.read_bytes().lower()
            count = sum(held.count(word.encode(code)) for code in ("utf-8", "utf-16-le"))
            name = next((told for part, told in PLACES.items() if part in str(path)), "others")
            counts[name] += count
    return counts


async def write(context: Context, user: str, count: int, word: str) -> None:
    """Notes of a user, each with the word."""
    drafts = [
        NoteDraft(
            content=f"Shelf {i} of {word} holds bowls, says {word.title()}.",
            external_id=f"{word}-{i}",
            tags=(word,),
        )
        for i in range(count)
    ]
    access = await open_access(context, user, None, register=True)
    for start in range(0, count, AT_ONCE):
        part = drafts[start : start + AT_ONCE]
        await remember_many(context, access, [(draft, WriteMode.CURATED) for draft in part])


async def session(folder: Path, work: Callable[[Context], Awaitable[object]]) -> None:
    """Do something on the store in a folder, whose Neo4j is started for it and stopped again."""
    settings = load_settings({"data": folder, "embedder": "hash"})
    embedder = create_embedder("hash")
    async with (
        open_server(settings) as address,
        connect_context(settings, embedder, address, patience_s=60) as context,
    ):
        await work(context)
    await embedder.close()


async def measure(folder: Path, notes: int, later: int) -> None:
    """Print a line for each part of the store."""
    word = f"zebulon{secrets.token_hex(4)}"
    steps: list[Callable[[Context], Awaitable[object]]] = [
        lambda context: write(context, "mara", notes, word),
        lambda context: erase_user(context, "mara"),
        lambda context: write(context, "nils", later, "kiln"),
    ]
    seen = []
    for step in steps:
        await session(folder, step)
        seen.append(await asyncio.to_thread(found, folder / "neo4j", word))
    print(f"{'where':20} {'before':>8} {'erased':>8} {f'{later} more':>10}")
    for name in sorted(set().union(*seen)):
        first, second, third = (each[name] for each in seen)
        print(f"{name:20} {first:8} {second:8} {third:10}")


def main() -> None:
    """Read the arguments and measure."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("--notes", type=int, default=20)
    parser.add_argument("--later", type=int, default=300)
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        asyncio.run(measure(Path(folder), given.notes, given.later))


if __name__ == "__main__":
    main()
