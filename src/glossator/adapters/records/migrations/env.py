"""Where Alembic begins; the connection, and the transaction around it, are given."""

from __future__ import annotations

from alembic import context

context.configure(
    connection=context.config.attributes["connection"],
    version_table=context.config.attributes["version_table"],
    # SQLite too can take back a table, as long as nobody commits in between.
    transactional_ddl=True,
)
with context.begin_transaction():
    context.run_migrations()
