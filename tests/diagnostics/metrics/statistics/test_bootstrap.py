import numpy as np
import pytest
import scipy.stats
from numpy.typing import NDArray
from sklearn.metrics import cohen_kappa_score

from seeworthy.diagnostics.errors import DiagnosticsError
from seeworthy.diagnostics.metrics import cluster_bootstrap, cluster_bootstrap_sums


def skewed_sample(n: int, seed: int) -> NDArray[np.float64]:
    return np.random.default_rng(seed).exponential(size=n)


@pytest.mark.parametrize(("method", "scipy_method"), [("percentile", "percentile"), ("bca", "BCa")])
@pytest.mark.parametrize("confidence", [0.8, 0.95])
def test_agrees_with_scipy_on_independent_items(method: str, scipy_method: str, confidence: float) -> None:
    sample = skewed_sample(60, seed=3)
    ours = cluster_bootstrap(sample, seed=1, resamples=40_000, confidence=confidence, method=method)  # type: ignore[arg-type]
    theirs = scipy.stats.bootstrap(
        (sample,), np.mean, method=scipy_method, n_resamples=40_000, confidence_level=confidence, rng=2, vectorized=True
    )
    width = theirs.confidence_interval.high - theirs.confidence_interval.low
    assert ours.low == pytest.approx(theirs.confidence_interval.low, abs=0.02 * width)
    assert ours.high == pytest.approx(theirs.confidence_interval.high, abs=0.02 * width)
    assert ours.standard_error == pytest.approx(theirs.standard_error, rel=0.02)


def test_agrees_with_a_plain_loop_over_drawn_clusters() -> None:
    rng = np.random.default_rng(8)
    clusters = [f"scene {index}" for index in rng.integers(0, 12, size=80)]
    values = rng.random(80)
    members = {name: values[[label == name for label in clusters]] for name in set(clusters)}
    names = sorted(members)
    means = [
        np.concatenate([members[names[drawn]] for drawn in rng.integers(0, len(names), size=len(names))]).mean()
        for _ in range(10_000)
    ]
    ours = cluster_bootstrap(values, clusters, seed=4, resamples=20_000)
    low, high = np.quantile(means, [0.025, 0.975])
    assert ours.low == pytest.approx(low, abs=0.05 * (high - low))
    assert ours.high == pytest.approx(high, abs=0.05 * (high - low))
    assert (ours.n_items, ours.n_clusters, ours.flags) == (80, len(names), ("few_clusters",))


def test_the_interval_covers_the_truth_about_as_often_as_it_says() -> None:
    """Items of a scene share its level: an interval over items would cover far less often."""
    rng = np.random.default_rng(0)
    covered, naive_covered, trials = 0, 0, 200
    labels = np.repeat(np.arange(40), 10)
    for trial in range(trials):
        level = rng.normal(size=40)
        values = level[labels] + 0.3 * rng.normal(size=400)
        interval = cluster_bootstrap(values, labels.tolist(), seed=trial, resamples=400)
        naive = cluster_bootstrap(values, seed=trial, resamples=400)
        assert interval.low is not None and interval.high is not None
        assert naive.low is not None and naive.high is not None
        covered += interval.low <= 0 <= interval.high
        naive_covered += naive.low <= 0 <= naive.high
    assert 0.89 <= covered / trials <= 0.99
    assert naive_covered / trials < 0.6


def test_a_seed_decides_everything() -> None:
    sample, labels = skewed_sample(50, 1), list(range(25)) * 2
    first, again, other = (cluster_bootstrap(sample, labels, seed=seed) for seed in (5, 5, 6))
    assert first == again
    assert (first.low, first.high) != (other.low, other.high)
    assert first == cluster_bootstrap(sample, [f"{label:02}" for label in labels], seed=5)
    assert first == cluster_bootstrap(sample, labels, seed=np.random.default_rng(5))


def test_the_size_of_the_chunks_does_not_matter(monkeypatch: pytest.MonkeyPatch) -> None:
    sample = skewed_sample(50, 1)
    whole = cluster_bootstrap(sample, seed=5, resamples=300)
    monkeypatch.setattr("seeworthy.diagnostics.metrics.statistics.bootstrap._CELLS_PER_CHUNK", 400)
    assert cluster_bootstrap(sample, seed=5, resamples=300) == whole


def test_sums_carry_any_statistic() -> None:
    """Cohen's kappa from the four cells of the table."""
    rng = np.random.default_rng(2)
    first = rng.integers(0, 2, 120)
    second = np.where(rng.random(120) < 0.8, first, 1 - first)
    cells = np.eye(4)[2 * first + second]

    def kappa(sums: NDArray[np.float64]) -> NDArray[np.float64]:
        table = sums / sums.sum(axis=-1, keepdims=True)
        agreed = table[..., 0] + table[..., 3]
        yes_first, yes_second = table[..., 2] + table[..., 3], table[..., 1] + table[..., 3]
        expected = yes_first * yes_second + (1 - yes_first) * (1 - yes_second)
        result: NDArray[np.float64] = (agreed - expected) / (1 - expected)
        return result

    interval = cluster_bootstrap_sums(cells, combine=kappa, seed=0)
    assert interval.estimate == pytest.approx(cohen_kappa_score(first, second), abs=1e-12)
    assert interval.low is not None and interval.high is not None
    assert interval.low < interval.estimate < interval.high


def test_resamples_without_a_value_are_flagged() -> None:
    terms = [(1.0, 1.0), (2.0, 1.0), (0.0, 0.0)]

    def ratio(sums: NDArray[np.float64]) -> NDArray[np.float64]:
        with np.errstate(invalid="ignore"):
            result: NDArray[np.float64] = sums[..., 0] / sums[..., 1]
        return result

    interval = cluster_bootstrap_sums(terms, combine=ratio, seed=0)
    assert "undefined_resamples" in interval.flags
    assert interval.low == 1.0
    with pytest.raises(DiagnosticsError, match="on the data itself"):
        cluster_bootstrap_sums([(0.0, 0.0)], combine=ratio, seed=0)


def test_one_cluster_has_no_interval() -> None:
    interval = cluster_bootstrap([1.0, 0.0, 1.0], ["a"] * 3, seed=0)
    assert interval.estimate == pytest.approx(2 / 3)
    assert (interval.low, interval.high, interval.standard_error, interval.flags) == (
        None,
        None,
        None,
        ("one_cluster",),
    )
    assert cluster_bootstrap([0.7], seed=0).flags == ("one_cluster",)


@pytest.mark.parametrize("method", ["percentile", "bca"])
@pytest.mark.parametrize("value", [0.0, 0.7, 1.0])
def test_no_variation_is_no_certainty(method: str, value: float) -> None:
    interval = cluster_bootstrap([value] * 40, seed=0, method=method)  # type: ignore[arg-type]
    assert interval.flags == ("no_variation",)
    assert interval.low == pytest.approx(value)
    assert interval.high == pytest.approx(value)


def test_thirty_clusters_are_not_few() -> None:
    values = skewed_sample(60, seed=1)
    assert cluster_bootstrap(values, list(range(30)) * 2, seed=0).flags == ()
    assert cluster_bootstrap(values[:58], list(range(29)) * 2, seed=0).flags == ("few_clusters",)


@pytest.mark.parametrize(
    ("values", "clusters", "settings", "message"),
    [
        ([], None, {}, "at least one number"),
        ([1.0, float("nan")], None, {}, r"values\[1\] is nan"),
        ([1.0, 2.0], ["a"], {}, "1 cluster labels for 2 items"),
        ([1.0, 2.0], None, {"confidence": 95}, "0.95"),
        ([1.0, 2.0], None, {"resamples": 10}, "at least 100"),
    ],
)
def test_broken_input_is_refused(
    values: list[float], clusters: list[str] | None, settings: dict[str, int], message: str
) -> None:
    with pytest.raises(DiagnosticsError, match=message):
        cluster_bootstrap(values, clusters, seed=0, **settings)  # type: ignore[arg-type]
