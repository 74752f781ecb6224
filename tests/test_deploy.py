"""The files in deploy/: that they speak of settings, files and numbers that exist.

Their real tools (hadolint, Kubernetes' schemas, …) are run by `make deploy-check`.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml
from release_check import is_allowed

from glossator.settings import Settings

ROOT = Path(__file__).parents[1]
DEPLOY = ROOT / "deploy"


def text_files() -> list[Path]:
    folders = (DEPLOY, ROOT / "docs" / "deploy")
    return sorted(
        path for folder in folders for path in folder.rglob("*") if path.is_file() and path.name != ".env"
    )


@pytest.mark.parametrize("path", text_files(), ids=lambda path: path.relative_to(ROOT).as_posix())
def test_every_variable_is_a_setting(path: Path) -> None:
    settings = {f"GLOSSATOR_{name.upper()}" for name in Settings.model_fields}
    used = set(re.findall(r"\bGLOSSATOR_[A-Z_]+[A-Z]\b", path.read_text(encoding="utf-8")))
    assert {name.removesuffix("_FILE") for name in used} <= settings


def dockerfile() -> str:
    return (DEPLOY / "Dockerfile").read_text(encoding="utf-8")


def copied() -> Iterator[str]:
    for line in re.findall(r"^COPY (?!--from)(.+)$", dockerfile(), re.M):
        yield from line.split()[:-1]


def test_the_image_copies_files_that_are_there_and_are_let_into_the_build() -> None:
    let_in = {
        line.removeprefix("!")
        for line in (ROOT / ".dockerignore").read_text(encoding="utf-8").splitlines()
        if line.startswith("!")
    }
    assert set(copied()) == let_in
    assert all((ROOT / name).exists() for name in let_in)


def test_the_image_has_what_the_build_of_the_package_reads() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    assert {project["readme"], *project["license-files"]} <= set(copied())
    (extras,) = re.findall(r'"\.\[([a-z,]+)\]"', dockerfile())
    assert set(extras.split(",")) <= set(project["optional-dependencies"])


def yaml_of(path: Path) -> Any:
    return yaml.safe_load(path.read_text(encoding="utf-8"))


def test_whoever_stops_the_server_waits_longer_than_it_takes_to_finish_answers() -> None:
    longest = Settings.model_fields["stop_seconds"].default + 2
    compose = yaml_of(DEPLOY / "compose.yaml")["services"]["glossator"]["stop_grace_period"]
    service = (DEPLOY / "vps" / "glossator.service").read_text(encoding="utf-8")
    chart = (DEPLOY / "chart" / "templates" / "deployment.yaml").read_text(encoding="utf-8")
    waits = [
        compose.removesuffix("s"),
        *re.findall(r"^TimeoutStopSec=(\d+)$", service, re.M),
        *re.findall(r"terminationGracePeriodSeconds: (\d+)", chart),
    ]
    assert len(waits) == 3
    assert all(int(seconds) > longest for seconds in waits)


def test_user_and_port_are_the_same_everywhere() -> None:
    port = str(Settings.model_fields["port"].default)
    chart = (DEPLOY / "chart" / "templates" / "deployment.yaml").read_text(encoding="utf-8")
    (user,) = re.findall(r"^USER (\d+)$", dockerfile(), re.M)
    assert re.findall(r"runAsUser: (\d+)", chart) == [user]
    assert re.findall(r"^EXPOSE (\d+)$", dockerfile(), re.M) == [port]
    assert re.findall(r"containerPort: (\d+)", chart) == [port]
    assert re.findall(r"internal_port = (\d+)", (DEPLOY / "fly.toml").read_text(encoding="utf-8")) == [port]
    assert f"app_port: {port}\n" in (DEPLOY / "huggingface" / "README.md").read_text(encoding="utf-8")
    assert yaml_of(DEPLOY / "compose.yaml")["services"]["glossator"]["ports"] == [f"127.0.0.1:{port}:{port}"]


def test_compose_knows_every_service_and_volume_that_it_names() -> None:
    alone, together = yaml_of(DEPLOY / "compose.yaml"), yaml_of(DEPLOY / "compose.services.yaml")
    services = alone["services"] | together["services"]
    assert set(together["services"]["glossator"]["depends_on"]) <= set(services)
    for compose in (alone, together):
        volumes = [
            volume.partition(":")[0]
            for service in compose["services"].values()
            for volume in service.get("volumes", [])
        ]
        assert set(volumes) == set(compose["volumes"])
    for name, value in together["services"]["glossator"]["environment"].items():
        hosts = re.findall(r"(?:://|@)([a-z]+)[:/]", value) if name.endswith("_URL") else []
        assert set(hosts) - {"glossator"} <= set(services)


def test_every_value_that_the_chart_reads_has_a_default() -> None:
    values = yaml_of(DEPLOY / "chart" / "values.yaml")
    templates = "".join(
        path.read_text(encoding="utf-8") for path in (DEPLOY / "chart" / "templates").iterdir()
    )
    read = set(re.findall(r"\.Values\.([A-Za-z.]+)", templates))
    assert read
    for name in read:
        found = values
        for part in name.split("."):
            assert part in found, name
            found = found[part]


def test_fly_and_render_name_the_health_that_looks_at_the_book() -> None:
    fly = tomllib.loads((DEPLOY / "fly.toml").read_text(encoding="utf-8"))
    assert [check["path"] for check in fly["http_service"]["checks"]] == ["/readyz"]
    assert [service["healthCheckPath"] for service in yaml_of(DEPLOY / "render.yaml")["services"]] == [
        "/readyz"
    ]


@pytest.mark.parametrize(
    ("expression", "allowed"),
    [
        ("MIT", True),
        ("Apache-2.0 OR BSD-2-Clause", True),
        ("GPL-3.0-only OR MIT", True),
        ("BSD-3-Clause AND 0BSD AND MIT AND Zlib AND CC0-1.0", True),
        ("GPL-3.0-only", False),
        ("MIT AND GPL-3.0-only", False),
        ("(MIT OR Apache-2.0) AND AGPL-3.0-only", False),
        ("", False),
    ],
)
def test_a_licence_is_allowed_when_all_of_one_alternative_is(expression: str, allowed: bool) -> None:
    assert is_allowed(expression) is allowed
