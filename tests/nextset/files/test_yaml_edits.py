"""Edits of YAML: the values that were asked for change, and no other byte does."""

from __future__ import annotations

import datetime
from typing import Any

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from nextset.files.yaml_edits import UnsafeEdit, appended_item, edited_yaml
from nextset.files.yaml_reader import Location

PAGE = """\
# Content warning.
format: 1   # the first

subjects:
  Turkey:          # with a comment
    forms: {"": Türkei, dem.m: ""}  # behind
    cluster: asia
  Spain:
    forms:
      "": >-
        Königreich
        Spanien
      dem.m:       # not yet
      dem.f: ''
    # the last words

  Poland: {cluster: europe}
  Malta:
"""


def test_only_the_values_that_are_asked_for_change() -> None:
    texts: dict[Location, str] = {
        ("subjects", "Turkey", "forms", "dem.m"): 'Türke "so"',
        ("subjects", "Spain", "forms", ""): "Spanien",
        ("subjects", "Spain", "forms", "dem.m"): "Spanier",
        ("subjects", "Spain", "forms", "dem.f"): "Spanierin: ja # nein",
        ("subjects", "Spain", "forms", "dem.f.dat"): "Spanierin\\",
        ("subjects", "Poland", "forms", ""): "Polen",
        ("subjects", "Poland", "forms", "dem.m"): "Pole",
        ("subjects", "Malta", "forms", ""): "Malta",
    }
    assert edited_yaml(PAGE, texts) == PAGE.replace('dem.m: ""}', r'dem.m: "Türke \"so\""}').replace(
        ">-\n        Königreich\n        Spanien\n", '"Spanien"\n'
    ).replace("dem.m:       # not yet", 'dem.m: "Spanier"       # not yet').replace(
        "dem.f: ''", 'dem.f: "Spanierin: ja # nein"\n      "dem.f.dat": "Spanierin\\\\"'
    ).replace("{cluster: europe}", '{cluster: europe, forms: {"": "Polen", "dem.m": "Pole"}}').replace(
        "Malta:\n", 'Malta: {forms: {"": "Malta"}}\n'
    )


def test_no_edit_changes_no_byte_and_line_ends_stay() -> None:
    assert edited_yaml(PAGE, {}) == PAGE
    windows = "a: |\r\n  b\r\n# c\r\nd:\r\n  e: f\r\n"
    assert edited_yaml(windows, {("a",): "x", ("d", "g"): "y"}) == (
        'a: "x"\r\n# c\r\nd:\r\n  e: f\r\n  g: "y"\r\n'
    )
    assert edited_yaml("a: {}", {("a", "no"): "x"}) == 'a: {"no": "x"}'


@pytest.mark.parametrize("at", [("a", "b"), ("list",), ("keys",), ("keys", "c", "d"), ("list", "x")])
def test_a_value_of_another_kind_is_not_overwritten(at: tuple[str, ...]) -> None:
    with pytest.raises(UnsafeEdit):
        edited_yaml("a: text\nlist: [1]\nkeys: {c: d}\n", {at: "x"})


KEY = st.text(st.characters(codec="utf-8", categories=("L", "N", "P", "S", "Zs")), max_size=6).map(str.strip)
TEXT = st.text(st.characters(codec="utf-8", exclude_categories=("Cs", "Cc")), max_size=20)
TREE = st.dictionaries(
    KEY, st.dictionaries(KEY, st.dictionaries(KEY, TEXT, max_size=3), max_size=3), max_size=3
)


@pytest.mark.slow
@given(TREE, st.data(), st.sampled_from([None, False, True]))
def test_any_text_at_any_key(tree: dict[str, Any], data: st.DataObject, flow: bool | None) -> None:
    """Whatever PyYAML writes: the edit is read back, and without it the file is as it was."""
    tree = {"top": "x", **tree}
    text = yaml.safe_dump(tree, default_flow_style=flow, allow_unicode=True, width=30)
    paths = [(a, b, c) for a, v in tree.items() if isinstance(v, dict) for b, w in v.items() for c in w]
    asked: dict[Location, str] = {}
    for path in paths:
        if data.draw(st.booleans()):
            asked[path] = data.draw(TEXT)
        if data.draw(st.booleans()):
            asked[(*path[:2], data.draw(KEY))] = data.draw(TEXT)
    read = yaml.safe_load(edited_yaml(text, asked))
    for a, b, c in ((str(x), str(y), str(z)) for x, y, z in asked):
        assert read[a][b].pop(c) == asked[a, b, c]
        tree[a][b].pop(c, None)
    assert read == tree


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("a: 1\nby: []  # who\n", 'a: 1\nby: [{name: "A", date: 2026-11-23, seen: 0.94}]  # who\n'),
        ('by: ""  # who\na: 1\n', 'by: [{name: "A", date: 2026-11-23, seen: 0.94}]  # who\na: 1\n'),
        ("by:\na: 1\n", 'by: [{name: "A", date: 2026-11-23, seen: 0.94}]\na: 1\n'),
        ("a: 1\n", 'a: 1\nby: [{name: "A", date: 2026-11-23, seen: 0.94}]\n'),
        ("by: [{name: B}]\n", 'by: [{name: B}, {name: "A", date: 2026-11-23, seen: 0.94}]\n'),
        (
            "by:\n  - name: B   # first\n    # more\n\na: 1\n",
            'by:\n  - name: B   # first\n  - {name: "A", date: 2026-11-23, seen: 0.94}\n    # more\n\na: 1\n',
        ),
    ],
)
def test_an_item_is_appended(before: str, after: str) -> None:
    item = {"name": "A", "date": datetime.date(2026, 11, 23), "seen": 0.94}
    assert appended_item(before, "by", item) == after


def test_an_item_takes_the_place_of_an_earlier_one() -> None:
    page = "by:\n  - name: B\n    seen: 0.5  # once\n  - {name: C}\n"
    assert appended_item(page, "by", {"name": "B"}, 0) == 'by:\n  - {name: "B"}  # once\n  - {name: C}\n'
    assert appended_item(page, "by", {"name": "D"}, 1) == page.replace("C", '"D"')
