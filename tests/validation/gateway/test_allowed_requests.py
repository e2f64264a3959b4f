"""The list of what annotators may ask for: each line matches what it names, nothing that looks so."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from nextset.validation.gateway.allowed_requests import ALLOWED, Allowed, allowed

METHODS = ("GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "TRACE")
SLASHED = re.compile(r"(?<!^)/$")


def example(rule: Allowed) -> str:
    """A path that the rule is for."""
    path = rule.path
    for n, name in enumerate(("project", "task", "annotation", "draft")):
        path = path.replace(f"{{{name}}}", str(17 + n))
    return path.replace("{file}", "css/main.8f-a_1@2x~b.css")


rules = st.sampled_from(ALLOWED)


@pytest.mark.parametrize("rule", ALLOWED, ids=lambda rule: f"{rule.method} {rule.path}")
def test_each_line_has_a_reason_and_matches_its_own_example_alone(rule: Allowed) -> None:
    assert len(rule.reason.split()) > 1
    path = example(rule)
    for written in (path, SLASHED.sub("", path), SLASHED.sub("", path) + "/"):
        found = allowed(rule.method, written)
        assert found is not None
        assert found.rule is rule
    assert dict(allowed(rule.method, path).numbers) == {  # type: ignore[union-attr]
        name: 17 + n
        for n, name in enumerate(("project", "task", "annotation", "draft"))
        if f"{{{name}}}" in rule.path
    }


def test_other_methods_of_the_same_paths_are_not_allowed() -> None:
    lines = {(rule.method, rule.path) for rule in ALLOWED}
    assert len(lines) == len(ALLOWED), "a line is there twice"
    for rule in ALLOWED:
        methods = {method for method in METHODS if allowed(method, example(rule))}
        named = {method for method, path in lines if path == rule.path}
        assert methods == named | ({"HEAD"} if "GET" in named else set()), rule.path


@given(rules, st.data())
def test_no_path_with_an_escape_a_step_or_a_doubled_slash_matches(rule: Allowed, data: st.DataObject) -> None:
    path = example(rule)
    at = data.draw(st.integers(0, len(path)))
    odd = data.draw(
        st.sampled_from(
            ["%2e", "%2F", "%00", "%", "//", "/./", "/../", "/..", ";", "\\", " ", "\n", "?", "#"]
        )
    )
    changed = path[:at] + odd + path[at:]
    assert all(allowed(method, changed) is None for method in METHODS), changed


@given(rules, st.data())
def test_no_path_in_another_case_matches(rule: Allowed, data: st.DataObject) -> None:
    fixed = rule.path.partition("{file}")[0]
    letters = [
        at for at, letter in enumerate(fixed) if letter.islower() and letter == example(rule)[at : at + 1]
    ]
    if letters:
        at = data.draw(st.sampled_from(letters))
        path = example(rule)
        assert allowed(rule.method, path[:at] + path[at].upper() + path[at + 1 :]) is None


@given(
    rules.filter(lambda rule: re.search(r"\{(?!file)", rule.path) is not None),
    st.one_of(
        st.characters(categories=["Nd", "No", "Nl"]).filter(lambda digit: not digit.isascii()),
        st.sampled_from(["0", "00", "01", "-1", "+1", "1e3", "1.0", "0x1", "12345678901", "1_0", "", "me"]),
    ),
)
def test_what_is_no_plain_number_is_none(rule: Allowed, digits: str) -> None:
    path = re.sub(r"\{\w+\}", lambda _: digits, rule.path)
    found = allowed(rule.method, path)
    assert found is None or not found.numbers, path


@given(rules, st.text(min_size=1, max_size=12))
def test_junk_at_the_end_matches_only_in_the_name_of_a_file(rule: Allowed, junk: str) -> None:
    path = SLASHED.sub("", example(rule)) + junk
    found = allowed(rule.method, path)
    if found is None or junk == "/":
        return
    if "{file}" in found.rule.path:
        assert re.fullmatch(r"[A-Za-z0-9_~.@/-]+", junk)
    else:  # another line, such as an item's answers; or the number goes on
        assert re.fullmatch(r"/?[a-z0-9/-]+", junk)
        assert re.fullmatch(re.sub(r"\{\w+\}", "[1-9][0-9]{0,9}", found.rule.path.rstrip("/")) + "/?", path)


@given(st.sampled_from(METHODS), st.text())
def test_any_text_is_matched_by_a_line_or_not(method: str, path: str) -> None:
    found = allowed(method, path)
    assert found is None or found.rule.pattern.fullmatch(path)


def test_nothing_of_an_owner_is_on_the_list() -> None:
    for path in (
        "/", "/projects/", "/projects/17/settings", "/organization/", "/user/signup/", "/user/account/",
        "/admin/", "/api/", "/docs/api/", "/api/users/17/", "/api/projects/", "/api/projects/17/export",
        "/api/projects/17/import", "/api/token/", "/api/current-user/token", "/api/current-user/reset-token/",
        "/api/invite", "/api/webhooks/", "/api/storages/", "/api/ml/17", "/api/dm/views/17/",
        "/api/projects/17/tasks/", "/api/tasks/17/predictions", "/api/predictions/", "/data/upload/1.png",
        "/tasks/17/resolve/", "/feature-flags", "/sentry-debug", "/api/annotations/17/convert-to-draft",
    ):  # fmt: skip
        assert [method for method in METHODS if allowed(method, path)] == [], path
    assert [rule.path for rule in ALLOWED if rule.method in ("PUT", "DELETE")] == []
