"""Judges whether a later text makes an earlier one out of date, or says the same.

The judge is the default model, reading both texts at once, with slightly changed weights:
`update_judge.safetensors` holds matrices of low rank that are added to them (LoRA, Hu et al.
2021) and the weights of a final linear layer. `bench/deciding/learn.py` learned both from
labelled pairs of notes."""

import asyncio
import math
from collections.abc import Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from functools import partial
from importlib.resources import files
from typing import TYPE_CHECKING, Final

from graphmem.ai import minilm
from graphmem.ai.arrays import read_arrays
from graphmem.ai.embedder import DEFAULT_MODEL
from graphmem.ai.sentence_model import encodable
from graphmem.domain.writing import UpdateVerdict

if TYPE_CHECKING:
    import numpy as np

FILE: Final = "update_judge.safetensors"
HEAD: Final = "head."  # prefix of the arrays of the final layer
VERDICTS: Final = (
    "DIFFERENT",
    "REPLACES",
    "PARTLY",
    "SAME",
)  # the order of the final layer's outputs
LONGEST: Final = 500  # characters of a text; a longer one says several things


def open_judge(embedder: str, *, on: bool = True) -> "UpdateJudge | None":
    """Open the judge, which starts to load at once.

    None if it is off, or if a model other than the default is used, as the judge is based on the
    default."""
    return UpdateJudge() if on and embedder == DEFAULT_MODEL else None


class UpdateJudge:
    """Judges pairs of texts in threads of its own, as many pairs at a time as the model can use."""

    def __init__(self) -> None:
        """Start to load the model."""
        self._threads = ThreadPoolExecutor(minilm.threads(), "graphmem-update-judge")
        self._loaded: Future[_Judge] = self._threads.submit(_load_judge)

    async def verdicts(self, pairs: Sequence[tuple[str, str]]) -> list[UpdateVerdict]:
        """Return the likelihoods for each pair of an earlier and a later text.

        All are 0 if one of them is too long. Raises the model's errors."""
        run = partial(asyncio.get_running_loop().run_in_executor, self._threads, self._judge)
        return await asyncio.gather(*(run(old, new) for old, new in pairs))

    async def close(self) -> None:
        """End the threads; waiting pairs are not judged."""
        await asyncio.to_thread(self._threads.shutdown, cancel_futures=True)

    def _judge(self, old: str, new: str) -> UpdateVerdict:
        return self._loaded.result().verdict(old, new)


@dataclass(frozen=True)
class _Judge:
    """The model, and the layer (weights and constants) that turns its vector into a verdict."""

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


def _load_judge() -> _Judge:
    weights = read_arrays((files("graphmem.ai") / FILE).read_bytes())
    model = minilm.load({n: a for n, a in weights.items() if not n.startswith(HEAD)})
    return _Judge(model, weights[f"{HEAD}weights"], weights[f"{HEAD}constants"])
