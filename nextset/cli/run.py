"""`nextset run`: the pipeline of all stages, with a summary."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from nextset.artifacts.artifact import Artifact
from nextset.artifacts.progress_callback import SILENT, Progress
from nextset.cli.stage_list import stages_of
from nextset.counted import counted
from nextset.html.notebook_html import notebook_block, notebook_line, notebook_table, notebook_warning
from nextset.records.short_repr import short_repr
from nextset.release.verdict_selection import FEW_JUDGMENTS
from nextset.study.study_folder import Study, of_study
from nextset.validation.agreement.counted_answers import LOST

if TYPE_CHECKING:
    from nextset.auditing.report_stage import Accuracy

__all__ = ["StageResult", "Summary", "run", "stage_result"]

_FEWER = "fewer judgments than validate.session asks for (overlap, agree)"
_UNIT, _SESSION = LOST["unknown unit"], LOST["unknown session"]
_WARNINGS = {
    "units unjudged": (
        "units have no judgment yet, and their items are not released",
        "unit has no judgment yet, and its items are not released",
    ),
    "units with too few judgments": (
        f"judged units have {_FEWER}; their verdicts still count",
        f"judged unit has {_FEWER}; its verdict still counts",
    ),
    FEW_JUDGMENTS: (
        f"released units have {_FEWER}; the card says so",
        f"released unit has {_FEWER}; the card says so",
    ),
    _UNIT: (
        f"{_UNIT} do not count: their sentences were changed or are no longer kept; undo the change, or have "
        "the new units judged",
        f"{_UNIT.replace('judgments', 'judgment', 1)} does not count: its sentence was changed or is no "
        "longer kept; undo the change, or have the new units judged",
    ),
    _SESSION: (
        f"{_SESSION} do not count: restore judgments/plan.jsonl from its backup",
        f"{_SESSION.replace('judgments', 'judgment', 1)} does not count: restore judgments/plan.jsonl from "
        "its backup",
    ),
    "items that name no group": (
        "items do not name a known group: they have no counterpart and measure no bias",
        "item does not name a known group: it has no counterpart and measures no bias",
    ),
}
"""The warnings for a stage's counts that are not 0, for several and for one."""


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
    """The results of a run."""

    study: str
    """The study's name."""
    stages: tuple[StageResult, ...]
    """The results of the stages, in their order."""
    accuracy: tuple[Accuracy, ...]
    """The accuracy of each model."""
    dataset: Path | None
    """The released dataset's folder; None if the study has no release."""
    report: Path | None
    """The HTML report on the audit; None if there is no filter."""
    filter_report: Path | None
    """The HTML report on the filter; None if there is no filter."""
    made: Path | None
    """The folder of the expanded items, quads and statements; out/fill if a study ends there; None if a study
    generates nothing."""

    interventions: Path | None = None
    """The HTML report on interventions; None without a section interventions."""
    selectional: Path | None = None
    """The HTML report on questions with several right answers; None without ambiguity.selectional."""
    retrieval: Path | None = None
    """The HTML report on retrieval; None without ambiguity.retrieval."""
    version: str = ""
    """A line on the version that was released; empty without a release."""

    def as_json(self) -> dict[str, Any]:
        """Return the summary as JSON."""
        places = {
            "dataset": self.dataset,
            "report": self.report,
            "filter_report": self.filter_report,
            "made": self.made,
            "interventions": self.interventions,
            "selectional": self.selectional,
            "retrieval": self.retrieval,
        }
        return {**asdict(self), **{name: str(path) if path else None for name, path in places.items()}}

    def _repr_html_(self) -> str:
        """Return the rows and findings of the stages, and the accuracy of each model, for notebooks."""
        from nextset.cli.stage_text import shown_rows

        findings = [(r.stage, "finding", text) for r in self.stages for text in r.conclusions]
        findings += [(r.stage, "warning", text) for r in self.stages for text in r.warnings]
        rows = [(r.stage, text) for r in self.stages if (text := shown_rows(r.stage, r.rows))]
        accuracy = [(a.model, a.role, _per_cent(a.plain), _per_cent(a.new)) for a in self.accuracy]
        return notebook_block(
            notebook_line(self.version, title=self.study),
            notebook_table(("stage", "rows"), rows),
            notebook_warning() if findings else "",
            notebook_table(("stage", "", "what it says"), findings) if findings else "",
            notebook_table(("accuracy", "role", "plain", "released"), accuracy) if accuracy else "",
        )


def _per_cent(share: float | None) -> str | None:
    return None if share is None else f"{100 * share:.1f} %"


@of_study
def run(
    study: Study,
    progress: Progress = SILENT,
    told: Callable[[StageResult], None] = lambda result: None,
) -> Summary:
    """Run every unfinished stage of ``study`` and return a summary. Call ``told`` with each result.

    Raises WaitingForPeople if annotators have to judge first, and the errors of the stages.
    """
    with study.held("run"):
        if study.settings.filter is not None:
            from nextset.filtering.stage import study_rule
            from nextset.scoring.stage import check_study_models

            study_rule(study)  # before hours of work: the code of an own rule must be trusted
            check_study_models(study)
        if study.settings.has("interventions"):
            from nextset.extensions.interventions.audit.stage import check_told_models

            check_told_models(study)
        if study.settings.has("ambiguity.selectional"):
            from nextset.extensions.ambiguity.questions.stage import question_languages
            from nextset.extensions.ambiguity.selectional.stage import check_selectional

            check_selectional(study, question_languages(study))
        if study.settings.has("ambiguity.retrieval"):
            from nextset.extensions.ambiguity.retrieval.stage import check_retrieval

            check_retrieval(study)
        if study.settings.generates:
            from nextset.generation.mask_fills.fill_model import check_fill_model

            check_fill_model(study)
        results = []
        for stage in stages_of(study):
            results.append(stage_result(stage.name, stage.run(study, progress)))
            told(results[-1])
        return _summary(study, tuple(results))


def stage_result(name: str, artifact: Artifact) -> StageResult:
    """Return the result of the stage ``name`` from its artifact."""
    tables = dict.fromkeys(s.table for s in artifact.shards if s.table)
    rows = {table: artifact.rows(table) for table in tables}
    balance = artifact.table("balance").to_pylist() if "balance" in tables else []
    warnings = tuple(row["warning"] for row in balance if row["warning"])
    warnings += tuple(
        counted(n, *nouns) for what, nouns in _WARNINGS.items() if (n := artifact.counts.get(what))
    )
    if "form_ok" in tables:
        warnings = (*warnings, "these items were not judged: a rule checked only their form (judge: rule)")
    conclusions = artifact.table("conclusions").to_pylist() if "conclusions" in tables else []
    warnings = (*warnings, *(row["text"] for row in conclusions if row["warning"]))
    findings = tuple(row["text"] for row in conclusions if not row["warning"])
    scored = dict(artifact.this_run)
    return StageResult(
        name, artifact.built, rows, artifact.counts, artifact.remade, warnings, findings, scored
    )


def _summary(study: Study, results: tuple[StageResult, ...]) -> Summary:
    from nextset.auditing.report_stage import accuracies, report_file
    from nextset.release.dataset_files.stage import dataset_folder, version_text

    settings, stages = study.settings, {result.stage for result in results}
    filtered, released = settings.filter is not None, settings.release is not None
    items = settings.filter is not None and settings.filter.form == "nli"

    def page(stage: str) -> Path | None:
        return study.out / stage / "index.html" if stage in stages else None

    return Summary(
        study=settings.name,
        stages=results,
        accuracy=tuple(accuracies(study)) if items else (),
        dataset=dataset_folder(study) if released else None,
        report=report_file(study) if filtered else None,
        filter_report=page("filter_report"),
        made=_made(study, results[-1].stage),
        interventions=page("interventions_report"),
        selectional=page("selectional_report"),
        retrieval=page("retrieval_report"),
        version=version_text(study) if released else "",
    )


def _made(study: Study, last: str) -> Path | None:
    """Return the folder of the expanded items, quads and statements; ``last`` is the study's last stage."""
    if not study.settings.generates:
        return None
    ends_there = study.settings.filter is None and last in ("generate", "fill")
    return study.out / (last if ends_there else "generate")
