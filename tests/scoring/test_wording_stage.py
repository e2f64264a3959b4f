"""Scores in one wording at a time: they are those of the wording, and their mean is the whole."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest

from nextset.artifacts.artifact import is_current
from nextset.errors import ModelError
from nextset.forms import FormName
from nextset.records.arrow_schema import arrow_schema, table_of
from nextset.records.nli_items import LABELS, NliItem, NliScore
from nextset.records.question_quads import QuadScore, QuestionQuad, Span
from nextset.scoring.score_requests import Role, ask_items, score_models
from nextset.scoring.scorer_protocol import Numbers
from nextset.scoring.wording_stage import (
    WITHOUT_WORDINGS,
    score_wordings,
    wording_table,
    wordings_of,
    wordings_recipe,
)
from nextset.study.study_folder import Study
from tests.records import ITEM
from tests.scoring.generative.tiny_causal import save_llama

ITEMS = table_of(
    [
        replace(
            ITEM,
            id=f"{i:032x}",
            premise=f"It rains {i} times.",
            hypothesis="It is wet.",
            question="Is it wet?",
        )
        for i in range(3)
    ],
    NliItem,
)
FORMS: tuple[FormName, ...] = ("nli", "qa")
PROMPTS = """\
format: 1
nli:
  - prompt: "{premise} So: {hypothesis} yes, maybe or no?"
    choices: {entailment: "yes", neutral: maybe, contradiction: "no"}
"""


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("study")
    save_llama(folder / "llama")
    return folder


def _study(folder: Path, scoring: str = "cache: false") -> Study:
    (folder / "study.yaml").write_text(
        f"format: 1\nname: small\nscoring: {{{scoring}}}\nvalidate: {{judge: rule}}\n"
        "release: {name: small, version: 0.1.0}\n"
        "filter: {candidates: [plain], models: [builtin:nli-electra]}\n"
        "audit: {models: [./llama, builtin:nli-albert]}\nmodels: {./llama: {canaries_waived: not trained}}\n",
        encoding="utf-8",
    )
    return Study.load(folder)


def _numbers(scores: pa.Table) -> Numbers:
    return np.column_stack([scores[label].to_numpy() for label in LABELS])


def test_the_mean_over_the_wordings_is_the_score_over_all(folder: Path) -> None:
    study, forms = _study(folder), FORMS
    asked = [
        ask_items(f"whole_{form}", ITEMS, ("builtin:nli-albert", "./llama"), "audit", form) for form in forms
    ]
    found = score_wordings(study, asked)
    assert [wordings_of(study, form) for form in (*forms, "question")] == [3, 3, 4]
    assert sorted({s.table for s in found.shards}) == [f"{form}_{i}" for form in forms for i in (1, 2, 3)]
    for form, request in zip(forms, asked, strict=True):
        each = [found.table(wording_table(form, i)) for i in (1, 2, 3)]
        assert all(table.schema == arrow_schema(NliScore) for table in each)
        assert all(table["item_id"].to_pylist() == ITEMS["id"].to_pylist() for table in each)
        assert {m for table in each for m in table["model"].to_pylist()} == {"llama"}
        assert len({table["entailment"][0].as_py() for table in each}) == 3
        whole = score_models(study, replace(request, models=("./llama",))).table("scores")
        np.testing.assert_allclose(np.mean([_numbers(t) for t in each], axis=0), _numbers(whole), atol=1e-5)


def test_what_is_current_is_not_asked_again_and_other_wordings_are(folder: Path) -> None:
    study = _study(folder)
    asked = [ask_items("whole", ITEMS, ("./llama",), "audit")]
    first = score_wordings(study, asked)
    assert is_current(first.folder, wordings_recipe(study, asked))
    assert score_wordings(study, asked).digest == first.digest
    (folder / "prompts.yaml").write_text(PROMPTS, encoding="utf-8")
    own = _study(folder, "cache: false, prompts: prompts.yaml")
    assert not is_current(first.folder, wordings_recipe(own, asked))
    assert {s.table for s in score_wordings(own, asked).shards} == {"nli_1"}
    with pytest.raises(ModelError, match="no wordings for the form 'qa'"):
        score_wordings(own, [ask_items("whole", ITEMS, ("./llama",), "audit", "qa")])


def test_quads_are_asked_in_every_wording_and_roles_stand_together(folder: Path) -> None:
    context = ("Ann met Bob.", "Bob met Ann.")
    spans = {
        "subject1_in_12": (0, 3),
        "subject2_in_12": (8, 11),
        "subject1_in_21": (8, 11),
        "subject2_in_21": (0, 3),
    }
    quads = pa.table(
        {
            "id": ["0" * 32],
            "context_12": [context[0]],
            "context_21": [context[1]],
            "question": ["Who was late?"],
            "question_negated": ["Who was never late?"],
            **{
                name: pa.array([{"start": a, "end": b}], arrow_schema(QuestionQuad).field(name).type)
                for name, (a, b) in spans.items()
            },
        }
    )
    assert Span(0, 3)
    roles: tuple[Role, ...] = ("filter", "audit")
    asked = [ask_items(role, quads, ("./llama",), role, "question") for role in roles]
    found = score_wordings(_study(folder), asked)
    for i in (1, 2, 3, 4):
        scores = found.table(wording_table("question", i))
        assert scores.schema == arrow_schema(QuadScore)
        assert scores["role"].to_pylist() == ["filter", "audit"]
        assert np.isclose(
            sum(scores[name][0].as_py() for name in ("subject1_12", "subject2_12", "no_answer_12")), 1.0
        )


def test_without_a_model_that_writes_there_is_nothing_to_ask(folder: Path) -> None:
    found = score_wordings(_study(folder), [ask_items("whole", ITEMS, ("builtin:nli-albert",), "audit")])
    assert {s.table for s in found.shards} == {WITHOUT_WORDINGS}
    assert found.table(WITHOUT_WORDINGS).num_rows == 0
