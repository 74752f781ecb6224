"""Models of the fastembed package, an optional extra: `pip install 'glossator[fastembed]'`."""

from __future__ import annotations

import importlib
from collections.abc import Generator, Iterable, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np
from numpy.typing import NDArray

from glossator.adapters.embedders.families import Prefixes, family_of, fingerprint, replace_lone_surrogates
from glossator.adapters.embedders.onnx_session import disable_telemetry, onnx_errors
from glossator.errors import EmbedderError, ModelMissing, SettingsError
from glossator.extras import need_extra
from glossator.model import EmbedderIdentity, Embedding

if TYPE_CHECKING:
    from tokenizers import Tokenizer

DEFAULT_MODEL = "BAAI/bge-small-en-v1.5"

_BATCH = 16
"""Small, because fastembed pads a batch to its longest text."""


class TextModel(Protocol):
    """The part of `fastembed.TextEmbedding` that we use."""

    @property
    def model_name(self) -> str: ...

    @property
    def embedding_size(self) -> int: ...

    def query_embed(self, query: str) -> Iterable[NDArray[Any]]: ...

    def passage_embed(self, texts: Iterable[str], *, batch_size: int) -> Iterable[NDArray[Any]]: ...


class FastembedEmbedder:
    """Opened with `FastembedEmbedder.open`; may be shared between threads."""

    def __init__(self, model: TextModel, tokenizer: Tokenizer, prefixes: Prefixes) -> None:
        """Takes ownership of the tokenizer, and switches off its truncation and padding."""
        self._model = model
        self._prefixes = prefixes
        self._identity = _identity(model, _window(tokenizer, prefixes), prefixes)
        self._tokenizer = tokenizer
        tokenizer.no_truncation()
        tokenizer.no_padding()

    @classmethod
    def open(
        cls,
        model: str | None = None,
        *,
        folder: Path | None = None,
        threads: int | None = None,
        query_prefix: str | None = None,
        passage_prefix: str | None = None,
    ) -> FastembedEmbedder:
        """Loads the files in `folder`, or else those of fastembed's own cache or download."""
        name = model or DEFAULT_MODEL
        text_model = _open_model(name, folder, threads)
        prefixes = family_of(name).prefixes.replaced(query_prefix, passage_prefix)
        return cls(text_model, _copy_tokenizer(text_model), prefixes)

    @property
    def identity(self) -> EmbedderIdentity:
        return self._identity

    def count_tokens(self, texts: Sequence[str]) -> list[int]:
        valid = [replace_lone_surrogates(text) for text in texts]
        encodings = self._tokenizer.encode_batch(valid, add_special_tokens=False)
        return [len(encoding) for encoding in encodings]

    def embed_passages(
        self,
        texts: Sequence[str],
        *,
        states: bool = False,
    ) -> list[Embedding]:
        # Texts of similar length next to each other need the least padding.
        order = sorted(range(len(texts)), key=lambda index: len(texts[index]))
        prepared = [self._prefixes.passage + replace_lone_surrogates(texts[index]) for index in order]
        vectors = self._model.passage_embed(prepared, batch_size=_BATCH)
        embedded = {index: self._embedding(vector) for index, vector in zip(order, vectors, strict=True)}
        return [embedded[index] for index in range(len(texts))]

    def embed_query(self, text: str, *, states: bool = False) -> Embedding:
        (vector,) = self._model.query_embed(self._prefixes.query + replace_lone_surrogates(text))
        return self._embedding(vector)

    def _embedding(self, vector: NDArray[Any]) -> Embedding:
        length = float(np.linalg.norm(vector))
        if not np.isfinite(length) or length == 0:
            raise EmbedderError(f"{self._identity.name} made a vector without direction.")
        return Embedding((vector / length).astype(np.float32))


def _window(tokenizer: Tokenizer, prefixes: Prefixes) -> int:
    special_tokens = tokenizer.num_special_tokens_to_add(is_pair=False)
    prefix = len(tokenizer.encode(prefixes.passage, add_special_tokens=False).ids)
    return _max_length(tokenizer) - special_tokens - prefix


def _max_length(tokenizer: Any) -> int:
    return tokenizer.truncation["max_length"] if tokenizer.truncation else 512


def _identity(model: TextModel, window: int, prefixes: Prefixes) -> EmbedderIdentity:
    name, dimension = model.model_name, model.embedding_size
    digest = fingerprint("fastembed", name, dimension, prefixes.query, prefixes.passage)
    return EmbedderIdentity(name, dimension, window, digest)


def _open_model(name: str, folder: Path | None, threads: int | None) -> Any:
    need_extra("fastembed", "The embedder `fastembed`")
    disable_telemetry()
    fastembed: Any = importlib.import_module("fastembed")
    supported = [str(entry["model"]) for entry in fastembed.TextEmbedding.list_supported_models()]
    if name.lower() not in map(str.lower, supported):
        raise SettingsError(f"fastembed has no model `{name}`; it has {', '.join(sorted(supported))}.")
    options = {"specific_model_path": str(folder)} if folder else {}
    with _fastembed_errors(name):
        return fastembed.TextEmbedding(name, threads=threads, **options)


@contextmanager
def _fastembed_errors(name: str) -> Generator[None]:
    try:
        with onnx_errors(ModelMissing(f"The files of the embedding model {name} are damaged or missing.")):
            yield
    except (ValueError, OSError) as problem:
        raise ModelMissing(f"The embedding model {name} cannot be opened: {problem}") from problem


def _copy_tokenizer(text_model: Any) -> Tokenizer:
    """A copy, because the model still needs truncation and padding."""
    from tokenizers import Tokenizer

    return Tokenizer.from_str(text_model.model.tokenizer.to_str())
