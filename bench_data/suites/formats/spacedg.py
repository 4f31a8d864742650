"""SpaceDG-Bench's table (arXiv 2605.22536): one row a question and condition, options inside the question's text."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path

from pydantic import JsonValue

from ...questions import AnswerFormat, AnswerType, Truth, Unit
from ..answers import answer_text, number_in, parse_letter, parse_numbers, truth_from_text, yes_no_word
from ..files.rows import RawRow
from ..files.tables import table_header, table_rows
from ..findings import Fields
from ..item import CLEAN, SourceRecord, SuiteImage, SuiteItem, shared_question_id
from ..limits import SuiteLimits
from ..literals import list_cell, parse_list_cell
from ..pictures import PictureCopier
from ..registry import Held, Row, SuiteFormat, suite_format
from ..rows import decoded_rows
from ..table_writing import write_table
from ..texts import SplitText, option_lines, split_options
from ..verbatim import source_fields, with_placed_pictures

__all__ = ["COLUMNS"]

NAME = "spacedg"
COLUMNS = (
    "index",
    "question",
    "answer",
    "image_path",
    "question_type",
    "sub_question_type",
    "task_group",
    "degradation_type",
)
"""The columns that the published loader demands."""
_OWN_COLUMNS = ("item_id", "question_id", "suite", "kind", "scene")
"""Further ones that only we write and read; the published loader passes over them."""

_NUMBER_TYPES = frozenset({"distance_exact", "bbox_center_distance", "inter_object_distance"})
_YES_NO_TYPES = frozenset({"distance_threshold"})
_LETTERED = {"A": "Yes", "B": "No"}
_ASSUMED_LETTERS = 4

# Where our kinds are named more finely than the published evaluator, which goes by these columns, expects them.
_PUBLISHED_SUB_TYPE = {
    "inter_object_distance.center_distance": "inter_object_distance",
    "camera_object_distance_estimation.single_view": "",
    "object_bounding_size_estimation.extents": "",
    "object_counting.visible_count": "",
    "object_existence_estimation.visible_existence": "",
}
_KIND = {(kind.partition(".")[0], sub): kind for kind, sub in _PUBLISHED_SUB_TYPE.items()}


def _detect(path: Path) -> bool:
    columns = table_header(path)
    return "question_type" in columns and "degradation_type" in columns


def _read(path: Path, limits: SuiteLimits) -> Iterator[Row]:
    finder = _Finder(path.parent)

    def decode(fields: Fields, raw: RawRow) -> SuiteItem:
        return _item(fields, finder)

    rows = table_rows(path, required=COLUMNS, limits=limits)
    return decoded_rows(rows, decode, file=path.name, id_field="index")


def _item(fields: Fields, finder: _Finder) -> SuiteItem:
    question = fields.text("question")
    split = split_options(question)
    published = fields.text("degradation_type").strip()
    form, truth = _answer(fields, split)
    images = _images(fields, finder)
    question_type, sub_type = fields.text("question_type").strip(), fields.text("sub_question_type").strip()
    bare = [_without(image.path, published) for image in images]
    return SuiteItem(
        id=fields.text("item_id", "") or fields.text("index"),
        text=split.text,
        images=images,
        answer_format=form,
        truth=truth,
        question_id=fields.text("question_id", "") or shared_question_id(question, bare, scope=sub_type),
        suite=fields.text("suite", "") or "spacedg",
        kind=fields.text("kind", "") or _kind(question_type, sub_type),
        scene=fields.text("scene", "") or _scene(bare),
        condition=CLEAN if published == "ori" else published,
        tags={name: fields.text(name) for name in COLUMNS[4:7]},
        source=SourceRecord(NAME, fields.values),
    )


def _images(fields: Fields, finder: _Finder) -> tuple[SuiteImage, ...]:
    cell = fields.text("image_path")
    if cell.lstrip().startswith("["):
        try:
            paths = [str(path) for path in parse_list_cell(cell)]
        except ValueError as error:
            raise fields.error("list_unparsable", "image_path", str(error)) from error
    else:
        paths = [cell]
    return tuple(finder.image(fields.checked_path(path, "image_path")) for path in paths)


class _Finder:
    """Finds pictures where the published loader does: below the table's folder, or images/ in it, with or without that
    word in the path.

    Args:
        root: the folder; None to take paths as they are.
    """

    def __init__(self, root: Path | None) -> None:
        self._root = root
        self._found: dict[str, SuiteImage] = {}

    def image(self, path: str) -> SuiteImage:
        """The picture of a path; as it is written when there is none."""
        image = self._found.get(path)
        if image is None:
            image = self._found[path] = SuiteImage(self._place(path), root=self._root)
        return image

    def _place(self, path: str) -> str:
        if self._root is None or (self._root / path).exists():
            return path
        others = (f"images/{path}", path.removeprefix("images/"))
        return next((other for other in others if (self._root / other).exists()), path)


def _answer(fields: Fields, split: SplitText) -> tuple[AnswerFormat, Truth | None]:
    """By the published rule: the sub type decides, and where there is none the type."""
    question_type, sub_type = fields.text("question_type"), fields.text("sub_question_type").strip()
    answer = fields.text("answer").strip()
    if sub_type in _YES_NO_TYPES:
        form = AnswerFormat(answer_type=AnswerType.YES_NO, options=split.options or None)
    elif sub_type in _NUMBER_TYPES or (not sub_type and "distance" in question_type):
        form = AnswerFormat(answer_type=AnswerType.NUMBER, unit=Unit.METRE)
    elif not sub_type and "counting" in question_type:
        form = AnswerFormat(answer_type=AnswerType.NUMBER, unit=Unit.COUNT)
    elif not sub_type and "size" in question_type:
        numbers = parse_numbers(answer) if answer else ()
        return _list_form(fields, numbers), numbers or None
    elif not sub_type and "existence" not in question_type:
        raise fields.error(
            "unknown_type", "question_type", f"{question_type[:60]!r} without a sub type is none of the published types"
        )
    else:
        return _lettered(fields, split, answer)
    if not answer:
        return form, None
    if form.unit is Unit.METRE and number_in(answer)[1] is None:
        return form, float(number_in(answer)[0])
    return form, truth_from_text(answer, form)


def _list_form(fields: Fields, numbers: tuple[float, ...]) -> AnswerFormat:
    if len(numbers) not in (0, 3):
        raise fields.error("wrong_truth", "answer", f"a size has three numbers, got {len(numbers)}")
    return AnswerFormat(answer_type=AnswerType.LIST, unit=Unit.METRE, length=3)


def _lettered(fields: Fields, split: SplitText, answer: str) -> tuple[AnswerFormat, Truth | None]:
    if split.repeated:
        raise fields.error("repeated_letter", "question", f"two options have the letter {split.repeated[0]}")
    plain = yes_no_word(answer)
    if not split.options and plain is not None:
        fields.warn(
            "existence_trap",
            "answer",
            f"the answer is {answer[:20]!r} where the published evaluator looks for a letter: it then scores every "
            "reply as right; read as yes or no here",
        )
        return AnswerFormat(answer_type=AnswerType.YES_NO), plain
    options = split.options
    if not options:
        fields.warn("no_options", "question", "the text shows no options; letters A to D are assumed")
        options = {chr(ord("A") + place): "" for place in range(_ASSUMED_LETTERS)}
    if [yes_no_word(text) for text in options.values()] in ([True, False], [False, True]):
        form = AnswerFormat(answer_type=AnswerType.YES_NO, options=options)
        return form, truth_from_text(answer, form) if answer else None
    form = AnswerFormat(answer_type=AnswerType.CHOICE, options=options)
    return form, parse_letter(answer, options) if answer else None


def _kind(question_type: str, sub_type: str) -> str:
    known = _KIND.get((question_type, sub_type))
    return known or (f"{question_type}.{sub_type}" if sub_type else question_type)


def _without(path: str, condition: str) -> str:
    """The path without the folder that is named after the condition."""
    return "/".join(part for part in path.split("/") if part != condition)


def _scene(bare_paths: list[str]) -> str:
    """The folder that the pictures share, if there is one: published paths are condition/scene/picture."""
    folders = {path.rpartition("/")[0].removeprefix("images").strip("/") for path in bare_paths}
    return folders.pop() if len(folders) == 1 else ""


def _fields(item: SuiteItem, index: int) -> dict[str, JsonValue]:
    question_type, sub_type = _types(item)
    options = _shown_options(item, sub_type)
    answer = answer_text(item)
    if isinstance(item.truth, bool) and options:
        answer = next(letter for letter, text in options.items() if yes_no_word(text) is item.truth)
    return {
        "index": str(index),
        "question": f"{item.text}\n{option_lines(options)}" if options else item.text,
        "answer": answer,
        "image_path": list_cell([image.path for image in item.images]),
        "question_type": question_type,
        "sub_question_type": sub_type,
        "task_group": item.tags.get("task_group", ""),
        "degradation_type": "ori" if item.condition == CLEAN else item.condition,
        "item_id": item.id,
        "question_id": item.question_id,
        "suite": item.suite,
        "kind": item.kind,
        "scene": item.scene,
    }


def _shown_options(item: SuiteItem, sub_type: str) -> Mapping[str, str]:
    if item.answer_type is AnswerType.YES_NO and sub_type not in _YES_NO_TYPES and not item.options:
        return _LETTERED  # else the published evaluator scores every reply as right
    return item.options


def _types(item: SuiteItem) -> tuple[str, str]:
    """(question_type, sub_question_type) from which the published evaluator tells the form of the answer."""
    question_type = item.tags.get("question_type") or item.kind.partition(".")[0] or "other"
    sub_type = _PUBLISHED_SUB_TYPE.get(item.kind, item.tags.get("sub_question_type", item.kind.partition(".")[2]))
    match item.answer_type, item.answer_format.unit:
        case AnswerType.NUMBER, Unit.METRE:
            told = sub_type in _NUMBER_TYPES or (not sub_type and "distance" in question_type)
            return question_type, sub_type if told else "distance_exact"
        case AnswerType.NUMBER, _:
            return question_type if "counting" in question_type else "counting", ""
        case AnswerType.LIST, _:
            fits = "size" in question_type and "distance" not in question_type and "counting" not in question_type
            return question_type if fits else "object_bounding_size_estimation", ""
        case AnswerType.YES_NO, _ if sub_type in _YES_NO_TYPES and not item.options:
            return question_type, sub_type
    # A choice, or yes and no as a choice: any sub type that is not one of the others says so.
    if sub_type in _NUMBER_TYPES | _YES_NO_TYPES or (not sub_type and "existence" not in question_type):
        return question_type, "choice"
    return question_type, sub_type


def _refuses(item: SuiteItem) -> str | None:
    form = item.answer_format
    if item.answer_type not in (AnswerType.CHOICE, AnswerType.YES_NO, AnswerType.NUMBER, AnswerType.LIST):
        return f"answers of the form {item.answer_type}"
    if item.answer_type is AnswerType.NUMBER and form.unit not in (Unit.METRE, Unit.COUNT):
        return f"numbers in {form.unit}"
    if item.answer_type is AnswerType.LIST and (form.unit, form.length) != (Unit.METRE, 3):
        return "lists other than three lengths in metres"
    options = _shown_options(item, _types(item)[1])
    split = split_options(f"{item.text}\n{option_lines(options)}" if options else item.text)
    if (split.text, split.options) != (item.text, dict(options)):
        return "questions or options that cannot be told apart in one text"
    return None


def _write(items: Iterable[SuiteItem], path: Path) -> None:
    copier = PictureCopier(path.parent)

    def decode(fields: Fields, raw: RawRow) -> SuiteItem:
        return _item(fields, _Finder(None))

    def records() -> Iterator[dict[str, JsonValue]]:
        for index, item in enumerate(items):
            placed = with_placed_pictures(item, copier)
            verbatim = source_fields(placed, NAME, decode)
            yield dict(verbatim) if verbatim is not None else _fields(placed, index)

    write_table(path, records(), columns=(*COLUMNS, *_OWN_COLUMNS))


suite_format(
    SuiteFormat(
        name=NAME,
        summary="SpaceDG-Bench: a tab-separated table beside its pictures",
        layout="file",
        suffix=".tsv",
        holds=frozenset(Held) - {Held.QUESTION, Held.TAGS},
        losses=(
            "structured questions (derivation, margin) are left out",
            "of the tags, question_type, sub_question_type and task_group are kept",
            "yes/no questions other than distance_threshold get the options A. Yes, B. No, which the published "
            "evaluator needs",
        ),
        detect=_detect,
        read=_read,
        write=_write,
        refuses=_refuses,
    )
)
