"""A causal language model on this machine that writes a text for each prompt."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from nextset.records.content_ids import content_id
from nextset.scoring.generative.choice_tokens import ChoiceTokenizer
from nextset.scoring.generative.thinker import Thinker, prompt_tokenizer
from nextset.scoring.generative.token_generation import end_tokens, written_tokens
from nextset.scoring.model_server.completion import CUT_OFF, Completion
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

    thinker: Thinker | None = None
    """The same model, which thinks before it writes; None if it does not think."""

    @classmethod
    def load(
        cls, source: ModelSource, scoring: ScoringSettings, model: ModelSettings, device: str | None = None
    ) -> CausalWriter:
        """Load a causal language model; raises ModelError."""
        loaded = load(source, "AutoModelForCausalLM", scoring.precision, device, model.remote_code)
        prompts = prompt_tokenizer(loaded, model)
        thinker = Thinker(loaded, prompts, scoring.server.answer_tokens) if model.thinking else None
        return cls(loaded, prompts, thinker)

    def write(self, requests: Sequence[WritingRequest]) -> list[Completion]:
        """Return the text for each request; raises ModelError if a prompt is too long.

        Each text is written by itself, from a separate seed, so that no text depends on the others. With
        thinking, the thoughts come first, in the completion too, and do not count as tokens of the text.
        """
        lengths = [len(self.prompts.ids_before(request.prompt)) + 1 for request in requests]
        self.loaded.checked(lengths, [request.prompt for request in requests])
        return [self._written(request) for request in requests]

    def _written(self, request: WritingRequest) -> Completion:
        thoughts = self.thinker.about(request.prompt, request.tokens).text if self.thinker else ""
        ids = self.prompts.ids_before(request.prompt, thoughts)
        longest = min(request.tokens, self.loaded.max_length - len(ids))
        new = written_tokens(self.loaded, ids, longest, request.temperature, _seed(request))
        ended = bool(new) and new[-1] in end_tokens(self.loaded)
        text = self.loaded.tokenizer.decode(new, skip_special_tokens=True)
        return Completion(thoughts + text, "" if ended else CUT_OFF)


def _seed(request: WritingRequest) -> int:
    """Return a seed for the prompt, with 63 bits because torch takes no more."""
    return int(content_id("written", str(request.seed), request.prompt)[:16], 16) >> 1
