"""Prompts for generative models: several wordings of one question, each with its choices.

Files of wordings are YAML; `scoring/generative/prompts/en.yaml` has nextset's own wordings.
"""

from __future__ import annotations

import functools
import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Annotated, Literal

from pydantic import Field

from nextset.errors import ModelError, StudyError
from nextset.files.yaml_model import HandWritten, read_model
from nextset.files.yaml_reader import LocatedYaml
from nextset.records.content_ids import content_id
from nextset.scoring.generative.prompt_placeholders import (
    PromptText,
    check_placeholders,
    filled_prompt,
    placeholders_of,
)
from nextset.scoring.model_server.answer_parsing import plain_choice
from nextset.scoring.scorer_protocol import Asking, Form, Pair, Question, TextQuestion, YesNoQuestion
from nextset.scoring.yes_no.answer_options import AnswerOptions, AnswerTexts, check_options

__all__ = ["AnswerWording", "Input", "NliWording", "Prompts", "QuestionWording", "Rendered", "YesNoWording",
           "own_prompts", "read_prompts", "render_prompts"]  # fmt: skip

OWN = Path(__file__).parent / "prompts" / "en.yaml"

NEEDED: dict[str, tuple[str, ...]] = {
    "nli": ("premise", "hypothesis"),
    "yes_no": ("premise", "question"),
    "question": ("context", "question"),
    "answer": ("context", "question"),
}
"""The placeholders that every wording of a section must have."""
ALLOWED = {**NEEDED, "question": (*NEEDED["question"], "subject1", "subject2")}
"""All placeholders that a wording of a section may have."""


class NliWording(HandWritten):
    """One way to ask for the label of a pair."""

    prompt: PromptText
    """The prompt, with {premise} and {hypothesis}."""
    choices: AnswerTexts


class YesNoWording(HandWritten):
    """One way to ask a yes/no question about a premise."""

    prompt: PromptText
    """The prompt, with {premise} and {question}."""
    choices: AnswerTexts


class QuestionWording(HandWritten):
    """One way to ask a question about two subjects; the choices are the subjects and ``no_answer``."""

    prompt: PromptText
    """The prompt, with {context} and {question}, and {subject1} and {subject2} if it lists the choices."""
    no_answer: PromptText
    """The choice that means: the context does not say."""


class AnswerWording(HandWritten):
    """A prompt that asks for an answer in the model's own words."""

    prompt: PromptText
    """The prompt, with {context} and {question}."""


class _File(HandWritten):
    """A file of wordings."""

    format: Literal[1]
    nli: tuple[NliWording, ...] = ()
    yes_no: tuple[YesNoWording, ...] = ()
    question: tuple[QuestionWording, ...] = ()
    answer: Annotated[tuple[AnswerWording, ...], Field(max_length=1)] = ()
    options: AnswerOptions | None = None


Wording = NliWording | YesNoWording | QuestionWording | AnswerWording
Input = Pair | YesNoQuestion | Question
"""The inputs that a model that writes can be asked about."""
SECTIONS: dict[Form, Literal["nli", "yes_no", "question", "answer"]] = {
    "nli": "nli",
    "qa": "yes_no",
    "question": "question",
    "answer": "answer",
}
"""The section of a file that has the wordings of a form."""


@dataclass(frozen=True)
class Prompts:
    """The wordings of a file."""

    file: Path
    """The file that they were read from."""
    nli: tuple[NliWording, ...]
    """For NLI pairs."""
    yes_no: tuple[YesNoWording, ...]
    """For NLI items as yes/no questions."""
    question: tuple[QuestionWording, ...]
    """For questions about two subjects."""
    answer: tuple[AnswerWording, ...]
    """For questions about a text, at most one, because texts have no mean."""
    options: AnswerOptions | None
    """The answers of yes/no questions, for models that do not write; None if the file has none."""

    def wordings(self, form: Form) -> tuple[Wording, ...]:
        """Return the wordings of ``form``; raises ModelError if there are none."""
        if form not in SECTIONS:
            raise ModelError(
                f"a generative model cannot be asked about the form {form!r}",
                remedy="choose a masked language model for statements, or ask this one about pairs or "
                "questions",
            )
        section = SECTIONS[form]
        wordings: tuple[Wording, ...] = getattr(self, section)
        if not wordings:
            raise ModelError(
                f"{self.file} has no wordings for the form {form!r}",
                remedy=f"add wordings under {section!r}, or remove scoring.prompts",
            )
        return wordings

    def only(self, form: Form, wording: int) -> Prompts:
        """Return the same with only one wording of ``form``, counted from 1; raises ModelError if missing."""
        wordings = self.wordings(form)
        if not 1 <= wording <= len(wordings):
            raise ModelError(
                f"{self.file} has no wording {wording} for the form {form!r}",
                remedy=f"choose a wording from 1 to {len(wordings)}",
            )
        return replace(self, **{SECTIONS[form]: wordings[wording - 1 : wording]})  # type: ignore[arg-type]

    def answer_prompts(self, questions: Sequence[TextQuestion]) -> list[str]:
        """Return the prompts that ask for answers in the model's own words; raises ModelError if missing."""
        (wording,) = self.wordings("answer")
        return [
            filled_prompt(wording.prompt, {"context": asked.context, "question": asked.question})
            for asked in questions
        ]

    def digest(self, form: Form) -> str:
        """Return a digest of the wordings of ``form``, regardless of the file's name and comments."""
        return content_id("prompts", *(w.model_dump_json() for w in self.wordings(form)))

    @property
    def answers(self) -> AnswerOptions:
        """The answers of yes/no questions; raises ModelError if the file has none."""
        if self.options is None:
            raise ModelError(
                f"{self.file} has no options, the answers that extractive readers and multiple-choice models "
                "choose from",
                remedy="add the section options, as in docs/how_to/generative.md, or remove scoring.prompts",
            )
        return self.options


@dataclass(frozen=True, slots=True)
class Rendered:
    """A prompt as it is sent to a model."""

    prompt: str
    """The text."""
    choices: tuple[str, str, str]
    """The answers to choose from, in the order of the columns of scores."""


@functools.cache
def own_prompts() -> Prompts:
    """Return nextset's wordings, in English."""
    return read_prompts(OWN)


def read_prompts(file: Path) -> Prompts:
    """Return the wordings in ``file``.

    Raises StudyError with file, line and remedy: for an unknown or missing placeholder, for equal choices,
    and for questions that list one subject first more often than the other.
    """
    content, located = read_model(file, _File, StudyError)
    prompts = Prompts(file, content.nli, content.yes_no, content.question, content.answer, content.options)
    for section in NEEDED:
        for i, wording in enumerate(getattr(prompts, section)):
            _check(prompts, section, wording, located.line((section, i, "prompt")))
    _check_balance(prompts, located)
    if content.options is not None:
        check_options(content.options, file, located)
    return prompts


def render_prompts(asking: Asking, inputs: Sequence[Input]) -> list[tuple[Rendered, ...]]:
    """Return each input in every wording; raises ModelError for a form without wordings."""
    wordings = (asking.prompts or own_prompts()).wordings(asking.form)
    return [tuple(_rendered(wording, x) for wording in wordings) for x in inputs]


def _rendered(wording: Wording, asked: Input) -> Rendered:
    if isinstance(wording, NliWording):
        assert isinstance(asked, Pair)
        texts = {"premise": asked.premise, "hypothesis": asked.hypothesis}
        choices = wording.choices.in_order
    elif isinstance(wording, YesNoWording):
        assert isinstance(asked, YesNoQuestion)
        texts = {"premise": asked.premise, "question": asked.question}
        choices = wording.choices.in_order
    else:
        assert isinstance(wording, QuestionWording)
        assert isinstance(asked, Question)
        first, second = asked.subjects
        texts = {"context": asked.context, "question": asked.question, "subject1": first, "subject2": second}
        choices = (first, second, wording.no_answer)
    return Rendered(filled_prompt(wording.prompt, texts), choices)


def _check(prompts: Prompts, section: str, wording: Wording, line: int | None) -> None:
    listed = {"subject1", "subject2"} & set(placeholders_of(wording.prompt))
    both = ("subject1", "subject2") if listed else ()
    check_placeholders(
        wording.prompt,
        needed=(*NEEDED[section], *both),
        allowed=ALLOWED[section],
        file=prompts.file,
        line=line,
    )
    if isinstance(wording, NliWording | YesNoWording):
        choices = [plain_choice(text) for text in wording.choices.model_dump().values()]
        if len(set(choices)) < len(choices) or "" in choices:
            raise StudyError(
                "two choices are the same, or one has no words: "
                + ", ".join(repr(text) for text in wording.choices.model_dump().values()),
                file=prompts.file,
                line=line,
                remedy="write three choices that differ in more than case and punctuation",
            )


def _check_balance(prompts: Prompts, located: LocatedYaml) -> None:
    first = [f[0] for w in prompts.question if (f := re.findall(r"\{(subject[12])\}", w.prompt))]
    if first.count("subject1") != first.count("subject2"):
        raise StudyError(
            "the number of wordings that list a subject first differs, which would bias the scores: "
            f"{first.count('subject1')} for {{subject1}}, {first.count('subject2')} for {{subject2}}",
            file=prompts.file,
            line=located.line(("question",)),
            remedy="list each subject first equally often",
        )
