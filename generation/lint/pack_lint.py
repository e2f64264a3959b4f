"""Lint of language packs: all rules, and the findings in a pack's question sets."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Iterable, Iterator

from nextset.generation.lint.template_lint import Finding
from nextset.generation.questions.question_set import Attribute, QuestionSet, Subject
from nextset.generation.questions.slots import CASES, Slot
from nextset.generation.sound_rules.english_articles import articles_by_sound

__all__ = ["PACK_RULES", "lint_sets"]

PLAIN = "plain negative act"
"""The source of an attribute that states no prejudice."""


def lint_sets(sets: Iterable[QuestionSet]) -> list[Finding]:
    """Return all findings in the sets of a pack, by file and line."""
    found = {finding for s in sets for rule in PACK_RULES.values() for finding in rule(s)}
    return sorted(found, key=lambda f: (str(f.file), f.line or 0, f.rule, f.message))


def _attributes(questions: QuestionSet) -> dict[int, Attribute]:
    return {id(a.attribute): a.attribute for t in questions.templates for a in t.by_attribute}


def _subjects(questions: QuestionSet) -> Iterator[Subject]:
    for listed in questions.subjects:
        yield from listed


def _named_subject(questions: QuestionSet) -> Iterator[Finding]:
    """An attribute that contains a subject: the question would answer itself."""
    forms = {text for s in _subjects(questions) for text in s.forms.values()}
    name = re.compile("|".join(map(_as_word, sorted(forms))), re.IGNORECASE)
    for a in _attributes(questions).values():
        for text in a.forms.values():
            match = name.search(text)
            if match:
                message = f"{a.name}: {match[0]!r} is a subject of {questions.name}"
                yield Finding(a.file, a.line, "named-subject", message)


def _group_twice(questions: QuestionSet) -> Iterator[Finding]:
    """Two subjects of a class with the same text, ignoring case: their pair would name one group twice."""
    seen: dict[str, str] = {}
    for subject in {s.name: s for s in _subjects(questions)}.values():
        for text in {text.casefold() for text in subject.forms.values()}:
            other = seen.setdefault(text, subject.name)
            if other != subject.name:
                message = f"{subject.name}: {text!r} is also a text of {other}"
                yield Finding(subject.file, subject.line, "group-twice", message)


def _as_word(text: str) -> str:
    """Return a pattern for ``text`` as a whole word; in scripts without spaces it matches anywhere."""
    before, after = (
        "" if _no_spaces(c) else border for c, border in ((text[0], r"(?<!\w)"), (text[-1], r"(?!\w)"))
    )
    return before + re.escape(text) + after


def _no_spaces(c: str) -> bool:
    script = unicodedata.name(c, "?").split()[0]
    return unicodedata.east_asian_width(c) in "WF" or script in ("THAI", "LAO", "KHMER", "MYANMAR")


def _asymmetric(questions: QuestionSet) -> Iterator[Finding]:
    """Subjects in different forms or, in English, after different articles."""
    english = articles_by_sound in questions.rules
    for t in questions.templates:
        before = ""
        seen = []
        for piece in t.context:
            if isinstance(piece, Slot):
                article = re.search(r"\b(an?|the) \Z", before, re.IGNORECASE) if english else None
                seen.append(
                    (sorted((piece.features or frozenset()) - CASES), article[1].lower() if article else "")
                )
            before = piece if isinstance(piece, str) else ""
        if seen[0] != seen[1]:
            message = f"{t.id}: the two subjects differ in form or article"
            yield Finding(questions.file, t.line, "asymmetric", message)


def _no_source(questions: QuestionSet) -> Iterator[Finding]:
    for a in _attributes(questions).values():
        if a.source != PLAIN and not re.search(r"\b[12]\d{3}\b|https?://", a.source):
            message = f"{a.name}: {a.source!r} is neither a work with its year, an address, nor {PLAIN!r}"
            yield Finding(a.file, a.line, "no-source", message)


def _genders(questions: QuestionSet) -> Iterator[Finding]:
    """A form for one gender without the other's, or identical to the form without gender."""
    entries: list[Subject | Attribute] = [*_subjects(questions), *_attributes(questions).values()]
    for entry in entries:
        for key, text in entry.forms.items():
            for gender, other in (("m", "f"), ("f", "m")):
                if gender not in key:
                    continue
                name = ".".join(sorted(key))
                if key - {gender} | {other} not in entry.forms:
                    yield Finding(entry.file, entry.line, "genders", f"{entry.name}: {name} without {other}")
                if entry.forms.get(key - {gender}) == text:
                    message = f"{entry.name}: the form without gender is the same as {name}"
                    yield Finding(entry.file, entry.line, "genders", message)


def _shows_script(c: str) -> bool:
    """Return whether ``c`` is a letter of one script; long vowels, apostrophes and ordinals are shared."""
    return unicodedata.category(c) in ("Lu", "Ll", "Lt", "Lo") and c not in "ªº"


_TOGETHER = ({"HIRAGANA", "KATAKANA", "CJK"}, {"HANGUL", "CJK"})


def _mixed_scripts(questions: QuestionSet) -> Iterator[Finding]:
    entries: list[Subject | Attribute] = [*_subjects(questions), *_attributes(questions).values()]
    for entry in entries:
        for text in entry.forms.values():
            scripts = {unicodedata.name(c, "?").split()[0] for c in text if _shows_script(c)}
            if len(scripts) > 1 and not any(scripts <= together for together in _TOGETHER):
                message = f"{entry.name}: {' and '.join(sorted(scripts)).lower()} in {text!r}"
                yield Finding(entry.file, entry.line, "mixed-scripts", message)


PACK_RULES: dict[str, Callable[[QuestionSet], Iterator[Finding]]] = {
    "named-subject": _named_subject,
    "group-twice": _group_twice,
    "asymmetric": _asymmetric,
    "no-source": _no_source,
    "genders": _genders,
    "mixed-scripts": _mixed_scripts,
}
"""The rules by name."""
