"""Plots as SVG, drawn by hand: no script, no font, no picture from elsewhere.

What is drawn has classes and no colours: the page that shows it says how it looks, in light and in dark.
"""

from glossator.plot.bars import Bar, BarPart, Kept, bars, meter, reliability, share

__all__ = ["Bar", "BarPart", "Kept", "bars", "meter", "reliability", "share"]
