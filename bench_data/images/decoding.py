"""Bytes to samples: the header is checked first, then the first frame is decoded whole or refused."""

from __future__ import annotations

import io
import struct
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from ..errors import BenchDataError
from .formats import ImageFormat, image_format
from .limits import ImageLimits
from .opaque import SIXTEEN_BIT_GREY
from .orientation import UPRIGHT, exif_orientation

if TYPE_CHECKING:
    from PIL.ImageFile import ImageFile

__all__ = ["Animated", "Decoded", "decode"]

Animated = Literal["first", "error"]
"""What to do with a file of several frames: take the first, with a note, or refuse it."""

_EXIF_ORIENTATION_TAG = 0x0112
_PLANAR_CONFIGURATION_TAG = 284
_SEPARATE_PLANES = 2


@dataclass(frozen=True)
class Decoded:
    """The first frame of a file, in the file's own colour mode.

    Args:
        image: the loaded Pillow image.
        format: what the content is.
        orientation: EXIF orientation that is still to be undone.
        notes: what a person should know.
    """

    image: ImageFile
    format: ImageFormat
    orientation: int
    notes: tuple[str, ...]


def decode(data: bytes, *, source: str, limits: ImageLimits, animated: Animated) -> Decoded:
    """Decodes the first frame of ``data``.

    Raises:
        BenchDataError: empty, too large, of no known format, damaged, cut off, or animated where that is refused.
    """
    if animated not in ("first", "error"):
        raise BenchDataError(f'{source}: animated={animated!r} is unknown; use "first" or "error"')
    limits.check_file(len(data), source)
    kind = image_format(data, source)
    if kind.name == "WebP":
        # Its decoder reserves memory for the canvas as soon as the file is opened.
        limits.check_size(*_webp_size(data, source), source)
    _refuse_unnoticed_truncation(data, kind, source)
    notes = [note for note in (kind.misnamed(source),) if note]
    try:
        image = kind.open(io.BytesIO(data))
        limits.check_size(*image.size, source)
        notes += _frame_notes(image, kind, source, animated)
        if image.mode not in (*SIXTEEN_BIT_GREY, "I", "F") and any(";16" in str(tile) for tile in image.tile):
            notes.append("16-bit colour: the upper 8 bits were kept")
        stated_by_tiff = _tiff_orientation(image)
        _refuse_missing_strips(image, source)
        image.load()
    except BenchDataError:
        raise
    except Exception as error:
        # Fed with damaged bytes a decoder raises nearly anything, and all of it means the same to the user.
        raise BenchDataError(_undecodable(kind, source, error)) from error
    orientation = _remaining_orientation(image, stated_by_tiff, notes)
    return Decoded(image, kind, orientation, tuple(notes))


def _undecodable(kind: ImageFormat, source: str, error: Exception) -> str:
    from PIL.Image import DecompressionBombError

    if isinstance(error, DecompressionBombError):
        return f"{source}: Pillow refuses a picture of this size ({error}); make it smaller first"
    if isinstance(error, ImportError):
        return (
            f"{source}: the installed Pillow cannot read {kind.name} ({error}); update it, or convert the file to PNG"
        )
    detail = f"{type(error).__name__}: {error}".rstrip(": ")
    return f"{source}: cannot be decoded as {kind.name} ({detail}); the file is damaged or cut off, get it again"


def _remaining_orientation(image: ImageFile, stated_by_tiff: int | None, notes: list[str]) -> int:
    """The orientation that is still to be undone after loading, in which Pillow itself turns TIFF pictures."""
    orientation = _tiff_orientation(image)
    if stated_by_tiff not in (None, UPRIGHT, orientation):
        notes.append(f"EXIF orientation {stated_by_tiff} applied")
    if orientation is None:
        try:
            orientation = exif_orientation(_exif_block(image))
        except BenchDataError as error:
            notes.append(f"{error}: taken as stored")
            return UPRIGHT
    if orientation != UPRIGHT:
        notes.append(f"EXIF orientation {orientation} applied")
    return orientation


def _frame_notes(image: ImageFile, kind: ImageFormat, source: str, animated: Animated) -> list[str]:
    if not getattr(image, "is_animated", False):
        return []
    frames = int(getattr(image, "n_frames", 1))
    what = "pages" if kind.name == "TIFF" else "frames"
    if animated == "error":
        raise BenchDataError(
            f'{source}: the {kind.name} has {frames} {what}; extract the one you mean, or pass animated="first"'
        )
    image.seek(0)
    return [f"{kind.name} of {frames} {what}: the first was taken"]


def _tiff_orientation(image: ImageFile) -> int | None:
    """The orientation tag of a TIFF; None for other formats, and once Pillow has turned the picture itself."""
    tags = getattr(image, "tag_v2", None)
    if tags is None:
        return None
    value = tags.get(_EXIF_ORIENTATION_TAG)
    return value if isinstance(value, int) and 1 <= value <= 8 else None


def _refuse_missing_strips(image: ImageFile, source: str) -> None:
    """A TIFF may list fewer strips than its height needs; Pillow leaves the rest black without a word."""
    tags = getattr(image, "tag_v2", None)
    if tags is None or any(tile[0] == "libtiff" for tile in image.tile):  # libtiff checks its strips itself
        return
    planes = len(image.getbands()) if tags.get(_PLANAR_CONFIGURATION_TAG) == _SEPARATE_PLANES else 1
    extents = [tile[1] or (0, 0, *image.size) for tile in image.tile]
    covered = sum((right - left) * (bottom - top) for left, top, right, bottom in extents)
    if covered < image.width * image.height * planes:
        raise BenchDataError(f"{source}: the TIFF lists data for a part of the picture only; get the file again")


def _exif_block(image: ImageFile) -> bytes:
    block = image.info.get("exif")
    if isinstance(block, bytes):
        return block
    # ImageMagick stores EXIF in a PNG text chunk: a name, a length, and hexadecimal lines.
    text = image.info.get("Raw profile type exif")
    if isinstance(text, str):
        try:
            return bytes.fromhex("".join(text.split("\n")[3:]))
        except ValueError as error:
            raise BenchDataError("the EXIF text chunk is damaged") from error
    return b""


def _webp_size(data: bytes, source: str) -> tuple[int, int]:
    """Canvas size from the first chunk (RFC 9649)."""
    chunk = data[12:16]
    try:
        if chunk == b"VP8X":
            return 1 + int.from_bytes(data[24:27], "little"), 1 + int.from_bytes(data[27:30], "little")
        if chunk == b"VP8L":
            (bits,) = struct.unpack_from("<I", data, 21)
            return 1 + (bits & 0x3FFF), 1 + (bits >> 14 & 0x3FFF)
        if chunk == b"VP8 ":
            width, height = struct.unpack_from("<HH", data, 26)
            return width & 0x3FFF, height & 0x3FFF
    except struct.error as error:
        raise BenchDataError(f"{source}: the WebP header is cut off; get the file again") from error
    raise BenchDataError(f"{source}: the WebP file starts with an unknown chunk {chunk!r}; get the file again")


def _refuse_unnoticed_truncation(data: bytes, kind: ImageFormat, source: str) -> None:
    """Some programs switch Pillow to fill cut-off files with grey, for the whole process; then we look ourselves."""
    from PIL import ImageFile

    if not ImageFile.LOAD_TRUNCATED_IMAGES or kind.name in ("WebP", "AVIF"):
        return
    whole = {
        "JPEG": data.rfind(b"\xff\xd9") > data.rfind(b"\xff\xda"),
        "PNG": b"IEND" in data[-64:],
        "GIF": data.rstrip(b"\x00").endswith(b";"),
    }.get(kind.name)
    if whole is None:
        raise BenchDataError(
            f"{source}: another part of this program set PIL.ImageFile.LOAD_TRUNCATED_IMAGES, which hides cut-off "
            f"{kind.name} files; set it back to False"
        )
    if not whole:
        raise BenchDataError(f"{source}: the {kind.name} file is cut off; get it again")
