"""VLMEvalKit: the table of predictions, or the scored one that it makes of it.

A row holds the columns of the data set without its pictures, and ``prediction``; with SPLIT_THINK also ``thinking``;
after scoring also ``hit`` (or ``score``). A call that failed stands as a reply that begins with "Failed to obtain
answer".
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Final

from ....bench_data.suites.files.rows import BadRow, RawRow
from ..files.opening import rows_of
from ..limits import ImportLimits
from ..registry import RunFormat, run_format
from ..rows import BadPlace, OldRow, Place, cut_reply, failed_reply, given_reply
from ..values import as_name, as_score, as_text

__all__ = ["NAME"]

NAME: Final = "vlmeval"
_FAILED: Final = "Failed to obtain answer"
_SCORES: Final = ("hit", "score", "match", "correct")
_SUFFIXES: Final = frozenset({".xlsx", ".tsv", ".csv", ".json", ".jsonl"})
_CELL_CHARACTERS: Final = 32_767
"""More than these a cell of a spreadsheet cannot hold; some writers cut the text there, others leave it out."""
_DROPPED: Final = "the cell is empty; of a reply of more than 32,767 characters some writers keep nothing"
_CUT: Final = "the reply fills its cell of 32,767 characters, so its end is lost"


def _read(path: Path, limits: ImportLimits) -> Iterator[OldRow | BadPlace]:
    spreadsheet = path.suffix.lower() == ".xlsx"
    for raw in rows_of(path, required=("index", "prediction"), suffixes=_SUFFIXES, limits=limits):
        place = Place(path.name, raw.line)
        if isinstance(raw, BadRow):
            yield BadPlace(place, f"the row cannot be read ({raw.code})", raw.message)
        else:
            yield _row(raw, place, spreadsheet=spreadsheet)


def _row(raw: RawRow, place: Place, *, spreadsheet: bool) -> OldRow | BadPlace:
    fields = raw.fields
    if "prediction" not in fields or "index" not in fields:
        return BadPlace(place, "the row has no index or no prediction")
    prediction = fields["prediction"]
    text = "" if prediction is None else as_text(prediction)
    if text is None:
        return BadPlace(place, "the prediction is no text", f"got {str(prediction)[:60]!r}")
    ids = tuple(dict.fromkeys(name for name in (as_name(fields.get(key)) for key in ("item_id", "index")) if name))
    reasoning = as_text(fields.get("thinking"))
    if text.startswith(_FAILED):
        reply = failed_reply(text)
    elif spreadsheet and len(text) >= _CELL_CHARACTERS:
        reply = cut_reply(text, reasoning=reasoning, notes=(_CUT,))
    else:
        reply = given_reply(text, reasoning=reasoning, notes=(_DROPPED,) if spreadsheet and not text else ())
    scores = {name: score for name in _SCORES if (score := as_score(fields.get(name))) is not None}
    return OldRow(
        place=place,
        replies=(reply,),
        ids=ids,
        question=as_text(fields.get("question")),
        scores=scores,
        reading=as_text(fields.get("extracted")) or None,
    )


def _model_name(path: Path, suite: str) -> str:
    """Files are named MODEL_SUITE; what follows the suite's name is about scoring."""
    before, mark, _ = path.stem.rpartition(f"_{suite}")
    return before if mark and before else path.stem


run_format(
    RunFormat(
        name=NAME,
        summary="VLMEvalKit: predictions, or scored ones, as .xlsx, .tsv, .csv or .json",
        read=_read,
        unknown=("the prompt", "how the model decoded", "the pictures that were sent", "tokens, cost and time"),
        main_score=_SCORES,
        model_name=_model_name,
    )
)
