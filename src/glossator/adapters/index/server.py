"""Generations on a Qdrant server: collections `<name>-<n>`, and the alias `<name>` of the current one.

Token states are in `<name>-<n>-states`, so that other clients of the collection do not receive them.
"""

from __future__ import annotations

from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import dataclass

from qdrant_client import QdrantClient
from qdrant_client.common.client_exceptions import ResourceExhaustedResponse
from qdrant_client.http.exceptions import ResponseHandlingException, UnexpectedResponse
from qdrant_client.models import (
    CreateAlias,
    CreateAliasOperation,
    DeleteAlias,
    DeleteAliasOperation,
)

from glossator.adapters.index.faults import REBUILD
from glossator.adapters.index.generations import StoredManifest, read_manifest
from glossator.errors import IndexFault, IndexUnavailable, SettingsError

_MANIFEST = "glossator"


class CollectionGone(IndexFault):
    """The generation was removed from the server."""


@dataclass(frozen=True, slots=True)
class Server:
    client: QdrantClient
    name: str

    @classmethod
    def connect(cls, url: str, name: str, *, api_key: str | None, timeout: int) -> Server:
        """Sends nothing yet."""
        try:
            # The compatibility check calls the server at once, and would stop a process that could wait.
            client = QdrantClient(url=url, api_key=api_key, timeout=timeout, check_compatibility=False)
        except ValueError as error:
            raise SettingsError(f"{url} is not the address of a Qdrant server: {error}.") from error
        return cls(client, name)

    def collection(self, number: int) -> str:
        return f"{self.name}-{number}"

    def books(self) -> list[str]:
        """The names of the books beside this one: the aliases `<book>.<name>`."""
        with server_errors():
            aliases = [alias.alias_name for alias in self.client.get_aliases().aliases]
        suffix = f".{self.name}"
        return [alias.removesuffix(suffix) for alias in aliases if alias.endswith(suffix)]

    def current(self) -> str | None:
        """The collection that the alias points to."""
        with server_errors():
            aliases = self.client.get_aliases().aliases
        for alias in aliases:
            if alias.alias_name == self.name:
                return alias.collection_name
        self._refuse_foreign_collection()
        return None

    def _refuse_foreign_collection(self) -> None:
        with server_errors():
            is_taken = self.client.collection_exists(self.name)
        if is_taken:
            raise SettingsError(
                f"The Qdrant server has a collection {self.name} that Glossator did not make: "
                "rename it, or choose another collection name in the settings."
            )

    def generations(self) -> dict[int, str]:
        with server_errors():
            names = [collection.name for collection in self.client.get_collections().collections]
        numbers = {name: name.removeprefix(f"{self.name}-") for name in names}
        return {int(number): name for name, number in numbers.items() if number.isdigit()}

    def manifest(self, collection: str) -> StoredManifest:
        with server_errors():
            metadata = self.client.get_collection(collection).config.metadata or {}
        manifest = metadata.get(_MANIFEST)
        if not isinstance(manifest, str):
            raise IndexFault(f"The collection {collection} has no manifest: {REBUILD}.")
        return read_manifest(manifest, collection)

    def write_manifest(self, collection: str, stored: StoredManifest) -> None:
        with server_errors():
            self.client.update_collection(collection, metadata={_MANIFEST: stored.model_dump_json()})

    def make_current(self, collection: str) -> None:
        create = CreateAliasOperation(
            create_alias=CreateAlias(collection_name=collection, alias_name=self.name)
        )
        with server_errors():
            self.client.update_collection_aliases([self._delete_alias, create])

    def remove_alias(self) -> None:
        with server_errors():
            self.client.update_collection_aliases([self._delete_alias])

    @property
    def _delete_alias(self) -> DeleteAliasOperation:
        return DeleteAliasOperation(delete_alias=DeleteAlias(alias_name=self.name))

    def drop(self, collection: str) -> None:
        """The states first: `generations` still finds a half-dropped generation by its main collection."""
        with server_errors():
            self.client.delete_collection(states_collection(collection))
            self.client.delete_collection(collection)


def states_collection(collection: str) -> str:
    """The collection with the token states of a generation."""
    return f"{collection}-states"


@contextmanager
def server_errors() -> Generator[None]:
    """Error messages quote the server's replies, never our requests: those hold the API key."""
    try:
        yield
    except ResponseHandlingException as error:
        raise IndexUnavailable(f"The Qdrant server does not answer: {error.source}.") from error
    except ResourceExhaustedResponse as error:
        raise IndexUnavailable("The Qdrant server asks to come back later.") from error
    except UnexpectedResponse as error:
        raise _fault(error) from error
    except (ValueError, AssertionError) as error:
        raise IndexUnavailable("The Qdrant server sent something that cannot be read.") from error


def _fault(error: UnexpectedResponse) -> IndexFault | SettingsError:
    reply = error.content.decode(errors="replace")[:300]
    match error.status_code:
        case 401 | 403:
            return SettingsError("The Qdrant server refuses the API key it was given.")
        case 404:
            return CollectionGone(f"The Qdrant server does not have it: {reply}")
        case 429 | 500 | 502 | 503 | 504:
            return IndexUnavailable(f"The Qdrant server cannot answer now ({error.status_code}): {reply}")
        case _:
            return IndexFault(f"The Qdrant server refuses ({error.status_code}): {reply}")
