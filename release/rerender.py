"""How the texts of a counterfactual come about: from the template where it is known, else by text."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import pyarrow as pa

from nextset.generation.rerender import Rendered, counterfactual_renderer
from nextset.release.by_text import swapped_by_text

__all__ = ["Render", "renderer"]

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
