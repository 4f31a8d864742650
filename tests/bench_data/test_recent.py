"""Only the very same pixels get a kept result."""

from __future__ import annotations

import numpy as np
import pytest

from seeworthy.bench_data.marks import Mark, draw_marks, paint_over_marks
from seeworthy.bench_data.recent import Recent

PIXELS = np.random.default_rng(0).integers(0, 256, (6, 4, 3), dtype=np.uint8)


def test_the_same_pixels_are_looked_at_once_and_others_for_themselves() -> None:
    seen: list[tuple[int, ...]] = []

    def find(pixels: np.ndarray) -> int:
        seen.append(pixels.shape)
        return int(pixels[0, 0, 0])

    recent = Recent(find, most=8)
    other = PIXELS.copy()
    other[5, 3, 2] ^= 1
    for pixels in (PIXELS, PIXELS.copy(), other, PIXELS.reshape(4, 6, 3), PIXELS[::-1], PIXELS[::-1].copy()):
        assert recent.of(pixels) == pixels[0, 0, 0]
    assert recent.of(PIXELS.view(np.int8)) == PIXELS.view(np.int8)[0, 0, 0]
    assert len(seen) == 5


def test_what_was_not_asked_for_longest_goes_first() -> None:
    seen: list[int] = []
    recent = Recent(lambda pixels: seen.append(int(pixels[0])), most=2)
    for value in (1, 2, 1, 3, 1, 2):
        recent.of(np.array([value], dtype=np.uint8))
    assert seen == [1, 2, 3, 2]


def test_a_fault_is_not_kept() -> None:
    faults = [ValueError("no"), None]

    def find(pixels: np.ndarray) -> str:
        fault = faults.pop(0)
        if fault is not None:
            raise fault
        return "found"

    recent = Recent(find, most=2)
    with pytest.raises(ValueError, match="no"):
        recent.of(PIXELS)
    assert recent.of(PIXELS) == "found"


def test_marks_are_found_again_in_the_same_places_and_nobody_changes_them_for_others() -> None:
    plain = np.full((120, 160, 3), 90, np.uint8)
    marked = draw_marks(plain, [Mark(0, 1, (60.0, 50.0), 9.0, "light", (90.0, 60.0))])
    first = paint_over_marks(marked)
    assert first is not None
    expected = first.covered.copy()
    first.covered[:] = False
    first.image_srgb_u8[:] = 0
    second = paint_over_marks(marked)
    assert second is not None
    assert np.array_equal(second.covered, expected)
    assert second.image_srgb_u8.max() > 0
    assert paint_over_marks(plain) is None
