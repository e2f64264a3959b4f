"""The stages retrieval and retrieval_report, over a collection of a few people."""

from __future__ import annotations

import csv
import shutil
from pathlib import Path

import markupsafe
import pytest
from typer.testing import CliRunner

import nextset
from nextset.artifacts.artifact import open_artifact
from nextset.cli.app import app
from nextset.errors import InputError, MissingStage
from nextset.extensions.ambiguity.retrieval.report_stage import retrieval_report_recipe
from nextset.extensions.ambiguity.retrieval.stage import retrieval_recipe

JOBS = ("nurse", "judge", "pilot", "baker", "weaver")
STUDY = """\
format: 1
name: few
ambiguity:
  retrieval:
    passages: {source: people.csv}
    questions: [questions.csv]
    names: ["builtin:en"]
    top_k: 6
    base_rate: rates.csv
    readers: ["builtin:qa-roformer"]
    read: 2
"""


def write(folder: Path) -> None:
    """Women's passages name their job once, men's twice, so that BM25 finds men first."""
    folder.mkdir()
    with (folder / "people.csv").open("w", encoding="utf-8", newline="") as file:
        rows = csv.writer(file)
        rows.writerow(["title", "text", "group"])
        for job in JOBS:
            for i in range(5):
                rows.writerow([f"Mary Hale{job}{i}", f"She was a {job}.", ""])  # by the list of names
                rows.writerow([f"Qux Kirk{job}{i}", f"He was a {job}, a good {job}.", "male"])
    with (folder / "questions.csv").open("w", encoding="utf-8", newline="") as file:
        rows = csv.writer(file)
        rows.writerow(["question", "occupation"])
        rows.writerows([f"Who was a {job}?", job] for job in JOBS)
    rates = "".join(f"{job},female,0.5,s\n{job},male,0.5,s\n" for job in JOBS[1:])
    (folder / "rates.csv").write_text("occupation,group,share,source\n" + rates, encoding="utf-8")
    (folder / "study.yaml").write_text(STUDY, encoding="utf-8")


@pytest.fixture(scope="module")
def few(tmp_path_factory: pytest.TempPathFactory) -> nextset.Study:
    folder = tmp_path_factory.mktemp("retrieval") / "few"
    write(folder)
    nextset.run(folder)
    return nextset.Study.load(folder)


pytestmark = pytest.mark.slow


def test_the_planted_disparity_is_found(few: nextset.Study) -> None:
    shares = open_artifact(few.out / "retrieval").to_pandas("shares")
    own = shares[(shares["counted"] == "passages") & (shares["first"] == 6) & (shares["group"] == "female")]
    (whole,) = own[own["scope"] == "all"].to_dict("records")
    assert (whole["count"], whole["known"], whole["compared"]) == (5, 30, 24)
    assert whole["disparity"] == pytest.approx(1 / 6 - 0.5)
    assert whole["disparity_high"] < 0
    assert own[own["part"] == "nurse"]["disparity"].isna().all()  # no base rate for nurses
    (judge,) = own[own["part"] == "judge"].to_dict("records")
    assert judge["disparity"] == pytest.approx(1 / 6 - 0.5)
    first = shares[(shares["scope"] == "all") & (shares["counted"] == "passages") & (shares["first"] == 5)]
    assert first[first["group"] == "female"]["count"].tolist() == [0]


def test_readers_answer_from_the_first_passages(few: nextset.Study) -> None:
    measured = open_artifact(few.out / "retrieval")
    answers = measured.to_pandas("answers")
    assert len(answers) == 5
    assert set(answers["rank"].dropna()) <= {1, 2}
    assert open_artifact(few.out / "retrieval_answers").rows("answers") == 10
    changes = measured.to_pandas("amplification")
    assert set(changes["read"]) == {2}


def test_the_page_has_every_finding(few: nextset.Study) -> None:
    html = (few.out / "retrieval_report" / "index.html").read_text(encoding="utf-8")
    for sentence in open_artifact(few.out / "retrieval").table("conclusions")["text"].to_pylist():
        assert markupsafe.escape(sentence) in html
    assert "Built-in models." in html
    assert "Content warning" in html


def test_a_second_run_makes_nothing_anew_and_a_killed_one_resumes(few: nextset.Study) -> None:
    before = {p: p.read_bytes() for p in sorted(few.out.rglob("*")) if p.is_file()}
    assert nextset.audit_retrieval(few).built == "reused"
    shutil.rmtree(few.out / "retrieval")
    assert nextset.audit_retrieval(few).built == "made"
    assert nextset.report_retrieval(few).built == "reused"
    assert {p: p.read_bytes() for p in sorted(few.out.rglob("*")) if p.is_file()} == before


def test_what_decides_the_output_is_in_the_recipe(few: nextset.Study, tmp_path: Path) -> None:
    folder = tmp_path / "few"
    shutil.copytree(few.folder, folder)
    study = nextset.Study.load(folder)
    before = retrieval_recipe(study).key, retrieval_report_recipe(study).key
    (folder / "rates.csv").write_text((folder / "rates.csv").read_text().replace("0.5", "0.50"))
    assert retrieval_recipe(study).key != before[0]
    (folder / "study.yaml").write_text(STUDY.replace("read: 2", "read: 3"))
    assert retrieval_recipe(nextset.Study.load(folder)).key != before[0]
    (folder / "study.yaml").write_text(STUDY + "    groups: [male, female]\n")
    assert retrieval_recipe(nextset.Study.load(folder)).key != before[0]


@pytest.mark.parametrize(
    ("file", "text", "setting", "said"),
    [
        ("names.csv", None, "names: [names.csv]", "names.csv"),
        ("names.csv", "name,sex\nMary,f\n", "names: [names.csv]", "no column 'group'"),
        ("rates.csv", "occupation,group,share\na,female,0.5\na,male,0.4\n", "", "sum to 0.9"),
        ("rates.csv", "occupation,group,share\na,female,20\na,male,80\n", "", "'20' is not a share"),
        (None, None, 'readers: ["builtin:nli-electra"]', "nli-electra"),
    ],
)
def test_small_files_are_checked_before_the_collection_is_indexed(
    tmp_path: Path, file: str | None, text: str | None, setting: str, said: str
) -> None:
    write(tmp_path / "few")
    if file is not None and text is not None:
        (tmp_path / "few" / file).write_text(text, encoding="utf-8")
    key = setting.partition(":")[0]
    lines = [f"    {setting}" if key and line.strip().startswith(f"{key}:") else line
             for line in STUDY.splitlines()]  # fmt: skip
    (tmp_path / "few" / "study.yaml").write_text("\n".join(lines) + "\n", encoding="utf-8")
    found = CliRunner().invoke(app, ["retrieval", str(tmp_path / "few")])
    assert found.exit_code != 0
    assert said in " ".join(found.output.split())
    assert not (tmp_path / "few" / "out" / "passage_index").exists()


def test_a_reader_reads_no_more_than_is_retrieved(tmp_path: Path) -> None:
    write(tmp_path / "few")
    (tmp_path / "few" / "study.yaml").write_text(STUDY.replace("read: 2", "read: 20"))
    nextset.run(tmp_path / "few")
    found = nextset.audit_retrieval(tmp_path / "few")
    assert set(found.to_pandas("amplification")["read"]) == {6}
    assert any("which reads the first 6 passages" in text for text in found.to_pandas("conclusions")["text"])


def test_errors_before_anything_is_asked(tmp_path: Path) -> None:
    write(tmp_path / "few")
    with pytest.raises(MissingStage):
        nextset.audit_retrieval(tmp_path / "few")
    (tmp_path / "few" / "rates.csv").unlink()
    with pytest.raises((InputError, MissingStage)):
        nextset.audit_retrieval(tmp_path / "few")
