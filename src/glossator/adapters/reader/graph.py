"""Builds the reader's network as an ONNX graph: a MiniLM cross-encoder over question and passage.

The lowest layers are the embedder's, frozen; the layers above them and the heads are trained (`training/`).
"""

from __future__ import annotations

from typing import Any

import numpy as np
from onnx import TensorProto, helper

from glossator.adapters.embedders.graph import (
    OUTLIER_UNITS,
    Graph,
    Layer,
    attend,
    embed,
    feed_forward,
    text_inputs,
)
from glossator.adapters.embedders.weights import Tensors

NAME = "glossator-reader"

_FROZEN_LAYERS = 2
_LAST_SPECIAL_ID = 999
"""Word pieces up to this id are special tokens, not words."""
_MASKED_LOGIT = -1e4
_LAST_AXIS = np.array([1])


def build_reader(tensors: Tensors) -> bytes:
    """Inputs as `text_inputs`, and `told` [n] (1 for the passage's pieces, 0 for the question's).

    Outputs, as logits: `whole` [4] (answers; supported, contradicted, not told) and `of_pieces` [n, 2]
    (belongs to the answer; is the fact asked for).
    """
    graph = Graph()
    state = embed(graph, tensors)
    for number, outlier_units in enumerate(OUTLIER_UNITS):
        if number == _FROZEN_LAYERS:
            state = _add_sides_and_matches(graph, tensors, state)
        layer = Layer(tensors, f"encoder.layer.{number}.")
        state = attend(graph, layer, state)
        state = feed_forward(graph, layer, state, outlier_units)
    heads = Layer(tensors, "reader.")
    pieces = _linear(graph, heads, "token_heads", state, output="of_pieces")
    pooled = graph.add("Gelu", [_linear(graph, heads, "pool", _pooled(graph, state, pieces))])
    whole = _linear(graph, heads, "whole_heads", pooled)
    graph.add("Reshape", [whole, graph.constant(np.array([-1]))], output="whole")
    return graph.serialize(
        NAME,
        [
            *text_inputs(),
            helper.make_tensor_value_info("told", TensorProto.FLOAT, ["n"]),
        ],
        [
            helper.make_tensor_value_info("whole", TensorProto.FLOAT, [4]),
            helper.make_tensor_value_info("of_pieces", TensorProto.FLOAT, ["n", 2]),
        ],
    )


def _add_sides_and_matches(graph: Graph, tensors: Tensors, state: str) -> str:
    """Adds to each piece which side it is on, question or passage, and how well the other side matches it."""
    heads = Layer(tensors, "reader.")
    is_passage = graph.add("Unsqueeze", ["told", graph.constant(_LAST_AXIS)])
    is_question = graph.add("Sub", [_number(graph, 1.0), is_passage])
    sides = heads.weight("sides")
    side = graph.add(
        "Add",
        [
            graph.add("Mul", [is_question, graph.constant(sides[0:1])]),
            graph.add("Mul", [is_passage, graph.constant(sides[1:2])]),
        ],
    )
    matches = _linear(graph, heads, "matches", _matches(graph, state, is_passage))
    return graph.add("Add", [graph.add("Add", [state, side]), matches])


def _matches(graph: Graph, state: str, is_passage: str) -> str:
    """[n, 2]: the best cosine on the other side, and whether the same word piece is there."""
    column = graph.add("Reshape", ["pieces", graph.constant(np.array([-1, 1]))])
    is_word = graph.add("Greater", ["pieces", graph.constant(np.array(_LAST_SPECIAL_ID, np.int32))])
    transposed = graph.add("Transpose", [is_passage])
    is_other_side = graph.add("Abs", [graph.add("Sub", [is_passage, transposed])])
    mask = graph.add("Mul", [is_other_side, graph.add("Cast", [is_word], to=TensorProto.FLOAT)])
    centred = graph.add(
        "Sub", [state, graph.add("ReduceMean", [state, graph.constant(np.array([0]))], keepdims=1)]
    )
    unit = graph.add("LpNormalization", [centred], axis=-1, p=2)
    cosines = graph.add("MatMul", [unit, graph.add("Transpose", [unit])])
    same = graph.add("Cast", [graph.add("Equal", [column, "pieces"])], to=TensorProto.FLOAT)
    best = [
        graph.add("ReduceMax", [graph.add("Mul", [scores, mask]), graph.constant(_LAST_AXIS)], keepdims=1)
        for scores in (cosines, same)
    ]
    return graph.add("Concat", best, axis=1)


def _pooled(graph: Graph, state: str, pieces: str) -> str:
    """[1, 3 x 384]: the first piece, the mean of the question, and the passage weighted by relevance."""
    column = graph.add("Gather", [pieces, graph.constant(np.array([0]))], axis=1)
    belongs = graph.add("Reshape", [column, graph.constant(np.array([-1]))])
    is_question = graph.add("Sub", [_number(graph, 1.0), "told"])
    mask = graph.add("Mul", [is_question, _number(graph, _MASKED_LOGIT)])
    logits = graph.add("Add", [graph.add("Mul", [belongs, "told"]), mask])
    passage_weights = graph.add("Softmax", [logits], axis=0)
    question_weights = graph.add("Div", [is_question, graph.add("ReduceSum", [is_question], keepdims=1)])
    first = graph.add("Gather", [state, graph.constant(np.array([0]))], axis=0)
    means = [
        graph.add("MatMul", [graph.add("Unsqueeze", [row, graph.constant(np.array([0]))]), state])
        for row in (question_weights, passage_weights)
    ]
    return graph.add("Concat", [first, *means], axis=1)


def _linear(graph: Graph, layer: Layer, name: str, state: str, **output: Any) -> str:
    inputs = [state, graph.constant(layer.weight(name).T.copy()), graph.constant(layer.bias(name))]
    return graph.add("Gemm", inputs, **output)


def _number(graph: Graph, value: float) -> str:
    return graph.constant(np.array(value, np.float32))
