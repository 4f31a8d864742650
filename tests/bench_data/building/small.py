"""Settings of small data sets, and folders compared byte for byte."""

from __future__ import annotations

from pathlib import Path

from seeworthy.bench_data.building import BuildSettings, parse_conditions

SMALL = BuildSettings(
    scenes=2,
    kind="mixed",
    suites=("spacedg", "crisp", "grounding"),
    conditions=parse_conditions("clean,haze,distortion,low_light@bench"),
    views=3,
    width=128,
    height=96,
    objects=6,
    density=0.05,
    seed=4,
)

TINY = BuildSettings(
    scenes=2,
    suites=("crisp",),
    conditions=parse_conditions("clean,jpeg_compression"),
    views=2,
    width=64,
    height=48,
    objects=3,
    density=0.05,
)


def contents(root: Path) -> dict[str, bytes]:
    """Name -> bytes of all files."""
    return {str(path.relative_to(root)): path.read_bytes() for path in sorted(root.rglob("*")) if path.is_file()}
