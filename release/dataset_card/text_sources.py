"""The sources of a dataset version's texts, in sentences for the card and for Croissant."""

from __future__ import annotations

from collections.abc import Iterator

from nextset.release.dataset_card.card_facts import Card
from nextset.release.forms.released_form import released_form

__all__ = ["text_sources", "unchecked_packs"]


def text_sources(card: Card) -> tuple[str, ...]:
    """Return the sentences. Each states a fact of this version; names are unescaped."""
    forms = [released_form(kind) for kind in card.kinds]
    items = _of_items(card) if any(form.has_items for form in forms) else ()
    others = [form for form in forms if form.made_from]
    sentences = dict.fromkeys(form.made_from for form in others)
    filled = any(model.role == "fill" and model.version is None for model in card.models)
    masks = ("If a template has a mask, a model proposed the words for it.",) if others and filled else ()
    return (*items, *sentences, *masks, *(_of_packs(card) if others else ()))


def unchecked_packs(card: Card) -> tuple[str, ...]:
    """Return a warning for each language pack that no native speaker has checked."""
    languages = (pack.language for pack in card.packs if not pack.checked_by)
    return tuple(f"No native speaker has checked the language pack {language}." for language in languages)


def _of_items(card: Card) -> Iterator[str]:
    if card.only_imported:
        yield f"The authors imported their own pairs ({card.imported:,})."
    else:
        yield (
            "Templates (premises that restate published facts, and hypotheses) were expanded with word lists "
            "and two groups each."
        )
        if any(model.role == "fill" and model.version is None for model in card.models):
            seen = "premise and hypothesis" if card.fill_premise else "only the hypothesis"
            yield {
                "": f"If a hypothesis has a mask, a masked language model that saw {seen} filled it.",
                "words": f"If a hypothesis has a mask, a model that saw {seen} proposed words for it when "
                "prompted.",
                "hypotheses": "A model proposed hypotheses for each stereotype when prompted.",
            }[card.fill_proposals]
        if card.imported:
            yield f"The authors also imported their own pairs ({card.imported:,})."
    for version in card.imported_versions:
        yield (
            f"Imported pairs come from {version}, whose card says how they were made. "
            "The models of that version are listed here too."
        )


def _of_packs(card: Card) -> Iterator[str]:
    for pack in card.packs:
        if pack.checked_by:
            yield f"Native speakers who checked the language pack {pack.language}: {pack.checked_by}."
