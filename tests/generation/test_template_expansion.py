"""Expansion: worked by hand on a small file, and against the published counts on the published files."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from pathlib import Path

import pytest

from nextset.errors import TemplateError
from nextset.generation.template_expansion import count_rows, expand, full_product, mask_lists, template_rows
from nextset.generation.templates.template_files import read_template

MANY = 10**9


def test_a_small_file_by_hand(small: Path) -> None:
    expansion = expand([read_template(small)], tests=True, max_rows=MANY)
    # 2 premises × 1 hypothesis × 2 words × 2 orders = 8; none of them merge.
    # 2 premises × 1 mask × 2 orders = 4.
    # 2 premises × 1 test × 2 orders = 4, where "Pets sleep." has the same text in both orders: 3 items.
    assert expansion.counts == {
        "audit rows": 8,
        "test rows": 4,
        "masked rows": 4,
        "rows with the same text as another row, merged": 1,
        "audit rows that name no group and so cannot measure bias": 0,
        # 2 premises × (1 hypothesis + 1 test) × 2 words × 2 orders
        "full product": 16,
    }
    assert expansion.items.num_rows == 8 + 3
    rows = expansion.items.to_pylist()
    assert [(r["stance_design"], r["premise"], r["hypothesis"], r["question"]) for r in rows[:2]] == [
        ("pro", "Cats sleep 14 hours.", "Cats idle all day.", "Do cats idle all day?"),
        ("pro", "Cats sleep 14 hours.", "Cats idle all night.", "Do cats idle all night?"),
    ]
    assert [r["label"] for r in rows] == ["neutral"] * 8 + ["entailment"] * 3


def test_the_anti_form_swaps_premise_and_hypothesis_and_says_so(small: Path) -> None:
    rows = expand([read_template(small)], tests=False, max_rows=MANY).items.to_pylist()
    anti = [r for r in rows if r["stance_design"] == "anti"]
    assert {(r["premise"], r["premise_swapped"]) for r in anti} == {
        ("Dogs sleep 14 hours.", True),
        ("Pets sleep.", False),
    }
    assert all(r["bindings"]["group2"] == "dogs" for r in anti)
    assert not any(r["premise_swapped"] for r in rows if r["stance_design"] == "pro")


def test_items_that_differ_only_by_group_share_their_set(small: Path) -> None:
    expansion = expand([read_template(small)], tests=False, max_rows=MANY)
    by_set = Counter(expansion.items["set_id"].to_pylist())
    assert set(by_set.values()) == {2}
    assert expansion.masked["set_id"].null_count == expansion.masked.num_rows


MASKED = """\
  - text: "{{GROUP2}} are too {{MASK}}."
    question: "Are {{GROUP2}} too {{MASK}}?"
"""
TAKES = """\
  - text: "{{GROUP2}} {{MASK:verb.past|verb.participle not sizes}} {{MASK}} toys."
    question: "Did {{GROUP2}} {{MASK:verb.base}} {{MASK}} toys?"
  - text: "{{GROUP2}} like {{MASK:in toys}}."
"""


def test_what_masks_take_stands_beside_plain_masks(small: Path) -> None:
    text = small.read_text().replace(MASKED, TAKES)
    small.write_text(
        text.replace("premises:", "lists: {sizes: [big, small], toys: [a red ball, bells]}\npremises:")
    )
    template = read_template(small)
    rows = expand([template], tests=False, max_rows=MANY).masked.to_pylist()
    assert {
        (r["hypothesis"], r["question"], *map(tuple, (r["mask_constraints"], r["question_forms"])))
        for r in rows
    } == {
        (f"{who.capitalize()} {text}", question.format(who), takes, forms)
        for who in ("cats", "dogs")
        for text, question, takes, forms in (
            (
                "{{MASK}} {{MASK}} toys.",
                "Did {} {{{{MASK}}}} {{{{MASK}}}} toys?",
                ("verb.past|verb.participle not sizes", ""),
                ("verb.base", ""),
            ),
            ("like {{MASK}}.", "", ("in toys",), ("",)),
        )
    }
    by_template = {r["template_id"]: (r["mask_constraints"], r["question_forms"]) for r in rows}
    assert {
        r["template_id"]: (r["mask_constraints"], r["question_forms"])
        for r in template_rows([template]).to_pylist()
        if "{{MASK}}" in r["hypothesis"]
    } == by_template
    assert [(r["stereotype"], r["name"], r["words"]) for r in mask_lists([template]).to_pylist()] == [
        ("cats are to lazy", "sizes", ["big", "small"]),
        ("cats are to lazy", "toys", ["a red ball", "bells"]),
    ]


def test_what_a_mask_takes_changes_no_id(small: Path) -> None:
    before = expand([read_template(small)], tests=False, max_rows=MANY).masked
    small.write_text(small.read_text().replace("too {{MASK}}.", "too {{MASK:adj}}."))
    after = expand([read_template(small)], tests=False, max_rows=MANY).masked
    assert after["mask_constraints"].to_pylist() == [["adj"]] * 4
    for column in ("id", "template_id"):
        assert after[column].equals(before[column])


def test_rows_are_reckoned_before_they_are_made(small: Path) -> None:
    template = read_template(small)
    assert [count_rows(template, kind) for kind in ("hypothesis", "masked", "test")] == [8, 4, 4]
    with pytest.raises(TemplateError, match="expand to 16 rows, more than 15"):
        expand([template], tests=True, max_rows=15)


def test_a_huge_product_is_refused_before_it_is_expanded(tmp_path: Path) -> None:
    words = "\n".join(f"  W{i}: [{', '.join(f'a{j}' for j in range(100))}]" for i in range(8))
    text = " ".join(f"{{{{W{i}}}}}" for i in range(8))
    path = tmp_path / "huge.yaml"
    path.write_text(
        f"format: 1\nstereotype: s\ndomain: d\nsource: x\ngroups: {{GROUP1: a, GROUP2: b}}\nwords:\n{words}\n"
        f"premises:\n  - {{text: p, source: s}}\nhypotheses:\n  - text: '{{{{GROUP1}}}} {text}'\n"
    )
    with pytest.raises(TemplateError, match="20,000,000,000,000,000 rows"):
        expand([read_template(path)], tests=True, max_rows=50_000_000)


def test_the_published_format_keeps_capitals_and_drops_undefined_words(
    published: Callable[..., Path],
) -> None:
    template = read_template(published())
    assert full_product(template) == 1 * 2 * (2 * 3) * 2
    rows = expand([template], tests=True, max_rows=MANY).items.to_pylist()
    assert rows[0]["hypothesis"] == "cats idle all day."
    assert {r["question"] for r in rows if r["stance_design"] == "test"} == {
        "Do cats sleep?",
        "Do dogs sleep?",
    }


@pytest.mark.reference
def test_the_published_files_give_the_published_counts(reference: Path) -> None:
    templates = [read_template(p) for p in sorted((reference / "bbnli").rglob("*.json"))]
    assert len(templates) == 16
    expansion = expand(templates, tests=True, max_rows=MANY)
    assert expansion.counts["full product"] == 62_808
    assert expansion.counts["audit rows"] == 2_290
    assert expansion.counts["test rows"] == 1_352
    # 56 test rows read the same whichever group comes first: they are one item each.
    assert expansion.counts["rows with the same text as another row, merged"] == 56
    audit = [r for r in expansion.items.to_pylist() if r["stance_design"] != "test"]
    assert Counter(r["stance_design"] for r in audit) == {"pro": 1_145, "anti": 1_145}
    stances: dict[tuple[str, str], set[str]] = {}
    for r in audit:
        stances.setdefault((r["premise"], r["hypothesis"]), set()).add(r["stance_design"])
    assert len(stances) == 2_229
    both = {pair for pair, s in stances.items() if s == {"pro", "anti"}}
    assert len(both) == 47
    no_group = {(r["premise"], r["hypothesis"]) for r in audit if not r["names_group"]}
    assert no_group == both
    # 47 pairs, a row a stance
    assert expansion.counts["audit rows that name no group and so cannot measure bias"] == 94
