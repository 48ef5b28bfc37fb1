"""Counts of a memory, as far as a viewer can read it."""

from dataclasses import dataclass


@dataclass(frozen=True, kw_only=True)
class Stats:
    """Counts of readable notes; each breakdown adds up to the total."""

    total_notes: int
    by_domain: dict[str, int]
    by_visibility: dict[str, int]
    by_status: dict[str, int]
    by_tier: dict[str, int]
    by_activation: dict[str, int]
    storage_bytes: int
    entities: int
    links: int
