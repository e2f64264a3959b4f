"""All that the commands of a session work with: settings, units, gold, rest, and what annotators are told."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Literal

import pyarrow as pa

from nextset.artifacts.artifact import open_artifact
from nextset.errors import JudgmentError, StudyError
from nextset.study.study_folder import Study
from nextset.study.validation_settings import SessionSettings
from nextset.validation.annotator_pages.briefing import Briefing, briefing
from nextset.validation.annotator_pages.gate_page import gate_config, gate_task
from nextset.validation.annotator_pages.guidelines_html import instruction
from nextset.validation.annotator_pages.labelling_config import labelling_config
from nextset.validation.annotator_pages.tasks import rest_items, tasks
from nextset.validation.judgments.pseudonyms import key_name, pseudonym_key
from nextset.validation.label_studio.api import LabelStudio
from nextset.validation.plan.assignment import Dealer
from nextset.validation.plan.domains_and_groups import ItemFacts, item_facts
from nextset.validation.plan.event_log import Journal
from nextset.validation.plan.events import Dealt, SessionKind
from nextset.validation.plan.exclusions import Counted
from nextset.validation.plan.gold import GoldItem
from nextset.validation.plan.state import Session
from nextset.validation.plan.unit_priority import wanted_order
from nextset.validation.study_units import gold_of, kept_units, kind_of, page_language

__all__ = ["Desk", "desk_of"]


@dataclass(frozen=True)
class Desk:
    """What a session of a study is made of."""

    study: Study
    """The study."""
    settings: SessionSettings
    """Its section validate.session."""
    told: Briefing
    """What annotators are told."""
    key: bytes
    """Makes people pseudonyms."""
    units: pa.Table
    """The units that people judge."""
    gold: Mapping[str, GoldItem]
    """The gold items, by unit_id."""

    @property
    def key_name(self) -> str:
        """Which key it is."""
        return key_name(self.key)

    @cached_property
    def known(self) -> Collection[str]:
        """The ids of the units."""
        return frozenset(self.units["unit_id"].to_pylist())

    @cached_property
    def facts(self) -> Mapping[str, ItemFacts]:
        """What dealing has to know of the units."""
        return item_facts(self.units)

    @cached_property
    def domains(self) -> tuple[str, ...]:
        """The domains of the units, which a person can decline."""
        return tuple(sorted(set(self.units["domain"].to_pylist())))

    @cached_property
    def rows(self) -> Mapping[str, Mapping[str, Any]]:
        """What is shown of units and gold items, by unit_id."""
        gold = {
            unit_id: {name: getattr(item, name) for name in _shown(item)}
            for unit_id, item in self.gold.items()
        }
        return {**gold, **{row["unit_id"]: row for row in self.units.to_pylist()}}

    def session(self, journal: Journal) -> Session:
        """The session that is open; raises JudgmentError where none is."""
        session = journal.state.current
        if session is None:
            raise JudgmentError(
                "no session is open", remedy=f"open one: nextset validate open {self.study.folder}"
            )
        return session

    def wanted(self, kind: SessionKind) -> tuple[str, ...]:
        """The units in the order in which they are wanted; for a pilot a seeded few."""
        if kind == "pilot":
            return wanted_order(self.units, "shuffled", self.settings.seed)[: self.settings.pilot]
        return wanted_order(self._with_p_valid(), self.settings.order, self.settings.seed, self.study.file)

    def _with_p_valid(self) -> pa.Table:
        """The units with what the validator model expects, where it was trained."""
        folder = self.study.out / "validator"
        if self.settings.order not in ("likely_valid_first", "uncertain_first") or not folder.exists():
            return self.units
        predicted = open_artifact(folder).table("predicted")
        by_unit = dict(zip(predicted["unit_id"].to_pylist(), predicted["p_valid"].to_pylist(), strict=True))
        column = pa.array([by_unit.get(u) for u in self.units["unit_id"].to_pylist()], pa.float64())
        return self.units.append_column("p_valid", column)

    def dealer(self, journal: Journal, counted: Sequence[Counted]) -> Dealer:
        """Who deals in the session that is open."""
        # whoever adjudicates is not tested
        asked = {} if self.session(journal).opened.kind == "adjudication" else self.gold
        gold = {unit_id: item.facts for unit_id, item in asked.items()}
        return Dealer(journal.state, counted, self.facts, self.settings, gold=gold, rest=len(self._rest))

    def tasks(self, items: Sequence[Dealt], votes: Mapping[str, str] | None = None) -> list[dict[str, Any]]:
        """The tasks of a batch; ``votes`` are shown by unit_id, where there are any.

        Raises JudgmentError where an item is not in the study any more.
        """
        return tasks(
            self.told.kind, [self._row(item) for item in items], premise=self.settings.premise, votes=votes
        )

    def _row(self, item: Dealt) -> Mapping[str, Any]:
        row = self._rest[item.rest] if item.rest is not None else self.rows.get(item.unit_id)
        if row is None:
            raise JudgmentError(
                f"unit {item.unit_id} was dealt, and is not in out/filter any more",
                remedy="run the study with the settings that it had then, or close the session",
            )
        return {**row, "unit_id": item.unit_id}

    @cached_property
    def _rest(self) -> Sequence[Mapping[str, Any]]:
        """The items of rest, with the columns of a unit."""
        return rest_items(self.told)

    def config(self, role: Literal["gate", "work"], *, votes: bool = False) -> str:
        """The labelling configuration of a project."""
        if role == "gate":
            return gate_config(self.told, self.domains)
        return labelling_config(self.told, premise=self.settings.premise, votes=votes)

    def gate_task(self) -> dict[str, Any]:
        """The gate's one task."""
        return {"data": gate_task(self.told)}

    def title(self, session: Session, role: Literal["gate", "work"]) -> str:
        """A project's title, which co-annotators see: it names nobody."""
        titles = self.told.wording.titles
        adjudication = session.opened.kind == "adjudication"
        work = titles.adjudication if adjudication else titles.work
        return f"{titles.gate if role == 'gate' else work} ({session.opened.session})"[:50]

    def instruction(self, role: Literal["gate", "work"]) -> str:
        """HTML behind the page's button for instructions; the gate's page says it all itself."""
        return "" if role == "gate" else instruction(self.told.guidelines)

    def check(self, units: Sequence[str], studio: LabelStudio) -> None:
        """Everything that can be wrong with texts and pages, before anything is made.

        Raises JudgmentError at the first text that cannot be shown, ServerError where the server does not
        take a page.
        """
        shown = [*(self.rows[u] for u in units), *(self.rows[g] for g in self.gold), *self._rest]
        tasks(self.told.kind, shown, premise=self.settings.premise)
        self.gate_task()
        for xml in (self.config("gate"), self.config("work"), self.config("work", votes=True)):
            studio.check_config(xml)

    def check_guidelines(self, session: Session) -> None:
        """Raise StudyError where people in ``session`` were told something else than is told now."""
        if session.opened.guidelines != self.told.version:
            raise StudyError(
                f"the guidelines have changed since session {session.opened.session} was opened",
                file=self.study.file,
                remedy="close that session and open another, or take the change back",
            )

    def warnings(self, journal: Journal) -> tuple[str, ...]:
        """What the organiser should know."""
        found = []
        if self.told.unchecked:
            found.append(
                f"no native speaker has checked the page's wording in {self.told.wording.language!r}"
            )
        if other := sorted({*self.units["language"].to_pylist()} - {self.told.wording.language}):
            found.append(f"units in {', '.join(other)} stand on a page in {self.told.wording.language}")
        session = journal.state.current
        if session and session.opened.kind == "main":
            people = sum(p.left is None and not p.withdrew for p in session.people.values())
            asked = session.opened.agree or session.opened.overlap
            if people < asked:
                found.append(f"each unit is for {asked} people and {people} take part: nextset validate join")
        if session and session.opened.key != self.key_name:
            found.append(
                "the key of the pseudonyms is another than the session was opened with: new pseudonyms "
                "cannot be linked with earlier ones; restore the key, or close the session and open another"
            )
        if session and session.opened.guidelines != self.told.version:
            found.append(
                "the guidelines have changed since the session was opened: people go on with those that they "
                "have been shown; close the session and open another, or take the change back"
            )
        return tuple(found)


def desk_of(study: Study) -> Desk:
    """What a session of ``study`` is made of, all of it read and checked.

    Raises StudyError where the section validate.session is missing or a file that it names is wrong,
    MissingStage before `filter` has run.
    """
    settings = study.settings.validate_.session
    if settings is None:
        raise StudyError(
            "'validate.session' is missing: no session opens without consent, support and a budget",
            file=study.file,
            remedy="write validate: {session: {consent: …, support: …, budget: {batch: 50, person: 400}}}; "
            "docs/sessions.md shows one",
        )
    units = kept_units(study)
    return Desk(
        study=study,
        settings=settings,
        told=briefing(kind_of(study), page_language(study, units), settings, study.path),
        key=pseudonym_key(),
        units=units,
        gold=gold_of(study),
    )


def _shown(item: GoldItem) -> tuple[str, ...]:
    """The fields of a gold item that a unit has too."""
    texts = (
        ("hypothesis", "premise")
        if hasattr(item, "hypothesis")
        else ("context", "question", "question_negated")
    )
    return ("unit_id", "language", "domain", "stereotype", "group1", "group2", *texts)
