"""Read an HTML page with justhtml: its head, and the element that holds its main content."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice

from justhtml import Element, JustHTML, Text
from justhtml import Node as AnyNode

from glossator.errors import PageUnreadable
from glossator.text.spans import remove_spans, spans_between

Node = AnyNode | Text

_DEEPEST = 100
"""How deep tags may be nested: pages have about 30 levels, and each costs some calls of functions."""
_NO_CONTENT = {
    "audio", "button", "canvas", "datalist", "dialog", "embed", "footer", "form", "iframe", "input", "link",
    "menu", "meta", "nav", "noscript", "object", "script", "select", "style", "svg", "template", "textarea",
    "title", "video",
}  # fmt: skip
_ROLES = {"banner", "complementary", "contentinfo", "dialog", "navigation", "search", "tablist", "toolbar"}
_ADMONITIONS = (
    "admonition", "alert", "callout", "caution", "custom-block", "danger", "footnote", "important", "note",
    "tip", "warning",
)  # fmt: skip
_NOT_READ = {
    "boring", "footnote-definition-label", "screen-reader-text", "sr-only", "toctree-wrapper",
    "visually-hidden",
}  # fmt: skip
"""Classes of what is not read: lines that mdBook hides, texts for screen readers, menus of Sphinx pages."""
_NOTE_MARKS = {"fn-bracket", "footnote-ref", "footnote-reference"}
_NOTE_ROLES = {"doc-backlink", "doc-noteref"}
_DOCUSAURUS_DOC = "docs-doc-id-"


@dataclass(frozen=True, slots=True)
class Head:
    """What the head of a page says about it."""

    title: str = ""
    site_name: str = ""
    language: str = ""
    canonical: str = ""
    is_hidden: bool = False
    """Whether the page asks not to be found (`noindex`), only leads to another address, or is a list that
    Docusaurus made of its docs."""


def parsed(text: str) -> JustHTML:
    """Raises PageUnreadable for a page with many open tags."""
    if most_open_tags(text) > MOST_OPEN:
        raise PageUnreadable(f"has more than {MOST_OPEN} tags that are not closed")
    # Nothing of the page is shown as HTML, so there is nothing to sanitize.
    return JustHTML(text, sanitize=False, track_node_locations=True)


def read_head(text: str) -> Head:
    """`text` may end after the head. One that cannot be read is empty: the ingest names the page."""
    try:
        document = parsed(text)
    except PageUnreadable:
        return Head()
    metas = dict[str, str]()
    for meta in elements(document.root, "meta"):
        name = attribute(meta, "name") or attribute(meta, "property") or attribute(meta, "http-equiv")
        metas.setdefault(name.lower(), attribute(meta, "content"))
    title = next((words(node) for node in elements(document.root, "title")), "")
    root = next(elements(document.root, "html"), None)
    links = (node for node in elements(document.root, "link") if attribute(node, "rel") == "canonical")
    return Head(
        title=title,
        site_name=" ".join((metas.get("og:site_name") or metas.get("application-name") or "").split()),
        language=attribute(root, "lang") if root else "",
        canonical=next((attribute(link, "href").strip() for link in links), ""),
        is_hidden="noindex" in metas.get("robots", "").lower()
        or "refresh" in metas
        or (root is not None and _is_list_of_docs(root)),
    )


def _is_list_of_docs(root: Element) -> bool:
    """A category, the docs with a tag, the blog: what Docusaurus makes without a page in its docs."""
    named = classes(root)
    is_docusaurus = any(name.startswith("plugin-id-") for name in named)
    return is_docusaurus and not any(name.startswith(_DOCUSAURUS_DOC) for name in named)


@dataclass(frozen=True, slots=True)
class Way:
    """The place of a page among the others, as it tells its reader."""

    next: str = ""
    """The address of the page that follows."""
    breadcrumbs: tuple[tuple[str, str], ...] = ()
    """The name and the address, where it has one, of each step from the outermost down to the page."""


_LINK = re.compile(r"<(?:a|link)\s[^<>]*+>", re.IGNORECASE)
_LIST = re.compile(r"<(?P<name>ul|ol)\s[^<>]*+>", re.IGNORECASE)
_LONGEST_LIST = 10_000
_MOST_LINKS = 1000
"""How many links are looked at; a parser for each one is slow."""


def read_way(text: str) -> Way:
    """Does not parse the whole page, which would take as long as its ingest."""
    return Way(_next_address(text), tuple(_breadcrumbs(text)))


def _next_address(text: str) -> str:
    for tag in islice((tag for tag in _LINK.finditer(text) if "next" in tag[0]), _MOST_LINKS):
        link = next(elements(_fragment(tag[0])), None)
        if link is not None and _leads_on(link):
            return attribute(link, "href").strip()
    return ""


def _breadcrumbs(text: str) -> Iterator[tuple[str, str]]:
    opening = next((tag for tag in _LIST.finditer(text) if "breadcrumb" in tag[0]), None)
    if opening is None:
        return
    end = text.find(f"</{opening['name']}", opening.end(), opening.end() + _LONGEST_LIST)
    for item in elements(_fragment(text[opening.start() : max(end, opening.end())]), "li"):
        # That of Read the Docs holds a link to the source as well.
        if any("aside" in name for name in classes(item)):
            continue
        if name := words(item):
            yield name, next((attribute(link, "href") for link in elements(item, "a")), "")


def _fragment(text: str) -> Node:
    return JustHTML(text, fragment=True, sanitize=False).root


def _leads_on(link: Element) -> bool:
    """Docusaurus and VitePress say it in classes."""
    named = set(classes(link))
    by_class = "pagination-nav__link--next" in named or {"pager-link", "next"} <= named
    return by_class or "next" in attribute(link, "rel").lower().split()


def main_content(document: JustHTML) -> Element | None:
    """The one `main` of the page, the one `article` in it, or else the body."""
    body = next(elements(document.root, "body"), None)
    if body is None:
        return None
    mains = [node for node in elements(body) if node.name == "main" or attribute(node, "role") == "main"]
    main = mains[0] if mains else body
    articles = list(elements(main, "article"))
    found = articles[0] if len(articles) == 1 else main
    _check_depth(found)
    return found


def _check_depth(element: Element) -> None:
    level: list[Node] = [element]
    for _ in range(_DEEPEST):
        level = [child for node in level for child in children(node)]
        if not level:
            return
    raise PageUnreadable(f"nests its tags more than {_DEEPEST} deep")


def children(node: Node) -> list[Node]:
    return node.children or []


def elements(node: Node, name: str = "") -> Iterator[Element]:
    """All elements below a node in the order of the page; of one name, where it is given."""
    waiting = children(node)[::-1]
    while waiting:
        found = waiting.pop()
        if isinstance(found, Element):
            if found.name == (name or found.name):
                yield found
            waiting += children(found)[::-1]


def texts(node: Node) -> Iterator[str]:
    """The texts in a node, hidden ones too."""
    waiting: list[Node] = [node]
    while waiting:
        found = waiting.pop()
        if isinstance(found, Text):
            yield found.data or ""
        else:
            waiting += children(found)[::-1]


def words(node: Node) -> str:
    return " ".join("".join(texts(node)).split())


def attribute(element: Element, name: str) -> str:
    return element.attrs.get(name) or ""


def classes(element: Element) -> list[str]:
    return attribute(element, "class").split()


def is_shown(node: Node) -> bool:
    """Whether a node is part of the content, and not of what surrounds it on every page."""
    if isinstance(node, Text):
        return True
    if not isinstance(node, Element) or node.name in _NO_CONTENT or attribute(node, "role") in _ROLES:
        return False
    if attribute(node, "aria-hidden") == "true" or not _NOT_READ.isdisjoint(classes(node)):
        return False
    if is_note_mark(node):
        return False
    match node.name:
        case "aside":
            return is_admonition(node)
        case "header":
            # The header of an article holds its title; that of a site holds its menu.
            return any(elements(node, "h1"))
        case _:
            # All panels of tabs but one are hidden until a reader chooses them.
            return "hidden" not in node.attrs or attribute(node, "role") == "tabpanel"


def is_note_mark(node: Node) -> bool:
    """The number in a text that leads to a footnote, and the one in the footnote that leads back."""
    if not isinstance(node, Element):
        return False
    is_mark = attribute(node, "role") in _NOTE_ROLES or "data-footnote-ref" in node.attrs
    return is_mark or not _NOTE_MARKS.isdisjoint(classes(node))


def is_tablist(element: Element) -> bool:
    """MkDocs has a class for it."""
    return attribute(element, "role") == "tablist" or "tabbed-labels" in classes(element)


def is_admonition(element: Element) -> bool:
    named = " ".join(attribute(element, name) for name in ("class", "aria-label", "role"))
    return any(name in named.lower() for name in _ADMONITIONS)


MOST_OPEN = 200
"""How many elements may be open at once; pages have about 30."""
_TAG = re.compile(r"<(?P<close>/?)(?P<name>[A-Za-z][^\s/>]*+)(?P<rest>[^<>]*+)")
_RAW = tuple(
    (re.compile(opens, re.IGNORECASE), re.compile(closes, re.IGNORECASE))
    for opens, closes in (("<!--", "-->"), ("<script", "</script"), ("<style", "</style"))
)
"""Elements whose content holds no tags, even where it looks like some."""
_NEVER_OPEN = {
    "area", "base", "body", "br", "col", "colgroup", "dd", "dt", "embed", "head", "hr", "html", "img",
    "input", "li", "link", "meta", "optgroup", "option", "p", "param", "rp", "rt", "source", "tbody", "td",
    "tfoot", "th", "thead", "tr", "track", "wbr",
}  # fmt: skip
"""Elements without an end tag, or that close each other."""
_SLASH = re.compile(r"(?:\A|[\s\"'])/\Z")
"""A slash at the end of a tag. After a value without quotes, the slash would be part of the value."""
_FOREIGN = ("svg", "math")
_HTML_IN_FOREIGN = ("foreignobject", "desc", "title", "annotation-xml")


def most_open_tags(text: str) -> int:
    """How many tags of a page are open at once: an estimate, in time that is in proportion to the text.

    For some tags every parser of HTML looks at all that are open, so that a page of nothing but tags that
    are never closed takes the square of its length: 40 kB took a second.
    """
    shown = text
    for opens, closes in _RAW:
        shown = remove_spans(shown, spans_between(shown, opens, closes), blank=" ")
    tags, count, most = Counter[str](), 0, 0
    for tag in _TAG.finditer(shown):
        name = tag["name"].lower()
        if name in _NEVER_OPEN or (tag["close"] and not tags[name]) or _closes_itself(tag, tags):
            continue
        step = -1 if tag["close"] else 1
        tags[name] += step
        count += step
        most = max(most, count)
    return most


def _closes_itself(tag: re.Match[str], tags: Counter[str]) -> bool:
    """`<path/>` does so in a drawing, and nowhere else."""
    if not _SLASH.search(tag["rest"]):
        return False
    return any(tags[name] for name in _FOREIGN) and not any(tags[name] for name in _HTML_IN_FOREIGN)
