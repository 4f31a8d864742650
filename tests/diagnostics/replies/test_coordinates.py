"""Boxes and points in the pixels of the original picture, whatever the model's space."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from seeworthy.diagnostics.errors import DiagnosticsError
from seeworthy.diagnostics.replies import Flag, ParseStatus, PictureFrame, parse_box, parse_point, picture_frame
from seeworthy.tools.models import Capabilities, CoordinateSpace, SentImage

SIZES = st.tuples(st.integers(1, 4000), st.integers(1, 4000))
FRACTIONS = st.tuples(*[st.floats(0, 1)] * 4).filter(
    lambda box: abs(box[0] - box[2]) > 0.01 and abs(box[1] - box[3]) > 0.01
)


@given(st.sampled_from(list(CoordinateSpace)), SIZES, SIZES, FRACTIONS)
def test_a_box_lands_on_the_same_part_of_the_picture(
    space: CoordinateSpace, sent: tuple[int, int], original: tuple[int, int], box: tuple[float, float, float, float]
) -> None:
    scale = {
        CoordinateSpace.PERMILLE: (1000, 1000),
        CoordinateSpace.FRACTION: (1, 1),
        CoordinateSpace.SENT_PIXELS: sent,
        CoordinateSpace.ORIGINAL_PIXELS: original,
    }[space]
    written = [value * scale[axis % 2] for axis, value in enumerate(box)]
    result = parse_box("[" + ", ".join(f"{value:.9f}" for value in written) + "]", space, sent, original)
    x0, x1 = sorted((box[0], box[2]))
    y0, y1 = sorted((box[1], box[3]))
    expected = (x0 * original[0], y0 * original[1], x1 * original[0], y1 * original[1])
    assert result.value == pytest.approx(expected, abs=1e-4)
    assert (Flag.CORNERS_REORDERED in result.flags) == (box[0] > box[2] or box[1] > box[3])


@given(st.floats(0, 1000), st.floats(0, 1000), SIZES)
def test_a_point_lands_on_the_same_part_of_the_picture(x: float, y: float, size: tuple[int, int]) -> None:
    result = parse_point(f"({x:.9f}, {y:.9f})", CoordinateSpace.PERMILLE, (10, 10), size)
    assert result.value == pytest.approx((x * size[0] / 1000, y * size[1] / 1000), abs=1e-4)


@given(st.sampled_from(["x0", "y0", "x1", "y1"]), st.sampled_from([-1, 1001, 5000]))
def test_outside_is_invalid_and_never_clipped(corner: str, value: int) -> None:
    box = {"x0": 100, "y0": 200, "x1": 300, "y1": 400} | {corner: value}
    result = parse_box(str(list(box.values())), CoordinateSpace.PERMILLE, (10, 10), (10, 10))
    assert result.status is ParseStatus.INVALID
    assert Flag.OUT_OF_RANGE in result.flags


@pytest.mark.parametrize("size", [(0, 5), (5, -1), (5,)])
def test_a_frame_needs_sizes(size: tuple[int, ...]) -> None:
    with pytest.raises(DiagnosticsError, match="sent_size"):
        parse_box("[1,2,3,4]", CoordinateSpace.PERMILLE, size, (5, 5))  # type: ignore[arg-type]


def test_the_space_is_required_and_closed() -> None:
    with pytest.raises(ValueError, match="pixels_of_mars"):
        parse_box("[1,2,3,4]", "pixels_of_mars", (5, 5), (5, 5))  # type: ignore[arg-type]


def test_a_frame_from_what_was_sent() -> None:
    capabilities = Capabilities(coordinate_space=CoordinateSpace.SENT_PIXELS)
    sent = SentImage(sha256="0", original_size=(2000, 1000), sent_size=(1000, 500), media_type="image/png")
    assert picture_frame(capabilities, sent) == PictureFrame(CoordinateSpace.SENT_PIXELS, (1000, 500), (2000, 1000))
