"""The forms of people that a template needs: derived, taken from a name's base form, or missing."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from nextset.errors import WordListError
from nextset.generation.questions.derived_subjects import Wanted, with_derived_forms
from nextset.generation.questions.pack_choices.choice_pieces import slots_in, subject_runs
from nextset.generation.questions.pack_choices.choice_template import ChoiceTexts
from nextset.generation.questions.pack_schema import PackFile
from nextset.generation.questions.pack_text_check import Place
from nextset.generation.questions.question_set import Subject
from nextset.generation.slots import CASES, Features, form_key

__all__ = ["with_forms"]


def with_forms(
    people: Sequence[Subject], texts: ChoiceTexts, gender: str, head: PackFile, place: Place, *, names: bool
) -> tuple[Subject, ...]:
    """Return the ``people`` who fit the ``gender`` that both share, with the forms that ``texts`` need.

    A proper name (``names``) takes its base form for a form that is not a case. Raises WordListError for a
    form that cannot be derived, and for a gender for which a text has no words.
    """
    wanted = _wanted(texts)
    fitting = []
    for subject in people:
        if gender and subject.gender not in ("", gender):
            continue
        needed = (*wanted, *(f & CASES for f in wanted)) if names else tuple(wanted)
        made = with_derived_forms(
            subject, [Wanted(features, gender) for features in needed], head.derive, head.suffixes
        )
        made = _as_name(made, wanted, gender) if names else made
        _check(made, wanted, gender, texts, place)
        fitting.append(made)
    return tuple(fitting)


def _wanted(texts: ChoiceTexts) -> tuple[Features, ...]:
    """Return the features of the slots of ``texts``, each once."""
    return tuple(dict.fromkeys(slot.features or frozenset() for text in texts.all for slot in slots_in(text)))


def _as_name(subject: Subject, wanted: Sequence[Features], gender: str) -> Subject:
    forms = dict(subject.forms)
    for features in wanted:
        if form_key(forms, features, gender) is None:
            plain = form_key(subject.forms, features & CASES, gender)
            if plain is not None:
                forms[features] = subject.forms[plain]
    return replace(subject, forms=forms)


def _check(
    subject: Subject, wanted: Sequence[Features], gender: str, texts: ChoiceTexts, place: Place
) -> None:
    for features in wanted:
        if form_key(subject.forms, features, gender) is None:
            key = ".".join(sorted(features)) or "base"
            raise WordListError(
                f"{subject.name!r} has no form {key!r}, which {place.at[-1]} in {place.file.name} needs",
                file=subject.file,
                line=subject.line,
                remedy=f"list it under the forms of {subject.name!r}",
            )
    for words in _run_genders(texts):
        if subject.gender not in words:
            raise place.error(
                f"[subj.g?…] has no words for the gender of {subject.name!r} ({subject.gender!r})",
                "add words for this gender to the slot, or correct the gender of the subject",
            )


def _run_genders(texts: ChoiceTexts) -> Iterator[frozenset[str]]:
    return (frozenset(dict(run.values)) for text in texts.all for run in subject_runs(text))
