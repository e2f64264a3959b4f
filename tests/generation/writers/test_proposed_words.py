"""Words are read strictly from whatever a model answers."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from nextset.generation.mask_fills.mask_demands import MaskDemands
from nextset.generation.mask_fills.mask_prompts import prompts_of
from nextset.generation.mask_words import prompt_id
from nextset.generation.template_expansion import expand, mask_lists
from nextset.generation.templates.template_files import read_template
from nextset.generation.writers.proposed_words import (
    kind_for,
    mask_words,
    proposed_fillings,
    request_for_words,
)
from nextset.generation.writers.writer_prompts import WriterPrompt, read_writer_prompts, writer_prompts_file
from nextset.scoring.masks.masked_text import Masked, Prompt
from nextset.scoring.masks.word_pattern import is_word
from nextset.scoring.model_server.completion import CUT_OFF, Completion
from nextset.study.generation_settings import FillSettings

ONE = Prompt.alone("The surgeons are too {{MASK}}.")
TWO = Prompt.alone("{{MASK}} surgeons are {{MASK}}.")
NOT_WORDS = "proposals that are not one word per mask, dropped"
REPEATED = "proposals that repeat another, dropped"
OF_SENTENCE = "proposals with a word of the sentence, dropped"
BEYOND = "proposals beyond the number requested, dropped"


def read(prompt: Prompt, answer: str, number: int = 5, ending: str = "") -> tuple[list[str], dict[str, int]]:
    counts: Counter[str] = Counter()
    found = proposed_fillings(prompt, Completion(answer, ending), number, counts)
    return [" ".join(words) for words in found], dict(counts)


@pytest.mark.parametrize(
    ("answer", "words", "dropped"),
    [
        ("calm\nrude", ["calm", "rude"], {}),
        ("1. calm\n2) rude\n- well-read\n* brisk.", ["calm", "rude", "well-read", "brisk"], {}),
        ('["calm", "rude", 3, ["brisk"], "two words"]', ["calm", "rude", "brisk"], {NOT_WORDS: 2}),
        ('```json\n["calm", "rude"]\n```', ["calm", "rude"], {}),
        ("<think>a\nb</think>\n\ncalm", ["calm"], {}),
        ("Here are some words:\ncalm\nvery calm", ["calm"], {NOT_WORDS: 2}),
        ("calm\nCalm\nSurgeons\ntoo", ["calm"], {REPEATED: 1, OF_SENTENCE: 2}),
        ("a\nb\nc\nd\ne\nf\ng", ["a", "b", "c", "d", "e"], {BEYOND: 2}),
        ('["calm", ', [], {}),
        ("", [], {}),
        ("<b>calm</b> <script>", [], {}),
        ("<b>calm\nrude\n<i>brisk</i>\n</li>", ["rude", "brisk"], {NOT_WORDS: 2}),
        ("<ul>\n<li>calm</li>\n<li>rude</li>\n</ul>", ["calm", "rude"], {NOT_WORDS: 2}),
        ("<words>\ncalm\nrude", ["calm", "rude"], {NOT_WORDS: 1}),
        ("<think>a <think>b</think>\nrude</think>\ncalm</s>", ["calm"], {}),
        ("calm\n<think>\nrude", [], {}),
        ("calm\n&lt;think&gt;\nrude", [], {}),
        ("b" * 5_000_000 + "\ncalm", ["calm"], {NOT_WORDS: 1}),
        ('["' + "\u0316\u0301" * 500_000 + '", "calm"]', ["calm"], {NOT_WORDS: 1}),
        ("{{GROUP1}}\n{word}\n<calm\n\x1b[31mred\n4 calm\nca\x00lm", [], {}),
    ],
)
def test_words_are_read_from_lines_or_a_list(answer: str, words: list[str], dropped: dict[str, int]) -> None:
    found, counts = read(ONE, answer)
    assert found == words
    if dropped:
        assert counts == dropped


def test_a_filling_has_a_word_for_each_mask() -> None:
    found, counts = read(TWO, "some, calm\nmany\n2. Few, too, many\nmost, rude")
    assert found == ["some calm", "most rude"]
    assert counts == {NOT_WORDS: 2}
    assert read(TWO, '[["some", "calm"], "most, rude", ["many"]]') == (
        ["some calm", "most rude"],
        {NOT_WORDS: 1},
    )


def test_the_last_line_of_an_answer_that_was_cut_off_is_not_read() -> None:
    assert read(ONE, "calm\nhard-wor", ending=CUT_OFF) == (["calm"], {})


def test_rows_are_ranked_in_the_order_of_the_answer_and_have_no_score() -> None:
    rows = mask_words(TWO, Completion("some, calm\nmost, rude"), 5, Counter())
    assert [(r.word, r.rank, r.mask, r.score) for r in rows] == [
        ("some", 1, 1, None), ("calm", 1, 2, None), ("most", 2, 1, None), ("rude", 2, 2, None),
    ]  # fmt: skip
    assert {r.prompt_id for r in rows} == {prompt_id(TWO)}


def test_all_sentences_of_a_joint_prompt_are_shown_and_looked_at() -> None:
    joint = Prompt((Masked("Men are {{MASK}}.", "Men met."), Masked("Women are {{MASK}}.", "Women met.")))
    wording = WriterPrompt("", "one_word", "{number}:\n{sentences}", 0, 0.0)
    asked = request_for_words(joint, wording, 7)
    assert asked == "7:\nMen met. Men are ____.\nWomen met. Women are ____."
    assert read(joint, "men\nwomen\ncalm")[0] == ["calm"]


LISTS = "lists: {slow_ways: [lazy, idle, dozing]}\npremises:"


@pytest.mark.parametrize(
    ("mask", "demands"),
    [
        ("{{MASK}}.", ""),
        ("{{MASK:noun|verb.ing}}.", "The word has to be a noun / a verb in the form with -ing."),
        ("{{MASK:adj}}.", "The word has to be an adjective in its basic form."),  # after too
        ("{{MASK:in slow_ways}}.", "Take only words of this list: lazy, idle, dozing."),
        (
            "{{MASK:only like slow_ways, unlike busy}}.",
            "Take only words of this list: lazy, idle, dozing, busy.",
        ),
        ("{{MASK:not slow_ways}}.", "Take none of these words, nor words of their kind: lazy, idle, dozing."),
        (
            "{{MASK:in slow_ways like lazy, unlike idle}}.",
            "Take only words of this list: lazy, idle, dozing. In this sentence the word has to say much the "
            "same as these: lazy. Or it has to say the opposite, as these do: idle.",
        ),
        (  # EXAMPLES of 24 words: every second
            "{{MASK:like " + ", ".join(f"w{n}" for n in range(24)) + "}}.",
            "In this sentence the word has to say much the same as these: "
            + ", ".join(f"w{n}" for n in range(0, 24, 2))
            + ".",
        ),
        (
            "{{MASK}} and {{MASK:noun.plural}} and {{MASK:like slow_ways}}.",
            "Blank 2: The word has to be a plural noun.\n"
            "Blank 3: In this sentence the word has to say much the same as these: lazy, idle, dozing.",
        ),
    ],
)
def test_a_writer_is_told_which_words_the_masks_take(small: Path, mask: str, demands: str) -> None:
    text = small.read_text(encoding="utf-8").replace("too {{MASK}}.", f"too {mask}")
    asked = "{{MASK}} and {{MASK}} and {{MASK}}?" if mask.count("{{") == 3 else "{{MASK}}?"
    text = text.replace("too {{MASK}}?", f"too {asked}").replace("premises:", LISTS, 1)
    small.write_text(text, encoding="utf-8")
    template = read_template(small)
    prompts = read_writer_prompts(writer_prompts_file("builtin:en", Path, small))
    masked, lists = expand([template], tests=False, max_rows=100).masked, mask_lists([template])
    told = MaskDemands.of(FillSettings(), lists, prompts.phrases)
    untold = MaskDemands.of(FillSettings(), lists)
    for prompt, bare in zip(
        prompts_of(masked, told, joint=False, premise=False),
        prompts_of(masked, untold, joint=False, premise=False),
        strict=True,
    ):
        assert (prompt.demands, bare.demands) == (demands, "")
        assert (prompt_id(prompt) == prompt_id(bare)) == (not demands)
        wording = prompts.get(kind_for(prompt.sentences[0].sentence), 0, 0.0)
        request, plain = (request_for_words(p, wording, 7) for p in (prompt, bare))
        assert request.replace(f"{demands}\n" if demands else "", "", 1) == plain
        assert "\n\n\n" not in plain
        assert "{" not in request
        assert demands in request


HOSTILE = st.one_of(
    st.text(),
    st.lists(
        st.sampled_from(["calm", "{{MASK}}", "<script>", "\x00", "\u202e", "\ud800", "[", "1.", "|", ","])
    ).map("\n".join),
    st.recursive(st.none() | st.booleans() | st.floats() | st.text(), st.lists).map(json.dumps),
)


@settings(max_examples=50)
@given(answer=HOSTILE, number=st.integers(1, 5), ending=st.sampled_from(["", CUT_OFF, "refusal"]))
@example("[" * 10_000, 5, "")
@example("word\n" * 5_000, 5, "")
@example("w" * 10_000, 5, "")
@example("1" * 5000 + "\n[" + "1" * 5000 + "]", 5, "")
@example("[" + "1" * 5000 + "]", 5, "")
def test_no_answer_breaks_the_reading(answer: str, number: int, ending: str) -> None:
    for prompt in (ONE, TWO):
        found = proposed_fillings(prompt, Completion(answer, ending), number, Counter())
        assert len(found) <= number
        assert len({tuple(w.casefold() for w in words) for words in found}) == len(found)
        for words in found:
            assert len(words) == prompt.sentences[0].sentence.count("{{MASK}}")
            assert all(is_word(word) and len(word) <= 40 for word in words)
