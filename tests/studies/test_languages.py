"""Each language pack goes through all stages: its letters are loaded as they were generated."""

from __future__ import annotations

import csv
import json
import unicodedata
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import nextset
from nextset.artifacts.artifact import open_artifact
from nextset.generation.questions.pack import read_pack
from nextset.generation.questions.question_set import QuestionSet
from nextset.release.dataset_files.stage import dataset_folder
from nextset.word_lists import FOLDER
from tests.studies.byte_models import save_models

pytestmark = pytest.mark.slow

PACKS = sorted(path.parent.name for path in FOLDER.glob("*/pack.yaml"))
STUDY = """\
format: 1
name: {language}
language: {language}
questions: {{packs: ["builtin:{language}"], forms: [{form}], subset: 3}}
filter: {{candidates: [{form}s], models: [{model}], rule: sign_consistent}}
validate:
  session:
    consent: Example University runs this study. Your answers are kept under a pseudonym.
    support: Talk to A. Example, room 1.
    budget: {{batch: 12, person: 100, pause: 0}}
    overlap: 1
audit: {{models: [{model}]}}
release: {{name: words-{language}, version: 1.0.0, license: cc0-1.0, formats: [csv, jsonl]}}
"""
WHOLE = {("ar", "question"), ("de", "question"), ("hi", "statement"), ("zh", "statement")}
"""The whole pipeline runs for these: right to left, gendered, joined letters, no spaces between words."""
KINDS = {"question": ("quads", "questions"), "statement": ("statements", "statements")}
"""The table of the stage generate and the config of the dataset, by form."""


@pytest.fixture(scope="module")
def models(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    packs = (file.read_text(encoding="utf-8") for name in PACKS for file in (FOLDER / name).rglob("*.yaml"))
    return save_models(tmp_path_factory.mktemp("models"), packs)


def texts(row: dict[str, Any]) -> dict[str, Any]:
    names = (
        "context_12",
        "context_21",
        "subject1_in_12",
        "subject2_in_12",
        "subject1_in_21",
        "subject2_in_21",
    )
    more = ("question", "question_negated", "statement", "statement_negated", "candidate1", "candidate2")
    properties = ("subject_class", "template_id", "attribute", "subject1", "subject2", "language")
    return {name: row[name] for name in (*properties, *names, *more) if name in row}


def by_id(rows: list[dict[str, Any]]) -> dict[str, dict[str, Any]]:
    return {row["id"]: texts(row) for row in rows}


def judge(study: nextset.Study, form: str) -> dict[str, dict[str, str]]:
    """Fill in the table of judgments and import it; return the texts that the annotator saw."""
    exported = nextset.export_csv(study)
    with exported.path.open(newline="", encoding="utf-8-sig") as file:
        tasks = list(csv.DictReader(file))
    filled = study.folder / "judged.csv"
    with filled.open("w", newline="", encoding="utf-8") as file:
        table = csv.DictWriter(file, list(tasks[0]))
        table.writeheader()
        for task in tasks:
            who = {"judge": "ana@example.org", "answered_at": "2026-03-02T10:00:00Z"}
            table.writerow(
                {**task, **who, "underspecified": "yes", "grammatical": "yes", "free_of_hint": "yes"}
            )
    done = nextset.import_judgments(study, filled)
    assert (done.new, done.problems, done.waiting) == (len(tasks), (), 0)
    return {task["unit_id"]: task for task in tasks}


def stands(questions: QuestionSet, subject: str, text: str) -> bool:
    """Return whether ``text`` is one of the subject's answers, or what a sound rule left of it."""
    (found,) = [s for listed in questions.subjects for s in listed if s.name == subject]
    answers = [found.forms[k][slice(*found.answer(k))] for k in found.forms]
    return any(answer.endswith(text) for answer in answers)


def check_rows(language: str, form: str, rows: dict[str, dict[str, Any]]) -> None:
    sets = {(s.name, s.form): s for s in read_pack(FOLDER / language).sets}
    assert {row["subject_class"] for row in rows.values()} == {name for name, f in sets if f == form}
    for row in rows.values():
        questions = sets[row["subject_class"], form]
        for value in row.values():
            if isinstance(value, str):
                assert unicodedata.is_normalized("NFC", value)
                # no mark that turns the direction is added on the way
                assert not any(unicodedata.bidirectional(c) in _TURNS for c in value)
        for order in ("12", "21"):
            for n in "12":
                span = row[f"subject{n}_in_{order}"]
                cut = row[f"context_{order}"][span["start"] : span["end"]]
                assert stands(questions, row[f"subject{n}"], cut), (row[f"subject{n}"], cut)
        if form == "statement":
            assert stands(questions, row["subject1"], row["candidate1"])


_TURNS = {"LRE", "RLE", "PDF", "LRO", "RLO", "LRI", "RLI", "FSI", "PDI"}


def released_files(dataset: Path, config: str) -> dict[str, list[dict[str, Any]]]:
    """Return the rows of the exported files, by format."""
    found: dict[str, list[dict[str, Any]]] = {}
    lines = (dataset / "jsonl" / f"{config}-test.jsonl").read_text(encoding="utf-8").splitlines()
    found["jsonl"] = [json.loads(line) for line in lines]
    with (dataset / "csv" / f"{config}-test.csv").open(newline="", encoding="utf-8-sig") as file:
        found["csv"] = list(csv.DictReader(file))
    parts = sorted((dataset / "data" / config).glob("test-*.parquet"))
    found["parquet"] = pa.concat_tables([pq.read_table(part) for part in parts]).to_pylist()
    return found


def values(row: dict[str, Any]) -> tuple[Any, ...]:
    """Return a measure's place and value, without the names of the set and of the model's role."""
    return tuple(row[name] for name in ("subject_class", "selection", "by", "part", "measure", "value", "n"))


@pytest.mark.parametrize("form", ["question", "statement"])
@pytest.mark.parametrize("language", PACKS)
def test_from_the_pack_to_a_loaded_release_and_back(
    language: str,
    form: str,
    models: dict[str, Path],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    from datasets import load_dataset

    monkeypatch.setenv("NEXTSET_PSEUDONYM_KEY", "a key for the tests, long enough")
    folder = tmp_path / language
    folder.mkdir()
    (folder / "study.yaml").write_text(STUDY.format(language=language, form=form, model=models[form]))
    study = nextset.Study.load(folder)
    table, config = KINDS[form]
    generated = by_id(nextset.generate(study).table(table).to_pylist())
    classes = 6 if language == "en" else 4
    assert len(generated) == 3 * classes  # three rows of each class
    check_rows(language, form, generated)

    nextset.score(study)
    kept = by_id(nextset.filter_candidates(study).table("kept").to_pylist())
    # one that the model prefers neither subject for is dropped
    assert len(kept) > 6
    assert kept == {i: row for i, row in generated.items() if i in kept}
    seen = judge(study, form)
    assert {seen[i]["context"] for i in seen} == {row["context_12"] for row in kept.values()}
    whole = (language, form) in WHOLE
    summary = nextset.run(study, until=None if whole else "dataset_version")
    dataset = dataset_folder(study)
    assert open_artifact(study.out / "release").counts["pairs not_minimal"] == 0
    assert open_artifact(study.out / "release").counts["pairs incomplete"] == 0

    loaded = load_dataset(str(dataset), config)["test"]
    assert by_id(loaded.to_list()) == kept
    assert set(map(loaded.features["verdict"].int2str, loaded["verdict"])) == {"valid"}
    for kind, rows in released_files(dataset, config).items():
        found = {row["id"]: row for row in rows}
        assert found.keys() == kept.keys(), kind
        for id_, row in kept.items():
            for name in ("context_12", "context_21", form, f"{form}_negated"):
                assert found[id_][name] == row[name], kind
    card = (dataset / "README.md").read_text(encoding="utf-8")
    assert f"- {language}\n" in card or f"language: {language}" in card
    if whole:
        assert summary.report is not None
        assert "<html" in summary.report.read_text(encoding="utf-8")

    # and back: an audit of the folder alone, as somebody who downloaded it makes it
    audited = nextset.audit_dataset(dataset, models=[str(models[form])], out=tmp_path / "again")
    of_study = open_artifact(study.out / "audit").table("measures").to_pylist()
    expected = {values(row) for row in of_study if row["items"] == "released"}
    assert {values(row) for row in audited.table("measures").to_pylist()} == expected
