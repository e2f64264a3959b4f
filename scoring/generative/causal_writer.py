"""A causal language model on this machine that writes a text for each prompt."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from nextset.records.content_ids import content_id
from nextset.scoring.generative.choice_tokens import ChoiceTokenizer
from nextset.scoring.model_server.completion import CUT_OFF, Completion
from nextset.scoring.models.library_errors import library_errors
from nextset.scoring.models.loading import Loaded, load
from nextset.scoring.models.sources import ModelSource
from nextset.scoring.writer_protocol import WritingRequest
from nextset.study.scoring_settings import ModelSettings, ScoringSettings

__all__ = ["CausalWriter"]


@dataclass(frozen=True)
class CausalWriter:
    """A loaded causal language model that writes."""

    loaded: Loaded
    """Model, tokenizer and device."""
    prompts: ChoiceTokenizer
    """The tokenizer, which puts prompts into its chat template."""

    @classmethod
    def load(
        cls, source: ModelSource, scoring: ScoringSettings, model: ModelSettings, device: str | None = None
    ) -> CausalWriter:
        """Load a causal language model; raises ModelError."""
        loaded = load(source, "AutoModelForCausalLM", scoring.precision, device, model.remote_code)
        return cls(loaded, ChoiceTokenizer(loaded.name, loaded.tokenizer))

    def write(self, requests: Sequence[WritingRequest]) -> list[Completion]:
        """Return the text for each request; raises ModelError if a prompt is too long.

        Each text is written by itself, from a separate seed, so that no text depends on the others.
        """
        ids = [self.prompts.ids_before(request.prompt) for request in requests]
        self.loaded.checked([len(one) + 1 for one in ids], [request.prompt for request in requests])
        failed = library_errors(f"{self.loaded.name} cannot write", "choose a different model")
        with failed:
            return [self._written(*one) for one in zip(requests, ids, strict=True)]

    def _written(self, request: WritingRequest, ids: Sequence[int]) -> Completion:
        import torch
        import transformers

        longest = min(request.tokens, self.loaded.max_length - len(ids))
        ends = self._ends()
        sampling: dict[str, Any] = {"do_sample": False}
        if request.temperature > 0:
            # all tokens can be drawn, regardless of the limits in the model's own generation_config
            sampling = {"do_sample": True, "temperature": request.temperature, "top_k": 0, "top_p": 1.0}
        config = transformers.GenerationConfig(
            max_new_tokens=longest,
            eos_token_id=ends or None,
            pad_token_id=ends[0] if ends else 0,
            **sampling,
        )  # type: ignore[no-untyped-call]
        device = self.loaded.device
        read = torch.tensor([ids], device=device)
        with torch.inference_mode(), torch.random.fork_rng([device] if device.type == "cuda" else []):
            torch.manual_seed(_seed(request))
            output = self.loaded.model.generate(
                read, attention_mask=torch.ones_like(read), generation_config=config
            )
        new = output[0, len(ids) :].tolist()
        ended = bool(new) and new[-1] in ends
        text = self.loaded.tokenizer.decode(new, skip_special_tokens=True)
        return Completion(text, "" if ended else CUT_OFF)

    def _ends(self) -> list[int]:
        """Return the tokens that end a text: the model's, else the tokenizer's."""
        own = getattr(self.loaded.model.generation_config, "eos_token_id", None)
        own = self.loaded.tokenizer.eos_token_id if own is None else own
        if own is None:
            return []
        return list(own) if isinstance(own, list) else [own]


def _seed(request: WritingRequest) -> int:
    """Return a seed for the prompt, with 63 bits because torch takes no more."""
    return int(content_id("written", str(request.seed), request.prompt)[:16], 16) >> 1
