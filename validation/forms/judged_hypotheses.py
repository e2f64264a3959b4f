"""NLI items in validation: a hypothesis is judged valid, invalid or incoherent, and for or against."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal, cast
from xml.etree.ElementTree import Element

import pyarrow as pa
from pydantic import Field, model_validator

from nextset.artifacts.artifact import Artifact
from nextset.records.content_ids import JudgedUnit, unit_ids
from nextset.records.judgment import Verdict
from nextset.study.stereotype_sentences import StereotypeSentences
from nextset.validation.annotator_pages.label_studio_xml import Option, shown
from nextset.validation.annotator_pages.page_form import (
    ABOUT,
    ChoiceBlock,
    KnownItems,
    OwnItems,
    reason_block,
)
from nextset.validation.annotator_pages.page_wording import (
    Headings,
    KnownSentence,
    Rest,
    Wording,
)
from nextset.validation.forms.validated_form import ValidatedForm
from nextset.validation.hypothesis_units import units
from nextset.validation.judgment_choices import (
    DECLINED,
    REASON_KEYS,
    REASONS,
    STANCE_KEYS,
    STANCES,
    VERDICT_KEYS,
    VERDICTS,
)
from nextset.validation.judgments.answer import Answer, NotAnAnswer
from nextset.validation.plan.domains_and_groups import ItemFacts
from nextset.validation.plan.gold import TEXT, WrittenGold

__all__ = ["JUDGED_HYPOTHESES", "GoldHypothesis", "Hypotheses", "WrittenHypothesis"]

_OF_UNIT = ["language", "stereotype", "bindings", "hypothesis", "stance_design"]
"""The columns of items that distinguish hypotheses."""


@dataclass(frozen=True, slots=True, kw_only=True)
class GoldHypothesis:
    """A hypothesis with a known verdict."""

    unit_id: str
    """The id, made as for a unit: a gold item that is also a unit has the unit's id."""
    language: str
    """BCP 47 tag."""
    domain: str
    """gender, race, religion, or a domain of the study's own."""
    stereotype: str
    """The stereotype's name."""
    group1: str
    """The first of the two groups in the order of their code points."""
    group2: str
    """The other group."""
    hypothesis: str
    premise: str
    """The premise that is shown; may be empty if the study shows no premises."""
    verdict: Verdict
    """The correct verdict."""
    stance: Literal["pro", "anti"] | None
    """The stance of a valid hypothesis; null for the others."""
    why: str
    """The reason why the verdict is correct."""
    source: str
    """The source of the verdict: a publication, or the people who agreed on it."""
    pro_sentence: str | None = None
    """The stereotype as a sentence; null if the file does not state it."""
    anti_sentence: str | None = None
    """Its opposite as a sentence; null if the file does not state it."""

    @property
    def facts(self) -> ItemFacts:
        """The domain and groups, which the assignment of units needs."""
        return ItemFacts(self.domain, (self.group1, self.group2))


class WrittenHypothesis(WrittenGold):
    """A gold hypothesis in its file."""

    hypothesis: str = TEXT
    premise: str = Field("", max_length=10_000)
    groups: tuple[str, str]
    verdict: Verdict
    stance: Literal["pro", "anti"] | None = None
    sentences: StereotypeSentences | None = None

    @model_validator(mode="after")
    def _whole(self) -> WrittenHypothesis:
        if not all(self.groups) or self.groups[0] == self.groups[1]:
            raise ValueError("groups: name two different groups")
        if (self.verdict == "valid") != (self.stance is not None):
            raise ValueError("stance: a valid hypothesis needs one, and no other hypothesis may have one")
        return self


class _OwnSentences(OwnItems):
    items: tuple[KnownSentence, ...] = Field(min_length=1, max_length=8)
    again: tuple[KnownSentence, ...] = Field(default=(), max_length=8)


@dataclass(frozen=True)
class Hypotheses:
    """The treatment of NLI items; all items with one hypothesis are one unit, or each premise with it is."""

    noun: str = "hypotheses"
    singular: str = "hypothesis"
    unit: JudgedUnit = "hypothesis"
    kind: str = "nli"
    guidelines: str = ".md"
    judged_texts: tuple[str, ...] = ("hypothesis",)
    answer_blocks: tuple[str, ...] = ("verdict", "stance")
    follow_ups: str = "more"
    states_stereotype: bool = True
    reads_choices: bool = False
    checks: tuple[str, ...] = ()
    checked_by_rule: bool = True
    classified: bool = True
    feature_texts: tuple[str, str] = ("stereotype", "hypothesis")
    gold_key: str = "hypotheses"
    gold_entry: type[WrittenGold] = WrittenHypothesis
    own_items: type[OwnItems] = _OwnSentences

    @property
    def pairs(self) -> bool:
        """True if each premise is judged with its hypothesis."""
        return self.unit == "pair"

    def judging(self, unit: JudgedUnit) -> ValidatedForm:
        """Return the treatment with this unit."""
        if unit == "hypothesis":
            return self
        return replace(self, unit=unit, noun="pairs", singular="pair", judged_texts=("hypothesis", "premise"))

    def units(self, kept: pa.Table, models: int, templates: Callable[[], Mapping[str, str]]) -> pa.Table:
        """Return the units of NLI items, as `nextset.validation.hypothesis_units.Unit` rows."""
        return units(kept, models, templates(), unit=self.unit)

    def count_units(self, kept: Artifact) -> int:
        """Return the number of units; only the columns that distinguish them are read."""
        columns = [*_OF_UNIT, "premise"] if self.pairs else _OF_UNIT
        tables = (kept.piece(shard, columns) for shard in kept.shards_of("kept"))
        return len({unit_id for rows in tables for unit_id in self.units_of_rows(rows)} - {None})

    def units_of_rows(self, rows: pa.Table) -> Sequence[str | None]:
        """Return the unit_id of each item; None for test items, which are not judged."""
        stances = rows["stance_design"].to_pylist()
        return [None if s == "test" else u for u, s in zip(unit_ids(rows, self.unit), stances, strict=True)]

    def row_texts(self, unit: Mapping[str, Any], *, premise: bool) -> tuple[str, ...]:
        """Return the hypothesis, after its premise if people read it."""
        return (unit["premise"], unit["hypothesis"]) if premise or self.pairs else (unit["hypothesis"],)

    @property
    def choices(self) -> Mapping[str, Collection[str]]:
        """The choices of each block, as aliases."""
        return {"verdict": (*VERDICTS, DECLINED), "stance": STANCES, "reason": REASONS}

    def answered(self, given: Mapping[str, str | None], unit_id: str) -> Answer:
        """Return the answer that choices stand for; raises NotAnAnswer if they are incomplete."""
        verdict, reason = given.get("verdict"), given.get("reason") or ""
        if verdict is None:
            raise NotAnAnswer("empty")
        if verdict == DECLINED:
            return Answer(outcome="declined", reason=reason)
        stance = given.get("stance") if verdict == "valid" else None
        if verdict == "valid" and stance is None:
            raise NotAnAnswer("valid without a stance")
        return Answer(
            outcome="judged",
            verdict=cast("Verdict", verdict),
            stance=cast("Literal['pro', 'anti'] | None", stance),
            reason=reason,
        )

    def check_cells(self, given: Mapping[str, str | None]) -> None:
        """Raise NotAnAnswer if cells contradict each other; a declined row may keep its other answers."""
        verdict = given["verdict"]
        if verdict == "valid" and given["reason"]:
            raise NotAnAnswer("valid, but with a reason for not being valid")
        if verdict in ("invalid", "incoherent") and given["stance"]:
            raise NotAnAnswer(f"{verdict}, but with a stance")

    def known_items(self, wording: Wording) -> tuple[KnownItems, KnownItems]:
        """Return the sentences with a known verdict, of the first and of the second try."""
        return wording.comprehension.nli, wording.comprehension.again.nli

    def rest_texts(self, topic: Rest, wording: Wording) -> list[dict[str, str]]:
        """Return the sentences on a harmless topic."""
        return [{"hypothesis": text, "premise": ""} for text in topic.texts]

    def fields(self, *, premise: bool = False) -> tuple[str, ...]:
        """Return the columns of a unit that annotators see."""
        return (*ABOUT, *(("premise",) if premise or self.pairs else ()), "hypothesis")

    def about_heading(self, headings: Headings) -> str:
        """Return the heading of the stereotype."""
        return headings.stereotype

    def add_before_item(self, root: Element, headings: Headings, *, premise: bool) -> None:
        """Add the premise, if people read it."""
        if premise or self.pairs:
            shown(root, "premise", headings.premise, "premise")

    def add_item(self, item: Element, wording: Wording) -> None:
        """Add the hypothesis."""
        shown(item, "hypothesis", name="sentence")

    def blocks(self, wording: Wording) -> list[ChoiceBlock]:
        """Return the verdict, the stance of a valid hypothesis, and the reasons for the other verdicts."""
        words, heads = wording.choices, wording.headings
        verdicts = [Option.of(v, VERDICT_KEYS[v], getattr(words, v)) for v in (*VERDICTS, DECLINED)]
        stances = [Option.of(s, STANCE_KEYS[s], getattr(words, s)) for s in STANCES]
        wrong = ("invalid", "incoherent")
        return [
            ChoiceBlock("verdict", heads.verdict, verdicts, "first", heading_inside=False),
            ChoiceBlock("stance", heads.stance, stances, "then", "verdict", ("valid",)),
            reason_block(heads.reason, REASONS, REASON_KEYS, wording.reasons, "verdict", *wrong),
        ]

    def gold_item(self, written: WrittenHypothesis) -> GoldHypothesis:
        """Return the gold hypothesis for an entry of the file, with the id of its unit."""
        group1, group2 = sorted(written.groups)
        row = {
            "language": written.language,
            "stereotype": written.stereotype,
            "premise": written.premise,
            "hypothesis": written.hypothesis,
            "bindings": {"group1": group1, "group2": group2},
        }
        return GoldHypothesis(
            unit_id=unit_ids(pa.Table.from_pylist([row]), self.unit)[0],
            language=written.language,
            domain=written.domain,
            stereotype=written.stereotype,
            group1=group1,
            group2=group2,
            hypothesis=written.hypothesis,
            premise=written.premise,
            verdict=written.verdict,
            stance=written.stance,
            why=written.why,
            source=written.source,
            pro_sentence=written.sentences.pro if written.sentences else None,
            anti_sentence=written.sentences.anti if written.sentences else None,
        )


JUDGED_HYPOTHESES: ValidatedForm = Hypotheses()
"""The treatment of the form nli."""
