"""Measures what a year of forgetting leaves, by a clock of its own.

    python -m bench.year FOLDER --notes 50000 [--step 7] [--tiered] [--seconds 500]

10 users with three agents each write `--notes` notes in 364 days, seeded; of each hundred one is a
needle, which says what no other note says. Needles are asked for every two to six weeks (`used`),
every two to four months (`seldom`) or never (`unused`, and `important`: pinned or load-bearing); a
question that an ordinary recall does not answer is asked again with `deep`. Another question is
asked for every 14 notes that are written, which is one a day of each user at 50,000. After each
`--step` days every job whose time has come runs once, as where a service was asleep; `--tiered`
switches `move_tiers` on, too. Texts are made, vectors are those of the embedder `hash`.

Every four weeks it is counted how many notes have each status and tier and how large the files of
the store are, and asked with `k` = 10 for each needle, and for 100 other notes that say something
of their own. Then a second memory gets the same notes, and no jobs: there as many notes are
archived at random, oldest and newest alike, as it takes to keep as few of them as the first memory
kept; a recall with `deep` finds what keeping everything would find.

A run ends after about `--seconds`; the same command goes on where it was. FOLDER keeps the two
memories and the figures, `year.json`, of which `bench.year.curves` draws the picture.
"""

import argparse
import asyncio
import json
import logging
import random
import time
from collections import defaultdict
from collections.abc import Mapping, Sequence
from pathlib import Path
from statistics import fmean
from typing import Any

import pytest
import structlog

from bench.year.living import Life
from bench.year.plan import DAYS, USERS, Fate, Written, year
from graphmem.ai.embedders import create_embedder
from graphmem.app import connect_context, open_server
from graphmem.settings import load_settings

AT_ONCE = 4  # questions
EVERY = 28  # days from one measure to the next
SAMPLE = 100  # other notes that are asked for
OTHERS = 0.07  # questions for each note that is written, beside those for needles
Rows = list[dict[str, Any]]


async def found(
    life: Life, notes: Sequence[Written], known: Sequence[Written], *, deep: bool = False
) -> dict[str, float]:
    """The share of the needles of each fate that their questions find, and of other notes."""
    turn = asyncio.Semaphore(AT_ONCE)

    async def one(each: Written) -> tuple[str, bool]:
        async with turn:
            return each.fate or "all", await life.finds(each, deep=deep)

    others = [each for each in notes if each.fate is None and each.question is not None]
    sample = random.Random(len(others)).sample(others, min(SAMPLE, len(others)))
    shares = defaultdict[str, list[bool]](list)
    for fate, hit in await asyncio.gather(*map(one, [*known, *sample])):
        shares[fate].append(hit)
    return {name: round(fmean(hits), 4) for name, hits in sorted(shares.items())}


async def a_life(
    life: Life, notes: Sequence[Written], state: dict[str, Any], ends: float, given: Any
) -> None:
    """The memory with jobs."""
    slots, done = state.setdefault("slots", {}), state.setdefault("done", 0)
    life.counts = state.setdefault("counts", {})
    while done < DAYS and time.monotonic() < ends:
        life.day = done = min(done + given.step, DAYS)
        before = done - given.step
        began = time.monotonic()
        new = [each for each in notes if before <= each.day < done]
        await life.write(new)
        needles = [each for each in notes if each.fate and each.day < done]
        asked = [(day, each) for each in needles for day in each.asked if before <= day < done]
        await life.use(asked, round(OTHERS * len(new)), given.seed)
        life.day = done
        await life.run_jobs(slots)
        if done % EVERY < given.step:
            known = [each for each in notes if each.day < done]
            row = {"day": done, "written": len(known), **await life.stands()}
            row["files"] = await asyncio.to_thread(size_of, given.folder / "life")
            worked = time.monotonic()
            row["found"] = await found(life, known, needles)
            row["seconds"] = [round(worked - began, 1), round(time.monotonic() - worked, 1)]
            state["rows"].append(row)
            print(json.dumps(row), flush=True)
        state["done"] = done
        await asyncio.to_thread(keep, given.folder, state)


async def kept(
    life: Life, notes: Sequence[Written], state: dict[str, Any], ends: float, given: Any
) -> None:
    """The memory without jobs, of which notes are dropped at random."""
    rows: Rows = state["rows"]
    rng = random.Random(given.seed + 1)
    order = {each.key: rng.random() for each in notes}
    dropped, at = set[str](state.setdefault("dropped", [])), state.setdefault("kept", 0)
    for place in range(at, len(rows)):
        if time.monotonic() > ends:
            return
        row, before = rows[place], rows[place - 1]["day"] if place else 0
        life.day = row["day"]
        await life.write([each for each in notes if before <= each.day < row["day"]])
        known = [each for each in notes if each.day < row["day"]]
        by_chance = sorted(known, key=lambda each: order[each.key])
        less = by_chance[: max(len(known) - row["live"], 0)]
        await life.drop([each for each in less if each.key not in dropped])
        dropped |= {each.key for each in less}
        needles = [each for each in known if each.fate]
        row["random"] = await found(life, known, needles)
        row["all_kept"] = await found(life, known, needles, deep=True)
        print(json.dumps({name: row[name] for name in ("day", "random", "all_kept")}), flush=True)
        state["kept"], state["dropped"] = place + 1, sorted(dropped)
        await asyncio.to_thread(keep, given.folder, state)


@pytest.mark.feature("MUMA-111")  # with --notes 50000
async def run(given: argparse.Namespace) -> None:
    """Go on with the year for some time."""
    ends = time.monotonic() + given.seconds
    notes = year(given.notes, given.seed)
    file = given.folder / "year.json"
    plan = {"notes": given.notes, "seed": given.seed, "step": given.step, "tiered": given.tiered}
    state: dict[str, Any] = {"plan": plan, "rows": []}
    if file.exists():
        state = json.loads(file.read_text("utf-8"))
    if state["plan"] != plan:
        raise SystemExit(f"{file} is of another year: {state['plan']}")
    for name, part in (("life", a_life), ("kept", kept)):
        if name == "kept" and state.get("done", 0) < DAYS:
            break
        data = given.folder / name
        settings = load_settings(
            {"data": data, "neo4j_heap": "2g", "neo4j_page_cache": "1g", "embedder": "hash"}
            | ({"tiered": {"enabled": True}} if given.tiered else {})
        )
        async with (
            open_server(settings) as address,
            connect_context(settings, create_embedder("hash"), address, patience_s=60) as real,
        ):
            life = Life(real=real)
            await life.register()
            await part(life, notes, state, ends, given)
    if state.get("kept") == len(state["rows"]) and state.get("done", 0) >= DAYS:
        tell(state)


def size_of(folder: Path) -> int:
    """The bytes of a folder's files: the store, its indexes and its transaction logs."""
    return sum(file.stat().st_size for file in folder.rglob("*") if file.is_file())


def keep(folder: Path, state: Mapping[str, Any]) -> None:
    """Keep how far the year has got."""
    (folder / "year.json").write_text(json.dumps(state, indent=1), "utf-8")


def tell(state: Mapping[str, Any]) -> None:
    """Print the table."""
    fates = [*Fate, "all"]
    names = ("day", "written", "live", "ACTIVE", "FADING", "DORMANT", "ARCHIVED", "MB")
    print("| " + " | ".join((*names, *fates)) + " |")
    for row in state["rows"]:
        shown = [str(row.get(name, 0)) for name in names[:-1]] + [f"{row['bytes'] / 1e6:.0f}"]
        for fate in fates:
            three = (row[how].get(fate, 0) for how in ("found", "random", "all_kept"))
            shown.append(" / ".join(f"{100 * each:.0f}" for each in three))
        print("| " + " | ".join(shown) + " |")
    counts, files = state["counts"], state["rows"][-1]["files"]
    nights = counts["consolidate_memory.runs"] * USERS
    seconds = counts["consolidate_memory.milliseconds"] / 1000 / nights
    print(f"files of the store: {files / 1e6:.0f} MB; a night of a user: {seconds:.1f} s")
    print(json.dumps(counts))


def main() -> None:
    """Read the arguments and measure."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("folder", type=Path)
    parser.add_argument("--notes", type=int, default=50_000)
    parser.add_argument("--step", type=int, default=7)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--tiered", action="store_true")
    parser.add_argument("--seconds", type=float, default=1e9)
    given = parser.parse_args()
    given.folder.mkdir(parents=True, exist_ok=True)
    structlog.configure(wrapper_class=structlog.make_filtering_bound_logger(logging.WARNING))
    asyncio.run(run(given))


if __name__ == "__main__":
    main()
