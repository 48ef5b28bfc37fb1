"""The last stage of BALANCED: puts the best notes in the order in which they most likely hold the
answer.

Each note has features from 0 to 1, of its text, its place and its neighbours in the episode; the
curves of `domain/reranking` add up what each is worth. Only what the viewer may read counts: a
hidden neighbour is no neighbour. A note that lacks a feature gets what it adds on average."""

from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from math import log2, log10, sqrt

from graphmem.domain.profiles.why import ByFormula, Why
from graphmem.domain.reranking import FIRST, LAST_RANK, WALK, Reranking
from graphmem.language.analysis import analyse
from graphmem.language.questions import asks_when
from graphmem.language.text_features import TextFeatures
from graphmem.services.recall.expansion import Neighbourhood
from graphmem.services.recall.ranking import Search
from graphmem.services.recall.scoring import Likeness
from graphmem.services.writing.words import counted
from graphmem.store import notes
from graphmem.store.notes import Loaded, Reached
from graphmem.store.recall import Candidate

BETTER = 5  # notes whose words are said already
NAMING = 2  # notes that may name what another is about
AROUND = 30  # notes that tell which episode is asked for
SPARE = 4  # more notes than are asked for are loaded before it is known which of them are hits
_RANKS = [1 - log2(place) / log2(LAST_RANK) for place in range(1, FIRST + 1)]
_ALONE, _TURN, _CHAT = (  # the names of features in a group of notes
    [f"{group}.{name}" for name in ("rank", "walk", "meaning", "keyword", "words", "fresh")]
    for group in ("alone", "turn", "chat")
)
# A program that answers its user speaks in other ways than a person: in long replies, which repeat
# the words of the question.
_ASSISTANTS = frozenset("assistant ai bot chatbot chatgpt copilot gemini gpt model".split())
_USERS = frozenset({"user", "human"})  # what those are called who talk to one
_ASKS = int(TextFeatures.ASKS)
_OF_TEXT = [  # by the traits of the text
    {
        "asks": float(TextFeatures.ASKS in traits),
        "dated": float(TextFeatures.DATED in traits),
        "first person": float(TextFeatures.FIRST_PERSON in traits),
        "names": float(TextFeatures.NAMES in traits),
    }
    for traits in map(TextFeatures, range(sum(TextFeatures) + 1))
]
_ASKED_WHEN = [row | {"dated, when asked": row["dated"]} for row in _OF_TEXT]
_SMALLEST = 1e-3  # share that counts; features of shares are logarithms
_LOG_SMALLEST = log10(_SMALLEST)
_NOTHING = (0.0, 0.0)  # of an episode that has none of the best notes

Ranked = Sequence[tuple[str, Why]]
Features = dict[str, float]


@dataclass(frozen=True, kw_only=True)
class Seen:
    """What the features need of a question and of what it found."""

    query: str
    terms: Sequence[str]
    found: Mapping[str, Candidate]  # by id
    reached: Mapping[str, Candidate] = field(default_factory=dict)  # by the graph alone
    like: Likeness
    area: Neighbourhood
    words: Mapping[str, frozenset[str]] = field(default_factory=dict)
    """Which of the question's words notes have, where that is known already."""

    def words_of(self, ids: Iterable[str]) -> dict[str, frozenset[str]]:
        """Which of the question's words each of these notes has itself."""
        new = [self.reached.get(i) or self.found.get(i) for i in ids if i not in self.words]
        known = [note for note in new if note is not None]
        if not known:
            return dict(self.words)
        counts = counted([*self.like.idf], known, window=False)
        return {**self.words, **{i: frozenset(own) for i, (_, own) in counts.items()}}


async def last_stage(
    search: Search,
    vector: Sequence[float],
    order: Ranked,
    found: Sequence[Candidate],
    like: Likeness,
    area: Neighbourhood,
    most: int | None,
) -> tuple[list[tuple[str, Why]], Mapping[str, Loaded]]:
    """The notes of a walk in the order of the last stage, at most that many; as they were where the
    graph was not walked. Beside them the notes that it had to load.

    What it asks for of notes that only the graph reached is read together with those that are
    likely hits without it, so that most answers take one read."""
    curves, question, bounds = search.context.balanced.reranking, search.question, search.bounds
    if curves is None or not area.shares:
        return list(order[:most]), {}
    by_id = {each.id: each for each in found}
    seen = Seen(query=question.query, terms=search.terms, found=by_id, like=like, area=area)
    ids = reached_only(order, by_id)
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


def reached_only(ranked: Ranked, found: Mapping[str, Candidate]) -> list[str]:
    """Of the first notes those that only the graph reached."""
    return [i for i, _ in ranked[:FIRST] if i not in found]


def rerank(
    ranked: Ranked,
    seen: Seen,
    curves: Reranking,
    most: int | None = None,
    before: Sequence[Features] = (),
) -> list[tuple[str, Why]]:
    """The first notes in the order of the curves, the others below them as they were; at most that
    many. `before`: their features as they were before it was known what the graph alone reached.

    The best note keeps the score of the best so far, so scores can be compared as before."""
    first, rest = ranked[:FIRST], ranked[FIRST:]
    if not first:
        return []
    best, rows = first[0][1].score, features(ranked, seen, before)
    kept = list(range(len(first)))
    if most is not None and most < len(first):  # what the others' scores are made of nobody asks
        kept = curves.highest(rows, most)
    parts = curves.scores([rows[place] for place in kept], best)
    whys = [
        _with_parts(first[place][1], seen.reached.get(first[place][0]), each)
        for place, each in zip(kept, parts, strict=True)
    ]
    order = list[tuple[str, Why]](zip([first[place][0] for place in kept], whys, strict=True))
    scores = {i: why.score for i, why in order}
    order.sort(key=lambda item: (-scores[item[0]], item[0]))
    if len(kept) < len(first):
        return order[:most]
    lowest, last = scores[order[-1][0]], first[-1][1].score
    factor = lowest / last if last > 0 else 0.0
    order += [(i, _with_parts(why, None, ((WALK, factor * why.score),))) for i, why in rest]
    return order[:most]


def _with_parts(
    why: Why, reached: Candidate | None, parts: tuple[tuple[str, float], ...]
) -> ByFormula:
    similarity, graph = why.similarity, why.graph
    if reached is not None:  # its cosine is known only now
        similarity, graph = reached.similarity, (graph or 0.0) - reached.similarity
    return ByFormula(similarity=similarity, keyword=why.keyword, graph=graph, parts=parts)


def features(ranked: Ranked, seen: Seen, before: Sequence[Features] = ()) -> list[Features]:
    """The features of the first notes, each from 0 to 1; without a name: the note has no such.
    `before`: those without what the graph alone reached, where they are known; a note that has
    nothing to do with that keeps its own."""
    first = [i for i, _ in ranked[:FIRST]]
    best = max(ranked[0][1].score, _SMALLEST**2)
    share = {i: why.score / best for i, why in ranked[:FIRST]}
    known = {**seen.reached, **seen.found}
    idf = seen.like.idf
    attainable = sum(idf.values()) or 1.0
    words = seen.words_of(first)
    most = _positive(max([c.similarity for c in seen.found.values()], default=0.0))
    likest = _positive(seen.like.best)
    sessions = _sessions(first[:AROUND], share, known)
    when, terms = asks_when(seen.query), frozenset(seen.terms)
    kept = _kept(before, first, seen)
    assisted = {note.episode for note in seen.found.values() if _is_assistant(note)}
    said = set[str]()
    rows = list[Features]()
    for place, i in enumerate(first):
        note, own = known.get(i), words.get(i)
        group = _group_of(note, assisted)
        if (row := kept.get(i)) is None:
            rank, walk, meaning, keyword, covered, fresh = group
            row = {rank: _RANKS[place], walk: _log(share[i])}
            if note is not None:
                row[meaning] = max(0.0, note.similarity / most)
            if own is not None:
                why = seen.like.scores.get(i)
                row[keyword] = sqrt(max(0.0, why.keyword or 0.0) / likest) if why else 0.0
                row[covered] = sqrt(sum([idf[t] for t in own]) / attainable)
                row[fresh] = sqrt(sum([idf[t] for t in own - said]) / attainable)
            if i in seen.area.named_in or (note is not None and note.title is not None):
                row |= _of_title(i, note, first, terms, seen.area)
            if note is not None and group is _CHAT:
                row |= _of_chat(note)
            elif note is not None:
                row |= _of_text(note, seen.like.speakers, when=when)
                row |= _of_note_before(note, share, words, idf, attainable)
        if sessions and note is not None and note.episode is not None:
            row |= _of_session(sessions.get(note.episode, _NOTHING), chat=group is _CHAT)
        if own is not None and place < BETTER:
            said |= own
        rows.append(row)
    return rows


def _kept(before: Sequence[Features], first: Sequence[str], seen: Seen) -> dict[str, Features]:
    """Which rows stay as they were before it was known what only the graph reached, but for what
    depends on all notes of an episode: those of notes that were not reached so and do not come
    after one. None stays where one of the best was, since what these say is new in no note below
    them."""
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


def _of_text(note: Candidate, asked: Collection[str], *, when: bool) -> Features:
    row: Features = {}
    if note.traits is not None:
        row |= (_ASKED_WHEN if when else _OF_TEXT)[note.traits]
    if note.speaker and asked:
        row["other speaker"] = float(note.speaker not in asked)
    return row


def _group_of(note: Candidate | None, assisted: Collection[str | None]) -> list[str]:
    """Name the features of the group that a note belongs to: a turn of a conversation shows in
    other ways that it fits than a note that is alone, and a turn of a chat with an assistant than
    one between persons. `assisted`: the episodes in which an assistant speaks."""
    if note is None or note.episode is None:
        return _ALONE
    return _CHAT if note.episode in assisted or _is_user(note) else _TURN


def _of_session(given: tuple[float, float], *, chat: bool) -> Features:
    together, best = given
    return {"chat.episode's best": best} if chat else {"episode": together, "episode's best": best}


def _is_assistant(note: Candidate) -> bool:
    return (note.speaker or "").lower() in _ASSISTANTS


def _is_user(note: Candidate) -> bool:
    return (note.speaker or "").lower() in _USERS


def _of_chat(note: Candidate) -> Features:
    row = {"reply": float(_is_assistant(note))}
    if note.traits is not None:
        row["chat.dated"] = float(TextFeatures.DATED in TextFeatures(note.traits))
    return row


def _positive(greatest: float) -> float:
    """What values are shares of: the greatest one, 1 where none is above 0."""
    return greatest if greatest > 0 else 1.0


def _log(share: float) -> float:
    """A share of the best as 0..1, by its order of magnitude."""
    return 1 - log10(share) / _LOG_SMALLEST if share > _SMALLEST else 0.0


def _sessions(
    first: Sequence[str], share: Mapping[str, float], known: Mapping[str, Candidate]
) -> dict[str, tuple[float, float]]:
    """Of each episode what its notes have together, and the best of them, beside the most that an
    episode has."""
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
        episode: (_log(sum(each) / together), _log(max(each) / best))
        for episode, each in shares.items()
    }


def _of_title(
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


def _of_note_before(
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
        "before": _log(share.get(before.id, 0.0)),
        "answers": float(asks),
        "answers the words": sqrt(sum([idf[t] for t in asked]) / attainable),
    }
