"""The assistant of a small made-up book, with the real model, engine and writer."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from glossator.answer.pipeline import AnswerPipeline
from glossator.ingest.pipeline import ingest
from glossator.ingest.sites import SiteKind, site_of
from glossator.settings import Settings, WriterKind
from glossator.testing import SilentProgress
from glossator.wiring import assistant_of, ingest_tools_of
from support.harbour_book import write_book


@pytest.fixture(scope="session")
def assistant(tmp_path_factory: pytest.TempPathFactory) -> Iterator[AnswerPipeline]:
    folder = tmp_path_factory.mktemp("harbour")
    book = write_book(folder / "harbour-book")
    settings = Settings(home=folder / "home")
    site = site_of(book, kind=SiteKind.PLAIN, base_url="https://tarn.example/")
    ingest(book, site, ingest_tools_of(settings, SilentProgress(), say=_nobody_listens))
    with assistant_of(settings, writer=WriterKind.EXTRACTIVE) as made:
        yield made


def _nobody_listens(message: str) -> None:
    return
