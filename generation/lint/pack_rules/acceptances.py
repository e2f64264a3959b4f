"""What lint says of a language pack and a person has accepted, with a reason in pack.yaml."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from nextset.errors import WordListError
from nextset.files.yaml_reader import read_yaml
from nextset.generation.lint.finding import Finding
from nextset.generation.questions.pack_schema import Acceptance

__all__ = ["PackFindings", "accepts", "sorted_out", "unused"]


@dataclass(frozen=True)
class PackFindings:
    """The findings in a language pack."""

    open: tuple[Finding, ...]
    """Those that nobody has accepted, by file and line."""
    accepted: tuple[Finding, ...]
    """Those that pack.yaml accepts, by file and line."""


def accepts(acceptance: Acceptance, finding: Finding) -> bool:
    """Return whether ``acceptance`` is about ``finding``: the same rule, and the same name if it has one."""
    return acceptance.rule == finding.rule and acceptance.name in ("", finding.name)


def sorted_out(findings: Iterable[Finding], accepted: Sequence[Acceptance]) -> PackFindings:
    """Return ``findings``, each once, apart by whether one of ``accepted`` is about them."""
    ordered = sorted(set(findings), key=lambda f: (str(f.file), f.line or 0, f.rule, f.message))
    taken = {f for f in ordered if any(accepts(a, f) for a in accepted)}
    return PackFindings(tuple(f for f in ordered if f not in taken), tuple(f for f in ordered if f in taken))


def unused(
    file: Path, accepted: Sequence[Acceptance], findings: Iterable[Finding], rules: Iterable[str]
) -> list[Finding]:
    """Return a finding in the pack.yaml ``file`` for each entry of ``accepted`` that no finding matches."""
    if not accepted:
        return []
    found, known = set(findings), set(rules)
    located = read_yaml(file, WordListError)
    result = []
    for i, acceptance in enumerate(accepted):
        if not any(accepts(acceptance, f) for f in found):
            what = acceptance.rule + (f" of {acceptance.name}" if acceptance.name else "")
            unknown = "" if acceptance.rule in known else ": there is no such rule"
            message = f"lint finds no {what}{unknown}; remove the entry"
            line = located.line(("accepted", i))
            result.append(Finding(file, line, "unused-acceptance", message, acceptance.name))
    return result
