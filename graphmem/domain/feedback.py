"""How feedback on a recall changes the strength of its notes (DIFF-10).

A tracked recall has made the half-life of each of its notes longer. A note that was used and
helped gets one more access; one that did not help loses what that recall gave it. The state
depends on the newest feedback alone, so new feedback takes back exactly what the feedback before
it did. Feedback does not change the strength of a note found in a shared memory: it counts only
for what its writer is thought to know."""

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass

LIKE = 0.8  # the cosine above which two questions are alike
MOST_MOVED = 0.5  # share of the best score
RECALLED = 1.2  # factor of a tracked recall on the half-life (MUMA-11)


def feedback_shift(given: Iterable[tuple[float, bool]]) -> float:
    """Return the part of the best score by which feedback on like questions moves a note.

    It is from -`MOST_MOVED` to `MOST_MOVED`. `given`: for each of these questions its cosine,
    above `LIKE`, and whether the note helped. An equal question counts 1, so one answer that
    helped gives half of the most, and three give three quarters."""
    sum_of_all = sum((1 if helped else -1) * (near - LIKE) / (1 - LIKE) for near, helped in given)
    return MOST_MOVED * sum_of_all / (1 + abs(sum_of_all))


@dataclass(frozen=True, kw_only=True)
class FeedbackChange:
    """A change of the feedback on a note: it helped or did not; None: no feedback."""

    note: str
    old: bool | None
    new: bool | None
    strengthens: bool = True  # whether it also changes the note's strength

    @property
    def accesses(self) -> int:
        """The change of the note's access count: -1, 0 or 1."""
        return ((self.new is True) - (self.old is True)) * self.strengthens

    @property
    def factor(self) -> float:
        """The factor for the half-life."""
        return RECALLED ** (((self.old is False) - (self.new is False)) * self.strengthens)


def changes_of(
    before: Mapping[str, bool | None],
    used: Iterable[str],
    *,
    helpful: bool,
    consulted: Collection[str] = (),
) -> list[FeedbackChange]:
    """Return the changes that new feedback makes.

    `before`: the feedback until now on each note of the recall. Notes not named as used keep
    theirs, unless none is named: then the feedback is about the recall as a whole. If that did
    not help, none of its notes did; if it helped, no note counts as useless any longer.
    `consulted`: the notes that were found in a shared memory."""
    named = list(dict.fromkeys(used))
    new = {note: helpful for note in named}
    if not named and not helpful:
        new = dict.fromkeys(before, False)
    elif not named:
        new = {note: None for note, helped in before.items() if helped is False}
    return [
        FeedbackChange(note=note, old=before[note], new=after, strengthens=note not in consulted)
        for note, after in new.items()
        if before[note] is not after
    ]
