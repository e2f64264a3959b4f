"""The texts of an item's counterparts: from the template if it is known, or by swapping terms in the text.

`nextset.generation.templates.item_rendering` renders from the template, `imported_counterparts` swaps terms;
`nextset.release.counterfactuals.counterfactual_items` makes items from the texts.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Mapping
from typing import Any

import pyarrow as pa

from nextset.generation.templates.item_rendering import counterfactual_renderer
from nextset.release.counterfactuals.group_terms import GroupTerms
from nextset.release.counterfactuals.imported_counterparts import GroupTexts, Rendering, TextCounterparts

__all__ = ["TextRenderer", "text_renderer"]

TextRenderer = Callable[[Mapping[str, Any]], Rendering | None]
"""A function from an item (a row of NLI items) to the texts of its counterparts, or None if it has none."""

_MOST = 20_000
"""The most texts that are cached."""

_Pair = tuple[str, str]
_Texts = Rendering | None


def text_renderer(templates: pa.Table, terms: GroupTerms) -> TextRenderer:
    """Return a `TextRenderer` that uses ``templates``, the TemplateRows that the generate stage wrote.

    An item whose template is among them is rendered from the template. In any other item (imported data), the
    groups of its bindings are swapped in the text, or without bindings, the groups of ``terms`` that its
    hypothesis names. spaCy is imported for the first such item.
    """
    known = set(templates["template_id"].to_pylist())
    several = {r["template_id"]: r["every_group"] for r in templates.to_pylist() if r.get("every_group")}
    from_template = counterfactual_renderer(templates)
    from_text = TextCounterparts(terms)

    @functools.lru_cache(maxsize=_MOST)  # the same hypothesis occurs with several premises
    def rendered(
        template: str, language: str, groups: _Pair, words: tuple[_Pair, ...], fills: tuple[str, ...]
    ) -> _Texts:
        bindings = {
            "group1": groups[0],
            "group2": groups[1],
            "words": [{"name": name, "value": value} for name, value in words],
            "fills": [{"word": word} for word in fills],
        }
        item = {"template_id": template, "language": language, "bindings": bindings}
        every_group = several.get(template, ())
        others = [group for group in every_group if group != groups[0]] or [""]
        made = [(group, texts) for group in others if (texts := from_template(item, group)) is not None]
        target = every_group[0] if every_group else ""
        return Rendering(tuple(GroupTexts(g, (texts,)) for g, texts in made), target=target) if made else None

    def render(item: Mapping[str, Any]) -> Rendering | None:
        bindings = item["bindings"]
        if item["template_id"] not in known:
            return from_text(item)
        if bindings is None:
            return None
        words = tuple((word["name"], word["value"]) for word in bindings["words"])
        fills = tuple(fill["word"] for fill in bindings["fills"])
        groups = bindings["group1"], bindings["group2"]
        return rendered(item["template_id"], item["language"], groups, words, fills)

    return render
