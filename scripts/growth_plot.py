"""The results of `make growth` as four small plots, both axes in powers of ten."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import pairwise
from math import ceil, floor, log10

from growth_report import Result, figure

from glossator.plot.bars import line, svg, text

WIDTH, HEIGHT = 330, 190
LEFT, RIGHT, TOP, BOTTOM = 52, 16, 34, 26
KINDS = {"embedded": "embedded", "server": "server"}
"""The class of each engine."""
STYLE = (
    "<style>text{font-family:sans-serif;font-size:11px;fill:#333}.title{font-size:12px;font-weight:600}"
    ".grid{stroke:#ccc;stroke-width:.5}.limit{stroke:#b91c1c;stroke-dasharray:3 3}.embedded{stroke:#2563eb;fill:#2563eb}"
    ".server{stroke:#d97706;fill:#d97706}line.embedded,line.server{stroke-width:2}text.embedded,text.server{stroke:none}"
    "@media(prefers-color-scheme:dark){text{fill:#ddd}.grid{stroke:#555}.embedded{stroke:#60a5fa;fill:#60a5fa}"
    ".server{stroke:#fbbf24;fill:#fbbf24}}</style>"
)

Point = tuple[float, float]


def plot(results: Iterable[Result]) -> str:
    """Of the runs with cheap vectors, which all sizes have; CPU of our process, which other programs hardly disturb."""
    measured = sorted(
        (result for result in results if result["vectors"] == "stand-in"), key=lambda result: result["size"]
    )
    panels = [
        panel("A search, ms of CPU", measured, lambda result: figure(result, "search", "cpu_ms")),
        panel("Start, s of CPU", measured, lambda result: figure(result, "start", "cpu_seconds")),
        panel("Peak memory of an ingest, MB (wanted: 1,500)", measured, peak, limit=1500),
        panel(
            "Edit of one page, s of CPU", measured, lambda result: figure(result, "edit_named", "cpu_seconds")
        ),
    ]
    corners = [(left, top) for top in (0, HEIGHT) for left in (0, WIDTH)]
    drawn = [
        f'<g transform="translate({left} {top})">{panel}</g>'
        for (left, top), panel in zip(corners, panels, strict=True)
    ]
    name = "How search, start, memory and edits grow with the number of chunks, embedded and on a server"
    legend = [text(LEFT, 2 * HEIGHT + 14, "embedded", "start", "embedded"),
              text(LEFT + 70, 2 * HEIGHT + 14, "server", "start", "server")]  # fmt: skip
    picture = svg(2 * WIDTH, 2 * HEIGHT + 22, [STYLE, *drawn, *legend], name=name)
    return picture.replace("<svg ", '<svg xmlns="http://www.w3.org/2000/svg" ', 1) + "\n"


def peak(result: Result) -> float:
    return figure(result, "first_ingest", "peak_mb")


def panel(
    title: str, results: Sequence[Result], value: Callable[[Result], float], limit: float | None = None
) -> str:
    series = {
        engine: [
            (result["size"], value(result))
            for result in results
            if result["engine"] == engine and value(result) > 0
        ]
        for engine in KINDS
    }
    points = [point for of_engine in series.values() for point in of_engine]
    if not points:
        return ""
    sizes = [size for size, _ in points]
    values = [number for _, number in points] + ([limit] if limit else [])
    axes = Axes(decades(sizes), decades(values))
    parts = [text(8, 20, title, "start", "title"), *axes.grid()]
    if limit:
        parts.append(line(axes.at((10 ** axes.x[0], limit)), axes.at((10 ** axes.x[1], limit)), "limit"))
    for engine, of_engine in series.items():
        parts += curve([axes.at(point) for point in of_engine], KINDS[engine])
    return "".join(parts)


def decades(numbers: Sequence[float]) -> tuple[int, int]:
    first, last = floor(log10(min(numbers))), ceil(log10(max(numbers)))
    return first, max(last, first + 1)


class Axes:
    """Both logarithmic, over whole powers of ten."""

    def __init__(self, x: tuple[int, int], y: tuple[int, int]) -> None:
        self.x, self.y = x, y

    def at(self, point: Point) -> Point:
        across, up = (
            (log10(number) - first) / (last - first)
            for number, (first, last) in zip(point, (self.x, self.y), strict=True)
        )
        return (
            round(LEFT + across * (WIDTH - LEFT - RIGHT), 1),
            round(HEIGHT - BOTTOM - up * (HEIGHT - TOP - BOTTOM), 1),
        )

    def grid(self) -> Iterator[str]:
        for power in range(self.y[0], self.y[1] + 1):
            left, y = self.at((10 ** self.x[0], 10**power))
            yield line((left, y), (WIDTH - RIGHT, y), "grid")
            yield text(left - 6, y + 4, f"{10**power:,g}", "end")
        for power in range(self.x[0], self.x[1] + 1):
            x, bottom = self.at((10**power, 10 ** self.y[0]))
            yield text(x, bottom + 15, f"{10**power:,}", "middle")


def curve(points: Sequence[Point], kind: str) -> Iterator[str]:
    for (x, y), after in pairwise(points):
        yield line((x, y), after, kind)
    for x, y in points:
        yield f'<circle cx="{x}" cy="{y}" r="3" class="{kind}"/>'
