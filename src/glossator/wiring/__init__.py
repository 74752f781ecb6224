"""Chooses the adapter for each port from the settings; no other package does.

Adapters are imported where they are chosen, so that a command does not load the libraries of the others.
"""

from __future__ import annotations

from collections.abc import Callable, Generator
from contextlib import closing, contextmanager
from typing import TYPE_CHECKING

from glossator.adapters.index.cache import SqliteCache
from glossator.adapters.index.embedded_index import EmbeddedIndex
from glossator.adapters.index.embedded_store import EmbeddedIndexStore
from glossator.answer.confidence import LEAST_FOR_MODEL, LOW
from glossator.answer.digest import extract
from glossator.answer.pipeline import AnswerPipeline, AnswerTimeouts
from glossator.ingest.pipeline import IngestTools
from glossator.model import EmbedderIdentity
from glossator.ports import Embedder, Index, IndexStore, Progress, Reader, Rewriter, Writer
from glossator.settings import EmbedderKind, Settings, WriterKind
from glossator.text.languages import ENGLISH

if TYPE_CHECKING:
    from glossator.adapters.index.server import Server
    from glossator.adapters.writers.service import ModelService

Say = Callable[[str], None]


def ingest_tools_of(settings: Settings, progress: Progress, say: Say) -> IngestTools:
    embedder = embedder_of(settings, say)
    return IngestTools(
        embedder=embedder,
        index_store=index_store_of(settings),
        cache=SqliteCache(settings.index_home / "cache.sqlite"),
        progress=progress,
        language=settings.language,
    )


@contextmanager
def assistant_of(
    settings: Settings, *, writer: WriterKind | None = None, say: Say = lambda message: None
) -> Generator[AnswerPipeline]:
    """The answer pipeline for the book in the index; `writer` overrides the settings."""
    kind = writer or settings.writer
    embedder = embedder_of(settings, say)
    with closing(index_of(settings, expects=embedder.identity)) as index:
        rewriter = rewriter_of(settings) if kind is WriterKind.LANGUAGE_MODEL else None
        reader = reader_of(settings, say)
        yield build_assistant(settings, embedder, reader, index, writer_of(settings, kind), rewriter)


def build_assistant(
    settings: Settings,
    embedder: Embedder,
    reader: Reader,
    index: Index,
    writer: Writer,
    rewriter: Rewriter | None,
) -> AnswerPipeline:
    return AnswerPipeline(
        embedder=embedder,
        reader=reader,
        index=index,
        writer=writer,
        # For selections alone; questions to the book have the language of its index.
        language=settings.language or ENGLISH,
        rewriter=rewriter,
        policy=settings.policy,
        # There is a rewriter only if a language model writes.
        least_confidence=LOW if rewriter is None else LEAST_FOR_MODEL,
        unsupported=settings.unsupported,
        timeouts=AnswerTimeouts(search=settings.search_seconds, write=settings.write_seconds),
    )


def writer_of(
    settings: Settings, kind: WriterKind, watched: Callable[[Writer], Writer] = lambda writer: writer
) -> Writer:
    """`watched` wraps the language model, inside of its fallback."""
    from glossator.adapters.writers.extractive import ExtractiveWriter

    extractive = ExtractiveWriter(extract)
    if kind is WriterKind.EXTRACTIVE:
        return extractive
    from glossator.adapters.writers.language_model import LanguageModelWriter, WithFallback
    from glossator.adapters.writers.service import ModelTimeouts

    writer = watched(
        LanguageModelWriter(
            _model_service(settings),
            # A little less than the answer has, so that the timeout is reported as the model's.
            timeouts=ModelTimeouts(seconds=0.9 * settings.write_seconds),
            may_search=settings.model_tools,
            tracing=settings.model_tracing,
        )
    )
    return WithFallback(writer, extractive) if settings.fallback_writer else writer


def rewriter_of(settings: Settings, *, seconds: float = 5.0) -> Rewriter:
    from glossator.adapters.writers.language_model import LanguageModelRewriter

    return LanguageModelRewriter(_model_service(settings), seconds=seconds, tracing=settings.model_tracing)


def _model_service(settings: Settings) -> ModelService:
    from glossator.adapters.writers.service import Api, ModelService

    key = settings.model_api_key
    return ModelService(
        model=settings.model or "",
        base_url=settings.model_base_url,
        api_key=key.get_secret_value() if key else None,
        api=Api(settings.model_api),
    )


def embedder_of(
    settings: Settings, say: Say = lambda message: None, *, seconds: float | None = None
) -> Embedder:
    """`seconds` is the timeout of a service while a reader waits; an ingest has more time."""
    match settings.embedder:
        case EmbedderKind.BUNDLED:
            return _bundled(settings, say)
        case EmbedderKind.OPENAI:
            return _openai(settings, seconds)
        case EmbedderKind.FASTEMBED:
            return _fastembed(settings)


def reader_of(settings: Settings, say: Say = lambda message: None) -> Reader:
    from glossator.adapters.reader.bundled import BundledReader

    return BundledReader.open(
        settings.cache, wheel=settings.embedder_wheel, threads=settings.threads, say=say
    )


def _bundled(settings: Settings, say: Say) -> Embedder:
    from glossator.adapters.embedders.bundled import BundledEmbedder

    return BundledEmbedder.open(
        settings.cache, wheel=settings.embedder_wheel, threads=settings.threads, say=say
    )


def _openai(settings: Settings, seconds: float | None) -> Embedder:
    from glossator.adapters.embedders.embeddings_api import Backoff, EmbeddingService
    from glossator.adapters.embedders.openai import OpenAIEmbedder

    key = settings.embedder_api_key
    service = EmbeddingService(
        model=settings.embedder_model or "text-embedding-3-small",
        base_url=settings.embedder_base_url,
        api_key=key.get_secret_value() if key else None,
        dimensions=settings.embedder_dimensions,
        timeout=seconds or 60.0,
    )
    return OpenAIEmbedder.open(
        service,
        query_prefix=settings.embedder_query_prefix,
        passage_prefix=settings.embedder_passage_prefix,
        backoff=Backoff(attempts=2, first_wait=0.1, longest_wait=1.0) if seconds else None,
    )


def _fastembed(settings: Settings) -> Embedder:
    from glossator.adapters.embedders.fastembed import FastembedEmbedder

    return FastembedEmbedder.open(
        settings.embedder_model,
        threads=settings.threads,
        query_prefix=settings.embedder_query_prefix,
        passage_prefix=settings.embedder_passage_prefix,
    )


def index_store_of(settings: Settings) -> IndexStore:
    if settings.qdrant_url:
        from glossator.adapters.index.server_store import ServerIndexStore

        return ServerIndexStore(server_of(settings, settings.qdrant_url, timeout=30))
    return EmbeddedIndexStore(settings.index_home)


def index_of(settings: Settings, expects: EmbedderIdentity | None = None) -> Index:
    if settings.qdrant_url:
        from glossator.adapters.index.server_index import ServerIndex

        return ServerIndex(server_of(settings, settings.qdrant_url, timeout=5), expects=expects)
    return EmbeddedIndex(settings.index_home, expects=expects)


def server_of(settings: Settings, url: str, timeout: int) -> Server:
    from glossator.adapters.index.server import Distribution, Server

    key = settings.qdrant_api_key.get_secret_value() if settings.qdrant_api_key else None
    distribution = Distribution(settings.qdrant_shards, settings.qdrant_replicas)
    return Server.connect(
        url, settings.index_collection, api_key=key, timeout=timeout, distribution=distribution
    )
