"""The reader's network as an ONNX graph: MiniLM over question and passage together, with heads of its own.

The lowest layers are the embedder's, frozen; the layers above them and the heads were trained (`training/`).
"""

from __future__ import annotations

from typing import Any

import numpy as np
from onnx import TensorProto, helper

from glossator.adapters.embedders.graph import LOUD_UNITS, Graph, Layer, attend, embed, feed_forward
from glossator.adapters.embedders.weights import Tensors

NAME = "glossator-reader"

_FROZEN_LAYERS = 2
_LAST_MARK = 999
"""Word pieces up to this number are marks of the tokenizer, not words."""
_NEVER = -1e4
_FAR = np.array([1])


def build_reader(tensors: Tensors) -> bytes:
    """Inputs `pieces` [1, n] and `told` [n] (1 for the passage's pieces, 0 for the question's).

    Outputs, as logits: `whole` [4] (answers; supported, contradicted, not told) and `of_pieces` [n, 2]
    (belongs to the answer; is the fact asked for).
    """
    graph = Graph()
    state = embed(graph, tensors)
    for number, loud_units in enumerate(LOUD_UNITS):
        if number == _FROZEN_LAYERS:
            state = _side_by_side(graph, tensors, state)
        layer = Layer(tensors, f"encoder.layer.{number}.")
        state = attend(graph, layer, state)
        state = feed_forward(graph, layer, state, loud_units)
    heads = Layer(tensors, "reader.")
    pieces = _linear(graph, heads, "token_heads", state, output="of_pieces")
    pooled = graph.add("Gelu", [_linear(graph, heads, "pool", _pooled(graph, state, pieces))])
    whole = _linear(graph, heads, "whole_heads", pooled)
    graph.add("Reshape", [whole, graph.constant(np.array([-1]))], output="whole")
    return graph.serialize(
        NAME,
        [
            helper.make_tensor_value_info("pieces", TensorProto.INT32, [1, "n"]),
            helper.make_tensor_value_info("told", TensorProto.FLOAT, ["n"]),
        ],
        [
            helper.make_tensor_value_info("whole", TensorProto.FLOAT, [4]),
            helper.make_tensor_value_info("of_pieces", TensorProto.FLOAT, ["n", 2]),
        ],
    )


def _side_by_side(graph: Graph, tensors: Tensors, state: str) -> str:
    """Tells question and passage apart, and each piece how well the other side matches it."""
    heads = Layer(tensors, "reader.")
    told = graph.add("Unsqueeze", ["told", graph.constant(_FAR)])
    asked = graph.add("Sub", [_number(graph, 1.0), told])
    sides = heads.weight("sides")
    side = graph.add(
        "Add",
        [
            graph.add("Mul", [asked, graph.constant(sides[0:1])]),
            graph.add("Mul", [told, graph.constant(sides[1:2])]),
        ],
    )
    matches = _linear(graph, heads, "matches", _matches(graph, state, told))
    return graph.add("Add", [graph.add("Add", [state, side]), matches])


def _matches(graph: Graph, state: str, told: str) -> str:
    """[n, 2]: the best cosine on the other side, and whether the same piece stands there."""
    column = graph.add("Reshape", ["pieces", graph.constant(np.array([-1, 1]))])
    words = graph.add("Greater", ["pieces", graph.constant(np.array(_LAST_MARK, np.int32))])
    turned = graph.add("Transpose", [told])
    apart = graph.add("Abs", [graph.add("Sub", [told, turned])])
    across = graph.add("Mul", [apart, graph.add("Cast", [words], to=TensorProto.FLOAT)])
    centred = graph.add(
        "Sub", [state, graph.add("ReduceMean", [state, graph.constant(np.array([0]))], keepdims=1)]
    )
    unit = graph.add("LpNormalization", [centred], axis=-1, p=2)
    cosines = graph.add("MatMul", [unit, graph.add("Transpose", [unit])])
    same = graph.add("Cast", [graph.add("Equal", [column, "pieces"])], to=TensorProto.FLOAT)
    best = [
        graph.add("ReduceMax", [graph.add("Mul", [found, across]), graph.constant(_FAR)], keepdims=1)
        for found in (cosines, same)
    ]
    return graph.add("Concat", best, axis=1)


def _pooled(graph: Graph, state: str, pieces: str) -> str:
    """[1, 3 x 384]: the first mark, the question, and the passage as far as it belongs to the answer."""
    column = graph.add("Gather", [pieces, graph.constant(np.array([0]))], axis=1)
    belongs = graph.add("Reshape", [column, graph.constant(np.array([-1]))])
    asked = graph.add("Sub", [_number(graph, 1.0), "told"])
    hidden = graph.add("Mul", [asked, _number(graph, _NEVER)])
    weights = graph.add("Softmax", [graph.add("Add", [graph.add("Mul", [belongs, "told"]), hidden])], axis=0)
    share = graph.add("Div", [asked, graph.add("ReduceSum", [asked], keepdims=1)])
    first = graph.add("Gather", [state, graph.constant(np.array([0]))], axis=0)
    means = [
        graph.add("MatMul", [graph.add("Unsqueeze", [row, graph.constant(np.array([0]))]), state])
        for row in (share, weights)
    ]
    return graph.add("Concat", [first, *means], axis=1)


def _linear(graph: Graph, layer: Layer, name: str, state: str, **output: Any) -> str:
    inputs = [state, graph.constant(layer.weight(name).T.copy()), graph.constant(layer.bias(name))]
    return graph.add("Gemm", inputs, **output)


def _number(graph: Graph, value: float) -> str:
    return graph.constant(np.array(value, np.float32))
