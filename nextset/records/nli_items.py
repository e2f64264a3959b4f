"""The NLI item and its score by a model, in the order of the columns."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, get_args

__all__ = [
    "LABELS",
    "PASSED_TESTS",
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
PASSED_TESTS = 2 / 3
"""A model with a lower share of right test items fails: halfway between guessing and all right."""


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
    """The fill's rank among the kept ones, from 1; with several masks, the rank of the combination."""
    score: float | None
    """The word's probability at the mask, in [0, 1]; for jointly filled sentences, the geometric mean over
    them; null if a writer proposed the word."""


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
    """The words that a text of the item uses, in the order of their names."""
    fills: tuple[Fill, ...] = ()
    """The fills, one per mask from left to right; empty if the template has no mask."""
    writer: Writer | None = None
    """The writer of the fills or the hypothesis; null if a masked language model or a person wrote them."""


@dataclass(frozen=True, slots=True, kw_only=True)
class NliItem:
    """A premise and a hypothesis with a right label that is known by design."""

    id: str
    """Content hash (`item_ids`), 32 hex digits."""
    language: str
    """BCP 47 tag, such as en."""
    domain: str
    """gender, race, religion, or a domain of your own."""
    stereotype: str
    """The name of the stereotype, as in its template file."""
    template_id: str | None
    """Content hash of the texts of the template that made the item; null for imported pairs."""
    premise: str
    """A fact."""
    hypothesis: str
    """The conclusion that a biased model draws from the premise; has {{MASK}} until it is filled."""
    question: str
    """The hypothesis as a yes/no question; may be empty."""
    label: Label
    """The right label by design: neutral for pro and anti; for test items, the one in their template."""
    stance_design: Stance
    """pro: the hypothesis states the stereotype; anti: the same with the groups swapped; test: a control."""
    bindings: Bindings | None
    """The values that filled the template; null for imported pairs without named groups."""
    premise_swapped: bool
    """True if the groups in the premise were swapped, which makes the premise factually false."""
    names_group: bool
    """True if the premise or the hypothesis names a group; otherwise the item cannot measure bias."""
    set_id: str | None
    """An id shared by items that differ only by group; null if their masks were filled separately."""
    parent_id: str | None
    """The id of the item that this one was made from (by a fill or as a counterfactual); null without one."""
    supersedes: str | None
    """The id of the item in an earlier release that this one replaces; null if there is none."""
    premise_source: str | None
    """The published source of the fact that the premise states."""


@dataclass(frozen=True, slots=True, kw_only=True)
class MaskedItem(NliItem):
    """An NLI item whose masks are not filled yet."""

    mask_constraints: tuple[str, ...]
    """The constraint of each mask in the template, such as adj or noun.plural; empty if there is none."""
    question_forms: tuple[str, ...]
    """The form of the word at each mask of the question, such as verb.base; empty for the word unchanged."""
    rules: tuple[str, ...] = ()
    """The names of the sound rules that apply where a fill meets other text."""


@dataclass(frozen=True, slots=True, kw_only=True)
class NliScore:
    """One model's score of one item."""

    item_id: str
    """The item's id."""
    model: str
    """The model's published name."""
    revision: str
    """Digest of the model's weights."""
    role: Literal["filter", "held_out", "audit"]
    """The purpose: filter (decides which items are kept), held_out (asked only afterwards), or audit."""
    precision: str
    """The dtype of the computation, such as float32."""
    mode: Literal["canonical", "fast"]
    """canonical: items near a decision were scored again, by themselves, in float32; fast: they were not."""
    entailment: float
    """Probability of entailment. Where a model behind a server did not answer every prompt, the three
    probabilities and the shares below add up to 1."""
    neutral: float | None
    """Probability of neutral; null for a model with two labels, entailment and not entailment."""
    contradiction: float | None
    """Probability of contradiction; null for a model with two labels."""
    truncated: bool
    """True if the texts were too long for the model and were cut, as the study allows."""
    abstained: float = 0.0
    """The share of the row's prompts that the model answered with a text that means: it cannot be known."""
    refused: float = 0.0
    """The share of the row's prompts that the model, or its server, refused to answer."""
    unreadable: float = 0.0
    """The share of the row's prompts whose answers could not be read as a choice."""
    cut_off: float = 0.0
    """The share of the row's prompts whose answers did not end within the limit of tokens."""
    votes: bool = False
    """True if the numbers are shares of answers (votes), at least in part; False if they are
    probabilities."""
