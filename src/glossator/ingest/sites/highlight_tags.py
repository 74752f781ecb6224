"""Tags of templates that show what stands between them as code, as fences."""

from __future__ import annotations

import re
from collections.abc import Iterator

from glossator.ingest.sites.site import Directive
from glossator.ingest.write_markdown import fenced, lines_of
from glossator.model import Span
from glossator.text.spans import Spans, code_spans

_OPENS = re.compile(
    r"^(?P<indent>[ \t]*+)\{(?:%-?|\{[<%])[ \t]*+highlight[ \t]++\"?(?P<language>[\w+#.-]++)"
    r"[^{}]*+\}\}?+",
    re.MULTILINE,
)
_CLOSES = re.compile(r"\{(?:%-?[ \t]*+end|\{[<%][ \t]*+/[ \t]*+)highlight[ \t]*+-?[%>]\}\}?+")


def highlight_tags(text: str) -> Iterator[Directive]:
    """`{% highlight ruby %} .. {% endhighlight %}` of Jekyll, `{{< highlight go >}}` of Hugo."""
    code, position = Spans(code_spans(text)) if "highlight" in text else Spans([]), 0
    while opening := _OPENS.search(text, position):
        closing = _CLOSES.search(text, opening.end())
        if closing is None:
            return
        position = closing.end()
        if not code.touch(Span(*opening.span())):
            lines = lines_of(text[opening.end() : closing.start()].strip("\n").rstrip())
            listing = fenced(lines, opening["language"], opening["indent"])
            yield Directive(Span(opening.start(), position), (), lambda _, listing=listing: listing)
