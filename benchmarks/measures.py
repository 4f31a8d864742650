"""Counts how often the judge's measures are right, on photographs that nothing was fitted on, and times them.

    python benchmarks/measures.py [--quick]

Times are processor times as multiples of one Gaussian blur of the same 640x480 picture, so that they compare across
machines, and milliseconds beside them.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable, Iterator

import cv2
import numpy as np
from numpy.typing import NDArray
from quality_samples import deconvolved, dehazed, equalised, light, overdone, rounded, sharpened, smoothed

from seeworthy.bench_data.degrade import degrade
from seeworthy.bench_data.images import Picture
from seeworthy.bench_data.photographs import package_photographs
from seeworthy.bench_data.stress import Stress
from seeworthy.tools.findings import Region
from seeworthy.tools.measure.alignment import AlignmentStatus, measure_alignment
from seeworthy.tools.measure.content import measure_content
from seeworthy.tools.measure.fidelity import psnr_db, ssim
from seeworthy.tools.measure.inputs import luma
from seeworthy.tools.measure.judge import judge_edit
from seeworthy.tools.measure.quality import compare_quality, measure_quality
from seeworthy.tools.measure.transforms import cv_matrix
from seeworthy.tools.registry import RECTIFIERS, Alignment, RectifyHint, apply_rectifier

Image = NDArray[np.float32]

DEGRADATIONS = (
    "haze",
    "defocus",
    "motion_blur",
    "low_light",
    "noise",
    "over_exposure",
    "low_res",
    "jpeg_compression",
)
PASTED_SHARE = 0.03
FOUND_OVERLAP = 0.3


def pictures() -> dict[str, Picture]:
    """The counted photographs, whole."""
    return {p.name: p.picture for p in package_photographs("counted") if p.crop_of is None}


def spoilt(picture: Picture, name: str, severity: int) -> Image:
    return degrade(picture, name, severity=severity, seed=severity).picture.image_srgb


# Alignment


def moves(image: Image) -> Iterator[tuple[str, NDArray[np.float64]]]:
    """Names and 3x3 maps from a picture to an edit of the same size."""
    centre = np.array([image.shape[1] / 2, image.shape[0] / 2])
    for name, scale, degrees, shift in (
        ("in place", 1.0, 0.0, (0.0, 0.0)),
        ("shift 12, -7", 1.0, 0.0, (12.0, -7.0)),
        ("shift 3.4, -1.3", 1.0, 0.0, (3.4, -1.3)),
        ("zoom 1.05", 1.05, 0.0, (0.0, 0.0)),
        ("turn 3", 1.0, 3.0, (0.0, 0.0)),
        ("zoom 1.5, turn -8", 1.5, -8.0, (20.0, 5.0)),
    ):
        angle = np.radians(degrees)
        matrix = np.eye(3)
        matrix[:2, :2] = scale * np.array([[np.cos(angle), -np.sin(angle)], [np.sin(angle), np.cos(angle)]])
        matrix[:2, 2] = centre - matrix[:2, :2] @ centre + shift
        yield name, matrix


def alignment_table(quick: bool) -> None:
    """The clean picture, moved, against its degraded original: largest error of the map at the corners."""
    print("\nAlignment: moved clean edit against degraded original; status right, corner error in px (median, worst)")
    wanted: dict[str, list[tuple[bool, float]]] = {}
    for picture in pictures().values():
        clean = picture.image_srgb
        height, width = clean.shape[:2]
        corners = np.array([[0, 0, 1], [width, 0, 1], [0, height, 1], [width, height, 1]], dtype=np.float64)
        for degradation in ("none", *DEGRADATIONS[:: 2 if quick else 1]):
            original = clean if degradation == "none" else spoilt(picture, degradation, 3)
            for name, matrix in moves(clean):
                edit = clean
                if name != "in place":
                    warp = cv_matrix(matrix)[:2]
                    edit = cv2.warpAffine(clean, warp, (width, height), flags=cv2.INTER_CUBIC, borderMode=2).clip(0, 1)
                report = measure_alignment(original, edit)
                right = report.status is (AlignmentStatus.ALIGNED if name == "in place" else AlignmentStatus.MAPPED)
                back = (corners @ (np.array(report.matrix) @ matrix).T)[:, :2]
                error = float(np.linalg.norm(back - corners[:, :2], axis=1).max())
                wanted.setdefault(name, []).append((right, error))
            mirrored = measure_alignment(original, np.ascontiguousarray(clean[:, ::-1]))
            wanted.setdefault("mirror", []).append((mirrored.status is AlignmentStatus.MIRRORED, 0.0))
    for name, outcomes in wanted.items():
        errors = [error for _, error in outcomes]
        rate = np.mean([right for right, _ in outcomes])
        print(f"  {name:20s} {rate:6.1%} of {len(outcomes):3d}   {np.median(errors):5.2f} {max(errors):6.2f}")
    images = [picture.image_srgb for picture in pictures().values()]
    statuses = [measure_alignment(a, b).status for i, a in enumerate(images) for j, b in enumerate(images) if i != j]
    rate = np.mean([status is AlignmentStatus.UNRELATED for status in statuses])
    print(f"  {'unrelated pairs':20s} {rate:6.1%} of {len(statuses):3d}")


# Content


def repairs(name: str) -> tuple[Callable[[Image], Image], ...]:
    """Plain treatments of each degradation, good and bad alike: none of them adds or removes a thing."""
    return {
        "haze": (lambda i: dehazed(i, 0.9), lambda i: equalised(i, 2.0)),
        "defocus": (lambda i: sharpened(i, 2.0, 2.0), lambda i: deconvolved(i, 1.6, 0.02)),
        "motion_blur": (lambda i: sharpened(i, 2.0, 3.0),),
        "low_light": (lambda i: light(i, 6.0), lambda i: smoothed(rounded(i**0.5), 10)),
        "noise": (lambda i: smoothed(i, 12), lambda i: rounded(cv2.bilateralFilter(i, 9, 0.25, 4))),
        "over_exposure": (lambda i: light(i, 0.5),),
        "low_res": (lambda i: sharpened(i, 2.0, 1.5),),
        "jpeg_compression": (lambda i: rounded(cv2.bilateralFilter(i, 7, 0.1, 3)),),
    }[name]


def things(place: Image, donor: Image, rng: np.random.Generator) -> Iterator[tuple[str, Image]]:
    side = place.shape[0]
    yield "plain colour", np.broadcast_to(rng.random(3).astype(np.float32), place.shape)
    y, x = (int(rng.integers(0, limit - side)) for limit in donor.shape[:2])
    yield "part of a photograph", donor[y : y + side, x : x + side]
    grain = cv2.GaussianBlur(rng.normal(0, 1.2, (side, side)).astype(np.float32), (0, 0), 2)[..., None]
    yield "texture of equal mean", np.clip(place.mean(axis=(0, 1)) + grain, 0, 1)
    if place.std() > 0.1:
        yield "removed (its mean)", np.broadcast_to(place.mean(axis=(0, 1)), place.shape)


def overlap(region: Region, box: tuple[int, int, int, int]) -> float:
    width = min(region.x1, box[2]) - max(region.x0, box[0])
    height = min(region.y1, box[3]) - max(region.y0, box[1])
    shared = max(width, 0.0) * max(height, 0.0)
    areas = (region.x1 - region.x0) * (region.y1 - region.y0) + (box[2] - box[0]) * (box[3] - box[1])
    return shared / (areas - shared)


def content_table(quick: bool) -> None:
    print("\nContent: treatments of severities 2 and 4; preservation (worst), share without a false region")
    rng = np.random.default_rng(0)
    found: dict[str, list[bool]] = {}
    photographs = pictures()
    for name in DEGRADATIONS:
        preserved, clear = [], []
        for picture in photographs.values():
            for severity in (2, 4):
                before = spoilt(picture, name, severity)
                for repair in repairs(name):
                    after = repair(before)
                    report = measure_content(before, after)
                    preserved.append(report.preservation)
                    clear.append(not report.regions)
                    for kind, edit, box in pasted(after, photographs, rng) if severity == 2 or not quick else ():
                        regions = measure_content(before, edit).regions
                        best = max((overlap(region, box) for region in regions), default=0.0)
                        found.setdefault(kind, []).append(best > FOUND_OVERLAP)
        print(f"  {name:20s} {min(preserved):5.2f}   {np.mean(clear):6.1%} of {len(clear)}")
    print(f"Content: a thing on {PASTED_SHARE:.0%} of the treated picture, found with overlap above {FOUND_OVERLAP}")
    for kind, outcomes in found.items():
        print(f"  {kind:22s} {np.mean(outcomes):6.1%} of {len(outcomes)}")


def pasted(
    after: Image, photographs: dict[str, Picture], rng: np.random.Generator
) -> Iterator[tuple[str, Image, tuple[int, int, int, int]]]:
    height, width = after.shape[:2]
    side = int((PASTED_SHARE * height * width) ** 0.5)
    x, y = int(rng.integers(0, width - side)), int(rng.integers(0, height - side))
    donor = photographs[str(rng.choice(sorted(photographs)))].image_srgb
    for kind, thing in things(after[y : y + side, x : x + side], donor, rng):
        edit = after.copy()
        edit[y : y + side, x : x + side] = thing
        yield kind, edit, (x, y, x + side, y + side)


# Quality and verdicts


def quality_table() -> None:
    print("\nQuality: share of counted photographs and crops whose clean version scores higher, by severity")
    print(f"  {'':20s}" + "".join(f"{severity:7d}" for severity in range(1, 6)))
    every = [p.picture for p in package_photographs("counted")]
    clean = [measure_quality(picture.image_srgb).score for picture in every]
    for name in DEGRADATIONS:
        rates = [
            np.mean(
                [
                    measure_quality(spoilt(p, name, severity)).score < score
                    for p, score in zip(every, clean, strict=True)
                ]
            )
            for severity in range(1, 6)
        ]
        print(f"  {name:20s}" + "".join(f"{rate:7.0%}" for rate in rates))
    wrong, total = [], 0
    for picture in every:
        for how, edit in overdone(picture.image_srgb):
            if ssim(luma(picture.image_srgb), luma(edit), data_range=1.0) < 0.95:
                for name in DEGRADATIONS:
                    total += 1
                    if compare_quality(picture.image_srgb, edit, treats=[Stress(name)]).improved:
                        wrong.append(how)
    print(f"  restyled clean pictures (SSIM below 0.95) called an improvement for a stress: {len(wrong)} of {total}")
    print(f"    {', '.join(sorted(set(wrong))) or 'none'}")


def verdict_table() -> None:
    """The registered tools on what they treat: what the judge says, beside what the truth says."""
    print("\nVerdicts on the tools on board (severities 2 and 4, and clean); nearer = SSIM and PSNR to the truth rise")
    print(f"  {'tool':22s} {'treats':18s} {'accepted':>9s} {'of':>4s} {'nearer':>7s} {'wrongly accepted':>17s}")
    for tool, spec in RECTIFIERS.specs():
        for stress in sorted(spec.treats & {Stress(name) for name in DEGRADATIONS}):
            rows = [row for picture in pictures().values() for row in _verdicts(tool, stress, picture)]
            accepted = sum(a for a, _ in rows)
            nearer = sum(n for _, n in rows)
            wrongly = sum(a and not n for a, n in rows)
            print(f"  {tool:22s} {stress.value:18s} {accepted:9d} {len(rows):4d} {nearer:7d} {wrongly:17d}")


def _verdicts(tool: str, stress: Stress, picture: Picture) -> Iterator[tuple[bool, bool]]:
    clean = picture.image_srgb
    spec = RECTIFIERS.get(tool)
    for severity in (0, 2, 4):
        before = clean if severity == 0 else spoilt(picture, stress.value, severity)
        after = apply_rectifier(spec, before, RectifyHint(severity=float(severity or 2))).image_srgb
        verdict = judge_edit(before, after, expected_alignment=Alignment.PIXEL, treats=stress)
        if severity == 0:
            kept = ssim(luma(clean), luma(after), data_range=1.0) >= 0.95
            yield verdict.accepted, kept and verdict.accepted
            continue
        rise = ssim(luma(clean), luma(after), data_range=1.0) - ssim(luma(clean), luma(before), data_range=1.0)
        gained = psnr_db(clean, after, data_range=1.0) - psnr_db(clean, before, data_range=1.0)
        yield verdict.accepted, rise > 0 and gained > 0


# Time


def time_table() -> None:
    image = cv2.resize(pictures()["coffee"].image_srgb, (640, 480), interpolation=cv2.INTER_AREA)
    dark = rounded(image**2.2)
    shifted = np.roll(image, (7, 12), axis=(0, 1))
    unit = cpu_seconds(lambda: cv2.GaussianBlur(image, (0, 0), 5.0))
    print("\nTime at 640x480: multiples of a Gaussian blur of sigma 5 (best of five, processor time)")
    for name, call in {
        "alignment, in place": lambda: measure_alignment(dark, image),
        "alignment, shifted": lambda: measure_alignment(dark, shifted),
        "alignment, mirrored": lambda: measure_alignment(dark, np.ascontiguousarray(image[:, ::-1])),
        "content": lambda: measure_content(dark, image),
        "quality": lambda: measure_quality(image),
        "SSIM": lambda: ssim(image, dark, data_range=1.0),
        "verdict": lambda: judge_edit(dark, image, expected_alignment=Alignment.PIXEL, treats=Stress.LOW_LIGHT),
    }.items():
        seconds = cpu_seconds(call)
        print(f"  {name:22s} {seconds / unit:7.1f} x   {1e3 * seconds:6.0f} ms")


def cpu_seconds(call: Callable[[], object]) -> float:
    best = np.inf
    for _ in range(5):
        start = time.process_time()
        call()
        best = min(best, time.process_time() - start)
    return float(best)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--quick", action="store_true", help="fewer combinations")
    quick = parser.parse_args().quick
    cv2.setNumThreads(1)
    time_table()
    alignment_table(quick)
    content_table(quick)
    quality_table()
    verdict_table()


if __name__ == "__main__":
    main()
