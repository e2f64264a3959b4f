"""Lint of language packs: the findings of all rules in a pack's question sets."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path

from nextset.generation.lint.choice_lint import lint_choices
from nextset.generation.lint.pack_rules.acceptances import (
    PackFindings,
    check_rules,
    sorted_out,
    unused,
)
from nextset.generation.lint.pack_rules.form_paradigms import declared_forms
from nextset.generation.lint.pack_rules.named_subjects import named_in_prefixes
from nextset.generation.lint.pack_rules.negations import negation_words
from nextset.generation.questions.pack import Pack
from nextset.generation.questions.question_set import QuestionSet
from nextset.lint_rules import Finding, lint_rules
from nextset.word_lists.gendered_words import gendered_words

__all__ = ["lint_pack", "lint_sets", "pack_without_list"]


def lint_sets(sets: Sequence[QuestionSet]) -> list[Finding]:
    """Return all findings in the sets of one pack, accepted or not, sorted by file and line."""
    return list(sorted_out((f for rule in lint_rules("pack").values() for f in rule.findings(sets)), ()).open)


def lint_pack(
    pack: Pack, selected: Sequence[QuestionSet] | None = None, prefix: str | None = None
) -> PackFindings:
    """Return all findings in a pack: in its templates, prefixes, declared forms and acceptances.

    With ``selected``, only the findings in these sets and in the prefix named ``prefix`` are returned. An
    entry of ``accepted`` is unused if it matches no finding in the whole pack. Raises WordListError if an
    entry names a rule that is not a rule for packs.
    """
    head = pack.files[0]
    check_rules(head, pack.accepted, dict.fromkeys([*lint_rules("pack"), *lint_rules("choice")]))
    findings = every = [*lint_sets(pack.sets), *_in_prefixes(head, pack.sets), *_declared(head, pack.sets)]
    if pack.choices is not None:
        every += lint_choices(pack.choices)
    if selected is not None:
        chosen = [f for f in _in_prefixes(head, selected) if f.name == prefix]
        findings = [*lint_sets(selected), *chosen, *_declared(head, selected)]
    return sorted_out([*findings, *unused(head, pack.accepted, every)], pack.accepted)


def _in_prefixes(head: Path, sets: Sequence[QuestionSet]) -> Iterable[Finding]:
    return named_in_prefixes(head, sets) if head.name == "pack.yaml" else ()


def _declared(head: Path, sets: Sequence[QuestionSet]) -> Iterable[Finding]:
    return declared_forms(head, sets) if head.name == "pack.yaml" else ()


def pack_without_list(folder: Path, language: str) -> tuple[str, ...]:
    """Return which rules find less in the pack in ``folder`` without a list of words; empty if none does."""
    lists = (
        ("one-sided", "gendered_words.yaml", gendered_words(folder, language)),
        ("partial-negation", "negation_words.yaml", negation_words(language)),
    )
    missing = [f"{rule} ({file})" for rule, file, words in lists if words is None]
    return (f"{language}: rules without a list of words: {', '.join(missing)}",) if missing else ()
