"""The check that the texts of a template of choices make whole sets with one right answer."""

from __future__ import annotations

from collections.abc import Sequence

from nextset.generation.questions.pack_choices.choice_pieces import (
    ChoicePiece,
    MaskPiece,
    WordPiece,
    masks_in,
    slots_in,
    subject_runs,
)
from nextset.generation.questions.pack_choices.choice_schema import ChoiceTemplate, NeutralTemplate
from nextset.generation.questions.pack_choices.choice_template import ChoiceTexts
from nextset.generation.questions.pack_text_check import Place, has_extra_spaces
from nextset.generation.slots import Run

__all__ = ["check_texts"]


def check_texts(texts: ChoiceTexts, template: ChoiceTemplate | NeutralTemplate, place: Place) -> None:
    """Raise WordListError if the texts of ``template`` name the wrong people, or make sets with gaps."""
    named = [slot.name for slot in slots_in(texts.ambiguous)]
    if named != ["subj1", "subj2"]:
        there = " and ".join(f"[{name}]" for name in named) or "no person"
        raise place.inside("ambiguous").error(
            f"the ambiguous context has {there}", "name [subj1] and then [subj2], each once"
        )
    if not any(True for _ in slots_in(texts.disambiguating)):
        raise place.inside("disambiguating").error(
            "the disambiguating text names no person, so it answers no question", "name [subj1], or [subj2]"
        )
    _check_questions(texts, template, place)
    _check_option(texts.option, place)
    _check_masks(texts, place)
    for text in texts.all:
        _check_spaces(text, place)


def _check_questions(texts: ChoiceTexts, template: ChoiceTemplate | NeutralTemplate, place: Place) -> None:
    neutral = isinstance(template, NeutralTemplate)
    keys = ("question", "opposite") if neutral else ("negative", "non_negative")
    for key, text in zip(keys, (texts.negative, texts.non_negative), strict=True):
        if any(True for _ in slots_in(text)) or any(True for _ in subject_runs(text)):
            raise place.inside(key).error(
                "the question names a person, so it gives the answer away", "write it without [subj1]"
            )
    if texts.negative == texts.non_negative:
        raise place.inside(keys[1]).error(
            "both questions have the same text, so one of the answers is wrong", "ask the opposite"
        )


def _check_option(option: tuple[ChoicePiece, ...], place: Place) -> None:
    names = {slot.name for slot in slots_in(option)} | {run.subject for run in subject_runs(option)}
    if names != {"subj1"} or any(isinstance(piece, WordPiece | MaskPiece) for piece in option):
        raise place.error(
            "options is not a person", 'write it for [subj1], without words and masks: "[subj1:the]"'
        )
    if not any(True for _ in slots_in(option)):
        raise place.error("options names no person", 'write options: "[subj1:the]"')


def _check_masks(texts: ChoiceTexts, place: Place) -> None:
    """Raise WordListError if some items of a set would have masks and others not: they would be one item of
    several sets."""
    ambiguous, disambiguating, negative, non_negative = (
        any(True for _ in masks_in(text)) for text in texts.asked
    )
    some = ambiguous or disambiguating or negative or non_negative
    if some and not (ambiguous or (negative and non_negative)):
        raise place.error(
            "some items of a set would have a mask and others none",
            "put a mask into the ambiguous context, or one into each question; others may have more",
        )


def _check_spaces(text: Sequence[ChoicePiece], place: Place) -> None:
    """Raise WordListError if a choice of words by gender leaves a superfluous space."""
    runs = [dict(piece.values) for piece in text if isinstance(piece, Run)]
    for gender in {g for values in runs for g in values} or {""}:
        parts = (
            p if isinstance(p, str) else dict(p.values).get(gender, "x") if isinstance(p, Run) else "x"
            for p in text
        )
        read = "".join(parts)
        if has_extra_spaces(read):
            raise place.error(f"{read!r} has extra spaces", "put the space inside the slot: [g?m=|f=la ]")
