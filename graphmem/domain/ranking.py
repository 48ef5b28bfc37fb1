"""The arithmetic of ranking: BM25 over the viewer's own candidates, coverage."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import chain
from math import exp, log

from graphmem.domain.reranking import Reranking, learned
from graphmem.domain.scopes import UNSURE

K1 = 1.2  # BM25 as Lucene has it
B = 0.75
GRAPH_DEPTH = 2  # steps that a recall follows the graph, unless something else is asked for
MAX_HOPS = 3
SUREST = 0.75  # confidence of what fits in every way: so often the best hit of it is right
UNSAID = 0.2  # of the confidence goes where the person named said none of the first hits


@dataclass(frozen=True, kw_only=True)
class Balanced:
    """The numbers of BALANCED, graphmem's own profile; `bench/ablation.py` tells what each part
    gives. Weight 0 switches a part off."""

    vector_weight: float = 1.0
    keyword_weight: float = 1.75
    bare: bool = True  # interrogatives and auxiliary verbs of the question don't count as words
    window: bool = True  # the words of the neighbours in the episode count as the note's own
    speaker_weight: float = 0.05  # for what a person said whom the question names
    gate_middle: float = 0.15  # share of the attainable score at which words begin to count
    gate_width: float = 0.03
    frontier: int = 10  # notes whose surroundings the first hop reads
    further: int = 5  # and each hop after it; 20 and 10 change no figure of the benches
    damping: float = 0.75
    rounds: int = 6  # more change no figure of the benches
    sharpness: float = 1.5  # the walk restarts at candidates by 1 / rank to this power
    named: float = 1.0  # how much an entity named in the question counts there, as the best note
    mention_weight: float = 0.25  # what an entity is worth as a way from one note to the next
    title_weight: float = 1.0  # the way from a note straight to the one whose title it names
    titled: float = 3.0  # the note that an entity is the title of, beside each that mentions it
    next_weight: float = 0.1
    relation_weight: float = 0.1  # the notes that back a relation name both ends already
    predicate_weight: float = 3.0  # how much more what the question's own predicate relates counts
    link_weight: float = 1.0
    reranking: Reranking | None = field(default_factory=learned)  # the last stage


def bm25(
    terms: Sequence[str], notes: Mapping[str, tuple[int, Mapping[str, int]]]
) -> tuple[dict[str, float], dict[str, float]]:
    """BM25 of each note (id → how many words it has, and how often each of the question's terms)
    and the idf of these terms, whose sum is what a note with all of them could reach. Statistics
    come from these notes alone, so nobody else's words move a score (Robertson & Zaragoza 2009;
    k1 1.2, b 0.75)."""
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
    """How far words count beside meaning, 0..1: a logistic step over the best text's share of the
    attainable keyword score."""
    return _step(coverage, given.gate_middle, given.gate_width)


def confidence(similarity: float, coverage: float, said: float = 1.0) -> float:
    """How sure it is that an answer fits, 0..1: by meaning (the highest cosine among the hits) or
    by words (coverage), each a logistic step from what unrelated texts reach to what answers do.
    `said` is the share of the first hits that the person said whom the question names; an answer
    by others is a little less sure. What fits in every way has SUREST. `bench/confidence.py` and
    `bench/day` measure it; the steps are those of all-MiniLM-L6-v2."""
    by_meaning, by_words = _step(similarity, 0.42, 0.06), _step(coverage, 0.35, 0.05)
    fits = (1 - (1 - by_meaning) * (1 - by_words)) * (1 - UNSAID * (1 - said))
    above = max(0.0, fits - UNSURE) / (1 - UNSURE)
    return min(fits, UNSURE) + above * (SUREST - UNSURE)


def _step(value: float, middle: float, width: float) -> float:
    return 1 / (1 + exp((middle - value) / width))
