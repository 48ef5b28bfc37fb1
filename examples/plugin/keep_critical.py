"""Keeps notes tagged `critical` out of long-term memory, moves those tagged `done` there early, and
logs each move."""

import logging

from graphmem.plugins import Moving, Verdict, hookimpl

log = logging.getLogger("keep_critical")


@hookimpl
def before_transition(note: Moving, from_tier: str, to_tier: str) -> Verdict:
    """Say whether a note moves."""
    if to_tier == "SHORT_TERM":
        return "proceed"
    if "critical" in note.tags:
        return "skip"
    return "force" if "done" in note.tags and to_tier == "LONG_TERM" else "proceed"


@hookimpl
def after_transition(note: Moving, from_tier: str, to_tier: str) -> None:
    """Log a move; a note is named by its id, since logs are not for its text."""
    log.warning("moved %s from %s to %s", note.id, from_tier, to_tier)
