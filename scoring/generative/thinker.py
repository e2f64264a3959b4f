"""The thoughts that a language model on this machine writes before its answer is scored."""

from __future__ import annotations

import functools
from collections import OrderedDict
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from nextset.errors import ModelError
from nextset.scoring.generative.choice_tokens import ChoiceTokenizer
from nextset.scoring.generative.token_generation import end_tokens, written_tokens
from nextset.scoring.prompts.thought_tags import open_thoughts, thoughts_end
from nextset.study.model_key import model_setting

if TYPE_CHECKING:
    from nextset.scoring.asking import Asking
    from nextset.scoring.models.loading import Loaded
    from nextset.study.scoring_settings import ModelSettings

__all__ = ["Thinker", "Thoughts", "prompt_tokenizer", "thinkers_of"]

KEPT = 2000
"""The number of prompts whose thoughts stay in memory, so that a second scoring does not think again."""
AFTER = "\n\n"
"""The text between the end of the thoughts and the answer, as chat templates write it."""
CHECKED = 16
"""The number of last tokens in which the end of the thoughts is looked for after each token."""


def prompt_tokenizer(loaded: Loaded, model: ModelSettings) -> ChoiceTokenizer:
    """Return the tokenizer of ``loaded`` with the system message and thinking that ``model`` asks for."""
    return ChoiceTokenizer(loaded.name, loaded.tokenizer, model.system_prompt, bool(model.thinking))


@dataclass(frozen=True, slots=True)
class Thoughts:
    """What a model wrote before its answer."""

    text: str
    """The text between prompt and answer, including the tag that ends the thoughts; empty for a model that
    did not think."""
    tokens: int
    """The number of tokens that the model wrote."""
    cut_off: bool
    """True if the thoughts reached the limit and were ended there."""


@dataclass(frozen=True)
class Thinker:
    """A loaded causal language model that thinks about prompts, with thinking on in its chat template.

    It always takes the likeliest token and reads each prompt by itself, so that the thoughts depend only on
    the model, its precision and the prompt.
    """

    loaded: Loaded
    """Model, tokenizer and device."""
    prompts: ChoiceTokenizer
    """The tokenizer, which puts prompts into its chat template."""
    limit: int
    """The most tokens of the thoughts about a prompt."""
    kept: OrderedDict[str, Thoughts] = field(default_factory=OrderedDict, compare=False, repr=False)
    """The thoughts about the last prompts."""

    def __post_init__(self) -> None:
        if not self.prompts.chat:
            raise ModelError(
                f"{self.loaded.name} has no chat template, so it cannot be told to think",
                remedy=f"let it answer at once {model_setting(self.loaded.name, 'thinking: false')}",
            )

    def about(self, prompt: str, room: int = 0) -> Thoughts:
        """Return the thoughts about ``prompt``; ``room`` tokens stay free for the answer after them.

        Thoughts that reach the limit are ended with their own closing tag. Raises ModelError if the model
        cannot write.
        """
        if prompt not in self.kept:
            self.kept[prompt] = self._thought(prompt, room)
            while len(self.kept) > KEPT:
                self.kept.popitem(last=False)
        return self.kept[prompt]

    def _thought(self, prompt: str, room: int) -> Thoughts:
        before, ids = self.prompts.before(prompt), self.prompts.ids_before(prompt)
        most = min(self.limit, self.loaded.max_length - len(ids) - room)
        new = self._written(ids, most) if most > 0 else []
        text = self.loaded.tokenizer.decode(new, skip_special_tokens=False)
        end = thoughts_end(text)
        if end is not None:
            return Thoughts(text[:end] + AFTER, len(new), cut_off=False)
        closing = open_thoughts(before + text)
        if closing is None:
            return Thoughts("", len(new), cut_off=False)
        return Thoughts(f"{text.rstrip()}\n{closing}{AFTER}", len(new), cut_off=True)

    def _written(self, ids: Sequence[int], most: int) -> list[int]:
        """Return the model's tokens, at most ``most``, up to the end of its thoughts or its text."""
        decode = self.loaded.tokenizer.decode

        def ended(new: Sequence[int]) -> bool:
            return thoughts_end(decode(new[-CHECKED:], skip_special_tokens=False)) is not None

        new = written_tokens(self.loaded, ids, most, ended=ended)
        return new[:-1] if new and new[-1] in end_tokens(self.loaded) else new


def thinkers_of(prompts: ChoiceTokenizer, asking: Asking) -> Callable[[Loaded], Thinker] | None:
    """Return a function from a loaded model to its only thinker; None if ``asking`` does not ask to think.

    Raises ModelError when it is called, for a model without a chat template.
    """
    if not asking.model.thinking:
        return None
    return functools.cache(lambda loaded: Thinker(loaded, prompts, asking.server.answer_tokens))
