"""Numbers of the published generator: geometry for both variants, options and faults for the published one.

Its world has z down. Turned half about x, a scene has z up and is otherwise the same.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

from seeworthy.bench_data.cameras import Camera
from seeworthy.bench_data.errors import BenchDataError
from seeworthy.bench_data.questions import SceneFacts, evaluate, measure
from seeworthy.bench_data.questions import query as q
from seeworthy.bench_data.questions.suites.spacedg import published
from seeworthy.bench_data.questions.suites.spacedg.directions import direction_words, sector, turn_words
from seeworthy.bench_data.questions.suites.spacedg.kinds import COMPASS_OPTIONS, MOVES, RELATIVE_OPTIONS, TURNS
from seeworthy.bench_data.scenes import OrientedBox

RULES: dict[str, list[dict[str, Any]]] = json.loads(
    (Path(__file__).parents[4] / "golden" / "spacedg" / "qa_rules.json").read_text("utf-8")
)
Z_UP = np.diag([1.0, -1.0, -1.0])
COMPASS_NAMES = {option.text: option.key for option in COMPASS_OPTIONS}


def rows(topic: str) -> list[Any]:
    return [pytest.param(row, id=f"{topic}-{number}") for number, row in enumerate(RULES[topic])]


def camera(pose: list[list[float]]) -> Camera:
    world = np.array(pose)
    world[:3] = Z_UP @ world[:3]
    return Camera(width=64, height=48, fx=50, fy=50, cx=32, cy=24, world_from_camera=world)


def box(centre: list[float], size: list[float] | float = 0.4) -> OrientedBox:
    return OrientedBox.upright(Z_UP @ np.array(centre, dtype=float), np.broadcast_to(size, 3))


def words_of(label: str) -> set[str]:
    """The words of a published direction in ours: "Back-Right" is backward and right."""
    names = {"front": "forward", "back": "backward"}
    return {names.get(word, word) for word in label.lower().split("-")}


def compass_key(label: str) -> str:
    """The key of a published compass direction, as direction words."""
    return published._COMPASS_WORDS[[o.text for o in COMPASS_OPTIONS].index(label.lower())]


@pytest.mark.parametrize("row", rows("camera_translation"))
def test_main_direction_and_distance(row: dict[str, Any]) -> None:
    facts = SceneFacts(boxes={}, labels={}, cameras=(camera(row["cam_a_c2w"]), camera(row["cam_b_c2w"])))
    right, down, forward = row["move_in_a"]
    assert measure(q.Distance(q.CameraRef(0), q.CameraRef(1)), facts) == pytest.approx(row["distance"], abs=1e-5)
    found = evaluate(q.DirectionWords(q.CameraRef(0), q.CameraRef(1), q.CameraFrame(0)), facts)
    assert set(str(found.value).split("+")) == set(row["label"].split("-"))
    fast = direction_words((right, -down, forward))
    assert fast is not None
    # One row lies on the border itself, where rounding decides: its margin says so.
    assert fast[0] == found.value
    assert fast[1] == pytest.approx(found.margin or 0, abs=1e-5)


@pytest.mark.parametrize("row", rows("translation_options"))
def test_published_options_of_movements(row: dict[str, Any]) -> None:
    keys = [*MOVES, published.STATIONARY]
    truth = next(key for key in keys if set(key.split("+")) == set(row["truth"].split("-")))
    # Beside "stationary" stand three of four ways, at random; for all others every draw gives the same set.
    draws = [published.move_set(np.random.default_rng(seed), truth) for seed in range(20)]
    sets = [{frozenset(key.split("+")) for key in options} for options in draws]
    assert {frozenset(option.split("-")) for option in row["option_set"]} in sets
    assert all(len(options) == 4 and truth in options for options in draws)
    assert row["correct_text"] == row["truth"]


def test_a_camera_that_only_turns_is_stationary_by_the_published_rule() -> None:
    facts = SceneFacts(boxes={}, labels={}, cameras=(camera(np.eye(4).tolist()), camera(np.eye(4).tolist())))
    query = q.DirectionWords(q.CameraRef(0), q.CameraRef(1), q.CameraFrame(0), still=published.STATIONARY)
    assert evaluate(query, facts).value == published.STATIONARY


def test_published_options_of_three_parts_are_partly_right() -> None:
    options = published.direction_set("right+up+forward", single=())
    assert options[0] == "right+up+forward"
    assert all(set(o.split("+")) < set(options[0].split("+")) for o in options[1:])
    assert len(set(options)) == 4


@pytest.mark.parametrize("row", rows("translation_threshold"))
def test_published_thresholds(row: dict[str, Any]) -> None:
    found = published.threshold_m(row["true_m"], row["drawn_factor"])
    assert found == pytest.approx(row["threshold_m"], abs=1e-9)
    assert ("yes" if row["true_m"] > found else "no") == row["answer"]


@pytest.mark.parametrize("row", rows("camera_rotation"))
def test_rotations(row: dict[str, Any]) -> None:
    angles = row["relative_yaw_pitch_roll_deg"]
    pose = np.eye(4)
    pose[:3, :3] = Rotation.from_euler("YXZ", angles, degrees=True).as_matrix()
    named = turn_words((angles[0], angles[1], angles[2]))
    if angles == [20, 12, 0]:
        # The ratio 0.6 itself, where the rounding of the published code decided.
        assert turn_words((20, 11.999, 0)) is None
        assert turn_words((20, 12.001, 0)) == ("yaw_right+pitch_up", 12.001)
        return
    facts = SceneFacts(boxes={}, labels={}, cameras=(camera(np.eye(4).tolist()), camera(pose.tolist())))
    if not row["kept"]:
        assert named is None
        with pytest.raises(BenchDataError, match="turn"):
            evaluate(q.TurnWords(0, 1), facts)
        return
    assert named is not None
    assert evaluate(q.TurnWords(0, 1), facts).value == named[0]

    def british(text: str) -> str:
        return text.replace("counter-clockwise roll", "roll anticlockwise").replace("clockwise roll", "roll clockwise")

    assert TURNS[named[0]].text == british(row["truth"])
    # Of two axes that do not turn at all the published code takes roll before yaw, or pitch; any of them will do.
    found = published.rotation_set((angles[0], angles[1], angles[2]))
    if 0 not in sorted(map(abs, angles))[1:]:
        assert {TURNS[key].text for key in found} == {british(text) for text in row["option_set"]}
    assert named[0] in found
    assert ("dual" if "+" in named[0] else "single") + "_dominant" == row["mode"]


@pytest.mark.parametrize("row", rows("eight_way"))
def test_sectors_and_the_forbidden_neighbour(row: dict[str, Any]) -> None:
    index, _ = sector(row["yaw_deg_right_positive"])
    names = [name.capitalize() for name in ("front", "right", "back", "left")]
    labels = [names[0], "Front-Right", names[1], "Back-Right", names[2], "Back-Left", names[3], "Front-Left"]
    assert labels[index] == row["label"]
    assert RELATIVE_OPTIONS[index].key == row["label"].lower()
    forbidden = published.forbidden_sector(row["yaw_deg_right_positive"])
    assert ([] if forbidden is None else [labels[forbidden]]) == row["forbidden"]


@pytest.mark.parametrize("row", rows("stand_face_target"))
def test_at_one_object_facing_another(row: dict[str, Any]) -> None:
    boxes = {number: box(row[name], row["box_side"]) for number, name in enumerate(("stand_at", "face", "target"))}
    facts = SceneFacts(boxes=boxes, labels={}, cameras=())
    if not row["kept"]:  # the boxes touch
        assert not (boxes[0].top_m < boxes[2].bottom_m or abs(boxes[0].centre_m - boxes[2].centre_m).max() > 0.4)
        return
    for tilted in (False, True):
        frame = q.FacingFrame(q.ObjectRef(0), q.ObjectRef(1), tilted=tilted)
        found = evaluate(q.Sector(q.ObjectRef(0), q.ObjectRef(2), frame, "relative"), facts)
        assert found.value == row["label"].lower()
        parts = [measure(q.Offset(q.ObjectRef(0), q.ObjectRef(2), frame, axis), facts) for axis in AXES]
        assert parts == pytest.approx(row["forward_right_up"], abs=1e-9)
    assert measure(q.Distance(q.ObjectRef(0), q.ObjectRef(2)), facts) == pytest.approx(row["distance"], abs=1e-4)


AXES: tuple[q.Axis, ...] = ("forward", "right", "up")


@pytest.mark.parametrize("row", rows("eight_way_vertical_rule"))
def test_published_rule_on_heights(row: dict[str, Any]) -> None:
    steep = abs(row["up"]) >= 1.2 * np.hypot(row["right"], row["forward"])
    assert (row["label"] is None) == steep
    if not steep:
        index, _ = sector(float(np.degrees(np.arctan2(row["right"], row["forward"]))))
        assert RELATIVE_OPTIONS[index].key == row["label"].lower()


def compass_facts(row: dict[str, Any]) -> SceneFacts:
    return SceneFacts(
        boxes={1: box(row["object_1"]), 2: box(row["object_2"])},
        labels={},
        cameras=(camera(row["cam_a_c2w"]), camera(row["cam_b_c2w"])),
    )


@pytest.mark.parametrize("row", rows("cross_view_compass"))
def test_cross_view_compass(row: dict[str, Any]) -> None:
    bearing = {"north": 0.0, "east": 90.0, "south": 180.0, "west": 270.0}[row["told_object_1_from_a_is"]]
    frame = q.CompassFrame(q.CameraRef(0), q.ObjectRef(1), bearing, camera_plane=True)
    query = q.DirectionWords(q.CameraRef(1), q.ObjectRef(2), frame, most=2, axes=("right", "forward"))
    assert evaluate(query, compass_facts(row)).value == compass_key(row["object_2_from_b_is"])


@pytest.mark.parametrize("row", rows("proxy_compass"))
def test_object_compass(row: dict[str, Any]) -> None:
    boxes = {number: box(row[name]) for number, name in enumerate(("first", "reference", "third"))}
    facts = SceneFacts(boxes=boxes, labels={}, cameras=())
    bearing = {"north": 0.0, "west": 270.0}[row["told_first_is"]]
    frame = q.CompassFrame(q.ObjectRef(1), q.ObjectRef(0), bearing)
    axes = facts.axes(frame)
    assert Z_UP @ axes.forward == pytest.approx(row["north_vector"], abs=1e-4)
    assert Z_UP @ axes.right == pytest.approx(row["east_vector"], abs=1e-4)
    words = q.DirectionWords(q.ObjectRef(1), q.ObjectRef(2), frame, most=2, axes=("right", "forward"))
    assert evaluate(words, facts).value == compass_key(row["third_is"])
    # The sound rule has equal sectors and says the same here.
    equal = evaluate(q.Sector(q.ObjectRef(1), q.ObjectRef(2), frame, "compass"), facts)
    assert equal.value == COMPASS_NAMES[row["third_is"].lower()]


@pytest.mark.parametrize("row", [row for row in rows("compass_from_plane") if row.values[0]["label"]])  # type: ignore[index]
def test_published_compass_sectors(row: dict[str, Any]) -> None:
    assert published._plane_words(row["right"], row["forward"])[0] == compass_key(row["label"])


@pytest.mark.parametrize("row", rows("camera_direction"))
def test_published_camera_direction(row: dict[str, Any]) -> None:
    right, down, forward = row["point_cam"]
    named = direction_words((right, -down, forward), most=2)
    assert named is not None
    assert set(named[0].split("+")) == words_of(row["label"])
    pose = np.eye(4)
    pose[:3, :3] = Z_UP
    facts = SceneFacts(
        boxes={0: box(row["point_cam"])},
        labels={},
        cameras=(Camera(width=64, height=48, fx=50, fy=50, cx=32, cy=24, world_from_camera=pose),),
    )
    found = evaluate(q.DirectionWords(q.CameraRef(0), q.ObjectRef(0), q.CameraFrame(0), most=2), facts)
    assert found.value == named[0]
    assert found.margin == pytest.approx(named[1], abs=1e-9)


@pytest.mark.parametrize("row", rows("object_direction_options"))
def test_published_options_of_places(row: dict[str, Any]) -> None:
    truth = next(key for key in MOVES if set(key.split("+")) == words_of(row["truth"]))
    options = published.direction_set(truth, single=("left", "right", "forward", "backward"))
    assert {frozenset(key.split("+")) for key in options} == {frozenset(words_of(o)) for o in row["option_set"]}


@pytest.mark.parametrize("row", rows("box_measures"))
def test_published_longest_side_is_none(row: dict[str, Any]) -> None:
    corners = np.array(row["corners"])
    size = np.ptp(corners, axis=0)
    facts = SceneFacts(boxes={0: box([0, 0, 0], size.tolist())}, labels={}, cameras=())
    found = measure(q.Size(q.ObjectRef(0), "third_corner_distance"), facts)
    assert found == pytest.approx(row["longest_side"], abs=1e-6)
    assert measure(q.Size(q.ObjectRef(0), "longest"), facts) == pytest.approx(size.max())
    assert measure(q.HeightOf(q.ObjectRef(0), "top"), facts) == pytest.approx(-row["top_z"])


@pytest.mark.parametrize("row", rows("size_compare"))
def test_published_heights_are_the_same_within_a_millimetre(row: dict[str, Any]) -> None:
    boxes = {
        number: box([0, 0, row[f"{name}_centre_z"]], row[f"{name}_size"])
        for number, name in enumerate(("first", "second"))
    }
    query = q.Choose(
        {"first": q.HeightOf(q.ObjectRef(0), "top"), "second": q.HeightOf(q.ObjectRef(1), "top")}, "largest", 1e-3
    )
    found = evaluate(query, SceneFacts(boxes=boxes, labels={}, cameras=()))
    # One row lies on the border itself, where the published code's rounding decided.
    assert found.value == row["answer"] or (found.margin or 0) < 1e-12


@pytest.mark.parametrize("row", rows("object_distance"))
def test_object_distance(row: dict[str, Any]) -> None:
    facts = SceneFacts(boxes=dict(enumerate(map(box, row["centres"]))), labels={}, cameras=())
    assert f"{measure(q.Distance(q.ObjectRef(0), q.ObjectRef(1)), facts):.2f} m" == row["answer_text"]
