"""The wording of the page in a language, from a file that comes with nextset or the study's own."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Annotated, Literal

from pydantic import Field, field_validator, model_validator

from nextset.errors import StudyError
from nextset.files.file_search import check_ending
from nextset.files.regular_file import has_file
from nextset.files.yaml_model import ForPeople, read_model
from nextset.files.yaml_reader import Location
from nextset.records.judgment import Verdict
from nextset.validation.annotator_pages.gateway_page_wording import SessionPageWords
from nextset.validation.judgments.unsafe_text import text_problem

__all__ = [
    "Ask",
    "ChoiceItemWords",
    "Comprehension",
    "GateWords",
    "JudgingWords",
    "KnownChoice",
    "KnownQuestion",
    "KnownSentence",
    "Label",
    "Rest",
    "SecondTry",
    "Wording",
    "load_wording",
    "wording_file",
]

OURS = Path(__file__).parent

Words = Annotated[str, Field(min_length=1, max_length=300)]
Sentence = Annotated[str, Field(min_length=1, max_length=2000)]
Pair = tuple[Words, Words]


class Label(ForPeople):
    """A choice: the text of its button, and the hint below it in small letters."""

    label: Words
    hint: Words


class Ask(ForPeople):
    """A question with the answers yes and no."""

    ask: Words
    """The question."""
    yes: Label
    no: Label


class WithoutSession(ForPeople):
    """The texts in the guidelines if study.yaml has no section validate.session."""

    consent: Sentence
    support: Sentence


class Titles(ForPeople):
    """The titles of the projects on the server, which the other annotators see too."""

    gate: Words
    retry: Words
    """The title of the second page of the gate, for people who have to try again."""
    work: Words
    adjudication: Words


class Headings(ForPeople):
    """The headings of the parts of the page."""

    stereotype: Words
    opposite: Words
    """The heading of the stereotype's opposite."""
    groups: Words
    domain: Words
    premise: Words
    sentence: Words
    context: Words
    question: Words
    question_negated: Words
    attribute: Words
    votes: Words
    verdict: Words
    stance: Words
    reason: Words
    comment: Words
    comment_keys: Words
    """The keys that go to the comment, and leave it."""
    submit: Words
    support: Words


class Choices(ForPeople):
    """The choices for a sentence."""

    valid: Label
    invalid: Label
    incoherent: Label
    declined: Label
    """The choice of an annotator who leaves the item to others."""
    pro: Label
    anti: Label


class Reasons(ForPeople):
    """The reasons why a sentence is invalid or incoherent."""

    neither_group: Words
    other_stereotype: Words
    only_fact: Words
    grammar: Words
    hard_to_tell: Words


class QuestionReasons(ForPeople):
    """The reasons why something is wrong with a question."""

    known_facts: Words
    odd_wording: Words
    hard_to_tell: Words


class Questions(ForPeople):
    """The yes/no questions about an underspecified question."""

    underspecified: Ask
    grammatical: Ask
    free_of_hint: Ask
    reasons: QuestionReasons


class ChoiceReasons(ForPeople):
    """The reasons why a question with options is invalid or incoherent."""

    wrong_answer: Words
    several_answers: Words
    not_known: Words
    grammar: Words
    hard_to_tell: Words


class ChoiceItemWords(ForPeople):
    """The texts of the pages for questions with options."""

    options: Words
    """The heading of the options."""
    right: Words
    """The heading of the option that is marked as right."""
    unknown: Words
    """The option that the answer cannot be known, in items that are not the study's."""
    verdict: Words
    """The question about the marked answer."""
    valid: Label
    invalid: Label
    incoherent: Label
    known: Ask
    """The question whether people know the stereotype."""
    answer: Words
    """The question which of the options is right, for annotators who answer themselves."""
    reasons: ChoiceReasons


class JudgingWords(ForPeople):
    """The texts of the gateway's script on the labelling page, which the script receives as JSON."""

    label: Words
    """The name of the region of the page, for screen readers."""
    progress: Words
    """The progress in this batch: {done} is the number of the item, from 1, and {of} that of the last one."""
    undo: Words
    """The button that goes back to the last answer."""
    go_on: Words
    """The button that goes from an earlier answer to the waiting item."""
    guidelines: Words
    """The button that opens the guidelines, with the text that people agreed to."""
    close: Words
    """The button that closes them."""
    not_saved: Words
    """The message if the server did not accept an answer."""
    last_key: Words
    """The text that explains how to submit an item with a keyboard."""
    last_tap: Words
    """The text that explains how to submit an item without a keyboard."""
    submit: Words
    """The button that submits an answer."""
    skip: Words
    """The button that skips an item. Without the gateway, it is called Skip, as Label Studio calls it."""
    update: Words
    """The button that saves a changed answer."""

    @field_validator("progress")
    @classmethod
    def _both_numbers(cls, progress: str) -> str:
        if not all(progress.count(number) == 1 for number in ("{done}", "{of}")):
            raise ValueError("it must contain {done} and {of} once each")
        return progress


class GateWords(ForPeople):
    """The texts of the gate page."""

    warning: Words
    """The heading of the content warning."""
    agreement: Words
    """The heading of the text that people agree to."""
    again: Sentence
    """The text at the top of the second page: why there is a second try, and that there is no third."""
    check: Words
    """The heading of the comprehension items."""
    domains: Words
    """The heading of the domains that can be declined."""
    domains_hint: Words
    consent: Words
    """The heading of the last choice."""
    agree: Label
    disagree: Label
    required: Words
    """The message if an answer was submitted with an item left open."""


class KnownSentence(ForPeople):
    """A sentence with a known verdict."""

    stereotype: Sentence
    """The stereotype as a sentence."""
    opposite: Sentence | None = None
    """Its opposite as a sentence; without one, the page shows the hint of the choice anti."""
    groups: Pair
    domain: Words
    text: Sentence
    verdict: Verdict
    """The verdict according to the guidelines."""
    stance: Literal["pro", "anti"] | None
    """The stance of a valid sentence; null for all others."""
    why: Sentence
    """The reason for this verdict."""

    @model_validator(mode="after")
    def _stance_where_valid(self) -> KnownSentence:
        if (self.verdict == "valid") != (self.stance is not None):
            raise ValueError("a valid sentence needs a stance, and no other sentence may have one")
        return self


class KnownQuestion(ForPeople):
    """A question with a known answer to one of the checks."""

    context: Sentence
    question: Sentence
    asks: Literal["underspecified", "grammatical", "free_of_hint"]
    """The check that is asked about."""
    answer: Literal["yes", "no"]
    """The answer according to the guidelines."""
    why: Sentence
    """The reason for this answer."""


class KnownChoice(ForPeople):
    """A question with a marked answer that is known to be right or wrong."""

    context: Sentence
    question: Sentence
    marked: Sentence
    """The answer that is marked as right."""
    answer: Literal["yes", "no"]
    """yes if the marked answer is right."""
    why: Sentence
    """The reason."""

    @classmethod
    def all_of(cls, questions: Sequence[KnownQuestion], unknown: str) -> tuple[KnownChoice, ...]:
        """Return those of ``questions`` that ask who is meant, with ``unknown`` as the marked answer."""
        return tuple(
            cls(context=q.context, question=q.question, marked=unknown, answer=q.answer, why=q.why)
            for q in questions
            if q.asks == "underspecified"
        )


class SecondTry(ForPeople):
    """The items for people who answered too many of the first items incorrectly."""

    nli: tuple[KnownSentence, ...] = Field(min_length=1, max_length=8)
    question: tuple[KnownQuestion, ...] = Field(min_length=1, max_length=8)


class Comprehension(ForPeople):
    """The items of the comprehension check on the gate page."""

    nli: tuple[KnownSentence, ...] = Field(min_length=1, max_length=8)
    question: tuple[KnownQuestion, ...] = Field(min_length=1, max_length=8)
    again: SecondTry
    """The different items of the second page."""


class RestQuestion(ForPeople):
    """A question on a harmless topic."""

    context: Sentence
    question: Sentence
    question_negated: Sentence


class Rest(ForPeople):
    """Rest items on one harmless topic, judged on the same page as the other items."""

    domain: Words
    stereotype: Sentence
    """The harmless stereotype that the sentences are judged against."""
    opposite: Sentence | None = None
    """Its opposite as a sentence; without one, the page shows the hint of the choice anti."""
    groups: Pair
    texts: tuple[Sentence, ...] = Field(min_length=1)
    questions: tuple[RestQuestion, ...] = Field(min_length=1)


class Wording(ForPeople):
    """A file with all texts of the page in one language."""

    language: Words
    """BCP 47 tag."""
    direction: Literal["ltr", "rtl"]
    """The direction of the page: ltr from left to right, rtl from right to left."""
    checked_by: str | None
    """The native speaker who checked the file; null if it is unchecked."""
    warning: Annotated[str, Field(min_length=20, max_length=2000)]
    """The content warning."""
    without_session: WithoutSession
    titles: Titles
    headings: Headings
    choices: Choices
    required: Words
    """The message on the labelling page if an item was submitted without an answer."""
    reasons: Reasons
    questions: Questions
    choice_items: ChoiceItemWords
    judging: JudgingWords
    gate: GateWords
    comprehension: Comprehension
    rest: tuple[Rest, ...] = Field(min_length=1)
    pages: SessionPageWords
    """The texts of the gateway's pages."""

    @field_validator("language")
    @classmethod
    def _tag(cls, language: str) -> str:
        if not re.fullmatch(r"[A-Za-z]{2,8}(-[A-Za-z0-9]{1,8})*", language):
            raise ValueError("not a language tag such as en or pt-BR")
        return language


def load_wording(language: str, folder: Path | None) -> Wording:
    """Return the wording for items in ``language``: from ``folder`` if it has one, else nextset's own.

    Raises StudyError, naming the file to write, if neither exists.
    """
    path = wording_file(language, ".yaml", folder)
    wording, located = read_model(path, Wording, StudyError)
    if wording.language.lower() != path.stem.lower():
        raise StudyError(
            f"the file is named {path.stem!r}, but its language is {wording.language!r}",
            file=path,
            line=located.line(("language",)),
            remedy="rename the file, or correct the language",
        )
    for at, text in _texts(wording.model_dump(), ()):
        if wrong := text_problem(text):
            line = located.line(at)
            raise StudyError(f"a text {wrong} ({text[:40]!a})", file=path, line=line, remedy="remove it")
    return wording


def wording_file(language: str, ending: str, folder: Path | None) -> Path:
    """Return the file ``<language><ending>`` of ``folder``, or nextset's own; pt-BR falls back to pt.

    ``ending`` is .yaml, or the ending of guidelines. Raises StudyError if there is none, and for .yml or .MD.
    """
    for file in sorted(folder.glob("*")) if folder else ():
        check_ending(file, {".yaml", ".md"}, StudyError)
    ours = OURS / ("wording" if ending == ".yaml" else "guidelines")
    for place in filter(None, (folder, ours)):
        for name in dict.fromkeys((language, language.split("-")[0])):
            path = _named(place, name, ending)
            if has_file(path, StudyError):
                return path
    where = folder or Path("wording")
    raise StudyError(
        f"nextset has no page wording in the language {language!r}",
        file=_named(where, language, ending),
        remedy=f"write this file like {_named(ours, 'en', ending)}, in the folder that "
        "validate.session.wording in study.yaml names",
    )


def _named(folder: Path, language: str, ending: str) -> Path:
    kind = ending[1:].rpartition(".")[0]  # questions in .questions.md
    return folder / (f"{kind}.{language}.md" if kind else f"{language}{ending}")


def _texts(value: object, at: Location) -> Iterator[tuple[Location, str]]:
    """Yield every text with its location in the file."""
    if isinstance(value, str):
        yield at, value
    elif isinstance(value, dict):
        for name, inner in value.items():
            yield from _texts(inner, (*at, name))
    elif isinstance(value, list | tuple):
        for i, inner in enumerate(value):
            yield from _texts(inner, (*at, i))
