"""Summaries by an LLM, where one is set up."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

import structlog

from graphmem.domain.consolidation import LlmSummary
from graphmem.domain.notes import Note
from graphmem.language.refinement import text_seen
from graphmem.services.writing.refinement_queue import may_wait

if TYPE_CHECKING:  # slow to import, and most have no LLM
    from graphmem.ai.llm import Llm

log = structlog.get_logger(__name__)


class LlmSummariser:
    """Asks an LLM for a summary of notes."""

    def __init__(self, llm: "Llm") -> None:
        """Use this LLM."""
        self._llm = llm

    async def summarise(self, notes: Sequence[Note]) -> LlmSummary | None:
        """Return the LLM's summary; None without one, or if a note must not be sent to the LLM."""
        if self._llm.resting or not all(may_wait(note) for note in notes):
            return None
        found = await self._llm.summarise([text_seen(note) for note in notes])
        if found.said is None:
            log.info("the LLM did not summarise notes", problem=found.problem)
            return None
        usage = found.usage
        return LlmSummary(
            text=found.said,
            model=self._llm.model,
            calls=usage.calls,
            tokens_in=usage.tokens_in,
            tokens_out=usage.tokens_out,
            cost=self._llm.prices.cost(usage),
        )
