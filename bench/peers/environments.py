"""A virtual environment a product, made with pip when it is first needed.

torch and sentence-transformers are installed once, into an environment of their own that the others see behind
their own packages.
"""

from __future__ import annotations

import hashlib
import subprocess
import sys
import venv
from pathlib import Path

REQUIREMENTS = Path(__file__).with_name("requirements")
BASE = "base"
_PIP = ("-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--no-cache-dir", "--no-deps")


def python_of(name: str, root: Path) -> Path:
    """The interpreter of the product's environment; of Glossator, the one that runs this."""
    if not requirements_of(name).is_file():
        return Path(sys.executable)
    base = made(BASE, root, None)
    return made(name, root, base)


def made(name: str, root: Path, behind: Path | None) -> Path:
    folder, wanted = root / name, requirements_of(name)
    python, ready = folder / "bin" / "python", folder / "ready"
    mark = hashlib.sha256(wanted.read_bytes()).hexdigest()
    if ready.is_file() and ready.read_text() == mark:
        return python
    print(f"Making the environment of {name} in {folder} (once) …", file=sys.stderr, flush=True)
    venv.create(folder, with_pip=True, clear=True)
    if behind:
        (packages_of(python) / "behind.pth").write_text(f"{packages_of(behind)}\n")
    # Every requirement is pinned with all it needs, so nothing may bring another torch, which would have CUDA.
    subprocess.run([python, *_PIP, "-r", wanted], check=True)
    ready.write_text(mark)
    return python


def requirements_of(name: str) -> Path:
    return REQUIREMENTS / f"{name}.txt"


def packages_of(python: Path) -> Path:
    """Its site-packages."""
    return next(python.parents[1].glob("lib/python3*/site-packages"))
