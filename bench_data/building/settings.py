"""What a data set is made of: everything that decides its bytes, and nothing else."""

from __future__ import annotations

from typing import Literal, Self

from pydantic import BaseModel, ConfigDict, Field, model_validator

from ..degrade.seeds import derived_rng
from ..questions import QUESTION_SUITES
from ..scenes import SceneKind
from .conditions import CLEAN, Condition

__all__ = ["BuildSettings", "SceneSpec"]


class SceneSpec(BaseModel):
    """One scene that is to be made.

    Args:
        id: "room-003".
        kind: room or street.
        seed: of the scene, and of what is done to its pictures.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    id: str
    kind: SceneKind
    seed: int


class BuildSettings(BaseModel):
    """The settings of a data set. The same settings give the same bytes, with any number of processes.

    Args:
        scenes: how many.
        kind: of the scenes; "mixed" is rooms and streets in turn.
        suites: of questions; none for pictures only.
        conditions: under which every picture is drawn.
        views: of each scene.
        width, height: of the pictures, pixels.
        fov_deg: horizontal field of view.
        objects: in each scene; None for the usual number of its kind.
        density: of Gaussians against the usual number, see `make_room`.
        seed: of everything.
        published: ask by the published rules, faults included.
        most_per_kind: questions of a kind a scene, at most; None for all.
        questions_factor: times the usual number of questions a picture, for suites that draw them (crisp).
        keep_clouds: keep the Gaussians of the scenes.
        formats: in which the questions are written besides our own, see `suites`.
        engine: that draws the pictures; gsplat's differ in the last digits, and from device to device.
    """

    model_config = ConfigDict(frozen=True, extra="forbid", allow_inf_nan=False)

    scenes: int = Field(default=8, ge=1, le=100_000)
    kind: Literal["room", "street", "mixed"] = "room"
    suites: tuple[str, ...] = ()
    conditions: tuple[Condition, ...] = Field(default=(Condition(label=CLEAN),), min_length=1)
    views: int = Field(default=25, ge=1, le=1000)
    width: int = Field(default=640, ge=16, le=8192)
    height: int = Field(default=480, ge=16, le=8192)
    fov_deg: float = Field(default=75.0, ge=10, le=130)
    objects: int | None = Field(default=None, ge=1, le=120)
    density: float = Field(default=1.0, ge=0.05, le=20)
    seed: int = 0
    published: bool = False
    most_per_kind: int | None = Field(default=None, ge=1)
    questions_factor: int = Field(default=1, ge=1, le=100)
    keep_clouds: bool = False
    formats: tuple[str, ...] = ()
    engine: Literal["numba", "gsplat"] = "numba"

    @model_validator(mode="after")
    def _each_once(self) -> Self:
        labels = [one.label for one in self.conditions]
        for what, names in (("suite", self.suites), ("condition", labels), ("format", self.formats)):
            for name in names:
                if list(names).count(name) > 1:
                    raise ValueError(f"the {what} {name} is asked for twice")
        return self

    def check_suites(self) -> None:
        """Refuses names that are no suite of questions.

        Raises:
            RegistryError: an unknown suite.
        """
        for name in self.suites:
            QUESTION_SUITES.get(name)

    def scene_specs(self) -> tuple[SceneSpec, ...]:
        """The scenes, in order."""
        kinds = {"mixed": tuple(SceneKind)}.get(self.kind) or (SceneKind(self.kind),)
        digits = max(3, len(str(self.scenes - 1)))
        return tuple(
            SceneSpec(
                id=f"{kinds[number % len(kinds)].value}-{number:0{digits}d}",
                kind=kinds[number % len(kinds)],
                seed=int(derived_rng("data set scene", self.seed, number).integers(2**53)),
            )
            for number in range(self.scenes)
        )

    def differences(self, other: BuildSettings) -> tuple[str, ...]:
        """What differs between two settings, as "name: ours, not theirs"."""
        ours, theirs = self.model_dump(mode="json"), other.model_dump(mode="json")
        return tuple(f"{name}: {ours[name]}, not {theirs[name]}" for name in ours if ours[name] != theirs[name])
