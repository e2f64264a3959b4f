"""A prompt and its choices as tokens: the rows that a model reads, and the tokens of each choice."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from nextset.errors import ModelError
from nextset.scoring.prompts.rendered_prompt import Rendered

__all__ = ["ChoiceTokenizer", "Read", "Row"]

Tokens = tuple[int, ...]

SAME_DAY = (
    "{%- macro strftime_now(format) -%}"
    "{{ '2024-07-26' if format == '%Y-%m-%d' else '26 Jul 2024' }}{%- endmacro -%}"
)
"""A macro put before chat templates, so that those that write the date give the same prompt every day."""


@dataclass(frozen=True, slots=True)
class Read:
    """A choice in a row; its log probability is the sum over ``tokens``, which begin at ``start``."""

    choice: int
    """The choice's place among the choices."""
    start: int
    """The first position that belongs to the choice, not to the prompt."""
    tokens: Tokens
    """The choice's tokens from ``start`` on."""


@dataclass(frozen=True, slots=True)
class Row:
    """Tokens that a model reads once, and the choices that are read from its output."""

    ids: Tokens
    """Prompt and choice without the last token, because nothing is predicted from the last token."""
    reads: tuple[Read, ...]
    """The choices whose tokens, without the last one, are the row or its beginning."""


@dataclass(frozen=True)
class ChoiceTokenizer:
    """A tokenizer that puts prompts into its chat template, if it has one, and appends the choices."""

    name: str
    """The model's name, for error messages."""
    tokenizer: Any
    """A fast tokenizer."""
    system: str = ""
    """The system message before each prompt; empty for none."""
    thinking: bool = False
    """True if the chat template is told to let the model think."""

    @property
    def chat(self) -> bool:
        """True if the tokenizer has a chat template."""
        return self.tokenizer.chat_template is not None

    def rows(self, prompts: Sequence[Rendered], thoughts: Sequence[str] = ()) -> list[tuple[Row, ...]]:
        """Return the rows that the model reads for each prompt, with its ``thoughts`` if there are some.

        Prompt and choice are tokenised together. A choice's tokens begin at the first difference between the
        texts (the prompt by itself, and with each choice), so that a token across the border counts for
        all choices. Raises ModelError if two choices have the same tokens.
        """
        written = thoughts or [""] * len(prompts)
        texts = [
            text for p, thought in zip(prompts, written, strict=True) for text in self._texts(p, thought)
        ]
        encoded = self.tokenizer.backend_tokenizer.encode_batch(texts, add_special_tokens=not self.chat)
        rest = iter(encoded)
        groups = [[_without_end(next(rest)) for _ in range(len(p.choices) + 1)] for p in prompts]
        return [self._rows(p, group) for p, group in zip(prompts, groups, strict=True)]

    def ids_before(self, prompt: str, thoughts: str = "") -> Tokens:
        """Return the tokens of the text before an answer."""
        encoded = self.tokenizer.backend_tokenizer.encode(
            self.before(prompt, thoughts), add_special_tokens=not self.chat
        )
        return _without_end(encoded)

    def before(self, prompt: str, thoughts: str = "") -> str:
        """Return the text before an answer: the prompt, in the chat template if there is one, and
        ``thoughts``.

        The system message comes first: as a message of its own, or, if the template does not accept one, at
        the beginning of the user's message. Without a template, it is the text before the prompt. A blank
        line separates it from the prompt.
        """
        together = f"{self.system}\n\n{prompt}" if self.system else prompt
        if not self.chat:
            return together + thoughts
        user = {"role": "user", "content": prompt}
        if self.system and self._accepts_system():
            return self._templated([{"role": "system", "content": self.system}, user]) + thoughts
        return self._templated([{**user, "content": together}]) + thoughts

    def _accepts_system(self) -> bool:
        """Return True if the chat template writes a system message into the prompt."""
        messages = [{"role": "system", "content": self.system}, {"role": "user", "content": "Hello."}]
        try:
            return self.system.strip() in self._templated(messages)
        except ModelError:
            return False

    def _templated(self, messages: list[dict[str, str]]) -> str:
        from jinja2 import TemplateError

        try:
            text: str = self.tokenizer.apply_chat_template(
                messages,
                tokenize=False,
                add_generation_prompt=True,
                enable_thinking=self.thinking,
                chat_template=SAME_DAY + self.tokenizer.get_chat_template(),
            )
        except (TemplateError, TypeError, ValueError) as e:
            raise ModelError(
                f"the chat template of {self.name} does not accept a single user message: {e}",
                remedy="correct it in a copy of the model, or choose a different model",
            ) from None
        return text

    def _texts(self, prompt: Rendered, thoughts: str) -> list[str]:
        """Return the prompt by itself, and with each choice."""
        before = self.before(prompt.prompt, thoughts)
        space = "" if self.chat or before[-1:].isspace() else " "
        # if one choice is a prefix of another (Niger, Nigeria), a line end distinguishes them
        pairs = itertools.permutations(prompt.choices, 2)
        end = "\n" if any(b.startswith(a) for a, b in pairs) else ""
        return [before, *(before + space + choice + end for choice in prompt.choices)]

    def _rows(self, prompt: Rendered, ids: list[Tokens]) -> tuple[Row, ...]:
        _, *wholes = ids
        if len(set(wholes)) < len(wholes):
            raise ModelError(
                f"two of the choices {', '.join(prompt.choices)} have the same tokens in {self.name}",
                remedy="choose a model whose tokenizer knows all letters of the choices, or reword them",
            )
        start = _shared(ids)
        if start == 0:
            raise ModelError(
                f"in {self.name}, all tokens of a prompt depend on the choice that follows it",
                remedy="choose a model whose tokenizer splits texts into words",
            )
        contexts = {whole[:-1] for whole in wholes}
        longest = sorted(a for a in contexts if not any(b[: len(a)] == a for b in contexts - {a}))
        home = {a: next(b for b in longest if b[: len(a)] == a) for a in contexts}
        reads = [(home[whole[:-1]], Read(i, start, whole[start:])) for i, whole in enumerate(wholes)]
        return tuple(Row(row, tuple(read for at, read in reads if at == row)) for row in longest)


def _shared(ids: Sequence[Tokens]) -> int:
    """Return the number of tokens at the start that all texts have in common."""
    same = itertools.takewhile(lambda column: len(set(column)) == 1, zip(*ids, strict=False))
    return sum(1 for _ in same)


def _without_end(encoding: Any) -> Tokens:
    """Return the tokens without special tokens at the end, because a choice is not the end of a text."""
    end = len(encoding.ids)
    while end and encoding.special_tokens_mask[end - 1]:
        end -= 1
    return tuple(encoding.ids[:end])
