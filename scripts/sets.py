"""The question sets of a folder like `shared/data/eval`, each as a book that is ingested and questions to it."""

from __future__ import annotations

import csv
import json
import re
from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from glossator.adapters.terminal import progress_for
from glossator.ingest.pipeline import ingest
from glossator.ingest.site import site_of
from glossator.ports import Embedder, Index
from glossator.settings import Settings
from glossator.wiring import embedder_of, index_of, tools_of


@dataclass(frozen=True)
class Asked:
    text: str
    pages: tuple[str, ...] = ()
    """Where the answer stands; any of them."""
    spans: tuple[tuple[int, int], ...] = ()
    answerable: bool = True
    passage: str = ""
    """What a reader would have selected."""
    answers: tuple[str, ...] = ()


@dataclass(frozen=True)
class Set:
    name: str
    folder: Path
    """The book's pages."""
    questions: list[Asked]
    chapters: dict[str, str] = field(default_factory=dict)
    """Of each page, where the set has chapters worth leaving out."""

    @property
    def has_passages(self) -> bool:
        return any(asked.passage for asked in self.questions)

    def is_gold(self, asked: Asked, page: str) -> bool:
        return any(page.endswith(gold) or gold.endswith(page) for gold in asked.pages)


def read_lines(path: Path) -> Iterator[dict]:
    with path.open(encoding="utf-8") as lines:
        for line in lines:
            yield json.loads(line)


def sets_of(data: Path, scratch: Path) -> dict[str, Set]:
    """Those that the folder has; books that come as records are written into `scratch` as pages."""
    made = (quiz, rust, anthropic, squad, clapnq, chunking)
    return {one.name: one for make in made if (one := make(data, scratch))}


def quiz(data: Path, scratch: Path) -> Set | None:
    folder = data / "physical-ai-quiz"
    if not folder.is_dir():
        return None
    rows = read_lines(folder / "questions.jsonl")
    questions = [Asked(row["text"], (row["gold_path"],)) for row in rows]
    pages = [str(page.relative_to(folder / "corpus")) for page in (folder / "corpus").rglob("*.md")]
    chapters = {page: page.split("/")[1] for page in pages}
    return Set("physical-ai-quiz", folder / "corpus", questions, chapters)


def rust(data: Path, scratch: Path) -> Set | None:
    folder = data / "rust-quiz"
    if not folder.is_dir():
        return None
    gold = _gold(folder / "qrels.tsv")
    rows = read_lines(folder / "questions.jsonl")
    questions = [Asked(row["text"], gold[row["_id"]]) for row in rows if row["_id"] in gold]
    pages = [str(page.relative_to(folder / "corpus")) for page in (folder / "corpus").rglob("*.md")]
    chapters = {page: re.sub(r"-.*", "", page.rsplit("/")[-1]) for page in pages}
    return Set("rust-quiz", folder / "corpus", questions, chapters)


def anthropic(data: Path, scratch: Path) -> Set | None:
    folder = data / "anthropic-docs"
    if not folder.is_dir():
        return None
    names, chapters = {}, {}
    out = _emptied(scratch / "anthropic-docs")
    for number, row in enumerate(read_lines(folder / "corpus.jsonl")):
        names[row["_id"]] = name = f"{number:04d}.md"
        chapters[name] = "/".join(row["_id"].partition("#")[0].split("/")[:6])
        (out / name).write_text(f"# {row['title']}\n\n{row['text']}", "utf-8")
    gold = _gold(folder / "qrels.tsv")
    rows = [row for row in read_lines(folder / "queries.jsonl") if row["_id"] in gold]
    questions = [Asked(row["text"], tuple(names[one] for one in gold[row["_id"]])) for row in rows]
    return Set("anthropic-docs", out, questions, chapters)


def squad(data: Path, scratch: Path) -> Set | None:
    file = data / "squad2" / "squad2.json"
    if not file.is_file():
        return None
    out, questions = _emptied(scratch / "squad2"), []
    for article in json.loads(file.read_text("utf-8"))["data"]:
        title = article["title"].replace("_", " ")
        for number, paragraph in enumerate(article["paragraphs"]):
            name = f"{re.sub(r'[^A-Za-z0-9]+', '-', title)}-{number:03d}.md"
            (out / name).write_text(f"# {title}\n\n{paragraph['context']}\n", "utf-8")
            for one in paragraph["qas"]:
                texts = tuple(answer["text"] for answer in one["answers"])
                questions.append(
                    Asked(one["question"], (name,), (), not one["is_impossible"], paragraph["context"], texts)
                )
    return Set("squad2", out, questions)


def clapnq(data: Path, scratch: Path) -> Set | None:
    folder = data / "clapnq"
    if not folder.is_dir():
        return None
    out, questions = _emptied(scratch / "clapnq"), []
    for kind in ("answerable", "unanswerable"):
        for row in read_lines(folder / f"{kind}.jsonl"):
            passage = row["passages"][0]
            name = f"{row['id']}.md"
            (out / name).write_text(f"# {passage['title']}\n\n{passage['text']}\n", "utf-8")
            questions.append(Asked(row["input"], (name,), (), kind == "answerable", passage["text"]))
    return Set("clapnq", out, questions)


def chunking(data: Path, scratch: Path) -> Set | None:
    folder = data / "chunking"
    if not folder.is_dir():
        return None
    with (folder / "questions_df.csv").open(encoding="utf-8") as rows:
        questions = [
            Asked(
                row["question"],
                (f"{row['corpus_id']}.md",),
                tuple((one["start_index"], one["end_index"]) for one in json.loads(row["references"])),
            )
            for row in csv.DictReader(rows)
        ]
    return Set("chunking", folder / "corpora", questions)


def _gold(path: Path) -> dict[str, tuple[str, ...]]:
    gold: dict[str, tuple[str, ...]] = {}
    for line in path.read_text("utf-8").splitlines()[1:]:
        question, page, _ = line.split("\t")
        gold[question] = (*gold.get(question, ()), page)
    return gold


def _emptied(folder: Path) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    for file in folder.iterdir():
        file.unlink()
    return folder


@contextmanager
def opened(one: Set, homes: Path) -> Iterator[tuple[Embedder, Index]]:
    """The set's book, ingested unless it already is."""
    import sys

    settings = Settings(home=homes / one.name)
    settings.home.mkdir(parents=True, exist_ok=True)
    ingest(one.folder, site_of(one.folder), tools_of(settings, progress_for(sys.stderr), say=print))
    embedder = embedder_of(settings)
    with closing(index_of(settings, expects=embedder.identity)) as index:
        yield embedder, index
