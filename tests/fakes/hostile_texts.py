"""Texts that make a regular expression slow, made from the expression itself.

Each text is a beginning that the pattern accepts, a pump that one of its repeats (or two of them)
accepts, as often as the size asks for, and a tail that lets the match fail late."""

import re
import re._compiler as compiler  # pyright: ignore[reportMissingImports]
import re._parser as parser  # pyright: ignore[reportMissingImports]
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import product

TAILS = ("\0", "! b", "", "x=", " b!")
PALETTE = "aAé1_ -.,'!?:;/@#&+$%()[]{}\"`~=<>|*\n\t’–…中\u0301"  # noqa: RUF001
MOST_SAMPLES = 12
LEAST_REPEATS = 4  # from here on a repeat is worth pumping
_REPEATS = ("MAX_REPEAT", "MIN_REPEAT", "POSSESSIVE_REPEAT")


@dataclass(frozen=True)
class Recipe:
    """How to make a hostile text of any size."""

    start: str
    pump: str
    tail: str

    def text(self, size: int) -> str:
        """The text, of about `size` characters."""
        return self.start + self.pump * max(1, size // len(self.pump)) + self.tail


def recipes(pattern: re.Pattern[str]) -> Iterator[Recipe]:
    """Hostile texts for a pattern: those of its own repeats first, then pairs of what it holds."""
    parsed = parser.parse(pattern.pattern, pattern.flags)
    pumps = list(dict.fromkeys(_pumps(parsed, "")))
    seen: set[Recipe] = set()
    for tail, (start, pump) in product(TAILS, pumps):
        for recipe in (Recipe(start, pump, tail), Recipe("", start + pump, tail)):
            if recipe.pump and recipe not in seen:
                seen.add(recipe)
                yield recipe
    atoms = [each for each in dict.fromkeys([p for _, p in pumps] + _samples(parsed)) if each]
    starts = ["", *dict.fromkeys(start for start, _ in pumps)]
    for tail in TAILS[:2]:
        for one, other in product(atoms, atoms):
            yield Recipe("", one + other, tail)
            yield Recipe("", one + other * 9, tail)
    for tail, start, atom in product(TAILS[:2], starts, atoms):
        yield Recipe(start, atom, tail)


def _pumps(nodes: Sequence[tuple], before: str) -> Iterator[tuple[str, str]]:
    """What stands before each repeat, and what it takes in."""
    for node in nodes:
        name, held = str(node[0]), node[1]
        if name in _REPEATS:
            _, most, body = held
            yield from _pumps(body, before)
            if most >= LEAST_REPEATS:
                yield from ((before, each) for each in _samples(body) if each)
        else:
            for part in _parts(name, held):
                yield from _pumps(part, before)
        before += _sample(node)


def _parts(name: str, held: object) -> list:
    match name:
        case "BRANCH":
            return held[1]
        case "SUBPATTERN":
            return [held[3]]
        case "ATOMIC_GROUP":
            return [held]
        case "ASSERT" | "ASSERT_NOT":
            return [held[1]]
        case "GROUPREF_EXISTS":
            return [part for part in held[1:] if part is not None]
    return []


def _sample(node: tuple) -> str:
    return next(iter(_node_samples(node)), "")


def _samples(nodes: Sequence[tuple]) -> list[str]:
    """Texts that a sequence accepts: each of its nodes varied by itself."""
    each = [_node_samples(node) for node in nodes]
    plain = [choices[0] if choices else "" for choices in each]
    found = dict.fromkeys(["".join(plain)])
    for place, choices in enumerate(each):
        for choice in choices[1:]:
            found.setdefault("".join([*plain[:place], choice, *plain[place + 1 :]]))
    return list(found)[: 3 * MOST_SAMPLES]


def _node_samples(node: tuple) -> list[str]:
    name, held = str(node[0]), node[1]
    if name == "LITERAL":
        return [chr(held)]
    if name in ("IN", "NOT_LITERAL", "ANY"):
        return _letters(node)
    if name == "BRANCH":
        return [sample for part in held[1] for sample in _samples(part)[:3]][: 3 * MOST_SAMPLES]
    if name in _REPEATS:
        least, most, body = held
        body = _samples(body)[:MOST_SAMPLES]
        twice = [one * min(most, max(least, 2)) for one in body[:2]]
        return [*(one * max(least, 1) for one in body), *twice, *([""] if least == 0 else [])]
    if name in ("SUBPATTERN", "ATOMIC_GROUP", "GROUPREF_EXISTS"):
        return _samples(_parts(name, held)[0])
    return []  # an assertion takes nothing in


def _letters(node: tuple) -> list[str]:
    """Letters that a class accepts, one of each kind, and some that it names itself."""
    one = parser.SubPattern(parser.State(), [node])
    accepts = compiler.compile(one, re.DOTALL | re.UNICODE)
    named = [chr(value) for kind, value in _named(node) if str(kind) == "LITERAL"][:6]
    return [letter for letter in dict.fromkeys([*PALETTE, *named]) if accepts.match(letter)]


def _named(node: tuple) -> list[tuple]:
    return list(node[1]) if str(node[0]) == "IN" else []
