"""The resolution of question templates: each form that a slot needs is looked up once."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from nextset.errors import WordListError, examples
from nextset.generation.questions.context_spans import render_asked
from nextset.generation.questions.pack_text_check import has_extra_spaces
from nextset.generation.questions.question_set import Attribute, AttributeTexts, SetTemplate, Subject
from nextset.generation.slots import (
    CASES,
    Features,
    Piece,
    Run,
    Slot,
    SlotError,
    form_key,
    genders,
    in_gender,
    parse,
)
from nextset.generation.sound_rules.text_edits import SoundRule

__all__ = ["UnresolvedTemplate", "check_subjects", "resolve"]


@dataclass(frozen=True)
class UnresolvedTemplate:
    """A template of questions or statements as written in its file, before forms are looked up."""

    id: str
    """The template's name."""
    takes: str
    """The kind of attribute."""
    context: str
    """The context, which names both subjects."""
    text: str
    """The question or statement."""
    negated: str
    """The question or statement with the negated attribute."""
    masked: bool
    """True if the template is for statements with [mask]."""
    file: Path
    """The template's file."""
    line: int | None
    """The template's line, from 1."""

    def error(self, message: str, remedy: str) -> WordListError:
        """Return an error at this template."""
        return WordListError(f"{self.id}: {message}", file=self.file, line=self.line, remedy=remedy)


def resolve(
    template: UnresolvedTemplate,
    subjects: Sequence[Sequence[Subject]],
    attributes: Mapping[str, Sequence[Attribute]],
    rules: Sequence[SoundRule],
    *,
    defaults: Features = frozenset(),
    anywhere: bool = False,
) -> list[SetTemplate]:
    """Return ``template`` once per gender that it is written for, with its attributes inserted.

    ``defaults`` are the default features, which forms and slots omit. The ``rules`` act at the borders of
    slots, or ``anywhere``. Raises WordListError if a slot is missing or superfluous, or if a subject or an
    attribute lacks a form.
    """
    try:
        context, text, negated = (
            parse(t, defaults) for t in (template.context, template.text, template.negated)
        )
        _check_slots(template, context, text, negated)
        shared_genders = genders((context, text, negated) if template.masked else (context,))
    except SlotError as e:
        raise template.error(str(e), "see docs/reference/language_packs.md for the slots") from None
    fitting = attributes.get(template.takes, ())
    if not fitting:
        kinds = examples(attributes, 12)
        remedy = f"use one of the kinds: {kinds}" if kinds else "add attributes of this kind"
        raise template.error(f"there is no attribute of the kind {template.takes!r}", remedy)
    resolved = []
    for gender in shared_genders:
        agreed = [in_gender(pieces, gender) for pieces in (context, text, negated)]
        for pieces in agreed:
            _check_spaces(template, pieces)
        mask_form = _mask_form(template, *agreed)
        _check_forms(template, agreed[0], mask_form, subjects, gender)
        with_rules = partial(_with_attribute, template, gender, rules, anywhere)
        texts = [[with_rules(p, a) for p in agreed[1:]] for a in fitting]
        resolved.append(
            SetTemplate(
                f"{template.id}.{gender}" if gender else template.id,
                agreed[0],
                gender,
                tuple(
                    AttributeTexts(a, plain, denied)
                    for a, (plain, denied) in zip(fitting, texts, strict=True)
                ),
                template.line,
                mask_form,
                agreed[1],
                agreed[2],
            )
        )
        _check_attribute_texts(template, resolved[-1])
    return resolved


def _names(text: Sequence[Piece]) -> list[str]:
    return [p.name for p in text if isinstance(p, Slot)]


def _check_slots(
    template: UnresolvedTemplate, context: Sequence[Piece], text: Sequence[Piece], negated: Sequence[Piece]
) -> None:
    if sorted(_names(context)) != ["subj1", "subj2"]:
        raise template.error(
            f"the context has {_listed(_names(context))}",
            "use [subj1] and [subj2] once each, and no other slots except [g?…]",
        )
    act = "l_act" if template.takes == "place" else "p_act"
    expected = sorted([act, "mask"] if template.masked else [act])
    what = "statement" if template.masked else "question"
    for pieces in (text, negated):
        runs = [p for p in pieces if isinstance(p, Run)]
        if not template.masked and runs:
            raise template.error(
                "the question depends on the pair's gender", "write a question that fits every pair"
            )
        if any(run.subject for run in runs):
            raise template.error(
                f"the {what} depends on a subject's gender", "use [subj1.g?…] only in the context"
            )
        if sorted(_names(pieces)) != expected:
            raise template.error(
                f"the {what} has {_listed(_names(pieces))}",
                f"use {_listed(expected)} once each, and no subject",
            )
    if _names(context).index("subj1") > _names(context).index("subj2"):
        raise template.error("[subj2] comes before [subj1]", "call the first subject [subj1]")


def _listed(names: Sequence[str]) -> str:
    return " and ".join(f"[{n}]" for n in names) or "no slot"


def _check_spaces(template: UnresolvedTemplate, text: Sequence[Piece]) -> None:
    """Raise WordListError if a choice of words by gender leaves a superfluous space."""
    values = [dict(p.values) for p in text if isinstance(p, Run)]
    for gender in {g for v in values for g in v} or {""}:
        parts = [
            p if isinstance(p, str) else dict(p.values).get(gender, "x") if isinstance(p, Run) else "x"
            for p in text
        ]
        read = "".join(parts)
        if has_extra_spaces(read):
            raise template.error(f"{read!r} has extra spaces", "put the space inside the slot: [g?m=|f=la ]")


def _mask_form(
    template: UnresolvedTemplate, context: Sequence[Piece], text: Sequence[Piece], negated: Sequence[Piece]
) -> Features:
    """Return the form of the subjects at the mask: the one that the mask names, else the context's."""
    in_context = [p.features or frozenset() for p in context if isinstance(p, Slot)]
    if not template.masked:
        return in_context[0]
    named = {p.features for t in (text, negated) for p in t if isinstance(p, Slot) and p.name == "mask"}
    if len(named) > 1:
        raise template.error("the mask has two forms", "write the same form in statement and negation")
    (form,) = named
    if form is not None:
        return form
    if len({frozenset(f - CASES) for f in in_context}) == 1 < len(set(in_context)):
        raise template.error(
            "the two subjects of the context differ in case, and the mask names no form",
            "name the form at the mask: [mask:nom], or [mask:base] for the base form",
        )
    return in_context[0]


def _check_forms(
    template: UnresolvedTemplate,
    context: Sequence[Piece],
    mask_form: Features,
    subjects: Sequence[Sequence[Subject]],
    gender: str,
) -> None:
    """Raise WordListError if a subject has no form for a slot, or if two subjects have the same form."""
    for subject in (s for listed in subjects for s in listed):
        if gender and subject.gender not in ("", gender):
            raise template.error(
                f"[g?…] gives both subjects the same gender, but {subject.name!r} already has a gender "
                f"({subject.gender!r})",
                "use the gender of one subject: [subj1.g?…]",
            )
    wanted = [p.features or frozenset() for p in context if isinstance(p, Slot)]
    agreeing = [p for p in context if isinstance(p, Run)]
    for features in dict.fromkeys([*wanted, mask_form]):
        seen: dict[str, str] = {}
        for subject in (s for listed in subjects for s in listed):
            form = form_key(subject.forms, features, gender)
            if form is None:
                key = ".".join(sorted(features))
                raise template.error(
                    f"{subject.name!r} has no form {key!r}", f"list it under the forms of {subject.name!r}"
                )
            start, end = subject.answer(form)
            text = subject.forms[form][start:end]
            if text in seen:
                raise template.error(
                    f"{subject.name!r} and {seen[text]!r} have the same form {text!r}",
                    "give them different forms, or remove one",
                )
            seen[text] = subject.name
    for run in agreeing:
        known = dict(run.values)
        for subject in (s for listed in subjects for s in listed):
            if subject.gender not in known:
                raise template.error(
                    f"[{run.subject}.g?…] has no words for the gender of {subject.name!r} "
                    f"({subject.gender!r})",
                    "add words for this gender to the slot, or correct the gender of the subject",
                )


def _with_attribute(
    template: UnresolvedTemplate,
    gender: str,
    rules: Sequence[SoundRule],
    anywhere: bool,
    pieces: Sequence[Piece],
    attribute: Attribute,
) -> str:
    """Return the text of ``pieces`` with the attribute's form and the mask in their slots."""
    # a question is the same for every pair, so it has no gender
    gender = gender if template.masked else ""
    try:
        return render_asked(pieces, attribute, gender, rules, anywhere=anywhere)
    except KeyError as e:
        raise WordListError(
            f"{attribute.name!r} has no form {e.args[0]!r}, which {template.id} needs",
            file=attribute.file,
            line=attribute.line,
            remedy="add the form to the attribute",
        ) from None


def _check_attribute_texts(template: UnresolvedTemplate, resolved: SetTemplate) -> None:
    """Raise WordListError if two attributes, or one and its negation, give the same text."""
    seen: dict[str, str] = {}
    for texts in resolved.by_attribute:
        if texts.text == texts.negated:
            raise WordListError(
                f"{texts.attribute.name!r} and its negation have the same text in {template.id}: "
                f"{texts.text!r}",
                file=texts.attribute.file,
                line=texts.attribute.line,
                remedy="change the negation of the attribute",
            )
        if texts.text in seen:
            raise WordListError(
                f"{texts.attribute.name!r} and {seen[texts.text]!r} have the same text in {template.id}",
                file=texts.attribute.file,
                line=texts.attribute.line,
                remedy="remove one of the two",
            )
        seen[texts.text] = texts.attribute.name


def check_subjects(lists: Sequence[tuple[Path, Sequence[Subject]]], pairs: str) -> None:
    """Raise WordListError if a subject is listed twice, or a list has nothing to pair."""
    seen: dict[str, Path] = {}
    for file, listed in lists:
        if len(listed) < (1 if pairs == "across" else 2):
            raise WordListError(
                "the list has too few subjects to pair", file=file, line=1, remedy="add subjects"
            )
        for subject in listed:
            if subject.name in seen:
                raise WordListError(
                    f"the subject {subject.name!r} is listed twice ({seen[subject.name].name})",
                    file=file,
                    line=subject.line,
                    remedy="remove one of the two",
                )
            seen[subject.name] = file
