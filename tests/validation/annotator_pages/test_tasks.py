from __future__ import annotations

import json
from dataclasses import fields as dataclass_fields
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from nextset.errors import JudgmentError
from nextset.validation.annotator_pages.labelling_config import labelling_config
from nextset.validation.annotator_pages.tasks import (
    opposite_if_unstated,
    rest_items,
    task,
    tasks,
    votes_text,
    write_tasks,
)
from nextset.validation.forms.judged_hypotheses import JUDGED_HYPOTHESES
from nextset.validation.forms.judged_questions import JUDGED_QUESTIONS
from nextset.validation.forms.validated_form import VALIDATED_FORMS
from nextset.validation.judgments.log_entry import Entry
from nextset.validation.judgments.unsafe_text import MAX_CHARACTERS, text_problem
from tests.validation.annotator_pages.briefings import HOSTILE, LANGUAGES, QUESTION, SENTENCE, told

TEXT = st.text(st.characters(exclude_categories=["Cs", "Cc"]), max_size=50) | st.just(HOSTILE)


def test_a_task_shows_the_texts_and_nothing_else() -> None:
    data = task(JUDGED_HYPOTHESES, {**SENTENCE, "p_valid": 0.3, "n_items": 4})
    assert set(data) == {"unit_id", "hypothesis", "stereotype", "group1", "group2", "domain"}
    assert "anti" not in json.dumps(data)
    assert task(JUDGED_HYPOTHESES, SENTENCE, premise=True)["premise"] == SENTENCE["premise"]
    assert task(JUDGED_HYPOTHESES, SENTENCE, votes="Valid")["votes"] == "Valid"
    assert set(task(JUDGED_QUESTIONS, QUESTION)) == set(QUESTION)
    assert task(JUDGED_HYPOTHESES, {**SENTENCE, "group1": "", "group2": None})["group1"] == "–"


def test_a_task_states_the_stereotype_and_its_opposite_for_all_rows_if_one_row_does() -> None:
    stated = {**SENTENCE, "pro_sentence": "Men make better surgeons.", "anti_sentence": "Women do."}
    briefing = told(language="de")
    assert opposite_if_unstated(briefing, [SENTENCE, {**SENTENCE, "pro_sentence": None}]) is None
    opposite = opposite_if_unstated(briefing, [SENTENCE, stated])
    first, second = (made["data"] for made in tasks(JUDGED_HYPOTHESES, [SENTENCE, stated], opposite=opposite))
    assert (second["pro_sentence"], second["anti_sentence"]) == ("Men make better surgeons.", "Women do.")
    assert first["pro_sentence"] == second["stereotype"] == "man is to surgeon"
    assert first["anti_sentence"] == "das Gegenteil oder dasselbe über die andere Gruppe"
    config = labelling_config(briefing, sentences=True)
    assert [f"${name}" in config for name in ("pro_sentence", "anti_sentence", "stereotype")] == [
        True,
        True,
        False,
    ]


@given(TEXT)
def test_any_text_comes_back_from_the_tasks_as_it_went_in(text: str) -> None:
    (made,) = tasks(JUDGED_HYPOTHESES, [{**SENTENCE, "hypothesis": text}])
    assert json.loads(json.dumps(made))["data"]["hypothesis"] == (text or "–")


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("a\0b", "a NUL character"),
        ("x" * 100_000, "100,000 characters"),
        ("a\x08b", r"control character U\+0008"),
        ("a\x9bb", r"control character U\+009B"),
        ("a\ud800b", r"lone surrogate U\+D800"),
    ],
    ids=["nul", "long", "backspace", "csi", "surrogate"],
)
@pytest.mark.parametrize("field", ["hypothesis", "stereotype", "group2", "domain"])
def test_hostile_text_is_refused_by_name_before_anything_is_written(
    tmp_path: Path, field: str, text: str, why: str
) -> None:
    with pytest.raises(JudgmentError, match=why) as e:
        write_tasks(
            tmp_path / "tasks.json", told(), [SENTENCE, {**SENTENCE, "unit_id": "f" * 32, field: text}]
        )
    assert f"unit {'f' * 32}: its {field} has" in str(e.value)
    str(e.value).encode()
    assert not list(tmp_path.iterdir())


@given(st.text(max_size=30))
def test_what_is_not_refused_can_be_written_and_has_no_control_character(text: str) -> None:
    if text_problem(text) is None:
        text.encode()
        assert all(c.isprintable() or c in "\t\n\r" or ord(c) > 0x9F for c in text)
    assert text_problem("x" * MAX_CHARACTERS) is None


def test_the_files_are_stable_and_ascii_where_people_do_not_read_them(tmp_path: Path) -> None:
    rows = [SENTENCE, {**SENTENCE, "unit_id": "f" * 32, "hypothesis": HOSTILE}]
    first = write_tasks(tmp_path / "a" / "tasks.json", told(), rows)
    second = write_tasks(tmp_path / "b" / "tasks.json", told(), rows)
    assert first.n_tasks == 2
    assert first.tasks.read_bytes() == second.tasks.read_bytes()
    assert first.tasks.read_bytes().isascii()
    assert told().warning in first.guidelines.read_text(encoding="utf-8")
    assert sorted(p.name for p in first.tasks.parent.iterdir()) == [
        "guidelines.md",
        "labelling_config.xml",
        "tasks.json",
    ]


@pytest.mark.parametrize(("kind", "n"), [("nli", 30), ("question", 18)])
@pytest.mark.parametrize("language", LANGUAGES)
def test_items_of_rest_look_like_units(kind: str, language: str, n: int) -> None:
    rows = rest_items(told(kind, language))
    assert len({row["unit_id"] for row in rows}) == n
    assert all(len(row["unit_id"]) == 32 for row in rows)
    data = [made["data"] for made in tasks(VALIDATED_FORMS[kind], rows)]
    assert all(set(d) == set(VALIDATED_FORMS[kind].fields()) for d in data)
    assert "rest" not in json.dumps([{k: v for k, v in d.items() if k == "unit_id"} for d in data])


def entry(**changed: Any) -> Entry:
    empty: dict[str, Any] = {f.name: "" for f in dataclass_fields(Entry)}
    return Entry(**{**empty, "verdict": None, "stance_judged": None, **changed})


def test_votes_are_shown_in_the_pages_words_and_name_nobody() -> None:
    votes = [
        entry(verdict="invalid", judge="a-2"),
        entry(verdict="valid", stance_judged="pro", judge="a-1"),
        entry(outcome="declined", judge="a-3"),
        entry(verdict="valid", stance_judged="pro", judge="a-4"),
    ]
    assert votes_text(told("nli", "de").wording, votes).splitlines() == [
        "Gültig, Pro × 2",
        "Das möchte ich nicht beurteilen × 1",
        "Ungültig × 1",
    ]
    assert votes_text(told().wording, votes) == votes_text(told().wording, votes[::-1])
