"""Optional dependencies: the extras of `pyproject.toml`, with the packages that we import from each."""

from __future__ import annotations

from importlib.util import find_spec

from glossator.errors import SettingsError

EXTRAS = {
    "fastembed": ("fastembed",),
    "mcp": ("mcp", "mcp_types"),
    "otel": ("opentelemetry",),
    "pdf": ("pypdf",),
    "postgres": ("asyncpg",),
    "preview": ("latex2mathml", "nh3", "pygments"),
    "redis": ("redis",),
}
"""Import these packages only inside functions, behind `need_extra` or `has_extra`."""


def need_extra(extra: str, what: str) -> None:
    """Raises SettingsError if the extra is not installed."""
    if not has_extra(extra):
        raise SettingsError(f"{what} needs the extra '{extra}': pip install 'glossator[{extra}]'.")


def has_extra(extra: str) -> bool:
    return all(find_spec(package) for package in EXTRAS[extra])
