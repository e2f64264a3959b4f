"""The sentences of the first screen: their numbers, and what they say if nothing was found."""

from __future__ import annotations

from dataclasses import replace

import pytest

from nextset.auditing.audit_page import findings, render
from nextset.auditing.audit_records import AuditedModel, ComparisonRow
from nextset.auditing.audit_tables import AuditTables
from nextset.auditing.report.report_data import ReportData
from nextset.bootstrap_intervals import too_few
from tests.auditing.report.conftest import measure_row

CHANGE = ComparisonRow(
    kind="sets", form="nli", subject_class="", measure="accuracy", first_model="m", second_model="m",
    first_items="plain", second_items="released", first_value=0.9, second_value=0.8, difference=-0.1,
    low=-0.112, high=-0.089, p=0.001, p_corrected=0.004, comparisons=4,
)  # fmt: skip
MODEL = AuditedModel(model="m", role="held_out", revision="0" * 64)


def audit(change: ComparisonRow, pro: float, anti: float, low: float, high: float) -> AuditTables:
    values = {"accuracy": 0.8, "pro": pro, "anti": anti}
    rows = [measure_row(model="m", measure=name, value=value) for name, value in values.items()]
    lean = measure_row(model="m", measure="aggregate", value=pro - anti, low=low, high=high)
    return AuditTables(measures=[*rows, lean], models=[MODEL], comparisons=[change])


def text(tables: AuditTables) -> list[str]:
    return [sentence.replace("\N{NO-BREAK SPACE}", " ") for sentence in findings(tables)]


def test_a_loss_and_a_lean_have_their_intervals() -> None:
    loss, lean = text(audit(CHANGE, 0.14, 0.06, 0.05, 0.11))
    assert loss == (
        "Held-out model m loses 10.0 points [8.9, 11.2] of accuracy on the released dataset (right "
        "answers: 90.0 % on the plain expansion, 80.0 % on the released dataset)."
    )
    assert lean == (
        "On the released dataset it answers with the stereotype in 14.0 % [9.0, 19.0] of the items and "
        "against it in 6.0 % [1.0, 11.0]: it leans towards the stereotypes by 8.0 points [5.0, 11.0]."
    )


@pytest.mark.parametrize(("right", "sentences"), [(0.66, 1), (0.67, 0)])
def test_a_model_that_fails_the_test_items_shows_little(right: float, sentences: int) -> None:
    tables = audit(CHANGE, 0.14, 0.06, 0.05, 0.11)
    known = measure_row(model="m", measure="accuracy_controls", items="plain", value=right)
    first = text(replace(tables, measures=[*tables.measures, known]))[:sentences]
    said = (
        "m gets only 66.0 % [61.0, 71.0] of the test items right, whose labels are known: its other figures "
        "show little."
    )
    assert first == [said] * sentences


def test_a_lean_against_is_told_without_a_minus() -> None:
    _, lean = text(audit(CHANGE, 0.06, 0.14, -0.11, -0.05))
    assert lean.endswith("it leans against the stereotypes by 8.0 points [5.0, 11.0].")


def test_an_interval_with_0_is_no_difference() -> None:
    same = replace(CHANGE, difference=-0.01, low=-0.03, high=0.01)
    loss, lean = text(audit(same, 0.1, 0.09, -0.02, 0.04))
    assert "no difference in accuracy was found" in loss
    assert "(−1.0 points [−3.0, 1.0], an interval that contains 0)" in loss
    assert "no lean to either side was found (1.0 points [−2.0, 4.0], an interval that contains 0)" in lean


def test_a_gain_is_a_gain() -> None:
    gain = replace(CHANGE, difference=0.1, low=0.05, high=0.15)
    assert text(audit(gain, 0.1, 0.1, -0.1, 0.1))[0].startswith(
        "Held-out model m gains 10.0 points [5.0, 15.0]"
    )


def test_a_value_without_interval_says_so() -> None:
    rows = [measure_row(measure="accuracy", value=0.8, low=None, high=None, items="dataset")]
    assert text(AuditTables(measures=rows)) == [
        "Held-out model builtin:nli-albert gives the right answer to 80.0 % (no interval) of the items in "
        "the dataset."
    ]


def test_a_missing_interval_has_its_reason() -> None:
    tables, few = audit(replace(CHANGE, low=None, high=None), 0.14, 0.06, 0.0, 0.0), too_few(2, "templates")
    rows = [replace(row, low=None, high=None, note=few) for row in tables.measures]
    loss, lean = text(replace(tables, measures=rows))
    assert loss.endswith("; no interval: 2 templates, and at least 5 are needed.")
    assert lean.endswith("; no interval: 2 templates, and at least 5 are needed.")


def test_nothing_measured_is_told() -> None:
    assert findings(AuditTables()) == ["No measure is defined on these items."]


def test_questions_name_the_strongest_preference_and_what_chance_gives(quad_audit: AuditTables) -> None:
    strength, preference, position = text(quad_audit)
    # the held-out reader: 0.2 + 1/10 + 1/20 for the second class
    assert strength.startswith("Held-out model owner/reader has its strongest preferences between subjects")
    assert "in the 72 quads of questions about nationality: μ = 0.350 [0.300, 0.400]" in strength
    # γ = (s − 1)/10 + a/50 − 1/20 for s = 0, 1, 2 and a = 1 … 4: the largest |γ| is −0.13, of the first
    assert "against “Swede” with the attribute “be late”: γ = −0.130 [−0.170, −0.090]" in preference
    gammas = [(s - 1) / 10 + a / 50 - 1 / 20 for s in range(3) for a in range(1, 5)]
    clear = sum(abs(g) > 0.04 for g in gammas)
    told = f"{clear} of 12 intervals do not contain 0; about 1 would be expected by chance"
    assert told in preference
    assert position.endswith("position decides more than the subjects do.")


def test_questions_are_measured_before_the_filter_chose_them(quad_audit: AuditTables) -> None:
    place = {"model": "owner/reader", "form": "question", "selection": "all", "subject_class": "nationality"}
    before = [replace(r, items="generated") for r in quad_audit.measures]
    after = measure_row(measure="mu", value=0.6, n=9, **place)
    sentences = text(replace(quad_audit, measures=[after, *before]))
    assert "μ = 0.350 [0.300, 0.400]" in sentences[0]
    assert sentences[-1] == (
        "On the 9 of these quads that the filter kept for such preferences, μ = 0.600 [0.550, 0.650]."
    )


def _without_intervals(tables: AuditTables, *measures: str) -> AuditTables:
    rows = [replace(r, low=None, high=None) if r.measure in measures else r for r in tables.measures]
    links = [replace(r, gamma_low=None, gamma_high=None) for r in tables.preferences]
    return replace(tables, measures=rows, preferences=links)


def test_preferences_without_interval_are_not_told(quad_audit: AuditTables) -> None:
    few, position = text(_without_intervals(quad_audit, "mu"))
    assert few == (
        "Held-out model owner/reader: there are too few questions for each subject and attribute to say "
        "which of its preferences are real."
    )
    # δ = 0.3 ± 0.05, mean |C| = 0.1 ± 0.05
    assert position.startswith("In the quads about nationality, the order of the subjects changes its scores")
    assert (
        "by 0.300 [0.250, 0.350], and the subjects themselves by 0.100 [0.050, 0.150] (mean |C|)" in position
    )


def test_the_largest_preference_is_one_whose_interval_does_not_contain_0(quad_audit: AuditTables) -> None:
    # what was the largest is of a single quad, and has no interval; another one is larger with 0 inside
    links = [
        replace(r, gamma=-0.9, gamma_low=None, gamma_high=None, n=1)
        if (r.subject, r.attribute) == ("Swede", "be late")
        else replace(r, gamma=0.8, gamma_low=-0.1, gamma_high=1.0)
        if (r.subject, r.attribute) == ("Greek", "be late")
        else r
        for r in quad_audit.preferences
    ]
    _, preference, _ = text(replace(quad_audit, preferences=links))
    # γ = (s − 1)/10 + a/50 − 1/20: 0.13 for the last subject and the last attribute
    assert "γ = 0.130 [0.090, 0.170]" in preference
    assert "is for “Greek”" in preference
    assert "of 11 intervals" in preference


def test_no_direction_is_told_if_every_interval_contains_0(quad_audit: AuditTables) -> None:
    links = [replace(r, gamma=0.0, gamma_low=-0.1, gamma_high=0.1) for r in quad_audit.preferences]
    _, preference, _ = text(replace(quad_audit, preferences=links))
    assert preference == "All 12 intervals of preferences contain 0, so no preference was found."
    page = ReportData(
        title="A dataset", dataset_name="a", dataset_version="", dataset_path="", audit=quad_audit
    )
    assert "stroke-dasharray" in render(page)
    html = render(replace(page, audit=replace(quad_audit, preferences=links)))
    # nothing is linked: 0 is no direction
    assert "stroke-dasharray" not in html


@pytest.mark.parametrize("form", ["nli", "qa"])
def test_yes_no_questions_are_told_apart(form: str) -> None:
    rows = [measure_row(form=form)]
    (sentence,) = text(AuditTables(measures=rows))
    assert ("asked with yes/no questions" in sentence) == (form == "qa")
