"""FastAPI runs a plain function of a route in a thread; no request needs one."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from inspect import iscoroutinefunction
from typing import Any, cast

from fastapi import FastAPI
from fastapi.dependencies.models import Dependant
from fastapi.routing import APIRoute, iter_route_contexts
from starlette.responses import Response

from glossator.engine import Engine
from glossator.web.app import ServerConfig, routes
from glossator.web.contract import ContractApp, ContractSettings


def served_apps() -> list[FastAPI]:
    apps = list[FastAPI]()

    def guarded(contract: ContractApp) -> FastAPI:
        apps.append(contract.app)
        return contract.app

    # No route looks at the engine before a request comes.
    routes(cast("Engine", None), ContractSettings(), ServerConfig(guarded=guarded, metrics=Response))
    return apps


def functions_of(dependant: Dependant) -> Iterator[Callable[..., Any]]:
    if dependant.call:
        yield dependant.call
    for dependency in dependant.dependencies:
        yield from functions_of(dependency)


def test_every_route_and_all_that_it_depends_on_are_coroutines():
    found = [context for app in served_apps() for context in iter_route_contexts(app.routes)]
    dependants = [context.dependant for context in found if isinstance(context.original_route, APIRoute)]
    functions = {function for dependant in dependants for function in functions_of(dependant)}
    assert len(functions) > len(dependants) > 50
    assert [function.__qualname__ for function in functions if not iscoroutinefunction(function)] == []
