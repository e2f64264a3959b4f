"""What of an annotator's request goes on: of query and body what is named, if it is what a page sends."""

from __future__ import annotations

import json
import math
from dataclasses import replace
from urllib.parse import parse_qsl, quote, urlencode

import pytest
from hypothesis import given
from hypothesis import strategies as st

from nextset.validation.gateway.allowed_requests import ALLOWED, Allowed, allowed
from nextset.validation.gateway.annotator_requests import Refused, cleaned_body, cleaned_query

rules = st.sampled_from(ALLOWED)
NAMES = sorted(
    {name for rule in ALLOWED for name in (*rule.query, *(rule.fixed or {}))} | {"", "id", "query", "user"}
)
values = st.one_of(
    st.text("0123456789abcXYZ_,.-", max_size=12),
    st.text(max_size=12),
    st.sampled_from(["1", "next_task", "/x?a=1"]),
)


def rule_of(method: str, path: str) -> Allowed:
    found = allowed(method, path)
    assert found is not None
    return found.rule


ANSWER = rule_of("POST", "/api/tasks/1/annotations/")
DATA = rule_of("GET", "/projects/1/data")
LOGIN = rule_of("GET", "/user/login/")
NEXT_ITEM = rule_of("POST", "/api/dm/actions")


@given(rules, st.lists(st.tuples(st.sampled_from(NAMES), values), max_size=6))
def test_of_a_query_what_is_named_goes_on_with_its_values(
    rule: Allowed, given_: list[tuple[str, str]]
) -> None:
    query = urlencode([(name, value.encode("utf-8", "replace")) for name, value in given_])
    named = [name for name, _ in given_ if name in rule.query or name in (rule.fixed or {})]
    try:
        kept, by_name = cleaned_query(rule, query)
    except Refused:
        return
    sent = parse_qsl(query, keep_blank_values=True)
    assert len(named) == len(set(named)), "a name that is there twice is refused"
    assert dict(parse_qsl(kept, keep_blank_values=True)) == by_name
    assert sorted(by_name) == sorted(named)
    assert all((name, value) in sent for name, value in by_name.items())
    assert all(by_name[name] == value for name, value in (rule.fixed or {}).items())
    assert kept.isascii()


@given(rules, st.text(st.characters(max_codepoint=255), max_size=60))
def test_any_query_goes_on_in_part_or_is_refused(rule: Allowed, query: str) -> None:
    try:
        kept, by_name = cleaned_query(rule, query)
    except Refused:
        return
    assert set(by_name) <= {*rule.query, *(rule.fixed or {})}
    assert dict(parse_qsl(kept, keep_blank_values=True)) == by_name


@pytest.mark.parametrize(
    ("rule", "query"),
    [
        (DATA, ""),
        (DATA, "labeling=0"),
        (DATA, "labeling=1&labeling=1"),
        (DATA, "labeling=1&labeling=0"),
        (NEXT_ITEM, "project=1"),
        (NEXT_ITEM, "id=delete_tasks&project=1"),
        (NEXT_ITEM, "id=next_task&id=delete_tasks"),
        (ANSWER, "project=1&project=2"),
        (ANSWER, "project=1%002"),
        (ANSWER, "project=" + "1" * 401),
        (ANSWER, "project=%D9%A1"),
        (ANSWER, "&".join(f"a{i}=1" for i in range(50))),
        (LOGIN, "next=//evil.example.org"),
        (LOGIN, "next=/%5Cevil.example.org"),
        (LOGIN, "next=https://evil.example.org"),
        (LOGIN, "next=javascript:x"),
        (LOGIN, "next=/%0A/evil.example.org"),
        (LOGIN, "next=/%09/evil.example.org"),
        (LOGIN, "next="),
    ],
)
def test_refused_queries(rule: Allowed, query: str) -> None:
    with pytest.raises(Refused):
        cleaned_query(rule, query)


def test_the_queries_of_pages_go_on() -> None:
    assert cleaned_query(DATA, "labeling=1&tab=3&task=4") == ("labeling=1", {"labeling": "1"})
    assert cleaned_query(LOGIN, f"next={quote('/nextset/session/ab12', safe='')}")[1] == {
        "next": "/nextset/session/ab12"
    }
    kept = cleaned_query(NEXT_ITEM, "tabID=3&project=7&id=next_task&query=%7B%22filters%22%3A1%7D")[1]
    assert kept == {"tabID": "3", "project": "7", "id": "next_task"}


def test_an_id_that_a_database_would_not_take_is_refused() -> None:
    (answer,) = [rule for rule in ALLOWED if rule.reason == "answering or skipping"]
    uuid = "07398f15-20f3-4f0d-8e5d-49a8717bd25e"
    assert cleaned_body(answer, json.dumps({"unique_id": uuid}).encode(), 7) != b"{}"
    for odd in ("", "x", uuid[:-1], f"{uuid} ", uuid.replace("-", "")):
        with pytest.raises(Refused):
            cleaned_body(answer, json.dumps({"unique_id": odd}).encode(), 7)


anything = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner, max_size=3),
    max_leaves=8,
)
KEYS = (
    "result",
    "lead_time",
    "was_cancelled",
    "was_postponed",
    "started_at",
    "draft_id",
    "completed_by",
    "ground_truth",
    "task",
    "project",
    "parent_annotation",
    "id",
    "user",
)
bodies = st.one_of(
    st.binary(max_size=30),
    anything.map(lambda value: json.dumps(value).encode()),
    st.dictionaries(st.sampled_from(KEYS), anything).map(lambda value: json.dumps(value).encode()),
)


@given(rules, bodies, st.none() | st.integers(1, 99))
def test_any_body_goes_on_in_part_or_is_refused(rule: Allowed, body: bytes, project: int | None) -> None:
    try:
        kept = cleaned_body(rule, body, project)
    except Refused:
        return
    if not rule.body or kept is None:
        return
    sent, said = json.loads(body), json.loads(kept)
    assert set(said) <= set(rule.body)
    assert all(said[name] == _storable(sent[name]) and type(said[name]) is type(sent[name]) for name in said)


def _storable(value: object) -> object:
    """The value with a replacement character for each NUL."""
    return json.loads(json.dumps(value).replace("\\u0000", "\\ufffd"))


@given(bodies, st.integers(1, 99))
def test_an_action_of_the_data_manager_is_the_next_item_of_one_project_whatever_the_body(
    body: bytes, project: int
) -> None:
    kept = json.loads(cleaned_body(NEXT_ITEM, body, project) or b"")
    assert kept["project"] == str(project)
    assert kept["selectedItems"] == {"all": False, "included": []}
    assert kept["filters"] == {"conjunction": "and", "items": []}


def nested(levels: int) -> bytes:
    inner = b'{"from_name": "a", "to_name": "b", "type": "c", "value": {"d": '
    return b'{"result": [' + inner + b"[" * levels + b"]" * levels + b"}}]}"


def comment(text: str) -> dict[str, object]:
    return {"from_name": "comment", "to_name": "text", "type": "textarea", "value": {"text": [text]}}


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"null",
        b"[]",
        b"1",
        b"{",
        b"\xff\xfe",
        b'{"result": {}}',
        b'{"result": "[]"}',
        b'{"result": 1}',
        b'{"result": [1]}',
        b'{"result": [[]]}',
        b'{"result": [{}]}',
        b'{"result": [{"from_name": "a", "to_name": "b", "type": "c", "value": []}]}',
        b'{"result": [{"from_name": 1, "to_name": "b", "type": "c", "value": {}}]}',
        b'{"lead_time": NaN}',
        b'{"lead_time": 1e999}',
        b'{"lead_time": "1"}',
        b'{"lead_time": true}',
        b'{"lead_time": 1e300}',
        b'{"result": [NaN]}',
        b'{"result": [1e999]}',
        b'{"result": [-Infinity]}',
        b'{"draft_id": true}',
        b'{"draft_id": 1.5}',
        b'{"draft_id": "1"}',
        b'{"draft_id": 99999999999999999999}',
        b'{"draft_id": ' + b"9" * 5000 + b"}",
        b'{"was_cancelled": 1}',
        b'{"was_cancelled": "true"}',
        b'{"started_at": 0}',
        nested(100_000),
    ],
)
def test_refused_bodies(body: bytes) -> None:
    with pytest.raises(Refused):
        cleaned_body(ANSWER, body, 1)


@pytest.mark.parametrize("levels", [1, 4, 50, 900, 950, *range(960, 1000), 2000, 20_000])
def test_lists_in_lists_go_on_or_are_refused(levels: int) -> None:
    try:
        kept = cleaned_body(ANSWER, nested(levels), 1)
    except Refused:
        assert levels > 4
    else:
        assert kept is not None
        assert kept.count(b"[") == levels + 1
        assert levels < 10, "Label Studio would store more than it can show"


@pytest.mark.parametrize("text", ["\ud800", "a\udfffb", "\x00", "\ude00\ud83d"])
def test_a_text_that_label_studio_could_not_show_again_is_kept_as_one_that_it_can(text: str) -> None:
    body = json.dumps({"result": [comment(text)]}).encode()
    kept = json.loads(cleaned_body(ANSWER, body, 1) or b"")
    (said,) = kept["result"][0]["value"]["text"]
    assert len(said) == len(text)
    assert "\ufffd" in said
    said.encode("utf-8")
    assert "\x00" not in said


def test_all_other_letters_stay() -> None:
    body = json.dumps({"result": [comment("😀 ﷺ e\u0301 \t\n\x7f")]}).encode()
    assert json.loads(cleaned_body(ANSWER, body, 1) or b"") == json.loads(body)


def test_a_long_answer_of_a_page_goes_on_without_what_is_not_the_annotators() -> None:
    text = "…" * 300_000
    answer = {
        "result": [comment(text)],
        "lead_time": 4.25,
        "was_cancelled": False,
        "draft_id": 0,
    }
    others = {"completed_by": 1, "ground_truth": True, "task": 2, "project": 2, "started_at": None}
    kept = cleaned_body(ANSWER, json.dumps({**answer, **others}).encode(), 1)
    assert json.loads(kept or b"") == answer
    assert math.isclose(json.loads(kept or b"")["lead_time"], 4.25)


def test_a_form_goes_on_as_it_is_and_other_bodies_not_at_all() -> None:
    assert cleaned_body(rule_of("POST", "/user/login/"), b"email=a&password=b", None) == b"email=a&password=b"
    assert cleaned_body(replace(DATA, form=False), b"anything", 1) is None
