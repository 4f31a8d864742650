"""RoboStressBench: predictions.json, a list of records with prompt, reply, what was read in it, and its verdict."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Final

from pydantic import JsonValue

from ....bench_data.suites.files.rows import BadRow
from ....tools.models import CoordinateSpace
from ..files.opening import rows_of
from ..limits import ImportLimits
from ..registry import RunFormat, run_format
from ..rows import BadPlace, OldRow, Place, failed_reply, given_reply
from ..values import as_name, as_score, as_text

__all__ = ["NAME"]

NAME: Final = "robostress"
_VERDICTS: Final = ("mcq_correct", "mask_correct", "bbox_iou")
_SCORE: Final = "published"
_MOST_READING_CHARACTERS: Final = 200


def _read(path: Path, limits: ImportLimits) -> Iterator[OldRow | BadPlace]:
    for raw in rows_of(path, required=(), suffixes=frozenset({".json", ".jsonl"}), limits=limits):
        place = Place(path.name, raw.line)
        if isinstance(raw, BadRow):
            yield BadPlace(place, f"the record cannot be read ({raw.code})", raw.message)
        elif "raw_response" not in raw.fields:
            yield BadPlace(
                place, "the record has no raw_response; give predictions.json, for submission.json holds no replies"
            )
        else:
            yield _row(raw.fields, place)


def _row(fields: Mapping[str, JsonValue], place: Place) -> OldRow | BadPlace:
    identity = as_name(fields.get("sample_id"))
    if not identity:
        return BadPlace(place, "the record has no sample_id")
    text, error = fields["raw_response"], fields.get("error")
    rectified = as_text(fields.get("rectified_image_path"))
    notes = (f"the model was shown a rectified picture as well or instead: {rectified[:500]}",) if rectified else ()
    if isinstance(text, str):
        reply = given_reply(text, notes=notes)
    elif text is None:
        reply = failed_reply(as_text(error) or "no reply, and no reason given", notes=notes)
    else:
        return BadPlace(place, "raw_response is no text", f"got {str(text)[:60]!r}")
    verdicts = fields.get("metrics")
    given = verdicts if isinstance(verdicts, dict) else {}
    score = next((one for one in (as_score(given.get(name)) for name in _VERDICTS) if one is not None), None)
    return OldRow(
        place=place,
        replies=(reply,),
        ids=(identity,),
        prompt=as_text(fields.get("prompt")),
        question=as_text(fields.get("prompt")),
        model=as_text(fields.get("model_name")) or None,
        scores={} if score is None else {_SCORE: score},
        reading=_reading(fields.get("parsed_answer")),
    )


def _reading(parsed: JsonValue) -> str | None:
    if not isinstance(parsed, dict):
        return None
    for name in ("answer", "box", "point"):
        if parsed.get(name) is not None:
            value = parsed[name]
            return value if isinstance(value, str) else json.dumps(value)[:_MOST_READING_CHARACTERS]
    return None


run_format(
    RunFormat(
        name=NAME,
        summary="RoboStressBench: predictions.json",
        read=_read,
        unknown=("how the model decoded", "the pictures that were sent", "tokens, cost and time"),
        main_score=(_SCORE,),
        # Its prompts ask for thousandths of the picture's sides.
        space=CoordinateSpace.PERMILLE,
    )
)
