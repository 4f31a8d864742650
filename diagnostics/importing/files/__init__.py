"""Containers of other tools' results: tables, spreadsheets, JSON."""
