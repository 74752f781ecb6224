"""TeX as MathML, which browsers set by themselves."""

from __future__ import annotations

import re
from html import escape

from latex2mathml.converter import convert

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
