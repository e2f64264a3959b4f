"""Choice items in validation: the marked answer is judged, or annotators answer the question themselves."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, cast
from xml.etree.ElementTree import Element

import pyarrow as pa
import pyarrow.compute as pc
from pydantic import Field, model_validator

from nextset.artifacts.artifact import Artifact
from nextset.errors import StudyError
from nextset.records.content_ids import JudgedUnit
from nextset.records.judgment import Verdict
from nextset.validation.annotator_pages.label_studio_xml import Option, shown, view
from nextset.validation.annotator_pages.page_form import (
    ABOUT,
    ChoiceBlock,
    KnownItems,
    OwnItems,
    reason_block,
)
from nextset.validation.annotator_pages.page_wording import Headings, KnownChoice, Rest, Wording
from nextset.validation.choice_units import (
    LETTERS,
    choice_unit_id,
    choice_units,
    right_letter,
    shown_options,
    unit_ids_of,
)
from nextset.validation.forms.validated_form import ValidatedForm
from nextset.validation.judgment_choices import (
    ANSWER_KEYS,
    CHOICE_REASONS,
    DECLINED,
    KNOWN_KEYS,
    NOT_KNOWN,
    REASON_KEYS,
    VERDICT_KEYS,
    VERDICTS,
    YES_NO,
)
from nextset.validation.judgments.answer import Answer, NotAnAnswer
from nextset.validation.plan.domains_and_groups import ItemFacts
from nextset.validation.plan.gold import TEXT, WrittenGold

__all__ = ["JUDGED_CHOICES", "Choices", "GoldChoice", "WrittenChoice"]

_OF_UNIT = ["language", "category", "context", "question", "options", "label"]
"""The columns of items that distinguish units."""
_INCOHERENT = "incoherent"
_OPTIONS = 3
"""The number of options of the items that annotators can answer."""


@dataclass(frozen=True, slots=True, kw_only=True)
class GoldChoice:
    """A question with options and a known verdict."""

    unit_id: str
    """The id, made as for a unit: a gold item that is also a unit has the unit's id."""
    language: str
    """BCP 47 tag."""
    domain: str
    """The category, such as age."""
    stereotype: str
    """The stereotype that the question is about."""
    group1: str
    """The first group in the order of their code points."""
    group2: str
    """The other group."""
    context: str
    """The context."""
    question: str
    """The question."""
    options: str
    """The options, one per line, each after its letter."""
    right_answer: str
    """The option that is marked as right."""
    verdict: Verdict
    """The correct verdict: valid if the marked answer is right."""
    why: str
    """The reason why the verdict is correct."""
    source: str
    """The source of the verdict: a publication, or the people who agreed on it."""

    @property
    def facts(self) -> ItemFacts:
        """The domain and groups, which the assignment of units needs."""
        return ItemFacts(self.domain, (self.group1, self.group2))


class WrittenChoice(WrittenGold):
    """A gold question with options in its file."""

    context: str = TEXT
    question: str = TEXT
    options: tuple[str, ...] = Field(min_length=3, max_length=len(LETTERS))
    right: str = TEXT
    groups: tuple[str, str]
    verdict: Verdict

    @model_validator(mode="after")
    def _whole(self) -> WrittenChoice:
        if not all(self.groups) or self.groups[0] == self.groups[1]:
            raise ValueError("groups: name two different groups")
        if not all(self.options) or len(set(self.options)) < len(self.options):
            raise ValueError("options: write each option once")
        if self.right not in self.options:
            raise ValueError("right: it must be one of the options")
        return self


class _OwnChoices(OwnItems):
    items: tuple[KnownChoice, ...] = Field(min_length=1, max_length=8)
    again: tuple[KnownChoice, ...] = Field(default=(), max_length=8)


@dataclass(frozen=True)
class Choices:
    """The treatment of choice items; all orders of the options are one unit."""

    noun: str = "questions"
    singular: str = "question"
    answers: bool = False
    """True if annotators answer the question, False if they judge the marked answer."""
    pairs: bool = False
    reads_choices: bool = True
    states_stereotype: bool = False
    checks: tuple[str, ...] = ()
    checked_by_rule: bool = False
    classified: bool = False
    feature_texts: tuple[str, str] = ("context", "question")
    gold_key: str = "choices"
    gold_entry: type[WrittenGold] = WrittenChoice
    own_items: type[OwnItems] = _OwnChoices

    @property
    def kind(self) -> str:
        """The name of the page: choice, or answer."""
        return "answer" if self.answers else "choice"

    @property
    def guidelines(self) -> str:
        """The ending of the files of guidelines."""
        return ".answers.md" if self.answers else ".choices.md"

    @property
    def judged_texts(self) -> tuple[str, ...]:
        """The columns whose texts differ from unit to unit."""
        return ("context", "question", "options", *(() if self.answers else ("right_answer",)))

    @property
    def answer_blocks(self) -> tuple[str, ...]:
        """The blocks of choices without the reasons."""
        return ("answer",) if self.answers else ("verdict", "known")

    @property
    def follow_ups(self) -> str:
        """The class of the place for the blocks after the first."""
        return "more"

    def judging(self, unit: JudgedUnit) -> ValidatedForm:
        """Return the treatment with this unit: with answer, annotators answer the question."""
        return replace(self, answers=unit == "answer")

    def units(self, kept: pa.Table, models: int, templates: Callable[[], Mapping[str, str]]) -> pa.Table:
        """Return the units of choice items, as `nextset.validation.choice_units.ChoiceUnit` rows.

        Raises StudyError if annotators should answer items with more than three options.
        """
        made = choice_units(kept, models)
        many = pc.sum(pc.greater(made["n_options"], _OPTIONS)).as_py()
        if self.answers and many:
            raise StudyError(
                f"validate.unit: answer is for questions with three options; questions with more: {many:,}",
                remedy="write unit: hypothesis, so that people judge the marked answer",
            )
        return made

    def count_units(self, kept: Artifact) -> int:
        """Return the number of units; only the columns that distinguish them are read."""
        tables = (kept.piece(shard, _OF_UNIT) for shard in kept.shards_of("kept"))
        return len({unit_id for rows in tables for unit_id in unit_ids_of(rows)})

    def units_of_rows(self, rows: pa.Table) -> Sequence[str | None]:
        """Return the unit_id of each item."""
        return unit_ids_of(rows)

    def row_texts(self, unit: Mapping[str, Any], *, premise: bool) -> tuple[str, ...]:
        """Return the context, the question, the options and the right one."""
        return unit["context"], unit["question"], unit["options"], unit["right_answer"]

    @property
    def choices(self) -> Mapping[str, Collection[str]]:
        """The choices of each block, as aliases."""
        if self.answers:
            return {"answer": (*LETTERS[:_OPTIONS], _INCOHERENT, DECLINED), "reason": CHOICE_REASONS}
        return {"verdict": (*VERDICTS, DECLINED), "known": YES_NO, "reason": CHOICE_REASONS}

    def answered(self, given: Mapping[str, str | None], unit_id: str) -> Answer:
        """Return the answer that choices stand for; raises NotAnAnswer if they are incomplete.

        A chosen option is valid if it is the right one, else invalid. A valid answer to a stereotype that is
        not known is invalid, with `NOT_KNOWN` as its reason.
        """
        first, reason = given.get(self.answer_blocks[0]), given.get("reason") or ""
        if first is None:
            raise NotAnAnswer("empty")
        if first == DECLINED:
            return Answer(outcome="declined", reason=reason)
        if first in LETTERS:
            first = "valid" if first == right_letter(unit_id) else "invalid"
        elif first == "valid":
            if given.get("known") is None:
                raise NotAnAnswer("valid without an answer to known")
            if given["known"] == "no":
                first, reason = "invalid", NOT_KNOWN
        return Answer(outcome="judged", verdict=cast("Verdict", first), reason=reason)

    def check_cells(self, given: Mapping[str, str | None]) -> None:
        """Raise NotAnAnswer if cells contradict each other; a declined row may keep its other answers."""
        verdict = given.get("verdict")
        if verdict == "valid" and given["reason"]:
            raise NotAnAnswer("valid, but with a reason for not being valid")
        if verdict in ("invalid", "incoherent") and given["known"]:
            raise NotAnAnswer(f"{verdict}, but with an answer to known")

    def known_items(self, wording: Wording) -> tuple[KnownItems, KnownItems]:
        """Return questions with a marked answer: those for quads that ask who is meant, marked as unknown."""
        first, again = wording.comprehension.question, wording.comprehension.again.question
        unknown = wording.choice_items.unknown
        return KnownChoice.all_of(first, unknown), KnownChoice.all_of(again, unknown)

    def rest_texts(self, topic: Rest, wording: Wording) -> list[dict[str, str]]:
        """Return the questions on a harmless topic, with its two groups and unknown as options."""
        unknown = wording.choice_items.unknown
        made = []
        for asked in topic.questions:
            options = shown_options("0" * 8 + asked.question, [*topic.groups, unknown], unknown)
            texts = {"context": asked.context, "question": asked.question, "options": options}
            made.append({**texts, "right_answer": unknown})
        return made

    def fields(self, *, premise: bool = False) -> tuple[str, ...]:
        """Return the columns of a unit that annotators see; people who answer do not see the stereotype."""
        return ("unit_id", *self.judged_texts) if self.answers else (*ABOUT, *self.judged_texts)

    def about_heading(self, headings: Headings) -> str:
        """Return the heading of the stereotype."""
        return headings.stereotype

    def add_before_item(self, root: Element, headings: Headings, *, premise: bool) -> None:
        """Add nothing: a question has no premise."""

    def add_item(self, item: Element, wording: Wording) -> None:
        """Add the context, the question, the options, and the answer that is marked as right."""
        words = wording.choice_items
        shown(item, "context", name="sentence")
        asked = view(item, "asked")
        shown(asked, "question", wording.headings.question)
        shown(asked, "options", words.options)
        if not self.answers:
            shown(asked, "right_answer", words.right)

    def blocks(self, wording: Wording) -> list[ChoiceBlock]:
        """Return the answer, or the verdict and whether the stereotype is known, and the reasons."""
        words, heads = wording.choice_items, wording.headings
        declined = Option.of(DECLINED, VERDICT_KEYS[DECLINED], wording.choices.declined)
        if self.answers:
            letters = [Option(a, ANSWER_KEYS[a], a.upper()) for a in LETTERS[:_OPTIONS]]
            nonsense = Option.of(_INCOHERENT, ANSWER_KEYS[_INCOHERENT], words.incoherent)
            first = ChoiceBlock("answer", words.answer, [*letters, nonsense, declined], "first")
            wrong: tuple[str, ...] = (_INCOHERENT,)
            more = [first]
        else:
            verdicts = [Option.of(v, VERDICT_KEYS[v], getattr(words, v)) for v in VERDICTS]
            first = ChoiceBlock("verdict", words.verdict, [*verdicts, declined], "first")
            known = [Option.of(x, KNOWN_KEYS[x], getattr(words.known, x)) for x in YES_NO]
            wrong = ("invalid", "incoherent")
            more = [first, ChoiceBlock("known", words.known.ask, known, "then", "verdict", ("valid",))]
        reasons = reason_block(heads.reason, CHOICE_REASONS, REASON_KEYS, words.reasons, first.name, *wrong)
        return [*more, reasons]

    def gold_item(self, written: WrittenChoice) -> GoldChoice:
        """Return the gold question for an entry of the file, with the id of its unit."""
        group1, group2 = sorted(written.groups)
        unit_id = choice_unit_id(
            written.language,
            written.domain,
            written.context,
            written.question,
            written.options,
            written.right,
        )
        return GoldChoice(
            unit_id=unit_id,
            language=written.language,
            domain=written.domain,
            stereotype=written.stereotype,
            group1=group1,
            group2=group2,
            context=written.context,
            question=written.question,
            options=shown_options(unit_id, written.options, written.right),
            right_answer=written.right,
            verdict=written.verdict,
            why=written.why,
            source=written.source,
        )


JUDGED_CHOICES: ValidatedForm = Choices()
"""The treatment of the form choice."""
