"""Checks that placeholders and lists are defined, and that texts have the masks that they need."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence
from pathlib import Path

from nextset.errors import TemplateError, examples
from nextset.files.yaml_reader import LocatedYaml, Location
from nextset.generation.templates.anchors import anchors_of
from nextset.generation.templates.placeholders import GROUPS, MASK, PlaceholderError, check, names, render
from nextset.generation.templates.template import Statement, Template
from nextset.letter_case import spelling
from nextset.study.mask_constraint import LIST_NAME, MaskConstraint
from nextset.study.stereotype_sentences import StereotypeSentences
from nextset.word_lists.fill_list import fill_list_names, problem_of_word

__all__ = [
    "anchor_problem",
    "check_defined",
    "check_groups",
    "check_lists",
    "check_words",
    "filled_sentences",
]


def check_groups(
    groups: tuple[str, str], file: Path, line: int | None, named: tuple[str, str] = GROUPS
) -> None:
    """Raise TemplateError if both groups are the same, ignoring case and spaces: a swap would do nothing.

    ``named`` are their placeholders.
    """
    if len({spelling(group) for group in groups}) == 1:
        raise TemplateError(
            f"{' and '.join(named)} are both {groups[1]!r}, so no item would differ from its counterpart",
            file=file,
            line=line,
            remedy="write two different groups; an item's counterpart swaps them",
        )


def check_words(
    groups: Mapping[str, str], words: Mapping[str, Sequence[str]], file: Path, located: LocatedYaml
) -> None:
    """Raise TemplateError if a word list is empty or has a reserved name, or if a word has a brace."""
    for name, listed in words.items():
        line = located.line(("words", name))
        if name in (*GROUPS, MASK):
            raise TemplateError(
                f"the word list {name} has the same name as {'the mask' if name == MASK else 'a group'}",
                file=file,
                line=line,
                remedy="rename the list, and change its name in the texts that use it",
            )
        if not listed:
            raise TemplateError(
                f"the word list {name} is empty",
                file=file,
                line=line,
                remedy=f"add at least one word to {name}",
            )
    values: list[tuple[Location, str]] = [(("groups", name), group) for name, group in groups.items()]
    values += [(("words", name, i), word) for name, listed in words.items() for i, word in enumerate(listed)]
    for at, value in values:
        if "{" in value or "}" in value:
            raise TemplateError(
                f"{value!r} contains a brace",
                file=file,
                line=located.line(at),
                remedy="write groups and words without placeholders; use placeholders only in the texts",
            )


def check_lists(lists: Mapping[str, Sequence[str]], file: Path, located: LocatedYaml) -> None:
    """Raise TemplateError if a list of words is empty, has an invalid name, or contains an invalid word."""
    for name, words in lists.items():
        line = located.line(("lists", name))
        if not LIST_NAME.fullmatch(name):
            remedy = "use small letters, digits and _, such as traits; put lists for {{NAMES}} under words"
            raise TemplateError(f"{name!r} is not a valid list name", file=file, line=line, remedy=remedy)
        if not words:
            remedy = f"add at least one word to {name}"
            raise TemplateError(f"the list {name} is empty", file=file, line=line, remedy=remedy)
        seen: set[str] = set()
        for i, word in enumerate(words):
            if problem := problem_of_word(word, seen):
                raise TemplateError(
                    f"{word[:60]!r} {problem} (list {name})",
                    file=file,
                    line=located.line(("lists", name, i)),
                    remedy="write each word once, in letters, in NFC and without extra spaces",
                )


def check_defined(template: Template) -> Template:
    """Return ``template``; raises TemplateError for an undefined placeholder or list, or a misplaced mask.

    A masked hypothesis has at least one {{MASK}}, and its question equally many; no other text has one.
    """
    seen: dict[tuple[str, str], Statement] = {}
    for premise in template.premises:
        _check(template, premise.text, template.file, premise.line, masks=0)
    for s in template.statements:
        masks = max(1, s.text.count("{{MASK}}")) if s.kind == "masked" else 0
        _check(template, s.text, s.file, s.line, masks)
        _check(template, s.question, s.file, s.question_line, masks if s.question else 0)
        for constraint in s.constraints:
            _check_constraint(template, constraint, s)
        for constraint, form in zip(s.constraints, s.question_forms, strict=True):
            _check_form(template, constraint, form, s)
        before = seen.setdefault((s.text, s.question), s)
        if (before.constraints, before.question_forms) != (s.constraints, s.question_forms):
            where = f"{before.file.name}:{before.line}"
            raise TemplateError(
                f"{s.text[:60]!r} is also in {where}, but its masks there take different words",
                file=s.file,
                line=s.line,
                remedy="write the sentence once, such as with {{MASK:adj|noun}}",
            )
    return template


def _check_constraint(template: Template, constraint: MaskConstraint, s: Statement) -> None:
    for name in constraint.lists:
        if template.word_list(name) is None:
            known = examples((*template.lists, *fill_list_names(template.language)), 12)
            raise TemplateError(
                f"the list {name} is not defined",
                file=s.file,
                line=s.line,
                remedy="define it under lists" + (f", or use one of {known}" if known else ""),
            )
    if constraint.listed and len(s.constraints) > 1:
        written = f"in {constraint.within}" if constraint.within else "only"
        raise TemplateError(
            f"{s.text[:60]!r} has several masks, and one of them takes the words of a list",
            file=s.file,
            line=s.line,
            remedy=f"write `{written}` only in sentences with a single mask",
        )
    if problem := anchor_problem(template, constraint):
        remedy = "write words, or names of lists under lists, with commas, each on one side"
        raise TemplateError(problem, file=s.file, line=s.line, remedy=remedy)


def anchor_problem(template: Template, constraint: MaskConstraint) -> str:
    """Return what is wrong with an anchor: that it is no word, or on both sides; empty if nothing is."""
    written = f"{{{{MASK:{constraint}}}}}"
    for entry in (*constraint.like, *constraint.unlike):
        words = template.word_list(entry)
        problem = None if words else problem_of_word(entry, set())
        if problem and "_" in entry:
            problem = "is neither a word nor the name of a list"
        if problem:
            return f"{entry[:60]!r} {problem} ({written[:120]})"
    anchors = anchors_of(constraint, template.language, template.word_list)
    both = anchors.on_both_sides if anchors else []
    return f"{examples(both)} would make both claims at {written[:120]}" if both else ""


def _check_form(template: Template, constraint: MaskConstraint, form: str, s: Statement) -> None:
    """Raise TemplateError unless every word that ``constraint`` takes can have ``form``."""
    if not form:
        return
    category = form.partition(".")[0]
    named = {c.partition(".")[0] for c in constraint.categories}
    if template.language.split("-")[0] != "en":
        problem = f"{template.language} words cannot be inflected"
        remedy = "write {{MASK}} in the question, and a sentence that needs the same form of the word"
    elif named != {category} and not (not named and constraint.listed):
        problem = f"the question has {{{{MASK:{form}}}}}, and the hypothesis {{{{MASK:{constraint}}}}}"
        remedy = f"let the mask of the hypothesis take only forms of {category}, such as {{{{MASK:{form}}}}}"
    else:
        return
    problem = problem.replace("{{MASK:}}", "{{MASK}}")
    raise TemplateError(problem, file=s.file, line=s.question_line, remedy=remedy)


def _check(template: Template, text: str, file: Path, line: int | None, masks: int) -> None:
    unknown = sorted(names(text) - {*template.words, *GROUPS, MASK})
    if unknown:
        known = examples((*GROUPS, MASK, *template.words), 12)
        raise TemplateError(
            f"{{{{{unknown[0]}}}}} is not defined",
            file=file,
            line=line,
            remedy=f"define it under words, or use one of {known}",
        )
    count = text.count("{{MASK}}")
    if count != masks:
        raise TemplateError(
            f"the number of {{{{MASK}}}} in {text[:60]!r} is {count}, not {masks}",
            file=file,
            line=line,
            remedy="write {{MASK}} for each word that a model fills in, and equally often in the question"
            if masks
            else "remove {{MASK}}, or put the text under masked",
        )


def filled_sentences(
    template: Template, written: StereotypeSentences | None, file: Path, located: LocatedYaml
) -> Template:
    """Return ``template`` with the sentences that ``file`` states its stereotype in, the groups filled in.

    Raises TemplateError for another placeholder or a stray brace, and if both sentences are the same.
    """
    if written is None:
        return template
    values = dict(zip(GROUPS, template.groups, strict=True))
    filled = {}
    for key, text in written.model_dump().items():
        line = located.line(("sentences", key))
        try:
            check(text)
        except PlaceholderError as e:
            raise TemplateError(str(e), file=file, line=line, remedy="write a plain sentence") from None
        if other := sorted(names(text) - set(GROUPS)):
            raise TemplateError(
                f"the sentence contains {{{{{other[0]}}}}}",
                file=file,
                line=line,
                remedy="write a plain sentence; only the groups may be placeholders",
            )
        filled[key] = render(
            text, values, capitalise=True, language=template.language, rules=template.sound_rules
        )
    if filled["pro"].casefold() == filled["anti"].casefold():
        raise TemplateError(
            f"the stereotype and its opposite are the same sentence: {filled['pro'][:60]!r}",
            file=file,
            line=located.line(("sentences", "anti")),
            remedy="write under anti the opposite, or the same about the other group",
        )
    return dataclasses.replace(template, sentences=StereotypeSentences(**filled))
