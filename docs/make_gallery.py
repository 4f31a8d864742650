"""Makes the pictures of `degradations.md`: every degradation and mixture at several levels, on photographs and a scene.

    python docs/make_gallery.py [--out FOLDER] [--only NAME ...]

The photographs are those of installed packages that may be passed on (see `images/LICENSES.md`); the scene is a
procedural room, drawn here. The same pictures come out each time. The tables of levels in the page are written anew as
well.
"""

from __future__ import annotations

import argparse
import re
from collections.abc import Sequence
from functools import cache
from pathlib import Path

import cv2
import numpy as np
from PIL import Image, ImageDraw, ImageFont

from seeworthy.bench_data.cameras import Camera
from seeworthy.bench_data.degrade import RECIPES, Severity, degrade, degrade_recipe, degrade_view, names_on_photographs
from seeworthy.bench_data.degrade.catalogue import catalogue, level_table
from seeworthy.bench_data.images import Picture, linear_from_srgb, srgb_from_linear
from seeworthy.bench_data.photographs import package_photographs
from seeworthy.bench_data.scenes.procedural import Lens, make_room
from seeworthy.bench_data.splats import GaussianCloud

ROOT = Path(__file__).resolve().parent.parent

LEVELS: tuple[Severity, ...] = (0, 1, 3, 5, "bench")
WORK_SIZE = (640, 480)
TILE_SIZE = (248, 186)
GAP_PX = 4
CAPTION_PX = 18
JPEG_QUALITY = 82
SEED = 4
PAGE = ROOT / "docs" / "degradations.md"
MARKED = re.compile(r"(<!-- levels (\w+) -->).*?(<!-- end -->)", re.DOTALL)

# Outdoor kinds on an outdoor picture; the others on what shows them best.
PHOTOGRAPH_OF = {
    "haze": "china",
    "rain": "china",
    "snow": "china",
    "lens_flare": "china",
    "rolling_shutter": "china",
    "distortion": "china",
    "water_droplets": "china",
    "low_light": "coffee",
    "defocus": "coffee",
    "motion_blur": "coffee",
    "over_exposure": "astronaut",
    "noise": "chelsea",
    "jpeg_compression": "chelsea",
    "low_res": "astronaut",
}
PHOTOGRAPH_OF_MIXTURE = {"hazy_long_range": "china", "wet_lens_motion": "china", "compressed_portrait": "astronaut"}
DARK = ("low_light", "night_capture")
ON_THE_SCENE = ("defocus", "distortion", "haze", "motion_blur", "rain", "rolling_shutter", "snow")


@cache
def photograph(name: str) -> Picture:
    """A photograph at the size that is degraded: the middle, in the shape of a tile."""
    [whole] = [entry.picture for entry in package_photographs("all") if entry.name == name]
    width, height = WORK_SIZE
    scale = max(width / whole.width, height / whole.height)
    size = (round(whole.width * scale), round(whole.height * scale))
    filtering = cv2.INTER_AREA if scale < 1 else cv2.INTER_CUBIC
    pixels = cv2.resize(whole.image_srgb_u8, size, interpolation=filtering)
    top, left = (size[1] - height) // 2, (size[0] - width) // 2
    return Picture(np.ascontiguousarray(pixels[top : top + height, left : left + width], dtype=np.uint8), source=name)


@cache
def scene() -> tuple[GaussianCloud, Camera]:
    """A procedural room and a view of it."""
    room = make_room(7, lens=Lens(*WORK_SIZE))
    return room.cloud, room.views[2].camera


def tile(picture: Picture) -> Image.Image:
    return Image.fromarray(picture.image_srgb_u8).resize(TILE_SIZE, Image.Resampling.LANCZOS)


def save_rows(rows: Sequence[Sequence[tuple[str, Picture]]], file: Path) -> None:
    """Rows of captioned tiles in one JPEG."""
    columns = max(len(row) for row in rows)
    width, height = TILE_SIZE
    step = height + CAPTION_PX + GAP_PX
    sheet = Image.new("RGB", (columns * (width + GAP_PX) - GAP_PX, len(rows) * step - GAP_PX), "white")
    draw, font = ImageDraw.Draw(sheet), ImageFont.load_default(size=13)
    for number, row in enumerate(rows):
        for column, (caption, picture) in enumerate(row):
            x, y = column * (width + GAP_PX), number * step
            sheet.paste(tile(picture), (x, y + CAPTION_PX))
            draw.text((x + 2, y + 1), caption, fill="black", font=font)
    sheet.save(file, quality=JPEG_QUALITY, optimize=True)
    print(f"{file}: {file.stat().st_size / 1024:.0f} KiB")


def degradation_rows(name: str) -> list[list[tuple[str, Picture]]]:
    """The photograph at all levels, and the scene where the scene shows more."""
    clean = photograph(PHOTOGRAPH_OF.get(name, "coffee"))
    rows = [[(_caption(level), degrade(clean, name, severity=level, seed=SEED).picture) for level in LEVELS]]
    if name in ON_THE_SCENE:
        cloud, camera = scene()
        views = [degrade_view(cloud, camera, [(name, level)], seed=SEED).picture for level in LEVELS]
        rows.append([(f"scene, {_caption(level)}", view) for level, view in zip(LEVELS, views, strict=True)])
    return [*rows, brightened(rows[0])] if name in DARK else rows


def mixture_rows(name: str) -> list[list[tuple[str, Picture]]]:
    """The clean photograph and four seeds of a mixture."""
    clean = photograph(PHOTOGRAPH_OF_MIXTURE.get(name, "coffee"))
    made = [(f"seed {seed}", degrade_recipe(clean, name, seed=seed).picture) for seed in (1, 2, 3, 4)]
    rows = [[("clean", clean), *made]]
    return [*rows, brightened(rows[0])] if name in DARK else rows


def brightened(row: Sequence[tuple[str, Picture]]) -> list[tuple[str, Picture]]:
    """The same with a gain on light that brings each picture to the brightness of the first."""
    light = [linear_from_srgb(picture.image_srgb) for _, picture in row]
    made = []
    for (caption, picture), image_linear in zip(row, light, strict=True):
        gain = float(light[0].mean() / max(float(image_linear.mean()), 1e-6))
        shown = picture if gain < 1.05 else Picture.from_srgb(srgb_from_linear(image_linear * np.float32(gain)))
        made.append((f"{caption}, brightened {gain:.0f} times" if gain >= 1.05 else caption, shown))
    return made


def filled_tables(page: str) -> str:
    """The page with the table of levels between each pair of marks."""
    tables = {sheet.name: level_table(sheet) for sheet in catalogue()}
    return MARKED.sub(lambda match: f"{match[1]}\n\n{tables[match[2]]}\n\n{match[3]}", page)


def _caption(level: Severity) -> str:
    return {0: "clean", "bench": "bench"}.get(level, f"level {level}")


def main() -> None:
    parser = argparse.ArgumentParser(description="Makes the pictures of degradations.md.")
    parser.add_argument("--out", type=Path, default=ROOT / "docs" / "images" / "gallery")
    parser.add_argument("--only", nargs="+", help="names of degradations and mixtures; all by default")
    arguments = parser.parse_args()
    arguments.out.mkdir(parents=True, exist_ok=True)
    own = [name.value for name in names_on_photographs()]
    for name in [*own, *RECIPES.names()]:
        if arguments.only and name not in arguments.only:
            continue
        rows = mixture_rows(name) if name in RECIPES.names() else degradation_rows(name)
        save_rows(rows, arguments.out / f"{name}.jpg")
    PAGE.write_text(filled_tables(PAGE.read_text(encoding="utf-8")), encoding="utf-8")
    if not arguments.only:
        total = sum(file.stat().st_size for file in arguments.out.glob("*.jpg"))
        print(f"{total / 1024**2:.2f} MiB in all")


if __name__ == "__main__":
    main()
