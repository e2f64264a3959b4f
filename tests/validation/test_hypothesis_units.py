from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pyarrow as pa
import pytest

import nextset
from nextset.artifacts.artifact import Recipe, open_artifact
from nextset.artifacts.build import Part, PartResult, build
from nextset.records.arrow_schema import table_of
from nextset.records.nli_items import Bindings, Fill, NliItem, Stance
from nextset.validation.hypothesis_units import units
from nextset.validation.study_units import kept_units
from tests.records import ITEM


def item(
    hypothesis: str,
    stance: Stance = "pro",
    premise: str = "A fact.",
    groups: tuple[str, str] | None = ("b", "a"),
) -> NliItem:
    return replace(
        ITEM,
        id=hypothesis + stance + premise,
        stereotype="man is to surgeon",
        premise=premise,
        hypothesis=hypothesis,
        question="",
        stance_design=stance,
        bindings=Bindings(*groups) if groups else None,
    )


def table(*items: NliItem) -> pa.Table:
    return table_of(items, NliItem)


def test_a_hypothesis_under_two_premises_is_one_unit() -> None:
    found = units(table(item("x"), item("x", premise="Another."), item("y"))).to_pylist()
    assert sorted((u["hypothesis"], u["n_items"]) for u in found) == [("x", 2), ("y", 1)]
    assert {(u["group1"], u["group2"]) for u in found} == {("a", "b")}


def test_units_do_not_depend_on_the_order_of_items() -> None:
    items = [item("x"), item("y", "anti"), item("z", groups=None)]
    assert units(table(*items)) == units(table(*reversed(items)))


def test_the_same_text_as_pro_and_anti_is_mixed_and_tests_are_no_units() -> None:
    found = units(table(item("x"), item("x", "anti"), item("t", "test"), item("z", groups=None))).to_pylist()
    assert {u["hypothesis"]: u["stance_design"] for u in found} == {"x": "mixed", "z": "pro"}
    assert {u["hypothesis"]: u["group1"] for u in found} == {"x": "a", "z": ""}


def test_a_unit_carries_what_is_known_of_its_items() -> None:
    """Two premises of one hypothesis: means of what is known, the template's text, all marks."""
    bindings = Bindings("b", "a", fills=(Fill("calm", 3, 0.5), Fill("kind", 3, 0.5)))
    items = [
        replace(item("x", premise=premise), template_id=template, bindings=replace(bindings, fills=fills))
        for premise, template, fills in (
            ("A fact.", "t1", bindings.fills),
            ("Another.", "t2", (Fill("calm", 5, 0.1), Fill("kind", 5, 0.1))),
        )
    ]
    rows = table(*items, item("y"))
    columns = {
        "missed_by": pa.array([["m1"], ["m1", "m2"], []], pa.list_(pa.string())),
        "fluency": pa.array([-2.0, -3.0, None]),
        "relative_fluency": pa.array([-0.5, None, None]),
        "fill_marks": pa.array([["polarity"], ["joint", "polarity"], None], pa.list_(pa.string())),
    }
    for name, values in columns.items():
        rows = rows.append_column(name, values)
    text = "{{GROUP1}} are {{MASK}} and {{MASK}}."
    x, y = sorted(
        units(rows, 2, {"t1": text, "t2": text}).to_pylist(), key=lambda unit: str(unit["hypothesis"])
    )
    # one of two models and both of two: (½ + 1) / 2
    assert (x["missed"], x["fluency"], x["relative_fluency"], x["fill_rank"]) == (0.75, -2.5, -0.5, 4.0)
    assert (x["fills"], x["fill_marks"]) == (["calm", "kind"], ["joint", "polarity"])
    assert x["template"] == f"man is to surgeon: {text}"
    assert (y["missed"], y["relative_fluency"], y["template"]) == (0.0, None, None)
    assert (y["fills"], y["fill_rank"], y["fill_marks"]) == ([], None, [])


@pytest.mark.slow
def test_units_of_a_study_have_the_template_as_its_file_writes_it(tmp_path: Path) -> None:
    study = nextset.new_study(tmp_path / "mine")
    nextset.generate(study)
    generated = open_artifact(study.out / "generate")
    masked = generated.table("masked").to_pylist()[0]
    kept = [
        replace(
            ITEM,
            id=f"item {i}",
            stereotype=masked["stereotype"],
            template_id=template,
            hypothesis=f"Text {i}.",
            bindings=Bindings("men", "women"),
        )
        for i, template in enumerate([masked["template_id"], "an imported one's"])
    ]
    build(study.out / "filter", Recipe("filter", 1), lambda: [Part("kept", lambda: PartResult(table(*kept)))])
    found = {
        row["hypothesis"]: row["template"]
        for row in kept_units(study.out, study.filter, study.settings.validate_.unit).to_pylist()
    }
    (text,) = {
        row["hypothesis"]
        for row in generated.table("templates").to_pylist()
        if row["template_id"] == masked["template_id"]
    }
    assert found["Text 1."] is None
    written = str(found["Text 0."])
    assert written.startswith(f"{masked['stereotype']}: ")
    assert written.count("{{MASK") == text.count("{{MASK}}") >= 1
