"""A causal language model as a scorer: it computes the log probabilities of a few answers."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from nextset.array_types import Floats
from nextset.forms import FormName
from nextset.scoring.asking import Asking
from nextset.scoring.batches import Budget, budget_of, check_finite, in_batches
from nextset.scoring.forms.scored_form import SCORED_FORMS
from nextset.scoring.generative.choice_tokens import ChoiceTokenizer, Read, Row
from nextset.scoring.generative.picked_logits import logits_at
from nextset.scoring.generative.prompt_fitting import fitted
from nextset.scoring.generative.thinker import Thinker, Thoughts, prompt_tokenizer, thinkers_of
from nextset.scoring.generative.thought_store import EXACT, ThoughtStore
from nextset.scoring.models.loading import Loaded
from nextset.scoring.models.precision_pair import PrecisionPair
from nextset.scoring.models.sources import ModelSource
from nextset.scoring.prompt_numbers import prompt_numbers, shares_of_logs
from nextset.scoring.prompt_wordings import render_prompts
from nextset.scoring.prompts.rendered_prompt import Rendered
from nextset.scoring.scorer_protocol import Numbers

__all__ = ["CausalScorer", "Prompted", "choice_numbers"]

MARGIN = 16
"""Tokens that stay free besides the longest choice: the text after the thoughts, and tokens at its border."""
AT_ONCE = 8
"""The number of inputs that a model thinks about before it is scored and the thoughts are stored."""


@dataclass(frozen=True, slots=True)
class Prompted:
    """An input with all its prompts, as the model reads them."""

    rows: tuple[tuple[Row, ...], ...]
    """The rows of each prompt."""
    truncated: bool
    """True if the premise or context was cut."""
    prompts: tuple[Rendered, ...]
    """The prompts with their choices."""

    @property
    def choices(self) -> int:
        """The number of choices of the prompt that has the most."""
        return max(len(prompt.choices) for prompt in self.prompts)

    @property
    def longest(self) -> int:
        """The number of tokens of the longest row."""
        return max(len(row.ids) for rows in self.rows for row in rows)


@dataclass(frozen=True)
class CausalScorer:
    """A loaded causal language model, asked in the wordings of a form.

    A choice's score is the probability of its whole text after the prompt, divided by the sum for all
    choices. Scores are means over the prompts of an input.
    """

    precisions: PrecisionPair
    """Model, tokenizer and device, and the model in float32."""
    asking: Asking
    """The form, and the wordings."""
    tokens: ChoiceTokenizer
    """The tokenizer of prompts with their choices."""
    budget: Budget
    """Tokens per batch."""
    thinkers: Callable[[Loaded], Thinker] | None = None
    """Returns the thinker of the model in a precision; None if the model does not think."""
    source: ModelSource | None = None
    """The model's files, by whose digest its thoughts are stored; None stores none."""

    @classmethod
    def load(cls, source: ModelSource, asking: Asking, device: str | None = None) -> CausalScorer:
        """Load a causal language model; raises ModelError, also for a form that it cannot be asked about."""
        render_prompts(asking, ())
        precisions = PrecisionPair.load(source, "AutoModelForCausalLM", asking, device)
        loaded = precisions.quick
        budget = budget_of(loaded, lambda tokens: _probe(loaded, tokens))
        tokens = prompt_tokenizer(loaded, asking.model)
        thinkers = thinkers_of(tokens, asking)
        if thinkers is not None:
            thinkers(loaded)  # refuses a model that cannot be told to think
        return cls(precisions, asking, tokens, budget, thinkers, source)

    @property
    def columns(self) -> tuple[str, ...]:
        """The numbers of the form; no_answer is the choice with that meaning."""
        return SCORED_FORMS[self.asking.form].numbers

    def reworded(self, asking: Asking) -> CausalScorer:
        """Return the same model for a different form or wordings; raises ModelError if there are none."""
        render_prompts(asking, ())
        return replace(self, asking=asking)

    def encoded(self, inputs: Sequence[Any]) -> Sequence[Prompted]:
        """Return the inputs in every wording; raises ModelError for those that are too long, unless the
        study says to cut them."""
        return fitted(inputs, self._prompted, self.precisions.quick, self.asking.model)

    def thoughts(self, encoded: Sequence[Prompted]) -> list[tuple[Thoughts, ...]]:
        """Return the thoughts about each input in each wording; empty for a model that does not think.

        A model's last thoughts stay in memory, so that it thinks once if it is also asked for `scores`.
        """
        return [self._thoughts(self.precisions.quick, prompted) for prompted in encoded]

    def scores(self, encoded: Sequence[Prompted]) -> Numbers:
        """Return the scores of each input; raises ModelError if a score is not finite."""
        return self._batched(self.precisions.quick, encoded)

    def exact(self, encoded: Sequence[Prompted]) -> Numbers:
        """Return the scores of each input in float32; raises ModelError like `scores`."""
        return self._batched(self.precisions.exact(), encoded)

    def alone(self, encoded: Sequence[Prompted]) -> Numbers:
        """Return the scores of each input in float32, with every prompt read by itself."""
        return self._batched(self.precisions.exact(), encoded, Budget(1))

    def _batched(self, loaded: Loaded, encoded: Sequence[Prompted], budget: Budget | None = None) -> Numbers:
        if self.thinkers is None:
            return choice_numbers(self.asking.form, encoded, self._logs(loaded, encoded, budget))
        numbers = np.empty((len(encoded), len(self.columns)))
        for start in range(0, len(encoded), AT_ONCE):
            some = slice(start, start + AT_ONCE)
            numbers[some] = self._after_thoughts(loaded, encoded[some], budget)
        return numbers

    def _after_thoughts(self, loaded: Loaded, encoded: Sequence[Prompted], budget: Budget | None) -> Numbers:
        """Return the scores with the thoughts between each prompt and its choices, and store the thoughts."""
        thoughts = [self._thoughts(loaded, prompted) for prompted in encoded]
        after = [
            replace(p, rows=tuple(self.tokens.rows(p.prompts, [thought.text for thought in each])))
            for p, each in zip(encoded, thoughts, strict=True)
        ]
        logs = self._logs(loaded, after, budget)
        store, run = self._store(), self._run(loaded)
        if store is not None:
            for prompted, each, choices in zip(after, thoughts, _by_prompt(after, logs), strict=True):
                for prompt, thought, of_prompt in zip(prompted.prompts, each, choices, strict=True):
                    store.put(prompt, thought, int(of_prompt.argmax()), *run)
        return choice_numbers(self.asking.form, after, logs)

    def _logs(self, loaded: Loaded, encoded: Sequence[Prompted], budget: Budget | None) -> Numbers:
        """Return the log probabilities of the choices for the rows of all prompts in order."""
        rows = [row for p in encoded for prompt in p.rows for row in prompt]
        choices = max((p.choices for p in encoded), default=0)
        return in_batches(
            [len(row.ids) for row in rows],
            choices,
            budget or self.budget,
            lambda batch: _read(loaded, [rows[i] for i in batch], choices),
            loaded.name,
        )

    def _thoughts(self, loaded: Loaded, prompted: Prompted) -> tuple[Thoughts, ...]:
        if self.thinkers is None:
            return ()
        thinker, store, run = self.thinkers(loaded), self._store(), self._run(loaded)
        rooms = [max(len(read.tokens) for row in rows for read in row.reads) for rows in prompted.rows]
        return tuple(
            (store.known(p, *run) if store is not None else None) or thinker.about(p.prompt, room + MARGIN)
            for p, room in zip(prompted.prompts, rooms, strict=True)
        )

    def _store(self) -> ThoughtStore | None:
        return None if self.source is None else ThoughtStore.of(self.source, self.asking)

    def _run(self, loaded: Loaded) -> tuple[str, str]:
        """Return the precision and the device that the thoughts of ``loaded`` depend on."""
        quick = loaded is self.precisions.quick
        return self.asking.scoring.precision if quick else EXACT, loaded.device.type

    def _prompted(self, inputs: Sequence[Any], truncated: bool) -> list[Prompted]:
        prompts = render_prompts(self.asking, inputs)
        rows = iter(self.tokens.rows([p for of_input in prompts for p in of_input]))
        return [Prompted(tuple(next(rows) for _ in of_input), truncated, of_input) for of_input in prompts]


def _read(loaded: Loaded, rows: Sequence[Row], choices: int) -> Numbers:
    """Return the log probability of the choices that are read from each row, else NaN: (rows, choices)."""
    import torch

    width = max(len(row.ids) for row in rows)
    # padding comes last, where a causal model does not look
    ids = torch.tensor([[*row.ids, *[0] * (width - len(row.ids))] for row in rows])
    mask = torch.tensor([[1] * len(row.ids) + [0] * (width - len(row.ids)) for row in rows])
    places = [
        (n, read.choice, read.start - 1 + k, token)
        for n, row in enumerate(rows)
        for read in row.reads
        for k, token in enumerate(read.tokens)
    ]
    row_of, choice_of, position, token_of = np.array(places).T
    # choices of one token are read from the same logits
    read, again = np.unique(row_of * width + position, return_inverse=True)
    inputs = {"input_ids": ids.to(loaded.device), "attention_mask": mask.to(loaded.device)}
    with torch.inference_mode():
        logits = logits_at(loaded, inputs, torch.from_numpy(read // width), torch.from_numpy(read % width))
        logits = logits.float()
        wanted = logits[torch.from_numpy(again), torch.from_numpy(token_of)]
        logs = wanted.double() - logits.logsumexp(dim=1).double()[torch.from_numpy(again)]
        summed = logs.cpu().numpy()
    check_finite(loaded, summed)
    totals: Numbers = np.full((len(rows), choices), np.nan)
    totals[row_of, choice_of] = 0.0
    np.add.at(totals, (row_of, choice_of), summed)
    return totals


def choice_numbers(form: FormName, encoded: Sequence[Prompted], logs: Numbers) -> Numbers:
    """Return the numbers of inputs of ``form``; ``logs`` has the rows of all prompts in order."""
    numbers = np.empty((len(encoded), len(SCORED_FORMS[form].numbers)))
    for n, (prompted, each) in enumerate(zip(encoded, _by_prompt(encoded, logs), strict=True)):
        numbers[n] = prompt_numbers(
            form, prompted.prompts, list(map(shares_of_logs, each)), prompted.truncated
        )
    return numbers


def _by_prompt(encoded: Sequence[Prompted], logs: Numbers) -> Iterator[list[Floats]]:
    """Yield the log probabilities of the choices of each prompt, for each input."""
    rows = iter(logs)
    for prompted in encoded:
        # a choice is read from one row of its prompt; the other rows have NaN
        yield [
            np.nanmax([next(rows)[: len(prompt.choices)] for _ in of_prompt], axis=0)
            for prompt, of_prompt in zip(prompted.prompts, prompted.rows, strict=True)
        ]


def _probe(loaded: Loaded, tokens: int) -> None:
    """Read a batch of ``tokens`` tokens."""
    length = min(64, loaded.max_length)
    rows = [Row((0,) * length, (Read(0, length - 3, (0,) * 4),))] * max(1, tokens // length)
    _read(loaded, rows, 1)
