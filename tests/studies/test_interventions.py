"""studies/interventions runs as docs/how_to/interventions.md says, and the published sets too."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
import yaml

import nextset
from nextset.artifacts.artifact import open_artifact
from nextset.errors import ModelError, StudyError
from tests.docs_pages import ROOT, blocks

PAGE = ROOT / "docs" / "how_to" / "interventions.md"


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> nextset.Study:
    folder = tmp_path_factory.mktemp("told") / "my_interventions"
    folder.mkdir()
    written = yaml.safe_load((ROOT / "studies" / "interventions" / "study.yaml").read_text(encoding="utf-8"))
    written["questions"]["subset"], written["interventions"]["most"] = 12, 2
    (folder / "study.yaml").write_text(yaml.safe_dump(written), encoding="utf-8")
    nextset.run(folder)
    return nextset.Study.load(folder)


def test_every_form_has_changes_of_every_kind(run: nextset.Study) -> None:
    changes = open_artifact(run.out / "interventions").to_pandas("changes")
    kinds = changes[changes["name"] == ""]
    for form, measure in (("question", "mu"), ("statement", "mu"), ("nli", "accuracy")):
        own = kinds[(kinds["form"] == form) & (kinds["measure"] == measure) & (kinds["selection"] == "all")]
        assert set(own["kind"]) == {"ethical", "adversarial", "irrelevant"}
        assert own["change"].notna().all()
        assert ((own["value_with"] - own["value_without"] - own["change"]).abs() < 1e-9).all()
    assert set(kinds[kinds["measure"] == "twin_accuracy"]["part"]) == {"gender", "gender_sentiment"}


def test_the_page_needs_nothing_from_outside(run: nextset.Study) -> None:
    html = (run.out / "interventions_report" / "index.html").read_text(encoding="utf-8")
    assert "http" not in html.replace("http://www.w3.org", "").replace("http-equiv", "")
    for sentence in open_artifact(run.out / "interventions").table("conclusions")["text"].to_pylist():
        assert sentence in html


def test_a_second_run_makes_nothing_anew(run: nextset.Study) -> None:
    before = {p: p.read_bytes() for p in sorted(run.out.rglob("*")) if p.is_file()}
    nextset.run(run)
    assert {p: p.read_bytes() for p in sorted(run.out.rglob("*")) if p.is_file()} == before


def test_the_python_example_runs(
    run: nextset.Study, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (code,) = blocks(PAGE, "python")
    monkeypatch.chdir(run.folder.parent)
    exec(compile(code, "docs/how_to/interventions.md", "exec"), {})
    printed = capsys.readouterr().out
    assert "builtin:qa-roformer" in printed
    assert "adversarial" in printed


def test_the_study_and_the_sentences_of_the_page_are_read(tmp_path: Path) -> None:
    study, sentences = blocks(PAGE, "yaml")
    data = yaml.safe_load(study)
    data["questions"]["subset"], data["interventions"]["sentences"] = 5, ["mine.yaml"]
    (tmp_path / "study.yaml").write_text(yaml.safe_dump(data), encoding="utf-8")
    (tmp_path / "mine.yaml").write_text(sentences, encoding="utf-8")
    made = nextset.generate(tmp_path).table("interventions")
    assert made["name"].to_pylist() == ["by_skill", "law_by_study", "by_gender", "by_door"]


def test_the_published_sets_run_from_one_command(reference: Path, tmp_path: Path) -> None:
    del reference  # the study finds it by NEXTSET_REFERENCE
    written = yaml.safe_load(
        (ROOT / "studies" / "published_interventions" / "study.yaml").read_text(encoding="utf-8")
    )
    written["questions"]["subset"], written["interventions"]["most"] = 12, 1
    (tmp_path / "study.yaml").write_text(yaml.safe_dump(written), encoding="utf-8")
    nextset.run(tmp_path)
    changes = open_artifact(tmp_path / "out" / "interventions").to_pandas("changes")
    pooled = changes[changes["measure"] == "mu_pooled"]
    assert set(zip(pooled["part"], pooled["kind"], strict=True)) == {
        (part, kind)
        for part in ("gender", "religion", "ethnicity")
        for kind in ("ethical", "adversarial", "irrelevant")
    }
    told = open_artifact(tmp_path / "out" / "generate").table("interventions")["text"].to_pylist()
    assert all(text.startswith("Note that, ") for text in told)


@pytest.mark.parametrize(
    ("changed", "error", "said"),
    [
        ({"models": ["builtin:nli-electra"]}, ModelError, "cannot be asked about the rows of this study"),
        ({"models": ["builtin:nowhere"]}, ModelError, "nowhere"),
        ({"models": []}, StudyError, "models"),
        ({"places": ["before_context", "before_context"]}, StudyError, "repeated"),
        ({"kinds": ["kind"]}, StudyError, "kinds"),
        ({"sentences": ["builtin:tr"]}, StudyError, "builtin:tr"),
        ({"twins": -1}, StudyError, "twins"),
    ],
)
def test_a_wrong_section_ends_before_anything_is_asked(
    tmp_path: Path, changed: dict[str, object], error: type[Exception], said: str
) -> None:
    written = {
        "format": 1, "name": "told",
        "questions": {"packs": ["builtin:en"], "classes": ["gender"], "subset": 4},
        "interventions": {"models": ["builtin:qa-roformer"], **changed},
    }  # fmt: skip
    (tmp_path / "study.yaml").write_text(yaml.safe_dump(written), encoding="utf-8")
    with pytest.raises(error, match=said):
        nextset.run(tmp_path)
    assert not list((tmp_path / "out").glob("score_*"))


def test_a_stopped_stage_resumes_with_the_same_bytes(run: nextset.Study, tmp_path: Path) -> None:
    shutil.copytree(run.folder, tmp_path / "copy")
    out = tmp_path / "copy" / "out"
    expected = (out / "interventions" / "changes.csv").read_bytes()
    shutil.rmtree(out / "interventions")
    series = sorted((out / "intervention_series" / "series").glob("*.parquet"))
    series[1].unlink()
    again = nextset.audit_interventions(tmp_path / "copy")
    assert (again.folder / "changes.csv").read_bytes() == expected
