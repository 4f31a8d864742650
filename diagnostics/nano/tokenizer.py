"""A word-level tokenizer in which whole phrases of the questions are words too.

A question of the suites is made of a handful of fixed phrases around a few names, numbers and options. With the phrases
as tokens a question has about twelve of them, in place of forty words, and a decoder of a million weights learns in
hours what would take it days. What it was not made for still has a spelling in words; a word it never saw is unknown.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from itertools import product
from typing import TYPE_CHECKING, Final

from ...bench_data.scenes.procedural import ROOM_CATEGORIES
from ..errors import DiagnosticsError
from .answers import NUMBER_WORDS
from .symbols import COLOURS, MOST_MARKS

if TYPE_CHECKING:
    from transformers import PreTrainedTokenizerFast

__all__ = [
    "ASSISTANT",
    "CHAT_TEMPLATE",
    "CONTEXT_TOKENS",
    "EDGES_FROM",
    "END",
    "IMAGE",
    "NUMBER_COMES",
    "PAD",
    "USER",
    "build_tokenizer",
    "category_forms",
    "graph_lines_of",
    "phrases_of",
    "token_id",
]

PAD, UNKNOWN, IMAGE, USER, ASSISTANT, END = "<pad>", "<unk>", "<image>", "<|user|>", "<|assistant|>", "<|end|>"
CONTEXT_TOKENS: Final = 2048
CHAT_TEMPLATE: Final = (
    "{% for message in messages %}"
    "{% if message['role'] == 'assistant' %}<|assistant|>{% else %}<|user|>{% endif %}"
    "{% if message['content'] is string %}{{ message['content'] }}"
    "{% else %}"
    "{% for part in message['content'] %}{% if part['type'] == 'image' %}<image>{% endif %}{% endfor %}"
    "{% for part in message['content'] %}{% if part['type'] == 'text' %}{{ part['text'] }}\n{% endif %}{% endfor %}"
    "{% endif %}"
    "{% if message['role'] == 'assistant' %}<|end|>{% endif %}"
    "{% endfor %}"
    "{% if add_generation_prompt %}<|assistant|>{% endif %}"
)
"""Pictures first, as the model has learned it."""

_WORD: Final = r"\d+\.\d+|\d+|[A-Za-z][A-Za-z'-]*|[^\sA-Za-z0-9]"
_NUMBER: Final = re.compile(r"\d+(?:\.\d+)?")
_OPTION: Final = r"^[A-Z]\. "
_SENTENCE_END: Final = re.compile(r"(?<=[.?:]) ")
_LEAST_COUNT: Final = 20
_RELATIONS: Final = tuple(
    json.dumps([word for word in words if word])
    for words in product(("", "left", "right"), ("", "above", "below"), ("", "front", "behind"))
)
"""Every list of relations is one token: all edges are then of one length, and where the last one named its object is
found by counting back, as for objects. With lists of one to three words the model loses its place."""
EDGES_FROM: Final[Mapping[str, int]] = {
    f'{before}{{"from": {number}, "to":': number
    for before in ('}], "edges": [', "}, ")
    for number in range(1, MOST_MARKS + 1)
}
"""The beginnings of an edge, with the number of the object that it starts from, which must not be named again."""
_GRAPH_WORDS: Final = (
    *('{"objects": [{"id":', ', "distance_to_camera":', ', "length":', ', "width":', ', "height":', '}, {"id":'),
    *(
        '}], "edges": []}',
        ', "distance":',
        ', "relations":',
        "}]}",
    ),
    *_RELATIONS,
    *EDGES_FROM,
)

NUMBER_COMES: Final = ("object", *(word for word in _GRAPH_WORDS if word.endswith(('"id":', '"to":'))))
"""After these the number of an object follows."""


def phrases_of(texts: Iterable[str], names: Collection[str], *, least_count: int = _LEAST_COUNT) -> list[str]:
    """The phrases that stand between names, numbers and option letters in many questions.

    Args:
        texts: questions as models get them.
        names: what the questions call objects.
        least_count: rarer phrases are left to single words.
    """
    slots = [r"object \d+", _any_of(names), rf"(?<!')\b{_any_of(_category_words())}\b", _OPTION, _NUMBER.pattern]
    between = re.compile("|".join(slots), re.MULTILINE)
    counts: Counter[str] = Counter()
    for text in texts:
        for line in text.split("\n"):
            for sentence in _SENTENCE_END.split(line):
                counts.update(piece.strip() for piece in between.split(sentence))
    return sorted(phrase for phrase, count in counts.items() if count >= least_count and " " in phrase)


def _any_of(texts: Collection[str]) -> str:
    """A pattern for the longest of many texts, which looks at each word once: in a plain list each text is tried."""
    if not texts:
        return r"(?!)"
    rests: dict[str, list[str]] = {}
    for text in texts:
        word, _, rest = text.partition(" ")
        rests.setdefault(word, []).append(rest)
    branches = []
    for word in sorted(rests, key=lambda one: (-len(one), one)):
        longer = [rest for rest in rests[word] if rest]
        ending = f"(?: {_any_of(longer)})" if longer else ""
        branches.append(re.escape(word) + (f"{ending}?" if "" in rests[word] and longer else ending))
    return f"(?:{'|'.join(branches)})"


def graph_lines_of(prompts: Sequence[str]) -> list[str]:
    """The fixed lines of the prompts for a scene graph, and the pieces of lines between the numbers in others."""
    counts = Counter(line for prompt in prompts for line in prompt.split("\n") if line.strip())
    lines = set[str]()
    for line, count in counts.items():
        pieces = [line] if count > len(prompts) / 2 else re.split(r"[\d, ]*\d[\d, ]*", line)
        lines.update(piece.strip() for piece in pieces if " " in piece.strip())
    return sorted(lines)


def build_tokenizer(
    phrases: Sequence[str], graph_lines: Sequence[str], other_words: Collection[str]
) -> PreTrainedTokenizerFast:
    """The tokenizer.

    Args:
        phrases: see `phrases_of`.
        graph_lines: the fixed lines of the prompt for a scene graph, each one token.
        other_words: texts with words that must be known besides.
    """
    from tokenizers import AddedToken, Regex, Tokenizer, models, pre_tokenizers
    from transformers import PreTrainedTokenizerFast

    special = (PAD, UNKNOWN, IMAGE, USER, ASSISTANT, END)
    categories = _category_words()
    words = set[str]()
    for text in (*phrases, *graph_lines, *categories, *other_words, *_GRAPH_WORDS, *COLOURS, "the object objects"):
        words.update(re.findall(_WORD, text))
    letters = {chr(code) for code in (*range(ord("a"), ord("z") + 1), *range(ord("A"), ord("Z") + 1))}
    plain = sorted({word for word in words | letters if not _NUMBER.fullmatch(word)})
    numbers = list(dict.fromkeys(NUMBER_WORDS))
    vocabulary = {token: place for place, token in enumerate((*special, *numbers, *plain))}
    tokenizer = Tokenizer(models.WordLevel(vocabulary, unk_token=UNKNOWN))
    tokenizer.pre_tokenizer = pre_tokenizers.Sequence(
        [pre_tokenizers.WhitespaceSplit(), pre_tokenizers.Split(Regex(_WORD), "isolated")]
    )
    tokenizer.add_special_tokens([AddedToken(token, special=True, normalized=False) for token in special])
    for whole, tokens in (
        # "clock" is a thing in rooms, and would be found in "o'clock".
        (True, ["o'clock", *categories]),
        (False, [line for line in graph_lines if not line[0].isalnum()]),
        (True, [line for line in graph_lines if line[0].isalnum()]),
        (False, list(_GRAPH_WORDS)),
        (True, list(phrases)),
    ):
        tokenizer.add_tokens([AddedToken(token, single_word=whole, normalized=False) for token in tokens])
    return PreTrainedTokenizerFast(  # type: ignore[no-untyped-call]
        tokenizer_object=tokenizer,
        pad_token=PAD,
        unk_token=UNKNOWN,
        eos_token=END,
        model_max_length=CONTEXT_TOKENS,
        padding_side="left",
        clean_up_tokenization_spaces=False,
    )


def category_forms(label: str) -> list[str]:
    """A category in the singular and the plural, as questions may write it.

    >>> category_forms("bookshelf")
    ['bookshelf', 'bookshelfs', 'bookshelfes', 'bookshelves']
    """
    head, of, rest = label.partition(" of ")
    forms = [label, f"{head}s{of}{rest}", f"{head}es{of}{rest}"]
    if head.endswith("shelf"):
        forms.append(f"{head[:-1]}ves{of}{rest}")
    if head.endswith("y"):
        forms.append(f"{head[:-1]}ies{of}{rest}")
    return forms


def _category_words() -> list[str]:
    """Every form of every category, longer ones first."""
    words = {form for label in ROOM_CATEGORIES for form in category_forms(label)}
    return sorted(words, key=lambda one: (-len(one), one))


def token_id(tokenizer: PreTrainedTokenizerFast, token: str) -> int:
    """The number of a token.

    Raises:
        DiagnosticsError: the tokenizer does not know it.
    """
    number = tokenizer.convert_tokens_to_ids(token)
    if not isinstance(number, int) or number == tokenizer.unk_token_id:
        raise DiagnosticsError(f"the tokenizer has no token {token!r}")
    return number
