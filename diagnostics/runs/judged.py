"""A run with every reply judged, as columns: read once from the folder, used by every table.

The same records give the same columns in whatever order they were written.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Final

import numpy as np
from numpy.typing import NDArray

from ...bench_data.questions import AnswerType
from ...tools.models import CoordinateSpace, Reply, SentImage
from ..errors import DiagnosticsError
from ..metrics import ERROR_STATUS, REPLY_STATUSES
from .folder import RunFolder
from .items import PictureRef, RunItem
from .plan import Call, RunPlan, planned_calls
from .record import CallRecord, Spent
from .scoring import JudgedReply, judge_reply, mask_from_bytes
from .store import read_record_at, records_with_places

__all__ = ["MISSING_STATUS", "STATUSES", "JudgedRun", "SentForm", "Spending", "judged_run"]

MISSING_STATUS: Final = "missing"
"""Not asked yet."""
STATUSES: Final = (MISSING_STATUS, ERROR_STATUS, *REPLY_STATUSES)
"""What became of a call; columns hold the place in this list."""
_PLACES: Final = {status: place for place, status in enumerate(STATUSES)}
_LOCATED: Final = (AnswerType.BOX, AnswerType.POINT)
_SPENT: Final = ("calls", "input_tokens", "output_tokens", "unpriced", "picodollars")
_PICO: Final = 1e12
_MASKS_KEPT: Final = 32

SentForm = tuple[tuple[int, int], tuple[int, int], str, int | None]
"""Of a picture: original size, sent size, media type, JPEG quality."""
_Facts = tuple[str, tuple[SentForm, ...]]


@dataclass(frozen=True)
class Spending:
    """What unique calls cost, over all their records; (u,) columns.

    Attributes:
        calls, input_tokens, output_tokens, unpriced: see `Spent`.
        usd: of the calls whose price is known.
        seconds: from question to reply, of the reply that counts; NaN without one.
    """

    calls: NDArray[np.int64]
    input_tokens: NDArray[np.int64]
    output_tokens: NDArray[np.int64]
    unpriced: NDArray[np.int64]
    usd: NDArray[np.float64]
    seconds: NDArray[np.float64]


@dataclass(frozen=True)
class JudgedRun:
    """A run; (n,) columns hold one entry a planned call, in the order of items' ids, arms, prompts and repeats.

    Attributes:
        items: in the order of their ids.
        item, arm, prompt, repeat: places in ``items``, ``plan.settings.arms`` and ``.prompts``; and the repeat.
        status: place in `STATUSES`.
        score: 0 to 1; NaN where nothing could be scored, or nothing came back.
        parts: name -> further scores of the same replies, NaN where there is none; see `JudgedReply.parts`.
        unique: number of the call among the unique ones; two calls that show and ask the same share it.
        spending: by unique call.
        reported: arm -> what its server called itself -> replies.
        sent: arm -> (original size, sent size, media type, quality) -> pictures.
        first_at, last_at: ends of the first and the last call; "" without any.
        spent: over all records.
        stray: records that no call of the plan asks for any more.
    """

    folder: RunFolder
    plan: RunPlan
    items: Sequence[RunItem]
    item: NDArray[np.intp]
    arm: NDArray[np.intp]
    prompt: NDArray[np.intp]
    repeat: NDArray[np.intp]
    status: NDArray[np.int8]
    score: NDArray[np.float64]
    parts: dict[str, NDArray[np.float64]]
    unique: NDArray[np.intp]
    spending: Spending
    reported: dict[str, Counter[str]]
    sent: dict[str, Counter[SentForm]]
    first_at: str
    last_at: str
    spent: Spent
    stray: int
    _places: NDArray[np.int64] = field(repr=False)

    @property
    def left(self) -> int:
        """Unique calls without a reply."""
        has_none = self.status <= _PLACES[ERROR_STATUS]
        return len(np.unique(self.unique[has_none]))

    def record(self, call: int) -> CallRecord | None:
        """The record that counts for a call, read from the store again; None for a call without any.

        Raises:
            DiagnosticsError: the store changed since it was read.
        """
        place = int(self._places[self.unique[call]])
        return None if place < 0 else read_record_at(self.folder.records, place)


def judged_run(folder: RunFolder) -> JudgedRun:
    """Reads and judges a run, from its folder alone: no suite, no model, no call.

    Of several replies to one call the first one counts; a failure counts only where no reply came.

    Raises:
        DiagnosticsError: the folder is damaged, or an item's truth cannot be scored.
    """
    plan = folder.plan()
    items = sorted(folder.items(), key=lambda item: item.id)
    calls = planned_calls(plan.settings, items)
    reading = _Reading(folder, plan, calls)
    for place, record in records_with_places(folder.records):
        reading.add(place, record)
    item, arm, prompt, repeat = _columns_of(plan, items, calls)
    order = np.lexsort((repeat, prompt, arm, item))
    return JudgedRun(
        folder=folder,
        plan=plan,
        items=items,
        item=item[order],
        arm=arm[order],
        prompt=prompt[order],
        repeat=repeat[order],
        status=reading.status[order],
        score=reading.score[order],
        parts={name: column[order] for name, column in sorted(reading.parts.items())},
        unique=reading.unique[order],
        spending=reading.spending(),
        reported=reading.reported(),
        sent=reading.sent(),
        first_at=reading.first_at,
        last_at=reading.last_at,
        spent=reading.spent,
        stray=reading.stray,
        _places=reading.places,
    )


def _columns_of(plan: RunPlan, items: Sequence[RunItem], calls: Sequence[Call]) -> list[NDArray[np.intp]]:
    """Places of items, arms and prompts, and the repeats, of all calls."""
    settings = plan.settings
    names = (
        {item.id: place for place, item in enumerate(items)},
        {arm.name: place for place, arm in enumerate(settings.arms)},
        {prompt.name: place for place, prompt in enumerate(settings.prompts)},
    )
    rows = ((names[0][call.item.id], names[1][call.arm], names[2][call.prompt], call.repeat) for call in calls)
    table = np.fromiter((number for row in rows for number in row), np.intp, count=4 * len(calls)).reshape(-1, 4)
    return [np.ascontiguousarray(column) for column in table.T]


class _Reading:
    """The columns while the records come in, in any order."""

    def __init__(self, folder: RunFolder, plan: RunPlan, calls: Sequence[Call]) -> None:
        self._folder = folder
        self._calls = calls
        self._spaces = {arm.name: arm.space for arm in plan.settings.arms}
        self._load_mask = lru_cache(_MASKS_KEPT)(self._read_mask)
        self._numbers: dict[str, int] = {}
        self.unique = np.array([self._numbers.setdefault(call.key, len(self._numbers)) for call in calls], np.intp)
        count = len(self._numbers)
        by_unique = np.argsort(self.unique, kind="stable")
        self._members = np.split(by_unique, np.searchsorted(self.unique[by_unique], np.arange(1, count)))
        self.status = np.zeros(len(calls), np.int8)
        self.score = np.full(len(calls), np.nan)
        self.parts: dict[str, NDArray[np.float64]] = {}
        self.places = np.full(count, -1, np.int64)
        self._ranks: dict[int, tuple[bool, str, str]] = {}
        self._paid = np.zeros((count, len(_SPENT)), np.int64)
        self._paid_in_all = np.zeros(len(_SPENT), np.int64)
        self._seconds = np.full(count, np.nan)
        self._facts: dict[int, _Facts] = {}
        self._same_facts: dict[_Facts, _Facts] = {}
        self.first_at = self.last_at = ""
        self.stray = 0

    @property
    def spent(self) -> Spent:
        """Over all records, strays included."""
        calls, input_tokens, output_tokens, unpriced, picodollars = self._paid_in_all.tolist()
        return Spent(
            calls=calls,
            input_tokens=input_tokens,
            output_tokens=output_tokens,
            usd=picodollars / _PICO,
            unpriced=unpriced,
        )

    def reported(self) -> dict[str, Counter[str]]:
        """Arm -> what its server called itself -> replies."""
        found = {name: Counter[str]() for name in self._spaces}
        for number, (name, _) in self._facts.items():
            found[self._arm_of(number)][name] += 1
        return found

    def sent(self) -> dict[str, Counter[SentForm]]:
        """Arm -> form -> pictures."""
        found = {name: Counter[SentForm]() for name in self._spaces}
        for number, (_, forms) in self._facts.items():
            found[self._arm_of(number)].update(forms)
        return found

    def _arm_of(self, number: int) -> str:
        return self._calls[int(self._members[number][0])].arm

    def spending(self) -> Spending:
        """By unique call."""
        calls, input_tokens, output_tokens, unpriced, picodollars = self._paid.T
        return Spending(calls, input_tokens, output_tokens, unpriced, picodollars / _PICO, self._seconds)

    def add(self, place: int, record: CallRecord) -> None:
        number = self._numbers.get(record.key)
        spent = record.spent
        # Whole numbers, so that sums do not depend on the order of the records.
        paid = (spent.calls, spent.input_tokens, spent.output_tokens, spent.unpriced, round(spent.usd * _PICO))
        self._paid_in_all += paid
        if number is None:
            self.stray += 1
            return
        self._paid[number] += paid
        self.first_at = min(self.first_at or record.at, record.at)
        self.last_at = max(self.last_at, record.at)
        rank = (not record.is_done, record.at, record.reply.text)
        if number in self._ranks and self._ranks[number] <= rank:
            return
        self._ranks[number] = rank
        self.places[number] = place
        # A record without a date was imported, and how long its call took is not known.
        self._seconds[number] = record.reply.latency_s if record.is_done and record.at else np.nan
        if record.is_done:
            facts = (record.reply.model_reported or "", tuple(map(_form_of, record.reply.sent_images)))
            self._facts[number] = self._same_facts.setdefault(facts, facts)
        self._judge(number, record.reply)

    def _judge(self, number: int, reply: Reply) -> None:
        """For all calls that share the reply; what they ask is the same, what is right may differ."""
        known: list[tuple[RunItem, JudgedReply]] = []
        for place in self._members[number].tolist():
            call = self._calls[place]
            judged = next((found for item, found in known if _judged_alike(item, call.item)), None)
            if judged is None:
                judged = judge_reply(call.item, reply, space=self._space(call), load_mask=self._load_mask)
                known.append((call.item, judged))
            self.status[place] = _PLACES[judged.status]
            self.score[place] = np.nan if judged.score is None else judged.score
            self._keep_parts(place, judged)

    def _keep_parts(self, place: int, judged: JudgedReply) -> None:
        for column in self.parts.values():
            column[place] = np.nan
        for name, value in judged.parts.items():
            self.parts.setdefault(name, np.full(len(self._calls), np.nan))[place] = value

    def _space(self, call: Call) -> CoordinateSpace:
        return self._spaces[call.arm]

    def _read_mask(self, picture: PictureRef) -> NDArray[np.uint8]:
        target = self._folder.images.file(picture.sha256)
        try:
            return mask_from_bytes(picture, target.read_bytes())
        except OSError as error:
            raise DiagnosticsError(
                f"mask {picture.path}: {target} cannot be read ({error.strerror or error}); give the run's command "
                "again, which puts it there"
            ) from error


def _form_of(sent: SentImage) -> SentForm:
    return sent.original_size, sent.sent_size, sent.media_type, sent.jpeg_quality


def _judged_alike(one: RunItem, other: RunItem) -> bool:
    if one.answer_format.answer_type in _LOCATED:
        return one is other
    return type(one.truth) is type(other.truth) and (one.truth, one.answer_format) == (other.truth, other.answer_format)
