"""Translates errors of the engine and of the disk into ours."""

from __future__ import annotations

import errno
from collections.abc import Generator
from contextlib import contextmanager

from glossator.errors import DiskFull, IndexFault

REBUILD = "run `glossator ingest PATH` to build it again"


@contextmanager
def index_errors() -> Generator[None]:
    try:
        yield
    except OSError as error:
        if error.errno in (errno.ENOSPC, errno.EDQUOT):
            raise DiskFull from error
        raise IndexFault(f"The index cannot be used ({error}).") from error
    except BaseException as error:
        if not _is_engine_error(error):
            raise
        raise IndexFault(f"The index is damaged ({error}): {REBUILD}.") from error


def _is_engine_error(error: BaseException) -> bool:
    """The engine raises plain `Exception`s, and its panics are not even those."""
    return type(error) is Exception or type(error).__module__ == "pyo3_runtime"
