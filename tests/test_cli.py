"""The commands as an author types them, with the real model and the real engine."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

import pytest

from support.glossator_command import run_command

ROOT = Path(__file__).parents[1]
SAMPLE = ROOT / "examples" / "physical-ai-book"


class Terminal:
    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def run(self, *words: str, **environment: str) -> subprocess.CompletedProcess[str]:
        return run_command(self.folder, *words, **{"COLUMNS": "100", **environment})

    def json(self, *words: str):
        done = self.run(*words, "--json")
        assert done.returncode == 0, done.stderr
        return json.loads(done.stdout)


@pytest.fixture(scope="module")
def terminal(tmp_path_factory: pytest.TempPathFactory) -> Terminal:
    """In a folder whose home holds three chapters of the sample book."""
    folder = tmp_path_factory.mktemp("author")
    book = folder / "book"
    (book / "docs").mkdir(parents=True)
    for name in ("docusaurus.config.ts", "docs/02-ros2", "docs/07-safety", "docs/glossary.md"):
        source = SAMPLE / name
        if source.is_dir():
            for page in source.iterdir():
                target = book / name / page.name
                target.parent.mkdir(parents=True, exist_ok=True)
                target.write_bytes(page.read_bytes())
        else:
            (book / name).write_bytes(source.read_bytes())
    terminal = Terminal(folder)
    done = terminal.run("ingest", "book")
    assert done.returncode == 0, done.stderr
    assert "Generation 1 is ready: 8 pages" in done.stdout
    return terminal


def test_search_finds_the_section_that_answers(terminal: Terminal):
    hits = terminal.json("search", "How are the QoS profiles of a publisher and a subscription matched?")[
        "hits"
    ]
    best = hits[0]
    assert best["page"] == "docs/02-ros2/02-topics.md"
    assert best["url"].endswith("/docs/ros2/topics#qos-compatibility")
    assert best["chapter"] == "ROS 2"
    assert 0.5 < best["similarity"] <= 1
    source = (terminal.folder / "book" / best["page"]).read_text(encoding="utf-8")
    assert source[best["start"] : best["end"]] == best["text"]
    assert set(best["scores"]) == {"dense", "sparse", "fused"}


def test_search_finds_a_name_by_its_letters(terminal: Terminal):
    hits = terminal.json("search", "qos_profile_sensor_data", "--top-k", "3")["hits"]
    assert any("qos_profile_sensor_data" in hit["text"] for hit in hits)
    assert len(hits) == 3


def test_filters_are_part_of_the_search(terminal: Terminal):
    hits = terminal.json("search", "emergency stop", "--filter", "chapter=ROS 2")["hits"]
    assert {hit["chapter"] for hit in hits} == {"ROS 2"}
    both = ("--filter", "page=docs/glossary.md", "--filter", "page=docs/07-safety/index.md")
    pages = {hit["page"] for hit in terminal.json("search", "emergency stop", *both)["hits"]}
    assert pages == {"docs/glossary.md", "docs/07-safety/index.md"}


def test_export_writes_every_chunk_as_a_line_of_json(terminal: Terminal):
    done = terminal.run("export")
    assert done.returncode == 0, done.stderr
    chunks = [json.loads(line) for line in done.stdout.splitlines()]
    assert len(chunks) == terminal.json("info")["manifest"]["chunks"]
    assert len({chunk["chunk_id"] for chunk in chunks}) == len(chunks)
    for chunk in chunks:
        source = (terminal.folder / "book" / chunk["page"]).read_text(encoding="utf-8")
        assert source[chunk["start"] : chunk["end"]] == chunk["text"]
        assert all(section["url"].startswith(chunk["page_url"]) for section in chunk["sections"])


def test_an_unknown_filter_names_the_known_ones(terminal: Terminal):
    done = terminal.run("search", "x", "--filter", "colour=red")
    assert done.returncode == 2
    assert "chapter, section, page" in done.stderr


def test_search_shows_people_where(terminal: Terminal):
    done = terminal.run("search", "what is a lifecycle node?", "--top-k", "1")
    assert done.stdout.startswith("1. ")
    assert "/docs/ros2/nodes#lifecycle" in done.stdout


def test_info_says_what_is_in_the_index(terminal: Terminal):
    told = terminal.json("info")["manifest"]
    title = "Physical AI: A Working Introduction"
    assert (told["book"], told["site"], len(told["pages"])) == (title, "docusaurus", 8)
    assert told["embedder"]["name"] == "all-MiniLM-L6-v2"
    assert "Generation" in terminal.run("info").stdout


def test_one_of_a_thing_is_not_many(tmp_path: Path):
    (tmp_path / "page.md").write_text("# Page\n\nWords of one page.")
    terminal = Terminal(tmp_path)
    assert "1 page, 1 chunk, 1 passage." in terminal.run("ingest", ".").stdout
    told = terminal.run("info").stdout
    assert "1 in 1 chapter\n" in told
    assert "1, in 1 passage\n" in told


@pytest.mark.parametrize("words", [(), ("sessions",), ("keys",)])
def test_help_is_wrapped_and_never_cut(tmp_path: Path, words: tuple[str, ...]):
    told = Terminal(tmp_path).run(*words, "--help", COLUMNS="60").stdout
    assert "..." not in told.partition("Commands:")[2]
    assert all(len(line) <= 60 for line in told.splitlines())


@pytest.mark.parametrize("shell", ["bash", "zsh"])
def test_the_shell_completes_commands_and_options(tmp_path: Path, shell: str):
    offered = Terminal(tmp_path).run(
        _GLOSSATOR_COMPLETE=f"{shell}_complete", COMP_WORDS="glossator ask --thr", COMP_CWORD="2"
    )
    assert "--threshold" in offered.stdout
    assert "--through-chapter" in offered.stdout


def test_an_unchanged_book_is_left_alone(terminal: Terminal):
    report = terminal.json("ingest", "book")
    assert (report["changed"], report["embedded"]) == (False, 0)


def test_a_page_that_is_not_utf8_is_named_and_the_exit_code_says_so(tmp_path: Path):
    (tmp_path / "good.md").write_text("# Good\n\nWords.")
    (tmp_path / "bad.md").write_bytes(b"# B\xe4d")
    done = Terminal(tmp_path).run("ingest", ".")
    assert done.returncode == 2
    assert "bad.md is not UTF-8" in done.stdout
    assert "1 page" in done.stdout


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("search", "x"), "No book has been ingested here yet"),
        (("info",), "No book has been ingested here yet"),
        (("ingest", "nowhere"), "There is no book at nowhere"),
    ],
)
def test_our_own_errors_are_one_line_and_exit_code_one(tmp_path: Path, words: tuple[str, ...], said: str):
    done = Terminal(tmp_path).run(*words)
    assert (done.returncode, done.stdout) == (1, "")
    assert said in done.stderr
    assert len(done.stderr.strip().splitlines()) == 1


def test_an_index_of_another_model_is_refused_with_what_to_do(terminal: Terminal):
    done = terminal.run(
        "search", "x", GLOSSATOR_EMBEDDER="openai", GLOSSATOR_EMBEDDER_BASE_URL="http://127.0.0.1:9/v1"
    )
    assert done.returncode == 1
    assert "all-MiniLM-L6-v2" in done.stderr
    assert "glossator ingest" in done.stderr


def test_a_wrong_setting_is_named(tmp_path: Path):
    done = Terminal(tmp_path).run("info", GLOSSATOR_EMBEDDER="magic")
    assert done.returncode == 1
    assert "GLOSSATOR_EMBEDDER" in done.stderr


def test_settings_are_read_from_a_file_and_the_environment_wins(terminal: Terminal, tmp_path: Path):
    home = terminal.folder / ".glossator"
    (tmp_path / "glossator.toml").write_text(f'home = "{home}"\n')
    assert Terminal(tmp_path).run("info").returncode == 0
    assert Terminal(tmp_path).run("info", GLOSSATOR_HOME="elsewhere").returncode == 1


def test_check_finds_a_broken_link(tmp_path: Path):
    (tmp_path / "a.md").write_text("# A\n\nSee [the other](b.md) and [a part](#gone).")
    done = Terminal(tmp_path).run("check", ".", "--site", "plain")
    assert done.returncode == 1
    assert "b.md" in done.stdout
    assert "gone" in done.stdout
