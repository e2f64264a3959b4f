"""The materials of a session: its settings, units, gold and rest items, briefing and pseudonym key."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import pyarrow as pa

from nextset.artifacts.artifact import open_artifact
from nextset.errors import JudgmentError
from nextset.records.judgment import LOG_NAME
from nextset.study.stereotype_sentences import SENTENCE_COLUMNS
from nextset.study.validation_settings import SessionSettings
from nextset.validation.agreement.counted_answers import counted_entries
from nextset.validation.annotator_pages.briefing import Briefing
from nextset.validation.annotator_pages.tasks import opposite_if_unstated, rest_items
from nextset.validation.judgments.judgment_log import read
from nextset.validation.judgments.pseudonyms import key_name
from nextset.validation.plan.assignment import Assigner
from nextset.validation.plan.counting_rules import Counted
from nextset.validation.plan.domains_and_groups import ItemFacts, item_facts
from nextset.validation.plan.event_log import PLAN_NAME, EventLog
from nextset.validation.plan.events import SessionKind
from nextset.validation.plan.gold import GoldItem
from nextset.validation.plan.state import Session
from nextset.validation.plan.unit_priority import sampled_units, units_by_priority

__all__ = ["SessionMaterials", "lost_sessions", "no_open_session"]


@dataclass(frozen=True)
class SessionMaterials:
    """The settings, texts and units that the commands of a session use."""

    folder: Path
    """The study's folder, for remedies."""
    file: Path
    """The study's file, for errors."""
    judgments: Path
    """The folder of the judgment log and of the plan's event log."""
    predictions: Path
    """The folder of the verdict model's predictions, out/validator, which may not exist."""
    settings: SessionSettings
    """The section validate.session."""
    briefing: Briefing
    """The texts that annotators are shown."""
    key: bytes
    """The key that pseudonyms are made with."""
    units: pa.Table
    """The units to judge."""
    gold: Mapping[str, GoldItem]
    """The gold items, by unit_id."""

    @property
    def key_name(self) -> str:
        """The name of the pseudonym key, which does not reveal it."""
        return key_name(self.key)

    @cached_property
    def unit_ids(self) -> Collection[str]:
        """The ids of the units."""
        return frozenset(self.units["unit_id"].to_pylist())

    @cached_property
    def known_verdicts(self) -> Mapping[str, str]:
        """The verdict of each gold item, by unit_id."""
        return {unit_id: item.verdict for unit_id, item in self.gold.items()}

    @cached_property
    def facts(self) -> Mapping[str, ItemFacts]:
        """The domain and groups of each unit, for the assignment of units."""
        return item_facts(self.units)

    @cached_property
    def domains(self) -> tuple[str, ...]:
        """The domains of the units; an annotator can decline each of them."""
        return tuple(sorted(set(self.units["domain"].to_pylist())))

    @cached_property
    def rows(self) -> Mapping[str, Mapping[str, Any]]:
        """The columns of units and gold items that are shown, by unit_id."""
        form = self.briefing.form
        names = (
            "language",
            *form.fields(premise=True),
            *(SENTENCE_COLUMNS if form.states_stereotype else ()),
        )
        units = self.units.to_pylist()
        stated = {
            (row["language"], row["stereotype"]): {name: row[name] for name in SENTENCE_COLUMNS}
            for row in units
            if row.get("pro_sentence")
        }
        gold = {}
        for unit_id, item in self.gold.items():
            row = {name: getattr(item, name) for name in names}
            # gold must look like the units: their sentences come first
            gold[unit_id] = row | stated.get((row["language"], row["stereotype"]), {})
        return {**gold, **{row["unit_id"]: row for row in units}}

    @cached_property
    def opposite_if_unstated(self) -> str | None:
        """The text for an opposite that is not stated; None if the study's units state no stereotype."""
        return opposite_if_unstated(self.briefing, self.units.to_pylist())

    @cached_property
    def rest(self) -> Sequence[Mapping[str, Any]]:
        """The rest items, with the columns of a unit."""
        return rest_items(self.briefing)

    def current_session(self, event_log: EventLog) -> Session:
        """Return the open session; raises JudgmentError if there is none."""
        session = event_log.state.current
        if session is None:
            raise no_open_session(self.folder)
        return session

    def counted(self, event_log: EventLog) -> tuple[Counted, ...]:
        """Return every entry of the judgment log; each says whether it counts and, if not, why."""
        return counted_entries(self.judgments, event_log.state, self.unit_ids)

    def prioritised_units(self, kind: SessionKind) -> tuple[str, ...]:
        """Return the ids of the units in the order of judging; for a pilot, only a sample of them."""
        if kind == "pilot":
            return sampled_units(self.units, self.settings.seed)[: self.settings.pilot]
        order, seed = self.settings.order, self.settings.seed
        return units_by_priority(self._with_p_valid(), order, seed, self.file)

    def _with_p_valid(self) -> pa.Table:
        """Return the units, with the verdict model's prediction if it exists and the order uses it."""
        if self.settings.order not in ("likely_valid_first", "uncertain_first"):
            return self.units
        if not self.predictions.exists():
            return self.units
        predicted = open_artifact(self.predictions).table("predicted")
        by_unit = dict(zip(predicted["unit_id"].to_pylist(), predicted["p_valid"].to_pylist(), strict=True))
        column = pa.array([by_unit.get(u) for u in self.units["unit_id"].to_pylist()], pa.float64())
        return self.units.append_column("p_valid", column)

    def assigner(self, event_log: EventLog, counted: Sequence[Counted]) -> Assigner:
        """Return the assigner of the open session's batches."""
        # adjudicators get no gold items
        gold_items = {} if self.current_session(event_log).opened.kind == "adjudication" else self.gold
        gold = {unit_id: item.facts for unit_id, item in gold_items.items()}
        return Assigner(event_log.state, counted, self.facts, self.settings, gold=gold, rest=len(self.rest))


def lost_sessions(judgments: Path) -> str:
    """Return which sessions of the judgments' log the plan does not have, as a sentence; empty if none."""
    answered = {entry.session for entry in read(judgments).entries}
    lost = sorted(answered - {"", *EventLog(judgments).state.sessions})
    return f"it lacks session {', '.join(lost)}, of which {LOG_NAME} has answers" if lost else ""


def no_open_session(folder: Path) -> JudgmentError:
    """Return the error for a command that needs an open session; ``folder`` is the study's."""
    if lost := lost_sessions(folder / "judgments"):
        remedy = "restore it from its backup; if a merge was stopped, merge again"
        return JudgmentError(lost, file=folder / "judgments" / PLAN_NAME, remedy=remedy)
    return JudgmentError("no session is open", remedy=f"open one: nextset validate open {folder}")
