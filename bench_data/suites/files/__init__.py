"""Containers of records: tables, lines of JSON, and large JSON files, each read record by record."""
