"""The built files in the package are what their source makes, and small enough for any page."""

from __future__ import annotations

import gzip
import json
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest
from get_widget_tools import WIDGET, get_widget_tools
from npm import node

ROOT = WIDGET.parent
PACKAGE = ROOT / "src" / "glossator" / "web" / "widget"
BUILT = ("widget.js", "widget.js.map", "widget.d.ts")
MOST_BYTES = 28_672


@pytest.fixture(scope="session", autouse=True)
def tools() -> Path:
    return get_widget_tools()


def test_what_is_shipped_is_what_the_source_makes_in_any_folder(tools: Path, tmp_path: Path):
    elsewhere = tmp_path / "some where" / "else"
    shutil.copytree(WIDGET, elsewhere, ignore=shutil.ignore_patterns("node_modules", "dist"))
    (elsewhere / "node_modules").symlink_to(tools)
    _run("build.mjs", "--out", str(tmp_path / "out"), folder=elsewhere)

    for name in BUILT:
        fresh, shipped = (tmp_path / "out" / name).read_bytes(), (PACKAGE / name).read_bytes()
        assert fresh == shipped, f"{name} is older than its source: run `npm run build` in widget/"


def test_the_types_are_what_the_server_says_of_itself(tmp_path: Path):
    _run("api.mjs", "--out", str(tmp_path / "api.ts"))

    assert (tmp_path / "api.ts").read_bytes() == (WIDGET / "src" / "api.ts").read_bytes(), (
        "src/api.ts is older than the server's document: run `npm run api` in widget/"
    )


@pytest.mark.parametrize("project", [".", "test"])
def test_every_type_is_right(project: str):
    _run("node_modules/typescript/bin/tsc", "--noEmit", "--project", project)


def test_it_is_small_enough_for_any_page():
    assert len(gzip.compress((PACKAGE / "widget.js").read_bytes(), mtime=0)) <= MOST_BYTES


def test_the_map_leads_to_the_source_and_tells_nothing_of_the_machine():
    told = json.loads((PACKAGE / "widget.js.map").read_text("utf-8"))

    assert (PACKAGE / "widget.js").read_text("utf-8").endswith("//# sourceMappingURL=widget.js.map\n")
    for name, text in zip(told["sources"], told["sourcesContent"], strict=True):
        assert name.startswith("src/")
        if name.endswith(".ts"):
            assert text == (WIDGET / name).read_text("utf-8")
    assert "sourceRoot" not in told


def test_the_types_need_no_other_file(tmp_path: Path):
    for name in BUILT:
        shutil.copy(PACKAGE / name, tmp_path)
    (tmp_path / "page.ts").write_text(
        'import { Glossator, type AskEvent } from "./widget.js";\n'
        'const book = new Glossator({ server: "https://ask.book.example", key: "pk_1" });\n'
        'for await (const event of book.ask({ question: "Why?" })) textOf(event);\n'
        "function textOf(event: AskEvent): string {\n"
        "  switch (event.type) {\n"
        '    case "status": return event.stage;\n'
        '    case "found": return event.hits[0]?.url ?? "";\n'
        '    case "claim": return event.text + event.citations.join();\n'
        '    case "restart": return "";\n'
        '    case "answer": return event.answer.outcome;\n'
        "  }\n"
        "}\n",
        "utf-8",
    )
    strict = (
        "--noEmit",
        "--strict",
        "--target",
        "es2022",
        "--module",
        "esnext",
        "--moduleResolution",
        "bundler",
    )
    _run("node_modules/typescript/bin/tsc", *strict, str(tmp_path / "page.ts"))


def test_the_client_can_be_had_where_there_is_no_page():
    names = "import(process.argv[1]).then((all) => console.log(Object.keys(all).join()))"
    told = _run("--input-type=module", "--eval", names, (PACKAGE / "widget.js").as_uri())

    assert set(told.strip().split(",")) >= {
        "Glossator",
        "Chat",
        "ApiError",
        "ConnectionError",
        "GlossatorChat",
    }


@pytest.mark.slow
def test_a_python_only_install_has_them(tmp_path: Path):
    command = [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(tmp_path)]
    subprocess.run(command, cwd=ROOT, check=True, capture_output=True)
    (wheel,) = tmp_path.glob("*.whl")

    with zipfile.ZipFile(wheel) as archive:
        for name in BUILT:
            assert archive.read(f"glossator/web/widget/{name}") == (PACKAGE / name).read_bytes()


def _run(*arguments: str, folder: Path = WIDGET) -> str:
    done = subprocess.run([*node(), *arguments], cwd=folder, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout
