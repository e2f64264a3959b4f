"""Where the texts of a dataset version come from, in sentences for the card and for Croissant."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from nextset.release.dataset_card.card import Card

__all__ = ["text_sources", "unchecked_packs"]


def text_sources(card: Card) -> tuple[str, ...]:
    """Return the sentences; each states a fact of this version, and names are as they were given."""
    items = _of_items(card) if "items" in card.kinds else ()
    return (*items, *(_of_quads(card) if set(card.kinds) != {"items"} else ()))


def unchecked_packs(card: Card) -> tuple[str, ...]:
    """Return a warning for each language pack that no native speaker has checked."""
    found = (pack.language for pack in card.packs if not pack.checked_by)
    return tuple(f"No native speaker has checked the language pack {language}." for language in found)


def _of_items(card: Card) -> Iterator[str]:
    if card.only_imported:
        yield f"The authors imported {card.imported:,} pairs of their own."
    else:
        yield (
            "Templates (premises that restate published facts, and hypotheses) were expanded with word lists "
            "and two groups each."
        )
        if any(model.role == "fill" and model.version is None for model in card.models):
            seen = "premise and hypothesis" if card.fill_premise else "only the hypothesis"
            yield {
                "": f"If a hypothesis has a mask, a masked language model that saw {seen} filled it.",
                "words": f"If a hypothesis has a mask, a model that saw {seen} proposed words for it, as a "
                "prompt asked.",
                "hypotheses": "A model proposed hypotheses for each stereotype, as a prompt asked.",
            }[card.fill_proposals]
        if card.imported:
            yield f"{card.imported:,} pairs of the authors' own were imported besides."
    for version in card.imported_versions:
        yield (
            f"Imported pairs are those of {version}, whose card says how they were made; "
            "its models are among those listed."
        )


def _of_quads(card: Card) -> Iterator[str]:
    yield "Templates were expanded with lists of subjects and attributes."
    for pack in card.packs:
        if pack.checked_by:
            yield f"Native speakers who checked the language pack {pack.language}: {pack.checked_by}."
