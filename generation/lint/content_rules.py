"""Lint rules on a template's contents: unused, missing or repeated parts."""

from __future__ import annotations

import re
from collections.abc import Iterator

from nextset.generation.lint.template_texts import statements_and_premises, texts
from nextset.generation.templates.placeholders import GROUPS, names
from nextset.generation.templates.template import Template, names_group
from nextset.lint_rules import Finding, LintRule
from nextset.text_tokens import word_tokens
from nextset.word_lists.protected_groups import unlike_groups

__all__ = [
    "DUPLICATE",
    "GROUP_TWICE",
    "NO_GROUP",
    "NO_SENTENCES",
    "NO_SOURCE",
    "QUESTION_GROUPS",
    "UNUSED_WORDS",
    "duplicates",
    "group_twice",
    "no_group",
    "no_sentences",
    "no_source",
    "question_groups",
    "unused_words",
]

_NAME = re.compile(r"{{(\w+).*?}}")
_ADDRESS = re.compile(r"https?://\w|\bdoi\.org/|\b10\.\d{4,}/", re.IGNORECASE)
_YEAR = re.compile(r"(?<!\d)(?:1\d|20)\d\d(?!\d)")
_NOT_YET = re.compile(r"\b(?:TODO|TBD|FIXME|XXX)\b")


def unused_words(template: Template) -> Iterator[Finding]:
    """Find word lists that no text uses, and lists that no mask names."""
    used = names(*(t.text for t in texts(template)))
    for name in template.words:
        if name not in used:
            yield Finding(
                *template.place("words", name), "unused-words", f"no text uses the word list {name}"
            )
    named = {name for s in template.statements for c in s.constraints for name in c.entries}
    for name in template.lists:
        if name not in named:
            yield Finding(*template.place("lists", name), "unused-words", f"no mask names the list {name}")


def no_group(template: Template) -> Iterator[Finding]:
    """Find hypotheses and masked hypotheses without a group, which have no counterfactual."""
    for s in template.statements:
        if s.kind != "test" and not names_group(s.text):
            message = f"names no group, so it has no counterfactual: {s.text[:60]!r}"
            yield Finding(s.file, s.line, "no-group", message)


def group_twice(template: Template) -> Iterator[Finding]:
    """Find groups that are written out beside a placeholder in a premise or hypothesis: a swap keeps them."""
    tests = {s.text for s in template.statements if s.kind == "test"}
    for text in statements_and_premises(template):
        if text.text in tests or not names_group(text.text):
            continue
        rest = _NAME.sub(".", text.text)
        for group in template.every_group or template.groups:
            if re.search(rf"(?<![\w-]){re.escape(group)}(?![\w-])", rest, re.IGNORECASE):
                message = (
                    f"{group!r} is written out, so it stays when the groups are swapped: {text.text[:60]!r}"
                )
                yield Finding(text.file, text.line, "group-twice", message)


def question_groups(template: Template) -> Iterator[Finding]:
    """Find questions and premises that name other groups than the statements, in words or by placeholder."""
    own = template.every_group or template.groups
    known = " . ".join((*own, *(_NAME.sub(".", s.text) for s in template.statements)))
    for premise in template.premises:
        beside = (unlike_groups(template.language, premise.text, t, own) for t in (known, ""))
        if (other := next(beside)) and other == next(beside) and not names_group(premise.text):
            message = f"only the premise names {' and '.join(other)}: {premise.text[:60]!r}"
            yield Finding(template.file, premise.line, "question-groups", message)
    for s in template.statements:
        if not s.question:
            continue
        one, two = ([n for n in _NAME.findall(text) if n in GROUPS] for text in (s.text, s.question))
        plain = [_NAME.sub(".", text) for text in (s.text, s.question)]
        extra = [f"{{{{{n}}}}}" for n in dict.fromkeys(two) if n not in one]
        extra += unlike_groups(template.language, plain[1], plain[0], own)
        lacking = [f"{{{{{n}}}}}" for n in dict.fromkeys(one) if n not in two]
        lacking += unlike_groups(template.language, plain[0], plain[1], own)
        if extra or lacking:
            named = [f"the question names {' and '.join(extra)}"] * bool(extra)
            named += [f"the statement names {' and '.join(lacking)}"] * bool(lacking)
            message = f"only {', only '.join(named)}: {s.question[:60]!r}"
        elif list(dict.fromkeys(one)) != list(dict.fromkeys(two)) and _bag(plain[0]) == _bag(plain[1]):
            message = f"the question has the groups the other way round: {s.question[:60]!r}"
        else:
            continue
        yield Finding(s.file, s.question_line, "question-groups", message)


def _bag(text: str) -> list[str]:
    return sorted(t for t in word_tokens(text.casefold()) if t[0].isalnum())


def duplicates(template: Template) -> Iterator[Finding]:
    """Find repeated premises, statements and words of a list, ignoring case and punctuation."""
    seen: dict[str, str] = {}
    for text in statements_and_premises(template):
        folded = _folded(text.text)
        if folded in seen:
            message = f"{text.text[:60]!r} is also in {seen[folded]}, ignoring case and punctuation"
            yield Finding(text.file, text.line, "duplicate", message)
        seen.setdefault(folded, f"{text.file.name}:{text.line}")
    for name, words in template.words.items():
        before = set[str]()
        for i, word in enumerate(map(_folded, words)):
            if word in before:
                place = template.place("words", name, i)
                yield Finding(*place, "duplicate", f"{word!r} is repeated in {name}")
            before.add(word)


def _folded(text: str) -> str:
    return " ".join(t for t in word_tokens(text.casefold()) if t[0].isalnum() or t[0] == "_") or text


def no_sentences(template: Template) -> Iterator[Finding]:
    """Find templates that do not state their stereotype and its opposite as sentences for annotators."""
    if template.sentences is None:
        where = "sentences" if template.file.suffix == ".yaml" else "sentences in an overlay"
        message = (
            f"annotators read only the name {template.stereotype[:60]!r}: add {where}, with the stereotype "
            "as pro and its opposite as anti"
        )
        yield Finding(*template.place("stereotype"), "no-sentences", message)
        return
    for key, sentence in template.sentences.model_dump().items():
        if _NOT_YET.search(sentence) or _folded(sentence) == _folded(template.stereotype):
            message = f"not yet a sentence that states the stereotype or its opposite: {sentence[:60]!r}"
            yield Finding(*template.place("sentences", key), "no-sentences", message)


def no_source(template: Template) -> Iterator[Finding]:
    """Find sources, of the stereotype or of a premise, with neither an address nor a year."""
    if not _is_source(template.source):
        message = f"the stereotype's source has neither an address nor a year: {template.source[:60]!r}"
        yield Finding(*template.place("source"), "no-source", message)
    for premise in template.premises:
        if not _is_source(premise.source):
            message = f"a premise's source has neither an address nor a year: {premise.source[:60]!r}"
            yield Finding(template.file, premise.line, "no-source", message)


def _is_source(source: str) -> bool:
    return not _NOT_YET.search(source) and bool(_ADDRESS.search(source) or _YEAR.search(source))


DUPLICATE: LintRule[Template] = LintRule(
    "duplicate",
    duplicates,
    "a repeated premise, hypothesis or test, or a repeated word in a list; case and punctuation are ignored",
)

GROUP_TWICE: LintRule[Template] = LintRule(
    "group-twice",
    group_twice,
    "a premise or hypothesis with a placeholder that also spells a group out: a swap does not change that "
    "word",
)

NO_GROUP: LintRule[Template] = LintRule(
    "no-group",
    no_group,
    "a hypothesis or masked hypothesis that names no group, so it has no counterfactual",
)

NO_SENTENCES: LintRule[Template] = LintRule(
    "no-sentences",
    no_sentences,
    "a stereotype without `sentences`; or a sentence that still says TODO or only repeats the "
    "stereotype's name",
)

NO_SOURCE: LintRule[Template] = LintRule(
    "no-source",
    no_source,
    "a source, of the stereotype or of a premise, with neither a year nor an address (URL or DOI), "
    "such as `unknown` or `?`; or one that still says TODO",
)

QUESTION_GROUPS: LintRule[Template] = LintRule(
    "question-groups",
    question_groups,
    "a question that names other groups than its statement, by placeholder or in words that the template "
    "or the [lists of the language](../explanation/counterfactuals.md#words-that-stay) know, or the same "
    "groups the other way round; or a premise that names only groups that no statement names",
)

UNUSED_WORDS: LintRule[Template] = LintRule(
    "unused-words",
    unused_words,
    "a word list that no text uses, or a list that no mask names",
)
