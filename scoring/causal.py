"""Causal language models: which of a few answers they would write, by log probability."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from nextset.errors import ModelError
from scoring.choice_tokens import ChoiceTokenizer, Row
from scoring.loading import Loaded, load
from scoring.scorer import NLI_COLUMNS, SUBJECT_COLUMNS, Asking, Numbers, Pair, Question
from scoring.sources import ModelSource
from scoring.wordings import rendered

if TYPE_CHECKING:
    import torch

__all__ = ["CausalScorer", "Prompted"]

BUDGET = 8192
"""Tokens that the model reads at a time, padding included."""


@dataclass(frozen=True, slots=True)
class Prompted:
    """An input in every wording, as the model reads it."""

    wordings: tuple[tuple[Row, ...], ...]
    """The rows of each wording."""
    truncated: bool
    """Whether its premise or context was cut."""

    @property
    def longest(self) -> int:
        """The tokens of its longest row."""
        return max(len(row.ids) for rows in self.wordings for row in rows)


@dataclass(frozen=True)
class CausalScorer:
    """A loaded causal language model, asked about pairs or questions.

    A choice's probability is that of its whole text behind the prompt, over the sum for all choices; the
    numbers are means over the wordings.
    """

    loaded: Loaded
    """Model, tokenizer and device."""
    asking: Asking
    """The form, and the wordings."""
    tokens: ChoiceTokenizer
    """Puts prompts and choices together."""

    @classmethod
    def load(cls, source: ModelSource, asking: Asking) -> CausalScorer:
        """Load a causal language model; raises ModelError, also for a form that it cannot be asked about."""
        rendered(asking, ())
        loaded = load(source, "AutoModelForCausalLM")
        return cls(loaded, asking, ChoiceTokenizer(loaded.name, loaded.tokenizer))

    @property
    def columns(self) -> tuple[str, ...]:
        """`NLI_COLUMNS` or `SUBJECT_COLUMNS`; no_answer is the choice of that meaning."""
        return NLI_COLUMNS if self.asking.form == "nli" else SUBJECT_COLUMNS

    def encoded(self, inputs: Sequence[Pair | Question]) -> Sequence[Prompted]:
        """The inputs in every wording; raises ModelError for all that are too long, unless they are to be cut.

        What is cut is the end of the premise or the context, as little as fits.
        """
        found = self._prompted(inputs)
        long = [i for i, p in enumerate(found) if p.longest > self.loaded.max_length]
        if long and self.asking.model.too_long == "refuse":
            listed = "\n".join(f"  {found[i].longest} tokens: {_shown(inputs[i])}" for i in long)
            raise ModelError(
                f"{self.loaded.name} reads at most {self.loaded.max_length} tokens; {len(long)} inputs have "
                f"more with their prompts:\n{listed}",
                remedy="shorten the texts, choose a model that reads more, or set too_long: truncate for it",
            )
        for i in long:
            found[i] = self._cut(inputs[i], found[i].longest)
        return found

    def scores(self, encoded: Sequence[Prompted]) -> Numbers:
        """The numbers of each; raises ModelError where one is not finite."""
        return self._numbers(encoded, BUDGET)

    def alone(self, encoded: Sequence[Prompted]) -> Numbers:
        """The same, every prompt read by itself."""
        return self._numbers(encoded, 0)

    def _prompted(self, inputs: Sequence[Pair | Question], truncated: bool = False) -> list[Prompted]:
        prompts = rendered(self.asking, inputs)
        rows = iter(self.tokens.rows([p for some in prompts for p in some]))
        return [Prompted(tuple(next(rows) for _ in some), truncated) for some in prompts]

    def _cut(self, asked: Pair | Question, length: int) -> Prompted:
        """``asked`` with its first text cut at its end until it fits; ``length`` is what it has uncut."""
        text = asked.premise if isinstance(asked, Pair) else asked.context
        offsets = self.loaded.tokenizer.backend_tokenizer.encode(text, add_special_tokens=False).offsets
        keep = len(offsets)
        while length > self.loaded.max_length and keep:
            keep = max(0, keep - (length - self.loaded.max_length))
            kept = text[: offsets[keep - 1][1]] if keep else ""
            cut = replace(asked, premise=kept) if isinstance(asked, Pair) else replace(asked, context=kept)
            (found,) = self._prompted([cut], truncated=True)
            length = found.longest
        if length > self.loaded.max_length:
            raise ModelError(
                f"{self.loaded.name} reads at most {self.loaded.max_length} tokens; a prompt without its first "
                f"text has {length}: {_shown(asked)}",
                remedy="choose a model that reads more, or shorter wordings (scoring.prompts)",
            )
        return found

    def _numbers(self, encoded: Sequence[Prompted], budget: int) -> Numbers:
        choices = len(self.columns) - 1
        wordings = len(encoded[0].wordings) if encoded else 1
        logs = np.empty((len(encoded), wordings, choices))
        places = [
            (i, w, row) for i, p in enumerate(encoded) for w, rows in enumerate(p.wordings) for row in rows
        ]
        places.sort(key=lambda p: (len(p[2].ids), p[2].ids))
        for some in _batches(places, budget):
            found = self._read([row for _, _, row in some])
            for (i, w, row), values in zip(some, found, strict=True):
                for read, value in zip(row.reads, values, strict=True):
                    logs[i, w, read.choice] = value
        if not np.isfinite(logs).all():
            raise ModelError(
                f"{self.loaded.name} gives scores that are not finite, in {self.loaded.model.dtype}",
                remedy="its weights are damaged, or do not bear this precision",
            )
        odds = np.exp(logs - logs.max(axis=2, keepdims=True))
        means = (odds / odds.sum(axis=2, keepdims=True)).mean(axis=1)
        cut = np.array([[float(p.truncated)] for p in encoded]).reshape(-1, 1)
        return np.hstack([means, cut])

    def _read(self, rows: Sequence[Row]) -> list[list[float]]:
        """The log probability of each read of each row, from one padded batch."""
        import torch

        width, first = max(len(r.ids) for r in rows), min(read.start for r in rows for read in r.reads) - 1
        with torch.inference_mode():
            # Padding stands behind: a causal model does not see it.
            inputs = {
                "input_ids": self._tensor([[*r.ids, *[0] * (width - len(r.ids))] for r in rows]),
                "attention_mask": self._tensor([[1] * len(r.ids) + [0] * (width - len(r.ids)) for r in rows]),
            }
            logits = self.loaded.model(**inputs, use_cache=False).logits[:, first:]
            logs = torch.log_softmax(logits.float(), dim=-1)
            return [
                [
                    logs[n, range(read.start - 1 - first, read.start - 1 - first + len(read.tokens)), read.tokens]
                    .double()
                    .sum()
                    .item()
                    for read in row.reads
                ]
                for n, row in enumerate(rows)
            ]

    def _tensor(self, rows: list[list[int]]) -> torch.Tensor:
        import torch

        return torch.tensor(rows, device=self.loaded.device)


def _batches(places: list[tuple[int, int, Row]], budget: int) -> Iterator[list[tuple[int, int, Row]]]:
    """Runs of ``places``, which are sorted by length, that with padding fit into ``budget``; at least one."""
    waiting: list[Any] = []
    for place in places:
        if waiting and (len(waiting) + 1) * len(place[2].ids) > budget:
            yield waiting
            waiting = []
        waiting.append(place)
    if waiting:
        yield waiting


def _shown(asked: Pair | Question) -> str:
    text = " / ".join(asked.texts()[:2])
    return repr(text if len(text) <= 100 else f"{text[:50]} … {text[-50:]}")
