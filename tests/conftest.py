"""What all tests share."""

from __future__ import annotations

import os

from hypothesis import settings

# The same examples every time, so that a red build means a change; `HYPOTHESIS_PROFILE=searching` looks for more.
settings.register_profile("same", derandomize=True, deadline=None)
settings.register_profile("searching", deadline=None, max_examples=1000)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "same"))
