"""Words that a model proposes for the masks of a sentence: the request, and the reader of the answer."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import Any

from nextset.generation.mask_words import MaskWord, prompt_id
from nextset.generation.writers.answer_entries import answer_entries, composed
from nextset.generation.writers.writer_prompts import PromptKind, WriterPrompt
from nextset.letter_case import folded
from nextset.scoring.masks.masked_text import Prompt
from nextset.scoring.masks.word_pattern import MASK, is_word, words_in
from nextset.scoring.model_server.completion import Completion
from nextset.scoring.prompts.answer_parsing import AROUND
from nextset.scoring.prompts.prompt_placeholders import filled_prompt

__all__ = ["kind_for", "mask_words", "proposed_fillings", "request_for_words"]

BLANK = "____"
"""The text for a mask in a prompt."""
_LONGEST = 40
"""The most characters of a word."""


def kind_for(sentence: str) -> PromptKind:
    """Return the kind of prompt for a masked sentence."""
    return "one_word" if sentence.count(MASK) == 1 else "several_words"


def request_for_words(prompt: Prompt, wording: WriterPrompt, number: int) -> str:
    """Return the text that asks for ``number`` words for ``prompt``; a premise precedes its sentence.

    A line with the demands of the masks alone is left out if there are none.
    """
    shown = (f"{m.premise} {m.sentence}".strip().replace(MASK, BLANK) for m in prompt.sentences)
    text = wording.text if prompt.demands else wording.text.replace("{demands}\n", "")
    texts = {"number": str(number), "sentences": "\n".join(shown), "demands": prompt.demands}
    return filled_prompt(text, texts)


def mask_words(prompt: Prompt, completion: Completion, number: int, counts: Counter[str]) -> list[MaskWord]:
    """Return the fillings in ``completion`` as rows: ranked in the order of the answer, without a score."""
    first = prompt.sentences[0]
    return [
        MaskWord(first.sentence, word, rank, None, mask, first.premise, prompt_id(prompt))
        for rank, words in enumerate(proposed_fillings(prompt, completion, number, counts), 1)
        for mask, word in enumerate(words, 1)
    ]


def proposed_fillings(
    prompt: Prompt, completion: Completion, number: int, counts: Counter[str]
) -> list[tuple[str, ...]]:
    """Return the first ``number`` fillings in ``completion``; each has one word per mask of the sentence.

    These entries are dropped, and their reasons are added to ``counts``: entries that are not one word per
    mask, words of the sentence itself, and repeated fillings, ignoring case.
    """
    masks = prompt.sentences[0].sentence.count(MASK)
    there = {word for masked in prompt.sentences for word in words_in(masked.sentence)}
    fillings: dict[tuple[str, ...], tuple[str, ...]] = {}
    for entry in answer_entries(completion):
        words = tuple(_words(entry, masks))
        key = tuple(map(folded, words))
        if len(words) != masks or not all(map(_is_word, words)):
            counts["proposals that are not one word per mask, dropped"] += 1
        elif not there.isdisjoint(key):
            counts["proposals with a word of the sentence, dropped"] += 1
        elif key in fillings:
            counts["proposals that repeat another, dropped"] += 1
        elif len(fillings) == number:
            counts["proposals beyond the number requested, dropped"] += 1
        else:
            fillings[key] = words
    return list(fillings.values())


def _words(entry: Any, masks: int) -> Iterator[str]:
    parts = entry.split(",") if isinstance(entry, str) and masks > 1 else entry
    for part in parts if isinstance(parts, list) else [parts]:
        if isinstance(part, str):
            yield composed(part.strip(AROUND), _LONGEST)
        else:
            yield ""


def _is_word(text: str) -> bool:
    return len(text) <= _LONGEST and is_word(text)
