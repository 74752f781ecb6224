"""Fetch and build the bundled embedding model and the reader, once, so that what follows needs no network."""

import sys

from glossator.errors import GlossatorError
from glossator.settings import load_settings
from glossator.wiring import embedder_of, reader_of

settings = load_settings()
try:
    embedder_of(settings, say=print).embed_query("ready?")
    reader_of(settings, say=print)
except GlossatorError as error:
    sys.exit(str(error))
