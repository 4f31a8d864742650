"""Tests of diagnostics.auditing."""
