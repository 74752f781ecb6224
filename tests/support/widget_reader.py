"""A reader in front of a page that has the widget."""

from __future__ import annotations

import re
from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from playwright.sync_api import Locator, Page, expect

from support.browser_server import pages
from support.glossator_command import run_command

LIFECYCLE = "What is a lifecycle node?"
LIFECYCLE_PLACE = "Nodes: The Building Blocks › Lifecycle nodes: starting in a known order"
"""What any answer to that question rests on, whatever else it tells."""
LIFECYCLE_WORDS = "also called a managed node, has a state machine"
SERVICE = "What is a service?"
SERVICE_PAGE = "Services: Ask Once, Get One Answer"
SERVICE_WORDS = "is a named request and response between nodes"
UNSAID = "How do I weld a humanoid robot's arm?"

_PAGE = """<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
{head}
<title>A page</title>
<body>
<main><h1>A page</h1>
<button id="before">Something else</button>
<p id="passage">A lifecycle node, also called a managed node, has a state machine, so that an outside manager decides when it
allocates resources and when it begins to act.</p>
</main>
{body}
</body>
</html>
"""


@dataclass(frozen=True)
class Reader:
    page: Page
    title: str = "Ask the book"
    role: Literal["dialog", "region"] = "dialog"

    @property
    def button(self) -> Locator:
        return self.page.get_by_role("button", name=self.title).first

    @property
    def panel(self) -> Locator:
        return self.page.get_by_role(self.role, name=self.title)

    @property
    def field(self) -> Locator:
        return self.panel.locator(".field textarea")

    @property
    def turns(self) -> Locator:
        return self.panel.locator("article")

    @property
    def places(self) -> Locator:
        """Each section that an answer rests on, with its numbers."""
        return self.turns.locator(".places li")

    @property
    def spoken(self) -> Locator:
        return self.page.locator("glossator-chat [aria-live=polite]")

    def open(self) -> None:
        self.button.click()
        expect(self.panel).to_be_visible()

    def ask(self, question: str) -> None:
        self.field.fill(question)
        self.field.press("Enter")

    def mark(self, place: str) -> Locator:
        """The first citation of that place."""
        return self.turns.get_by_role("button", name=re.compile(rf"^\d+: {re.escape(place)}")).first

    def place(self, title: str) -> Locator:
        return self.turns.get_by_role("link", name=title).first

    @property
    def verdict(self) -> Locator:
        """Of an answer: how sure it is hangs on the weights, and is not what is tried here."""
        return self.panel.get_by_role("button", name=re.compile("^The book (says|may say|carries) this"))

    def control(self, name: str) -> Locator:
        return self.panel.get_by_role("button", name=name, exact=True)


def script(origin: str, **attributes: str) -> str:
    said = "".join(f' data-{name}="{value}"' for name, value in attributes.items())
    return f'<script type="module" src="{origin}/widget.js"{said}></script>'


@contextmanager
def page_with(folder: Path, body: str, head: str = "") -> Generator[str]:
    """The address of a page that has this at the end of its body."""
    with pages(folder, {"page.html": _PAGE.format(head=head, body=body)}) as site:
        yield f"{site}/page.html"


def publishable_key(folder: Path, home: Path, origin: str) -> str:
    """As an operator makes one for the pages of an origin, on the server that `serve(folder, home)` starts."""
    command = ["keys", "create", "--kind", "publishable", "--origins", origin]
    database = f"sqlite:///{folder / 'records.sqlite'}"
    made = run_command(folder, *command, GLOSSATOR_HOME=str(home), GLOSSATOR_DATABASE_URL=database)
    made.check_returncode()
    return made.stdout.strip()
