"""Inspect AI: suites and data sets as tasks, ``inspect eval seeworthy/suite -T data=FOLDER --model ...``.

Inspect AI finds this module through the entry-point group ``inspect_ai``. The task ``suite`` asks everything that the
data holds; the others ask one family of questions of it.
"""

# mypy: allow-untyped-decorators
from __future__ import annotations

from inspect_ai import Task, task
from inspect_ai.dataset import MemoryDataset, Sample
from inspect_ai.model import ChatMessageUser, Content, ContentImage, ContentText, GenerateConfig
from inspect_ai.solver import generate

from ...tools.models import CoordinateSpace, GenerationSettings
from ..errors import DiagnosticsError
from ..runs import Source
from .inspect_scoring import seeworthy_answer
from .samples import CarriedSample, carried_samples

__all__ = ["crisp", "grounding", "open3dvqa", "robostress", "spacedg", "suite"]

Names = str | list[str] | None
"""``-T conditions=clean,haze``: Inspect AI makes a list of it."""


@task
def suite(
    data: str,
    format: str | None = None,  # noqa: A002 - the option's name
    conditions: Names = None,
    limit: int | None = None,
    prompt: str = "plain",
    space: str = "permille",
    seed: int = 0,
) -> Task:
    """All questions of a suite or data set.

    Args:
        data: its file or folder.
        format: of a suite whose content does not tell it.
        conditions: with commas; all by default.
        limit: samples in all, spread over kinds and conditions.
        prompt: a way of asking in one turn: plain, blind, hint.
        space: what boxes and points are asked for in.
        seed: of the selection.
    """
    return _task(data, None, format, conditions, limit, prompt, space, seed)


@task
def spacedg(
    data: str, conditions: Names = None, limit: int | None = None, prompt: str = "plain", seed: int = 0
) -> Task:
    """The SpaceDG questions of a data set."""
    return _task(data, "spacedg", None, conditions, limit, prompt, "permille", seed)


@task
def open3dvqa(
    data: str, conditions: Names = None, limit: int | None = None, prompt: str = "plain", seed: int = 0
) -> Task:
    """The Open3DVQA questions of a data set."""
    return _task(data, "open3dvqa", None, conditions, limit, prompt, "permille", seed)


@task
def crisp(data: str, conditions: Names = None, limit: int | None = None, prompt: str = "plain", seed: int = 0) -> Task:
    """The CRISP questions of a data set; how answers and scene graphs agree, `seeworthy audit` tells."""
    return _task(data, "crisp", None, conditions, limit, prompt, "permille", seed)


@task
def grounding(
    data: str,
    conditions: Names = None,
    limit: int | None = None,
    prompt: str = "plain",
    space: str = "permille",
    seed: int = 0,
) -> Task:
    """The questions of a data set that ask for boxes and points."""
    return _task(data, "grounding", None, conditions, limit, prompt, space, seed)


@task
def robostress(
    data: str,
    conditions: Names = None,
    limit: int | None = None,
    prompt: str = "plain",
    space: str = "permille",
    seed: int = 0,
) -> Task:
    """The RoboStressBench questions of a data set, or of the published folder."""
    return _task(data, "robostress", None, conditions, limit, prompt, space, seed)


def _task(
    data: str,
    family: str | None,
    suite_format: str | None,
    conditions: Names,
    limit: int | None,
    prompt: str,
    space: str,
    seed: int,
) -> Task:
    if space not in [one.value for one in CoordinateSpace]:
        raise DiagnosticsError(f"space {space!r} is none of {', '.join(one.value for one in CoordinateSpace)}")
    samples = carried_samples(
        Source.at(data, suite_format),
        suite=family,
        conditions=_names(conditions),
        limit=limit,
        prompt=prompt,
        space=CoordinateSpace(space),
        seed=seed,
    )
    decoding = GenerationSettings()
    return Task(
        dataset=MemoryDataset([_sample(one) for one in samples], name=family or "suite", location=data),
        solver=generate(),
        scorer=seeworthy_answer(),
        config=GenerateConfig(temperature=decoding.temperature, max_tokens=decoding.max_tokens),
    )


def _sample(carried: CarriedSample) -> Sample:
    content: list[Content] = [
        ContentText(text=value) if kind == "text" else ContentImage(image=value) for kind, value in carried.parts
    ]
    return Sample(
        id=carried.id, input=[ChatMessageUser(content=content)], target=carried.target, metadata=dict(carried.facts)
    )


def _names(given: Names) -> list[str] | None:
    if given is None:
        return None
    names = given.split(",") if isinstance(given, str) else given
    return [str(name).strip() for name in names]
