"""NLI items: one pair per row, and probabilities of entailment, neutral and contradiction."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from nextset.records.arrow_schema import arrow_schema
from nextset.records.nli_items import NliScore
from nextset.scoring.asking import Asking
from nextset.scoring.canaries.cases import Canaries, Waived
from nextset.scoring.canaries.pair_canaries import pair_canaries
from nextset.scoring.candidate_rows import RowsToScore, item_rows
from nextset.scoring.candidate_sources import CandidateSources
from nextset.scoring.forms.scored_form import ScoredBy, ScoredForm
from nextset.scoring.models.sources import ModelSource
from nextset.scoring.near_ties import CLOSE, near_nli_tie
from nextset.scoring.outcome_shares import outcome_arrays
from nextset.scoring.predicted_labels import answered, predicted
from nextset.scoring.prompts.answer_options import AnswerTexts
from nextset.scoring.prompts.wording import Wording
from nextset.scoring.scorer_protocol import NLI_COLUMNS, Numbers, Pair
from nextset.scoring.wrong_answers import Missing, mistakes
from nextset.study.filter_rule_settings import Boundaries
from nextset.study.scoring_settings import ScoringSettings

__all__ = ["NLI_SCORING", "LabelScores", "LabelWording", "NliScoring", "NliWording"]


class LabelWording(Wording):
    """One way to ask for a label, with three answers that are the same for every input."""

    choices: AnswerTexts

    def choices_of(self, asked: Any) -> tuple[str, ...]:
        """Return the three answers."""
        return self.choices.in_order

    @property
    def fixed_choices(self) -> tuple[str, ...]:
        """The three answers."""
        return self.choices.in_order


class NliWording(LabelWording):
    """One way to ask for the label of a pair."""

    needed = ("premise", "hypothesis")

    def texts(self, asked: Pair) -> Mapping[str, str]:
        """Return premise and hypothesis."""
        return {"premise": asked.premise, "hypothesis": asked.hypothesis}


class LabelScores(ScoredForm):
    """A form with one input per row, whose scores are `NliScore` rows."""

    numbers = NLI_COLUMNS
    scores = NliScore
    held_out_boundaries = False  # the report needs only the models that are wrong

    def table(self, rows: pa.Table, numbers: Numbers, by: ScoredBy) -> pa.Table:
        """Return `NliScore` rows."""
        columns: dict[str, pa.Array] = {
            "item_id": rows["id"].combine_chunks(),
            **{name: pa.repeat(value, rows.num_rows) for name, value in vars(by).items()},
            **{name: pa.array(numbers[:, i], from_pandas=True) for i, name in enumerate(NLI_COLUMNS[:3])},
            "truncated": pa.array(numbers[:, 3] == 1),
            **outcome_arrays(numbers, rows.num_rows, len(NLI_COLUMNS)),
        }
        schema = arrow_schema(NliScore)
        return pa.table([columns[name] for name in schema.names], schema=schema)

    def near_tie(self, scores: pa.Table, boundaries: Boundaries, precision: str) -> npt.NDArray[np.bool_]:
        """Return True for rows whose labels nearly tie, or that are near a threshold or near a rounding."""
        return near_nli_tie(scores, boundaries, CLOSE[precision])

    def mistakes(self, scores: pa.Table, right: pa.ChunkedArray, missing: Missing) -> npt.NDArray[np.bool_]:
        """Return True for each row with a wrong label (`nextset.scoring.wrong_answers.mistakes`)."""
        return mistakes(scores, right, missing)

    def answered(self, scores: pa.Table) -> npt.NDArray[np.bool_]:
        """Return True for each row with a label."""
        return answered(scores)

    def decisions(self, scores: pa.Table) -> list[Any]:
        """Return the labels."""
        return list(predicted(scores).tolist())


class NliScoring(LabelScores):
    """NLI items as pairs of a premise and a hypothesis."""

    name = "nli"
    columns = ("id", "premise", "hypothesis", "label")
    labels = NLI_COLUMNS[:3]
    section = "nli"
    wording = NliWording

    def inputs(self, rows: pa.Table) -> list[Any]:
        """Return the pairs."""
        return list(map(Pair, rows["premise"].to_pylist(), rows["hypothesis"].to_pylist()))

    @property
    def inputs_noun(self) -> str:
        """The name of the two texts of a row in messages."""
        return "premise and hypothesis"

    def candidates(self, sources: CandidateSources, scoring: ScoringSettings) -> RowsToScore:
        """Return the candidates and the plain expansion, each id once; raises StudyError."""
        return item_rows(sources, self.name, self.columns)

    def canaries(self, source: ModelSource, asking: Asking) -> Canaries | Waived:
        """Return pairs with an obvious label; raises ModelError."""
        return pair_canaries(source, asking.model)


NLI_SCORING = NliScoring()
"""NLI items in scoring."""
