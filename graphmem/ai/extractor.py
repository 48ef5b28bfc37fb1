"""Which extractor reads the texts: what all of them do, and how one is opened."""

from datetime import datetime
from typing import Protocol

from graphmem.ai.extract_spacy import SpacyExtractor, is_installed
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
    """The extractor of that name: rules; spacy, which completes them; or auto: spacy where it is
    installed, else rules. Raises Misconfigured when it can't be had."""
    both = name == "spacy" or (name == "auto" and is_installed())
    return SpacyExtractor() if both else extract
