"""lmms-eval: the samples that ``--log_samples`` writes, DATE_samples_TASK.jsonl.

A line holds ``doc_id`` (the row of the data, from 0), ``input`` (the prompt), ``target``, the replies before and after
the task's filter (``resps`` is left out where both are alike; newer versions leave out the outer list), hashes, and one
key a metric. Documents themselves are not in the file.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Final

from pydantic import JsonValue

from ....bench_data.suites.files.json_lines import parsed_json
from ....bench_data.suites.files.rows import BadRow
from ..files.opening import rows_of
from ..limits import ImportLimits
from ..registry import RunFormat, run_format
from ..rows import BadPlace, OldRow, Place, given_reply
from ..values import as_score, as_text

__all__ = ["NAME"]

NAME: Final = "lmms-eval"
_OWN_METRIC: Final = "seeworthy_score"
"""Of the tasks that Seeworthy writes; it names the question and its condition."""
_MARK: Final = "_samples_"
_MOST_RESULT_BYTES: Final = 16 * 2**20
_NO_METRICS: Final = frozenset(
    {"doc_id", "doc", "doc_hash", "target", "target_hash", "input", "arguments", "prompt_hash", "resps"}
    | {"filtered_resps", "filter", "metrics", "submission"}
)


def _read(path: Path, limits: ImportLimits) -> Iterator[OldRow | BadPlace]:
    model = _logged_model(path)
    for raw in rows_of(path, required=(), suffixes=frozenset({".jsonl"}), limits=limits):
        place = Place(path.name, raw.line)
        if isinstance(raw, BadRow):
            yield BadPlace(place, f"the line cannot be read ({raw.code})", raw.message)
        else:
            yield _row(raw.fields, place, model)


def _row(fields: Mapping[str, JsonValue], place: Place, model: str | None) -> OldRow | BadPlace:
    number = fields.get("doc_id")
    if not isinstance(number, int) or isinstance(number, bool) or number < 0:
        return BadPlace(place, "doc_id is no row number", f"got {str(number)[:60]!r}")
    texts = _texts(fields.get("resps"))
    if texts is None:
        texts = _texts(fields.get("filtered_resps"))
    if texts is None:
        return BadPlace(place, "it holds no reply in words (such as the likelihoods of given answers)")
    prompt = _prompt(fields.get("input"))
    return OldRow(
        place=place,
        replies=tuple(given_reply(text) for text in texts),
        asked_as=_asked_as(fields.get(_OWN_METRIC)),
        position=number,
        question=prompt,
        target=as_text(fields.get("target")),
        prompt=prompt,
        model=model,
        scores=_scores(fields),
        reading=_reading(fields.get("filtered_resps"), texts),
    )


def _texts(value: JsonValue) -> list[str] | None:
    """The replies to one request; None where there are several requests, or none in words.

    >>> _texts([["B", "C"]]), _texts(["B"]), _texts("B"), _texts([["A"], ["B"]]), _texts([[-1.5, False]])
    (['B', 'C'], ['B'], ['B'], None, None)
    """
    if isinstance(value, str):
        return [value]
    if not isinstance(value, list) or not value:
        return None
    if isinstance(value[0], list):
        return _texts(value[0]) if len(value) == 1 else None
    return [text for text in value if isinstance(text, str)] if all(isinstance(one, str) for one in value) else None


def _prompt(value: JsonValue) -> str | None:
    if isinstance(value, list) and value:
        value = value[0]
    return value if isinstance(value, str) else None


def _asked_as(value: JsonValue) -> tuple[str, str] | None:
    if isinstance(value, dict):
        question, condition = value.get("question_id"), value.get("condition")
        if isinstance(question, str) and isinstance(condition, str):
            return question, condition
    return None


def _scores(fields: Mapping[str, JsonValue]) -> dict[str, float]:
    found = {}
    for name, value in fields.items():
        if name in _NO_METRICS:
            continue
        score = as_score(value.get("score") if isinstance(value, dict) else value)
        if score is not None:
            found[name] = score
    return found


def _reading(filtered: JsonValue, texts: list[str]) -> str | None:
    read = _texts(filtered)
    return read[0] if read is not None and read != texts else None


def _logged_model(path: Path) -> str | None:
    """The model's name from DATE_results.json, which lmms-eval writes beside the samples."""
    date, mark, _ = path.name.partition(_MARK)
    beside = path.with_name(f"{date}_results.json")
    try:
        if not mark or beside.stat().st_size > _MOST_RESULT_BYTES:
            return None
        content = parsed_json(beside.read_bytes(), constant=lambda name: None)
    except OSError:
        # It need not be there; the samples can stand alone.
        return None
    name = content.get("model_name") if isinstance(content, dict) else None
    return name if isinstance(name, str) and name else None


def _model_name(path: Path, suite: str) -> str:
    return path.stem.partition(_MARK)[2] or path.stem


run_format(
    RunFormat(
        name=NAME,
        summary="lmms-eval: logged samples, DATE_samples_TASK.jsonl",
        read=_read,
        unknown=("how the model decoded", "the pictures that were sent", "tokens, cost and time"),
        main_score=(_OWN_METRIC, "exact_match", "acc", "accuracy", "score"),
        model_name=_model_name,
    )
)
