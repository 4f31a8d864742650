"""Experiments as data: under which conditions questions are asked, and which differences between them are of interest.

An experiment is a YAML or JSON file; the package brings some, and anyone can write more::

    name: text-or-picture
    summary: is the true graph of more use as text or as a drawing?
    positions: true
    conditions:
      - name: plain
      - {name: told, graph: "true"}
      - {name: drawn, graph: "true", media: [birds_eye]}
    effects:
      - {name: text against drawing, before: drawn, after: told, meaning: what text says better}
"""

from __future__ import annotations

from importlib.resources import files
from pathlib import Path
from typing import Annotated, Literal, Self

from pydantic import BaseModel, ConfigDict, Field, StringConstraints, ValidationError, model_validator

from ..errors import DiagnosticsError
from ..scene_graph import GraphMedium

__all__ = [
    "Condition",
    "Effect",
    "Experiment",
    "GraphSource",
    "PictureSource",
    "Role",
    "experiment_names",
    "load_experiment",
]

PictureSource = Literal["shown", "grey", "none"]
"""The picture itself, a grey one of its size, or none."""

GraphSource = Literal["none", "true", "own", "corrupted", "shuffled"]
"""No graph; the true one; the one that the model drew itself; a wrong one; a true one with its numbers exchanged."""

Role = Literal["plain", "blind", "true", "own", "shuffled"]
"""What a condition is to a diagnosis."""

Name = Annotated[str, StringConstraints(strict=True, pattern=r"^[a-z0-9][a-z0-9 _.-]{0,59}$")]


class _Spec(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid", allow_inf_nan=False)


class Condition(_Spec):
    """How questions are asked.

    Args:
        name: unique in its experiment.
        picture: what is shown of the picture.
        graph: the graph beside it.
        level: how wrong a corrupted graph is, see `corrupt_graph`; for no other one.
        media: in which forms the graph is shown, together.
        legend: explain the graph's units, frame and relations.
        hint: say beforehand what was done to the picture, with its severity: rightly, wrongly, or not at all.
        chain: ask first what was done to the picture, and then, in the same conversation, the question.
    """

    name: Name
    picture: PictureSource = "shown"
    graph: GraphSource = "none"
    level: float | None = Field(default=None, gt=0, le=1)
    media: tuple[GraphMedium, ...] = Field(default=("json",), min_length=1)
    legend: bool = True
    hint: Literal["none", "true", "wrong"] = "none"
    chain: bool = False

    @model_validator(mode="after")
    def _fits(self) -> Self:
        if (self.graph == "corrupted") != (self.level is not None):
            raise ValueError(
                f"condition {self.name!r}: a level belongs to a corrupted graph, and each of those needs one"
            )
        if len(set(self.media)) != len(self.media):
            raise ValueError(f"condition {self.name!r} lists a medium twice")
        if self.chain and self.picture != "shown":
            raise ValueError(f"condition {self.name!r}: what was done to a picture can only be asked with the picture")
        return self

    @property
    def is_blind(self) -> bool:
        """The picture is not there to be seen."""
        return self.picture != "shown"

    @property
    def role(self) -> Role | None:
        """What it is to a diagnosis; None for conditions that a diagnosis does not use."""
        if self.hint != "none" or self.chain or self.graph == "corrupted":
            return None
        if self.graph == "none":
            return "blind" if self.is_blind else "plain"
        if self.is_blind or self.media != ("json",):
            return None
        return self.graph


class Effect(_Spec):
    """A difference of interest: the score under ``after`` less that under ``before``, on the same questions."""

    name: Name
    before: Name
    after: Name
    meaning: str = ""


class Experiment(_Spec):
    """Conditions and effects.

    Args:
        name: for reports.
        summary: what it is to find out, in a line.
        positions: ask for graphs, and show them, with places of objects; needed for drawings from above.
        graphs: what is shown of a picture when its graph is asked for, each in turn; what a model draws of a picture
            that it sees is its own graph.
        conditions: each name once; the first that is plain is what others are compared with.
        effects: between two of the conditions.
    """

    name: Name
    summary: str = ""
    positions: bool = False
    graphs: tuple[PictureSource, ...] = ("shown",)
    conditions: tuple[Condition, ...] = Field(min_length=1)
    effects: tuple[Effect, ...] = ()

    @model_validator(mode="after")
    def _consistent(self) -> Self:
        names = [one.name for one in self.conditions]
        twice = [name for name in names if names.count(name) > 1]
        if twice:
            raise ValueError(f"the condition {twice[0]!r} is there twice")
        for effect in self.effects:
            missing = [name for name in (effect.before, effect.after) if name not in names]
            if missing:
                raise ValueError(f"the effect {effect.name!r} speaks of {missing[0]!r}, which is no condition")
        if any(one.graph == "own" for one in self.conditions) and "shown" not in self.graphs:
            raise ValueError('a condition shows the own graph, so "shown" must be among the graphs asked for')
        if not self.positions and any("birds_eye" in one.media and one.graph != "none" for one in self.conditions):
            raise ValueError("a graph is drawn from above, which needs positions: true")
        return self

    def condition(self, name: str) -> Condition:
        """The condition of a name.

        Raises:
            DiagnosticsError: there is none.
        """
        for one in self.conditions:
            if one.name == name:
                return one
        raise DiagnosticsError(f"experiment {self.name} has no condition {name!r}")

    def in_role(self, role: Role) -> Condition | None:
        """The first condition that plays a role in a diagnosis."""
        return next((one for one in self.conditions if one.role == role), None)


def experiment_names() -> tuple[str, ...]:
    """The experiments that the package brings, sorted."""
    folder = files(f"{__package__}.experiments")
    return tuple(sorted(one.name.removesuffix(".yaml") for one in folder.iterdir() if one.name.endswith(".yaml")))


def load_experiment(name: str | Path) -> Experiment:
    """An experiment by its name, or from a YAML or JSON file.

    Raises:
        DiagnosticsError: no such experiment, or a file that is none; the message says what is wrong.
    """
    import yaml  # type: ignore[import-untyped,unused-ignore]

    if str(name) in experiment_names():
        text = files(f"{__package__}.experiments").joinpath(f"{name}.yaml").read_text(encoding="utf-8")
    else:
        try:
            text = Path(name).read_text(encoding="utf-8")
        except (OSError, UnicodeError) as error:
            known = ", ".join(experiment_names())
            raise DiagnosticsError(f"there is no experiment {str(name)!r}: give a file, or one of {known}") from error
    try:
        return Experiment.model_validate(yaml.safe_load(text))
    except yaml.YAMLError as error:
        raise DiagnosticsError(f"{name} is no YAML: {error}") from error
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        where = ".".join(str(part) for part in first["loc"]) or "the file"
        raise DiagnosticsError(f"{name} is no experiment: {where}: {first['msg']}") from error
