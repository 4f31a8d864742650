"""What is said, and asked, about what was done to a picture."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Self

from ...bench_data.degrade import DEGRADATION_REGISTRY
from ...bench_data.degrade.record import DegradationRecord, ParameterValue
from ...bench_data.degrade.registry import Severity
from ...bench_data.degrade.seeds import derived_rng

__all__ = [
    "CLEAN_NAME",
    "ToldDegradation",
    "degradation_choices",
    "hint_text",
    "read_named_degradation",
    "wrong_degradation",
]

CLEAN_NAME = "none"
"""The answer for a picture to which nothing was done."""

_MEDIUM: Severity = 3
_OTHER_NAMES = {
    "jpeg_compression": ("jpeg", "compression"),
    "low_light": ("lowlight",),
    "low_res": ("low_resolution",),
    "over_exposure": ("overexposure", "overexposed"),
    CLEAN_NAME: ("clean", "not_degraded", "no_degradation"),
}
_WORD = re.compile(r"[a-z]+")


@dataclass(frozen=True, slots=True)
class ToldDegradation:
    """A degradation as a hint tells of it: name, severity (1 to 5 or "bench", None where unknown), parameters."""

    name: str
    severity: Severity | None
    parameters: Mapping[str, ParameterValue]

    @classmethod
    def of(cls, record: DegradationRecord) -> Self:
        """What was really done."""
        return cls(record.name, record.severity, record.parameters)


def hint_text(told: Sequence[ToldDegradation]) -> str:
    """What was done to a picture, with the exact severity and parameters; that nothing was done, where nothing is told.

    The published note gives only the range of its parameters, the same for all pictures of a kind.
    """
    if not told:
        return "The picture is not degraded."
    parts = [_described(one) for one in told]
    return "The picture is degraded, in this order: " + "; then ".join(parts) + "."


def wrong_degradation(true: Sequence[ToldDegradation], *, seed: int) -> ToldDegradation:
    """A degradation that was not done to a picture, as severe as the one that was, with parameters to match.

    Args:
        true: what was done; () for a clean picture, which is then said to be degraded at a medium severity.
        seed: of the choice and of the parameters.
    """
    rng = derived_rng("wrong degradation", seed)
    names = [name for name in DEGRADATION_REGISTRY.names() if name not in {one.name for one in true}]
    name = names[int(rng.integers(len(names)))]
    severity = next((one.severity for one in true if one.severity), _MEDIUM)
    drawn = DEGRADATION_REGISTRY.get(name).parameters.sample(severity, rng)
    return ToldDegradation(name, severity, drawn.model_dump(exclude_none=True))


def degradation_choices() -> str:
    """All degradations, one a line with a short description, as a closed list to name one from."""
    lines = [f"- {name}: {spec.summary}" for name, spec in DEGRADATION_REGISTRY.specs()]
    return "\n".join([*lines, f"- {CLEAN_NAME}: the picture is not degraded"])


def read_named_degradation(reply: str) -> str | None:
    """The degradation that a reply names; `CLEAN_NAME` for none; None where it names no one or several.

    Names are read whole, with blanks, hyphens or underscores between their words.

    >>> read_named_degradation("It is motion blur."), read_named_degradation("haze or low light?")
    ('motion_blur', None)
    """
    words = _WORD.findall(reply.lower())
    found = {
        name
        for name in (*DEGRADATION_REGISTRY.names(), CLEAN_NAME)
        if any(_is_in(one.split("_"), words) for one in (name, *_OTHER_NAMES.get(name, ())))
    }
    if len(found) > 1:
        found.discard(CLEAN_NAME)
    return found.pop() if len(found) == 1 else None


def _is_in(name: list[str], words: list[str]) -> bool:
    return any(words[place : place + len(name)] == name for place in range(len(words) - len(name) + 1))


def _described(record: ToldDegradation) -> str:
    severity = "" if record.severity is None else f", severity {record.severity}"
    values = ", ".join(f"{name} {_shown(value)}" for name, value in record.parameters.items())
    return f"{record.name.replace('_', ' ')}{severity}" + (f" ({values})" if values else "")


def _shown(value: ParameterValue) -> str:
    if isinstance(value, bool | str):
        return str(value)
    if isinstance(value, tuple):
        return "[" + ", ".join(f"{one:.3g}" for one in value) + "]"
    return f"{value:.3g}"
