"""Judges whether a later text makes an earlier one out of date, or says the same.

The judge is the default model, which reads both texts at once, with its weights changed a
little: `update_judge.safetensors` holds matrices of low rank that are added to them (LoRA, Hu et
al. 2021) and the weights of a last sum. `bench/deciding/learn.py` learned both from labelled
pairs of notes."""

import asyncio
import math
from collections.abc import Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from functools import partial
from importlib.resources import files
from typing import TYPE_CHECKING, Final

from graphmem.ai import minilm
from graphmem.ai.embedder import DEFAULT_MODEL
from graphmem.ai.sentence_model import encodable
from graphmem.domain.writing import UpdateVerdict

if TYPE_CHECKING:
    import numpy as np

FILE: Final = "update_judge.safetensors"
HEAD: Final = "head."  # of the names of its arrays: those of the last sum
VERDICTS: Final = ("DIFFERENT", "REPLACES", "PARTLY", "SAME")  # the order of the last sums
LONGEST: Final = 500  # characters of a text; a longer one says more than one thing


def open_judge(embedder: str, *, on: bool = True) -> "UpdateJudge | None":
    """Open the judge, which begins to load at once; None where it is off, or another model than the
    default one is used, as it is that model."""
    return UpdateJudge() if on and embedder == DEFAULT_MODEL else None


class UpdateJudge:
    """Judges pairs of texts in threads of its own, as many pairs at a time as a model is worth."""

    def __init__(self) -> None:
        """Begin to load the model."""
        self._threads = ThreadPoolExecutor(minilm.threads(), "graphmem-update-judge")
        self._loaded: Future[_Judge] = self._threads.submit(_load)

    async def verdicts(self, pairs: Sequence[tuple[str, str]]) -> list[UpdateVerdict]:
        """Give the likelihoods for each pair of an earlier and a later text; all are 0 where one is
        too long. Raises what the model raises."""
        run = partial(asyncio.get_running_loop().run_in_executor, self._threads, self._judge)
        return await asyncio.gather(*(run(old, new) for old, new in pairs))

    async def close(self) -> None:
        """End the threads; what waits is not judged."""
        await asyncio.to_thread(self._threads.shutdown, cancel_futures=True)

    def _judge(self, old: str, new: str) -> UpdateVerdict:
        return self._loaded.result().verdict(old, new)


@dataclass(frozen=True)
class _Judge:
    """The model, and how its vector becomes a verdict: a row of weights and a constant for each."""

    model: minilm.MiniLM
    weights: "np.ndarray"
    constants: "np.ndarray"

    def verdict(self, old: str, new: str) -> UpdateVerdict:
        """Judge one pair."""
        if max(len(old), len(new)) > LONGEST:
            return UpdateVerdict()
        vector = self.model.vector_of_pair(encodable(old), encodable(new))
        if vector is None:
            return UpdateVerdict()
        odds = [math.exp(each) for each in (self.weights @ vector + self.constants).tolist()]
        likely = dict(zip(VERDICTS, (each / sum(odds) for each in odds), strict=True))
        return UpdateVerdict(likely["REPLACES"], likely["PARTLY"], likely["SAME"])


def _load() -> _Judge:
    from safetensors.numpy import load

    arrays = load((files("graphmem.ai") / FILE).read_bytes())
    given = {name: array.astype("float32") for name, array in arrays.items()}
    model = minilm.load({n: a for n, a in given.items() if not n.startswith(HEAD)})
    return _Judge(model, given[f"{HEAD}weights"], given[f"{HEAD}constants"])
