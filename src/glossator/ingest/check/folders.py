"""Where the files of a site stand, as far as links can name them."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from glossator.ingest.site import Site, SiteKind

_CONFIGURATIONS = {
    SiteKind.DOCUSAURUS: "docusaurus.config.*",
    SiteKind.MDBOOK: "book.toml",
    SiteKind.MKDOCS: "mkdocs.y*ml",
}

_GENERATES_FILES = "gen-files"
"""A plugin of MkDocs."""


@dataclass(frozen=True, slots=True)
class Folders:
    root: Path
    """What the author gave."""
    content: tuple[Path, ...]
    """What holds the pages."""
    site: Path | None
    """What holds the generator's configuration."""
    static: Path | None
    """What the site serves as it is, at its own root."""
    has_generated_files: bool = False
    """Whether the generator makes files of its own that pages may link to."""

    @property
    def boundary(self) -> Path:
        """Nothing outside it is ours to miss."""
        return self.site or self.root


def folders_of(root: Path, site: Site) -> Folders:
    folder = _site_folder(root, site.kind)
    configuration = _configuration(folder, site.kind) if folder else ""
    return Folders(
        root=root,
        content=site.content_roots or (root,),
        site=folder,
        static=_static_folder(folder, configuration) if folder and site.kind is SiteKind.DOCUSAURUS else None,
        has_generated_files=_GENERATES_FILES in configuration,
    )


def _site_folder(root: Path, kind: SiteKind) -> Path | None:
    pattern = _CONFIGURATIONS.get(kind)
    if pattern is None:
        return None
    places = (place for above in (root, *root.parents) for place in (above, above / "website"))
    return next((place for place in places if any(place.glob(pattern))), None)


def _configuration(folder: Path, kind: SiteKind) -> str:
    files = folder.glob(_CONFIGURATIONS[kind])
    return "\n".join(file.read_text(encoding="utf-8", errors="replace") for file in files)


def _static_folder(folder: Path, configuration: str) -> Path | None:
    """None as well where the site names folders of its own choice, which we do not know."""
    has_default = (folder / "static").is_dir() and "staticDirectories" not in configuration
    return folder / "static" if has_default else None
