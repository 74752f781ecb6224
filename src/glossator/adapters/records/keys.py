"""The SQL key store. Of an API key only the hash is stored."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

from sqlalchemy import Connection, bindparam, func, insert, select, update

from glossator.adapters.records.completing import strings_from_json, strings_to_json
from glossator.adapters.records.database import Database
from glossator.adapters.records.tables import Moment, Row, api_keys, storable
from glossator.errors import KeyUnknown
from glossator.model import ApiKey, KeyKind, Scope

_all = select(api_keys).order_by(api_keys.c.created_at, api_keys.c.id)
_insert = insert(api_keys)
# A second revocation does not change the time of the first.
_revoke = (
    update(api_keys)
    .where(api_keys.c.id == bindparam("key"))
    .values(revoked_at=func.coalesce(api_keys.c.revoked_at, bindparam("at", type_=Moment)))
    .returning(*api_keys.c)
)


class SqlKeyStore:
    def __init__(self, database: Database) -> None:
        self._database = database

    async def all(self) -> Sequence[ApiKey]:
        rows = await self._database.read(lambda connection: connection.execute(_all).all())
        return [_key(row) for row in rows]

    async def add(self, key: ApiKey) -> None:
        columns = {
            "id": key.id,
            "kind": key.kind.value,
            "name": storable(key.name),
            "digest": key.digest,
            "scopes": strings_to_json(tuple(sorted(key.scopes))),
            "origins": strings_to_json(key.origins),
            "created_at": key.created_at,
            "revoked_at": key.revoked_at,
            "is_anonymous": key.is_anonymous,
            "books": strings_to_json(key.books),
        }
        await self._database.write(lambda connection: connection.execute(_insert, columns).rowcount)

    async def revoke(self, key_id: str, at: datetime) -> ApiKey:
        row = await self._database.write(lambda connection: _revoke_key(connection, key_id, at))
        if row is None:
            raise KeyUnknown
        return _key(row)


def _revoke_key(connection: Connection, key_id: str, at: datetime) -> Row | None:
    return connection.execute(_revoke, {"key": storable(key_id), "at": at}).one_or_none()


def _key(row: Row) -> ApiKey:
    return ApiKey(
        id=row.id,
        kind=KeyKind(row.kind),
        name=row.name,
        digest=row.digest,
        scopes=frozenset(map(Scope, strings_from_json(row.scopes))),
        origins=strings_from_json(row.origins),
        created_at=row.created_at,
        revoked_at=row.revoked_at,
        is_anonymous=bool(row.is_anonymous),
        books=strings_from_json(row.books),
    )
