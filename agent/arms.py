"""The arms of a benchmark that put the solver around a model: the solver itself, its ablations and its controls.

On the command line an arm is written around the name of a model, as in ``rectified-only(openai/...)``.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from .errors import SolverError
from .profiles import Profile
from .records import View

if TYPE_CHECKING:
    from ..diagnostics.runs import Arm
    from ..diagnostics.runs.arms import CallRange, Told
    from ..tools.models import VisionLanguageModel

__all__ = ["ARMS", "SolverArm", "split_arm"]


@dataclass(frozen=True)
class SolverArm:
    """A way of putting the solver around a model.

    Args:
        name: written around the model's name.
        summary: one line.
        profile: makes the solver's profile out of the one that was chosen.
        told: what the solver is told of the pictures in place of what it would detect.
    """

    name: str
    summary: str
    profile: Callable[[Profile], Profile]
    told: Told = "nothing"

    def around(self, leaf: VisionLanguageModel, profile: Profile) -> Arm:
        """The arm for a model.

        Raises:
            SolverError: the profile repairs nothing, so that the arm would be the model itself under another name.
        """
        from ..diagnostics.runs import Arm
        from .robust import RobustVLM
        from .run_folder import RunFolder

        if self.name != "robust" and not profile.rectify:
            raise SolverError(
                f"{self.name}(...) needs a profile that repairs pictures; {profile.name!r} leaves them alone"
            )
        chosen = self.profile(profile)

        def wrap(model: VisionLanguageModel, folder: Path | None) -> VisionLanguageModel:
            # Arms share pictures and tool runs, and pay for their own calls: what an arm costs is part of its result.
            return RobustVLM(
                model, profile=chosen, run_folder=None if folder is None else RunFolder(folder, apart=self.name)
            )

        return Arm(leaf, wrap, label=f"{self.name}({leaf.name})", told=self.told, calls=_calls(chosen))


def split_arm(name: str) -> tuple[SolverArm | None, str]:
    """The arm and the model of a name such as ``robust(openai/...)``; no arm for the model alone.

    >>> split_arm("wrong-tag(nano)")[0].name, split_arm("nano")
    ('wrong-tag', (None, 'nano'))
    """
    head, opened, rest = name.partition("(")
    arm = ARMS.get(head) if opened and rest.endswith(")") else None
    return (None, name) if arm is None else (arm, rest[:-1])


def _as_chosen(profile: Profile) -> Profile:
    return profile


def _only_rectified(profile: Profile) -> Profile:
    """One call, in the very words of the question: against the model alone, only the pixels differ."""
    return profile.model_copy(
        update={"views": (View.RECTIFIED,), "samples_per_view": 1, "explain_repairs": False, "min_support": 0.0}
    )


def _original_twice(profile: Profile) -> Profile:
    """The calls, pictures and words of the solver, with the original in the place of its repair."""
    return profile.model_copy(update={"show_repairs": False})


def _calls(profile: Profile) -> CallRange:
    """For a question about one picture. A call more a picture where the model is asked what is wrong with it."""
    asked = int(profile.rectify and profile.ask_model_for_stress)
    views = len(profile.views) if profile.rectify else 1
    return asked + profile.samples_per_view, asked + views * profile.samples_per_view


ARMS: dict[str, SolverArm] = {
    arm.name: arm
    for arm in (
        SolverArm("robust", "the solver", _as_chosen),
        SolverArm("rectified-only", "the model sees only the pictures that the solver repaired", _only_rectified),
        SolverArm(
            "original-twice",
            "as many calls and pictures as the solver takes, with the original in the place of its repair",
            _original_twice,
        ),
        SolverArm("oracle-tag", "the solver is told what is wrong with the pictures", _as_chosen, "oracle"),
        SolverArm("wrong-tag", "the solver is told something wrong, drawn by the run's seed", _as_chosen, "wrong"),
    )
}
