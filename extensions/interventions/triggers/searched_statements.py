"""A masked language model in a search: the probabilities of the subjects at the mask."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import pyarrow as pa

from nextset.extensions.interventions.triggers.searched_model import BatchRows, EncodedInput, EncodedRows
from nextset.extensions.interventions.triggers.subject_loss import SubjectLoss, subject_places
from nextset.extensions.interventions.triggers.trigger_place import Around
from nextset.scoring.batches import Budget
from nextset.scoring.masks.logits import Query
from nextset.scoring.masks.word_pattern import MASK
from nextset.scoring.models.loading import Loaded
from nextset.scoring.subjects.masked_subject_scorer import MaskedSubjectScorer
from nextset.scoring.subjects.quad_scores import statement_inputs

if TYPE_CHECKING:
    import torch

__all__ = ["SearchedStatements"]


@dataclass(frozen=True)
class SearchedStatements:
    """A `nextset.extensions.interventions.triggers.searched_model.SearchedModel` for masked statements."""

    scorer: MaskedSubjectScorer
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
        """Return the text with the mark of a trigger in the first of ``rows``: context and statement."""
        row = rows.slice(0, 1).to_pylist()[0]
        statement = row["statement"].replace(MASK, self.loaded.tokenizer.mask_token)
        return Around.of(f"{row['context_12']} {statement}")

    def encoded(self, rows: BatchRows) -> EncodedRows:
        """Return ``rows`` as inputs: one per token of a subject's word; equal inputs are shared.

        Raises ModelError as `nextset.scoring.subjects.masked_subject_scorer.MaskedSubjectScorer` does.
        """
        encoded = [
            one
            for table in (rows.compared, rows.known)
            for one in self.scorer.encoded(statement_inputs(table))
        ]
        asked: dict[Query, dict[int, int]] = {}
        terms = [
            [[[(q, asked.setdefault(q, {}).setdefault(t, len(asked[q]))) for q, t in word] for word in words]
             for words in one.subjects]
            for one in encoded
        ]  # fmt: skip
        numbers = {query: i for i, query in enumerate(asked)}
        places = subject_places(
            [[[[(numbers[q], c) for q, c in word] for word in words] for words in both] for both in terms],
            adds=self.scorer.masks.combine == "sum",
            device=self.loaded.device,
        )
        width = max(map(len, asked.values()))
        return EncodedRows(
            tuple(EncodedInput(q.ids, q.types, (q.at, *_filled(list(t), width))) for q, t in asked.items()),
            width,
            SubjectLoss(places, rows.compared.num_rows, self.accuracy_weight),
        )

    def readings(self, inputs: Mapping[str, torch.Tensor], asked: torch.Tensor) -> torch.Tensor:
        """Return the log probabilities of tokens at one position of each input, shape (inputs, columns)."""
        import torch

        logits = self.scorer.quick.at(inputs, asked[:, 0]).double()
        return logits.gather(1, asked[:, 1:]) - torch.logsumexp(logits, -1, keepdim=True)


def _filled(tokens: Sequence[int], width: int) -> list[int]:
    return [*tokens, *[tokens[0]] * (width - len(tokens))]
