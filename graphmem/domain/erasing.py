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
    """nothing names the user any more"""
    destroyed: Mapping[str, int]
    """nodes that this call destroyed, by label"""
    unnamed: int
    """nodes of others that lost the user's name"""
    remaining: Mapping[str, int]
    """nodes that still name the user, by label"""
