"""The parser's tokens as HTML; what it lets through is cleaned afterwards."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from html import escape
from urllib.parse import quote

from markdown_it import MarkdownIt
from markdown_it.renderer import RendererHTML
from markdown_it.token import Token
from markdown_it.utils import EnvType, OptionsDict

from glossator.ingest.check.pages import BookPage
from glossator.ingest.check.tags import is_statement
from glossator.ingest.parse import CUSTOM_ID
from glossator.preview.code import Info, code_figure
from glossator.preview.exports import Exports
from glossator.preview.footnotes import Footnotes
from glossator.preview.formula import formula, formula_block
from glossator.preview.markup import box, is_box, tags
from glossator.preview.sections import Section

_ALERT = re.compile(r"\[!(NOTE|TIP|IMPORTANT|WARNING|CAUTION)\]\s*")
"""How GitHub marks a quotation that is a box."""
_LIVE = "mdx-code-block"
"""A fence that Docusaurus takes off."""


class PageRenderer(RendererHTML):
    """A method for each type of token that is not set as the library sets it."""

    def __init__(
        self, md: MarkdownIt, page: BookPage, sections: Mapping[int, Section], footnotes: Footnotes
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
        return code_figure(token.content, Info.of(token.info.strip()))

    def code_block(self, tokens: Sequence[Token], idx: int, options: OptionsDict, env: EnvType) -> str:
        return code_figure(tokens[idx].content, Info.of(""))

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

    def _section(self, token: Token) -> Section | None:
        return self._sections.get(token.map[0]) if token.map else None


def _alignment(cell: Token) -> str:
    """As a class: no style stands in a page."""
    align = str(cell.attrs.get("style", "")).removeprefix("text-align:")
    return f' class="{align}"' if align in ("left", "center", "right") else ""
