"""What the model is shown in each view."""

import numpy as np
import pytest

from seeworthy.agent.conversation import Conversation, ask
from seeworthy.agent.errors import SolverError
from seeworthy.agent.prompts import load_prompt
from seeworthy.agent.records import PictureWork, ToolTry, View
from seeworthy.agent.store import MemoryPictures
from seeworthy.bench_data.images import Picture
from seeworthy.bench_data.questions import AnswerFormat, AnswerType, Unit
from seeworthy.bench_data.stress import Stress
from seeworthy.tools.models import CoordinateSpace, ImagePart, Message, Request, TextPart
from seeworthy.tools.models.fingerprint import request_fingerprint

CHOICE = AnswerFormat(answer_type=AnswerType.CHOICE, options={"A": "lamp", "B": "sofa"})


def flat(value: int) -> Picture:
    return Picture(np.full((4, 6, 3), value, dtype=np.uint8))


def work_on(index: int, original: Picture, current: Picture, store: MemoryPictures) -> PictureWork:
    done = ToolTry(
        step=0,
        attempt=0,
        stress=Stress.LOW_LIGHT,
        tool="t",
        version="1",
        before=store.put(original),
        after=store.put(current),
        accepted=True,
    )
    return PictureWork(
        index=index,
        original=original.sha256,
        current=current.sha256,
        size=[6, 4],
        tries=[done] if current is not original else [],
    )


def shown(request: Request) -> list[object]:
    """Texts, and the grey value of each picture, in order."""
    return [
        int(part.picture.image_srgb_u8[0, 0, 0]) if isinstance(part, ImagePart) else part.text
        for message in request.messages
        for part in message.parts
    ]


def test_the_original_view_is_the_users_request_to_the_last_byte() -> None:
    store = MemoryPictures()
    messages = (
        Message(role="system", parts=(TextPart(text="Be brief."),)),
        Message(parts=(TextPart(text="before"), ImagePart(picture=flat(1)), TextPart(text="after"))),
    )
    request = Request(messages=messages, seed=7)
    conversation = Conversation.of(request, CHOICE, store)
    work = [work_on(0, flat(1), flat(200), store)]
    assert request_fingerprint(conversation.request(View.ORIGINAL, work, store)) == request_fingerprint(request)


def test_both_view_shows_the_repaired_picture_first_and_says_which_is_which() -> None:
    store = MemoryPictures()
    request = ask("Which is closer?", [flat(1), flat(2), flat(3)], CHOICE, space=CoordinateSpace.PERMILLE)
    conversation = Conversation.of(request, CHOICE, store)
    untouched = flat(2)
    work = [
        work_on(0, flat(1), flat(101), store),
        work_on(1, untouched, untouched, store),
        work_on(2, flat(3), flat(103), store),
    ]
    first, *rest = shown(conversation.request(View.BOTH, work, store))
    assert isinstance(first, str)
    assert "picture 1, which is a repaired version of picture 2" in first
    assert "picture 4, which is a repaired version of picture 5" in first
    assert "low light" in first
    assert rest[:5] == [101, 1, 2, 103, 3]
    assert str(rest[5]).startswith("Which is closer?")


def test_rectified_view_replaces_the_picture_and_says_why() -> None:
    store = MemoryPictures()
    request = ask("What?", [flat(1)], AnswerFormat(answer_type=AnswerType.TEXT), space=CoordinateSpace.PERMILLE)
    conversation = Conversation.of(request, AnswerFormat(answer_type=AnswerType.TEXT), store)
    text, pixels, question = shown(conversation.request(View.RECTIFIED, [work_on(0, flat(1), flat(99), store)], store))
    assert "low light" in str(text)
    assert (pixels, question) == (99, "What?")


def test_samples_differ_in_seed_and_temperature_only() -> None:
    store = MemoryPictures()
    request = ask("What?", [flat(1)], CHOICE, space=CoordinateSpace.PERMILLE, seed=5)
    conversation = Conversation.of(request, CHOICE, store)
    work = [work_on(0, flat(1), flat(1), store)]
    one, two = (conversation.request(View.ORIGINAL, work, store, sample=s, temperature=0.7) for s in (0, 1))
    assert (one.seed, two.seed) == (5, 6)
    assert one.settings.temperature == two.settings.temperature == 0.7
    assert one.messages == two.messages


def test_the_state_form_comes_back_the_same() -> None:
    store = MemoryPictures()
    request = ask("What?", [flat(1)], CHOICE, space=CoordinateSpace.PERMILLE, seed=5)
    conversation = Conversation.of(request, CHOICE, store)
    assert Conversation.model_validate(conversation.plain()) == conversation
    assert "What?" in conversation.question


@pytest.mark.parametrize(
    ("answer_format", "expected"),
    [
        (CHOICE, "A. lamp\nB. sofa"),
        (AnswerFormat(answer_type=AnswerType.YES_NO), "yes or no"),
        (AnswerFormat(answer_type=AnswerType.NUMBER, unit=Unit.METRE), "one number in m"),
        (AnswerFormat(answer_type=AnswerType.LIST, unit=Unit.METRE, length=3), "exactly 3 numbers in m"),
        (AnswerFormat(answer_type=AnswerType.CLOCK), "clock direction"),
        (AnswerFormat(answer_type=AnswerType.BOX), "from 0 to 1000"),
        (AnswerFormat(answer_type=AnswerType.POINT), "from 0 to 1000"),
    ],
)
def test_every_answer_type_has_its_prompt(answer_format: AnswerFormat, expected: str) -> None:
    request = ask("Where $is it?", [flat(1)], answer_format, space=CoordinateSpace.PERMILLE)
    text = request.messages[0].text
    assert expected in text
    assert "Where $is it?" in text  # a question is inserted as it is, dollars included


def test_a_graph_is_refused_with_the_way_to_go() -> None:
    with pytest.raises(SolverError, match="audit"):
        ask("Graph?", [flat(1)], AnswerFormat(answer_type=AnswerType.GRAPH), space=CoordinateSpace.PERMILLE)


def test_prompts_check_their_variables() -> None:
    with pytest.raises(SolverError, match="needs"):
        load_prompt("ask_choice").fill(question="q")
    with pytest.raises(SolverError, match="no prompt"):
        load_prompt("nothing")
