"""Turns questions and twins that were written with quotes into places: page, start and end, without the books' sentences.

A place is given by its `quote`, or by the words that it begins and ends with (`a` and `b`).

usage: place.py RAW_FOLDER BOOKS_FOLDER…    adds to training/questions/BOOK.jsonl and training/twins/BOOK.jsonl
"""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Iterator
from pathlib import Path

HERE = Path(__file__).parent
_HEADING = re.compile(r"^#{1,6}\s+(.+?)\s*#*\s*$", re.MULTILINE)


def main(raw: Path, folders: list[Path]) -> None:
    for file in sorted(raw.glob("*.jsonl")):
        book, kind = file.name.removesuffix(".jsonl").rsplit(".", 1)
        root = next(folder / book for folder in folders if (folder / book).is_dir())
        rows = [json.loads(line) for line in file.read_text(encoding="utf-8").splitlines() if line.strip()]
        out = HERE / kind / f"{book}.jsonl"
        known = list(map(json.loads, out.read_text(encoding="utf-8").splitlines())) if out.exists() else []
        made = list(questions(book, root, rows, known) if kind == "questions" else twins(book, root, rows))
        with out.open("a", encoding="utf-8") as lines:
            lines.writelines(json.dumps(row, ensure_ascii=False) + "\n" for row in made)
        print(f"{out.name}: {len(made)} {kind} of {len(rows)}")


def questions(book: str, root: Path, rows: list[dict], known: list[dict]) -> Iterator[dict]:
    seen = {row["question"].lower() for row in known}
    for row in rows:
        if row["q"].lower() in seen:
            continue
        seen.add(row["q"].lower())
        made = {
            "id": f"{book}-{len(seen):03}",
            "book": book,
            "question": row["q"],
            "kind": row["kind"],
            "answerable": "gold" in row,
        }
        if "gold" in row:
            gold = [place for quote in row["gold"] if (place := placed(root, quote))]
            if len(gold) < len(row["gold"]):
                continue
            made |= {"gold": gold, "must": row["must"]} | ({"ideal": row["ideal"]} if "ideal" in row else {})
        else:
            made |= {"near": row["near"], "why": row["why"]}
        yield made | ({"history": row["history"]} if row.get("history") else {})


def twins(book: str, root: Path, rows: list[dict]) -> Iterator[dict]:
    for row in rows:
        if place := placed(root, row):
            yield {
                "book": book,
                **place,
                "faithful": row["faithful"],
                "lie": row["lie"],
                "change": row["change"],
            }


def placed(root: Path, quote: dict) -> dict | None:
    """None where the quote does not stand there exactly once."""
    path = root / quote["page"]
    text = path.read_text(encoding="utf-8") if path.is_file() else ""
    first, last = quote.get("a") or quote.get("quote", ""), quote.get("b", "")
    if not first or text.count(first) != 1:
        return None
    start = text.index(first)
    at = text.find(last, start)
    if at < 0:
        return None
    above = [match[1] for match in _HEADING.finditer(text, 0, start)]
    return {
        "page": quote["page"],
        "section": above[-1] if above else "",
        "start": start,
        "end": max(at + len(last), start + len(first)),
    }


if __name__ == "__main__":
    main(Path(sys.argv[1]), [Path(folder) for folder in sys.argv[2:]])
