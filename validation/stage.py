"""The stage validate: tasks go out, judgments come in, verdicts are put onto the items."""

from __future__ import annotations

import functools
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path

import pyarrow as pa
import pyarrow.compute

from nextset.artifact import Artifact, Recipe, open_artifact
from nextset.build import Made, Part, build
from nextset.errors import WaitingForPeople
from nextset.items import Judgment, content_id, table_of
from nextset.progress import SILENT, Progress
from nextset.study import Study
from validation.agreement.aggregation import Fit, Method, Posterior
from validation.agreement.answers import Answer, first_raters
from validation.agreement.bootstrap import Bootstrap
from validation.agreement.by_part import AgreementRow, agreement_rows
from validation.agreement.judges import JudgeRow, judge_rows
from validation.agreement.packages import statistics_installed
from validation.agreement.ratings import stance_ratings, verdict_ratings
from validation.judgments.given import Problem
from validation.judgments.label_studio_export import read_export
from validation.judgments.log import append, latest, read
from validation.judgments.pseudonyms import pseudonym_key
from validation.page.tasks import TaskFiles, write_tasks
from validation.rule import judge_by_rule
from validation.units import units
from validation.verdicts import Verdicts, aggregate, judged

__all__ = [
    "ImportedJudgments",
    "apply_judgments",
    "export_tasks",
    "import_judgments",
    "validate_recipe",
]

_SEED = 0
"""Of the intervals' draws and of MACE's beginnings."""


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
class _Given:
    """What was judged, and by whom; each at most once a unit and judge."""

    judgments: Sequence[Judgment]
    """The judgments that count."""
    adjudications: Sequence[Judgment]
    """The verdicts of an adjudication, which take precedence."""
    answers: Sequence[Answer]
    """What annotators answered, declined units and gold items included; none of a rule."""
    gold: Mapping[str, str]
    """The known verdicts of gold items."""


def export_tasks(study: Study) -> TaskFiles:
    """Write out/tasks: Label Studio tasks, the labelling configuration and the guidelines.

    Raises MissingStage before `filter` has run, JudgmentError on a text that cannot be shown.
    """
    with study.held("validate export"):
        return write_tasks(study.out / "tasks" / "tasks.json", units(_kept(study)))


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

    Beside them agreement, aggregation, posteriors and judges (`validation.agreement`). Raises
    WaitingForPeople when people are to judge and nobody has, DependencyMissing when the study asks for a
    way to put votes together that needs crowd-kit.
    """
    with study.held("validate"):
        kept = _kept(study)
        judged_units = units(kept)
        given = _judgments(study, kept)
        _wait(study, judged_units, given)

        @functools.cache
        def verdicts() -> Verdicts:
            return aggregate(
                judged_units["unit_id"].to_pylist(),
                given.judgments,
                method=_method(study),
                adjudications=given.adjudications,
                seed=_SEED,
            )

        @functools.cache
        def items() -> pa.Table:
            return judged(kept, verdicts())

        def counts() -> dict[str, int]:
            return {f"units {outcome}": n for outcome, n in verdicts().counts.items()}

        return build(
            study.out / "validate",
            _recipe(study, given),
            lambda: [
                Part("items", lambda: Made(items(), counts())),
                Part("valid", lambda: Made(items().filter(pa.compute.equal(items()["verdict"], "valid")))),
                Part("judgments", lambda: Made(table_of(given.judgments, Judgment))),
                Part(
                    "agreement", lambda: Made(table_of(_agreement(study, given, judged_units), AgreementRow))
                ),
                Part("aggregation", lambda: Made(table_of([verdicts().fit], Fit))),
                Part("posteriors", lambda: Made(table_of(verdicts().posteriors, Posterior))),
                Part("judges", lambda: Made(table_of(judge_rows(given.answers, given.gold), JudgeRow))),
            ],
            progress=progress("validate"),
        )


def _kept(study: Study) -> pa.Table:
    return open_artifact(study.out / "filter").table("kept")


def _judgments(study: Study, kept: pa.Table) -> _Given:
    """What counts: the rule's judgments, or each person's last one of each unit."""
    if study.settings.validate_.judge == "rule":
        return _Given(judge_by_rule(kept), (), (), {})
    fields = Judgment.__dataclass_fields__
    given = latest(read(study.judgments).judgments)
    judgments = [Judgment(**{name: getattr(j, name) for name in fields}) for j in given]
    answers = [
        Answer(
            unit_id=j.unit_id,
            judge=j.judge,
            label=j.verdict,
            answered_at=j.answered_at,
            seconds=j.seconds,
        )
        for j in given
    ]
    return _Given(judgments, (), answers, {})


def _wait(study: Study, judged_units: pa.Table, given: _Given) -> None:
    known = set(judged_units["unit_id"].to_pylist())
    if known and known.isdisjoint(j.unit_id for j in given.judgments):
        raise WaitingForPeople(
            f"{len(known):,} hypotheses wait for people's judgments",
            remedy=f"run `nextset validate export {study.folder}`, label the tasks in Label Studio, "
            f"then `nextset validate import {study.folder} EXPORT.json`",
        )


def _agreement(study: Study, given: _Given, judged_units: pa.Table) -> list[AgreementRow]:
    """The coefficients of the verdicts, and of verdicts with their stance."""
    judgments, note, enough = given.judgments, "", _enough(study)
    if enough:
        first = first_raters(given.answers, enough)
        judgments = [j for j in judgments if (j.unit_id, j.judge) in first]
        note = f"from the first {enough} ratings of a unit: more were asked for only where people disagreed"
    of = {"verdict": verdict_ratings(judgments), "verdict and stance": stance_ratings(judgments)}
    rows = (
        row
        for name, ratings in of.items()
        for row in agreement_rows(name, ratings, judged_units, Bootstrap(seed=_SEED))
    )
    return [replace(row, note="; ".join(filter(None, (note, row.note)))) for row in rows]


def _enough(study: Study) -> int | None:
    """How many people who agree are enough; None where everyone is asked all the same."""
    settings = study.settings.validate_
    session = settings.session
    if settings.judge == "rule" or session is None or session.agree == session.overlap:
        return None
    return session.agree


def _method(study: Study) -> Method:
    """How votes are put together; a rule judges alone."""
    settings = study.settings.validate_
    return "majority" if settings.judge == "rule" else settings.aggregate


def _recipe(study: Study, given: _Given) -> Recipe:
    said = (given.judgments, given.adjudications, given.answers)
    lines = [str(asdict(record)) for records in said for record in records]
    kept = open_artifact(study.out / "filter").digest
    judge = study.settings.validate_.judge
    settings = {
        "judge": judge,
        "aggregate": _method(study),
        "enough": _enough(study),
        "seed": _SEED,
        # without the packages the table of agreement has less in it; one judge has no agreement
        "statistics": judge == "people" and statistics_installed(),
    }
    digest = content_id("judgments", *lines, str(sorted(given.gold.items())))
    return Recipe("validate", 2, {"filter": kept, "judgments": digest}, settings)
