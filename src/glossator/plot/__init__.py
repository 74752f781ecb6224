"""Plots as plain SVG, without scripts, fonts or external images.

Shapes have CSS classes and no colours, so that the page can style them for light and dark mode.
"""

from glossator.plot.bars import Bar, BarPart, ReliabilityBin, bars, meter, reliability, share

__all__ = ["Bar", "BarPart", "ReliabilityBin", "bars", "meter", "reliability", "share"]
