"""An encoder-decoder model as a scorer: it computes the log probabilities of a few answers."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from nextset.array_types import Floats
from nextset.errors import ModelError
from nextset.scoring.asking import Asking
from nextset.scoring.batches import Budget, budget_of, check_finite, in_batches
from nextset.scoring.forms.scored_form import SCORED_FORMS
from nextset.scoring.generative.choice_tokens import ChoiceTokenizer
from nextset.scoring.generative.prompt_fitting import fitted
from nextset.scoring.models.loading import Loaded
from nextset.scoring.models.precision_pair import PrecisionPair
from nextset.scoring.models.sources import ModelSource
from nextset.scoring.prompt_numbers import prompt_numbers, shares_of_logs
from nextset.scoring.prompt_wordings import render_prompts
from nextset.scoring.prompts.rendered_prompt import Rendered
from nextset.scoring.scorer_protocol import Numbers
from nextset.study.model_key import model_setting

__all__ = ["EncodedPrompt", "PromptsForEncoder", "Seq2SeqScorer"]

Tokens = tuple[int, ...]


@dataclass(frozen=True, slots=True)
class EncodedPrompt:
    """A prompt as the encoder reads it, and its choices as the decoder does."""

    ids: Tokens
    """The tokens of the prompt, with the special tokens of the tokenizer."""
    choices: tuple[Tokens, ...]
    """The tokens of each choice, up to and including the end of the text."""

    @property
    def size(self) -> int:
        """The number of tokens that the model reads."""
        return len(self.ids) + sum(map(len, self.choices))


@dataclass(frozen=True, slots=True)
class PromptsForEncoder:
    """An input with all its prompts."""

    encoded: tuple[EncodedPrompt, ...]
    truncated: bool
    """True if the premise or context was cut."""
    prompts: tuple[Rendered, ...]
    """The prompts with their choices."""

    @property
    def longest(self) -> int:
        """The number of tokens of the longest text that the encoder or the decoder reads."""
        return max(len(ids) for prompt in self.encoded for ids in (prompt.ids, *prompt.choices))


@dataclass(frozen=True)
class Seq2SeqScorer:
    """A loaded encoder-decoder model such as T5, asked in the same wordings as a causal language model.

    A choice's score is the probability that the decoder writes it and then ends, divided by the sum for all
    choices. Scores are means over the prompts of an input. A system message comes before each prompt, with a
    blank line.
    """

    precisions: PrecisionPair
    """Model, tokenizer and device, and the model in float32."""
    asking: Asking
    """The form, and the wordings."""
    budget: Budget
    """Tokens per batch."""

    @classmethod
    def load(cls, source: ModelSource, asking: Asking, device: str | None = None) -> Seq2SeqScorer:
        """Load an encoder-decoder model; raises ModelError, also for a form that it cannot be asked about."""
        render_prompts(asking, ())
        if asking.model.thinking:
            raise ModelError(
                f"{source.name} is an encoder-decoder model, which cannot be told to think",
                remedy=f"let it answer at once {model_setting(source.name, 'thinking: false')}",
            )
        precisions = PrecisionPair.load(source, "AutoModelForSeq2SeqLM", asking, device)
        loaded = precisions.quick
        return cls(precisions, asking, budget_of(loaded, lambda tokens: _probe(loaded, tokens)))

    @property
    def columns(self) -> tuple[str, ...]:
        """The numbers of the form; no_answer is the choice with that meaning."""
        return SCORED_FORMS[self.asking.form].numbers

    def reworded(self, asking: Asking) -> Seq2SeqScorer:
        """Return the same model for a different form or wordings; raises ModelError if there are none."""
        render_prompts(asking, ())
        return replace(self, asking=asking)

    def encoded(self, inputs: Sequence[Any]) -> Sequence[PromptsForEncoder]:
        """Return the inputs in every wording; raises ModelError for those that are too long, unless the
        study says to cut them."""
        return fitted(inputs, self._prompted, self.precisions.quick, self.asking.model)

    def scores(self, encoded: Sequence[PromptsForEncoder]) -> Numbers:
        """Return the scores of each input; raises ModelError if a score is not finite."""
        return self._batched(self.precisions.quick, encoded)

    def exact(self, encoded: Sequence[PromptsForEncoder]) -> Numbers:
        """Return the scores of each input in float32; raises ModelError like `scores`."""
        return self._batched(self.precisions.exact(), encoded)

    def alone(self, encoded: Sequence[PromptsForEncoder]) -> Numbers:
        """Return the scores of each input in float32, with every prompt read by itself."""
        return self._batched(self.precisions.exact(), encoded, Budget(1))

    def _batched(
        self, loaded: Loaded, encoded: Sequence[PromptsForEncoder], budget: Budget | None = None
    ) -> Numbers:
        prompts = [prompt for one in encoded for prompt in one.encoded]
        choices = max((len(prompt.choices) for prompt in prompts), default=0)
        logs = in_batches(
            [prompt.size for prompt in prompts],
            choices,
            budget or self.budget,
            lambda batch: _read(loaded, [prompts[i] for i in batch], choices),
            loaded.name,
        )
        numbers, rows = np.empty((len(encoded), len(self.columns))), iter(logs)
        for n, one in enumerate(encoded):
            shares = [shares_of_logs(next(rows)[: len(prompt.choices)]) for prompt in one.prompts]
            numbers[n] = prompt_numbers(self.asking.form, one.prompts, shares, one.truncated)
        return numbers

    def _prompted(self, inputs: Sequence[Any], truncated: bool) -> list[PromptsForEncoder]:
        rendered = render_prompts(self.asking, inputs)
        encoded = iter(self._tokens([prompt for of_input in rendered for prompt in of_input]))
        return [PromptsForEncoder(tuple(next(encoded) for _ in one), truncated, one) for one in rendered]

    def _tokens(self, prompts: Sequence[Rendered]) -> list[EncodedPrompt]:
        """Return the prompts as tokens; raises ModelError if two choices have the same tokens."""
        loaded = self.precisions.quick
        template = ChoiceTokenizer(loaded.name, loaded.tokenizer, self.asking.model.system_prompt)
        encoded = loaded.tokenizer.backend_tokenizer.encode_batch(
            [template.before(p.prompt) for p in prompts]
        )
        texts = list(dict.fromkeys(choice for p in prompts for choice in p.choices))
        targets = loaded.tokenizer(text_target=texts).input_ids if texts else []
        tokens = dict(zip(texts, map(tuple, targets), strict=True))
        for prompt in prompts:
            if len({tokens[choice] for choice in prompt.choices}) < len(prompt.choices):
                raise ModelError(
                    f"two of the choices {', '.join(prompt.choices)} have the same tokens in {loaded.name}",
                    remedy="choose a model whose tokenizer knows all letters of the choices, or reword them",
                )
        return [
            EncodedPrompt(tuple(e.ids), tuple(tokens[choice] for choice in p.choices))
            for p, e in zip(prompts, encoded, strict=True)
        ]


def _read(loaded: Loaded, prompts: Sequence[EncodedPrompt], choices: int) -> Numbers:
    """Return the log probability of each prompt's choices, shape (prompts, choices); NaN for those that it
    does not have.

    The encoder reads each prompt once, for all choices.
    """
    import torch
    from transformers.modeling_outputs import BaseModelOutput

    device, each = loaded.device, torch.tensor([len(p.choices) for p in prompts], device=loaded.device)
    ids, mask = (part.to(device) for part in _padded([p.ids for p in prompts]))
    labels, written = (part.to(device) for part in _padded([c for p in prompts for c in p.choices]))
    with torch.inference_mode():
        states = loaded.model.get_encoder()(input_ids=ids, attention_mask=mask).last_hidden_state
        # padding comes last, where the decoder does not look; -100 stands for it in transformers
        targets = labels.masked_fill(written == 0, -100)
        logits = loaded.model(
            encoder_outputs=BaseModelOutput(last_hidden_state=states.repeat_interleave(each, dim=0)),
            attention_mask=mask.repeat_interleave(each, dim=0),
            decoder_input_ids=loaded.model.prepare_decoder_input_ids_from_labels(labels=targets),
            use_cache=False,
        ).logits.float()
        logs = logits.gather(2, labels[:, :, None])[:, :, 0].double() - logits.logsumexp(dim=2).double()
        summed: Floats = (logs * written).sum(dim=1).cpu().numpy()
    check_finite(loaded, summed)
    of_prompts: Numbers = np.full((len(prompts), choices), np.nan)
    of_prompts[np.arange(choices) < each.cpu().numpy()[:, None]] = summed
    return of_prompts


def _padded(rows: Sequence[Tokens]) -> tuple[Any, Any]:
    """Return the rows padded with 0 on the right, and 1 for each token that is not padding."""
    import torch

    width = max(map(len, rows))
    ids = torch.tensor([[*row, *[0] * (width - len(row))] for row in rows])
    return ids, torch.tensor([[1] * len(row) + [0] * (width - len(row)) for row in rows])


def _probe(loaded: Loaded, tokens: int) -> None:
    """Read a batch of ``tokens`` tokens."""
    length = min(64, loaded.max_length)
    prompt = EncodedPrompt((0,) * (length - 4), ((0,) * 4,))
    _read(loaded, [prompt] * max(1, tokens // length), 1)
