"""What a study would make and cost, before any model is asked."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from nextset.generation.questions.question_expansion import quad_table
from nextset.generation.questions.question_shards import wanted_rows
from nextset.generation.questions.study_packs import load_questions
from nextset.generation.questions.subset import sampled_cells
from nextset.generation.template_expansion import count_rows, example, expanded_kinds
from nextset.generation.templates.template import Kind, Template
from nextset.generation.templates.template_files import load_templates
from nextset.records.nli_items import NliItem
from nextset.study.item_tables import imported_items
from nextset.study.study_folder import Study

__all__ = ["Preview", "preview"]


@dataclass(frozen=True)
class Preview:
    """What a run would make, at most: duplicates are not yet known."""

    items: dict[str, int]
    """Rows by kind: hypothesis, masked, test, imported; those of a language pack by class and form."""
    filled: int
    """Masked rows × the words a mask."""
    scorings: dict[str, int]
    """Pairs that a model is asked about, by role."""
    examples: tuple[NliItem, ...]
    """A few items of each kind, one a template."""
    questions: tuple[dict[str, Any], ...]
    """A few quads and statements of each class, sampled."""
    unchecked: tuple[str, ...]
    """The languages whose pack no native speaker has checked."""


def preview(study: Study, examples: int = 2) -> Preview:
    """Reckon what ``study`` would make, with up to ``examples`` items of each kind.

    Raises InputErrors.
    """
    templates, asked_for = load_templates(study).templates, load_questions(study)
    sets = asked_for.sets
    settings = study.settings
    kinds = expanded_kinds(settings.generate.tests)
    items: dict[str, int] = {kind: sum(count_rows(t, kind) for t in templates) for kind in kinds}
    brought = imported_items(study.imported).num_rows
    filled = items["masked"] * settings.fill.top_k
    plain = sum(n for kind, n in items.items() if kind != "masked")
    sizes = {"filled": filled, "imported": brought, "plain": 0}
    scorings = {}
    if settings.filter is not None:
        asked = plain + sum(sizes[name] for name in settings.filter.candidates)
        later = len(settings.filter.held_out) + len(settings.audit.models)
        scorings["filter"] = asked * len(settings.filter.models)
        scorings["held out and audit, at most"] = (asked + filled) * later
    made = {f"{s.name} {s.form}s": wanted_rows(s, settings.questions) for s in sets if settings.questions}
    return Preview(
        items={**items, "imported": brought, **made},
        filled=filled,
        scorings=scorings,
        examples=tuple(e for kind in kinds for e in _examples(templates, kind, examples)),
        questions=tuple(
            row for s in sets for row in quad_table(s, sampled_cells(s, examples, 0)).to_pylist()
        ),
        unchecked=tuple(p.language for p in asked_for.packs if not p.checked_by),
    )


def _examples(templates: tuple[Template, ...], kind: Kind, most: int) -> Iterator[NliItem]:
    found = (item for t in templates if (item := example(t, kind)) is not None)
    for _, item in zip(range(most), found, strict=False):
        yield item
