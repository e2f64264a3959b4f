"""The NLI item and its score by a model, in the order of the columns."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, get_args

__all__ = [
    "LABELS",
    "Bindings",
    "Fill",
    "Label",
    "MaskedItem",
    "NliItem",
    "NliScore",
    "Stance",
    "Word",
    "Writer",
]

Label = Literal["entailment", "neutral", "contradiction"]


Stance = Literal["pro", "anti", "test"]


LABELS: tuple[Label, ...] = get_args(Label)
"""The order of the three NLI labels, everywhere."""


@dataclass(frozen=True, slots=True)
class Word:
    """A placeholder of a template and the word in its place."""

    name: str
    """The placeholder's name, such as JOB."""
    value: str
    """The entry of the word list that took its place."""


@dataclass(frozen=True, slots=True)
class Fill:
    """A word that a model put at the mask."""

    word: str
    """The whole word."""
    rank: int
    """Its rank among the words kept, from 1; with several masks, the rank of the combination of words."""
    score: float | None
    """Its probability at the mask, in [0, 1]; filled jointly, the geometric mean over the sentences; null if
    a writer proposed it."""


@dataclass(frozen=True, slots=True)
class Writer:
    """The model that proposed an item's fills, or its whole hypothesis, by a prompt."""

    model: str
    """The model's published name."""
    prompt: str
    """Content hash of the prompt; out/mask_words has its text."""
    seed: int
    """Seed of the sampling."""


@dataclass(frozen=True, slots=True)
class Bindings:
    """All values that render this item's hypothesis from its template."""

    group1: str
    """The text of {{GROUP1}} in hypothesis and question."""
    group2: str
    """The text of {{GROUP2}} in hypothesis and question."""
    words: tuple[Word, ...] = ()
    """The words, in the order of their names; only words that one of the texts uses."""
    fills: tuple[Fill, ...] = ()
    """The fills, one per mask from left to right; empty if the template has no mask."""
    writer: Writer | None = None
    """The writer of the fills or the hypothesis; null if a masked language model or a person wrote them."""


@dataclass(frozen=True, slots=True, kw_only=True)
class NliItem:
    """A premise and a hypothesis whose right label is known by design."""

    id: str
    """Content hash (`item_ids`), 32 hex digits."""
    language: str
    """BCP 47 tag, such as en."""
    domain: str
    """gender, race, religion, or your own."""
    stereotype: str
    """The stereotype as text, as its template file names it."""
    template_id: str | None
    """Content hash of the texts of the template that made the item; null for imported pairs."""
    premise: str
    """A fact."""
    hypothesis: str
    """A biased model's conclusion from the premise; contains {{MASK}} before the fill."""
    question: str
    """The hypothesis as a yes/no question; may be empty."""
    label: Label
    """The right label by design: neutral for pro and anti; test items have their own."""
    stance_design: Stance
    """pro: the hypothesis states the stereotype; anti: with the groups swapped; test: a control."""
    bindings: Bindings | None
    """The values that filled the template; null for imported pairs that name no groups."""
    premise_swapped: bool
    """The premise names groups and they were swapped in it, which makes it factually false."""
    names_group: bool
    """Premise or hypothesis names a group; if neither does, the item cannot measure bias."""
    set_id: str | None
    """Shared by items that differ only by group; null if their masks were filled separately."""
    parent_id: str | None
    """The item that this one was made from (by fill or counterfactual); null if there is none."""
    supersedes: str | None
    """The item of an earlier release that this one replaces."""
    premise_source: str | None
    """The published source of the fact that the premise states."""


@dataclass(frozen=True, slots=True, kw_only=True)
class MaskedItem(NliItem):
    """An NLI item whose masks are not filled yet."""

    mask_constraints: tuple[str, ...]
    """What each mask takes, as its template has it, such as adj or noun.plural; empty if it does not say."""
    question_forms: tuple[str, ...]
    """The form of the word at each mask of the question, such as verb.base; empty for the word as it is."""
    rules: tuple[str, ...] = ()
    """The sound rules that act where a fill meets other text, by name."""


@dataclass(frozen=True, slots=True, kw_only=True)
class NliScore:
    """One model's score of one item."""

    item_id: str
    """The item."""
    model: str
    """The model's published name."""
    revision: str
    """Digest of the model's weights."""
    role: Literal["filter", "held_out", "audit"]
    """Why the model was asked."""
    precision: str
    """float32 or another dtype's name."""
    mode: Literal["canonical", "fast"]
    """canonical: near a decision the item was scored again, by itself, in float32; fast: it was not."""
    entailment: float
    """Probability of entailment."""
    neutral: float | None
    """Probability of neutral; null for a model with two labels, entailment and not entailment."""
    contradiction: float | None
    """Probability of contradiction; null for a model with two labels."""
    truncated: bool
    """Whether the texts were too long for the model and were cut, as the study allows."""
