"""What annotators read with exported tasks: only what is true where they work."""

from __future__ import annotations

import csv
from collections.abc import Callable
from pathlib import Path

import pytest

from nextset.errors import StudyError
from nextset.study.study_folder import Study
from nextset.validation.file_exchange.task_export import export_csv, export_potato, export_tasks
from nextset.validation.plan.judgments_per_unit import judgments_per_unit
from nextset.validation.plan.unit_priority import units_by_priority
from nextset.validation.study_units import kept_units
from tests.validation.filtered_study import kept_study
from tests.validation.session.sample_study import SESSION, made_study

SKIP, KEY, REST, PAGE = "Skip button", "(key 0)", "for a rest", "on the page"


@pytest.mark.parametrize(
    ("route", "promised"), [("label-studio", {SKIP, KEY}), ("csv", set()), ("potato", {KEY})]
)
def test_guidelines_promise_only_what_their_route_has(tmp_path: Path, route: str, promised: set[str]) -> None:
    study = kept_study(tmp_path / "s", ["Men are calm."])
    if route == "potato":
        files = export_potato(study)
        # as markup the quotes are escaped; YAML folds lines
        texts = [files.guidelines.read_text(), " ".join(files.config.read_text().split())]
    else:
        made = export_tasks(study) if route == "label-studio" else export_csv(study)
        texts = [made.guidelines.read_text()]
    for text in texts:
        assert {p for p in (SKIP, KEY, REST, PAGE) if p in text} == promised
        assert "tell the person who gave you the items" in text
        assert "{{" not in text
        assert ("`declined`" in text) == (route == "csv")


def test_a_sample_is_drawn_from_the_seed_and_grows(tmp_path: Path) -> None:
    study = kept_study(tmp_path / "s", [f"Men are calm {i}." for i in range(30)])

    def exported(sample: int | None) -> list[str]:
        with export_csv(study, sample).path.open(encoding="utf-8-sig", newline="") as file:
            return [row["unit_id"] for row in csv.DictReader(file)]

    shuffled = units_by_priority(kept_units(study.out, study.filter), "shuffled", 0)
    # the order of a file is that of the ids, so that like sentences do not stand beside each other
    assert exported(5) == sorted(shuffled[:5])
    assert set(exported(5)) < set(exported(12))
    assert len(exported(12)) == 12
    assert exported(99) == exported(None) == sorted(shuffled)
    assert export_tasks(study, 7).n_tasks == export_potato(study, 7).n_tasks == 7


def test_the_drawn_units_are_those_of_a_session(tmp_path: Path) -> None:
    study = made_study(tmp_path / "s", 30, SESSION + "    overlap: 1.2\n")
    units = kept_units(study.out, study.filter)["unit_id"].to_pylist()
    with export_csv(study, drawn=True).path.open(encoding="utf-8-sig", newline="") as file:
        found = [row["unit_id"] for row in csv.DictReader(file)]
    assert found == sorted(judgments_per_unit(1.2, units, 0).drawn)
    assert export_tasks(study, drawn=True).n_tasks == export_potato(study, drawn=True).n_tasks == 6
    assert export_tasks(study, 4, drawn=True).n_tasks == 4
    whole = made_study(tmp_path / "t", 30)
    with pytest.raises(StudyError, match="no units that get one more annotator"):
        export_tasks(whole, drawn=True)


@pytest.mark.parametrize("export", [export_tasks, export_csv, export_potato])
@pytest.mark.parametrize("sample", [0, -1])
def test_a_sample_of_less_than_one_unit_is_refused(
    tmp_path: Path, export: Callable[[Study, int], object], sample: int
) -> None:
    """As the end of a slice, -1 would be all units but the last."""
    study = kept_study(tmp_path / "s", ["Men are calm.", "Men are loud."])
    with pytest.raises(ValueError, match=f"sample is {sample}; it must be 1 or more"):
        export(study, sample)
    assert not (study.out / "tasks").exists()
