"""Claims in generation: a section of study.yaml, and the table that it adds to out/generate."""

from __future__ import annotations

import pyarrow as pa

from nextset.artifacts.build import Part, PartResult
from nextset.generation.questions.study_packs import LoadedQuestions
from nextset.generation.section_tables import SectionTables
from nextset.generation.template_expansion import expand
from nextset.generation.templates.template_files import LoadedTemplates
from nextset.records.arrow_schema import arrow_schema
from nextset.records.content_ids import content_id
from nextset.records.nli_items import NliItem
from nextset.study.extension_sections import ExtensionSection
from nextset.study.study_folder import Study

__all__ = ["ClaimSettings", "claim_tables"]


class ClaimSettings(ExtensionSection):
    """claims: the beginning of each claim."""

    beginning: str
    """The words before each hypothesis."""


def claim_tables(study: Study, templates: LoadedTemplates, packs: LoadedQuestions) -> SectionTables:
    """Return the table claims."""
    settings = study.settings.section("claims", ClaimSettings)
    assert settings is not None
    return SectionTables(
        settings.model_dump(mode="json"),
        {},
        lambda: [Part("claims", lambda: PartResult(_claims(templates, settings.beginning)))],
    )


def _claims(templates: LoadedTemplates, beginning: str) -> pa.Table:
    rows = expand(templates.templates, tests=False, max_rows=10_000).items.to_pylist()
    for row in rows:
        row["hypothesis"] = f"{beginning} {row['hypothesis']}"
        row["id"] = content_id("claim", row["premise"], row["hypothesis"])
    return pa.Table.from_pylist(rows, schema=arrow_schema(NliItem))
