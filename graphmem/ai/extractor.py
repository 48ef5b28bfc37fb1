"""Which extractor reads the texts: what all of them do, and how one is opened."""

from datetime import datetime
from typing import Protocol

from graphmem.ai.extract_spacy import spacy_extractor
from graphmem.domain.extraction import Extraction
from graphmem.language.extraction import extract


class Extractor(Protocol):
    """Reads one text; deterministic, needs no network, safe in several threads."""

    def __call__(
        self,
        content: str,
        *,
        title: str | None,
        speaker: str | None,
        occurred_at: datetime | None,
        now: datetime,
    ) -> Extraction:
        """What the text says."""
        ...


def open_extractor(name: str) -> Extractor:
    """The extractor of that name: `rules`, or `spacy`, which completes them; its model takes some
    seconds to load, once in a process. Raises Misconfigured when it can't be had."""
    return spacy_extractor() if name == "spacy" else extract
