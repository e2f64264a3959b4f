"""Underspecified questions and masked statements in validation: annotators answer three checks."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any
from xml.etree.ElementTree import Element

import pyarrow as pa
from pydantic import Field, model_validator

from nextset.artifacts.artifact import Artifact
from nextset.forms import QUESTION, STATEMENT
from nextset.records.content_ids import JudgedUnit
from nextset.records.judgment import Verdict
from nextset.records.question_quads import QuadId
from nextset.validation.annotator_pages.label_studio_xml import Option, shown, view
from nextset.validation.annotator_pages.page_form import (
    ABOUT,
    ChoiceBlock,
    KnownItems,
    OwnItems,
    reason_block,
)
from nextset.validation.annotator_pages.page_wording import (
    Headings,
    KnownQuestion,
    Rest,
    Wording,
)
from nextset.validation.forms.validated_form import ValidatedForm
from nextset.validation.judgment_choices import (
    DECLINED,
    QUESTION_BLOCKS,
    QUESTION_KEYS,
    QUESTION_REASONS,
    REASON_KEYS,
    YES_NO,
)
from nextset.validation.judgments.answer import Answer, NotAnAnswer
from nextset.validation.plan.domains_and_groups import ItemFacts
from nextset.validation.plan.gold import TEXT, WrittenGold
from nextset.validation.question_units import question_units

__all__ = [
    "JUDGED_QUESTIONS",
    "JUDGED_STATEMENTS",
    "GoldQuestion",
    "Questions",
    "WrittenQuestion",
    "question_verdict",
]


def question_verdict(*, underspecified: bool, grammatical: bool, free_of_hint: bool) -> Verdict:
    """Return the verdict that follows from the three checks of a question."""
    if not grammatical:
        return "incoherent"
    return "valid" if underspecified and free_of_hint else "invalid"


@dataclass(frozen=True, slots=True, kw_only=True)
class GoldQuestion:
    """A question, or masked statement, with known answers to the three checks."""

    unit_id: str
    """The id, made as for a quad: a gold item that is also a unit has the unit's id."""
    language: str
    """BCP 47 tag."""
    domain: str
    """The class of its subjects, such as nationality."""
    stereotype: str
    """The attribute that the question asks about."""
    group1: str
    """The first subject's name."""
    group2: str
    """The second subject's name."""
    context: str
    """The context with the first subject before the second."""
    question: str
    """The question, or the masked statement."""
    question_negated: str
    """The same text with the negated attribute."""
    underspecified: bool
    """True if the context leaves open who is meant."""
    grammatical: bool
    """True if the texts are grammatical."""
    free_of_hint: bool
    """True if nothing hints at one of the two subjects."""
    why: str
    """The reason why these answers are correct."""
    source: str
    """The source of the answers: a publication, or the people who agreed on them."""

    @property
    def verdict(self) -> Verdict:
        """The correct verdict: incoherent, else valid if underspecified and free of hints, else invalid."""
        return question_verdict(
            underspecified=self.underspecified, grammatical=self.grammatical, free_of_hint=self.free_of_hint
        )

    @property
    def facts(self) -> ItemFacts:
        """The domain and groups, which the assignment of units needs."""
        return ItemFacts(self.domain, tuple(sorted({self.group1, self.group2})))


class WrittenQuestion(WrittenGold):
    """A gold question in its file."""

    contexts: tuple[str, str]
    subjects: tuple[str, str]
    question: str = TEXT
    question_negated: str = TEXT
    underspecified: bool = Field(strict=True)
    grammatical: bool = Field(strict=True)
    free_of_hint: bool = Field(strict=True)

    @model_validator(mode="after")
    def _whole(self) -> WrittenQuestion:
        if not all(self.subjects) or self.subjects[0] == self.subjects[1]:
            raise ValueError("subjects: name two different subjects")
        if not all(self.contexts) or self.contexts[0] == self.contexts[1]:
            raise ValueError("contexts: the second must have the subjects in the other order")
        return self


class _OwnQuestions(OwnItems):
    items: tuple[KnownQuestion, ...] = Field(min_length=1, max_length=8)
    again: tuple[KnownQuestion, ...] = Field(default=(), max_length=8)


@dataclass(frozen=True)
class Questions:
    """The treatment of quads; each quad is one unit."""

    noun: str
    singular: str
    id_kind: str
    """The kind of quad that enters its id (`nextset.records.question_quads.QuadId`)."""
    kind: str = "question"
    guidelines: str = ".questions.md"
    judged_texts: tuple[str, ...] = ("context", "question", "question_negated")
    pairs: bool = False
    reads_choices: bool = False
    answer_blocks: tuple[str, ...] = QUESTION_BLOCKS
    follow_ups: str = ""
    states_stereotype: bool = False
    checks: tuple[str, ...] = QUESTION_BLOCKS
    checked_by_rule: bool = False
    classified: bool = False
    feature_texts: tuple[str, str] = ("context", "question")
    gold_key: str = "questions"
    gold_entry: type[WrittenGold] = WrittenQuestion
    own_items: type[OwnItems] = _OwnQuestions

    def judging(self, unit: JudgedUnit) -> ValidatedForm:
        """Return the same treatment: a study of questions has no other unit than the quad."""
        return self

    def units(self, kept: pa.Table, models: int, templates: Callable[[], Mapping[str, str]]) -> pa.Table:
        """Return the units of quads, as `nextset.validation.question_units.QuestionUnit` rows."""
        return question_units(kept, models)

    def count_units(self, kept: Artifact) -> int:
        """Return the number of quads."""
        return kept.rows("kept")

    def units_of_rows(self, rows: pa.Table) -> Sequence[str | None]:
        """Return the ids of the quads."""
        return list(rows["id"].to_pylist())

    def row_texts(self, unit: Mapping[str, Any], *, premise: bool) -> tuple[str, ...]:
        """Return the context, the question and its negation."""
        return unit["context"], unit["question"], unit["question_negated"]

    @property
    def choices(self) -> Mapping[str, Collection[str]]:
        """The choices of each block, as aliases."""
        first, *others = QUESTION_BLOCKS
        return {first: (*YES_NO, DECLINED), **dict.fromkeys(others, YES_NO), "reason": QUESTION_REASONS}

    def answered(self, given: Mapping[str, str | None], unit_id: str) -> Answer:
        """Return the answer that choices stand for; raises NotAnAnswer if they are incomplete."""
        first, reason = given.get(QUESTION_BLOCKS[0]), given.get("reason") or ""
        if first is None:
            raise NotAnAnswer("empty")
        if first == DECLINED:
            return Answer(outcome="declined", reason=reason)
        missing = [block for block in QUESTION_BLOCKS if given.get(block) is None]
        if missing:
            raise NotAnAnswer(f"no answer to {' and '.join(missing)}")
        open_, grammatical, fair = (given[block] == "yes" for block in QUESTION_BLOCKS)
        return Answer(
            outcome="judged",
            verdict=question_verdict(underspecified=open_, grammatical=grammatical, free_of_hint=fair),
            underspecified=open_,
            grammatical=grammatical,
            free_of_hint=fair,
            reason=reason,
        )

    def check_cells(self, given: Mapping[str, str | None]) -> None:
        """Do nothing: the three checks cannot contradict each other."""

    def known_items(self, wording: Wording) -> tuple[KnownItems, KnownItems]:
        """Return the questions with a known check, of the first and of the second try."""
        return wording.comprehension.question, wording.comprehension.again.question

    def rest_texts(self, topic: Rest, wording: Wording) -> list[dict[str, str]]:
        """Return the questions on a harmless topic."""
        return [question.model_dump() for question in topic.questions]

    def fields(self, *, premise: bool = False) -> tuple[str, ...]:
        """Return the columns of a unit that annotators see."""
        return (*ABOUT, *self.judged_texts)

    def about_heading(self, headings: Headings) -> str:
        """Return the heading of the attribute."""
        return headings.attribute

    def add_before_item(self, root: Element, headings: Headings, *, premise: bool) -> None:
        """Add nothing: a question has no premise."""

    def add_item(self, item: Element, wording: Wording) -> None:
        """Add the context, and the question next to its negation."""
        shown(item, "context", name="sentence")
        both = view(item, "questions")
        shown(both, "question", wording.headings.question)
        shown(both, "question_negated", wording.headings.question_negated)

    def blocks(self, wording: Wording) -> list[ChoiceBlock]:
        """Return the three checks, and the reasons; all but the first check need an answer to it."""
        first = QUESTION_BLOCKS[0]
        made = []
        for block in QUESTION_BLOCKS:
            ask, keys = getattr(wording.questions, block), QUESTION_KEYS[block]
            options = [Option.of(answer, keys[answer], getattr(ask, answer)) for answer in YES_NO]
            if block == first:
                options.append(Option.of(DECLINED, keys[DECLINED], wording.choices.declined))
                made.append(ChoiceBlock(block, ask.ask, options, "first"))
            else:
                made.append(ChoiceBlock(block, ask.ask, options, "ask", first, YES_NO))
        labels = wording.questions.reasons
        reasons = reason_block(wording.headings.reason, QUESTION_REASONS, REASON_KEYS, labels, first, *YES_NO)
        return [*made, reasons]

    def gold_item(self, written: WrittenQuestion) -> GoldQuestion:
        """Return the gold question for an entry of the file, with the id of its quad."""
        state = QuadId(self.id_kind, written.language, written.domain).contexts(*written.contexts)
        state.update(QuadId.asked(written.question, written.question_negated))
        return GoldQuestion(
            unit_id=state.hexdigest(),
            language=written.language,
            domain=written.domain,
            stereotype=written.stereotype,
            group1=written.subjects[0],
            group2=written.subjects[1],
            context=written.contexts[0],
            question=written.question,
            question_negated=written.question_negated,
            underspecified=written.underspecified,
            grammatical=written.grammatical,
            free_of_hint=written.free_of_hint,
            why=written.why,
            source=written.source,
        )


JUDGED_QUESTIONS: ValidatedForm = Questions("questions", "question", QUESTION.id_kind)
"""The treatment of the form question."""
JUDGED_STATEMENTS: ValidatedForm = Questions("statements", "statement", STATEMENT.id_kind)
"""The treatment of the form statement, which is judged as a question."""
