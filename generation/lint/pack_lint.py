"""Lint of language packs: all rules, and the findings in a pack's question sets."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path

from nextset.generation.lint.finding import Finding
from nextset.generation.lint.pack_rules import named_subjects as names
from nextset.generation.lint.pack_rules import negations
from nextset.generation.lint.pack_rules.acceptances import (
    UNUSED,
    PackFindings,
    check_rules,
    sorted_out,
    unused,
)
from nextset.generation.lint.pack_rules.article_agreement import articles
from nextset.generation.lint.pack_rules.attribute_sources import no_source
from nextset.generation.lint.pack_rules.context_symmetry import asymmetric, swap
from nextset.generation.lint.pack_rules.form_paradigms import (
    declared_forms,
    default_forms,
    genders,
    paradigms,
)
from nextset.generation.lint.pack_rules.form_scripts import mixed_scripts
from nextset.generation.lint.pack_rules.leftovers import leftovers
from nextset.generation.lint.pack_rules.one_sided_attributes import one_sided
from nextset.generation.lint.pack_rules.overlapping_groups import groups_twice, overlapping
from nextset.generation.lint.pack_rules.pack_entries import PackRule
from nextset.generation.lint.pack_rules.question_marks import question_marks
from nextset.generation.lint.pack_rules.sound_rule_gaps import mask_borders, unnamed_rules
from nextset.generation.lint.pack_rules.verb_numbers import verb_numbers
from nextset.generation.questions.pack import Pack
from nextset.generation.questions.question_set import QuestionSet

__all__ = ["PACK_RULES", "UNUSED", "lint_pack", "lint_sets"]

PACK_RULES: dict[str, PackRule] = {
    "named-subject": names.named_subjects,
    "group-twice": groups_twice,
    "overlapping": overlapping,
    "asymmetric": asymmetric,
    "swap": swap,
    "no-source": no_source,
    "partial-negation": negations.partial_negations,
    "fixed-text": negations.fixed_texts,
    "one-sided": one_sided,
    "genders": genders,
    "default-form": default_forms,
    "paradigm": paradigms,
    "article": articles,
    "verb-number": verb_numbers,
    "question-marks": question_marks,
    "mixed-scripts": mixed_scripts,
    "leftover": leftovers,
    "unnamed-rule": unnamed_rules,
    "mask-border": mask_borders,
}
"""The rules by name; docs/reference/lint_rules.md describes each."""


def lint_sets(sets: Sequence[QuestionSet]) -> list[Finding]:
    """Return all findings in the sets of one pack, accepted or not, sorted by file and line."""
    return list(sorted_out((f for rule in PACK_RULES.values() for f in rule(sets)), ()).open)


def lint_pack(
    pack: Pack, selected: Sequence[QuestionSet] | None = None, prefix: str | None = None
) -> PackFindings:
    """Return all findings in a pack: in its sets, its prefixes, its declared forms and its acceptances.

    With ``selected``, only the findings in these sets and in the prefix named ``prefix`` are returned. An
    entry of ``accepted`` is unused if it matches no finding in the whole pack. Raises WordListError if an
    entry names a rule that is not in `PACK_RULES`.
    """
    head = pack.files[0]
    check_rules(head, pack.accepted, PACK_RULES)
    findings = every = [*lint_sets(pack.sets), *_in_prefixes(head, pack.sets), *_declared(head, pack.sets)]
    if selected is not None:
        chosen = [f for f in _in_prefixes(head, selected) if f.name == prefix]
        findings = [*lint_sets(selected), *chosen, *_declared(head, selected)]
    return sorted_out([*findings, *unused(head, pack.accepted, every)], pack.accepted)


def _in_prefixes(head: Path, sets: Sequence[QuestionSet]) -> Iterable[Finding]:
    return names.named_in_prefixes(head, sets) if head.name == "pack.yaml" else ()


def _declared(head: Path, sets: Sequence[QuestionSet]) -> Iterable[Finding]:
    return declared_forms(head, sets) if head.name == "pack.yaml" else ()
