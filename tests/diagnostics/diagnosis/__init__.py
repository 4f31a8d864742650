"""Tests of diagnostics.diagnosis."""
