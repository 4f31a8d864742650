"""RoboStressBench's folder (arXiv 2606.00828): a manifest, one record a sample, pictures and masks beside them."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

from pydantic import JsonValue

from ...errors import BenchDataError
from ...questions import AnswerFormat, AnswerType, Truth
from ...stress import ROBOSTRESS_TAGS, Stress, robostress_tag
from ..answers import yes_no_word
from ..checks import condition_name
from ..files.json_lines import json_line, json_line_rows, parsed_json
from ..files.rows import RawRow
from ..findings import Fields
from ..item import AS_FOUND, SourceRecord, SuiteImage, SuiteItem
from ..limits import SuiteLimits
from ..paths import inside
from ..pictures import PictureCopier, picture_size
from ..registry import Held, Row, SuiteFormat, suite_format
from ..rows import decoded_rows
from ..writing import new_text_file

__all__ = ["MANIFEST", "NAME"]

NAME = "robostress"
MANIFEST = "manifest.jsonl"
_MOST_RECORD_BYTES = 4 * 2**20
_KNOWN_TAGS = frozenset(f"{tag.dimension.value}__{tag.value}" for tag in ROBOSTRESS_TAGS)


def _detect(path: Path) -> bool:
    with (path / MANIFEST).open("rb") as stream:
        head = parsed_json(stream.readline(1 << 16).removeprefix(b"\xef\xbb\xbf"))
    return isinstance(head, dict) and "record_relpath" in head


def _read(path: Path, limits: SuiteLimits) -> Iterator[Row]:
    def decode(fields: Fields, raw: RawRow) -> SuiteItem:
        return _item(fields, _record_of(fields, path), path)

    return decoded_rows(json_line_rows(path / MANIFEST, limits=limits), decode, file=MANIFEST, id_field="sample_id")


def _record_of(fields: Fields, root: Path) -> Mapping[str, JsonValue]:
    """The record file of a row of the manifest."""
    name = fields.path("record_relpath")
    file = inside(root, name)
    if not file.is_file():
        raise fields.error("missing_record", "record_relpath", f"{name}: there is no such file")
    if file.stat().st_size > _MOST_RECORD_BYTES:
        raise fields.error("too_large", "record_relpath", f"{name} has more than {_MOST_RECORD_BYTES:,} bytes")
    record = parsed_json(file.read_bytes())
    if not isinstance(record, dict):
        why = record if isinstance(record, str) else "a record {...} is expected"
        raise fields.error("bad_json", "record_relpath", f"{name}: {why}")
    return record


def _item(fields: Fields, record: Mapping[str, JsonValue], root: Path | None) -> SuiteItem:
    annotation = Fields(record, warn=fields.warn, within="record.").part("annotation")
    gt = annotation.part("gt")
    identity = fields.text("sample_id")
    if annotation.text("sample_id", identity) != identity:
        raise annotation.error("id_mismatch", "sample_id", f"the record is that of {annotation.text('sample_id')!r}")
    stated, kind = fields.text("gt_type", ""), gt.text("type")
    if stated and stated != kind:
        raise fields.error("type_mismatch", "gt_type", f"the manifest says {stated!r}, the record {kind!r}")
    if fields.path("rgb_relpath") != annotation.path("rgb"):
        fields.warn("path_mismatch", "rgb_relpath", "the record names another picture; the manifest is followed")
    form, truth, mask = _truth(kind, gt, root)
    tags = _stress_tags(fields)
    own = annotation.part("seeworthy") if annotation.has("seeworthy") else Fields({}, warn=fields.warn)
    return SuiteItem(
        id=identity,
        text=annotation.text("instruction"),
        images=(SuiteImage(fields.path("rgb_relpath"), root=root),),
        answer_format=form,
        truth=truth,
        question_id=own.text("question_id", identity),
        suite=own.text("suite", "robostress"),
        kind=own.text("kind", annotation.text("task", "")),
        scene=own.text("scene", ""),
        condition=own.text("condition", AS_FOUND),
        coordinates="permille",
        mask=mask,
        tags={
            "dataset": fields.text("dataset", ""),
            "subcategory": fields.text("subcategory", ""),
            "task": fields.text("task", ""),
            "stress": ",".join(tags),
        },
        source=SourceRecord(NAME, {"manifest": dict(fields.values), "record": dict(record)}),
    )


def _stress_tags(fields: Fields) -> list[str]:
    tags = [str(tag) for tag in fields.listed("stress_tags")]
    for tag in tags:
        if tag not in _KNOWN_TAGS:
            fields.warn("unknown_stress_tag", "stress_tags", f"{tag[:40]!r} is none of the 16 tags")
    if len(set(tags)) != len(tags):
        fields.warn("repeated_stress_tag", "stress_tags", "a tag comes twice; the published summary counts it twice")
    return tags


def _truth(kind: str, gt: Fields, root: Path | None) -> tuple[AnswerFormat, Truth | None, SuiteImage | None]:
    if kind == "mcq":
        part = gt.part("mcq")
        texts = part.listed("options")
        if not all(isinstance(text, str) for text in texts) or not 2 <= len(texts) <= 26:
            raise part.error("wrong_type", "options", f"2 to 26 texts are expected, got {len(texts)} items")
        options = {chr(ord("A") + place): str(text) for place, text in enumerate(texts)}
        index = part.whole("answer_index")
        if not 0 <= index < len(options):
            message = f"answer_index {index} is not among the {len(options)} options, counted from 0"
            raise part.error("truth_not_an_option", "answer_index", message)
        letter = chr(ord("A") + index)
        plain = [yes_no_word(text) for text in options.values()]
        if plain in ([True, False], [False, True]):
            return AnswerFormat(answer_type=AnswerType.YES_NO, options=options), plain[index], None
        return AnswerFormat(answer_type=AnswerType.CHOICE, options=options), letter, None
    if kind == "bbox":
        part = gt.part("bbox")
        if (part.text("format", "xyxy"), part.text("space", "permille")) != ("xyxy", "permille"):
            message = f"boxes must be xyxy in permille, got {part.text('format')} in {part.text('space')}"
            raise part.error("wrong_unit", "space", message)
        box = part.listed("box")
        numbers = [value for value in box if isinstance(value, int | float) and not isinstance(value, bool)]
        if len(numbers) != 4 or len(box) != 4 or not all(abs(value) <= 1e300 for value in numbers):
            raise part.error("number_unparsable", "box", f"four numbers are expected, got {str(box)[:60]}")
        if max(numbers) <= 1:
            part.warn("looks_like_fractions", "box", f"{numbers} looks like fractions of the picture, not permille")
        return AnswerFormat(answer_type=AnswerType.BOX), tuple(float(value) for value in numbers), None
    if kind == "mask":
        mask = SuiteImage(gt.part("mask").path("path"), root=root)
        return AnswerFormat(answer_type=AnswerType.POINT), None, mask
    raise gt.error("unknown_type", "type", f"must be mcq, bbox or mask, got {kind[:40]!r}")


@dataclass(frozen=True, slots=True)
class _Place:
    """Where the parts of a sample lie."""

    folder: str
    stem: str

    @property
    def record(self) -> str:
        return f"{self.folder}/records/{self.stem}.json"

    def rgb(self, suffix: str) -> str:
        return f"{self.folder}/media/rgb/{self.stem}_rgb{suffix}"

    def mask(self, suffix: str) -> str:
        return f"{self.folder}/media/gt_mask/{self.stem}_mask{suffix}"


def _write(items: Iterable[SuiteItem], path: Path) -> None:
    copier = PictureCopier(path)
    with new_text_file(path / MANIFEST) as manifest:
        for number, item in enumerate(items, start=1):
            row, record, files = _verbatim(item) or _sample(item, number)
            for wanted, image in files.items():
                copier.place(image, wanted)
            target = inside(path, str(row["record_relpath"]))
            target.parent.mkdir(parents=True, exist_ok=True)
            with new_text_file(target) as stream:
                stream.write(json.dumps(record, ensure_ascii=False, indent=1, allow_nan=False) + "\n")
            manifest.write(json_line(row))


_Sample = tuple[dict[str, JsonValue], dict[str, JsonValue], dict[str, SuiteImage]]
"""(row of the manifest, record, path -> picture)."""


def _verbatim(item: SuiteItem) -> _Sample | None:
    """The sample as it was read, if it still says the same."""
    source = item.source
    if source is None or source.format != NAME:
        return None
    row, record = source.fields.get("manifest"), source.fields.get("record")
    if not isinstance(row, dict) or not isinstance(record, dict):
        return None
    try:
        again = _item(Fields(row, warn=lambda code, field, message: None), record, None)
    except (BenchDataError, ValueError):
        return None
    if again != item:
        return None
    files = {image.path: image for image in (*item.images, *([item.mask] if item.mask else []))}
    return dict(row), dict(record), files


def _sample(item: SuiteItem, number: int) -> _Sample:
    dataset, subcategory = _code(item.tags.get("dataset")), _code(item.tags.get("subcategory"))
    identity = item.id
    place = _Place(f"{dataset}/{subcategory}", f"{number:06d}")
    image = item.images[0]
    rgb = place.rgb(_suffix(image))
    files = {rgb: image}
    mask = None
    if item.mask is not None:
        mask = place.mask(_suffix(item.mask))
        files[mask] = item.mask
    gt = _gt(item, mask)
    tags = _tags_of(item)
    stress: dict[str, JsonValue] = {}
    for tag in tags:
        letter, _, name = tag.partition("__")
        stress[letter] = [*(known if isinstance(known := stress.get(letter), list) else []), name]
    task = item.tags.get("task") or item.kind or str(gt["type"])
    row: dict[str, JsonValue] = {
        "sample_id": identity,
        "dataset": dataset,
        "subcategory": subcategory,
        "task": task,
        "gt_type": gt["type"],
        "stress_tags": [*tags],
        "record_relpath": place.record,
        "rgb_relpath": rgb,
        "mask_relpath": mask,
    }
    annotation: dict[str, JsonValue] = {
        "sample_id": identity,
        "task": task,
        "stress": stress,
        "instruction": item.text,
        "rgb": rgb,
        "gt": gt,
        "seeworthy": {name: getattr(item, name) for name in ("question_id", "suite", "kind", "scene", "condition")},
    }
    return row, {"sample_id": identity, "status": "annotated", "annotation": annotation}, files


def _gt(item: SuiteItem, mask: str | None) -> dict[str, JsonValue]:
    truth = item.truth
    if item.answer_type is AnswerType.POINT:
        return {"type": "mask", "mask": {"path": mask, "encoding": "thresholded_mask"}}
    if item.answer_type is AnswerType.BOX and isinstance(truth, tuple):
        box = list(truth)
        if item.coordinates == "pixels":
            width, height = picture_size(item.images[0])
            box = [1000 * value / side for value, side in zip(truth, (width, height, width, height), strict=True)]
        return {"type": "bbox", "bbox": {"format": "xyxy", "space": "permille", "box": [*box]}}
    options = dict(item.options) or {"A": "Yes", "B": "No"}
    letters = list(options)
    if isinstance(truth, bool):
        index = next(place for place, text in enumerate(options.values()) if yes_no_word(text) is truth)
    else:
        index = letters.index(str(truth))
    return {"type": "mcq", "mcq": {"options": [*options.values()], "answer_index": index}}


def _tags_of(item: SuiteItem) -> list[str]:
    if item.tags.get("stress"):
        return item.tags["stress"].split(",")
    name = condition_name(item.condition)
    if name not in {stress.value for stress in Stress}:
        return []
    tag = robostress_tag(Stress(name))
    return [] if tag is None else [f"{tag.dimension.value}__{tag.value}"]


def _code(text: str | None) -> str:
    """A two-digit code, as the published folders have."""
    return text if text is not None and len(text) == 2 and text.isdigit() else "01"


def _suffix(image: SuiteImage) -> str:
    return PurePosixPath(image.path).suffix.lower() or ".png"


def _refuses(item: SuiteItem) -> str | None:
    if len(item.images) != 1:
        return f"questions about {len(item.images)} pictures"
    match item.answer_type:
        case AnswerType.POINT if item.mask is None:
            return "points without a mask of where they may lie"
        case AnswerType.CHOICE | AnswerType.BOX | AnswerType.YES_NO if item.truth is None:
            return "questions without an answer"
        case AnswerType.CHOICE if list(item.options) != [chr(ord("A") + n) for n in range(len(item.options))]:
            return "options that are not lettered A, B, C in this order"
        case AnswerType.CHOICE | AnswerType.BOX | AnswerType.YES_NO | AnswerType.POINT:
            return None
    return f"answers of the form {item.answer_type}"


suite_format(
    SuiteFormat(
        name=NAME,
        summary="RoboStressBench: a folder with a manifest, records, pictures and masks",
        layout="folder",
        holds=frozenset(Held) - {Held.QUESTION, Held.TAGS, Held.UNIT},
        losses=(
            "structured questions (derivation, margin) are left out",
            "of the tags, dataset, subcategory, task and stress are kept; datasets and subcategories are two digits",
            "boxes are in thousandths of the picture's sides; paths of pictures are those of the published folders",
            "yes/no questions get the options Yes and No",
        ),
        detect=_detect,
        read=_read,
        write=_write,
        refuses=_refuses,
    )
)
