"""The network of the matrix fails as it is told to, and no otherwise."""

from __future__ import annotations

import socket
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import httpx2
import pytest

from support.faulty_proxy import Fault, FaultyProxy, proxy_to
from support.serve_process import is_soon

BODY = b"x" * 200


class Greeting(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_GET(self) -> None:
        self.send_response(200)
        self.send_header("Content-Length", str(len(BODY)))
        self.end_headers()
        self.wfile.write(BODY)

    def log_message(self, format: str, *args: object) -> None: ...


class Quiet(ThreadingHTTPServer):
    daemon_threads = True

    def handle_error(self, request: object, client_address: object) -> None:
        """Lines that break are part of the play."""


@pytest.fixture
def proxy() -> Iterator[FaultyProxy]:
    with Quiet(("127.0.0.1", 0), Greeting) as server:
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        with proxy_to(f"http://127.0.0.1:{server.server_port}") as made:
            yield made
        server.shutdown()
        thread.join()


@pytest.fixture
def client(proxy: FaultyProxy) -> Iterator[httpx2.Client]:
    with httpx2.Client(base_url=f"http://127.0.0.1:{proxy.port}", timeout=0.3) as made:
        yield made


def test_what_is_said_passes(proxy: FaultyProxy, client: httpx2.Client) -> None:
    assert client.get("/").content == BODY
    assert client.get("/").content == BODY
    assert (proxy.connections, proxy.open_lines) == (1, 1)


EXPECTED = {
    Fault.REFUSED: httpx2.ConnectError,
    Fault.TIMEOUT: httpx2.ReadTimeout,
    Fault.RESET: httpx2.TransportError,
    Fault.GARBAGE: httpx2.RemoteProtocolError,
    Fault.CUT: httpx2.RemoteProtocolError,
}


@pytest.mark.parametrize("is_open", [False, True], ids=["a new line", "a line that is open"])
@pytest.mark.parametrize(("fault", "error"), EXPECTED.items())
def test_every_fault_is_felt_and_passes(
    proxy: FaultyProxy, client: httpx2.Client, fault: Fault, error: type[Exception], is_open: bool
) -> None:
    if is_open:
        client.get("/")
    with proxy.failing(fault):
        for _ in range(2):
            with pytest.raises(error if not is_open else httpx2.TransportError):
                client.get("/")
    with httpx2.Client(base_url=client.base_url) as fresh:
        assert fresh.get("/").content == BODY


@pytest.mark.parametrize(("fault", "code"), [(Fault.ERROR, 503), (Fault.NONSENSE, 200)])
def test_a_gateway_may_answer_instead(
    proxy: FaultyProxy, client: httpx2.Client, fault: Fault, code: int
) -> None:
    with proxy.failing(fault):
        reply = client.get("/")
    assert (reply.status_code, "log in" in reply.text) == (code, True)


def test_a_slow_drip_outlasts_a_limit_that_is_for_each_read(proxy: FaultyProxy) -> None:
    proxy.drip_seconds = 0.005
    each_read = len(BODY) * proxy.drip_seconds / 2
    with proxy.failing(Fault.DRIP), httpx2.Client(timeout=each_read) as patient:
        assert patient.get(f"http://127.0.0.1:{proxy.port}/").content == BODY


def test_the_line_is_cut_after_as_many_bytes_as_are_wanted(proxy: FaultyProxy) -> None:
    proxy.cut_after = 7
    with proxy.failing(Fault.CUT), socket.create_connection(("127.0.0.1", proxy.port), timeout=5) as line:
        line.sendall(b"GET / HTTP/1.1\r\nHost: x\r\n\r\n")
        heard = b""
        while said := line.recv(100):
            heard += said
    assert heard == b"HTTP/1."


def test_nothing_is_left_when_it_is_over(proxy: FaultyProxy, client: httpx2.Client) -> None:
    before = threading.active_count()
    with proxy_to(f"http://127.0.0.1:{proxy.port}") as second:
        second.drip_seconds = 0.0
        with httpx2.Client(timeout=0.2) as impatient:
            for fault in Fault:
                second.fail(fault)
                try:
                    impatient.get(f"http://127.0.0.1:{second.port}/")
                except httpx2.TransportError:
                    continue
        port = second.port
    assert second.open_lines == 0
    # The server behind it ends a thread a moment after its line.
    assert is_soon(lambda: threading.active_count() <= before)
    with pytest.raises(ConnectionRefusedError):
        socket.create_connection(("127.0.0.1", port), timeout=1)
