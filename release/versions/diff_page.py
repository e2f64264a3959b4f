"""The difference between two dataset versions as one self-contained HTML page, without scripts."""

from __future__ import annotations

import difflib
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, Protocol

from nextset.counted import per_cent_text
from nextset.html.page import page
from nextset.release.versions.diff_records import ConfigDiff, PartCount, RowChange, VersionDiff
from nextset.release.versions.version_number import NextVersion
from nextset.text_tokens import all_pieces

__all__ = ["ChangedMeasure", "Passage", "diff_page", "passages"]

MOST = 40
"""The most rows of a table on the page; the JSON output has all of them."""
_LONGEST = 600
_HEADINGS = {
    "reworded": "Reworded",
    "relabelled": "Different label or stance",
    "verdicts": "Different verdict",
    "added": "Only added",
    "removed": "Only removed",
}


class ChangedMeasure(Protocol):
    """A measure of a model on both versions, as `nextset.auditing.version_change` computes it."""

    @property
    def model(self) -> str:
        """The model's published name."""

    @property
    def measure(self) -> str:
        """The measure's name in tables; empty if the model could not be compared."""

    @property
    def title(self) -> str:
        """The measure in words, with its name in tables if that differs."""

    @property
    def before(self) -> float | None:
        """The value on the old version; null if undefined."""

    @property
    def after(self) -> float | None:
        """The value on the new version."""

    @property
    def change(self) -> float | None:
        """The value on the new version minus the value on the old version."""

    @property
    def low(self) -> float | None:
        """The lower end of the change's 95 % interval."""

    @property
    def high(self) -> float | None:
        """The upper end."""

    @property
    def n_before(self) -> int:
        """The number of items in the denominator of the old value."""

    @property
    def n_after(self) -> int:
        """The number of items in the denominator of the new value."""

    @property
    def note(self) -> str | None:
        """The reason why a value is null."""


@dataclass(frozen=True, slots=True)
class Passage:
    """A part of a text that both versions have, or only one of them."""

    kind: Literal["same", "removed", "added"]
    """same, removed or added."""
    text: str
    """The words of the passage."""


@dataclass(frozen=True, slots=True)
class _Example:
    """A changed row, in the form that the page shows."""

    row: RowChange
    texts: tuple[tuple[str, list[Passage]], ...]


@dataclass(frozen=True, slots=True)
class _Kind:
    """The rows with one kind of change."""

    heading: str
    total: int
    examples: tuple[_Example, ...]


def diff_page(
    diff: VersionDiff,
    computed: NextVersion | None = None,
    measures: Sequence[ChangedMeasure] = (),
    *,
    note: str = "",
    most: int = MOST,
) -> str:
    """Return the page. ``note`` says how the measures' intervals were computed, or why there are none.

    The page shows at most ``most`` examples per kind and ``most`` rows per table, and counts the others.
    The same data give the same bytes. Every text from data is escaped.
    """
    return page(
        Path(__file__).parent / "diff_page.html.j2",
        per_cent_text,
        diff=diff,
        computed=computed,
        measures=measures,
        note=note,
        most=most,
        configs=[(config, _parts(config), _kinds(config, most)) for config in diff.configs],
    )


def passages(before: str, after: str) -> list[Passage]:
    """Return the words of both texts in one sequence, marked as same, removed or added.

    Together, the same and removed passages are ``before``, and the same and added passages are ``after``.
    """
    a, b = all_pieces(before), all_pieces(after)
    if before != after and max(len(a), len(b)) > _LONGEST:
        return [Passage("removed", before), Passage("added", after)]
    marked: list[Passage] = []
    for kind, i, j, k, m in difflib.SequenceMatcher(None, a, b, autojunk=False).get_opcodes():
        if kind == "equal":
            marked.append(Passage("same", "".join(a[i:j])))
            continue
        if j > i:
            marked.append(Passage("removed", "".join(a[i:j])))
        if m > k:
            marked.append(Passage("added", "".join(b[k:m])))
    return marked


def _kinds(config: ConfigDiff, most: int) -> list[_Kind]:
    totals = config.totals
    examples = dict(config.examples)
    return [
        _Kind(heading, totals[kind], tuple(_example(row) for row in examples[kind][:most]))
        for kind, heading in _HEADINGS.items()
        if totals[kind]
    ]


def _example(row: RowChange) -> _Example:
    before, after = dict(row.texts_before), dict(row.texts_after)
    texts = []
    for name in after or before:
        old, new = before.get(name, ""), after.get(name, "")
        shown = passages(old, new) if before and after else [Passage("same", old or new)]
        if old or new:
            texts.append((name.replace("_", " "), shown))
    return _Example(row, tuple(texts))


def _parts(config: ConfigDiff) -> list[tuple[str, list[PartCount]]]:
    """Return the parts by column, the most changed parts first."""
    kinds = dict.fromkeys(p.by for p in config.parts)
    ordered = sorted(config.parts, key=lambda p: (-p.added - p.removed, p.part))
    return [(by, [p for p in ordered if p.by == by]) for by in kinds]
