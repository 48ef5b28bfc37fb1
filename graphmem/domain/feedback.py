"""Feedback on a recall: what a finding does to the strength of a note (DIFF-10).

A tracked recall has made the half-life of each of its notes longer. A note that was used and helped
gets one more access; one that did not help loses what that recall gave it. Each state follows from
the finding alone, so going from one to another takes back exactly what the first one did.

What was found in a memory that others share is as strong afterwards as it was before: only what
its writer is thought to know follows from the finding."""

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass

RECALLED = 1.2  # a tracked recall makes the half-life longer (MUMA-11)


@dataclass(frozen=True, kw_only=True)
class FeedbackChange:
    """A note of which another thing is found than before; None stands for nothing."""

    note: str
    old: bool | None
    new: bool | None
    strengthens: bool = True  # whether it makes the note stronger or weaker, too

    @property
    def accesses(self) -> int:
        """How many accesses more the note has: -1, 0 or 1."""
        return ((self.new is True) - (self.old is True)) * self.strengthens

    @property
    def factor(self) -> float:
        """What the half-life is multiplied by."""
        return RECALLED ** (((self.old is False) - (self.new is False)) * self.strengthens)


def changes_of(
    found: Mapping[str, bool | None],
    used: Iterable[str],
    *,
    helpful: bool,
    consulted: Collection[str] = (),
) -> list[FeedbackChange]:
    """What feedback changes. `found`: what was found before of each note of the recall. Notes that
    are not used keep it, unless none is: then the answer is about the recall as a whole. If it did
    not help, no note of it did; if it helped, none is to be blamed any longer. `consulted`: the
    notes that were found in a memory that others share."""
    named = list(dict.fromkeys(used))
    new = {note: helpful for note in named}
    if not named and not helpful:
        new = dict.fromkeys(found, False)
    elif not named:
        new = {note: None for note, before in found.items() if before is False}
    return [
        FeedbackChange(note=note, old=found[note], new=after, strengthens=note not in consulted)
        for note, after in new.items()
        if found[note] is not after
    ]
