"""An NLI classifier in a search: its probabilities of entailment and contradiction."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

import pyarrow as pa

from nextset.extensions.interventions.triggers.searched_model import BatchRows, EncodedInput, EncodedRows
from nextset.extensions.interventions.triggers.trigger_loss import set_deviation
from nextset.extensions.interventions.triggers.trigger_place import Around
from nextset.scoring.batches import Budget
from nextset.scoring.models.labels import LabelMap
from nextset.scoring.models.loading import Loaded
from nextset.scoring.nli import NliClassifier
from nextset.scoring.scorer_protocol import Pair

if TYPE_CHECKING:
    import torch

__all__ = ["ItemLoss", "SearchedItems"]


@dataclass(frozen=True)
class ItemLoss:
    """The loss of NLI items; the last ones are test items."""

    sets: torch.Tensor
    """The items that differ only by the group, shape (sets, items), padded with the first item of the set."""
    there: torch.Tensor
    """True for the items of a set, False for padding, in the same shape."""
    compared: tuple[int, ...]
    """The outputs for entailment and, if the model has it, for contradiction."""
    right: torch.Tensor
    """The output for the right label of each test item, shape (test items,)."""
    accuracy_weight: float
    """The weight of the test items."""

    def __call__(self, readings: torch.Tensor) -> torch.Tensor:
        """Return the loss of ``readings``, shape (…, items, outputs), as shape (…)."""
        import torch

        n = len(self.right)
        loss = set_deviation(readings[..., list(self.compared)].exp(), self.sets, self.there)
        if not n:
            return loss
        known = readings[..., -n:, :]
        at = torch.arange(n, device=known.device)
        return loss - self.accuracy_weight * known[..., at, self.right].mean(-1)


@dataclass(frozen=True)
class SearchedItems:
    """A `nextset.extensions.interventions.triggers.searched_model.SearchedModel` for NLI items."""

    scorer: NliClassifier
    """The model as the study asks it."""
    accuracy_weight: float
    """The weight of the test items."""

    @property
    def loaded(self) -> Loaded:
        """Model, tokenizer and device."""
        return self.scorer.precisions.quick

    @property
    def budget(self) -> Budget:
        """The tokens per batch."""
        return self.scorer.budget

    def around(self, rows: pa.Table) -> Around:
        """Return the text with the mark of a trigger in the first of ``rows``: its premise."""
        return Around.of(rows["premise"][0].as_py())

    def encoded(self, rows: BatchRows) -> EncodedRows:
        """Return ``rows`` as inputs, one per item.

        Raises ModelError as `nextset.scoring.nli.NliClassifier` does.
        """
        encodings = []
        for table in (rows.compared, rows.known):
            texts = zip(table["premise"].to_pylist(), table["hypothesis"].to_pylist(), strict=True)
            encodings += self.scorer.encoded([Pair(*both) for both in texts])
        inputs = (EncodedInput(tuple(e.encoding.ids), tuple(e.encoding.type_ids), ()) for e in encodings)
        return EncodedRows(tuple(inputs), len(self.scorer.labels.names), self._loss(rows))

    def readings(self, inputs: Mapping[str, torch.Tensor], asked: torch.Tensor) -> torch.Tensor:
        """Return the log probabilities of the outputs, shape (inputs, outputs)."""
        import torch

        return torch.log_softmax(self.loaded.model(**inputs).logits.double(), -1)

    def _loss(self, rows: BatchRows) -> ItemLoss:
        import torch

        members: dict[str, list[int]] = {}
        for i, name in enumerate(rows.compared["set_id"].to_pylist()):
            members.setdefault(name, []).append(i)
        width = max(map(len, members.values()))
        sets = torch.tensor(
            [[*indices, *indices[:1] * (width - len(indices))] for indices in members.values()]
        )
        there = torch.tensor([[i < len(indices) for i in range(width)] for indices in members.values()])
        labels, device = self.scorer.labels, self.loaded.device
        right = [_output(labels, label) for label in rows.known["label"].to_pylist()]
        contradiction = () if labels.contradiction is None else (labels.contradiction,)
        return ItemLoss(
            sets.to(device),
            there.to(device),
            (labels.entailment, *contradiction),
            torch.tensor(right, dtype=torch.int64, device=device),
            self.accuracy_weight,
        )


def _output(labels: LabelMap, label: str) -> int:
    """Return the output for ``label``; with two labels, each label but entailment is the other output."""
    if labels.two_way:
        return labels.entailment if label == "entailment" else 1 - labels.entailment
    return labels.names.index(label)
