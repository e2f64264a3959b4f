"""Bringing a set to another culture: decisions, a survey, and the items that they leave."""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from nextset.errors import WordListError
from nextset.generation.choices.port.decision_sheet import (
    DECISION_COLUMNS,
    SheetDecision,
    decision_sheet,
    read_decisions,
)
from nextset.generation.choices.port.port_page import PortReport, render_port
from nextset.generation.choices.port.ported_templates import Port, made_templates
from nextset.generation.choices.port.stereotype_survey import SurveyCounts, read_survey, stereotype_key
from nextset.generation.choices.port.survey_page import render_survey, survey_questions, survey_texts
from nextset.study.choice_settings import PortSettings
from tests.choice_rows import choice_items

PORT = PortSettings(known_to=0.5, answers=4)
LOST = "lost_phone_1"


def sheet(path: Path, **rows: tuple[str, str, str]) -> Path:
    written = [
        {**dict.fromkeys(DECISION_COLUMNS, ""), "category": "age", "template_id": name}
        | {"decision": decision, "new_target": target, "reason": reason}
        for name, (decision, target, reason) in rows.items()
    ]
    path.write_bytes(decision_sheet(written))
    return path


def survey(path: Path, *rows: tuple[str, str, str]) -> Path:
    lines = [f"{person},age,{stereotype},{answer}" for person, stereotype, answer in rows]
    path.write_text("\n".join(["person,category,stereotype,answer", *lines]))
    return path


def test_the_sheet_comes_back_as_it_was_filled_in(tmp_path: Path) -> None:
    path = sheet(
        tmp_path / "d.csv",
        lost_phone_1=("Removed", "", "not known there"),
        lost_phone_2=("target_changed", "young; old", "a survey of 2024"),
        lost_phone_3=("", "", ""),
    )
    decisions = read_decisions(path)
    assert decisions["age", LOST].decision == "removed"
    assert decisions["age", "lost_phone_2"].new_target == ("young", "old")
    assert decisions["age", "lost_phone_3"].decision is None


@pytest.mark.parametrize(
    ("row", "message"),
    [
        (("gone", "", ""), "is not a decision"),
        (("transfered", "", ""), "did you mean 'transferred'"),
        (("removed", "", ""), "needs a reason"),
        (("transferred", "young", ""), "new_target is only for"),
    ],
)
def test_a_wrong_row_is_named_with_its_line(tmp_path: Path, row: tuple[str, str, str], message: str) -> None:
    path = sheet(tmp_path / "d.csv", lost_phone_1=("new", "", ""), lost_phone_2=row)
    with pytest.raises(WordListError, match=message) as e:
        read_decisions(path)
    assert e.value.line == 3


def test_a_template_has_one_decision(tmp_path: Path) -> None:
    row = {**dict.fromkeys(DECISION_COLUMNS, ""), "category": "age", "template_id": LOST, "decision": "new"}
    (tmp_path / "d.csv").write_bytes(decision_sheet([row, row]))
    with pytest.raises(WordListError, match="line 2 has a decision on this template too"):
        read_decisions(tmp_path / "d.csv")


def test_removed_templates_and_unknown_stereotypes_drop_out(tmp_path: Path) -> None:
    items = choice_items()
    decisions = read_decisions(sheet(tmp_path / "d.csv", lost_phone_1=("removed", "", "a reason")))
    people = [
        *((f"p{i}", "old people lose things (2)", "old") for i in range(3)),
        ("p3", "old people lose things (2)", "none"),
        *((f"p{i}", "old people lose things (3)", "none") for i in range(3)),
        ("p3", "old people lose things (3)", "old"),
    ]
    answers = read_survey(survey(tmp_path / "s.csv", *people), None)
    port = Port(PORT, tmp_path / "d.csv", decisions, answers)
    rows = {row.template_id: row for row in port.decided(made_templates([items]))}
    assert (rows["lost_phone_2"].known, rows["lost_phone_2"].target_named) == (3 / 4, 3 / 4)
    assert [rows[f"lost_phone_{i}"].why for i in (1, 2, 3)] == [
        "removed by decision",
        "",
        "too few people know the stereotype",
    ]
    kept = port.ported(items, {(row.category, row.template_id): row for row in rows.values()})
    assert set(kept["template_id"].to_pylist()) == {"lost_phone_2"}


def test_items_of_neutral_content_stay(tmp_path: Path) -> None:
    """No one is asked about them."""
    answers = read_survey(survey(tmp_path / "s.csv", ("p", "old people lose things (1)", "old")), None)
    rows = [
        {**row, "stereotype": "", "target_groups": [], "target": None} for row in choice_items(1).to_pylist()
    ]
    neutral = pa.Table.from_pylist(rows, schema=choice_items(1).schema)
    (row,) = Port(PORT, survey=answers).decided(made_templates([neutral]))
    assert (row.kept, row.people) == (True, None)


def test_a_stereotype_that_few_were_asked_about_drops_out(tmp_path: Path) -> None:
    answers = read_survey(survey(tmp_path / "s.csv", ("p", "old people lose things (1)", "old")), None)
    rows = Port(PORT, survey=answers).decided(made_templates([choice_items()]))
    assert {row.why for row in rows} == {"fewer than 4 people were asked"}
    assert [row.people for row in rows] == [1, 0, 0]


def test_a_changed_target_moves_to_the_option_of_its_group() -> None:
    items = choice_items(templates=1)
    changed = SheetDecision(("age", LOST), "", "target changed", ("young",), "a reason", 2)
    port = Port(PORT, decisions={changed.key: changed})
    rows = port.decided(made_templates([items]))
    moved = port.ported(items, {(row.category, row.template_id): row for row in rows})
    for row in moved.to_pylist():
        assert row["options"][row["target"]]["group"] == "young"
        assert row["target_groups"] == ["young"]
    assert moved["id"] == items["id"]


def test_a_target_that_no_option_names_is_an_error_with_its_line() -> None:
    wrong = SheetDecision(("age", LOST), "", "target changed", ("nurses",), "a reason", 7)
    with pytest.raises(WordListError, match="no option names the group 'nurses'") as e:
        Port(PORT, Path("d.csv"), {wrong.key: wrong}).decided(made_templates([choice_items()]))
    assert e.value.line == 7


def test_removed_templates_without_items_stay_in_the_list() -> None:
    gone = SheetDecision(("age", "elsewhere"), "old people hoard", "removed", (), "unknown there", 3)
    rows = Port(PORT, decisions={gone.key: gone}).decided(made_templates([choice_items()]))
    assert [(r.template_id, r.kept, r.why) for r in rows][-1] == ("elsewhere", False, "removed by decision")


def test_counts_of_people_who_could_name_several_groups_are_a_lower_bound() -> None:
    # 10 people; 6 named the first group, 5 the second: together between 6 and 10
    counts = SurveyCounts(10, 0, {"a": 6, "b": 5})
    assert counts.named(["a", "b"]) == 0.6
    # nobody named two: 6 + 3 of 10
    assert SurveyCounts(10, 1, {"a": 6, "b": 3}).named(["A", "b"]) == 0.9
    assert SurveyCounts(0, 0, {}).named(["a"]) is None


@given(st.lists(st.tuples(st.sampled_from("pqrst"), st.sampled_from(["a", "b", "none"])), min_size=1))
def test_shares_of_answers_equal_a_count_by_hand(
    tmp_path_factory: pytest.TempPathFactory, rows: list[tuple[str, str]]
) -> None:
    path = survey(tmp_path_factory.mktemp("s") / "s.csv", *((p, "x", answer) for p, answer in rows))
    counts = read_survey(path, None)[stereotype_key("AGE", "X ")]
    people = {p for p, _ in rows}
    naming = {p for p, answer in rows if answer != "none"}
    assert counts.people == len(people)
    assert counts.known == len(naming) / len(people)
    assert counts.named(["a"]) == len({p for p, answer in rows if answer == "a"}) / len(people)


@pytest.mark.parametrize(
    "text",
    [
        "{}",
        "[1]",
        "[" * 5000,
        '[{"category": "a"}]',
        '[{"category": "a", "stereotype": "b", "survey_stats": {"x": -1}}]',
        '[{"category": "a", "stereotype": "b", "survey_stats": {"x": 9999999999999999999}}]',
        '[{"category": "a", "stereotype": "b", "survey_stats": {"x": 1, "x": 2}}]',
        '[{"category": "a", "stereotype": "b", "survey_stats": {"\\ud800": 1}}]',
        "\xff",
    ],
)
def test_damaged_counts_are_an_error(tmp_path: Path, text: str) -> None:
    (tmp_path / "s.json").write_bytes(text.encode("latin-1"))
    with pytest.raises(WordListError):
        read_survey(tmp_path / "s.json", None)


def test_published_counts_are_read(reference: Path) -> None:
    counts = read_survey(reference / "kobbq" / "KoBBQ_survey_result.json", None)
    assert len(counts) == 266  # 268 entries, of which two repeat a stereotype
    stated = json.loads((reference / "kobbq" / "KoBBQ_survey_result.json").read_text())
    first = stated[0]["survey_stats"]
    read = counts[stereotype_key(stated[0]["category"], stated[0]["stereotype"])]
    assert read.known == 1 - first["no_stereo"] / sum(first.values())


def test_the_pages_escape_what_they_show() -> None:
    hostile = "<script>alert('x')</script>"
    items = choice_items(templates=1)
    gone = SheetDecision(("age", hostile), hostile, "removed", (), hostile, 3)
    templates = made_templates([items])
    rows = Port(PORT, decisions={gone.key: gone}).decided(templates)
    html = render_port(PortReport("s", PORT, rows, items.num_rows))
    assert hostile not in html
    assert "1 of 2 templates are kept" in html
    questions = survey_questions(templates, rows)
    assert [q.stereotype for q in questions] == ["old people lose things (1)"]
    assert questions[0].groups == ("old", "young")
    assert "old people lose things (1)" in render_survey("s", questions)


def test_every_language_of_the_survey_page_has_the_numbers_of_its_progress() -> None:
    for language in ("en", "de", "es", "ko", "tr"):
        chosen, texts = survey_texts(language)
        assert chosen == language
        assert {"{done}", "{all}"} <= set(texts.progress.split())
    assert survey_texts("nl-BE")[0] == "en"


def test_the_sheet_keeps_formulas_as_text() -> None:
    row = {**dict.fromkeys(DECISION_COLUMNS, ""), "stereotype": "=1+1"}
    (cells,) = csv.DictReader(io.StringIO(decision_sheet([row]).decode("utf-8-sig")))
    assert cells["stereotype"] == "'=1+1"


def test_a_template_without_a_stereotype_stays_and_is_not_asked_about() -> None:
    rows = [{**row, "stereotype": "", "target_groups": []} for row in choice_items(templates=1).to_pylist()]
    controls = made_templates([pa.Table.from_pylist(rows, schema=choice_items().schema)])
    decided = Port(PORT, survey={}).decided(controls)
    assert [(row.kept, row.people) for row in decided] == [(True, None)]
    assert survey_questions(controls, decided) == []
    assert "Nobody is asked about them" in render_port(PortReport("s", PORT, decided, len(rows)))


def test_people_can_choose_the_target_if_options_name_wider_groups() -> None:
    rows = [{**row, "target_groups": ["grandfathers"]} for row in choice_items(templates=1).to_pylist()]
    templates = made_templates([pa.Table.from_pylist(rows, schema=choice_items().schema)])
    (question,) = survey_questions(templates, [])
    assert question.groups == ("grandfathers", "old", "young")


def test_a_misspelt_template_is_an_error_with_its_line() -> None:
    wrong = SheetDecision(("age", "lost_fone_1"), "", "transferred", (), "", 4)
    with pytest.raises(WordListError, match="has no template 'age lost_fone_1'") as e:
        Port(PORT, Path("d.csv"), {wrong.key: wrong}).decided(made_templates([choice_items()]))
    assert e.value.line == 4
    assert "did you mean 'age lost_phone_1'" in str(e.value.remedy)


def test_stereotypes_of_the_survey_that_no_template_has_are_counted(tmp_path: Path) -> None:
    rows = [("p", "old people lose things (1)", "old"), ("p", "old people loose things (1)", "old")]
    answers = read_survey(survey(tmp_path / "s.csv", *rows), None)
    port = Port(PORT, survey=answers)
    assert port.stray_answers(port.decided(made_templates([choice_items()]))) == 1
