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
    """The extractor of that name: `rules`, or `spacy`, which completes them. Raises Misconfigured
    when its packages are not installed."""
    return spacy_extractor() if name == "spacy" else extract


def load_extractor(name: str) -> None:
    """Load the model of the extractor of that name, if it has one, so that the first note need not
    wait for it. Raises Misconfigured."""
    if name == "spacy":
        spacy_extractor().load()
