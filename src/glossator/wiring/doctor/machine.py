"""Checks of this machine: versions, disk, the bundled models and the index."""

from __future__ import annotations

import os
import platform
import shutil
import sqlite3
from datetime import UTC, datetime, timedelta
from importlib.metadata import version
from pathlib import Path

from glossator.extras import need_extra
from glossator.model import EmbedderIdentity, Manifest
from glossator.settings import EmbedderKind, Settings
from glossator.wiring import embedder_of, index_store_of, reader_of
from glossator.wiring.doctor.findings import Findings

_SCARCE_BYTES = 500 * 2**20
_LEAST_BYTES = 64 * 2**20
"""With less free disk, an ingest does not begin and the database soon cannot be written."""
_CLOCK_TOLERANCE = timedelta(minutes=1)


def check_versions(settings: Settings, findings: Findings) -> None:
    findings.ok(
        "versions",
        f"Glossator {version('glossator')}, Python {platform.python_version()}, "
        f"SQLite {sqlite3.sqlite_version}, {platform.system()} {platform.machine()}",
    )
    database = settings.database_url.get_secret_value() if settings.database_url else ""
    needed = {
        "postgres": ("A PostgreSQL database", database.startswith("postgres")),
        "redis": ("Redis", settings.redis_url),
        "preview": ("The preview", settings.preview),
        "fastembed": ("Fastembed", settings.embedder is EmbedderKind.FASTEMBED),
    }
    for extra, (what, is_used) in needed.items():
        if is_used:
            with findings.faults("versions", f"pip install 'glossator[{extra}]'"):
                need_extra(extra, what)


def check_settings(settings: Settings, findings: Findings) -> None:
    """Names the settings only, because values may be secret."""
    names = sorted(f"GLOSSATOR_{name.upper()}" for name in settings.model_fields_set)
    findings.ok("settings", f"set: {', '.join(names)}" if names else "all have their defaults")


def check_disk(settings: Settings, findings: Findings) -> None:
    """Checks the home folder's disk; the models' folder may be read-only once built, as in the image."""
    folder = settings.home
    place = _existing(folder.absolute())
    free = shutil.disk_usage(place).free
    if not os.access(place, os.W_OK | os.X_OK):
        todo = "Give this user the folder, or mount it writable."
        findings.fault("home folder", f"{place} cannot be written.", todo)
    elif free < _LEAST_BYTES:
        findings.fault("home folder", f"{folder}: {_megabytes(free)} are free.", "Free some space there.")
    elif free < _SCARCE_BYTES:
        todo = "An ingest writes the book a second time."
        findings.note("home folder", f"{folder}: {_megabytes(free)} are free.", todo)
    else:
        findings.ok("home folder", f"{folder}: {_megabytes(free)} free")


def check_models(settings: Settings, findings: Findings) -> EmbedderIdentity | None:
    """Embeds and loads what a question needs; None where that fails."""
    todo = "See “The bundled model” and GLOSSATOR_EMBEDDER… in docs/settings.md."
    with findings.faults("models", todo):
        embedder = embedder_of(settings, seconds=settings.search_seconds)
        embedder.embed_query("Is it there?")
        reader_of(settings)
        identity = embedder.identity
        findings.ok(
            "models", f"{identity.name} ({identity.dimension} dimensions) embeds, the reader is there"
        )
        return identity
    return None


def check_index(settings: Settings, expected: EmbedderIdentity | None, findings: Findings) -> None:
    todo = "Start the Qdrant server and check GLOSSATOR_QDRANT_URL." if settings.qdrant_url else _INGEST
    with findings.faults("index", todo):
        store = index_store_of(settings)
        manifest = store.current()
        if manifest is None:
            findings.fault("index", f"There is no book in {_place(settings)}.", _INGEST)
        elif not store.is_whole():
            findings.fault(
                "index", "The index is damaged.", "Run `glossator rollback`, or ingest the book again."
            )
        elif expected and manifest.embedder.fingerprint != expected.fingerprint:
            findings.fault(
                "index",
                f"The book was ingested with {manifest.embedder.name}, not with {expected.name}.",
                "Ingest it again, or set GLOSSATOR_EMBEDDER back.",
            )
        else:
            findings.ok(
                "index",
                f"“{manifest.book}”, generation {manifest.generation}, {len(manifest.pages):,} pages, "
                f"ingested {manifest.created_at}",
            )
        _check_clock(manifest, findings)


def _check_clock(manifest: Manifest | None, findings: Findings) -> None:
    """Needs no other clock: the book cannot have been ingested in the future."""
    now = datetime.now(UTC)
    if manifest and datetime.fromisoformat(manifest.created_at) > now + _CLOCK_TOLERANCE:
        findings.note(
            "clock",
            f"This machine's clock says {now:%Y-%m-%d %H:%M} UTC, and the book was ingested later than that.",
            "Set the clock (systemd-timesyncd, chrony): session tokens end by it.",
        )
    else:
        findings.ok("clock", f"{now:%Y-%m-%d %H:%M:%S} UTC")


_INGEST = "Run `glossator ingest PATH`."


def _place(settings: Settings) -> str:
    if settings.qdrant_url:
        return f"the Qdrant collection {settings.index_collection}"
    return str(settings.index_home)


def _existing(folder: Path) -> Path:
    return folder if folder.exists() else _existing(folder.parent)


def _megabytes(size: int) -> str:
    return f"{size / 1e6:,.0f} MB"
