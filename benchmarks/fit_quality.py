"""Fits the weights of seeworthy.tools.measure.quality and writes them into the package as quality_model.json.

    python benchmarks/fit_quality.py [--samples FILE]

Only calibration photographs are fitted on. Each pair of versions of one picture says which is better: the clean one
over any degraded or overdone one, a milder degradation over a stronger one, a treatment over its input where it came
nearer to the truth, and the reverse where it went away from it. The penalty is a sum of one-sided ramps with weights
that may not be negative; logistic regression on the pairs (Bradley and Terry 1952) finds the weights, with a ridge,
and with a price on penalties of clean pictures. Takes about ten minutes on one core; --samples keeps the features.
"""

from __future__ import annotations

import argparse
import json
from collections import defaultdict
from dataclasses import asdict
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from quality_samples import Sample, collect
from scipy.optimize import minimize

OUTPUT = Path(__file__).parents[1] / "tools" / "measure" / "quality_model.json"

# Where ramps start: (below which a feature costs, above which it costs). Chosen by what the features mean and by what
# photographs of all kinds show, not by the few fitted ones; the weights decide which of them matter.
KNOTS: dict[str, tuple[tuple[float, ...], tuple[float, ...]]] = {
    "middle_luma": ((0.35, 0.25, 0.15, 0.08), (0.65, 0.75, 0.85)),
    "bright_luma": ((0.7, 0.5, 0.3, 0.15), ()),
    "white_share": ((), (-2.6, -2.0, -1.2, -0.2)),
    "channel_clipped_share": ((), (-2.6, -1.9, -1.2, -0.5)),
    "black_share": ((), (-1.6, -0.9)),
    "range": ((0.85, 0.7, 0.5, 0.3), ()),
    "black_level": ((), (0.08, 0.2, 0.35, 0.5)),
    "dark_channel": ((), (0.3, 0.45, 0.6, 0.75)),
    "local_contrast": ((-2.6, -3.2, -3.8, -4.5), (-1.8,)),
    "colour_contrast": ((-2.8, -3.5), ()),
    "edge_ratio_fine": ((0.12, 0.08, 0.04, 0.0), (0.22, 0.3)),
    "edge_ratio_coarse": ((0.8, 0.65, 0.5, 0.35), (0.95, 1.1)),
    "edge_ratio_worst_direction": ((0.4, 0.3, 0.2, 0.1), (0.5, 0.6)),
    "detail": ((0.35, 0.25, 0.15, 0.05), (0.45, 0.6)),
    "bend": ((-0.5, -0.8, -1.1, -1.6, -2.2), (-0.3, 0.0)),
    "noise_in_smooth_places": ((), (-4.8, -4.2, -3.5, -2.8)),
    "noise_of_colour": ((), (-4.7, -4.0, -3.2)),
    "noise_coarse": ((), (-4.9, -4.2, -3.5)),
    "blockiness": ((), (0.35, 0.7, 1.2, 1.8)),
    "mscn_shape": ((0.38,), (0.65, 0.75, 0.9)),
    "mscn_neighbours": ((0.1, -0.1), (0.45, 0.6, 0.75)),
    "mscn_diagonal": ((-0.05,), (0.22, 0.4, 0.6)),
    "halo": ((), (0.2, 0.27, 0.36)),
    "colourfulness": ((0.08, 0.04), (0.4, 0.6)),
    "saturated_share": ((), (-2.3, -1.2)),
    "cast_deg": ((), (6.0, 10.0, 16.0)),
}
RIDGE, PRICE_OF_CLEAN = 0.01, 0.02
LEAST_WEIGHT = 5e-4
# A score is exp(-penalty / this), so that degraded pictures spread over 0 to 1 instead of crowding at 0.
SOFTNESS = 3.0

Term = tuple[str, int, float]
TERMS: tuple[Term, ...] = tuple(
    (feature, sign, knot)
    for feature, sides in KNOTS.items()
    for sign, knots in zip((-1, 1), sides, strict=True)
    for knot in knots
)


def ramps(samples: list[Sample]) -> NDArray[np.float64]:
    """(samples, terms): how far each feature lies beyond each knot."""
    columns = [[sign * (s.features[feature] - knot) for s in samples] for feature, sign, knot in TERMS]
    return np.maximum(np.array(columns), 0).T


def ordered_pairs(samples: list[Sample]) -> list[tuple[int, int, float, str]]:
    """(better, worse, weight, why) by index."""
    groups: dict[str, list[int]] = defaultdict(list)
    for at, sample in enumerate(samples):
        groups[sample.clean].append(at)
    pairs: list[tuple[int, int, float, str]] = []
    for members in groups.values():
        clean = next(at for at in members if samples[at].kind == "clean")
        spoilt = {(samples[at].name, samples[at].severity): at for at in members if samples[at].kind == "degraded"}
        for at in members:
            pairs += _pairs_of(samples, at, clean, spoilt)
    return pairs


def _pairs_of(
    samples: list[Sample], at: int, clean: int, spoilt: dict[tuple[str, int], int]
) -> list[tuple[int, int, float, str]]:
    sample = samples[at]
    if sample.kind == "degraded":
        pairs = [(clean, at, 1.0 if sample.severity > 1 else 0.5, "clean over degraded")]
        worse = next((spoilt[k] for step in (1, 2) if (k := (sample.name, sample.severity + step)) in spoilt), None)
        return pairs if worse is None else [*pairs, (at, worse, 0.5, "mild over severe")]
    if sample.kind == "overdone" and sample.ssim < 0.95:
        return [(clean, at, 1.0, "clean over overdone")]
    if sample.kind == "cast":
        return [(clean, at, 0.5, "clean over cast")]
    if sample.kind in ("halfway", "repaired"):
        pairs = [(clean, at, 0.5, "clean over treated")] if sample.ssim < 0.95 else []
        before = spoilt[sample.name, sample.severity]
        nearer = sample.ssim - samples[before].ssim, sample.psnr_db - samples[before].psnr_db
        if nearer[0] > 0.03 and nearer[1] > 0.3:
            pairs.append((at, before, 1.0, "nearer over input"))
        elif nearer[0] < -0.03 and nearer[1] < -0.3:
            pairs.append((before, at, 1.0, "input over farther"))
        return pairs
    return []


def fitted(samples: list[Sample]) -> NDArray[np.float64]:
    """(terms,) weights, in units of the features."""
    design = ramps(samples)
    spread = {f: max(float(np.std([s.features[f] for s in samples])), 1e-3) for f in KNOTS}
    scale = np.array([spread[feature] for feature, _, _ in TERMS])
    pairs = ordered_pairs(samples)
    difference = np.array([design[worse] - design[better] for better, worse, _, _ in pairs]) / scale
    importance = np.array([weight for _, _, weight, _ in pairs])
    importance /= importance.sum()
    clean = np.mean([row for row, s in zip(design, samples, strict=True) if s.kind == "clean"], axis=0) / scale

    def loss(weights: NDArray[np.float64]) -> tuple[float, NDArray[np.float64]]:
        wrong = np.exp(-np.clip(difference @ weights, -30, 30))
        value = importance @ np.log1p(wrong) + RIDGE * weights @ weights + PRICE_OF_CLEAN * clean @ weights
        slope = -difference.T @ (importance * wrong / (1 + wrong)) + 2 * RIDGE * weights + PRICE_OF_CLEAN * clean
        return float(value), slope

    result = minimize(
        loss,
        np.full(len(TERMS), 0.1),
        jac=True,
        method="L-BFGS-B",
        bounds=[(0, None)] * len(TERMS),
        options={"maxiter": 3000},
    )
    return np.asarray(result.x / scale)


def agreement(samples: list[Sample], weights: NDArray[np.float64]) -> dict[str, list[bool]]:
    """For each kind of pair, and each degradation and severity, whether the order came out right."""
    penalty = ramps(samples) @ weights
    right: dict[str, list[bool]] = defaultdict(list)
    for better, worse, _, why in ordered_pairs(samples):
        is_right = bool(penalty[better] < penalty[worse])
        right[why].append(is_right)
        if why == "clean over degraded":
            right[f"  {samples[worse].name} {samples[worse].severity}"].append(is_right)
    return right


def print_table(title: str, right: dict[str, list[bool]]) -> None:
    print(f"\n{title}")
    for name in sorted(right, key=lambda name: (name.startswith("  "), name)):
        print(f"{name:28s} {np.mean(right[name]):6.1%}  of {len(right[name])}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--samples", type=Path, help="JSON file to keep the features in, and to take them from")
    arguments = parser.parse_args()
    if arguments.samples and arguments.samples.exists():
        stored = json.loads(arguments.samples.read_text())
        calibration, counted = ([Sample(**row) for row in stored[split]] for split in ("calibration", "counted"))
    else:
        calibration, counted = collect("calibration", graded=True), collect("counted", graded=False)
        if arguments.samples:
            rows = {"calibration": [asdict(s) for s in calibration], "counted": [asdict(s) for s in counted]}
            arguments.samples.write_text(json.dumps(rows))
    left_out: dict[str, list[bool]] = defaultdict(list)
    for photograph in sorted({s.photograph for s in calibration}):
        weights = fitted([s for s in calibration if s.photograph != photograph])
        for name, outcomes in agreement([s for s in calibration if s.photograph == photograph], weights).items():
            left_out[name] += outcomes
    print_table("calibration, each photograph judged by a fit without it", left_out)
    weights = fitted(calibration)
    print_table("counted photographs", agreement(counted, weights))
    terms = [
        {"feature": feature, "above" if sign > 0 else "below": knot, "weight": round(float(weight), 4)}
        for (feature, sign, knot), weight in zip(TERMS, weights / SOFTNESS, strict=True)
        if weight >= LEAST_WEIGHT
    ]
    OUTPUT.write_text(json.dumps({"version": 1, "terms": terms}, indent=1) + "\n")
    print(f"\n{len(terms)} terms written to {OUTPUT.name}")


if __name__ == "__main__":
    main()
