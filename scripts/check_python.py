"""Say in plain words what this machine lacks; runs on any Python 3."""

import importlib.util
import sys

if sys.version_info < (3, 11):
    sys.exit(
        "Glossator needs Python 3.11 or newer, and this is %d.%d. Install one and run: make PYTHON=python3.12 …"
        % sys.version_info[:2]
    )
if importlib.util.find_spec("venv") is None or importlib.util.find_spec("ensurepip") is None:
    sys.exit(
        "This Python has no venv module. On Debian and Ubuntu: apt install python3-venv; then run make again."
    )
