"""Write graphmem/ai/minilm.onnx anew: how the default model makes a vector of tokens.

Run it after a change below: `python scripts/build_encoder.py`. The file has no weights: those are
in the package graphmem-weights, under the same names, and are put in when the graph is loaded.
The model, all-MiniLM-L6-v2, is a BERT (Devlin et al. 2019) of six layers, whose vector is the mean
over its tokens at length one (Reimers and Gurevych 2019). One text at a time, so there is neither
padding nor a mask.
"""

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from graphmem_weights import MODEL
from onnx import ModelProto, NodeProto, TensorProto, helper

TARGET = Path(__file__).parents[1] / "graphmem" / "ai" / "minilm.onnx"
OPSET = 17  # of ONNX: the first with LayerNormalization
IR_VERSION = 8


class Graph:
    """The nodes of the graph, their constants and the weights they name."""

    def __init__(self, config: dict[str, Any]) -> None:
        """Begin a graph for a model of these sizes."""
        self.width: int = config["hidden_size"]
        self.heads: int = config["num_attention_heads"]
        self.epsilon: float = config["layer_norm_eps"]
        self.nodes: list[NodeProto] = []
        self.tensors: list[TensorProto] = []

    def add(self, operation: str, *inputs: str, out: str = "", **attributes: Any) -> str:
        """Append a node; the name of its output."""
        out = out or f"{operation.lower()}_{len(self.nodes)}"
        self.nodes.append(helper.make_node(operation, inputs, [out], **attributes))
        return out

    def numbers(self, name: str, *values: int) -> str:
        """Append a constant list of whole numbers; its name."""
        shape = [len(values)]
        self.tensors.append(helper.make_tensor(name, TensorProto.INT64, shape, values))
        return name

    def scalar(self, name: str, value: float) -> str:
        """Append a constant; its name."""
        self.tensors.append(helper.make_tensor(name, TensorProto.FLOAT, [], [value]))
        return name

    def weight(self, name: str, *shape: int) -> str:
        """Name a weight, whose numbers come when the graph is loaded."""
        tensor = TensorProto(name=name, data_type=TensorProto.FLOAT, dims=shape)
        tensor.data_location = TensorProto.EXTERNAL
        tensor.external_data.add(key="location", value="model.safetensors")
        self.tensors.append(tensor)
        return name

    def dense(self, x: str, name: str, inputs: int, outputs: int) -> str:
        """x Wᵀ + b."""
        weight = self.weight(f"{name}.weight", outputs, inputs)
        return self.add("Gemm", x, weight, self.weight(f"{name}.bias", outputs), transB=1)

    def norm(self, x: str, name: str) -> str:
        """Layer normalisation."""
        parts = [self.weight(f"{name}.{what}", self.width) for what in ("weight", "bias")]
        return self.add("LayerNormalization", x, *parts, axis=-1, epsilon=self.epsilon)

    def split(self, x: str, order: Sequence[int]) -> str:
        """Cut the rows into heads: (tokens, heads, width of a head), in another order."""
        return self.add("Transpose", self.add("Reshape", x, "by_head"), perm=order)

    def attention(self, x: str, name: str) -> str:
        """Every token looks at every other: softmax(q kᵀ / √d) v for each head."""
        names = (f"{name}.self.{part}" for part in ("query", "key", "value"))
        q, k, v = (self.dense(x, part, self.width, self.width) for part in names)
        q = self.add("Mul", self.split(q, (1, 0, 2)), "scale")
        scores = self.add("MatMul", q, self.split(k, (1, 2, 0)))
        seen = self.add("MatMul", self.add("Softmax", scores, axis=-1), self.split(v, (1, 0, 2)))
        whole = self.add("Reshape", self.add("Transpose", seen, perm=(1, 0, 2)), "whole")
        return self.dense(whole, f"{name}.output.dense", self.width, self.width)

    def gelu(self, x: str) -> str:
        """x (1 + erf(x / √2)) / 2, in the form that onnxruntime runs as one step."""
        grown = self.add("Add", self.add("Erf", self.add("Div", x, "root_of_two")), "one")
        return self.add("Mul", self.add("Mul", x, grown), "half")

    def embeddings(self, config: dict[str, Any]) -> str:
        """What a token is, where it stands, and that it belongs to the first kind of text."""
        name = "embeddings"
        size, places = config["vocab_size"], config["max_position_embeddings"]
        words = self.weight(f"{name}.word_embeddings.weight", size, self.width)
        place = self.weight(f"{name}.position_embeddings.weight", places, self.width)
        kind = self.weight(
            f"{name}.token_type_embeddings.weight", config["type_vocab_size"], self.width
        )
        where = self.add("Slice", place, "at_0", self.add("Shape", "ids"), "at_0")
        what = self.add("Add", self.add("Gather", words, "ids"), where)
        first = self.add("Slice", kind, "at_0", "at_1", "at_0")
        return self.norm(self.add("Add", what, first), f"{name}.LayerNorm")


def build(config: dict[str, Any]) -> ModelProto:
    """The graph from `ids` (tokens) to `vector` (width), for a config.json of a BERT."""
    graph = Graph(config)
    width, inner = graph.width, config["intermediate_size"]
    head = width // graph.heads
    graph.numbers("at_0", 0)
    graph.numbers("at_1", 1)
    graph.numbers("by_head", 0, graph.heads, head)  # 0: as many as there are
    graph.numbers("whole", 0, width)
    graph.scalar("scale", head**-0.5)
    graph.scalar("root_of_two", 2**0.5)
    graph.scalar("one", 1.0)
    graph.scalar("half", 0.5)
    x = graph.embeddings(config)
    for number in range(config["num_hidden_layers"]):
        name = f"encoder.layer.{number}"
        seen = graph.add("Add", graph.attention(x, f"{name}.attention"), x)
        x = graph.norm(seen, f"{name}.attention.output.LayerNorm")
        wide = graph.gelu(graph.dense(x, f"{name}.intermediate.dense", width, inner))
        told = graph.add("Add", graph.dense(wide, f"{name}.output.dense", inner, width), x)
        x = graph.norm(told, f"{name}.output.LayerNorm")
    mean = graph.add("ReduceMean", x, axes=[0], keepdims=0)
    graph.add("LpNormalization", mean, out="vector", axis=-1, p=2)
    ids = helper.make_tensor_value_info("ids", TensorProto.INT64, ["tokens"])
    vector = helper.make_tensor_value_info("vector", TensorProto.FLOAT, [width])
    made = helper.make_graph(graph.nodes, "all-MiniLM-L6-v2", [ids], [vector], graph.tensors)
    opsets = [helper.make_opsetid("", OPSET)]
    model = helper.make_model(made, opset_imports=opsets, producer_name="graphmem")
    model.ir_version = IR_VERSION
    return model


def encoded() -> bytes:
    """The file for the installed weights; the same bytes each time."""
    config = json.loads((MODEL / "config.json").read_text("utf-8"))
    return build(config).SerializeToString(deterministic=True)


if __name__ == "__main__":
    TARGET.write_bytes(encoded())
    print(f"{TARGET.name}: {TARGET.stat().st_size} bytes")
