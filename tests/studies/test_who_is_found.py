"""studies/who_is_found runs as docs/how_to/retrieval.md says."""

from __future__ import annotations

import shutil
from pathlib import Path

import markupsafe
import pytest
import yaml

import nextset
from nextset.artifacts.artifact import open_artifact
from nextset.extensions.ambiguity.settings.study_settings import retrieval_of
from tests.docs_pages import ROOT, blocks

pytestmark = pytest.mark.slow

PAGE = ROOT / "docs" / "how_to" / "retrieval.md"


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> nextset.Study:
    folder = tmp_path_factory.mktemp("found") / "my_collection"
    shutil.copytree(ROOT / "studies" / "who_is_found", folder, ignore=shutil.ignore_patterns("out"))
    nextset.run(folder)
    return nextset.Study.load(folder)


def test_every_retriever_is_compared_with_the_collection(run: nextset.Study) -> None:
    measured = open_artifact(run.out / "retrieval")
    shares = measured.to_pandas("shares")
    whole = shares[(shares["scope"] == "all") & (shares["counted"] == "passages") & (shares["first"] == 20)]
    assert set(whole["retriever"]) == {"bm25", "builtin:masked-lm"}
    assert (whole["unknown"] == 0).all()  # every passage of the collection has a label
    assert ((whole["share"] - whole["base_rate"] - whole["disparity"]).abs() < 1e-9).all()
    assert set(measured.to_pandas("tests")["scope"]) == {"all", "occupation", "question"}
    changes = measured.to_pandas("amplification")
    known = changes["change"].notna()
    assert ((changes["answered"] - changes["retrieved"] - changes["change"])[known].abs() < 1e-9).all()


def test_the_page_needs_nothing_from_outside(run: nextset.Study) -> None:
    html = (run.out / "retrieval_report" / "index.html").read_text(encoding="utf-8")
    assert "http" not in html.replace("http://www.w3.org", "").replace("http-equiv", "")
    for sentence in open_artifact(run.out / "retrieval").table("conclusions")["text"].to_pylist():
        assert markupsafe.escape(sentence) in html


def test_a_second_run_makes_nothing_anew(run: nextset.Study) -> None:
    before = {p: p.read_bytes() for p in sorted(run.out.rglob("*")) if p.is_file()}
    nextset.run(run)
    assert {p: p.read_bytes() for p in sorted(run.out.rglob("*")) if p.is_file()} == before


def test_the_python_example_runs(
    run: nextset.Study, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (code,) = (code for code in blocks(PAGE, "python") if "audit_retrieval" in code)
    monkeypatch.chdir(run.folder.parent)
    exec(compile(code, "docs/how_to/retrieval.md", "exec"), {})
    assert "builtin:masked-lm" in capsys.readouterr().out


def test_the_study_of_the_page_is_read(tmp_path: Path) -> None:
    (text,) = (text for text in blocks(PAGE, "yaml") if "name: my_collection" in text)
    (tmp_path / "study.yaml").write_text(text, encoding="utf-8")
    assert (
        retrieval_of(nextset.Study.load(tmp_path)).read
        == yaml.safe_load(text)["ambiguity"]["retrieval"]["read"]
    )
