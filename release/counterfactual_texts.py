"""The texts of a counterfactual: rendered from the template if it is known, else swapped in the text."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Any

import pyarrow as pa

from nextset.generation.counterfactual_rendering import Rendered, counterfactual_renderer

__all__ = ["Render", "renderer", "swapped_by_text"]

Render = Callable[[Mapping[str, Any]], Rendered | None]
"""From an item (a row of NLI items) to the texts of its counterfactual; None where it has none."""


def renderer(templates: pa.Table) -> Render:
    """A `Render` that uses ``templates``, the TemplateRows that the generate stage kept.

    An item whose template is among them is rendered again from it; one without (imported data) has the
    groups of its bindings swapped by text.
    """
    known = set(templates["template_id"].to_pylist())
    from_template = counterfactual_renderer(templates)

    def render(item: Mapping[str, Any]) -> Rendered | None:
        return from_template(item) if item["template_id"] in known else swapped_by_text(item)

    return render


_SENTENCE_START = re.compile(r"(?:\A|[.!?][\"'”’)]*\s+)[\"'“‘(]*\Z")


def swapped_by_text(item: Mapping[str, Any]) -> Rendered | None:
    """Hypothesis and question of ``item`` (a row of NLI items) with its two groups swapped.

    Both groups are replaced at once, as whole words, in the form of the bindings or with a capital; a
    capital that begins a sentence stays one. Pronouns are left as they are. None where the item has no
    bindings, or where its hypothesis names neither group.
    """
    bindings = item["bindings"]
    if bindings is None or not (bindings["group1"] and bindings["group2"]):
        return None
    hypothesis = _swapped(item["hypothesis"], bindings["group1"], bindings["group2"])
    if hypothesis == item["hypothesis"]:
        return None
    return Rendered(hypothesis, _swapped(item["question"], bindings["group1"], bindings["group2"]))


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
