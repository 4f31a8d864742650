"""What is checked, and what a check is."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from ...errors import ModelError
from ..protocol import VisionLanguageModel

__all__ = ["Check", "ConformanceError", "Subject"]


class ConformanceError(ModelError):
    """An adapter breaks the protocol; the message says how."""


@dataclass(frozen=True)
class Subject:
    """An adapter under test.

    Args:
        build: gives the model; may give the same object each time.
        build_saying: gives the adapter in front of a backend that says exactly this text.
        build_failing: gives the adapter in front of a backend that is broken or not there.
        build_slow: gives the adapter in front of a backend that takes at least 0.2 s for a reply.
    """

    build: Callable[[], VisionLanguageModel]
    build_saying: Callable[[str], VisionLanguageModel] | None = None
    build_failing: Callable[[], VisionLanguageModel] | None = None
    build_slow: Callable[[], VisionLanguageModel] | None = None


@dataclass(frozen=True)
class Check:
    """One rule of the protocol.

    Attributes:
        needs: the optional part of ``Subject`` without which the rule cannot be tried; "" when it needs none.
    """

    name: str
    summary: str
    run: Callable[[Subject], None]
    needs: str = ""

    def applies_to(self, subject: Subject) -> bool:
        return not self.needs or getattr(subject, self.needs) is not None
