"""The results of a run: of each stage, and of all."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from nextset.artifacts.artifact import Artifact
from nextset.html.notebook_html import notebook_block, notebook_line, notebook_table, notebook_warning
from nextset.pipeline.server_costs import ServerCosts, money, server_costs
from nextset.pipeline.stage import Accuracy, Stage
from nextset.pipeline.stage_list import ordered_stages, shown_rows
from nextset.records.short_repr import FLAT, short_repr
from nextset.study.study_folder import Study

__all__ = ["StageResult", "Summary", "stage_result", "summary_of"]


@short_repr
@dataclass(frozen=True)
class StageResult:
    """The result of a stage in this run."""

    stage: str
    """The stage's name."""
    built: str
    """made, resumed, repaired or reused."""
    rows: dict[str, int]
    """Rows by table."""
    counts: dict[str, int]
    """Counts, such as rows dropped by reason."""
    remade: tuple[str, ...]
    """Files that were damaged and rebuilt."""
    warnings: tuple[str, ...] = ()
    """Messages that the user should read."""
    conclusions: tuple[str, ...] = ()
    """Findings of the stage, as sentences: how hard the kept items are for the held-out models."""
    this_run: dict[str, int] = field(default_factory=dict)
    """Counts of this run only: rows scored anew, and rows from the score cache."""


@short_repr
@dataclass(frozen=True)
class Summary:
    """The results of a run. The pages of extensions are attributes too, such as ``summary.interventions``."""

    study: str
    """The study's name."""
    stages: tuple[StageResult, ...]
    """The results of the stages, in their order."""
    accuracy: tuple[Accuracy, ...]
    """The accuracy of each model."""
    dataset: Path | None
    """The released dataset's folder, or None."""
    report: Path | None
    """The HTML report on the audit, or None."""
    filter_report: Path | None
    """The HTML report on the filter, or None."""
    made: Path | None
    """The folder of the expanded rows; out/fill if a study ends there; None if it generates nothing."""

    pages: Mapping[str, Path | None] = field(default_factory=dict, metadata={FLAT: True})
    """The HTML reports of extensions by name, such as interventions; None without the section."""
    version: str = ""
    """A line on the released version; may be empty."""
    costs: ServerCosts = field(default_factory=ServerCosts)
    """The use and cost of models behind servers, and what this run paid."""

    def __getattr__(self, name: str) -> Path | None:
        pages: Mapping[str, Path | None] = self.__dict__.get("pages", {})
        if name not in pages:
            raise AttributeError(f"a summary has no attribute {name!r}")
        return pages[name]

    def as_json(self) -> dict[str, Any]:
        """Return the summary as JSON."""
        data: dict[str, Any] = {}
        for name, value in asdict(self).items():
            if name == "pages":
                data |= {page: _text(path) for page, path in value.items()}
            else:
                data[name] = _text(value) if isinstance(value, Path) else value
        return data

    def _repr_html_(self) -> str:
        """Return the rows and findings of the stages, and the accuracy of each model, for notebooks."""
        findings = [(r.stage, "finding", text) for r in self.stages for text in r.conclusions]
        findings += [(r.stage, "warning", text) for r in self.stages for text in r.warnings]
        rows = [(r.stage, text) for r in self.stages if (text := shown_rows(r.stage, r.rows))]
        accuracy = [(a.model, a.role, _per_cent(a.plain), _per_cent(a.new)) for a in self.accuracy]
        unanswered = [a.unanswered for a in self.accuracy if a.unanswered]
        costs = [(c.model, c.stage, c.answers, money(c.cost), money(c.paid)) for c in self.costs.rows]
        return notebook_block(
            notebook_line(self.version, title=self.study),
            notebook_table(("stage", "rows"), rows),
            notebook_warning() if findings else "",
            notebook_table(("stage", "", "what it says"), findings) if findings else "",
            notebook_table(("accuracy", "role", "plain", "released"), accuracy) if accuracy else "",
            *(notebook_line(f"{sentence}.") for sentence in unanswered),
            notebook_table(("model", "stage", "answers", "cost", "in this run"), costs) if costs else "",
            *(notebook_line(f"Warning: {warning}.") for warning in self.costs.warnings),
        )


def _per_cent(share: float | None) -> str | None:
    return None if share is None else f"{100 * share:.1f} %"


def _text(path: Path | None) -> str | None:
    return str(path) if path else None


def stage_result(stage: Stage, artifact: Artifact) -> StageResult:
    """Return the result of ``stage`` from its artifact."""
    return StageResult(
        stage=stage.name,
        built=artifact.built,
        rows={table: artifact.rows(table) for table in artifact.tables},
        counts=artifact.counts,
        remade=artifact.remade,
        warnings=stage.warnings(artifact),
        conclusions=stage.conclusions(artifact),
        this_run=dict(artifact.this_run),
    )


def summary_of(study: Study, stages: tuple[Stage, ...], results: tuple[StageResult, ...]) -> Summary:
    """Return the summary of a run of ``stages``, whose ``results`` are in the same order."""
    places: dict[str, Path | None] = {stage.place: None for stage in ordered_stages() if stage.place}
    places |= {stage.place: stage.path(study) for stage in stages if stage.place}
    return Summary(
        study=study.settings.name,
        stages=results,
        accuracy=tuple(accuracy for stage in stages for accuracy in stage.accuracies(study)),
        dataset=places.pop("dataset", None),
        report=places.pop("report", None),
        filter_report=places.pop("filter_report", None),
        made=places.pop("made", None),
        pages=places,
        version="".join(stage.version_text(study) for stage in stages),
        costs=server_costs(study, [stage.name for stage in stages]),
    )
