"""What stands in a site's configuration, and what the plugin makes of it."""

from __future__ import annotations

import json
import subprocess
import tarfile
from pathlib import Path

import pytest
from get_docusaurus import PLUGIN
from npm import node, npm

LOCAL = "http://localhost:8000"
# Everything that Docusaurus does with options before it builds, except to draw the pages.
LOADED = """
const plugin = require(process.argv[1]);
const given = JSON.parse(process.argv[2]);
try {
  const options = plugin.validateOptions({options: given});
  console.log(JSON.stringify({id: options.id, tags: plugin({}, options).injectHtmlTags()}));
} catch (error) {
  console.log(JSON.stringify({error: error.message}));
}
"""


def _loaded(options: object) -> dict:
    command = [*node(), "-e", LOADED, str(PLUGIN), json.dumps(options)]
    return json.loads(subprocess.run(command, capture_output=True, text=True, check=True).stdout)


def _attributes(options: object) -> dict[str, object]:
    loaded = _loaded(options)
    (tag,) = loaded["tags"]["postBodyTags"]
    assert (loaded["id"], tag["tagName"]) == ("default", "script")
    return tag["attributes"]


def test_server_and_key_are_enough():
    assert _attributes({"server": "https://ask.book.example/", "key": "pk_a1b2_c3-d4"}) == {
        "type": "module",
        "async": True,
        "src": "https://ask.book.example/widget.js",
        "data-server": "https://ask.book.example",
        "data-key": "pk_a1b2_c3-d4",
    }


@pytest.mark.parametrize(
    "server", [LOCAL, "http://127.0.0.1:8000", "http://[::1]:8000", "http://book.localhost"]
)
def test_a_server_on_this_machine_needs_no_key(server: str):
    assert "data-key" not in _attributes({"server": server})


def test_a_server_may_stand_below_a_path():
    attributes = _attributes({"server": "https://book.example/ask/", "key": "pk_a"})
    assert (attributes["src"], attributes["data-server"]) == (
        "https://book.example/ask/widget.js",
        "https://book.example/ask",
    )


def test_every_option_reaches_the_widget():
    said = {
        "position": "bottom-left",
        "title": "پوچھیں",
        "theme": "dark",
        "language": "ur",
        "ephemeral": True,
        "book": "physical-ai",
    }
    attributes = _attributes({"server": LOCAL, **said, "topics": ["What is SLAM?", "What is ROS?"]})
    assert {name: attributes[f"data-{name}"] for name in said} == said
    assert attributes["data-topics"] == "What is SLAM?|What is ROS?"


def test_each_locale_may_have_a_book_of_its_own():
    attributes = _attributes({"server": LOCAL, "book": {"de": "guide-de", "pt-BR": "guide-pt-BR"}})
    assert attributes["data-book"] == "de=guide-de pt-BR=guide-pt-BR"


@pytest.mark.parametrize(
    ("options", "reason"),
    [
        (None, "server is missing"),
        ({"key": "pk_a"}, "server is missing"),
        ({"server": "ask.book.example"}, 'server must be an http or https url, not "ask.book.example"'),
        ({"server": "ftp://ask.book.example"}, "server must be an http or https url"),
        ({"server": 8000}, "server must be an http or https url, not 8000"),
        (
            {"server": "https://me:secret@ask.book.example", "key": "pk_a"},
            "server must be a url without user",
        ),
        ({"server": "https://ask.book.example?key=pk_a", "key": "pk_a"}, "server must be a url without user"),
        ({"server": "https://ask.book.example"}, "key is missing"),
        ({"server": "https://localhost.example"}, "key is missing"),
        ({"server": LOCAL, "key": "sk_a1b2_c3d4"}, "key must be a publishable one"),
        ({"server": LOCAL, "key": ""}, "key must be a publishable one"),
        ({"server": LOCAL, "position": "top"}, 'position must be "bottom-right" or "bottom-left", not "top"'),
        ({"server": LOCAL, "title": " "}, 'title must be a text, not " "'),
        ({"server": LOCAL, "topics": "What is SLAM?"}, "topics must be a list of questions"),
        ({"server": LOCAL, "topics": ["This|that?"]}, "topics must be a list of questions, none with a |"),
        ({"server": LOCAL, "ephemeral": "yes"}, 'ephemeral must be true or false, not "yes"'),
        ({"server": LOCAL, "theme": "sepia"}, 'theme must be "auto" or "light" or "dark", not "sepia"'),
        ({"server": LOCAL, "language": "nl"}, 'language must be "en" or "ar" or "de"'),
        ({"server": LOCAL, "book": "a/b"}, "book must be a book's name"),
        ({"server": LOCAL, "book": {"de": "a b"}}, "book must be a book's name"),
        ({"server": LOCAL, "apiKey": "pk_a"}, "apiKey is no option; there are server, key, position"),
        ({"server": LOCAL, "id": "second"}, "id cannot be chosen: a site has one assistant"),
    ],
)
def test_what_is_wrong_is_said_in_one_sentence(options: object, reason: str):
    assert _loaded(options)["error"].startswith(f"docusaurus-plugin-glossator: {reason}")


def test_the_packed_package_works_in_another_repository(tmp_path: Path):
    npm(["pack", "--silent", "--pack-destination", str(tmp_path)], PLUGIN)
    (archive,) = tmp_path.glob("*.tgz")
    with tarfile.open(archive) as packed:
        packed.extractall(tmp_path, filter="data")
    installed = tmp_path / "package"
    assert {"LICENSE", "README.md", "index.d.ts", "client"} <= {path.name for path in installed.iterdir()}
    assert {path.name for path in (installed / "client").iterdir()} == {"Root.js", "citations.js", "room.css"}
    command = [*node(), "-e", LOADED, str(installed), json.dumps({"server": LOCAL})]
    told = json.loads(subprocess.run(command, capture_output=True, text=True, check=True).stdout)
    assert told["tags"]["postBodyTags"]
    assert "../.." not in (installed / "README.md").read_text("utf-8")
