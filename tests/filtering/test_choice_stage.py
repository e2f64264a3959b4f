"""The stages filter, filter_report and filter --compare on choice items, over scores of own functions."""

from __future__ import annotations

from pathlib import Path

import pyarrow as pa
import pyarrow.compute as pc
import pytest

import nextset
from nextset.artifacts.artifact import Recipe
from nextset.artifacts.build import Part, PartResult, build
from nextset.html.content_warning import CONTENT_WARNING
from tests.choice_rows import choice_items

STUDY = """\
format: 1
name: hard_choices
choices: {packs: ["builtin:en"]}
filter:
  candidates: [choices, filled_choices]
  models: ["models.py:first", "models.py:second"]
  held_out: ["models.py:third"]
  rule: {any_of: [{biased_choices: 1}, {wrong_disambiguated: 2}]}
release: {name: hard_choices, version: 0.1.0}
models:
  "models.py:first": {canaries_waived: "it chooses by a hash"}
  "models.py:second": {canaries_waived: "it chooses by a hash"}
  "models.py:third": {canaries_waived: "it chooses by a hash"}
"""
MODELS = '''\
"""Models that choose by a hash of the texts."""

import hashlib
import numpy as np


def chosen(asked, name):
    rows = np.zeros((len(asked), max(len(one.options) for one in asked)))
    for i, one in enumerate(asked):
        text = name + one.context + one.question
        rows[i, :len(one.options)] = 0.1
        place = hashlib.sha256(text.encode()).digest()[0] % len(one.options)
        rows[i, place] = 1 - 0.1 * (len(one.options) - 1)
    return rows


def first(asked):
    return chosen(asked, "first")


def second(asked):
    return chosen(asked, "second")


def third(asked):
    return chosen(asked, "third")
'''


def scored(folder: Path, items: pa.Table, filled: pa.Table, text: str = STUDY) -> nextset.Study:
    """A study whose stages generate and fill made ``items`` and ``filled``, with their scores."""
    folder.mkdir()
    (folder / "study.yaml").write_text(text, encoding="utf-8")
    (folder / "models.py").write_text(MODELS, encoding="utf-8")
    study = nextset.Study.load(folder, trust_code=True)
    for stage, table in (("generate", items), ("fill", filled)):
        build(
            study.out / stage,
            Recipe(stage, 1),
            lambda table=table: [Part("choices", lambda: PartResult(table))],  # type: ignore[misc]
        )
    nextset.score(study)
    return study


@pytest.fixture(scope="module")
def study(tmp_path_factory: pytest.TempPathFactory) -> nextset.Study:
    items = choice_items(templates=6, words=3)
    filled = items.filter(pc.equal(items["template_id"], "lost_phone_6"))
    plain = items.filter(pc.not_equal(items["template_id"], "lost_phone_6"))
    made = scored(tmp_path_factory.mktemp("choices") / "mine", plain, filled)
    nextset.filter_candidates(made)
    return made


def test_sets_are_kept_whole_and_nothing_is_lost(study: nextset.Study) -> None:
    found = nextset.filter_candidates(study)
    kept, rejected = found.table("kept"), found.table("rejected")
    assert kept.num_rows + rejected.num_rows == choice_items(templates=6, words=3).num_rows
    assert set(kept["set_id"].to_pylist()).isdisjoint(rejected["set_id"].to_pylist())
    assert {"missed_by", "kept_because"} <= set(kept.column_names)
    (rule,) = found.table("rule").to_pylist()
    assert "at least one of the models chooses a biased option in an ambiguous context" in rule["words"]
    assert {row["by"] for row in found.table("balance").to_pylist()} == {"kind"}


def test_the_report_shows_parts_controls_and_a_sample(study: nextset.Study) -> None:
    report = nextset.report_filter(study)
    parts = {row["by"] for row in report.table("survival").to_pylist()}
    assert parts == {"category", "condition", "polarity", "target group", "template"}
    gap = report.table("held_out_gap").to_pylist()
    assert {row["drawn"] for row in gap} == {"templates"}
    controls = report.table("controls").to_pylist()
    disambiguated = choice_items(templates=6, words=3)["condition"].to_pylist().count("disambiguated")
    assert {row["n"] for row in controls} == {disambiguated}
    page = (report.folder / "index.html").read_text(encoding="utf-8")
    for text in (CONTENT_WARNING[:30], "Cannot be known", "Who lost the phone?", "Right answer", "Options"):
        assert text in page, text
    assert "control items, whose context gives the answer" in page
    assert "name models that can answer questions about a text" in page


def test_rules_are_compared_with_those_for_choices(study: nextset.Study) -> None:
    nextset.report_filter(study)
    rules = {row["rule"] for row in nextset.compare_rules(study).table("rules").to_pylist()}
    assert {
        "majority_wrong",
        "{biased_choices: 1}",
        "{wrong_disambiguated: 1}",
        "{choice_flips: 0.5}",
    } <= rules
    assert not any("lowest_neutral" in rule for rule in rules)


def neutral(items: pa.Table) -> pa.Table:
    """The items, about no stereotype."""
    for name, value in (("target", None), ("target_groups", [])):
        at = items.schema.get_field_index(name)
        field = items.schema.field(at)
        items = items.set_column(at, field, pa.array([value] * items.num_rows, field.type))
    ids = pa.array([f"{i:032x}" for i in range(items.num_rows)])
    return items.set_column(0, items.schema.field(0), ids)


def test_items_of_neutral_content_are_controls_and_never_candidates(tmp_path: Path) -> None:
    items = choice_items(templates=3, words=1)
    with_controls = pa.concat_tables([items, neutral(items.slice(0, 16))])
    text = STUDY.replace("[choices, filled_choices]", "[choices]").replace(
        "{any_of: [{biased_choices: 1}, {wrong_disambiguated: 2}]}", "any_wrong\n  cascade: true"
    )
    study = scored(tmp_path / "mine", with_controls, items.slice(0, 0), text)
    found = nextset.filter_candidates(study)
    assert found.rows("kept") + found.rows("rejected") == items.num_rows
    (row,) = nextset.report_filter(study).table("controls").to_pylist()[:1]
    assert row["n"] == 8


def test_a_cascade_keeps_what_all_models_keep(tmp_path: Path) -> None:
    items = choice_items(templates=3, words=2)
    rule = "{any_of: [{biased_choices: 1}, {wrong_disambiguated: 2}]}"
    kept = []
    for name, lines in (("all", "majority_wrong"), ("cascade", "majority_wrong\n  cascade: true")):
        text = STUDY.replace(rule, lines).replace("[choices, filled_choices]", "[choices]")
        study = scored(tmp_path / name, items, items.slice(0, 0), text)
        kept.append(nextset.filter_candidates(study).table("kept")["id"].to_pylist())
    assert kept[0] == kept[1]
    assert len(kept[0]) > 0


def test_the_items_of_a_cascade_are_audited(tmp_path: Path) -> None:
    """A cascade leaves scores out; the audit asks for them, and has the measures of the study without it."""
    items = choice_items(templates=3, words=2)
    text = STUDY.replace("rule: {any_of: [{biased_choices: 1}, {wrong_disambiguated: 2}]}", "rule: all_wrong")
    measures = []
    for name, more in (("whole", ""), ("cascade", "  cascade: true\n")):
        study = scored(
            tmp_path / name, items, items.slice(0, 0), text.replace("filter:\n", f"filter:\n{more}")
        )
        nextset.filter_candidates(study)
        nextset.report_filter(study)
        nextset.build_release(study)
        measures.append(nextset.audit(study).table("measures"))
    assert measures[0].equals(measures[1])
