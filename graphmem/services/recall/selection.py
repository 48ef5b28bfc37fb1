"""What of an answer goes into a context package: notes that fit and do not all say the same."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import exp, sqrt

from graphmem.language.sentences import sentences

SAME_EPISODE = 0.3  # how alike two notes of one episode are at least
SHARPNESS = 8.0  # of the fall of relevance; by how much of the evidence of questions packages hold


@dataclass(frozen=True, kw_only=True)
class PackageItem:
    """A note that may go into a package."""

    relevance: float  # 0..1, best of the answer: 1
    terms: frozenset[str]  # of its text
    episode: str | None


def relevances(scores: Sequence[float]) -> list[float]:
    """Scores of any profile as 0..1: the best is 1, and what is a tenth of the best score below it
    has less than half of that. As in a softmax, the exponential of the difference counts, so notes
    that hardly differ stay equal and the many last ones have next to nothing."""
    low, high = min(scores, default=0.0), max(scores, default=0.0)
    scale = max(abs(high), high - low) or 1.0
    return [exp(SHARPNESS * (score - high) / scale) for score in scores]


def likeness(one: PackageItem, other: PackageItem) -> float:
    """How much of the two texts is the same, 0..1: the cosine of their sets of terms."""
    longest = sqrt(len(one.terms) * len(other.terms))
    shared = len(one.terms & other.terms) / longest if longest else 0.0
    same = one.episode is not None and one.episode == other.episode
    return max(shared, SAME_EPISODE) if same else shared


def pick(items: Sequence[PackageItem], take: Callable[[int], bool]) -> list[int]:
    """The items in the order in which they are worth a place: each next one is the one with most
    relevance and least likeness to those that were taken (maximal marginal relevance, Carbonell
    and Goldstein 1998). `take` is asked once for each and says whether it was taken; equal ones
    come in the order given."""
    left = dict.fromkeys(range(len(items)), 0.0)  # with the likeness to the likest that was taken
    taken: list[int] = []
    while left:
        best = max(left, key=lambda i: (worth(items[i], left[i]), -i))
        del left[best]
        if take(best):
            taken.append(best)
            left = {i: max(like, likeness(items[i], items[best])) for i, like in left.items()}
    return taken


def worth(item: PackageItem, like: float) -> float:
    """Relevance less the square of likeness, both weighing the same. The square spares what shares
    only some words with what is there, as notes about one thing do; a copy of the best note comes
    after all others. With it a package of 1,700 tokens holds no less of the evidence of public
    questions on conversations than the best notes alone do."""
    return item.relevance - like**2


def excerpt(text: str, fitting: Callable[[str], float], fits: Callable[[str], bool]) -> str | None:
    """Whole sentences of a text in order, from the one that fits best, as many as `fits` lets in;
    "[…]" stands for what is left out. None when not even that one is let in."""
    parts = sentences(text)
    if not parts:
        return None
    begin = max(range(len(parts)), key=lambda i: (fitting(parts[i]), -i))
    found = None
    for end in range(begin + 1, len(parts) + 1):
        whole = " ".join(parts[begin:end])
        shown = f"{'[…] ' if begin else ''}{whole}{' […]' if end < len(parts) else ''}"
        if not fits(shown):
            break
        found = shown
    return found
