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

    @property
    def boundary(self) -> Path:
        """Nothing outside it is ours to miss."""
        return self.site or self.root


def folders_of(root: Path, site: Site) -> Folders:
    folder = _site_folder(root, site.kind)
    content = site.content_roots or (root,)
    return Folders(root, content, folder, _static_folder(folder, site.kind) if folder else None)


def _site_folder(root: Path, kind: SiteKind) -> Path | None:
    pattern = _CONFIGURATIONS.get(kind)
    if pattern is None:
        return None
    return next((folder for folder in (root, *root.parents) if any(folder.glob(pattern))), None)


def _static_folder(folder: Path, kind: SiteKind) -> Path | None:
    """None as well when the site names other folders for it, which we do not read."""
    if kind is not SiteKind.DOCUSAURUS or not (folder / "static").is_dir():
        return None
    configurations = (path.read_text(errors="replace") for path in folder.glob(_CONFIGURATIONS[kind]))
    return None if any("staticDirectories" in text for text in configurations) else folder / "static"
