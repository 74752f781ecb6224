"""Fetch and build the bundled embedding model, once, so that what follows needs no network."""

import sys

from glossator.errors import GlossatorError
from glossator.settings import load_settings
from glossator.wiring import embedder_of

try:
    embedder_of(load_settings(), say=print).embed_query("ready?")
except GlossatorError as error:
    sys.exit(str(error))
