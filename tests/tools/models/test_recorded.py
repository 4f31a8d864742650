"""Replaying and recording replies: nothing is lost, nothing is invented, and hostile files are refused by line."""

from __future__ import annotations

import asyncio
import json
import multiprocessing
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from seeworthy.tools.errors import ModelError
from seeworthy.tools.models.fingerprint import request_fingerprint
from seeworthy.tools.models.protocol import (
    Capabilities,
    CoordinateSpace,
    Fault,
    FaultKind,
    Reply,
    ReplyStatus,
    Request,
    SentImage,
    Usage,
)
from seeworthy.tools.models.providers.python_callable import CallableModel
from seeworthy.tools.models.providers.recorded import RecordedModel, Recorder
from seeworthy.tools.models.recording import Entry as RecordedEntry
from seeworthy.tools.models.recording import Header as RecordedHeader
from seeworthy.tools.models.recording import append_lines, line_of, read_recording
from seeworthy.tools.models.registry import resolve_model

from .conftest import ask, noise_picture

KEY = "0" * 64
PIXELS = Capabilities(coordinate_space=CoordinateSpace.SENT_PIXELS, max_images=3)


def echo(name: str = "echo") -> CallableModel:
    return CallableModel(lambda request: f"<{request.messages[-1].text}>", name=name, capabilities=PIXELS)


def full_reply() -> Reply:
    return Reply(
        text="B \u2028 \x00 😀",
        reasoning="because",
        status=ReplyStatus.TRUNCATED,
        finish_reason="length",
        usage=Usage(input_tokens=5, output_tokens=7),
        cost_usd=0.25,
        latency_s=1.5,
        attempts=3,
        model_reported="m",
        sent_images=(
            SentImage(sha256="ab", original_size=(4, 3), sent_size=(2, 1), media_type="image/png", base64_bytes=9),
        ),
        notes=("n",),
    )


def write(path: Path, *lines: object) -> Path:
    path.write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
    return path


async def test_what_was_recorded_is_replayed_to_the_last_field(tmp_path: Path) -> None:
    path = tmp_path / "deep" / "folder" / "replies.jsonl"
    model = CallableModel(lambda request: full_reply(), name="full", capabilities=PIXELS)
    recorder = Recorder(model, path)
    request = ask("Which?", (noise_picture(1),), seed=4)
    said = await recorder.reply(request)
    assert (recorder.name, recorder.capabilities) == ("full", PIXELS)

    replayed = resolve_model(f"recorded/{path}")
    assert replayed.name == f"recorded/{path}"
    assert replayed.capabilities == PIXELS
    assert await replayed.reply(request) == said


async def test_any_change_of_the_request_is_not_recorded(tmp_path: Path) -> None:
    path = tmp_path / "replies.jsonl"
    await Recorder(echo(), path).reply(ask("Which?"))
    model = resolve_model(f"recorded/{path}")
    for request in (
        ask("Which"),
        ask("Which?", seed=1),
        ask("Which?", (noise_picture(1),)),
        ask("Which?", max_tokens=9),
    ):
        reply = await model.reply(request)
        assert reply.status is ReplyStatus.ERROR
        assert reply.fault is not None
        assert reply.fault.kind is FaultKind.NOT_RECORDED
        assert not reply.fault.retryable
        assert str(path) in reply.fault.message
        assert request_fingerprint(request)[:12] in reply.fault.message


async def test_several_replies_to_one_request_are_given_in_turn(tmp_path: Path) -> None:
    texts = iter("abc")
    recorder = Recorder(CallableModel(lambda request: next(texts), name="abc"), tmp_path / "r.jsonl")
    for _ in range(3):
        await recorder.reply(ask("Sample"))
    model = RecordedModel(read_recording(tmp_path / "r.jsonl"), name="again")
    assert [(await model.reply(ask("Sample"))).text for _ in range(7)] == list("abcabca")


async def test_a_file_without_keys_is_replayed_in_order_and_ends(tmp_path: Path) -> None:
    path = write(tmp_path / "r.jsonl", {"reply": "A"}, {"reply": {"text": "", "status": "refusal"}}, {"reply": "C"})
    model = resolve_model(f"recorded/{path}", {"coordinate_space": "fraction"})
    assert model.capabilities.coordinate_space is CoordinateSpace.FRACTION
    replies = [await model.reply(ask(f"Question {index}")) for index in range(4)]
    assert [(reply.text, reply.status.value) for reply in replies[:3]] == [("A", "ok"), ("", "refusal"), ("C", "ok")]
    assert replies[3].fault is not None
    assert replies[3].fault.kind is FaultKind.NOT_RECORDED
    assert "3 replies" in replies[3].fault.message


async def test_errors_are_passed_on_and_not_recorded(tmp_path: Path) -> None:
    fault = Fault(kind=FaultKind.SERVER, message="down", retryable=True)
    answers = iter([Reply(status=ReplyStatus.ERROR, fault=fault), Reply(text="up", status=ReplyStatus.OK)])
    recorder = Recorder(CallableModel(lambda request: next(answers), name="shaky"), tmp_path / "r.jsonl")
    assert (await recorder.reply(ask("Up?"))).fault == fault
    assert not (tmp_path / "r.jsonl").exists()
    assert (await recorder.reply(ask("Up?"))).text == "up"
    model = RecordedModel(read_recording(tmp_path / "r.jsonl"), name="again")
    assert (await model.reply(ask("Up?"))).text == "up"


async def test_two_recorders_of_one_model_share_a_file(tmp_path: Path) -> None:
    recorders = [Recorder(echo(), tmp_path / "r.jsonl") for _ in range(2)]
    requests = [ask(f"Question {index}") for index in range(20)]
    await asyncio.gather(*(recorders[index % 2].reply(request) for index, request in enumerate(requests)))
    model = RecordedModel(read_recording(tmp_path / "r.jsonl"), name="again")
    texts = [(await model.reply(request)).text for request in requests]
    assert texts == [f"<Question {index}>" for index in range(20)]


def _append_many(path: Path, first: int) -> None:
    header = RecordedHeader(model="m", capabilities=PIXELS)
    for index in range(first, first + 25):
        append_lines(
            path, header, RecordedEntry(key=f"{index:064x}", reply=Reply(text="x" * 5000, status=ReplyStatus.OK))
        )


def test_two_processes_share_a_file(tmp_path: Path) -> None:
    context = multiprocessing.get_context("spawn")
    other = context.Process(target=_append_many, args=(tmp_path / "r.jsonl", 100))
    other.start()
    _append_many(tmp_path / "r.jsonl", 0)
    other.join(timeout=120)
    assert other.exitcode == 0
    recording = read_recording(tmp_path / "r.jsonl")
    assert recording.header is not None
    assert set(recording.by_key) == {f"{index:064x}" for index in (*range(25), *range(100, 125))}


async def test_another_models_file_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "r.jsonl"
    await Recorder(echo("first"), path).reply(ask("?"))
    before = path.read_bytes()
    with pytest.raises(ModelError, match="records 'first', not 'second'"):
        await Recorder(echo("second"), path).reply(ask("?"))
    assert path.read_bytes() == before


async def test_a_folder_instead_of_a_file_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(ModelError, match="cannot write"):
        await Recorder(echo(), tmp_path).reply(ask("?"))
    with pytest.raises(ModelError, match="cannot read"):
        resolve_model(f"recorded/{tmp_path}")
    with pytest.raises(ModelError, match=r"cannot read the recording .*missing\.jsonl: No such file"):
        resolve_model(f"recorded/{tmp_path}/missing.jsonl")


@pytest.mark.parametrize("torn_at", [1, 10, 40, -2, -1])
async def test_a_torn_last_line_is_left_out_and_redone(tmp_path: Path, torn_at: int) -> None:
    path = tmp_path / "r.jsonl"
    recorder = Recorder(echo(), path)
    for text in ("one", "two"):
        await recorder.reply(ask(text))
    whole = path.read_bytes()
    last = whole.splitlines(keepends=True)[-1]
    path.write_bytes(whole[: len(whole) - len(last)] + last[:torn_at])

    recording = read_recording(path)
    # Without its line break the last line may still be whole; then it counts.
    is_whole = torn_at == -1
    assert recording.torn_line == (None if is_whole else 3)
    model = RecordedModel(recording, name="again")
    assert (await model.reply(ask("one"))).text == "<one>"
    if not is_whole:
        fault = (await model.reply(ask("two"))).fault
        assert fault is not None
        assert "its last line, 3, is cut off" in fault.message

    await recorder.reply(ask("three"))
    mended = read_recording(path)
    assert mended.torn_line is None
    assert len(mended.by_key) == (3 if is_whole else 2)
    assert (await RecordedModel(mended, name="again").reply(ask("three"))).text == "<three>"


def test_a_file_that_is_torn_in_its_first_line_starts_afresh(tmp_path: Path) -> None:
    path = tmp_path / "r.jsonl"
    path.write_bytes(b'{"recording": 1, "mod')
    append_lines(
        path, RecordedHeader(model="m", capabilities=PIXELS), RecordedEntry(key=KEY, reply=Reply(status=ReplyStatus.OK))
    )
    assert set(read_recording(path).by_key) == {KEY}


OK_LINE = json.dumps({"key": KEY, "reply": "A"}).encode()
HOSTILE: dict[str, tuple[bytes, str]] = {
    "not JSON": (b"hello", "not a JSON object"),
    "a list": (b"[1, 2]", "a JSON list"),
    "null": (b"null", "a JSON NoneType"),
    "a number of many digits": (b"9" * 6000, "not a JSON object"),
    "cut in the middle of the file": (b'{"key": "', "not a JSON object"),
    "not UTF-8": (b'{"reply": "\xff\xfe"}', "not a JSON object"),
    "UTF-16": ('{"reply": "A"}'.encode("utf-16-le"), "not a JSON object"),
    "nested for ever": (b'{"reply": ' + b"[" * 100_000, "not a JSON object"),
    "NaN": (b'{"reply": {"status": "ok", "latency_s": NaN}}', "NaN is not JSON"),
    "no reply": (json.dumps({"key": KEY}).encode(), "reply: Field required"),
    "unknown field": (json.dumps({"key": KEY, "reply": "A", "note": 1}).encode(), "note: Extra inputs"),
    "unknown field of the reply": (b'{"reply": {"status": "ok", "txt": "A"}}', "reply.txt: Extra inputs"),
    "unknown status": (b'{"reply": {"status": "fine"}}', "reply.status"),
    "text is a number": (b'{"reply": {"status": "ok", "text": 5}}', "reply.text"),
    "text is null": (b'{"reply": {"status": "ok", "text": null}}', "reply.text"),
    "reply is null": (b'{"reply": null}', "reply"),
    "reply is a list": (b'{"reply": ["A"]}', "reply"),
    "key too short": (b'{"key": "abc", "reply": "A"}', "key"),
    "key in capitals": (json.dumps({"key": "A" * 64, "reply": "A"}).encode(), "key"),
    "key is a number": (b'{"key": 1, "reply": "A"}', "key"),
    "key and none mixed": (b'{"reply": "A"}', "some lines have a key"),
    "a late description": (b'{"recording": 1, "model": "m", "capabilities": {}}', "only stand in line 1"),
}


@pytest.mark.parametrize("name", HOSTILE)
def test_hostile_lines_are_refused_with_their_number(tmp_path: Path, name: str) -> None:
    line, complaint = HOSTILE[name]
    path = tmp_path / "r.jsonl"
    path.write_bytes(OK_LINE + b"\n\n" + line + b"\n" + OK_LINE + b"\n")
    with pytest.raises(ModelError) as caught:
        read_recording(path)
    assert f"{path}, line 3: " in str(caught.value)
    assert complaint in str(caught.value)


@pytest.mark.parametrize(
    ("line", "complaint"),
    [
        ({"recording": 2, "model": "m", "capabilities": {"coordinate_space": "fraction"}}, "recording"),
        ({"recording": 1, "capabilities": {"coordinate_space": "fraction"}}, "model: Field required"),
        ({"recording": 1, "model": "m", "capabilities": {}}, "capabilities.coordinate_space"),
    ],
)
def test_a_wrong_description_is_refused(tmp_path: Path, line: object, complaint: str) -> None:
    with pytest.raises(ModelError, match=complaint):
        read_recording(write(tmp_path / "r.jsonl", line))


def test_a_line_of_unbounded_length_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("seeworthy.tools.models.recording._MAX_LINE_BYTES", 1000)
    path = tmp_path / "r.jsonl"
    path.write_bytes(OK_LINE + b"\n" + b"x" * 2000)
    with pytest.raises(ModelError, match="line 2: longer than 1000 bytes"):
        read_recording(path)


def test_a_byte_order_mark_blank_lines_and_windows_line_ends_are_taken(tmp_path: Path) -> None:
    path = tmp_path / "r.jsonl"
    path.write_bytes(b"\xef\xbb\xbf" + OK_LINE + b"\r\n  \r\n" + OK_LINE + b"\r\n")
    assert [reply.text for reply in read_recording(path).by_key[KEY]] == ["A", "A"]


async def test_an_empty_file_holds_nothing(tmp_path: Path) -> None:
    path = tmp_path / "r.jsonl"
    path.write_bytes(b"")
    fault = (await resolve_model(f"recorded/{path}").reply(ask("?"))).fault
    assert fault is not None
    assert fault.kind is FaultKind.NOT_RECORDED


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(text=st.text(st.characters(exclude_categories=["Cs"]), max_size=80))
@pytest.mark.parametrize("start", ["", "http://x ", "=1+1 ", "null", "\x00\u2028"])
def test_any_text_comes_back_equal(tmp_path: Path, start: str, text: str) -> None:
    line = line_of(RecordedEntry(key=KEY, reply=Reply(text=start + text, status=ReplyStatus.OK)))
    assert line.count(b"\n") == 1
    path = tmp_path / "r.jsonl"
    path.write_bytes(line)
    assert read_recording(path).by_key[KEY][0].text == start + text


@pytest.mark.parametrize("options", [{"colour": "red"}, {"coordinate_space": "inches"}])
def test_wrong_options_are_refused(tmp_path: Path, options: dict[str, object]) -> None:
    with pytest.raises(ModelError, match="option"):
        resolve_model(f"recorded/{write(tmp_path / 'r.jsonl')}", options)


def test_a_base_url_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ModelError, match="no base URL"):
        resolve_model("recorded/r.jsonl@http://localhost/v1")


async def test_a_request_is_still_a_request_after_recording(tmp_path: Path) -> None:
    """The wrapped model gets the very request, not a copy."""
    seen: list[Request] = []
    model = CallableModel(lambda request: (seen.append(request), "ok")[1], name="seen")
    request = ask("?", (noise_picture(1),))
    await Recorder(model, tmp_path / "r.jsonl").reply(request)
    assert seen[0] is request
