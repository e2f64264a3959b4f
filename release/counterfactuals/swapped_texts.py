"""The texts of a counterfactual: from the template if it is known, else by swapping words in the text.

`nextset.generation.templates.item_rendering` renders from the template;
`nextset.release.counterfactuals.counterfactual_items` makes items from these texts.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Any

import pyarrow as pa

from nextset.generation.templates.item_rendering import CounterfactualTexts, counterfactual_renderer

__all__ = ["TextRenderer", "swapped_by_text", "text_renderer"]

TextRenderer = Callable[[Mapping[str, Any]], CounterfactualTexts | None]
"""From an item (a row of NLI items) to the texts of its counterfactual; None if it has none."""


def text_renderer(templates: pa.Table) -> TextRenderer:
    """Return a `TextRenderer` that uses ``templates``, the TemplateRows that the generate stage wrote.

    An item whose template is among them is rendered from it; any other item (imported data) has the groups
    of its bindings swapped in the text.
    """
    known = set(templates["template_id"].to_pylist())
    from_template = counterfactual_renderer(templates)

    def render(item: Mapping[str, Any]) -> CounterfactualTexts | None:
        return from_template(item) if item["template_id"] in known else swapped_by_text(item)

    return render


_SENTENCE_START = re.compile(r"(?:\A|[.!?][\"'”’)]*\s+)[\"'“‘(]*\Z")


def swapped_by_text(item: Mapping[str, Any]) -> CounterfactualTexts | None:
    """Return hypothesis and question of ``item`` (a row of NLI items) with its two groups swapped.

    Both groups are replaced at once, as whole words, in the form of the bindings or with a capital; a
    capital that begins a sentence stays one. Pronouns do not change. Returns None if the item has no
    bindings, or its hypothesis names neither group.
    """
    bindings = item["bindings"]
    if bindings is None or not (bindings["group1"] and bindings["group2"]):
        return None
    hypothesis = _swapped(item["hypothesis"], bindings["group1"], bindings["group2"])
    if hypothesis == item["hypothesis"]:
        return None
    return CounterfactualTexts(hypothesis, _swapped(item["question"], bindings["group1"], bindings["group2"]))


def _swapped(text: str, group1: str, group2: str) -> str:
    other = {_capital(group1): _capital(group2), _capital(group2): _capital(group1)}
    other |= {group1: group2, group2: group1}
    # The longest first, so that "Muslim women" is found before "women".
    forms = "|".join(re.escape(form) for form in sorted(other, key=lambda f: (-len(f), f)))

    def replacement(match: re.Match[str]) -> str:
        found = other[match[0]]
        begins = _SENTENCE_START.search(text, 0, match.start()) is not None
        return _capital(found) if begins and match[0][0].isupper() else found

    return re.sub(rf"(?<!\w)(?:{forms})(?!\w)", replacement, text)


def _capital(text: str) -> str:
    return text[0].upper() + text[1:]
