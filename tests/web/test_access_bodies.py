"""Bodies that are refused, on a real socket: the reply arrives, and the connection is not left hanging."""

from __future__ import annotations

import json
import socket
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from support.access_app import BODY_BYTES
from support.access_server import running

_DEADLINE = 20


@pytest.fixture(scope="module")
def port(tmp_path_factory: pytest.TempPathFactory) -> Iterator[int]:
    folder: Path = tmp_path_factory.mktemp("access")
    with running(folder) as port:
        yield port


def _connected(port: int) -> socket.socket:
    line = socket.create_connection(("127.0.0.1", port))
    line.settimeout(_DEADLINE)
    return line


def _head(*headers: str, path: str = "/small/echo", method: str = "POST") -> bytes:
    lines = [f"{method} {path} HTTP/1.1", "Host: 127.0.0.1", *headers, "", ""]
    return "\r\n".join(lines).encode()


def _reply(line: socket.socket) -> tuple[int, dict[str, object]]:
    """The status and the body of the next reply on the line."""
    with line.makefile("rb") as stream:
        status = int(stream.readline().split()[1])
        length = 0
        while (header := stream.readline().strip()) != b"":
            name, _, value = header.partition(b":")
            if name.lower() == b"content-length":
                length = int(value)
        return status, json.loads(stream.read(length))


@pytest.mark.parametrize("size", [BODY_BYTES + 1, 200_000, 5_000_000])
def test_one_who_sends_everything_before_reading_gets_the_reply(port: int, size: int):
    with _connected(port) as line:
        line.sendall(_head(f"Content-Length: {size}"))
        line.sendall(b"x" * size)
        assert _reply(line) == (413, {"small": "too_large", "says": "The request is too large."})


@pytest.mark.parametrize("chunks", [1, 30])
def test_so_does_one_who_never_said_how_much_it_would_be(port: int, chunks: int):
    with _connected(port) as line:
        line.sendall(_head("Transfer-Encoding: chunked"))
        for _ in range(chunks):
            line.sendall(b"10000\r\n" + b"x" * 65_536 + b"\r\n")
        line.sendall(b"0\r\n\r\n")
        assert _reply(line)[0] == 413


def test_one_who_announces_too_much_is_told_at_once(port: int):
    with _connected(port) as line:
        line.sendall(_head("Content-Length: 1000000000", "Expect: 100-continue"))
        assert _reply(line)[0] == 413


def test_one_who_sends_far_too_much_is_cut_off(port: int):
    with _connected(port) as line:
        line.sendall(_head("Content-Length: 200000000"))
        with pytest.raises(ConnectionError):
            line.sendall(bytes(200_000_000))


def test_one_who_drips_is_not_waited_for(port: int):
    with _connected(port) as line:
        line.sendall(_head("Content-Length: 1000") + b"x")
        assert _reply(line) == (503, {"small": "timeout", "says": "The request did not come in time."})


def test_a_refused_line_can_be_used_again(port: int):
    with _connected(port) as line:
        body = b"x" * (BODY_BYTES + 1)
        line.sendall(_head(f"Content-Length: {len(body)}") + body)
        assert _reply(line)[0] == 413
        line.sendall(_head("Content-Length: 3") + b"abc")
        assert _reply(line) == (200, {"bytes": 3})


def test_a_request_without_a_body_does_not_wait_for_one(port: int):
    with _connected(port) as line:
        for _ in range(3):
            line.sendall(_head(path="/small/ask", method="GET"))
            status, told = _reply(line)
            assert (status, told["key"], told["address"]) == (200, "open", "127.0.0.1")


def test_a_refused_request_without_a_body_is_answered_at_once(port: int):
    with _connected(port) as line:
        for _ in range(3):
            line.sendall(_head("Origin: https://evil.example", path="/small/ask", method="GET"))
            assert _reply(line)[0] == 403


def test_a_whole_body_reaches_the_contract_in_pieces_or_not(port: int):
    with _connected(port) as line:
        line.sendall(_head("Transfer-Encoding: chunked"))
        for piece in (b"5\r\nhello\r\n", b"6\r\n world\r\n", b"0\r\n\r\n"):
            line.sendall(piece)
        assert _reply(line) == (200, {"bytes": 11})


def test_many_who_drip_do_not_keep_others_waiting(port: int):
    slow = [_connected(port) for _ in range(50)]
    for line in slow:
        line.sendall(_head("Content-Length: 1000") + b"x")
    with _connected(port) as line:
        line.sendall(_head("Content-Length: 3") + b"abc")
        assert _reply(line) == (200, {"bytes": 3})
    with ThreadPoolExecutor(10) as pool:
        assert [status for status, _ in pool.map(_reply, slow)] == [503] * 50
    for line in slow:
        line.close()


def test_a_stream_comes_through_the_socket_to_its_end(port: int):
    with _connected(port) as line:
        line.sendall(_head("Connection: close", path="/small/stream", method="GET"))
        with line.makefile("rb") as stream:
            told = stream.read()
    assert told.startswith(b"HTTP/1.1 200")
    assert b"data: 0\n\n" in told
    assert b"data: 2\n\n" in told
