"""Chooses the extractor that reads the texts: the interface of all, and how one is opened."""

from datetime import datetime
from typing import Protocol

from graphmem.ai.extract_spacy import spacy_extractor
from graphmem.domain.extraction import Extraction
from graphmem.language.extraction import extract


class Extractor(Protocol):
    """A reader of texts; deterministic, needs no network, safe in several threads."""

    def __call__(
        self,
        content: str,
        *,
        title: str | None,
        speaker: str | None,
        occurred_at: datetime | None,
        now: datetime,
    ) -> Extraction:
        """Return the names, relations and other facts extracted from the text."""
        ...


def open_extractor(name: str) -> Extractor:
    """Return the extractor of that name: `rules`, or `spacy`, which extends them.

    Raises Misconfigured if its packages are not installed."""
    return spacy_extractor() if name == "spacy" else extract


def load_extractor(name: str) -> None:
    """Load the model of the extractor of that name, if it has one. Raises Misconfigured.

    So the first note need not wait for it."""
    if name == "spacy":
        spacy_extractor().load()
