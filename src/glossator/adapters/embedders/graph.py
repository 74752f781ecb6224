"""The network of the bundled model, written down as an ONNX graph of 8-bit integer multiplications.

A text goes through the graph alone. A multiplication takes the scale of its integers from all that
it is given, so in a batch the vector of a text would depend on its neighbours; and alone it needs
no padding. The time goes into the multiplications either way.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import onnx
from numpy.typing import NDArray
from onnx import TensorProto, helper, numpy_helper

from glossator.adapters.embedders.weights import DIMENSION, NAME, Tensors

Floats = NDArray[np.float32]
Integers = NDArray[np.int8]

_HEADS = 12
_EPSILON = 1e-12
_MICROSOFT = "com.microsoft"

# In every text these few columns hold values up to ten times as large as all others. Among the
# integers they would leave the rest a handful of steps (cosine to the 32-bit model 0.96 at worst),
# so they are multiplied as they are (0.996).
_LOUD_CHANNELS = (63, 99, 157, 223)
# One row a layer.
LOUD_UNITS = ((856,), (607,), (218, 1004), (358,), (), ())


def build_graph(tensors: Tensors, directions: Floats) -> bytes:
    """Input `pieces` [1, n]; outputs `sentence` [384], `states` [n, 128] and `wide_states` [n, 384].

    All are of length one. The states are those of the model in the given directions; what nobody asks
    for is not computed.
    """
    graph = Graph()
    state = embed(graph, tensors)
    for number, loud_units in enumerate(LOUD_UNITS):
        layer = Layer(tensors, f"encoder.layer.{number}.")
        state = attend(graph, layer, state)
        state = feed_forward(graph, layer, state, loud_units)
    mean = graph.add("ReduceMean", [state, graph.constant(np.array([0]))], keepdims=0)
    graph.add("LpNormalization", [mean], output="sentence", axis=-1, p=2)
    narrow = graph.add("MatMul", [state, graph.constant(directions)])
    graph.add("LpNormalization", [narrow], output="states", axis=-1, p=2)
    graph.add("LpNormalization", [state], output="wide_states", axis=-1, p=2)
    pieces = helper.make_tensor_value_info("pieces", TensorProto.INT32, [1, "n"])
    outputs = [
        helper.make_tensor_value_info("sentence", TensorProto.FLOAT, [DIMENSION]),
        helper.make_tensor_value_info("states", TensorProto.FLOAT, ["n", directions.shape[1]]),
        helper.make_tensor_value_info("wide_states", TensorProto.FLOAT, ["n", DIMENSION]),
    ]
    return graph.serialize(NAME, [pieces], outputs)


@dataclass(frozen=True, slots=True)
class Layer:
    tensors: Tensors
    prefix: str

    def weight(self, name: str) -> Floats:
        return self.tensors[f"{self.prefix}{name}.weight"]

    def bias(self, name: str) -> Floats:
        return self.tensors[f"{self.prefix}{name}.bias"]


@dataclass(slots=True)
class Graph:
    nodes: list[onnx.NodeProto] = field(default_factory=list[onnx.NodeProto])
    constants: list[onnx.TensorProto] = field(default_factory=list[onnx.TensorProto])

    def constant(self, values: NDArray[Any]) -> str:
        name = f"constant_{len(self.constants)}"
        self.constants.append(numpy_helper.from_array(np.ascontiguousarray(values), name))
        return name

    def add(self, operator: str, inputs: Sequence[str], *, output: str = "", **attributes: Any) -> str:
        name = output or f"{operator}_{len(self.nodes)}"
        self.nodes.append(helper.make_node(operator, inputs, [name], **attributes))
        return name

    def serialize(
        self, name: str, inputs: Sequence[onnx.ValueInfoProto], outputs: Sequence[onnx.ValueInfoProto]
    ) -> bytes:
        graph = helper.make_graph(self.nodes, name, inputs, outputs, self.constants)
        domains = [helper.make_opsetid("", 20), helper.make_opsetid(_MICROSOFT, 1)]
        return helper.make_model(graph, opset_imports=domains, ir_version=9).SerializeToString()


def embed(graph: Graph, tensors: Tensors) -> str:
    layer = Layer(tensors, "embeddings.")
    words = graph.add("Gather", [graph.constant(layer.weight("word_embeddings")), "pieces"])
    # A text alone is all of segment 0, so that one row can stand in the table of the positions.
    places = layer.weight("position_embeddings") + layer.weight("token_type_embeddings")[0]
    length = graph.add("Shape", ["pieces"], start=1)
    positions = graph.add("Slice", [graph.constant(places), graph.constant(np.array([0])), length])
    return _add_and_normalize(graph, layer, "LayerNorm", [_flatten(graph, words), positions])


def _flatten(graph: Graph, state: str) -> str:
    return graph.add("Reshape", [state, graph.constant(np.array([-1, DIMENSION]))])


def attend(graph: Graph, layer: Layer, state: str) -> str:
    parted = _part(graph, state, _LOUD_CHANNELS, DIMENSION)
    single = graph.constant(np.array([1, -1, DIMENSION]))
    heads: list[str] = []
    for part in ("query", "key", "value"):
        turned = _multiply(graph, parted, layer, f"attention.self.{part}")
        heads.append(graph.add("Reshape", [turned, single]))
    seen = graph.add("MultiHeadAttention", heads, domain=_MICROSOFT, num_heads=_HEADS)
    quiet = _part(graph, _flatten(graph, seen), (), DIMENSION)
    turned = _multiply(graph, quiet, layer, "attention.output.dense")
    return _add_and_normalize(graph, layer, "attention.output.LayerNorm", [turned, state])


def feed_forward(graph: Graph, layer: Layer, state: str, loud_units: Sequence[int]) -> str:
    wide = _multiply(graph, _part(graph, state, _LOUD_CHANNELS, DIMENSION), layer, "intermediate.dense")
    active = graph.add("Gelu", [wide])
    width = len(layer.bias("intermediate.dense"))
    narrow = _multiply(graph, _part(graph, active, loud_units, width), layer, "output.dense")
    return _add_and_normalize(graph, layer, "output.LayerNorm", [narrow, state])


def _add_and_normalize(graph: Graph, layer: Layer, name: str, summands: Sequence[str]) -> str:
    # Not SkipLayerNormalization, which does both at once in twice the time.
    total = graph.add("Add", summands)
    inputs = [total, graph.constant(layer.weight(name)), graph.constant(layer.bias(name))]
    return graph.add("LayerNormalization", inputs, axis=-1, epsilon=_EPSILON)


@dataclass(frozen=True, slots=True)
class _Parted:
    """A state in two parts: with its loud columns silenced, and those columns alone."""

    quiet: str
    loud: str
    columns: tuple[int, ...]


def _part(graph: Graph, state: str, columns: Sequence[int], width: int) -> _Parted:
    if not columns:
        return _Parted(state, "", ())
    silence = np.ones(width, np.float32)
    silence[list(columns)] = 0
    quiet = graph.add("Mul", [state, graph.constant(silence)])
    loud = graph.add("Gather", [state, graph.constant(np.array(columns))], axis=-1)
    return _Parted(quiet, loud, tuple(columns))


def _multiply(graph: Graph, state: _Parted, layer: Layer, name: str) -> str:
    weight = layer.weight(name).T.copy()
    loud_weight = weight[list(state.columns)]
    weight[list(state.columns)] = 0
    integers, scales = quantize(weight)
    constants = (integers, scales, np.zeros(len(scales), np.int8), layer.bias(name))
    inputs = [state.quiet, *map(graph.constant, constants)]
    product = graph.add("DynamicQuantizeMatMul", inputs, domain=_MICROSOFT)
    if not state.columns:
        return product
    return graph.add("Gemm", [state.loud, graph.constant(loud_weight), product])


def quantize(weight: Floats) -> tuple[Integers, Floats]:
    """Each column as integers and their scale.

    Processors without VNNI add the products of two neighbouring rows in 16 bits. The scale leaves
    room for that sum, so that every processor computes the same numbers.
    """
    largest = np.abs(weight).max(axis=0) / 127
    upward = np.maximum(weight, 0)
    downward = np.maximum(-weight, 0)
    pairs = np.maximum(upward[0::2] + upward[1::2], downward[0::2] + downward[1::2])
    # Rounding can add half a step to each of the two, and 2**15 holds 255 * 128.
    scales = np.maximum(largest, pairs.max(axis=0) / 127).astype(np.float32)
    return np.rint(weight / scales).astype(np.int8), scales
