"""Agreement by part, the checks of questions, and what is said where packages are missing."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

from nextset.records.arrow_schema import table_of
from nextset.records.column_docs import column_table
from nextset.records.judgment import Judgment
from nextset.validation.agreement.annotator_quality import JudgeRow
from nextset.validation.agreement.bootstrap import Bootstrap
from nextset.validation.agreement.coefficient_table import AgreementRow, agreement_rows
from nextset.validation.agreement.question_checks import CheckedUnit, aggregate_checks, check_ratings
from nextset.validation.agreement.ratings import Rating, stance_ratings, verdict_ratings
from nextset.validation.agreement.vote_aggregation import Fit, Posterior
from nextset.validation.judgments.log_entry import Entry

FEW = Bootstrap(draws=50)
PAGE = Path(__file__).parents[3] / "docs" / "reference" / "judgments.md"

UNITS = pa.table(
    {"unit_id": list("abcd"), "domain": ["g", "g", "r", "r"], "stereotype": ["s", "t", "t", "t"]}
)


def ratings(**units: str) -> list[Rating]:
    return [Rating(u, str(j), label) for u, labels in units.items() for j, label in enumerate(labels)]


def test_the_parts_by_hand() -> None:
    rows = agreement_rows("verdict", ratings(a="vv", b="vi", c="ii", d="ii", elsewhere="vi"), UNITS, FEW)
    per_cent = {(r.by, r.part): r.value for r in rows if r.name == "per_cent"}
    assert per_cent == {
        ("all", ""): 75.0, ("domain", "g"): 50.0, ("domain", "r"): 100.0,
        ("stereotype", "s"): 100.0, ("stereotype", "t"): pytest.approx(200 / 3),
    }  # fmt: skip
    (alpha,) = (r for r in rows if (r.name, r.part) == ("alpha", "r"))
    assert alpha.value is None
    assert "every vote is the same" in (alpha.why_undefined or "")
    # Over all: both v 1, v and i 1, both i 2: 3/4; by chance 1/2 · 1/4 + 1/2 · 3/4 = 1/2.
    (cohen,) = (r for r in rows if (r.name, r.by) == ("cohen", "all"))
    assert cohen.value == pytest.approx(0.5)
    assert (cohen.judge1, cohen.judge2) == ("0", "1")
    assert {r.of for r in rows} == {"verdict"}
    assert table_of(rows, AgreementRow).num_rows == len(rows) == 4 * 5


def test_a_part_that_nobody_judged_says_so() -> None:
    rows = agreement_rows("verdict", [], UNITS)
    assert {r.part for r in rows} == {"", "g", "r", "s", "t"}
    assert {r.why_undefined for r in rows} == {"there are no judgments"}


def test_without_packages_there_are_per_cent_and_alpha(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "statsmodels.stats.inter_rater", None)
    rows = agreement_rows("verdict", ratings(a="vv", b="vi", c="ii"), UNITS, FEW)
    overall = {r.name: r for r in rows if r.by == "all"}
    assert overall["per_cent"].value == pytest.approx(200 / 3)
    assert set(overall) == {"per_cent", "alpha", "fleiss", "cohen"}
    # Coincidences: v and v 2, v and i 1 each way, i and i 2: α = 1 − 5 · (6 − 4) / (36 − 9 − 9) = 4/9.
    assert overall["alpha"].value == pytest.approx(4 / 9)
    for row in (overall["fleiss"], overall["cohen"]):
        assert row.value is None
        assert "pip install 'nextset[validate]'" in (row.why_undefined or "")
        assert row.units == 3


def test_labels_of_judgments() -> None:
    def judgment(verdict: Any, stance: Any) -> Judgment:
        return Judgment(unit_id="u", verdict=verdict, stance_judged=stance, judge="1", annotation=None)

    given = [judgment("valid", "pro"), judgment("valid", None), judgment("invalid", None)]
    assert [r.label for r in verdict_ratings(given)] == ["valid", "valid", "invalid"]
    assert [r.label for r in stance_ratings(given)] == ["valid pro", "valid", "invalid"]


def entry(unit: str, judge: str, *checks: bool | None) -> Entry:
    underspecified, grammatical, free_of_hint = checks
    return Entry(
        session="1", project="", annotation="1", digest="", answered_at="", unit_id=unit, judge=judge, key="",
        outcome="judged", verdict="valid", stance_judged=None, underspecified=underspecified,
        grammatical=grammatical, free_of_hint=free_of_hint, reason="", comment="", problem="", seconds=None,
        guidelines="",
    )  # fmt: skip


def test_checks_are_put_together_apart() -> None:
    entries = [
        entry("a", "1", True, True, False), entry("a", "2", True, False, False),
        entry("a", "3", False, True, None),
        entry("b", "1", True, True, None), entry("elsewhere", "1", True, True, True),
    ]  # fmt: skip
    found = aggregate_checks(["b", "a", "c"], entries)
    assert found == [
        CheckedUnit(unit_id="a", underspecified=True, grammatical=True, free_of_hint=False),
        CheckedUnit(unit_id="b", underspecified=True, grammatical=True, free_of_hint=None),
        CheckedUnit(unit_id="c", underspecified=None, grammatical=None, free_of_hint=None),
    ]
    assert [(r.judge, r.label) for r in check_ratings(entries[:3], "grammatical")] == [
        ("1", "yes"), ("2", "no"), ("3", "yes"),
    ]  # fmt: skip
    # One yes, one no: a tie.
    (tied,) = aggregate_checks(["a"], entries[:2])
    assert tied.grammatical is None


@pytest.mark.parametrize("record", [AgreementRow, Fit, Posterior, JudgeRow], ids=lambda r: r.__name__)
def test_the_page_shows_every_column(record: type) -> None:
    assert column_table(record) in PAGE.read_text(encoding="utf-8")
