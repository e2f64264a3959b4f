"""Two entries of a prediction file, one for each order of the subjects, become one quad."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from nextset.array_types import Floats
from nextset.auditing.predictions.prediction_columns import Names, PredictionColumns, WrongEntry
from nextset.auditing.predictions.prediction_entries import shown_key
from nextset.auditing.quads.quad_columns import Codes, QuadColumns
from nextset.counted import counted
from nextset.forms import FormName

__all__ = ["Predictions", "paired_orders"]

_OF_12 = (0, 1)
"""The place of each subject's score in an entry that names the first subject first."""
_OF_21 = (1, 0)
"""The place of each subject's score in an entry that names the second subject first."""


@dataclass(frozen=True, slots=True, eq=False)
class Predictions:
    """The predictions of one model for quads of one class."""

    columns: QuadColumns
    """The quads, sorted by subjects, template and attribute."""
    scores: Floats
    """The scores, shape (8, quads): one row for each of `nextset.auditing.quads.quad_columns.SCORES`."""


@dataclass(frozen=True, slots=True)
class _Sorted:
    """Names in alphabetical order, ignoring case."""

    names: tuple[str, ...]
    places: Codes
    """The place of each code."""


def paired_orders(read: PredictionColumns, form: FormName) -> Predictions:
    """Return one quad for every two entries that differ only in the order of their subjects.

    As in the published analysis, names are compared in lower case, and the subject that comes first in
    alphabetical order is the first one. Rows are sorted by subjects, template and attribute, so the order of
    the file makes no difference. Raises WrongEntry if an entry is repeated or has no counterpart, or if a
    subject has several clusters.
    """
    subjects, templates, questions = _sorted(read.subjects), _sorted(read.templates), _sorted(read.asked)
    clusters, attributes = _sorted(read.clusters), _sorted(read.attributes)
    first, second = (subjects.places[_codes(c)] for c in (read.first, read.second))
    swapped = first > second
    quad = (
        np.minimum(first, second),
        np.maximum(first, second),
        templates.places[_codes(read.template)],
        questions.places[_codes(read.question)],
    )
    rows = np.lexsort((swapped, *quad[::-1]))
    _check_orders(read, rows, quad, swapped)
    in_12, in_21 = rows[0::2], rows[1::2]
    cluster1, cluster2 = (clusters.places[_codes(c)] for c in (read.cluster1, read.cluster2))
    _check_clusters(read, subjects.names, (first, second), (cluster1, cluster2))
    four = np.frombuffer(read.scores, np.float64).reshape(-1, 4)
    scores = np.empty((8, len(in_12)))
    for negated in (0, 1):
        for subject in (0, 1):
            scores[4 * negated + subject] = four[in_12, 2 * negated + _OF_12[subject]]
            scores[4 * negated + 2 + subject] = four[in_21, 2 * negated + _OF_21[subject]]
    columns = QuadColumns(
        form=form,
        subject_class="",
        subjects=subjects.names,
        attributes=attributes.names,
        attribute_clusters=_attribute_clusters(read, attributes),
        templates=templates.names,
        clusters=clusters.names,
        subject1=quad[0][in_12],
        subject2=quad[1][in_12],
        attribute=attributes.places[np.array(read.attribute_of, np.int32)[_codes(read.question)[in_12]]],
        template=quad[2][in_12],
        cluster1=cluster1[in_12],
        cluster2=cluster2[in_12],
    )
    return Predictions(columns, scores)


def _codes(column: Sequence[int]) -> Codes:
    return np.frombuffer(column, np.int32)  # type: ignore[call-overload,no-any-return]  # array is a buffer


def _sorted(names: Names) -> _Sorted:
    lower = [name.lower() for name in names.spelled]
    order = sorted(range(len(names)), key=lower.__getitem__)
    places = np.empty(len(names), np.int32)
    places[order] = np.arange(len(names), dtype=np.int32)
    return _Sorted(tuple(names.spelled[code] for code in order), places)


def _attribute_clusters(read: PredictionColumns, attributes: _Sorted) -> tuple[str, ...]:
    """Return the cluster of each attribute; if it has several, they are joined."""
    joined = [""] * len(attributes.names)
    for code, clusters in enumerate(read.clusters_of):
        names = sorted((read.attribute_clusters.spelled[c] for c in clusters), key=str.lower)
        joined[attributes.places[code]] = ", ".join(names)
    return tuple(joined)


def _check_clusters(
    read: PredictionColumns,
    names: Sequence[str],
    subjects: tuple[Codes, Codes],
    clusters: tuple[Codes, Codes],
) -> None:
    """Raise WrongEntry for a subject with more than one cluster."""
    known = np.full(len(names), -1, np.int32)
    rows = np.zeros(len(names), np.intp)
    for subject, cluster in zip(subjects, clusters, strict=True):
        codes, first = np.unique(subject, return_index=True)
        new = known[codes] < 0
        known[codes[new]], rows[codes[new]] = cluster[first[new]], first[new]
        differ = np.flatnonzero(known[subject] != cluster)
        if differ.size:
            row = int(differ[0])
            shown = f"{_key(read, int(rows[subject[row]]))} and {_key(read, row)}"
            raise WrongEntry(f"the subject {names[subject[row]]!r} is in more than one cluster: {shown}")


def _check_orders(
    read: PredictionColumns,
    rows: npt.NDArray[np.intp],
    quad: tuple[Codes, ...],
    swapped: npt.NDArray[np.bool_],
) -> None:
    """Raise WrongEntry unless ``rows``, sorted by ``quad``, are pairs of one order and the other."""
    same = np.ones(max(len(rows) - 1, 0), np.bool_)
    for column in quad:
        inside = column[rows]
        same &= inside[1:] == inside[:-1]
    turned = swapped[rows]
    repeated = np.flatnonzero(same & (turned[1:] == turned[:-1]))
    if repeated.size:
        raise WrongEntry(
            f"{counted(repeated.size, 'keys are', 'key is')} repeated (case is ignored), such as "
            f"{_key(read, int(rows[repeated[0] + 1]))}"
        )
    single = ~np.append(same, False) & ~np.insert(same, 0, False)
    if single.any():
        raise WrongEntry(
            f"{counted(int(single.sum()), 'entries have', 'entry has')} no counterpart with the subjects in "
            f"the other order, such as {_key(read, int(rows[single.argmax()]))}"
        )


def _key(read: PredictionColumns, row: int) -> str:
    """Return the key of an entry, for errors."""
    fields = (
        read.clusters.spelled[read.cluster1[row]],
        read.clusters.spelled[read.cluster2[row]],
        read.subjects.spelled[read.first[row]],
        read.subjects.spelled[read.second[row]],
        read.templates.spelled[read.template[row]],
        read.asked.spelled[read.question[row]],
    )
    return shown_key("|".join(fields))
