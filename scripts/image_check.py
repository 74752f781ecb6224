"""Build the image of deploy/Dockerfile without an image registry, and try it: `make image-check`, as root.

The base is made of Debian's own packages with debootstrap, and buildah reads the Dockerfiles. Then a book is
put into the image, and it is served as the image's user: health, a question, a restart in a fresh container,
a question. Prints size, seconds from start to first answer, and resident memory.
"""

from __future__ import annotations

import configparser
import json
import os
import re
import shutil
import socket
import subprocess
import sys
import tempfile
import time
import urllib.error
import urllib.request
from collections.abc import Generator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import psutil

ROOT = Path(__file__).parents[1]
WORK = ROOT / "build" / "image-check"
DOCKERFILE, BOOK_DOCKERFILE = ROOT / "deploy" / "Dockerfile", ROOT / "deploy" / "book.Dockerfile"
BOOK = ROOT / "examples" / "physical-ai-book"
IMAGE, BOOK_IMAGE = "localhost/glossator", "localhost/glossator-book"
QUESTIONS = (
    "What is domain randomization good for?",
    "When should I use a service instead of a topic?",
    "Which company makes the best robot arm?",
    "What is URDF?",
)
ROUNDS = 5
KEY, SECRET = "image-check-key-of-24-characters", "image-check-secret"
GIVE_UP_SECONDS = 60.0


class CheckError(Exception):
    """The image is not what it should be, or cannot be built here."""


def main() -> None:
    try:
        check()
    except CheckError as reason:
        sys.exit(f"image_check: {reason}")


def check() -> None:
    _need_tools()
    buildah = Buildah(WORK / "store", WORK / "run")
    base = make_base(buildah)
    say(f"Building {DOCKERFILE.relative_to(ROOT)} on {base} …")
    options = ["--network", "host", *registry_options(), "--build-arg", f"BASE={base}"]
    buildah(
        "build", "--format", "docker", "--layers", *options, *_file(DOCKERFILE), "--tag", IMAGE, str(ROOT)
    )
    say(f"Building {BOOK_DOCKERFILE.relative_to(ROOT)} with the sample book …")
    book = ["--build-arg", f"GLOSSATOR={IMAGE}"]
    buildah(
        "build",
        "--format",
        "docker",
        "--network",
        "host",
        *book,
        *_file(BOOK_DOCKERFILE),
        "--tag",
        BOOK_IMAGE,
        str(BOOK),
    )
    config = buildah.config(BOOK_IMAGE)
    print(f"{'image':<26} {buildah.size(IMAGE)} ({buildah.size(base)} of it the base)")
    print(
        f"{'to download':<26} {buildah.download_size(IMAGE):.0f} MB, with the sample book {buildah.download_size(BOOK_IMAGE):.0f} MB"
    )
    for start in ("first start", "fresh container"):
        try_serving(buildah, config, start)


def try_serving(buildah: Buildah, config: Mapping[str, Any], start: str) -> None:
    """Each start has a container of its own, so nothing but the image and the environment is there."""
    with buildah.container(BOOK_IMAGE) as container, _served(buildah, container, config) as (server, port):
        outcome = _first_answer(port, server)
        seconds = time.time() - server.create_time()
        work = sum(sum(process.cpu_times()[:2]) for process in _processes(server))
        buildah.run_in(container, port, config["Healthcheck"]["Test"][1:])
        buildah.run_in(container, port, [*config["Entrypoint"], "doctor"])
        user = {process.uids().effective for process in _processes(server)}
        if user != {int(config["User"])}:
            raise CheckError(f"the server runs as {user}, not as {config['User']}")
        for question in QUESTIONS * ROUNDS:
            ask(port, question)
        supervisor, *workers = [process.memory_info().rss / 1e6 for process in _processes(server)]
        print(
            f"{start:<26} {seconds:.1f} s to the first answer ({work:.1f} s of processor time; {outcome}), health and doctor ok, user {config['User']}"
        )
        print(f"{'resident memory':<26} worker {max(workers):.0f} MB, first process {supervisor:.0f} MB")


@contextmanager
def _served(
    buildah: Buildah, container: str, config: Mapping[str, Any]
) -> Generator[tuple[psutil.Process, int]]:
    port = _free_port()
    command = [*config["Entrypoint"], *config["Cmd"]]
    with buildah.start_in(container, port, command) as process:
        server = psutil.Process(process.pid)
        try:
            yield server, port
        finally:
            for found in _processes(server)[:1]:
                found.terminate()
            process.wait(GIVE_UP_SECONDS)


def _processes(server: psutil.Process) -> list[psutil.Process]:
    """The supervisor and its workers; buildah's own processes stand between."""
    return [
        process
        for process in server.children(recursive=True)
        if "glossator" in " ".join(process.cmdline()) and "buildah" not in process.name()
    ]


def _first_answer(port: int, server: psutil.Process) -> str:
    deadline = time.monotonic() + GIVE_UP_SECONDS
    while time.monotonic() < deadline:
        try:
            return ask(port, QUESTIONS[0])
        except (urllib.error.URLError, ConnectionError) as problem:
            if isinstance(problem, urllib.error.HTTPError):
                raise CheckError(f"the first question was refused: {problem.read().decode()}") from problem
            if not server.is_running() or server.status() == psutil.STATUS_ZOMBIE:
                break
            time.sleep(0.05)
    raise CheckError("the server never answered")


def ask(port: int, question: str) -> str:
    request = urllib.request.Request(
        f"http://127.0.0.1:{port}/v1/ask",
        json.dumps({"question": question}).encode(),
        {"Content-Type": "application/json", "Authorization": f"Bearer {KEY}"},
    )
    with urllib.request.urlopen(request, timeout=GIVE_UP_SECONDS) as reply:
        return json.load(reply)["outcome"]


@dataclass(frozen=True, slots=True)
class Buildah:
    store: Path
    run_root: Path

    def __call__(self, *arguments: str) -> str:
        log = WORK / "buildah.log"
        done = subprocess.run(
            self._command(*arguments),
            capture_output=True,
            text=True,
            env=self._environment(),
            check=False,
        )
        log.write_text(done.stdout + done.stderr, encoding="utf-8")
        if done.returncode:
            last = "\n".join((done.stdout + done.stderr).strip().splitlines()[-15:])
            raise CheckError(f"buildah {arguments[0]} failed (all of it: {log}):\n{last}")
        return done.stdout.strip()

    def has(self, image: str) -> bool:
        return image in self("images", "--format", "{{.Name}}:{{.Tag}}").split()

    def size(self, image: str) -> str:
        return self("images", "--format", "{{.Size}}", image)

    def download_size(self, image: str) -> float:
        """In MB: its layers as a registry has them, compressed."""
        with tempfile.TemporaryDirectory(dir=WORK) as folder:
            self("push", "--quiet", image, f"oci:{folder}:checked")
            return sum(path.stat().st_size for path in Path(folder).rglob("*") if path.is_file()) / 1e6

    def config(self, image: str) -> Mapping[str, Any]:
        return json.loads(self("inspect", "--type", "image", image))["Docker"]["config"]

    @contextmanager
    def container(self, image: str) -> Generator[str]:
        name = self("from", image)
        try:
            yield name
        finally:
            self("rm", name)

    def run_in(self, container: str, port: int, command: Sequence[str]) -> None:
        self(*self._run_options(port), container, "--", *command)

    def start_in(self, container: str, port: int, command: Sequence[str]) -> subprocess.Popen[bytes]:
        with (WORK / "serve.log").open("wb") as log:
            line = self._command(*self._run_options(port), container, "--", *command)
            return subprocess.Popen(line, stdout=log, stderr=log, env=self._environment())

    def _run_options(self, port: int) -> list[str]:
        keys = [f"GLOSSATOR_PORT={port}", f"GLOSSATOR_KEYS={KEY}", f"GLOSSATOR_SECRET={SECRET}"]
        return ["run", "--network", "host", *(part for key in keys for part in ("--env", key))]

    def _command(self, *arguments: str) -> list[str]:
        return ["buildah", "--root", str(self.store), "--runroot", str(self.run_root), *arguments]

    def _environment(self) -> dict[str, str]:
        # A chroot: the other isolations need namespaces that a container or a sandbox often does not give.
        return {**os.environ, "BUILDAH_ISOLATION": "chroot"}


def make_base(buildah: Buildah) -> str:
    """The image that the Dockerfile names, from Debian's packages; kept between runs."""
    found = re.search(r"^ARG BASE=debian:(\w+)-slim$", DOCKERFILE.read_text(encoding="utf-8"), re.M)
    if not found:
        raise CheckError("deploy/Dockerfile does not begin with a Debian base")
    name = f"localhost/debian:{found[1]}-slim"
    if buildah.has(name):
        return name
    folder = WORK / "base"
    shutil.rmtree(folder, ignore_errors=True)
    say(f"Making {name} from Debian's packages …")
    _run(
        "debootstrap",
        "--variant=minbase",
        "--include=ca-certificates",
        found[1],
        str(folder),
        *_debian_mirror(),
    )
    _slim(folder)
    container = buildah("from", "scratch")
    buildah("copy", container, str(folder), "/")
    buildah("commit", container, name)
    buildah("rm", container)
    shutil.rmtree(folder)
    return name


def _slim(folder: Path) -> None:
    """Leaves out what Debian's own slim images leave out."""
    for left_out in (
        "var/cache/apt",
        "var/lib/apt/lists",
        "usr/share/doc",
        "usr/share/man",
        "usr/share/locale",
        "usr/share/info",
    ):
        shutil.rmtree(folder / left_out, ignore_errors=True)


def _debian_mirror() -> list[str]:
    """The one this machine uses, so that no other has to be reached."""
    targets = _run("apt-get", "indextargets", "--format", "$(REPO_URI) $(ORIGIN) $(LABEL)")
    return [line.split()[0] for line in targets.splitlines() if line.split()[1:] == ["Debian", "Debian"]][:1]


def registry_options() -> list[str]:
    """Lets pip inside the build use the registry that it uses here: its configuration, and local folders in it."""
    merged = configparser.ConfigParser(interpolation=None)
    merged["global"] = {}
    for line in _run(sys.executable, "-m", "pip", "config", "list").splitlines():
        name, _, value = line.partition("=")
        merged["global"][name.rpartition(".")[2]] = value.strip("'")
    file = WORK / "pip.conf"
    with file.open("w", encoding="utf-8") as written:
        merged.write(written)
    words = {word for value in merged["global"].values() for word in value.replace("\\n", " ").split()}
    mounts = {str(file): "/etc/pip.conf"} | {str(path): str(path) for path in map(_local, words) if path}
    return [part for source, target in mounts.items() for part in ("--volume", f"{source}:{target}:ro")]


def _local(word: str) -> Path | None:
    """A file or folder of this machine; of an index the folder around it, because its pages link to files beside it."""
    url = urlsplit(word)
    path = Path(url.path).parent if url.scheme == "file" else Path(word)
    return path if path.is_absolute() and path.exists() else None


def _file(dockerfile: Path) -> list[str]:
    return ["--file", str(dockerfile)]


def _need_tools() -> None:
    missing = [tool for tool in ("buildah", "debootstrap") if not shutil.which(tool)]
    if missing:
        raise CheckError(f"needs Debian's {' and '.join(missing)}: apt install {' '.join(missing)}")
    if os.geteuid():
        raise CheckError("must run as root, because debootstrap must")
    WORK.mkdir(parents=True, exist_ok=True)


def _run(*command: str) -> str:
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        raise CheckError(f"{command[0]} failed: {(done.stderr or done.stdout).strip()[-500:]}")
    return done.stdout


def _free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        return listener.getsockname()[1]


def say(text: str) -> None:
    print(text, file=sys.stderr)


if __name__ == "__main__":
    main()
