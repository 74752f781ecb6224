"""The small book, asked through the pipeline."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from glossator.adapters.writers.extractive import ExtractiveWriter
from glossator.answer.digest import extract
from glossator.answer.pipeline import AnswerPipeline, AnswerTimeouts
from glossator.ports import Embedder, Reader
from glossator.settings import Settings
from glossator.wiring import index_of


@pytest.fixture
def assistant(home: Path, embedder: Embedder, reader: Reader) -> Iterator[AnswerPipeline]:
    with closing(index_of(Settings(home=home), expects=embedder.identity)) as index:
        # However slow the machine is: what is measured here is not time.
        timeouts = AnswerTimeouts(search=60, write=120)
        yield AnswerPipeline(embedder, reader, index, ExtractiveWriter(extract), timeouts=timeouts)
