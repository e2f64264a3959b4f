"""Whole words: the quick judgment is that of reading the whole sentence, for every kind of tokenizer."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st
from tokenizers import Tokenizer, decoders, models, pre_tokenizers
from transformers import AutoTokenizer, PreTrainedTokenizerFast

from nextset.scoring.masks.whole_words import WholeWords
from nextset.scoring.masks.word_pattern import is_word, touches, words_in

PARTS = [
    "nurses",
    "Men",
    "too",
    "isn't",
    "well-known",
    "(",
    ")",
    ",",
    ".",
    '"',
    "“",
    "-",
    "’",
    "3",
    "é",
    "  ",
    "\n",
    "a",
]
around = st.lists(st.sampled_from([*PARTS, " ", " "]), max_size=6).map("".join)


def read_whole(tokenizer: Any, pieces: tuple[int, ...], left: str, right: str) -> bool:
    """The judgment in full: the whole sentence is read with the word in it."""
    backend = tokenizer.backend_tokenizer
    word = backend.decode(list(pieces)).strip()
    if not is_word(word):
        return False
    text, start, end = left + word + right, len(left), len(left) + len(word)
    encoding = backend.encode(text, add_special_tokens=False)
    over = [i for i, (a, b) in enumerate(encoding.offsets) if a < end and b > start]
    # the mask takes the blank before it in these tokenizers, so a token that is that blank is the word's
    if over and over[0] and encoding.offsets[over[0] - 1][1] == start:
        over = [over[0] - 1, *over] if not text[encoding.offsets[over[0] - 1][0] : start].strip() else over
    if tuple(encoding.ids[i] for i in over) != pieces:
        return False
    last = encoding.offsets[over[-1]][1]
    beside = text[start - 1 : start] if start else ""
    return last == end and not any(map(touches, beside + text[end : end + 1]))


@given(
    left=around,
    right=around,
    ids=st.lists(st.lists(st.integers(5, 119), min_size=1, max_size=2), max_size=30),
)
@example(
    left="(\n", right="", ids=[[i] for i in range(5, 120)]
)  # a line break is no blank to every tokenizer
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
def test_the_place_decides_as_the_whole_sentence_does(
    masked_lm_folder: Path, left: str, right: str, ids: list[list[int]]
) -> None:
    tokenizer = AutoTokenizer.from_pretrained(masked_lm_folder)
    judge = WholeWords(tokenizer)
    candidates = [tuple(i for i in some if i < len(tokenizer)) for some in ids]
    candidates = [c for c in candidates if c]
    place = judge.place(left + "{{MASK}}" + right, len(left), len(left) + 8)
    expected = [read_whole(tokenizer, c, left, right) for c in candidates]
    assert judge.whole(place, candidates) == expected
    # and the next sentence with the same place is judged from memory
    assert judge.whole(place, candidates) == expected


def test_like_surroundings_are_one_place(masked_lm_folder: Path) -> None:
    judge = WholeWords(AutoTokenizer.from_pretrained(masked_lm_folder))
    places = {judge.place(f"{w} are too x for {w}.", 8 + len(w), 9 + len(w)) for w in ("Men", "Nurses")}
    # only a tokenizer that reads a text as one piece looks further than the blanks
    reads_all = judge.place("a x a", 2, 3) != judge.place("b x a", 2, 3)
    assert len(places) == (2 if reads_all else 1)


def test_tokens_that_begin_and_go_on_with_a_word() -> None:
    vocabulary = {
        t: i for i, t in enumerate(["[UNK]", "un", "##kempt", "##ing", ".", "lazy", "##3", "[MASK]"])
    }
    backend = Tokenizer(models.WordPiece(vocabulary, unk_token="[UNK]"))
    backend.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    backend.decoder = decoders.WordPiece()
    tokenizer = PreTrainedTokenizerFast(  # type: ignore[no-untyped-call]
        tokenizer_object=backend, unk_token="[UNK]", mask_token="[MASK]"
    )
    judge = WholeWords(tokenizer)
    assert judge.continuing.nonzero()[0].tolist() == [2, 3]
    place = judge.place("too x for", 4, 5)
    assert judge.beginning(place).nonzero()[0].tolist() == [1, 5]
    assert judge.words([(1, 2), (5,)]) == ["unkempt", "lazy"]
    assert judge.whole(place, [(1, 2), (2,), (5, 3), (4,)]) == [True, False, True, False]


@pytest.mark.parametrize(
    ("text", "word"),
    [
        ("kind", True), ("well-known", True), ("isn’t", True), ("नीली", True), ("می‌خواهم", True),
        ("", False), ("two words", False), ("3rd", False), ("-kind", False), ("kind-", False),
        ("##ly", False), ("_", False),
    ],
)  # fmt: skip
def test_words_are_letters_and_marks_with_joints_inside(text: str, word: bool) -> None:
    assert is_word(text) == word


def test_words_of_a_sentence() -> None:
    assert words_in("The Men are {{MASK}}, aren't they?") == {"the", "men", "are", "aren't", "they"}


@pytest.mark.parametrize(
    ("character", "goes_on"),
    [("a", True), ("7", True), ("ी", True), (" ", False), ("-", False), ("的", False)],
)
def test_what_a_word_goes_on_in(character: str, goes_on: bool) -> None:
    assert touches(character) == goes_on
