"""The evidence for a question: notes that fit it, as evidence of their writers' knowledge."""

import asyncio
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final

from graphmem.domain.expertise import LEAST_BEST, LEAST_FIT, Evidence, fit
from graphmem.domain.notes import NoteFilter, Tier
from graphmem.domain.ranking import bm25
from graphmem.language import analysis
from graphmem.language.topic_keys import topic_key, topic_keys_in
from graphmem.services.context import Context
from graphmem.services.recall.answer_audiences import AnswerAudiences
from graphmem.services.writing.words import count_terms
from graphmem.store import expertise as store
from graphmem.store import recall as recalls
from graphmem.store.keywords import lucene_queries
from graphmem.store.recall import Candidate

NEAREST: Final = 200  # notes by meaning
ABOUT: Final = 100  # notes of a topic
BY_TOPIC: Final = 0.9  # how well a note fits whose topic is all that is asked


@dataclass(frozen=True, kw_only=True)
class FoundEvidence:
    """The evidence for a question by writer, each writer's best first."""

    by_writer: Mapping[tuple[str, str | None], Sequence[Evidence]]
    best: float  # how well the best note fits

    @property
    def anybody(self) -> bool:
        """True if somebody knows."""
        return self.best >= LEAST_BEST


async def gather(context: Context, allowed: AnswerAudiences, user: str, text: str) -> FoundEvidence:
    """Gather the evidence for a topic, a task or a question from `allowed.audiences` only."""
    now, keys = context.clock(), allowed.keys
    if not keys:
        return FoundEvidence(by_writer={}, best=0.0)
    terms = analysis.question_terms(text)
    bounds = recalls.Bounds(
        user=user,
        audiences=keys,
        filter=NoteFilter(),
        statuses=store.ALIVE,
        tiers=tuple(Tier),
        now=now,
        at=now,
    )
    lucene = lucene_queries(terms, allowed.audiences, analysis.own_words(text))
    vector, about = await asyncio.gather(
        context.embedder.embed_query(text),
        store.notes_about(context.graph, topic_keys_in(text), keys, now, ABOUT),
    )
    found, _ = await recalls.find_candidates(
        context.graph, bounds, vector, lucene, start=0, nearest=NEAREST
    )
    fits = _score_fits(terms, found, about, text)
    best = sorted((i for i, how in fits.items() if how >= LEAST_FIT), key=lambda i: (-fits[i], i))
    evidence = await store.read_evidence(context.graph, best, keys, now)
    return _group_by_writer(evidence, fits)


def _score_fits(
    terms: Sequence[str],
    found: Sequence[Candidate],
    about: Sequence[tuple[str, str]],
    text: str,
) -> dict[str, float]:
    """Return how well each note fits, 0..1: by meaning, by words, or by its topics."""
    scores, idf = bm25(terms, count_terms(terms, found, window=False))
    attainable = sum(idf.values()) or 1.0
    fits = {c.id: fit(c.similarity, scores[c.id] / attainable) for c in found}
    asked = len(topic_key(text).split()) or 1
    topical: dict[str, float] = defaultdict(float)
    for note, topic in about:
        share = BY_TOPIC * min(1.0, len(topic.split()) / asked)
        topical[note] = max(topical[note], share)
    for note, share in topical.items():
        fits[note] = 1 - (1 - fits.get(note, 0.0)) * (1 - share)
    return fits


def _group_by_writer(evidence: Sequence[Evidence], fits: Mapping[str, float]) -> FoundEvidence:
    by_writer: dict[tuple[str, str | None], list[Evidence]] = defaultdict(list)
    best = 0.0
    for each in evidence:
        how = fits[each.note]
        best = max(best, how)
        by_writer[each.writer].append(replace(each, fit=how))
    return FoundEvidence(by_writer=by_writer, best=best)
