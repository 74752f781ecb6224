"""The native contract's `/ask`: a whole answer, or events that a client can resume after a disconnect."""

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
from glossator.web.auth.caller import Asks, Caller, IdempotencyKey, SessionAccess
from glossator.web.contract import ContractSettings, error_responses
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
    """The data of an event; in order, of `status`, `found`, `claim`, `answer` and `error`."""


def _event_schema(event: str, model: type[BaseModel]) -> dict[str, Any]:
    data = {
        "type": "string",
        "contentMediaType": "application/json",
        "contentSchema": _reference(model),
    }
    return {
        "type": "object",
        "required": ["event", "data"],
        "properties": {"id": {"type": "string"}, "event": {"const": event}, "data": data},
    }


def _reference(model: type[BaseModel]) -> dict[str, str]:
    return {"$ref": f"#/components/schemas/{model.__name__}"}


_EVENT_SCHEMA = {
    "oneOf": [
        _event_schema("status", StatusEvent),
        _event_schema("found", FoundEvent),
        _event_schema("claim", ClaimEvent),
        _event_schema("answer", AskReply),
        _event_schema("error", ProblemBody),
    ]
}
_ASK_RESPONSES: dict[int | str, dict[str, Any]] = {
    200: {
        # FastAPI only documents models of a reply, so this union adds the events' models to the document.
        "model": EventOut,
        "content": {"text/event-stream": {"itemSchema": _EVENT_SCHEMA}},
        "description": "The whole answer, or its events if `Accept: text/event-stream` is sent.",
    }
}
_ASK_SCHEMA = {"responses": {"200": {"content": {"application/json": {"schema": _reference(AskReply)}}}}}
_ERRORS = error_responses(ProblemBody, (400, 401, 403, 404, 413, 422, 429, 500, 503))

Accept = Annotated[str, Header(description="`text/event-stream` for events.")]
LastEventId = Annotated[
    str | None, Header(description="The id of the last event that arrived, to resume after it.")
]


def ask_routes(engine: Engine, contract_settings: ContractSettings) -> APIRouter:
    router = APIRouter()

    @router.post("/ask", responses=_ASK_RESPONSES | _ERRORS, openapi_extra=_ASK_SCHEMA)
    async def ask(
        request: AskRequest,
        caller: Asks,
        idempotency: IdempotencyKey,
        accept: Accept = "*/*",
        last_event_id: LastEventId = None,
    ) -> Response:
        """Answer a question from the book, with citations."""
        call = _Call(engine, caller, request, idempotency)
        if "text/event-stream" not in accept:
            return await _whole(await call.ask(), call)
        running, cursor = await call.ask_or_resume(last_event_id)
        return _streamed(running, cursor, call, contract_settings.heartbeat_seconds)

    return router


@dataclass(frozen=True, slots=True)
class _Call:
    engine: Engine
    caller: Caller
    request: AskRequest
    idempotency: Idempotency | None

    async def ask(self, *, linger: bool = False) -> RunningTurn:
        entry, request = self._entry(), self.request
        turn_request = TurnRequest(
            question=request.to_question(),
            owner=entry.owner,
            contract=Contract.NATIVE,
            session_id=request.session.id if request.session else None,
            opening=entry.opening,
            session_created_at=entry.session_created_at,
            remember=request.remember,
            idempotency=self.idempotency,
            mode="selection" if request.selection and request.selection.only else "book",
        )
        return await self.engine.ask(turn_request, linger=linger)

    async def ask_or_resume(self, last_event_id: str | None) -> tuple[RunningTurn, Cursor]:
        """Asks anew if the answer can no longer be resumed: the request holds the question."""
        event_id = _EVENT_ID.fullmatch(last_event_id or "")
        if event_id:
            try:
                running = await self.engine.resume(event_id[1], self.caller.owner(self.request.user))
                if self._may_resume(running):
                    return running, Cursor(int(event_id[2]), int(event_id[3]))
            except ExchangeUnknown:
                pass
        return await self.ask(linger=True), Cursor()

    def session(self, running: RunningTurn) -> SessionOut | None:
        if running.session_id is None:
            return None
        created_at, user = running.session_created_at, self.request.user
        token = self.caller.token_for(running.session_id, created_at, user=user)
        if token is None and self.caller.kind is KeyKind.PUBLISHABLE:
            # A replay, maybe to somebody else than the first caller, who already has the session's token.
            return None
        return SessionOut(id=running.session_id, token=token)

    def _may_resume(self, running: RunningTurn) -> bool:
        """A publishable key is public, so its caller must have the token of the session."""
        if self.caller.kind is KeyKind.SECRET or running.session_id is None:
            return True
        session = self.request.session
        if session is None or session.id != running.session_id:
            return False
        return self._entry().session_created_at == running.session_created_at

    def _entry(self) -> SessionAccess:
        """A session that is named must exist and belong to the caller."""
        session, user = self.request.session, self.request.user
        if session is None:
            return self.caller.enter(None, user=user)
        return self.caller.go_on(session.id, user=user, token=session.token)


async def _whole(running: RunningTurn, call: _Call) -> Response:
    answer = await running.answer()
    reply = AskReply.with_session(answer, call.session(running), trace_id())
    return Response(reply.model_dump_json(), media_type="application/json")


def _streamed(running: RunningTurn, cursor: Cursor, call: _Call, heartbeat_seconds: float) -> Response:
    session = call.session(running)
    return EventStream(_frames(running, cursor, session), heartbeat_seconds=heartbeat_seconds)


async def _frames(running: RunningTurn, cursor: Cursor, session: SessionOut | None) -> AsyncGenerator[bytes]:
    try:
        async with aclosing(running.events(cursor)) as events:
            async for delivered in events:
                yield _frame(running.id, delivered, session)
    except Exception as error:  # noqa: BLE001  a stream always ends with an event
        yield frame(ProblemBody.of(problem_of(error)).model_dump_json().encode(), event="error")


def _frame(turn_id: str, delivered: Delivered, session: SessionOut | None) -> bytes:
    name, body = _event(delivered.event, session)
    event_id = f"{turn_id}:{delivered.cursor.events}:{delivered.cursor.replayed}"
    return frame(body.model_dump_json().encode(), event=name, id=event_id)


def _event(event: Event, session: SessionOut | None) -> tuple[str, BaseModel]:
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
