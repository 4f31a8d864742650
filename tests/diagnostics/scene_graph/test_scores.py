"""Sound scores: against independent references and a brute-force count, and by what must and must not change them."""

from __future__ import annotations

import math
import warnings

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from scipy.stats import binomtest
from sklearn.metrics import balanced_accuracy_score, precision_recall_fscore_support

from seeworthy.bench_data.questions import Unit
from seeworthy.bench_data.scene_graphs import OPPOSITE, RELATIONS, Relation
from seeworthy.diagnostics.errors import DiagnosticsError
from seeworthy.diagnostics.scene_graph import (
    AXES,
    AxisName,
    AxisTally,
    Found,
    SceneEdge,
    SceneGraph,
    SceneObject,
    corrupt_graph,
    grade_graph_reply,
    pool_scores,
    prompt_json,
    scale_error,
    scene_graph_of,
    score_scene_graph,
)
from seeworthy.diagnostics.scene_graph.score_parts import side_on

from ...bench_data.questions.truths import random_truth
from .graphs import scene_graphs, target_graphs


def truth_of(seed: int, *, objects: int = 9) -> SceneGraph:
    truth = random_truth(seed, objects=objects, views=1)
    return scene_graph_of(truth, ids=tuple(truth.objects), with_positions=False, with_cameras=False)


def relabelled(graph: SceneGraph, swap: dict[Relation, Relation]) -> SceneGraph:
    return graph.changed(
        edges=tuple(
            edge.model_copy(
                update={"relations": tuple(r for r in RELATIONS if r in {swap.get(o, o) for o in edge.relations or ()})}
            )
            for edge in graph.edges
        )
    )


def scaled(graph: SceneGraph, factor: float) -> SceneGraph:
    names = ("distance_to_camera_m", "length_m", "width_m", "height_m")
    return graph.changed(
        objects=tuple(
            one.model_copy(update={name: factor * (getattr(one, name) or 0.0) for name in names})
            for one in graph.objects
        ),
        edges=tuple(edge.model_copy(update={"distance_m": factor * (edge.distance_m or 0)}) for edge in graph.edges),
    )


@pytest.mark.parametrize("seed", range(5))
def test_the_truth_itself_is_perfect_and_nothing_is_nothing(seed: int) -> None:
    truth = truth_of(seed)
    best = score_scene_graph(truth, truth)
    assert (best.nodes.f1, best.edges.f1, best.estimation, best.relation, best.sgc) == pytest.approx((1,) * 5)
    assert best.mirror_slip == "none"
    assert best.scale().slip is None
    assert best.scale().scale == pytest.approx(1)
    none = score_scene_graph(None, truth)
    assert (none.nodes.f1, none.edges.f1, none.estimation, none.relation, none.sgc, none.failed) == (0, 0, 0, 0, 0, 1)


@settings(max_examples=40, deadline=None)
@given(scene_graphs(), scene_graphs())
def test_scores_agree_with_a_count_by_hand(told: SceneGraph, truth: SceneGraph) -> None:
    scores = score_scene_graph(told, truth)
    ids = sorted({*told.ids, *truth.ids})
    precision, recall, f1, _ = precision_recall_fscore_support(
        [one in truth.ids for one in ids], [one in told.ids for one in ids], average="binary", zero_division=0.0
    )
    assert (scores.nodes.precision, scores.nodes.recall, scores.nodes.f1) == pytest.approx((precision, recall, f1))
    ratios: list[float] = []
    for one in truth.objects:
        for side in ("length_m", "width_m", "height_m"):
            true = getattr(one, side)
            if true is None:
                continue
            mine = next((getattr(other, side) for other in told.objects if other.id == one.id), None)
            if mine is None:
                ratios.append(0.0)
            else:
                ratios.append(
                    1.0 if mine == true else 0.0 if 0 in (mine, true) else math.exp(-abs(math.log(mine / true)))
                )
    assert scores.lengths["size"].score == (pytest.approx(np.mean(ratios)) if ratios else None)
    for axis, (first, second) in AXES.items():
        mine_sides, true_sides = [], []
        for edge in truth.edges:
            if edge.relations is None:
                continue
            found = [e for e in told.edges if (e.source, e.target) == (edge.source, edge.target)]
            found += [e.reversed() for e in told.edges if (e.target, e.source) == (edge.source, edge.target)]
            held = found[0].relations if found else None
            mine_sides.append("?" if held is None else f"{first in held}{second in held}")
            true_sides.append(f"{first in edge.relations}{second in edge.relations}")
        if true_sides:
            # Labels that never occur in the truth are left out by the reference too.
            with warnings.catch_warnings():
                warnings.simplefilter("ignore", UserWarning)
                wanted = balanced_accuracy_score(true_sides, mine_sides)
            assert scores.axes[axis].balanced == pytest.approx(wanted)
            assert scores.axes[axis].accuracy == pytest.approx(
                np.mean([a == b for a, b in zip(mine_sides, true_sides, strict=True)])
            )
        else:
            assert scores.axes[axis].balanced is None


@settings(max_examples=30, deadline=None)
@given(scene_graphs(), scene_graphs())
def test_half_and_double_are_equally_wrong(told: SceneGraph, truth: SceneGraph) -> None:
    there, back = score_scene_graph(told, truth), score_scene_graph(truth, told)
    assert there.nodes.precision == back.nodes.recall
    assert there.edges.f1 == back.edges.f1
    for kind in ("size", "camera_distance"):
        both = there.lengths[kind], back.lengths[kind]
        assert both[0].score_of_stated == (None if both[1].stated == 0 else pytest.approx(both[1].score_of_stated))


@settings(max_examples=30, deadline=None)
@given(scene_graphs(), scene_graphs())
def test_every_score_stays_in_its_range(told: SceneGraph, truth: SceneGraph) -> None:
    scores = score_scene_graph(told, truth)
    for value in (scores.estimation, scores.relation, scores.sgc, scores.relation_without_slip, scores.nodes.f1):
        assert value is None or 0 <= value <= 1
    assert scores.estimation_without_slip is None or 0 <= scores.estimation_without_slip <= 1


def test_which_way_round_an_edge_is_told_does_not_matter() -> None:
    truth = truth_of(1)
    turned = truth.changed(edges=tuple(edge.reversed() for edge in truth.edges))
    assert score_scene_graph(turned, truth) == score_scene_graph(truth, truth)


def test_invented_objects_and_edges_cost_precision() -> None:
    truth = truth_of(2, objects=4)
    extra = truth.changed(
        objects=(*truth.objects, *(SceneObject(id=900 + n) for n in range(4))),
        edges=(*truth.edges, *(SceneEdge(source=900, target=901 + n) for n in range(3))),
    )
    scores = score_scene_graph(extra, truth)
    assert (scores.nodes.precision, scores.nodes.recall) == (0.5, 1.0)
    assert scores.edges == Found(3, 6, 3)
    assert scores.sgc == pytest.approx(1)


def test_silence_and_empty_answers_are_told_apart() -> None:
    truth = truth_of(3)
    empty = truth.changed(edges=tuple(edge.model_copy(update={"relations": ()}) for edge in truth.edges))
    silent = truth.changed(edges=tuple(edge.model_copy(update={"relations": None}) for edge in truth.edges))
    scores = score_scene_graph(empty, truth)
    assert scores.relation == pytest.approx(scores.relation_of_empty_answer)
    assert score_scene_graph(silent, truth).relation == 0
    for axis in scores.axes.values():
        assert axis.accuracy == pytest.approx(axis.empty_answer_accuracy)


@pytest.mark.parametrize(
    ("factor", "slip"),
    [
        (100, Unit.CENTIMETRE),
        (1000, Unit.MILLIMETRE),
        (1 / 0.3048, Unit.FOOT),
        (1 / 0.0254, Unit.INCH),
        (0.001, Unit.KILOMETRE),
        (10, Unit.DECIMETRE),
        (1, None),
        (2, None),
        (0.5, None),
        (1.5, None),
        (1 / 0.9144, None),
        (20, None),
    ],
)
def test_a_slip_of_the_unit_is_told_from_an_error(factor: float, slip: Unit | None) -> None:
    truth = truth_of(4)
    scores = score_scene_graph(scaled(truth, factor), truth)
    for kind in (None, "size", "camera_distance", "edge_distance"):
        found = scores.scale(kind)
        assert found.slip is slip
        assert found.scale == pytest.approx(factor)
        assert found.spread == pytest.approx(1)
        assert found.aligned == pytest.approx(1)
    assert scores.estimation == pytest.approx(min(factor, 1 / factor))
    assert scores.estimation_without_slip == pytest.approx(1 if slip else min(factor, 1 / factor))


def test_a_slip_survives_noise_but_noise_is_no_slip() -> None:
    rng = np.random.default_rng(0)
    true = rng.uniform(0.5, 9, 40)
    noisy = true * np.exp(rng.normal(0, 0.25, 40))
    assert scale_error(list(100 * noisy), list(true)).slip is Unit.CENTIMETRE
    assert scale_error(list(noisy), list(true)).slip is None
    wild = 100 * true * np.exp(rng.normal(0, 3, 40))
    assert scale_error(list(wild), list(true)).slip is None
    assert scale_error([100.0, 200.0], [1.0, 2.0]).slip is None  # too few to speak for anything
    assert scale_error([], []).scale is None
    assert scale_error([0.0, -1.0], [1.0, 0.0]).pairs == 0


def test_sizes_alone_may_be_in_another_unit() -> None:
    truth = truth_of(5)
    mixed = truth.changed(objects=scaled(truth, 100).objects)
    mixed = mixed.changed(
        objects=tuple(
            one.model_copy(update={"distance_to_camera_m": true.distance_to_camera_m})
            for one, true in zip(mixed.objects, truth.objects, strict=True)
        )
    )
    scores = score_scene_graph(mixed, truth)
    assert scores.scale("size").slip is Unit.CENTIMETRE
    assert scores.scale("camera_distance").slip is scores.scale("edge_distance").slip is None
    assert scores.estimation_without_slip == pytest.approx(1)


LATERAL: dict[Relation, Relation] = {"left": "right", "right": "left"}
DEPTH: dict[Relation, Relation] = {"front": "behind", "behind": "front"}


@pytest.mark.parametrize(
    ("swap", "slip"),
    [
        ({}, "none"),
        (LATERAL, "left_right"),
        (DEPTH, "front_behind"),
        ({**LATERAL, **DEPTH}, "reversed"),
        (OPPOSITE, "reversed"),
    ],
    ids=["none", "left_right", "front_behind", "turned", "target_and_centre"],
)
def test_a_mirrored_frame_is_named_and_undone(swap: dict[Relation, Relation], slip: str) -> None:
    pooled = pool_scores(
        score_scene_graph(relabelled(truth, swap), truth) for truth in (truth_of(seed) for seed in range(4))
    )
    assert pooled.mirror_slip == slip
    assert pooled.relation_without_slip == pytest.approx(1)
    assert pooled.relation is not None
    assert (pooled.relation < 0.9) is (slip != "none")


def test_guessers_are_not_accused_of_a_mirrored_frame() -> None:
    accused = 0
    for seed in range(20):
        rng = np.random.default_rng(seed)
        parts = []
        for scene in range(4):
            truth = truth_of(scene)
            swap = [{}, LATERAL, DEPTH, {**LATERAL, **DEPTH}]
            edges = tuple(relabelled(truth, swap[rng.integers(4)]).edges[n] for n in range(len(truth.edges)))
            parts.append(score_scene_graph(truth.changed(edges=edges), truth))
        accused += pool_scores(parts).mirror_slip != "none"
    assert accused <= 2


@given(st.integers(0, 40), st.integers(0, 40))
def test_the_chance_of_opposition_is_a_sign_test(agreeing: int, opposed: int) -> None:
    assume(agreeing + opposed > 0)
    tally = AxisTally({("first", "first"): agreeing, ("second", "first"): opposed})
    wanted = float(binomtest(opposed, agreeing + opposed, 0.5, alternative="greater").pvalue)
    assert tally.chance_of_opposed == pytest.approx(wanted)
    assert tally.is_inverted is (opposed >= 3 * agreeing and wanted <= 1 / 16)


def test_the_chance_of_opposition_in_many_edges_is_near_the_exact_one() -> None:
    for opposed in (480, 520, 560):
        tally = AxisTally({("first", "first"): 1000 - opposed, ("first", "second"): opposed})
        wanted = binomtest(opposed, 1000, 0.5, alternative="greater").pvalue
        assert tally.chance_of_opposed == pytest.approx(wanted, rel=0.02)


@settings(max_examples=15, deadline=None)
@given(st.lists(st.tuples(scene_graphs(most=4), scene_graphs(most=4)), max_size=4))
def test_pooled_counts_are_sums(pairs: list[tuple[SceneGraph, SceneGraph]]) -> None:
    parts = [score_scene_graph(told, truth) for told, truth in pairs]
    pooled = pool_scores(parts)
    assert pooled.pictures == len(parts)
    assert pooled.nodes.found == sum(one.nodes.found for one in parts)
    assert pooled.edges.told == sum(one.edges.told for one in parts)
    assert pooled.lengths["size"].total == pytest.approx(sum(one.lengths["size"].total for one in parts))
    for axis in AXES:
        assert pooled.axes[axis].edges == sum(one.axes[axis].edges for one in parts)
    if len(parts) == 1:
        assert pooled == parts[0]


def test_scores_of_nothing_asked_are_none() -> None:
    scores = score_scene_graph(SceneGraph(objects=(SceneObject(id=1),)), SceneGraph())
    assert (scores.estimation, scores.relation, scores.sgc, scores.relation_of_empty_answer) == (None,) * 4
    assert (scores.nodes.precision, scores.nodes.recall) == (0, 1)
    assert score_scene_graph(SceneGraph(), SceneGraph()).nodes.f1 == 1
    assert score_scene_graph(SceneGraph(), SceneGraph()).scale().scale is None


def test_graphs_in_different_conventions_are_not_compared() -> None:
    for other in (SceneGraph(frame="camera"), SceneGraph(sides="heading")):
        with pytest.raises(DiagnosticsError, match=r"GraphRequest\.of\(truth\)\.parse"):
            score_scene_graph(SceneGraph(), other)
        assert score_scene_graph(None, other).failed == 1


def test_zero_is_right_only_where_the_truth_is_zero() -> None:
    truth = SceneGraph(objects=(SceneObject(id=1, distance_to_camera_m=0.0, height_m=1.0),))
    scores = score_scene_graph(SceneGraph(objects=(SceneObject(id=1, distance_to_camera_m=0.0, height_m=0.0),)), truth)
    assert scores.lengths["camera_distance"].score == 1
    assert scores.lengths["size"].score == 0


@pytest.mark.parametrize("axis", AXES)
def test_sides_of_an_axis(axis: AxisName) -> None:
    first, second = AXES[axis]
    assert side_on(axis, (first,)) == "first"
    assert side_on(axis, (second,)) == "second"
    assert side_on(axis, ()) == "none"
    assert side_on(axis, None) == "unsaid"
    assert side_on(axis, (first, second)) == "both"


def test_more_damage_scores_lower() -> None:
    truths = [truth_of(seed) for seed in range(8)]
    means = []
    for level in (0.0, 0.25, 0.5, 1.0):
        parts = [score_scene_graph(corrupt_graph(truth, level, seed=n), truth) for n, truth in enumerate(truths)]
        pooled = pool_scores(parts)
        means.append((pooled.estimation or 0, pooled.relation or 0))
    assert means[0] == pytest.approx((1, 1))
    for worse, better in zip(means[1:], means, strict=False):
        assert worse[0] < better[0]
        assert worse[1] < better[1]


def test_a_reply_is_graded_by_either_rule() -> None:
    truth = target_graphs()["D_indoor6"]
    words = {
        "left": "left",
        "front": "in front of",
        "above": "up",
        "right": "right",
        "behind": "behind",
        "below": "down",
    }
    told = {
        "objects": [
            {
                "id": one.id,
                "dist_to_cam": one.distance_to_camera_m,
                "size": {"w": one.width_m, "l": one.length_m, "h": one.height_m},
            }
            for one in truth.objects
        ],
        "edges": [
            {
                "from": edge.source,
                "to": edge.target,
                "distance": edge.distance_m,
                "relation": [words[r] for r in edge.relations or ()],
            }
            for edge in truth.edges
        ],
    }
    reply = str(told)
    star = truth.changed(centre=truth.edges[0].source)
    sound, published = (grade_graph_reply(reply, star, scoring=one) for one in ("sound", "published"))
    assert sound.sgc == pytest.approx(1)
    assert published.sgc == pytest.approx(1, abs=1e-5)
    assert grade_graph_reply("no", star).sgc == 0
    assert not grade_graph_reply("no", star).read
    mine = grade_graph_reply(prompt_json(star), star)
    assert mine.relation == pytest.approx(1)
