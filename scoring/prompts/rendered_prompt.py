"""A prompt as it is sent to a model, and what its choices stand for."""

from __future__ import annotations

from dataclasses import dataclass, field

__all__ = ["Rendered"]


@dataclass(frozen=True, slots=True)
class Rendered:
    """A prompt as it is sent to a model.

    Prompts with the same text and the same choices are equal, whatever the input that they ask about.
    """

    prompt: str
    choices: tuple[str, ...]
    """The answers to choose from, in the order in which the prompt lists them."""
    abstention: int | None = None
    """The place of the choice that means: the text does not say. An abstention is that choice; None if it is
    none of the choices."""
    options: tuple[str, ...] = ()
    """The options that the choices stand for, if an answer may also give an option in a different way: by its
    letter, its text, or its text without an article (`nextset.scoring.prompts.option_reading`)."""
    letters: tuple[str, ...] = ()
    """The letters of the options in the prompt; empty without letters."""
    places: tuple[int, ...] = field(default=(), compare=False)
    """The number of the input that the share of each choice is; empty if the choices are in the order of the
    numbers."""
    wording: int = field(default=1, compare=False)
    """The number of the wording, from 1."""
    order: int | None = field(default=None, compare=False)
    """The number of the order in which the choices are listed, from 0; None if there is one order."""

    def shown(self, choice: int) -> str:
        """Return the text of a choice, or of the option that it stands for."""
        return (self.options or self.choices)[choice]
