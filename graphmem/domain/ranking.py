"""The arithmetic of ranking: BM25 over the viewer's own candidates, and coverage."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import chain
from math import exp, log

from graphmem.domain.reranking import Reranking, load_curves
from graphmem.domain.scopes import UNSURE

K1 = 1.2  # BM25 as in Lucene
B = 0.75
GRAPH_DEPTH = 2  # steps that a recall follows in the graph by default
MAX_HOPS = 3
SUREST = 0.75  # confidence of a perfect fit: the share of such best hits that are right
UNSAID = 0.2  # share of the confidence lost if the named person said none of the first hits


@dataclass(frozen=True, kw_only=True)
class Balanced:
    """The numbers of BALANCED, graphmem's own profile. Weight 0 switches a part off.

    `bench/ablation.py` measures the effect of each part."""

    vector_weight: float = 1.0
    keyword_weight: float = 1.75
    bare: bool = True  # ignore interrogatives and auxiliary verbs of the question
    window: bool = True  # count the words of the neighbours in the episode
    speaker_weight: float = 0.05  # for statements of a person named in the question
    gate_middle: float = 0.15  # share of the attainable score at which words begin to count
    gate_width: float = 0.03
    frontier: int = 10  # notes whose surroundings the first hop reads
    further: int = 5  # the same for later hops; 20 and 10 change no benchmark
    damping: float = 0.75
    rounds: int = 6  # more rounds change no benchmark
    sharpness: float = 1.5  # the walk restarts at candidates by 1 / rank to this power
    named: float = 1.0  # restart weight of an entity named in the question; 1 is the best note's
    mention_weight: float = 0.25  # weight of an entity as a way between notes
    title_weight: float = 1.0  # the way from a note to the one whose title it names
    titled: float = 3.0  # a note titled like the entity, relative to one that mentions it
    next_weight: float = 0.1
    relation_weight: float = 0.1  # low, as the notes behind a relation name both ends already
    predicate_weight: float = 3.0  # factor for relations with the question's own predicate
    link_weight: float = 1.0
    reranking: Reranking | None = field(default_factory=load_curves)  # the last stage


def bm25(
    terms: Sequence[str], notes: Mapping[str, tuple[int, Mapping[str, int]]]
) -> tuple[dict[str, float], dict[str, float]]:
    """Return the BM25 score of each note and the idf of the question's terms.

    `notes`: id → the number of its words, and how often it has each term. The sum of the idf is
    what a note with all terms could reach. Statistics come from these notes alone, so nobody
    else's words move a score (Robertson & Zaragoza 2009; k1 1.2, b 0.75)."""
    total = len(notes)
    average = sum(length for length, _ in notes.values()) / total if total else 1.0
    holding = Counter(chain.from_iterable(count for _, count in notes.values()))
    idf = {
        t: log(1 + (total - holding[t] + 0.5) / (holding[t] + 0.5)) for t in dict.fromkeys(terms)
    }
    start, slope = K1 * (1 - B), K1 * B / (average or 1.0)
    scores = dict[str, float]()
    for i, (length, count) in notes.items():
        norm, score = start + slope * length, 0.0
        for term, often in count.items():
            if term in idf:
                score += idf[term] * often / (often + norm)
        scores[i] = score
    return scores, idf


def coverage_gate(coverage: float, given: Balanced) -> float:
    """Return how far words count besides meaning, 0..1.

    It is a logistic step over the best text's share of the attainable keyword score."""
    return _logistic(coverage, given.gate_middle, given.gate_width)


def confidence(similarity: float, coverage: float, said: float = 1.0) -> float:
    """Return how sure it is that an answer fits, 0..1.

    It does so by meaning (the highest cosine among the hits) or by words (coverage), each a
    logistic step from what unrelated texts reach to what answers do. `said` is the share of the
    first hits that the person named in the question said; an answer by others is a little less
    sure. A perfect fit has SUREST. `bench/confidence.py` and `bench/day` measure it; the steps
    are those of all-MiniLM-L6-v2."""
    by_meaning, by_words = _logistic(similarity, 0.42, 0.06), _logistic(coverage, 0.35, 0.05)
    fits = (1 - (1 - by_meaning) * (1 - by_words)) * (1 - UNSAID * (1 - said))
    above = max(0.0, fits - UNSURE) / (1 - UNSURE)
    return min(fits, UNSURE) + above * (SUREST - UNSURE)


def _logistic(value: float, middle: float, width: float) -> float:
    return 1 / (1 + exp((middle - value) / width))
