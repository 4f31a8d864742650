"""What the demo looks at: real photographs that installed packages ship, clean and degraded."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from ....bench_data.degrade import degrade
from ....bench_data.images import Picture
from ....bench_data.photographs import package_photographs
from ....bench_data.stress import Stress

__all__ = ["STRESSES", "Case", "clean_cases", "stressed_cases"]

# Applied stress, and the names under which finding it counts as right: one picture does not always tell the two blurs
# apart.
STRESSES: dict[Stress, tuple[Stress, ...]] = {
    Stress.LOW_LIGHT: (Stress.LOW_LIGHT,),
    Stress.HAZE: (Stress.HAZE,),
    Stress.DEFOCUS: (Stress.DEFOCUS, Stress.MOTION_BLUR),
    Stress.JPEG_COMPRESSION: (Stress.JPEG_COMPRESSION,),
    Stress.OVER_EXPOSURE: (Stress.OVER_EXPOSURE,),
    Stress.LOW_RES: (Stress.LOW_RES,),
}
_SEVERITY = 3
_PHOTOGRAPHS_PER_STRESS = 3


@dataclass(frozen=True)
class Case:
    """One picture to solve. ``clean`` is the truth that only the table sees, never the solver."""

    name: str
    stress: Stress | None
    right: tuple[Stress, ...]
    picture: Picture
    clean: Picture

    @property
    def title(self) -> str:
        return f"{self.stress.label if self.stress else 'clean'}, {self.name}"


def stressed_cases() -> Iterator[Case]:
    """Every stress on some of the counted photographs, which nothing was fitted on, each stress on others."""
    photographs = package_photographs("counted")
    for place, (stress, right) in enumerate(STRESSES.items()):
        for step in range(_PHOTOGRAPHS_PER_STRESS):
            photograph = photographs[(place + step * len(STRESSES)) % len(photographs)]
            degraded = degrade(photograph.picture, stress.value, severity=_SEVERITY, seed=place * 100 + step)
            yield Case(photograph.name, stress, right, degraded.picture, photograph.picture)


def clean_cases() -> Iterator[Case]:
    """Some photographs as they are: nothing should be found, and nothing done."""
    for photograph in package_photographs("counted")[:_PHOTOGRAPHS_PER_STRESS]:
        yield Case(photograph.name, None, (), photograph.picture, photograph.picture)
