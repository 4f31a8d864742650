"""Tests of diagnostics.asking."""
