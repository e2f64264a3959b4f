"""Logits at masks: the model reads whole sentences, but only the masks in question are projected."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from nextset.errors import ModelError
from nextset.scoring.batches import check_finite
from nextset.scoring.models.loading import Loaded
from nextset.scoring.scorer_protocol import Numbers

if TYPE_CHECKING:
    import torch

__all__ = ["Group", "MaskLogits", "Query", "Scored"]

BATCH = 64
"""The number of sentences that the model reads at a time."""
FEW = 4
"""The fewest positions for which a layer gives the same last digits as for whole sentences."""


@dataclass(frozen=True, slots=True)
class Query:
    """A query to the model for the token at a position."""

    ids: tuple[int, ...]
    """The input's tokens, special tokens and masks included."""
    types: tuple[int, ...]
    """The segment of each token."""
    at: int
    """The position in question."""


Group = tuple[Query, ...]
"""Queries with one common answer: the mean of their log probabilities."""


@dataclass(frozen=True)
class Scored:
    """Some groups and the model's answers to them."""

    groups: list[Group]
    """The groups, each once."""
    logits: torch.Tensor
    """The logits over the vocabulary, mean over a group's queries: shape (groups, vocabulary), float32."""
    norms: torch.Tensor
    """The number to subtract from a logit to get a natural log probability: shape (groups,)."""


@dataclass(frozen=True)
class MaskLogits:
    """A loaded masked language model that returns logits at masks."""

    loaded: Loaded
    """Model, tokenizer and device."""
    narrowed: Any
    """The module of the model whose output is narrowed to the positions in question, so that what follows it
    reads no others: the last layer's attention, or the model below the head. None if all are projected."""
    alone: bool = False
    """True if the model reads each sentence by itself, so that its scores do not depend on a batch."""

    @classmethod
    def of(cls, loaded: Loaded) -> MaskLogits:
        """Return ``loaded``, narrowed to the masks as early as a trial gives the same logits as without."""
        import torch

        best = cls(loaded, None)
        tokens = [loaded.tokenizer.mask_token_id] * 7
        # more sentences than tokens, so that the two cannot be confused, and a width that some models pad
        lengths = (3, 7, 5, 3, 7, 4, 3, 6)
        trial = [Query(tuple(tokens[:n]), (0,) * n, n - 2) for n in lengths]
        close = 1e-3 if loaded.model.dtype == torch.float32 else 0.1
        try:
            whole = best._logits(trial)
            for module in _modules(loaded.model):
                quick = cls(loaded, module)
                if not torch.allclose(quick._logits(trial), whole, rtol=close, atol=close):
                    break
                best = quick
        except (RuntimeError, IndexError, TypeError, AttributeError, ValueError):
            pass  # what follows needs the whole sentence, or the layers have other names
        return best

    def scored(self, groups: Sequence[Group]) -> Iterator[Scored]:
        """Yield the model's answer to each distinct group, batch by batch, short sentences first.

        Raises ModelError if scores are not finite.
        """
        waiting: list[Group] = []
        unique = dict.fromkeys(groups)
        for group in sorted(unique, key=lambda g: max(len(q.ids) for q in g)):
            if waiting and sum(map(len, waiting)) + len(group) > BATCH:
                yield self._scored(waiting)
                waiting = []
            waiting.append(group)
        if waiting:
            yield self._scored(waiting)

    def log_probabilities(self, asked: Sequence[tuple[Query, int]]) -> list[float]:
        """Return the log probability of a token at each query's position; equal queries are asked once."""
        tokens: dict[Query, list[int]] = {}
        for query, token in asked:
            tokens.setdefault(query, []).append(token)
        by_query: dict[tuple[Query, int], float] = {}
        for scored in self.scored([(q,) for q in tokens]):
            keys = [(query, token) for (query,) in scored.groups for token in tokens[query]]
            rows = [row for row, (query,) in enumerate(scored.groups) for _ in tokens[query]]
            # all rows at once: indexing row by row takes as long as the model itself
            logs = scored.logits[rows, [t for _, t in keys]].double() - scored.norms[rows].double()
            by_query.update(zip(keys, logs.tolist(), strict=True))
        return [by_query[key] for key in asked]

    def at_once(self, queries: Sequence[Query], tokens: Sequence[Sequence[int]]) -> Numbers:
        """Return the log probabilities of each query's ``tokens``, all queries with the same number of them.

        The queries are one batch, and the result is in float64, shape (queries, tokens). Raises ModelError if
        it is not finite.
        """
        import torch

        with torch.inference_mode():
            logits = self._logits(queries).double()
            wanted = logits.gather(1, torch.tensor(tokens, device=logits.device))
            logs: Numbers = (wanted - torch.logsumexp(logits, dim=-1, keepdim=True)).cpu().numpy()
        check_finite(self.loaded, logs)
        return logs

    def _scored(self, groups: list[Group]) -> Scored:
        import torch

        queries = [q for group in groups for q in group]
        with torch.inference_mode():
            if self.alone:
                logits = torch.cat([self._logits([q]) for q in queries]).cpu()
            else:
                logits = self._logits(queries).cpu()
            norms = torch.logsumexp(logits, dim=-1)
            if not torch.isfinite(norms).all():
                raise ModelError(
                    f"{self.loaded.name} gives scores that are not finite (in {self.loaded.precision})",
                    remedy="download or copy the model's files again: the weights are damaged",
                )
            if any(len(group) > 1 for group in groups):
                parts = [len(group) for group in groups]
                logits = torch.stack([part.mean(dim=0) for part in torch.split(logits, parts)])
                norms = torch.stack([part.mean(dim=0) for part in torch.split(norms, parts)])
        return Scored(groups, logits, norms)

    def at(self, inputs: Mapping[str, torch.Tensor], columns: torch.Tensor) -> torch.Tensor:
        """Return the logits at one position of each input, shape (inputs, vocabulary), float32.

        ``columns`` has the positions, shape (inputs,). Torch records gradients unless the caller disables it.
        """
        import torch

        rows = torch.arange(len(columns), device=self.loaded.device)
        model = self.loaded.model

        def only_the_masks(module: object, arguments: object, output: Any) -> Any:
            if isinstance(output, tuple):
                return (output[0][rows, columns][None], *output[1:])
            output.last_hidden_state = output.last_hidden_state[rows, columns][None]
            return output

        logits: torch.Tensor
        if self.narrowed is not None:
            module = self.narrowed if len(columns) >= FEW else model.base_model
            hook = module.register_forward_hook(only_the_masks)
            try:
                logits = model(**inputs).logits[0]
            finally:
                hook.remove()
        else:
            logits = model(**inputs).logits[rows, columns]
        return logits.float()

    def _logits(self, queries: Sequence[Query]) -> torch.Tensor:
        import torch

        columns = torch.tensor([q.at for q in queries], device=self.loaded.device)
        with torch.inference_mode():
            return self.at(self._inputs(queries), columns)

    def _inputs(self, queries: Sequence[Query]) -> dict[str, torch.Tensor]:
        import torch

        tokenizer = self.loaded.tokenizer
        width = max(len(q.ids) for q in queries)
        pad = tokenizer.pad_token_id or 0

        def padded(rows: Sequence[Sequence[int]], by: int) -> torch.Tensor:
            return torch.tensor([[*row, *[by] * (width - len(row))] for row in rows]).to(self.loaded.device)

        inputs = {
            "input_ids": padded([q.ids for q in queries], pad),
            "attention_mask": padded([[1] * len(q.ids) for q in queries], 0),
        }
        if "token_type_ids" in tokenizer.model_input_names:
            inputs["token_type_ids"] = padded([q.types for q in queries], tokenizer.pad_token_type_id)
        return inputs


def _modules(model: Any) -> Iterator[Any]:
    """Yield the modules whose output could be narrowed, the later in the model first."""
    if model.base_model is not model:
        yield model.base_model
        yield model.base_model.encoder.layer[-1].attention  # as in BERT, RoBERTa, ELECTRA, MPNet and DeBERTa
