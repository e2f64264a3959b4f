"""The categories that a study chooses from its sources of choice items."""

from __future__ import annotations

from collections.abc import Sequence

from nextset.errors import InputError, examples
from nextset.files.yaml_reader import line_of
from nextset.generation.choices.choice_source import ChoiceSource, SourcePlace
from nextset.generation.choices.published_templates.bbq_vocabulary import folded
from nextset.study.choice_settings import ChoiceSettings

__all__ = ["refuse_unknown_categories"]


def refuse_unknown_categories(
    settings: ChoiceSettings, sources: Sequence[ChoiceSource], place: SourcePlace
) -> None:
    """Raise InputError for an entry of choices.categories that none of ``sources`` has."""
    if not settings.categories:
        return
    there = {folded(name): name for source in sources for name in source.categories()}
    missing = [category for category in settings.categories if folded(category) not in there]
    if missing:
        raise InputError(
            f"no source has the category {missing[0]!r}",
            file=place.file,
            line=line_of(place.file, "choices", "categories"),
            remedy=f"name some of the categories that they have: {examples(sorted(there.values()), 20)}",
        )
