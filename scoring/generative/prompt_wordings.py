"""Prompts for generative models: several wordings of one question, and the choices of each.

Files of wordings are YAML; `scoring/generative/prompts/en.yaml` is nextset's own.
"""

from __future__ import annotations

import functools
import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

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
from nextset.scoring.scorer_protocol import Asking, Pair, Question

__all__ = ["NliChoices", "NliWording", "Prompts", "QuestionWording", "Rendered", "own_prompts",
           "read_prompts", "render_prompts"]  # fmt: skip

OWN = Path(__file__).parent / "prompts" / "en.yaml"

NEEDED: dict[str, tuple[str, ...]] = {
    "nli": ("premise", "hypothesis"),
    "question": ("context", "question"),
}
"""The placeholders that every wording of a form has."""
ALLOWED = {**NEEDED, "question": (*NEEDED["question"], "subject1", "subject2")}
"""All that it may have."""


class NliChoices(HandWritten):
    """The answers to an NLI wording."""

    entailment: PromptText
    neutral: PromptText
    contradiction: PromptText


class NliWording(HandWritten):
    """One way to ask for the label of a pair."""

    prompt: PromptText
    """With {premise} and {hypothesis}."""
    choices: NliChoices


class QuestionWording(HandWritten):
    """One way to ask a question about two subjects; the choices are the subjects and ``no_answer``."""

    prompt: PromptText
    """With {context} and {question}, and with {subject1} and {subject2} if it lists the choices."""
    no_answer: PromptText
    """The choice that means: the context does not say."""


class _File(HandWritten):
    """A file of wordings."""

    format: Literal[1]
    nli: tuple[NliWording, ...] = ()
    question: tuple[QuestionWording, ...] = ()


@dataclass(frozen=True)
class Prompts:
    """The wordings of a file."""

    file: Path
    """The file that they were read from."""
    nli: tuple[NliWording, ...]
    """For NLI pairs."""
    question: tuple[QuestionWording, ...]
    """For questions about two subjects."""

    @property
    def digest(self) -> str:
        """Content hash: equal wordings have an equal digest, regardless of the file's name and comments."""
        return content_id("prompts", *(w.model_dump_json() for w in (*self.nli, *self.question)))


@dataclass(frozen=True, slots=True)
class Rendered:
    """A prompt as it is sent to a model."""

    prompt: str
    """The text."""
    choices: tuple[str, str, str]
    """The answers that it may give, in the order of the columns of scores."""


@functools.cache
def own_prompts() -> Prompts:
    """nextset's wordings, in English."""
    return read_prompts(OWN)


def read_prompts(file: Path) -> Prompts:
    """The wordings in ``file``.

    Raises StudyError with file, line and remedy: for a placeholder that is unknown or missing, equal
    choices, and questions that list one subject first more often than the other.
    """
    found, located = read_model(file, _File, StudyError)
    prompts = Prompts(file, found.nli, found.question)
    for form in NEEDED:
        for i, wording in enumerate(getattr(prompts, form)):
            _check(prompts, form, wording, located.line((form, i, "prompt")))
    _check_balance(prompts, located)
    return prompts


def render_prompts(asking: Asking, inputs: Sequence[Pair | Question]) -> list[tuple[Rendered, ...]]:
    """Each input in every wording; raises ModelError for a form that has none."""
    prompts = asking.prompts or own_prompts()
    wordings: tuple[NliWording | QuestionWording, ...]
    wordings = prompts.nli if asking.form == "nli" else prompts.question
    if asking.form == "statement":
        raise ModelError(
            f"a generative model cannot be asked about the form {asking.form!r}",
            remedy="choose a masked language model for statements, or use this one for pairs or questions",
        )
    if not wordings:
        raise ModelError(
            f"{prompts.file} has no wordings for the form {asking.form!r}",
            remedy=f"add wordings under {asking.form!r}, or remove scoring.prompts",
        )
    return [tuple(_rendered(wording, x) for wording in wordings) for x in inputs]


def _rendered(wording: NliWording | QuestionWording, asked: Pair | Question) -> Rendered:
    if isinstance(wording, NliWording):
        assert isinstance(asked, Pair)
        texts = {"premise": asked.premise, "hypothesis": asked.hypothesis}
        c = wording.choices
        choices = (c.entailment, c.neutral, c.contradiction)
    else:
        assert isinstance(asked, Question)
        first, second = asked.subjects
        texts = {"context": asked.context, "question": asked.question, "subject1": first, "subject2": second}
        choices = (first, second, wording.no_answer)
    return Rendered(filled_prompt(wording.prompt, texts), choices)


def _check(prompts: Prompts, form: str, wording: NliWording | QuestionWording, line: int | None) -> None:
    listed = {"subject1", "subject2"} & set(placeholders_of(wording.prompt))
    both = ("subject1", "subject2") if listed else ()
    check_placeholders(
        wording.prompt,
        needed=(*NEEDED[form], *both),
        allowed=ALLOWED[form],
        file=prompts.file,
        line=line,
    )
    if isinstance(wording, NliWording):
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
            f"{{subject1}} is listed first in {first.count('subject1')} wordings and {{subject2}} in "
            f"{first.count('subject2')}: the position in the list would bias the scores",
            file=prompts.file,
            line=located.line(("question",)),
            remedy="list each of them first equally often",
        )
