"""A language model's service on a real socket: says what it is told to, and fails in every way.

It speaks Chat Completions and the Responses API, streamed and whole, whichever it is asked in.
An answer is a function of the line and the call; `server.will(…)` queues them, and the last one stays.
`writers_obedient.obeys` is one for a model that follows every instruction it reads.
"""

from __future__ import annotations

import json
import socket
import threading
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from support.writers_frames import Reply, chat_frames, chat_whole, response_frames, response_whole

JSON = "application/json"
EVENTS = "text/event-stream"


@dataclass(frozen=True)
class Call:
    path: str
    headers: dict[str, str]
    body: dict[str, Any]

    @property
    def is_chat(self) -> bool:
        return self.path.endswith("/chat/completions")

    @property
    def messages(self) -> list[dict[str, Any]]:
        """What the model is shown after its instructions, in either API."""
        if self.is_chat:
            return [message for message in self.body["messages"] if message["role"] != "system"]
        return self.body["input"]

    @property
    def instructions(self) -> str:
        if self.is_chat:
            return next(
                message["content"] for message in self.body["messages"] if message["role"] == "system"
            )
        return self.body["instructions"]

    @property
    def asked(self) -> str:
        """The last message of the reader."""
        return [message for message in self.messages if message.get("role") == "user"][-1]["content"]

    @property
    def tool_results(self) -> list[str]:
        if self.is_chat:
            return [message["content"] for message in self.messages if message["role"] == "tool"]
        return [
            message["output"] for message in self.messages if message.get("type") == "function_call_output"
        ]

    @property
    def tools(self) -> list[str]:
        return [tool.get("function", tool)["name"] for tool in self.body.get("tools", [])]


class Line(BaseHTTPRequestHandler):
    """One connection; the server is told of each call and decides what to answer."""

    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True
    server: Server

    def do_POST(self) -> None:
        content = self.rfile.read(int(self.headers["Content-Length"]))
        headers = {name.lower(): value for name, value in self.headers.items()}
        self.server.answer(self, Call(self.path, headers, json.loads(content)))

    def reply(self, code: int, content: bytes, content_type: str = JSON, **headers: str) -> None:
        self.send_response(code)
        named = {"Content-Type": content_type, "Content-Length": str(len(content)), **headers}
        for name, value in named.items():
            self.send_header(name.replace("_", "-"), value)
        self.end_headers()
        self.wfile.write(content)

    def begin_events(self) -> None:
        self.send_response(200)
        self.send_header("Content-Type", EVENTS)
        self.send_header("Transfer-Encoding", "chunked")
        self.end_headers()

    def send(self, content: bytes) -> None:
        self.wfile.write(b"%x\r\n%b\r\n" % (len(content), content))
        self.wfile.flush()

    def end_events(self) -> None:
        self.wfile.write(b"0\r\n\r\n")
        self.wfile.flush()

    def hang_up(self) -> None:
        self.close_connection = True
        self.connection.shutdown(socket.SHUT_RDWR)

    def wait_for_hanging_up(self) -> None:
        """Returns when the caller has closed the connection, and tells the test."""
        self.close_connection = True
        self.rfile.read(1)
        self.server.script.was_hung_up.set()

    def log_message(self, format: str, *args: object) -> None: ...


Answer = Callable[[Line, Call], None]


@dataclass
class Script:
    calls: list[Call] = field(default_factory=list[Call])
    next_answers: deque[Answer] = field(default_factory=deque[Answer])
    released: threading.Event = field(default_factory=threading.Event)
    """Set when the test is over, for those who keep a caller waiting."""
    was_called: threading.Event = field(default_factory=threading.Event)
    was_hung_up: threading.Event = field(default_factory=threading.Event)


class Server(ThreadingHTTPServer):
    daemon_threads = True
    request_queue_size = 64

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), Line)
        self.script = Script()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_port}/v1"

    @property
    def calls(self) -> list[Call]:
        return self.script.calls

    def will(self, *answers: Answer) -> None:
        self.script.next_answers.extend(answers)

    def answer(self, line: Line, call: Call) -> None:
        self.script.calls.append(call)
        self.script.was_called.set()
        answers = self.script.next_answers
        (answers.popleft() if len(answers) > 1 else answers[0])(line, call)

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Callers that hang up are part of the play."""


@contextmanager
def model_server() -> Iterator[Server]:
    with Server() as server:
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        try:
            yield server
        finally:
            server.script.released.set()
            server.shutdown()
            thread.join()


def says(*pieces: str, finish: str | None = "stop") -> Answer:
    """The pieces one by one; without a `finish` the stream just ends, as if that were all."""
    return _answer(Reply(pieces, finish=finish))


def searches(*queries: str, before: Sequence[str] = (), tool: str = "search_textbook") -> Answer:
    """Calls the tool with each query, after the words `before`."""
    return calls_tools(*((tool, json.dumps({"query": query})) for query in queries), before=before)


def calls_tools(*calls: tuple[str, str], before: Sequence[str] = ()) -> Answer:
    """Each tool by its name, with its arguments as they are."""
    return _answer(Reply(tuple(before), calls, finish="tool_calls"))


def declines(words: str) -> Answer:
    """The model's own refusal, which is not text."""
    return _answer(Reply((), refusal=words, finish="stop"))


def _answer(reply: Reply) -> Answer:
    def answer(line: Line, call: Call) -> None:
        if call.body.get("stream"):
            stream(line, frames_of(reply, call))
        else:
            whole = chat_whole(reply) if call.is_chat else response_whole(reply)
            line.reply(200, json.dumps(whole).encode())

    return answer


def frames_of(reply: Reply, call: Call) -> Iterable[bytes]:
    return chat_frames(reply) if call.is_chat else response_frames(reply)


def stream(line: Line, frames: Iterable[bytes]) -> None:
    line.begin_events()
    for frame in frames:
        line.send(frame)
    line.end_events()


def status(code: int, message: str = "no", *, error_code: str | None = None, **headers: str) -> Answer:
    def answer(line: Line, call: Call) -> None:
        body = {"error": {"message": message, "code": error_code}}
        line.reply(code, json.dumps(body).encode(), **headers)

    return answer


def raw(content: bytes, content_type: str = EVENTS, code: int = 200) -> Answer:
    def answer(line: Line, call: Call) -> None:
        line.reply(code, content, content_type)

    return answer


def cut_after(*pieces: str) -> Answer:
    """The connection goes in the middle of the answer."""

    def answer(line: Line, call: Call) -> None:
        line.begin_events()
        for frame in frames_of(Reply(pieces, finish=None), call):
            line.send(frame)
        line.hang_up()

    return answer


def fails_after(*pieces: str, message: str = "overloaded") -> Answer:
    """An error where the next words should be."""

    def answer(line: Line, call: Call) -> None:
        error = json.dumps({"error": {"message": message, "code": 502}}).encode()
        stream(line, [*frames_of(Reply(pieces, finish=None), call), b"data: " + error + b"\n\n"])

    return answer


def keeps_talking(*pieces: str) -> Answer:
    """Says the pieces, then waits until it is hung up on."""

    def answer(line: Line, call: Call) -> None:
        line.begin_events()
        for frame in frames_of(Reply(pieces, finish=None), call):
            line.send(frame)
        line.wait_for_hanging_up()

    return answer


def drips(piece: str) -> Answer:
    """Says the piece again and again, each time soon enough to seem alive."""

    def answer(line: Line, call: Call) -> None:
        line.begin_events()
        while not line.server.script.released.wait(0.05):
            for frame in frames_of(Reply((piece,), finish=None), call):
                line.send(frame)

    return answer


def hang_up(line: Line, call: Call) -> None:
    line.hang_up()


def say_nothing(line: Line, call: Call) -> None:
    line.wait_for_hanging_up()
