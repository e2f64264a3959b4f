from __future__ import annotations

import os
from pathlib import Path

import pytest

from nextset.generation.template_expansion import expand, template_rows
from nextset.generation.templates.published_bbnli import read_published_bbnli
from nextset.generation.templates.template import names_group
from nextset.release.counterfactuals.counterfactual_items import is_counterfactual, with_counterfactuals
from nextset.release.counterfactuals.counterpart_rendering import text_renderer
from nextset.release.counterfactuals.group_terms import read_group_terms

REFERENCE = os.environ.get("NEXTSET_REFERENCE")


@pytest.mark.reference
@pytest.mark.skipif(not REFERENCE, reason="NEXTSET_REFERENCE is not set")
def test_published_hypotheses_that_name_a_group_have_a_counterpart() -> None:
    assert REFERENCE
    files = sorted((Path(REFERENCE) / "bbnli").rglob("*.json"))
    templates = [read_published_bbnli(path) for path in files]
    items = expand(templates, tests=True, max_rows=1_000_000).items
    rows = template_rows(templates)
    render = text_renderer(rows, read_group_terms("builtin:en", Path))
    found = with_counterfactuals(items, render).items
    texts = {row["template_id"]: row["hypothesis"] for row in rows.to_pylist()}
    for row in found.to_pylist():
        named = row["stance_design"] != "test" and names_group(texts[row["template_id"]])
        assert (row["counterpart_id"] is not None) == named
    assert found.num_rows == items.num_rows + sum(is_counterfactual(found))
    assert with_counterfactuals(found, render).items.equals(found)
