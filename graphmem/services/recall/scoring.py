"""Scores of candidates for a question, and their order by the walk: BALANCED's score."""

from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from math import log

from graphmem.domain.profiles.why import Why
from graphmem.domain.ranking import Balanced, bm25, coverage_gate
from graphmem.language.analysis import analyse
from graphmem.language.word_index import count_words
from graphmem.services.recall.expansion import Neighbourhood
from graphmem.services.writing.words import count_terms
from graphmem.store.recall import Candidate

KEPT = 160  # candidates; with more of them no figure of the benches changes
LEAST = 0.001  # score of the best note where all are unlike the question
WORDS_OF_PART = 0.5  # weight of a passage with all words of a question, compared to a cosine of 1
REACHED = Why(similarity=0.0, keyword=0.0, graph=0.0)  # found by the graph alone


@dataclass(frozen=True, kw_only=True)
class Likeness:
    """The similarity of the candidates to a question, by id.

    `coverage`: the share of its words that the best text has, 0..1; `speakers`: those of their
    speakers whom it names; `idf`: how much each of its words says.
    """

    scores: Mapping[str, Why]
    coverage: float = 0.0
    speakers: frozenset[str] = frozenset()
    idf: Mapping[str, float] = field(default_factory=dict)  # of each word of the question

    @cached_property
    def best(self) -> float:
        """The greatest of the scores."""
        return max([why.score for why in self.scores.values()], default=0.0)


def score_by_meaning(found: Sequence[Candidate]) -> Likeness:
    """Return the similarity by cosine alone."""
    return Likeness(
        scores={c.id: Why(similarity=c.similarity, keyword=0.0, graph=0.0) for c in found}
    )


def score_by_meaning_and_words(
    terms: Sequence[str], found: Sequence[Candidate], given: Balanced
) -> Likeness:
    """Return the similarity by cosine and, where words match well, by words.

    What a person said whom the question names counts a little more. `terms`: the stems that say
    what is asked for. Only the best candidates are kept.
    """
    scores, idf = bm25(terms, count_terms(terms, found, window=given.window))
    attainable = sum(idf.values())
    coverage = max(scores.values(), default=0.0) / (attainable or 1.0)
    factor = given.keyword_weight * coverage_gate(coverage, given) / (attainable or 1.0)
    speakers = _find_named_speakers(terms, {c.speaker for c in found if c.speaker})
    near = {c.id: given.vector_weight * c.similarity for c in found}
    words = {c.id: factor * scores[c.id] for c in found}
    for c in found if speakers else ():
        if c.speaker in speakers:
            words[c.id] += given.speaker_weight
    best = sorted([(-(near[i] + by_words), i) for i, by_words in words.items()])[:KEPT]
    whys = {i: Why(similarity=near[i], keyword=words[i], graph=0.0) for _, i in best}
    return Likeness(scores=whys, coverage=coverage, speakers=speakers, idf=idf)


def use_best_passages(terms: Sequence[str], found: Sequence[Candidate]) -> list[Candidate]:
    """Replace the values of each long note by those of its passage that fits best."""
    chosen = choose_best_passages(terms, [each.parts for each in found])
    replaced = list[Candidate]()
    for each, place in zip(found, chosen, strict=True):
        if each.parts:
            similarity, words = each.parts[place]
            each = each._replace(similarity=similarity, words=words)
        replaced.append(each)
    return replaced


def choose_best_passages(
    terms: Sequence[str], near: Sequence[Sequence[tuple[float, bytes]]]
) -> list[int]:
    """Return the place of the best passage of each note, 0 for a note without any.

    Each passage is given as nearness and index of words. The best one is near to the question and
    has most of its words: among much talk about the same subject, the nearest one often lacks the
    very thing.
    """
    parts = [part for each in near for part in each]
    if not (parts and terms):
        return [0] * len(near)
    counts = [had for _, had in count_words(terms, [own for _, own in parts], [()] * len(parts))]
    holding = Counter(term for had in counts for term in had)
    weights = {t: log(1 + len(parts) / (holding[t] + 0.5)) for t in dict.fromkeys(terms)}
    attainable = sum(weights.values())
    fitting = iter([sum([weights[t] for t in had]) / attainable for had in counts])
    scores = [[close + WORDS_OF_PART * next(fitting) for close, _ in each] for each in near]
    return [each.index(max(each)) if each else 0 for each in scores]


def _find_named_speakers(terms: Sequence[str], speakers: set[str]) -> frozenset[str]:
    asked = frozenset(terms)
    return frozenset(who for who in speakers if (words := analyse(who)) and asked.issuperset(words))


def rank_candidates(
    base: Mapping[str, Why],
    area: Neighbourhood,
    among: Collection[str] | None = None,
    most: int | None = None,
) -> list[tuple[str, Why]]:
    """Return every note found, or only those `among` some, best first and at most `most`.

    Equal scores come in the order of their ids. The walk decides the order; the best note keeps the
    score that its similarity gives it.
    """
    likeness = {i: why.score for i, why in base.items()}
    ids = {*area.shares, *base}
    given = dict.fromkeys(ids, 0.0)  # score that the walk adds or subtracts
    greatest = max(area.shares.values(), default=0.0)
    if greatest > 0:
        anchor = max([LEAST, *likeness.values()])  # LEAST if only a name leads to notes
        for i in ids:
            given[i] = anchor * area.shares.get(i, 0.0) / greatest - likeness.get(i, 0.0)
    kept = ids if among is None else ids.intersection(among)
    order = sorted([(-(likeness.get(i, 0.0) + given[i]), i) for i in kept])
    whys = [(i, base.get(i, REACHED)) for _, i in order[:most]]
    return [
        (i, Why(similarity=why.similarity, keyword=why.keyword, graph=given[i])) for i, why in whys
    ]


def drop_summaries(
    found: Sequence[Candidate],
) -> tuple[list[Candidate], frozenset[str]]:
    """Return the candidates without summaries of others among them, and the ids of the summaries.

    The notes themselves answer better than what a job made of them.
    """
    ids = {each.id for each in found}
    summaries = frozenset(each.id for each in found if not ids.isdisjoint(each.sources))
    return [each for each in found if each.id not in summaries], summaries
