"""What a curated note gets beside its text, from the text alone: keywords, tags, one sentence."""

import re
from collections import Counter

from graphmem.domain.names import is_cased

_WORD = re.compile(r"[^\W\d_][\w-]{2,}")
_SENTENCE_END = re.compile(r"(?<=[.!?…])\s+|\n+")
_COMMON = frozenset(
    "about above after again all also although always and another any are around because been "
    "before being below between both but came can come could did does doing done down each else "
    "even ever every few first for from get got had has have having her here hers him his how "
    "however into its just last let like made make many may might more most much must near need "
    "never new next not now off often once one only other our out over own per put quite rather "
    "said same say see seen she should since some still such take than that the their them then "
    "there these they thing things this those three through time too two under until upon use used "
    "very want was way well were what when where which while who whom whose why will with within "
    "without would yes yet you your".split()
)
MAX_CONTEXT = 240  # characters


def keywords(text: str, most: int = 7) -> tuple[str, ...]:
    """Up to `most` words by salience: how often, whether a name, how early. Lower case."""
    counts: Counter[str] = Counter()
    first: dict[str, int] = {}
    names: set[str] = set()
    for place, word in enumerate(_WORD.findall(text)):
        key = word.lower()
        if key not in _COMMON:
            counts[key] += 1
            first.setdefault(key, place)
            if place and is_cased(word):
                names.add(key)
    score = {
        key: count + 0.5 * (key in names) + 0.5 / (1 + first[key]) + 0.02 * min(len(key), 12)
        for key, count in counts.items()
    }
    return tuple(sorted(score, key=lambda key: (-score[key], first[key]))[:most])


def context(text: str) -> str:
    """The first sentence of the text, at most 240 characters."""
    sentence = _SENTENCE_END.split(text.strip(), maxsplit=1)[0].strip()
    return sentence if len(sentence) <= MAX_CONTEXT else sentence[: MAX_CONTEXT - 1].rstrip() + "…"
