"""Renders an item again from its template with the groups swapped: the text of its counterfactual."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import pyarrow as pa

from nextset.generation.templates.placeholders import place_words, render
from nextset.generation.templates.template import names_group

__all__ = ["Rendered", "counterfactual_renderer"]


@dataclass(frozen=True)
class Rendered:
    """Hypothesis and question of a counterfactual."""

    hypothesis: str
    question: str


def counterfactual_renderer(templates: pa.Table) -> Callable[[Mapping[str, Any]], Rendered | None]:
    """A function from an item (a row of NLI items) to its counterfactual's texts.

    ``templates`` is the table of TemplateRows that the generate stage kept, so the texts come from the
    templates as they were. It gives None for an item whose template is not there, or whose hypothesis
    names no group.
    """
    by_id = {row["template_id"]: row for row in templates.to_pylist()}

    def counterfactual(item: Mapping[str, Any]) -> Rendered | None:
        template = by_id.get(item["template_id"])
        bindings = item["bindings"]
        if template is None or bindings is None or not names_group(template["hypothesis"]):
            return None
        values = {
            "GROUP1": bindings["group2"],
            "GROUP2": bindings["group1"],
            **{word["name"]: word["value"] for word in bindings["words"]},
        }
        capitalise, words = template["capitalise"], [fill["word"] for fill in bindings["fills"]]
        texts = (render(template[text], values, capitalise=capitalise) for text in ("hypothesis", "question"))
        return Rendered(*(place_words(text, words, capitalise=capitalise).text for text in texts))

    return counterfactual
