"""The server as an operator has it: real processes, real sockets, real signals."""

from __future__ import annotations

import os
import signal
import socket
from collections import Counter
from collections.abc import Iterator
from contextlib import ExitStack, suppress
from pathlib import Path

import psutil
import pytest

from glossator.web.serve.serve import allow_many_connections
from support.proof_size import repeats
from support.serve_process import (
    PATIENCE,
    Server,
    begun,
    is_listening,
    is_soon,
    request,
    serving,
    until,
    until_closed,
)

LINES = repeats("LINES", 600)
HALF_SENT = b"GET /pid HTTP/1.1\r\nHost: he"


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """For tests that leave it as it was."""
    with serving(tmp_path_factory.mktemp("server"), header_seconds=1) as shared:
        yield shared


def test_it_says_its_address_and_serves_there(server: Server):
    assert server.get("/pid").startswith(b"HTTP/1.1 200")


def test_collecting_garbage_does_not_go_through_what_was_loaded_at_the_start(server: Server):
    frozen_objects = int(server.get("/frozen").rpartition(b"\r\n")[2])
    assert frozen_objects > 10_000


@pytest.mark.parametrize("sent", [HALF_SENT, b""], ids=["half a request", "nothing"])
def test_a_line_on_which_no_request_comes_is_closed_in_time(server: Server, sent: bytes):
    with server.connect(sent) as line:
        assert until_closed(line) == b""


def test_headers_that_drip_get_no_more_time_than_others(server: Server):
    with server.connect(b"GET /pid HTTP/1.1\r\n") as line:
        line.settimeout(0.05)
        assert is_soon(lambda: _is_closed_while_dripping(line))


def _is_closed_while_dripping(line: socket.socket) -> bool:
    try:
        line.sendall(b"X: y\r\n")
        return line.recv(1) == b""
    except TimeoutError:
        return False
    except OSError:
        return True


def test_hundreds_of_half_sent_requests_keep_nobody_from_being_served(server: Server, counted: Counter[str]):
    allow_many_connections()
    with ExitStack() as open_lines:
        lines = [open_lines.enter_context(server.connect(HALF_SENT)) for _ in range(LINES)]
        assert server.get("/pid").startswith(b"HTTP/1.1 200")
        assert [line for line in lines if until_closed(line)] == []
    counted["half-sent requests closed in time"] += LINES


def test_headers_without_end_are_refused(server: Server):
    with server.connect(b"GET /pid HTTP/1.1\r\n") as line, suppress(ConnectionError):
        line.sendall(b"X: " + b"y" * 1_000_000)
        assert until_closed(line).startswith(b"HTTP/1.1 431")


def test_a_body_larger_than_any_header_comes_through(server: Server):
    body = b"x" * 1_000_000
    sent = request("/whole/x", f"Content-Length: {len(body)}", "Connection: close", method="POST")
    with server.connect(sent + body) as line:
        assert until_closed(line).endswith(b"\r\n1000000")


def test_every_event_is_on_the_line_as_soon_as_it_is_there(server: Server):
    with server.connect(request("/count")) as line:
        # The stream never ends by itself: whatever waited for more would wait for ever.
        until(line, b"data: 3\n\n")


def test_a_quiet_stream_shows_that_it_lives(server: Server):
    with server.connect(request("/quiet")) as line:
        until(line, b": hb\n\n")


def test_a_stream_that_fails_is_cut_so_that_the_reader_knows(server: Server):
    with server.connect(request("/cut")) as line:
        assert until_closed(line).endswith(b"data: one\n\n\r\n")


def test_a_reader_who_hangs_up_ends_the_stream(server: Server):
    with server.connect(request("/count")) as line:
        until(line, b"data: 1\n\n")
        before = server.diary.read_text().count("cancelled")
    assert is_soon(lambda: server.diary.read_text().count("cancelled") > before)
    assert is_soon(lambda: [line for line in server.lines() if line.get("hang_up")])


def test_a_worker_is_told_to_compute_on_one_thread_before_it_imports_anything(server: Server):
    assert server.diary.read_text().startswith("began 1\n")


def test_a_stopped_server_lets_its_streams_end_with_a_word(tmp_path: Path):
    with serving(tmp_path, stop_seconds=20) as server, server.connect(request("/count")) as line:
        until(line, b"data: 1\n\n")
        server.process.send_signal(signal.SIGTERM)
        assert until_closed(line).endswith(b"event: end\ndata: stopping\n\n\r\n0\r\n\r\n")
        assert server.process.wait(10) == 0
        assert server.diary.read_text().endswith("ended\n")


def test_a_stopped_server_takes_nothing_new_and_is_gone_in_time(tmp_path: Path):
    with serving(tmp_path, stop_seconds=1) as server, server.connect(request("/stubborn")) as line:
        until(line, b"still here")
        server.process.send_signal(signal.SIGTERM)
        assert is_soon(lambda: not is_listening(server.port))
        assert server.process.wait(PATIENCE) == 0, "though that stream never ends"
        assert server.diary.read_text().endswith("ended\n")


def test_lines_without_a_request_do_not_hold_up_a_stop(tmp_path: Path):
    with (
        serving(tmp_path, stop_seconds=60, header_seconds=60) as server,
        server.connect(request("/pid")) as idle,
        server.connect(HALF_SENT),
        server.connect(),
    ):
        until(idle, b"\r\n\r\n")
        assert server.stop() == 0


def test_a_second_signal_ends_it_at_once(tmp_path: Path):
    with serving(tmp_path, stop_seconds=60) as server, server.connect(request("/stubborn")) as line:
        until(line, b"still here")
        server.process.send_signal(signal.SIGINT)
        assert is_soon(lambda: not is_listening(server.port))
        server.process.send_signal(signal.SIGINT)
        server.process.wait(10)


def test_a_killed_server_leaves_nobody_and_nothing_behind(tmp_path: Path):
    with serving(tmp_path, workers=2) as server:
        family = psutil.Process(server.process.pid).children(recursive=True)
        assert len(family) == 2
        shared = Path(family[0].environ()["PROMETHEUS_MULTIPROC_DIR"])
        assert shared.is_dir()
        server.process.kill()
        server.process.wait()
        assert is_soon(lambda: not any(worker.is_running() for worker in family))
        assert not is_listening(server.port)
        assert not shared.exists()


def test_several_workers_share_the_work_and_what_they_count(tmp_path: Path):
    with serving(tmp_path, workers=2) as server:
        asked = 0
        workers = set[bytes]()

        def have_both_answered() -> bool:
            nonlocal asked
            asked += 1
            workers.add(server.get("/pid").rpartition(b"\r\n")[2])
            return len(workers) == 2

        assert is_soon(have_both_answered)
        counted = f'glossator_requests_total{{contract="",method="GET",route="/pid",status="200"}} {asked}.0'
        # A request is counted when its reply has gone out.
        assert is_soon(lambda: counted in server.get("/metrics").decode())


def test_a_worker_that_dies_is_replaced(tmp_path: Path):
    with serving(tmp_path) as server:
        first = int(server.get("/pid").rpartition(b"\r\n")[2])
        os.kill(first, signal.SIGKILL)
        assert is_soon(lambda: server.diary.read_text().count("began") == 2)
        assert int(server.get("/pid").rpartition(b"\r\n")[2]) != first


def test_a_port_that_is_taken_is_one_clear_line(tmp_path: Path):
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        with begun(tmp_path, "support.serve_apps:make_app", port=port) as server:
            assert server.process.wait(10) == 1
            wanted = f"glossator: Port {port} of 127.0.0.1 cannot be used: another program listens there.\n"
            assert server.log.read_text() == wanted


def test_two_servers_do_not_share_a_port(tmp_path: Path):
    (tmp_path / "second").mkdir()
    with (
        serving(tmp_path) as first,
        begun(tmp_path / "second", "support.serve_apps:make_app", port=first.port) as second,
    ):
        assert second.process.wait(10) == 1


def test_a_host_that_is_none_is_one_clear_line(tmp_path: Path):
    with begun(tmp_path, "support.serve_apps:make_app", host="no such host") as server:
        assert server.process.wait(10) == 1
        assert server.log.read_text() == "glossator: 'no such host' is not an address of a machine.\n"


def test_an_application_that_says_no_says_it_in_one_line(tmp_path: Path):
    with begun(tmp_path, "support.serve_apps:refuses", workers=2) as server:
        assert server.process.wait(10) == 1
        assert server.log.read_text() == "glossator: The canary is not at home.\n"


def test_an_application_that_breaks_tells_the_log_why_and_no_secret(tmp_path: Path):
    with begun(tmp_path, "support.serve_apps:breaks") as server:
        assert server.process.wait(10) == 1
        told = server.log.read_text()
        assert "ValueError: there is no ***" in told
        assert "canary" not in told
        assert told.endswith("glossator: A worker failed; the log says why.\n")
