"""One product and one job, in a process and an environment of its own: reads the job from stdin, prints JSON.

Standard library only, apart from the product itself.
"""

from __future__ import annotations

import json
import os
import sys
import time
from importlib.metadata import distributions
from pathlib import Path
from typing import Any

from peers.measure import cpu_seconds, disk_bytes, peak_megabytes, use_two_cores
from peers.product import Product, Settings, product_named

WARM_UP = 3
"""Questions that are asked before the clock runs."""


def main() -> None:
    job = json.load(sys.stdin)
    # What products print must not be mixed with the result.
    with os.fdopen(os.dup(1), "w", encoding="utf-8") as result:
        os.dup2(2, 1)
        json.dump(done(job), result)


def done(job: dict[str, Any]) -> dict[str, Any]:
    use_two_cores()
    started = time.perf_counter()
    product = product_named(job["product"], Settings(Path(job["home"]), Path(job["model"])))
    start_seconds = time.perf_counter() - started
    try:
        work = ingest if job["task"] == "ingest" else search
        return {"start_seconds": start_seconds, **work(product, job)}
    finally:
        product.close()


def ingest(product: Product, job: dict[str, Any]) -> dict[str, Any]:
    busy, started = cpu_seconds(product.pid), time.perf_counter()
    counts = product.ingest(Path(job["folder"]))
    return {
        "seconds": time.perf_counter() - started,
        "cpu_seconds": cpu_seconds(product.pid) - busy,
        "peak_megabytes": peak_megabytes(product.pid),
        "disk_bytes": disk_bytes(Path(job["home"])),
        "packages": packages(job["packages"]),
        **counts._asdict(),
    }


def search(product: Product, job: dict[str, Any]) -> dict[str, Any]:
    questions, k = job["questions"], job["k"]
    product.open()
    for question in questions[:WARM_UP]:
        product.search(question, k)
    found, seconds = [], []
    busy = cpu_seconds(product.pid)
    for question in questions:
        started = time.perf_counter()
        found.append(product.search(question, k))
        seconds.append(time.perf_counter() - started)
    return {
        "seconds": seconds,
        "cpu_seconds": cpu_seconds(product.pid) - busy,
        "peak_megabytes": peak_megabytes(product.pid),
        "found": [[result._asdict() for result in results] for results in found],
    }


def packages(names: list[str]) -> dict[str, str]:
    """The installed versions; the first on the path is the one that is imported."""
    versions: dict[str, str] = {}
    for distribution in distributions():
        versions.setdefault(distribution.metadata["Name"].lower(), distribution.version)
    return {name: versions[name] for name in names if name in versions}


if __name__ == "__main__":
    main()
