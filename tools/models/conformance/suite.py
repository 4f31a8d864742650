"""All checks in one call."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from ..protocol import VisionLanguageModel
from .checks import CHECKS
from .subject import ConformanceError, Subject

__all__ = ["ConformanceReport", "check_model"]


@dataclass(frozen=True)
class ConformanceReport:
    """What came of all checks."""

    passed: tuple[str, ...]
    skipped: tuple[str, ...]
    failures: dict[str, str] = field(default_factory=dict)

    def raise_for_failures(self) -> None:
        """Raises ``ConformanceError`` naming every rule that is broken."""
        if self.failures:
            lines = "\n".join(f"- {name}: {reason}" for name, reason in self.failures.items())
            raise ConformanceError(f"the adapter breaks {len(self.failures)} rules:\n{lines}")


def check_model(
    build: Callable[[], VisionLanguageModel],
    *,
    build_saying: Callable[[str], VisionLanguageModel] | None = None,
    build_failing: Callable[[], VisionLanguageModel] | None = None,
    build_slow: Callable[[], VisionLanguageModel] | None = None,
) -> ConformanceReport:
    """Runs every check that applies; arguments as in ``Subject``. Must not be called inside an event loop."""
    subject = Subject(build, build_saying, build_failing, build_slow)
    passed, skipped, failures = [], [], {}
    for check in CHECKS:
        if not check.applies_to(subject):
            skipped.append(check.name)
            continue
        try:
            check.run(subject)
        except Exception as error:  # noqa: BLE001 - a stranger's adapter may raise anything; it is reported
            failures[check.name] = str(error) if isinstance(error, ConformanceError) else repr(error)
        else:
            passed.append(check.name)
    return ConformanceReport(tuple(passed), tuple(skipped), failures)
