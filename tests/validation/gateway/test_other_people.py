"""What Label Studio says to an annotator names nobody else."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from nextset.validation.gateway.identities import Person
from nextset.validation.gateway.other_people import without_other_people
from nextset.validation.label_studio.http_retries import Unanswered

ANA = Person(2, "ana@example.org", False)
OWN = {"id": 2, "email": "Ana@example.org", "first_name": "Ana", "avatar": None}
OTHER = {"id": 1, "email": "owner@localhost", "first_name": "Olga", "last_name": "O.", "initials": "oo"}


def shown(value: object) -> Any:
    return json.loads(without_other_people(json.dumps(value).encode(), ANA))


def test_names_and_emails_of_others_are_empty() -> None:
    assert shown({"created_by": OTHER, "title": "t"}) == {
        "created_by": {"id": 1, "email": "", "first_name": "", "last_name": "", "initials": ""},
        "title": "t",
    }
    whoami = {**OWN, "active_organization_meta": {"title": "Label Studio", "email": "owner@localhost"}}
    assert shown(whoami) == {**OWN, "active_organization_meta": {"title": "Label Studio", "email": ""}}
    annotation = {
        "id": 5,
        "completed_by": 2,
        "updated_by": 1,
        "result": [],
        "created_username": "Olga o@x, 1",
    }
    assert shown([annotation])[0]["created_username"] == ""


def test_answers_and_drafts_of_others_are_left_out() -> None:
    mine = {"id": 1, "completed_by": 2, "result": [], "created_username": "ana@example.org, 2"}
    expanded = {"id": 2, "completed_by": OWN, "result": []}
    draft = {"id": 3, "user": "ana@example.org", "result": []}
    kept = [mine, expanded, draft]
    others = [
        {"id": 4, "completed_by": 1, "result": []},
        {"id": 5, "completed_by": OTHER, "result": []},
        {"id": 6, "user": "owner@localhost", "result": []},
    ]
    assert shown([*others, *kept]) == kept
    assert shown({"annotations": [*kept, *others], "drafts": others}) == {"annotations": kept, "drafts": []}


TEXTS = st.recursive(
    st.none() | st.integers() | st.text(max_size=5),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(["email", "user", "result", "completed_by", "x"]), inner, max_size=3
        )
    ),
    max_leaves=6,
)


@given(TEXTS)
def test_what_people_judge_and_answer_stays_as_it_is(value: Any) -> None:
    task = {"id": 1, "data": value, "annotations": [{"id": 1, "completed_by": 2, "result": [value]}]}
    assert shown(task) == task
    without_other_people(json.dumps(value).encode(), ANA)


@pytest.mark.parametrize("content", [b"", b"<html>", b"[" * 100_000])
def test_what_is_not_json_is_no_answer(content: bytes) -> None:
    with pytest.raises(Unanswered):
        without_other_people(content, ANA)
