"""Makes the README's picture: photographs in the public domain, degraded, and as the solver repaired them."""

from __future__ import annotations

import asyncio
import sys
from pathlib import Path

import numpy as np
from PIL import Image

from seeworthy.agent.repair import repair_picture
from seeworthy.bench_data.degrade import degrade
from seeworthy.bench_data.photographs import package_photographs

SHOWN = (("coffee", "low_light"), ("astronaut", "haze"), ("chelsea", "noise"), ("coffee", "jpeg_compression"))
HEIGHT_PX = 240
WIDTH_PX = 300
GAP_PX = 8


def tile(pixels: np.ndarray) -> Image.Image:
    """The middle of a picture at the size of a tile."""
    image = Image.fromarray(pixels)
    scale = max(WIDTH_PX / image.width, HEIGHT_PX / image.height)
    image = image.resize((round(image.width * scale), round(image.height * scale)), Image.Resampling.LANCZOS)
    left, top = (image.width - WIDTH_PX) // 2, (image.height - HEIGHT_PX) // 2
    return image.crop((left, top, left + WIDTH_PX, top + HEIGHT_PX))


def main() -> None:
    photographs = {photograph.name: photograph.picture for photograph in package_photographs("all")}
    width = len(SHOWN) * (WIDTH_PX + GAP_PX) - GAP_PX
    sheet = Image.new("RGB", (width, 2 * HEIGHT_PX + GAP_PX), "white")
    for column, (name, stress) in enumerate(SHOWN):
        before = degrade(photographs[name], stress, severity=3, seed=3).picture
        repaired = asyncio.run(repair_picture(before))
        print(f"{name}, {stress}: {'repaired' if repaired.changed else 'left alone'}")
        x = column * (WIDTH_PX + GAP_PX)
        sheet.paste(tile(before.image_srgb_u8), (x, 0))
        sheet.paste(tile(repaired.picture.image_srgb_u8), (x, HEIGHT_PX + GAP_PX))
    out = Path(sys.argv[1]) if len(sys.argv) > 1 else Path(__file__).parent / "images" / "before-after.jpg"
    sheet.save(out, quality=90, subsampling=0)


if __name__ == "__main__":
    main()
