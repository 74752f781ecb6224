"""What a request says of the server's name is not believed, and a body that is none is answered."""

from __future__ import annotations

import socket
from collections.abc import Callable, Iterator
from pathlib import Path
from urllib.parse import urlsplit

import pytest
from starlette.testclient import TestClient

from glossator.model import KeyKind
from glossator.ports import Embedder
from support.proof_keys import add_keys
from support.proof_server import Server, served
from support.web_app import serving

PATHS = ["/readyz", "/metrics", "/", "/topics"]


@pytest.mark.parametrize("path", PATHS)
def test_a_server_without_keys_shows_nothing_to_a_page_of_another_name(
    make_client: Callable[..., TestClient], book: Path, path: str
) -> None:
    client = make_client(preview=book)
    assert client.get(path, headers={"host": "evil.example"}).status_code == 403
    assert client.get(path, headers={"origin": "https://evil.example"}).status_code == 403
    assert client.get(path).status_code != 403
    assert client.get("/livez", headers={"host": "evil.example"}).status_code == 200


def test_with_keys_a_proxy_may_give_it_any_name(home: Path, embedder: Embedder, tmp_path: Path) -> None:
    records = tmp_path / "records.sqlite"
    add_keys(f"sqlite:///{records}", KeyKind.SECRET)
    with serving(home, embedder, records) as client:
        assert client.get("/readyz", headers={"host": "book.example"}).status_code == 200
        assert client.get("/metrics", headers={"host": "book.example"}).status_code == 200


@pytest.mark.parametrize(
    ("path", "location"), [("/v1/chapters/", "/v1/chapters"), ("/v1/docs/", "/v1/docs"), ("/desk", "desk/")]
)
def test_a_redirect_names_no_server(client: TestClient, path: str, location: str) -> None:
    reply = client.get(path, follow_redirects=False, headers={"host": "localhost"})
    assert (reply.status_code, reply.headers["location"]) == (307, location)


@pytest.fixture(scope="module")
def server(home: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """Started in a folder that holds files called like modules that it needs."""
    folder = tmp_path_factory.mktemp("started in")
    for name in ("starlette", "sqlalchemy", "structlog"):
        (folder / f"{name}.py").write_text('raise SystemExit("imported from the folder")')
    with served(home, folder, database_url=f"sqlite:///{folder / 'records.sqlite'}") as started:
        yield started


def test_python_files_in_the_folder_it_is_started_in_are_not_imported(server: Server) -> None:
    with server.client() as client:
        assert client.get("/livez").status_code == 200
    assert "imported from the folder" not in server.logged()


@pytest.mark.parametrize("path", ["/v1/ask", "/contracts/course/chat", "/openai/v1/chat/completions"])
@pytest.mark.parametrize("body", [b"zz\r\n{}\r\n0\r\n\r\n", b"5\r\n{}\r\n0\r\n\r\n", b"-1\r\n\r\n"])
def test_a_malformed_chunked_body_is_400_with_a_trace(server: Server, path: str, body: bytes) -> None:
    address = urlsplit(server.url)
    with socket.create_connection((address.hostname or "", address.port or 0), timeout=60) as line:
        line.sendall(
            b"POST %s HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\n"
            b"Transfer-Encoding: chunked\r\nConnection: close\r\n\r\n%s" % (path.encode(), body)
        )
        line.shutdown(socket.SHUT_WR)
        reply = b"".join(iter(lambda: line.recv(65536), b""))
    assert reply.startswith(b"HTTP/1.1 400"), reply[:200]
    assert b"x-trace-id: " in reply.lower()
