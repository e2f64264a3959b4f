"""The refusal of a release that would have no rows, or whose pairs are incomplete or not minimal."""

from __future__ import annotations

import csv
import io
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path

import pyarrow as pa

from nextset.artifacts.artifact import is_finished, open_artifact
from nextset.counted import counted
from nextset.errors import ArtifactError
from nextset.files.atomic_files import write_atomically
from nextset.files.spreadsheet_cells import neutralised
from nextset.release.counterfactuals.pair_records import PairSummary, refuse_pairs
from nextset.release.forms.released_form import released_form
from nextset.release.row_shards import ReleasedRows
from nextset.release.row_texts import texts_of
from nextset.release.source_rows import Kind
from nextset.study.item_tables import imported_items
from nextset.study.release_settings import Waivers

__all__ = ["check_pairs", "nothing_left"]


def nothing_left(
    out: Path, imported: Path, kinds: Sequence[Kind], stage: str, withdrawn: int
) -> ArtifactError:
    """Return the error of a release without rows of ``kinds``, with the number of items after each stage.

    ``out`` and ``imported`` are folders of the study, and ``stage`` is the stage whose rows are released.
    """
    made = tuple(table for kind in kinds for table in released_form(kind).generated)
    filled = tuple(released_form(kind).generated[0] for kind in kinds)
    tables = {"generate": made, "fill": filled, "filter": ("kept",), "validate": ("items",)}
    left = {"imported": imported_items(imported).num_rows}
    for name in list(tables)[: list(tables).index(stage) + 1]:
        if is_finished(out / name):
            artifact = open_artifact(out / name)
            left[name] = sum(artifact.rows(table) for table in tables[name])
    if not any(left[name] for name in ("imported", "generate", "fill") if name in left):
        remedy = "write templates, questions or statements for the study's form, or import pairs"
    elif not left.get("filter", 1):
        remedy = "change filter.rule so that it keeps more items"
    else:
        remedy = "judge more hypotheses, or set another rule in release.verdicts or validate.judge"
    shown = [f"{name} {n:,}" for name, n in left.items() if n or name != "imported"]
    shown += [f"withdrawn {withdrawn:,}"] if withdrawn else []
    return ArtifactError(f"there are no items to release (items by stage: {', '.join(shown)})", remedy=remedy)


def check_pairs(
    out: Path,
    waivers: Waivers,
    stage: str,
    summary: PairSummary,
    findings: pa.Table,
    written: Mapping[Kind, ReleasedRows],
) -> None:
    """Raise ArtifactError if pairs are incomplete or not minimal, and write all findings to a CSV file.

    ``out`` is the study's folder of that name, ``stage`` the stage whose rows are released, and ``written``
    has these rows.
    """
    file = out / "pair_findings.csv"
    try:
        # the examples are in the file
        refuse_pairs(replace(summary, incomplete_examples=(), not_minimal_examples=()), waivers)
    except ArtifactError as e:
        ids = findings["item_id"].drop_null().unique().to_pylist()
        texts: dict[str, str] = {}
        for kind, rows in written.items():
            tables = (rows.part(i) for i in range(len(rows.paths)))
            texts |= texts_of(ids, tables, released_form(kind).shown)
        write_atomically(file, _csv(findings, texts))
        judge, unjudged = _unjudged(out) if summary.incomplete and stage == "validate" else ("", "")
        remedy = f"{judge}see all findings in {file} (its texts state stereotypes); "
        if all(released_form(kind).set_values for kind in written):
            remedy += (
                "make the missing items, withdraw the rest of their sets, set filter.pairs: apart, or write "
                'release.waivers.incomplete: "why"'
            )
        else:
            remedy += (
                "import the missing counterparts (a counterpart whose verdict does not count stays "
                f"excluded), {e.remedy}"
            )
        raise ArtifactError(f"{unjudged}{e.message}", remedy=remedy) from None
    file.unlink(missing_ok=True)


def _unjudged(out: Path) -> tuple[str, str]:
    """Return the beginning of a remedy and of a message about units that no one has judged, if there are any.

    Their items are not released, so that counterparts of released items are missing.
    """
    counts = open_artifact(out / "validate").counts
    left = counts.get("units unjudged", 0)
    if not left:
        return "", ""
    units = sum(counts[f"units {name}"] for name in ("valid", "invalid", "incoherent", "tie", "unjudged"))
    which = counted(left, "units are", "unit is")
    return (
        f"have the rest judged: `nextset validate open {out.parent}`; otherwise ",
        f"{which} unjudged, of {units:,}, so counterparts of judged items are missing: ",
    )


def _csv(findings: pa.Table, texts: Mapping[str, str]) -> bytes:
    text = io.StringIO()
    writer = csv.writer(text)
    writer.writerow([*findings.column_names, "text"])
    for row in findings.to_pylist():
        row["text"] = texts.get(row["item_id"], "")
        values = (" ".join(v) if isinstance(v, list) else v for v in row.values())
        writer.writerow(neutralised(str(v)) if v else "" for v in values)
    return text.getvalue().encode()
