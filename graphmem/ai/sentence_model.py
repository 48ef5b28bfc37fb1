"""Loads a sentence model from this machine and runs it; nothing here is concurrent.

The default model is run by `minilm`, all others by sentence-transformers, which is an extra."""

import copy
import logging
import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Final, Protocol

from graphmem.ai import minilm
from graphmem.ai.embedder import DEFAULT_MODEL
from graphmem.errors import Misconfigured, Unavailable

if TYPE_CHECKING:
    from sentence_transformers import SentenceTransformer  # pyright: ignore[reportMissingImports]

# The libraries read these when they are imported.
_BEFORE_IMPORT: Final = {
    "HF_HUB_OFFLINE": "1",
    "TRANSFORMERS_OFFLINE": "1",
    "TOKENIZERS_PARALLELISM": "false",
    # Waiting threads must sleep, not spin: with a busy database a spinning thread keeps the thread
    # it waits for off the processor, and a question takes 400 ms instead of 10.
    "OMP_WAIT_POLICY": "PASSIVE",
}


class SentenceModel(Protocol):
    """A loaded model; `count_tokens` is safe in any thread."""

    @property
    def dimension(self) -> int:
        """The numbers in a vector."""
        ...

    @property
    def threads(self) -> int:
        """The number of threads that may call `embed` at a time; batches help a model with 1."""
        ...

    def embed(self, texts: Sequence[str], *, question: bool) -> list[list[float]]:
        """Return a unit vector for each text; raise Unavailable if one isn't finite."""
        ...

    def count_tokens(self, text: str) -> int:
        """Count the tokens of a text, without the marks that the model puts around it."""
        ...


@dataclass(frozen=True, slots=True)
class AnyModel:
    """A model run by sentence-transformers; `embed` is for one thread at a time."""

    dimension: int
    transformer: "SentenceTransformer"
    count: Callable[[str], int]
    threads: int = 1

    def embed(self, texts: Sequence[str], *, question: bool) -> list[list[float]]:
        """Return a unit vector for each text; raise Unavailable if one isn't finite.

        The numbers equal those of `SentenceTransformer.encode` with normalised vectors, without
        its bookkeeping, which costs a quarter of the time of a short question."""
        import torch  # pyright: ignore[reportMissingImports]

        # A question gains nothing from a second thread; the database has better use for it.
        torch.set_num_threads(1 if question else os.cpu_count() or 1)
        prompt = _choose_prompt(self.transformer.prompts, question=question)
        with torch.inference_mode():
            features = self.transformer.preprocess([prompt + text for text in texts])
            vectors = self.transformer(features)["sentence_embedding"].float()
            vectors = torch.nn.functional.normalize(vectors, dim=1)
            if not bool(torch.isfinite(vectors).all()):
                raise Unavailable("The embedding model gave a vector that isn't finite.")
            return vectors.tolist()

    def count_tokens(self, text: str) -> int:
        """Count the tokens of a text, without the marks that the model puts around it."""
        return self.count(text)


def load(name: str) -> SentenceModel:
    """Load the model called `name` or kept in that folder; raise Misconfigured.

    The default model takes half a second, others some seconds, mostly for imports."""
    try:
        return minilm.load() if _is_default(name) else load_any(name)
    except Misconfigured:
        raise
    except Exception as exc:  # the libraries raise OSError, ValueError, KeyError, ImportError...
        raise Misconfigured(
            f"The embedding model {name} can't be loaded. Give {DEFAULT_MODEL}, a folder that"
            " sentence-transformers wrote, or a model that is in its local cache."
        ) from exc


def load_any(name: str) -> AnyModel:
    """Load a model by sentence-transformers.

    Raises Misconfigured if that isn't installed, and the library's errors."""
    if find_spec("sentence_transformers") is None:
        raise Misconfigured(
            f"The embedding model {name} needs: pip install 'graphmem[sentence-transformers]'"
        )
    if not is_folder(name) and Path(name).exists():  # the library would load it
        raise Misconfigured(
            f"The embedding model {name}: a file or folder of that name is in the folder where"
            " graphmem was started. Start it elsewhere, or give the whole path to use that one."
        )
    os.environ.update(_BEFORE_IMPORT)
    from sentence_transformers import SentenceTransformer  # pyright: ignore[reportMissingImports]

    _silence_libraries()
    transformer = SentenceTransformer(name, device="cpu", local_files_only=True)
    transformer.eval()
    dimension = transformer.get_embedding_dimension()
    if not dimension:
        raise Misconfigured(f"The embedding model {name} doesn't tell its dimension.")
    return AnyModel(dimension, transformer, _create_counter(transformer))


def is_folder(name: str) -> bool:
    """Check whether a name is the path of a folder.

    The name of a model is not a path, whatever lies in the folder where graphmem is started: a
    model may bring code."""
    return Path(name).is_absolute()


def _is_default(name: str) -> bool:
    """Check whether this is the model whose weights come as a package."""
    return name.removeprefix("sentence-transformers/") == DEFAULT_MODEL


def _silence_libraries() -> None:
    """Turn off progress bars and the libraries' remarks."""
    from transformers.utils import logging as transformers_logging  # pyright: ignore[reportMissingImports]

    transformers_logging.disable_progress_bar()
    transformers_logging.set_verbosity_error()
    logging.getLogger("sentence_transformers").setLevel(logging.WARNING)


def _create_counter(transformer: "SentenceTransformer") -> Callable[[str], int]:
    """Create a token counter with its own tokenizer: the model's settings change for each batch."""
    tokenizer = copy.deepcopy(transformer.tokenizer)
    fast = getattr(tokenizer, "backend_tokenizer", None)
    if fast is None:
        return lambda text: len(tokenizer.encode(text, add_special_tokens=False))
    fast.no_truncation()
    fast.no_padding()
    return lambda text: len(fast.encode(text, add_special_tokens=False).ids)


def _choose_prompt(prompts: Mapping[str, str | None], *, question: bool) -> str:
    """Return the prompt that the model needs before a text of this kind; most need none."""
    names = ("query",) if question else ("document", "passage")
    return next((prompt for name in names if (prompt := prompts.get(name))), "")


def encodable(text: str) -> str:
    """Replace lone surrogates, which no tokenizer takes: one text must not fail its batch."""
    return text if text.isascii() else text.encode("utf-8", "replace").decode("utf-8")
