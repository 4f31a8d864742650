"""Frame: what every engine returns."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

__all__ = ["Frame"]


class Frame(NamedTuple):
    """A picture as an engine draws it, before depth is masked."""

    image_srgb: NDArray[np.float32]
    """(H, W, 3) composited over the background, in [0, 1]."""
    mean_depth_m: NDArray[np.float32]
    """(H, W) weighted mean of z; without meaning where alpha is small."""
    alpha: NDArray[np.float32]
    """(H, W) in [0, 1)."""
    instance_ids: NDArray[np.int32] | None
    """(H, W), when asked for."""
    median_depth_m: NDArray[np.float32] | None
    """(H, W) z of the Gaussian that takes the transmittance to one half, when asked for; 0 where none does."""
