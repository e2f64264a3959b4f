"""The models that can be searched: those whose readings have gradients, each for one form.

An NLI classifier gives its probabilities of entailment and contradiction, an extractive reader
√(p_start · p_end) of the subjects' spans, and a masked language model the probabilities of the subjects at
the mask.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Generic, TypeVar

import pyarrow as pa

from nextset.errors import ModelError
from nextset.extensions.interventions.triggers.searched_model import (
    BatchRows,
    EncodedInput,
    EncodedRows,
    SearchedModel,
)
from nextset.extensions.interventions.triggers.trigger_loss import SubjectLoss, set_deviation, subject_places
from nextset.extensions.interventions.triggers.trigger_place import MARK, Around
from nextset.forms import FormName
from nextset.scoring.answers.span_ends import end_logs
from nextset.scoring.asking import Asking
from nextset.scoring.batches import Budget
from nextset.scoring.kinds.kind_protocol import MODEL_KINDS
from nextset.scoring.masks.logits import Query
from nextset.scoring.masks.word_pattern import MASK
from nextset.scoring.model_kinds import kind_of
from nextset.scoring.models.labels import LabelMap
from nextset.scoring.models.loading import Loaded
from nextset.scoring.models.sources import ModelSource
from nextset.scoring.nli import NliClassifier
from nextset.scoring.scorer_protocol import Pair
from nextset.scoring.subjects.extractive_subject_scorer import SpanScorer
from nextset.scoring.subjects.masked_subject_scorer import MaskedSubjectScorer
from nextset.scoring.subjects.quad_scores import question_inputs, statement_inputs

if TYPE_CHECKING:
    import torch

__all__ = [
    "ItemLoss",
    "SearchedItems",
    "SearchedQuestions",
    "SearchedStatements",
    "searched_form",
    "searched_model",
]


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


_Scorer = TypeVar("_Scorer", NliClassifier, SpanScorer, MaskedSubjectScorer)
_Encoded = TypeVar("_Encoded")


@dataclass(frozen=True)
class _Searched(Generic[_Scorer]):
    """The part of a searched model that is the same in all forms."""

    scorer: _Scorer
    """The model as the study asks it."""
    accuracy_weight: float
    """The weight of the rows whose answers are known: test items, or specified twins."""

    @property
    def loaded(self) -> Loaded:
        """Model, tokenizer and device."""
        return self.scorer.precisions.quick

    @property
    def budget(self) -> Budget:
        """The tokens per batch."""
        return self.scorer.budget


def _of_all(rows: BatchRows, encoded: Callable[[pa.Table], Iterable[_Encoded]]) -> list[_Encoded]:
    """Return the encoded inputs of all ``rows``: first those that are compared, then the known ones."""
    return [one for table in (rows.compared, rows.known) for one in encoded(table)]


@dataclass(frozen=True)
class SearchedItems(_Searched[NliClassifier]):
    """A `nextset.extensions.interventions.triggers.searched_model.SearchedModel` for NLI items."""

    def around(self, rows: pa.Table) -> Around:
        """Return the text with the mark of a trigger in the first of ``rows``: its premise."""
        return Around.of(rows["premise"][0].as_py())

    def encoded(self, rows: BatchRows) -> EncodedRows:
        """Return ``rows`` as inputs, one per item.

        Raises ModelError as `nextset.scoring.nli.NliClassifier` does.
        """
        encodings = _of_all(rows, lambda table: self.scorer.encoded(_pairs(table)))
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


def _pairs(items: pa.Table) -> list[Pair]:
    texts = zip(items["premise"].to_pylist(), items["hypothesis"].to_pylist(), strict=True)
    return [Pair(*both) for both in texts]


def _output(labels: LabelMap, label: str) -> int:
    """Return the output for ``label``; with two labels, each label but entailment is the other output."""
    if labels.two_way:
        return labels.entailment if label == "entailment" else 1 - labels.entailment
    return labels.names.index(label)


@dataclass(frozen=True)
class SearchedQuestions(_Searched[SpanScorer]):
    """A `nextset.extensions.interventions.triggers.searched_model.SearchedModel` for questions."""

    def around(self, rows: pa.Table) -> Around:
        """Return the text with the mark of a trigger in the first of ``rows``: its context, or question."""
        row = rows.slice(0, 1).to_pylist()[0]
        return Around.of(next(row[name] for name in ("context_12", "question") if MARK in row[name]))

    def encoded(self, rows: BatchRows) -> EncodedRows:
        """Return ``rows`` as inputs, four per row.

        Raises ModelError as `nextset.scoring.subjects.extractive_subject_scorer.SpanScorer` does.
        """
        encoded = _of_all(rows, lambda table: self.scorer.encoded(question_inputs(table)))
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


@dataclass(frozen=True)
class SearchedStatements(_Searched[MaskedSubjectScorer]):
    """A `nextset.extensions.interventions.triggers.searched_model.SearchedModel` for masked statements."""

    def around(self, rows: pa.Table) -> Around:
        """Return the text with the mark of a trigger in the first of ``rows``: context and statement."""
        row = rows.slice(0, 1).to_pylist()[0]
        statement = row["statement"].replace(MASK, self.loaded.tokenizer.mask_token)
        return Around.of(f"{row['context_12']} {statement}")

    def encoded(self, rows: BatchRows) -> EncodedRows:
        """Return ``rows`` as inputs: one per token of a subject's word; equal inputs are shared.

        Raises ModelError as `nextset.scoring.subjects.masked_subject_scorer.MaskedSubjectScorer` does.
        """
        encoded = _of_all(rows, lambda table: self.scorer.encoded(statement_inputs(table)))
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
            tuple(
                EncodedInput(q.ids, q.types, (q.at, *_filled_statements(list(t), width)))
                for q, t in asked.items()
            ),
            width,
            SubjectLoss(places, rows.compared.num_rows, self.accuracy_weight),
        )

    def readings(self, inputs: Mapping[str, torch.Tensor], asked: torch.Tensor) -> torch.Tensor:
        """Return the log probabilities of tokens at one position of each input, shape (inputs, columns)."""
        import torch

        logits = self.scorer.quick.at(inputs, asked[:, 0]).double()
        return logits.gather(1, asked[:, 1:]) - torch.logsumexp(logits, -1, keepdim=True)


def _filled_statements(tokens: Sequence[int], width: int) -> list[int]:
    return [*tokens, *[tokens[0]] * (width - len(tokens))]


_FORMS: dict[str, FormName] = {"masked_lm": "statement", "spans": "question", "nli": "nli"}


def searched_form(source: ModelSource) -> FormName:
    """Return the form of the rows for a trigger search with the model in ``source``.

    Raises ModelError for a model that cannot be searched: one behind a server, one that writes, or one that
    chooses.
    """
    kind = kind_of(source)
    if kind not in _FORMS:
        known = ", ".join(MODEL_KINDS[k].noun for k in _FORMS)
        raise ModelError(
            f"{source.name} is a model of the kind {MODEL_KINDS[kind].noun}, which cannot be searched for "
            "triggers: the search needs gradients",
            remedy=f"choose one of these kinds: {known}",
        )
    return _FORMS[kind]


def searched_model(source: ModelSource, asking: Asking, accuracy_weight: float) -> SearchedModel:
    """Return the model in ``source``, loaded in float32 as ``asking`` asks it; raises ModelError."""
    scoring = asking.scoring.model_copy(update={"precision": "float32"})
    exact = Asking(asking.form, scoring, asking.model, asking.prompts)
    if asking.form == "nli":
        from nextset.scoring.nli import NliClassifier

        return SearchedItems(NliClassifier.load(source, exact), accuracy_weight)
    if asking.form == "question":
        from nextset.scoring.subjects.extractive_subject_scorer import SpanScorer

        return SearchedQuestions(SpanScorer.load(source, exact), accuracy_weight)
    from nextset.scoring.subjects.masked_subject_scorer import MaskedSubjectScorer

    return SearchedStatements(MaskedSubjectScorer.load(source, exact), accuracy_weight)
