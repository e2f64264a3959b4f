"""The protocol of a form's part in scoring: rows become inputs, and numbers become scores."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from nextset.forms import FORMS, FormName
from nextset.open_table import OpenTable
from nextset.records.arrow_schema import arrow_schema
from nextset.scoring.asking import Asking
from nextset.scoring.canaries.cases import Canaries, Waived
from nextset.scoring.candidate_rows import RowsToScore, generated_rows
from nextset.scoring.candidate_sources import CandidateSources
from nextset.scoring.models.sources import ModelSource
from nextset.scoring.prompts.wording import Wording
from nextset.scoring.scorer_protocol import Numbers, Scorer
from nextset.scoring.wrong_answers import Missing
from nextset.study.filter_rule_settings import Boundaries
from nextset.study.scoring_settings import ScoringSettings

__all__ = ["SCORED_FORMS", "AskedRows", "FormScorer", "ScoredBy", "ScoredForm", "forms_over"]


@dataclass(frozen=True)
class ScoredBy:
    """The model that computed a table of scores, with the settings that it was asked with."""

    model: str
    """The model's published name."""
    revision: str
    """Digest of the model's weights."""
    role: str
    """filter, held_out or audit."""
    precision: str
    """float32 or the name of a different dtype."""
    mode: str
    """canonical or fast."""


@dataclass(frozen=True)
class AskedRows:
    """The rows of a table that models are asked about."""

    rows: pa.Table
    left_out: Mapping[str, int]
    """The numbers of the other rows, by reason."""


@dataclass(frozen=True)
class FormScorer:
    """The scorer of one kind of models for one form."""

    load: Callable[[ModelSource, Asking, str | None], Scorer[Any]]
    """Loads a model on a device such as cuda:1, or on torch's default for None; raises ModelError."""
    options: Callable[[Asking], Mapping[str, Any]] = lambda asking: {}
    """Returns the settings that decide the scores, for JSON; they enter the keys of the score cache."""


class ScoredForm(ABC):
    """What scoring needs to know about a form; nextset registers its own in nextset.forms.scoring."""

    name: FormName
    """The form's name in `nextset.forms.FORMS`."""
    columns: tuple[str, ...]
    """The columns that are read from a table of rows; the first is id."""
    numbers: tuple[str, ...]
    """The names of the numbers that scorers return for an input."""
    scores: type
    """The record of the scores of a row, a dataclass of `nextset.records`."""
    per_row: int = 1
    """The number of inputs per row."""
    labels: tuple[str, ...] = ()
    """The labels whose probabilities an own scorer returns for an input, in this order: the first of
    ``numbers``. Empty if own scorers cannot be asked."""
    abstention: int | None = None
    """The place of the choice that means: the text does not say. An abstention is that choice; None if it is
    none of the choices."""
    windows: bool = False
    """True if texts that are too long are read in windows, and are never cut."""
    section: str = ""
    """The section of a file of wordings that has the form's wordings; empty if there are none."""
    wording: type[Wording] | None = None
    """The class of these wordings; None if models that write cannot be asked."""
    verb: str = "be asked about"
    """What a model of the wrong kind cannot do with the rows."""
    asked_in_canaries: FormName = ""
    """The form of the canaries; empty if it is this form."""
    held_out_boundaries: bool = True
    """True if the filter's report applies the thresholds of the rule to held-out models too."""
    scorers: Mapping[str, FormScorer] = {}
    """Scorers for this form by the name of the kind of models, in addition to those that a kind names itself
    (`nextset.scoring.kinds.kind_protocol.ModelKind`)."""

    @property
    def inputs_noun(self) -> str:
        """The name of the inputs in messages: by default, that of the rows."""
        return FORMS[self.name].noun

    @abstractmethod
    def inputs(self, rows: pa.Table) -> list[Any]:
        """Return the inputs of all rows, row by row, with `per_row` inputs for each.

        An input is a frozen dataclass of texts with a method ``texts``, such as
        `nextset.scoring.scorer_protocol.Pair`.
        """

    @abstractmethod
    def table(self, rows: pa.Table, numbers: Numbers, by: ScoredBy) -> pa.Table:
        """Return the scores of all rows from the numbers of their inputs, shape (inputs, numbers)."""

    @abstractmethod
    def near_tie(self, scores: pa.Table, boundaries: Boundaries, precision: str) -> npt.NDArray[np.bool_]:
        """Return True for rows of `table` so near a decision that their inputs must be scored one by one."""

    @abstractmethod
    def decisions(self, scores: pa.Table) -> list[Any]:
        """Return the decisions of each row of `table`; two modes are compared by them."""

    def mistakes(self, scores: pa.Table, right: pa.ChunkedArray, missing: Missing) -> npt.NDArray[np.bool_]:
        """Return True for each row of `table` with a wrong answer; a cascade needs it.

        ``right`` is the column label of the rows. A model that did not answer is wrong only if ``missing`` is
        wrong. Forms without right answers have no mistakes.
        """
        raise NotImplementedError

    def answered(self, scores: pa.Table) -> npt.NDArray[np.bool_]:
        """Return True for each row of `table` that the model answered; a cascade needs it."""
        raise NotImplementedError

    def asked(self, rows: pa.Table) -> AskedRows:
        """Return the rows that models are asked about: by default, all."""
        return AskedRows(rows, {})

    def empty(self) -> pa.Table:
        """Return a table of scores without rows."""
        return arrow_schema(self.scores).empty_table()

    def candidates(self, sources: CandidateSources, scoring: ScoringSettings) -> RowsToScore:
        """Return the rows that filter models score: by default, the form's table of the stage generate.

        Raises StudyError if there are no rows, and if ``scoring`` does not fit their language.
        """
        return generated_rows(
            sources, FORMS[self.name], lambda languages: self.check_languages(languages, scoring)
        )

    def check_languages(self, languages: Iterable[str], scoring: ScoringSettings) -> None:
        """Raise StudyError if a setting does not fit ``languages``, the tags of the rows' languages."""
        return

    def canaries(self, source: ModelSource, asking: Asking) -> Canaries | Waived:
        """Return the canaries for a model; by default, none are asked. Raises ModelError."""
        return Waived("there are no canaries for this form")


SCORED_FORMS: OpenTable[ScoredForm] = OpenTable("nextset.forms.scoring", "form that models can score")
"""The part of each form in scoring."""


def forms_over(form: FormName) -> tuple[FormName, ...]:
    """Return the forms in which rows of ``form`` can be asked about, ``form`` first."""
    return (form, *(f.name for f in FORMS if f.asks == form and f.name in SCORED_FORMS))
