import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.integrate import quad_vec

from seeworthy.diagnostics.errors import DiagnosticsError
from seeworthy.diagnostics.metrics.geometry import pose_auc

from ..golden import arrays, numbers

GOLDEN, VECTORS = numbers("spatialbench_auc_vectors"), arrays("spatialbench_auc_vectors")


@pytest.mark.parametrize("threshold", [1, 3, 5, 10, 15, 30])
@pytest.mark.parametrize("case", GOLDEN)
def test_golden_areas(case: str, threshold: int) -> None:
    errors = np.maximum(VECTORS[f"{case}__rot"], VECTORS[f"{case}__trans"])
    expected = GOLDEN[case]
    assert pose_auc(errors, threshold, method="histogram") == pytest.approx(expected[f"auc_{threshold}"], abs=1e-9)
    exact = expected["exact_integral_for_comparison"][f"auc_{threshold}"]
    assert pose_auc(errors, threshold) == pytest.approx(exact, abs=1e-9)


@given(st.lists(st.floats(0, 60), min_size=1, max_size=15), st.integers(1, 40))
def test_histogram_is_the_published_recipe(errors: list[float], threshold: int) -> None:
    counts, _ = np.histogram(errors, bins=np.arange(threshold + 1))
    expected = np.mean(np.cumsum(counts / len(errors)))
    assert pose_auc(errors, threshold, method="histogram") == pytest.approx(expected, abs=1e-12)


@given(st.lists(st.floats(0, 60), min_size=1, max_size=6), st.floats(0.5, 40))
def test_exact_is_the_integral_of_the_accuracy(errors: list[float], threshold: float) -> None:
    sample = np.array(errors)
    inside = sorted({error for error in errors if 0 < error < threshold})
    area = quad_vec(lambda level: np.array([np.mean(sample <= level)]), 0, threshold, points=inside or None)[0][0]
    assert pose_auc(errors, threshold) == pytest.approx(area / threshold, abs=1e-3)


@given(st.lists(st.floats(0, 60), min_size=1))
def test_the_histogram_flatters_by_at_most_one_bin(errors: list[float]) -> None:
    for threshold in (3, 30):
        exact, histogram = pose_auc(errors, threshold), pose_auc(errors, threshold, method="histogram")
        assert exact - 1e-12 <= histogram <= exact + 1 / threshold + 1e-12


def test_failed_pairs_count_as_misses() -> None:
    for method in ("exact", "histogram"):
        assert pose_auc([0.0, np.inf, np.nan, 1e6], 5, method=method) == 0.25  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("errors", "threshold", "method"),
    [([], 5, "exact"), ([-1.0], 5, "exact"), ([1.0], 0, "exact"), ([1.0], np.inf, "exact"), ([1.0], 2.5, "histogram"),
     ([1.0], 5, "area")],
)  # fmt: skip
def test_broken_input_is_refused(errors: list[float], threshold: float, method: str) -> None:
    with pytest.raises(DiagnosticsError):
        pose_auc(errors, threshold, method=method)  # type: ignore[arg-type]
