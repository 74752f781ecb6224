"""Health checks of each dependency, without calls that cost money."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from contextlib import suppress
from urllib.parse import urlsplit
from urllib.request import getproxies

import httpx2
import structlog
from pydantic import SecretStr

from glossator.answer.pipeline import AnswerPipeline
from glossator.errors import EmbedderError, GlossatorError, WriterRefused
from glossator.ports import RetentionStore
from glossator.resilience.circuit_breaker import Breaker
from glossator.resilience.health import Address, Check, Dependency, Health, check_index, check_service
from glossator.settings import EmbedderKind, Settings, WriterKind
from glossator.web.middleware.log import reason_of

_PORTS = {"http": 80, "https": 443}
_TIMEOUT_SECONDS = 1.5


def health_of(
    settings: Settings,
    assistant: AnswerPipeline,
    retention_store: RetentionStore,
    breakers: Mapping[Dependency, Breaker],
) -> Health:
    model = settings.model_base_url if settings.writer is WriterKind.LANGUAGE_MODEL else None
    embeddings = settings.embedder_base_url if settings.embedder is EmbedderKind.OPENAI else None
    writer, embedder = breakers[Dependency.WRITER], breakers[Dependency.EMBEDDER]
    return Health(
        {
            Dependency.INDEX: check_index(
                assistant.index,
                breakers[Dependency.INDEX],
                service_address(settings.qdrant_url, default_port=6333),
            ),
            Dependency.RECORDS: retention_store.ping,
            Dependency.WRITER: check_service(
                writer, service_address(model), key_check(model, settings.model_api_key, WriterRefused)
            ),
            Dependency.EMBEDDER: check_service(
                embedder,
                service_address(embeddings),
                key_check(embeddings, settings.embedder_api_key, EmbedderError),
            ),
        },
        needed=_needed(settings),
    )


def log_fault(dependency: Dependency, fault: GlossatorError) -> None:
    """Logged for the operator: callers get a message of ours without the reason."""
    structlog.get_logger().warning(
        "dependency failed", dependency=str(dependency), error=type(fault).__name__, reason=reason_of(fault)
    )


def _needed(settings: Settings) -> Collection[Dependency]:
    """The fallback writer makes the model unnecessary for an answer."""
    needed = (Dependency.INDEX, Dependency.EMBEDDER)
    return needed if settings.fallback_writer else (*needed, Dependency.WRITER)


def key_check(url: str | None, key: SecretStr | None, refused: type[GlossatorError]) -> Check | None:
    """Lists the models, which is free with every service and shows whether the key is accepted."""
    if url is None or key is None:
        return None

    async def check() -> None:
        headers = {"Authorization": f"Bearer {key.get_secret_value()}"}
        # Reachability is checked elsewhere, and some services have no such list.
        with suppress(httpx2.HTTPError):
            async with httpx2.AsyncClient(timeout=_TIMEOUT_SECONDS) as client:
                reply = await client.get(f"{url.rstrip('/')}/models", headers=headers)
            if reply.status_code in (401, 403):
                raise refused(f"The key is refused ({reply.status_code}).")

    return check


def service_address(url: str | None, default_port: int | None = None) -> Address | None:
    """None behind a proxy too: connecting would only show that the proxy listens."""
    if url is None or getproxies():
        return None
    parts = urlsplit(url)
    return (parts.hostname or "localhost", parts.port or default_port or _PORTS.get(parts.scheme, 443))
