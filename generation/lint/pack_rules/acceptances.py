"""Lint findings in a language pack that its pack.yaml accepts, each with a reason."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from nextset.errors import WordListError
from nextset.files.yaml_reader import read_yaml
from nextset.generation.questions.pack_schema import Acceptance
from nextset.lint_rules import Finding

__all__ = ["UNUSED", "PackFindings", "accepts", "check_rules", "sorted_out", "unused"]

UNUSED = "unused-acceptance"
"""The rule on entries of ``accepted`` in pack.yaml; it needs the findings of all others."""


@dataclass(frozen=True)
class PackFindings:
    """The findings in a language pack."""

    open: tuple[Finding, ...]
    """The findings that are not accepted, sorted by file and line."""
    accepted: tuple[Finding, ...]
    """The findings that pack.yaml accepts, sorted by file and line."""


def accepts(acceptance: Acceptance, finding: Finding) -> bool:
    """Return whether ``acceptance`` is about ``finding``: same rule, and same name if it has a name."""
    return acceptance.rule == finding.rule and acceptance.name in ("", finding.name)


def sorted_out(findings: Iterable[Finding], accepted: Sequence[Acceptance]) -> PackFindings:
    """Return ``findings``, each once, split by whether one of ``accepted`` is about them."""
    ordered = sorted(set(findings), key=lambda f: (str(f.file), f.line or 0, f.rule, f.message))
    taken = {f for f in ordered if any(accepts(a, f) for a in accepted)}
    return PackFindings(tuple(f for f in ordered if f not in taken), tuple(f for f in ordered if f in taken))


def check_rules(file: Path, accepted: Sequence[Acceptance], rules: Iterable[str]) -> None:
    """Raise WordListError if an entry of ``accepted`` in the pack.yaml ``file`` names none of ``rules``."""
    known = list(rules)
    for i, acceptance in enumerate(accepted):
        if acceptance.rule not in known:
            itself = acceptance.rule == UNUSED
            raise WordListError(
                f"{UNUSED} cannot be accepted" if itself else f"lint has no rule {acceptance.rule[:60]!r}",
                file=file,
                line=read_yaml(file, WordListError).line(("accepted", i, "rule")),
                remedy="remove the entry" if itself else f"use one of {', '.join(known)}",
            )


def unused(file: Path, accepted: Sequence[Acceptance], findings: Iterable[Finding]) -> list[Finding]:
    """Return a finding in the pack.yaml ``file`` for each entry of ``accepted`` that no finding matches."""
    if not accepted:
        return []
    distinct = set(findings)
    located = read_yaml(file, WordListError)
    result = []
    for i, acceptance in enumerate(accepted):
        if not any(accepts(acceptance, f) for f in distinct):
            where = f" in {acceptance.name}" if acceptance.name else ""
            message = f"there is no finding of the rule {acceptance.rule}{where}: remove the entry"
            line = located.line(("accepted", i))
            result.append(Finding(file, line, UNUSED, message, acceptance.name))
    return result
