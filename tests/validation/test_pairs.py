"""With ``validate.unit: pair``, a unit is a premise with a hypothesis, everywhere."""

from __future__ import annotations

import csv
from collections import Counter
from pathlib import Path

import pytest

import nextset
from nextset.artifacts.artifact import open_artifact
from nextset.errors import StudyError, WaitingForPeople
from nextset.validation.file_exchange.judgment_import import import_judgments
from nextset.validation.file_exchange.task_export import export_csv, export_tasks
from nextset.validation.judgments.pseudonyms import KEY_VARIABLE
from nextset.validation.report.stage import write_validation_report
from nextset.validation.stage import apply_judgments
from nextset.validation.study_units import kept_unit_count, kept_units
from tests.validation.filtered_study import kept_study

PREMISES = ("It rains.", "It snows.", "It thaws.")


@pytest.fixture
def study(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> nextset.Study:
    monkeypatch.setenv(KEY_VARIABLE, "a key for the tests, long enough")
    made = kept_study(tmp_path / "s", [f"Men are calm {i}." for i in range(10)], premises=PREMISES)
    return with_setting(made, "judge: people", "judge: people, unit: pair")


def with_setting(study: nextset.Study, old: str, new: str) -> nextset.Study:
    text = study.file.read_text()
    assert old in text
    study.file.write_text(text.replace(old, new))
    return nextset.Study.load(study.folder)


def exported(study: nextset.Study, sample: int | None = None) -> list[dict[str, str]]:
    with export_csv(study, sample).path.open(encoding="utf-8-sig", newline="") as file:
        return list(csv.DictReader(file))


def write(path: Path, rows: list[dict[str, str]]) -> Path:
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, rows[0])
        writer.writeheader()
        writer.writerows(rows)
    return path


def test_a_sample_has_two_premises_of_each_hypothesis_and_grows(study: nextset.Study) -> None:
    samples = [exported(study, n) for n in (7, 20, 21, 30)]
    for sample, n in zip(samples, (7, 20, 21, 30), strict=True):
        premises = Counter(hypothesis for _, hypothesis in {(r["premise"], r["hypothesis"]) for r in sample})
        assert premises.total() == n
        # the sample may end between the two
        assert sum(k == 1 for k in premises.values()) <= 1
    ids = [{row["unit_id"] for row in sample} for sample in samples]
    assert ids[0] < ids[1] < ids[2] < ids[3]
    assert export_tasks(study).config.read_text().count("$premise") == 1


@pytest.mark.slow
def test_verdicts_are_those_of_the_pair_and_the_report_says_how_far_they_depend(study: nextset.Study) -> None:
    rows = exported(study)
    for row in rows:
        row |= {"judge": "Ada", "verdict": "invalid" if row["premise"] == "It thaws." else "valid"}
        row["stance"] = "pro" if row["verdict"] == "valid" else ""
    swapped = [{**rows[0], "premise": next(p for p in PREMISES if p != rows[0]["premise"])}]
    assert import_judgments(study, write(study.folder / "wrong.csv", swapped)).problems == (
        ("line 2", "the premise does not match its unit_id"),
    )
    import_judgments(study, write(study.folder / "a.csv", rows))
    import_judgments(study, write(study.folder / "b.csv", [{**row, "judge": "Ben"} for row in rows]))
    items = apply_judgments(study).table("items").to_pylist()
    assert len({row["unit_id"] for row in items}) == 30
    assert {row["premise"] for row in items if row["verdict"] == "invalid"} == {"It thaws."}
    made = write_validation_report(study)
    # two of the three pairs of premises have different verdicts, whoever judges; the annotators agree
    shares = {row["comparison"]: row["share"] for row in made.table("premises").to_pylist()}
    assert shares["same premise"] == 0
    assert shares["same annotator"] == shares["neither"] == pytest.approx(2 / 3)
    page = " ".join((made.folder / "index.html").read_text().split())
    assert "30 pairs" in page
    assert "keep <code>validate.unit: pair</code>" in page
    # judgments of pairs do not count for hypotheses, and the report has no such table
    other = with_setting(study, "unit: pair", "unit: hypothesis")
    assert "premises" not in write_validation_report(other).tables
    with pytest.raises(WaitingForPeople, match="10 units wait"):
        apply_judgments(other)


def test_units_are_counted_as_they_are_made(study: nextset.Study) -> None:
    pairs = kept_units(study.out, study.filter, "pair")
    assert pairs.num_rows == kept_unit_count(study.out / "filter", study.filter.form, "pair") == 30
    hypotheses = kept_units(study.out, study.filter, "hypothesis")
    assert set(hypotheses["unit_id"].to_pylist()).isdisjoint(pairs["unit_id"].to_pylist())
    kept = open_artifact(study.out / "filter").table("kept")
    row = {(r["premise"], r["hypothesis"]) for r in pairs.to_pylist()}
    assert row == {(r["premise"], r["hypothesis"]) for r in kept.to_pylist()}
    by_rule = with_setting(study, "judge: people", "judge: rule")
    assert len(set(apply_judgments(by_rule).table("form_ok")["unit_id"].to_pylist())) == 30


def test_the_settings_must_fit(study: nextset.Study) -> None:
    session = (
        "{consent: We study texts and use answers., support: Write to Ada., budget: {batch: 9, person: 9}}"
    )
    shown = with_setting(study, "unit: pair", f"unit: pair, session: {session}")
    settings = shown.settings.validate_
    assert settings.shows_premise
    assert settings.session is not None
    assert settings.session.premise
    with pytest.raises(
        StudyError, match=r"pair shows the premise of each pair, but session\.premise is false"
    ):
        with_setting(shown, "person: 9}", "person: 9}, premise: false")
