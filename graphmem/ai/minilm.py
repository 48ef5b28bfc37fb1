"""The default model, all-MiniLM-L6-v2, run by onnxruntime.

The graph is next to this file and holds no weights (`scripts/build_encoder.py` writes it); they
come from the package graphmem-weights, in half precision. Each text is encoded by itself at its own
length, in one thread, so its vector is the same to the last bit whatever else is encoded at the
time, and scores reveal nothing about other users' queries. Several threads encode several texts at
a time with the same weights."""

import json
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from importlib.resources import files
from typing import TYPE_CHECKING, Any, Final

from graphmem.ai.arrays import read_arrays
from graphmem.ai.wordpieces import WordPieces
from graphmem.errors import Unavailable

if TYPE_CHECKING:
    import numpy as np
    from onnxruntime import InferenceSession

_THREADS: Final = 4  # at most; the other processors are for the database
_ERRORS: Final = 3  # onnxruntime's log level: no warnings
_NO_TELEMETRY: Final = "ORT_DISABLE_TELEMETRY"


@dataclass(frozen=True, slots=True, kw_only=True)
class MiniLM:
    """The loaded model; `embed` and `count_tokens` are safe in any number of threads."""

    dimension: int
    threads: int  # useful for `embed`
    longest: int  # tokens of a text that the model reads
    pieces: WordPieces
    session: "InferenceSession"

    def embed(self, texts: Sequence[str], *, question: bool) -> list[list[float]]:
        """Return a unit vector for each text; raise Unavailable if one isn't finite."""
        del question  # questions are encoded like any text
        return [self._vector(text) for text in texts]

    def count_tokens(self, text: str) -> int:
        """Count the tokens of a text, without the marks that the model puts around it."""
        return len(self.pieces.numbers(text))

    def vector_of_pair(self, one: str, other: str) -> "np.ndarray | None":
        """Return the unit vector of two texts read together, with a mark between them.

        None if they are too long for that. Raises Unavailable if it isn't finite."""
        ids = self.pieces.with_marks(one, other)
        return self._run(ids) if len(ids) <= self.longest else None

    def _vector(self, text: str) -> list[float]:
        return self._run(self.pieces.with_marks(text)).tolist()

    def _run(self, ids: list[int]) -> "np.ndarray":
        """Return the vector of tokens, cut to what the model reads."""
        import numpy as np

        if len(ids) > self.longest:
            ids = [*ids[: self.longest - 1], ids[-1]]
        vector = np.asarray(self.session.run(["vector"], {"ids": np.array(ids, np.int64)})[0])
        if not np.isfinite(vector).all():
            raise Unavailable("The embedding model gave a vector that isn't finite.")
        return vector


def threads() -> int:
    """Return how many texts are worth encoding at a time here."""
    return min(_THREADS, os.cpu_count() or 1)


def load(adapter: "Mapping[str, np.ndarray] | None" = None) -> MiniLM:
    """Load the model from its package, in about half a second.

    `adapter` changes its weights: to a matrix called `x.weight` the product of `x.b` and `x.a`
    is added. Raises the libraries' errors if a part is missing or wrong."""
    from graphmem_weights import MODEL

    vocabulary = (MODEL / "vocab.txt").read_text(encoding="utf-8").splitlines()
    weights = read_arrays((MODEL / "model.safetensors").read_bytes())
    session = open_session(_adapted(weights, adapter or {}))
    return MiniLM(
        dimension=session.get_outputs()[0].shape[0],
        threads=threads(),
        longest=json.loads((MODEL / "sentence_bert_config.json").read_text())["max_seq_length"],
        pieces=WordPieces({piece: number for number, piece in enumerate(vocabulary)}),
        session=session,
    )


def open_session(weights: "Mapping[str, np.ndarray]") -> "InferenceSession":
    """Open a session of the graph with its weights, which are kept as onnxruntime takes them.

    Raises onnxruntime's errors if one of them is missing or has another shape."""
    # Set before onnxruntime is imported, which otherwise writes an identifier of this machine into
    # the home folder and sends reports to its maker.
    os.environ[_NO_TELEMETRY] = "1"
    from onnxruntime import InferenceSession, OrtValue

    options = _create_options()
    given = [OrtValue.ortvalue_from_numpy(array) for array in weights.values()]
    options.add_external_initializers(list(weights), given)
    graph = (files("graphmem.ai") / "minilm.onnx").read_bytes()
    return InferenceSession(graph, options, providers=["CPUExecutionProvider"])


def _create_options() -> Any:
    import onnxruntime

    options: Any = onnxruntime.SessionOptions()  # pyright: ignore[reportAttributeAccessIssue]
    options.log_severity_level = _ERRORS
    # A question hardly gains from a second thread, and the database has better use for it.
    options.intra_op_num_threads = 1
    options.inter_op_num_threads = 1
    options.add_session_config_entry("session.intra_op.allow_spinning", "0")
    return options


def _adapted(
    weights: "Mapping[str, np.ndarray]", adapter: "Mapping[str, np.ndarray]"
) -> "dict[str, np.ndarray]":
    """Return the weights with what an adapter adds to them."""
    parts = [name.removesuffix(".a") for name in adapter if name.endswith(".a")]
    changed = {
        f"{part}.weight": weights[f"{part}.weight"] + adapter[f"{part}.b"] @ adapter[f"{part}.a"]
        for part in parts
    }
    return {**weights, **changed}
