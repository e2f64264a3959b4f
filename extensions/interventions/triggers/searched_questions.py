"""An extractive reader in a search: √(p_start · p_end) of the subjects' spans."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import pyarrow as pa

from nextset.extensions.interventions.triggers.searched_model import BatchRows, EncodedInput, EncodedRows
from nextset.extensions.interventions.triggers.subject_loss import SubjectLoss, subject_places
from nextset.extensions.interventions.triggers.trigger_place import MARK, Around
from nextset.scoring.answers.span_ends import end_logs
from nextset.scoring.batches import Budget
from nextset.scoring.models.loading import Loaded
from nextset.scoring.subjects.extractive_subject_scorer import SpanScorer
from nextset.scoring.subjects.quad_scores import question_inputs

if TYPE_CHECKING:
    import torch

__all__ = ["SearchedQuestions"]


@dataclass(frozen=True)
class SearchedQuestions:
    """A `nextset.extensions.interventions.triggers.searched_model.SearchedModel` for questions."""

    scorer: SpanScorer
    """The model as the study asks it."""
    accuracy_weight: float
    """The weight of the specified twins."""

    @property
    def loaded(self) -> Loaded:
        """Model, tokenizer and device."""
        return self.scorer.precisions.quick

    @property
    def budget(self) -> Budget:
        """The tokens per batch."""
        return self.scorer.budget

    def around(self, rows: pa.Table) -> Around:
        """Return the text with the mark of a trigger in the first of ``rows``: its context, or question."""
        row = rows.slice(0, 1).to_pylist()[0]
        return Around.of(next(row[name] for name in ("context_12", "question") if MARK in row[name]))

    def encoded(self, rows: BatchRows) -> EncodedRows:
        """Return ``rows`` as inputs, four per row.

        Raises ModelError as `nextset.scoring.subjects.extractive_subject_scorer.SpanScorer` does.
        """
        encoded = [
            one
            for table in (rows.compared, rows.known)
            for one in self.scorer.encoded(question_inputs(table))
        ]
        ends = [(e.starts[0], e.ends[0], e.starts[1], e.ends[1]) for e in encoded]
        width = max(len(tokens) for of_input in ends for tokens in of_input)
        places = subject_places(
            [[[[(i, subject)]] for subject in range(2)] for i in range(len(encoded))],
            adds=False,
            device=self.loaded.device,
        )
        inputs = (
            EncodedInput(tuple(e.encoding.ids), tuple(e.encoding.type_ids), _filled(of_input, width))
            for e, of_input in zip(encoded, ends, strict=True)
        )
        return EncodedRows(
            tuple(inputs), 2, SubjectLoss(places, rows.compared.num_rows, self.accuracy_weight)
        )

    def readings(self, inputs: Mapping[str, torch.Tensor], asked: torch.Tensor) -> torch.Tensor:
        """Return ½ (log p_start + log p_end) of both subjects, shape (inputs, 2)."""
        import torch

        log_probabilities = end_logs(self.loaded, inputs)
        ends = asked.view(len(asked), 2, 2, -1)
        first, last = (ends[:, :, i] for i in range(2))
        sides = [
            logs.gather(1, tokens.flatten(1)).view(tokens.shape).amax(-1)
            for logs, tokens in ((log_probabilities.start, first), (log_probabilities.end, last))
        ]
        return torch.stack(sides).mean(0)


def _filled(ends: Sequence[Sequence[int]], width: int) -> tuple[int, ...]:
    return tuple(token for tokens in ends for token in (*tokens, *[tokens[0]] * (width - len(tokens))))
