"""Choice items as units, and judged by people through files, from the export to the verdicts."""

from __future__ import annotations

import csv
import io
from collections import Counter
from pathlib import Path

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

import nextset
from nextset.errors import JudgmentError, StudyError
from nextset.forms import CHOICE
from nextset.records.content_ids import content_id
from nextset.study.validation_settings import ValidateSettings
from nextset.validation.annotator_pages.briefing import briefing
from nextset.validation.annotator_pages.guideline_routes import ROUTES
from nextset.validation.annotator_pages.labelling_config import labelling_config
from nextset.validation.annotator_pages.tasks import rest_items, tasks
from nextset.validation.choice_units import (
    LETTERS,
    choice_unit_id,
    choice_units,
    right_letter,
    shown_options,
    unit_ids_of,
)
from nextset.validation.file_exchange.judgment_import import import_judgments
from nextset.validation.file_exchange.task_export import export_csv, export_potato, export_tasks
from nextset.validation.forms.judged_choices import JUDGED_CHOICES
from nextset.validation.judgments.answer import NotAnAnswer
from nextset.validation.plan.gold import read_gold
from nextset.validation.report.stage import write_validation_report
from nextset.validation.stage import apply_judgments
from tests.choice_rows import choice_items
from tests.validation.choice_study import choice_study

ITEMS = choice_items(templates=2, words=1)
LANGUAGES = ("ar", "de", "en", "es", "fr", "hi", "ru", "tr", "zh")
ANSWERS = JUDGED_CHOICES.judging("answer")


def test_the_orders_of_the_options_are_one_unit() -> None:
    units = choice_units(ITEMS, models=2)
    assert units.num_rows == ITEMS.num_rows / 2  # two orders
    assert set(units["n_items"].to_pylist()) == {2}
    assert JUDGED_CHOICES.units_of_rows(ITEMS) == unit_ids_of(ITEMS)
    assert sorted(set(unit_ids_of(ITEMS))) == units["unit_id"].to_pylist()
    row = units.to_pylist()[0]
    letter = right_letter(row["unit_id"]).upper()
    assert f"{letter}: {row['right_answer']}" in row["options"].splitlines()
    assert (row["group1"], row["group2"], row["domain"]) == ("old", "young", "age")
    places = Counter(right_letter(content_id(str(i))) for i in range(3000))
    assert all(900 < places[letter] < 1100 for letter in LETTERS[:3])


texts = st.lists(st.text(min_size=1, max_size=8).filter(str.strip), min_size=3, max_size=6, unique=True)


@given(options=texts, data=st.data())
def test_the_shown_order_depends_on_the_texts_only(options: list[str], data: st.DataObject) -> None:
    options = [" ".join(o.split()) for o in options]
    if len({content_id(o) for o in options}) < len(options):
        return  # the same text to a reader
    right = data.draw(st.sampled_from(options))
    other = data.draw(st.permutations(options))
    first, second = (choice_unit_id("en", "age", "c", "q", order, right) for order in (options, other))
    assert first == second
    shown = shown_options(first, options, right)
    assert shown == shown_options(second, other, right)
    by_letter = dict(line.split(": ", 1) for line in shown.split("\n"))
    assert sorted(by_letter.values()) == sorted(options)
    assert by_letter[right_letter(first).upper()] == right


@pytest.mark.parametrize(
    ("given", "verdict", "reason"),
    [
        ({"verdict": "valid", "known": "yes"}, "valid", ""),
        ({"verdict": "valid", "known": "no"}, "invalid", "not_known"),
        ({"verdict": "invalid", "reason": "wrong_answer"}, "invalid", "wrong_answer"),
        ({"verdict": "incoherent"}, "incoherent", ""),
    ],
)
def test_a_verdict_needs_to_know_if_the_stereotype_is_known(
    given: dict[str, str | None], verdict: str, reason: str
) -> None:
    answer = JUDGED_CHOICES.answered(given, "x")
    assert (answer.outcome, answer.verdict, answer.stance, answer.reason) == ("judged", verdict, None, reason)


def test_answers_that_are_incomplete_or_contradict_themselves_are_refused() -> None:
    for choices, says in (({}, "empty"), ({"verdict": "valid"}, "valid without an answer to known")):
        with pytest.raises(NotAnAnswer, match=says):
            JUDGED_CHOICES.answered(choices, "x")
    with pytest.raises(NotAnAnswer, match="invalid, but with an answer to known"):
        JUDGED_CHOICES.check_cells({"verdict": "invalid", "known": "yes", "reason": None})
    assert JUDGED_CHOICES.answered({"verdict": "declined"}, "x").outcome == "declined"
    assert ANSWERS.answered({"answer": "declined"}, "x").outcome == "declined"


def filled(study: nextset.Study, columns: dict[str, list[str]]) -> Path:
    """The exported table, one row per unit and judge; ``columns`` have the judges' answers to each unit."""
    file = export_csv(study).path
    rows = list(csv.DictReader(io.StringIO(file.read_text(encoding="utf-8-sig"))))
    out = io.StringIO()
    writer = csv.DictWriter(out, list(rows[0]))
    writer.writeheader()
    for row in rows:
        given = columns[row["unit_id"]]
        for judge, answer in enumerate(given):
            block = "answer" if "answer" in row else "verdict"
            known = {"known": "yes"} if answer == "valid" else {}
            writer.writerow({**row, "judge": f"judge {judge}", block: answer, **known})
    filled_in = study.folder / "filled.csv"
    filled_in.write_text(out.getvalue(), encoding="utf-8")
    return filled_in


def verdicts(study: nextset.Study) -> dict[str, str | None]:
    items = apply_judgments(study).table("items")
    return dict(zip(items["unit_id"].to_pylist(), items["verdict"].to_pylist(), strict=True))


def test_four_of_five_right_answers_pass(tmp_path: Path) -> None:
    """Of five people, n choose the right option of unit n, and the others another one."""
    study = choice_study(
        tmp_path / "s", "  unit: answer\n  valid_votes: 4\n", "    overlap: 5\n    agree: 4\n"
    )
    units = sorted(choice_units(choice_items(templates=1, words=1))["unit_id"].to_pylist())
    given = {}
    for n, unit in enumerate(units):
        right = right_letter(unit)
        wrong = next(letter for letter in "abc" if letter != right)
        given[unit] = [right] * min(n, 5) + [wrong] * max(0, 5 - n)
    done = import_judgments(study, filled(study, given))
    assert done.wrong == 0
    expected = {unit: "valid" if n >= 4 else "invalid" for n, unit in enumerate(units)}
    assert verdicts(study) == expected
    valid = apply_judgments(study).table("valid")
    assert valid.num_rows == 2 * sum(v == "valid" for v in expected.values()), "both orders of the options"
    assert apply_judgments(study).table("agreement").num_rows > 0
    page = (write_validation_report(study).folder / "index.html").read_text(encoding="utf-8")
    assert "questions" in page


def test_the_marked_answer_is_judged_by_default(tmp_path: Path) -> None:
    study = choice_study(tmp_path / "s")
    units = sorted(choice_units(choice_items(templates=1, words=1))["unit_id"].to_pylist())
    said = [["valid", "valid"], ["invalid", "invalid"], ["incoherent", "incoherent"], ["valid", "invalid"]]
    given = {unit: said[min(i, 3)] for i, unit in enumerate(units)}
    import_judgments(study, filled(study, given))
    found = verdicts(study)
    assert [found[unit] for unit in units[:4]] == ["valid", "invalid", "incoherent", None]


def test_too_few_votes_are_no_verdict(tmp_path: Path) -> None:
    study = choice_study(tmp_path / "s", "  valid_votes: 3\n")
    units = sorted(choice_units(choice_items(templates=1, words=1))["unit_id"].to_pylist())
    import_judgments(study, filled(study, {unit: ["valid", "valid"] for unit in units}))
    assert set(verdicts(study).values()) == {None}


def test_a_row_of_another_unit_is_refused(tmp_path: Path) -> None:
    study = choice_study(tmp_path / "s")
    units = sorted(choice_units(choice_items(templates=1, words=1))["unit_id"].to_pylist())
    file = filled(study, {unit: ["valid"] for unit in units})
    text = file.read_text(encoding="utf-8")
    file.write_text(text.replace(units[0], "swap").replace(units[1], units[0]).replace("swap", units[1]))
    assert import_judgments(study, file).wrong == 2


@pytest.mark.parametrize("unit", ["hypothesis", "answer"])
def test_the_files_for_other_tools_have_the_options(tmp_path: Path, unit: str) -> None:
    study = choice_study(tmp_path / "s", f"  unit: {unit}\n")
    made = export_tasks(study)
    config, shown = made.config.read_text(encoding="utf-8"), made.tasks.read_text(encoding="utf-8")
    assert 'value="$options"' in config
    assert "Cannot be known" in shown
    assert ("right_answer" in shown) == ("right_answer" in config) == (unit == "hypothesis")
    assert ("stereotype" in shown) == (unit == "hypothesis"), "who answers does not read the stereotype"
    assert "Answers" in (export_potato(study).config).read_text(encoding="utf-8")
    assert "{{" not in made.guidelines.read_text(encoding="utf-8")


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("unit", ["hypothesis", "answer"])
def test_each_language_has_the_page_and_its_guidelines(language: str, unit: str) -> None:
    form = JUDGED_CHOICES if unit == "hypothesis" else ANSWERS
    for route in ROUTES:
        told = briefing(form, language, None, Path, route)
        assert "{{" not in told.guidelines
        for name in form.answer_blocks if route == "csv" else ():
            assert f"`{name}`" in told.guidelines
    for items in (told.comprehension, told.again):
        assert {item.answer for item in items} == {"yes", "no"}  # type: ignore[union-attr]
    units = choice_units(ITEMS).to_pylist()
    assert len(tasks(form, units)) == len(units)
    assert 'name="options"' in labelling_config(told)
    assert all(told.wording.choice_items.unknown in rest["options"] for rest in rest_items(told))


GOLD = """\
choices:
  - language: en
    domain: age
    stereotype: old people lose things
    context: Ann met Bob.
    question: Who lost a key?
    options: [Ann, Bob, Cannot be known]
    right: Cannot be known
    groups: [old, young]
    verdict: valid
    why: Nothing says who.
    source: two annotators agreed
"""


def test_gold_questions_are_units_of_their_own(tmp_path: Path) -> None:
    file = tmp_path / "gold.yaml"
    file.write_text(GOLD, encoding="utf-8")
    (item,) = read_gold(file, JUDGED_CHOICES, [JUDGED_CHOICES])
    assert item.unit_id == choice_unit_id(
        "en", "age", "Ann met Bob.", "Who lost a key?", ["Bob", "Cannot be known", "Ann"], "Cannot be known"
    )
    assert (item.verdict, item.facts.groups) == ("valid", ("old", "young"))
    file.write_text(GOLD.replace("right: Cannot", "right: Can"), encoding="utf-8")
    with pytest.raises(JudgmentError, match="it must be one of the options") as caught:
        read_gold(file, JUDGED_CHOICES, [JUDGED_CHOICES])
    assert caught.value.line is not None


def test_settings_that_do_not_fit_are_refused(tmp_path: Path) -> None:
    four = pa.concat_tables([ITEMS.slice(0, 1)])
    options = four["options"].to_pylist()[0]
    more = [*options, {"text": "The cousin", "group": "", "role": 3}]
    at = four.schema.get_field_index("options")
    four = four.set_column(at, four.schema.field(at), pa.array([more], four.schema.field(at).type))
    with pytest.raises(StudyError, match="answer is for questions with three options"):
        ANSWERS.units(four, 1, dict)
    assert JUDGED_CHOICES.units(four, 1, dict)["n_options"].to_pylist() == [4]
    folder = tmp_path / "nli"
    nextset.new_study(folder)
    file = folder / "study.yaml"
    file.write_text(file.read_text().replace("judge: rule", "unit: answer"), encoding="utf-8")
    with pytest.raises(StudyError, match="answer is for choice items"):
        nextset.Study.load(folder)
    assert CHOICE.answerable
    assert ValidateSettings.model_validate({"valid_votes": 4}).valid_votes == 4
