"""The NLI item and what a model says of it, in the order of the columns."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, get_args

__all__ = ["LABELS", "Bindings", "Fill", "Label", "NliItem", "NliScore", "Stance", "Word"]

Label = Literal["entailment", "neutral", "contradiction"]


Stance = Literal["pro", "anti", "test"]


LABELS: tuple[Label, ...] = get_args(Label)
"""The order of the three NLI labels, everywhere."""


@dataclass(frozen=True, slots=True)
class Word:
    """A placeholder of a template and what it became."""

    name: str
    """The placeholder's name, such as JOB."""
    value: str
    """The entry of the word list that took its place."""


@dataclass(frozen=True, slots=True)
class Fill:
    """A word that a masked language model put at the mask."""

    word: str
    """The whole word."""
    rank: int
    """Its place among the words kept, from 1; with several masks, that of the combination of words."""
    score: float
    """Its probability at the mask, in [0, 1]; filled jointly, the geometric mean over the sentences."""


@dataclass(frozen=True, slots=True)
class Bindings:
    """All that a template needs to be rendered again as this item's hypothesis."""

    group1: str
    """What {{GROUP1}} became in hypothesis and question."""
    group2: str
    """What {{GROUP2}} became in hypothesis and question."""
    words: tuple[Word, ...] = ()
    """The words, in the order of their names; only those that one of the texts uses."""
    fills: tuple[Fill, ...] = ()
    """The fills, one a mask from left to right; empty where the template has no mask."""


@dataclass(frozen=True, slots=True, kw_only=True)
class NliItem:
    """A premise and a hypothesis whose right label is known by design."""

    id: str
    """Content hash (`item_ids`), 32 hex digits."""
    language: str
    """BCP 47 tag, such as en."""
    domain: str
    """gender, race, religion, or one's own."""
    stereotype: str
    """The stereotype in words, as its template file names it."""
    template_id: str | None
    """Content hash of the texts of the template that made the item; null for imported pairs."""
    premise: str
    """A fact."""
    hypothesis: str
    """What a biased model concludes from the premise; with {{MASK}} in it before the fill."""
    question: str
    """The hypothesis as a yes/no question; empty where there is none."""
    label: Label
    """The right label by design: neutral for pro and anti, their own for test items."""
    stance_design: Stance
    """pro: the hypothesis states the stereotype; anti: with the groups swapped; test: a control."""
    bindings: Bindings | None
    """What filled the template; null for imported pairs that name no groups."""
    premise_swapped: bool
    """The premise names groups and they were swapped in it, which makes it false as a fact."""
    names_group: bool
    """Premise or hypothesis names a group; where neither does, the item cannot measure bias."""
    set_id: str | None
    """Shared by items that differ only by group; null where their masks were filled apart."""
    parent_id: str | None
    """The item that this one was made from (by fill or counterfactual); null at the beginning."""
    supersedes: str | None
    """The item of an earlier release that this one replaces."""
    premise_source: str | None
    """Where the fact that the premise states is published."""


@dataclass(frozen=True, slots=True, kw_only=True)
class NliScore:
    """What one model says of one item."""

    item_id: str
    """The item."""
    model: str
    """The model as the study names it."""
    revision: str
    """Digest of the model's weights."""
    role: Literal["filter", "held_out", "audit"]
    """Why it was asked."""
    precision: str
    """float32 or another dtype's name."""
    mode: Literal["canonical", "fast"]
    """canonical: near a decision it was asked again alone in float32; fast: it was not."""
    entailment: float
    """Probability of entailment."""
    neutral: float | None
    """Probability of neutral; null for a model with two labels, entailment and not."""
    contradiction: float | None
    """Probability of contradiction; null for a model with two labels."""
    truncated: bool
    """Whether the texts were longer than the model reads, and cut because the study says so."""
