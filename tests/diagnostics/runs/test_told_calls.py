"""What a model is told of the pictures travels with a call to a worker elsewhere, and is part of its key."""

from __future__ import annotations

from pathlib import Path

from seeworthy.diagnostics.runs import Arm, Told
from seeworthy.diagnostics.runs.cluster.worker import call_as_sent, call_of

from .small_runs import CountedModel, planned, small_suite


def test_what_is_told_travels_with_a_call(tmp_path: Path) -> None:
    suite = small_suite(tmp_path, questions=2, conditions=("haze-3",))
    model = CountedModel().model
    keys: set[str] = set()
    kinds: tuple[Told, ...] = ("nothing", "oracle", "wrong")
    for told in kinds:
        plan = planned(suite, [Arm(model, label="same", told=told)], prompts=["plain", "wrong-hint", "describe"])
        for call in plan.calls:
            arrived = call_of(call_as_sent(call))
            assert (arrived.key, arrived.told, arrived.stress) == (call.key, told, call.stress)
            assert arrived.item.wrong_stress == call.item.wrong_stress
            assert (call.stress is None) == (told == "nothing")
        keys |= {call.key for call in plan.calls}
    assert len(keys) == 3 * 6
