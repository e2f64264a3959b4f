from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from xml.etree import ElementTree

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from nextset.errors import JudgmentError
from nextset.items import Bindings, NliItem, Stance, table_of
from nextset.warning import CONTENT_WARNING
from tests.records import ITEM
from validation.page.labelling_config import labelling_config
from validation.page.tasks import MAX_CHARACTERS, tasks, write_tasks
from validation.units import units

HOSTILE = "<script>alert('x')</script> &amp; \u202emoc\u202c 😀 \" $warning ]]> | \n# heading"


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


def test_tasks_show_the_warning_and_no_stance() -> None:
    (task,) = tasks(units(table(item("x", "anti"))))
    assert list(task) == ["data"]
    assert "anti" not in json.dumps(task)
    assert task["data"]["warning"] == CONTENT_WARNING
    assert task["data"]["groups"] == "a / b"


@given(
    st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"), max_size=50) | st.just(HOSTILE)
)
def test_any_text_comes_back_from_the_tasks_as_it_went_in(text: str) -> None:
    (task,) = tasks(units(table(item(text))))
    assert json.loads(json.dumps(task))["data"]["hypothesis"] == text


def test_the_files_are_stable_and_ascii_where_people_do_not_read_them(tmp_path: Path) -> None:
    made = units(table(item(HOSTILE), item("y")))
    first = write_tasks(tmp_path / "a" / "tasks.json", made)
    second = write_tasks(tmp_path / "b" / "tasks.json", made)
    assert first.n_tasks == 2
    assert first.tasks.read_bytes() == second.tasks.read_bytes()
    assert first.tasks.read_bytes().isascii()
    texts = {task["data"]["hypothesis"] for task in json.loads(first.tasks.read_bytes())}
    assert texts == {HOSTILE, "y"}
    assert CONTENT_WARNING in first.guidelines.read_text(encoding="utf-8")
    assert sorted(p.name for p in first.tasks.parent.iterdir()) == [
        "guidelines.md",
        "labelling_config.xml",
        "tasks.json",
    ]


@pytest.mark.parametrize(
    ("text", "why"), [("a\0b", "NUL"), ("x" * (MAX_CHARACTERS + 1), "10,001 characters")], ids=["nul", "long"]
)
def test_hostile_text_is_refused_before_anything_is_written(tmp_path: Path, text: str, why: str) -> None:
    made = units(table(item("fine"), item(text)))
    with pytest.raises(JudgmentError, match=why) as e:
        write_tasks(tmp_path / "tasks.json", made)
    assert "hypothesis" in str(e.value)
    assert not list(tmp_path.iterdir())


def test_the_page_names_only_fields_that_tasks_have() -> None:
    page = ElementTree.fromstring(labelling_config())
    named = {v[1:] for tag in page.iter() for v in tag.attrib.values() if v.startswith("$")}
    (task,) = tasks(units(table(item("x"))))
    assert named <= set(task["data"])
    assert "warning" in named
    hotkeys = [tag.attrib["hotkey"] for tag in page.iter("Choice")]
    assert len(hotkeys) == len(set(hotkeys)) == 6


def test_label_studio_takes_the_page() -> None:
    interface = pytest.importorskip("label_studio_sdk.label_interface", reason="label-studio-sdk is missing")
    page = interface.LabelInterface(labelling_config())
    page.validate()
    (task,) = tasks(units(table(item(HOSTILE))))
    assert page.validate_task(task)
    result = [
        {"from_name": "verdict", "to_name": "hypothesis", "type": "choices", "value": {"choices": ["valid"]}},
        {"from_name": "stance", "to_name": "hypothesis", "type": "choices", "value": {"choices": ["pro"]}},
    ]
    assert page.validate_annotation({"result": result})
