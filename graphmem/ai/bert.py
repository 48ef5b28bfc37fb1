"""A BERT encoder that gives texts unit vectors: the default model, without padding.

The texts of a batch lie one after the other in one matrix, so a short text costs nothing beside a
long one. Where the processor multiplies bfloat16 (AMX or AVX512-BF16) the layers work in it: half
of the weights to read, half of the time of a batch, and vectors with a cosine of 0.9999 to those of
full precision.

A product of matrices is rounded in an order that depends on their sizes, so the matrix goes through
the layers in blocks of one size, or of two that are rounded alike: to the last bit the vector of a
text is the same whatever else is in its batch, and nobody's scores tell what others are asking.
"""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, Literal

from graphmem.errors import Unavailable

if TYPE_CHECKING:
    from tokenizers import Tokenizer
    from torch import Tensor, dtype

Precision = Literal["auto", "full"]

_MODULES: Final = ("Transformer", "Pooling", "Normalize")
_ROWS: Final = 64  # tokens of a block: a question or a short note
_MANY_ROWS: Final = 128  # of a block that isn't the last one, where it is rounded alike
_PARTS: Final = (
    "attention.output.dense",
    "attention.output.LayerNorm",
    "intermediate.dense",
    "output.dense",
    "output.LayerNorm",
)


def can_load(folder: Path) -> bool:
    """Whether the folder holds a BERT whose vector is the normalised mean over its tokens."""
    wanted = ("config.json", "tokenizer.json", "model.safetensors", "1_Pooling/config.json")
    if not all((folder / name).is_file() for name in ("modules.json", *wanted)):
        return False
    modules = [module["type"].rpartition(".")[2] for module in _read(folder / "modules.json")]
    config, pooling = _read(folder / "config.json"), _read(folder / "1_Pooling" / "config.json")
    modes = {key for key, on in pooling.items() if key.startswith("pooling_mode") and on is True}
    return (
        tuple(modules) == _MODULES
        and modes == {"pooling_mode_mean_tokens"}
        and config["model_type"] == "bert"
        and config["hidden_act"] == "gelu"
        and config.get("position_embedding_type", "absolute") == "absolute"
        and not _prompts(folder)
    )


def load(folder: Path, precision: Precision = "auto") -> "Bert":
    """Load the encoder that `can_load` found; raise OSError, ValueError or KeyError."""
    import torch
    from safetensors.torch import load_file
    from tokenizers import Tokenizer

    config = _read(folder / "config.json")
    tokenizer = Tokenizer.from_file(str(folder / "tokenizer.json"))
    tokenizer.no_padding()
    tokenizer.no_truncation()
    longest = _read(folder / "sentence_bert_config.json")["max_seq_length"]
    kind = torch.bfloat16 if precision == "auto" and _multiplies_bfloat16() else torch.float32
    weights = load_file(folder / "model.safetensors")
    layers = [_layer(weights, i, kind) for i in range(config["num_hidden_layers"])]
    return Bert(
        dimension=config["hidden_size"],
        tokenizer=tokenizer,
        longest=longest,
        heads=config["num_attention_heads"],
        epsilon=config["layer_norm_eps"],
        words=weights["embeddings.word_embeddings.weight"],
        places=weights["embeddings.position_embeddings.weight"]
        + weights["embeddings.token_type_embeddings.weight"][0],
        first=(weights["embeddings.LayerNorm.weight"], weights["embeddings.LayerNorm.bias"]),
        layers=layers,
        block=_MANY_ROWS if _rounds_alike(layers[0]) else _ROWS,
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class Bert:
    """A loaded encoder; `embed` for one thread at a time, `count_tokens` for any."""

    dimension: int
    tokenizer: "Tokenizer"
    longest: int  # tokens of a text that are read
    heads: int
    epsilon: float
    words: "Tensor"  # (vocabulary, dimension)
    places: "Tensor"  # (positions, dimension)
    first: tuple["Tensor", "Tensor"]
    layers: "list[list[Tensor]]"  # of each: weight and bias of the attention's input and of _PARTS
    block: int  # the most tokens of a block

    def embed(self, texts: Sequence[str], *, question: bool) -> list[list[float]]:
        """Give a unit vector for each text; raise Unavailable when one isn't finite."""
        import torch
        from torch.nn.functional import normalize

        del question  # encoded like any text
        torch.set_num_threads(1)  # with more a product is rounded otherwise, and hardly faster

        tokens = [self._tokens(text) for text in texts]
        with torch.inference_mode():
            states = self._states(tokens)
            means = torch.stack([part.float().mean(0) for part in states.split(_sizes(tokens))])
            vectors = normalize(means, dim=1)
            if not bool(torch.isfinite(vectors).all()):
                raise Unavailable("The embedding model gave a vector that isn't finite.")
            return vectors.tolist()

    def count_tokens(self, text: str) -> int:
        """Count the tokens of a text, without the marks that the model puts around it."""
        return len(self.tokenizer.encode(text, add_special_tokens=False).ids)

    def _tokens(self, text: str) -> list[int]:
        """The ids of a text with the marks around it, cut to what the model reads."""
        ids = self.tokenizer.encode(text).ids
        return ids if len(ids) <= self.longest else [*ids[: self.longest - 1], ids[-1]]

    def _states(self, tokens: Sequence[Sequence[int]]) -> "Tensor":
        """The last hidden state of every token: (all tokens, dimension)."""
        import torch
        from torch.nn.functional import gelu, layer_norm, linear, pad

        def product(x: "Tensor", weight: "Tensor", bias: "Tensor") -> "Tensor":
            whole = pad(x, (0, 0, 0, -len(x) % _ROWS))
            parts = [linear(block, weight, bias) for block in whole.split(self.block)]
            return torch.cat(parts)[: len(x)]

        shape, sizes = (self.dimension,), _sizes(tokens)
        ids = torch.tensor([token for text in tokens for token in text])
        places = torch.cat([self.places[:size] for size in sizes])
        x = layer_norm(self.words[ids] + places, shape, *self.first, self.epsilon)
        x = x.to(self.layers[0][0].dtype)
        for w, b, w_out, b_out, g_1, h_1, w_up, b_up, w_down, b_down, g_2, h_2 in self.layers:
            seen = product(self._attention(product(x, w, b), sizes), w_out, b_out)
            x = layer_norm(x + seen, shape, g_1, h_1, self.epsilon)
            inner = product(gelu(product(x, w_up, b_up)), w_down, b_down)
            x = layer_norm(x + inner, shape, g_2, h_2, self.epsilon)
        return x

    def _attention(self, x: "Tensor", sizes: list[int]) -> "Tensor":
        """Attention within each text; `x` holds queries, keys and values side by side."""
        import torch
        from torch.nn.functional import scaled_dot_product_attention

        wide = x.view(-1, 3, self.heads, self.dimension // self.heads).permute(1, 2, 0, 3)
        texts = zip(*(part.split(sizes, dim=1) for part in wide), strict=True)
        seen = [scaled_dot_product_attention(q[None], k[None], v[None])[0] for q, k, v in texts]
        return torch.cat(seen, dim=1).transpose(0, 1).reshape(-1, self.dimension)


def _layer(weights: "dict[str, Tensor]", number: int, kind: "dtype") -> "list[Tensor]":
    """The weights of one layer; the three inputs of its attention are one matrix."""
    import torch

    prefix = f"encoder.layer.{number}."
    parts: list[Tensor] = []
    for what in ("weight", "bias"):
        names = (f"{prefix}attention.self.{name}.{what}" for name in ("query", "key", "value"))
        parts.append(torch.cat([weights[name] for name in names]))
    parts += [weights[f"{prefix}{part}.{what}"] for part in _PARTS for what in ("weight", "bias")]
    return [part.to(kind) for part in parts]


def _rounds_alike(layer: "list[Tensor]") -> bool:
    """Whether a product of the bigger block has the same bits as products of the smaller one."""
    import torch
    from torch.nn.functional import linear

    torch.set_num_threads(1)  # as in `embed`
    random = torch.Generator().manual_seed(1)
    matrices = [(w, b) for w, b in zip(layer[::2], layer[1::2], strict=True) if w.dim() == 2]
    for weight, bias in matrices:
        x = torch.randn(_MANY_ROWS, weight.shape[1], generator=random).to(weight.dtype)
        parts = [linear(block, weight, bias) for block in x.split(_ROWS)]
        if not torch.equal(linear(x, weight, bias), torch.cat(parts)):
            return False
    return True


def _multiplies_bfloat16() -> bool:
    import torch

    able = torch.cpu.get_capabilities()
    return bool(able.get("amx_bf16") or able.get("avx512_bf16"))


def _sizes(tokens: Sequence[Sequence[int]]) -> list[int]:
    return [len(text) for text in tokens]


def _prompts(folder: Path) -> bool:
    """Whether the model wants words before a text."""
    file = folder / "config_sentence_transformers.json"
    return file.is_file() and any((_read(file).get("prompts") or {}).values())


def _read(file: Path) -> Any:
    return json.loads(file.read_text("utf-8"))
