"""The sheet of decisions on templates: a CSV file with a row for each template of a set."""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

from nextset.errors import WordListError
from nextset.generation.pack_sheets.pack_sheet import sheet_bytes
from nextset.generation.pack_sheets.sheet_rows import SheetProblem, SheetRow, WrongSheet, read_sheet
from nextset.html.content_warning import CONTENT_WARNING
from nextset.records.port_decisions import DECISIONS, Decision

__all__ = ["DECISION_COLUMNS", "SheetDecision", "TemplateKey", "decision_sheet", "read_decisions"]

TemplateKey = tuple[str, str]
"""The category and the template_id of a template."""

DECISION_COLUMNS: Mapping[str, str] = {
    "category": "the category of the template",
    "template_id": "the name of the template",
    "stereotype": "the stereotype",
    "target": "the groups that it is about in the set that you bring over, with semicolons",
    "context": "an example of an ambiguous context",
    "question": "an example of a negative question",
    "decision": f"for you: {', '.join(DECISIONS[:-1])} or {DECISIONS[-1]}",
    "new_target": "for you: the groups it is about in your culture, if they change, with semicolons",
    "reason": "for you: the reason, best with a source. The first row has the content warning",
}
"""The columns of the sheet, with their meanings."""
_READ = ("category", "template_id", "stereotype", "decision", "new_target", "reason")


@dataclass(frozen=True)
class SheetDecision:
    """A filled-in row of the sheet."""

    key: TemplateKey
    stereotype: str
    """The stereotype, for a template without items."""
    decision: Decision | None
    """What was decided; None if the cell is empty."""
    new_target: tuple[str, ...]
    """The groups that the stereotype is about now; empty if they stay, or if the texts already have them."""
    reason: str
    line: int
    """The line of the file, from 1."""


def decision_sheet(rows: Iterable[Mapping[str, str]]) -> bytes:
    """Return the sheet with ``rows`` of `DECISION_COLUMNS`, as CSV."""
    written = [dict(row) for row in rows]
    if written and not written[0]["reason"]:
        written[0]["reason"] = CONTENT_WARNING
    return sheet_bytes(list(DECISION_COLUMNS), written)


def read_decisions(path: Path) -> dict[TemplateKey, SheetDecision]:
    """Return the rows of a sheet by template.

    Raises WrongSheet with the line for an unknown decision, a removed or changed template without a reason,
    and a template with two rows; WordListError for a file that is no such sheet.
    """
    decisions: dict[TemplateKey, SheetDecision] = {}
    problems: list[SheetProblem] = []
    for row in read_sheet(path, _READ):
        decided, problem = _decision(row)
        if problem is None and decided.key in decisions:
            problem = f"line {decisions[decided.key].line} has a decision on this template too; remove one"
        if problem is not None:
            problems.append(SheetProblem(row.line, " ".join(decided.key).strip()[:100], problem))
        decisions[decided.key] = decided
    if problems:
        raise WrongSheet(path, problems, "correct the sheet; nothing was made from it")
    if not decisions:
        raise WordListError("the sheet has no rows", file=path, remedy="fill in the sheet in out/port")
    return decisions


def _decision(row: SheetRow) -> tuple[SheetDecision, str | None]:
    """Return the decision of a row, and what is wrong with it."""
    texts = {name: text.strip() for name, text in row.texts.items()}
    written = " ".join(texts["decision"].casefold().replace("_", " ").split())
    reason = "" if texts["reason"] == CONTENT_WARNING else texts["reason"]
    decided = SheetDecision(
        (texts["category"], texts["template_id"]),
        texts["stereotype"],
        next((decision for decision in DECISIONS if decision == written), None),
        tuple(group.strip() for group in texts["new_target"].split(";") if group.strip()),
        reason,
        row.line,
    )
    return decided, _problem(decided, written)


def _problem(decided: SheetDecision, written: str) -> str | None:
    if not decided.key[1]:
        return "the cell template_id is empty; copy it from the sheet in out/port"
    if written and decided.decision is None:
        near = difflib.get_close_matches(written, DECISIONS, n=1, cutoff=0.5)
        meant = f"did you mean {near[0]!r}?" if near else f"write one of {', '.join(DECISIONS)}"
        return f"{written[:40]!r} is not a decision; {meant}"
    if decided.decision in ("removed", "target changed") and not decided.reason:
        return f"{decided.decision} needs a reason; write it in the column reason"
    if decided.new_target and decided.decision != "target changed":
        return "new_target is only for the decision 'target changed'; clear it, or change the decision"
    return None
