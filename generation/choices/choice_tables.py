"""The tables that the section choices adds to out/generate: choice items, and those with open masks."""

from __future__ import annotations

import functools
from collections.abc import Sequence

import pyarrow as pa

from nextset.artifacts.build import Part, PartResult
from nextset.errors import StudyError
from nextset.files.yaml_reader import line_of
from nextset.forms import CHOICE
from nextset.generation.choices.choice_source import ChoiceSource, ChoiceSourceOf, SourcePlace
from nextset.generation.choices.chosen_categories import refuse_unknown_categories
from nextset.generation.choices.pack_source import pack_choices
from nextset.generation.choices.port.port_files import read_port
from nextset.generation.choices.port.ported_parts import ported_parts
from nextset.generation.choices.published_items.item_sources import published_items
from nextset.generation.choices.published_templates.template_sources import published_templates
from nextset.generation.questions.study_packs import LoadedQuestions
from nextset.generation.section_tables import SectionTables
from nextset.generation.templates.template_files import LoadedTemplates
from nextset.records.arrow_schema import arrow_schema
from nextset.records.choice_items import ChoiceItem, MaskedChoice
from nextset.study.choice_settings import ChoiceSettings
from nextset.study.item_tables import distinct
from nextset.study.study_folder import Study

__all__ = ["choice_sources", "choice_tables"]

MERGED = "rows with the same text as another row, merged"
"""The name of the count of items that another item of the study equals."""

_KINDS: tuple[ChoiceSourceOf, ...] = (pack_choices, published_templates, published_items)
"""The functions that read the kinds of sources, in the order of the items."""


def choice_sources(study: Study) -> list[ChoiceSource]:
    """Return the sources that the section choices of ``study`` names; raises InputErrors."""
    settings = study.settings.section("choices", ChoiceSettings)
    if settings is None:
        return []
    of_study = study.settings
    most = of_study.generate.max_rows
    place = SourcePlace(study.path, study.file, of_study.language, most, of_study.fill)
    sources = [source for kind in _KINDS for source in kind(settings, place)]
    refuse_unknown_categories(settings, sources, place)
    return sources


def choice_tables(study: Study, templates: LoadedTemplates, packs: LoadedQuestions) -> SectionTables:
    """Return the tables choices and masked_choices, and further tables of the sources; raises InputErrors."""
    settings = study.settings.section("choices", ChoiceSettings)
    assert settings is not None
    sources = choice_sources(study)
    _refuse_too_many(study, sources)
    port = None if settings.port is None else read_port(settings.port, study.path)
    chosen = settings.model_dump(mode="json", exclude={"port"} if settings.port is None else set())
    decisive = {
        **chosen,
        # two files of different folders may have the same name
        "digests": [list(pair) for source in sources for pair in source.digests.items()],
        "sources": [dict(source.settings) for source in sources],
    }
    files = {path: raw for source in sources for path, raw in source.files.items()}
    if port is None:
        return SectionTables(decisive, files, lambda: _parts(sources))
    decisive["survey"] = port.digests
    return SectionTables(decisive, {**files, **port.files}, lambda: ported_parts(_parts(sources), port.port))


def _parts(sources: Sequence[ChoiceSource]) -> list[Part]:
    parts = [
        Part(CHOICE.generated, lambda: _distinct_pieces(sources)),
        Part(CHOICE.masked, lambda: PartResult(_masked(sources))),
    ]
    for source in sources:
        parts += [
            Part(name, functools.partial(lambda make: PartResult(make()), make))
            for name, make in source.tables.items()
        ]
    return parts


def _distinct_pieces(sources: Sequence[ChoiceSource]) -> PartResult:
    pieces = [arrow_schema(ChoiceItem).empty_table()]
    counts: dict[str, int] = {}
    for source in sources:
        for piece in source.pieces():
            counts[f"{source.name} choices"] = counts.get(f"{source.name} choices", 0) + piece.num_rows
            pieces.append(piece)
    table = pa.concat_tables(pieces)
    items = distinct(table)
    return PartResult(items, {**counts, MERGED: table.num_rows - items.num_rows})


def _masked(sources: Sequence[ChoiceSource]) -> pa.Table:
    tables = [source.masked() for source in sources if source.masked is not None]
    return distinct(pa.concat_tables([arrow_schema(MaskedChoice).empty_table(), *tables]))


def _refuse_too_many(study: Study, sources: Sequence[ChoiceSource]) -> None:
    """Raise StudyError, naming the largest source, if there would be more rows than generate.max_rows."""
    total, most = sum(source.rows for source in sources), study.settings.generate.max_rows
    if total > most:
        largest = max(sources, key=lambda source: source.rows)
        raise StudyError(
            f"the choices expand to {total:,} rows, more than {most:,} ({largest.rows:,} of them are from "
            f"{largest.name})",
            file=study.file,
            line=line_of(study.file, "choices"),
            remedy="set choices.subset, name fewer sources, or raise generate.max_rows",
        )
