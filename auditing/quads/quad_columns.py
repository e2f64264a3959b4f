"""Quads of one class as arrays: subjects, attributes and templates as codes, and the scores of a model."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property

import numpy as np
import numpy.typing as npt

from nextset.array_types import Bools, Floats, Ints
from nextset.forms import FormName
from nextset.records.prompt_outcomes import OUTCOMES
from nextset.scoring.subjects.quad_bias import SCORES

__all__ = ["SCORES", "Codes", "Lengths", "QuadColumns", "QuadModel", "QuadSet", "compact_codes"]

Codes = npt.NDArray[np.int32]


def compact_codes(codes: Ints, size: int) -> tuple[Ints, int]:
    """Return ``codes``, which are below ``size``, numbered anew without gaps in their order, and the number
    of different codes."""
    there = np.zeros(size, np.bool_)
    there[codes] = True
    return (np.cumsum(there) - 1)[codes], int(there.sum())


@dataclass(frozen=True)
class QuadColumns:
    """The quads of one class, without scores."""

    form: FormName
    subject_class: str
    """Their class, such as gender."""
    subjects: tuple[str, ...]
    """The names of the subjects, each once."""
    attributes: tuple[str, ...]
    """The names of the attributes."""
    attribute_clusters: tuple[str, ...]
    """The cluster of each attribute; may be empty."""
    templates: tuple[str, ...]
    """The names of the templates."""
    clusters: tuple[str, ...]
    """The names of the subjects' clusters; the empty name stands for none."""
    subject1: Codes
    """The first subject of each quad, as its place in ``subjects``, shape (quads,)."""
    subject2: Codes
    """The second subject."""
    attribute: Codes
    template: Codes
    cluster1: Codes
    """The cluster of the first subject."""
    cluster2: Codes
    """The cluster of the second subject."""
    pairs_of_class: tuple[Ints, int] | None = None
    """The pairs of the quads among all pairs of the class, if some quads were not answered: models that
    answered different quads then have the same draws. None for the pairs of these quads alone."""

    @property
    def rows(self) -> int:
        """The number of quads."""
        return len(self.subject1)

    @cached_property
    def pairs(self) -> tuple[Ints, int]:
        """The pair of subjects of each quad, regardless of their order, shape (quads,), and the number of
        pairs."""
        if self.pairs_of_class is not None:
            return self.pairs_of_class
        one, other = self.subject1.astype(np.int64), self.subject2.astype(np.int64)
        n = len(self.subjects)
        return compact_codes(np.minimum(one, other) * n + np.maximum(one, other), n**2)

    @cached_property
    def complete(self) -> bool:
        """True if all templates and attributes have all pairs of the subjects: each with each, or each with
        all of other groups. No other partners are left then."""
        pairs, n_pairs = self.pairs
        templates, n_templates = compact_codes(self.template.astype(np.int64), len(self.templates))
        attributes, n_attributes = compact_codes(self.attribute.astype(np.int64), len(self.attributes))
        cells = (templates * n_pairs + pairs) * n_attributes + attributes
        if np.unique(cells).size < n_templates * n_pairs * n_attributes:
            return False
        partners: dict[int, set[int]] = {}
        for one, other in zip(self.subject1.tolist(), self.subject2.tolist(), strict=True):
            partners.setdefault(one, set()).add(other)
            partners.setdefault(other, set()).add(one)
        # subjects with the same partners are one group, and all other subjects are their partners
        groups = Counter(frozenset(names) for names in partners.values())
        return all(len(names) + count == len(partners) for names, count in groups.items())

    @cached_property
    def attributes_of_clusters(self) -> dict[str, Ints]:
        """The places of the attributes in each cluster of attributes, by its name."""
        places: dict[str, list[int]] = {}
        for i, name in enumerate(self.attribute_clusters):
            places.setdefault(name, []).append(i)
        return {name: np.array(places[name]) for name in sorted(places) if name}

    @cached_property
    def subjects_of_clusters(self) -> tuple[Ints, ...]:
        """The places of the subjects that belong to each of ``clusters``."""
        membership = np.zeros((len(self.clusters), len(self.subjects)), np.bool_)
        membership[self.cluster1, self.subject1] = True
        membership[self.cluster2, self.subject2] = True
        return tuple(np.flatnonzero(row) for row in membership)

    def where(self, rows: Bools | npt.NDArray[np.int64]) -> QuadColumns:
        """Return the quads where ``rows``, shape (quads,), is true, or those at the places ``rows``.

        Names keep their places.
        """
        names = ("subject1", "subject2", "attribute", "template", "cluster1", "cluster2")
        return replace(self, **{name: getattr(self, name)[rows] for name in names}, pairs_of_class=None)

    def answered(self, rows: Bools) -> QuadColumns:
        """Return the quads where ``rows`` is true, to be drawn together with the others."""
        codes, n = self.pairs
        return replace(self.where(rows), pairs_of_class=(codes[rows], n))

    def alone(self, rows: Bools) -> QuadColumns:
        """Return the quads where ``rows`` is true as a separate class, with only their templates."""
        chosen = self.where(rows)
        there, codes = np.unique(chosen.template, return_inverse=True)
        names = tuple(self.templates[i] for i in there)
        return replace(chosen, templates=names, template=codes.astype(np.int32))


@dataclass(frozen=True, order=True)
class QuadModel:
    """A model that was asked about quads."""

    role: str
    """filter, held_out or audit."""
    model: str
    """Its published name."""
    revision: str
    """Digest of its weights; for published predictions, of the file."""


@dataclass(frozen=True)
class Lengths:
    """The token lengths of the two subjects of each quad in a model's tokenizer."""

    equal_length: Bools
    """True if both have the same number of tokens, shape (quads,)."""
    single_token: Bools
    """True if both have one token, shape (quads,)."""


@dataclass(frozen=True)
class QuadSet:
    """The quads of one class that are measured as one set, and the scores of models."""

    name: str
    """The set's name in the tables: generated, released or dataset."""
    columns: QuadColumns
    """The quads."""
    scores: Mapping[QuadModel, Callable[[], Floats]]
    """For each model, a function that returns its scores, shape (`SCORES`, quads), in the quads' order."""
    lengths: Mapping[QuadModel, Lengths | None]
    """For each model, the token lengths of the subjects; None if they are unknown."""
    outcomes: Mapping[QuadModel, Callable[[], Floats]] = field(default_factory=dict)
    """For each model whose rates of prompts without a choice are shown, a function that returns the shares of
    `nextset.records.prompt_outcomes.OUTCOMES`, shape (outcomes, quads)."""

    def answered(self, model: QuadModel) -> Bools | None:
        """Return which quads ``model`` answered, shape (quads,); None if it answered all.

        A quad is answered if all prompts of its four questions were. An abstention from a question is an
        answer: that the context does not say.
        """
        if model not in self.outcomes:
            return None
        others = [name != "abstained" for name in OUTCOMES]
        missing = np.asarray(self.outcomes[model]()[others].any(axis=0))
        return ~missing if missing.any() else None
