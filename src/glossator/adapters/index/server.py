"""A Qdrant server: its address, the names of a book's collections, and its errors as ours.

<name>             alias of the collection that holds the current generation
<name>-<n>         passages of generation n and of those that were built upon it
<name>-catalog     which generation is current, see server_catalog.py
"""

from __future__ import annotations

import re
from collections.abc import Collection, Generator
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
    Filter,
)

from glossator.errors import IndexFault, IndexUnavailable, SettingsError


class CollectionGone(IndexFault):
    """The server does not have the collection."""


@dataclass(frozen=True, slots=True)
class Distribution:
    """How a new collection is spread over the nodes of a cluster; where None, the server chooses."""

    shards: int | None = None
    replicas: int | None = None


_SERVER_CHOOSES = Distribution()


@dataclass(frozen=True, slots=True)
class Server:
    client: QdrantClient
    name: str
    distribution: Distribution = _SERVER_CHOOSES

    @classmethod
    def connect(
        cls,
        url: str,
        name: str,
        *,
        api_key: str | None,
        timeout: int,
        distribution: Distribution = _SERVER_CHOOSES,
    ) -> Server:
        """Sends nothing yet."""
        try:
            # The compatibility check calls the server at once, and would stop a process that could wait.
            client = QdrantClient(url=url, api_key=api_key, timeout=timeout, check_compatibility=False)
        except ValueError as error:
            raise SettingsError(f"{url} is not the address of a Qdrant server: {error}.") from error
        return cls(client, name, distribution)

    @property
    def catalog(self) -> str:
        return f"{self.name}-catalog"

    def collection(self, number: int) -> str:
        """The collection that generation `number` is built in, where it follows no other."""
        return f"{self.name}-{number}"

    def books(self) -> list[str]:
        """The names of the books beside this one: the aliases `<book>.<name>`."""
        suffix = f".{self.name}"
        return [alias.removesuffix(suffix) for alias in self._aliases() if alias.endswith(suffix)]

    def aliased(self) -> str | None:
        """The collection that the alias points to."""
        return self._aliases().get(self.name)

    def _aliases(self) -> dict[str, str]:
        with server_errors():
            aliases = self.client.get_aliases().aliases
        return {alias.alias_name: alias.collection_name for alias in aliases}

    def refuse_foreign_collection(self) -> None:
        with server_errors():
            is_taken = self.client.collection_exists(self.name)
        if is_taken and self.aliased() is None:
            raise SettingsError(
                f"The Qdrant server has a collection {self.name} that Glossator did not make: "
                "rename it, or choose another collection name in the settings."
            )

    def collections(self) -> dict[str, int]:
        """The collections with passages of this book, and the generation that each was built for."""
        with server_errors():
            names = [collection.name for collection in self.client.get_collections().collections]
        # Earlier versions kept token states in a collection of their own.
        pattern = re.compile(re.escape(self.name) + r"-(\d+)(-states)?")
        return {name: int(match[1]) for name in names if (match := pattern.fullmatch(name))}

    def show(self, collection: str, generation: Filter) -> None:
        """Leads other programs to the generation: by the alias, and by the filter in the metadata."""
        metadata = {"filter": generation.model_dump(mode="json", exclude_none=True)}
        with server_errors():
            self.client.update_collection(collection, metadata=metadata)
        self.move_alias(collection)

    def move_alias(self, collection: str) -> None:
        if self.aliased() == collection:
            return
        create = CreateAliasOperation(
            create_alias=CreateAlias(collection_name=collection, alias_name=self.name)
        )
        with server_errors():
            self.client.update_collection_aliases([self._delete_alias, create])

    def remove_alias(self) -> None:
        with server_errors():
            self.client.update_collection_aliases([self._delete_alias])

    def drop_collections(self, last: int, kept: Collection[str] = ()) -> None:
        """Drops the collections of generations up to `last`, except for `kept`."""
        for name, number in self.collections().items():
            if number <= last and name not in kept:
                self.drop(name)

    def drop(self, collection: str) -> None:
        with server_errors():
            self.client.delete_collection(collection)

    @property
    def _delete_alias(self) -> DeleteAliasOperation:
        return DeleteAliasOperation(delete_alias=DeleteAlias(alias_name=self.name))


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
        case 408 | 429 | 500 | 502 | 503 | 504:
            return IndexUnavailable(f"The Qdrant server cannot answer now ({error.status_code}): {reply}")
        case _:
            return IndexFault(f"The Qdrant server refuses ({error.status_code}): {reply}")
