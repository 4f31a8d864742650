"""What the solver's repairs bring, per degradation and severity, on photographs that nothing was fitted on.

Prints found and repaired counts, pooled PSNR and mean SSIM before and after, and the time of a repair as a ratio to one
Gaussian blur of the same picture.
"""

from __future__ import annotations

import argparse
import asyncio
import statistics
import time

import cv2

from seeworthy.agent.repair import repair_picture
from seeworthy.bench_data.degrade import degrade, names_on_photographs
from seeworthy.bench_data.photographs import package_photographs
from seeworthy.tools.measure.fidelity import mean_psnr_db, ssim


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--severities", type=int, nargs="+", default=[3])
    parser.add_argument("--degradations", nargs="+", default=list(names_on_photographs()))
    arguments = parser.parse_args()
    photographs = package_photographs("counted")
    print(f"{'degradation':<18}{'level':>6}{'repaired':>10}{'PSNR dB':>16}{'SSIM':>17}{'time / blur':>13}")
    for name in arguments.degradations:
        for severity in arguments.severities:
            clean, bad, good, ratios, changed = [], [], [], [], 0
            for number, photograph in enumerate(photographs):
                degraded = degrade(photograph.picture, name, severity=severity, seed=number).picture
                started = time.process_time()
                repaired = asyncio.run(repair_picture(degraded))
                spent = time.process_time() - started
                started = time.process_time()
                cv2.GaussianBlur(degraded.image_srgb, (0, 0), 3.0)
                ratios.append(spent / max(time.process_time() - started, 1e-6))
                changed += repaired.changed
                clean.append(photograph.picture.image_srgb_u8)
                bad.append(degraded.image_srgb_u8)
                good.append(repaired.picture.image_srgb_u8)
            psnr = [mean_psnr_db(zip(clean, those, strict=True)) for those in (bad, good)]
            likeness = [statistics.mean(map(ssim, clean, those)) for those in (bad, good)]
            print(
                f"{name:<18}{severity:>6}{changed:>6} of {len(clean)}{psnr[0]:>8.1f} →{psnr[1]:>6.1f}"
                f"{likeness[0]:>9.3f} →{likeness[1]:>6.3f}{statistics.median(ratios):>13.0f}"
            )


if __name__ == "__main__":
    main()
