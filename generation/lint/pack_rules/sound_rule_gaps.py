"""Word borders that the language's sound rules should change but do not: at a mask, or for unnamed rules."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from nextset.generation.lint.pack_rules.pack_entries import subject_pairs, subjects, template_finding
from nextset.generation.questions.context_spans import candidate, render_asked, render_context
from nextset.generation.questions.question_set import Attribute, QuestionSet, SetTemplate
from nextset.generation.slots import Piece
from nextset.generation.sound_rules.rule_names import SOUND_RULES, RuleName, rules_of_language
from nextset.generation.sound_rules.text_edits import SoundRule
from nextset.lint_rules import Finding, LintRule
from nextset.scoring.masks.word_pattern import MASK

__all__ = ["MASK_BORDER", "UNNAMED_RULE", "mask_borders", "unnamed_rules"]


def unnamed_rules(sets: Sequence[QuestionSet]) -> Iterator[Finding]:
    """Find texts that sound rules of the language would change, if pack.yaml does not name them in order.

    Contexts are rendered with each subject once in each place; questions and statements with each attribute.
    """
    for questions in sets:
        names = _names(questions)
        if questions.rules_anywhere or names == questions.rule_names:
            continue
        right = replace(questions, rules=_rules(questions, names))
        missing = [name for name in names if name not in questions.rule_names]
        remedy = f"name {', '.join(missing)} in rules" if missing else f"rules: [{', '.join(names)}]"
        for template in questions.templates:
            change = next(_changes(questions, right, template), None)
            if change:
                problem = f"{change[0]!r} should be {change[1]!r}: {remedy}"
                yield template_finding(questions, template, "unnamed-rule", problem)


def mask_borders(sets: Sequence[QuestionSet]) -> Iterator[Finding]:
    """Find words next to the mask that a sound rule of the language would change for a subject: *A [mask]*.

    A model reads the word as it is in the statement, so it fits some subjects and not others. Each subject
    and each attribute is tried once.
    """
    for questions in sets:
        if not questions.masks_subject or questions.rules_anywhere:
            continue
        rules = _rules(questions, _names(questions))
        for template in questions.templates:
            change = next(_at_mask(questions, template, rules), None) if rules else None
            if change:
                problem = f"{change[0]!r} should be {change[1]!r}: no word next to the mask may change"
                yield template_finding(questions, template, "mask-border", problem)


def _names(questions: QuestionSet) -> tuple[RuleName, ...]:
    """Return the rules of the language in their order, followed by the pack's other rules."""
    of_language = rules_of_language(questions.language)
    return (*of_language, *(n for n in questions.rule_names if n not in of_language))


def _rules(questions: QuestionSet, names: Sequence[RuleName]) -> tuple[SoundRule, ...]:
    """Return the rules ``names``; the pack's own rules know the words that it marks with h: aspire."""
    own = dict(zip(questions.rule_names, questions.rules, strict=True)) if questions.rule_names else {}
    return tuple(own.get(name) or SOUND_RULES[name].rule for name in names)


def _changes(questions: QuestionSet, right: QuestionSet, template: SetTemplate) -> Iterator[tuple[str, str]]:
    """Yield texts of ``template`` with the pack's rules and with the right rules, if these texts differ."""
    for pair in subject_pairs(questions):
        texts = tuple(render_context(q, template, *pair).text for q in (questions, right))
        if texts[0] != texts[1]:
            yield texts[0], texts[1]
    for a in template.by_attribute:
        for pieces in (template.asked, template.denied):
            one, two = (
                _asked(questions, template, pieces, a.attribute, MASK, q.rules) for q in (questions, right)
            )
            if one != two:
                yield one, two


def _at_mask(
    questions: QuestionSet, template: SetTemplate, rules: Sequence[SoundRule]
) -> Iterator[tuple[str, str]]:
    """Yield statements with a subject in place of the mask, before and after ``rules``, if these differ."""
    candidates = [candidate(template, s) for s in subjects(questions)]
    for i in range(max(len(candidates), len(template.by_attribute))):
        attribute = template.by_attribute[i % len(template.by_attribute)].attribute
        inside = candidates[i % len(candidates)]
        for pieces in (template.asked, template.denied):
            masked = _asked(questions, template, pieces, attribute, MASK, rules).replace(MASK, inside)
            filled = _asked(questions, template, pieces, attribute, inside, rules)
            if masked != filled:
                yield masked, filled


def _asked(
    questions: QuestionSet,
    template: SetTemplate,
    pieces: Sequence[Piece],
    attribute: Attribute,
    at_mask: str,
    rules: Sequence[SoundRule],
) -> str:
    """Return a question or statement with ``attribute`` and the text ``at_mask`` in their slots."""
    gender = template.gender if questions.masks_subject else ""
    return render_asked(pieces, attribute, gender, rules, at_mask=at_mask)


MASK_BORDER: LintRule[Sequence[QuestionSet]] = LintRule(
    "mask-border",
    mask_borders,
    "a word next to the mask that a sound rule would change for a subject (*A [mask]* before "
    "*Armenian*): the model reads the unchanged word",
)

UNNAMED_RULE: LintRule[Sequence[QuestionSet]] = LintRule(
    "unnamed-rule",
    unnamed_rules,
    "a text that the [sound rules](sound_rules.md) of the language would change, and `rules` in "
    "pack.yaml does not name them, or has elision before contraction (*du Iran*)",
)
