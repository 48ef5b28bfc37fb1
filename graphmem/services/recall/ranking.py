"""Ranking by the formulas of the documents: from candidates to scored notes.

Common to them: candidates come from one search with the gate inside, their notes are read in one
further query, and a formula of `domain/profiles` scores each. The graph is not walked.
"""

import asyncio
import secrets
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime

from graphmem.domain.notes import Note, NoteFilter, NoteType, Tier
from graphmem.domain.profiles.moltbot import relevance_weighted, search_parts, tier_weighted
from graphmem.domain.profiles.muma import act_r, activation_weighted, domain_boost, threshold
from graphmem.domain.profiles.parameters import Profile, Ranking
from graphmem.domain.profiles.recency import RELATED, add_related_boost, score_with_recency
from graphmem.domain.profiles.why import Why
from graphmem.domain.ranking import bm25
from graphmem.domain.visibility import DEFAULT_DOMAIN
from graphmem.language.extraction import domain_of, topics_of
from graphmem.language.query_expansion import query_variants
from graphmem.services.context import Access, Context
from graphmem.services.recall.expansion import PathStep, explore, label_of
from graphmem.services.recall.request import RecallRequest
from graphmem.services.writing.words import count_terms
from graphmem.store import notes as note_store
from graphmem.store import recall as store

REACHED = 20  # notes that only the graph leads to, in RELEVANCE


@dataclass(frozen=True, kw_only=True)
class Scored:
    """A note with the parts of its score and the path to it."""

    note: Note
    why: Why
    via: tuple[PathStep, ...] = ()

    @property
    def path(self) -> tuple[PathStep, ...]:
        """The steps from the question to the note."""
        label = label_of(self.note.title, self.note.content)
        return self.via or (PathStep(relationship="MATCHES", label=label, note_id=self.note.id),)


@dataclass(frozen=True, kw_only=True)
class Search:
    """A question with everything that its ranking needs."""

    context: Context
    access: Access
    bounds: store.Bounds
    question: RecallRequest
    text: str  # the text that is searched for
    now: datetime
    lucene: Sequence[str]
    terms: Sequence[str]

    @property
    def given(self) -> Ranking:
        """The parameters of the formulas."""
        return self.context.ranking


@dataclass(frozen=True, kw_only=True)
class RankedNotes:
    """Scored notes, best first, at most as many as asked for.

    `coverage` is the share of the question's words that the best text has, 0 where words don't
    count.
    """

    scored: tuple[Scored, ...] = field(default=())
    coverage: float = 0.0


async def rank(search: Search) -> RankedNotes:
    """Return the best notes by the formula of the question's profile."""
    match search.question.profile:
        case Profile.RECENCY:
            return await _rank_by_recency(search)
        case Profile.RELEVANCE:
            return await _rank_by_relevance(search)
        case Profile.ACTIVATION:
            return await _rank_by_activation(search)
        case Profile.ACT_R:
            return await _rank_by_act_r(search)
        case _:
            return await _rank_by_tier(search)


async def _rank_by_act_r(search: Search) -> RankedNotes:
    """Rank by ACT-R: a note counts only above the threshold of the role that asks (MUMA 4.3).

    Without a seed, the noise is different each time.
    """
    seed = search.question.random_seed
    drawn = secrets.randbits(62) if seed is None else seed
    given, lowest = search.given.act_r, threshold(search.access.viewer, search.given.act_r)
    pool = await _load(search, await _similarities(search))
    scored = _score(pool, lambda n, s: act_r(n, s, search.now, given, drawn))
    return _take_best(search, [each for each in scored if each.why.score > lowest])


async def _rank_by_activation(search: Search) -> RankedNotes:
    """Rank by activation, including notes linked to the best k (MUMA 5.4, step 5)."""

    def formula(note: Note, similarity: float) -> Why:
        boost = domain_boost(note, search.access.viewer, search.given.domain_boost)
        d = search.given.act_r.d
        return activation_weighted(note, similarity, search.now, domain_boost=boost, d=d)

    scored = _score(await _load(search, await _similarities(search)), formula)
    question = search.question
    if question.hops and question.filter == NoteFilter():
        known = {each.note.id for each in scored}
        scored += await _load_linked(search, _sort_best_first(scored)[: question.k], known, formula)
    return _take_best(search, scored)


async def _load_linked(
    search: Search,
    best: Sequence[Scored],
    known: set[str],
    formula: Callable[[Note, float], Why],
) -> list[Scored]:
    """Load the notes that only a link leads to, each by the best note linked to it."""
    by_id = {each.note.id: each for each in best}
    rows = await store.list_links(search.context.graph, search.bounds, list(by_id))
    places = list(by_id)
    ways: dict[str, tuple[str, str]] = {}
    for source, target, kind in sorted(rows, key=lambda row: (places.index(row[0]), row[1:])):
        if target not in known:
            ways.setdefault(target, (source, kind))
    if not ways:
        return []
    vector = await search.context.embedder.embed_query(search.question.query)
    loaded = await note_store.load_near(
        search.context.graph,
        sorted(ways),
        search.bounds.audiences,
        search.now,
        near=sorted(ways),
        vector=vector,
    )
    scored = []
    for i, (note, similarity) in sorted(loaded.items()):
        source, kind = ways[i]
        step = PathStep(kind, label_of(note.title, note.content), note_id=i)
        why = formula(note, similarity or 0.0)
        scored.append(Scored(note=note, why=why, via=(*by_id[source].path, step)))
    return scored


async def _rank_by_relevance(search: Search) -> RankedNotes:
    """Rank candidates by meaning, by words and by the graph around them (Moltbot 11.3).

    Returns at most 20 hits, and none whose search score is too low (Moltbot 16).
    """
    found = await _candidates(search)
    scores, idf = bm25(search.terms, count_terms(search.terms, found))
    attainable = sum(idf.values())
    words = {i: score / attainable if attainable else 0.0 for i, score in scores.items()}
    lowest = search.given.min_search_score
    fitting = {
        c.id: c.similarity for c in found if sum(search_parts(c.similarity, words[c.id])) >= lowest
    }
    pool = await _load(search, fitting)
    decay = search.given.decay
    scored = _score(pool, lambda n, s: relevance_weighted(n, s, words[n.id], search.now, decay))
    scored += await _load_reached(search, found, _sort_best_first(scored))
    most = min(search.question.k, search.given.max_search_results)
    best = _take_best(search, scored, most)
    return replace(best, coverage=max(words.values(), default=0.0))


async def _load_reached(
    search: Search, found: Sequence[store.Candidate], best: Sequence[Scored]
) -> list[Scored]:
    """Load the notes that only the graph around the best notes leads to, the likeliest `REACHED`.

    None was found by words, so the keyword part is 0.
    """
    question, bounds = search.question, search.bounds
    if not (best and question.hops and question.filter == NoteFilter()):
        return []
    graph = search.context.graph
    scores = {each.note.id: each.why.score for each in best}
    area = await explore(graph, bounds, scores, (), question.hops, search.context.balanced)
    known = {candidate.id for candidate in found}
    shares = {i: share for i, share in area.shares.items() if i not in known}
    near = sorted(shares, key=lambda i: (-shares[i], i))[:REACHED]
    if not near:
        return []
    vector = await search.context.embedder.embed_query(question.query)
    loaded = await note_store.load_near(
        graph, sorted(near), bounds.audiences, search.now, near=sorted(near), vector=vector
    )
    labels = {each.note.id: label_of(each.note.title, each.note.content) for each in best}
    labels |= {i: label_of(each.note.title, each.note.content) for i, each in loaded.items()}
    lowest, scored = search.given.min_search_score, list[Scored]()
    for i, (note, similarity) in sorted(loaded.items()):
        if similarity is not None and sum(search_parts(similarity, 0.0)) >= lowest:
            why = relevance_weighted(note, similarity, 0.0, search.now, search.given.decay)
            scored.append(Scored(note=note, why=why, via=area.path(i, labels)))
    return scored


async def _rank_by_tier(search: Search) -> RankedNotes:
    """Rank by tier; notes of T0 are always among the candidates."""
    similarities = await _similarities(search)
    bounds = search.bounds
    if Tier.FOUNDATIONAL in bounds.tiers:
        vector = await search.context.embedder.embed_query(search.question.query)
        core = replace(bounds, tiers=(Tier.FOUNDATIONAL,))
        core = replace(core, filter=replace(core.filter, tiers=(Tier.FOUNDATIONAL,)))
        limit = store.VECTOR_LIMIT
        similarities |= await store.find_nearest(search.context.graph, core, [vector], limit)
    pool = await _load(search, similarities)
    return _take_best(search, _score(pool, lambda n, s: tier_weighted(n, s, search.given.tiered)))


async def _rank_by_recency(search: Search) -> RankedNotes:
    """Rank by three variants of a question, decay, and a boost for linked notes (L3).

    A note gets the boost if it is linked to one of the best. Returns no more notes than the model
    may be given.
    """
    given, model = search.given, search.given.model
    k = min(search.question.k, model.max_injected or search.question.k)
    asked = query_variants(
        search.question.query, domain_asked(search.question), given.query_expansion
    )
    embed = search.context.embedder.embed_query
    vectors = await asyncio.gather(*(embed(text) for text in asked))
    similarities = await store.find_nearest(
        search.context.graph,
        search.bounds,
        vectors,
        given.query_expansion.retrieval_k_per_variant,
    )
    loaded = await _load(search, similarities)
    pool = [(note, near) for note, near in loaded if model.allows(note.domain, near)]
    decay = given.temporal_decay
    scored = _sort_best_first(
        _score(pool, lambda n, s: score_with_recency(n, s, search.now, decay))
    )
    below = [each.note.id for each in scored[k:]]
    if given.related_memories.enabled and below:
        above = [each.note.id for each in scored[:k]]
        rows = await store.list_links(
            search.context.graph, search.bounds, above, kind=RELATED, among=below
        )
        boost, chosen = given.related_memories.related_boost, {target for _, target, _ in rows}
        scored = [
            replace(each, why=add_related_boost(each.why, boost))
            if each.note.id in chosen
            else each
            for each in scored
        ]
    return _take_best(search, scored, k)


def domain_asked(question: RecallRequest) -> str:
    """Return the domain of a question: the filter's, or else the likeliest for its words."""
    text = question.query
    return (
        question.filter.domain
        or domain_of(topics_of(text, ()), NoteType.FACT, text)
        or DEFAULT_DOMAIN
    )


async def _candidates(search: Search) -> list[store.Candidate]:
    graph, bounds = search.context.graph, search.bounds
    vector = await search.context.embedder.embed_query(search.question.query)
    found, _ = await store.find_candidates(graph, bounds, vector, search.lucene)
    return found


async def _similarities(search: Search) -> dict[str, float]:
    """Return the candidates by meaning and by words, each with its cosine."""
    return {c.id: c.similarity for c in await _candidates(search)}


async def _load(search: Search, similarities: Mapping[str, float]) -> list[tuple[Note, float]]:
    """Load the notes with their similarities."""
    ids = sorted(similarities)
    if not ids:
        return []
    loaded = await note_store.load_notes(
        search.context.graph, ids, search.bounds.audiences, search.now
    )
    return [(note, similarities[i]) for i, note in sorted(loaded.items())]


def _score(
    pool: Iterable[tuple[Note, float]], formula: Callable[[Note, float], Why]
) -> list[Scored]:
    return [Scored(note=note, why=formula(note, similarity)) for note, similarity in pool]


def _sort_best_first(scored: Iterable[Scored]) -> list[Scored]:
    """Sort the notes best first; equal scores come in the order of their ids."""
    return sorted(scored, key=lambda each: (-each.why.score, each.note.id))


def _take_best(search: Search, scored: Iterable[Scored], most: int | None = None) -> RankedNotes:
    lowest = search.question.min_score
    kept = [each for each in _sort_best_first(scored) if lowest is None or each.why.score >= lowest]
    return RankedNotes(scored=tuple(kept[: search.question.k if most is None else most]))
