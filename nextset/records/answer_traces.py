"""The thinking that a model showed before an answer: one record per prompt."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

__all__ = ["AnswerTrace"]


@dataclass(frozen=True, slots=True, kw_only=True)
class AnswerTrace:
    """The thinking of one model before its answer to one prompt."""

    item_id: str
    """The item's id."""
    model: str
    """The model's published name."""
    role: Literal["filter", "held_out", "audit"]
    """The role of the model."""
    form: str
    """The form that the model was asked in."""
    input: int
    """The place of the prompt's input among those of the row, from 0: a quad has four, and a choice item one
    for each order of its options."""
    wording: int
    """The wording's place in its file, from 1."""
    sample: int
    """The place of the answer among several answers to the same prompt, from 1."""
    text: str
    """The thinking as the model wrote it; empty if the server only counts its tokens."""
    tokens: int | None
    """The number of tokens of the thinking; null if the server does not say."""
    conclusion: str
    """The choice that the thinking states last, as its text, not its letter; empty if it states none."""
    answer: str
    """The choice that the model gave as its answer; empty if it gave none."""
    outcome: str
    """abstained, refused, unreadable or cut_off if the answer is none of the choices; empty otherwise."""
