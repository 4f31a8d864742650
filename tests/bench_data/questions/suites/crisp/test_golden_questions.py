"""The published rule answers recorded questions as recorded, refuses what never occurred, and offers its options."""

from __future__ import annotations

import math
from itertools import permutations
from typing import Any

import numpy as np
import pytest

from seeworthy.bench_data.questions import Refusals, SceneTruth, evaluate
from seeworthy.bench_data.questions.evaluate import RELATIVE_NAMES
from seeworthy.bench_data.questions.suites.crisp import CrispSettings, generate
from seeworthy.bench_data.questions.suites.crisp.answers import option_texts
from seeworthy.bench_data.questions.suites.crisp.generate_published import published_keys
from seeworthy.bench_data.questions.suites.crisp.judged import Judged
from seeworthy.bench_data.questions.suites.crisp.kinds import KINDS, SLOTS, Ask, difficulty
from seeworthy.bench_data.questions.suites.crisp.published import PLACED_M, THRESHOLDS_M, Published, published_sector
from seeworthy.bench_data.questions.suites.crisp.queries import query_of
from seeworthy.bench_data.questions.suites.crisp.table import Table, tables
from seeworthy.bench_data.scene_graphs import PUBLISHED_WORDS, RELATIONS, Relation

from ....scene_graphs.golden_scenes import golden, scenes, truth

SCENES = tuple(golden("qa_reachable"))
ROWS = [(name, row) for name in SCENES for row in golden("qa_reachable")[name]["questions"]]
NAMES: dict[str, Relation] = {word: name for name, word in PUBLISHED_WORDS.items()}


def settings_of(name: str) -> CrispSettings:
    longest = scenes()[name]["config"]["max_distance"]
    return CrispSettings(published=True, published_longest_edge_room_m=longest, published_longest_edge_street_m=longest)


def parts(name: str) -> tuple[SceneTruth, Table, Published]:
    scene, settings = truth(name), settings_of(name)
    (table,) = tables(scene, settings, 0, Refusals())
    assert settings.asks_vertical(scene.kind) == scenes()[name]["config"]["vertical"]
    return (
        scene,
        table,
        Published(scene.kind, zone_m=settings.published_zone_m, vertical=scenes()[name]["config"]["vertical"]),
    )


PARTS = {name: parts(name) for name in SCENES}


def ask_of(row: dict[str, Any]) -> Ask:
    args = row["args"]
    objects = tuple(value for key, value in args.items() if key not in ("relation", "direction", "distance_m"))
    word = args.get("relation") or args.get("direction")
    return Ask(row["kind"], objects, None if word is None else NAMES[word], args.get("distance_m", 0.0))


def answer_of(row: dict[str, Any]) -> object:
    """The recorded answer as a key."""
    answer = row["answer"]
    kind = row["kind"]
    if kind == "pick_direction":
        held = {NAMES[word] for word in answer}
        return "+".join(name for name in RELATIONS if name in held)
    if kind.startswith("rank"):
        return (" < " if kind == "rank_camera_distance" else " > ").join(str(one) for one in answer)
    if kind == "perspective":
        return "back" if answer == "behind" else answer
    return str(answer) if KINDS[kind].answer_type.value == "choice" else answer


@pytest.mark.parametrize("name", SCENES)
def test_every_recorded_question_has_the_recorded_answer(name: str) -> None:
    scene, table, rule = PARTS[name]
    facts = scene.facts([0])
    rows = golden("qa_reachable")[name]["questions"]
    assert len(table.graph.edges) == golden("qa_reachable")[name]["center_edges"]
    for row in rows:
        ask = ask_of(row)
        judged = rule.judge(ask, table)
        assert isinstance(judged, Judged), (row, judged)
        assert judged.truth == answer_of(row), row
        assert KINDS[row["kind"]].ability == row["ability"]
        if row.get("tie"):
            assert judged.margin == 0
            continue
        # The audit knows nothing of the rule's code; ties have no answer for it.
        found = evaluate(query_of(ask, rule.rule, table.neighbours), facts).value
        if isinstance(judged.truth, float):
            assert judged.truth == pytest.approx(found, abs=0.00501)
        elif isinstance(judged.truth, bool):
            assert found is judged.truth
        else:
            assert str(found) == judged.truth


@pytest.mark.parametrize("name", SCENES)
def test_what_was_never_recorded_is_refused(name: str) -> None:
    scene, table, rule = PARTS[name]
    recorded = golden("qa_reachable")[name]
    ids = table.ids
    for kind in recorded["unreachable_kinds"]:
        count = KINDS[kind].objects
        for objects in permutations(ids, count):
            for relation in ("left", "right", "front", "behind") if kind == "placed_distance" else (None,):
                for metres in PLACED_M[scene.kind] if kind == "placed_distance" else (0.0,):
                    assert isinstance(rule.judge(Ask(kind, objects, relation, metres), table), str)


@pytest.mark.parametrize(("name", "row"), [one for one in ROWS if "n_options" in one[1]][::3])
def test_options_are_the_recorded_ones(name: str, row: dict[str, Any]) -> None:
    _, table, rule = PARTS[name]
    ask, kind = ask_of(row), row["kind"]
    if KINDS[kind].answer_type.value == "yes_no":
        assert row["n_options"] == 2
        return
    true = str(answer_of(row))
    seen: set[str] = set()
    for seed in range(60):
        keys = published_keys(np.random.default_rng(seed), ask, true, rule)
        assert len(keys) == len(set(keys)) == row["n_options"]
        assert true in keys
        assert set(option_texts(ask, keys, table)) == set(keys)
        seen.update(keys)
    if "options" in row:
        separator = " < " if kind == "rank_camera_distance" else " > "
        assert keys == [separator.join(str(one) for one in order) for order in row["options"].values()]
    if "option_pool_seen" in row:
        pool = {str(answer_of({**row, "answer": answer})) for answer in row["option_pool_seen"]}
        assert seen <= pool | {true}
        assert len(seen) >= len(pool) - 1


@pytest.mark.parametrize("name", SCENES)
def test_the_generator_makes_only_what_the_rule_allows(name: str) -> None:
    scene, table, _ = PARTS[name]
    level = difficulty(len(table.neighbours))
    assert level is not None
    for seed in range(8):
        questions = list(generate(scene, settings_of(name), seed, Refusals()))
        assert questions == list(generate(scene, settings_of(name), seed, Refusals()))
        assert 0 < len(questions) <= sum(SLOTS[level].values())
        for question in questions:
            assert question.published
            assert question.tags["difficulty"] == level
            assert question.kind not in golden("qa_reachable")[name]["unreachable_kinds"]
            if question.options:
                assert question.letter is not None
            assert [question.marks[one] for one in sorted(question.marks)] == list(range(1, len(table.ids) + 1))


@pytest.mark.parametrize("row", golden("geometry")["difficulty"], ids=lambda row: row["center_edges"])
def test_difficulty(row: dict[str, Any]) -> None:
    level = difficulty(row["center_edges"])
    assert (level or "none") == row["level"]
    if level:
        assert SLOTS[level] == row["questions"]


@pytest.mark.parametrize("row", golden("geometry")["sectors"])
def test_sectors(row: dict[str, Any]) -> None:
    name = row["sector_generator"].lower().replace("behind", "back")
    assert published_sector(row["relative_angle_rad"]) == name
    assert name in RELATIVE_NAMES


@pytest.mark.parametrize("row", golden("geometry")["normalize_angle"])
def test_bearings_are_wrapped(row: dict[str, Any]) -> None:
    assert published_sector(row["rad"]) == published_sector(row["normalized"])
    assert math.cos(math.remainder(row["rad"], math.tau)) == pytest.approx(math.cos(row["normalized"]))


@pytest.mark.parametrize("name", SCENES)
def test_imagined_objects(name: str) -> None:
    scene, table, rule = PARTS[name]
    facts = scene.facts([0])
    rows = [row for row in golden("geometry")["placed_distance"] if row["scene"] == name]
    for row in rows:
        ask = Ask("placed_distance", (row["placed_from"], row["to"]), NAMES[row["direction"]], row["distance_m"])
        query = query_of(ask, rule.rule)
        assert evaluate(query, facts).value == pytest.approx(row["distance_xz"], rel=1e-12)
        judged = rule.judge(ask, table)
        if isinstance(judged, Judged):
            assert judged.truth == round(row["distance_xz"], 2)


def test_published_thresholds_are_those_of_the_records() -> None:
    asked = {row["args"]["distance_m"] for _, row in ROWS if row["kind"] in ("count_within", "count_beyond")}
    assert asked <= set(THRESHOLDS_M)
