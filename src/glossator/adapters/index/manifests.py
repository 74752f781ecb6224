"""A generation's manifest as it is written down, with what the index itself must remember."""

from __future__ import annotations

from typing import Literal

from pydantic import BaseModel, ValidationError

from glossator.errors import GenerationIncomplete, IndexFault, WrongModel
from glossator.model import EmbedderIdentity, Manifest


class StoredManifest(BaseModel, frozen=True):
    format: Literal[4] = 4
    """Raised whenever a payload is stored differently, so that the next ingest builds all of it anew."""
    language: str
    """How words were stemmed: questions must be read the same way."""
    manifest: Manifest
    files: dict[str, tuple[int, str]] = {}
    """What an embedded shard consists of: see inventory.py."""
    states_size: int = 0
    """Bytes of an embedded shard's token states that belong to a passage; there may be others."""


def read_manifest(written: str | bytes, where: str) -> StoredManifest:
    try:
        return StoredManifest.model_validate_json(written)
    except ValidationError as error:
        raise IndexFault(
            f"The manifest of {where} cannot be read: run `glossator ingest PATH` to build it again."
        ) from error


def refuse_another_model(manifest: Manifest, expected: EmbedderIdentity | None) -> None:
    made_with = manifest.embedder
    if expected is None or made_with.fingerprint == expected.fingerprint:
        return
    raise WrongModel(
        f"The book was ingested with {_described(made_with)} and would be searched with "
        f"{_described(expected)}: run `glossator ingest PATH`, "
        f"or set GLOSSATOR_EMBEDDER back to {made_with.name}."
    )


def _described(identity: EmbedderIdentity) -> str:
    return f"{identity.name} ({identity.fingerprint[:12]})"


def check_complete(manifest: Manifest, *, passages: int, chunks: int) -> None:
    if (passages, chunks) == (manifest.passages, manifest.chunks):
        return
    raise GenerationIncomplete(
        f"Generation {manifest.generation} should hold {manifest.passages} passages of "
        f"{manifest.chunks} chunks and holds {passages} of {chunks}; the old one still serves."
    )
