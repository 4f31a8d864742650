"""What degradations cost: on photographs beside plain OpenCV and imagecorruptions, on scenes beside one clean frame.

    python benchmarks/degrade.py [--quick] [--kinds NAME ...] [--imagecorruptions PYTHON]

Everything runs on one core, and CPU seconds are counted, best of a few runs. "OpenCV" is the shortest code that gives
a picture of the same sort on 8-bit values: no linear light, no depth, no parameters to record. It is a floor, no rival.
imagecorruptions (Apache-2.0) needs libraries of its time; point PYTHON at an environment of its own:

    python -m venv /tmp/old && /tmp/old/bin/pip install "numpy<2" "scipy<1.12" "scikit-image<0.21" \
        "opencv-python-headless<4.10" "setuptools<70" pillow && /tmp/old/bin/pip install --no-deps imagecorruptions
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

os.environ.setdefault("OMP_NUM_THREADS", "1")
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

import cv2
import numpy as np
from numpy.typing import NDArray
from scenes.room import room

from seeworthy.bench_data.camera_paths import look_at
from seeworthy.bench_data.cameras import Camera
from seeworthy.bench_data.degrade import RECIPES, Severity, degrade, degrade_recipe, degrade_view, names_on_photographs
from seeworthy.bench_data.degrade.disc_blur import disc_kernel
from seeworthy.bench_data.images import Picture
from seeworthy.bench_data.photographs import package_photographs
from seeworthy.bench_data.render import render
from seeworthy.bench_data.splats import GaussianCloud

Image = NDArray[np.uint8]

SIZES = ((640, 480), (1752, 1168))
TARGET_PER_S = 10
LEVELS: tuple[Severity, ...] = (3, "bench")
SAME_KIND = {
    "defocus": "defocus_blur",
    "motion_blur": "motion_blur",
    "haze": "fog",
    "snow": "snow",
    "water_droplets": "spatter",
    "noise": "shot_noise",
    "over_exposure": "brightness",
    "low_res": "pixelate",
    "jpeg_compression": "jpeg_compression",
}
"""Kinds that imagecorruptions has too, by its names."""

IMAGECORRUPTIONS = """
import json, sys, time, warnings
warnings.simplefilter("ignore")
import cv2, numpy as np
cv2.setNumThreads(1)
from imagecorruptions import corrupt
names, repeats = json.loads(sys.argv[2]), int(sys.argv[3])
image = cv2.cvtColor(cv2.imread(sys.argv[1]), cv2.COLOR_BGR2RGB)
found = {}
for name in names:
    best = []
    for _ in range(repeats):
        began = time.process_time()
        corrupt(image, corruption_name=name, severity=3)
        best.append(time.process_time() - began)
    found[name] = min(best)
print(json.dumps(found))
"""


def cpu_s(task: Callable[[], object], repeats: int) -> float:
    """CPU seconds, best of ``repeats`` after one run that warms up."""
    task()
    spent = []
    for _ in range(repeats):
        began = time.process_time()
        task()
        spent.append(time.process_time() - began)
    return max(min(spent), 1e-7)


def photograph(size: tuple[int, int]) -> Picture:
    [whole] = [entry.picture for entry in package_photographs("all") if entry.name == "china"]
    return Picture(np.asarray(cv2.resize(whole.image_srgb_u8, size, interpolation=cv2.INTER_CUBIC), dtype=np.uint8))


def depth_of(size: tuple[int, int]) -> NDArray[np.float32]:
    """A floor that rises from 2 m to 12 m, with a box in front of it."""
    width, height = size
    depth_m = np.repeat(np.linspace(12, 2, height, dtype=np.float32)[:, None], width, axis=1)
    depth_m[height // 3 : 2 * height // 3, width // 3 : width // 2] = 1.5
    return depth_m


def opencv_tasks(image: Image) -> dict[str, Callable[[], object]]:
    """The plainest OpenCV code that gives a picture of the same sort."""
    height, width = image.shape[:2]
    side = max(height, width)
    disc = disc_kernel(2 * 0.0035 * side)
    line = np.full((1, side // 29), 29 / side, dtype=np.float32)
    transmission = np.repeat(np.exp(-np.linspace(1.3, 0.2, height)).astype(np.float32), width).reshape(height, width, 1)
    transmission = np.repeat(transmission, 3, axis=2)
    veil = (1 - transmission) * 200
    grain = np.empty(image.shape, dtype=np.int16)
    focal = side / 2 / np.tan(np.radians(30))
    K = np.array([[focal, 0, width / 2], [0, focal, height / 2], [0, 0, 1]])
    maps = cv2.initUndistortRectifyMap(K, np.array([-0.1, 0, 0, 0, 0]), np.eye(3), K, (width, height), cv2.CV_32FC1)

    def noisy(scale: float) -> Image:
        cv2.randn(grain, 0, 12)
        dark = cv2.convertScaleAbs(image, alpha=scale)
        return np.asarray(cv2.add(dark, grain, dtype=cv2.CV_8U))

    def small_and_back() -> Image:
        small = cv2.resize(image, None, fx=0.18, fy=0.18, interpolation=cv2.INTER_AREA)
        return np.asarray(cv2.resize(small, (width, height), interpolation=cv2.INTER_CUBIC))

    def coded() -> object:
        return cv2.imdecode(cv2.imencode(".jpg", image, [cv2.IMWRITE_JPEG_QUALITY, 12])[1], cv2.IMREAD_COLOR)

    def remapped() -> object:
        return cv2.remap(image, maps[0], maps[1], cv2.INTER_LINEAR)

    return {
        "defocus": lambda: cv2.filter2D(image, -1, disc),
        "motion_blur": lambda: cv2.filter2D(image, -1, line),
        "haze": lambda: np.clip(image * transmission + veil, 0, 255).astype(np.uint8),
        "noise": lambda: noisy(1.0),
        "low_light": lambda: noisy(0.2),
        "over_exposure": lambda: cv2.convertScaleAbs(image, alpha=3.5),
        "low_res": small_and_back,
        "jpeg_compression": coded,
        "distortion": remapped,
        "rolling_shutter": remapped,
        "water_droplets": remapped,
    }


def imagecorruptions_s(image: Image, python: str | None, repeats: int) -> dict[str, float]:
    """CPU seconds by the name of ours; empty, with a line that says why, where the package does not run."""
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "image.png"
        cv2.imwrite(str(file), image)
        names = json.dumps(sorted(set(SAME_KIND.values())))
        command = [python or sys.executable, "-c", IMAGECORRUPTIONS, str(file), names, str(repeats)]
        done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode:
        reason = done.stderr.strip().splitlines()[-1] if done.stderr.strip() else f"exit code {done.returncode}"
        print(f"imagecorruptions left out: {reason}; see --help")
        return {}
    found = json.loads(done.stdout)
    return {ours: found[theirs] for ours, theirs in SAME_KIND.items()}


def on_photographs(size: tuple[int, int], kinds: list[str], python: str | None, repeats: int) -> None:
    """Images a second of each kind at two levels, with depth, and how many times the references' time it takes."""
    picture, depth_m = photograph(size), depth_of(size)
    print(f"\n{size[0]}x{size[1]}, images/s on one core; times = our level 3 without depth over the reference")
    theirs = imagecorruptions_s(picture.image_srgb_u8, python, repeats)
    plain = opencv_tasks(picture.image_srgb_u8)
    head = f"{'kind':<18}{'level 3':>9}{'bench':>9}{'bench+depth':>13}{'OpenCV':>10}{'times':>8}"
    print(f"{head}{'imagecorr.':>12}{'times':>8}")
    for kind in kinds:
        mild, hard = (cpu_s(lambda k=kind, v=v: degrade(picture, k, severity=v, seed=1), repeats) for v in LEVELS)  # type: ignore[misc]
        deep = cpu_s(lambda k=kind: degrade(picture, k, severity="bench", seed=1, depth_m=depth_m), repeats)  # type: ignore[misc]
        cells = f"{kind:<18}{1 / mild:>9.1f}{1 / hard:>9.1f}{1 / deep:>13.1f}"
        references = (cpu_s(plain[kind], repeats) if kind in plain else None, theirs.get(kind))
        for reference, wide in zip(references, (10, 12), strict=True):
            cells += (
                f"{'-':>{wide}}{'-':>8}" if reference is None else f"{1 / reference:>{wide}.0f}{mild / reference:>8.1f}"
            )
        slow = size == SIZES[0] and max(mild, hard) > 1 / TARGET_PER_S
        print(cells + (f"   below {TARGET_PER_S}/s" if slow else ""))
    if set(kinds) == {name.value for name in names_on_photographs()}:
        for name in RECIPES.names():
            spent = cpu_s(lambda n=name: degrade_recipe(picture, n, seed=1), repeats)  # type: ignore[misc]
            print(f"{name:<27}{1 / spent:>9.1f}")


def in_the_rendering(gaussians: int, repeats: int) -> None:
    """Degradations that draw the scene differently, as multiples of one clean frame on one thread."""
    g = room(gaussians)
    cloud = GaussianCloud(
        means=g.means, quats_wxyz=g.quats_wxyz, scales=g.scales, opacities=g.opacities, sh=g.sh,
        instance_ids=g.instance_ids,
    )  # fmt: skip
    width, height = SIZES[0]
    focal = width / 2 / np.tan(np.radians(35))
    camera = Camera(
        width=width, height=height, fx=focal, fy=focal, cx=width / 2, cy=height / 2,
        world_from_camera=look_at((1.0, 1.0, 1.5), (6.0, 4.0, 1.0)),
    )  # fmt: skip
    clean = cpu_s(lambda: render(cloud, camera, engine="numba", threads=1), repeats)
    print(f"\n{gaussians:,} Gaussians at {width}x{height}, one thread: a clean frame takes {clean * 1e3:.0f} ms")
    print(f"{'in clean frames':<18}{'level 3':>9}{'bench':>9}")
    for kind in ("defocus", "distortion", "haze", "motion_blur", "rolling_shutter"):
        costs = [
            cpu_s(lambda k=kind, v=v: degrade_view(cloud, camera, [(k, v)], seed=1, engine="numba", threads=1), 1)  # type: ignore[misc]
            for v in LEVELS
        ]
        print(f"{kind:<18}" + "".join(f"{cost / clean:>9.1f}" for cost in costs))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--quick", action="store_true", help="the small size only, fewer runs, a smaller scene")
    parser.add_argument("--kinds", nargs="+", default=[name.value for name in names_on_photographs()])
    parser.add_argument("--imagecorruptions", metavar="PYTHON", help="an interpreter that has the package")
    arguments = parser.parse_args()
    cv2.setNumThreads(1)
    repeats = 1 if arguments.quick else 3
    for size in SIZES[:1] if arguments.quick else SIZES:
        on_photographs(size, arguments.kinds, arguments.imagecorruptions, repeats)
    in_the_rendering(40_000 if arguments.quick else 200_000, repeats)


if __name__ == "__main__":
    main()
