import math
import re

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from seeworthy.diagnostics.errors import DiagnosticsError
from seeworthy.diagnostics.metrics import box_accuracy, box_iou, box_mean_accuracy

from .golden import numbers


def area_by_counting(a: tuple[int, ...], b: tuple[int, ...]) -> float:
    """IoU of whole-number boxes by counting unit cells."""
    cells = np.zeros((2, 20, 20), dtype=bool)
    for layer, (x0, y0, x1, y1) in zip(cells, (a, b), strict=True):
        layer[y0:y1, x0:x1] = True
    return float((cells[0] & cells[1]).sum() / (cells[0] | cells[1]).sum())


whole_boxes = st.tuples(st.integers(0, 18), st.integers(0, 18), st.integers(1, 20), st.integers(1, 20)).filter(
    lambda box: box[0] < box[2] and box[1] < box[3]
)


@given(whole_boxes, whole_boxes)
def test_iou_agrees_with_counting_cells(a: tuple[int, ...], b: tuple[int, ...]) -> None:
    assert box_iou(a, b) == pytest.approx(area_by_counting(a, b), abs=1e-12)
    assert box_iou(a, b) == box_iou(b, a)
    assert box_iou(a, a) == 1.0


@pytest.mark.parametrize(
    "predicted",
    [
        None,
        (600, 800, 100, 200),
        (100, 200, 100, 800),
        (100, 200, math.nan, 800),
        (100, 200, math.inf, 800),
        (1, 2, 3),
        (),
    ],
)
def test_a_box_that_is_none_scores_zero(predicted: tuple[float, ...] | None) -> None:
    assert box_iou(predicted, (100, 200, 600, 800)) == 0.0


@pytest.mark.parametrize("truth", [(600, 800, 100, 200), (0, 0, 0, 1), (0, 0, math.nan, 1), (0, 0, 1)])
def test_a_broken_true_box_is_an_error_of_the_data(truth: tuple[float, ...]) -> None:
    with pytest.raises(DiagnosticsError, match="error of the data"):
        box_iou((0, 0, 1, 1), truth)


@pytest.mark.parametrize("row", numbers("robostress_parse_and_score")["box_score"]["cases"], ids=str)
def test_published_robostress_rows(row: dict[str, object]) -> None:
    truth = numbers("robostress_parse_and_score")["box_score"]["truth_permille"]
    box = [float(number) for number in re.findall(r"\d+", str(row["reply"]))] or None
    assert box_iou(box, truth, published="robostress") == row["iou"]


@pytest.mark.parametrize("row", numbers("robostress_box_macc")["cases"], ids=str)
def test_box_accuracies(row: dict[str, object]) -> None:
    assert box_accuracy(row["ious"], 0.50) == row["acc50"]  # type: ignore[arg-type]
    assert box_accuracy(row["ious"], 0.95) == row["acc95"]  # type: ignore[arg-type]
    assert box_mean_accuracy(row["ious"]) == pytest.approx(row["macc"], abs=1e-15)  # type: ignore[arg-type]


@pytest.mark.parametrize("percent", range(50, 100, 5))
def test_an_overlap_on_a_threshold_meets_it(percent: int) -> None:
    iou = box_iou((0.1, 0.1, 0.1 + 0.3 * percent / 100, 0.4), (0.1, 0.1, 0.4, 0.4))
    assert box_accuracy([iou], percent / 100) == 1.0
    assert box_mean_accuracy([iou]) == pytest.approx((percent - 45) / 50)


@given(st.lists(st.floats(0, 1), min_size=1))
def test_mean_accuracy_is_the_mean_of_the_accuracies(ious: list[float]) -> None:
    accuracies = [box_accuracy(ious, percent / 100) for percent in range(50, 100, 5)]
    assert box_mean_accuracy(ious) == pytest.approx(sum(accuracies) / 10)
    assert accuracies == sorted(accuracies, reverse=True)


@pytest.mark.parametrize("ious", [[], [math.nan], [1.1], [-0.1]])
def test_what_is_no_iou_is_refused(ious: list[float]) -> None:
    with pytest.raises(DiagnosticsError):
        box_mean_accuracy(ious)
