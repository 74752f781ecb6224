"""Sessions and exchanges in a SQL database: SQLite in a file, or a PostgreSQL server."""
