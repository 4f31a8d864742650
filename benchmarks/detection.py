"""How well the offline detector names what is wrong: recall, false alarms, confusion, severity, parameters.

    python benchmarks/detection.py [--split counted] [--photographs DIR ...] [--seeds 2] [--severities 1 2 3 4 5]

Every photograph is judged clean and after each degradation. "Named" means that the stress is among the findings,
"first" that it leads them; either blur counts for both. The counted photographs of the package were never fitted on;
folders given with --photographs replace them.
"""

from __future__ import annotations

import argparse
import io
import time
from collections import Counter, defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from PIL import Image

from seeworthy.bench_data.degrade import degrade
from seeworthy.bench_data.images import Picture
from seeworthy.bench_data.photographs import package_photographs
from seeworthy.bench_data.stress import Stress
from seeworthy.tools.detect.statistics import detect_by_statistics
from seeworthy.tools.findings import Detection

APPLIED = (
    Stress.LOW_LIGHT,
    Stress.OVER_EXPOSURE,
    Stress.HAZE,
    Stress.DEFOCUS,
    Stress.MOTION_BLUR,
    Stress.NOISE,
    Stress.JPEG_COMPRESSION,
    Stress.LOW_RES,
)
BLURS = {Stress.DEFOCUS, Stress.MOTION_BLUR}
LONGER_SIDE_PX = 640


@dataclass(frozen=True)
class Outcome:
    """One judged picture: what was done to it (None: nothing), how much, and what the detector said."""

    photograph: str
    applied: Stress | None
    severity: int
    detection: Detection
    truth: dict[str, float]

    @property
    def named(self) -> bool:
        return any(same_kind(finding.stress, self.applied) for finding in self.detection.findings)

    @property
    def first(self) -> Stress | None:
        return self.detection.findings[0].stress if self.detection.findings else None


def same_kind(found: Stress, applied: Stress | None) -> bool:
    return found is applied or (found in BLURS and applied in BLURS)


def photographs(options: argparse.Namespace) -> Iterator[tuple[str, Picture]]:
    if not options.photographs:
        for photograph in package_photographs(split=options.split):
            yield photograph.name, photograph.picture
    for folder in options.photographs:
        for file in sorted(path for path in folder.iterdir() if path.is_file()):
            with Image.open(file) as opened:
                image = opened.convert("RGB")
            image.thumbnail((LONGER_SIDE_PX, LONGER_SIDE_PX), Image.Resampling.BOX)
            yield file.stem, Picture(np.asarray(image))


def judged(options: argparse.Namespace) -> Iterator[Outcome]:
    for name, picture in photographs(options):
        yield Outcome(name, None, 0, detect_by_statistics(picture), {})
        for stress in APPLIED:
            for severity in options.severities:
                for seed in range(options.seeds):
                    degraded = degrade(picture, stress, severity=severity, seed=seed)
                    parameters = degraded.record.parameters
                    truth = {key: float(value) for key, value in parameters.items() if isinstance(value, int | float)}
                    truth["side_px"] = float(max(picture.size))
                    yield Outcome(name, stress, severity, detect_by_statistics(degraded.picture), truth)


def print_recall(outcomes: list[Outcome], severities: list[int]) -> None:
    print("\nnamed (first) by severity; severity read when named: mean")
    print("  stress".ljust(22) + "".join(f"{severity:>22}" for severity in severities))
    for stress in APPLIED:
        cells = []
        for severity in severities:
            group = [o for o in outcomes if o.applied is stress and o.severity == severity]
            read = [f.severity for o in group for f in o.detection.findings if same_kind(f.stress, stress)]
            named = np.mean([o.named for o in group])
            first = np.mean([o.first is not None and same_kind(o.first, stress) for o in group])
            mean = f"{np.mean(read):.1f}" if read else "-"
            cells.append(f"{named:7.0%} ({first:4.0%}) {mean:>5}")
        print(f"  {stress.value:<20}" + "".join(f"{cell:>22}" for cell in cells))


def print_false_alarms(outcomes: list[Outcome]) -> None:
    clean = [o for o in outcomes if o.applied is None]
    accused = [o for o in clean if o.detection.findings]
    print(f"\nclean photographs with any finding: {len(accused)} of {len(clean)}")
    for outcome in accused:
        said = ", ".join(f"{f.stress.value} {f.severity:.1f} ({f.confidence:.2f})" for f in outcome.detection.findings)
        print(f"  {outcome.photograph}: {said}")
    degraded = [o for o in outcomes if o.applied is not None]
    extra = Counter(
        finding.stress.value
        for o in degraded
        for finding in o.detection.findings
        if not same_kind(finding.stress, o.applied)
    )
    print(f"other stresses named beside the applied one, in {len(degraded)} pictures: {dict(extra.most_common())}")


def print_confusion(outcomes: list[Outcome], severity: int) -> None:
    rows: dict[Stress, Counter[str]] = defaultdict(Counter)
    for outcome in outcomes:
        if outcome.applied is not None and outcome.severity == severity:
            rows[outcome.applied]["nothing" if outcome.first is None else outcome.first.value] += 1
    print(f"\nfirst finding at severity {severity}")
    for stress in APPLIED:
        total = sum(rows[stress].values())
        said = ", ".join(f"{name} {count / total:.0%}" for name, count in rows[stress].most_common())
        print(f"  {stress.value:<20} {said}")


def print_parameters(outcomes: list[Outcome]) -> None:
    """Median relative error of the physical estimates where the right stress was named."""
    errors: dict[str, list[float]] = defaultdict(list)
    for outcome in outcomes:
        finding = outcome.detection.of(outcome.applied) if outcome.applied is not None else None
        if finding is None:
            continue
        truth, read = outcome.truth, finding.parameters
        pairs = {
            "exposure_gain": (read.get("exposure_gain"), truth.get("exposure")),
            "jpeg_quality": (read.get("jpeg_quality"), truth.get("quality")),
            "sigma_px": (read.get("sigma_px"), truth.get("aperture", 0) * truth["side_px"]),
            "scale": (read.get("scale"), truth.get("scale")),
        }
        for name, (estimate, true) in pairs.items():
            if estimate and true:
                errors[f"{outcome.applied}.{name}"].append(abs(np.log(estimate / true)))
    print("\nphysical estimates, ratio to the truth: median and 90th percentile of the factor off")
    for name, values in sorted(errors.items()):
        middle, high = np.exp(np.percentile(values, [50, 90]))
        print(f"  {name:<36} {middle:5.2f} {high:5.2f}   n {len(values)}")


def print_time(picture: Picture) -> None:
    """CPU time of one detection against decoding the same picture from a JPEG file."""
    buffer = io.BytesIO()
    Image.fromarray(picture.image_srgb_u8).save(buffer, format="JPEG", quality=90)

    def best_of(repeats: int, call: object) -> float:
        times = []
        for _ in range(repeats):
            start = time.process_time()
            call()  # type: ignore[operator]
            times.append(time.process_time() - start)
        return min(times)

    detection_s = best_of(3, lambda: detect_by_statistics(picture))
    decoding_s = best_of(5, lambda: np.asarray(Image.open(io.BytesIO(buffer.getvalue()))))
    print(
        f"\n{picture.width}x{picture.height}: {1e3 * detection_s:.0f} ms of CPU time, "
        f"{detection_s / decoding_s:.0f} times that of decoding the JPEG"
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--split", choices=("calibration", "counted", "all"), default="counted")
    parser.add_argument("--photographs", type=Path, nargs="*", default=[])
    parser.add_argument("--seeds", type=int, default=2)
    parser.add_argument("--severities", type=int, nargs="+", default=[1, 2, 3, 4, 5])
    options = parser.parse_args()
    outcomes = list(judged(options))
    print_recall(outcomes, options.severities)
    print_false_alarms(outcomes)
    print_confusion(outcomes, 3 if 3 in options.severities else options.severities[0])
    print_parameters(outcomes)
    print_time(max((picture for _, picture in photographs(options)), key=lambda p: p.width * p.height))


if __name__ == "__main__":
    main()
