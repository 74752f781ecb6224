"""The only place that knows which adapter stands behind which port.

An adapter is imported where it is chosen, so that a command does not pay for the libraries of the others.
"""

from __future__ import annotations

from collections.abc import Callable, Generator
from contextlib import closing, contextmanager
from typing import TYPE_CHECKING

from glossator.adapters.index.cache import SqliteCache
from glossator.adapters.index.embedded_index import EmbeddedIndex
from glossator.adapters.index.embedded_store import EmbeddedIndexStore
from glossator.answer.confidence import LOW, MIDDLING
from glossator.answer.pipeline import AnswerTimeouts, Assistant
from glossator.answer.summarize import extract
from glossator.ingest.pipeline import IngestTools
from glossator.model import EmbedderIdentity
from glossator.ports import Embedder, Index, IndexStore, Progress, Reader, Rewriter, Writer
from glossator.settings import EmbedderKind, Settings, WriterKind

if TYPE_CHECKING:
    from glossator.adapters.index.server import Server
    from glossator.adapters.writers.service import ModelService

Say = Callable[[str], None]


def tools_of(settings: Settings, progress: Progress, say: Say) -> IngestTools:
    """What an ingest works with."""
    embedder = embedder_of(settings, say)
    return IngestTools(
        embedder=embedder,
        index_store=shelf_of(settings),
        cache=SqliteCache(settings.home / "cache.sqlite"),
        progress=progress,
        language=settings.language,
    )


@contextmanager
def assistant_of(
    settings: Settings, *, writer: WriterKind | None = None, say: Say = lambda message: None
) -> Generator[Assistant]:
    """Answers questions about the book in the index; `writer` overrules the settings."""
    kind = writer or settings.writer
    embedder = embedder_of(settings, say)
    with closing(index_of(settings, expects=embedder.identity)) as index:
        rewriter = rewriter_of(settings) if kind is WriterKind.LANGUAGE_MODEL else None
        reader = reader_of(settings, say)
        yield assembled(settings, embedder, reader, index, writer_of(settings, kind), rewriter)


def assembled(
    settings: Settings,
    embedder: Embedder,
    reader: Reader,
    index: Index,
    writer: Writer,
    rewriter: Rewriter | None,
) -> Assistant:
    return Assistant(
        embedder=embedder,
        reader=reader,
        index=index,
        writer=writer,
        language=settings.language,
        rewriter=rewriter,
        policy=settings.policy,
        # There is a rewriter where a language model writes.
        least_confidence=LOW if rewriter is None else MIDDLING,
        unsupported=settings.unsupported,
        timeouts=AnswerTimeouts(search=settings.search_seconds, write=settings.write_seconds),
    )


def writer_of(
    settings: Settings, kind: WriterKind, watched: Callable[[Writer], Writer] = lambda writer: writer
) -> Writer:
    """`watched` is put around a language model, inside of what steps in for it."""
    from glossator.adapters.writers.extractive import ExtractiveWriter

    extractive = ExtractiveWriter(extract)
    if kind is WriterKind.EXTRACTIVE:
        return extractive
    from glossator.adapters.writers.language_model import LanguageModelWriter, WithFallback
    from glossator.adapters.writers.service import ModelTimeouts

    writer = watched(
        LanguageModelWriter(
            _model_service(settings),
            # A little less than the answer has, so that it is the model of which it is said to be late.
            timeouts=ModelTimeouts(seconds=0.9 * settings.write_seconds),
            may_search=settings.model_tools,
            tracing=settings.model_tracing,
        )
    )
    return WithFallback(writer, extractive) if settings.fallback_writer else writer


def rewriter_of(settings: Settings) -> Rewriter:
    from glossator.adapters.writers.language_model import LanguageModelRewriter

    return LanguageModelRewriter(_model_service(settings), tracing=settings.model_tracing)


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
    """With `seconds`, a service that does not answer in that time is given up: a reader waits for it."""
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


def shelf_of(settings: Settings) -> IndexStore:
    if settings.qdrant_url:
        from glossator.adapters.index.server_store import ServerIndexStore

        return ServerIndexStore(
            _server(settings, settings.qdrant_url, timeout=30), language=settings.language
        )
    return EmbeddedIndexStore(settings.home, language=settings.language)


def index_of(settings: Settings, expects: EmbedderIdentity | None = None) -> Index:
    if settings.qdrant_url:
        from glossator.adapters.index.server_index import ServerIndex

        return ServerIndex(_server(settings, settings.qdrant_url, timeout=5), expects=expects)
    return EmbeddedIndex(settings.home, expects=expects)


def _server(settings: Settings, url: str, timeout: int) -> Server:
    from glossator.adapters.index.server import Server

    key = settings.qdrant_api_key.get_secret_value() if settings.qdrant_api_key else None
    return Server.connect(url, settings.collection, api_key=key, timeout=timeout)
