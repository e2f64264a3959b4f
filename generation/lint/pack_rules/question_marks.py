"""Question and exclamation marks: opening ones in Spanish, those of other scripts, the French space."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence

from nextset.generation.lint.pack_rules.pack_entries import template_finding
from nextset.generation.questions.question_set import QuestionSet, SetTemplate
from nextset.generation.slots import Run
from nextset.lint_rules import Finding, LintRule

__all__ = ["QUESTION_MARKS", "question_marks"]

RULE = "question-marks"
_MARKS = {
    **dict.fromkeys(("zh", "ja", "yue"), "？"),
    **dict.fromkeys(("ar", "fa", "ur", "ps", "sd", "ug", "ckb"), "؟"),
    "el": ";",
    **dict.fromkeys(("am", "ti"), "?፧"),
    **dict.fromkeys(("th", "lo", "km", "my", "bo", "hy"), ""),  # the mark is not used, or is part of the word
}
"""The characters that may end a question; if empty, no mark is required. Other languages have ?."""
_CLOSING = "\"'”’»)】」』"
_SPACES = " \u00a0\u202f"


def question_marks(sets: Sequence[QuestionSet]) -> Iterator[Finding]:
    """Find missing ¿ or ¡ in Spanish, questions without their mark, and unusual spaces before the mark."""
    for questions in sets:
        language = questions.language.split("-")[0]
        for template in questions.templates:
            if language == "es":
                yield from _unopened(questions, template)
            if not questions.masks_subject:
                yield from _unmarked(questions, template, _MARKS.get(language, "?"))
    yield from _spaces(sets)


def _asked(template: SetTemplate) -> list[str]:
    """Return the questions and their negations, with every attribute."""
    return [text for a in template.by_attribute for text in (a.text, a.negated)]


def _unopened(questions: QuestionSet, template: SetTemplate) -> Iterator[Finding]:
    context = "".join(
        p if isinstance(p, str) else p.values[0][1] if isinstance(p, Run) else "x" for p in template.context
    )
    for text in (context, *_asked(template)):
        for opening, closing in ("¿?", "¡!"):
            if text.count(closing) != text.count(opening):
                one, other = closing, opening
                if text.count(closing) < text.count(opening):
                    one, other = opening, closing
                problem = f"{one} without {other} in {text[:60]!r}"
                yield template_finding(questions, template, RULE, problem)


def _unmarked(questions: QuestionSet, template: SetTemplate, marks: str) -> Iterator[Finding]:
    for text in _asked(template):
        if marks and text.rstrip(_CLOSING + _SPACES)[-1:] not in tuple(marks):
            problem = f"the question does not end with {marks[0]}: {text[-40:]!r}"
            yield template_finding(questions, template, RULE, problem)
        elif marks and sum(text.count(mark) for mark in marks) > 1:
            problem = f"there is {marks[0]} in the middle of the question {text[:60]!r}"
            yield template_finding(questions, template, RULE, problem)


def _spaces(sets: Sequence[QuestionSet]) -> Iterator[Finding]:
    """Find questions whose space before the mark differs from that of most questions of the pack."""
    asked = [
        (q, t, text, _space(text))
        for q in sets
        if not q.masks_subject
        for t in q.templates
        for text in _asked(t)
        if text.endswith("?")
    ]
    if not asked:
        return
    ((usual, _),) = Counter(space for _, _, _, space in asked).most_common(1)
    for questions, template, text, space in asked:
        if space != usual:
            problem = f"{_named(space)} before ?, but most questions have {_named(usual)}: {text[-40:]!r}"
            yield template_finding(questions, template, RULE, problem)


def _space(text: str) -> str:
    before = text[:-1]
    return before[len(before.rstrip(_SPACES)) :]


def _named(space: str) -> str:
    names = {
        "": "no space",
        " ": "a space",
        "\u00a0": "a no-break space",
        "\u202f": "a narrow no-break space",
    }
    return names.get(space, repr(space))


QUESTION_MARKS: LintRule[Sequence[QuestionSet]] = LintRule(
    "question-marks",
    question_marks,
    "Spanish ? or ! without ¿ or ¡, or the reverse; a question mark within a question; a question "
    "without the question mark of its language (？ ؟ ;); a space before it that most other questions "
    "do not have, or the reverse",
)
