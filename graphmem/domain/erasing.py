"""The erasure of a user: what was destroyed, and what still names the user."""

from collections.abc import Mapping
from dataclasses import dataclass

NOBODY = "erased"  # replaces an erased user in what others keep


@dataclass(frozen=True, kw_only=True)
class ErasureProgress:
    """The progress of a user's erasure.

    It counts the nodes that this call destroyed or removed the user's name from, and those that
    still name the user. It is complete when none does."""

    user: str
    complete: bool
    destroyed: Mapping[str, int]  # by label
    unnamed: int
    remaining: Mapping[str, int]  # by label
