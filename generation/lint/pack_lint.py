"""Lint of language packs: all rules, and the findings in a pack's question sets."""

from __future__ import annotations

from collections.abc import Sequence

from nextset.generation.lint.finding import Finding
from nextset.generation.lint.pack_rules import named_subjects as names
from nextset.generation.lint.pack_rules import negations
from nextset.generation.lint.pack_rules.acceptances import PackFindings, sorted_out, unused
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
"""The rules by name; docs/language_packs.md describes each."""

UNUSED = "unused-acceptance"
"""The rule on entries of ``accepted`` in pack.yaml; it needs the findings of all others."""


def lint_sets(sets: Sequence[QuestionSet]) -> list[Finding]:
    """Return all findings in the sets of one pack, accepted or not, by file and line."""
    return list(sorted_out((f for rule in PACK_RULES.values() for f in rule(sets)), ()).open)


def lint_pack(pack: Pack) -> PackFindings:
    """Return all findings in a pack: in its sets, its prefixes, the forms it declares and what it accepts."""
    found = lint_sets(pack.sets)
    head = pack.files[0]
    if head.name == "pack.yaml":
        found += names.named_in_prefixes(head, pack.sets)
        found += declared_forms(head, pack.sets)
    return sorted_out([*found, *unused(head, pack.accepted, found, PACK_RULES)], pack.accepted)
