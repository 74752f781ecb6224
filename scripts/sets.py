"""The question sets of a folder like `shared/data/eval`, each as a book that is ingested and questions to it."""

from __future__ import annotations

import csv
import gzip
import json
import re
import sys
from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from glossator.adapters.terminal import progress_for
from glossator.ingest.pipeline import ingest
from glossator.ingest.sites import site_of
from glossator.ports import Embedder, Index
from glossator.settings import Settings
from glossator.wiring import embedder_of, index_of, ingest_tools_of


@dataclass(frozen=True)
class SetQuestion:
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
    questions: list[SetQuestion]
    chapters: dict[str, str] = field(default_factory=dict)
    """Of each page, where the set has chapters worth leaving out."""

    @property
    def has_passages(self) -> bool:
        return any(asked.passage for asked in self.questions)

    def is_gold(self, asked: SetQuestion, page: str) -> bool:
        return any(page.endswith(gold) or gold.endswith(page) for gold in asked.pages)


def read_lines(path: Path) -> Iterator[dict]:
    with path.open(encoding="utf-8") as lines:
        for line in lines:
            yield json.loads(line)


def sets_of(data: Path, scratch: Path) -> dict[str, Set]:
    """Those that the folder has, each known by its files; books of records become pages in `scratch`."""
    kinds = (book_with_quiz, records, squad, clapnq, chunking)
    folders = sorted(folder for folder in data.iterdir() if folder.is_dir())
    made = (make(folder, scratch) for folder in folders for make in kinds)
    return {question_set.name: question_set for question_set in made if question_set}


def book_with_quiz(folder: Path, scratch: Path) -> Set | None:
    """Pages under `corpus`, and `questions.jsonl` with the page that answers each (or `qrels.tsv`)."""
    corpus, file = folder / "corpus", folder / "questions.jsonl"
    if not corpus.is_dir() or not file.is_file():
        return None
    gold = _gold(folder / "qrels.tsv")
    rows = [(row, gold.get(row["_id"]) or (row.get("gold_path", ""),)) for row in read_lines(file)]
    questions = [SetQuestion(row["text"], pages) for row, pages in rows if pages[0]]
    pages = [str(page.relative_to(corpus)) for page in corpus.rglob("*.md*")]
    return Set(folder.name, corpus, questions, {page: _chapter_of(page, pages) for page in pages})


def _chapter_of(page: str, pages: list[str]) -> str:
    """The folder where there are several, otherwise what the file's name begins with, such as `ch04`."""
    folders = {other.rpartition("/")[0] for other in pages}
    return page.rpartition("/")[0] if len(folders) > 1 else re.sub(r"-.*", "", page.rsplit("/")[-1])


def records(folder: Path, scratch: Path) -> Set | None:
    """`corpus.jsonl`, `queries.jsonl` and `qrels.tsv`; the chapter of a record is the beginning of its address."""
    if not all((folder / name).is_file() for name in ("corpus.jsonl", "queries.jsonl", "qrels.tsv")):
        return None
    names, chapters = {}, {}
    out = _emptied(scratch / folder.name)
    for number, row in enumerate(read_lines(folder / "corpus.jsonl")):
        names[row["_id"]] = name = f"{number:04d}.md"
        chapters[name] = "/".join(row["_id"].partition("#")[0].split("/")[:6])
        (out / name).write_text(f"# {row.get('title', '')}\n\n{row['text']}", "utf-8")
    gold = _gold(folder / "qrels.tsv")
    rows = [row for row in read_lines(folder / "queries.jsonl") if row["_id"] in gold]
    questions = [
        SetQuestion(row["text"], tuple(names[page] for page in gold[row["_id"]] if page in names))
        for row in rows
    ]
    return Set(folder.name, out, questions, chapters)


def squad(folder: Path, scratch: Path) -> Set | None:
    """A JSON file of articles with paragraphs, in the form of SQuAD 2."""
    file = next(folder.glob("squad*.json"), None)
    if file is None:
        return None
    out, questions = _emptied(scratch / folder.name), []
    for article in json.loads(file.read_text("utf-8"))["data"]:
        title = article["title"].replace("_", " ")
        for number, paragraph in enumerate(article["paragraphs"]):
            name = f"{re.sub(r'[^A-Za-z0-9]+', '-', title)}-{number:03d}.md"
            (out / name).write_text(f"# {title}\n\n{paragraph['context']}\n", "utf-8")
            for question in paragraph["qas"]:
                texts = tuple(answer["text"] for answer in question["answers"])
                questions.append(
                    SetQuestion(
                        question["question"],
                        (name,),
                        (),
                        not question["is_impossible"],
                        paragraph["context"],
                        texts,
                    )
                )
    return Set(folder.name, out, questions)


def clapnq(folder: Path, scratch: Path) -> Set | None:
    """`answerable.jsonl` and `unanswerable.jsonl`, each question with its passage."""
    if not all((folder / f"{kind}.jsonl").is_file() for kind in ("answerable", "unanswerable")):
        return None
    out, questions = _emptied(scratch / folder.name), []
    for kind in ("answerable", "unanswerable"):
        for row in read_lines(folder / f"{kind}.jsonl"):
            passage = row["passages"][0]
            name = f"{row['id']}.md"
            (out / name).write_text(f"# {passage['title']}\n\n{passage['text']}\n", "utf-8")
            questions.append(SetQuestion(row["input"], (name,), (), kind == "answerable", passage["text"]))
    return Set(folder.name, out, questions)


def chunking(folder: Path, scratch: Path) -> Set | None:
    """`questions_df.csv` with character spans in the texts under `corpora`."""
    if not (folder / "questions_df.csv").is_file():
        return None
    with (folder / "questions_df.csv").open(encoding="utf-8") as rows:
        questions = [
            SetQuestion(
                row["question"],
                (f"{row['corpus_id']}.md",),
                tuple(
                    (reference["start_index"], reference["end_index"])
                    for reference in json.loads(row["references"])
                ),
            )
            for row in csv.DictReader(rows)
        ]
    return Set(folder.name, folder / "corpora", questions)


def write_chunks(chunks: Path, folder: Path) -> None:
    """The pages of `chunks-5000.jsonl.gz`, each chunk under a heading of its own."""
    for line in gzip.decompress(chunks.read_bytes()).splitlines():
        chunk = json.loads(line)
        page = folder / chunk["repo"].replace("/", "-") / f"{chunk['path'].removesuffix('.md')}.md"
        page.parent.mkdir(parents=True, exist_ok=True)
        with page.open("a", encoding="utf-8") as file:
            file.write(f"## {chunk['heading'] or chunk['path']}\n\n{chunk['text']}\n\n")


def _gold(path: Path) -> dict[str, tuple[str, ...]]:
    gold: dict[str, tuple[str, ...]] = {}
    if not path.is_file():
        return gold
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
def opened(question_set: Set, homes: Path) -> Iterator[tuple[Embedder, Index]]:
    """The set's book, ingested unless it already is."""
    settings = Settings(home=homes / question_set.name)
    settings.home.mkdir(parents=True, exist_ok=True)
    ingest(
        question_set.folder,
        site_of(question_set.folder),
        ingest_tools_of(settings, progress_for(sys.stderr), _say),
    )
    embedder = embedder_of(settings)
    with closing(index_of(settings, expects=embedder.identity)) as index:
        yield embedder, index


def _say(message: str) -> None:
    print(message, file=sys.stderr, flush=True)
