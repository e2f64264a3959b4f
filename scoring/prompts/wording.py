"""Wordings: the ways to ask a question with a prompt, and the wordings of a file by form."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Annotated, Any, ClassVar

from nextset.errors import ModelError
from nextset.files.yaml_model import EXACT, HandWritten
from nextset.forms import FormName
from nextset.records.content_ids import content_id
from nextset.scoring.prompts.answer_options import AnswerOptions
from nextset.scoring.prompts.prompt_placeholders import PromptText, filled_prompt
from nextset.scoring.prompts.rendered_prompt import Rendered
from nextset.study.scoring_settings import Rotations

__all__ = ["Prompts", "Wording", "WordingSection"]


class Wording(HandWritten):
    """One way to ask about the inputs of a form."""

    needed: ClassVar[tuple[str, ...]] = ()
    """The placeholders that every prompt must have."""
    listed: ClassVar[tuple[str, ...]] = ()
    """The placeholders of the choices: a prompt has all of them or none."""
    most: ClassVar[int | None] = None
    """The maximum number of wordings in a file; None if there is none."""
    abstention: ClassVar[int | None] = None
    """The place of the choice that means: the text does not say; None if it is none of the choices."""

    prompt: Annotated[PromptText, EXACT]

    def texts(self, asked: Any) -> Mapping[str, str]:
        """Return the text of each placeholder for the input ``asked``."""
        raise NotImplementedError

    def choices_of(self, asked: Any) -> tuple[str, ...]:
        """Return the answers to choose from, in the order of the columns of scores; may be empty."""
        return ()

    def rendered(self, asked: Any, rotations: Rotations) -> tuple[Rendered, ...]:
        """Return the prompts about the input ``asked``: by default one, with its choices in one order."""
        text = filled_prompt(self.prompt, self.texts(asked))
        return (Rendered(text, self.choices_of(asked), self.abstention),)

    @property
    def fixed_choices(self) -> tuple[str, ...]:
        """The answers that are the same for every input."""
        return ()


@dataclass(frozen=True)
class WordingSection:
    """The wordings of a form in a file."""

    name: str
    """The section of the file."""
    wordings: tuple[Wording, ...]
    """The wordings; empty if the file has none."""


@dataclass(frozen=True)
class Prompts:
    """The wordings of a file."""

    file: Path
    """The file that they were read from."""
    sections: Mapping[FormName, WordingSection]
    """The wordings of each form that models that write can be asked about."""
    options: AnswerOptions | None
    """The answers of yes/no questions, for models that do not write; None if the file has none."""

    def wordings(self, form: FormName) -> tuple[Wording, ...]:
        """Return the wordings of ``form``; raises ModelError if there are none."""
        if form not in self.sections:
            raise ModelError(
                f"a generative model cannot be asked about the form {form!r}",
                remedy="choose a masked language model for statements, or ask this one about pairs or "
                "questions",
            )
        section = self.sections[form]
        if not section.wordings:
            raise ModelError(
                f"{self.file} has no wordings for the form {form!r}",
                remedy=f"add wordings under {section.name!r}, or remove scoring.prompts",
            )
        return section.wordings

    def having(self, form: FormName, wordings: Sequence[Wording]) -> Prompts:
        """Return the same with ``wordings`` for ``form``."""
        section = replace(self.sections[form], wordings=tuple(wordings))
        return replace(self, sections={**self.sections, form: section})

    def only(self, form: FormName, wording: int) -> Prompts:
        """Return the same with only one wording of ``form``, counted from 1; raises ModelError if missing."""
        wordings = self.wordings(form)
        if not 1 <= wording <= len(wordings):
            raise ModelError(
                f"{self.file} has no wording {wording} for the form {form!r}",
                remedy=f"choose a wording from 1 to {len(wordings)}",
            )
        return self.having(form, wordings[wording - 1 : wording])

    def written(self, form: FormName, inputs: Sequence[Any]) -> list[str]:
        """Return the prompts of ``inputs`` in the one wording of ``form``; raises ModelError if missing."""
        (wording,) = self.wordings(form)
        return [filled_prompt(wording.prompt, wording.texts(asked)) for asked in inputs]

    def digest(self, form: FormName) -> str:
        """Return a digest of the wordings of ``form``, regardless of the file's name and comments."""
        return content_id("prompts", *(w.model_dump_json() for w in self.wordings(form)))

    @property
    def answers(self) -> AnswerOptions:
        """The answers of yes/no questions; raises ModelError if the file has none."""
        if self.options is None:
            raise ModelError(
                f"{self.file} has no options, the answers that extractive readers and multiple-choice models "
                "choose from",
                remedy="add the section options, as in docs/how_to/local_generative.md, or remove "
                "scoring.prompts",
            )
        return self.options
