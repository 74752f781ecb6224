"""Renders the parser's tokens as HTML, with code, formulas and MDX exports; not yet sanitized."""

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
from glossator.preview.markup import Footnotes, PageSection, container, tags
from glossator.text.markdown import code_title

_ALERT = re.compile(r"\[!(NOTE|TIP|IMPORTANT|WARNING|CAUTION)\]\s*")
"""GitHub's syntax for a blockquote that is a box."""
_MDX_FENCE = "mdx-code-block"
"""A fence that Docusaurus removes, to render its content."""


class PageRenderer(RendererHTML):
    """Overrides the library for each type of token that has a method here."""

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
        # The footnote links back to its first reference.
        id_attribute = f' id="fnref-{escape(label)}"' if meta["subId"] == 0 else ""
        return f'<sup class="mark"{id_attribute}><a href="#fn-{quote(label)}">{number}</a></sup>'

    def heading_open(self, tokens: Sequence[Token], idx: int, options: OptionsDict, env: EnvType) -> str:
        token, section = tokens[idx], self._section(tokens[idx])
        id_attribute = f' id="{escape(section.anchor)}"' if section and section.anchor else ""
        return f"<{token.tag}{id_attribute}>"

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
        if token.info.strip() == _MDX_FENCE:
            return tags(token.content, self._exports.components)
        return code_figure(token.content, FenceInfo.of(token.info.strip()))

    def code_block(self, tokens: Sequence[Token], idx: int, options: OptionsDict, env: EnvType) -> str:
        return code_figure(tokens[idx].content, FenceInfo.of(""))

    def markup(self, tokens: Sequence[Token], idx: int, options: OptionsDict, env: EnvType) -> str:
        token = tokens[idx]
        if is_statement(self._page, token):
            return ""
        if token.info:
            return container(token, self._md.renderInline(token.content) if token.content else "")
        return tags(self._page.source_of(token), self._exports.components)

    def template(self, tokens: Sequence[Token], idx: int, options: OptionsDict, env: EnvType) -> str:
        return escape(tokens[idx].content)

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
    """Written as a class, since pages have no inline styles."""
    align = str(cell.attrs.get("style", "")).removeprefix("text-align:")
    return f' class="{align}"' if align in ("left", "center", "right") else ""


_LANGUAGE = re.compile(r"\{?\s*\.?([\w+#-]+)(?=[\s,{}:]|$)")
_MARKED = re.compile(r"\{([\d,\s-]+)\}|\bhl_lines=[\"']([\d\s-]+)[\"']")
_DIAGRAM = "mermaid"
_MOST_MARKED = 10_000
_LONGEST_HIGHLIGHTED = 10_000
"""Characters; some lexers take quadratic time, and longer code is no example to read."""
_LONGEST_BLANK = 400
"""Characters; at each of many empty lines, lexers look for the end of all of them."""


@dataclass(frozen=True, slots=True)
class FenceInfo:
    """The info string after an opening fence, as Docusaurus, MkDocs and mdBook write it."""

    language: str
    title: str
    marked: tuple[int, ...]
    """Highlighted lines."""

    @classmethod
    def of(cls, info: str) -> FenceInfo:
        language, marked = _LANGUAGE.match(info), _MARKED.search(info)
        return cls(
            language=language[1].lower() if language else "",
            title=code_title(info),
            marked=tuple(islice(_lines(marked[1] or marked[2]), _MOST_MARKED)) if marked else (),
        )


def code_figure(code: str, info: FenceInfo) -> str:
    caption = info.title or ("Diagram, in Mermaid" if info.language == _DIAGRAM else "")
    language = info.language if _can_be_highlighted(code) else ""
    html = highlight(code, _lexer(language), HtmlFormatter[str](nowrap=True, hl_lines=info.marked))
    figcaption = f"<figcaption>{escape(caption)}</figcaption>" if caption else ""
    kind = f' class="language-{escape(info.language)}"' if info.language else ""
    return f'<figure class="code">{figcaption}<pre tabindex="0"><code{kind}>{html}</code></pre></figure>\n'


def _can_be_highlighted(code: str) -> bool:
    longest_blank = max(map(len, re.findall(r"\s+", code)), default=0)
    return len(code) <= _LONGEST_HIGHLIGHTED and longest_blank <= _LONGEST_BLANK


def _lexer(language: str) -> Lexer:
    try:
        return find_lexer_class_by_name(language)(stripnl=False)
    except ClassNotFound:
        return find_lexer_class_by_name("text")(stripnl=False)


def _lines(ranges: str) -> Iterator[int]:
    """`1,4-6` is 1, 4, 5, 6."""
    for first, last in re.findall(r"(\d{1,6})(?:-(\d{1,6}))?", ranges):
        yield from range(int(first), min(int(last or first), int(first) + _MOST_MARKED) + 1)


_ALIGNED = re.compile(r"\\(begin|end)\{(?:aligned|split|gathered)\}")
_LONGEST = 4000


def formula(tex: str) -> str:
    """An inline formula, as MathML."""
    return _mathml(tex, "inline") or _as_written(tex)


def formula_block(tex: str, label: str = "") -> str:
    formula_html = _mathml(tex, "block") or _as_written(tex)
    number = f'<span class="label">({escape(label)})</span>' if label else ""
    return f'<div class="formula" tabindex="0">{formula_html}{number}</div>\n'


def _mathml(tex: str, display: str) -> str | None:
    """None if the TeX is too long or the converter does not know it."""
    if len(tex) > _LONGEST:
        return None
    try:
        # The converter knows only the outer environments; inside a formula they look the same.
        return convert(_ALIGNED.sub(r"\\\1{align*}", tex.strip()), display=display)
    except Exception:  # noqa: BLE001  its errors share no base class, and broken TeX is no error of ours
        return None


def _as_written(tex: str) -> str:
    return f'<code class="tex">{escape(tex.strip())}</code>'


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
    """The constants and components that an MDX page exports, to be filled in where it uses them."""

    values: Mapping[str, str]
    """Numbers and strings."""
    components: Mapping[str, str]
    """JSX on one line, by the lowercase name of the component."""

    @classmethod
    def of(cls, page: BookPage) -> Exports:
        sources = [page.source_of(token) for token in page.tokens if is_statement(page, token)]
        statements = "\n".join(sources)
        values = {name: "".join(value) for name, *value in _VALUE.findall(statements)}
        constants = cls(values, {})
        components = {
            name.lower(): constants.fill(tags, escaped=True) for name, tags in _COMPONENT.findall(statements)
        }
        return cls(values, components)

    def fill(self, text: str, *, escaped: bool = False) -> str:
        """Replaces `{name}` by its value; unknown names stay as they are."""

        def replacement(match: re.Match[str]) -> str:
            value = self.values.get(match[1])
            return match[0] if value is None else escape(value) if escaped else value

        return _USED.sub(replacement, text) if self.values else text
