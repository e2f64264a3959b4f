"""`nextset release diff`: two versions of a dataset, their rows and the measures of models on both."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from nextset.counted import per_cent_text
from nextset.records.prompt_outcomes import OUTCOMES
from nextset.records.short_repr import short_repr

if TYPE_CHECKING:
    import pyarrow as pa

    from nextset.auditing.version_change import MeasureChange
    from nextset.release.versions.diff_records import VersionDiff
    from nextset.release.versions.version_number import NextVersion
    from nextset.release.versions.version_tables import VersionTable

__all__ = [
    "VersionComparison",
    "compare_versions",
    "comparison_json",
    "comparison_page",
    "comparison_text",
]

_ITEMS = (
    "id", "label", "domain", "stereotype", "template_id", "premise", "hypothesis", "bindings",
    "stance_design", "stance_judged", "verdict", "names_group", "counterpart_id",
)  # fmt: skip
_SCORES = ("item_id", "model", "revision", "role", "entailment", "neutral", "contradiction", *OUTCOMES)


@short_repr
@dataclass(frozen=True, slots=True, kw_only=True)
class VersionComparison:
    """The difference between two versions, and the measures of models on both."""

    diff: VersionDiff
    """The difference of rows, columns and metadata."""
    computed: NextVersion
    """The version number that these changes call for."""
    measures: tuple[MeasureChange, ...]
    """The measures of models with scores in both versions; empty if there are none."""
    note: str
    """The method of the intervals, or the reason why there are no measures."""


def compare_versions(old: Path, new: Path) -> VersionComparison:
    """Return the comparison of the dataset versions in the folders ``old`` and ``new``.

    The measures need the configs items and scores in both. Raises ArtifactError if a folder is not a dataset
    version, or if a file is missing or damaged.
    """
    from nextset.errors import ArtifactError
    from nextset.release.version_folder.dotted_version import parse_version
    from nextset.release.version_folder.release_manifest import read_release_manifest
    from nextset.release.versions.version_diff import version_diff
    from nextset.release.versions.version_number import next_version

    before, after = read_release_manifest(old), read_release_manifest(new)
    if before.name != after.name:
        raise ArtifactError(
            f"{old} is a version of {before.name}, but {new} is a version of {after.name}",
            remedy="name two versions of the same dataset, the earlier one first",
        )
    if parse_version(before.version) > parse_version(after.version):
        raise ArtifactError(
            f"{before.version} is later than {after.version}",
            remedy=f"name the earlier version first: nextset release diff {new} {old}",
        )
    diff = version_diff(old, new)
    measures, note = _measures(old, new, diff)
    return VersionComparison(diff=diff, computed=next_version(diff.old, diff), measures=measures, note=note)


def comparison_text(comparison: VersionComparison, examples: int = 3) -> str:
    """Return ``comparison`` as text for a terminal, with at most ``examples`` examples of each change."""
    from nextset.printable_text import printable_line
    from nextset.release.versions.diff_text import diff_text

    lines = [diff_text(comparison.diff, comparison.computed, examples)]
    model = None
    for row in comparison.measures:
        if row.model != model:
            lines.append(f"measures of {row.model}:")
            model = row.model
        lines.append(f"  {_measure_line(row)}")
    lines.append(comparison.note)
    return "\n".join(printable_line(line) for text in lines for line in text.split("\n"))


def comparison_json(comparison: VersionComparison) -> dict[str, Any]:
    """Return ``comparison`` as JSON data, with every id."""
    from nextset.release.versions.diff_records import as_json

    return {
        **as_json(comparison.diff),
        "computed": asdict(comparison.computed),
        "measures": [asdict(row) for row in comparison.measures],
        "note": comparison.note,
    }


def comparison_page(comparison: VersionComparison) -> str:
    """Return ``comparison`` as an HTML page."""
    from nextset.release.versions.diff_page import diff_page

    return diff_page(comparison.diff, comparison.computed, comparison.measures, note=comparison.note)


def _measures(old: Path, new: Path, diff: VersionDiff) -> tuple[tuple[MeasureChange, ...], str]:
    from nextset.auditing.version_change import measure_changes
    from nextset.cluster_bootstrap import DRAWS, SEED
    from nextset.release.versions.version_tables import open_version

    (before, a), (after, b) = open_version(old), open_version(new)
    for manifest, tables in ((before, a), (after, b)):
        if "items" not in tables:
            return (
                (),
                f"No measures: version {manifest.version} has no NLI items to measure.",
            )
        if "scores" not in tables or "entailment" not in tables["scores"].schema.names:
            return (), f"No measures: version {manifest.version} has no scores of NLI models."
    items = [_read(side["items"], _ITEMS) for side in (a, b)]
    items[1] = _linked(items[1], diff)
    scores = [_read(side["scores"], _SCORES) for side in (a, b)]
    rows = measure_changes(items[0], scores[0], items[1], scores[1])
    return tuple(rows), (
        f"Intervals: {DRAWS:,} bootstrap draws of templates from seed {SEED}, the same for both versions; "
        "p-values are corrected for the number of comparisons (Holm)."
    )


def _read(table: VersionTable, columns: tuple[str, ...]) -> pa.Table:
    return table.table([name for name in columns if name in table.schema.names])


def _linked(items: pa.Table, diff: VersionDiff) -> pa.Table:
    """Return ``items`` of the new version with the ids of the old items that reworded ones supersede."""
    import pyarrow as pa

    (config,) = (c for c in diff.configs if c.config == "items")
    links = dict(zip(config.reworded.new, config.reworded.old, strict=True))
    links |= dict(zip(config.relabelled.new, config.relabelled.old, strict=True))
    earlier = [links.get(id_) for id_ in items["id"].to_pylist()]
    names = [n for n in items.column_names if n != "supersedes"]
    return items.select(names).append_column("supersedes", pa.array(earlier, pa.string()))


def _measure_line(row: MeasureChange) -> str:
    if not row.measure:
        return row.note or ""
    before, after = (per_cent_text(v) for v in (row.before, row.after))
    line = f"{row.title}: {before} → {after}"
    if row.change is not None:
        line += f" ({per_cent_text(row.change, sign='+')}"
        if row.low is not None:
            line += f"; 95 %: {per_cent_text(row.low, sign='+')} to {per_cent_text(row.high, sign='+')}"
        if row.p_corrected is not None:
            line += f"; p = {row.p_corrected:.3g}"
        line += ")"
    return f"{line}  {row.note}" if row.note else line
