"""`nextset filter --compare`: from the scores of a study, without a model; what is missing is named."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest
from typer.testing import CliRunner

import nextset
from nextset.artifacts.artifact import Recipe
from nextset.artifacts.build import Part, PartResult, build
from nextset.cli.app import app
from nextset.errors import MissingStage, StudyError
from nextset.filtering.rule_comparison import HeldOutDropRow, RuleRow
from nextset.filtering.rule_comparison_page import RuleComparison, render
from nextset.html.content_warning import CONTENT_WARNING
from nextset.records.arrow_schema import table_of
from nextset.records.nli_items import NliItem
from tests.filtering.scores import CERTAIN, nli_scores
from tests.records import ITEM

STUDY = """\
format: 1
name: compared
filter:
  candidates: [plain]
  models: [builtin:nli-electra, builtin:nli-roberta]
  held_out: [builtin:nli-albert]
release: {name: compared, version: 0.1.0}
"""
HOSTILE = "<script>alert('x')</script> \"&\u202e"


def scored(folder: Path, text: str = STUDY, lost: int = 0) -> nextset.Study:
    """A study of forty items, scored at random; the last filter model lacks the first ``lost`` of them."""
    folder.mkdir(exist_ok=True)
    (folder / "study.yaml").write_text(text, encoding="utf-8")
    study = nextset.Study.load(folder)
    ids = [f"{i:032x}" for i in range(40)]
    items = [replace(ITEM, id=id_, stereotype=f"s{i % 10}", set_id=None) for i, id_ in enumerate(ids)]
    rng = np.random.default_rng(0)

    def scores(models: tuple[str, ...], lost: int = 0) -> pa.Table:
        some = []
        for model in models:
            labels = rng.choice(["neutral", "entailment"], len(ids))
            said = {i: CERTAIN[label] for i, label in zip(ids, labels.tolist(), strict=True)}
            some.append(nli_scores(model, dict(list(said.items())[lost if model == models[-1] else 0 :])))
        return pa.concat_tables(some)

    tables = {
        ("generate", "items"): table_of(items, NliItem),
        ("score", "scores"): scores(study.filter.models, lost),
        ("score_held_out", "scores"): scores(study.filter.held_out or ("other",)),
    }
    for (stage, name), table in tables.items():
        build(
            study.out / stage,
            Recipe(stage, 1, {"lost": str(lost)}),
            lambda name=name, table=table: [Part(name, lambda: PartResult(table))],  # type: ignore[misc]
        )
    return study


def test_it_is_made_from_the_scores_and_reused(tmp_path: Path) -> None:
    study = scored(tmp_path / "mine")
    found = nextset.compare_rules(study)
    assert found.tables == ("rules", "held_out")
    rules = {row["rule"]: row for row in found.table("rules").to_pylist()}
    assert [name for name, row in rules.items() if row["own"]] == ["majority_wrong"]
    assert 0 < rules["all_wrong"]["kept"] < rules["any_wrong"]["kept"] < 1
    cases = found.table("held_out").to_pylist()
    assert {row["held_out"] for row in cases} == {*study.filter.models, *study.filter.held_out}
    assert {(row["drawn"], row["n"]) for row in cases} == {("templates", 10)}
    assert nextset.compare_rules(study).built == "reused"
    # nothing else was made: neither a filter nor scores
    assert {p.name for p in study.out.iterdir() if p.is_dir()} == {
        "generate", "score", "score_held_out", "filter_comparison",
    }  # fmt: skip


def test_the_command_prints_a_line_for_each_rule(tmp_path: Path) -> None:
    study = scored(tmp_path / "mine")
    said = CliRunner().invoke(app, ["filter", str(study.folder), "--compare"])
    assert said.exit_code == 0, said.output
    assert "note: stage generate is out of date (its input or settings changed)" in said.stderr
    assert f"try: nextset run {study.folder}" in said.stderr
    (own,) = [line for line in said.stdout.splitlines() if line.startswith("majority_wrong *")]
    assert re.search(r"\d+\.\d% +[−\d.]+ +[−\d.]+ \[[−\d.]+, [−\d.]+\] +[−\d.]+ \[.*\] +builtin:nli-", own)
    assert "not compared: {same_wrong: 3}: 3 models" in said.stdout
    assert re.match(r"rule +kept, mean +choosers, mean +held out, mean +hardest to fool\n", said.stdout)
    assert "means are over these cases" in said.stdout
    assert max(map(len, said.stdout.splitlines()[:-1])) <= 120
    data = json.loads(CliRunner().invoke(app, ["filter", str(study.folder), "--compare", "--json"]).stdout)
    assert data["built"] == "reused"
    assert {row["rule"] for row in data["rules"]} >= {"any_wrong", "{lowest_neutral: 0.1}"}
    assert {row["held_out"] for row in data["held_out"]} == {*study.filter.models, *study.filter.held_out}


def test_what_is_missing_is_named(tmp_path: Path) -> None:
    (tmp_path / "none").mkdir()
    (tmp_path / "none" / "study.yaml").write_text(STUDY, encoding="utf-8")
    with pytest.raises(MissingStage, match="score"):
        nextset.compare_rules(tmp_path / "none")
    short = scored(tmp_path / "short", lost=5)
    with pytest.raises(MissingStage, match="builtin:nli-roberta has 35 of 40 scores") as missing:
        nextset.compare_rules(short)
    assert "nextset score STUDY" in missing.value.remedy
    cascade = STUDY.replace("  models:", "  cascade: true\n  models:")
    with pytest.raises(
        StudyError, match=r"in a cascade .* builtin:nli-roberta has 35 of 40 scores"
    ) as caught:
        nextset.compare_rules(scored(tmp_path / "short", cascade, lost=5))
    assert "cascade: false" in caught.value.remedy
    alone = (
        "format: 1\nname: s\nfilter: {candidates: [plain], models: [builtin:nli-bart]}\nrelease: {name: s}\n"
    )
    with pytest.raises(StudyError, match="the study names only builtin:nli-bart"):
        nextset.compare_rules(scored(tmp_path / "alone", alone))


def test_two_filter_models_are_enough(tmp_path: Path) -> None:
    text = re.sub(r"  held_out: .*\n", "", STUDY)
    cases = nextset.compare_rules(scored(tmp_path / "two", text)).table("held_out").to_pylist()
    assert {row["held_out"] for row in cases} == {"builtin:nli-electra", "builtin:nli-roberta"}


def test_questions_have_no_wrong_answers_to_compare(tmp_path: Path) -> None:
    text = (
        'format: 1\nname: q\nquestions: {packs: ["builtin:en"]}\n'
        "filter: {candidates: [questions], models: [builtin:qa-roformer], rule: {c_at_least: 0.1}}\n"
    )
    (tmp_path / "study.yaml").write_text(text, encoding="utf-8")
    with pytest.raises(StudyError, match="questions have no right answer"):
        nextset.compare_rules(tmp_path)


def test_the_page_escapes_warns_and_asks_for_nothing() -> None:
    rules = [
        RuleRow(HOSTILE, True, 0.25, 0.5, 0.146, 0.09, 0.202, HOSTILE, 0.077, -0.01, 0.151),
        RuleRow("aflite", False, note=HOSTILE),
    ]
    cases = [HeldOutDropRow(HOSTILE, HOSTILE, 10, 5, 0.5, 0.1, None, None, "items", 10)]
    page = render(RuleComparison(HOSTILE, "whole", rules, cases))
    assert "<script" not in page
    assert not re.search(r"url\(|@import|src=|href=(?!\"#)", page)
    assert page.index(CONTENT_WARNING[:40]) < page.index("<main>")
    assert "9.0 to 20.2" in page
    for head in ("Kept, %, mean", "Filter models, mean", "Held-out model, mean"):
        assert f">{head}</th>" in page
    assert "A rule that you choose from this table depends on these models." in page
    assert page.count("<svg") == 2
    assert render(RuleComparison(HOSTILE, "whole", rules, cases)) == page
    assert render(RuleComparison("empty", "apart", [], []))
