"""The contents of an audit's report."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

import pyarrow as pa

from nextset.auditing.audit_tables import AuditTables
from nextset.pipeline.server_costs import ServerCosts

__all__ = ["AgreementLine", "ReportData", "StageCount"]


@dataclass(frozen=True, slots=True)
class StageCount:
    """The items that a stage kept and dropped."""

    stage: str
    """The stage's name."""
    kept: int
    """The number of items that it passed on."""
    dropped: tuple[tuple[str, int], ...] = ()
    """Each reason for dropping items, with their number; empty if the stage drops none."""


@dataclass(frozen=True, slots=True, kw_only=True)
class AgreementLine:
    """A coefficient of agreement between annotators."""

    coefficient: str
    """per_cent, alpha or fleiss."""
    of: str
    """The ratings: verdict, verdict and stance, or a check of a question."""
    by: str
    """all, domain or stereotype."""
    part: str
    """The domain or stereotype; empty for all."""
    value: float | None
    """The coefficient, per_cent in per cent; None if it is undefined."""
    low: float | None
    """The lower end of its 95 % interval; None if there is none."""
    high: float | None
    """The upper end."""
    units: int
    """The number of units with at least two votes."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ReportData:
    """The contents of a report: of a study, or of a dataset that was audited by itself."""

    title: str
    """The study's name, or the dataset's."""
    about: str = ""
    """The study's description of itself; may be empty."""
    dataset_name: str
    """The dataset's name."""
    dataset_version: str
    """Its version; may be empty."""
    dataset_path: str
    """Its path or address, as shown on the page."""
    audit: AuditTables
    """The tables of the audit."""
    judge: Literal["people", "rule"] | None = None
    """Who judged the items; rule: no one, and a note at the top says so; None: unknown."""
    stages: tuple[StageCount, ...] = ()
    """The items that each stage kept and dropped, in the order of the stages; empty without a study."""
    survival: pa.Table | None = None
    """Columns part, model, candidates, survived of the filter's report, by domain or class; None without a
    filter report."""
    agreement: tuple[AgreementLine, ...] = ()
    """The agreement between annotators; empty if no one judged."""
    explorer: Mapping[str, Any] | None = None
    """The items of the explorer, from `item_payload` or `quad_payload`; None without an explorer."""
    server_costs: ServerCosts = field(default_factory=ServerCosts)
    """The use and cost of models behind servers; empty without a study."""
    versions: tuple[tuple[str, str], ...] = ()
    """Programs and libraries, with their versions."""
