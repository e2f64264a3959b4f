"""The stage release: rows whose verdicts count, and their counterfactuals, become a version's rows."""

from __future__ import annotations

import functools
import os
import shutil
import tempfile
from collections.abc import Callable, Iterator
from dataclasses import asdict, replace
from pathlib import Path

import pyarrow as pa
import pyarrow.compute as pc

from nextset.artifacts.artifact import Artifact, Recipe, is_finished, open_artifact
from nextset.artifacts.build import Part, PartResult, build
from nextset.artifacts.progress_callback import SILENT, Progress, Tick
from nextset.errors import StudyError, examples
from nextset.files.file_hash import file_sha256
from nextset.files.yaml_reader import line_of
from nextset.generation.questions.snapshot_packs import snapshot_sets
from nextset.pipeline.stage_list import STAGES
from nextset.records.arrow_schema import arrow_schema, table_of
from nextset.records.content_ids import content_id, unit_ids
from nextset.records.judgment import LOG_NAME
from nextset.release.counterfactuals.counterfactual_items import with_counterfactuals, without_lost_links
from nextset.release.counterfactuals.counterpart_rendering import text_renderer
from nextset.release.counterfactuals.group_terms import GroupTerms, read_group_terms
from nextset.release.counterfactuals.pair_completeness import pair_findings
from nextset.release.counterfactuals.pair_records import PairFinding, PairSummary
from nextset.release.counterfactuals.quad_orders import QuadOrders
from nextset.release.counterfactuals.set_completeness import SetCompleteness
from nextset.release.forms.released_form import RELEASED, ReleasedForm, released_form
from nextset.release.overlap.canary_guid import canary_guid, with_canary
from nextset.release.refused_release import check_pairs, nothing_left
from nextset.release.row_shards import Complete, Completed, ReleasedRows, released_rows
from nextset.release.source_rows import Kind, SourceRows, control_rows, source_rows
from nextset.release.verdict_selection import (
    FEW_JUDGMENTS,
    adjudicated_verdicts,
    select_form_ok,
    select_valid,
    selected_units,
)
from nextset.release.versions.previous_folder import previous_folder
from nextset.release.versions.version_history import previous_version
from nextset.release.versions.withdrawal import read_withdrawals, withdrawn_ids, without_withdrawn
from nextset.study.item_tables import (
    imported_items,
    plain_items,
    proposed_templates,
    templates_of_items,
)
from nextset.study.study_folder import Study, of_study

__all__ = ["build_release", "check_judgments", "judged_stage", "release_recipe"]

_BATCH = 10_000
"""Quads that are checked at once."""
NO_GROUP = "items that name no group"
"""The count of items without a known group: they have no counterpart, and measure no bias."""
Selection = Callable[[pa.Table], pa.Table]
"""A function that selects the rows of a batch whose verdicts count, or whose form is ok if no one judged."""


def release_recipe(study: Study) -> Recipe:
    """Return the recipe of what `build_release` would make now; raises MissingStage, and as it does."""
    check_judgments(study)
    settings = study.release
    _check_formats(study)
    _group_terms(study)
    inputs = {stage: open_artifact(study.out / stage).digest for stage in ("generate", judged_stage(study))}
    if proposed := proposed_templates(study.out) or _filled(study):
        inputs["fill"] = proposed.digest
    shown = {
        "name": settings.name,
        "counterfactuals": settings.counterfactuals,
        "verdicts": settings.verdicts.written(),
        "controls": settings.controls,
        "withdrawn": content_id("withdrawn", *sorted(_withdrawn(study))),
    }
    if all(released_form(kind).has_items for kind in _kinds(study)):
        terms = study.release.group_terms
        read = settings.controls or settings.counterfactuals
        imported = imported_items(study.imported)["id"].to_pylist() if read else []
        shown["group_terms"] = terms if terms.startswith("builtin:") else file_sha256(study.path(terms))
        shown["imported"] = content_id("imported", *imported)
    if all(released_form(kind).has_items for kind in _kinds(study)) or _by_sets(study):
        shown["waived"] = [bool(settings.waivers.incomplete), bool(settings.waivers.not_minimal)]
    return Recipe("release", 7, inputs, shown)


def judged_stage(study: Study) -> str:
    """Return the stage whose rows are released: validate, or filter or generate if no one judges."""
    if study.settings.filter is None:
        return "generate"
    return "validate" if STAGES["validate"].wanted(study.settings) else "filter"


def check_judgments(study: Study) -> None:
    """Raise StudyError if annotators judged the rows, but study.yaml does not make their verdicts count."""
    if study.settings.filter is None or judged_stage(study) == "validate":
        return
    log = study.judgments / LOG_NAME
    none = not os.path.lexists(log) and (study.judgments.is_dir() or not os.path.lexists(study.judgments))
    if not none and not _is_blank(log):  # a log that cannot be reached counts
        raise StudyError(
            f"there are judgments in {log}, but no validate.session: the release would ignore them",
            file=study.file,
            remedy="add validate.session (docs/how_to/sessions.md), or move the folder of the log away",
        )


def _check_formats(study: Study) -> None:
    """Raise StudyError for a published layout that none of the released forms has."""
    layouts = {name for kind in _kinds(study) for name in released_form(kind).layouts}
    for name in study.release.formats:
        if name not in ("csv", "jsonl") and name not in layouts:
            raise StudyError(
                f"release.formats: {name} is not a layout of {', '.join(_kinds(study))}",
                file=study.file,
                line=line_of(study.file, "release", "formats"),
                remedy=f"remove {name}",
            )


def _is_blank(log: Path) -> bool:
    try:
        return log.is_file() and not log.read_bytes().strip()
    except OSError:
        return False


def _kinds(study: Study) -> tuple[Kind, ...]:
    if study.settings.filter is None:
        tables = open_artifact(study.out / "generate").tables
        quads = (form for form in RELEASED if not form.has_items)
        return tuple(form.config for form in quads if form.generated[0] in tables)
    return (RELEASED[study.filter.form].config,)


def _sources(study: Study) -> list[SourceRows]:
    artifact = open_artifact(study.out / judged_stage(study))
    table = {"validate": "items", "filter": "kept"}.get(judged_stage(study))
    if table is not None:
        return [source_rows(kind, (artifact, table)) for kind in _kinds(study)]
    return [source_rows(kind, *_made_tables(study, released_form(kind))) for kind in _kinds(study)]


def _made_tables(study: Study, form: ReleasedForm) -> list[tuple[Artifact, str]]:
    """Return the tables with the rows of ``form`` before any filter: those without masks, and filled ones."""
    made, filled = open_artifact(study.out / "generate"), _filled(study)
    artifacts = [made, *([filled] if filled is not None else [])]
    return [(artifact, form.generated[0]) for artifact in artifacts if artifact.shards_of(form.generated[0])]


def _filled(study: Study) -> Artifact | None:
    """Return the artifact of filled rows of a study without a filter, or None if it has none."""
    unfiltered = study.settings.filter is None and study.settings.fills
    return open_artifact(study.out / "fill") if unfiltered and is_finished(study.out / "fill") else None


def _group_terms(study: Study) -> GroupTerms:
    return read_group_terms(study.release.group_terms, study.path)


def _need_group_terms(study: Study, terms: GroupTerms) -> None:
    """Raise StudyError if there are imported items and no item has the language of the named lexicon.

    The built-in default does not count as named. Without a lexicon for its language, only the groups in an
    imported item's bindings are known.
    """
    settings = study.release
    if settings.group_terms == type(settings).model_fields["group_terms"].default:
        return
    artifact = open_artifact(study.out / judged_stage(study))
    languages, imported = set[str](), False
    for shard in artifact.shards_of("items" if judged_stage(study) == "validate" else "kept"):
        rows = artifact.piece(shard, ["language", "template_id"])
        languages.update(rows["language"].unique().to_pylist())
        imported = imported or rows["template_id"].null_count > 0
    if imported and not any(terms.of_language(language) for language in languages):
        raise StudyError(
            f"release.group_terms is {settings.group_terms!r}, a lexicon for {terms.language!r}, "
            f"but all items are in {examples(map(repr, sorted(languages)))}",
            file=study.file,
            line=line_of(study.file, "release", "group_terms"),
            remedy="name a lexicon for the items' language in release.group_terms, or remove the setting",
        )


def _withdrawn(study: Study) -> frozenset[str]:
    """Return the ids that the study withdrew, or that the previous version lists as withdrawn."""
    named, listed = study.release.previous, None
    if named:
        listed = previous_version(previous_folder(named, study.path), study.release.name).withdrawn
    return withdrawn_ids(listed, read_withdrawals(study.withdrawn))


@of_study
def build_release(study: Study, progress: Progress = SILENT) -> Artifact:
    """Select the rows whose verdicts count and add counterfactuals; write out/release.

    The rows of each table are sorted by id. Raises ArtifactError if there are no rows, or if pairs are
    incomplete or not minimal and this is not waived.
    """
    check_judgments(study)
    with study.held("release"):
        recipe = release_recipe(study)
        for left in study.out.glob("release.rows.*"):  # of a run that was killed
            shutil.rmtree(left, ignore_errors=True)
        with tempfile.TemporaryDirectory(prefix="release.rows.", dir=study.out) as scratch:
            made = build(
                study.out / "release",
                recipe,
                lambda: _plan(study, Path(scratch), progress),
                progress=progress("release"),
            )
        pa.default_memory_pool().release_unused()  # the next stage may run in the same process
        return made


def _plan(study: Study, scratch: Path, progress: Progress) -> list[Part]:
    select = _selection(study)
    withdrawn = _withdrawn(study)
    canary = canary_guid(study.release.name)
    parts: list[Part] = []
    written: dict[Kind, ReleasedRows] = {}
    findings = [arrow_schema(PairFinding).empty_table()]
    summary = PairSummary()
    selected, counts = 0, dict[str, int]()
    few, units = _few_judgments(study), set[str]()

    def selection(batch: pa.Table) -> pa.Table:
        rows = without_withdrawn(select(batch), withdrawn)
        if few:
            units.update(few.intersection(rows["unit_id"].to_pylist()))
        return rows

    for source in _sources(study):
        form = released_form(source.kind)
        items = form.has_items
        orders = QuadOrders(snapshot_sets(study.out / "generate")) if form.has_quads else None
        rows = released_rows(
            source,
            selection,
            _controls(study, source.schema, withdrawn) if items else (),
            _completion(study, withdrawn, select) if items else None,
            scratch / source.kind,
            progress("release_rows"),
        )
        if orders is not None:
            _check_quads(orders, rows, progress("release_pairs"), subsampled=_is_part(study))
        if form.set_values:
            candidates = _candidate_sets(study, form, withdrawn)
            sets = SetCompleteness(form.set_values, form.set_measured_by, candidates)
            _check_sets(sets, rows, progress("release_pairs"))
        written[source.kind] = rows
        selected += rows.counts["selected"]
        counts |= {f"{source.kind} {name}": n for name, n in rows.counts.items()}
        summary, findings = summary + rows.summary, findings + rows.findings
        parts += [
            Part(source.kind, functools.partial(_shard, form, rows, i, canary))
            for i in range(len(rows.paths))
        ]
    if not selected:
        raise nothing_left(study.out, study.imported, _kinds(study), judged_stage(study), len(withdrawn))
    pairs = pa.concat_tables(findings)
    refused = replace(summary, incomplete=0) if _sets_apart(study) else summary
    check_pairs(study.out, study.release.waivers, judged_stage(study), refused, pairs, written)
    whole = {f"pairs {name}": n for name, n in asdict(summary).items() if isinstance(n, int)}
    counts |= {FEW_JUDGMENTS: len(units)} if units else {}
    return [*parts, Part("pairs", lambda: PartResult(pairs, {**counts, **whole}))]


def _is_part(study: Study) -> bool:
    """Return whether the study releases only some of the quads that its packs make."""
    questions = study.settings.questions
    return study.settings.filter is not None or bool(questions and questions.subset)


def _check_quads(orders: QuadOrders, rows: ReleasedRows, progress: Tick, *, subsampled: bool) -> None:
    """Check that the quads are whole, and add the findings to ``rows``."""
    for i in range(len(rows.paths)):
        part = rows.part(i)
        for start in range(0, part.num_rows, _BATCH):
            findings = orders.check(part.slice(start, _BATCH)).findings
            rows.findings += [table_of(findings, PairFinding)] if findings else []
        progress(i + 1, len(rows.paths))
    last = orders.report(subsampled=subsampled)
    rows.findings.append(table_of(last.findings, PairFinding))
    rows.summary = last.summary


def _sets_apart(study: Study) -> bool:
    """Return whether the study filters the items of a set one by one, so that sets may be incomplete."""
    section = study.settings.filter
    return _by_sets(study) and section is not None and section.pairs == "apart"


def _by_sets(study: Study) -> bool:
    """Return whether the study releases rows in sets."""
    return any(released_form(kind).set_values for kind in _kinds(study))


def _candidate_sets(study: Study, form: ReleasedForm, withdrawn: frozenset[str]) -> Iterator[pa.Table]:
    """Yield the sets of the rows among which the study selected, without withdrawn rows."""
    if study.settings.filter is None:
        tables = _made_tables(study, form)
    else:
        filtered = open_artifact(study.out / "filter")
        tables = [(filtered, "kept"), (filtered, "rejected")]
    for artifact, name in tables:
        for shard in artifact.shards_of(name):
            yield without_withdrawn(artifact.piece(shard, ["id", "set_id"]), withdrawn)


def _check_sets(sets: SetCompleteness, rows: ReleasedRows, progress: Tick) -> None:
    """Check that the sets are whole, and add the findings to ``rows``."""
    for i in range(len(rows.paths)):
        sets.check(rows.part(i))
        progress(i + 1, len(rows.paths))
    report = sets.report()
    rows.findings.append(table_of(report.findings, PairFinding))
    rows.summary = report.summary


def _selection(study: Study) -> Selection:
    """Return the function that selects the rows of a batch and sets the verdict of judged rows to valid."""
    if judged_stage(study) != "validate":
        return lambda batch: batch
    judged = open_artifact(study.out / "validate")
    if judged.shards_of("form_ok"):
        return select_form_ok
    batches = (judged.piece(shard, ["unit_id", "verdict"]) for shard in judged.shards_of("items"))
    adjudicated = adjudicated_verdicts(judged.table("adjudications"), batches)
    tables = (judged.table("judgments"), judged.table("posteriors"))
    selected = selected_units(study.release.verdicts, *tables, adjudicated)
    return lambda batch: _valid(select_valid(batch, selected))


def _valid(rows: pa.Table) -> pa.Table:
    """Return ``rows`` with the verdict valid, which they have by the rule of release.verdicts."""
    at = rows.schema.get_field_index("verdict")
    return rows.set_column(at, rows.schema.field(at), pa.repeat(pa.scalar("valid"), rows.num_rows))


def _few_judgments(study: Study) -> frozenset[str]:
    """Return the judged units that have fewer judgments than the study asks for."""
    if judged_stage(study) != "validate":
        return frozenset()
    few = open_artifact(study.out / "validate").table("too_few_judgments")
    return frozenset(few["unit_id"].to_pylist())


def _rejected_units(study: Study, select: Selection) -> frozenset[str]:
    """Return the units that do not count, by verdict or by form; no counterpart may have their hypothesis."""
    if judged_stage(study) != "validate":
        return frozenset()
    validated, rejected = open_artifact(study.out / "validate"), set[str]()
    finding = "form_ok" if validated.shards_of("form_ok") else "judge"
    for shard in validated.shards_of("items"):
        rows = validated.piece(shard, ["unit_id", "verdict", finding])
        known = rows.filter(pc.is_valid(rows[finding]))
        rejected.update(set(known["unit_id"].to_pylist()) - set(select(known)["unit_id"].to_pylist()))
    return frozenset(rejected)


def _controls(study: Study, schema: pa.Schema, withdrawn: frozenset[str]) -> list[pa.Table]:
    """Return the test items of the study's templates and imported files."""
    if not study.release.controls:
        return []
    sources = (plain_items(study.out), imported_items(study.imported))
    return [without_withdrawn(control_rows(items, schema), withdrawn) for items in sources]


def _completion(study: Study, withdrawn: frozenset[str], select: Selection) -> Complete:
    """Return the function that adds counterfactuals to a group of items and checks its pairs.

    It adds neither withdrawn items nor hypotheses that were judged and do not count.
    """
    terms = _group_terms(study)
    wanted = study.release.counterfactuals
    if wanted:
        _need_group_terms(study, terms)
    imported = imported_items(study.imported)["id"].combine_chunks()
    rejected = _rejected_units(study, select)
    render = text_renderer(templates_of_items(study.out), terms)

    def complete(items: pa.Table) -> Completed:
        made = with_counterfactuals(items, render if wanted else lambda item: None, imported)
        own, added = made.items.slice(0, items.num_rows), made.items.slice(items.num_rows)
        allowed = [
            id_ not in withdrawn and unit not in rejected
            for id_, unit in zip(
                added["id"].to_pylist(), unit_ids(added, study.settings.validate_.unit), strict=True
            )
        ]
        rows = pa.concat_tables([own, added.filter(pa.array(allowed, pa.bool_()))])
        if not wanted:
            return Completed(rows, arrow_schema(PairFinding).empty_table(), PairSummary())
        report = pair_findings(rows, terms, made.flags)
        return Completed(without_lost_links(rows), table_of(report.findings, PairFinding), report.summary)

    return complete


def _shard(form: ReleasedForm, rows: ReleasedRows, i: int, canary: str) -> PartResult:
    table = with_canary(form.with_own_columns(rows.part(i)), canary)
    counts = {}
    if "names_group" in table.column_names:
        tests = pc.equal(table["stance_design"], "test")
        counts[NO_GROUP] = pc.sum(pc.invert(pc.or_(table["names_group"], tests))).as_py() or 0
    return PartResult(table, counts)
