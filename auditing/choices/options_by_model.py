"""The options that each model chose, aligned with the rows of choice items."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from nextset.array_types import Bools, Floats, Ints
from nextset.auditing.choices.choice_arrays import ChoiceColumns
from nextset.auditing.nli.labels_by_model import ROLES
from nextset.errors import ArtifactError, MissingStage, examples
from nextset.records.choice_items import OPTION_SCORES
from nextset.records.prompt_outcomes import OUTCOMES, shows_outcomes
from nextset.scoring.chosen_options import NO_OPTION, Places, chosen_options
from nextset.scoring.outcome_shares import outcome_matrix

__all__ = ["SCORE_COLUMNS", "ChoiceAnswers", "choice_answers"]

SCORE_COLUMNS = ("item_id", "model", "revision", "role", *OPTION_SCORES, *OUTCOMES, "votes")
"""The columns of `ChoiceScore` that are measured."""


@dataclass(frozen=True)
class ChoiceAnswers:
    """The answers of one model."""

    model: str
    """The model's published name."""
    role: str
    """filter, held_out or audit: the first of these roles that the model was asked in."""
    revision: str
    """Digest of the model's weights."""
    chosen: Places
    """The place of the chosen option of each item, or −1 (`NO_OPTION`) without an answer, shape (items,)."""
    outcomes: Floats | None
    """The shares of prompts with each of `OUTCOMES`, shape (items, outcomes); None if they are all 0."""
    shows_outcomes: bool
    """True if tables have the model's rates of prompts without a choice."""

    @property
    def unanswered(self) -> Bools:
        """True for the items that the model did not answer."""
        missing: Bools = self.chosen == NO_OPTION
        return missing


@dataclass
class _Asked:
    """The answers of a model to the distinct ids, filled piece by piece."""

    chosen: Places
    there: Bools
    outcomes: Floats | None = None
    revisions: set[str] = field(default_factory=set)
    roles: set[str] = field(default_factory=set)
    shows: bool = False

    def add(self, places: Ints, scores: pa.Table) -> None:
        """Add ``scores`` at ``places`` that have none; of two rows for one place, the first counts."""
        unique, first = np.unique(places, return_index=True)
        new = ~self.there[unique]
        at, rows = unique[new], first[new]
        self.chosen[at] = chosen_options(scores)[rows]
        self.there[at] = True
        self.revisions.update(pc.unique(scores["revision"]).to_pylist())
        self.roles.update(pc.unique(scores["role"]).to_pylist())
        self.shows = self.shows or shows_outcomes(scores)
        matrix = outcome_matrix(scores)[rows]
        if matrix.any():
            if self.outcomes is None:
                self.outcomes = np.zeros((self.there.size, len(OUTCOMES)))
            self.outcomes[at] = matrix


def choice_answers(columns: ChoiceColumns, scores: Iterable[pa.Table]) -> list[ChoiceAnswers]:
    """Return the answers of every model in ``scores``, by role and name; scores of other items are ignored.

    ``scores`` are tables with `SCORE_COLUMNS`. Raises MissingStage if a model lacks an item's score,
    ArtifactError if two revisions of a model are mixed, if a role is not known, if a model chooses an option
    that an item does not have, or if a probability is not a number.
    """
    encoded = columns.ids.dictionary_encode()
    ids, codes = encoded.dictionary, np.asarray(encoded.indices, np.int64)
    asked: dict[str, _Asked] = {}
    for piece in scores:
        row_places = pc.index_in(pc.cast(piece["item_id"], pa.string()), value_set=ids)
        known = piece.filter(pc.is_valid(row_places))
        places = np.asarray(pc.drop_null(row_places), np.int64)
        named = pc.cast(known["model"], pa.string()).combine_chunks().dictionary_encode()
        models = np.asarray(named.indices, np.int64)
        for i, name in enumerate(named.dictionary.to_pylist()):
            state = asked.setdefault(
                name, _Asked(np.full(len(ids), NO_OPTION, np.int8), np.zeros(len(ids), np.bool_))
            )
            own = np.flatnonzero(models == i)
            state.add(places[own], known.take(pa.array(own)) if len(named.dictionary) > 1 else known)
    answers = [_answers(name, state, columns, codes) for name, state in asked.items()]
    return sorted(answers, key=lambda a: (ROLES.index(a.role), a.model))


def _answers(model: str, state: _Asked, columns: ChoiceColumns, codes: Ints) -> ChoiceAnswers:
    if len(state.revisions) > 1:
        raise ArtifactError(
            f"scores of two revisions of {model} are mixed: {examples(sorted(state.revisions))}",
            remedy="score again with one revision",
        )
    other = sorted(state.roles - set(ROLES))
    if other:
        raise ArtifactError(
            f"the scores of {model} have the role {other[0]!r:.60}", remedy=f"use one of {', '.join(ROLES)}"
        )
    missing = np.flatnonzero(~state.there[codes])
    if missing.size:
        raise MissingStage(
            f"{model} has no score for {missing.size:,} of {codes.size:,} items, such as "
            f"{columns.ids[int(missing[0])].as_py()}",
            remedy="run `nextset audit STUDY` again to score them",
        )
    chosen = state.chosen[codes]
    there = columns.people[np.arange(codes.size), chosen] | (chosen == columns.unknown)
    wrong = np.flatnonzero(~there & (chosen != NO_OPTION))
    if wrong.size:
        raise ArtifactError(
            f"the score of item {columns.ids[int(wrong[0])].as_py()} by {model} chooses an option that the "
            "item does not have",
            remedy="score the items again",
        )
    return ChoiceAnswers(
        model,
        min(state.roles, key=ROLES.index),
        min(state.revisions),
        chosen,
        None if state.outcomes is None else state.outcomes[codes],
        state.shows,
    )
