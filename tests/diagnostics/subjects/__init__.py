"""Tests of diagnostics.subjects."""
