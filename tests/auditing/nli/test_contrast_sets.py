"""Measures by pair of groups, for stereotypes with more than two groups."""

from __future__ import annotations

from pathlib import Path

import pyarrow as pa
import pyarrow.compute as pc

from nextset.auditing.form_tables import item_tables
from nextset.auditing.nli.contrast_sets import contrast_sets
from nextset.auditing.nli.item_counts import PROPERTIES, ItemSet
from nextset.generation.template_expansion import expand
from nextset.generation.templates.template_files import read_template
from nextset.records.nli_items import LABELS

TEMPLATE = """\
format: 1
stereotype: nurses are tidy
domain: jobs
source: Author (2001), A study
groups: {GROUP1: nurses, GROUP2: pilots, GROUP3: bakers}
premises:
  - {text: "Some {{GROUP1}} and {{GROUP2}} share a kitchen.", source: "Author (2002), A count"}
hypotheses:
  - {text: "{{GROUP1}} are tidy."}
  - {text: "{{GROUP1}} like order."}
"""
ENDS = ("are tidy.", "like order.")
"""The ends of the hypotheses."""


def item_set(tmp_path: Path, text: str) -> tuple[ItemSet, pa.Table]:
    (tmp_path / "t.yaml").write_text(text)
    items = expand([read_template(tmp_path / "t.yaml")], tests=False, max_rows=100).items
    return ItemSet("plain", items.num_rows, lambda: [items.select(PROPERTIES)]), items


def test_each_pair_of_groups_has_its_items(tmp_path: Path) -> None:
    items, _ = item_set(tmp_path, TEMPLATE)
    sets = contrast_sets(items)
    assert list(sets) == ["nurses × bakers", "nurses × pilots"]
    for name, of_pair in sets.items():
        (rows,) = of_pair.shards()
        groups = {frozenset((b["group1"], b["group2"])) for b in rows["bindings"].to_pylist()}
        assert groups == {frozenset(name.split(" × "))}
        assert rows.num_rows == 4  # 2 hypotheses × 2 orders
    assert contrast_sets(item_set(tmp_path, TEMPLATE.replace(", GROUP3: bakers", ""))[0]) == {}


def test_an_item_without_another_group_is_in_all_pairs(tmp_path: Path) -> None:
    """Nurses are tidy is one item for both pairs if the premise names no group."""
    plain = TEMPLATE.replace("Some {{GROUP1}} and {{GROUP2}} share a kitchen.", "The office has a kitchen.")
    items, table = item_set(tmp_path, plain)
    assert table.num_rows == 6  # 2 hypotheses about each of 3 groups
    for name, of_pair in contrast_sets(items).items():
        (rows,) = of_pair.shards()
        other = name.split(" × ")[1]
        found = {(group, f"{group} {rest}") for group in ("Nurses", other.title()) for rest in ENDS}
        assert {(text.split()[0], text) for text in rows["hypothesis"].to_pylist()} == found


def test_the_measures_of_a_pair_count_only_its_items(tmp_path: Path) -> None:
    items, table = item_set(tmp_path, TEMPLATE)
    bakers = pc.or_(
        pc.equal(pc.struct_field(table["bindings"], "group1"), "bakers"),
        pc.equal(pc.struct_field(table["bindings"], "group2"), "bakers"),
    )
    # every hypothesis of the pair with bakers follows for the model, and no other one
    entailed = pc.if_else(bakers, 1.0, 0.0)
    scores = pa.table(
        {
            "item_id": table["id"],
            "model": pa.repeat("m", table.num_rows),
            "revision": pa.repeat("r", table.num_rows),
            "role": pa.repeat("audit", table.num_rows),
            LABELS[0]: entailed,
            LABELS[1]: pc.subtract(1.0, entailed),
            LABELS[2]: pa.repeat(0.0, table.num_rows),
        }
    )
    tables = item_tables([items], None, [scores], "nli", lambda done, total: None)
    values = {(r.by, r.part, r.measure): r.value for r in tables.measures if r.measure in ("pro", "anti")}
    # 2 of 4 items are pro and entailed, 2 are anti and entailed
    assert (
        values["contrast", "nurses × bakers", "pro"] == values["contrast", "nurses × bakers", "anti"] == 0.5
    )
    assert (
        values["contrast", "nurses × pilots", "pro"] == values["contrast", "nurses × pilots", "anti"] == 0.0
    )
