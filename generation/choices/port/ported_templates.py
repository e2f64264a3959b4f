"""The templates of a study with the decisions on them, and the items that these decisions leave."""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import pyarrow as pa

from nextset.counted import counted
from nextset.errors import WordListError
from nextset.generation.choices.port.decision_sheet import SheetDecision, TemplateKey
from nextset.generation.choices.port.stereotype_survey import SurveyCounts, group_key, stereotype_key
from nextset.records.port_decisions import PortDecision
from nextset.study.choice_settings import PortSettings

__all__ = ["MadeTemplate", "Port", "made_templates"]

_OF_TEMPLATE = ("language", "category", "template_id", "stereotype", "target_groups")
_OF_EXAMPLE = ("context", "question", "condition", "polarity")


@dataclass(frozen=True)
class MadeTemplate:
    """A template that the study's items were made from."""

    key: TemplateKey
    language: str
    stereotype: str
    target_groups: tuple[str, ...]
    """The groups that its items are about, each once."""
    groups: tuple[str, ...]
    """The groups of its options, each once."""
    context: str
    """An ambiguous context, if there is one."""
    question: str
    """A negative question, if there is one."""


@dataclass(frozen=True)
class Port:
    """The decisions and the survey of a study, read from their files."""

    settings: PortSettings
    file: Path | None = None
    """The sheet of decisions; None before there is one."""
    decisions: Mapping[TemplateKey, SheetDecision] = field(default_factory=dict)
    survey: Mapping[tuple[str, str], SurveyCounts] | None = None
    """The answers by stereotype; None without a survey."""

    def decided(self, templates: Iterable[MadeTemplate]) -> list[PortDecision]:
        """Return the decision on each template, then the sheet's templates that have no items.

        Raises WordListError for a target that no option of the template's items names, and for a misspelt
        template.
        """
        made = {template.key: template for template in templates}
        self._check_names(made)
        rows = [self._decision(template, self.decisions.get(template.key)) for template in made.values()]
        return [*rows, *(self._without_items(d) for key, d in self.decisions.items() if key not in made)]

    def stray_answers(self, decisions: Iterable[PortDecision]) -> int:
        """Return the number of stereotypes in the survey that are those of no template."""
        if self.survey is None:
            return 0
        return len(self.survey.keys() - {stereotype_key(d.category, d.stereotype) for d in decisions})

    def ported(self, items: pa.Table, decisions: Mapping[TemplateKey, PortDecision]) -> pa.Table:
        """Return the ``items`` whose templates are kept, with the targets that were decided."""
        keys = list(zip(items["category"].to_pylist(), items["template_id"].to_pylist(), strict=True))
        items = items.filter(pa.array([decisions[key].kept for key in keys], pa.bool_()))
        changed = {key: d.new_target for key, d in self.decisions.items() if d.new_target}
        if not changed or not items.num_rows:
            return items
        rows = [
            _retargeted(row, changed.get((row["category"], row["template_id"]))) for row in items.to_pylist()
        ]
        return pa.Table.from_pylist(rows, schema=items.schema)

    def _check_names(self, made: Mapping[TemplateKey, MadeTemplate]) -> None:
        """Raise WordListError for a template of the sheet that is nearly one without a decision."""
        undecided = {" ".join(key): key for key in made if key not in self.decisions}
        for key, decided in self.decisions.items():
            if key in made or decided.decision in (None, "removed"):
                continue
            near = difflib.get_close_matches(" ".join(key), undecided, n=1, cutoff=0.85)
            if near:
                raise WordListError(
                    f"the study has no template {' '.join(key)[:80]!r}",
                    file=self.file,
                    line=decided.line,
                    remedy=f"did you mean {near[0]!r}? The sheet in out/port has the names",
                )

    def _decision(self, template: MadeTemplate, decided: SheetDecision | None) -> PortDecision:
        target = decided.new_target if decided is not None and decided.new_target else template.target_groups
        if decided is not None and decided.new_target:
            self._check_target(template, decided)
        # nobody is asked about items of neutral content, so that the controls stay
        counts = self._counts(template.key[0], template.stereotype) if target or template.stereotype else None
        row = PortDecision(
            language=template.language,
            category=template.key[0],
            template_id=template.key[1],
            stereotype=template.stereotype,
            target_groups=target,
            decision=(decided.decision or "") if decided is not None else "",
            reason=decided.reason if decided is not None else "",
            people=None if counts is None else counts.people,
            known=None if counts is None else counts.known,
            target_named=None if counts is None else counts.named(target),
            most_named="" if counts is None else counts.most_named,
            kept=True,
            why="",
        )
        why = self._why_not(row)
        return replace(row, kept=not why, why=why)

    def _why_not(self, row: PortDecision) -> str:
        """Return why the items of a template are left out; empty if they are kept."""
        if row.decision == "removed":
            return "removed by decision"
        if row.people is None:
            return ""
        if row.people < self.settings.answers:
            return f"fewer than {counted(self.settings.answers, 'people were', 'person was')} asked"
        known = row.known or 0.0
        return "" if known >= self.settings.known_to else "too few people know the stereotype"

    def _without_items(self, decided: SheetDecision) -> PortDecision:
        counts = self._counts(decided.key[0], decided.stereotype)
        return PortDecision(
            language="",
            category=decided.key[0],
            template_id=decided.key[1],
            stereotype=decided.stereotype,
            target_groups=decided.new_target,
            decision=decided.decision or "",
            reason=decided.reason,
            people=None if counts is None else counts.people,
            known=None if counts is None else counts.known,
            target_named=None,
            most_named="" if counts is None else counts.most_named,
            kept=False,
            why="removed by decision" if decided.decision == "removed" else "the study has no such template",
        )

    def _counts(self, category: str, stereotype: str) -> SurveyCounts | None:
        if self.survey is None or not stereotype.strip():
            return None  # nobody can be asked about a template without a stereotype, such as a control
        return self.survey.get(stereotype_key(category, stereotype), SurveyCounts(0, 0, {}))

    def _check_target(self, template: MadeTemplate, decided: SheetDecision) -> None:
        known = {group_key(group) for group in template.groups}
        unknown = [group for group in decided.new_target if group_key(group) not in known]
        if unknown:
            raise WordListError(
                f"{' '.join(template.key)}: no option names the group {unknown[0][:60]!r}",
                file=self.file,
                line=decided.line,
                remedy=f"write one of {', '.join(template.groups[:12])}, or change the template's texts",
            )


def _retargeted(row: dict[str, Any], target: tuple[str, ...] | None) -> dict[str, Any]:
    """Return ``row`` with the groups ``target`` as its target, if there are any."""
    if target is None:
        return row
    wanted = {group_key(group) for group in target}
    places = [i for i, option in enumerate(row["options"]) if group_key(option["group"]) in wanted]
    # two people of the target groups cannot be told apart by the stereotype
    return {**row, "target_groups": list(target), "target": places[0] if len(places) == 1 else None}


def made_templates(pieces: Iterable[pa.Table]) -> list[MadeTemplate]:
    """Return the templates of choice items in ``pieces``, in the order in which they come."""
    made: dict[TemplateKey, MadeTemplate] = {}
    for row in _rows(pieces):
        key = (row["category"], row["template_id"])
        groups = tuple(option["group"] for option in row["options"] if option["group"])
        before = made.get(key)
        example = row["condition"] == "ambiguous" and row["polarity"] == "negative"
        if before is None:
            texts = (row["context"], row["question"])
            made[key] = MadeTemplate(
                key, row["language"], row["stereotype"], _each(row["target_groups"]), _each(groups), *texts
            )
            continue
        made[key] = replace(
            before,
            target_groups=_each((*before.target_groups, *row["target_groups"])),
            groups=_each((*before.groups, *groups)),
            context=row["context"] if example else before.context,
            question=row["question"] if example else before.question,
        )
    return list(made.values())


def _rows(pieces: Iterable[pa.Table]) -> Iterator[dict[str, Any]]:
    names = (*_OF_TEMPLATE, *_OF_EXAMPLE, "options")
    for piece in pieces:
        yield from piece.select(names).to_pylist()


def _each(values: Sequence[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(values))
