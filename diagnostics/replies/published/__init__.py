"""How three public benchmarks read and score the same replies, byte for byte, so that both scores can stand side by
side."""

from __future__ import annotations

from .rules import Published, published_reading, published_score

__all__ = ["Published", "published_reading", "published_score"]
