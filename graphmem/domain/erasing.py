"""Erasing a user: what was destroyed, and what still names the user."""

from collections.abc import Mapping
from dataclasses import dataclass

NOBODY = "erased"  # who changed something that others keep, when that user is erased


@dataclass(frozen=True, kw_only=True)
class Erased:
    """How far the erasure of a user is: how many nodes were destroyed and how many lost the user's
    name, by this call, and how many still name the user. It is complete when none does."""

    user: str
    complete: bool
    destroyed: Mapping[str, int]  # by label
    unnamed: int
    remaining: Mapping[str, int]  # by label
