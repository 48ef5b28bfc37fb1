"""Searches patterns and functions for texts that take more than linear time; a process of its own,
so that one that hangs can be ended.

python linear_time.py PART PARTS SECONDS SEED: a line of JSON for each thing that is looked at, with
the texts that are too slow for it."""

import itertools
import json
import random
import re
import sys
import time
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass

from growth import is_steep
from hostile_texts import Recipe, recipes
from text_functions import METHODS, NO_TEXT, OF_SEVERAL, functions, patterns, uses, work_of

from graphmem.ai.llm_schema import WrongAnswer
from graphmem.domain.ids import MAX_DOMAIN_LENGTH
from graphmem.domain.notes import MAX_CONTENT, MAX_NAME, MAX_TITLE
from graphmem.errors import GraphmemError
from graphmem.language.extraction.pipeline import LONGEST_SENTENCE
from graphmem.language.messages.parsing import MAX_SENTENCE
from graphmem.language.questions.understanding import LONGEST

# Characters of the longest text that gets to it, where that is less than a note holds.
BOUNDS = {
    "graphmem.language.extraction.entities.name_spans": LONGEST_SENTENCE,
    "graphmem.language.extraction.literals.literals": LONGEST_SENTENCE,
    "graphmem.language.extraction.names.": LONGEST_SENTENCE,
    "graphmem.language.extraction.relations.": LONGEST_SENTENCE,
    "graphmem.language.extraction.name_types.": LONGEST_SENTENCE,
    "graphmem.language.messages.cue_phrases.WISH": MAX_SENTENCE,
    "graphmem.language.messages.parsing._WHOLE": MAX_SENTENCE,
    "graphmem.language.messages.parsing.domain_of": MAX_SENTENCE,
    "graphmem.language.subjects._FILLERS": MAX_SENTENCE,
    "graphmem.language.subjects.named_subject": MAX_SENTENCE,
    "graphmem.domain.commons.": MAX_DOMAIN_LENGTH,
    "graphmem.language.naming.lookup": MAX_NAME,
    "graphmem.language.extraction.note_titles._PARENTHESES": MAX_TITLE,
    "graphmem.language.extraction.series.": LONGEST_SENTENCE,
    "graphmem.language.naming.resolution": MAX_NAME,
    "graphmem.language.naming.name_parts": MAX_NAME,
    "graphmem.language.questions.time_spans": LONGEST,
}
PLAIN = (
    *("a", "A", "1", "_", " ", "\n", ".", ",", "-", "'", '"', "`", "(", "[", "{", "<", "/", "#"),
    *("Aa ", "Aa Bb ", "aA", "a_", "a.", "a-", "a'", "a@b.", "1.", "1,", "é", "中", "\u0301"),
    *("Ann's ", "He ", "not ", "please ", "Thanks, ", "the ", "of the ", "and Ann ", "A. ", "a\n"),
    *("remember that ", "in May 2020 ", "from 1 to 4 ", "<think>", "# a\n", "---\n", "a: b\n"),
    *("Ann prefers Bo to Cy. ", "https://a.b/", "f(", "`a` ", "$1 ", "Dr. ", "e.g. ", "3rd ", "? "),
)
LEAST_TRIED = 6  # texts for each thing, whatever the time
Work = Callable[[str], object]


@dataclass(frozen=True)
class Thing:
    """A pattern or a function, and what may be slow for it."""

    place: str
    works: list[Work]
    texts: Iterator[Recipe]

    def slow_for(self, seconds: float) -> Iterator[Recipe]:
        """The hostile texts for which the work grows faster than linearly, one for each way of
        work, as far as the time allows to look; at least the first few are tried."""
        left = list(self.works)
        ends = time.process_time() + seconds
        for number, recipe in enumerate(self.texts):
            if not left or (number >= LEAST_TRIED and time.process_time() > ends):
                break
            for work in tuple(left):
                if is_steep(work, recipe.text, bound_of(self.place)):
                    left.remove(work)
                    yield recipe


def bound_of(place: str) -> int:
    """The characters of the longest text for a thing."""
    return next((most for start, most in BOUNDS.items() if place.startswith(start)), MAX_CONTENT)


def of_pattern(place: str, pattern: re.Pattern[str], methods: Iterable[str]) -> Thing:
    """A pattern with the ways in which it is used; what goes over all of a text is `finditer`."""
    whole: dict[str, Work] = {"match": pattern.match, "fullmatch": pattern.fullmatch}
    wanted = dict.fromkeys(method if method in whole else "finditer" for method in methods)
    works = [whole.get(name) or (lambda text: deque(pattern.finditer(text), 0)) for name in wanted]
    return Thing(place, works, recipes(pattern))


def of_function(place: str, work: Work, near: Sequence[Recipe], chance: random.Random) -> Thing:
    """A function; `near` are the texts for the patterns of its module."""
    plain = [
        Recipe(start, pump, tail) for tail in ("", "\0") for start in ("", "x") for pump in PLAIN
    ]
    drawn = list(near)
    chance.shuffle(drawn)
    mixed = (
        Recipe("", "".join(chance.choices(PLAIN, k=chance.randint(2, 4))), "") for _ in range(2_000)
    )
    first = itertools.chain.from_iterable(zip(plain, drawn, strict=False))
    rest = (*plain[len(drawn) :], *drawn[len(plain) :])
    return Thing(place, [_quietly(work)], itertools.chain(first, rest, mixed))


def _quietly(work: Work) -> Work:
    def run(text: str) -> None:
        with suppress(GraphmemError, WrongAnswer, ValueError):
            work(text)

    return run


def things(seed: int) -> list[Thing]:
    """All that there is to look at."""
    chance = random.Random(seed)
    used = uses()
    held = patterns()
    found = []
    near: dict[str, list[Recipe]] = {}
    for place, pattern in held.items():
        module, _, name = place.partition("[")[0].rpartition(".")
        found.append(of_pattern(place, pattern, used.get(name, METHODS[:3])))
        near.setdefault(module, []).extend(itertools.islice(recipes(pattern), 40))
    for place, function in functions().items():
        if place not in NO_TEXT:
            work = OF_SEVERAL.get(place) or work_of(function)
            if work is None:
                raise LookupError(f"{place}: tell in OF_SEVERAL how a text gets there, or NO_TEXT")
            found.append(of_function(place, work, near.get(place.rpartition(".")[0], []), chance))
    return found


def main(part: int, parts: int, seconds: float, seed: int) -> None:
    """Look at every `parts`-th thing from `part` on, for so much CPU time together."""
    mine = things(seed)[part::parts]
    for place, thing in enumerate(mine):
        print(json.dumps({"begun": thing.place}), flush=True)
        left = seconds - time.process_time()
        slow = list(thing.slow_for(max(left / (len(mine) - place), 0)))
        texts = [[each.start, each.pump, each.tail] for each in slow]
        print(json.dumps({"place": thing.place, "slow": texts}), flush=True)


if __name__ == "__main__":
    main(int(sys.argv[1]), int(sys.argv[2]), float(sys.argv[3]), int(sys.argv[4]))
