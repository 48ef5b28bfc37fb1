"""Recall: finds the readable notes that answer a question, with the path that led to each.

One hybrid query finds candidates, one graph query for each hop reads what is around the best of
them, and the walk of a personalised PageRank over that neighbourhood ranks notes together with
their similarity to the question. That is BALANCED; the documents' formulas are in `ranking`."""

import asyncio
import math
import time
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime

from graphmem.domain.drafts import check_instant, check_text
from graphmem.domain.ids import uuid7
from graphmem.domain.notes import Note, NoteFilter, Status, Tier
from graphmem.domain.passages import Passage
from graphmem.domain.profiles.parameters import Profile
from graphmem.domain.profiles.why import Why
from graphmem.domain.ranking import confidence
from graphmem.domain.reranking import FIRST as FIRST_ANEW
from graphmem.domain.visibility import Audience, Reading, local_audiences, may_read, readable_keys
from graphmem.errors import Invalid
from graphmem.language import analysis
from graphmem.language.questions import Strategy, core_blocks_asked, without_courtesy
from graphmem.services.context import Access, Context
from graphmem.services.core import core_memory
from graphmem.services.reading.history import load_as_of
from graphmem.services.reading.identity import filter_entity_names
from graphmem.services.reading.notes import check_filter
from graphmem.services.recall import scoring
from graphmem.services.recall.expansion import Neighbourhood, PathStep, explore, label_of
from graphmem.services.recall.learned import apply_feedback, feedback_for
from graphmem.services.recall.long_notes import passages_of
from graphmem.services.recall.named import other_names, surfaces_of
from graphmem.services.recall.newest import put_newest_first, updates_of
from graphmem.services.recall.question_vectors import question_vector
from graphmem.services.recall.ranking import Search, domain_asked, rank
from graphmem.services.recall.request import RecallRequest
from graphmem.services.recall.reranking import apply_last_stage
from graphmem.services.recall.strategies import (
    characters_to_read,
    final_order,
    plan_for,
    understand_question,
)
from graphmem.services.tracking import Recalled
from graphmem.services.writing.secrets import without_secrets_in
from graphmem.store import notes as note_store
from graphmem.store import recall as store
from graphmem.store.keywords import lucene_queries

MAX_QUERY = 10_000  # characters
FIRST = 5  # hits that decide how sure an answer is
CONTRADICTED = 0.75  # factor of the confidence if the first hits contradict each other
BY_CORE = 0.9  # confidence if core memory has the lines that a question asks for


@dataclass(frozen=True, kw_only=True)
class Hit:
    """One note of an answer."""

    rank: int
    score: float
    note: Note
    via: tuple[PathStep, ...]
    why: Why | None
    """null: it was not asked for"""
    superseded_by: str | None = None
    """id of the hit that says otherwise and is newer"""
    passage: Passage | None = None
    """of a long note, the part that is nearest to the question"""

    @property
    def similarity(self) -> float:
        """The cosine between the note and the question; 0 where the reasons are left out."""
        return 0.0 if self.why is None else self.why.similarity


@dataclass(frozen=True, kw_only=True)
class RecallResult:
    """The answer to a question; `confidence` says in hundredths how well the best hit fits."""

    id: str
    hits: tuple[Hit, ...]
    strategy: str
    confidence: float
    took_ms: float


def without_reasons(hits: Iterable[Hit]) -> tuple[Hit, ...]:
    """Return hits without what their scores were made of."""
    return tuple(replace(hit, why=None) for hit in hits)


@dataclass(frozen=True, kw_only=True)
class _Hits:
    """Hits, how they were found, the coverage of the best text, and the speakers named."""

    hits: tuple[Hit, ...]
    strategy: Strategy
    coverage: float
    named: frozenset[str] = frozenset()


def check_question(question: RecallRequest) -> RecallRequest:
    """Return the question in normal form. Raises Invalid."""
    if question.min_score is not None and not math.isfinite(question.min_score):
        raise Invalid("minScore must be a number")
    return replace(
        question,
        query=check_text(question.query, "query", MAX_QUERY),
        filter=check_filter(question.filter),
        as_of=check_instant(question.as_of, "asOf"),
        reading=Reading.EXPLICIT if question.explicit else question.reading,
    )


async def recall(
    context: Context, access: Access, question: RecallRequest, *, local: bool = False
) -> RecallResult:
    """Return the k best readable notes for a question. Raises Invalid.

    `local`: only from the local memory of the agent that asks. Notes that the viewer may not read
    are never candidates, so they take no place among the k. The hits are counted as accesses after
    the answer, unless `track` is off."""
    began = time.perf_counter()
    question = check_question(question)
    if question.hops is None:
        question = replace(question, hops=context.graph_depth)
    now = context.clock()
    if local:
        access = replace(access, audiences=local_audiences(access.viewer, access.audiences))
    bounds, audiences = bounds_of(access, question, now)
    if question.filter.entity is not None:
        readable = readable_keys(access.viewer, access.audiences, question.reading)
        named = await filter_entity_names(context, access, question.filter, readable)
        bounds = replace(bounds, about=named)
    bare = question.profile is Profile.BALANCED and context.balanced.bare
    text = without_courtesy(question.query) if bare else question.query
    terms = (analysis.question_terms if bare else analysis.analyse)(text)
    search = Search(
        context=context,
        access=access,
        bounds=bounds,
        question=question,
        text=text,
        now=now,
        lucene=lucene_queries(terms, audiences, analysis.own_words(text)),
        terms=terms,
    )
    plain = question.profile in (Profile.BALANCED, Profile.SIMILARITY)
    found = await _answer_from_core(search)
    if found is None:
        found = await (_answer_balanced(search) if plain else _answer_by_formula(search))
    hits = found.hits
    if question.as_of is not None:
        readable = readable_keys(access.viewer, access.audiences, question.reading)
        notes = [hit.note for hit in hits]
        past = await load_as_of(context, readable, notes, question.as_of)
        past_hits = [replace(hit, note=past[hit.note.id]) for hit in hits if hit.note.id in past]
        hits = tuple(replace(hit, rank=rank) for rank, hit in enumerate(past_hits, 1))
    parts = await passages_of(search, [hit.note for hit in hits])
    answer = RecallResult(
        id=uuid7(now),
        hits=tuple(replace(hit, passage=parts.get(hit.note.id)) for hit in hits),
        strategy=found.strategy,
        confidence=_confidence(found),
        took_ms=1000 * (time.perf_counter() - began),
    )
    if question.track:
        track(context, access, question, answer, now)
    return answer


async def _answer_from_core(search: Search) -> _Hits | None:
    """Return the notes behind the lines of core memory that a question asks for, if any."""
    question, bounds = search.question, search.bounds
    simple = question.filter == NoteFilter() and question.as_of is None and bool(question.hops)
    blocks = (
        core_blocks_asked(question.query) if simple and question.profile is Profile.BALANCED else ()
    )
    if not blocks:
        return None
    core = await core_memory(search.context, search.access, bounds.audiences)
    lines = [each for each in core.lines if each.block in blocks and each.note and not each.place]
    order = [
        (line, Why(similarity=0.0, strategy=1 - place / len(lines)))
        for place, line in enumerate(lines[: question.k])
    ]
    order = [(line, why) for line, why in order if why.score >= (question.min_score or 0.0)]
    ids = [line.note or "" for line, _ in order]
    loaded = await note_store.load_notes(search.context.graph, ids, bounds.audiences, bounds.now)
    shown = [(line, loaded[line.note or ""], why) for line, why in order if line.note in loaded]
    hits = tuple(
        Hit(
            rank=rank,
            score=why.score,
            note=note,
            via=(PathStep(relationship="CORE", label=line.block, note_id=note.id),),
            why=why,
        )
        for rank, (line, note, why) in enumerate(shown, 1)
    )
    return _Hits(hits=hits, strategy=Strategy.CORE, coverage=1.0) if hits else None


async def _answer_by_formula(search: Search) -> _Hits:
    """Return the hits of a document's formula."""
    found = await search.context.meter.stage("formula", rank(search))
    hits = tuple(
        Hit(rank=place, score=each.why.score, note=each.note, via=each.path, why=each.why)
        for place, each in enumerate(found.scored, 1)
    )
    by_words = search.question.profile is Profile.RELEVANCE
    strategy = Strategy.HYBRID if by_words else Strategy.VECTOR
    return _Hits(hits=hits, strategy=strategy, coverage=found.coverage)


async def _answer_balanced(search: Search) -> _Hits:
    """Return the hits of BALANCED, or of SIMILARITY, which is its first part alone."""
    context, bounds, question = search.context, search.bounds, search.question
    terms, lucene, surfaces = search.terms, search.lucene, surfaces_of(question)
    balanced, asked = question.profile is Profile.BALANCED, understand_question(search)
    stage = context.meter.stage
    vector = await stage("encode", question_vector(context.embedder, search.text))

    async def find() -> tuple[list[store.Candidate], Mapping[str, store.Row]]:
        # Called in a task of its own: one that is cancelled before it begins leaves no search.
        names, nearest = sorted(surfaces), None if balanced else store.NEAR_EXACT
        given = {"start": characters_to_read(asked), "nearest": nearest}
        work = store.find_candidates(context.graph, bounds, vector, lucene, names, **given)
        return await stage("search", work)

    (found, known), plan, learned = await asyncio.gather(
        find(),
        plan_for(search, asked, vector),
        feedback_for(search, vector),
    )
    found = scoring.use_best_passages(terms if balanced else (), found)
    found, summaries = scoring.drop_summaries(plan.among(found))
    named = [
        {"id": known[key]["id"], "key": key, "surface": surfaces[key]} for key in sorted(known)
    ]
    described = plan.named(known)
    tied = [row["id"] for row in known.values() if row["tied"]]
    others, ids = await other_names(search, named, tied), {row["id"] for row in described}
    named += [*described, *(row for row in others if row["id"] not in ids)]
    given = context.balanced
    like = (
        scoring.score_by_meaning_and_words(terms, found, given)
        if balanced
        else scoring.score_by_meaning(found)
    )
    base, area = like.scores, Neighbourhood()
    if balanced and question.hops and (base or named):
        scores = {i: why.score for i, why in base.items()}
        seen = frozenset(terms)
        area = await stage(
            "graph",
            explore(context.graph, bounds, scores, named, question.hops, given, seen),
        )
    # Hits must pass the filter: a note that only the graph reached has not passed it.
    passed = None if question.filter == NoteFilter() else {each.id for each in found}
    most = None if plan.lifts else max(question.k, FIRST_ANEW)
    order = scoring.rank_candidates(base, area, passed, most)
    order = [each for each in order if each[0] not in summaries]
    needed = None if plan.lifts else question.k
    last = apply_last_stage(search, vector, order, found, like, area, needed)
    walked, loaded = await stage("rank", last)
    order, area, strategy = await final_order(search, plan, found, base, (walked, area))
    labels = {c.id: label_of(c.title, c.start) for c in found}
    order = apply_feedback(order, learned)
    hits = await stage("read", _hits(search, vector, order, area, labels, loaded))
    return _Hits(hits=hits, strategy=strategy, coverage=like.coverage, named=like.speakers)


def bounds_of(
    access: Access, question: RecallRequest, now: datetime
) -> tuple[store.Bounds, list[Audience]]:
    """Return the bounds of a question (the gate, the filter and the times) and its audiences."""
    given = question.filter
    keys = readable_keys(
        access.viewer,
        access.audiences,
        question.reading,
        domain=given.domain,
        visibilities=given.visibilities or None,
    )
    wanted = frozenset(keys)
    statuses = [Status.ACTIVE, Status.FADING]
    tiers = [tier for tier in Tier if question.deep or tier is not Tier.LONG_TERM]
    if question.deep:
        statuses += [Status.DORMANT, Status.ARCHIVED]
    if question.as_of is not None:
        statuses.append(Status.SUPERSEDED)
    bounds = store.Bounds(
        user=access.viewer.user,
        audiences=keys,
        filter=given,
        statuses=tuple(given.statuses or statuses),
        tiers=tuple(given.tiers or tiers),
        now=now,
        at=question.as_of or now,
    )
    readable = [
        audience
        for audience in access.audiences
        if may_read(access.viewer, audience, question.reading) and audience.key in wanted
    ]
    return bounds, readable


async def _hits(
    search: Search,
    vector: Sequence[float],
    order: Sequence[tuple[str, Why]],
    area: Neighbourhood,
    labels: Mapping[str, str],
    loaded: Mapping[str, note_store.Loaded],
) -> tuple[Hit, ...]:
    """Return the first notes of an order as hits; loads those that are not in `loaded` yet."""
    question, bounds, lowest = search.question, search.bounds, search.question.min_score
    kept = [(i, why) for i, why in order if lowest is None or why.score >= lowest][: question.k]
    whys = dict(kept)
    pairs = updates_of(area, [*whys]) if question.as_of is None else []
    if question.filter == NoteFilter():  # only notes that passed the filter may be hits
        kept += [(i, Why(similarity=0.0)) for i in sorted({*sum(pairs, ())} - whys.keys())]
    missing = [i for i, _ in kept if i not in loaded]
    if missing:
        reached = [i for i in missing if i not in labels or i not in whys]  # only in the graph
        more = await note_store.load_near(
            search.context.graph, missing, bounds.audiences, bounds.now, near=reached, vector=vector
        )
        loaded = {**loaded, **more}
    newest = put_newest_first({i: loaded[i].note for i, _ in kept if i in loaded}, whys, pairs)
    shown = [(i, newest.why[i]) for i in newest.order[: question.k]]
    names = {i: label_of(each.note.title, each.note.content) for i, each in loaded.items()}
    labels = {**labels, **names}
    return tuple(
        Hit(
            rank=rank,
            score=why.score,
            note=loaded[i].note,
            via=area.path(i, labels),
            why=_add_similarity(why, loaded[i].similarity),
            superseded_by=newest.by.get(i),
        )
        for rank, (i, why) in enumerate(shown, 1)
    )


def _add_similarity(why: Why, similarity: float | None) -> Why:
    """Separate the similarity of a note that only the graph reached from what the graph gave."""
    if similarity is None or why.formula is not None:  # the last stage has set it
        return why
    return replace(why, similarity=similarity, graph=(why.graph or 0.0) - similarity)


def _confidence(found: _Hits) -> float:
    if not found.hits:
        return 0.0
    if found.strategy is Strategy.CORE:
        return BY_CORE
    first = found.hits[:FIRST]
    said = sum([not found.named or hit.note.speaker in found.named for hit in first]) / len(first)
    sure = confidence(max(hit.similarity for hit in found.hits), found.coverage, said)
    return round(sure * (CONTRADICTED if any(hit.superseded_by for hit in first) else 1.0), 2)


def track(
    context: Context,
    access: Access,
    question: RecallRequest,
    answer: RecallResult,
    now: datetime,
    *,
    consulted: bool = False,
) -> None:
    """Count the hits of an answer; those `consulted` are only recorded for feedback."""
    agent = access.viewer.agent
    context.log.track(
        Recalled(
            id=answer.id,
            user=access.viewer.user,
            agent=agent.id if agent else None,
            query=without_secrets_in(question.query, context.writing.secrets),
            at=now,
            strategy=answer.strategy,
            profile=question.profile,
            domain=domain_asked(question),
            hits=tuple((hit.note.id, hit.score) for hit in answer.hits),
            session=question.session_id,
            consulted=consulted,
        )
    )
