"""Open WebUI as it is installed with pip, through its HTTP API: a knowledge collection with a file a page."""

from __future__ import annotations

import json
import os
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
import uuid
from pathlib import Path
from typing import Any

from peers.product import Counts, Found, Settings, pages_of

START_SECONDS = 300
SWITCHED_OFF = {
    "WEBUI_AUTH": "False",
    "OFFLINE_MODE": "True",
    "ENABLE_OLLAMA_API": "False",
    "ENABLE_OPENAI_API": "False",
    "ENABLE_VERSION_UPDATE_CHECK": "False",
    "ANONYMIZED_TELEMETRY": "False",
    "SCARF_NO_ANALYTICS": "true",
    "DO_NOT_TRACK": "true",
}
"""Whatever speaks to the network. All other settings, such as those of cutting and searching, are its own."""


class Peer:
    def __init__(self, settings: Settings) -> None:
        self._home = settings.home
        self._state = settings.home / "collection.json"
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            port = free.getsockname()[1]
        self._base = f"http://127.0.0.1:{port}/api/v1"
        self._server = self._serve(settings, port)
        self.pid = self._server.pid
        self._token = self._sign_in()

    def ingest(self, folder: Path) -> Counts:
        collection = self._post("/knowledge/create", {"name": "book", "description": "book"})["id"]
        files = {self._upload(page, collection): page for page in pages_of(folder)}
        pages = {file: str(page.relative_to(folder)) for file, page in files.items()}
        self._state.write_text(json.dumps({"collection": collection, "pages": pages}), encoding="utf-8")
        return self._stored(collection)

    def open(self) -> None:
        state = json.loads(self._state.read_text(encoding="utf-8"))
        self._collection, self._pages = state["collection"], state["pages"]

    def search(self, question: str, k: int) -> list[Found]:
        query = {"collection_names": [self._collection], "query": question, "k": k}
        found = self._post("/retrieval/query/collection", query)
        rows = zip(found["metadatas"][0], found["documents"][0], found["distances"][0], strict=True)
        return [Found(self._pages[meta["file_id"]], text, float(score)) for meta, text, score in rows]

    def close(self) -> None:
        self._server.terminate()
        self._server.wait(30)

    def _serve(self, settings: Settings, port: int) -> subprocess.Popen[bytes]:
        data = settings.home / "data"
        data.mkdir(parents=True, exist_ok=True)
        environment = {
            **os.environ,
            **SWITCHED_OFF,
            "DATA_DIR": str(data),
            "RAG_EMBEDDING_MODEL": str(settings.model),
            "WEBUI_SECRET_KEY": uuid.uuid4().hex,
        }
        command = [Path(sys.executable).with_name("open-webui"), "serve", "--host", "127.0.0.1"]
        with (settings.home / "server.log").open("ab") as log:
            return subprocess.Popen([*command, "--port", str(port)], env=environment, stdout=log, stderr=log)

    def _sign_in(self) -> str:
        """Without accounts, anybody who signs in is the administrator."""
        until = time.monotonic() + START_SECONDS
        while time.monotonic() < until and self._server.poll() is None:
            try:
                return self._post("/auths/signin", {"email": "", "password": ""})["token"]
            except urllib.error.URLError:
                time.sleep(0.25)
        raise RuntimeError(f"Open WebUI did not start: see {self._home / 'server.log'}")

    def _upload(self, page: Path, collection: str) -> str:
        """The id of the file, whose passages are embedded twice: for itself and for the collection."""
        boundary, metadata = uuid.uuid4().hex, json.dumps({"knowledge_id": collection})
        head = (
            f'--{boundary}\r\nContent-Disposition: form-data; name="metadata"\r\n\r\n{metadata}\r\n'
            f'--{boundary}\r\nContent-Disposition: form-data; name="file"; filename="{page.name}"\r\n'
            "Content-Type: text/markdown\r\n\r\n"
        )
        body = head.encode() + page.read_bytes() + f"\r\n--{boundary}--\r\n".encode()
        path = "/files/?process=true&process_in_background=false"
        return self._send(path, body, f"multipart/form-data; boundary={boundary}")["id"]

    def _stored(self, collection: str) -> Counts:
        """Less than was uploaded where two pages have the same text, which it refuses."""
        import chromadb

        client = chromadb.PersistentClient(str(self._home / "data" / "vector_db"))
        stored = client.get_collection(collection).get(include=["metadatas"])
        files = {metadata["file_id"] for metadata in stored["metadatas"] or ()}
        return Counts(len(files), len(stored["ids"]))

    def _post(self, path: str, body: dict[str, Any]) -> Any:
        return self._send(path, json.dumps(body).encode(), "application/json")

    def _send(self, path: str, body: bytes, kind: str) -> Any:
        headers = {"Content-Type": kind, "Authorization": f"Bearer {getattr(self, '_token', '')}"}
        request = urllib.request.Request(self._base + path, data=body, headers=headers, method="POST")
        with urllib.request.urlopen(request, timeout=600) as reply:
            return json.loads(reply.read())
