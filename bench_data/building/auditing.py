"""Audits of data sets and of files of questions: do they give answers away, are their keys right, are files as made."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path

from ..errors import BenchDataError
from ..questions import Question, SceneTruth
from ..questions.audit import KeyReport, audit_keys
from ..questions.leaks import LeakReport, audit_leaks, pooled
from ..questions.truth_file import read_truth
from .answer_stage import read_questions
from .data_set import DataSet
from .layout import question_file
from .manifest import changed_files

__all__ = ["Audit", "audit_data_set", "audit_question_files"]


@dataclass(frozen=True)
class Audit:
    """The result.

    Args:
        leaks: suite -> what guessers without pictures reach.
        whole: what they reach over all suites together.
        keys: suite -> what is wrong with its keys; None where the truth of the scenes is not there.
        files: how many were compared with the manifest; None without one.
        changed: names of those that are missing or not as made.
    """

    leaks: Mapping[str, LeakReport]
    whole: LeakReport
    keys: Mapping[str, KeyReport] | None
    files: int | None = None
    changed: tuple[str, ...] = field(default=())

    @property
    def ok(self) -> bool:
        """Whether nothing is wrong."""
        no_leak = self.whole.ok and all(one.ok for one in self.leaks.values())
        return not self.changed and no_leak and all(one.ok for one in (self.keys or {}).values())


def audit_data_set(root: Path, *, tolerance: float = 0.03, check_files: bool = True) -> Audit:
    """Audits all suites of a data set.

    Args:
        root: its folder.
        tolerance: what guessers may reach beyond chance.
        check_files: compare the hash of every file with the manifest.

    Raises:
        BenchDataError: the folder holds no finished data set, or a file of it cannot be read.
    """
    data = DataSet(root)
    files = data.manifest.files
    changed = tuple(changed_files(root, files)) if check_files else ()
    audit = _audited({suite: root / question_file(suite) for suite in data.suites}, list(data.truths()), tolerance)
    return replace(audit, files=len(files) if check_files else None, changed=changed)


def audit_question_files(paths: Iterable[Path], truths: Path | None = None, *, tolerance: float = 0.03) -> Audit:
    """Audits files of questions.

    Args:
        paths: one question a line.
        truths: a folder with the truths of their scenes; None: keys are not checked against scenes.
        tolerance: as for `audit_data_set`.

    Raises:
        BenchDataError: a file that cannot be read, or two of the same name.
    """
    by_name: dict[str, Path] = {}
    for path in paths:
        if by_name.setdefault(path.stem, path) != path:
            raise BenchDataError(f"{path} and {by_name[path.stem]} have the same name; audit them one at a time")
    return _audited(by_name, None if truths is None else list(_truths(truths)), tolerance)


def _audited(files: Mapping[str, Path], truths: list[SceneTruth] | None, tolerance: float) -> Audit:
    leaks: dict[str, LeakReport] = {}
    keys: dict[str, KeyReport] = {}
    for suite, path in files.items():
        asked: list[Question] = list(read_questions(path))
        leaks[suite] = audit_leaks(asked, tolerance=tolerance)
        if truths is not None:
            keys[suite] = audit_keys(asked, truths)
    return Audit(leaks, pooled(leaks.values(), tolerance=tolerance), None if truths is None else keys)


def _truths(folder: Path) -> Iterator[SceneTruth]:
    found = sorted(folder.glob("*.json"))
    if not found:
        raise BenchDataError(f"{folder} holds no truths of scenes; name the folder 'truth' of a data set")
    return (read_truth(path) for path in found)
