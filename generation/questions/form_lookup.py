"""Templates, subjects and attributes come together: every form that a slot asks for is looked up once."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from nextset.errors import WordListError
from nextset.generation.questions.question_set import Asked, Attribute, SetTemplate, Subject
from nextset.generation.questions.slots import Piece, Run, Slot, SlotError, form, genders, in_gender, parse
from nextset.generation.sound_rules.text_edits import SoundRule, spoken
from nextset.scoring.masks.word_pattern import MASK

__all__ = ["Written", "check_subjects", "resolve"]


@dataclass(frozen=True)
class Written:
    """A template of questions or statements as its file has it."""

    id: str
    """Its name."""
    takes: str
    """The kind of attribute."""
    context: str
    """Names both subjects."""
    asked: str
    """The question or statement."""
    negated: str
    """The same with the negated attribute."""
    masked: bool
    """Whether it is a statement with [mask]."""
    file: Path
    """Its file."""
    line: int | None
    """Its line, from 1."""

    def error(self, message: str, remedy: str) -> WordListError:
        """An error at this template."""
        return WordListError(f"{self.id}: {message}", file=self.file, line=self.line, remedy=remedy)


def resolve(
    template: Written,
    subjects: Sequence[Sequence[Subject]],
    attributes: Mapping[str, Sequence[Attribute]],
    rules: Sequence[SoundRule],
) -> list[SetTemplate]:
    """``template`` once for each gender that it is written for, with its attributes put in.

    Raises WordListError when a slot is missing or too many, or a subject or an attribute lacks a form.
    """
    try:
        context, asked, negated = map(parse, (template.context, template.asked, template.negated))
        _check_slots(template, context, asked, negated)
        found = genders((context, asked, negated) if template.masked else (context,))
    except SlotError as e:
        raise template.error(str(e), "see docs/language_packs.md for the slots") from None
    fitting = attributes.get(template.takes, ())
    if not fitting:
        known = ", ".join(attributes) or "none"
        raise template.error(f"no attribute is of the kind {template.takes!r}", f"kinds here: {known}")
    made = []
    for gender in found:
        in_context, said, denied = (in_gender(text, gender) for text in (context, asked, negated))
        for text in (in_context, said, denied):
            _check_blanks(template, text)
        _check_forms(template, in_context, subjects, gender)
        texts = [[_said(template, text, a, gender) for text in (said, denied)] for a in fitting]
        made.append(
            SetTemplate(
                f"{template.id}.{gender}" if gender else template.id,
                in_context,
                gender,
                tuple(
                    Asked(a, spoken(yes, rules), spoken(no, rules))
                    for a, (yes, no) in zip(fitting, texts, strict=True)
                ),
                template.line,
            )
        )
        _check_asked(template, made[-1])
    return made


def _names(text: Sequence[Piece]) -> list[str]:
    return [p.name for p in text if isinstance(p, Slot)]


def _check_slots(
    template: Written, context: Sequence[Piece], asked: Sequence[Piece], negated: Sequence[Piece]
) -> None:
    if sorted(_names(context)) != ["subj1", "subj2"]:
        raise template.error(
            f"the context has {_listed(_names(context))}",
            "name [subj1] and [subj2] once each, and nothing else but [g?…]",
        )
    act = "l_act" if template.takes == "place" else "p_act"
    wanted = sorted([act, "mask"] if template.masked else [act])
    what = "statement" if template.masked else "question"
    for text in (asked, negated):
        runs = [p for p in text if isinstance(p, Run)]
        if not template.masked and runs:
            raise template.error("the question agrees with a gender", "write it so that it fits every pair")
        if any(run.subject for run in runs):
            raise template.error(f"the {what} agrees with one subject", "agree with one in the context only")
        if sorted(_names(text)) != wanted:
            raise template.error(
                f"the {what} has {_listed(_names(text))}",
                f"it needs {_listed(wanted)} once each, and no subject",
            )
    if _names(context).index("subj1") > _names(context).index("subj2"):
        raise template.error("[subj2] stands before [subj1]", "[subj1] is the subject that comes first")


def _listed(names: Sequence[str]) -> str:
    return " and ".join(f"[{n}]" for n in names) or "no slot"


def _check_blanks(template: Written, text: Sequence[Piece]) -> None:
    """Runs of words must leave no blank too many, whichever gender they are for."""
    values = [dict(p.values) for p in text if isinstance(p, Run)]
    for gender in {g for v in values for g in v} or {""}:
        parts = [
            p if isinstance(p, str) else dict(p.values).get(gender, "x") if isinstance(p, Run) else "x"
            for p in text
        ]
        read = "".join(parts)
        if read != " ".join(read.split()):
            raise template.error(f"stray blanks in {read!r}", "put the blank into the run: [g?m=|f=la ]")


def _check_forms(
    template: Written, context: Sequence[Piece], subjects: Sequence[Sequence[Subject]], gender: str
) -> None:
    """Every subject can stand in both places, and no two of them read alike there."""
    for subject in (s for listed in subjects for s in listed):
        if gender and subject.gender not in ("", gender):
            raise template.error(
                f"[g?…] is for a gender that both subjects share, and {subject.name!r} is {subject.gender!r}",
                "agree with one subject: [subj1.g?…]",
            )
    slots = [p for p in context if isinstance(p, Slot)]
    agreeing = [p for p in context if isinstance(p, Run)]
    for slot in slots:
        seen: dict[str, str] = {}
        for subject in (s for listed in subjects for s in listed):
            text = form(subject.forms, slot.features, gender)
            if text is None:
                key = ".".join(sorted(slot.features))
                raise template.error(
                    f"{subject.name!r} has no form {key!r}", f"list it under the forms of {subject.name!r}"
                )
            if text in seen:
                raise template.error(
                    f"{subject.name!r} and {seen[text]!r} both read {text!r}", "tell them apart, or keep one"
                )
            seen[text] = subject.name
    for run in agreeing:
        known = dict(run.values)
        for subject in (s for listed in subjects for s in listed):
            if subject.gender not in known:
                raise template.error(
                    f"[{run.subject}.g?…] has no words for the gender {subject.gender!r} of {subject.name!r}",
                    "give the subject a gender that the template knows",
                )


def _said(template: Written, text: Sequence[Piece], attribute: Attribute, gender: str) -> str:
    said = []
    for piece in text:
        if not isinstance(piece, Slot):
            said.append(str(piece))
        elif piece.name == "mask":
            said.append(MASK)
        else:
            # a question is the same for every pair, so it takes no gender
            found = form(attribute.forms, piece.features, gender if template.masked else "")
            if found is None:
                raise WordListError(
                    f"{attribute.name!r} has no form {'.'.join(sorted(piece.features))!r}, "
                    f"which {template.id} asks for",
                    file=attribute.file,
                    line=attribute.line,
                    remedy="add the form",
                )
            said.append(found)
    return "".join(said)


def _check_asked(template: Written, made: SetTemplate) -> None:
    seen: dict[str, str] = {}
    for asked in made.asked:
        if asked.text == asked.negated:
            raise WordListError(
                f"{asked.attribute.name!r} and its negation read alike in {template.id}: {asked.text!r}",
                file=asked.attribute.file,
                line=asked.attribute.line,
                remedy="write a negation that differs",
            )
        if asked.text in seen:
            raise WordListError(
                f"{asked.attribute.name!r} and {seen[asked.text]!r} read alike in {template.id}",
                file=asked.attribute.file,
                line=asked.attribute.line,
                remedy="keep one",
            )
        seen[asked.text] = asked.attribute.name


def check_subjects(lists: Sequence[tuple[Path, Sequence[Subject]]], pairs: str) -> None:
    """Raise WordListError when a subject stands in two places, or there is nothing to pair."""
    if len(lists) != (2 if pairs == "across" else 1):
        needed = "two lists" if pairs == "across" else "one list"
        raise WordListError(
            f"pairs: {pairs} needs {needed} of subjects, and {len(lists)} are named",
            file=lists[0][0],
            remedy="all: every two of one list; across: one of each of two lists",
        )
    seen: dict[str, Path] = {}
    for file, listed in lists:
        if len(listed) < (1 if pairs == "across" else 2):
            raise WordListError("too few subjects to pair", file=file, remedy="list more")
        for subject in listed:
            if subject.name in seen:
                raise WordListError(
                    f"the subject {subject.name!r} stands twice ({seen[subject.name].name})",
                    file=file,
                    line=subject.line,
                    remedy="keep one",
                )
            seen[subject.name] = file
