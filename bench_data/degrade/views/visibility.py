"""Can a person still see it: contrast of each object against what surrounds it, clean and degraded.

Contrast is how far the colours of an object lie from those of the ring around it, in CIE 1976 L*a*b* (D65): for each of
the three coordinates the mean distance between both distributions (Wasserstein-1), so that a chequered thing on grey of
the same mean counts as seen; the three are added as vectors. It is divided by what hides it: one just noticeable
difference, 2.3 units (Mahy, Van Eycken and Oosterlinck 1994), and the noise that is left when the eye averages over
neighbouring pixels. Noise is what is left of L* after each pixel's smooth surroundings are taken away, by the robust
estimate of Immerkaer (1996), on the degraded picture; on a clean one that is close to nothing.

Below a ratio of 1, or with fewer than 12 pixels, nobody could answer a question about the object. That is a floor and
no promise: an object above it can still be too blurred to be recognised.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ...errors import BenchDataError
from ...images.colour import linear_from_srgb
from ...images.picture import Picture
from ...splats import NO_INSTANCE

__all__ = [
    "LEAST_PIXELS",
    "LEAST_RATIO",
    "ObjectContrast",
    "ObjectVisibility",
    "object_contrasts",
    "object_visibility",
]

LEAST_RATIO = 1.0
LEAST_PIXELS = 12

_NOTICEABLE = 2.3
_RING_SHARE = 0.25
_SMALLEST_RING_PX = 3
_AVERAGED_PX = 4
"""The eye averages over a square of about this many pixels a side, or over the object if that is smaller."""

_XYZ_FROM_RGB = np.array(
    [[0.4124564, 0.3575761, 0.1804375], [0.2126729, 0.7151522, 0.0721750], [0.0193339, 0.1191920, 0.9503041]]
)
"""IEC 61966-2-1, D65."""

_QUANTILES = 101


@dataclass(frozen=True)
class ObjectVisibility:
    """One object before and after degradation."""

    instance_id: int
    clean_pixels: int
    degraded_pixels: int
    """Pixels that show it, apart from blur."""
    clean_ratio: float
    degraded_ratio: float
    """Contrast against its surroundings over what hides it; 0 where it has no pixels."""

    @property
    def is_visible(self) -> bool:
        """Whether a person could see it after the degradation."""
        return self.degraded_pixels >= LEAST_PIXELS and self.degraded_ratio >= LEAST_RATIO


def object_visibility(
    clean: Picture, clean_ids: NDArray[np.int32], degraded: Picture, degraded_ids: NDArray[np.int32]
) -> tuple[ObjectVisibility, ...]:
    """Every object of the clean picture, in the order of ids.

    Args:
        clean, degraded: the pictures.
        clean_ids, degraded_ids: (H, W) the instance in each of their pixels, -1 for none: of a scene
            ``view.clean.instance_ids`` and ``view.truth.instance_ids``; of a photograph an id map, and the same through
            ``pixel_map.mask_to_degraded(ids, outside=-1)``.

    Raises:
        BenchDataError: ids and picture of different sizes.
    """
    before = object_contrasts(clean, clean_ids)
    after = object_contrasts(degraded, degraded_ids, only=before)
    return tuple(
        ObjectVisibility(one, seen.pixels, after[one].pixels, seen.ratio, after[one].ratio)
        for one, seen in before.items()
    )


@dataclass(frozen=True)
class ObjectContrast:
    """One object in one picture."""

    pixels: int
    """That show it, apart from blur."""
    ratio: float
    """Its contrast against its surroundings over what hides it; 0 where it has no pixels."""

    @property
    def is_visible(self) -> bool:
        """Whether a person could see it."""
        return self.pixels >= LEAST_PIXELS and self.ratio >= LEAST_RATIO


def object_contrasts(
    picture: Picture, ids: NDArray[np.int32], *, only: Iterable[int] | None = None
) -> dict[int, ObjectContrast]:
    """Object -> how it stands out from one picture, in the order of ids or of ``only``.

    Args:
        picture: clean or degraded.
        ids: (H, W) the instance in each of its pixels, -1 for none.
        only: the objects to look at, there or not; None for all that are there.

    Raises:
        BenchDataError: ids and picture of different sizes.
    """
    if ids.shape != (picture.height, picture.width):
        raise BenchDataError(
            f"ids have shape {ids.shape}, the picture {(picture.height, picture.width)}; pass those of that picture"
        )
    seen = _Perceived.of(picture)
    wanted = [one for one in np.unique(ids).tolist() if one != NO_INSTANCE] if only is None else list(only)
    found = {}
    for one in wanted:
        mask = ids == one
        found[one] = ObjectContrast(int(np.count_nonzero(mask)), _contrast_ratio(seen, mask))
    return found


@dataclass(frozen=True, eq=False)
class _Perceived:
    lab: NDArray[np.float64]
    """(H, W, 3) L*, a*, b*."""
    ripple: NDArray[np.float64]
    """(H, W) absolute response of L* to Immerkaer's filter, which smooth shading and straight edges leave at zero."""

    @classmethod
    def of(cls, picture: Picture) -> _Perceived:
        import cv2

        lab = _lab_from_linear(linear_from_srgb(picture.image_srgb).astype(np.float64))
        kernel = np.array([[1, -2, 1], [-2, 4, -2], [1, -2, 1]], dtype=np.float64)
        ripple = cv2.filter2D(np.ascontiguousarray(lab[..., 0]), cv2.CV_64F, kernel, borderType=cv2.BORDER_REFLECT_101)
        return cls(lab, np.abs(np.asarray(ripple)))


def _contrast_ratio(seen: _Perceived, mask: NDArray[np.bool_]) -> float:
    """Contrast of the pixels of a mask (H, W) against the ring around them, over what hides it."""
    rows, columns = np.flatnonzero(mask.any(axis=1)), np.flatnonzero(mask.any(axis=0))
    if len(rows) == 0:
        return 0.0
    width = max(_SMALLEST_RING_PX, round(_RING_SHARE * float(np.sqrt(mask.sum()))))
    window = (
        slice(max(0, int(rows[0]) - width), int(rows[-1]) + width + 1),
        slice(max(0, int(columns[0]) - width), int(columns[-1]) + width + 1),
    )
    inside = mask[window]
    ring = _grown(inside, width) & ~inside
    if not ring.any():
        return 0.0  # it fills the picture: nothing tells it from its surroundings
    lab, both = seen.lab[window], inside | ring
    at = np.linspace(0, 1, _QUANTILES)
    apart = np.abs(np.quantile(lab[inside], at, axis=0) - np.quantile(lab[ring], at, axis=0)).mean(axis=0)
    # Immerkaer: the filter's response to white noise of deviation 1 is 6; the median of |normal| is 0.6745.
    noise = float(np.median(seen.ripple[window][both])) / (6 * 0.6745)
    averaged = min(_AVERAGED_PX, float(np.sqrt(inside.sum())))
    return float(np.linalg.norm(apart)) / float(np.hypot(_NOTICEABLE, noise / averaged))


def _grown(mask: NDArray[np.bool_], radius_px: int) -> NDArray[np.bool_]:
    import cv2

    disc = cv2.getStructuringElement(cv2.MORPH_ELLIPSE, (2 * radius_px + 1, 2 * radius_px + 1))
    return np.asarray(cv2.dilate(mask.astype(np.uint8), disc)) > 0


def _lab_from_linear(image_linear: NDArray[np.float64]) -> NDArray[np.float64]:
    """(H, W, 3) CIE 1976 L*a*b* of linear sRGB (H, W, 3), white D65."""
    xyz = image_linear @ _XYZ_FROM_RGB.T / _XYZ_FROM_RGB.sum(axis=1)
    knee = (6 / 29) ** 3
    f = np.where(xyz > knee, np.cbrt(xyz), xyz / (3 * (6 / 29) ** 2) + 4 / 29)
    return np.stack([116 * f[..., 1] - 16, 500 * (f[..., 0] - f[..., 1]), 200 * (f[..., 1] - f[..., 2])], axis=-1)
