"""EXTRACT and CONSTRUCT by rules: no model, the same answer each time, linear in the text."""

from datetime import datetime

from graphmem.domain.construct import context, keywords
from graphmem.domain.extraction import Extraction, Store
from graphmem.domain.notes import Kind, NoteType


def extract(
    content: str,
    *,
    title: str | None,
    speaker: str | None,
    occurred_at: datetime | None,
    now: datetime,
) -> Extraction:
    """What the text says. `speaker` is who says I; relative dates count from `occurred_at`, else
    from `now`; both are aware."""
    words = keywords(content)
    return Extraction(
        entities=(),
        relations=(),
        dates=(),
        amounts=(),
        keywords=words,
        tags=words[:5],
        context=context(content),
        kind=Kind.SEMANTIC,
        type=NoteType.FACT,
        store=Store.SEMANTIC,
        importance=0.5,
        confidence=0.6,
        visibility=None,
        domain=None,
        memorable=True,
        core_block=None,
    )
