"""Models that refuse: their numbers, and a study with one of them behind a server."""

from __future__ import annotations

import html
import re
from dataclasses import replace
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest

import nextset
from nextset.cluster_bootstrap import template_clusters
from nextset.filtering.balance import parts_by
from nextset.filtering.controls import controls
from nextset.filtering.held_out_gap import accuracies, biases, gap
from nextset.filtering.rule_comparison import compare
from nextset.filtering.rules.rule_base import NOT_ANSWERED
from nextset.filtering.survival import survival
from nextset.filtering.unanswered import UnansweredRow, unanswered_rows, unanswered_warnings
from nextset.filtering.vote_steps import vote_warnings
from nextset.records.nli_items import LABELS
from nextset.study.filter_rule_settings import FilterRule
from tests.filtering.scores import CERTAIN, SILENT, answers, column, quad_answers_of
from tests.scoring.model_server.scripted_server import Reply, Request, scripted

E, N, _ = (CERTAIN[label] for label in LABELS)
X = SILENT
SAID = answers({"a": [X, N, E, N], "b": [E, E, N, N]})
KEEP = np.array([True, False, True, True])


def test_accuracy_is_over_the_items_that_a_model_answered() -> None:
    first, second = accuracies(SAID, KEEP, "filter")
    assert (first.before, first.after) == (2 / 3, 1 / 2)
    assert (first.n_before, first.n_after) == (4, 3)
    assert (second.before, second.after) == (2 / 4, 2 / 3)
    wrong = accuracies(replace(SAID, missing="wrong"), KEEP, "filter")
    assert wrong[0] == first  # the policy is about the filter, not about a model's accuracy


def test_the_gap_is_over_the_items_that_a_model_answered() -> None:
    clusters = template_clusters(pa.table({"stereotype": column(["s"] * 4), "template_id": column("wxyz")}))
    values = {row.measure: row.value for row in gap(SAID.only([0]), SAID.only([1]), KEEP, clusters)}
    assert values["filter_before"] == pytest.approx(2 / 3)
    assert values["filter_after"] == pytest.approx(1 / 2)
    assert values["held_out_before"] == 2 / 4
    assert values["held_out_after"] == pytest.approx(2 / 3)


def test_the_comparison_of_rules_leaves_out_what_a_model_did_not_answer() -> None:
    clusters = template_clusters(pa.table({"stereotype": column(["s"] * 4), "template_id": column("wxyz")}))
    said = answers({"a": [X, N, E, N], "b": [E, E, N, N], "c": [E, N, N, E]})
    _, cases = compare(FilterRule.model_validate("any_wrong"), said, None, clusters)
    # without a, b or c is wrong about items 0, 1 and 3; a answered 1 and 3, both right, and 2 of 3 before
    (case,) = [case for case in cases if (case.rule, case.held_out) == ("any_wrong", "a")]
    assert case.kept == 3
    assert case.drop == pytest.approx(2 / 3 - 1)
    # with the policy drop, item 0 is left out if a filters: of the others, a or c is wrong about 2 and 3
    _, cases = compare(FilterRule.model_validate("any_wrong"), replace(said, missing="drop"), None, clusters)
    (case,) = [case for case in cases if (case.rule, case.held_out) == ("any_wrong", "b")]
    assert case.kept == 2
    assert case.drop == pytest.approx(1 / 2 - 1)


def test_bias_is_over_the_rows_that_a_model_answered() -> None:
    (row,) = biases(quad_answers_of({"a": [(float("nan"), False), (0.25, True), (0.125, False)]}),
                    np.array([True, True, False]), "filter")  # fmt: skip
    assert row.c_before == pytest.approx(0.1875)
    assert row.c_after == pytest.approx(0.25)
    assert (row.differs_before, row.differs_after) == (1 / 2, 1.0)
    assert (row.n_before, row.n_after) == (3, 2)


def test_rows_and_warnings() -> None:
    tests = answers({"a": [X, E], "b": [E, E]}, ["entailment"] * 2)
    rows = unanswered_rows(SAID, KEEP, "filter", tests)
    assert rows == [UnansweredRow("a", "filter", 4, 1, 3, 1, 1)]
    texts = [row.text for row in unanswered_warnings(rows, "drop")]
    assert texts == [
        "candidates that a did not answer: 1 of 4 (25.0 %); they are rejected (filter.missing: drop)"
    ]
    assert [(row.right, row.n) for row in controls(tests, "filter")] == [(1, 2), (2, 2)]


def test_the_share_that_is_hard_is_over_what_was_answered() -> None:
    parts = parts_by("domain", column(["x", "x", "y", "y"]))
    rows = survival(parts, KEEP, SAID.wrong, SAID.answered, SAID.models)
    found = {(row.part, row.model): (row.candidates, row.survived) for row in rows}
    assert found == {("x", "any"): (2, 1), ("x", "a"): (1, 0), ("x", "b"): (2, 2),
                     ("y", "any"): (2, 2), ("y", "a"): (2, 1), ("y", "b"): (2, 0)}  # fmt: skip


def test_votes_and_rules_by_numbers() -> None:
    said = replace(SAID, votes=np.array([False, True]))
    rule = FilterRule.model_validate(
        {"any_of": [{"margin_below": 0.2}, "all_wrong", {"lowest_neutral": 0.5}]}
    )
    texts = [row.text for row in vote_warnings(rule, said, lambda place: 3)]
    assert texts == [
        f"the rule {name} compares shares of answers (votes) of b, in steps of 1/3; ask for log "
        "probabilities (logprobs) or more samples"
        for name in ("margin_below", "lowest_neutral")
    ]
    for other in ("any_wrong", "sign_consistent"):
        assert vote_warnings(FilterRule.model_validate(other), said, lambda place: 3) == []


MODEL = "openai:scripted"


def study(folder: Path, lines: str) -> nextset.Study:
    """A newcomer's study of its plain items, with a model behind a server."""
    made = nextset.new_study(folder / "mine")
    text = made.file.read_text(encoding="utf-8")
    text = re.sub(r"^filter:.*?^validate:.*?\n", "", text, flags=re.M | re.S)
    text += (
        f"filter:\n  candidates: [plain]\n  pairs: apart\n  models: ['{MODEL}', builtin:nli-roberta]\n{lines}"
        f"models:\n  '{MODEL}': {{canaries_waived: a script answers}}\n"
    )
    made.file.write_text(text, encoding="utf-8")
    return nextset.Study.load(made.file.parent)


def refuses_about_men(request: Request) -> str | Reply:
    """Refuse about one candidate and one test item of men; else say that the hypothesis is entailed."""
    asked = request.prompt
    if "Men care more about the people in schools" in asked or "No nurses in the US are men" in asked:
        return Reply("", refusal="I cannot help with that.")
    return request.choices[0]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("missing", "kept", "reasons"),
    [
        (
            "not_wrong",
            3,
            ["no model gets it wrong; every model's two highest probabilities differ by 0.01 or more"],
        ),
        ("wrong", 4, []),
        ("drop", 3, [NOT_ANSWERED]),
    ],
)
def test_a_study_with_a_model_that_refuses(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, missing: str, kept: int, reasons: list[str]
) -> None:
    rule = "{any_of: [any_wrong, {margin_below: 0.01}]}"
    loaded = study(tmp_path, f"  rule: {rule}\n  missing: {missing}\n")
    with scripted(refuses_about_men) as server:
        monkeypatch.setenv("OPENAI_BASE_URL", server.address)
        nextset.generate(loaded)
        nextset.score(loaded)
        filtered = nextset.filter_candidates(loaded)
        report = nextset.report_filter(loaded)
    assert (filtered.rows("kept"), filtered.rows("rejected")) == (kept, 4 - kept)
    assert filtered.table("rejected")["reason"].to_pylist() == reasons
    (row,) = report.table("unanswered").to_pylist()
    assert (row["model"], row["asked"], row["unanswered"], row["tests_unanswered"]) == (MODEL, 4, 1, 1)
    notes = {row["kind"]: row["text"] for row in report.table("conclusions").to_pylist()}
    warning = notes["unanswered"]
    assert f"votes) of {MODEL}, in steps of 1/3;" in notes["votes"]
    assert warning.startswith(f"candidates that {MODEL} did not answer: 1 of 4 (25.0 %); ")
    page = html.unescape((report.folder / "index.html").read_text(encoding="utf-8"))
    assert "Not answered before" in page
    assert warning[1:] in page
