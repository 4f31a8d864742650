"""Each rule of the four kinds of errors, alone and together."""

import pytest

from seeworthy.bench_data.questions.query import (
    CameraFrame,
    Distance,
    Exists,
    LevelFrame,
    Locate,
    ObjectRef,
    Query,
    Related,
    TurnWords,
    Value,
)
from seeworthy.diagnostics.degradation_errors import DegradedAnswer, ErrorKind, count_errors, error_kinds

HOW_FAR = Value(Distance(ObjectRef(1), ObjectRef(2)))
LEFT = Related(ObjectRef(1), ObjectRef(2), ("left",), LevelFrame(), 0.2)


def answer(query: Query = HOW_FAR, **changes: object) -> DegradedAnswer:
    fields: dict[str, object] = {
        "condition": "plain",
        "query": query,
        "answered": True,
        "right": False,
        "right_when_clean": True,
        "answerable": True,
        "degradations": ("haze",),
        "named": None,
    }
    return DegradedAnswer(**{**fields, **changes})  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("one", "kinds"),
    [
        (answer(), (ErrorKind.ARTEFACT,)),
        (answer(Exists("chair", (0,))), (ErrorKind.ARTEFACT,)),
        (answer(LEFT), (ErrorKind.RELATION,)),
        (answer(TurnWords(0, 1)), (ErrorKind.RELATION,)),
        (answer(Locate(1, 0, "box")), (ErrorKind.OTHER,)),
        (answer(right_when_clean=False), (ErrorKind.NOT_INDUCED,)),
        (answer(right_when_clean=None), (ErrorKind.OTHER,)),
        (answer(answerable=False), (ErrorKind.ARTEFACT, ErrorKind.LOW_VISIBILITY)),
        (answer(named="over_exposure"), (ErrorKind.ATTRIBUTION, ErrorKind.ARTEFACT)),
        (answer(named="haze"), (ErrorKind.ARTEFACT,)),
        (answer(named="none", right_when_clean=None), (ErrorKind.ATTRIBUTION,)),
        (
            answer(LEFT, named="rain", answerable=False),
            (ErrorKind.ATTRIBUTION, ErrorKind.RELATION, ErrorKind.LOW_VISIBILITY),
        ),
        (answer(right=True, named="rain", answerable=False), ()),
        (answer(answered=False, answerable=False), ()),
    ],
)
def test_rules(one: DegradedAnswer, kinds: tuple[ErrorKind, ...]) -> None:
    assert error_kinds(one) == kinds


def test_any_part_of_a_mixture_is_named_rightly() -> None:
    mixture = answer(degradations=("low_light", "motion_blur"), named="motion_blur")
    assert ErrorKind.ATTRIBUTION not in error_kinds(mixture)


def test_counts_by_condition() -> None:
    counts = count_errors(
        [
            answer(),
            answer(LEFT, named="rain"),
            answer(answered=False, answerable=False),
            answer(answered=False),
            answer(right=True, named="haze"),
            answer(condition="told", right=True),
        ]
    )
    assert [one.condition for one in counts] == ["plain", "told"]
    plain = counts[0]
    assert (plain.questions, plain.wrong, plain.declined, plain.declined_rightly) == (5, 2, 2, 1)
    assert (plain.named, plain.named_rightly) == (2, 1)
    assert plain.kinds[ErrorKind.ARTEFACT] == plain.kinds[ErrorKind.RELATION] == plain.kinds[ErrorKind.ATTRIBUTION] == 1
    assert counts[1].wrong == 0 and set(counts[1].kinds.values()) == {0}


def test_a_camera_frame_is_a_relation_too() -> None:
    query = Related(ObjectRef(1), ObjectRef(2), ("front",), CameraFrame(), 0.2)
    assert error_kinds(answer(query)) == (ErrorKind.RELATION,)
