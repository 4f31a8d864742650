"""Tests of diagnostics.consistency."""
