"""The choice item, a question with options about a context (BBQ, Parrish et al. 2022), and its score."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

from nextset.records.content_ids import SCHEMA_VERSION, content_id
from nextset.records.nli_items import Fill, Word

if TYPE_CHECKING:
    import pyarrow as pa

__all__ = [
    "MOST_OPTIONS",
    "NO_OPTION",
    "OPTION_SCORES",
    "ChoiceItem",
    "ChoiceScore",
    "Condition",
    "Cue",
    "MaskedChoice",
    "Option",
    "Polarity",
    "biased_options",
    "choice_ids",
    "choice_set_id",
]

Condition = Literal["ambiguous", "disambiguated"]
"""ambiguous: the context does not answer the question, so unknown is right. disambiguated: it does."""
Polarity = Literal["negative", "non_negative"]
"""negative: the stereotype answers the question with its target. non_negative: with the other group."""
Cue = Literal["label", "name"]
"""The text that stands for a group: a label, such as grandfather, or a proper name."""

MOST_OPTIONS = 6
"""The most options of an item."""
NO_OPTION = -1
"""The number in place of an option for an answer that chooses none."""


@dataclass(frozen=True, slots=True)
class Option:
    """One of the answers to choose from."""

    text: str
    """The option as a model and people read it."""
    group: str
    """The group of the person that the option names, such as old; empty for unknown and for no group."""
    role: int
    """The person's place in the template, from 0, however the options are ordered and whoever is named first:
    options of one set with the same role name the same person. Unknown is the last."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ChoiceItem:
    """A context, a question about it and three or more options, one of which says that it is unknown."""

    id: str
    """Content hash (`choice_ids`), 32 hex digits."""
    language: str
    """BCP 47 tag, such as en."""
    category: str
    """The attribute of the groups, such as age, gender or religion; as the source writes it."""
    subcategory: str
    """A part of the category; may be empty."""
    stereotype: str
    """The stereotype that the question is about, in words; may be empty for published items."""
    template_id: str
    """The template's name in its file; for published sets, category and number, such as Age-1."""
    template_version: str
    """The version of a published template, such as a or b; may be empty."""
    set_id: str | None
    """An id shared by the items that belong together: conditions, polarities, orders of the options, and who
    is named first (`choice_set_id`); null if unknown."""
    condition: Condition
    """ambiguous: the right option is unknown. disambiguated: the context gives the answer."""
    polarity: Polarity
    """negative: a biased answer names the target group. non_negative: a biased answer names another group."""
    context: str
    """The context; a disambiguated one begins with the ambiguous one, unless its source has it otherwise."""
    question: str
    """The question."""
    options: tuple[Option, ...]
    """The options in the order in which they are shown."""
    label: int
    """The place of the right option, from 0."""
    unknown: int | None
    """The place of the option that means: it cannot be known; null if there is none."""
    target: int | None
    """The place of the option that names the target of the stereotype; null if none of the options does, or
    if it cannot be told. Such an item cannot measure bias."""
    target_groups: tuple[str, ...]
    """The groups that the stereotype is about, as the source names them."""
    first_group: str
    """The group that the context names first; may be empty."""
    cue: Cue
    """label: the options name groups. name: they are proper names that stand for groups."""
    words: tuple[Word, ...]
    """The words that fill the template's lists, in the order of their names."""
    fills: tuple[Fill, ...]
    """The words that a model put at the masks, from left to right; empty without masks."""
    source: str | None
    """The work that documents the stereotype."""
    source_id: str | None
    """The item's id in the published file that it was read from; null for the study's own items."""
    published: str | None
    """The other fields of the published item, as JSON, so that it can be written back; null for own items."""
    parent_id: str | None
    """The id of the item that this one was made from, by a fill; null without one."""
    supersedes: str | None
    """The id of the item in an earlier release that this one replaces; null if there is none."""


@dataclass(frozen=True, slots=True, kw_only=True)
class MaskedChoice(ChoiceItem):
    """A choice item whose masks are not filled yet; context and question have {{MASK}}."""

    mask_constraints: tuple[str, ...]
    """The constraint of each mask in the context and then in the question; empty for a mask without one."""
    rules: tuple[str, ...] = ()
    """The names of the sound rules that apply where a fill meets other text."""


OPTION_SCORES = tuple(f"option{i + 1}" for i in range(MOST_OPTIONS))
"""The columns of `ChoiceScore` with the probabilities of the options, in the order of the item's options."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ChoiceScore:
    """One model's score of one choice item."""

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
    option1: float
    """Probability of the first option, in [0, 1]. Where a model behind a server did not answer every prompt,
    the probabilities and the shares below add up to 1."""
    option2: float
    """Probability of the second option."""
    option3: float | None
    """Probability of the third option; null for an item with two."""
    option4: float | None
    """Probability of the fourth option; null for an item with fewer."""
    option5: float | None
    """Probability of the fifth option; null for an item with fewer."""
    option6: float | None
    """Probability of the sixth option; null for an item with fewer."""
    flips: float | None
    """The share of the orders of the options in which the model chooses an option other than its choice over
    all orders; null if it read the options in one order only, or by themselves."""
    truncated: bool
    """True if the texts were too long for the model and were cut, as the study allows."""
    abstained: float = 0.0
    """The share of the row's prompts that the model answered with a text that means: it cannot be known. Such
    an answer chooses the option unknown, if the item has it; then it is 0."""
    refused: float = 0.0
    """The share of the row's prompts that the model, or its server, refused to answer."""
    unreadable: float = 0.0
    """The share of the row's prompts whose answers could not be read as a choice."""
    cut_off: float = 0.0
    """The share of the row's prompts whose answers did not end within the limit of tokens."""
    votes: bool = False
    """True if the numbers are shares of answers (votes), at least in part; False if they are
    probabilities."""


def biased_options(
    options: int, polarity: Polarity, target: int | None, unknown: int | None
) -> tuple[int, ...]:
    """Return the places of the options that a biased answer chooses; none if the target is not known.

    The target in a negative question; in a non-negative one, every other person (Parrish et al. 2022).
    """
    if target is None:
        return ()
    if polarity == "negative":
        return (target,)
    return tuple(place for place in range(options) if place not in (target, unknown))


def choice_ids(table: pa.Table) -> list[str]:
    """Return the ids of choice items, in the table's order.

    The ids are hashes of kind, schema version, language, category, condition, polarity, context, question and
    the texts of the options in their order. Groups, fills, models and runs are not included.
    """
    names = ("language", "category", "condition", "polarity", "context", "question")
    columns = [table[name].to_pylist() for name in names]
    texts = [[option["text"] for option in options] for options in table["options"].to_pylist()]
    return [
        content_id("choice", str(SCHEMA_VERSION), *values, *options)
        for *values, options in zip(*columns, texts, strict=True)
    ]


def choice_set_id(item: Any, groups: Sequence[str]) -> str:
    """Return the id of the set of a choice ``item``, a `ChoiceItem` without ids.

    It is a hash of language, category, template, words, fills and the unordered ``groups`` or names that the
    set is about. Conditions, polarities, orders and who is named first are not included.
    """
    words = [text for word in item.words for text in (word.name, word.value)]
    fills = [fill.word for fill in item.fills]
    return content_id(
        "choices", item.language, item.category, item.template_id, *sorted(groups), "", *words, "", *fills
    )
