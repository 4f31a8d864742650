"""Runs written straight into folders, with replies that a function decides; no engine, no model, no call."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np

from seeworthy.bench_data.questions import AnswerFormat, AnswerType, Unit
from seeworthy.diagnostics.runs import Arm, Call, CallRecord, RunFolder, RunItem, RunSettings, Source, Spent, plan_items
from seeworthy.diagnostics.runs.record import record_line
from seeworthy.tools.models import Fault, FaultKind, Reply, ReplyStatus
from seeworthy.tools.models.providers.python_callable import CallableModel

CHOICE = AnswerFormat(answer_type=AnswerType.CHOICE, options={"A": "the lamp", "B": "the sofa"})
METRES = AnswerFormat(answer_type=AnswerType.NUMBER, unit=Unit.METRE)
FAILED = Reply(status=ReplyStatus.ERROR, fault=Fault(kind=FaultKind.SERVER, message="down", retryable=True))

Answer = Callable[[Call], Reply | str | None]
"""What is replied to a call; None for a call that is not made."""


def item(number: int, condition: str = "clean", **more: object) -> RunItem:
    """A choice whose truth is B; with a picture, so that a prompt can be blind."""
    fields: dict[str, object] = {
        "id": f"q{number:04d}@{condition}",
        "question_id": f"q{number:04d}",
        "suite": "made",
        "kind": "closer",
        "scene": f"scene {number % 5}",
        "condition": condition,
        "text": f"Question {number}?",
        "answer_format": CHOICE,
        "truth": "B",
        "pictures": [{"path": f"{condition}/{number}.png", "sha256": f"{abs(hash_of(condition, number)):064x}"}],
    }
    return RunItem.model_validate({**fields, **more})


def hash_of(condition: str, number: int) -> int:
    """A number for a picture's bytes that is the same in every process."""
    return sum(ord(letter) * 131**place for place, letter in enumerate(f"{condition}{number}"))


def arm(name: str) -> Arm:
    async def unused(request: object) -> str:
        raise AssertionError("no test of reports asks a model")

    return Arm(CallableModel(unused, name=name))


def write_run(
    root: Path,
    items: Sequence[RunItem],
    answer: Answer,
    *,
    arms: Sequence[str] = ("m",),
    shuffled: int | None = None,
    spent: Callable[[Call], Spent] = lambda call: Spent(calls=1, input_tokens=100, output_tokens=10, usd=0.01),
    **settings: object,
) -> RunFolder:
    """A run as the engine would leave it.

    Args:
        answer: decides the replies.
        shuffled: the seed of another order of the records.
        settings: see `RunSettings.of`.
    """
    planned = plan_items(
        RunSettings.of([Source(path="/suites/made")], [arm(name) for name in arms], **settings),  # type: ignore[arg-type]
        items,
    )
    folder = RunFolder(root)
    lines = []
    for number, call in enumerate({call.key: call for call in planned.calls}.values()):
        said = answer(call)
        if said is None:
            continue
        reply = (
            Reply(text=said, status=ReplyStatus.OK, latency_s=0.5, model_reported="m-1")
            if isinstance(said, str)
            else said
        )
        record = CallRecord(
            key=call.key,
            item=call.item.id,
            condition=call.item.condition,
            arm=call.arm,
            prompt=call.prompt,
            repeat=call.repeat,
            seed=call.seed,
            sent=(("text", call.item.text),),
            reply=reply,
            spent=spent(call),
            at=f"2026-01-01T00:{number // 60 % 60:02d}:{number % 60:02d}.000+00:00",
        )
        lines.append(record_line(record))
    if shuffled is not None:
        lines = [lines[place] for place in np.random.default_rng(shuffled).permutation(len(lines))]
    with folder.begun(planned):
        folder.records.write_bytes(b"".join(lines))
    return folder
