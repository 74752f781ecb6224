"""How each dependency is looked at, without a call that costs money."""

from __future__ import annotations

from collections.abc import Mapping
from urllib.parse import urlsplit
from urllib.request import getproxies

from glossator.answer.pipeline import Assistant
from glossator.engine.breaker import Breaker
from glossator.engine.health import Address, Dependency, Health, check_index, check_service
from glossator.ports import Keeper
from glossator.settings import EmbedderKind, Settings, WriterKind

_PORTS = {"http": 80, "https": 443}


def health_of(
    settings: Settings, assistant: Assistant, keeper: Keeper, breakers: Mapping[Dependency, Breaker]
) -> Health:
    model = settings.model_base_url if settings.writer is WriterKind.LANGUAGE_MODEL else None
    embeddings = settings.embedder_base_url if settings.embedder is EmbedderKind.OPENAI else None
    return Health(
        {
            Dependency.INDEX: check_index(
                assistant.index, breakers[Dependency.INDEX], _address(settings.qdrant_url, usual_port=6333)
            ),
            Dependency.RECORDS: keeper.ping,
            Dependency.WRITER: check_service(breakers[Dependency.WRITER], _address(model)),
            Dependency.EMBEDDER: check_service(breakers[Dependency.EMBEDDER], _address(embeddings)),
        }
    )


def _address(url: str | None, usual_port: int | None = None) -> Address | None:
    """None also where a proxy stands between, which would be what listens."""
    if url is None or getproxies():
        return None
    parts = urlsplit(url)
    return (parts.hostname or "localhost", parts.port or usual_port or _PORTS.get(parts.scheme, 443))
