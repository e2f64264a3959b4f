"""The stage audit on real studies: tables with the schemas of their records, reuse, damaged shards."""

from __future__ import annotations

import csv
import json
import shutil
from pathlib import Path

import pytest

import nextset
from nextset.artifacts.artifact import open_artifact
from nextset.auditing.audit_tables import TABLES
from nextset.auditing.stage import audit_recipe
from nextset.errors import DamagedShard, MissingStage, ModelError
from nextset.records.arrow_schema import arrow_schema

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

_FORMS = ("questions", "statements")

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def asked(tmp_path_factory: pytest.TempPathFactory) -> nextset.Study:
    """A study of thirty questions, audited."""
    folder = tmp_path_factory.mktemp("audit") / "pets"
    shutil.copytree(WORDS / "small_pack", folder / "small_pack")
    (folder / "study.yaml").write_text(QUESTIONS, encoding="utf-8")
    study = nextset.Study.load(folder)
    nextset.generate(study)
    nextset.score(study)
    nextset.filter_candidates(study)
    nextset.report_filter(study)
    nextset.audit(study)
    return study


@pytest.fixture(scope="module")
def judged(tmp_path_factory: pytest.TempPathFactory) -> nextset.Study:
    """A newcomer's study of NLI items, audited."""
    folder = nextset.new_study(tmp_path_factory.mktemp("audit") / "mine").file.parent
    study = nextset.Study.load(folder)
    for stage in (
        nextset.generate,
        nextset.fill,
        nextset.score,
        nextset.filter_candidates,
        nextset.report_filter,
        nextset.apply_judgments,
        nextset.build_release,
        nextset.audit,
    ):
        stage(study)
    return study


def test_the_tables_have_the_schemas_of_their_records(asked: nextset.Study, judged: nextset.Study) -> None:
    for study in (asked, judged):
        found = open_artifact(study.out / "audit")
        assert found.tables == tuple(TABLES)
        for name, record in TABLES.items():
            assert found.table(name).schema == arrow_schema(record), name
        measures = found.table("measures").to_pylist()
        text = (found.folder / "measures.json").read_text(encoding="utf-8")
        assert json.loads(text) == measures
        with (found.folder / "measures.csv").open(encoding="utf-8", newline="") as file:
            assert len(list(csv.DictReader(file))) == len(measures)


def test_questions_have_all_measures_of_unqover(asked: nextset.Study) -> None:
    found = open_artifact(asked.out / "audit")
    measures = found.table("measures").to_pylist()
    assert {row["form"] for row in measures} == {"question"}
    assert {row["subject_class"] for row in measures} == {"pets", "places"}
    assert {row["by"] for row in measures} >= {"all", "subject", "attribute", "cluster", "template"}
    whole = [row for row in measures if (row["by"], row["selection"]) == ("all", "all")]
    assert sum(row["n"] for row in whole if row["measure"] == "mu") == 30
    for row in whole:
        assert row["value"] is not None
        few_quads = row["measure"] in ("mu", "eta") and "quads on average" in (row["note"] or "")
        assert (row["low"] is None) == (row["clusters"] < 5 or few_quads)
        assert (row["low"] is None) == bool(row["note"] and "no interval" in row["note"])
    # γ of two subjects of one pair are opposite: over all subjects of a class, weighted, they sum to 0
    preferences = found.table("preferences").to_pylist()
    for name in ("pets", "places"):
        keys = ("subject_class", "by", "attribute", "selection")
        rows = [r for r in preferences if tuple(r[key] for key in keys) == (name, "subject", "", "all")]
        assert sum(r["gamma"] * r["n"] for r in rows) == pytest.approx(0, abs=1e-9)
    (model,) = found.table("models").to_pylist()
    assert (model["model"], model["role"]) == ("builtin:qa-roformer", "filter")
    (design,) = found.table("design").to_pylist()
    assert (design["draws"], design["seed"], design["level"]) == (1000, 0, 0.95)
    assert design["drawn"] == "templates, and pairs of subjects"
    assert found.table("sensitivity").num_rows
    assert found.table("comparisons").num_rows == 0  # there is one model


def test_items_have_all_measures_and_comparisons(judged: nextset.Study) -> None:
    found = open_artifact(judged.out / "audit")
    measures = found.table("measures").to_pylist()
    assert {row["items"] for row in measures} == {"plain", "released"}
    assert {row["by"] for row in measures} == {"all", "domain", "stereotype"}
    assert {row["selection"] for row in measures} == {"measured"}  # a rule judged
    comparisons = found.table("comparisons").to_pylist()
    assert {row["kind"] for row in comparisons} == {"models", "sets"}
    values = {(r["items"], r["model"], r["measure"]): r["value"] for r in measures if r["by"] == "all"}
    for row in comparisons:
        first, second = (
            values[row[f"{n}_items"], row[f"{n}_model"], row["measure"]] for n in ("first", "second")
        )
        assert row["difference"] == pytest.approx(second - first)
    roles = [row["role"] for row in found.table("models").to_pylist()]
    assert {"filter", "held_out"} <= set(roles)


def test_a_second_audit_is_reused_and_a_new_one_has_the_same_bytes(asked: nextset.Study) -> None:
    first = open_artifact(asked.out / "audit")
    assert nextset.audit(asked).built == "reused"
    files = {p.name: p.read_bytes() for p in first.folder.glob("measures.*")}
    shutil.rmtree(first.folder)
    again = nextset.audit(asked)
    assert again.digest == first.digest
    assert {"measures.csv", "measures.json"} <= set(files)
    assert {name: (again.folder / name).read_bytes() for name in files} == files
    assert audit_recipe(asked).stage == "audit"


def test_a_damaged_shard_is_named(asked: nextset.Study, tmp_path: Path) -> None:
    shutil.copytree(asked.folder, tmp_path / "pets")
    study = nextset.Study.load(tmp_path / "pets")
    shutil.rmtree(study.out / "audit")
    shard = next((study.out / "score").rglob("*.parquet"))
    raw = shard.read_bytes()
    shard.write_bytes(raw[: len(raw) // 2])
    with pytest.raises(DamagedShard, match=shard.name):
        nextset.audit(study)


def test_the_audit_comes_after_the_scores(tmp_path: Path) -> None:
    shutil.copytree(WORDS / "small_pack", tmp_path / "small_pack")
    (tmp_path / "study.yaml").write_text(QUESTIONS, encoding="utf-8")
    with pytest.raises(MissingStage):
        nextset.audit(nextset.Study.load(tmp_path))


def test_a_study_without_a_filter_is_audited_in_both_forms(tmp_path: Path) -> None:
    folder = tmp_path / "pets"
    shutil.copytree(WORDS / "small_pack", folder / "small_pack")
    (folder / "study.yaml").write_text(
        "format: 1\nname: pets\nquestions: {packs: [small_pack]}\n"
        "audit: {models: [builtin:qa-roformer, builtin:masked-lm]}\n",
        encoding="utf-8",
    )
    study = nextset.Study.load(folder)
    previewed = nextset.preview(study)
    rows = {form: sum(n for kind, n in previewed.items.items() if kind.endswith(form)) for form in _FORMS}
    assert previewed.scorings == {"audit": 4 * sum(rows.values())}  # each model is asked in its one form
    assert {t.model: t.inputs for t in nextset.estimate_time(study, previewed)} == {
        "builtin:qa-roformer": 4 * rows["questions"],
        "builtin:masked-lm": 4 * rows["statements"],
    }
    summary = nextset.run(study)
    assert [s.stage for s in summary.stages] == ["generate", "audit", "report"]
    measures = open_artifact(study.out / "audit").table("measures").to_pylist()
    assert {(row["form"], row["model"], row["role"], row["items"]) for row in measures} == {
        ("question", "builtin:qa-roformer", "audit", "generated"),
        ("statement", "builtin:masked-lm", "audit", "generated"),
    }
    assert [(s.stage, s.state) for s in nextset.status(study)] == [
        ("generate", "done"), ("audit", "done"), ("report", "done"),
    ]  # fmt: skip
    page = (study.out / "report" / "index.html").read_text(encoding="utf-8")
    assert "Bias: questions" in page
    assert "Bias: masked statements" in page


def test_an_audited_model_that_fits_no_form_is_refused_before_a_run(tmp_path: Path) -> None:
    folder = tmp_path / "pets"
    shutil.copytree(WORDS / "small_pack", folder / "small_pack")
    (folder / "study.yaml").write_text(
        "format: 1\nname: pets\nquestions: {packs: [small_pack]}\naudit: {models: [builtin:nli-electra]}\n",
        encoding="utf-8",
    )
    with pytest.raises(ModelError, match="cannot be asked about questions or masked statements") as caught:
        nextset.run(nextset.Study.load(folder))
    assert ":4: audit.models" in str(caught.value)
    assert not (folder / "out" / "generate").exists()
