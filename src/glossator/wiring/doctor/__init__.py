"""Examines a server's settings and everything it depends on, for `glossator doctor`."""

from __future__ import annotations

from glossator.settings import Settings
from glossator.wiring.doctor.access import check_keys, check_origins, check_secret
from glossator.wiring.doctor.findings import Finding, Findings, Severity
from glossator.wiring.doctor.machine import (
    check_disk,
    check_index,
    check_models,
    check_settings,
    check_versions,
)
from glossator.wiring.doctor.services import check_database, check_language_model, check_redis

__all__ = ["Finding", "Findings", "Severity", "examine"]


async def examine(settings: Settings, *, call_model: bool = False) -> Findings:
    """`call_model`: also make one short call to the language model, which may cost money."""
    findings = Findings()
    check_settings(settings, findings)
    check_versions(settings, findings)
    check_disk(settings, findings)
    check_index(settings, check_models(settings, findings), findings)
    await check_database(settings, findings)
    await check_redis(settings, findings)
    await check_language_model(settings, findings, call=call_model)
    check_secret(settings, findings)
    await check_origins(await check_keys(settings, findings), findings)
    return findings
