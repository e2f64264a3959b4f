"""NLI items as yes/no questions in a study: who is asked in which form, and what becomes of the scores."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st
from transformers import AutoTokenizer, BertConfig, BertForMultipleChoice

from nextset.artifacts.drop_counts import drops
from nextset.errors import ModelError, StudyError
from nextset.records.arrow_schema import arrow_schema, table_of
from nextset.records.content_ids import content_id
from nextset.records.nli_items import NliItem, NliScore
from nextset.scoring.model_kinds import asked_forms
from nextset.scoring.models.sources import BUILTIN, locate
from nextset.scoring.predicted_labels import predicted
from nextset.scoring.question_items import WITHOUT_QUESTION, items_with_questions
from nextset.scoring.score_requests import ask_items, score_models
from nextset.scoring.stage import check_study_models
from nextset.scoring.study_models import forms_of_audit
from nextset.study.study_folder import Study
from tests.records import ITEM
from tests.scoring.generative.tiny_causal import save_llama

QUESTIONS = ("Did the nurse sleep?", "", "Was it late?", "  ", "Is the surgeon kind?")
MODELS = ("builtin:qa-roformer", "./choices", "./llama")


def _items(questions: tuple[str, ...] = QUESTIONS) -> pa.Table:
    rows = [
        replace(ITEM, id=content_id("qa", str(i), q), premise=f"The nurse slept {i} times.", question=q)
        for i, q in enumerate(questions)
    ]
    return table_of([replace(rows[0], stance_design="test", label="entailment"), *rows[1:]], NliItem)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A study with a reader, a multiple-choice model and a language model, none trained for this."""
    folder = tmp_path_factory.mktemp("study")
    save_llama(folder / "llama")
    tokenizer = AutoTokenizer.from_pretrained(BUILTIN / "qa-roformer")
    config = BertConfig(vocab_size=len(tokenizer), hidden_size=32, num_hidden_layers=1, num_attention_heads=2,
                        intermediate_size=32, max_position_embeddings=128)  # fmt: skip
    BertForMultipleChoice(config).save_pretrained(folder / "choices")
    tokenizer.save_pretrained(folder / "choices")
    return folder


def _study(folder: Path, audit: str = "forms: [nli, qa]", models: tuple[str, ...] = MODELS) -> Study:
    waived = "".join(f"  {name}: {{canaries_waived: not trained}}\n" for name in models)
    (folder / "study.yaml").write_text(
        "format: 1\nname: small\nscoring: {cache: false}\nvalidate: {judge: rule}\n"
        "release: {name: small, version: 0.1.0}\n"
        "filter: {candidates: [plain], models: [builtin:nli-electra]}\n"
        f"audit:\n  models: [{', '.join(models)}]\n  {audit}\nmodels:\n{waived}",
        encoding="utf-8",
    )
    return Study.load(folder)


def test_every_kind_gives_scores_of_the_items_that_have_a_question(folder: Path) -> None:
    items = _items()
    found = score_models(_study(folder), ask_items("score_audit_qa", items, MODELS, "audit", "qa"))
    scores = found.table("scores")
    assert scores.schema == arrow_schema(NliScore)
    asked = [id_ for id_, q in zip(items["id"].to_pylist(), QUESTIONS, strict=True) if q.strip()]
    assert scores["item_id"].to_pylist() == asked * 3
    assert scores["model"].to_pylist() == [
        m for m in ("builtin:qa-roformer", "choices", "llama") for _ in asked
    ]
    numbers = np.column_stack(
        [scores[label].to_numpy() for label in ("entailment", "neutral", "contradiction")]
    )
    np.testing.assert_allclose(numbers.sum(axis=1), 1.0, atol=1e-9)
    assert len(predicted(scores)) == 9
    assert drops(found.counts) == {WITHOUT_QUESTION: 2}
    assert set(scores["role"].to_pylist()) == {"audit"}


def test_the_same_items_give_the_same_bytes_and_others_are_asked_again(folder: Path) -> None:
    study = _study(folder)
    first = score_models(study, ask_items("again", _items(), MODELS[:1], "audit", "qa"))
    again = score_models(study, ask_items("again", _items(), MODELS[:1], "audit", "qa"))
    assert again.digest == first.digest
    fewer = score_models(study, ask_items("again", _items(("a?", *QUESTIONS[1:])), MODELS[:1], "audit", "qa"))
    assert fewer.digest != first.digest


def test_without_any_question_nothing_is_asked_and_all_are_counted(folder: Path) -> None:
    found = score_models(_study(folder), ask_items("none", _items(("", "")), MODELS, "audit", "qa"))
    assert found.table("scores").num_rows == 0
    assert found.counts[WITHOUT_QUESTION] == 2


def test_each_model_is_asked_in_the_forms_that_it_knows(folder: Path) -> None:
    names = ("builtin:nli-albert", *MODELS)
    both = _study(folder, models=names)
    assert [forms_of_audit(both, name) for name in names] == [("nli",), ("qa",), ("qa",), ("nli", "qa")]
    default = _study(folder, "forms: [nli]", names)
    assert [forms_of_audit(default, name) for name in names] == [("nli",), ("qa",), ("qa",), ("nli",)]
    only = _study(folder, "forms: [qa]", names)
    assert forms_of_audit(only, MODELS[2]) == ("qa",)
    with pytest.raises(
        ModelError, match="masked language model, which cannot be asked about NLI pairs"
    ) as told:
        forms_of_audit(both, "builtin:masked-lm")
    assert "NLI classifier or causal language model" in told.value.remedy
    assert "multiple-choice model" in told.value.remedy


def test_models_of_a_study_of_questions_are_asked_these_questions() -> None:
    reader = locate("builtin:qa-roformer")
    assert asked_forms(reader, ("question",), ("nli", "qa")) == ("question",)
    with pytest.raises(ModelError, match="NLI classifier, which cannot be asked about questions"):
        asked_forms(locate("builtin:nli-albert"), ("question",), ("nli",))


@pytest.mark.parametrize("forms", ["forms: []", "forms: [qa, qa]", "forms: [question]", "forms: qa"])
def test_forms_that_name_nothing_or_twice_are_refused(folder: Path, forms: str) -> None:
    with pytest.raises(StudyError, match="forms") as told:
        _study(folder, forms)
    assert told.value.line == 9


def test_models_of_the_audit_are_checked_in_their_forms_before_a_run(folder: Path) -> None:
    check_study_models(_study(folder))
    study = _study(folder)
    file = study.file
    text = file.read_text(encoding="utf-8").replace("  ./choices: {canaries_waived: not trained}\n", "")
    file.write_text(text, encoding="utf-8")
    with pytest.raises(ModelError, match="canary yes/no questions") as told:
        check_study_models(Study.load(folder))
    assert str(told.value).startswith(f"{file}:8: audit.models: ")


@given(st.lists(st.sampled_from(["", " ", "\t", "Is it?", "—"]), max_size=6))
def test_items_with_a_question_are_those_whose_question_is_not_empty(questions: list[str]) -> None:
    table = pa.table({"question": pa.array(questions, pa.string())})
    assert items_with_questions(table)["question"].to_pylist() == [q for q in questions if q.strip()]
