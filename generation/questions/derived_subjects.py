"""Subjects with the regular forms that a class needs and its list omits."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Literal

from nextset.generation.derived_forms.derivation import derived_form
from nextset.generation.questions.question_set import Subject
from nextset.generation.slots import Features, Slot, SlotError, genders, parse

__all__ = ["Suffixes", "Wanted", "wanted_forms", "with_derived_forms"]

Suffixes = Literal["inside", "outside"]
"""inside: the answer's span includes a derived suffix; outside: it ends before the suffix."""


@dataclass(frozen=True)
class Wanted:
    """A form that a slot requires."""

    features: Features
    """The features that the slot names."""
    gender: str
    """The gender that the template is written for; may be empty."""


def wanted_forms(texts: Iterable[Sequence[str]], defaults: Features) -> tuple[Wanted, ...]:
    """Return the forms of subjects that templates require, each once.

    ``texts`` are the context and the other texts of each template. A template that breaks the grammar is
    skipped: the reader of the templates reports the mistake.
    """
    wanted: dict[Wanted, None] = {}
    for of_template in texts:
        try:
            parsed = [parse(text, defaults) for text in of_template]
            of_genders = genders(parsed)
        except SlotError:
            continue
        slots = [p for pieces in parsed for p in pieces if isinstance(p, Slot)]
        for slot in slots:
            if slot.name in ("subj1", "subj2", "mask") and slot.features is not None:
                wanted |= dict.fromkeys(Wanted(slot.features, gender) for gender in of_genders)
    return tuple(wanted)


def with_derived_forms(
    subject: Subject, wanted: Iterable[Wanted], derivations: Sequence[str], suffixes: Suffixes
) -> Subject:
    """Return ``subject`` with the ``wanted`` forms that are regular and not listed; a listed form wins.

    A form whose answer is only a part of it is not used, since the answer in a derived form would be unknown.
    """
    forms: dict[Features, str] = dict(subject.forms)
    answers: dict[Features, tuple[int, int]] = dict(subject.answers)
    derived: set[Features] = set()
    whole = {key: text for key, text in subject.forms.items() if subject.answer(key) == (0, len(text))}
    for want in wanted:
        # from the listed form of the gender, then the form without a gender, listed or derived
        for key in dict.fromkeys((want.features | {want.gender} - {""}, want.features)):
            if key in subject.forms:
                break
            made = derived_form(derivations, whole, key)
            if made is not None:
                forms[key] = made.text
                derived.add(key)
                if suffixes == "outside" and made.suffix:
                    answers[key] = (0, len(made.stem))
                break
    return replace(subject, forms=forms, answers=answers, derived=frozenset(derived))
