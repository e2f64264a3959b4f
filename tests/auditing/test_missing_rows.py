"""The sentence on items that a model did not answer, by hand from measures of simulated models."""

from __future__ import annotations

from dataclasses import asdict, replace
from pathlib import Path

from nextset.auditing.missing_rows import missing_rows
from nextset.cli.stage_text import summary_text
from nextset.pipeline.stage import Accuracy
from nextset.pipeline.stage_result import Summary
from tests.auditing.report.test_outcome_figures import tables


def test_a_model_that_refuses_has_its_share_and_its_bounds() -> None:
    rows = tables("chooses", "refuses one group").measures
    sentences = missing_rows([asdict(row) for row in rows])
    found = {row.measure: row for row in rows if row.model == "refuses one group" and row.by == "all"}
    accuracy, rate = found["accuracy"], found["refusal_rate"]
    assert list(sentences) == ["refuses one group"]
    assert accuracy.bound_low is not None
    assert accuracy.bound_high is not None
    assert sentences["refuses one group"] == (
        f"refuses one group did not answer {200 - accuracy.n} of 200 items (of the prompts: refused "
        f"{100 * (rate.value or 0):.1f} %): its accuracy over all is between "
        f"{100 * accuracy.bound_low:.1f} % and {100 * accuracy.bound_high:.1f} %"
    )
    assert missing_rows([asdict(replace(row, items="plain")) for row in rows]) == {}


def test_bounds_that_print_alike_are_left_out() -> None:
    rows = [
        replace(row, bound_low=0.38, bound_high=0.3801) if row.measure == "accuracy" else row
        for row in tables("chooses", "refuses one group").measures
    ]
    sentence = missing_rows([asdict(row) for row in rows])["refuses one group"]
    assert sentence.endswith(" %)")
    assert "between" not in sentence


def test_the_summary_marks_the_model() -> None:
    accuracy = (
        Accuracy("a", "audit", 0.5, 0.5),
        Accuracy("b", "audit", 0.5, 0.25, "b did not answer 1 of 8"),
    )
    summary = Summary("s", (), accuracy, None, None, None, Path("out"))
    text = summary_text(summary)
    assert "b  audit      50.0%   25.0% *\n* b did not answer 1 of 8\n" in text
    assert "b did not answer 1 of 8." in summary._repr_html_()
