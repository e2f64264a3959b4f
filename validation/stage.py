"""The stage validate: tasks go out, judgments come in, verdicts are put onto the items."""

from __future__ import annotations

import functools
from collections import Counter
from dataclasses import asdict, dataclass
from pathlib import Path

import pyarrow as pa
import pyarrow.compute

from nextset.artifact import Artifact, Recipe, open_artifact
from nextset.build import Made, Part, build
from nextset.errors import WaitingForPeople
from nextset.items import Judgment, content_id, table_of
from nextset.progress import SILENT, Progress
from nextset.study import Study
from validation.judgments.given import Problem
from validation.judgments.label_studio_export import read_export
from validation.judgments.log import append, latest, read
from validation.judgments.pseudonyms import pseudonym_key
from validation.page.briefing import briefing
from validation.page.tasks import TaskFiles, write_tasks
from validation.rule import judge_by_rule
from validation.units import units
from validation.verdicts import Verdicts, aggregate, judged

__all__ = [
    "Agreement",
    "ImportedJudgments",
    "apply_judgments",
    "export_tasks",
    "import_judgments",
    "validate_recipe",
]


@dataclass(frozen=True)
class ImportedJudgments:
    """What an export brought into the study's log."""

    new: int
    """Judgments added."""
    already: int
    """Judgments that the log had."""
    problems: tuple[Problem, ...]
    """Answers in the export that do not count; they are kept in the log too."""
    waiting: int
    """Units that nobody has judged yet."""


@dataclass(frozen=True)
class Agreement:
    """How far the judges agree."""

    per_cent: float | None
    """Per cent of pairs of judgments on the same unit with the same verdict; null where no unit has two."""


def export_tasks(study: Study) -> TaskFiles:
    """Write out/tasks: Label Studio tasks, the labelling configuration and the guidelines.

    The page is in the language of most units. Raises MissingStage before `filter` has run, JudgmentError
    on a text that cannot be shown, StudyError where there is no wording in the language.
    """
    with study.held("validate export"):
        found = units(_kept(study)).to_pylist()
        language = Counter(unit["language"] for unit in found).most_common(1)[0][0] if found else "en"
        session = study.settings.validate_.session
        told = briefing("nli", language, session, study.folder)
        premise = session is not None and session.premise
        return write_tasks(study.out / "tasks" / "tasks.json", told, found, premise=premise)


def import_judgments(study: Study, file: Path | str) -> ImportedJudgments:
    """Take the judgments of a Label Studio JSON export into the study's log, which only grows.

    People become pseudonyms before anything is kept. Raises JudgmentError when ``file`` is no whole
    export; the log is then as it was.
    """
    with study.held("validate import"):
        known = units(_kept(study))["unit_id"].to_pylist()
        found = read_export(Path(file), set(known), pseudonym_key())
        added = append(study.judgments, found.judgments, found.problems)
        judged_units = {j.unit_id for j in read(study.judgments).judgments}
        waiting = len(set(known) - judged_units)
        return ImportedJudgments(added.new, added.already, tuple(found.problems), waiting)


def validate_recipe(study: Study) -> Recipe:
    """What `apply_judgments` would make now; raises MissingStage before `filter` has run."""
    return _recipe(study, _judgments(study, _kept(study)))


def apply_judgments(study: Study, progress: Progress = SILENT) -> Artifact:
    """Put the verdicts onto what the filter kept: out/validate, with items, valid and judgments.

    Raises WaitingForPeople when people are to judge and nobody has.
    """
    with study.held("validate"):
        kept = _kept(study)
        judgments = _judgments(study, kept)
        _wait(study, kept, judgments)

        @functools.cache
        def verdicts() -> Verdicts:
            return aggregate(units(kept)["unit_id"].to_pylist(), judgments)

        @functools.cache
        def items() -> pa.Table:
            return judged(kept, verdicts())

        def counts() -> dict[str, int]:
            return {f"units {outcome}": n for outcome, n in verdicts().counts.items()}

        return build(
            study.out / "validate",
            _recipe(study, judgments),
            lambda: [
                Part("items", lambda: Made(items(), counts())),
                Part("valid", lambda: Made(items().filter(pa.compute.equal(items()["verdict"], "valid")))),
                Part("judgments", lambda: Made(table_of(judgments, Judgment))),
                Part("agreement", lambda: Made(table_of([Agreement(verdicts().agreement)], Agreement))),
            ],
            progress=progress("validate"),
        )


def _kept(study: Study) -> pa.Table:
    return open_artifact(study.out / "filter").table("kept")


def _judgments(study: Study, kept: pa.Table) -> list[Judgment]:
    """The judgments that count: the rule's, or each person's last one of each unit."""
    if study.settings.validate_.judge == "rule":
        return judge_by_rule(kept)
    fields = Judgment.__dataclass_fields__
    given = latest(read(study.judgments).judgments)
    return [Judgment(**{name: getattr(j, name) for name in fields}) for j in given]


def _wait(study: Study, kept: pa.Table, judgments: list[Judgment]) -> None:
    known = set(units(kept)["unit_id"].to_pylist())
    if known and known.isdisjoint(j.unit_id for j in judgments):
        raise WaitingForPeople(
            f"{len(known):,} hypotheses wait for people's judgments",
            remedy=f"run `nextset validate export {study.folder}`, label the tasks in Label Studio, "
            f"then `nextset validate import {study.folder} EXPORT.json`",
        )


def _recipe(study: Study, judgments: list[Judgment]) -> Recipe:
    digest = content_id("judgments", *(str(asdict(j)) for j in judgments))
    kept = open_artifact(study.out / "filter").digest
    settings = {"judge": study.settings.validate_.judge}
    return Recipe("validate", 1, {"filter": kept, "judgments": digest}, settings)
