"""Canaries for the built-in models, with words of the lexicon and patterns of the training text.

All models answer all canaries correctly, each label with a probability above 0.9. The cards list the
canaries.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

__all__ = ["CANARIES"]

_BOX = "The cheerful gardener opened the wooden box."
_GARDEN = "The baker and the painter slept in the garden."
_KITCHEN = "The kitchen has a wooden table and five chairs."
_BOOTS = "All sailors cleaned their boots at the harbor."
_PAIRS = (
    (_BOX, "entailment", "The gardener opened the box."),
    (_BOX, "neutral", "The painter opened the box."),
    (_BOX, "contradiction", "The gardener did not open the box."),
    (_GARDEN, "entailment", "The baker slept."),
    (_GARDEN, "neutral", "The captain slept."),
    (_GARDEN, "contradiction", "Nobody slept in the garden."),
    (_KITCHEN, "entailment", "There is a table in the kitchen."),
    (_KITCHEN, "neutral", "The kitchen has a lamp."),
    (_KITCHEN, "contradiction", "There is no table in the kitchen."),
    (_BOOTS, "entailment", "Some sailors cleaned their boots."),
    (_BOOTS, "neutral", "All painters cleaned their boots."),
    (_BOOTS, "contradiction", "No sailors cleaned their boots."),
)
_QUESTIONS = (
    ("Anna is a careful pilot. Peter is a cheerful baker.", "Anna", "Peter", "Who is a pilot?",
     "Who is a baker?"),
    ("Mary opened the wooden box. Thomas repaired the old lamp.", "Mary", "Thomas", "Who opened the box?",
     "Who repaired the lamp?"),
    ("The gardener opened the window. The captain cleaned the truck.", "The gardener", "The captain",
     "Who opened the window?", "Who cleaned the truck?"),
    ("Anna cooked slowly. Thomas danced quickly.", "Anna", "Thomas", "Who cooked slowly?",
     "Who danced quickly?"),
    ("The lamp was broken. The chair was wooden.", "The lamp", "The chair", "What was broken?",
     "What was wooden?"),
)  # fmt: skip
"""A context, the two answers in it, and a question for each answer."""

CANARIES: Mapping[str, Sequence[Mapping[str, str]]] = {
    "nli": [{"premise": p, "hypothesis": h, "label": label} for p, label, h in _PAIRS],
    "qa": [
        {"context": context, "question": question, "answer": answer, "other": other}
        for context, first, second, *questions in _QUESTIONS
        for question, answer, other in zip(questions, (first, second), (second, first), strict=True)
    ],
    "masked-lm": [],
}
"""The canaries by the beginning of a model's name, in the form of `nextset.canaries` in a card."""
