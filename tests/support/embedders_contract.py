"""Every embedder the contract is about, each opened for real as far as this machine allows."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, closing, contextmanager

from glossator.adapters.embedders.bundled import BundledEmbedder
from glossator.adapters.embedders.embeddings_api import EmbeddingService
from glossator.adapters.embedders.families import Prefixes
from glossator.adapters.embedders.fastembed import FastembedEmbedder
from glossator.adapters.embedders.openai import OpenAIEmbedder
from glossator.ports import Embedder
from glossator.settings import load_settings
from glossator.testing import WordEmbedder
from support.embedders_service import embedding_service
from support.embedders_standin import StandIn, tokenizer

Open = Callable[[], AbstractContextManager[Embedder]]


@contextmanager
def bundled() -> Iterator[Embedder]:
    """From the user's cache, where it is built when this is its first use."""
    yield BundledEmbedder.open(load_settings().cache.expanduser())


@contextmanager
def openai() -> Iterator[Embedder]:
    with embedding_service() as service:
        asked = EmbeddingService("some-model", service.url)
        with closing(OpenAIEmbedder.open(asked)) as embedder:
            yield embedder


@contextmanager
def fastembed() -> Iterator[Embedder]:
    yield FastembedEmbedder(StandIn(), tokenizer(), Prefixes())


@contextmanager
def words() -> Iterator[Embedder]:
    yield WordEmbedder()


OPENERS: dict[str, Open] = {"bundled": bundled, "openai": openai, "fastembed": fastembed, "words": words}
