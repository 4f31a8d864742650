"""A report as Markdown, for people and pull requests. Names and replies are hostile text, and stay text."""

from __future__ import annotations

import html
import json
import re
from collections.abc import Iterator, Sequence

from ..summary import Example, ExampleReply, PromptExample, ReportSummary, RunCard, SentPictures
from .tables import (
    Table,
    comparison_tables,
    consistency_tables,
    cost_tables,
    curve_tables,
    score_tables,
    sensitivity_tables,
    setting_tables,
    stress_tables,
)
from .tables.cells import NONE, names_of, number

__all__ = ["markdown_table", "markdown_text", "report_markdown"]

_SPECIAL = re.compile(r"([\\`*_\[\]|~#!])")
_CONTROL = re.compile(r"[\x00-\x1f\x7f\u2028\u2029]+")
_WHY = {
    "condition": "lost under a condition",
    "arm": "lost by the model that wraps another",
    "wrong": "lowest score",
}


def report_markdown(summary: ReportSummary) -> str:
    """The whole report; tables, examples and run cards. Sections without data are left out."""
    labels = ", ".join(markdown_text(run.label) for run in summary.runs)
    blocks = [f"# Report on {labels or 'no run'}"]
    blocks += [markdown_text(remark) for remark in summary.remarks]
    sections: list[tuple[str, Iterator[Table]]] = [
        ("Runs", setting_tables(summary)),
        ("Scores", score_tables(summary)),
        ("Paired differences", comparison_tables(summary)),
        ("Severity", curve_tables(summary)),
        ("Sensitivity", sensitivity_tables(summary)),
        ("Stress tags", stress_tables(summary)),
        ("Consistency", consistency_tables(summary)),
        ("Costs", cost_tables(summary)),
    ]
    for title, tables in sections:
        drawn = [markdown_table(table) for table in tables]
        if drawn:
            blocks += [f"## {title}", *drawn]
    blocks.append(
        f"Intervals are {100 * summary.confidence:g} % percentile intervals of a bootstrap over scenes "
        f"({summary.resamples:,} resamples, seed {summary.seed})."
    )
    if summary.examples:
        blocks += ["## Worst examples", markdown_text(summary.example_rule)]
        blocks += [
            block for number_of, one in enumerate(summary.examples, 1) for block in _example(summary, one, number_of)
        ]
    for card in summary.runs:
        blocks += [f"## Run card: {markdown_text(card.label)}", *_card(card)]
    return "\n\n".join(blocks) + "\n"


def markdown_table(table: Table) -> str:
    """The title, the table, its notes."""
    rule = ["---" if place < table.texts else "---:" for place in range(len(table.head))]
    lines = [_line(map(markdown_text, table.head)), _line(rule)]
    lines += [_line(map(markdown_text, row)) for row in table.rows]
    notes = [f"\n{markdown_text(note)}" for note in table.notes]
    return "\n".join([f"### {markdown_text(table.title)}", "", *lines, *notes])


def markdown_text(text: str) -> str:
    """One line in which nothing is markup, HTML, or the end of a table's cell.

    >>> markdown_text("a|b <i>*c*</i>")
    'a\\\\|b &lt;i&gt;\\\\*c\\\\*&lt;/i&gt;'
    """
    return _SPECIAL.sub(r"\\\1", html.escape(_CONTROL.sub(" ", text), quote=False))


def _line(cells: Iterator[str] | Sequence[str]) -> str:
    return "| " + " | ".join(cells) + " |"


def _fenced(text: str) -> str:
    """As it is, in a block that nothing inside can end."""
    longest = max((len(run) for run in re.findall(r"`+", text)), default=0)
    fence = "`" * max(3, longest + 1)
    return f"{fence}text\n{text.rstrip()}\n{fence}"


def _example(summary: ReportSummary, one: Example, number_of: int) -> Iterator[str]:
    yield f"### {number_of}. {markdown_text(one.question_id)}: {_WHY[one.why]}, by {number(one.loss, 2)}"
    scene = f", scene {markdown_text(one.scene)}" if one.scene else ""
    yield f"{markdown_text(one.kind)}{scene}"
    options = "".join(f"\n{letter}. {text}" for letter, text in one.options.items())
    yield _fenced(one.question + options)
    yield f"Right: {markdown_text(one.truth) or 'withheld'}"
    for reply in (one.before, one.after):
        if reply is not None:
            yield from _reply(summary, reply)


def _reply(summary: ReportSummary, reply: ExampleReply) -> Iterator[str]:
    pictures = ", ".join(markdown_text(picture.path) for picture in reply.pictures) or "no picture"
    who = markdown_text(names_of(summary)[reply.subject])
    score = NONE if reply.score is None else number(reply.score, 2)
    yield f"**{who}**, {markdown_text(reply.condition)} ({pictures}): {markdown_text(reply.status)}, score {score}"
    yield _fenced(reply.text) if reply.text.strip() else "(no text)"


def _card(card: RunCard) -> Iterator[str]:
    generation = "unknown" if card.generation is None else json.dumps(card.generation.model_dump(mode="json"))
    limit = "no limit" if card.limit is None else f"limit {card.limit:,}"
    facts = [
        ("data", ", ".join(card.sources)),
        ("data SHA-256", card.data_sha256),
        ("items", f"{card.items:,} ({card.questions:,} questions, {card.scenes:,} scenes; {limit})"),
        ("conditions", ", ".join(f"{name} {count:,}" for name, count in card.conditions.items())),
        ("seed", str(card.seed)),
        ("repeats", str(card.repeats)),
        ("generation", generation),
        ("calls", f"{card.planned_calls:,} planned, {card.calls_left:,} left, {card.stray_records:,} records astray"),
        ("made with", _versions(card.versions)),
        ("scored with", _versions(card.report_versions)),
    ]
    if card.first_call is not None and card.last_call is not None:
        facts.append(("calls ended", f"{card.first_call} to {card.last_call}"))
    if card.imported is not None:
        files = ", ".join(f"{file.name} (SHA-256 {file.sha256})" for file in card.imported.files)
        facts.append(("imported from", f"{card.imported.tool}: {files}"))
        facts.append(("not known", "; ".join(card.imported.unknown) or "nothing"))
    yield "\n".join(f"- {name}: {markdown_text(value)}" for name, value in facts)
    for arm in card.arms:
        yield f"### Model {markdown_text(arm.name)}"
        reported = (
            ", ".join(f"{name or '(no name)'} {count:,}" for name, count in arm.reported.items()) or "nothing yet"
        )
        yield f"The server called it: {markdown_text(reported)}. Places are read as {arm.space.value}."
        if arm.sent:
            yield "Pictures sent: " + "; ".join(map(_sent, arm.sent))
        yield _fenced(json.dumps(arm.identity, indent=1, sort_keys=True, ensure_ascii=True))
    for prompt in card.prompts:
        yield from _prompt(prompt)


def _prompt(prompt: PromptExample) -> Iterator[str]:
    blind = ", without pictures" if prompt.blind else ""
    yield (
        f"### Prompt {markdown_text(prompt.prompt)} {markdown_text(prompt.version)}, {prompt.answer_format}{blind}: "
        f"item {markdown_text(prompt.item)}, word for word"
    )
    yield _fenced("\n".join(_sent_part(kind, text) for kind, text in prompt.parts))


def _sent_part(kind: str, text: str) -> str:
    return {"image": f"[picture {text}]", "reply": "[what the model replied]"}.get(kind, text)


def _sent(sent: SentPictures) -> str:
    if sent.original_size is None or sent.sent_size is None:
        return f"{sent.count:,} of other sizes"
    (width, height), (sent_width, sent_height) = sent.original_size, sent.sent_size
    quality = "" if sent.jpeg_quality is None else f", quality {sent.jpeg_quality}"
    return f"{sent.count:,} of {width}x{height} as {sent_width}x{sent_height} {markdown_text(sent.media_type)}{quality}"


def _versions(versions: dict[str, str]) -> str:
    return ", ".join(f"{name} {version}" for name, version in versions.items())
