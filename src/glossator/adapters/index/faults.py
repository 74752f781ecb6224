"""Where what the engine and the disk say becomes a reason of ours."""

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
        if not _is_from_the_engine(error):
            raise
        raise IndexFault(f"The index is damaged ({error}): {REBUILD}.") from error


def _is_from_the_engine(error: BaseException) -> bool:
    """The engine raises bare `Exception`s; where it panics, not even that."""
    return type(error) is Exception or type(error).__module__ == "pyo3_runtime"
