"""The sources of choice items from language packs: choices.packs of a study."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pyarrow as pa

from nextset.errors import StudyError
from nextset.files.yaml_reader import line_of
from nextset.generation.choices.choice_source import ChoiceSource, SourcePlace
from nextset.generation.choices.published_templates.bbq_vocabulary import folded
from nextset.generation.questions.pack import is_pack, read_pack_choices
from nextset.generation.questions.pack_choices.choice_mask_check import check_choice_masks
from nextset.generation.questions.pack_choices.choice_template import PackChoices
from nextset.generation.questions.pack_choices.expanded_choices import ChoiceExpansion
from nextset.generation.questions.study_packs import pack_folder
from nextset.records.arrow_schema import arrow_schema
from nextset.records.choice_items import MaskedChoice
from nextset.study.choice_settings import ChoiceSettings

__all__ = ["pack_choices"]


def pack_choices(settings: ChoiceSettings, place: SourcePlace) -> list[ChoiceSource]:
    """Return the items from each language pack in ``settings``, a source per pack.

    Raises WordListError for a pack that is wrong, and StudyError for one without templates of choices.
    """
    read = [(entry, _read(entry, place)) for entry in settings.packs]
    _refuse_two_packs_of_a_category(read, place)
    return [_source(entry, choices, _expansion(choices, settings, place)) for entry, choices in read]


def _refuse_two_packs_of_a_category(read: Sequence[tuple[str, PackChoices]], place: SourcePlace) -> None:
    languages: dict[tuple[str, str], str] = {}
    for entry, choices in read:
        for category in dict.fromkeys(t.category for t in choices.templates):
            other = languages.setdefault((choices.language, category), entry)
            if other != entry:
                raise StudyError(
                    f"two packs have the category {category!r} in {choices.language} ({other} and {entry})",
                    file=place.file,
                    line=line_of(place.file, "choices", "packs", value=entry),
                    remedy="name only one of these packs, or rename the category",
                )


def _read(entry: str, place: SourcePlace) -> PackChoices:
    folder = pack_folder(entry, place.resolve, place.file, "choices")
    line = line_of(place.file, "choices", "packs", value=entry)
    if not is_pack(folder):
        raise StudyError(
            f"{entry!r} is not a language pack: it has no pack.yaml ({folder})",
            file=place.file,
            line=line,
            remedy="name the folder of a pack, or builtin:en; published files go under choices.templates",
        )
    choices = read_pack_choices(folder)
    if choices is None:
        raise StudyError(
            f"the pack {entry!r} has no templates of choices",
            file=place.file,
            line=line,
            remedy=f"write choice/NAME.yaml in {folder}, or name a different pack",
        )
    return choices


def _expansion(choices: PackChoices, settings: ChoiceSettings, place: SourcePlace) -> ChoiceExpansion:
    wanted = {folded(category) for category in settings.categories}
    templates = tuple(t for t in choices.templates if not wanted or folded(t.category) in wanted)
    chosen = replace(choices, templates=templates)
    check_choice_masks(chosen, place.fill)
    return ChoiceExpansion(chosen, settings.contrasts, settings.orders, settings.subset, settings.seed)


def _source(entry: str, choices: PackChoices, expansion: ChoiceExpansion) -> ChoiceSource:
    templates = expansion.choices.templates
    has_masks = any(t.masked for t in templates)
    return ChoiceSource(
        name=entry if entry.startswith("builtin:") else Path(entry).name,
        rows=expansion.rows(masked=False),
        pieces=lambda: (expansion.table(t) for t in templates if not t.masked),
        categories=lambda: {t.category for t in choices.templates},
        files={file: file.read_bytes() for file in expansion.choices.files},
        masked=(lambda: _masked(expansion)) if has_masks else None,
    )


def _masked(expansion: ChoiceExpansion) -> pa.Table:
    tables = (expansion.table(t) for t in expansion.choices.templates if t.masked)
    return pa.concat_tables([arrow_schema(MaskedChoice).empty_table(), *tables])
