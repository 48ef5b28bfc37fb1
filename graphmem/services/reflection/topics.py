"""The notes about a topic that somebody wants to reflect on."""

from collections.abc import Mapping
from typing import Final

from graphmem.domain.drafts import check_text
from graphmem.domain.profiles.parameters import Profile
from graphmem.domain.visibility import Reading
from graphmem.language.analysis import analyse
from graphmem.language.languages import Language, language_of
from graphmem.language.reflection_findings import NoteSummary
from graphmem.services.context import Access, Context
from graphmem.services.recall.recall import recall
from graphmem.services.recall.request import RecallRequest

MAX_TOPIC: Final = 300  # characters
MOST_FOUND: Final = 100  # notes that a search for the topic finds
ALIKE: Final = 0.5  # cosine from which a note without the topic's words is about it


async def notes_about(
    context: Context, access: Access, topic: str, notes: Mapping[str, NoteSummary]
) -> dict[str, NoteSummary]:
    """Return those of some notes that are about a topic.

    They have its words, a tag or a domain of these words, or mean nearly the same. Raises Invalid.
    """
    text = check_text(topic, "topic", MAX_TOPIC)
    spoken = language_of(text)
    terms = frozenset(analyse(text, spoken))
    question = RecallRequest(
        query=text,
        k=MOST_FOUND,
        profile=Profile.BALANCED,
        hops=0,
        track=False,
        reading=Reading.AUTOMATIC,
    )
    hits = (await recall(context, access, question)).hits
    found = {
        hit.note.id
        for hit in hits
        if _has_terms(f"{hit.note.title or ''} {hit.note.content}", terms, spoken)
        or hit.similarity >= ALIKE
    }
    labels = {label for note in notes.values() for label in (*note.tags, note.domain)}
    meant = {
        each
        for each in labels
        if _has_terms(each.replace("-", " ").replace("/", " "), terms, spoken)
    }
    return {
        i: note
        for i, note in notes.items()
        if i in found or meant & note.tags or note.domain in meant
    }


def _has_terms(text: str, terms: frozenset[str], spoken: Language) -> bool:
    return bool(terms) and terms <= frozenset(analyse(text, spoken))
