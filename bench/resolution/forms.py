"""Measures which names are found to be one by their form alone, on pairs that are made: names in
two forms, and names of two things that look alike.

    python -m bench.resolution.forms [--seed 1] [--show]

"key": the two have one key (`name_key`) and so one entity from the start. "form": they have a form
in common (`forms_of`) and are one for who reads notes with both. "asked": any other question."""

import argparse
import random
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from graphmem.domain.ids import name_key
from graphmem.language.naming.forms import forms_of
from graphmem.language.naming.resolution import (
    EntityRecord,
    MatchDecision,
    MatchScore,
    compare_entities,
)

LAST = "Moreau Kessler Odell Baker Halden Lindqvist Ashdown Gillmoor Farrow Tessier".split()
FIRST = "Carla Edda Bruno Noor Ruben Astrid Femi Orla Henk Linnea".split()
FIRMS = "Delta Kestrow Saltmarsh Dunmarrow Orion Vantor Quill Brightwater Norvik Tanager".split()
THINGS = "Orion Kestrel Halden Lantern Aurora Borealis Quarry Sable Tern Marlow".split()
PLACES = "Ida Ives Rowan Corbin Alban Piran Elmo Vernon Hollis Marden".split()
CRAFTS = "Weavers Potters Bakers Smiths Masons Glaziers Tanners Coopers Dyers Carvers".split()
UMLAUTS = "Müller Schröder Jäger Köhler Bühler Grünwald Böhmer Händler Größner Möller".split()
TOOLS = "Vue Node Next Nuxt Ember Backbone Express Three Moment Chart".split()
JOINED = ("Blue Lantern", "Open Kiln", "Data Forge", "Git Quarry", "Paper Trail", "Night Relay")


@dataclass(frozen=True)
class Names:
    """Two names of a kind, and whether they are of one thing."""

    kind: str
    one: str
    other: str
    same: bool


Maker = Callable[[random.Random], tuple[str, str]]


def _two(draw: random.Random, of: Sequence[str]) -> tuple[str, str]:
    one, other = draw.sample(of, 2)
    return one, other


def _article(draw: random.Random) -> tuple[str, str]:
    name = f"Guild of {draw.choice(CRAFTS)}"
    return name, draw.choice(("the", "The")) + f" {name}"


def _project(draw: random.Random) -> tuple[str, str]:
    name = draw.choice(THINGS)
    return f"Project {name}", f"{name} {draw.choice(('project', 'Project'))}"


def _initials(draw: random.Random) -> tuple[str, str]:
    a, b = draw.sample("BCDFGHJKLMNPRTW", 2)
    last = draw.choice(LAST)
    return f"{a}.{b}. {last}", draw.choice((f"{a}{b} {last}", f"{a}. {b}. {last}"))


def _version(draw: random.Random) -> tuple[str, str]:
    name, number = draw.choice(THINGS), f"{draw.randint(1, 9)}.{draw.randint(0, 20)}"
    other = draw.choice((f"v{number}", f"v{number}", f"version {number}", f"v. {number}"))
    return f"{name} {number}", f"{name} {other}"


def _legal(draw: random.Random) -> tuple[str, str]:
    name, form = draw.choice(FIRMS), draw.choice(("N.V.", "S.A.", "B.V.", "A.G.", "L.P.", "K.G."))
    return f"{name} {form}", f"{name} {form.replace('.', '')}"


def _spelled_out(draw: random.Random) -> tuple[str, str]:
    name = draw.choice(UMLAUTS)
    spelled = name.translate(str.maketrans({"ä": "ae", "ö": "oe", "ü": "ue", "ß": "ss"}))
    first = draw.choice((*FIRST, ""))
    return f"{first} {name}".strip(), f"{first} {spelled}".strip()


def _abbreviated(draw: random.Random) -> tuple[str, str]:
    place = draw.choice(PLACES)
    return draw.choice(
        (
            (f"Mt. {place}", f"Mount {place}"),
            (f"St. {place}", f"Saint {place}"),
            (f"Ft. {place}", f"Fort {place}"),
            (f"{place} Rd.", f"{place} Road"),
            (f"{place} St", f"{place} Street"),
            (f"Dept. of {place}", f"Department of {place}"),
            (f"Dr. {place}", f"Doctor {place}"),
            (f"Univ. of {place}", f"University of {place}"),
        )
    )


def _humps(draw: random.Random) -> tuple[str, str]:
    tool, name = draw.choice(TOOLS), draw.choice(JOINED)
    return draw.choice(
        (
            (f"{tool}JS", f"{tool}.js"),
            (name.replace(" ", ""), name),
            (name.replace(" ", ""), name.replace(" ", "-")),
            (name.replace(" ", "_").lower(), name[0].lower() + name[1:].replace(" ", "")),
        )
    )


def _last_first(draw: random.Random) -> tuple[str, str]:
    first, last = draw.choice(FIRST), draw.choice(LAST)
    return f"{last}, {first}", f"{first} {last}"


def _numbered(draw: random.Random) -> tuple[str, str]:
    name, at = draw.choice(THINGS), draw.randrange(2, 9)
    roman = "I II III IV V VI VII VIII IX X".split()[at - 1]
    word = "one two three four five six seven eight nine ten".split()[at - 1].title()
    ordinal = "First Second Third Fourth Fifth Sixth Seventh Eighth Ninth Tenth".split()[at - 1]
    tail = {1: "st", 2: "nd", 3: "rd"}.get(at, "th")
    return draw.choice(
        (
            (f"{name} {roman}", f"{name} {at}"),
            (f"Phase {word}", f"Phase {at}"),
            (f"{ordinal} Avenue", f"{at}{tail} Avenue"),
            (f"{name} No. {at}", f"{name} {at}"),
            (f"Room #{at}", f"Room {at}"),
        )
    )


def _spelling(draw: random.Random) -> tuple[str, str]:
    name = draw.choice(THINGS)
    return draw.choice(
        (
            (f"{name} Organisation", f"{name} Organization"),
            (f"{name} Harbour", f"{name} Harbor"),
            (f"{name} Theatre", f"{name} Theater"),
            (f"{name} Centre", f"{name} Center"),
            (f"{name} Junior", f"{name} Jr."),
        )
    )


def _plain(draw: random.Random) -> tuple[str, str]:
    """What one key has always been enough for."""
    firm, other = _two(draw, FIRMS)
    return draw.choice(
        (
            (f"{firm} & {other}", f"{firm} and {other}"),
            (f"{firm} Incorporated", f"{firm} Inc."),
            (f"{firm}-{other}", f"{firm} {other}"),
            (f"{firm.upper()}", firm),
            (f"{firm} 7", f"{firm}7"),
            (f"Café {firm}", f"Cafe {firm}"),
        )
    )


def _other(draw: random.Random) -> tuple[str, str]:
    """What no rule knows."""
    name, craft = draw.choice(THINGS), draw.choice(CRAFTS)
    return draw.choice(
        (
            (f"{craft}' Guild", f"Guild of {craft}"),
            (f"{name}base", f"{name} Base"),
            (f"{name} A/S", f"{name} AS"),
            (f"Lloyd's of {name}", f"Lloyds of {name}"),
            (f"University of {name}", f"{name} University"),
            (f"{name} Ltd.", name),
        )
    )


SAME: dict[str, Maker] = {
    "article": _article,
    "version": _version,
    "initials": _initials,
    "spelled out": _spelled_out,
    "legal form": _legal,
    "project": _project,
    "humps": _humps,
    "abbreviation": _abbreviated,
    "last name first": _last_first,
    "numbers": _numbered,
    "spelling": _spelling,
    "one key": _plain,
    "no rule": _other,
}


def _apart(draw: random.Random) -> tuple[str, str]:
    """Two things of names that differ in what tells things apart."""
    thing, thing2 = _two(draw, THINGS)
    firm, firm2 = _two(draw, FIRMS)
    last, place, first = draw.choice(LAST), draw.choice(PLACES), draw.choice(FIRST)
    a, b, c = draw.sample("BCDFGHJKLMNPRTW", 3)
    n, m = draw.randint(1, 9), draw.randint(0, 9)
    umlaut = draw.choice(UMLAUTS)
    return draw.choice(
        (
            (f"{thing} {n}.{m}", f"{thing} {n}.{m + 1}"),
            (f"{thing} v{n}.{m}", f"{thing} {n}{m}"),
            (f"{thing} {n}.{m}", f"{thing} v{n}.{m}.1"),
            (f"{thing} V{n}", f"{thing} {n}"),
            (f"{thing} v{n}", f"{thing2} v{n}"),
            (f"{a}.{b}. {last}", f"{a}.{c}. {last}"),
            (f"{a}{b} {last}", f"{a}.{c}. {last}"),
            (f"{a}.{b}. {last}", f"{a}. {last}"),
            (f"A.L. {last}", f"Al {last}"),
            (f"M.R. {last}", f"Mr. {last}"),
            (f"D.R. {last}", f"Dr. {last}"),
            (f"S.T. {last}", f"St. {last}"),
            (f"{firm} N.V.", f"{firm} A.V."),
            (f"{firm} NV", f"{firm} BV"),
            (f"{firm} N.V.", f"{firm2} N.V."),
            (f"{firm} SA", f"{firm} Sable"),
            (f"{umlaut}", umlaut.translate(str.maketrans("äöü", "eie"))),
            (umlaut.translate(str.maketrans({"ä": "ae", "ö": "oe", "ü": "ue"})),
             umlaut.translate(str.maketrans("äöü", "aou")) + "s"),
            ("Miller", "Mueller"), ("Bär", "Bar"), ("Michal", "Michael"), ("Jo", "Joe"),
            (f"Mt. {place}", f"Mt. {place[0]}{place[2:]}"),
            (f"Mount {place}", f"Fort {place}"),
            (f"St. {place}", f"St. {place} Bay"),
            (f"St. {place}", f"{place} St."),
            (f"Mount {place}", f"Mount {place} Lodge"),
            (f"{place} Road", f"{place} Street"),
            (f"the {thing}", thing),
            (f"the Guild of {draw.choice(CRAFTS)}", f"the Guild of {thing}"),
            (f"Guild of {thing} and {thing2}", f"Guild of {thing}"),
            (f"Project {thing}", f"{thing2} project"),
            (f"Project {thing} {n}", f"{thing} project"),
            ("Project Manager", "Manager Project"),
            ("Project Office", "office project"),
            (f"Project {thing}", f"{thing} programme"),
            (f"{draw.choice(TOOLS)}.js", f"{draw.choice(TOOLS)}.ts"),
            (f"{thing}Script", f"{thing} Scripts"),
            ("White House", "Whitehouse"), ("Model S", "Models"), ("Lane I", "Lane 1"),
            (f"{last}, {first}", f"{last} {first}, Jr."),
            (f"{first} {last} Jr.", f"{first} {last} Sr."),
            (f"{thing} II", f"{thing} III"), (f"{thing} IV", f"{thing} VI"),
            (f"{thing} IX", f"{thing} 11"), (f"Plan {a}", f"Plan {b}"),
            (f"{n} Quarry Lane", f"{n}a Quarry Lane"), ("Fifth Avenue", "Fifteenth Avenue"),
            (f"Room #{n}", f"Room {n}{m}"), (f"No. {n}", f"No. {n + 1}"),
            (f"{thing}+", thing), ("C#", "C"), ("utf-8", "utf-16"), (f"{firm} Inc.", f"{firm} AG"),
            (f"Level -{n}", f"Level {n}"), (f"{first} & {last}", f"{first} {last}"),
            (f"{thing} Centre", f"{thing} Central"), (f"{firm} & {firm2}", f"{firm} & Sons"),
        )
    )  # fmt: skip


def made(seed: int, same: int = 8, apart: int = 260) -> list[Names]:
    """So many pairs of each kind of one thing, and so many of two things; no pair twice."""
    draw = random.Random(seed)
    found: dict[tuple[str, str], Names] = {}
    for kind, maker in SAME.items():
        before = len(found)
        for _ in range(50 * same):
            one, other = maker(draw)
            if len(found) - before < same and one != other:
                found.setdefault((one, other), Names(kind, one, other, True))
    before = len(found)
    for _ in range(50 * apart):
        one, other = _apart(draw)
        if len(found) - before < apart and one != other:
            found.setdefault((one, other), Names("apart", one, other, False))
    return list(found.values())


def one_by_form(one: str, other: str) -> bool:
    """Whether two names are one name in two forms, whatever is known of what they name."""
    return not forms_of(one).isdisjoint(forms_of(other))


def compare_names(one: str, other: str) -> MatchScore:
    """Compare two names alone."""
    return compare_entities(EntityRecord(names=(one,)), EntityRecord(names=(other,)))


def found_by(pair: Names) -> str:
    """By what the two names are found to be one: key, form, asked; or left."""
    if name_key(pair.one) == name_key(pair.other):
        return "key"
    if one_by_form(pair.one, pair.other):
        return "form"
    return "asked" if compare_names(pair.one, pair.other).band is MatchDecision.ASK else "left"


def main() -> None:
    """Print a line for each kind."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--show", action="store_true", help="the pairs judged otherwise than meant")
    given = parser.parse_args()
    counts: dict[str, Counter[str]] = {}
    for pair in made(given.seed):
        how = found_by(pair)
        for kind in (pair.kind, "all of one thing") if pair.same else (pair.kind,):
            counts.setdefault(kind, Counter())[how] += 1
        if given.show and pair.same is not (how in ("key", "form")):
            print(f"  {pair.kind}: {how}: {pair.one} | {pair.other}")
    print("| kind | pairs | one key | one form | asked | left |\n|---|---|---|---|---|---|")
    for kind, count in counts.items():
        cells = [str(count[how]) for how in ("key", "form", "asked", "left")]
        print(f"| {kind} | {count.total()} | {' | '.join(cells)} |")
    one = counts["all of one thing"]
    print(f"\none by form alone: {(one['key'] + one['form']) / one.total():.1%} of {one.total()}")


if __name__ == "__main__":
    main()
