"""The folder of a run: its plan, its items, its records, its pictures; one command at a time works in it."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path

from pydantic import ValidationError

from ...bench_data.file_lock import held_alone
from ..errors import DiagnosticsError
from .differences import Difference, differences_of
from .images import ImageFolder
from .items import RunItem, item_line, read_item_lines
from .plan import RunPlan
from .planning import PlannedRun

__all__ = ["RunFolder"]


class RunFolder:
    """``plan.json``, ``items.jsonl``, ``records.jsonl``, ``images/`` by content, ``solver/`` of wrapped models.

    Args:
        root: of the run; made when a run begins.
    """

    def __init__(self, root: Path) -> None:
        self.root = root
        self.records = root / "records.jsonl"
        self.images = ImageFolder(root / "images")

    @property
    def solver(self) -> Path:
        """Where wrapped models keep what a question has paid for before it is finished."""
        return self.root / "solver"

    @contextmanager
    def begun(self, planned: PlannedRun) -> Iterator[tuple[str, ...]]:
        """Holds the folder for a run, with its plan written down.

        Yields:
            Lines on what differs from the last start: more items, another limit. They are no reason to stop.

        Raises:
            DiagnosticsError: another process works here, the folder holds a run with other settings (each is named),
                or it cannot be written.
        """
        with ExitStack() as stack:
            try:
                self.root.mkdir(parents=True, exist_ok=True)
                stack.enter_context(held_alone(self.root / "lock", self._in_use))
                changes = self._changes(planned.plan)
                self._write("items.jsonl", b"".join(item_line(item) for item in planned.items))
                text = json.dumps(planned.plan.model_dump(mode="json"), indent=1, ensure_ascii=True)
                self._write("plan.json", text.encode() + b"\n")
                self._keep_masks(planned.items)
            except OSError as error:
                raise DiagnosticsError(f"cannot work in {self.root}: {error}; check path and permissions") from error
            yield changes

    def plan(self) -> RunPlan:
        """The plan as it was written down.

        Raises:
            DiagnosticsError: there is none, or it is damaged.
        """
        path = self.root / "plan.json"
        try:
            return RunPlan.model_validate_json(path.read_bytes())
        except OSError as error:
            raise DiagnosticsError(
                f"cannot read {path}: {error.strerror or error}; is {self.root} the folder of a run?"
            ) from error
        except ValidationError as error:
            first = error.errors(include_url=False, include_input=False)[0]
            where = ".".join(map(str, first["loc"])) or "the file"
            raise DiagnosticsError(f"{path} is no plan of a run: {where}: {first['msg']}") from error

    def items(self) -> list[RunItem]:
        """The items as they were written down.

        Raises:
            DiagnosticsError: they are missing, damaged, or others than the plan's.
        """
        path = self.root / "items.jsonl"
        items = read_item_lines(path)
        planned = self.plan().data.items
        different = len({item.id for item in items})
        if not items or different < len(items) or len(items) != planned:
            raise DiagnosticsError(
                f"{path} holds {len(items):,} items, {different:,} of them different; the plan speaks of {planned:,}; "
                "give the command of the run again, which writes the file anew"
            )
        return items

    def _keep_masks(self, items: Sequence[RunItem]) -> None:
        """Scoring needs them when the suite is no longer at hand."""
        masks = {item.mask.sha256: item.mask for item in items if item.mask is not None}
        for sha256, mask in masks.items():
            if mask.fault or mask.image is None:
                raise DiagnosticsError(f"a mask cannot be read: {mask.fault or mask.path}")
            self.images.put(mask.image.read(), sha256)

    def _in_use(self, owner: str) -> DiagnosticsError:
        return DiagnosticsError(f"{self.root} is in use by {owner}; wait for it, or choose another -o")

    def _changes(self, plan: RunPlan) -> tuple[str, ...]:
        if not (self.root / "plan.json").exists():
            if self.records.exists():
                raise DiagnosticsError(
                    f"{self.root} holds records and no plan.json; put the plan back, or choose another -o"
                )
            if self.images.path.exists():
                raise DiagnosticsError(
                    f"{self.root} holds the pictures of something else ({self.images.path.name}/, and no plan.json); "
                    "choose another -o"
                )
            return ()
        before = self.plan()
        refused = differences_of(
            before.settings.model_dump(mode="json"), plan.settings.model_dump(mode="json"), below="settings"
        )
        if refused:
            raise DiagnosticsError(
                f"{self.root} holds a run with other settings ({'; '.join(map(str, refused))}); choose another -o, or "
                "give the same settings"
            )
        changes = []
        if before.limit != plan.limit:
            changes.append(str(Difference("limit", before.limit, plan.limit)))
        elif before.data.sha256 != plan.data.sha256:
            changes.append(f"other data than at the last start: {before.data.items:,} items -> {plan.data.items:,}")
        return tuple(changes)

    def _write(self, name: str, data: bytes) -> None:
        target = self.root / name
        part = target.with_name(f".{name}.part")
        with part.open("wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        part.replace(target)
