"""Which kind of file some bytes are, told by their content and never by their name."""

from __future__ import annotations

import io
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from ..errors import BenchDataError

if TYPE_CHECKING:
    from PIL.ImageFile import ImageFile

__all__ = ["ImageFormat", "image_format"]


@dataclass(frozen=True)
class ImageFormat:
    """A kind of picture file.

    Args:
        name: "PNG".
        suffixes: usual file name endings.
        matches: tells the format from the first bytes.
        open: reads the header and leaves the pixels alone.
    """

    name: str
    suffixes: tuple[str, ...]
    matches: Callable[[bytes], bool]
    open: Callable[[io.BytesIO], ImageFile]

    def misnamed(self, source: str) -> str | None:
        """A note when the name claims another format."""
        suffix = Path(source).suffix.lower()
        claimed = next((known.name for known in _FORMATS if suffix in known.suffixes), None)
        return None if claimed in (None, self.name) else f"named {suffix} but is {self.name}; read as {self.name}"


def image_format(data: bytes, source: str) -> ImageFormat:
    """The format of ``data``.

    Raises:
        BenchDataError: no format that is read here; says what the content is where that can be told.
    """
    head = bytes(data[:64])
    for known in _FORMATS:
        if known.matches(head):
            return known
    readable = ", ".join(known.name for known in _FORMATS)
    raise BenchDataError(f"{source}: not a picture that can be read: {_what_it_is(head)}; formats are {readable}")


def _what_it_is(head: bytes) -> str:
    for signature, meaning in _KNOWN_OTHERS:
        if signature in head[:32]:
            return f"the content is {meaning}; save it as PNG or JPEG first"
    if head[:1] == b"<" or b"<svg" in head or b"<html" in head.lower():
        return "the content is markup (SVG or HTML), perhaps an error page saved as a picture"
    if all(byte in b"\t\n\r" or 32 <= byte < 127 for byte in head):
        return f"the content is text that starts {head[:24].decode('ascii')!r}"
    return f"the content starts with bytes {head[:8].hex(' ')}"


_KNOWN_OTHERS = (
    (b"ftyphe", "HEIC"),
    (b"ftypmif1", "HEIF"),
    (b"%PDF", "PDF"),
    (b"\x00\x00\x00\x0cjP  ", "JPEG 2000"),
    (b"\xff\x4f\xff\x51", "JPEG 2000"),
    (b"\xff\x0a", "JPEG XL"),
    (b"JXL ", "JPEG XL"),
    (b"8BPS", "Photoshop"),
    (b"v/1\x01", "OpenEXR"),
    (b"#?RADIANCE", "Radiance HDR"),
    (b"PK\x03\x04", "a ZIP archive"),
    (b"\x1f\x8b", "gzip-compressed"),
    (b"\x93NUMPY", "a NumPy array"),
    (b"\x89HDF", "HDF5"),
)


def _starts(*signatures: bytes) -> Callable[[bytes], bool]:
    return lambda head: head.startswith(signatures)


# The plug-in classes are called directly, not through Image.open: that warns or fails by a limit in a global variable,
# and tries every installed format, some of which start other programs.


def _open_png(stream: io.BytesIO) -> ImageFile:
    from PIL.PngImagePlugin import PngImageFile

    return PngImageFile(stream)


def _open_jpeg(stream: io.BytesIO) -> ImageFile:
    from PIL.JpegImagePlugin import JpegImageFile

    return JpegImageFile(stream)


def _open_gif(stream: io.BytesIO) -> ImageFile:
    from PIL.GifImagePlugin import GifImageFile

    return GifImageFile(stream)


def _open_webp(stream: io.BytesIO) -> ImageFile:
    from PIL.WebPImagePlugin import WebPImageFile

    return WebPImageFile(stream)


def _open_bmp(stream: io.BytesIO) -> ImageFile:
    from PIL.BmpImagePlugin import BmpImageFile

    return BmpImageFile(stream)


def _open_tiff(stream: io.BytesIO) -> ImageFile:
    from PIL.TiffImagePlugin import TiffImageFile

    return TiffImageFile(stream)


def _open_pnm(stream: io.BytesIO) -> ImageFile:
    from PIL.PpmImagePlugin import PpmImageFile

    return PpmImageFile(stream)


def _open_avif(stream: io.BytesIO) -> ImageFile:
    from PIL.AvifImagePlugin import AvifImageFile

    return AvifImageFile(stream)


_FORMATS: tuple[ImageFormat, ...] = (
    ImageFormat("PNG", (".png", ".apng"), _starts(b"\x89PNG\r\n\x1a\n"), _open_png),
    ImageFormat("JPEG", (".jpg", ".jpeg", ".jpe", ".jfif", ".mpo"), _starts(b"\xff\xd8\xff"), _open_jpeg),
    ImageFormat("GIF", (".gif",), _starts(b"GIF87a", b"GIF89a"), _open_gif),
    ImageFormat("WebP", (".webp",), lambda head: head[:4] == b"RIFF" and head[8:12] == b"WEBP", _open_webp),
    ImageFormat("BMP", (".bmp", ".dib"), _starts(b"BM"), _open_bmp),
    ImageFormat("TIFF", (".tif", ".tiff"), _starts(b"II*\x00", b"MM\x00*", b"II+\x00", b"MM\x00+"), _open_tiff),
    ImageFormat(
        "PNM",
        (".pbm", ".pgm", ".ppm", ".pnm", ".pfm"),
        lambda head: head[:2] in (b"P1", b"P2", b"P3", b"P4", b"P5", b"P6", b"Pf") and head[2:3].isspace(),
        _open_pnm,
    ),
    ImageFormat("AVIF", (".avif",), lambda head: head[4:12] in (b"ftypavif", b"ftypavis"), _open_avif),
)
