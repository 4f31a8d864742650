"""Tests of scene graphs."""
