"""The Python packages installed here as notes: their authors, licence and requirements."""

import re
from collections.abc import Iterable, Iterator
from datetime import datetime
from email.utils import getaddresses
from importlib.metadata import Distribution, PackageMetadata, distributions
from pathlib import Path
from typing import Final

from graphmem.domain.drafts import check_draft
from graphmem.domain.notes import EntityDraft, Kind, NoteDraft, NoteType, RelationDraft
from graphmem.errors import Invalid
from graphmem.services.importing.markdown import Document

USER: Final = "packages"
DOMAIN: Final = "python/packages"
MOST: Final = 300  # packages
MAX_NEEDED: Final = 60  # of one package
MAX_AUTHORS: Final = 3
MAX_CHARACTERS: Final = 80  # of a licence or a name
_REQUIREMENT = re.compile(r"\s*([A-Za-z0-9][A-Za-z0-9._-]*)")
_LICENCE_CLASSIFIER = "License :: "


def installed_packages(now: datetime) -> list[Document]:
    """Return a checked note for each installed distribution by name, at most MOST."""
    found: dict[str, Document] = {}
    for distribution in distributions():
        name = _first_value(distribution.metadata, "Name")
        if name and _normalize(name) not in found and len(found) < MOST:
            try:
                found[_normalize(name)] = _build_document(distribution, name, now)
            except Invalid:
                continue  # its metadata is no use
    return [found[key] for key in sorted(found)]


def _build_document(distribution: Distribution, name: str, now: datetime) -> Document:
    metadata = distribution.metadata
    summary = (_first_value(metadata, "Summary") or "no summary").strip().rstrip(".")
    authors = list(_find_authors(metadata))[:MAX_AUTHORS]
    licence = _find_licence(metadata)
    needs = list(dict.fromkeys(_find_requirements(distribution.requires or ())))[:MAX_NEEDED]
    sentences = [f"{name} is a Python package: {summary}."]
    if authors:
        sentences.append(f"It is written by {', '.join(authors)}.")
    if licence:
        sentences.append(f"Its licence is {licence}.")
    sentences.append(f"It requires {', '.join(needs)}." if needs else "It requires nothing else.")
    draft = NoteDraft(
        content=" ".join(sentences),
        title=name,
        external_id=f"package/{_normalize(name)}",
        domain=DOMAIN,
        kind=Kind.SEMANTIC,
        type=NoteType.FACT,
        tags=("python", "package"),
        entities=tuple(_entities(name, authors, licence, needs)),
        relations=tuple(_relations(name, authors, licence, needs)),
        metadata={"version": distribution.version},
    )
    return Document(Path(f"package/{_normalize(name)}"), check_draft(draft, now), None, ())


def _entities(
    name: str, authors: Iterable[str], licence: str | None, needs: Iterable[str]
) -> Iterator[EntityDraft]:
    yield EntityDraft(name=name, type="package")
    yield from (EntityDraft(name=author, type="author") for author in authors)
    yield from (EntityDraft(name=needed, type="package") for needed in needs)
    if licence:
        yield EntityDraft(name=licence, type="licence")


def _relations(
    name: str, authors: Iterable[str], licence: str | None, needs: Iterable[str]
) -> Iterator[RelationDraft]:
    for author in authors:
        yield RelationDraft(subject=name, predicate="written by", object=author)
    for needed in needs:
        yield RelationDraft(subject=name, predicate="requires", object=needed)
    if licence:
        yield RelationDraft(subject=name, predicate="licensed under", object=licence)


def _first_value(metadata: PackageMetadata, name: str) -> str | None:
    return next(iter(metadata.get_all(name) or ()), None)


def _find_requirements(requirements: Iterable[str]) -> Iterator[str]:
    """Yield the requirements that always apply; optional extras are left out."""
    for requirement in requirements:
        match = _REQUIREMENT.match(requirement)
        if match and "extra ==" not in requirement:
            yield match[1]


def _find_authors(metadata: PackageMetadata) -> Iterator[str]:
    if author := _first_value(metadata, "Author"):
        yield from _keep_names(author.split(","))
    elif addresses := _first_value(metadata, "Author-email"):
        yield from _keep_names(name for name, _ in getaddresses([addresses]))


def _find_licence(metadata: PackageMetadata) -> str | None:
    given = _first_value(metadata, "License-Expression") or _first_value(metadata, "License") or ""
    classifiers = [
        line.rpartition(" :: ")[2]
        for line in metadata.get_all("Classifier") or []
        if line.startswith(_LICENCE_CLASSIFIER)
    ]
    return next(_keep_names([given, *classifiers]), None)


def _keep_names(words: Iterable[str]) -> Iterator[str]:
    """Yield those words that can be the name of something."""
    for word in words:
        text = " ".join(word.split())
        if text and len(text) <= MAX_CHARACTERS and any(letter.isalpha() for letter in text):
            yield text


def _normalize(name: str) -> str:
    return re.sub(r"[-_.]+", "-", name).lower()
