"""The rows of a main config in two versions, and examples of changed rows."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from nextset.release.versions.diff_records import RowChange, Transition
from nextset.release.versions.version_tables import (
    PLACES,
    Codes,
    Ids,
    Rows,
    VersionTable,
    Vocabulary,
    hex_ids,
)

__all__ = ["EXAMPLES", "ConfigPair", "Places", "row_examples", "transitions"]

Places = npt.NDArray[np.intp]
EXAMPLES = 100
"""The most rows per kind of change that are kept with their texts."""


@dataclass(frozen=True, slots=True)
class ConfigPair:
    """The rows of a config in the old and the new version."""

    old: VersionTable
    """The config in the old version."""
    new: VersionTable
    """The config in the new version."""
    before: Rows
    """Ids and codes of the old rows."""
    after: Rows
    """Ids and codes of the new rows."""
    vocabularies: dict[str, Vocabulary]
    """The values of the codes, for both versions."""
    texts: tuple[str, ...]
    """The columns that hold texts."""
    part: str
    """The column that is shown with examples, such as stereotype."""

    def both_have(self, column: str) -> bool:
        """Return whether both versions have ``column``."""
        return column in self.old.schema.names and column in self.new.schema.names

    def changed(self, column: str, before: Places, after: Places) -> npt.NDArray[np.bool_]:
        """Return for each pair of rows whether ``column`` (or stance, or one of `PLACES`) differs.

        A column that one version lacks does not differ, and the folder does not differ if one version has no
        folders. A stance is the judged one, or the designed one if none was judged. If the verdict changed
        too, a stance that was judged in only one version does not differ.
        """
        if column not in ("stance", *PLACES) and not self.both_have(column):
            return np.zeros(len(before), np.bool_)
        differs: npt.NDArray[np.bool_] = (
            self.codes(self.before, column)[before] != self.codes(self.after, column)[after]
        )
        if column == "folder":
            both = (self.before.codes[column][before] > 0) & (self.after.codes[column][after] > 0)
            return differs & both
        return differs & ~self._by_verdict(before, after) if column == "stance" else differs

    def _by_verdict(self, before: Places, after: Places) -> npt.NDArray[np.bool_]:
        """Return for each pair whether only one version has a judged stance because the verdict changed."""
        a, b = self.before.codes, self.after.codes
        judged = (a["stance_judged"][before] == 0) != (b["stance_judged"][after] == 0)
        designed = a["stance_design"][before] == b["stance_design"][after]
        differs: npt.NDArray[np.bool_] = judged & designed & self.changed("verdict", before, after)
        return differs

    def codes(self, rows: Rows, column: str) -> Codes:
        """Return the codes of ``column`` in ``rows``. For stance, they are codes of stance_design."""
        if column != "stance":
            return rows.codes[column]
        judged = self.vocabularies["stance_judged"].names
        design = self.vocabularies["stance_design"]
        translated = np.array([0, *(design.code(name) for name in judged[1:])], np.int32)
        stance_codes: Codes = np.where(
            rows.codes["stance_judged"] == 0,
            rows.codes["stance_design"],
            translated[rows.codes["stance_judged"]],
        )
        return stance_codes

    def names(self, column: str) -> list[str]:
        """Return the values of the codes of ``column``."""
        return self.vocabularies["stance_design" if column == "stance" else column].names


def transitions(pair: ConfigPair, column: str, before: Places, after: Places) -> tuple[Transition, ...]:
    """Return the number of rows for each change of ``column``'s value, the most frequent first."""
    differs = pair.changed(column, before, after)
    names = pair.names(column)
    old = pair.codes(pair.before, column)[before[differs]].astype(np.int64)
    new = pair.codes(pair.after, column)[after[differs]]
    codes, rows = np.unique(old * len(names) + new, return_counts=True)
    changes = [
        Transition(column=column, before=names[c // len(names)], after=names[c % len(names)], rows=n)
        for c, n in zip(codes.tolist(), rows.tolist(), strict=True)
    ]
    return tuple(sorted(changes, key=lambda t: (-t.rows, t.before, t.after)))


def row_examples(
    pair: ConfigPair,
    before: Places | None,
    after: Places | None,
    columns: Sequence[str] = (),
) -> tuple[RowChange, ...]:
    """Return the first `EXAMPLES` rows by id; ``before`` is None for added rows, ``after`` for removed rows.

    ``columns`` are those whose changed values are shown in addition to the texts.
    """
    shown = after if after is not None else before
    assert shown is not None
    ids = (pair.after if after is not None else pair.before).ids[shown]
    first = np.argsort(ids, kind="stable")[:EXAMPLES]
    old = None if before is None else before[first]
    new = None if after is None else after[first]
    texts = [_texts(pair.old, old, pair.texts), _texts(pair.new, new, pair.texts)]
    rows, places = (pair.after, new) if new is not None else (pair.before, old)
    assert places is not None
    parts = [pair.names(pair.part)[c] for c in rows.codes[pair.part][places]]
    old_ids = hex_ids(_ids(pair.before, old, len(first)))
    values = [_values(pair, pair.before, old, columns), _values(pair, pair.after, new, columns)]
    own = hex_ids(ids[first])
    return tuple(
        RowChange(
            id=id_,
            old_id=old_ids[i] if old is not None and new is not None and old_ids[i] != id_ else None,
            part=parts[i],
            before=values[0][i] if old is not None else "",
            after=values[1][i] if new is not None else "",
            texts_before=texts[0][i] if old is not None else (),
            texts_after=texts[1][i] if new is not None else (),
        )
        for i, id_ in enumerate(own)
    )


def _ids(rows: Rows, places: Places | None, n: int) -> Ids:
    return np.zeros(n, "S16") if places is None else rows.ids[places]


def _texts(
    table: VersionTable, places: Places | None, columns: tuple[str, ...]
) -> list[tuple[tuple[str, str], ...]]:
    if places is None:
        return []
    ordered = np.unique(places)
    rows = table.rows(columns, ordered).to_pylist()
    return [
        tuple((name, rows[at][name] or "") for name in columns) for at in np.searchsorted(ordered, places)
    ]


def _values(pair: ConfigPair, rows: Rows, places: Places | None, columns: Sequence[str]) -> list[str]:
    if places is None or not columns:
        return [""] * (0 if places is None else len(places))
    named = [[pair.names(c)[code] or "none" for code in pair.codes(rows, c)[places]] for c in columns]
    if "stance" in columns:
        at = columns.index("stance")
        stances, design = named[at], pair.names("stance_design")
        designed = [design[code] or "none" for code in rows.codes["stance_design"][places]]
        named[at] = [s if s == d else f"{s} ({d} by design)" for s, d in zip(stances, designed, strict=True)]
    return [", ".join(words) for words in zip(*named, strict=True)]
