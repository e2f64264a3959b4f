"""A dataset version of choice items: its files, its card, its sets, and the differences of versions."""

from __future__ import annotations

import dataclasses
import json
from pathlib import Path
from random import Random
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
import yaml
from hypothesis import given, settings
from hypothesis import strategies as st

from nextset.errors import ArtifactError, StudyError
from nextset.records.arrow_schema import arrow_schema
from nextset.records.choice_items import ChoiceItem, choice_ids
from nextset.release.counterfactuals.set_completeness import SetCompleteness
from nextset.release.dataset_card.card import render_card
from nextset.release.dataset_card.released_columns import columns_of
from nextset.release.forms.choice_counts import choice_statistics
from nextset.release.forms.choices import CHOICE
from nextset.release.hub.verification import verify_folder
from nextset.release.loaded_version import load_version
from nextset.release.stage import release_recipe
from nextset.release.versions.version_diff import version_diff
from nextset.study.study_folder import Study
from tests.choice_rows import choice_items
from tests.release.card_example import full_card
from tests.release.choice_version import release_choices, with_value
from tests.release.version_folders import write_version

NASTY = "a|b <script>x</script>\n---\n# *h* [x](y) `c` & ~~s~~ license: mit"
"""Markdown, HTML and YAML in the texts of a template."""


@pytest.fixture(scope="module")
def version(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A version of 6 sets of 16 items."""
    return release_choices(tmp_path_factory.mktemp("choices") / "study", choice_items())


def test_the_rows_come_back_as_they_were(version: Path) -> None:
    loaded = load_version(version)
    rows = loaded["choices"].to_arrow().select(arrow_schema(ChoiceItem).names)
    assert rows.to_pylist() == choice_items().sort_by("id").to_pylist()
    assert loaded.manifest.kinds == ("choices",)
    text = loaded["choices"].to_arrow()["option_texts"].unique().to_pylist()
    assert sorted(text) == [
        "Cannot be known | The grandfather | The grandson",
        "The grandfather | The grandson | Cannot be known",
    ]


def test_the_card_counts_templates_groups_and_wordings(version: Path) -> None:
    card = (version / "README.md").read_text(encoding="utf-8")
    for line in (
        "- choices: 96, in sets: 6",
        "- disambiguated items, whose context gives the answer: 48",
        "| ambiguous | non\\_negative | 24 |",
        "| age | lost\\_phone\\_1 | old people lose things (1) | old | Made for the tests | 32 |",
        "| age | old, young | 96 |",
        "| Cannot be known | 96 |",
        "- sets checked: 6",
        "- incomplete (a member is missing): 0",
        "- BBQ: Parrish et al. (2022). BBQ: A Hand-Built Bias Benchmark for Question Answering. "
        "Findings of ACL 2022.",
    ):
        assert line in card.splitlines()
    assert "hypothes" not in card
    front = yaml.safe_load(card.split("---\n")[1])
    assert front["task_categories"] == ["multiple-choice", "question-answering"]
    cited = yaml.safe_load((version / "CITATION.cff").read_text(encoding="utf-8"))
    assert [paper["year"] for paper in cited["references"]] == [2022]


def test_croissant_describes_the_options(version: Path) -> None:
    croissant = json.loads((version / "croissant.json").read_text(encoding="utf-8"))
    (choices,) = [r for r in croissant["recordSet"] if r["name"] == "choices"]
    fields = {field["name"]: field for field in choices["field"]}
    assert fields["options"]["repeated"] is True
    inner = [field["name"] for field in fields["options"]["subField"]]
    assert inner == ["options/text", "options/group", "options/role"]
    assert fields["label"]["dataType"] == "sc:Integer"
    assert all(field["description"] for field in choices["field"])


def test_every_column_has_a_meaning() -> None:
    items = CHOICE.with_own_columns(choice_items(1, 1))
    assert all(column.meaning for column in columns_of(items, "choices"))


@pytest.mark.slow
def test_datasets_loads_it_and_the_manifest_verifies(version: Path, tmp_path: Path) -> None:
    from datasets import load_dataset

    rows = load_dataset(str(version), "choices", split="test", cache_dir=str(tmp_path))
    assert len(rows) == 96
    assert rows[0]["options"][0].keys() == {"text", "group", "role"}
    assert verify_folder(version).intact


def test_the_text_files_have_the_options(version: Path) -> None:
    lines = (version / "jsonl" / "choices-test.jsonl").read_text(encoding="utf-8").splitlines()
    rows = [json.loads(line) for line in lines]
    assert [row["options"] for row in rows] == choice_items().sort_by("id")["options"].to_pylist()
    assert (version / "csv" / "choices-test.csv").is_file()
    lines = (version / "bbq" / "choices-test.jsonl").read_text(encoding="utf-8").splitlines()
    for number, (line, row) in enumerate(zip(lines, rows, strict=True)):
        item = json.loads(line)
        assert (item["example_id"], item["nextset_id"]) == (number, row["id"])
        assert [item["ans0"], item["ans1"], item["ans2"]] == [o["text"] for o in row["options"]]
    assert "The folder bbq has" in (version / "README.md").read_text(encoding="utf-8")


def test_the_layout_of_bbq_is_refused_for_other_forms(tmp_path: Path) -> None:
    text = (
        'format: 1\nname: s\ntemplates: ["builtin:gender"]\nfilter: {models: ["builtin:nli-electra"]}\n'
        "release: {name: s, version: 1.0.0, formats: [bbq]}\n"
    )
    (tmp_path / "study.yaml").write_text(text, encoding="utf-8")
    with pytest.raises(StudyError, match=r"release\.formats: bbq is not a layout of items"):
        release_recipe(Study.load(tmp_path))


def test_texts_are_escaped_on_the_card() -> None:
    items = choice_items(1, 1)
    rows = items.to_pylist()
    for row in rows:
        row |= dict.fromkeys(("stereotype", "source", "template_id", "category", "context"), NASTY)
        row["target_groups"] = [NASTY]
        row["options"] = [{**option, "text": NASTY, "group": NASTY} for option in row["options"]]
    nasty = pa.Table.from_pylist(rows, schema=items.schema)
    counts = choice_statistics(nasty)
    card = dataclasses.replace(
        full_card(),
        kinds=("choices",),
        statistics=None,
        counts=(("choices", counts),),
        columns=columns_of(CHOICE.with_own_columns(nasty), "choices"),
        license="",
    )
    text = render_card(card)
    assert "<script>" not in text
    assert "[x](y)" not in text
    _, front, body = text.split("---\n", 2)
    assert "license" not in yaml.safe_load(front)
    assert "a\\|b \\<script\\>" in body
    assert not any(line.startswith("# \\*h") or line.startswith("---") for line in body.splitlines())


def test_an_incomplete_set_is_refused_unless_it_is_waived(tmp_path: Path) -> None:
    items = choice_items(2, 1)
    half = items.filter(pa.array([p == "negative" for p in items["polarity"].to_pylist()]))
    with pytest.raises(ArtifactError, match="lack a member: 2 of 2") as refused:
        release_choices(tmp_path / "refused", half)
    assert "release.waivers.incomplete" in refused.value.remedy
    folder = release_choices(tmp_path / "waived", half, more='  waivers: {incomplete: "half is asked"}')
    card = (folder / "README.md").read_text(encoding="utf-8")
    assert "- incomplete (a member is missing): 2" in card
    assert "- incomplete: half is asked" in card
    findings = load_version(folder)["pairs"].to_arrow().to_pylist()
    assert [f["detail"] for f in findings] == ["no item has the polarity non_negative"] * 2


def _check(made: pa.Table, released: pa.Table) -> list[tuple[str | None, str]]:
    sets = SetCompleteness(CHOICE.set_values, CHOICE.set_measured_by, [made])
    sets.check(released)
    return [(f.counterfactual_set, f.detail) for f in sets.report().findings]


@settings(max_examples=50)
@given(st.sets(st.integers(0, 31), max_size=8))
def test_a_set_is_complete_if_all_of_its_items_are_released(left: set[int]) -> None:
    items = choice_items(2, 1)
    kept = items.filter(pa.array([i not in left for i in range(32)]))
    sets = items["set_id"].to_pylist()
    short = {sets[i]: sum(sets[j] == sets[i] for j in left) for i in left}
    assert dict(_check(items, kept)) == {
        id_: f"{16 - n} of 16 items of the set are released" for id_, n in short.items() if n < 16
    }


def test_a_set_about_no_stereotype_may_lack_its_controls() -> None:
    """The filter does not select controls: disambiguated items of neutral content."""
    items = choice_items(1, 1)
    rows = [{**row, "target": None} for row in items.to_pylist() if row["condition"] == "ambiguous"]
    neutral = pa.Table.from_pylist(rows, schema=items.schema)
    assert _check(neutral, neutral) == []
    asked = items.filter(pa.array([c == "ambiguous" for c in items["condition"].to_pylist()]))
    assert [detail for _, detail in _check(asked, asked)] == ["no item has the condition disambiguated"]


def test_items_without_a_set_are_not_checked() -> None:
    items = with_value(choice_items(1, 1), "set_id", 0, None)
    assert _check(items, items) == []
    assert choice_statistics(items).without_set == 1


def _rows(items: pa.Table) -> pa.Table:
    """Return the rows of the config choices, each with the id of its content."""
    ids = pa.array(choice_ids(items), pa.string())
    return CHOICE.with_own_columns(items.set_column(0, items.schema.field(0), ids))


@settings(max_examples=20)
@given(st.integers(1, 2), st.randoms())
def test_a_version_differs_from_itself_in_nothing(
    tmp_path_factory: pytest.TempPathFactory, templates: int, random: Random
) -> None:
    folder = tmp_path_factory.mktemp("same")
    items = _rows(choice_items(templates, 1))
    order = random.sample(range(items.num_rows), items.num_rows)
    old = write_version(folder / "old", {"choices": items})
    new = write_version(folder / "new", {"choices": items.take(order)}, "1.0.1")
    assert version_diff(old, new).empty


def _changed(tmp_path: Path, place: int, **values: Any) -> Any:
    items = choice_items(2, 1)
    changed = items
    for name, value in values.items():
        changed = with_value(changed, name, place, value)
    old = write_version(tmp_path / "old", {"choices": _rows(items)})
    new = write_version(tmp_path / "new", {"choices": _rows(changed)}, "2.0.0")
    (config,) = version_diff(old, new).configs
    return config


def test_another_right_option_is_a_change_of_the_label(tmp_path: Path) -> None:
    config = _changed(tmp_path, 0, label=0)
    assert (config.totals["relabelled"], len(config.added), config.columns) == (1, 0, ())
    (change,) = config.labels
    assert (change.column, change.before, change.after) == ("label", "2", "0")
    (example,) = dict(config.examples)["relabelled"]
    assert (example.before, example.after) == ("2", "0")


def test_another_text_of_an_option_is_a_rewording(tmp_path: Path) -> None:
    options = choice_items(2, 1)["options"][0].as_py()
    options[2]["text"] = "Nobody can tell"
    config = _changed(tmp_path, 0, options=options)
    assert config.totals["reworded"] == 1
    (example,) = dict(config.examples)["reworded"]
    assert dict(example.texts_after)["option_texts"] == "The grandfather | The grandson | Nobody can tell"


def test_another_order_of_the_options_is_a_change(tmp_path: Path) -> None:
    options = choice_items(2, 1)["options"][0].as_py()
    config = _changed(tmp_path, 0, options=[options[1], options[0], options[2]], target=1)
    assert (len(config.added), len(config.removed)) == (1, 1)


def test_another_context_is_a_rewording(tmp_path: Path) -> None:
    context = choice_items(2, 1)["context"][0].as_py().replace("library", "town hall")
    assert _changed(tmp_path, 0, context=context).totals["reworded"] == 1


def test_a_damaged_version_is_refused(tmp_path: Path) -> None:
    items = _rows(choice_items(1, 1))
    whole = write_version(tmp_path / "whole", {"choices": items})
    damaged = write_version(tmp_path / "damaged", {"choices": items})
    (file,) = damaged.glob("data/choices/*.parquet")
    file.write_bytes(file.read_bytes()[:-100])
    with pytest.raises(ArtifactError, match="cannot be read"):
        version_diff(whole, damaged)
    with pytest.raises(ArtifactError):
        load_version(damaged)


def test_ids_and_columns_of_a_hostile_file_are_checked(tmp_path: Path) -> None:
    items = _rows(choice_items(1, 1))
    whole = write_version(tmp_path / "whole", {"choices": items})
    twice = write_version(tmp_path / "twice", {"choices": pa.concat_tables([items, items])})
    with pytest.raises(ArtifactError, match="is repeated in choices"):
        version_diff(whole, twice)
    (file,) = whole.glob("data/choices/*.parquet")
    assert pq.read_schema(file).field("options").type.value_type.names == ["text", "group", "role"]
