"""Glossator beside other products, one after the other on the same two cores: the figures of docs/benchmarks.md.

    make bench-peers                                   everything: one to one and a half hours on two idle cores
    make bench-peers PEERS="--limit 5"                 five questions and a few pages of each book
    make bench-peers PEERS="--only txtai --corpus rust-book"

Writes results.json, report.md and peers.svg to build/peers, anew after each product.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import median, quantiles
from typing import Any

from cached import cache_folder

from peers.corpora import Corpus, corpora_of
from peers.environments import python_of
from peers.names import PRODUCTS
from peers.plot import plot
from peers.product import pages_of
from peers.report import report
from peers.score import K, scored
from peers.weights import TOKENS, export_model, tokens_of

ROOT = Path(__file__).parents[2]
OFFLINE = {"HF_HUB_OFFLINE": "1", "TRANSFORMERS_OFFLINE": "1", "HAYSTACK_TELEMETRY_ENABLED": "False"}
JOB_SECONDS = 3600

Figures = dict[str, Any]


def main() -> None:
    options = arguments()
    root = cache_folder() / "bench" / "peers"
    bench = Bench(root, export_model(root / "model"), options.out)
    options.out.mkdir(parents=True, exist_ok=True)
    results: Figures = {"limit": options.limit, "started": time.strftime("%Y-%m-%d %H:%M UTC", time.gmtime())}
    results["corpora"] = {}
    with tempfile.TemporaryDirectory() as scratch:
        for corpus in corpora_of(options.data, Path(scratch), options.limit):
            if options.corpus and corpus.name not in options.corpus:
                continue
            of_corpus = results["corpora"][corpus.name] = {}
            for name in options.only or PRODUCTS:
                of_corpus[name] = bench.measured(name, corpus)
                write(results, options.out)


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--data", type=Path, required=True, help="a folder like shared/data")
    parser.add_argument("--out", type=Path, default=ROOT / "build" / "peers")
    parser.add_argument("--only", action="append", choices=list(PRODUCTS), help="may be given again")
    parser.add_argument("--corpus", action="append", metavar="NAME", help="may be given again")
    parser.add_argument("--limit", type=int, help="questions of a set, and first pages of a book")
    return parser.parse_args()


@dataclass(frozen=True)
class Bench:
    root: Path
    """Of the environments."""
    model: Path
    out: Path

    def measured(self, name: str, corpus: Corpus) -> Figures:
        """A product that fails is reported, and the others go on."""
        say(f"{corpus.name}: {name} …")
        home = Path(tempfile.mkdtemp(prefix=f"peers-{name}-"))
        try:
            figures = self._figures(name, corpus, home)
        except subprocess.SubprocessError as problem:
            figures = {"error": str(problem)}
        finally:
            shutil.rmtree(home)
        say(f"{corpus.name}: {name} {json.dumps(figures)}")
        return figures

    def _figures(self, name: str, corpus: Corpus, home: Path) -> Figures:
        job = {"product": name, "home": str(home), "model": str(self.model)}
        packages = PRODUCTS[name].packages
        ingest = self._run({**job, "task": "ingest", "folder": str(corpus.folder), "packages": packages})
        questions = [question.text for question in corpus.questions]
        search = self._run({**job, "task": "search", "questions": questions, "k": K})
        return {
            "ingest": ingest | rates(ingest, tokens_of(pages_of(corpus.folder), self.model)),
            "search": search_figures(search),
            "sets": scored(corpus, search["found"]),
        }

    def _run(self, job: Figures) -> Figures:
        python = python_of(job["product"], self.root)
        path = [str(ROOT / "bench"), *([os.environ["PYTHONPATH"]] if python == Path(sys.executable) else [])]
        log = self.out / f"{job['product']}.log"
        with log.open("ab") as errors:
            done = subprocess.run(
                [python, "-m", "peers.worker"],
                input=json.dumps(job).encode(),
                env={**os.environ, **OFFLINE, "PYTHONPATH": os.pathsep.join(path)},
                stdout=subprocess.PIPE,
                stderr=errors,
                timeout=JOB_SECONDS,
                check=True,
            )
        return json.loads(done.stdout)


def rates(ingest: Figures, tokens: int) -> Figures:
    return {
        "embedded_at_most": round(min(1.0, ingest["passages"] * (TOKENS - 2) / tokens), 3),
        "pages_a_second": round(ingest["pages"] / ingest["seconds"], 2),
        "passages_a_second": round(ingest["passages"] / ingest["seconds"], 1),
        "disk_bytes_a_passage": round(ingest["disk_bytes"] / max(ingest["passages"], 1)),
    }


def search_figures(search: Figures) -> Figures:
    milliseconds = [1000 * seconds for seconds in search["seconds"]]
    return {
        "questions": len(milliseconds),
        "p50_ms": round(median(milliseconds), 2),
        "p95_ms": round(percentile_95(milliseconds), 2),
        "cpu_ms": round(1000 * search["cpu_seconds"] / len(milliseconds), 2),
        "start_seconds": round(search["start_seconds"], 2),
        "peak_megabytes": round(search["peak_megabytes"]),
    }


def percentile_95(values: Sequence[float]) -> float:
    return quantiles(values, n=20, method="inclusive")[-1] if len(values) > 1 else values[0]


def write(results: Figures, out: Path) -> None:
    (out / "results.json").write_text(json.dumps(results, indent=2) + "\n", encoding="utf-8")
    (out / "report.md").write_text(report(results), encoding="utf-8")
    (out / "peers.svg").write_text(plot(results), encoding="utf-8")


def say(message: str) -> None:
    print(f"{time.strftime('%H:%M:%S')} {message}", file=sys.stderr, flush=True)


if __name__ == "__main__":
    main()
