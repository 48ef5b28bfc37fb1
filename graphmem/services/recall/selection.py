"""The selection of hits for a context package: notes that fit and do not all say the same."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import exp, sqrt

from graphmem.language.sentences import sentences

SAME_EPISODE = 0.3  # least similarity of two notes of one episode
SHARPNESS = 8.0  # steepness of relevance, chosen by the evidence that packages hold


@dataclass(frozen=True, kw_only=True)
class PackageItem:
    """A note that may go into a package."""

    relevance: float  # 0..1, best of the answer: 1
    terms: frozenset[str]  # terms of its text
    episode: str | None


def relevances(scores: Sequence[float]) -> list[float]:
    """Return the scores of any profile as 0..1, where the best is 1.

    What is a tenth of the best score below it has less than half of that. As in a softmax, the
    exponential of the difference counts, so notes that hardly differ stay equal and the many last
    ones have next to nothing.
    """
    low, high = min(scores, default=0.0), max(scores, default=0.0)
    scale = max(abs(high), high - low) or 1.0
    return [exp(SHARPNESS * (score - high) / scale) for score in scores]


def likeness(one: PackageItem, other: PackageItem) -> float:
    """Return how much of the two texts is the same, 0..1: the cosine of their sets of terms."""
    longest = sqrt(len(one.terms) * len(other.terms))
    shared = len(one.terms & other.terms) / longest if longest else 0.0
    same = one.episode is not None and one.episode == other.episode
    return max(shared, SAME_EPISODE) if same else shared


def pick(items: Sequence[PackageItem], take: Callable[[int], bool]) -> list[int]:
    """Return the items in the order in which they are worth a place.

    Each next one has the most relevance and the least similarity to those that were taken (maximal
    marginal relevance, Carbonell and Goldstein 1998). `take` is asked once for each and returns
    whether it was taken; equal ones come in the order given.
    """
    # Places, each with the similarity to the most similar one taken.
    remaining = dict.fromkeys(range(len(items)), 0.0)
    taken: list[int] = []
    while remaining:
        best = max(remaining, key=lambda i: (worth(items[i], remaining[i]), -i))
        del remaining[best]
        if take(best):
            taken.append(best)
            remaining = {
                i: max(like, likeness(items[i], items[best])) for i, like in remaining.items()
            }
    return taken


def worth(item: PackageItem, like: float) -> float:
    """Return the relevance less the square of the similarity, both with the same weight.

    The square spares what shares only some words with what is there, as notes about one thing do; a
    copy of the best note comes after all others. With it a package of 1,700 tokens holds no less of
    the evidence of public questions on conversations than the best notes alone do.
    """
    return item.relevance - like**2


def make_excerpt(
    text: str, fitting: Callable[[str], float], fits: Callable[[str], bool]
) -> str | None:
    """Return whole sentences of a text in order, from the one that fits best on.

    There are as many as `fits` accepts; "[…]" stands for what is left out. None when not even the
    first is accepted.
    """
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
