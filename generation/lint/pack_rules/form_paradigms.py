"""Forms that an entry lacks or repeats, compared with its other forms and with the other entries."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path

from nextset.errors import WordListError
from nextset.files.yaml_model import read_model
from nextset.generation.derived_forms.derivation import derived_form
from nextset.generation.lint.pack_rules.pack_entries import attributes, entries, entry_finding, subjects
from nextset.generation.questions.pack_schema import PackFile
from nextset.generation.questions.question_set import Attribute, QuestionSet, Subject
from nextset.generation.slots import CASES, Features, SlotError, features
from nextset.lint_rules import Finding, LintRule

__all__ = ["DEFAULT_FORM", "GENDERS", "PARADIGM", "declared_forms", "default_forms", "genders", "paradigms"]

_GENDERS = frozenset({"m", "f"})
_LONG_LIST = 20
"""The least number of entries in a list for a finding that a form is the base form in only one of them."""


def genders(sets: Sequence[QuestionSet]) -> Iterator[Finding]:
    """Find forms for one gender without the other's; the pack's default gender is not written."""
    for questions in sets:
        for entry in entries(questions):
            for key in entry.forms:
                for gender, other in (("m", "f"), ("f", "m")):
                    counterpart = (key - {gender} | {other}) - questions.defaults
                    if gender in key and counterpart not in entry.forms:
                        problem = f"has the form {_named(key)}, but no form for {other}"
                        yield entry_finding(entry, "genders", problem)
        yield from _filled_with_default(questions)


def _filled_with_default(questions: QuestionSet) -> Iterator[Finding]:
    """Yield findings for forms without gender (that of the default gender) that the other gender would get.

    A form has genders if an entry of the same list has the form, and its negation, for the other gender. The
    forms of a subject that has a gender are those of its gender.
    """
    for default, other in (("m", "f"), ("f", "m")):
        if default not in questions.defaults:
            continue
        for listed in _lists(questions):
            gendered = {key - {other} for entry in listed for key in entry.forms if other in key}
            gendered |= {key | {"neg"} for key in gendered}
            for entry in listed:
                if isinstance(entry, Subject) and entry.gender:
                    continue
                for key in entry.forms:
                    if key in gendered and key | {other} not in entry.forms:
                        shown = _named(key | {default})
                        problem = f"has the form {shown}, but no form for {other}, which would get {shown}"
                        yield entry_finding(entry, "genders", problem)


def default_forms(sets: Sequence[QuestionSet]) -> Iterator[Finding]:
    """Find forms without gender, for a mask or as a default, with the same text as a form for one gender."""
    for questions in sets:
        for entry in entries(questions):
            for key, text in entry.forms.items():
                gender = key & _GENDERS
                if questions.defaults & _GENDERS:
                    continue  # the form without gender is the form of a gender
                if len(gender) == 1 and entry.forms.get(key - gender) == text:
                    problem = f"the form without gender is the same as {_named(key)}"
                    yield entry_finding(entry, "default-form", problem)


def paradigms(sets: Sequence[QuestionSet]) -> Iterator[Finding]:
    """Find forms that most entries of a list have and one lacks, or that are the base form in only one entry.

    The lists are the subjects of one gender, and the attributes of one kind. A form without gender counts
    as the form for a gender.
    """
    for questions in sets:
        for listed in _lists(questions):
            counts = Counter(key for entry in listed for key in entry.forms)
            for key, n in counts.items():
                if n * 2 <= len(listed):
                    continue
                yield from _lacking(listed, key)
                yield from _undifferentiated(listed, key)


def declared_forms(file: Path, sets: Sequence[QuestionSet]) -> Iterator[Finding]:
    """Find subjects without a form, listed or derived, that the pack.yaml ``file`` declares for their list.

    Invalid forms and unknown lists in the declaration are findings too.
    """
    head, located = read_model(file, PackFile, WordListError)
    listed: dict[str, dict[str, Subject]] = {}
    for questions in sets:
        for subject in subjects(questions):
            listed.setdefault(subject.file.stem, {})[subject.name] = subject
    for name, keys in head.forms.items():
        if name not in listed:
            message = f"forms: no class has the list {name!r}"
            yield Finding(file, located.line(("forms", name)), "paradigm", message, name)
            continue
        for key in keys:
            try:
                wanted = features(key) - frozenset(head.defaults)
            except SlotError as e:
                yield Finding(file, located.line(("forms", name)), "paradigm", f"forms: {e}", name)
                continue
            for subject in listed[name].values():
                if derived_form(head.derive, subject.forms, wanted) is None:
                    yield entry_finding(subject, "paradigm", f"has no form {key}, which pack.yaml declares")


def _lists(questions: QuestionSet) -> Iterator[list[Subject] | list[Attribute]]:
    for of_list in questions.subjects:
        for gender in sorted({s.gender for s in of_list}):
            yield [s for s in of_list if s.gender == gender]
    all_attributes = attributes(questions)
    for kind in sorted({a.kind for a in all_attributes}):
        yield [a for a in all_attributes if a.kind == kind]


def _lacking(listed: Sequence[Subject | Attribute], key: Features) -> Iterator[Finding]:
    for entry in listed:
        if key not in entry.forms and key - _GENDERS not in entry.forms and not _other_gender(entry, key):
            problem = f"has no form {_named(key)}, unlike most other entries of its list"
            yield entry_finding(entry, "paradigm", problem)


def _other_gender(entry: Subject | Attribute, key: Features) -> bool:
    """Return whether ``entry`` has the form of the other gender, which the rule `genders` reports."""
    return any(key - {g} | {o} in entry.forms for g, o in (("m", "f"), ("f", "m")) if g in key)


def _undifferentiated(listed: Sequence[Subject | Attribute], key: Features) -> Iterator[Finding]:
    """Yield entries whose form equals the base form; cases and plurals may be equal (German *Ungarn*)."""
    if not key or key & (CASES | {"pl"}):
        return
    same = [e for e in listed if e.forms.get(key) == e.forms.get(frozenset())]
    if len(same) == 1 and len(listed) >= _LONG_LIST:
        for entry in same:
            problem = f"the form {_named(key)} is the same as the base form, unlike in the other entries"
            yield entry_finding(entry, "paradigm", problem)


def _named(key: Features) -> str:
    return ".".join(sorted(key))


DEFAULT_FORM: LintRule[Sequence[QuestionSet]] = LintRule(
    "default-form",
    default_forms,
    "a form without gender, which a mask or a neutral template takes, that equals a gendered one",
)

GENDERS: LintRule[Sequence[QuestionSet]] = LintRule(
    "genders",
    genders,
    "a form for one gender without the other's; with `defaults: [m]`, a form that is also used for "
    "women because its `f` is missing",
)

PARADIGM: LintRule[Sequence[QuestionSet]] = LintRule(
    "paradigm",
    paradigms,
    "a form that most subjects of a list, or most attributes of a kind, or `forms` in pack.yaml "
    "have and one lacks; a form that equals the base form for only one subject",
)
