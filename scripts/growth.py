"""How the index grows with the book: `make growth`. The figures of docs/scale.md.

    python scripts/growth.py                                   5,000 to 1,000,000 chunks, both engines: hours
    python scripts/growth.py --sizes 5000 20000 --engines embedded
    python scripts/growth.py --table                           what was measured so far

A book of each size is ingested, searched and edited with the embedded index and on a Qdrant server. Up to
`--real-up-to` chunks once with the bundled model, and at every size with a stand-in that makes vectors cheaply
(`growth_steps.StandIn`), so that sizes can be compared. A result is written as soon as it is there, and is not
measured again: remove its line to do so.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import socket
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import asdict
from pathlib import Path
from typing import NamedTuple

from bench_index import bytes_under
from cached import cache_folder
from get_qdrant import get_qdrant
from growth_book import Corpus, write_book
from growth_plot import plot
from growth_report import Result, table
from growth_steps import Stage

ROOT = Path(__file__).parents[1]
STEPS_SCRIPT = Path(__file__).with_name("growth_steps.py")
STEPS = (
    "first_ingest",
    "start",
    "search",
    "answer",
    "again",
    "edit_named",
    "edit_whole",
    "chapters",
    "fit",
    "lint",
)
ENGINES = ("embedded", "server")
KILOBYTES_NEEDED = {"real": 120, "stand-in": 30}
"""Disk a chunk while it is measured: book, cache, and the index once more for an edit."""
MOST_GIGABYTES, SPARE_GIGABYTES = 30, 8
SECONDS_TO_START = 600


class Case(NamedTuple):
    size: int
    engine: str
    vectors: str

    @property
    def name(self) -> str:
        return f"{self.size}-{self.engine}-{self.vectors}"


def main() -> None:
    options = parse()
    results_file: Path = options.folder / "results.jsonl"
    measured = read_results(results_file)
    for case in cases(options) if not options.table else ():
        if case.name in measured:
            continue
        if refusal := too_large(case, options.folder):
            print(f"growth: {case.name} is left out: {refusal}", file=sys.stderr)
            continue
        measured[case.name] = result = measure(case, options)
        with results_file.open("a", encoding="utf-8") as file:
            file.write(json.dumps(result) + "\n")
        print(json.dumps(result), flush=True)
    print(table(measured.values()))
    if options.plot:
        options.plot.write_text(plot(measured.values()), encoding="utf-8")


def parse() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--data", type=Path, default=ROOT.parent / "shared" / "data")
    parser.add_argument("--sizes", type=int, nargs="+", default=[5_000, 50_000, 200_000, 1_000_000])
    parser.add_argument("--engines", nargs="+", choices=ENGINES, default=ENGINES)
    parser.add_argument("--real-up-to", type=int, default=50_000, help="chunks that the model embeds")
    parser.add_argument("--questions", type=int, default=400)
    parser.add_argument("--answers", type=int, default=100)
    parser.add_argument("--steps", nargs="+", choices=STEPS, default=STEPS)
    parser.add_argument("--folder", type=Path, default=cache_folder() / "growth")
    parser.add_argument("--plot", type=Path, help="an .svg to write the plot to")
    parser.add_argument("--table", action="store_true", help="measure nothing")
    options = parser.parse_args()
    options.folder.mkdir(parents=True, exist_ok=True)
    return options


def read_results(file: Path) -> dict[str, Result]:
    lines = file.read_text(encoding="utf-8").splitlines() if file.exists() else []
    results = [json.loads(line) for line in lines]
    return {Case(result["size"], result["engine"], result["vectors"]).name: result for result in results}


def cases(options: argparse.Namespace) -> Iterator[Case]:
    for size in sorted(options.sizes):
        for vectors in ("stand-in", *(["real"] if size <= options.real_up_to else [])):
            yield from (Case(size, engine, vectors) for engine in options.engines)


def too_large(case: Case, folder: Path) -> str | None:
    needed = case.size * KILOBYTES_NEEDED[case.vectors] / 1e6
    free = shutil.disk_usage(folder).free / 1e9 - SPARE_GIGABYTES
    allowed = min(free, MOST_GIGABYTES)
    return f"it may need {needed:.1f} GB of disk, and may take {allowed:.1f}" if needed > allowed else None


def measure(case: Case, options: argparse.Namespace) -> Result:
    chunks_file = options.data / "chunks-5000.jsonl.gz"
    book, scratch = options.folder / f"book-{case.size}", options.folder / case.name
    write_book(Corpus.read(chunks_file), book, case.size)
    shutil.rmtree(scratch, ignore_errors=True)
    scratch.mkdir()
    result: Result = {
        **case._asdict(),
        "cores": os.cpu_count(),
        "measured_at": time.strftime("%Y-%m-%d %H:%M"),
    }
    with ExitStack() as opened:
        opened.callback(shutil.rmtree, scratch)
        server = opened.enter_context(qdrant_server(scratch)) if case.engine == "server" else None
        stage = Stage(
            begun=0.0,
            chunks_file=str(chunks_file),
            size=case.size,
            book=str(book),
            home=str(scratch / "home"),
            qdrant=server.url if server else None,
            vectors=case.vectors,
            questions=options.questions,
            answers=options.answers,
        )
        for step in options.steps:
            print(f"growth: {case.name} {step}", file=sys.stderr, flush=True)
            result[step] = run_step(step, stage)
            if step == "first_ingest":
                result |= weight(scratch, result[step]["passages"])
            if server:
                result[step]["server_peak_mb"] = server.peak_megabytes()
    return result


def run_step(step: str, stage: Stage) -> Result:
    """What the step says of itself, and the peak of its process's memory; or how it failed."""
    options = json.dumps(asdict(stage) | {"begun": time.time()})
    command = [sys.executable, STEPS_SCRIPT, step, options]
    with subprocess.Popen(command, stdout=subprocess.PIPE) as process:
        peak = Peak(process.pid)
        while process.poll() is None:
            peak.look()
            time.sleep(0.05)
        said = process.communicate()[0]
    figures = json.loads(said) if process.returncode == 0 else {"failed": process.returncode}
    return figures | {"peak_mb": round(peak.resident), "peak_own_mb": round(peak.own)}


class Peak:
    """The highest memory of a process, in megabytes, as far as it was looked at."""

    def __init__(self, pid: int) -> None:
        self._status = Path(f"/proc/{pid}/status")
        self.resident = 0.0
        self.own = 0.0
        """Without the pages of mapped files, which the system takes back when it needs memory."""

    def look(self) -> None:
        try:
            lines = dict(line.split(":", 1) for line in self._status.read_text().splitlines())
            self.resident = max(self.resident, _megabytes(lines["VmHWM"]))
            self.own = max(self.own, _megabytes(lines["RssAnon"]))
        except (OSError, KeyError):
            # It has just ended.
            return


def _megabytes(kilobytes: str) -> float:
    return int(kilobytes.split()[0]) / 1024


def weight(scratch: Path, passages: int) -> dict[str, float]:
    """Bytes on disk a passage: of the index, without a server's log, and of the cache of an ingest."""
    home, segments = scratch / "home", scratch.glob("storage/collections/*/0/segments")
    index = bytes_under(home / "generations") + sum(map(bytes_under, segments))
    cache = sum(512 * file.stat().st_blocks for file in home.glob("cache.sqlite*"))
    return {"index_bytes": round(index / passages), "cache_bytes": round(cache / passages)}


class Server(NamedTuple):
    url: str
    pid: int

    def peak_megabytes(self) -> int:
        peak = Peak(self.pid)
        peak.look()
        return round(peak.resident)


@contextmanager
def qdrant_server(folder: Path) -> Iterator[Server]:
    ports = free_ports(2)
    environment = {
        "QDRANT__SERVICE__HOST": "127.0.0.1",
        "QDRANT__SERVICE__HTTP_PORT": str(ports[0]),
        "QDRANT__SERVICE__GRPC_PORT": str(ports[1]),
        "QDRANT__STORAGE__STORAGE_PATH": str(folder / "storage"),
        "QDRANT__STORAGE__SNAPSHOTS_PATH": str(folder / "snapshots"),
    }
    with (folder / "qdrant.log").open("wb") as log:
        command = [get_qdrant(), "--disable-telemetry"]
        process = subprocess.Popen(command, cwd=folder, env=os.environ | environment, stdout=log, stderr=log)
        try:
            url = f"http://127.0.0.1:{ports[0]}"
            wait_until_ready(url)
            yield Server(url, process.pid)
        finally:
            process.kill()
            process.wait()


def free_ports(count: int) -> Sequence[int]:
    with ExitStack() as opened:
        probes = [opened.enter_context(socket.socket()) for _ in range(count)]
        for probe in probes:
            probe.bind(("127.0.0.1", 0))
        return [probe.getsockname()[1] for probe in probes]


def wait_until_ready(url: str) -> None:
    deadline = time.monotonic() + SECONDS_TO_START
    while time.monotonic() < deadline:
        try:
            urllib.request.urlopen(f"{url}/readyz", timeout=1).close()
            return
        except OSError:
            time.sleep(0.05)
    raise SystemExit("growth: the Qdrant server did not start")


if __name__ == "__main__":
    main()
