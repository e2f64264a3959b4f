"""The preview of the section choices: the numbers of items and of masks to fill, and a few items."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from nextset.forms import CHOICE
from nextset.generation.choices.choice_sentences import ChoiceSentences
from nextset.generation.choices.choice_source import ChoiceSource
from nextset.generation.choices.choice_tables import choice_sources
from nextset.generation.section_preview import PreviewSources, SectionPreview
from nextset.generation.templates.placeholders import written_masks
from nextset.pipeline.stage_list import stages_of
from nextset.study.study_folder import Study

__all__ = ["PREVIEW"]

_MASKED = "masked choices"
_SENTENCES = 16
"""Masked sentences that the model of fill is timed on."""
_ROWS = 16
"""Items that models are timed on."""


class _Preview:
    """The preview of the section choices."""

    example_kinds: tuple[str, ...] = (CHOICE.generated, CHOICE.masked)

    def preview(self, study: Study, sources: PreviewSources) -> SectionPreview:
        """Return the numbers of items, with and without masks; raises InputErrors."""
        made = choice_sources(study)
        items = sum(source.rows for source in made)
        masked = [source.masked() for source in made if source.masked is not None]
        rows = sum(table.num_rows for table in masked)
        fills = any(stage.name == "fill" for stage in stages_of(study))
        sentences = [ChoiceSentences.table(table) for table in masked] if fills else []
        prompts = sum(len(set(table["set_id"].to_pylist())) for table in sentences)
        settings = study.settings.fill
        kept = settings.most_fluent.best if settings.most_fluent else settings.top_k
        open_rows = (row for table in masked for row in table.to_pylist())
        first = list(itertools.islice(_first_rows(made), _ROWS))
        texts = (text for table in sentences for text in table["hypothesis"].to_pylist()[:_SENTENCES])
        return SectionPreview(
            items={CHOICE.generated: items, _MASKED: rows},
            candidates={CHOICE.released: items, f"filled_{CHOICE.released}": rows * kept if fills else 0},
            examples={
                CHOICE.generated: _examples(first, sources.examples),
                CHOICE.masked: _examples(open_rows, sources.examples),
            },
            prompts=prompts,
            sentences=tuple(itertools.islice(texts, _SENTENCES)),
            rows={CHOICE.name: tuple(first)},
        )


PREVIEW = _Preview()
"""The preview of the section choices."""


def _first_rows(sources: Sequence[ChoiceSource]) -> Iterator[Mapping[str, Any]]:
    """Yield the first items of each source, one template after the other as far as the pieces allow."""
    for source in sources:
        for piece in itertools.islice(source.pieces(), 4):
            yield from piece.slice(0, 4).to_pylist()


def _examples(rows: Any, most: int) -> tuple[Mapping[str, Any], ...]:
    """Return the texts of up to ``most`` rows, each of another template."""
    by_template: dict[tuple[str, str], Mapping[str, Any]] = {}
    for row in rows:
        if len(by_template) >= most:
            break
        by_template.setdefault((row["category"], row["template_id"]), _shown(row))
    return tuple(by_template.values())


def _shown(row: Mapping[str, Any]) -> Mapping[str, Any]:
    options = [option["text"] for option in row["options"]]
    constraints = row.get("mask_constraints", ())
    masks = row["context"].count("{{MASK}}")
    return {
        "category": row["category"],
        "context": written_masks(row["context"], constraints[:masks]) if constraints else row["context"],
        "question": written_masks(row["question"], constraints[masks:]) if constraints else row["question"],
        "options": tuple(options),
        "right": options[row["label"]],
    }
