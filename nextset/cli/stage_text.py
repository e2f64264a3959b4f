"""Results of stages as text for the terminal."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from nextset.artifacts.drop_counts import drops
from nextset.cli.progress_bar import duration
from nextset.counted import counted
from nextset.generation.templates.placeholders import written_masks
from nextset.html.content_warning import CONTENT_WARNING
from nextset.pipeline.server_costs import cost_lines
from nextset.pipeline.stage_list import STAGES, shown_rows
from nextset.printable_text import printable_line
from nextset.records.nli_items import MaskedItem

if TYPE_CHECKING:
    from nextset.cli.linted import Linted
    from nextset.cli.time_estimate import ModelTime
    from nextset.generation.preview import Preview
    from nextset.pipeline.stage_result import StageResult, Summary

__all__ = [
    "lint_text",
    "preview_text",
    "stage_text",
    "summary_text",
    "time_text",
]


def stage_text(result: StageResult) -> str:
    """Return a line with the stage, how it was built and its rows; then dropped rows, findings, warnings."""
    counts = [
        shown_rows(result.stage, result.rows),
        *(counted(n, what) for what, n in result.this_run.items()),
    ]
    line = f"{result.stage:<13} {result.built:<9} {', '.join(filter(None, counts))}".rstrip()
    return "\n".join(
        [
            line,
            *(f"          {reason}: {n:,}" for reason, n in drops(result.counts).items()),
            *(f"          {sentence}" for sentence in result.conclusions),
            *(f"          rebuilt, was damaged: {file}" for file in result.remade),
            *(f"          warning: {warning}" for warning in result.warnings),
        ]
    )


def summary_text(summary: Summary) -> str:
    """Return a run's summary: items by stage, results of held-out models, accuracy by model, paths."""
    lines = [f"\n{summary.study}: rows after each stage"]
    for result in summary.stages:
        stage = STAGES[result.stage]
        if stage.shown_tables and stage.shown_in_summary:
            lines.append(f"  {result.stage:<13} {shown_rows(result.stage, result.rows)}".rstrip())
    lines += [f"\n{sentence}" for result in summary.stages for sentence in result.conclusions]
    if summary.accuracy:
        width = max(len(a.model) for a in summary.accuracy)
        lines.append(f"\n{'accuracy':<{width}}  role      plain    released")
        for a in summary.accuracy:
            mark = " *" if a.unanswered else ""
            shares = f"{_per_cent(a.plain)}  {_per_cent(a.new)}{mark}"
            lines.append(f"{a.model:<{width}}  {a.role:<8}  {shares}")
        lines += [f"* {a.unanswered}" for a in summary.accuracy if a.unanswered]
    if costs := cost_lines(summary.costs):
        lines += ["\nmodels behind servers, at the prices in study.yaml", *costs]
    reused = [r.stage for r in summary.stages if r.built == "reused"]
    if reused:
        lines.append(f"\nreused, because nothing changed: {', '.join(reused)}")
    places: dict[str, Path | None] = {
        "dataset": summary.dataset,
        "report": summary.report,
        "filter": summary.filter_report,
        **summary.pages,
    }
    if summary.dataset is None:
        places["made"] = summary.made
    version = [summary.version] if summary.version else []
    given = {name: path for name, path in places.items() if path}
    width = max(8, *map(len, given))
    return "\n".join([*lines, "", *version, *(f"{name:<{width}} {path}" for name, path in given.items())])


def _per_cent(share: float | None) -> str:
    return "     –" if share is None else f"{100 * share:5.1f}%"


def lint_text(linted: Linted) -> str:
    """Return a line per finding and per language that lacks lists, then the numbers of files and findings.

    Line breaks and control characters in a finding become escapes.
    """
    lines = [printable_line(f"{f.file}:{f.line or 1}: {f.rule}: {f.message}") for f in linted.findings]
    lines += map(printable_line, linted.without_list)
    counts = f"files: {len(linted.files)}, findings: {len(linted.findings)}"
    return "\n".join([*lines, counts + (f", accepted: {len(linted.accepted)}" if linted.accepted else "")])


_MANY = 100_000
"""From this number of rows of a kind on, the preview names the setting for a sample."""
_ASKED = (("question", "statement"), ("question_negated", "statement_negated"))


def preview_text(preview: Preview) -> str:
    """Return counts and costs, then the content warning and the examples."""
    lines = ["upper bounds (rows with the same text become one)"]
    rows = {kind: n for kind, n in {**preview.items, "filled": preview.filled}.items() if n}
    width = max(map(len, rows), default=0)
    lines += [f"  {kind:<{width}} {n:>12,} rows" for kind, n in rows.items()]
    if preview.few_templates:
        lines.append(f"  warning: {preview.few_templates}")
    lines += (
        ["  " + ", ".join(f"{name}: {n:,}" for name, n in preview.masks.items())] if preview.masks else []
    )
    if preview.prompts:
        lines.append(f"  prompts to the fill model, one request each if it writes: {preview.prompts:,}")
    lines += [f"  inputs to score, {role}: {n:,}" for role, n in preview.scorings.items()]
    if preview.questions and max(preview.items.values(), default=0) >= _MANY:
        lines.append(
            "  to make fewer rows of language packs, set questions.subset (docs/how_to/questions.md)"
        )
    lines += [
        f"  language pack not checked by a native speaker: {language}" for language in preview.unchecked
    ]
    lines += [f"  language pack checked by native speakers, {checked}" for checked in preview.checked]
    lines += [
        f"  derived by a rule, to be read ({d.language}, {d.subject_class}, {d.form}): {', '.join(d.texts)}"
        for d in preview.derived
    ]
    if preview.fills.counts:
        lines.append("\nfills of the last run")
        lines += [f"  {n:>12,} {kind}" for kind, n in preview.fills.counts.items()]
    lines.append(f"\n{CONTENT_WARNING}")
    for kind, hypotheses in preview.fills.examples.items():
        lines += [f"\n  {kind}", *(f"    {text}" for text in hypotheses)] if hypotheses else []
    for row in preview.questions:
        asked, negated = (row.get(k) or row[s] for k, s in _ASKED)
        lines += [
            f"\n  {row['language']}, {row['subject_class']}, {row['template_id']}: {row['attribute']}",
            f"    context     {row['context_12']}",
            f"    or          {row['context_21']}",
            f"    asked       {asked}",
            f"    negated     {negated}",
        ]
        if "candidate1" in row:
            lines.append(f"    at the mask {row['candidate1']} or {row['candidate2']}")
    for item in preview.examples:
        takes = item.mask_constraints if isinstance(item, MaskedItem) else ()
        lines += [
            f"\n  {item.stance_design}, {item.label} by design ({item.domain}: {item.stereotype})",
            f"    premise     {item.premise}",
            f"    hypothesis  {written_masks(item.hypothesis, takes)}",
        ]
    for example in (row for rows in preview.section_examples.values() for row in rows):
        values = {name: v if isinstance(v, str) else ", ".join(v) for name, v in example.items()}
        texts = [f"  {name:<11} {value}" for name, value in values.items()]
        lines += [f"\n{texts[0]}", *(f"  {text}" for text in texts[1:])]
    return "\n".join(lines)


def time_text(times: Sequence[ModelTime]) -> str:
    """Return one line per model, then the total of the measured times, if there are any."""
    if not times:
        return "\nno model is asked"
    width = max(len(t.model) for t in times)
    lines = ["\ntime on this machine, estimated from a few rows; cached rows take no time"]
    for t in times:
        cost = f"about {duration(t.seconds)}" if t.seconds is not None else f"not measured: {t.why_not}"
        lines.append(f"  {t.role:<19} {t.model:<{width}}  {cost}")
    measured = [t.seconds for t in times if t.seconds is not None]
    if not measured:
        return "\n".join(lines)
    rest = "" if len(measured) == len(times) else ", without the models that were not measured"
    total = f"about {duration(sum(measured))}{rest}"
    return "\n".join([*lines, f"  {'total':<19} {'':<{width}}  {total}"])
