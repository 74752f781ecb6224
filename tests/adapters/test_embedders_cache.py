"""The place where the bundled model is built: whole or not there, whoever is killed."""

from __future__ import annotations

import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from glossator.adapters.embedders.onnx_session import ModelCache
from glossator.errors import EmbedderError, ModelMissing

PATIENCE = 60.0

BUILDING = """
import sys
import time
from pathlib import Path
from glossator.adapters.embedders.onnx_session import ModelCache

root, me, others = Path(sys.argv[1]), sys.argv[2], int(sys.argv[3])

def build(folder):
    (root / f"{me}.built").touch()
    (folder / "half").write_text("half")
    while len(list(root.glob("*.ready"))) < others:
        time.sleep(0.01)
    (folder / "whole").write_text("whole")

(root / f"{me}.ready").touch()
print(ModelCache(root / "models").folder("model", build))
"""


def start(root: Path, name: str, *, waits_for: int) -> subprocess.Popen[str]:
    command = [sys.executable, "-c", BUILDING, str(root), name, str(waits_for)]
    return subprocess.Popen(command, stdout=subprocess.PIPE, text=True)


def wait_until(is_so: Callable[[], bool]) -> None:
    deadline = time.monotonic() + PATIENCE
    while not is_so():
        assert time.monotonic() < deadline, "it never happened"
        time.sleep(0.01)


def test_processes_that_start_together_build_once_and_all_succeed(tmp_path: Path) -> None:
    started = [start(tmp_path, f"process-{number}", waits_for=3) for number in range(3)]
    said = {process.communicate(timeout=PATIENCE)[0].strip() for process in started}
    assert said == {str(tmp_path / "models" / "model")}
    assert len(list(tmp_path.glob("*.built"))) == 1
    assert {path.name for path in (tmp_path / "models" / "model").iterdir()} == {"half", "whole"}


def test_a_process_killed_while_it_builds_leaves_nothing_that_looks_finished(tmp_path: Path) -> None:
    killed = start(tmp_path, "killed", waits_for=99)
    wait_until(lambda: any(tmp_path.rglob("half")))
    killed.kill()
    killed.communicate()
    assert not (tmp_path / "models" / "model").exists()

    def build(folder: Path) -> None:
        assert list(folder.iterdir()) == []
        (folder / "whole").touch()

    folder = ModelCache(tmp_path / "models").folder("model", build)
    assert [path.name for path in folder.iterdir()] == ["whole"]
    assert not any(tmp_path.rglob("half"))


def test_a_build_that_fails_leaves_nothing_and_may_be_tried_again(tmp_path: Path) -> None:
    def fail(folder: Path) -> None:
        (folder / "half").touch()
        raise ModelMissing

    cache = ModelCache(tmp_path)
    with pytest.raises(ModelMissing):
        cache.folder("model", fail)
    assert [path.name for path in tmp_path.iterdir()] == ["model.lock"]
    assert cache.folder("model", lambda folder: (folder / "whole").touch()).is_dir()


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="only Linux has a disk that is always full")
def test_a_full_disk_is_named_and_leaves_nothing(tmp_path: Path) -> None:
    def fill(folder: Path) -> None:
        (folder / "half").touch()
        Path("/dev/full").write_bytes(b"x")

    with pytest.raises(EmbedderError, match=f"The disk that holds {tmp_path} is full"):
        ModelCache(tmp_path).folder("model", fill)
    assert [path.name for path in tmp_path.iterdir()] == ["model.lock"]


def test_what_is_finished_is_never_built_again_even_where_nothing_can_be_written(tmp_path: Path) -> None:
    cache = ModelCache(tmp_path)
    folder = cache.folder("model", lambda folder: (folder / "whole").touch())
    tmp_path.chmod(0o555)

    def build(folder: Path) -> None:
        raise AssertionError("built twice")

    assert cache.folder("model", build) == folder
    tmp_path.chmod(0o755)
