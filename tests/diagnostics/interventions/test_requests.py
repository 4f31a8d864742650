"""A condition changes one thing of a request: the picture, the graph beside it, or what is said beforehand."""

import numpy as np
import pytest

from seeworthy.bench_data.images import Picture
from seeworthy.diagnostics.errors import DiagnosticsError
from seeworthy.diagnostics.interventions import (
    Condition,
    condition_request,
    graph_request,
    grey_picture,
    name_request,
    shown_pictures,
)
from seeworthy.diagnostics.scene_graph import GraphRequest, SceneEdge, SceneGraph, SceneObject, parse_scene_graph
from seeworthy.tools.models import CoordinateSpace, ImagePart, Request, TextPart
from tests.diagnostics.asked import yes_no

PICTURE = Picture(np.random.default_rng(0).integers(0, 256, (20, 30, 3), dtype=np.uint8))
GRAPH = SceneGraph(
    objects=(
        SceneObject(id=1, distance_to_camera_m=2.0, height_m=1.0, position_m=(0.0, 0.0, 2.0)),
        SceneObject(id=2, distance_to_camera_m=3.0, height_m=0.5, position_m=(1.0, 0.0, 2.8)),
    ),
    edges=(SceneEdge(source=1, target=2, distance_m=1.3, relations=("right", "behind")),),
    centre=1,
)


def request_of(condition: Condition, **more: object) -> Request:
    return condition_request(condition, yes_no(True), [PICTURE], space=CoordinateSpace.PERMILLE, **more)  # type: ignore[arg-type]


def pictures_of(request: Request) -> list[str]:
    return [part.picture.source for part in request.messages[-1].parts if isinstance(part, ImagePart)]


def test_plain_is_the_picture_and_the_question() -> None:
    request = request_of(Condition(name="plain"))
    assert request.pictures == (PICTURE,)
    assert request.messages[0].text == "Is object 1 more than 3 m away?\n\nReply with yes or no."


def test_blind_has_no_picture_and_says_so() -> None:
    request = request_of(Condition(name="blind", picture="none"))
    assert request.pictures == () and "No picture is shown" in request.messages[0].text


def test_grey_has_the_size_and_nothing_else() -> None:
    (grey,) = request_of(Condition(name="grey", picture="grey")).pictures
    assert (grey.width, grey.height) == (30, 20)
    assert np.unique(grey.image_srgb_u8).tolist() == [127]
    assert shown_pictures([PICTURE], "grey")[0].sha256 == grey_picture(PICTURE).sha256


def test_a_graph_as_json_can_be_read_back() -> None:
    text = request_of(Condition(name="true", graph="true"), graph=GRAPH.without_positions()).messages[0].text
    parsed = parse_scene_graph(text.partition("A scene graph of the picture:")[2])
    assert parsed.graph is not None
    assert {edge.relations for edge in parsed.graph.edges} == {("right", "behind")}
    assert "metres" in text  # the legend


def test_the_legend_can_be_left_out() -> None:
    bare = request_of(Condition(name="true", graph="true", legend=False), graph=GRAPH.without_positions())
    assert "metres" not in bare.messages[0].text


def test_media_go_together() -> None:
    condition = Condition(name="both", graph="true", media=("birds_eye", "prose"))
    request = request_of(condition, graph=GRAPH)
    assert pictures_of(request) == ["memory", "drawing from above"]
    kinds = [type(part) for part in request.messages[0].parts]
    assert kinds == [ImagePart, TextPart, ImagePart, TextPart, TextPart, TextPart]
    assert "Object 2 is 3.00 m away" in request.messages[0].text


def test_a_graph_without_places_cannot_be_drawn() -> None:
    with pytest.raises(DiagnosticsError, match="position"):
        request_of(Condition(name="x", graph="true", media=("birds_eye",)), graph=GRAPH.without_positions())


def test_hints_come_before_the_question() -> None:
    text = request_of(Condition(name="told", hint="true"), hint="The picture is degraded: haze.").messages[0].text
    assert text.index("haze") < text.index("Is object 1")


def test_a_chain_goes_on_in_the_same_conversation() -> None:
    first = name_request([PICTURE])
    assert "motion_blur" in first.messages[0].text and first.pictures == (PICTURE,)
    second = request_of(Condition(name="two", chain=True), named=(first, "haze"))
    assert [message.role for message in second.messages] == ["user", "assistant", "user"]
    assert second.messages[1].text == "haze" and len(second.pictures) == 1


def test_the_graph_task_can_be_blind() -> None:
    asked = GraphRequest.of(GRAPH)
    assert graph_request(asked, [PICTURE], "shown").pictures == (PICTURE,)
    blind = graph_request(asked, [PICTURE], "none")
    assert blind.pictures == () and "No picture is shown" in blind.messages[0].text
