"""Tests of diagnostics.interventions."""
