"""Measurements on one picture or a pair: alignment, content preservation, no-reference quality."""
