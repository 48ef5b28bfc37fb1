"""Measures whether facts inside long texts are found, and facts in short notes among them.

    python -m bench.long_facts --store /tmp/facts [--losses 0,0.01]

Ten made transcripts of 8,000 to 15,000 characters have ten asked facts each, at random places among
small talk about the same matter. Among them are 400 short notes about the same ten matters, of
which 50 have an asked fact of their own. Reported is the share of the questions whose note is
first, and among the first three, of both kinds. `--losses` are values to try of what a note loses
for each doubling of its passages."""

import argparse
import asyncio
import json
import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from bench.benchmarks import ask, open_store
from graphmem.domain import passages
from graphmem.domain.notes import NoteDraft, NoteFilter, WriteMode
from graphmem.services.actors import open_access
from graphmem.services.context import Access, Context
from graphmem.services.reading.notes import count_notes
from graphmem.services.recall.request import RecallRequest
from graphmem.services.writing.remember import remember_many

USER = "bench-long-facts"
BATCH = 50
# A matter with what is talked of all the time, and the things of which the transcript, and short
# notes, tell a fact each.
MATTERS = """
the bakery move: oven, counter, lease, dough, window, shelf
flour silo, proofing cabinet, bread slicer, cold room, till, sign above the door, back yard,
delivery van, tiling, opening party;
display fridge, floor drain, rye starter, cake stand, paper bags

the school play: stage, rehearsal, script, light, costume, choir
dragon mask, trapdoor, fog machine, prompter, programme booklet, second act, piano, ticket desk,
painted forest, understudy;
curtain rope, wig, brass band, cast photo, interval

the orchard: tree, pruning, ladder, harvest, grass, fence
cider press, beehive, frost alarm, plum row, pear graft, drip hose, tool shed, wasp trap, apple
variety by the gate, fruit fair;
compost bay, cherry net, rain gauge, mower, scarecrow

the sailing course: boat, wind, harbour, knot, jetty, crew
spinnaker, radio licence, life raft, tide table, anchor winch, navigation exam, bilge pump,
mooring fee, sail maker, night passage;
galley stove, flare box, compass, rope locker, burgee

the museum exhibition: room, case, loan, label, wall, visitor
clay lamp, audio guide, insurance, coin hoard, humidity logger, catalogue, children's trail,
mosaic, guest book, opening speech;
bronze key, floor plan, spotlight, wax seal, donation box

the village clinic: patient, ward, nurse, waiting room, rota, file
ultrasound, vaccine fridge, ramp, eye chart, night bell, wheelchair, blood courier, hearing
test, oxygen store, dental chair;
scale, coat rack, blind, thermometer, leaflet stand

the choir tour: bus, concert, hall, song, hotel, tenor
organ, descant, border crossing, folding stands, encore, sound engineer, host families, tour
shirt, recording, farewell dinner;
tuning fork, music folder, throat sweets, group photo, left luggage

the attic flat: roof, beam, stairs, plaster, floor, light
skylight, boiler, wardrobe, fire door, chimney, bathroom fan, party wall, parquet, fuse box,
balcony;
coat hook, letter box, tap, skirting board, hatch

the robot contest: wheel, board, battery, code, arena, team
gripper, lidar, referee, spare motor, gear ratio, team flag, firmware, obstacle ramp, charger,
livestream;
emergency stop, cable tie, sticker, solder iron, mascot

the mountain hut: path, snow, guest, kitchen, bunk, roof
water tank, solar panel, rescue sled, cable lift, hut keeper, soup pot, avalanche fence, drying
room, guest levy, helicopter pad;
boot rack, door latch, map board, axe, lantern
"""
# For each thing in turn: how its fact is told, and how it is asked for; `{v}` is drawn.
FACTS = (
    ("We ordered the {t} from {v} in the end.", "Who supplies the {t}?"),
    ("Mind you, the {t} costs {n} euros, that's settled.", "How much money goes into the {t}?"),
    ("So {v} looks after the {t} from now on.", "Who is responsible for the {t}?"),
    ("They come about the {t} on {d}.", "On which day is somebody coming because of the {t}?"),
    ("I hid the key of the {t} at {v}'s place.", "Where can I get the key for the {t}?"),
    ("The {t} has to be {c}, nobody wanted another colour.", "What colour was chosen for the {t}?"),
    ("It was {v} who broke the {t} last winter.", "Whose fault was the damage to the {t}?"),
    ("Without the paper from {v} the {t} isn't allowed.", "Whose permission does the {t} need?"),
    ("Somebody measured the {t}: {n} centimetres.", "How big is the {t}?"),
    ("The {t} was my grandmother's idea, really, she is {v}.", "Who came up with the {t}?"),
)
SYLLABLES = "bra len mor ti ka ve dun sel ho ri pas gor wen fi lu tra".split()
DAYS = "Monday Tuesday Wednesday Thursday Friday Saturday Sunday".split()
COLOURS = "turquoise, ochre, maroon, beige, olive green, dark red, lilac, cream".split(", ")
PEOPLE = "Ines Joost Mira Pavel Oona Teun Salma Bram".split()
TALK = (
    "I was at the {a} again this morning and it looked about the same as last week.",
    "Yes, the {a} and the {b}, we keep coming back to that.",
    "Could we talk about the {a} before we get to the {b}?",
    "Honestly, the {a} took longer than any of us had thought.",
    "My brother says the {a} is fine as it is, but he has never seen the {b}.",
    "Let's leave the {a} for now; there is still the question of the {b}.",
    "I slept badly, so forgive me if I repeat what I said about the {a}.",
    "Nobody has written anything down about the {a} so far.",
    "The {b} was all right in the rain, which surprised me.",
    "We could ask around whether others had trouble with a {a} like that.",
    "That reminds me of the old {a}, before {m} began.",
    "With {m} going on I hardly get to anything else these days.",
    "Is it only me, or does the {b} look crooked next to the {a}?",
    "Then we went for coffee and forgot about the {a} altogether.",
    "I don't mind the {a}, I mind that nobody tells me about the {b}.",
    "Right. The {a}. Where were we?",
)


@dataclass(frozen=True)
class Made:
    """Notes with their names, and questions with the name of the note that answers each."""

    notes: tuple[tuple[str, str], ...]
    long: tuple[tuple[str, str], ...]
    short: tuple[tuple[str, str], ...]


def made(seed: int = 3) -> Made:
    """The same texts and questions at each run of a seed."""
    draw = random.Random(seed)
    notes, long, short = list[tuple[str, str]](), list[tuple[str, str]](), list[tuple[str, str]]()
    for place, matter_of in enumerate(MATTERS.strip().split("\n\n")):
        head, told_of = matter_of.split("\n", 1)
        matter, talked = head.split(": ")
        things, others = told_of.replace("\n", " ").split("; ")
        subjects = talked.split(", ")
        facts = [_fact(draw, i, thing) for i, thing in enumerate(things.split(", "))]
        notes.append((f"long{place}", _transcript(draw, matter, subjects, [f for f, _ in facts])))
        long += [(question, f"long{place}") for _, question in facts]
        for i, thing in enumerate(others.split(", ")):
            told, question = _fact(draw, (place + 2 * i) % len(FACTS), thing)
            notes.append((f"short{place}.{i}", told))
            short.append((question, f"short{place}.{i}"))
        notes += [(f"talk{place}.{i}", _talk(draw, matter, subjects)) for i in range(35)]
    return Made(tuple(notes), tuple(long), tuple(short))


def _fact(draw: random.Random, kind: int, thing: str) -> tuple[str, str]:
    told, question = FACTS[kind]
    name = "".join(draw.choices(SYLLABLES, k=3)).title()
    values = {"v": name, "n": draw.randint(60, 9000), "d": draw.choice(DAYS)}
    return told.format(t=thing, c=draw.choice(COLOURS), **values), question.format(t=thing)


def _talk(draw: random.Random, matter: str, subjects: Sequence[str]) -> str:
    one, other = draw.sample(subjects, 2)
    return draw.choice(TALK).format(a=one, b=other, m=matter)


def _transcript(
    draw: random.Random, matter: str, subjects: Sequence[str], facts: Sequence[str]
) -> str:
    length, who = draw.randint(8_000, 15_000), draw.sample(PEOPLE, 3)
    turns = list(_turns(draw, matter, subjects, who, length))
    for fact, place in zip(facts, sorted(draw.sample(range(len(turns)), len(facts))), strict=True):
        turns[place] += f" {fact} {_talk(draw, matter, subjects)}"
    return "\n".join(turns)


def _turns(
    draw: random.Random, matter: str, subjects: Sequence[str], who: Sequence[str], length: int
) -> Iterator[str]:
    told = 0
    while told < length - 1_400:  # the facts come beside
        said = " ".join(_talk(draw, matter, subjects) for _ in range(draw.randint(1, 3)))
        turn = f"{draw.choice(who)}: {said}"
        told += len(turn) + 1
        yield turn


async def _filled(context: Context, given: Made) -> Access:
    access = await open_access(context, USER, None, register=True)
    if await count_notes(context, access, NoteFilter()) < len(given.notes):
        drafts = [
            (NoteDraft(content=text, external_id=name), WriteMode.VERBATIM)
            for name, text in given.notes
        ]
        for start in range(0, len(drafts), BATCH):
            results = await remember_many(context, access, drafts[start : start + BATCH])
            assert not any(result.error for result in results), results
    return await open_access(context, USER, None)


async def _shares(
    context: Context, access: Access, asked: tuple[tuple[str, str], ...]
) -> dict[str, float]:
    first = among = 0
    for text, note in asked:
        answer = await ask(context, access, RecallRequest(query=text, k=3, track=False))
        names = [hit.note.external_id for hit in answer.hits]
        first, among = first + (names[:1] == [note]), among + (note in names)
    return {"first": round(100 * first / len(asked), 1), "R@3": round(100 * among / len(asked), 1)}


async def measure(store: Path, losses: list[float]) -> None:
    """Fill the store, ask all questions with each of the losses, and print what was found."""
    given = made()
    async with open_store(store) as context:
        access = await _filled(context, given)
        for loss in losses:
            passages.EACH_DOUBLING = loss  # pyright: ignore[reportConstantRedefinition, reportAttributeAccessIssue]
            long = await _shares(context, access, given.long)
            short = await _shares(context, access, given.short)
            print(json.dumps({"loss": loss, "long": long, "short": short}), flush=True)


def main() -> None:
    """Parse the command line and measure."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("--store", type=Path, required=True)
    parser.add_argument("--losses", default=str(passages.EACH_DOUBLING))
    given = parser.parse_args()
    asyncio.run(measure(given.store, [float(each) for each in given.losses.split(",")]))


if __name__ == "__main__":
    main()
