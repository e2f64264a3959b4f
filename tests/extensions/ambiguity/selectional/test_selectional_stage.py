"""The stage and its page: models that are asked and published predictions, from a file of questions."""

from __future__ import annotations

import json
import shutil
from importlib.util import find_spec
from pathlib import Path

import pytest
import spacy

import nextset
from nextset.artifacts.artifact import is_current, open_artifact
from nextset.errors import DependencyMissing, InputError, ModelError, NextsetError, StudyError
from nextset.extensions.ambiguity.questions.stage import make_ambiguous_questions
from nextset.extensions.ambiguity.selectional.report_stage import (
    report_selectional,
    selectional_report_recipe,
)
from nextset.extensions.ambiguity.selectional.stage import (
    audit_selectional,
    check_selectional,
    selectional_recipe,
)
from nextset.html.content_warning import CONTENT_WARNING, FOUND_WARNING
from nextset.scoring.answers.no_answer_training import TRAINED_SENTENCE
from nextset.scoring.models.sources import locate
from nextset.study.study_folder import Study
from tests.scoring.model_server.scripted_server import Reply, Request, scripted

PAIRS = [
    ("Ada Lovelace", "Charles Babbage"), ("Grace Hopper", "Howard Aiken"), ("Marie Curie", "Pierre Curie"),
    ("Lise Meitner", "Otto Hahn"), ("Emmy Noether", "David Hilbert"), ("Chien Wu", "Tsung Lee"),
    ("Rosalind Franklin", "Francis Crick"),
]  # fmt: skip
HOSTILE = "Eve <script>alert(1)</script>"


def _rows() -> list[dict[str, object]]:
    rows = []
    for i, (woman, man) in enumerate([*PAIRS, (HOSTILE, "Bob Binary")], 1):
        first, second = (woman, man) if i % 2 else (man, woman)
        rows.append(
            {
                "name": f"law number {i}",
                "question": f"Who discovered the law number {i}",
                "context": f"The law number {i} is named after {first} and {second}. The dog sleeps.",
                "options": [{"gender": "female", "name": woman}, {"gender": "male", "name": man}],
                "id": i,
            }
        )
    return rows


def _study(
    folder: Path, predictions: dict[str, str] | None = None, models: str = "builtin:qa-roformer"
) -> Study:
    (folder / "questions.jsonl").write_text("".join(f"{json.dumps(row)}\n" for row in _rows()))
    if predictions is not None:
        (folder / "predictions.json").write_text(json.dumps(predictions))
    published = "predictions: {published (2021): predictions.json}" if predictions is not None else ""
    (folder / "study.yaml").write_text(
        "format: 1\nname: found\nscoring: {cache: false}\n"
        f"ambiguity: {{selectional: {{questions: [questions.jsonl], models: [{models}], {published}}}}}\n"
    )
    return Study.load(folder)


def _women(missing: int = 0) -> dict[str, str]:
    women = [woman for woman, _ in [*PAIRS, (HOSTILE, "")]]
    return {str(i): woman for i, woman in enumerate(women, 1) if i > missing}


def test_all_tables_and_the_page(tmp_path: Path) -> None:
    study = _study(tmp_path, {**_women(missing=1), "nobody": "Ann"})
    make_ambiguous_questions(study)
    made = audit_selectional(study)
    models = made.table("models").to_pylist()
    assert [m["model"] for m in models] == ["builtin:qa-roformer", "published (2021)"]
    assert [(m["answered"] + m["empty"], m["missing"], m["unknown"]) for m in models] == [
        (8, 0, 0),
        (7, 1, 1),
    ]
    recall = {
        (r["model"], r["rule"], r["group"]): (r["found"], r["answers"])
        for r in made.table("recall").to_pylist()
    }
    assert recall["published (2021)", "shared_token", "female"] == (7, 7)
    assert recall["published (2021)", "shared_token", "male"] == (1, 7)  # Curie
    assert recall["published (2021)", "family_name", "male"] == (0, 7)  # which needs a given name as well
    (difference,) = [
        d
        for d in made.table("differences").to_pylist()
        if (d["model"], d["rule"]) == ("published (2021)", "shared_token")
    ]
    assert difference["difference"] == pytest.approx(6 / 7)
    assert difference["note"] == (
        "rough interval: fewer than 5 questions decide its width; no odds ratio: a count is 0"
    )
    assert made.table("swaps").num_rows == 0
    told = made.table("conclusions").to_pylist()
    warned = [c["text"] for c in told if c["warning"]]
    assert warned[0] == (
        "published (2021): 1 of 8 questions has no answer and does not count; 1 of its ids belongs to no "
        "question"
    )
    assert all("hardly finds people" in text for text in warned[1:])
    said = [c["text"] for c in told if not c["warning"]]
    assert said[0].startswith("builtin:qa-roformer finds ")
    assert any(text.startswith("published (2021): Group female is found more often (") for text in said)
    assert (made.folder / "recall.csv").read_text().startswith('"model","rule","group"')
    assert is_current(study.out / "selectional", selectional_recipe(study))

    report_selectional(study)
    assert is_current(study.out / "selectional_report", selectional_report_recipe(study))
    page = (study.out / "selectional_report" / "index.html").read_text()
    assert "<script>alert" not in page
    assert "&lt;script&gt;alert(1)&lt;/script&gt;" in page
    assert "published (2021)" in page
    assert '<mark class="found">Lise Meitner</mark>' in page
    assert '<mark class="missed">Otto Hahn</mark>' in page
    assert str(tmp_path) not in page
    assert page.count(FOUND_WARNING) == 1
    assert CONTENT_WARNING not in page


@pytest.mark.slow
def test_a_second_run_makes_the_same_bytes(tmp_path: Path) -> None:
    pages = []
    for name in ("one", "two"):
        (tmp_path / name).mkdir()
        study = _study(tmp_path / name, _women())
        nextset.run(study)
        pages.append((study.out / "selectional_report" / "index.html").read_bytes())
        assert open_artifact(study.out / "selectional").rows("found") == 32
    assert pages[0] == pages[1]


def test_predictions_that_fit_no_question_are_refused(tmp_path: Path) -> None:
    study = _study(tmp_path, {"x1": "Ann"})
    make_ambiguous_questions(study)
    with pytest.raises(InputError, match="no question has one of its ids"):
        audit_selectional(study)


LAWS = """item,context,name,gender,language,question
the Biot-Savart law,Jean Biot and Ann Savart left. Ann Savart slept.,Jean Biot,male,{0},Who left?
the Biot-Savart law,Jean Biot and Ann Savart left. Ann Savart slept.,Ann Savart,female,{0},Who left?
the law of Lee,Lee and Mary Wu left.,Bob Lee,male,{0},Who left?
the law of Lee,Lee and Mary Wu left.,Mary Wu,female,{0},Who left?
the law of Cox,Ann Cox left his house.,Ann Cox,female,{0},Who left?
"""


def _laws(folder: Path, more: str, language: str = "en") -> Study:
    (folder / "laws.csv").write_text(LAWS.format(language))
    (folder / "study.yaml").write_text(
        "format: 1\nname: laws\nscoring: {cache: false}\nambiguity:\n  selectional:\n"
        f"    questions: [laws.csv]\n    {more}\n"
    )
    return Study.load(folder)


def test_predictions_by_original_ids_do_not_fit_copies(tmp_path: Path) -> None:
    (tmp_path / "predictions.json").write_text(json.dumps({"1": "Jean Biot", "3": "Ann Cox"}))
    study = _laws(tmp_path, "balance: {}\n    predictions: {other: predictions.json}")
    refused = make_ambiguous_questions(study).table("refused")["key"].to_pylist()
    assert "3" in refused
    with pytest.raises(InputError, match="the copies of a question have other ids") as raised:
        audit_selectional(study)
    assert "since their names cannot be replaced: 3" in str(raised.value)
    assert "column key" in (raised.value.remedy or "")


def test_the_page_lists_the_questions_that_balance_left_out(tmp_path: Path) -> None:
    study = _laws(tmp_path, "balance: {}\n    models: [builtin:qa-roformer]")
    refused = make_ambiguous_questions(study).table("refused").to_pylist()
    told = [row["text"] for row in audit_selectional(study).table("conclusions").to_pylist()]
    assert any(text.startswith(f"{len(refused)} of 3 questions ") and "excluded" in text for text in told)
    report_selectional(study)
    page = (study.out / "selectional_report" / "index.html").read_text()
    assert '<table id="table-refused">' in page
    for row in refused:
        assert row["item"] in page
        assert row["reason"] in page


def test_a_missing_tokenizer_is_named_before_a_model_is_asked(tmp_path: Path) -> None:
    if find_spec("pythainlp") is not None:
        pytest.skip("the tokenizer is installed")
    study = _laws(tmp_path, "models: [builtin:qa-roformer]", "th")
    with pytest.raises(DependencyMissing, match="'th'"):
        nextset.run(study)
    assert not list(study.out.glob("*/manifest.json"))
    make_ambiguous_questions(study)
    with pytest.raises(DependencyMissing, match="'th'"):
        audit_selectional(study)
    assert not (study.out / "selectional_answers").exists()


def test_a_model_that_cannot_answer_is_named_with_its_line(tmp_path: Path) -> None:
    study = _laws(tmp_path, "models: [builtin:nli-electra]")
    said = r"study\.yaml:7: ambiguity\.selectional\.models: .* cannot answer questions about a text"
    with pytest.raises(ModelError, match=said):
        check_selectional(study)
    make_ambiguous_questions(study)
    with pytest.raises(ModelError, match=said):
        audit_selectional(study)


def test_a_reader_that_was_trained_to_refuse_is_named(tmp_path: Path) -> None:
    shutil.copytree(locate("builtin:qa-roformer").folder or "", tmp_path / "qa")
    card = (tmp_path / "qa" / "README.md").read_text()
    study = _laws(tmp_path, "models: [./qa]")
    make_ambiguous_questions(study)
    (tmp_path / "qa" / "README.md").write_text(f"{card}\n{TRAINED_SENTENCE}\n")
    told = audit_selectional(study).table("conclusions").to_pylist()
    assert any(row["warning"] and "no_answer: true" in row["text"] for row in told)
    study.file.write_text(f"{study.file.read_text()}models: {{./qa: {{no_answer: true}}}}\n")
    told = audit_selectional(Study.load(tmp_path)).table("conclusions").to_pylist()
    assert not any("no_answer: true" in row["text"] for row in told)


def test_damaged_predictions_are_refused_before_a_run(tmp_path: Path) -> None:
    study = _study(tmp_path, _women())
    (tmp_path / "predictions.json").write_text('{"1": 2}')
    with pytest.raises(InputError, match="not a text"):
        check_selectional(study)


def test_predictions_need_a_name_of_their_own(tmp_path: Path) -> None:
    study = _study(tmp_path, _women())
    settings = study.file.read_text().replace("published (2021)", "qa")
    study.file.write_text(
        f"{settings}models: {{./qa: {{label: qa}}}}\n".replace("builtin:qa-roformer", "./qa")
    )
    shutil.copytree(locate("builtin:qa-roformer").folder or "", tmp_path / "qa")
    with pytest.raises(StudyError, match="is also the name of a model"):
        check_selectional(Study.load(tmp_path))


def test_questions_with_one_id_cannot_be_predicted(tmp_path: Path) -> None:
    study = _study(tmp_path, _women())
    other = [{**row, "context": f"{row['context']} Again."} for row in _rows()]
    (tmp_path / "more.jsonl").write_text("".join(f"{json.dumps(row)}\n" for row in other))
    study.file.write_text(
        study.file.read_text().replace("[questions.jsonl]", "[questions.jsonl, more.jsonl]")
    )
    study = Study.load(tmp_path)
    make_ambiguous_questions(study)
    with pytest.raises(InputError, match="ids that several questions share"):
        audit_selectional(study)


def test_predictions_alone_ask_no_model(tmp_path: Path) -> None:
    study = _study(tmp_path, _women(), models="")
    make_ambiguous_questions(study)
    assert audit_selectional(study).rows("models") == 1


def test_a_stage_before_is_named(tmp_path: Path) -> None:
    with pytest.raises(NextsetError, match="ambiguous_questions"):
        audit_selectional(_study(tmp_path, _women()))


def test_recall_on_the_published_questions_is_that_of_the_published_rule(
    reference: Path, tmp_path: Path
) -> None:
    """The rule written anew over the raw file: any lower-cased token of the name is one of the answer's."""
    file = reference / "ambiguity" / "doubly_eponymous_gender_balanced.jsonl"
    rows = [json.loads(line) for line in file.read_text(encoding="utf-8").splitlines()]
    names = [row["options"][i % len(row["options"])]["name"] for i, row in enumerate(rows)]
    answers = {str(row["id"]): name if row["id"] % 3 else "" for row, name in zip(rows, names, strict=True)}
    (tmp_path / "predictions.json").write_text(json.dumps(answers))
    (tmp_path / "study.yaml").write_text(
        "format: 1\nname: published\nambiguity:\n  selectional:\n"
        f"    questions: [{json.dumps(str(file))}]\n    predictions: {{model: predictions.json}}\n"
    )
    study = Study.load(tmp_path)
    make_ambiguous_questions(study)
    recall = audit_selectional(study).table("recall").to_pylist()
    nlp = spacy.blank("en")
    expected: dict[str, list[int]] = {}
    for row in rows:
        tokens = {token.text.lower() for token in nlp(answers[str(row["id"])])}
        for person in row["options"]:
            own = expected.setdefault(person["gender"], [0, 0])
            own[0] += any(token.text in tokens for token in nlp(person["name"].lower()))
            own[1] += 1
    found = {r["group"]: [r["found"], r["answers"]] for r in recall if r["rule"] == "shared_token"}
    assert found == expected
    assert {group: n for group, (_, n) in expected.items()} == {"female": 273, "male": 281}


@pytest.mark.slow
def test_refused_and_cut_off_answers_are_on_the_page_by_group(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each question has a woman and a man: one question is refused, one is cut off, five find the woman."""

    def script(request: Request) -> str | Reply:
        if "Ada Lovelace" in request.prompt:
            return Reply("", refusal="I cannot help with that.")
        if "Grace Hopper" in request.prompt:
            return Reply("It was", finish_reason="length")
        return next((woman for woman, _ in PAIRS if woman in request.prompt), "Bob Binary")

    study = _study(tmp_path, models="'openai:scripted'")
    written = study.file.read_text()
    waived = "models: {'openai:scripted': {canaries_waived: a script answers}}\n"
    study.file.write_text(written.replace("ambiguity:", f"{waived}ambiguity:"))
    study = Study.load(tmp_path)
    make_ambiguous_questions(study)
    with scripted(script) as server:
        monkeypatch.setenv("OPENAI_BASE_URL", server.address)
        made = audit_selectional(study)
        report_selectional(study)
    assert made.table("unanswered").to_pylist() == [
        {"model": "openai:scripted", "group": group, "answers": 8, "refused": 1, "cut_off": 1}
        for group in ("female", "male")
    ]
    found = {
        r["group"]: (r["found"], r["answers"])
        for r in made.table("recall").to_pylist()
        if r["rule"] == "shared_token"
    }
    assert found["female"] == (5, 8)
    page = (study.out / "selectional_report" / "index.html").read_text()
    assert "Refused and cut-off answers, by group" in page
    assert "gave no answer that can find people" in page
