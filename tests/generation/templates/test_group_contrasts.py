"""Templates with more than two groups: the target with each other group, and groups that cross attributes."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest

from nextset.errors import TemplateError
from nextset.generation.template_expansion import count_rows, expand, template_rows
from nextset.generation.templates.template import Template
from nextset.generation.templates.template_files import read_template
from nextset.release.counterfactuals.counterfactual_items import with_counterfactuals
from nextset.release.counterfactuals.counterpart_rendering import text_renderer
from nextset.release.counterfactuals.group_terms import read_group_terms

HEAD = """\
format: 1
stereotype: nurses are tidy
domain: jobs
source: Author (2001), A study
"""
TEXTS = """\
premises:
  - {text: "Some {{GROUP1}} and {{GROUP2}} share {{ROOM}}.", source: "Author (2002), A count"}
hypotheses:
  - {text: "{{GROUP1}} are tidy."}
words: {ROOM: [an office, a kitchen]}
"""
THREE = f"{HEAD}groups: {{GROUP1: nurses, GROUP2: pilots, GROUP3: bakers}}\n{TEXTS}"
CROSSED = (
    f"{HEAD}crossed:\n  attributes: {{AGE: [young, old], JOB: [nurses, pilots]}}\n"
    f'  text: "{{{{AGE}}}} {{{{JOB}}}}"\n  along: ALONG\n{TEXTS}'
)


def template(tmp_path: Path, text: str) -> Template:
    file = tmp_path / "tidy.yaml"
    file.write_text(text)
    return read_template(file)


def contrasts(tmp_path: Path, text: str) -> set[tuple[str, str]]:
    items = expand([template(tmp_path, text)], tests=False, max_rows=100).items.to_pylist()
    return {(i["bindings"]["group1"], i["bindings"]["group2"]) for i in items if i["stance_design"] == "pro"}


def test_the_first_group_is_compared_with_each_other_one(tmp_path: Path) -> None:
    assert contrasts(tmp_path, THREE) == {("nurses", "pilots"), ("nurses", "bakers")}
    loaded = template(tmp_path, THREE)
    items = expand([loaded], tests=False, max_rows=100).items
    # 1 premise × 1 hypothesis × 2 rooms × 2 orders × 2 contrasts
    assert items.num_rows == count_rows(loaded, "hypothesis") == 8
    assert Counter(items["set_id"].to_pylist()).most_common(1)[0][1] == 4  # both contrasts, one room


def test_two_groups_have_the_ids_that_they_had(tmp_path: Path) -> None:
    two = template(tmp_path, THREE.replace(", GROUP3: bakers", ""))
    assert two.by_contrast == (two,)
    items = expand([two], tests=False, max_rows=100).items
    assert len(set(items["set_id"].to_pylist())) == 2


@pytest.mark.parametrize(
    ("along", "others"),
    [
        ("one", {"young pilots", "old nurses"}),
        ("both", {"old pilots"}),
        ("any", {"young pilots", "old nurses", "old pilots"}),
    ],
)
def test_crossed_groups_are_compared_along_one_attribute_or_both(
    tmp_path: Path, along: str, others: set[str]
) -> None:
    pairs = contrasts(tmp_path, CROSSED.replace("ALONG", along))
    assert pairs == {("young nurses", other) for other in others}


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (THREE.replace("GROUP3: bakers", "GROUP3: Pilots"), "GROUP2 and GROUP3 are both"),
        (THREE.replace("GROUP3", "GROUP4"), "a number is left out"),
        (f"{HEAD}{TEXTS}", "'groups' is missing"),
        (CROSSED.replace("ALONG", "one").replace("[young, old]", "[young]"), "fewer than two values"),
        (CROSSED.replace("ALONG", "one").replace("{{AGE}} ", ""), "not both an attribute and in the text"),
        (CROSSED.replace("ALONG", "one").replace("old]", "'{{JOB}}']"), "not the value of an attribute"),
        (CROSSED.replace("ALONG", "one").replace("old]", "Young]"), "the same text"),
        (CROSSED.replace("ALONG", "one") + "groups: {GROUP1: a, GROUP2: b}\n", "both groups and crossed"),
    ],
)
def test_wrong_groups_are_an_error(tmp_path: Path, text: str, message: str) -> None:
    with pytest.raises(TemplateError, match=message):
        template(tmp_path, text)


def test_a_released_item_gets_a_full_set_of_its_groups(tmp_path: Path) -> None:
    loaded = template(tmp_path, THREE)
    items = expand([loaded], tests=False, max_rows=100).items.to_pylist()
    render = text_renderer(template_rows([loaded]), read_group_terms("builtin:en", Path))
    table = expand([loaded], tests=False, max_rows=100).items
    for place, item in enumerate(items):
        one = table.slice(place, 1)
        made = with_counterfactuals(one, render).items.to_pylist()
        about = {(r["bindings"]["group1"], r["stance_design"], r["hypothesis"]) for r in made}
        assert about == {
            ("nurses", "pro", "Nurses are tidy."),
            ("pilots", "anti", "Pilots are tidy."),
            ("bakers", "anti", "Bakers are tidy."),
        }, item
        assert len({r["counterfactual_set"] for r in made}) == 1
        # a counterpart has the opposite stance: two items against the stereotype are no pair
        by_id = {r["id"]: r["stance_design"] for r in made}
        pairs = [(r["stance_design"], by_id[r["counterpart_id"]]) for r in made if r["counterpart_id"]]
        assert sorted(pairs) == [("anti", "pro"), ("pro", "anti")]
        assert {r["premise"] for r in made} == {item["premise"]}
        others = [r["bindings"] for r in made if r["stance_design"] == "anti"]
        assert {b["group2"] for b in others} == {"nurses"}
