"""From what a client calls a picture to pixels, within limits that hold before anything is decoded."""

from __future__ import annotations

import asyncio
import base64
import binascii
from dataclasses import dataclass, replace

from ...bench_data.errors import BenchDataError
from ...bench_data.images import ImageLimits, Picture, picture_from_bytes
from ...tools.models import ImagePart, Message, Request, TextPart
from .chat_request import ChatCall, ImageUrl
from .errors import bad_request, too_large
from .remote_images import RemoteImages
from .settings import ServeLimits

__all__ = ["PictureReader"]

# Decoding needs many times the memory of the finished picture, so only a few are decoded at once.
_DECODED_AT_ONCE = 4


class _TooManyPixelsError(BenchDataError):
    """The header claims more pixels than are allowed."""


@dataclass(frozen=True, kw_only=True)
class _PixelLimits(ImageLimits):
    """Tells a picture that is too large from one that is broken."""

    def check_size(self, width: int, height: int, source: str) -> None:
        if width * height > self.max_pixels:
            raise _TooManyPixelsError(
                f"{source} has {width}x{height} = {width * height:,} pixels, and {self.max_pixels:,} are left of what "
                "one request may hold; send it smaller"
            )
        super().check_size(width, height, source)


class PictureReader:
    """Reads the pictures of requests.

    Args:
        limits: see ``ServeLimits``.
        remote: for pictures that are named by URL.
    """

    def __init__(self, limits: ServeLimits, remote: RemoteImages) -> None:
        self._limits = limits
        self._remote = remote
        self._decoding = asyncio.Semaphore(_DECODED_AT_ONCE)

    async def request(self, call: ChatCall) -> Request:
        """The call with pixels in place of URLs.

        Raises:
            ApiError: 400 for a picture that cannot be used, 413 for one that is too large.
        """
        pixels_left = self._limits.max_total_pixels
        messages: list[Message] = []
        for turn in call.turns:
            parts: list[TextPart | ImagePart] = []
            for part in turn.parts:
                if isinstance(part, ImageUrl):
                    picture = await self._picture(part, min(pixels_left, self._limits.max_image_pixels))
                    pixels_left -= picture.width * picture.height
                    parts.append(ImagePart(picture=picture))
                else:
                    parts.append(TextPart(text=part))
            messages.append(Message(role=turn.role, parts=tuple(parts)))
        return Request(messages=tuple(messages), settings=call.settings, seed=call.seed)

    async def _picture(self, image: ImageUrl, max_pixels: int) -> Picture:
        url, where = image.url, image.where
        if max_pixels < 1:
            message = f"{where}: the pictures before it hold all the pixels that one request may"
            raise too_large(message, param=where, code="image_too_large")
        data = None
        if url[:5].lower() != "data:":
            data = await self._remote.fetch(url, where=where)
        async with self._decoding:
            return await asyncio.to_thread(self._decode, url if data is None else data, where, max_pixels)

    def _decode(self, named: str | bytes, where: str, max_pixels: int) -> Picture:
        data = named if isinstance(named, bytes) else self._embedded(named, where)
        limits = _PixelLimits(max_pixels=max_pixels, max_file_bytes=self._limits.max_image_bytes)
        try:
            picture = picture_from_bytes(data, source=where, limits=limits)
            # The place in the request is for its sender; a reader of the trace wants to know less.
            return replace(picture, source="fetched" if data is named else "sent along")
        except _TooManyPixelsError as error:
            raise too_large(str(error), param=where, code="image_too_large") from None
        except BenchDataError as error:
            raise bad_request(str(error), param=where, code="invalid_image") from None

    def _embedded(self, uri: str, where: str) -> bytes:
        """The bytes of a data URI (RFC 2397); only base64 is sense for pictures."""
        header, comma, text = uri.partition(",")
        words = header[len("data:") :].lower().split(";")
        if not comma or words[-1].strip() != "base64" or not words[0].strip().startswith("image/"):
            message = f"{where} must have the form data:image/png;base64,..."
            raise bad_request(message, param=where, code="invalid_image_url")
        if len(text) * 3 // 4 > self._limits.max_image_bytes + 2:
            message = f"{where}: the picture is larger than {self._limits.max_image_bytes:,} bytes; send it smaller"
            raise too_large(message, param=where, code="image_too_large")
        try:
            return base64.b64decode(text, validate=True)
        except (binascii.Error, ValueError):
            message = f"{where}: what follows base64, is not base64"
            raise bad_request(message, param=where, code="invalid_image_url") from None
