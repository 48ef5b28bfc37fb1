"""The last stage of BALANCED: each note's score as a sum, one curve per feature.

It is a generalised additive model (Hastie & Tibshirani 1986). The curves are in
`reranking.toml`, which `bench/learn.py` writes: readable, and all that was learned."""

import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import files

FILE = "reranking.toml"
FIRST = 30  # notes that are reranked: with 60 no benchmark finds more
LAST_RANK = 60  # from this place on a note's place is worth the least
LIKENESS = "likeness"  # part of the score shared by all notes of an answer
WALK = "walk"  # the only part of notes that are not reranked
EQUAL = 1e-9  # notes whose worth differs by less may come in either order


@dataclass(frozen=True)
class Curve:
    """The value that a feature from 0 to 1 adds: `values` at equal steps, joined by straight lines.

    0 is what it adds on average, and so also for a note without the feature."""

    values: tuple[float, ...]

    def at(self, x: float) -> float:
        """Return the value at x, which is clamped to 0..1."""
        values = self.values
        if x <= 0.0:
            return values[0]
        if x >= 1.0:
            return values[-1]
        place = x * (len(values) - 1)
        low = int(place)
        return values[low] + (place - low) * (values[low + 1] - values[low])


@dataclass(frozen=True)
class Reranking:
    """The curves by feature."""

    curves: Mapping[str, Curve]

    @property
    def span(self) -> float:
        """A bound on the difference of two notes."""
        return sum(max(curve.values) - min(curve.values) for curve in self.curves.values()) or 1.0

    def parts(self, features: Mapping[str, float]) -> list[tuple[str, float]]:
        """Return what each feature of a note adds, in the order of the file."""
        return [
            (name, curve.at(x))
            for name, curve in self.curves.items()
            if (x := features.get(name)) is not None
        ]

    def order(self, notes: Sequence[Mapping[str, float]]) -> list[int]:
        """Return the places of the notes ordered by worth; equal ones keep their order."""
        worth = self._worth(notes)
        return sorted(range(len(notes)), key=lambda place: -worth[place])

    def highest(self, notes: Sequence[Mapping[str, float]], count: int) -> list[int]:
        """Return the places of the `count` notes that are worth most, and of all equal to the last.

        Which of equals come first depends on their scores and ids."""
        worth = self._worth(notes)
        last = sorted(worth, reverse=True)[min(count, len(notes)) - 1]
        return [place for place, each in enumerate(worth) if each >= last - EQUAL]

    def _worth(self, notes: Sequence[Mapping[str, float]]) -> list[float]:
        curves, worth = self.curves, list[float]()
        for features in notes:
            total = 0.0
            for name, x in features.items():
                if name in curves:
                    total += curves[name].at(x)
            worth.append(total)
        return worth

    def scores(
        self, notes: Sequence[Mapping[str, float]], best: float
    ) -> list[tuple[tuple[str, float], ...]]:
        """Return the parts of each note's score.

        They sum to 0..`best`, and to `best` for the best note."""
        raw = [self.parts(features) for features in notes]
        highest = max((sum([part for _, part in parts]) for parts in raw), default=0.0)
        unit = best / self.span
        shared = (LIKENESS, best - unit * highest)
        return [(shared, *[(name, unit * part) for name, part in parts]) for parts in raw]


def parse_curves(text: str) -> Reranking:
    """Parse the curves in a file's text. Raises ValueError."""
    tables = tomllib.loads(text)
    return Reranking(
        {name: Curve(tuple(map(float, table["values"]))) for name, table in tables.items()}
    )


@cache
def load_curves() -> Reranking:
    """Return the curves that come with graphmem."""
    return parse_curves((files("graphmem.domain") / FILE).read_text(encoding="utf-8"))
