"""A word for a mask, from a masked language model or a writer, and the id of the prompt that it answers."""

from __future__ import annotations

from dataclasses import dataclass

from nextset.records.content_ids import content_id
from nextset.scoring.masks.masked_text import Prompt

__all__ = ["MaskWord", "prompt_id"]


@dataclass(frozen=True)
class MaskWord:
    """A model's word for a mask of a sentence."""

    sentence: str
    """The sentence with {{MASK}}; of jointly filled ones, the first."""
    word: str
    """The whole word."""
    rank: int
    """The rank among the model's words, from 1; with several masks, of the combination."""
    score: float | None
    """The probability at the mask, in [0, 1], or its geometric mean over jointly filled sentences; null if
    a writer proposed the word."""
    mask: int
    """The number of the mask in the sentence, from 1."""
    premise: str
    """The text that the model saw before the sentence; may be empty."""
    prompt_id: str
    """Content hash of the prompt: all texts that the model saw at once."""


def prompt_id(prompt: Prompt) -> str:
    """Return the content hash of a prompt's texts, of the words of its list, and of its demands."""
    texts = [x for m in prompt.sentences for x in (m.premise, m.sentence)]
    demands = ("", "", prompt.demands) if prompt.demands else ()
    return content_id("prompt", *texts, *(("", *prompt.words) if prompt.words else ()), *demands)
