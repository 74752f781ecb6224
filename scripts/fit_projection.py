"""Fit the projection of the token states, and write it next to the bundled embedder.

    python scripts/fit_projection.py

The directions are those in which the states of the sample book and of our own documentation have most of
their length. Nothing is drawn by lot: the same pages give the same file.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from glossator.adapters.embedders.bundled import PROJECTION_FILE, STATE_WIDTH, BundledEmbedder
from glossator.ingest.discover import list_pages, read_page
from glossator.ingest.page import process_page
from glossator.ingest.sites import site_of
from glossator.settings import load_settings

ROOT = PROJECTION_FILE.parents[4]
BOOKS = (ROOT / "examples" / "physical-ai-book", ROOT / "docs")


def main() -> None:
    embedder = BundledEmbedder.open(load_settings().cache, say=print)
    readings = [reading for book in BOOKS for reading in readings_of(book, embedder)]
    moments = sum(second_moments(embedder, reading) for reading in readings)
    _, directions = np.linalg.eigh(moments)
    widest = directions[:, ::-1][:, :STATE_WIDTH]
    # A direction and its opposite do the same; one of them is chosen for good.
    signs = np.sign(widest[np.abs(widest).argmax(axis=0), np.arange(STATE_WIDTH)])
    np.save(PROJECTION_FILE, (widest * signs).astype("<f2"))
    kept = np.einsum("ij,ik,kj->", widest, moments, widest) / np.trace(moments)
    print(f"{len(readings)} passages; {STATE_WIDTH} directions keep {kept:.1%} of the length squared")


def readings_of(book, embedder: BundledEmbedder) -> list[str]:
    site = site_of(book)
    listing = list_pages(book, site.is_page)
    pages = [process_page(read_page(listing.root, page), site, embedder, "english") for page in listing.paths]
    return [window.reading for page in pages for window in page.windows]


def second_moments(embedder: BundledEmbedder, reading: str) -> NDArray[np.float64]:
    states = embedder.wide_states(reading).astype(np.float64)
    return states.T @ states


if __name__ == "__main__":
    main()
