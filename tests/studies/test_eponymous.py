"""studies/eponymous runs as docs/how_to/selectional.md says, and its example in Python too."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

import nextset
from nextset.artifacts.artifact import open_artifact
from tests.docs_pages import ROOT, blocks

PAGE = ROOT / "docs" / "how_to" / "selectional.md"


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> nextset.Study:
    folder = tmp_path_factory.mktemp("found") / "my_people"
    shutil.copytree(ROOT / "studies" / "eponymous", folder, ignore=shutil.ignore_patterns("out"))
    nextset.run(folder)
    return nextset.Study.load(folder)


@pytest.mark.slow
def test_groups_have_equally_many_answers_and_copies_are_paired(run: nextset.Study) -> None:
    found = open_artifact(run.out / "selectional")
    recall = found.to_pandas("recall").set_index(["rule", "group"])["answers"]
    assert recall["shared_token", "female"] == recall["shared_token", "male"] > 100
    swaps = found.to_pandas("swaps")
    assert set(swaps["pairs"]) == {recall["shared_token", "female"]}
    assert (swaps[["both", "only_first", "only_second", "neither"]].sum(axis=1) == swaps["pairs"]).all()


@pytest.mark.slow
def test_the_page_needs_nothing_from_outside(run: nextset.Study) -> None:
    html = (run.out / "selectional_report" / "index.html").read_text(encoding="utf-8")
    assert "http" not in html.replace("http://www.w3.org", "").replace("http-equiv", "")
    assert "never for conclusions" in html
    for sentence in open_artifact(run.out / "selectional").table("conclusions")["text"].to_pylist():
        assert sentence.replace("'", "&#39;") in html


@pytest.mark.slow
def test_a_second_run_makes_nothing_anew_and_the_python_example_runs(
    run: nextset.Study, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    before = {p: p.read_bytes() for p in sorted(run.out.rglob("*")) if p.is_file()}
    nextset.run(run)
    (code,) = (b for b in blocks(PAGE, "python") if "audit_selectional" in b)
    monkeypatch.chdir(Path(run.folder).parent)
    exec(compile(code, "docs/how_to/selectional.md", "exec"), {})
    assert "family_name" in capsys.readouterr().out
    assert {p: p.read_bytes() for p in sorted(run.out.rglob("*")) if p.is_file()} == before
