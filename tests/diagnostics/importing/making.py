"""Small suites, and files as other tools write them about these suites."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np

from seeworthy.bench_data.images import Picture
from seeworthy.bench_data.questions import AnswerFormat, AnswerType, Unit
from seeworthy.bench_data.suites import SuiteImage, SuiteItem, write_suite
from seeworthy.bench_data.suites.texts import full_prompt
from seeworthy.diagnostics.importing import ImportSettings, ImportSummary, import_run
from seeworthy.diagnostics.runs import RunFolder, Source, read_records
from seeworthy.tools.models import CoordinateSpace

CHOICE = AnswerFormat(answer_type=AnswerType.CHOICE, options={"A": "the lamp", "B": "the sofa"})
COUNT = AnswerFormat(answer_type=AnswerType.NUMBER, unit=Unit.COUNT)
METRE = AnswerFormat(answer_type=AnswerType.NUMBER, unit=Unit.METRE)


def items_in(root: Path, *, conditions: Sequence[str] = ("clean",)) -> list[SuiteItem]:
    """Four questions a condition: two choices (truth B), a count (3) and a distance (2 m)."""
    (root / "images").mkdir(parents=True, exist_ok=True)
    forms = ((CHOICE, "B"), (CHOICE, "B"), (COUNT, 3), (METRE, 2.0))
    items = []
    for place, condition in enumerate(conditions):
        pixels = np.full((24, 32, 3), 40 * place, np.uint8)
        (root / f"images/{condition}.png").write_bytes(Picture(pixels).png())
        for number, (form, truth) in enumerate(forms):
            items.append(
                SuiteItem(
                    id=f"q{number}@{condition}",
                    text=f"Question {number}?",
                    images=(SuiteImage(f"images/{condition}.png", root=root),),
                    answer_format=form,
                    truth=truth,
                    question_id=f"q{number}",
                    kind="closer" if form is CHOICE else "how many" if form is COUNT else "how far",
                    scene=f"scene {number % 2}",
                    condition=condition,
                )
            )
    return items


def suite_in(root: Path, *, conditions: Sequence[str] = ("clean",)) -> Path:
    """The items of `items_in` as a file of our own format."""
    write_suite(items_in(root, conditions=conditions), root / "suite.jsonl", "native", overwrite=True)
    return root / "suite.jsonl"


def json_lines(path: Path, rows: Sequence[Mapping[str, object]]) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return path


def table(path: Path, rows: Sequence[Mapping[str, object]]) -> Path:
    """As pandas writes with all cells in quotes, which VLMEvalKit asks for."""
    import csv

    names = list(dict.fromkeys(name for row in rows for name in row))
    with path.open("w", encoding="utf-8", newline="") as stream:
        writer = csv.writer(stream, delimiter="," if path.suffix == ".csv" else "\t", quoting=csv.QUOTE_ALL)
        writer.writerow(names)
        writer.writerows([["" if row.get(name) is None else row[name] for name in names] for row in rows])
    return path


def vlmeval_row(item: SuiteItem, prediction: object, **more: object) -> dict[str, object]:
    return {"index": item.id, "question": item.text, **item.options, "prediction": prediction, **more}


def lmms_row(item: SuiteItem, number: int, reply: object, **more: object) -> dict[str, object]:
    """A line as lmms-eval writes of a task that Seeworthy made."""
    metric = {"score": 1.0, "condition": item.condition, "kind": item.kind, "question_id": item.question_id}
    return {
        "doc_id": number,
        "target": str(item.truth),
        "filtered_resps": reply,
        "doc_hash": "0" * 64,
        "prompt_hash": "1" * 64,
        "target_hash": "2" * 64,
        "seeworthy_score": metric,
        "input": full_prompt(item),
        **more,
    }


def imported(
    files: Sequence[Path],
    suite: Path,
    out: Path,
    tool: str,
    **how: object,
) -> tuple[RunFolder, ImportSummary]:
    settings = ImportSettings(format=tool, source=Source.at(suite), **how)  # type: ignore[arg-type]
    summary = import_run(files, out, settings)
    return RunFolder(out), summary


def replies_in(folder: RunFolder) -> dict[str, str]:
    """Item -> the text of its reply, "!" and the fault of a failed one."""
    return {
        one.item: one.reply.text if one.reply.fault is None else f"!{one.reply.fault.message}"
        for one in read_records(folder.records)
    }


PERMILLE = CoordinateSpace.PERMILLE
