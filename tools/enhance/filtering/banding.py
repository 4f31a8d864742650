"""Row and column noise of a sensor: offsets that a whole line of pixels shares."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

__all__ = ["line_offsets", "remove_banding"]

# Offsets are told apart for dark, middle and bright pixels, because clipping at black and the sRGB curve scale them.
_CLASSES = 3
_FEWEST_PIXELS = 24
# Offsets are what differs from the median of this many neighbouring lines.
_NEIGHBOURS = 11
# Lines of one direction must vary this much more than those of the other: a picture's own structure does so in both.
_LEAST_RATIO = 1.5
# Real banding is weaker than the noise of single pixels; anything more is a horizon or a shelf.
_MOST_OF_NOISE = 1.0
# Below this share of the pixels' noise the offsets are neither visible nor surely measured.
_LEAST_OF_NOISE = 0.05


def remove_banding(image: NDArray[np.float32], noise_std: float) -> tuple[NDArray[np.float32], float]:
    """Removes row banding, or column banding, whichever stands out.

    Args:
        image: (H, W, 3) display-encoded values, which may lie outside [0, 1].
        noise_std: standard deviation of a pixel's noise in ``image.mean(axis=2)``.

    Returns:
        The picture, and the standard deviation of the offsets that were taken out (0 when there is no banding).
    """
    grey = image.mean(axis=2, dtype=np.float32)
    if min(grey.shape) < 4 * _NEIGHBOURS or noise_std <= 0:
        return image, 0.0
    rows, columns = line_offsets(grey), line_offsets(np.ascontiguousarray(grey.T)).T
    row_std, column_std = _robust_std(rows), _robust_std(columns)
    offsets, std = (rows, row_std) if row_std >= column_std else (columns, column_std)
    stands_out = std >= _LEAST_RATIO * min(row_std, column_std)
    if not stands_out or not _LEAST_OF_NOISE * noise_std <= std <= _MOST_OF_NOISE * noise_std:
        return image, 0.0
    limit = np.float32(3 * std)
    return image - np.clip(offsets, -limit, limit)[..., None], std


def line_offsets(grey: NDArray[np.float32]) -> NDArray[np.float32]:
    """The offset of each row, at each pixel: (H, W), the same for pixels of one row that are equally bright.

    The offset of a row within a class of brightness is the median, over its pixels, of what they differ from the rows
    around them; an edge must run through half of the picture's width to shift it.
    """
    wide = _mean_along_row(grey)
    steady = _median_of_rows(wide)
    difference = wide - steady
    edges = np.quantile(steady, np.linspace(0, 1, _CLASSES + 1))
    inner = np.digitize(steady, edges[1:-1])
    centres = np.array([np.median(steady[inner == k]) if (inner == k).any() else edges[k] for k in range(_CLASSES)])
    by_class = np.stack([_row_medians(difference, inner == k) for k in range(_CLASSES)], axis=1)
    offsets = np.empty_like(grey)
    for row, values in enumerate(by_class):
        known = np.isfinite(values)
        offsets[row] = np.interp(steady[row], centres[known], values[known]) if known.any() else 0.0
    return offsets


def _mean_along_row(values: NDArray[np.float32]) -> NDArray[np.float32]:
    import cv2

    return np.asarray(cv2.blur(values, (15, 1), borderType=cv2.BORDER_REFLECT), dtype=np.float32)


def _median_of_rows(values: NDArray[np.float32]) -> NDArray[np.float32]:
    """The median over ``_NEIGHBOURS`` rows around each row, in bands so that memory stays bounded."""
    half = _NEIGHBOURS // 2
    padded = np.pad(values, ((half, half), (0, 0)), mode="reflect")
    result = np.empty_like(values)
    for top in range(0, len(values), 64):
        band = padded[top : top + 64 + 2 * half]
        windows = np.lib.stride_tricks.sliding_window_view(band, _NEIGHBOURS, axis=0)
        result[top : top + 64] = np.median(windows, axis=2)
    return result


def _row_medians(difference: NDArray[np.float32], members: NDArray[np.bool_]) -> NDArray[np.float64]:
    medians = np.full(len(difference), np.nan)
    for row, (values, chosen) in enumerate(zip(difference, members, strict=True)):
        if np.count_nonzero(chosen) >= _FEWEST_PIXELS:
            medians[row] = np.median(values[chosen])
    return medians


def _robust_std(offsets: NDArray[np.float32]) -> float:
    return float(1.4826 * np.median(np.abs(offsets)))
