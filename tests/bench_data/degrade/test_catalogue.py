"""The catalogue: what people read about levels is what the code draws."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Self

import numpy as np
import pytest
from pydantic import Field

from seeworthy.bench_data.degrade import (
    DEGRADATION_REGISTRY,
    DegradationParameters,
    DegradationSpec,
    FormationStage,
    LightEffect,
    Severity,
)
from seeworthy.bench_data.degrade.catalogue import LEVELS, catalogue, level_table, sheet_of, span_text
from seeworthy.bench_data.degrade.severity import Range, draw
from seeworthy.bench_data.stress import Stress

TABLE: dict[Severity, Range] = {1: (1, 2), 2: (3, 4), 3: (5, 6), 4: (7, 8), 5: (9, 10), "bench": (20, 30)}


class BaseParameters(DegradationParameters):
    """What all of them have.

    Args:
        shared: told once, in the class
            that it comes from.
    """

    shared: float = 2.0


class FaultParameters(BaseParameters):
    """A fault.

    Args:
        strength: how bad; no unit.
        way_m: where to, in metres.

    Not an argument: this line is prose.
    """

    strength: float = Field(ge=0)
    way_m: tuple[float, float, float]
    colour: str = "red"
    never: float | None = None

    @classmethod
    def sample(cls, severity: Severity, rng: np.random.Generator) -> Self:
        angle = float(rng.uniform(0, 2 * np.pi))
        length = draw(TABLE, severity, rng)
        return cls(
            strength=length,
            way_m=(length * np.cos(angle), length * np.sin(angle), 0.0),
            colour=str(rng.choice(["red", "green"])),
        )


@pytest.fixture
def spec() -> Iterator[DegradationSpec]:
    yield DegradationSpec(
        Stress.COLOUR_CAST, "a fault", FormationStage.LENS, "7", FaultParameters,
        on_light=lambda light, parameters, rng: LightEffect(light.image_linear),
    )  # fmt: skip


def test_ranges_are_those_of_the_draws(spec: DegradationSpec) -> None:
    sheet = sheet_of(spec)
    by_name = {parameter.name: parameter for parameter in sheet.parameters}
    for level, (low, high) in TABLE.items():
        for name in ("strength", "way_m"):  # of a vector, the length
            found = by_name[name].ranges[level]
            assert found is not None
            assert found == pytest.approx((low, high), abs=0.03 * (high - low) + 1e-9)
            assert low <= float(found[0]) + 1e-9 and float(found[1]) <= high + 1e-9
        assert by_name["colour"].ranges[level] == ("green", "red")
        assert by_name["never"].ranges[level] is None
        assert by_name["shared"].ranges[level] == (2.0, 2.0)
    assert [name for name, parameter in by_name.items() if parameter.is_strength] == ["strength", "way_m"]
    assert (sheet.version, sheet.in_render) == ("7", False)


def test_meanings_come_from_the_class_and_its_bases(spec: DegradationSpec) -> None:
    meanings = {parameter.name: parameter.meaning for parameter in sheet_of(spec).parameters}
    assert meanings == {
        "shared": "told once, in the class that it comes from.",
        "strength": "how bad; no unit.",
        "way_m": "where to, in metres.",
        "colour": "",
        "never": "",
    }


def test_the_table_in_markdown(spec: DegradationSpec) -> None:
    lines = level_table(sheet_of(spec)).splitlines()
    assert lines[0] == "|  | level 1 | level 2 | level 3 | level 4 | level 5 | bench |"
    assert lines[2].startswith("| `strength` | 1-2 | 3-4 | 5-6 |")
    assert lines[-1] == "At all levels: `shared` 2, `colour` green, red."


def test_every_degradation_is_in_it_and_its_levels_differ() -> None:
    sheets = {sheet.name: sheet for sheet in catalogue()}
    assert set(sheets) == set(DEGRADATION_REGISTRY.names())
    for sheet in sheets.values():
        assert any(parameter.is_strength for parameter in sheet.parameters), sheet.name
        assert all(set(parameter.ranges) == set(LEVELS) for parameter in sheet.parameters)
    assert sheets["haze"].summary == DEGRADATION_REGISTRY.get("haze").summary


def test_it_is_the_same_each_time() -> None:
    assert catalogue() == catalogue()


def test_it_stands_in_the_order_of_image_formation() -> None:
    order = [sheet.name for sheet in catalogue()]
    known = ["haze", "defocus", "motion_blur", "low_light", "low_res", "jpeg_compression"]
    assert [name for name in order if name in known] == known


@pytest.mark.parametrize(
    ("span", "text"),
    [
        (None, ""),
        ((0.00123, 0.00149), "0.0012-0.0015"),
        ((1.2e-5, 0.04), "0-0.04"),
        ((0.0, 0.0), "0"),
        ((123456.0, 240000.0), "120000-240000"),
        ((-2.0, -1.0), "-2 to -1"),
        (("4:2:0",), "4:2:0"),
    ],
)
def test_numbers_are_short(span: tuple[float, float] | None, text: str) -> None:
    assert span_text(span) == text
