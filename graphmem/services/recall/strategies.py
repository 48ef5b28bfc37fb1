"""Strategies by question (Moltbot 11).

A question may ask for a time, for what is latest, for how to do something, or about one thing.
Notes for that are read in addition to the usual candidates and come first where they fit. A
question that asks for nothing special is answered by the usual ranking.
"""

import asyncio
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta

from graphmem.domain.notes import BEGINNING, NEVER, Kind
from graphmem.domain.profiles.parameters import Profile
from graphmem.domain.profiles.why import Why
from graphmem.language.analysis import analyse
from graphmem.language.extraction import date_mentions
from graphmem.language.naming import LEAST_FIT, fit, lookup_keys
from graphmem.language.questions import QuestionIntent, Strategy, TimeSpan, understand
from graphmem.services.recall.expansion import Neighbourhood
from graphmem.services.recall.ranking import Search
from graphmem.store import recall as store
from graphmem.store import strategies as reads
from graphmem.store.graph import Row

FITTING = 0.5  # share of the best note's similarity from which a fitting note comes first
EQUAL = 0.8  # share of it from which notes fit about equally well
TRIGGERS = 0.5  # share of the question's words that a trigger must have
MOST_THINGS = 3  # entities that a description may mean
_RECENT = (timedelta(days=3), timedelta(days=30))
_INSTANT = timedelta(microseconds=1)
_DATED = 1_000  # characters of a note in which dates are looked for
_ELSEWHERE = timedelta(days=777)
_LIFTING = frozenset({Strategy.TEMPORAL, Strategy.PROCEDURAL, Strategy.LATEST, Strategy.ENTITY})

Ranked = list[tuple[str, Why]]


@dataclass(frozen=True, kw_only=True)
class QuestionPlan:
    """The intent of a question, and the candidates that were read in addition because of it."""

    asked: QuestionIntent = field(default_factory=QuestionIntent)
    found: tuple[store.Candidate, ...] = ()
    fitting: frozenset[str] = frozenset()  # notes of the time asked for, or procedures
    triggers: Mapping[str, str] = field(default_factory=dict)  # skill → trigger and name
    things: tuple[Row, ...] = ()  # the entities that are asked about

    @property
    def lifts(self) -> bool:
        """True if the strategy may move a note to the top, wherever it was ranked."""
        return self.asked.strategy in _LIFTING

    def among(self, found: Sequence[store.Candidate]) -> list[store.Candidate]:
        """Return the usual candidates and those read for the question, ordered by id."""
        together = {each.id: each for each in (*self.found, *found)}
        return [together[i] for i in sorted(together)]

    def named(self, known: Iterable[str]) -> list[Row]:
        """Return the entities that are asked about, without the `known` names, for the walk."""
        names = frozenset(known)
        return [
            {"id": row["id"], "key": row["key"], "surface": row["name"]}
            for row in self.things
            if row["key"] not in names
        ]


def understand_question(search: Search) -> QuestionIntent:
    """Return what the question's words ask for; nothing special unless the profile is BALANCED."""
    question = search.question
    if question.profile is not Profile.BALANCED:
        return QuestionIntent(strategy=Strategy.VECTOR)
    return understand(question.query, question.as_of or search.now, date_mentions)


def characters_to_read(asked: QuestionIntent) -> int:
    """Return how many characters of each candidate to read: more where dates are looked for."""
    return _DATED if asked.strategy is Strategy.TEMPORAL else store.LABEL


async def plan_for(search: Search, asked: QuestionIntent, vector: Sequence[float]) -> QuestionPlan:
    """Load what the question asks for; reads nothing where that is nothing special."""
    match asked.strategy:
        case Strategy.TEMPORAL if asked.spans:
            return await _plan_for_times(search, vector, asked, asked.spans)
        case Strategy.LATEST:
            recent = tuple(TimeSpan(search.bounds.at - each, NEVER) for each in _RECENT)
            return await _plan_for_times(search, vector, asked, recent)
        case Strategy.PROCEDURAL:
            return await _plan_for_procedures(search, vector, asked)
        case Strategy.ENTITY if search.question.hops:
            rows = await reads.names_like(
                search.context.graph, search.bounds, lookup_keys(asked.thing)
            )
            return QuestionPlan(asked=asked, things=_best_named_entities(asked.thing, rows))
        case _:
            return QuestionPlan(asked=asked)


async def _plan_for_times(
    search: Search, vector: Sequence[float], asked: QuestionIntent, spans: Sequence[TimeSpan]
) -> QuestionPlan:
    given, searches = search.bounds.filter, []
    for span in spans:
        since = max(span.start, given.since or BEGINNING)
        until = min(span.end - _INSTANT, given.until or NEVER)
        narrow = replace(given, since=since, until=until)
        searches.append(
            _load_narrowed(search, asked, vector, replace(search.bounds, filter=narrow))
        )
    found = [each for part in await asyncio.gather(*searches) for each in part]
    return QuestionPlan(
        asked=asked, found=tuple(found), fitting=frozenset(each.id for each in found)
    )


async def _load_narrowed(
    search: Search, asked: QuestionIntent, vector: Sequence[float], bounds: store.Bounds
) -> list[store.Candidate]:
    start = characters_to_read(asked)
    found, _ = await store.find_candidates(search.context.graph, bounds, vector, start=start)
    return found


async def _plan_for_procedures(
    search: Search, vector: Sequence[float], asked: QuestionIntent
) -> QuestionPlan:
    given = search.bounds.filter
    if given.kinds and Kind.PROCEDURAL not in given.kinds:
        return QuestionPlan(asked=asked)
    bounds = replace(search.bounds, filter=replace(given, kinds=(Kind.PROCEDURAL,)))
    skills: list[tuple[store.Candidate, str]] = []
    if asked.topic and not given.needs_scan:
        words = sorted({*asked.topic, *analyse(" ".join(asked.topic))})
        procedures, skills = await asyncio.gather(
            _load_narrowed(search, asked, vector, bounds),
            reads.find_triggered_skills(search.context.graph, bounds, vector, words),
        )
    else:
        procedures = await _load_narrowed(search, asked, vector, bounds)
    found = (*(skill for skill, _ in skills), *procedures)
    return QuestionPlan(
        asked=asked,
        found=found,
        fitting=frozenset(each.id for each in found),
        triggers={skill.id: f"{trigger} {skill.title or ''}" for skill, trigger in skills},
    )


def _best_named_entities(thing: str, rows: Sequence[Row]) -> tuple[Row, ...]:
    """Return the entities whose names fit best, each once; several where they fit equally well."""
    fits = {id(row): fit(thing, row["name"], row["type"]) for row in rows}
    for row in rows:
        fits[id(row)] = max(fits[id(row)], fit(thing, row["key"], row["type"]))
    best = max(fits.values(), default=0.0)
    if best < LEAST_FIT:
        return ()
    alike = [row for row in rows if fits[id(row)] == best]
    once = {row["id"]: row for row in sorted(alike, key=lambda row: (row["id"], row["key"]))}
    return tuple(once.values())[:MOST_THINGS]


async def final_order(
    search: Search,
    plan: QuestionPlan,
    found: Sequence[store.Candidate],
    base: Mapping[str, Why],
    walked: tuple[Ranked, Neighbourhood],
) -> tuple[Ranked, Neighbourhood, Strategy]:
    """Return the ranking with what was asked for at its top, and the strategy for that.

    `base`: the similarity of each candidate to the question; `walked`: the notes as the walk
    through the graph ranked them, and the part of the graph that it saw.
    """
    ranked, area = walked
    strategy = plan.asked.strategy
    match strategy:
        case Strategy.TEMPORAL if plan.asked.spans:
            good = _close_to_best(base, FITTING if plan.asked.topic else 0.0)
            # Reading dates takes longer than all else: only where it can matter.
            unsure = good - plan.fitting
            dated = _find_dated_within(
                plan.asked.spans, [each for each in found if each.id in unsure]
            )
            ranked = _lift_to_top(ranked, plan.fitting & good | dated)
        case Strategy.PROCEDURAL:
            wanted = plan.fitting & _close_to_best(base, FITTING) | _find_triggered(plan)
            ranked = _lift_to_top(ranked, wanted)
        case Strategy.LATEST:
            equal = _close_to_best(base, EQUAL if plan.asked.topic else 0.0)
            at = await reads.dates_of(search.context.graph, search.bounds, sorted(equal))
            ranked = _sort_newest_first(ranked, at)
        case Strategy.ENTITY:
            things = [row["id"] for row in plan.things if row["id"] in area.labels]
            if not things:
                return ranked, area, Strategy.HYBRID
            neighbours = {i for thing in things for i in area.edges.get(thing, ())}
            ranked = _lift_to_top(ranked, neighbours - area.entities)
            area = replace(area, parents=_shortest_paths(things, area))
        case _:
            pass
    return ranked, area, strategy


def _close_to_best(base: Mapping[str, Why], share: float) -> frozenset[str]:
    """Return the candidates with at least this share of the best similarity; all if it is 0."""
    least = share * max((why.score for why in base.values()), default=0.0)
    return frozenset(i for i, why in base.items() if not share or why.score >= least)


def _find_dated_within(
    spans: Sequence[TimeSpan], found: Iterable[store.Candidate]
) -> frozenset[str]:
    """Return the notes whose text names a date within one of the spans.

    Where it is unknown when a note happened, only dates count that do not depend on that, such as
    "3 May 2024".
    """
    dated = set()
    for each in found:
        text, at = each.start[:_DATED], each.occurred_at
        named = date_mentions(text, at or NEVER - _ELSEWHERE)
        if named and at is None:
            named = frozenset(named) & frozenset(date_mentions(text, BEGINNING + 2 * _ELSEWHERE))
        if any(span.holds(mention) for mention in named for span in spans):
            dated.add(each.id)
    return frozenset(dated)


def _find_triggered(plan: QuestionPlan) -> frozenset[str]:
    terms = frozenset(analyse(" ".join(plan.asked.topic)))
    return frozenset(
        i
        for i, text in plan.triggers.items()
        if len(terms & frozenset(analyse(text))) >= TRIGGERS * len(terms)
    )


def _lift_to_top(ranked: Ranked, wanted: Iterable[str]) -> Ranked:
    """Put the wanted notes above all others, in the order that they had."""
    chosen = frozenset(wanted)
    scores = [why.score for i, why in ranked if i in chosen]
    if not scores:
        return ranked
    lift = max(0.0, *(why.score for _, why in ranked)) - min(0.0, *scores)
    given = dict.fromkeys((i for i, _ in ranked if i in chosen), lift)
    return _add_scores(ranked, given)


def _sort_newest_first(ranked: Ranked, at: Mapping[str, datetime]) -> Ranked:
    """Put the dated notes above all others, newest first; those of one instant keep their order."""
    chosen = [(i, why) for i, why in ranked if i in at]
    chosen.sort(key=lambda each: at[each[0]], reverse=True)
    top = max((0.0, *(why.score for _, why in ranked)))
    step = max(top, 1.0) / max(len(chosen), 1)
    given = {i: top + step * (len(chosen) - n) - why.score for n, (i, why) in enumerate(chosen)}
    return _add_scores(ranked, given)


def _add_scores(ranked: Ranked, given: Mapping[str, float]) -> Ranked:
    """Add the scores that the strategy gives to the notes, and sort them best first."""
    whys = [(i, replace(why, strategy=given[i]) if i in given else why) for i, why in ranked]
    return sorted(whys, key=lambda item: (-item[1].score, item[0]))


def _shortest_paths(things: Sequence[str], area: Neighbourhood) -> dict[str, str]:
    """Return the node before each node on a shortest path from the things that were asked about.

    Of several shortest paths, the one through the node that the walk visits more is chosen. Nodes
    that no such path reaches keep the node before them that they had.
    """
    order, seen, paths = sorted(things), set(things), dict[str, str]()
    while order:
        order.sort(key=lambda i: (-area.shares.get(i, 0.0), i))
        after = []
        for node in order:
            for target in sorted(area.edges.get(node, ())):
                if target not in seen:
                    seen.add(target)
                    paths[target] = node
                    after.append(target)
        order = after
    return {i: parent for i, parent in area.parents.items() if i not in seen} | paths
