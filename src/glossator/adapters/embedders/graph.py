"""Builds the network of the bundled model as an ONNX graph of 8-bit integer multiplications.

The graph takes one text at a time. A multiplication derives the scale of its integers from its whole
input, so in a batch the vector of a text would depend on its neighbours. A single text also needs no
padding, and a batch would save nothing: the time goes into the multiplications either way.
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

# In every text these few columns hold values up to ten times as large as all others. Quantized with
# them, the others would get only a handful of steps (cosine to the 32-bit model 0.96 at worst), so
# the outliers are multiplied as floats (0.996).
_OUTLIER_CHANNELS = (63, 99, 157, 223)
# One tuple per layer.
OUTLIER_UNITS = ((856,), (607,), (218, 1004), (358,), (), ())


def build_graph(tensors: Tensors, directions: Floats) -> bytes:
    """Inputs as `text_inputs`; outputs `sentence` [384], `states` [n, 128] and `wide_states` [n, 384].

    All outputs are of length one. `states` are the model's states projected to the given directions. Outputs
    that a caller does not request are not computed.
    """
    graph = Graph()
    state = embed(graph, tensors)
    for number, outlier_units in enumerate(OUTLIER_UNITS):
        layer = Layer(tensors, f"encoder.layer.{number}.")
        state = attend(graph, layer, state)
        state = feed_forward(graph, layer, state, outlier_units)
    mean = graph.add("ReduceMean", [state, graph.constant(np.array([0]))], keepdims=0)
    graph.add("LpNormalization", [mean], output="sentence", axis=-1, p=2)
    narrow = graph.add("MatMul", [state, graph.constant(directions)])
    graph.add("LpNormalization", [narrow], output="states", axis=-1, p=2)
    graph.add("LpNormalization", [state], output="wide_states", axis=-1, p=2)
    outputs = [
        helper.make_tensor_value_info("sentence", TensorProto.FLOAT, [DIMENSION]),
        helper.make_tensor_value_info("states", TensorProto.FLOAT, ["n", directions.shape[1]]),
        helper.make_tensor_value_info("wide_states", TensorProto.FLOAT, ["n", DIMENSION]),
    ]
    return graph.serialize(NAME, text_inputs(), outputs)


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


def text_inputs() -> list[onnx.ValueInfoProto]:
    """The word table, which the models share, and the text's word pieces."""
    return [
        helper.make_tensor_value_info("words", TensorProto.FLOAT, ["vocabulary", DIMENSION]),
        helper.make_tensor_value_info("pieces", TensorProto.INT32, [1, "n"]),
    ]


def embed(graph: Graph, tensors: Tensors) -> str:
    layer = Layer(tensors, "embeddings.")
    words = graph.add("Gather", ["words", "pieces"])
    # A single text is all of segment 0, so the segment's row can be added to the positions in advance.
    position_rows = layer.weight("position_embeddings") + layer.weight("token_type_embeddings")[0]
    length = graph.add("Shape", ["pieces"], start=1)
    positions = graph.add("Slice", [graph.constant(position_rows), graph.constant(np.array([0])), length])
    return _add_and_normalize(graph, layer, "LayerNorm", [_flatten(graph, words), positions])


def _flatten(graph: Graph, state: str) -> str:
    return graph.add("Reshape", [state, graph.constant(np.array([-1, DIMENSION]))])


def attend(graph: Graph, layer: Layer, state: str) -> str:
    split = _split_outliers(graph, state, _OUTLIER_CHANNELS, DIMENSION)
    batch_of_one = graph.constant(np.array([1, -1, DIMENSION]))
    inputs: list[str] = []
    for name in ("query", "key", "value"):
        projected = _multiply(graph, split, layer, f"attention.self.{name}")
        inputs.append(graph.add("Reshape", [projected, batch_of_one]))
    attention = graph.add("MultiHeadAttention", inputs, domain=_MICROSOFT, num_heads=_HEADS)
    without_outliers = _split_outliers(graph, _flatten(graph, attention), (), DIMENSION)
    output = _multiply(graph, without_outliers, layer, "attention.output.dense")
    return _add_and_normalize(graph, layer, "attention.output.LayerNorm", [output, state])


def feed_forward(graph: Graph, layer: Layer, state: str, outlier_units: Sequence[int]) -> str:
    split = _split_outliers(graph, state, _OUTLIER_CHANNELS, DIMENSION)
    wide = _multiply(graph, split, layer, "intermediate.dense")
    active = graph.add("Gelu", [wide])
    width = len(layer.bias("intermediate.dense"))
    split = _split_outliers(graph, active, outlier_units, width)
    narrow = _multiply(graph, split, layer, "output.dense")
    return _add_and_normalize(graph, layer, "output.LayerNorm", [narrow, state])


def _add_and_normalize(graph: Graph, layer: Layer, name: str, summands: Sequence[str]) -> str:
    # SkipLayerNormalization does both at once, but takes twice the time.
    total = graph.add("Add", summands)
    inputs = [total, graph.constant(layer.weight(name)), graph.constant(layer.bias(name))]
    return graph.add("LayerNormalization", inputs, axis=-1, epsilon=_EPSILON)


@dataclass(frozen=True, slots=True)
class _SplitState:
    """A state in two parts: with its outlier columns set to zero, and those columns alone."""

    regular: str
    outliers: str
    columns: tuple[int, ...]


def _split_outliers(graph: Graph, state: str, columns: Sequence[int], width: int) -> _SplitState:
    if not columns:
        return _SplitState(state, "", ())
    mask = np.ones(width, np.float32)
    mask[list(columns)] = 0
    regular = graph.add("Mul", [state, graph.constant(mask)])
    outliers = graph.add("Gather", [state, graph.constant(np.array(columns))], axis=-1)
    return _SplitState(regular, outliers, tuple(columns))


def _multiply(graph: Graph, state: _SplitState, layer: Layer, name: str) -> str:
    weight = layer.weight(name).T.copy()
    outlier_weight = weight[list(state.columns)]
    weight[list(state.columns)] = 0
    integers, scales = quantize(weight)
    constants = (integers, scales, np.zeros(len(scales), np.int8), layer.bias(name))
    inputs = [state.regular, *map(graph.constant, constants)]
    product = graph.add("DynamicQuantizeMatMul", inputs, domain=_MICROSOFT)
    if not state.columns:
        return product
    return graph.add("Gemm", [state.outliers, graph.constant(outlier_weight), product])


def quantize(weight: Floats) -> tuple[Integers, Floats]:
    """Each column as integers, with the scale of each.

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
