"""Runs the bundled models with onnxruntime, and caches the built models on disk."""

from __future__ import annotations

import errno
import fcntl
import importlib
import os
import shutil
from collections.abc import Callable, Generator, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from threading import Lock
from typing import Any

import numpy as np
from numpy.typing import NDArray

from glossator.errors import EmbedderError, ModelCorrupt

Floats = NDArray[np.float32]

_ERROR_CLASSES = (
    "Fail",
    "InvalidArgument",
    "InvalidGraph",
    "InvalidProtobuf",
    "NoSuchFile",
    "RuntimeException",
)


class OnnxSession:
    """May be run by several threads at once, each on its own core.

    The word table is an input, not a part of the model, so that all sessions of a process share it.
    """

    def __init__(self, model: Path, words: Floats) -> None:
        self._model = model
        self._words = words
        self._lock = Lock()
        self._opening: Future[Any] | None = None

    def open_soon(self) -> Future[Any]:
        """Starts to open the model in the background."""
        with self._lock:
            if self._opening is None:
                pool = ThreadPoolExecutor(1)
                self._opening = pool.submit(self._open)
                pool.shutdown(wait=False)
            return self._opening

    def _open(self) -> Any:
        # Imported here because importing the library takes longer than opening the model.
        disable_telemetry()
        onnxruntime = importlib.import_module("onnxruntime")
        options = onnxruntime.SessionOptions()
        # One core per text is faster than all cores on one text, and no thread waits in a spin loop.
        options.intra_op_num_threads = 1
        # The graph uses fused operators already, and further fusion makes some of them slower.
        options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_ENABLE_BASIC
        damaged = ModelCorrupt(f"The embedding model is damaged: delete {self._model.parent} and try again.")
        with onnx_errors(damaged):
            return onnxruntime.InferenceSession(self._model, options, providers=["CPUExecutionProvider"])

    def run(self, outputs: Sequence[str], inputs: Mapping[str, NDArray[Any]]) -> list[Floats]:
        session = self.open_soon().result()
        with onnx_errors(EmbedderError("The embedding model failed on a text.")):
            return session.run(outputs, {"words": self._words, **inputs})


def disable_telemetry() -> None:
    """Must be called before onnxruntime is imported, which otherwise reports to its maker how it is used."""
    os.environ["ORT_DISABLE_TELEMETRY"] = "1"


@contextmanager
def onnx_errors(translated: EmbedderError) -> Generator[None]:
    """Lists the errors of onnxruntime by name, because they share no base class but Exception."""
    state: Any = importlib.import_module("onnxruntime.capi.onnxruntime_pybind11_state")
    try:
        yield
    except tuple(getattr(state, name) for name in _ERROR_CLASSES) as problem:
        raise translated from problem


Build = Callable[[Path], None]


@dataclass(frozen=True, slots=True)
class ModelCache:
    """Folders of built models: each is built once, by one process, and visible only when it is complete."""

    root: Path

    def folder(self, name: str, build: Build) -> Path:
        """The finished folder of that name; `build` fills it if it does not exist yet."""
        finished = self.root / name
        if finished.is_dir():
            return finished
        with _disk_errors(self.root):
            self.root.mkdir(parents=True, exist_ok=True)
            with _lock(self.root / f"{name}.lock"):
                # Another process may have built it while this one waited.
                if not finished.is_dir():
                    self._build(finished, build)
        return finished

    def _build(self, finished: Path, build: Build) -> None:
        unfinished = self.root / f".building-{finished.name}"
        # We hold the lock, so an existing folder was left by a process that died.
        shutil.rmtree(unfinished, ignore_errors=True)
        unfinished.mkdir()
        try:
            build(unfinished)
            _make_durable(unfinished)
            unfinished.rename(finished)
        finally:
            shutil.rmtree(unfinished, ignore_errors=True)


@contextmanager
def _disk_errors(root: Path) -> Generator[None]:
    try:
        yield
    except OSError as problem:
        if problem.errno in (errno.ENOSPC, errno.EDQUOT):
            full = f"The disk that holds {root} is full: fetching and building the models takes 210 MB there."
            raise EmbedderError(full) from problem
        raise EmbedderError(f"The embedding model cannot be kept in {root}: {problem.strerror}.") from problem


@contextmanager
def _lock(path: Path) -> Generator[None]:
    """Held by one process at a time; the operating system releases it when that process dies."""
    with path.open("ab") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        yield


def _make_durable(folder: Path) -> None:
    # Otherwise a power cut could leave the finished name on a folder of empty files.
    for path in folder.iterdir():
        with path.open("rb+") as file:
            os.fsync(file.fileno())
