"""What every rectifier must obey, as a check that the author of a plug-in can run."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from .errors import ToolError
from .findings import Region
from .registry import Alignment, RectifierSpec, RectifyHint, apply_rectifier

__all__ = ["check_rectifier"]

Image = NDArray[np.float32]


def check_rectifier(spec: RectifierSpec) -> tuple[str, ...]:
    """Tries a rectifier on awkward pictures; returns what is wrong with it, one sentence each, nothing when it is fine.

    Pictures of one pixel, one row and one column, black, white, grey, noise and a ramp must come back whole: right
    type, shape and range, finite, with a map for whatever moved, the input untouched, and the same each time where
    the declaration says so.

    For the tests of a plug-in: ``assert check_rectifier(RECTIFIERS.get("mine")) == ()``.
    """
    problems = _declaration(spec)
    for what, image in _awkward_images():
        for severity in (None, 0.0, 3.0, 5.0):
            problems += _run(spec, f"{what}, severity {severity}", image, severity)
    try:
        apply_rectifier(spec, _awkward_images()[-1][1], RectifyHint(options={"no such option": 1.0}))
        problems.append("an unknown option was accepted")
    except ToolError:
        pass  # as it must be
    return tuple(problems)


def _declaration(spec: RectifierSpec) -> list[str]:
    problems = []
    if not spec.name.isidentifier() or spec.name != spec.name.lower():
        problems.append(f"the name {spec.name!r} is not lower_case_with_underscores")
    if len(spec.summary) < 10:
        problems.append("the summary says too little")
    if not spec.version:
        problems.append("the version is empty")
    problems += [f"option {name!r} has no line of help" for name, text in spec.options.items() if not text]
    return problems


def _run(spec: RectifierSpec, what: str, image: Image, severity: float | None) -> list[str]:
    height, width = image.shape[:2]
    region = Region(x0=0, y0=0, x1=width, y1=height) if spec.alignment is Alignment.MAPPED else None
    hint = RectifyHint(severity=severity, region=region)
    before = image.copy()
    try:
        first = apply_rectifier(spec, image, hint)
        again = apply_rectifier(spec, image, hint)
    except Exception as error:  # noqa: BLE001 - a plug-in may raise anything; that is the finding
        return [f"{what}: {type(error).__name__}: {error}"]
    problems = []
    if not np.array_equal(image, before):
        problems.append(f"{what}: the input was changed")
    if spec.deterministic and not np.array_equal(first.image_srgb, again.image_srgb):
        problems.append(f"{what}: declared deterministic, but two runs differ")
    return problems


def _awkward_images() -> tuple[tuple[str, Image], ...]:
    rng = np.random.default_rng(0)
    grain = rng.random((48, 64, 3)).astype(np.float32)
    ramp = np.repeat(np.linspace(0, 1, 96, dtype=np.float32)[None, :, None], 70, axis=0).repeat(3, axis=2)
    return (
        ("one pixel", np.full((1, 1, 3), 0.5, np.float32)),
        ("one row", grain[:1].copy()),
        ("one column", grain[:, :1].copy()),
        ("seven by five", grain[:5, :7].copy()),
        ("black", np.zeros((40, 56, 3), np.float32)),
        ("white", np.ones((40, 56, 3), np.float32)),
        ("grey", np.full((40, 56, 3), 0.4, np.float32)),
        ("noise", grain),
        ("ramp", ramp),
    )
