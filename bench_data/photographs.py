"""Real photographs that installed packages ship: something to degrade, calibrate on and show, without any download.

Natural colour photographs of normal exposure and sharpness only: scikit-image's rocket launch (dusk), Hubble field,
retina, tissue and texture pictures are left out for that reason. The split is by photograph, so nothing of a counted
photograph is ever seen in calibration.
"""

from __future__ import annotations

import importlib.util
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from .errors import BenchDataError
from .images.loading import load_image
from .images.picture import Picture

__all__ = ["NamedPhotograph", "PhotographSplit", "package_photographs"]

PhotographSplit = Literal["calibration", "counted", "all"]

_MIN_CROP = (320, 240)


@dataclass(frozen=True)
class NamedPhotograph:
    """One photograph, or a crop of one.

    Args:
        name: "coffee", or "motorcycle/2" for a crop.
        picture: the picture.
        package: the distribution that ships the file.
        credit: licence and author, as the package states them.
        split: "calibration" or "counted".
        crop_of: the photograph that it was cut from; None for a whole one. Crops of one photograph do not overlap.
    """

    name: str
    picture: Picture
    package: str
    credit: str
    split: Literal["calibration", "counted"]
    crop_of: str | None = None


@dataclass(frozen=True)
class _Shipped:
    """A file inside an installed package, and how many columns and rows of crops it gives."""

    name: str
    distribution: str
    module: str
    file: str
    credit: str
    split: Literal["calibration", "counted"]
    crops: tuple[int, int] = (1, 1)


_FLICKR = "CC BY 2.0, Flickr user {}, as stated in scikit-learn's datasets/images/README.txt"

_SHIPPED = (
    _Shipped(
        "astronaut",
        "scikit-image",
        "skimage",
        "data/astronaut.png",
        "public domain, NASA (Eileen Collins)",
        "calibration",
        (1, 2),
    ),
    _Shipped(
        "chelsea",
        "scikit-image",
        "skimage",
        "data/chelsea.png",
        "CC0, Stefan van der Walt",
        "calibration",
    ),
    _Shipped(
        "motorcycle",
        "scikit-image",
        "skimage",
        "data/motorcycle_left.png",
        "Middlebury 2014 stereo benchmark (Scharstein et al., GCPR 2014); scikit-image states no licence for the file",
        "calibration",
        (2, 2),
    ),
    _Shipped(
        "flower",
        "scikit-learn",
        "sklearn",
        "datasets/images/flower.jpg",
        _FLICKR.format("vultilion"),
        "calibration",
        (2, 1),
    ),
    _Shipped(
        "china",
        "scikit-learn",
        "sklearn",
        "datasets/images/china.jpg",
        _FLICKR.format("danielbuechele"),
        "counted",
        (2, 1),
    ),
    _Shipped(
        "coffee",
        "scikit-image",
        "skimage",
        "data/coffee.png",
        "CC0, Rachel Michetti, courtesy of Pikolo Espresso Bar",
        "counted",
    ),
    _Shipped(
        "hopper",
        "matplotlib",
        "matplotlib",
        "mpl-data/sample_data/grace_hopper.jpg",
        "portrait of Rear Admiral Grace M. Hopper, US Navy; matplotlib states no licence for the file",
        "counted",
        (1, 2),
    ),
)


def package_photographs(split: PhotographSplit) -> tuple[NamedPhotograph, ...]:
    """The photographs of one split, each whole one followed by its crops.

    Photographs of packages that are not installed are left out; scikit-image and scikit-learn bring six of seven.

    Args:
        split: "calibration" to tune on, "counted" to measure on; they share no photograph.

    Raises:
        BenchDataError: unknown split, or no package that ships one is installed.
    """
    if split not in ("calibration", "counted", "all"):
        raise BenchDataError(f'split {split!r} is unknown; use "calibration", "counted" or "all"')
    wanted = [shipped for shipped in _SHIPPED if split in (shipped.split, "all")]
    found = [photograph for shipped in wanted for photograph in _with_crops(shipped)]
    if not found:
        packages = sorted({shipped.distribution for shipped in wanted})
        raise BenchDataError(f"no {split} photographs: install one of {', '.join(packages)}, which ship some")
    return tuple(found)


def _with_crops(shipped: _Shipped) -> list[NamedPhotograph]:
    file = _installed_file(shipped)
    if file is None:
        return []
    whole = load_image(file)
    named = [NamedPhotograph(shipped.name, whole, shipped.distribution, shipped.credit, shipped.split)]
    columns, rows = shipped.crops
    width, height = whole.width // columns, whole.height // rows
    if columns * rows == 1 or width < _MIN_CROP[0] or height < _MIN_CROP[1]:
        return named
    for at in range(columns * rows):
        left, top = (at % columns) * width, (at // columns) * height
        name = f"{shipped.name}/{at + 1}"
        crop = Picture(whole.image_srgb_u8[top : top + height, left : left + width], source=f"{file}, crop {at + 1}")
        named.append(
            NamedPhotograph(name, crop, shipped.distribution, shipped.credit, shipped.split, crop_of=shipped.name)
        )
    return named


def _installed_file(shipped: _Shipped) -> Path | None:
    # The package itself is not imported: that would take seconds for one file.
    spec = importlib.util.find_spec(shipped.module)
    for folder in (spec.submodule_search_locations or ()) if spec else ():
        file = Path(folder) / shipped.file
        if file.is_file():
            return file
    return None
