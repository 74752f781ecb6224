"""Asking over the native contract: whole, as events, and on from where the line dropped."""

# pyright: reportUnusedFunction=false
from __future__ import annotations

import re
from collections.abc import AsyncGenerator
from contextlib import aclosing
from dataclasses import dataclass
from typing import Annotated, Any

from fastapi import APIRouter, Header, Response
from pydantic import BaseModel, RootModel

from glossator.engine import Engine
from glossator.errors import ExchangeUnknown
from glossator.model import (
    AnswerFinished,
    ClaimChecked,
    Contract,
    Event,
    Idempotency,
    KeyKind,
    PassagesFound,
    StageReached,
)
from glossator.sessions.running import Cursor, Delivered, RunningTurn, TurnRequest
from glossator.web.auth.caller import Asks, Caller, Named, SessionAccess
from glossator.web.contract import ContractSettings, failures
from glossator.web.contracts.native.reply import (
    AskReply,
    ClaimEvent,
    FoundEvent,
    HitOut,
    SessionOut,
    StatusEvent,
)
from glossator.web.contracts.native.request import AskRequest, ProblemBody
from glossator.web.problem import problem_of
from glossator.web.sse import EventStream, frame
from glossator.web.trace import trace_id

_EVENT_ID = re.compile(r"([0-9a-f-]{36}):(\d{1,6}):(\d{1,6})")


class EventOut(RootModel[StatusEvent | FoundEvent | ClaimEvent | AskReply | ProblemBody]):
    """The data of an event: of `status`, `found`, `claim`, `answer` and `error`, in this order."""


def _described(event: str, data: type[BaseModel]) -> dict[str, Any]:
    told = {
        "type": "string",
        "contentMediaType": "application/json",
        "contentSchema": _schema(data),
    }
    return {
        "type": "object",
        "required": ["event", "data"],
        "properties": {"id": {"type": "string"}, "event": {"const": event}, "data": told},
    }


def _schema(model: type[BaseModel]) -> dict[str, str]:
    return {"$ref": f"#/components/schemas/{model.__name__}"}


_EVENT = {
    "oneOf": [
        _described("status", StatusEvent),
        _described("found", FoundEvent),
        _described("claim", ClaimEvent),
        _described("answer", AskReply),
        _described("error", ProblemBody),
    ]
}
_ANSWERED: dict[int | str, dict[str, Any]] = {
    200: {
        # The framework describes a model of a reply and nothing else: so it is told of the events here.
        "model": EventOut,
        "content": {"text/event-stream": {"itemSchema": _EVENT}},
        "description": "The whole answer; its events when `Accept: text/event-stream` is sent.",
    }
}
_WHOLE = {"responses": {"200": {"content": {"application/json": {"schema": _schema(AskReply)}}}}}
_FAILED = failures(ProblemBody, (400, 401, 403, 404, 413, 422, 429, 500, 503))

Accept = Annotated[str, Header(description="`text/event-stream` for events.")]
LastEventId = Annotated[str | None, Header(description="The last event that arrived; the rest follows.")]


def ask_routes(engine: Engine, contract_settings: ContractSettings) -> APIRouter:
    router = APIRouter()

    @router.post("/ask", responses=_ANSWERED | _FAILED, openapi_extra=_WHOLE)
    async def ask(
        sent: AskRequest,
        caller: Asks,
        named: Named,
        accept: Accept = "*/*",
        last_event_id: LastEventId = None,
    ) -> Response:
        """Answer a question from the book, and show where."""
        call = _Call(engine, caller, sent, named)
        if "text/event-stream" not in accept:
            return await _whole(await call.ask(), call)
        running, seen = await call.ask_or_resume(last_event_id)
        return _streamed(running, seen, call, contract_settings.heartbeat_seconds)

    return router


@dataclass(frozen=True, slots=True)
class _Call:
    engine: Engine
    caller: Caller
    sent: AskRequest
    named: Idempotency | None

    async def ask(self, *, linger: bool = False) -> RunningTurn:
        entry, sent = self._entry(), self.sent
        turn_request = TurnRequest(
            question=sent.to_question(),
            owner=entry.owner,
            contract=Contract.NATIVE,
            session_id=sent.session.id if sent.session else None,
            opening=entry.opening,
            session_created_at=entry.session_created_at,
            remember=sent.remember,
            idempotency=self.named,
            mode="selection" if sent.selection and sent.selection.only else "book",
        )
        return await self.engine.ask(turn_request, linger=linger)

    async def ask_or_resume(self, last_event_id: str | None) -> tuple[RunningTurn, Cursor]:
        """An answer that is no longer there to go on with is given anew: the question came along."""
        known = _EVENT_ID.fullmatch(last_event_id or "")
        if known:
            try:
                running = await self.engine.resume(known[1], self.caller.owner(self.sent.user))
                if self._may_hear(running):
                    return running, Cursor(int(known[2]), int(known[3]))
            except ExchangeUnknown:
                pass
        return await self.ask(linger=True), Cursor()

    def session(self, running: RunningTurn) -> SessionOut | None:
        if running.session_id is None:
            return None
        created_at, user = running.session_created_at, self.sent.user
        token = self.caller.token_for(running.session_id, created_at, user=user)
        if token is None and self.caller.kind is KeyKind.PUBLISHABLE:
            # The request was sent before, maybe by somebody else: who has the session's token has it already.
            return None
        return SessionOut(id=running.session_id, token=token)

    def _may_hear(self, running: RunningTurn) -> bool:
        """A publishable key is everybody's: what it proves is told by the token of the session."""
        if self.caller.kind is KeyKind.SECRET or running.session_id is None:
            return True
        session = self.sent.session
        if session is None or session.id != running.session_id:
            return False
        return self._entry().session_created_at == running.session_created_at

    def _entry(self) -> SessionAccess:
        """A session that is named must be there already, and be the caller's own."""
        session, user = self.sent.session, self.sent.user
        if session is None:
            return self.caller.enter(None, user=user)
        return self.caller.go_on(session.id, user=user, token=session.token)


async def _whole(running: RunningTurn, call: _Call) -> Response:
    answer = await running.answer()
    reply = AskReply.with_session(answer, call.session(running), trace_id())
    return Response(reply.model_dump_json(), media_type="application/json")


def _streamed(running: RunningTurn, seen: Cursor, call: _Call, heartbeat_seconds: float) -> Response:
    session = call.session(running)
    return EventStream(_frames(running, seen, session), heartbeat_seconds=heartbeat_seconds)


async def _frames(running: RunningTurn, seen: Cursor, session: SessionOut | None) -> AsyncGenerator[bytes]:
    try:
        async with aclosing(running.events(seen)) as events:
            async for heard in events:
                yield _frame(running.id, heard, session)
    except Exception as error:  # noqa: BLE001  every stream has an end that can be read
        yield frame(ProblemBody.of(problem_of(error)).model_dump_json().encode(), event="error")


def _frame(turn_id: str, heard: Delivered, session: SessionOut | None) -> bytes:
    name, body = _told(heard.event, session)
    place = f"{turn_id}:{heard.seen.events}:{heard.seen.told}"
    return frame(body.model_dump_json().encode(), event=name, id=place)


def _told(event: Event, session: SessionOut | None) -> tuple[str, BaseModel]:
    match event:
        case StageReached(stage):
            return "status", StatusEvent.model_construct(stage=stage, session=session)
        case PassagesFound(hits):
            return "found", FoundEvent.model_construct(hits=[HitOut.of(hit) for hit in hits])
        case ClaimChecked(claim):
            return "claim", ClaimEvent.model_construct(
                text=claim.text, verdict=claim.verdict, citations=claim.citations
            )
        case AnswerFinished(answer):
            return "answer", AskReply.with_session(answer, session, trace_id())
