"""A counterfactual's texts rendered from the item's template, with the groups swapped.

`nextset.release.counterfactuals` decides when this module is used, and makes the items;
`nextset.auditing.measures.item_measures` is the measure over pairs of items.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import pyarrow as pa

from nextset.errors import ArtifactError
from nextset.generation.sound_rules.rule_names import named_rules
from nextset.generation.templates.placeholders import place_words, render
from nextset.generation.templates.question_inflection import question_words
from nextset.generation.templates.template import names_group
from nextset.study.mask_constraint import parse_constraint

__all__ = ["CounterfactualTexts", "counterfactual_renderer"]


@dataclass(frozen=True)
class CounterfactualTexts:
    """Hypothesis and question of a counterfactual."""

    hypothesis: str
    question: str


def counterfactual_renderer(templates: pa.Table) -> Callable[[Mapping[str, Any]], CounterfactualTexts | None]:
    """Return a function from an item (a row of NLI items) to its counterfactual's texts.

    ``templates`` is the table of TemplateRows from the generate stage, so the texts come from the templates
    as they were then. The function returns None if the item's template is not in the table, or if its
    hypothesis names no group.
    """
    by_id = {row["template_id"]: row for row in templates.to_pylist()}

    def counterfactual(item: Mapping[str, Any]) -> CounterfactualTexts | None:
        template = by_id.get(item["template_id"])
        bindings = item["bindings"]
        if template is None or bindings is None or not names_group(template["hypothesis"]):
            return None
        values = {
            "GROUP1": bindings["group2"],
            "GROUP2": bindings["group1"],
            **{word["name"]: word["value"] for word in bindings["words"]},
        }
        words = [fill["word"] for fill in bindings["fills"]]
        rules = named_rules(template["rules"])
        capitalise, language = template["capitalise"], item["language"]
        rendered = partial(render, capitalise=capitalise, language=language, rules=rules)
        placed = partial(place_words, capitalise=capitalise, language=language, rules=rules)
        hypothesis, question = (
            placed(rendered(template[text], values), mask_words).text
            for text, mask_words in (("hypothesis", words), ("question", _asked(template, words)))
        )
        return CounterfactualTexts(hypothesis, question)

    return counterfactual


def _asked(template: Mapping[str, Any], words: Sequence[str]) -> Sequence[str]:
    """Return the fills ``words``, inflected for the question of ``template`` as in the fill stage."""
    if not any(template["question_forms"]):
        return words
    constraints = [parse_constraint(written) for written in template["mask_constraints"]]
    asked = question_words(words, constraints, template["question_forms"])
    if asked is None:
        raise ArtifactError(
            f"the lexicon no longer inflects {', '.join(words)} as it did when the masks were filled",
            remedy="delete out/fill and the later stages, and run the study again",
        )
    return asked
