"""What can be seen of a picture's quality without its truth, as a few dozen named numbers.

Natural scenes are regular: their edges, contrasts and tones follow known statistics, and faults break them (Mittal,
Moorthy and Bovik, "No-reference image quality assessment in the spatial domain", IEEE TIP 2012). Those statistics see
blur, noise and compression; darkness, clipping and haze need the measures of tone that stand beside them here.

Pictures above one megapixel are first shrunk to it, since no model is shown more.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from .inputs import MIN_SIDE_PX, luma, working_image
from .structure import blur

__all__ = ["FEATURE_PARTS", "quality_features"]

Image = NDArray[np.float32]

_MOST_PIXELS = 1_000_000
# All logarithms stand on this, half an 8-bit step, so that perfect flatness is finite.
_LEAST = 0.002
_BLOCK_PX = 8
_STRONG_EDGE_SHARE = 0.06
_FEWEST_EDGES = 40
# Half length of the profiles across edges, how many are looked at, and the step that is worth a look.
_PROFILE_PX = 7
_MOST_PROFILES = 1500
_LEAST_STEP = 0.06

FEATURE_PARTS: dict[str, str] = {
    "mean_luma": "exposure",
    "middle_luma": "exposure",
    "bright_luma": "exposure",
    "white_share": "clipping",
    "channel_clipped_share": "clipping",
    "black_share": "clipping",
    "range": "contrast",
    "black_level": "contrast",
    "dark_channel": "contrast",
    "local_contrast": "contrast",
    "colour_contrast": "contrast",
    "edge_ratio_fine": "sharpness",
    "edge_ratio_coarse": "sharpness",
    "edge_ratio_worst_direction": "sharpness",
    "detail": "sharpness",
    "bend": "sharpness",
    "noise": "noise",
    "noise_in_smooth_places": "noise",
    "noise_of_colour": "noise",
    "noise_coarse": "noise",
    "blockiness": "blockiness",
    "mscn_shape": "naturalness",
    "mscn_shape_coarse": "naturalness",
    "mscn_neighbours": "naturalness",
    "mscn_diagonal": "naturalness",
    "halo": "naturalness",
    "colourfulness": "colourfulness",
    "saturated_share": "colourfulness",
    "cast_deg": "white_balance",
}
"""Every feature with the part of the quality that it speaks for."""


def quality_features(image_srgb: Image) -> dict[str, float]:
    """The features of a picture (H, W, 3) float32 in [0, 1], both sides at least 8."""
    height, width = image_srgb.shape[:2]
    factor = min(float(np.sqrt(_MOST_PIXELS / (height * width))), 1.0)
    size = (max(round(width * factor), MIN_SIDE_PX), max(round(height * factor), MIN_SIDE_PX))
    image = working_image(image_srgb, size)
    grey = luma(image)
    # Planes, since numpy reduces over a short last axis slowly.
    red, green, blue = (np.ascontiguousarray(image[..., channel]) for channel in range(3))
    high, low = np.maximum(np.maximum(red, green), blue), np.minimum(np.minimum(red, green), blue)
    return {
        **_tone(grey, high, low),
        **_contrast(grey, low, (red - green, blue - green)),
        **_edges(grey),
        **_noise(grey, red - green),
        "blockiness": _blockiness(grey),
        **_naturalness(grey),
        "halo": _halo(grey),
        **_colour((red, green, blue), high, low),
    }


def _tone(grey: Image, high: Image, low: Image) -> dict[str, float]:
    middle, bright = np.percentile(grey[::2, ::2], [50, 95])
    return {
        "mean_luma": float(grey.mean()),
        "middle_luma": float(middle),
        "bright_luma": float(bright),
        "white_share": _log(float((low > 0.98).mean()) + float((grey > 0.98).mean()), 0.01),
        "channel_clipped_share": _log(float((high > 0.99).mean()), 0.01),
        "black_share": _log(float((high < 0.02).mean()), 0.01),
    }


def _contrast(grey: Image, low: Image, opponents: tuple[Image, Image]) -> dict[str, float]:
    import cv2

    darkest = cv2.erode(_half(_half(low)), np.ones((5, 5), dtype=np.uint8))
    black, white = np.percentile(grey[::2, ::2], [1, 99])
    smooth = blur(_half(grey), 0.8)
    local = np.sqrt(np.maximum(blur(smooth * smooth, 3.0) - blur(smooth, 3.0) ** 2, 0))
    return {
        "range": float(white - black),
        "black_level": float(black),
        "dark_channel": float(darkest.mean()),
        "local_contrast": _log(float(local.mean()), _LEAST),
        "colour_contrast": _log(float(opponents[0].std() + opponents[1].std()) / 2, 0.01),
    }


def _edges(grey: Image) -> dict[str, float]:
    """How fast strong edges fade when the picture is blurred: sharp ones fast, blurred ones slowly (cf. Crete 2007)."""
    gradients = [_gradient(grey, sigma) for sigma in (0.5, 1.0, 2.0, 4.0)]
    strength = [np.hypot(x, y) for x, y in gradients]
    threshold = np.quantile(strength[2], 1 - _STRONG_EDGE_SHARE)
    strong = strength[2] >= max(float(threshold), 1e-6)
    if int(strong.sum()) < _FEWEST_EDGES:
        return dict.fromkeys(
            ("edge_ratio_fine", "edge_ratio_coarse", "edge_ratio_worst_direction", "detail", "bend"), 0.0
        )
    fine, middle, coarse, coarsest = (s[strong] for s in strength)
    x, y = (g[strong] for g in gradients[2])
    direction = np.floor((np.arctan2(y, x) % np.pi) / (np.pi / 4) + 0.5).astype(int) % 4
    ratio = np.log(middle + 1e-4) - np.log(coarse + 1e-4)
    by_direction = [float(np.median(ratio[direction == d])) for d in range(4) if (direction == d).mean() > 0.08]
    total = [float(s.mean()) for s in strength]
    smooth = blur(grey, 1.0)
    bend = blur(grey, 0.5) - smooth
    return {
        "edge_ratio_fine": float(np.median(np.log(fine + 1e-4) - np.log(middle + 1e-4))),
        "edge_ratio_coarse": float(np.median(np.log(coarse + 1e-4) - np.log(coarsest + 1e-4))),
        "edge_ratio_worst_direction": min(by_direction),
        "detail": float(np.log(total[1] + 1e-4) - np.log(total[2] + 1e-4)),
        "bend": _log(float(np.abs(bend[strong]).mean()) / (float(coarse.mean()) + 1e-3), _LEAST),
    }


def _halo(grey: Image) -> float:
    """Overshoot on both sides of edges, as a share of their step: the mark of sharpening beyond what was lost.

    A step that was only blurred passes from one plateau to the other; an over-sharpened one dips below the dark plateau
    and rises above the bright one. Mean over the strongest gradient maxima; 0.07 to 0.15 for clean photographs.
    """
    import cv2

    x, y = _gradient(grey, 1.0)
    strength = np.hypot(x, y)
    peak = strength >= cv2.dilate(strength, np.ones((_PROFILE_PX, _PROFILE_PX), dtype=np.uint8))
    rows, columns = np.nonzero(peak[_PROFILE_PX:-_PROFILE_PX, _PROFILE_PX:-_PROFILE_PX])
    rows, columns = rows + _PROFILE_PX, columns + _PROFILE_PX
    strongest = np.argsort(-strength[rows, columns], kind="stable")[:_MOST_PROFILES]
    rows, columns = rows[strongest], columns[strongest]
    slope = np.maximum(strength[rows, columns], 1e-9)
    along_x, along_y = x[rows, columns] / slope, y[rows, columns] / slope
    steps = np.arange(-_PROFILE_PX, _PROFILE_PX + 1, dtype=np.float32)
    at_x, at_y = columns[:, None] + along_x[:, None] * steps, rows[:, None] + along_y[:, None] * steps
    if len(at_x) == 0:
        return 0.0
    profile = cv2.remap(blur(grey, 0.5), at_x.astype(np.float32), at_y.astype(np.float32), cv2.INTER_LINEAR)
    dark, bright = profile[:, :3].mean(axis=1), profile[:, -3:].mean(axis=1)
    step = bright - dark
    usable = step > _LEAST_STEP
    if int(usable.sum()) < _FEWEST_EDGES:
        return 0.0
    below = (dark - profile[:, 3:_PROFILE_PX].min(axis=1))[usable] / step[usable]
    above = (profile[:, _PROFILE_PX + 1 : -3].max(axis=1) - bright)[usable] / step[usable]
    return float(np.minimum(np.clip(below, 0, 1), np.clip(above, 0, 1)).mean())


def _noise(grey: Image, red_green: Image) -> dict[str, float]:
    half = _half(grey)
    everywhere, smooth_places = _noise_stds(grey)
    return {
        "noise": _log(everywhere, _LEAST),
        "noise_in_smooth_places": _log(smooth_places, _LEAST),
        "noise_of_colour": _log(_noise_stds(red_green)[0], _LEAST),
        "noise_coarse": _log(_noise_stds(half)[1], _LEAST),
    }


def _noise_stds(plane: Image) -> tuple[float, float]:
    """Standard deviation of white noise: from the median over the picture, and from its smoothest fifth of blocks."""
    import cv2

    mask = np.array([[1, -2, 1], [-2, 4, -2], [1, -2, 1]], dtype=np.float32) / 6
    response = np.abs(cv2.filter2D(plane, cv2.CV_32F, mask)[1:-1, 1:-1])
    if response.size == 0:
        return 0.0, 0.0
    height, width = response.shape
    blocks = (max(width // _BLOCK_PX, 1), max(height // _BLOCK_PX, 1))
    means = cv2.resize(response, blocks, interpolation=cv2.INTER_AREA)
    # Mean of |N(0, 1)| is 0.798, its median 0.6745.
    return float(np.median(response)) / 0.6745, float(np.quantile(means, 0.2)) / 0.798


def _blockiness(grey: Image) -> float:
    """Log ratio of steps on the strongest phase of an 8-pixel grid to steps beside it, both directions together."""
    ratios = []
    for axis in (0, 1):
        step = np.abs(np.diff(grey, axis=axis)).mean(axis=1 - axis)
        # Second difference of the profile: a grid line stands out of its neighbours, a scene edge rarely repeats.
        if step.size < 3 * _BLOCK_PX:
            return 0.0
        stands_out = step[1:-1] - (step[:-2] + step[2:]) / 2
        usable = stands_out.size // _BLOCK_PX * _BLOCK_PX
        phases = np.median(stands_out[:usable].reshape(-1, _BLOCK_PX), axis=0)
        ratios.append(max(float(phases.max() - np.median(phases)), 0.0) / (float(np.median(step)) + _LEAST))
    return float(np.log1p(5 * np.sqrt(ratios[0] * ratios[1])))


def _naturalness(grey: Image) -> dict[str, float]:
    fine, coarse = _mscn(grey), _mscn(_half(grey))
    right, down = (fine[:, 1:] * fine[:, :-1]).mean(), (fine[1:] * fine[:-1]).mean()
    power = float((fine * fine).mean()) + 1e-6
    return {
        "mscn_shape": _shape(fine),
        "mscn_shape_coarse": _shape(coarse),
        "mscn_neighbours": float((right + down) / 2) / power,
        "mscn_diagonal": float((fine[1:, 1:] * fine[:-1, :-1]).mean()) / power,
    }


def _mscn(grey: Image) -> Image:
    """Mean-subtracted contrast-normalised coefficients, as BRISQUE defines them (window sigma 7/6, C = 1/255)."""
    mean = blur(grey, 7 / 6)
    deviation = np.sqrt(np.maximum(blur(grey * grey, 7 / 6) - mean * mean, 0))
    return np.asarray((grey - mean) / (deviation + np.float32(1 / 255)), dtype=np.float32)


def _shape(coefficients: Image) -> float:
    """log of E[x^2] / E[|x|]^2: 0.45 for a normal distribution, 0.69 for a Laplacian, more for heavier tails."""
    absolute = float(np.abs(coefficients).mean())
    return float(np.log((float((coefficients**2).mean()) + 1e-6) / (absolute * absolute + 1e-6)))


def _colour(planes: tuple[Image, Image, Image], high: Image, low: Image) -> dict[str, float]:
    """Hasler and Süsstrunk 2003, and the share of fully saturated colour."""
    red, green, blue = planes
    red_green, yellow_blue = red - green, (red + green) / 2 - blue
    spread = float(np.hypot(red_green.std(), yellow_blue.std()))
    mean = float(np.hypot(red_green.mean(), yellow_blue.mean()))
    unclipped = (high < 0.99) & (low > 0.01)
    return {
        "colourfulness": spread + 0.3 * mean,
        "saturated_share": _log(float(((high > 0.5) & (low < 0.02)).mean()), 0.01),
        "cast_deg": _cast_deg([plane[unclipped] for plane in planes]),
    }


def _cast_deg(unclipped: list[Image]) -> float:
    """Angle between grey and the light's colour, by shades of grey (Finlayson and Trezzi 2004, Minkowski norm 6)."""
    if len(unclipped[0]) < _FEWEST_EDGES:
        return 0.0
    cubes = [plane * plane * plane for plane in unclipped]
    light = np.array([float(np.mean(cube * cube, dtype=np.float64)) for cube in cubes]) ** (1 / 6)
    return float(np.degrees(np.arccos(min(float(light.sum() / (np.linalg.norm(light) * np.sqrt(3) + 1e-12)), 1.0))))


def _gradient(grey: Image, sigma_px: float) -> tuple[Image, Image]:
    import cv2

    smooth = blur(grey, sigma_px)
    x: Image = np.asarray(cv2.Sobel(smooth, cv2.CV_32F, 1, 0, scale=1 / 8), dtype=np.float32)
    y: Image = np.asarray(cv2.Sobel(smooth, cv2.CV_32F, 0, 1, scale=1 / 8), dtype=np.float32)
    return x, y


def _half(image: Image) -> Image:
    height, width = image.shape[:2]
    return working_image(image, (max(width // 2, 1), max(height // 2, 1)))


def _log(value: float, least: float) -> float:
    return float(np.log(value + least))
