"""Features of units that predict validity, from their items, templates and fills."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa

from nextset.array_types import Floats

__all__ = ["FeatureRow", "UnitFeatures", "WordClasses", "unit_features"]

WordClasses = Callable[[str, str], Sequence[str]]
"""A function from a language and a word to the word's classes, such as ADJ or NOUN; empty if unknown."""

_NUMBERS = ("relative_fluency", "fluency", "fill_rank", "missed", "disagreement")
_CONSTRAINT = re.compile(r"\{\{MASK:([^}]*)\}\}")


@dataclass(frozen=True, slots=True, kw_only=True)
class FeatureRow:
    """A feature of units that the verdict model reads."""

    feature: str
    """The feature's name: a column of the units, or a value made from one."""
    known: int
    """The number of units with a known value; the others count as average."""
    units: int
    columns: int
    """The number of columns that the model reads for it: 0 if unknown for all units, or the same for all."""


@dataclass(frozen=True)
class UnitFeatures:
    """The features of some units, without any verdict."""

    values: Floats
    """The values, shape (units, columns): numbers with mean 0 and variance 1, levels as 0 or 1."""
    rows: tuple[FeatureRow, ...]
    """The features that the columns come from."""


def unit_features(units: pa.Table, word_classes: WordClasses) -> UnitFeatures:
    """Return the features of a table of units; a column that the table lacks is an unknown feature.

    Numbers are scaled to mean 0 and variance 1; an unknown number is replaced by the mean and marked in a
    separate column. Each level (of template, stereotype, mask constraint, class and marks of the fills) has a
    column if at least two units have it, but not all. Verdicts are not used: the regularised classifier
    learns how valid a template's units are from the units that it is fitted to.
    """
    made: list[Floats] = []
    rows: list[FeatureRow] = []

    def add(feature: str, known: int, values: Floats) -> None:
        made.append(values)
        rows.append(FeatureRow(feature=feature, known=known, units=units.num_rows, columns=values.shape[1]))

    for name in _NUMBERS:
        numbers = np.array([math.nan if v is None else v for v in _column(units, name)], np.float64)
        known = int((~np.isnan(numbers)).sum())
        add(name, known, _standardised(np.log(numbers) if name == "fill_rank" else numbers))
    for name, levels in _levels(units, word_classes).items():
        add(name, sum(map(bool, levels)), _indicators(levels))
    return UnitFeatures(np.hstack([np.empty((units.num_rows, 0)), *made]), tuple(rows))


def _column(units: pa.Table, name: str) -> list[Any]:
    return list(units[name].to_pylist()) if name in units.column_names else [None] * units.num_rows


def _standardised(found: Floats) -> Floats:
    """Return one column, plus one that marks missing values if any; no column if nothing varies."""
    missing = np.isnan(found)
    values = found[~missing]
    columns = []
    if values.size and values.std() > 1e-12:
        columns.append(np.where(missing, 0.0, (found - values.mean()) / values.std()))
    if 0 < values.size < found.size:
        columns.append(missing.astype(np.float64))
    return np.stack(columns, axis=1) if columns else np.empty((found.size, 0))


def _levels(units: pa.Table, word_classes: WordClasses) -> dict[str, list[tuple[str, ...]]]:
    """Return the levels of each unit, by feature; empty for units whose levels are unknown."""
    templates = _column(units, "template")
    fills = [tuple(words or ()) for words in _column(units, "fills")]
    languages = _column(units, "language")
    return {
        "stereotype": [(s,) if s else () for s in _column(units, "stereotype")],
        "template": [(t,) if t else () for t in templates],
        "mask_constraint": [tuple(sorted(set(_CONSTRAINT.findall(t or "")))) for t in templates],
        "fill_class": [
            tuple(sorted({c for word in words for c in word_classes(language, word)}))
            for language, words in zip(languages, fills, strict=True)
        ],
        "fill_marks": [tuple(marks or ()) for marks in _column(units, "fill_marks")],
    }


def _indicators(levels: Iterable[tuple[str, ...]]) -> Floats:
    """Return one column per level that at least two units have, but not all; levels in alphabetical order."""
    by_unit = list(levels)
    counts = Counter(level for unit_levels in by_unit for level in set(unit_levels))
    places = {
        level: i for i, level in enumerate(sorted(k for k, n in counts.items() if 2 <= n < len(by_unit)))
    }
    values = np.zeros((len(by_unit), len(places)))
    for row, unit_levels in enumerate(by_unit):
        for level in unit_levels:
            if level in places:
                values[row, places[level]] = 1
    return values
