"""A counterfactual's texts rendered from the item's template, with the groups swapped.

`nextset.release.counterfactuals` decides when this module is used, and makes the items;
`nextset.auditing.measures.item_measures` is the measure over pairs of items.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, Protocol

import pyarrow as pa

from nextset.errors import ArtifactError
from nextset.generation.sound_rules.rule_names import named_rules
from nextset.generation.templates.placeholders import place_words, render
from nextset.generation.templates.question_inflection import question_words
from nextset.generation.templates.template import names_group
from nextset.study.mask_constraint import parse_constraint

__all__ = [
    "CounterfactualRenderer",
    "CounterfactualTexts",
    "counterfactual_groups",
    "counterfactual_renderer",
]


@dataclass(frozen=True)
class CounterfactualTexts:
    """Hypothesis and question of a counterfactual."""

    hypothesis: str
    question: str


class CounterfactualRenderer(Protocol):
    """A function that renders the counterfactual of an item from its template."""

    def __call__(self, item: Mapping[str, Any], group: str = "", /) -> CounterfactualTexts | None:
        """Return the texts of ``item``, a row of NLI items, about another ``group``.

        By default they are about the second group of its bindings. The second group becomes the first one of
        the bindings, or stays if ``group`` is a third one that takes the place of an untargeted group.
        """


def counterfactual_renderer(templates: pa.Table) -> CounterfactualRenderer:
    """Return a function that renders an item's counterfactual about another group.

    ``templates`` is the table of TemplateRows from the generate stage, so the texts come from the templates
    as they were then. The function returns None if the item's template is not in the table, or if its
    hypothesis names no group.
    """
    by_id = {row["template_id"]: row for row in templates.to_pylist()}

    def counterfactual(item: Mapping[str, Any], group: str = "", /) -> CounterfactualTexts | None:
        template = by_id.get(item["template_id"])
        bindings = item["bindings"]
        if template is None or bindings is None or not names_group(template["hypothesis"]):
            return None
        first, second = counterfactual_groups(bindings, group, template.get("every_group") or ())
        values = {
            "GROUP1": first,
            "GROUP2": second,
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


def counterfactual_groups(
    bindings: Mapping[str, Any], group: str = "", every_group: Sequence[str] = ()
) -> tuple[str, str]:
    """Return the first and second group of an item's counterfactual about ``group``.

    ``every_group`` has all groups of the template, the one that the stereotype is about first, which is the
    second group of every counterfactual about another one. Without them, the two groups of ``bindings`` are
    swapped.
    """
    first = group or bindings["group2"]
    if every_group and first != every_group[0]:
        return first, every_group[0]
    return first, bindings["group1"]


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
