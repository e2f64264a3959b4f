"""Gold items: hypotheses or questions with a known verdict, from a hand-written file."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Annotated, Literal

import pyarrow as pa
from pydantic import Field, model_validator

from nextset.errors import JudgmentError
from nextset.files.yaml_model import HandWritten, read_model
from nextset.files.yaml_reader import LocatedYaml
from nextset.files.yaml_values import written_as
from nextset.records.content_ids import unit_ids
from nextset.records.judgment import Verdict
from nextset.records.question_quads import QuadId
from nextset.validation.judgments.unsafe_text import text_problem
from nextset.validation.plan.domains_and_groups import ItemFacts

__all__ = ["GoldHypothesis", "GoldItem", "GoldQuestion", "read_gold"]

Text = Field(min_length=1, max_length=10_000)


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
    """The stereotype as a sentence."""
    group1: str
    """The first of the two groups in the order of their code points."""
    group2: str
    """The other group."""
    hypothesis: str
    """The text."""
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

    @property
    def facts(self) -> ItemFacts:
        """The domain and groups, which the assignment of units needs."""
        return ItemFacts(self.domain, (self.group1, self.group2))


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
        if not self.grammatical:
            return "incoherent"
        return "valid" if self.underspecified and self.free_of_hint else "invalid"

    @property
    def facts(self) -> ItemFacts:
        """The domain and groups, which the assignment of units needs."""
        return ItemFacts(self.domain, tuple(sorted({self.group1, self.group2})))


GoldItem = GoldHypothesis | GoldQuestion


def read_gold(
    path: Path, form: Literal["nli", "question", "statement"], *, premise: bool = False
) -> tuple[GoldItem, ...]:
    """Return the gold items in ``path`` that have the study's form, in the order of the file.

    With ``premise`` each hypothesis needs a premise, so that gold items look like all others. Raises
    JudgmentError, with the line, for a mistake such as a repeated item, or if no item has that form.
    """
    written, located = read_model(path, _GoldFile, JudgmentError)
    key = "hypotheses" if form == "nli" else "questions"
    items: tuple[GoldItem, ...] = (
        tuple(_hypothesis(item) for item in written.hypotheses)
        if form == "nli"
        else tuple(_question(item, "quad" if form == "question" else "masked") for item in written.questions)
    )
    if not items:
        raise JudgmentError(
            f"there are no gold items under {key}, the form that this study judges",
            file=path,
            line=1,
            remedy=f"add some under {key}, or remove validate.session.gold",
        )
    _check(items, path, located, key, premise)
    return items


def _check(items: tuple[GoldItem, ...], path: Path, located: LocatedYaml, key: str, premise: bool) -> None:
    first: dict[str, int | None] = {}
    for i, item in enumerate(items):
        line = located.line((key, i))
        if item.unit_id in first:
            where = first[item.unit_id]
            raise JudgmentError(
                f"{key}.{i} repeats the item in line {where}",
                file=path,
                line=line,
                remedy="keep only one of the two",
            )
        first[item.unit_id] = line
        for name, text in asdict(item).items():
            if isinstance(text, str) and (wrong := text_problem(text)):
                raise JudgmentError(
                    f"{key}.{i}: its {name} {wrong} ({text[:40]!a})",
                    file=path,
                    line=line,
                    remedy="remove it",
                )
        if premise and isinstance(item, GoldHypothesis) and not item.premise:
            raise JudgmentError(
                f"{key}.{i} has no premise, but this study shows premises: it would be recognised as gold",
                file=path,
                line=line,
                remedy="add 'premise'",
            )


class _Written(HandWritten):
    language: Annotated[str, written_as(r"[A-Za-z]{2,8}(-[A-Za-z0-9]{1,8})*", "en")]
    domain: str = Text
    stereotype: str = Text
    why: str = Text
    source: str = Text


class _Hypothesis(_Written):
    hypothesis: str = Text
    premise: str = Field("", max_length=10_000)
    groups: tuple[str, str]
    verdict: Verdict
    stance: Literal["pro", "anti"] | None = None

    @model_validator(mode="after")
    def _whole(self) -> _Hypothesis:
        if not all(self.groups) or self.groups[0] == self.groups[1]:
            raise ValueError("groups: name two different groups")
        if (self.verdict == "valid") != (self.stance is not None):
            raise ValueError("stance: a valid hypothesis needs one, and no other hypothesis may have one")
        return self


class _Question(_Written):
    contexts: tuple[str, str]
    subjects: tuple[str, str]
    question: str = Text
    question_negated: str = Text
    underspecified: bool = Field(strict=True)
    grammatical: bool = Field(strict=True)
    free_of_hint: bool = Field(strict=True)

    @model_validator(mode="after")
    def _whole(self) -> _Question:
        if not all(self.subjects) or self.subjects[0] == self.subjects[1]:
            raise ValueError("subjects: name two different subjects")
        if not all(self.contexts) or self.contexts[0] == self.contexts[1]:
            raise ValueError("contexts: the second must have the subjects in the other order")
        return self


class _GoldFile(HandWritten):
    hypotheses: tuple[_Hypothesis, ...] = ()
    questions: tuple[_Question, ...] = ()


def _hypothesis(item: _Hypothesis) -> GoldHypothesis:
    group1, group2 = sorted(item.groups)
    row = {
        "language": item.language,
        "stereotype": item.stereotype,
        "hypothesis": item.hypothesis,
        "bindings": {"group1": group1, "group2": group2},
    }
    return GoldHypothesis(
        unit_id=unit_ids(pa.Table.from_pylist([row]))[0],
        language=item.language,
        domain=item.domain,
        stereotype=item.stereotype,
        group1=group1,
        group2=group2,
        hypothesis=item.hypothesis,
        premise=item.premise,
        verdict=item.verdict,
        stance=item.stance,
        why=item.why,
        source=item.source,
    )


def _question(item: _Question, kind: str) -> GoldQuestion:
    state = QuadId(kind, item.language, item.domain).contexts(*item.contexts)
    state.update(QuadId.asked(item.question, item.question_negated))
    return GoldQuestion(
        unit_id=state.hexdigest(),
        language=item.language,
        domain=item.domain,
        stereotype=item.stereotype,
        group1=item.subjects[0],
        group2=item.subjects[1],
        context=item.contexts[0],
        question=item.question,
        question_negated=item.question_negated,
        underspecified=item.underspecified,
        grammatical=item.grammatical,
        free_of_hint=item.free_of_hint,
        why=item.why,
        source=item.source,
    )
