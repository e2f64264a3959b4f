"""The stages filter and filter_report on real studies: what is kept, what is told, what is refused."""

from __future__ import annotations

import html
import re
import shutil
from collections import Counter
from pathlib import Path

import pyarrow.compute as pc
import pytest

import nextset
from nextset.artifacts.artifact import is_current, open_artifact
from nextset.artifacts.manifest import read_manifest
from nextset.cli.stage_text import stage_text, summary_text
from nextset.errors import MissingStage, StudyError
from nextset.filtering.stage import filter_recipe
from nextset.html.content_warning import CONTENT_WARNING
from nextset.pipeline.stage_list import STAGES
from nextset.pipeline.stage_result import Summary, stage_result

WORDS = Path(__file__).parents[1] / "generation" / "questions"

QUESTIONS = """\
format: 1
name: pets
questions: {packs: [small_pack]}
filter:
  candidates: [questions]
  models: [builtin:qa-roformer]
  rule: {any_of: [{c_at_least: 0.001}, answer_differs]}
"""


def with_filter(folder: Path, lines: str) -> nextset.Study:
    """The study in ``folder`` with lines put into its section filter, in place of its rule."""
    file = folder / "study.yaml"
    text = file.read_text(encoding="utf-8")
    if "rule:" in lines:
        text = re.sub(r"^  rule: .*\n", "", text, flags=re.M)
    indented = "".join(f"  {line}\n" for line in lines.splitlines())
    file.write_text(text.replace("  models: ", f"{indented}  models: "), encoding="utf-8")
    return nextset.Study.load(folder)


@pytest.fixture(scope="module")
def scored(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A newcomer's study, scored."""
    folder = nextset.new_study(tmp_path_factory.mktemp("filtering") / "mine").file.parent
    study = with_filter(folder, "rule: any_wrong")
    for stage in (nextset.generate, nextset.fill, nextset.score):
        stage(study)
    return folder


@pytest.fixture
def folder(scored: Path, tmp_path: Path) -> Path:
    """A copy of it, to be changed."""
    shutil.copytree(scored, tmp_path / "mine")
    return tmp_path / "mine"


@pytest.fixture(scope="module")
def reported(scored: Path, tmp_path_factory: pytest.TempPathFactory) -> nextset.Study:
    """The same, filtered and reported."""
    folder = tmp_path_factory.mktemp("filtering") / "reported"
    shutil.copytree(scored, folder)
    study = nextset.Study.load(folder)
    nextset.filter_candidates(study)
    nextset.report_filter(study)
    return study


def test_the_report_comes_after_the_filter(folder: Path) -> None:
    with pytest.raises(MissingStage, match="filter has not run"):
        nextset.report_filter(nextset.Study.load(folder))
    assert not (folder / "out" / "score_held_out").exists()


def test_the_tables_of_the_report_agree_with_the_filter(reported: nextset.Study) -> None:
    kept = open_artifact(reported.out / "filter").table("kept")
    report = open_artifact(reported.out / "filter_report")
    survival = report.table("survival").to_pylist()
    total = kept.num_rows + open_artifact(reported.out / "filter").rows("rejected")
    assert {r["by"] for r in survival} == {"domain", "stereotype", "stance", "template", "group"}
    for by in {r["by"] for r in survival}:
        rows = [r for r in survival if (r["by"], r["model"]) == (by, "any")]
        assert sum(r["candidates"] for r in rows) == total
        assert sum(r["survived"] for r in rows) == kept.num_rows
    overlap = report.table("overlap").to_pylist()
    assert sum(r["candidates"] for r in overlap) == total
    assert sum(r["kept"] for r in overlap) == kept.num_rows
    missed = Counter(m for some in kept["missed_by"].to_pylist() for m in some)
    for row in report.table("accuracy").to_pylist():
        assert (row["n_before"], row["n_after"]) == (total, kept.num_rows)
        if row["role"] == "filter":
            # any_wrong keeps all that a model misses
            assert row["before"] == pytest.approx(1 - missed[row["model"]] / total)
            assert row["after"] == pytest.approx(1 - missed[row["model"]] / kept.num_rows)
    assert [r["role"] for r in report.table("accuracy").to_pylist()].count("held_out") == 1
    gap = {r["measure"]: r for r in report.table("held_out_gap").to_pylist()}
    # a newcomer's study has three masked hypotheses, which are too few for an interval
    assert {(r["drawn"], r["low"]) for r in gap.values()} == {("templates", None)}
    assert (gap["filter_before"]["n"], gap["filter_after"]["n"]) == (3, 2)
    assert gap["filter_after"]["value"] < gap["filter_before"]["value"]


def test_the_first_sentence_is_the_held_out_models_shift(reported: nextset.Study) -> None:
    report = open_artifact(reported.out / "filter_report")
    (sentence,) = [row for row in report.table("conclusions").to_pylist() if not row["warning"]]
    (row,) = [r for r in report.table("accuracy").to_pylist() if r["role"] == "held_out"]
    (mean,) = [r for r in report.table("held_out_gap").to_pylist() if r["measure"] == "held_out_shift"]
    assert sentence["model"] == row["model"] == "builtin:nli-albert"
    assert sentence["shift"] == pytest.approx(row["after"] - row["before"])
    assert (sentence["low"], sentence["high"]) == (mean["low"], mean["high"])
    # the template's test items ask for entailment and contradiction
    assert {(r["role"], r["n"]) for r in report.table("controls").to_pylist()} == {
        ("filter", 4),
        ("held_out", 4),
    }
    result = stage_result(STAGES["filter_report"], report)
    assert result.conclusions == (sentence["text"],)
    assert set(result.warnings) == {
        r["text"] for r in report.table("conclusions").to_pylist() if r["warning"]
    }
    assert f"          {sentence['text']}\n" in stage_text(result)
    summary = Summary("mine", (result,), (), None, None, None, reported.out)
    assert sentence["text"] in summary_text(summary).splitlines()


def test_the_page_warns_shows_and_asks_for_nothing(reported: nextset.Study) -> None:
    page = (reported.out / "filter_report" / "index.html").read_text(encoding="utf-8")
    assert CONTENT_WARNING in page
    assert page.count("<svg") == 4
    assert "at least one of the models gets it wrong" in page
    kept = open_artifact(reported.out / "filter").table("kept").sort_by("id").to_pylist()
    first = kept[0]["stereotype"]
    of_first = [html.escape(row["hypothesis"]) for row in kept if row["stereotype"] == first]
    # three of each stereotype, the first by id
    assert [f"<td><bdi>{text}</bdi></td>" in page for text in of_first[:3]] == [True] * 3
    shown = page[page.index('id="sample"') : page.index('id="overlap"')]
    assert shown.count("<tr><td>") == sum(min(3, n) for n in Counter(r["stereotype"] for r in kept).values())
    assert all(f"<bdi>{model}</bdi>" in shown for model in {m for row in kept for m in row["missed_by"]})
    assert "<script" not in page
    assert not re.search(r"url\(|@import|src=|href=(?!\"#)", page)


def test_a_second_report_is_reused(reported: nextset.Study) -> None:
    assert nextset.report_filter(reported).built == "reused"
    assert open_artifact(reported.out / "score_held_out").rows("scores")


def test_a_cascade_keeps_what_the_full_matrix_keeps(folder: Path, reported: nextset.Study) -> None:
    study = with_filter(folder, "cascade: true")
    scores = nextset.score(study)
    kept = nextset.filter_candidates(study).table("kept")
    full = open_artifact(reported.out / "filter").table("kept")
    assert kept["id"].to_pylist() == full["id"].to_pylist()
    asked = Counter(scores.table("scores")["model"].to_pylist())
    # the order is found on a pilot; whoever comes first is asked about everything
    assert sum(n == max(asked.values()) for n in asked.values()) == 1
    # any_wrong is decided by the first model that misses an item
    assert {len(some) for some in kept["missed_by"].to_pylist()} == {1}
    report = nextset.report_filter(study)
    before = [r["n_before"] for r in report.table("accuracy").to_pylist() if r["role"] == "filter"]
    assert min(before) < max(before) == 60
    # what a later model was asked about says nothing of it: shares are those of the first alone
    first = next(r for r in report.table("accuracy").to_pylist() if r["n_before"] == 60)
    gap = {r["measure"]: r["value"] for r in report.table("held_out_gap").to_pylist()}
    assert (gap["filter_before"], gap["filter_after"]) == (first["before"], first["after"])
    compared = {m for r in report.table("overlap").to_pylist() for m in r["models"]}
    assert compared & asked.keys() <= {first["model"]}
    assert set(report.table("survival")["model"].to_pylist()) == {"any", first["model"]}
    assert "In a cascade" in (report.folder / "index.html").read_text(encoding="utf-8")


def test_balance_is_mended_and_told(folder: Path) -> None:
    study = with_filter(folder, "balance: {by: group, warn_above: 0.001, reject_surplus: true}")
    artifact = nextset.filter_candidates(study)
    assert artifact.rows("kept") + artifact.rows("rejected") == 60
    (rule,) = artifact.table("rule").to_pylist()
    assert "no group's share differs by more than 0.1 percentage points" in rule["balance"]
    assert {row["by"] for row in artifact.table("balance").to_pylist()} == {"group"}


def test_aflite_takes_the_controls_along(folder: Path) -> None:
    pytest.importorskip("sklearn")
    chosen = "rule: {aflite: {target: 40, train: 30, slice: 10, partitions: 8, threshold: 0.5}}"
    study = with_filter(folder, chosen)
    artifact = nextset.filter_candidates(study)
    # 60 candidates and 4 controls with other labels make the pool
    assert artifact.rows("kept") + artifact.rows("rejected") == 60
    assert 36 <= artifact.rows("kept") < 60
    assert set(artifact.counts) == {"linear probes on a model's features predict the item's label"}
    again = artifact.digest
    shutil.rmtree(artifact.folder)
    assert nextset.filter_candidates(study).digest == again


def test_aflite_is_refused_where_all_labels_are_the_same(folder: Path) -> None:
    pytest.importorskip("sklearn")
    study = with_filter(folder, "rule: {aflite: {target: 40, train: 30, slice: 10}}")
    file = folder / "study.yaml"
    file.write_text(file.read_text(encoding="utf-8") + "\ngenerate: {tests: false}\n", encoding="utf-8")
    study = nextset.Study.load(folder)
    for stage in (nextset.generate, nextset.fill, nextset.score):
        stage(study)
    with pytest.raises(StudyError, match="more than one right label, and all 60 are neutral"):
        nextset.filter_candidates(study)


@pytest.mark.slow
def test_questions_are_filtered_whole(tmp_path: Path) -> None:
    shutil.copytree(WORDS / "small_pack", tmp_path / "pets" / "small_pack")
    (tmp_path / "pets" / "study.yaml").write_text(QUESTIONS, encoding="utf-8")
    study = nextset.Study.load(tmp_path / "pets")
    nextset.generate(study)
    nextset.score(study)
    artifact = nextset.filter_candidates(study)
    assert artifact.rows("kept") + artifact.rows("rejected") == 30
    kept = artifact.table("kept")
    assert kept.num_rows
    assert all(found == ["builtin:qa-roformer"] for found in kept["found_by"].to_pylist())
    report = nextset.report_filter(study)
    (row,) = report.table("bias").to_pylist()
    assert row["c_after"] >= row["c_before"]
    survival = report.table("survival")
    kinds = ["class", "attribute kind", "attribute cluster", "template"]
    assert pc.unique(survival["by"]).to_pylist() == kinds
    assert report.rows("held_out_gap") == 0
    # the report applies the rule to held-out models too: their scores are exact where the rule compares
    held_out = read_manifest(study.out / "score_held_out").recipe["settings"]
    assert held_out["boundaries"]["c_levels"] == [0.001]
    page = (report.folder / "index.html").read_text(encoding="utf-8")
    assert "a question is kept when at least one model prefers a subject" in page
    assert "there is no accuracy" in page


OWN = """\
def sure_and_wrong(answers):
    sure = answers.probabilities.max(axis=-1) > 0.5
    return (sure & answers.wrong).any(axis=0), "no model is sure and wrong"
"""


def test_an_own_rule_needs_trust_and_a_changed_file_makes_the_filter_stale(folder: Path) -> None:
    study = with_filter(folder, "rule: {own: rules.py:sure_and_wrong}")
    (folder / "rules.py").write_text(OWN, encoding="utf-8")
    with pytest.raises(StudyError, match="not trusted"):
        nextset.filter_candidates(study)
    filtered = nextset.filter_candidates(study, trust_code=True)
    (own,) = filtered.table("own_rules").to_pylist()
    assert own["rule"] == "rules.py:sure_and_wrong"
    assert filtered.snapshot("own/rules.py") == OWN.encode()
    (rule,) = filtered.table("rule").to_pylist()
    assert rule["words"] == "an item is kept when the study's own function rules.py:sure_and_wrong keeps it"
    assert set(filtered.counts) == {"no model is sure and wrong"}
    assert is_current(filtered.folder, filter_recipe(study))
    (folder / "rules.py").write_text(OWN.replace("0.5", "0.9"), encoding="utf-8")
    assert not is_current(filtered.folder, filter_recipe(study))
    (folder / "rules.py").write_text("def sure_and_wrong(answers):\n    return [True]\n", encoding="utf-8")
    with pytest.raises(nextset.InputError, match="sure_and_wrong: returned an array of shape"):
        nextset.filter_candidates(study, trust_code=True)
