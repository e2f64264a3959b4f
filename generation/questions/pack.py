"""The reader of language packs: pack.yaml, subjects/, attributes/, templates/, choice/.

docs/tutorials/bring_a_language.md shows a pack.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path

from nextset.errors import WordListError, examples
from nextset.files.file_search import yaml_files
from nextset.files.yaml_model import read_model
from nextset.forms import FormName
from nextset.generation.questions.context_spans import with_distinct_templates
from nextset.generation.questions.derived_subjects import wanted_forms, with_derived_forms
from nextset.generation.questions.form_lookup import UnresolvedTemplate, check_subjects, resolve
from nextset.generation.questions.pack_choices.choice_reader import read_choices
from nextset.generation.questions.pack_choices.choice_template import PackChoices
from nextset.generation.questions.pack_schema import (
    Acceptance,
    AttributesFile,
    NativeCheck,
    PackFile,
    Question,
    Statement,
    SubjectsFile,
    TemplatesFile,
)
from nextset.generation.questions.pack_text_check import Place
from nextset.generation.questions.question_set import Attribute, QuestionSet, Subject
from nextset.generation.questions.subject_pairs import overlapping_pairs
from nextset.generation.questions.texts_digest import texts_digest
from nextset.generation.slots import GRAMMAR, Features
from nextset.generation.sound_rules.aspirated_words import aspirated_words
from nextset.generation.sound_rules.rule_names import named_rules
from nextset.generation.sound_rules.text_edits import SoundRule
from nextset.word_lists import FOLDER

__all__ = ["Pack", "is_pack", "read_pack", "read_pack_choices", "shipped_packs"]


@dataclass(frozen=True)
class Pack:
    """A language pack: the question sets and files of a folder."""

    language: str
    """BCP 47 tag."""
    direction: str
    """ltr or rtl."""
    checked_by: tuple[NativeCheck, ...]
    """The native speakers who checked the pack; empty if it has not been checked."""
    texts_digest: str
    """The digest of the pack's texts (`nextset.generation.questions.texts_digest`)."""
    accepted: tuple[Acceptance, ...]
    """The lint findings in the pack that a person has accepted."""
    sets: tuple[QuestionSet, ...]
    """The pack's classes, in the form of questions and of statements."""
    files: tuple[Path, ...]
    """The files that the question sets were read from."""
    choices: PackChoices | None = None
    """The templates of choices, with their own files; None if the pack has no folder choice."""


@dataclass(frozen=True)
class _Templates:
    """The templates of one class."""

    file: Path
    written: TemplatesFile
    place: Place


def shipped_packs() -> dict[str, Path]:
    """Return the folders of the packs that come with nextset, by entry, such as builtin:en."""
    return {f"builtin:{file.parent.name}": file.parent for file in sorted(FOLDER.glob("*/pack.yaml"))}


def is_pack(folder: Path) -> bool:
    """Return whether ``folder`` contains a language pack."""
    return (folder / "pack.yaml").is_file()


def read_pack(folder: Path, prefix: str = "", rules: int | None = None) -> Pack:
    """Read the pack in ``folder``; ``prefix`` names one of its prefixes.

    With ``rules``, only this number of its sound rules are applied, so that the effect of the next rule can
    be seen. Raises WordListError with file, line and remedy; a pack is never read in part.
    """
    file = folder / "pack.yaml"
    head, located = read_model(file, PackFile, WordListError)
    place = Place(file, located, ())
    _check_head(head, place)
    start = _prefix(head, place, prefix)
    aspirated: set[str] = set()
    choices = read_choices(folder, head, partial(_subjects, head=head, aspirated=aspirated))
    if not head.classes and choices is None:
        raise place.error(
            "the pack has neither classes nor templates of choices", "write classes, or choice/NAME.yaml"
        )
    attributes = _attributes(folder, head, aspirated) if head.classes else {}
    templates = _templates(folder, head) if head.classes else {}
    lists: dict[Path, list[Subject]] = {}
    by_class: dict[str, tuple[tuple[Subject, ...], ...]] = {}
    for name, written in head.classes.items():
        if len(written.subjects) != (2 if written.pairs == "across" else 1):
            needed, given = "two lists" if written.pairs == "across" else "one list", len(written.subjects)
            raise place.inside("classes", name, "subjects").error(
                f"pairs: {written.pairs} needs {needed} of subjects, and the class names {given}",
                "use pairs: all for pairs within one list, pairs: across for pairs between two lists",
            )
        if len(set(written.subjects)) < len(written.subjects):
            raise place.inside("classes", name, "subjects").error(
                f"the class {name!r} names the same list twice", "use pairs: all for pairs within one list"
            )
        files = [folder / "subjects" / f"{s}.yaml" for s in written.subjects]
        of_class = {file: _subjects(file, head, aspirated) for file in files}
        check_subjects(list(of_class.items()), written.pairs)
        lists |= of_class
        if name not in templates:
            raise place.inside("classes", name).error(
                f"the class {name!r} has no templates", f"write templates/{name}.yaml, or remove the class"
            )
        by_class[name] = _with_derived(head, templates[name], of_class.values())
    applied = named_rules(head.rules[:rules], frozenset(aspirated))
    sets = [
        s
        for name in by_class
        for s in _sets(head, templates[name], by_class[name], attributes, applied, start)
    ]
    sets = [replace(s, rule_names=head.rules[:rules], join=head.join) for s in sets]
    if choices is not None:
        choices = replace(choices, rules=applied, rule_names=head.rules[:rules])
    named = (a.file for of_kind in attributes.values() for a in of_kind)
    read = dict.fromkeys([file, *lists, *named, *(t.file for t in templates.values())])
    return Pack(
        language=head.language,
        direction=head.direction,
        checked_by=head.checked_by,
        texts_digest=texts_digest(sets, head.rules, choices),
        accepted=head.accepted,
        sets=tuple(sets),
        files=tuple(read),
        choices=choices,
    )


def read_pack_choices(folder: Path) -> PackChoices | None:
    """Read only the templates of choices of the pack in ``folder``, with its pack.yaml; None without any.

    Raises WordListError with file, line and remedy.
    """
    file = folder / "pack.yaml"
    head, located = read_model(file, PackFile, WordListError)
    _check_head(head, Place(file, located, ()))
    aspirated: set[str] = set()
    choices = read_choices(folder, head, partial(_subjects, head=head, aspirated=aspirated))
    if choices is None:
        return None
    return replace(
        choices,
        rules=named_rules(head.rules, frozenset(aspirated)),
        rule_names=head.rules,
        files=(file, *choices.files),
    )


def _check_head(head: PackFile, place: Place) -> None:
    """Raise WordListError for a text of pack.yaml that is not well-formed, or a default without grammar."""
    for i, check in enumerate(head.checked_by):
        Place(place.file, place.located, ("checked_by", i, "name")).text(check.name)
    for i, accepted in enumerate(head.accepted):
        for key, text in (("rule", accepted.rule), ("name", accepted.name), ("reason", accepted.reason)):
            Place(place.file, place.located, ("accepted", i, key)).text(text)
    for name in head.prefixes:
        _prefix_text(head, place, name)
    for feature in head.defaults:
        if feature not in GRAMMAR:
            raise place.inside("defaults").error(
                f"the default {feature!r} is not a case, number, gender or definiteness",
                f"use one or more of {', '.join(sorted(GRAMMAR))}",
            )


def _sets(
    head: PackFile,
    templates: _Templates,
    subjects: tuple[tuple[Subject, ...], ...],
    attributes: Mapping[str, Sequence[Attribute]],
    rules: tuple[SoundRule, ...],
    prefix: str,
) -> Iterator[QuestionSet]:
    """Yield a class as questions and as statements, if it has templates of that form."""
    class_ = head.classes[templates.written.class_]
    defaults = frozenset(head.defaults)
    forms: tuple[tuple[FormName, Mapping[str, Question] | Mapping[str, Statement]], ...] = (
        ("question", templates.written.templates),
        ("statement", templates.written.statements),
    )
    for form, entries in forms:
        resolved = [
            t
            for w in _unresolved(templates, entries)
            for t in resolve(w, subjects, attributes, rules, defaults=defaults)
        ]
        if resolved:
            every = with_distinct_templates(
                QuestionSet(
                    file=templates.file,
                    language=head.language,
                    name=templates.written.class_,
                    form=form,
                    subjects=subjects,
                    pairs=class_.pairs,
                    templates=tuple(resolved),
                    rules=rules,
                    prefix=prefix,
                    defaults=defaults,
                    overlapping=class_.overlapping,
                )
            )
            overlapping = overlapping_pairs(every)
            if class_.overlapping == "apart" and len(overlapping) == every.n_pairs:
                raise WordListError(
                    f"the class {every.name} has no pairs left: one subject of each is within the other",
                    file=subjects[0][0].file,
                    line=subjects[0][0].line,
                    remedy="remove within, or set overlapping: paired for the class in pack.yaml",
                )
            yield replace(every, excluded=overlapping) if class_.overlapping == "apart" else every


def _with_derived(
    head: PackFile, templates: _Templates, lists: Iterable[Sequence[Subject]]
) -> tuple[tuple[Subject, ...], ...]:
    """Return the subjects of a class with the regular forms that its templates require."""
    written = templates.written
    items: list[Question | Statement] = [*written.templates.values(), *written.statements.values()]
    wanted = wanted_forms(((t.context, t.text, t.negated) for t in items), frozenset(head.defaults))
    return tuple(
        tuple(with_derived_forms(s, wanted, head.derive, head.suffixes) for s in listed) for listed in lists
    )


def _prefix(head: PackFile, place: Place, name: str) -> str:
    """Return the text before every context, with the separator."""
    if not name:
        return ""
    if name not in head.prefixes:
        remedy = f"use one of {examples(head.prefixes, 12)}" if head.prefixes else "remove questions.prefix"
        raise place.error(f"the pack has no prefix {name!r}", remedy)
    return _prefix_text(head, place, name)


def _prefix_text(head: PackFile, place: Place, name: str) -> str:
    written = head.prefixes[name]
    text = place.inside("prefixes", name).text(written.removesuffix(" "))  # further blanks are refused
    if not text:
        raise place.inside("prefixes", name).error(f"the prefix {name!r} is empty", "write it, or remove it")
    return text + (head.join or " " * written.endswith(" "))


def _below(folder: Path, what: str) -> list[Path]:
    files = yaml_files(folder / what, WordListError)
    if not files:
        raise WordListError(
            f"the pack has no file {what}/*.yaml",
            file=folder,
            remedy=f"write one in the format of nextset's own files: {FOLDER / 'en' / what}",
        )
    return files


def _attributes(folder: Path, head: PackFile, aspirated: set[str]) -> dict[str, list[Attribute]]:
    """Return the attributes by kind, and add their words with h: aspire to ``aspirated``."""
    by_kind: dict[str, list[Attribute]] = {}
    seen: dict[str, Path] = {}
    for file in _below(folder, "attributes"):
        written, located = read_model(file, AttributesFile, WordListError)
        for name, a in written.attributes.items():
            place = Place(file, located, ("attributes", name))
            if name in seen:
                raise place.error(
                    f"the attribute {name!r} is already listed in {seen[name].name}", "remove one of the two"
                )
            seen[name] = file
            forms = place.inside("forms").forms(a.forms, frozenset(head.defaults)).texts
            _mark_aspirated(a.h, forms, head, place, aspirated)
            for text in (a.cluster, a.source):
                place.text(text)
            for key, what in ((frozenset[str](), "base form"), (frozenset({"neg"}), "negation")):
                if key not in forms:
                    raise place.error(
                        f"{name!r} has no {what}", 'list the forms "" (base form) and neg (negation)'
                    )
            attribute = Attribute(name, a.kind, a.cluster, a.source, forms, file, place.line)
            by_kind.setdefault(a.kind, []).append(attribute)
    return by_kind


def _subjects(file: Path, head: PackFile, aspirated: set[str]) -> list[Subject]:
    """Return the subjects of a list, and add their words with h: aspire to ``aspirated``."""
    written, located = read_model(file, SubjectsFile, WordListError)
    defaults = frozenset(head.defaults)
    subjects = []
    for key, s in written.subjects.items():
        place = Place(file, located, ("subjects", key))
        if not place.text(key):
            raise place.error("a subject has no name", "give it a name")
        forms = place.inside("forms").forms(s.forms, defaults, answers=True)
        if frozenset() not in forms.texts:
            base = place.forms({"": key}, defaults)
            forms = replace(forms, texts={**forms.texts, **base.texts})
        _mark_aspirated(s.h, forms.texts, head, place, aspirated)
        place.text(s.cluster)
        subjects.append(
            Subject(
                key,
                s.cluster,
                s.gender,
                forms.texts,
                file,
                place.line,
                answers=forms.answers,
                within=s.within,
            )
        )
    return subjects


def _mark_aspirated(
    h: str, forms: Mapping[Features, str], head: PackFile, place: Place, aspirated: set[str]
) -> None:
    if not h:
        return
    if "french-elision" not in head.rules:
        raise place.inside("h").error(
            "h: aspire needs the sound rule french-elision, which the pack does not name",
            "remove h, or add french-elision to rules in pack.yaml",
        )
    words = aspirated_words(forms.values())
    if not words:
        raise place.inside("h").error(
            "h: aspire marks a word that begins with h, y or a vowel, and no form has one",
            "remove h; it is right for words such as Hazara and Ouzbek (le Hazara, le Ouzbek)",
        )
    aspirated |= words


def _templates(folder: Path, head: PackFile) -> dict[str, _Templates]:
    """Return the templates by class."""
    by_class: dict[str, _Templates] = {}
    for file in _below(folder, "templates"):
        written, located = read_model(file, TemplatesFile, WordListError)
        place = Place(file, located, ())
        name = written.class_
        if name not in head.classes:
            known = examples(head.classes, 12)
            raise place.inside("class").error(
                f"the class {name!r} is not in pack.yaml", f"use one of {known}, or delete the file"
            )
        if name in by_class:
            other = by_class[name].file.name
            raise place.inside("class").error(
                f"the class {name!r} also has templates in {other}", "move them into one file"
            )
        if not written.templates and not written.statements:
            raise place.error(
                "the file has neither templates nor statements",
                f"add templates for {name}, or delete the file",
            )
        by_class[name] = _Templates(file, written, place)
    return by_class


def _unresolved(
    templates: _Templates, entries: Mapping[str, Question] | Mapping[str, Statement]
) -> Iterator[UnresolvedTemplate]:
    items: Sequence[tuple[str, Question | Statement]] = list(entries.items())
    for name, t in items:
        masked = isinstance(t, Statement)
        place = templates.place.inside("statements" if masked else "templates", name)
        context, text, negated = map(place.text, (t.context, t.text, t.negated))
        yield UnresolvedTemplate(name, t.takes, context, text, negated, masked, place.file, place.line)
