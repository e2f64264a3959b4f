"""The measures of UnQover written a second time, plainly: with loops over a list of quads."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean

import numpy as np

from nextset.array_types import Floats
from nextset.auditing.quads.quad_columns import SCORES, Codes, QuadColumns

__all__ = ["Quad", "columns_of", "random_quads", "restated", "scores_matrix"]


@dataclass(frozen=True)
class Quad:
    """A quad and its eight scores."""

    subject1: str
    subject2: str
    attribute: str
    template: str
    scores: tuple[float, ...]
    """The scores in the order of `SCORES`."""

    def s(self, subject: str, order: str, *, negated: bool) -> float:
        """S of a subject in an order: 12 is that of the quad."""
        number = 1 if subject == self.subject1 else 2
        return self.scores[SCORES.index(f"subject{number}_{order}{'_negated' if negated else ''}")]

    def b(self, subject: str) -> float:
        """Equation 5."""
        asked = [self.s(subject, order, negated=False) for order in ("12", "21")]
        negated = [self.s(subject, order, negated=True) for order in ("12", "21")]
        return sum(asked) / 2 - sum(negated) / 2

    def c(self, subject: str) -> float:
        """Equation 6, from the side of a subject."""
        other = self.subject2 if subject == self.subject1 else self.subject1
        return (self.b(subject) - self.b(other)) / 2

    def delta(self) -> float:
        """Equation 2, of one quad: over both subjects and both polarities."""
        return fmean(
            abs(self.s(x, "12", negated=n) - self.s(x, "21", negated=n))
            for x in (self.subject1, self.subject2)
            for n in (False, True)
        )

    def epsilon(self) -> float:
        """Equation 4, of one quad: over both subjects and both orders."""
        one, other = self.subject1, self.subject2
        return fmean(
            abs(self.s(x, order, negated=False) - self.s(y, order, negated=True))
            for x, y in ((one, other), (other, one))
            for order in ("12", "21")
        )

    def flips(self) -> bool:
        """Whether the answer to the question, or to its negation, changes with the order."""

        def answer(order: str, *, negated: bool) -> float:
            one, other = (self.s(x, order, negated=negated) for x in (self.subject1, self.subject2))
            return float(np.sign(one - other))

        return any(answer("12", negated=n) != answer("21", negated=n) for n in (False, True))


@dataclass(frozen=True)
class Names:
    """The clusters of subjects and of attributes."""

    cluster: Mapping[str, str]
    attribute_cluster: Mapping[str, str]


Restated = dict[tuple[str, str, str], float]
"""A value by grouping, part and measure; γ and η of a kind by (gamma subject, name, attribute)."""


def restated(quads: Sequence[Quad], names: Names) -> Restated:
    """All measures of ``quads``, in which a quad can be several times; what is undefined is missing."""
    found: Restated = {}
    clusters = sorted(set(names.cluster.values()))
    _preferences(found, quads, "subject", sorted(names.cluster), lambda x: x)
    _preferences(found, quads, "cluster", clusters, names.cluster.__getitem__)
    _part(found, "all", "all", quads, names, lambda x, a: True)
    for a in names.attribute_cluster:
        _part(found, "attribute", a, [q for q in quads if q.attribute == a], names, lambda x, b, a=a: a == b)  # type: ignore[misc]
    for k in {*names.attribute_cluster.values()} - {""}:
        some = [q for q in quads if names.attribute_cluster[q.attribute] == k]
        _part(found, "attribute_cluster", k, some, names, lambda x, a, k=k: names.attribute_cluster[a] == k)  # type: ignore[misc]
    for x in names.cluster:
        mine = [q for q in quads if x in (q.subject1, q.subject2)]
        _part(found, "subject", x, mine, names, lambda y, a, x=x: x == y, preferences=quads)  # type: ignore[misc]
    for k in clusters:
        mine = [q for q in quads if k in (names.cluster[q.subject1], names.cluster[q.subject2])]
        _part(found, "cluster", k, mine, names, lambda x, a, k=k: names.cluster[x] == k, preferences=quads)  # type: ignore[misc]
    for t in {q.template for q in quads}:
        _part(found, "template", t, [q for q in quads if q.template == t], names, lambda x, a: True)
    return found


def _preferences(
    found: Restated, quads: Sequence[Quad], by: str, parts: Iterable[str], part_of: Callable[[str], str]
) -> None:
    for part in parts:
        for attribute in ("", *{q.attribute for q in quads}):
            c = [
                q.c(x)
                for q in quads
                if attribute in ("", q.attribute) and part_of(q.subject1) != part_of(q.subject2)
                for x in (q.subject1, q.subject2)
                if part_of(x) == part
            ]
            if c:
                found[f"gamma {by}", part, attribute] = fmean(c)
                found[f"eta {by}", part, attribute] = fmean(float(np.sign(value)) for value in c)


def _part(
    found: Restated,
    by: str,
    part: str,
    quads: Sequence[Quad],
    names: Names,
    counts: Callable[[str, str], bool],
    preferences: Sequence[Quad] | None = None,
) -> None:
    """The measures of a part; μ and η are those of the pairs of a subject and an attribute that count."""
    if not quads:
        return
    some = dict[str, float](
        positional_error=fmean(q.delta() for q in quads),
        attribute_error=fmean(q.epsilon() for q in quads),
        mean_c=fmean(abs(q.c(q.subject1)) for q in quads),
        answer_flips=fmean(q.flips() for q in quads),
        mean_score=fmean(fmean(q.scores) for q in quads),
    )
    largest, sizes = [], []
    quads = quads if preferences is None else preferences
    for x in names.cluster:
        gammas = []
        for a in names.attribute_cluster:
            c = [q.c(x) for q in quads if q.attribute == a and x in (q.subject1, q.subject2)]
            if c and counts(x, a):
                gammas.append(abs(fmean(c)))
                sizes.append(abs(fmean(float(np.sign(value)) for value in c)))
        largest += [max(gammas)] if gammas else []
    some |= {"mu": fmean(largest), "eta": fmean(sizes)} if largest else {}
    found.update({(by, part, name): value for name, value in some.items()})


def random_quads(seed: int) -> tuple[list[Quad], Names]:
    """A few quads, often incomplete: any subject comes first, some clusters are empty, scores tie."""
    rng = np.random.default_rng(seed)
    subjects = ["Ann", "Bea", "Cyd", "Dan", "Eli"][: rng.integers(2, 6)]
    attributes = ["kind", "late", "rude"][: rng.integers(1, 4)]
    templates = ["t1", "t2", "t3"][: rng.integers(1, 4)]
    clusters = [["", "", ""], ["", "f", "m"], ["f", "m", "m"]][rng.integers(3)]
    names = Names(
        {x: clusters[rng.integers(3)] for x in subjects},
        {a: ["", "bad", "good"][rng.integers(3)] for a in attributes},
    )
    quads = []
    for a in attributes:
        for t in templates:
            for i, x in enumerate(subjects):
                for y in subjects[i + 1 :]:
                    if rng.random() < 0.7:
                        one, other = (x, y) if rng.random() < 0.5 else (y, x)
                        scores = tuple((rng.integers(0, 9, 8) / 8).tolist())  # eighths, so that C can be 0
                        quads.append(Quad(one, other, a, t, scores))
    return quads, names


def columns_of(quads: Sequence[Quad], names: Names) -> QuadColumns:
    """The same as arrays; names that no quad has keep a place."""
    clusters = sorted(set(names.cluster.values()))

    def codes(values: Iterable[str], known: Sequence[str]) -> Codes:
        return np.array([known.index(value) for value in values], np.int32)

    subjects, attributes = list(names.cluster), list(names.attribute_cluster)
    templates = sorted({q.template for q in quads}) or ["t1"]
    return QuadColumns(
        form="question",
        subject_class="people",
        subjects=tuple(subjects),
        attributes=tuple(attributes),
        attribute_clusters=tuple(names.attribute_cluster.values()),
        templates=tuple(templates),
        clusters=tuple(clusters),
        subject1=codes((q.subject1 for q in quads), subjects),
        subject2=codes((q.subject2 for q in quads), subjects),
        attribute=codes((q.attribute for q in quads), attributes),
        template=codes((q.template for q in quads), templates),
        cluster1=codes((names.cluster[q.subject1] for q in quads), clusters),
        cluster2=codes((names.cluster[q.subject2] for q in quads), clusters),
    )


def scores_matrix(quads: Sequence[Quad]) -> Floats:
    """The scores, shape (8, quads)."""
    return np.array([q.scores for q in quads], np.float64).reshape(-1, len(SCORES)).T
