"""The parser's tokens as HTML; what it lets through is cleaned afterwards."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from html import escape
from itertools import islice
from urllib.parse import quote

from latex2mathml.converter import convert
from markdown_it import MarkdownIt
from markdown_it.renderer import RendererHTML
from markdown_it.token import Token
from markdown_it.utils import EnvType, OptionsDict
from pygments import highlight
from pygments.formatters.html import HtmlFormatter
from pygments.lexer import Lexer
from pygments.lexers import find_lexer_class_by_name
from pygments.util import ClassNotFound

from glossator.ingest.parse import CUSTOM_ID
from glossator.lint.pages import BookPage
from glossator.lint.tags import is_statement
from glossator.preview.markup import Footnotes, PageSection, box, is_box, tags

_ALERT = re.compile(r"\[!(NOTE|TIP|IMPORTANT|WARNING|CAUTION)\]\s*")
"""How GitHub marks a quotation that is a box."""
_LIVE = "mdx-code-block"
"""A fence that Docusaurus takes off."""


class PageRenderer(RendererHTML):
    """A method for each type of token that is not set as the library sets it."""

    def __init__(
        self, md: MarkdownIt, page: BookPage, sections: Mapping[int, PageSection], footnotes: Footnotes
    ) -> None:
        super().__init__()
        self._md = md
        self._page = page
        self._exports = Exports.of(page)
        self._sections = sections
        self._footnotes = footnotes

    def render_footnotes(self) -> str:
        if not self._footnotes.notes:
            return ""
        notes = "".join(
            f'<li id="fn-{escape(label)}">{self.render(note, self._md.options, {})}'
            f'<a class="back" href="#fnref-{quote(label)}" aria-label="Back to the text">↩</a></li>\n'
            for label, note in self._footnotes.notes.items()
        )
        return f'<section class="footnotes" aria-label="Footnotes"><ol>\n{notes}</ol></section>\n'

    def footnote_ref(self, tokens: Sequence[Token], idx: int, options: OptionsDict, env: EnvType) -> str:
        meta = tokens[idx].meta
        label = str(meta["label"])
        number = self._footnotes.numbers.get(label)
        if number is None:
            return escape(f"[^{label}]")
        # The first mark is where the note leads back to.
        own = f' id="fnref-{escape(label)}"' if meta["subId"] == 0 else ""
        return f'<sup class="mark"{own}><a href="#fn-{quote(label)}">{number}</a></sup>'

    def heading_open(self, tokens: Sequence[Token], idx: int, options: OptionsDict, env: EnvType) -> str:
        token, section = tokens[idx], self._section(tokens[idx])
        own = f' id="{escape(section.anchor)}"' if section and section.anchor else ""
        return f"<{token.tag}{own}>"

    def heading_close(self, tokens: Sequence[Token], idx: int, options: OptionsDict, env: EnvType) -> str:
        token, section = tokens[idx], self._section(tokens[idx - 2])
        if section is None or not section.anchor:
            return f"</{token.tag}>\n"
        label = escape(f"Link to “{section.title}”")
        return f'<a class="anchor" href="#{quote(section.anchor)}" aria-label="{label}"></a></{token.tag}>\n'

    def text(self, tokens: Sequence[Token], idx: int, options: OptionsDict, env: EnvType) -> str:
        content = tokens[idx].content
        alert = _ALERT.fullmatch(content) if idx == 0 else None
        if alert:
            return f'<span class="alert {alert[1].lower()}">{alert[1].capitalize()}</span>'
        if idx == len(tokens) - 1:
            content = CUSTOM_ID.sub("", content)
        return escape(self._exports.fill(content), quote=False)

    def fence(self, tokens: Sequence[Token], idx: int, options: OptionsDict, env: EnvType) -> str:
        token = tokens[idx]
        if token.info.strip() == _LIVE:
            return tags(token.content, self._exports.components)
        return code_figure(token.content, FenceInfo.of(token.info.strip()))

    def code_block(self, tokens: Sequence[Token], idx: int, options: OptionsDict, env: EnvType) -> str:
        return code_figure(tokens[idx].content, FenceInfo.of(""))

    def markup(self, tokens: Sequence[Token], idx: int, options: OptionsDict, env: EnvType) -> str:
        token = tokens[idx]
        if is_statement(self._page, token):
            return ""
        source = self._page.source_of(token)
        if is_box(source):
            return box(source, self._md.renderInline(token.content) if token.content else "")
        return tags(source, self._exports.components)

    def html_inline(self, tokens: Sequence[Token], idx: int, options: OptionsDict, env: EnvType) -> str:
        return tags(tokens[idx].content, self._exports.components)

    def table_open(self, tokens: Sequence[Token], idx: int, options: OptionsDict, env: EnvType) -> str:
        return '<div class="table" tabindex="0"><table>\n'

    def table_close(self, tokens: Sequence[Token], idx: int, options: OptionsDict, env: EnvType) -> str:
        return "</table></div>\n"

    def th_open(self, tokens: Sequence[Token], idx: int, options: OptionsDict, env: EnvType) -> str:
        return f'<th scope="col"{_alignment(tokens[idx])}>'

    def td_open(self, tokens: Sequence[Token], idx: int, options: OptionsDict, env: EnvType) -> str:
        return f"<td{_alignment(tokens[idx])}>"

    def math_inline(self, tokens: Sequence[Token], idx: int, options: OptionsDict, env: EnvType) -> str:
        return formula(tokens[idx].content)

    def math_inline_double(
        self, tokens: Sequence[Token], idx: int, options: OptionsDict, env: EnvType
    ) -> str:
        return formula(tokens[idx].content)

    def math_block(self, tokens: Sequence[Token], idx: int, options: OptionsDict, env: EnvType) -> str:
        return formula_block(tokens[idx].content)

    def math_block_label(self, tokens: Sequence[Token], idx: int, options: OptionsDict, env: EnvType) -> str:
        return formula_block(tokens[idx].content, tokens[idx].info)

    def _section(self, token: Token) -> PageSection | None:
        return self._sections.get(token.map[0]) if token.map else None


def _alignment(cell: Token) -> str:
    """As a class: no style stands in a page."""
    align = str(cell.attrs.get("style", "")).removeprefix("text-align:")
    return f' class="{align}"' if align in ("left", "center", "right") else ""


# Code as a figure, its words told apart by classes.

_LANGUAGE = re.compile(r"\{?\s*\.?([\w+#-]+)(?=[\s,{}:]|$)")
_TITLE = re.compile(r"\btitle=(?:\"([^\"]*)\"|'([^']*)')")
_MARKED = re.compile(r"\{([\d,\s-]+)\}|\bhl_lines=[\"']([\d\s-]+)[\"']")
_DIAGRAM = "mermaid"
_MOST_MARKED = 10_000
_LONGEST_COLOURED = 10_000
"""Characters; some languages take the square of the length, and what is longer is no example to read."""


@dataclass(frozen=True, slots=True)
class FenceInfo:
    """What stands behind the marks that open a fence, as Docusaurus, MkDocs and mdBook write it."""

    language: str
    title: str
    marked: tuple[int, ...]
    """Lines that stand out."""

    @classmethod
    def of(cls, written: str) -> FenceInfo:
        language, title = _LANGUAGE.match(written), _TITLE.search(written)
        marked = _MARKED.search(written)
        return cls(
            language=language[1].lower() if language else "",
            title=(title[1] or title[2] or "") if title else "",
            marked=tuple(islice(_lines(marked[1] or marked[2]), _MOST_MARKED)) if marked else (),
        )


def code_figure(code: str, info: FenceInfo) -> str:
    caption = info.title or ("Diagram, in Mermaid" if info.language == _DIAGRAM else "")
    language = info.language if len(code) <= _LONGEST_COLOURED else ""
    words = highlight(code, _lexer(language), HtmlFormatter[str](nowrap=True, hl_lines=info.marked))
    shown = f"<figcaption>{escape(caption)}</figcaption>" if caption else ""
    kind = f' class="language-{escape(info.language)}"' if info.language else ""
    return f'<figure class="code">{shown}<pre tabindex="0"><code{kind}>{words}</code></pre></figure>\n'


def _lexer(language: str) -> Lexer:
    try:
        return find_lexer_class_by_name(language)(stripnl=False)
    except ClassNotFound:
        return find_lexer_class_by_name("text")(stripnl=False)


def _lines(written: str) -> Iterator[int]:
    """`1,4-6` are four of them."""
    for first, last in re.findall(r"(\d{1,6})(?:-(\d{1,6}))?", written):
        yield from range(int(first), min(int(last or first), int(first) + _MOST_MARKED) + 1)


# TeX as MathML, which browsers set by themselves.

_ALIGNED = re.compile(r"\\(begin|end)\{(?:aligned|split|gathered)\}")
_LONGEST = 4000


def formula(tex: str) -> str:
    """In a line of text."""
    return _mathml(tex, "inline") or _as_written(tex)


def formula_block(tex: str, label: str = "") -> str:
    shown = _mathml(tex, "block") or _as_written(tex)
    number = f'<span class="label">({escape(label)})</span>' if label else ""
    return f'<div class="formula" tabindex="0">{shown}{number}</div>\n'


def _mathml(tex: str, display: str) -> str | None:
    """None for what is too long or is no TeX that the converter knows."""
    if len(tex) > _LONGEST:
        return None
    try:
        # It has the outer environments only; inside of a formula they look the same.
        return convert(_ALIGNED.sub(r"\\\1{align*}", tex.strip()), display=display)
    except Exception:  # noqa: BLE001  its errors have no name in common, and broken TeX is no failure of ours
        return None


def _as_written(tex: str) -> str:
    return f'<code class="tex">{escape(tex.strip())}</code>'


# The plain values and components that a page of MDX defines for itself, put in where it uses them.

_END = r"[ \t]*+;?[ \t]*+$"
_VALUE = re.compile(
    r"^export\s+const\s+([A-Za-z_$][\w$]*)\s*=\s*(?:(-?\d[\d.]*)|'([^'\n\\]*)'|\"([^\"\n\\]*)\")"
    rf"{_END}",
    re.MULTILINE,
)
_COMPONENT = re.compile(rf"^export\s+const\s+([A-Z]\w*)\s*=\s*\(\)\s*=>\s*(<.*>){_END}", re.MULTILINE)
_USED = re.compile(r"\{\s*([A-Za-z_$][\w$]*)\s*\}")


@dataclass(frozen=True, slots=True)
class Exports:
    values: Mapping[str, str]
    """Numbers and texts."""
    components: Mapping[str, str]
    """Tags on one line, by the name of the component in small letters; what they hold is still JSX."""

    @classmethod
    def of(cls, page: BookPage) -> Exports:
        sources = [page.source_of(token) for token in page.tokens if is_statement(page, token)]
        statements = "\n".join(sources)
        values = {name: "".join(value) for name, *value in _VALUE.findall(statements)}
        filled = cls(values, {})
        components = {
            name.lower(): filled.fill(tags, escaped=True) for name, tags in _COMPONENT.findall(statements)
        }
        return cls(values, components)

    def fill(self, text: str, *, escaped: bool = False) -> str:
        """The text with the values in the place of their names; what is not known here stays as it is."""

        def value(used: re.Match[str]) -> str:
            known = self.values.get(used[1])
            return used[0] if known is None else escape(known) if escaped else known

        return _USED.sub(value, text) if self.values else text
