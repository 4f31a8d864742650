"""Coordinates come back in pixels of the picture that the user gave, whatever was sent and shown."""

from __future__ import annotations

import numpy as np
import pytest

from seeworthy.agent.answers import read_answer
from seeworthy.agent.context import SolverContext
from seeworthy.agent.conversation import Conversation, ask
from seeworthy.agent.profiles import Budget, Profile
from seeworthy.agent.records import MapRecord, PictureWork, View
from seeworthy.agent.store import MemoryCalls, MemoryPictures
from seeworthy.bench_data.images import Picture
from seeworthy.bench_data.questions import AnswerFormat, AnswerType
from seeworthy.tools.coordinates import PixelMap
from seeworthy.tools.models import Capabilities, CoordinateSpace, Reply, ReplyStatus, SentImage

from .conftest import ScriptedModel

PICTURE = Picture(np.zeros((500, 1000, 3), np.uint8))
# A crop of 500 x 250 at (100, 50), enlarged twice.
ZOOM = PixelMap(((0.5, 0.0, 100.0), (0.0, 0.5, 50.0), (0.0, 0.0, 1.0)), (1000, 500), (1000, 500))
# Turned by 90 degrees: (x, y) of the shown picture is (y, 500 - x) of the original.
TURN = PixelMap(((0.0, 1.0, 0.0), (-1.0, 0.0, 500.0), (0.0, 0.0, 1.0)), (1000, 500), (500, 1000))


def read(
    text: str,
    kind: AnswerType,
    view: View,
    *,
    space: CoordinateSpace,
    sent: tuple[int, int] | None,
    zoom: PixelMap | None,
) -> object:
    store = MemoryPictures()
    form = AnswerFormat(answer_type=kind)
    conversation = Conversation.of(ask("Where?", [PICTURE], form, space=space), form, store)
    item = PictureWork(
        index=0,
        original=PICTURE.sha256,
        current="f" * 64,
        size=[1000, 500],
        pixel_map=MapRecord.of(zoom) if zoom else None,
    )
    sent_images = (
        (SentImage(sha256="f" * 64, original_size=(1000, 500), sent_size=sent, media_type="image/png"),) if sent else ()
    )
    reply = Reply(text=text, status=ReplyStatus.OK, sent_images=sent_images)
    model = ScriptedModel(lambda r: "", capabilities=Capabilities(coordinate_space=space))
    context = SolverContext(
        model=model, profile=Profile(name="t"), budget=Budget(), pictures=store, calls=MemoryCalls()
    )
    return read_answer(conversation, view, reply, [item], context).value


@pytest.mark.parametrize("view", list(View))
@pytest.mark.parametrize(
    ("space", "sent", "text"),
    [
        (CoordinateSpace.PERMILLE, None, "[100, 200, 300, 400]"),
        (CoordinateSpace.SENT_PIXELS, (500, 250), "[50, 50, 150, 100]"),
        (CoordinateSpace.SENT_PIXELS, None, "[100, 100, 300, 200]"),
        (CoordinateSpace.ORIGINAL_PIXELS, (500, 250), "[100, 100, 300, 200]"),
        (CoordinateSpace.FRACTION, (500, 250), "[0.1, 0.2, 0.3, 0.4]"),
    ],
)
def test_a_box_in_any_space_and_view(
    view: View, space: CoordinateSpace, sent: tuple[int, int] | None, text: str
) -> None:
    assert read(text, AnswerType.BOX, view, space=space, sent=sent, zoom=None) == pytest.approx([100, 100, 300, 200])


@pytest.mark.parametrize(
    ("view", "expected"),
    [
        (View.ORIGINAL, [100, 100, 300, 200]),
        (View.RECTIFIED, [150, 100, 250, 150]),
        (View.BOTH, [150, 100, 250, 150]),
    ],
)
def test_a_box_on_an_enlarged_part_maps_back(view: View, expected: list[float]) -> None:
    box = read("[100, 200, 300, 400]", AnswerType.BOX, view, space=CoordinateSpace.PERMILLE, sent=(640, 320), zoom=ZOOM)
    assert box == pytest.approx(expected)


def test_a_point_on_an_enlarged_part_maps_back() -> None:
    point = read("[500, 500]", AnswerType.POINT, View.RECTIFIED, space=CoordinateSpace.PERMILLE, sent=None, zoom=ZOOM)
    assert point == pytest.approx([350, 175])


def test_a_box_on_a_turned_picture_keeps_its_corners_in_order() -> None:
    box = read(
        "[100, 200, 300, 400]",
        AnswerType.BOX,
        View.RECTIFIED,
        space=CoordinateSpace.ORIGINAL_PIXELS,
        sent=None,
        zoom=TURN,
    )
    assert box == pytest.approx([200, 200, 400, 400])
