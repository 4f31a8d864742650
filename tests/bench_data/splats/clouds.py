"""Random clouds for the tests."""

from __future__ import annotations

import numpy as np

from seeworthy.bench_data.rotations import unit_quats
from seeworthy.bench_data.splats import GaussianCloud


def random_cloud(count: int = 50, degree: int = 3, seed: int = 0, *, instances: bool = False) -> GaussianCloud:
    """Gaussians in a few metres, with sizes from 2 mm to 0.4 m, opacities from 0.02 to 0.98."""
    rng = np.random.default_rng(seed)
    return GaussianCloud(
        means=rng.normal(size=(count, 3)),
        quats_wxyz=unit_quats(rng.normal(size=(count, 4)), warn=False),
        scales=np.exp(rng.uniform(-6, -1, size=(count, 3))),
        opacities=rng.uniform(0.02, 0.98, size=count),
        sh=rng.normal(size=(count, (degree + 1) ** 2, 3)) * 0.3,
        instance_ids=rng.integers(-1, 4, size=count) if instances else None,
    )


def full_covariances(cloud: GaussianCloud) -> np.ndarray:
    """(N, 3, 3) of the six stored entries."""
    return cloud.covariances[:, [0, 1, 2, 1, 3, 4, 2, 4, 5]].reshape(-1, 3, 3)
