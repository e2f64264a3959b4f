"""What annotators read with exported tasks: only what is true where they work."""

from __future__ import annotations

import csv
import json
from collections.abc import Callable
from pathlib import Path

import pyarrow as pa
import pytest

from nextset.errors import StudyError
from nextset.generation.stage import generate
from nextset.study.study_folder import Study
from nextset.validation.file_exchange.csv_file import read_csv
from nextset.validation.file_exchange.task_export import export_csv, export_potato, export_tasks
from nextset.validation.forms.judged_hypotheses import JUDGED_HYPOTHESES
from nextset.validation.plan.judgments_per_unit import judgments_per_unit
from nextset.validation.plan.unit_priority import units_by_priority
from nextset.validation.session.open import session_materials
from nextset.validation.study_units import kept_units
from tests.validation.filtered_study import kept_study
from tests.validation.session.sample_study import SESSION, kept, made_study

GOLD = {
    "language": "en", "domain": "gender", "groups": ["men", "women"], "hypothesis": "Men type.",
    "verdict": "invalid", "why": "Everyone does.", "source": "three people",
}  # fmt: skip
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

    shuffled = units_by_priority(
        kept_units(study.out, study.filter, study.settings.validate_.unit), "shuffled", 0
    )
    # the order of a file is that of the ids, so that like sentences do not stand beside each other
    assert exported(5) == sorted(shuffled[:5])
    assert set(exported(5)) < set(exported(12))
    assert len(exported(12)) == 12
    assert exported(99) == exported(None) == sorted(shuffled)
    assert export_tasks(study, 7).n_tasks == export_potato(study, 7).n_tasks == 7


def test_the_drawn_units_are_those_of_a_session(tmp_path: Path) -> None:
    study = made_study(tmp_path / "s", 30, SESSION + "    overlap: 1.2\n")
    units = kept_units(study.out, study.filter, study.settings.validate_.unit)["unit_id"].to_pylist()
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


def test_every_route_shows_the_stereotype_and_its_opposite_as_the_template_states_them(
    tmp_path: Path,
) -> None:
    """Items without a template, such as imported ones, show the name and no made-up sentence."""
    of_template, imported = (
        kept(2, stereotype="man is to programmer"),
        kept(3, stereotype="drummers are loud"),
    )
    study = made_study(tmp_path / "s", table=pa.concat_tables([of_template, imported]))
    generate(study)
    stated = {"pro_sentence": "Men are better at computing than women.", "stereotype": "man is to programmer"}
    stated |= {"anti_sentence": "Women are better at computing than men."}
    name = "drummers are loud"
    opposite = "the opposite, or the same about the other group"
    unstated = {"pro_sentence": name, "stereotype": name, "anti_sentence": opposite}
    csv_file, label_studio, potato = export_csv(study), export_tasks(study), export_potato(study)
    with csv_file.path.open(encoding="utf-8-sig", newline="") as file:
        rows = list(csv.DictReader(file))
    data = [task["data"] for task in json.loads(label_studio.tasks.read_text())]
    for texts in (rows, data, list(map(json.loads, potato.data.read_text().splitlines()))):
        shown = [{name: row[name] for name in stated} for row in texts]
        assert (shown.count(stated), shown.count(unstated), len(shown)) == (2, 3, 5)
    for config in (label_studio.config.read_text(), potato.config.read_text()):
        assert all(f"{name}" in config for name in ("pro_sentence", "anti_sentence", "Its opposite"))
    # a sentence that was reworded since the export does not make it another unit's row
    units = {
        row["unit_id"]: {**row, "pro_sentence": "Else."}
        for row in kept_units(study.out, study.filter, study.settings.validate_.unit).to_pylist()
    }
    answered = csv_file.path.read_text(encoding="utf-8-sig").splitlines()
    csv_file.path.write_text(
        "\n".join([answered[0], *(f"{line[:-6]},me,valid,pro,,," for line in answered[1:])])
    )
    answers = read_csv(csv_file.path, JUDGED_HYPOTHESES, units)
    assert answers.ignored == ()
    assert {answer.answer.outcome for answer in answers.answers} == {"judged"}
    # gold about a stereotype of the study looks like the study's units, and other gold states its own
    gold = [
        {**GOLD, "stereotype": "man is to programmer"},
        {**GOLD, "stereotype": "s", "sentences": {"pro": "Tea is calm.", "anti": "Tea is wild."}},
    ]
    (study.folder / "gold.yaml").write_text(json.dumps({"hypotheses": gold}))
    settings = study.folder / "study.yaml"
    settings.write_text(settings.read_text() + "    gold: gold.yaml\n")
    materials = session_materials(Study.load(study.folder))
    sent = [materials.rows[unit_id] for unit_id in materials.gold]
    assert [row["pro_sentence"] for row in sent] == [stated["pro_sentence"], "Tea is calm."]
