"""The phrases of a file of prompts that tell a writer which words a mask takes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, ClassVar

from pydantic import BeforeValidator, Field

from nextset.files.yaml_model import EXACT, HandWritten
from nextset.files.yaml_values import WrongValue
from nextset.scoring.prompts.prompt_placeholders import PromptText, filled_prompt
from nextset.study.mask_constraint import FORMS

__all__ = ["EXAMPLES", "MaskPhrases"]

EXAMPLES = 12
"""The most words of a list that a prompt gives as examples, evenly from the whole list."""
_BETWEEN = " / "
"""The text between categories, in any language."""


def _form(value: object) -> object:
    if value not in FORMS:
        raise WrongValue(f"{value!r} is not a form", f"use {', '.join(FORMS)}")
    return value


class MaskPhrases(HandWritten):
    """The section demands of a file of prompts; a placeholder stands in braces."""

    placeholders: ClassVar[dict[str, str]] = {
        "blank": "number", "category": "categories", "within": "words", "without": "words", "like": "words",
        "unlike": "words",
    }  # fmt: skip
    """The placeholder of each phrase that has one."""

    blank: Annotated[PromptText, EXACT]
    """Before the phrases of a mask, if a sentence has several."""
    category: PromptText
    """For a mask that takes some categories of words."""
    adj: PromptText
    adv: PromptText
    noun: PromptText
    verb: PromptText
    forms: dict[Annotated[str, BeforeValidator(_form)], PromptText] = Field(default_factory=dict)
    """Names of forms, such as noun.plural; a form without a name has that of its category."""
    within: PromptText
    """For a mask that takes only the words of a list."""
    without: PromptText
    """For a mask with a list that it excludes."""
    like: PromptText
    """For a mask with words that make the claim of the template."""
    unlike: PromptText
    """For a mask with words that make the opposite claim."""

    def of_mask(
        self,
        categories: Sequence[str],
        within: Sequence[str],
        without: Sequence[str],
        like: Sequence[str],
        unlike: Sequence[str],
    ) -> str:
        """Return the phrases for a mask, with all words of ``within`` and examples of the other lists.

        Empty for a mask without constraints.
        """
        names = [self.forms.get(c) or str(getattr(self, c.partition(".")[0])) for c in categories]
        phrases = [filled_prompt(self.category, {"categories": _BETWEEN.join(names)})] if names else []
        for phrase, words in (
            (self.within, within), (self.without, _examples(without)), (self.like, _examples(like)),
            (self.unlike, _examples(unlike)),
        ):  # fmt: skip
            if words:
                phrases.append(filled_prompt(phrase, {"words": ", ".join(words)}))
        return " ".join(phrases)

    def of_sentence(self, masks: Sequence[str]) -> str:
        """Return the text for ``{demands}``, one line per mask with phrases, from the phrases of each."""
        if len(masks) == 1:
            return masks[0]
        blanks = (filled_prompt(self.blank, {"number": str(at)}) for at in range(1, len(masks) + 1))
        return "\n".join(f"{blank} {text}" for blank, text in zip(blanks, masks, strict=True) if text)


def _examples(words: Sequence[str]) -> list[str]:
    shown = min(len(words), EXAMPLES)
    return [words[at * len(words) // shown] for at in range(shown)]
