"""The part of a form that the annotators' pages show: texts, blocks of choices, comprehension items."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol
from xml.etree.ElementTree import Element

from nextset.files.yaml_model import HandWritten
from nextset.validation.annotator_pages.label_studio_xml import Option
from nextset.validation.annotator_pages.page_wording import (
    Headings,
    KnownChoice,
    KnownQuestion,
    KnownSentence,
    Rest,
    Wording,
)
from nextset.validation.judgments.answer import AnswerForm

__all__ = ["ABOUT", "ChoiceBlock", "KnownItem", "KnownItems", "OwnItems", "PageForm", "reason_block"]

ABOUT = ("unit_id", "stereotype", "group1", "group2", "domain")
"""The columns of a unit that annotators see besides its texts."""

KnownItem = KnownSentence | KnownQuestion | KnownChoice
"""An item of the comprehension check."""
KnownItems = tuple[KnownItem, ...]
"""The items of one try of the comprehension check."""


@dataclass(frozen=True)
class ChoiceBlock:
    """A block of choices on the page."""

    name: str
    """The block's name, such as verdict."""
    ask: str
    """The heading."""
    options: Sequence[Option]
    """The choices."""
    place: str
    """The class of the place on the page: first, ask or then."""
    after: str = ""
    """The block that decides whether this one is shown; empty if it is always shown."""
    when: tuple[str, ...] = ()
    """The choices of ``after`` with which this block is shown."""
    heading_inside: bool = True
    """True if the heading is part of the place, false if it is before it."""


class OwnItems(HandWritten):
    """The content of a study's file of comprehension items."""

    items: KnownItems
    again: KnownItems = ()


class PageForm(AnswerForm, Protocol):
    """The page on which annotators judge units of a form."""

    @property
    def kind(self) -> str:
        """The name of the page, which enters the version of the guidelines."""

    @property
    def guidelines(self) -> str:
        """The ending of the files of guidelines, such as .questions.md."""

    @property
    def judged_texts(self) -> tuple[str, ...]:
        """The columns of a unit whose texts differ from unit to unit; the choices are about the first."""

    @property
    def states_stereotype(self) -> bool:
        """True if annotators need the stereotype and its opposite, which are shown as sentences if known."""

    @property
    def reads_choices(self) -> bool:
        """True if the page has the texts for questions with options (`Wording.choice_items`)."""

    @property
    def pairs(self) -> bool:
        """True if a unit is a premise with its hypothesis; annotators then read both."""

    @property
    def own_items(self) -> type[OwnItems]:
        """The model of a study's file of comprehension items."""

    @property
    def follow_ups(self) -> str:
        """The class of the place for all blocks after the first; empty if they are in the page itself."""

    def known_items(self, wording: Wording) -> tuple[KnownItems, KnownItems]:
        """Return the wording's comprehension items of the first and of the second try."""

    def rest_texts(self, topic: Rest, wording: Wording) -> list[dict[str, str]]:
        """Return the texts of the rest items on a harmless topic, by column."""

    def fields(self, *, premise: bool = False) -> tuple[str, ...]:
        """Return the columns of a unit that annotators see."""

    def about_heading(self, headings: Headings) -> str:
        """Return the heading of the column stereotype."""

    def add_before_item(self, root: Element, headings: Headings, *, premise: bool) -> None:
        """Add the texts that are shown before the item to a page."""

    def add_item(self, item: Element, wording: Wording) -> None:
        """Add the texts of the item to its place on a page."""

    def blocks(self, wording: Wording) -> list[ChoiceBlock]:
        """Return the blocks of choices in the order of the page; the last one has the reasons."""


def reason_block(
    ask: str, names: Sequence[str], keys: Sequence[str], labels: HandWritten, after: str, *when: str
) -> ChoiceBlock:
    """Return the block of the reasons ``names``, which is shown with the choices ``when`` of ``after``."""
    options = [Option(name, key, getattr(labels, name)) for name, key in zip(names, keys, strict=False)]
    return ChoiceBlock("reason", ask, options, "then", after, when)
