"""An HTML page with its style sheet inside, and the parts that reports share."""

from __future__ import annotations

from collections.abc import Iterable
from html import escape


def document(title: str, parts: Iterable[str]) -> str:
    return (
        '<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f"<title>{escape(title)}</title>\n<style>{STYLE}</style>\n</head>\n<body>\n"
        + "\n".join(parts)
        + "\n</body>\n</html>\n"
    )


def card(value: str, label: str) -> str:
    return f'<div class="card"><b>{escape(value)}</b><span class="label">{escape(label)}</span></div>'


def figure(title: str, plot: str, caption: str) -> str:
    return f"<figure><h3>{escape(title)}</h3>{plot}<figcaption>{escape(caption)}</figcaption></figure>"


def percent(share: float | None) -> str:
    return "–" if share is None else f"{share:.1%}".replace(".0%", "%")


def number(value: float | None) -> str:
    return "–" if value is None else f"{value:.3f}"


STYLE = """
:root {
  --ink: #20242a; --soft: #697078; --rule: #e4e1d9; --paper: #fdfcf8; --card: #ffffff;
  --good: #1f6f78; --bad: #b5472e; --warm: #c58a1a;
}
* { box-sizing: border-box; }
html { background: var(--paper); color: var(--ink); }
body {
  margin: 0 auto; max-width: 68rem; padding: 3.5rem 1.5rem 5rem;
  font: 16px/1.55 "Iowan Old Style", "Palatino Linotype", Palatino, "Book Antiqua", Georgia, serif;
}
h1 {
  font-size: 2.5rem; line-height: 1.1; font-weight: 600; margin: .2rem 0 .5rem;
  letter-spacing: -.015em;
}
h2 { font-size: 1.35rem; font-weight: 600; margin: 3.2rem 0 .3rem; }
p { margin: .3rem 0 1rem; max-width: 44rem; }
.scroll + p { margin-top: .8rem; }
.kicker, th, .label, svg text, .tag {
  font-family: system-ui, -apple-system, "Segoe UI", Roboto, sans-serif;
}
.kicker {
  font-size: .74rem; letter-spacing: .14em; text-transform: uppercase; color: var(--good);
  font-weight: 600;
}
.soft, .lead { color: var(--soft); }
.cards {
  display: flex; flex-wrap: wrap; gap: 1px;
  background: var(--rule); border: 1px solid var(--rule); border-radius: 8px; overflow: hidden;
  margin: 2rem 0 0;
}
.card { flex: 1 1 10rem; background: var(--card); padding: 1rem 1.1rem 1.1rem; }
.card b {
  display: block; font-size: 2rem; line-height: 1.15; font-weight: 600;
  font-variant-numeric: lining-nums;
}
.label { font-size: .76rem; color: var(--soft); line-height: 1.35; display: block; }
table {
  border-collapse: collapse; width: 100%; margin: .8rem 0 0;
  font-variant-numeric: lining-nums tabular-nums;
}
th {
  font-size: .72rem; font-weight: 600; color: var(--soft); text-align: left; letter-spacing: .03em;
  border-bottom: 1px solid var(--ink); padding: .3rem .9rem .35rem 0; vertical-align: bottom;
}
td { border-bottom: 1px solid var(--rule); padding: .5rem .9rem .5rem 0; vertical-align: top; }
td:first-child { min-width: 13rem; }
th.n, td.n { text-align: right; white-space: nowrap; }
td .soft { font-size: .86rem; display: block; line-height: 1.4; }
.scroll { overflow-x: auto; }
.plots {
  display: grid; grid-template-columns: repeat(auto-fit, minmax(19rem, 1fr)); gap: 2.2rem;
  margin-top: 1rem;
}
figure { margin: 0; }
figcaption { font-size: .9rem; color: var(--soft); line-height: 1.45; margin-top: .4rem; }
figure h3 { font-size: 1.02rem; margin: 0 0 .4rem; font-weight: 600; }
svg { width: 100%; height: auto; display: block; overflow: visible; }
svg text { font-size: 11px; fill: var(--soft); }
svg .rule { stroke: var(--rule); }
svg .promise { stroke: var(--soft); stroke-dasharray: 4 4; }
svg .trend, svg .curve { fill: none; stroke: var(--good); }
svg .trend { stroke-width: 1.5; opacity: .45; }
svg .curve { stroke-width: 2.2; }
svg .curve.bad { stroke: var(--bad); }
svg .point { fill: var(--good); fill-opacity: .8; }
svg .part { fill: var(--good); }
svg .part.bad { fill: var(--bad); }
svg text.value { fill: var(--ink); paint-order: stroke; stroke: var(--paper); stroke-width: 4px; }
.bar {
  display: inline-block; width: 9rem; height: .55rem; background: #ecd9d2; border-radius: 2px;
  vertical-align: .02em;
}
.bar i { display: block; height: 100%; background: var(--good); border-radius: 2px; }
a { color: var(--good); text-decoration-thickness: 1px; text-underline-offset: 2px; }
code { font: .84em ui-monospace, "SF Mono", Menlo, Consolas, monospace; }
.tag {
  font-size: .7rem; color: var(--soft); border: 1px solid var(--rule); border-radius: 3px;
  padding: .05rem .35rem; white-space: nowrap;
}
.metrics { columns: 3 15rem; column-gap: 2.5rem; margin-top: .8rem; }
.metrics div {
  display: flex; justify-content: space-between; border-bottom: 1px solid var(--rule);
  padding: .22rem 0; break-inside: avoid;
}
@media print { body { max-width: none; padding: 0; } figure, tr { break-inside: avoid; } }
"""
