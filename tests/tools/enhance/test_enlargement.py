"""An enlargement is proven by few looks, and found exactly where looking at everything finds it."""

from __future__ import annotations

import cv2
import numpy as np
import pytest

from seeworthy.tools.enhance.filtering import enlargement
from seeworthy.tools.enhance.filtering.enlargement import enlargement_weights, find_enlargement

METHODS = {"cubic": cv2.INTER_CUBIC, "linear": cv2.INTER_LINEAR}


def rounded(image: np.ndarray) -> np.ndarray:
    return np.asarray(np.rint(np.clip(image, 0, 1) * 255) / 255, dtype=np.float32)


def small(height: int, width: int, seed: int = 0) -> np.ndarray:
    rng = np.random.default_rng(seed)
    return np.asarray(cv2.GaussianBlur(rng.uniform(-0.4, 1.4, (height, width)), (0, 0), 0.8), dtype=np.float32)


def test_the_small_size_and_the_method_are_found() -> None:
    for name, method in METHODS.items():
        found = find_enlargement(rounded(cv2.resize(small(27, 36), (96, 72), interpolation=method)))
        assert found is not None
        assert (found.source_size, found.interpolation) == ((36, 27), name)


@pytest.mark.parametrize("picture", ["sharp", "soft", "half flat", "enlarged", "enlarged and noisy"])
def test_a_glance_rejects_only_what_a_full_look_rejects(picture: str) -> None:
    noise = np.random.default_rng(1).normal(0, 0.01, (72, 96))
    enlarged = cv2.resize(small(27, 36), (96, 72), interpolation=cv2.INTER_CUBIC)
    grey = {
        "sharp": small(72, 96),
        "soft": cv2.GaussianBlur(small(72, 96), (0, 0), 3.0),
        # All rows but those that a glance takes.
        "half flat": np.where((np.arange(72) % 4 == 0)[:, None], 0.5, small(72, 96)),
        "enlarged": enlarged,
        "enlarged and noisy": enlarged + noise,
    }[picture]
    rows = rounded(np.asarray(grey)).T.astype(np.float64) * 255
    rejected = 0
    for length in range(6, 74, 3):
        hopeless = enlargement._hopeless(rows, length, "cubic")
        weights = enlargement_weights(len(rows), length, "cubic").toarray()
        source = np.linalg.solve(weights.T @ weights + 1e-6 * np.eye(length), weights.T @ rows)
        misfit = np.quantile(np.abs(weights @ source - rows), 0.9)
        assert not (hopeless and misfit <= 0.6)
        rejected += hopeless
    assert rejected > 4 or picture == "half flat"
    assert find_enlargement(rounded(np.asarray(grey))) is None or picture == "enlarged"
