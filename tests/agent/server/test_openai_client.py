"""The official client works unchanged: sync and async, whole and streamed, with pictures and settings."""

from __future__ import annotations

import openai
import pytest

from seeworthy.bench_data.images import Picture
from seeworthy.tools.models import GenerationSettings, Message, Reply, ReplyStatus, Request, TextPart, Usage
from seeworthy.tools.models.registry import resolve_model

from ..conftest import AddTool, ScriptedModel
from ..test_editors import good
from .conftest import NAME, Serve, chat, data_uri, noise, user


def said(text: str, status: ReplyStatus = ReplyStatus.OK, **more: object) -> Reply:
    usage = Usage(input_tokens=11, output_tokens=3, reasoning_tokens=2)
    return Reply(text=text, status=status, usage=usage, **more)  # type: ignore[arg-type]


def test_models_are_listed_and_found(serve: Serve) -> None:
    client = serve(ScriptedModel(lambda r: "B")).client()
    assert [model.id for model in client.models.list()] == [NAME]
    assert client.models.retrieve(NAME).owned_by == "seeworthy"
    with pytest.raises(openai.NotFoundError, match="not served"):
        client.models.retrieve("a/b@c")


def test_every_setting_picture_and_role_reaches_the_model(serve: Serve) -> None:
    model = ScriptedModel(lambda r: said("Left."))
    first, second = noise(1), noise(2)
    answer = (
        serve(model)
        .client()
        .chat.completions.create(
            model=NAME,
            messages=[
                {"role": "system", "content": "Be brief."},
                {"role": "developer", "content": [{"type": "text", "text": "Really."}]},
                {"role": "user", "content": "Hello"},
                {"role": "assistant", "content": "Hi."},
                user("Which is larger?", data_uri(first), data_uri(second)),  # type: ignore[list-item]
            ],
            temperature=0.5,
            top_p=0.9,
            max_completion_tokens=77,
            stop=["END", "\n\n"],
            seed=5,
            user="somebody",
            presence_penalty=0.5,
        )
    )
    (asked,) = model.asked
    assert [message.role for message in asked.messages] == ["system", "system", "user", "assistant", "user"]
    assert [message.text for message in asked.messages[:4]] == ["Be brief.", "Really.", "Hello", "Hi."]
    assert [picture.sha256 for picture in asked.pictures] == [first.sha256, second.sha256]
    assert asked.messages[-1].parts[-1] == TextPart(text="Which is larger?")
    assert asked.settings == GenerationSettings(temperature=0.5, top_p=0.9, max_tokens=77, stop=("END", "\n\n"))
    assert asked.seed == 5
    choice = answer.choices[0]
    assert (choice.message.content, choice.finish_reason, answer.model) == ("Left.", "stop", NAME)
    assert answer.usage is not None
    assert (answer.usage.prompt_tokens, answer.usage.completion_tokens, answer.usage.total_tokens) == (11, 3, 14)
    assert choice.model_extra is not None
    assert choice.model_extra["seeworthy"]["ignored"] == ["presence_penalty"]


def test_what_is_not_said_is_greedy_and_bounded(serve: Serve) -> None:
    model = ScriptedModel(lambda r: "B")
    running = serve(model, default_max_tokens=99)
    assert running.post(chat()).status_code == 200
    assert running.post(chat(temperature=None, max_tokens=None, seed=None, stop=None, n=None)).status_code == 200
    assert [request.settings for request in model.asked] == [GenerationSettings(temperature=0.0, max_tokens=99)] * 2
    assert model.asked[0].seed is None


def test_choices_are_asked_one_by_one_with_seeds_of_their_own(serve: Serve) -> None:
    model = ScriptedModel(lambda request: said(f"seed {request.seed}"))
    client = serve(model).client()
    answer = client.chat.completions.create(model=NAME, messages=chat()["messages"], n=3, seed=40, temperature=1)  # type: ignore[call-overload]
    assert [choice.message.content for choice in answer.choices] == ["seed 40", "seed 41", "seed 42"]
    assert [choice.index for choice in answer.choices] == [0, 1, 2]
    assert answer.usage.total_tokens == 3 * 14
    client.chat.completions.create(model=NAME, messages=chat()["messages"], n=2, seed=2**63 - 1)  # type: ignore[call-overload]
    assert {request.seed for request in model.asked[3:]} == {2**63 - 1, 2**63 - 2}, "seeds stay within 64 bits"


@pytest.mark.parametrize(
    ("reply", "content", "refusal", "finish"),
    [
        (said("cut", ReplyStatus.TRUNCATED), "cut", None, "length"),
        (said("half", ReplyStatus.FILTERED), "half", None, "content_filter"),
        (said("I cannot help.", ReplyStatus.REFUSAL), None, "I cannot help.", "stop"),
        (said("", ReplyStatus.REFUSAL), None, "The model's server refused to answer.", "stop"),
        (said(""), "", None, "stop"),
        (said("é \ud83d \U0001f600 \x00"), "é \ufffd \U0001f600 \x00", None, "stop"),
    ],
)
async def test_what_became_of_a_reply_survives_the_way_to_our_own_adapter(
    serve: Serve, reply: Reply, content: str | None, refusal: str | None, finish: str
) -> None:
    running = serve(ScriptedModel(lambda r: reply))
    answer = running.client().chat.completions.create(model=NAME, messages=[{"role": "user", "content": "?"}])
    message = answer.choices[0].message
    assert (message.content, message.refusal, answer.choices[0].finish_reason) == (content, refusal, finish)
    again = resolve_model(f"openai/{NAME}@{running.base_url}", {"max_attempts": 1})
    assert (await again.reply(Request(messages=(Message(parts=(TextPart(text="?"),)),)))).status is reply.status


def test_reasoning_and_unknown_usage_are_told_as_they_are(serve: Serve) -> None:
    running = serve(ScriptedModel(lambda r: Reply(text="B", reasoning="hm", status=ReplyStatus.OK)))
    answer = running.client().chat.completions.create(model=NAME, messages=[{"role": "user", "content": "?"}])
    assert answer.usage is None, "unknown is unknown"
    assert answer.choices[0].message.model_extra == {"reasoning_content": "hm"}
    assert answer.created == 1_800_000_000


def test_a_stream_says_the_same_as_the_whole(serve: Serve) -> None:
    client = serve(ScriptedModel(lambda r: said("To the left."))).client()
    messages = [{"role": "user", "content": "Where?"}]
    chunks = list(
        client.chat.completions.create(
            model=NAME,
            messages=messages,  # type: ignore[arg-type]
            n=2,
            stream=True,
            stream_options={"include_usage": True},
        )
    )
    for index in (0, 1):
        mine = [choice for chunk in chunks for choice in chunk.choices if choice.index == index]
        assert mine[0].delta.role == "assistant"
        assert "".join(choice.delta.content or "" for choice in mine) == "To the left."
        assert [choice.finish_reason for choice in mine] == [None, None, "stop"]
        assert mine[-1].model_extra is not None
        assert mine[-1].model_extra["seeworthy"]["outcome"] == "unchecked"
    assert chunks[-1].choices == []
    assert chunks[-1].usage is not None
    assert chunks[-1].usage.total_tokens == 28
    assert len({chunk.id for chunk in chunks}) == 1
    plain = list(client.chat.completions.create(model=NAME, messages=messages, stream=True))  # type: ignore[arg-type]
    assert all(chunk.choices and chunk.usage is None for chunk in plain), "usage is sent only when it was asked for"


async def test_the_asynchronous_client_and_its_stream_helper_work(serve: Serve) -> None:
    async with serve(ScriptedModel(lambda r: said("To the left."))).asynchronous() as client:
        async with client.chat.completions.stream(
            model=NAME, messages=[{"role": "user", "content": "Where?"}]
        ) as stream:
            kinds = [event.type async for event in stream]
            final = await stream.get_final_completion()
        assert "content.done" in kinds
        assert final.choices[0].message.content == "To the left."
        whole = await client.chat.completions.create(model=NAME, messages=[{"role": "user", "content": "Where?"}])
        assert whole.choices[0].message.content == "To the left."


@pytest.mark.usefixtures("always_dark")
def test_a_wrapped_model_tells_stress_tools_confidence_and_its_trace(
    serve: Serve, dark: Picture, only_tool: AddTool
) -> None:
    only_tool(good)
    running = serve(ScriptedModel(lambda r: said("It is **B**.")), profile="fidelity")
    client = running.client()
    answer = client.chat.completions.create(
        model=NAME,
        messages=[user("Where?\nA. left\nB. right", data_uri(dark))],  # type: ignore[list-item]
    )
    choice = answer.choices[0]
    assert choice.model_extra is not None
    found = choice.model_extra["seeworthy"]
    assert choice.message.content == "It is **B**.", "the model's own words"
    assert (found["outcome"], found["confidence"], found["answer"]) == ("answered", 1.0, "B")
    assert (found["stress"], found["tools"], found["profile"]) == (["low_light"], ["good"], "fidelity")
    assert found["pictures"][0]["sha256"] == dark.sha256
    assert found["spent"]["calls"] == 3
    assert answer.usage is not None
    assert answer.usage.prompt_tokens == 33, "every call of the solver is counted"
    page = client._client.get(f"{running.url}{found['trace_url']}")
    assert page.status_code == 200
    assert found["trace_url"] == f"/v1/traces/{found['trace_id']}"
    assert page.text.count("data:image/jpeg;base64,") >= 2
    assert page.headers["content-security-policy"].startswith("default-src 'none'")


@pytest.mark.usefixtures("always_dark")
def test_an_abstention_is_an_answer_in_words_with_a_field(serve: Serve, dark: Picture, only_tool: AddTool) -> None:
    only_tool(good)
    views = {2: "A", 1: "B"}
    model = ScriptedModel(lambda r: views[len(r.pictures)] if r.pictures[0].sha256 != dark.sha256 else "C")
    running = serve(model, profile="fidelity")
    for stream in (False, True):
        body = chat(user("Where?\nA. left\nB. right\nC. nowhere", data_uri(dark)), stream=stream)
        answer = running.post(body)
        assert answer.status_code == 200
        assert '"outcome":"abstained"' in answer.text
        assert "annot tell" in answer.text
    assert '"finish_reason":"stop"' in answer.text
