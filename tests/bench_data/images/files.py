"""Picture files made from scratch, as bytes."""

from __future__ import annotations

import io
import struct
import zlib
from typing import Any

import numpy as np
from numpy.typing import NDArray
from PIL import Image


def encoded(array: NDArray[np.generic], kind: str, mode: str | None = None, **options: Any) -> bytes:
    """``array`` as a file of the Pillow format ``kind``."""
    buffer = io.BytesIO()
    image = Image.fromarray(array)
    (image.convert(mode) if mode else image).save(buffer, format=kind, **options)
    return buffer.getvalue()


def colours(height: int = 16, width: int = 24) -> NDArray[np.uint8]:
    """A smooth picture whose left edge is red and whose bottom is blue: no symmetry."""
    pixels = np.zeros((height, width, 3), dtype=np.uint8)
    pixels[..., 1] = np.linspace(40, 200, width, dtype=np.uint8)
    pixels[:, : width // 4] = (230, 20, 20)
    pixels[-height // 4 :, width // 2 :] = (20, 20, 230)
    return pixels


def exif_block(orientation: int, order: str = "<", kind: int = 3) -> bytes:
    """A minimal EXIF block with one tag."""
    head = b"II*\x00" if order == "<" else b"MM\x00*"
    value = struct.pack(order + "HH", orientation, 0)
    entry = struct.pack(order + "HHI", 0x0112, kind, 1) + value
    return b"Exif\x00\x00" + head + struct.pack(order + "IH", 8, 1) + entry + struct.pack(order + "I", 0)


def png_chunk(kind: bytes, body: bytes) -> bytes:
    return struct.pack(">I", len(body)) + kind + body + struct.pack(">I", zlib.crc32(kind + body))


def png_claiming(width: int, height: int) -> bytes:
    """A small PNG whose header claims any size."""
    header = struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)
    pixels = zlib.compress(bytes(1000))
    return b"\x89PNG\r\n\x1a\n" + png_chunk(b"IHDR", header) + png_chunk(b"IDAT", pixels) + png_chunk(b"IEND", b"")


def bmp_claiming(width: int, height: int) -> bytes:
    head = struct.pack("<2sIHHI", b"BM", 54, 0, 0, 54)
    return head + struct.pack("<IiiHHIIiiII", 40, width, height, 1, 24, 0, 0, 0, 0, 0, 0)


def gif_claiming(width: int, height: int) -> bytes:
    frame = b"\x2c" + struct.pack("<HHHHB", 0, 0, width, height, 0) + b"\x02\x02\x44\x01\x00"
    return b"GIF89a" + struct.pack("<HHBBB", width, height, 0x80, 0, 0) + bytes(6) + frame + b";"


def tiff_claiming(width: int, height: int) -> bytes:
    entries = [(256, width), (257, height), (258, 8), (259, 1), (262, 1), (273, 8), (277, 1), (278, height), (279, 8)]
    body = b"".join(struct.pack("<HHII", tag, 4, 1, value) for tag, value in entries)
    return b"II*\x00" + struct.pack("<I", 8) + struct.pack("<H", len(entries)) + body + bytes(4)


def planar_tiff(pixels: NDArray[np.uint8], planes: int) -> bytes:
    """An RGB TIFF that stores red, green and blue one after the other; it lists the first ``planes`` of them."""
    height, width, _ = pixels.shape
    body = np.ascontiguousarray(np.moveaxis(pixels, 2, 0)).tobytes()
    lists = struct.pack("<3H", 8, 8, 8) + struct.pack(
        f"<{2 * planes}I", *[8 + at * height * width for at in range(planes)], *[height * width] * planes
    )
    lists_at = 8 + len(body)
    offsets_at = lists_at + 6
    tags = [
        (256, 4, 1, width),
        (257, 4, 1, height),
        (258, 3, 3, lists_at),
        (259, 3, 1, 1),
        (262, 3, 1, 2),
        (273, 4, planes, offsets_at),
        (277, 3, 1, 3),
        (278, 4, 1, height),
        (279, 4, planes, offsets_at + 4 * planes),
        (284, 3, 1, 2),
    ]
    directory = struct.pack("<H", len(tags)) + b"".join(struct.pack("<HHII", *tag) for tag in tags) + bytes(4)
    return b"II*\x00" + struct.pack("<I", lists_at + len(lists)) + body + lists + directory


def webp_claiming(width: int, height: int) -> bytes:
    body = bytes(4) + (width - 1).to_bytes(3, "little") + (height - 1).to_bytes(3, "little")
    chunk = b"VP8X" + struct.pack("<I", len(body)) + body
    return b"RIFF" + struct.pack("<I", 4 + len(chunk)) + b"WEBP" + chunk


def jpeg_claiming(width: int, height: int) -> bytes:
    data = encoded(colours(), "JPEG")
    at = data.index(b"\xff\xc0") + 5
    return data[:at] + struct.pack(">HH", height, width) + data[at + 4 :]
