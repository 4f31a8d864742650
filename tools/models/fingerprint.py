"""One hash for everything in a request that decides its reply."""

from __future__ import annotations

import hashlib
import json

from .protocol import ImagePart, Request, TextPart

__all__ = ["request_fingerprint"]

# Part of what is hashed, so that a change of the form below can never match an old recording by accident.
_FORM = "seeworthy-request-1"


def request_fingerprint(request: Request) -> str:
    """SHA-256 (64 hex digits) over messages, picture contents and what is known of them, settings and seed.

    Pictures count by their pixels, not by file name or source, so the same picture from another path matches and a
    changed one under the same name does not. The model is not part of it: whoever stores replies of several models
    must add the model's identity.

    >>> from .protocol import user_message
    >>> request_fingerprint(Request(messages=(user_message("Which is closer?"),)))[:12]
    '14be816cce76'
    """
    content = {
        "form": _FORM,
        "messages": [
            {
                "role": message.role,
                "parts": [_part(part) for part in message.parts],
            }
            for message in request.messages
        ],
        "settings": request.settings.model_dump(mode="json"),
        "seed": request.seed,
    }
    # ASCII escapes keep every text hashable, a lone surrogate included.
    text = json.dumps(content, ensure_ascii=True, sort_keys=True, separators=(",", ":"), allow_nan=False)
    return hashlib.sha256(text.encode("ascii")).hexdigest()


def _part(part: TextPart | ImagePart) -> list[object]:
    if isinstance(part, TextPart):
        return ["text", part.text]
    if part.stress is None:
        return ["image", part.picture.sha256]
    return ["image", part.picture.sha256, [finding.model_dump(mode="json") for finding in part.stress]]
