"""Strategies by question (Moltbot 11). A question may ask for a time, for what is latest, for how
to do something, or about one thing. Notes for that are read beside the usual candidates and come
first where they fit. A question that asks for nothing special is answered by the usual ranking."""

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

FITTING = 0.5  # of the best note's likeness: what is asked for comes first from here on
EQUAL = 0.8  # of it: notes that fit about equally
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
    """What a question asks for, and what was found for that beside what any question finds."""

    asked: QuestionIntent = field(default_factory=QuestionIntent)
    found: tuple[store.Candidate, ...] = ()
    fitting: frozenset[str] = frozenset()  # notes of the time, procedures
    triggers: Mapping[str, str] = field(default_factory=dict)  # skill → trigger and name
    things: tuple[Row, ...] = ()  # the entities that are asked about

    @property
    def lifts(self) -> bool:
        """Whether a note may come first whatever its place is."""
        return self.asked.strategy in _LIFTING

    def among(self, found: Sequence[store.Candidate]) -> list[store.Candidate]:
        """The usual candidates and those read for the question, in the order of their ids."""
        together = {each.id: each for each in (*self.found, *found)}
        return [together[i] for i in sorted(together)]

    def named(self, known: Iterable[str]) -> list[Row]:
        """The entities that are asked about and not among the `known` names, for the walk."""
        names = frozenset(known)
        return [
            {"id": row["id"], "key": row["key"], "surface": row["name"]}
            for row in self.things
            if row["key"] not in names
        ]


def asked_for(search: Search) -> QuestionIntent:
    """What the question's words ask for; nothing special unless the profile is BALANCED."""
    question = search.question
    if question.profile is not Profile.BALANCED:
        return QuestionIntent(strategy=Strategy.VECTOR)
    return understand(question.query, question.as_of or search.now, date_mentions)


def read_of_each(asked: QuestionIntent) -> int:
    """How many characters of each candidate are to be read: more where dates are looked for."""
    return _DATED if asked.strategy is Strategy.TEMPORAL else store.LABEL


async def plan_for(search: Search, asked: QuestionIntent, vector: Sequence[float]) -> QuestionPlan:
    """Read what the question asks for; nothing is read where that is nothing special."""
    match asked.strategy:
        case Strategy.TEMPORAL if asked.spans:
            return await _of_times(search, vector, asked, asked.spans)
        case Strategy.LATEST:
            recent = tuple(TimeSpan(search.bounds.at - each, NEVER) for each in _RECENT)
            return await _of_times(search, vector, asked, recent)
        case Strategy.PROCEDURAL:
            return await _procedures(search, vector, asked)
        case Strategy.ENTITY if search.question.hops:
            rows = await reads.names_like(
                search.context.graph, search.bounds, lookup_keys(asked.thing)
            )
            return QuestionPlan(asked=asked, things=_best_named(asked.thing, rows))
        case _:
            return QuestionPlan(asked=asked)


async def _of_times(
    search: Search, vector: Sequence[float], asked: QuestionIntent, spans: Sequence[TimeSpan]
) -> QuestionPlan:
    given, searches = search.bounds.filter, []
    for span in spans:
        since = max(span.start, given.since or BEGINNING)
        until = min(span.end - _INSTANT, given.until or NEVER)
        narrow = replace(given, since=since, until=until)
        searches.append(_narrowed(search, asked, vector, replace(search.bounds, filter=narrow)))
    found = [each for part in await asyncio.gather(*searches) for each in part]
    return QuestionPlan(
        asked=asked, found=tuple(found), fitting=frozenset(each.id for each in found)
    )


async def _narrowed(
    search: Search, asked: QuestionIntent, vector: Sequence[float], bounds: store.Bounds
) -> list[store.Candidate]:
    start = read_of_each(asked)
    found, _ = await store.candidates(search.context.graph, bounds, vector, start=start)
    return found


async def _procedures(
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
            _narrowed(search, asked, vector, bounds),
            reads.triggered(search.context.graph, bounds, vector, words),
        )
    else:
        procedures = await _narrowed(search, asked, vector, bounds)
    found = (*(skill for skill, _ in skills), *procedures)
    return QuestionPlan(
        asked=asked,
        found=found,
        fitting=frozenset(each.id for each in found),
        triggers={skill.id: f"{trigger} {skill.title or ''}" for skill, trigger in skills},
    )


def _best_named(thing: str, rows: Sequence[Row]) -> tuple[Row, ...]:
    """The entities whose names fit best, each once; several where they fit alike."""
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
    """The ranking with what was asked for at its top, and the strategy by which that was chosen.
    `base`: the likeness of each candidate to the question; `walked`: the notes as the walk through
    the graph ranked them, and the part of the graph that it saw."""
    ranked, area = walked
    strategy = plan.asked.strategy
    match strategy:
        case Strategy.TEMPORAL if plan.asked.spans:
            good = _as_good_as(base, FITTING if plan.asked.topic else 0.0)
            # Reading dates takes longer than all else: only where it can matter.
            unsure = good - plan.fitting
            told = _told_of(plan.asked.spans, [each for each in found if each.id in unsure])
            ranked = _lifted(ranked, plan.fitting & good | told)
        case Strategy.PROCEDURAL:
            wanted = plan.fitting & _as_good_as(base, FITTING) | _triggered(plan)
            ranked = _lifted(ranked, wanted)
        case Strategy.LATEST:
            equal = _as_good_as(base, EQUAL if plan.asked.topic else 0.0)
            at = await reads.dates_of(search.context.graph, search.bounds, sorted(equal))
            ranked = _newest_first(ranked, at)
        case Strategy.ENTITY:
            things = [row["id"] for row in plan.things if row["id"] in area.labels]
            if not things:
                return ranked, area, Strategy.HYBRID
            beside = {i for thing in things for i in area.edges.get(thing, ())}
            ranked = _lifted(ranked, beside - area.entities)
            area = replace(area, parents=_ways_from(things, area))
        case _:
            pass
    return ranked, area, strategy


def _as_good_as(base: Mapping[str, Why], share: float) -> frozenset[str]:
    """The candidates whose likeness is at least this share of the best one's; all where it is 0."""
    least = share * max((why.score for why in base.values()), default=0.0)
    return frozenset(i for i, why in base.items() if not share or why.score >= least)


def _told_of(spans: Sequence[TimeSpan], found: Iterable[store.Candidate]) -> frozenset[str]:
    """The notes whose text names a date within one of the spans. Where nobody told when a note
    happened, only dates count that do not depend on that, such as "3 May 2024"."""
    told = set()
    for each in found:
        text, at = each.start[:_DATED], each.occurred_at
        named = date_mentions(text, at or NEVER - _ELSEWHERE)
        if named and at is None:
            named = frozenset(named) & frozenset(date_mentions(text, BEGINNING + 2 * _ELSEWHERE))
        if any(span.holds(mention) for mention in named for span in spans):
            told.add(each.id)
    return frozenset(told)


def _triggered(plan: QuestionPlan) -> frozenset[str]:
    terms = frozenset(analyse(" ".join(plan.asked.topic)))
    return frozenset(
        i
        for i, text in plan.triggers.items()
        if len(terms & frozenset(analyse(text))) >= TRIGGERS * len(terms)
    )


def _lifted(ranked: Ranked, wanted: Iterable[str]) -> Ranked:
    """The wanted notes above all others, in the order that they had."""
    chosen = frozenset(wanted)
    scores = [why.score for i, why in ranked if i in chosen]
    if not scores:
        return ranked
    lift = max(0.0, *(why.score for _, why in ranked)) - min(0.0, *scores)
    given = dict.fromkeys((i for i, _ in ranked if i in chosen), lift)
    return _with(ranked, given)


def _newest_first(ranked: Ranked, at: Mapping[str, datetime]) -> Ranked:
    """The dated notes above all others, the newest first, those of one instant as they were."""
    chosen = [(i, why) for i, why in ranked if i in at]
    chosen.sort(key=lambda each: at[each[0]], reverse=True)
    top = max((0.0, *(why.score for _, why in ranked)))
    step = max(top, 1.0) / max(len(chosen), 1)
    given = {i: top + step * (len(chosen) - n) - why.score for n, (i, why) in enumerate(chosen)}
    return _with(ranked, given)


def _with(ranked: Ranked, given: Mapping[str, float]) -> Ranked:
    """The notes with what the strategy gives them, best first."""
    whys = [(i, replace(why, strategy=given[i]) if i in given else why) for i, why in ranked]
    return sorted(whys, key=lambda item: (-item[1].score, item[0]))


def _ways_from(things: Sequence[str], area: Neighbourhood) -> dict[str, str]:
    """The node before each node on a shortest path from the things that were asked about; of
    several shortest paths, the one through the node that the walk visits more. Nodes that no such
    path reaches keep the node before them that they had."""
    order, seen, ways = sorted(things), set(things), dict[str, str]()
    while order:
        order.sort(key=lambda i: (-area.shares.get(i, 0.0), i))
        after = []
        for node in order:
            for target in sorted(area.edges.get(node, ())):
                if target not in seen:
                    seen.add(target)
                    ways[target] = node
                    after.append(target)
        order = after
    return {i: parent for i, parent in area.parents.items() if i not in seen} | ways
