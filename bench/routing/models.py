"""What routing is compared with: simpler ways to find an expert, and the models of K. Balog,
L. Azzopardi and M. de Rijke, Formal Models for Expert Finding in Enterprise Corpora (2006)."""

import math
import random
from collections import Counter
from collections.abc import Callable, Mapping, Sequence

import numpy as np

from bench.routing.organisation import AGENTS, Written
from graphmem.domain.ranking import bm25
from graphmem.language.analysis import analyse

NEAREST = 200  # notes that count as on the topic
SMOOTHING = 0.5  # Jelinek-Mercer, as in Balog's paper

Scores = Mapping[int, float]


class Models:
    """Each gives the agents scores for a task; they know every note."""

    def __init__(self, notes: Sequence[Written], vectors: np.ndarray, seed: int) -> None:
        """Count words."""
        self._notes, self._vectors = notes, vectors
        self._random = random.Random(seed)
        self._words = [Counter(analyse(note.text)) for note in notes]
        self._profiles = [Counter[str]() for _ in range(AGENTS)]
        self._count = Counter(note.agent for note in notes)
        for note, words in zip(notes, self._words, strict=True):
            self._profiles[note.agent].update(words)
        self._all = sum(self._profiles, Counter[str]())
        self._total = self._all.total()
        self.by_name: Mapping[str, Callable[[str, np.ndarray], Scores]] = {
            "most notes on the topic": self.most_notes,
            "best single vector hit": self.best_hit,
            "BM25 of profiles": self.profiles,
            "candidate model": self.candidate_model,
            "document model": self.document_model,
            "random": self.chance,
        }

    def most_notes(self, task: str, vector: np.ndarray) -> Scores:
        """How many of the nearest notes are the agent's."""
        nearest = np.argsort(-(self._vectors @ vector))[:NEAREST]
        return Counter(self._notes[i].agent for i in nearest)

    def best_hit(self, task: str, vector: np.ndarray) -> Scores:
        """The cosine of the agent's nearest note."""
        best: dict[int, float] = {}
        for note, cosine in zip(self._notes, self._vectors @ vector, strict=True):
            best[note.agent] = max(best.get(note.agent, -1.0), float(cosine))
        return best

    def profiles(self, task: str, vector: np.ndarray) -> Scores:
        """BM25 of all that an agent wrote as one text."""
        terms = analyse(task)
        texts = {
            str(agent): (profile.total(), {t: profile[t] for t in terms if t in profile})
            for agent, profile in enumerate(self._profiles)
        }
        return {int(agent): score for agent, score in bm25(terms, texts)[0].items()}

    def candidate_model(self, task: str, vector: np.ndarray) -> Scores:
        """Model 1: how likely the agent's language gives the task."""
        terms = [term for term in analyse(task) if term in self._all]
        return {
            agent: sum(math.log(self._smooth(profile, term)) for term in terms)
            for agent, profile in enumerate(self._profiles)
        }

    def document_model(self, task: str, vector: np.ndarray) -> Scores:
        """Model 2: the mean over the agent's notes of how likely each gives the task."""
        terms = [term for term in analyse(task) if term in self._all]
        scores = Counter[int]()
        background = math.prod(SMOOTHING * self._all[t] / self._total for t in terms)
        for note, words in zip(self._notes, self._words, strict=True):
            if any(term in words for term in terms):
                likely = math.prod(self._smooth(words, term) for term in terms)
            else:
                likely = background
            scores[note.agent] += likely / self._count[note.agent]  # type: ignore[assignment]
        return scores

    def chance(self, task: str, vector: np.ndarray) -> Scores:
        """Anything."""
        return {agent: self._random.random() for agent in range(AGENTS)}

    def _smooth(self, words: Counter[str], term: str) -> float:
        own = words[term] / (words.total() or 1)
        return (1 - SMOOTHING) * own + SMOOTHING * self._all[term] / self._total
