"""Verdicts that rest on fewer judgments than the study asks for: one is a verdict, and it is said."""

from __future__ import annotations

from pathlib import Path

import pytest

import nextset
from nextset.pipeline.stage_list import STAGES
from nextset.pipeline.stage_result import stage_result
from nextset.release.report_stage import report_release
from nextset.study.study_folder import Study
from nextset.validation.judgments.judgment_log import append
from nextset.validation.plan.event_log import append_events
from nextset.validation.plan.events import SessionClosed
from nextset.validation.report.stage import write_validation_report
from nextset.validation.session.open import session_materials
from tests.validation.plan.sample_plans import at, entry, opened
from tests.validation.session.sample_study import SESSION, made_study

SAID = {
    1: "1 judged unit has fewer judgments than validate.session asks for (overlap, agree); its verdict still "
    "counts",
    2: "2 judged units have fewer judgments than validate.session asks for (overlap, agree); their verdicts "
    "still count",
}


def judged(folder: Path, people: list[str], session: str = SESSION) -> tuple[Study, list[str]]:
    """Four units: the first is judged by nobody, the others by as many of ``people`` as each entry names."""
    study = made_study(folder, 4, session)
    units = sorted(session_materials(study).unit_ids)
    given = [(u, p) for u, who in zip(units[1:], people, strict=True) for p in who]
    append(
        study.judgments,
        [
            entry(u, p, f"#{i}", session="", verdict="valid", stance_judged="pro")
            for i, (u, p) in enumerate(given, 1)
        ],
    )
    return study, units


def few(study: Study) -> list[str]:
    found: list[str] = nextset.apply_judgments(study).table("too_few_judgments")["unit_id"].to_pylist()
    return found


@pytest.mark.parametrize(
    ("asked", "short"),
    # units 1, 2 and 3 have one, two and three judgments, all valid
    [("overlap: 3", [1, 2]), ("overlap: 3, agree: 2", [1]), ("overlap: 1", [])],
)
def test_without_a_session_the_study_says_how_many_are_enough(
    tmp_path: Path, asked: str, short: list[int]
) -> None:
    settings = SESSION + "".join(f"    {key}\n" for key in asked.split(", "))
    study, units = judged(tmp_path / "s", ["A", "AB", "ABC"], settings)
    made = nextset.apply_judgments(study)
    assert made.table("too_few_judgments")["unit_id"].to_pylist() == [units[i] for i in short]
    warnings = [w for w in stage_result(STAGES["validate"], made).warnings if "fewer" in w]
    assert warnings == ([SAID[len(short)]] if short else [])
    assert made.counts["units valid"] == 3, "one judgment is a verdict"
    page = (write_validation_report(study).folder / "index.html").read_text()
    assert ("fewer than <code>validate.session</code> asks for" in page) == bool(short)
    assert "Units with a judgment count" in page or "Templates with a judged unit" not in page


def test_a_session_that_was_closed_early_leaves_units_with_too_few(tmp_path: Path) -> None:
    study, units = judged(tmp_path / "s", ["A", "AB", "ABC"])
    # the session asked for two, although study.yaml now asks for three
    append_events(study.judgments, [opened(units, overlap=2), SessionClosed(session="1", at=at(99))])
    assert few(study) == [units[1]]


def test_a_release_counts_its_units_with_too_few_judgments(tmp_path: Path) -> None:
    study, _ = judged(tmp_path / "s", ["A", "A", "ABC"])
    file = study.file
    waived = "{name: made, version: 0.1.0, waivers: {incomplete: a test}}"
    file.write_text(file.read_text().replace("{name: made, version: 0.1.0}", waived))
    study = Study.load(study.folder)
    nextset.generate(study)
    nextset.apply_judgments(study)
    released = nextset.build_release(study)
    said = [w for w in stage_result(STAGES["release"], released).warnings if "fewer" in w]
    assert said == [
        "2 released units have fewer judgments than validate.session asks for (overlap, agree); "
        "the card says so"
    ]
    page = (report_release(study).folder / "index.html").read_text()
    assert "<code>validate.session</code> asks for: 2.</p>" in page
