"""Tests of diagnostics.judging."""
