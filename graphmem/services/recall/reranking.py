"""The last stage of BALANCED: sorts the best notes by how likely they hold the answer.

Each note has features from 0 to 1, of its text, its place and its neighbours in the episode; the
curves of `domain/reranking` add up what each is worth. Only what the viewer may read counts: a
hidden neighbour does not count as one. A note that lacks a feature gets what it adds on average.
"""

from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from math import log2, log10, sqrt

from graphmem.domain.profiles.why import Why
from graphmem.domain.reranking import FIRST, LAST_RANK, WALK, Reranking
from graphmem.language.analysis import analyse
from graphmem.language.questions import asks_when
from graphmem.language.text_features import TextFeatures
from graphmem.services.recall.expansion import Neighbourhood
from graphmem.services.recall.ranking import Search
from graphmem.services.recall.scoring import Likeness
from graphmem.services.writing.words import count_terms
from graphmem.store import notes
from graphmem.store.notes import Loaded, Reached
from graphmem.store.recall import Candidate

BETTER = 5  # better notes whose words count as said already
NAMING = 2  # notes that may name what another is about
AROUND = 30  # notes that show which episode is asked for
SPARE = 4  # more notes than asked for are loaded, before it is known which are hits
_RANKS = [1 - log2(place) / log2(LAST_RANK) for place in range(1, FIRST + 1)]
_ALONE, _TURN, _CHAT = (  # the names of features in a group of notes
    [f"{group}.{name}" for name in ("rank", "walk", "meaning", "keyword", "words", "fresh")]
    for group in ("alone", "turn", "chat")
)
# A program that answers its user speaks differently from a person: in long replies that repeat the
# words of the question.
_ASSISTANTS = frozenset("assistant ai bot chatbot chatgpt copilot gemini gpt model".split())
_USERS = frozenset({"user", "human"})  # names of those who talk to one
_ASKS = int(TextFeatures.ASKS)
_TEXT_ROWS = [  # index: the traits of the text
    {
        "asks": float(TextFeatures.ASKS in traits),
        "dated": float(TextFeatures.DATED in traits),
        "first person": float(TextFeatures.FIRST_PERSON in traits),
        "names": float(TextFeatures.NAMES in traits),
    }
    for traits in map(TextFeatures, range(sum(TextFeatures) + 1))
]
_TEXT_ROWS_WHEN = [row | {"dated, when asked": row["dated"]} for row in _TEXT_ROWS]
_SMALLEST = 1e-3  # smallest share that counts; features of shares are logarithms
_LOG_SMALLEST = log10(_SMALLEST)
_NOTHING = (0.0, 0.0)  # the values of an episode without any of the best notes

Ranked = Sequence[tuple[str, Why]]
Features = dict[str, float]


@dataclass(frozen=True, kw_only=True)
class Seen:
    """The facts about a question and its candidates that the features are computed from."""

    query: str
    terms: Sequence[str]
    found: Mapping[str, Candidate]  # by id
    reached: Mapping[str, Candidate] = field(default_factory=dict)  # reached by the graph alone
    like: Likeness
    area: Neighbourhood
    words: Mapping[str, frozenset[str]] = field(default_factory=dict)
    """The question's words that notes have, where that is known already."""

    def words_of(self, ids: Iterable[str]) -> dict[str, frozenset[str]]:
        """Return which of the question's words each of these notes has itself."""
        new = [self.reached.get(i) or self.found.get(i) for i in ids if i not in self.words]
        known = [note for note in new if note is not None]
        if not known:
            return dict(self.words)
        counts = count_terms([*self.like.idf], known, window=False)
        return {**self.words, **{i: frozenset(own) for i, (_, own) in counts.items()}}


async def apply_last_stage(
    search: Search,
    vector: Sequence[float],
    order: Ranked,
    found: Sequence[Candidate],
    like: Likeness,
    area: Neighbourhood,
    most: int | None,
) -> tuple[list[tuple[str, Why]], Mapping[str, Loaded]]:
    """Return the notes of a walk in the order of the last stage, at most `most`.

    They keep their order where the graph was not walked. Also returns the notes that it had to
    load. What it needs of notes that only the graph reached is read together with the likely hits,
    so that most answers take one read.
    """
    curves, question, bounds = search.context.balanced.reranking, search.question, search.bounds
    if curves is None or not area.shares:
        return list(order[:most]), {}
    by_id = {each.id: each for each in found}
    seen = Seen(query=question.query, terms=search.terms, found=by_id, like=like, area=area)
    ids = only_reached_by_graph(order, by_id)
    if not ids:
        return rerank(order, seen, curves, most), {}
    first = [i for i, _ in order[:FIRST]]
    seen = replace(seen, words=seen.words_of(first))
    before = features(order, seen)
    likely = [first[place] for place in curves.order(before)]
    loaded, reached = await notes.load_reached(
        search.context.graph,
        likely[: question.k + SPARE],
        bounds.audiences,
        bounds.now,
        reached=ids,
        vector=vector,
    )
    live = {i: _candidate(i, e) for i, e in reached.items() if e.status in bounds.statuses}
    seen = replace(seen, reached=live)
    return rerank(order, seen, curves, most, before), loaded


def _candidate(i: str, reached: Reached) -> Candidate:
    return Candidate(
        id=i,
        title=reached.title,
        speaker=reached.speaker,
        occurred_at=None,
        start="",
        similarity=reached.similarity,
        words=reached.words,
        episode=reached.episode,
        traits=reached.traits,
    )


def only_reached_by_graph(ranked: Ranked, found: Mapping[str, Candidate]) -> list[str]:
    """Return those of the first notes that only the graph reached."""
    return [i for i, _ in ranked[:FIRST] if i not in found]


def rerank(
    ranked: Ranked,
    seen: Seen,
    curves: Reranking,
    most: int | None = None,
    before: Sequence[Features] = (),
) -> list[tuple[str, Why]]:
    """Sort the first notes by the curves and leave the others below them in their order.

    Returns at most `most` notes. `before`: their features before it was known which notes only the
    graph reached. The best note keeps the score of the best so far, so scores stay comparable.
    """
    first, rest = ranked[:FIRST], ranked[FIRST:]
    if not first:
        return []
    best, rows = first[0][1].score, features(ranked, seen, before)
    kept = list(range(len(first)))
    if most is not None and most < len(first):  # the parts of the other scores are not needed
        kept = curves.highest(rows, most)
    parts = curves.scores([rows[place] for place in kept], best)
    whys = [
        _replace_parts(first[place][1], seen.reached.get(first[place][0]), each)
        for place, each in zip(kept, parts, strict=True)
    ]
    order = list[tuple[str, Why]](zip([first[place][0] for place in kept], whys, strict=True))
    scores = {i: why.score for i, why in order}
    order.sort(key=lambda item: (-scores[item[0]], item[0]))
    if len(kept) < len(first):
        return order[:most]
    lowest, last = scores[order[-1][0]], first[-1][1].score
    factor = lowest / last if last > 0 else 0.0
    order += [(i, _replace_parts(why, None, ((WALK, factor * why.score),))) for i, why in rest]
    return order[:most]


def _replace_parts(
    why: Why, reached: Candidate | None, parts: tuple[tuple[str, float], ...]
) -> Why:
    similarity, graph = why.similarity, why.graph
    if reached is not None:  # its cosine is known only now
        similarity, graph = reached.similarity, (graph or 0.0) - reached.similarity
    return Why(similarity=similarity, keyword=why.keyword, graph=graph, formula=parts)


def features(ranked: Ranked, seen: Seen, before: Sequence[Features] = ()) -> list[Features]:
    """Return the features of the first notes, each 0..1; a missing name is a missing feature.

    `before`: the features before the notes that only the graph reached were known; a row that does
    not depend on those is reused.
    """
    first = [i for i, _ in ranked[:FIRST]]
    best = max(ranked[0][1].score, _SMALLEST**2)
    share = {i: why.score / best for i, why in ranked[:FIRST]}
    known = {**seen.reached, **seen.found}
    idf = seen.like.idf
    attainable = sum(idf.values()) or 1.0
    words = seen.words_of(first)
    most = _greatest_or_one(max([c.similarity for c in seen.found.values()], default=0.0))
    likest = _greatest_or_one(seen.like.best)
    sessions = _episode_shares(first[:AROUND], share, known)
    when, terms = asks_when(seen.query), frozenset(seen.terms)
    kept = _reusable_rows(before, first, seen)
    assisted = {note.episode for note in seen.found.values() if _is_assistant(note)}
    said = set[str]()
    rows = list[Features]()
    for place, i in enumerate(first):
        note, own = known.get(i), words.get(i)
        group = _group_of(note, assisted)
        if (row := kept.get(i)) is None:
            rank, walk, meaning, keyword, covered, fresh = group
            row = {rank: _RANKS[place], walk: _log_share(share[i])}
            if note is not None:
                row[meaning] = max(0.0, note.similarity / most)
            if own is not None:
                why = seen.like.scores.get(i)
                row[keyword] = sqrt(max(0.0, why.keyword or 0.0) / likest) if why else 0.0
                row[covered] = sqrt(sum([idf[t] for t in own]) / attainable)
                row[fresh] = sqrt(sum([idf[t] for t in own - said]) / attainable)
            if i in seen.area.named_in or (note is not None and note.title is not None):
                row |= _title_features(i, note, first, terms, seen.area)
            if note is not None and group is _CHAT:
                row |= _chat_features(note)
            elif note is not None:
                row |= _text_features(note, seen.like.speakers, when=when)
                row |= _previous_note_features(note, share, words, idf, attainable)
        if sessions and note is not None and note.episode is not None:
            row |= _episode_features(sessions.get(note.episode, _NOTHING), chat=group is _CHAT)
        if own is not None and place < BETTER:
            said |= own
        rows.append(row)
    return rows


def _reusable_rows(
    before: Sequence[Features], first: Sequence[str], seen: Seen
) -> dict[str, Features]:
    """Return the rows that stay valid once the notes which only the graph reached are known.

    These are the rows of notes that were not reached so and do not come after one, except for the
    features that depend on all notes of an episode. None stays valid where one of the best notes
    was reached so, since that changes which words are new in all notes below.
    """
    reached = seen.reached.keys()
    if not (before and reached.isdisjoint(first[:BETTER])):
        return {}
    after = {
        i
        for i in first
        if (note := seen.found.get(i)) is not None
        and note.before is not None
        and note.before.id in reached
    }
    changed = reached | after
    return {i: {**row} for i, row in zip(first, before, strict=True) if i not in changed}


def _text_features(note: Candidate, asked: Collection[str], *, when: bool) -> Features:
    row: Features = {}
    if note.traits is not None:
        row |= (_TEXT_ROWS_WHEN if when else _TEXT_ROWS)[note.traits]
    if note.speaker and asked:
        row["other speaker"] = float(note.speaker not in asked)
    return row


def _group_of(note: Candidate | None, assisted: Collection[str | None]) -> list[str]:
    """Return the feature names of the group that a note belongs to.

    The features of a turn of a conversation mean something else than those of a note that is alone,
    and those of a turn of a chat with an assistant something else than of one between persons.
    `assisted`: the episodes in which an assistant speaks.
    """
    if note is None or note.episode is None:
        return _ALONE
    return _CHAT if note.episode in assisted or _is_user(note) else _TURN


def _episode_features(given: tuple[float, float], *, chat: bool) -> Features:
    together, best = given
    return {"chat.episode's best": best} if chat else {"episode": together, "episode's best": best}


def _is_assistant(note: Candidate) -> bool:
    return (note.speaker or "").lower() in _ASSISTANTS


def _is_user(note: Candidate) -> bool:
    return (note.speaker or "").lower() in _USERS


def _chat_features(note: Candidate) -> Features:
    row = {"reply": float(_is_assistant(note))}
    if note.traits is not None:
        row["chat.dated"] = float(TextFeatures.DATED in TextFeatures(note.traits))
    return row


def _greatest_or_one(greatest: float) -> float:
    """Return the greatest value, which others are shares of; 1 where none is above 0."""
    return greatest if greatest > 0 else 1.0


def _log_share(share: float) -> float:
    """Return a share of the best as 0..1, by its order of magnitude."""
    return 1 - log10(share) / _LOG_SMALLEST if share > _SMALLEST else 0.0


def _episode_shares(
    first: Sequence[str], share: Mapping[str, float], known: Mapping[str, Candidate]
) -> dict[str, tuple[float, float]]:
    """Return for each episode the sum and the best of its notes, relative to the greatest."""
    shares = defaultdict[str, list[float]](list)
    for i in first:
        note = known.get(i)
        if note is not None and note.episode is not None:
            shares[note.episode].append(share[i])
    if not shares:
        return {}
    together = max(map(sum, shares.values())) or 1.0
    best = max(map(max, shares.values())) or 1.0
    return {
        episode: (_log_share(sum(each) / together), _log_share(max(each) / best))
        for episode, each in shares.items()
    }


def _title_features(
    i: str,
    note: Candidate | None,
    first: Sequence[str],
    terms: frozenset[str],
    area: Neighbourhood,
) -> Features:
    row: Features = {}
    if note is not None and note.title and (title := frozenset(analyse(note.title))):
        row["title asked"] = len(title & terms) / len(title)
    naming = area.named_in.get(i, frozenset())
    before = first[: first.index(i)][:NAMING]
    row["title named"] = float(any(other in naming for other in before))
    return row


def _previous_note_features(
    note: Candidate,
    share: Mapping[str, float],
    words: Mapping[str, frozenset[str]],
    idf: Mapping[str, float],
    attainable: float,
) -> Features:
    before = note.before
    if before is None:
        return {}
    asks = bool((before.traits or 0) & _ASKS)
    asked = words.get(before.id, frozenset()) if asks else ()
    return {
        "before": _log_share(share.get(before.id, 0.0)),
        "answers": float(asks),
        "answers the words": sqrt(sum([idf[t] for t in asked]) / attainable),
    }
