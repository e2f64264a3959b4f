"""Own scorers: a function of a user as a model of a study, of the API, and what it may not return."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

from nextset.artifacts.artifact import is_current
from nextset.errors import InputError, ModelError, NextsetError, StudyError
from nextset.records.nli_items import LABELS
from nextset.scoring.scorer_protocol import Pair
from nextset.scoring.stage import check_study_models, score, score_recipe
from nextset.scoring.study_models import model_of
from nextset.scoring.table_scores import score_table, scorer_for
from nextset.study.scoring_settings import ModelSettings
from nextset.study.study_folder import Study
from tests.choice_rows import choice_items
from tests.scoring.small_study import small_study
from tests.toy_packages import install_toy, toys_on_path

ROWS = pa.table(
    {
        "id": ["a" * 32, "b" * 32],
        "premise": ["A man sleeps.", "A dog runs."],
        "hypothesis": ["A man sleeps.", "A cat runs."],
        "label": ["entailment", "neutral"],
    }
)
SURE = """
def same_words(pairs):
    return [[0.8, 0.1, 0.1] if p.premise == p.hypothesis else [0.1, 0.8, 0.1] for p in pairs]
"""


def same_words(pairs: Sequence[Pair]) -> Any:
    return [[0.8, 0.1, 0.1] if p.premise == p.hypothesis else [0.1, 0.8, 0.1] for p in pairs]


def scored(function: Any) -> pa.Table:
    model = scorer_for(function, settings=ModelSettings(canaries_waived="it is a toy"))
    return score_table(model, ROWS)


def test_a_function_is_a_model() -> None:
    scores = scored(same_words)
    assert scores["entailment"].to_pylist() == [0.8, 0.1]
    assert scores["model"].to_pylist() == ["same_words"] * 2


def test_a_function_gets_batches_and_single_inputs() -> None:
    sizes = []

    def counted(pairs: Sequence[Pair]) -> Any:
        sizes.append(len(pairs))
        return np.full((len(pairs), 3), 1 / 3)  # a tie, so that each input is also scored by itself

    scored(counted)
    assert sizes == [2, 1, 1]


@pytest.mark.parametrize(
    ("returned", "problem"),
    [
        (lambda pairs: np.ones((len(pairs), 2)) / 2, r"the shape \(2, 2\) for 2 inputs, not \(2, 3\)"),
        (lambda pairs: np.ones((1, 3)) / 3, r"the shape \(1, 3\) for 2 inputs"),
        (lambda pairs: None, r"NoneType|the shape"),
        (lambda pairs: [[0.5, 0.5, 0], [np.nan, 0.5, 0.5]], r"nan.*A cat runs.*row 1"),
        (lambda pairs: [[1.5, -0.5, 0], [1, 0, 0]], r"-0\.5.*row 0"),
        (lambda pairs: [[0.5, 0.5, 0], [0.5, 0.4, 0]], r"\[0\.5, 0\.4, 0\.0\].*row 1"),
        (lambda pairs: 1 // 0, "it raised ZeroDivisionError"),
        (lambda pairs: "abc", "it returned a str"),
    ],
)
def test_anything_but_probabilities_is_an_error(returned: Callable[[Any], Any], problem: str) -> None:
    with pytest.raises(InputError) as raised:
        scored(returned)
    assert re.search(problem, raised.value.message)
    assert raised.value.remedy


def test_columns_of_a_dataframe_are_read_by_their_names() -> None:
    def framed(pairs: Sequence[Pair]) -> Any:
        return pd.DataFrame(
            {"contradiction": 0.7, "neutral": 0.2, "entailment": 0.1}, index=range(len(pairs))
        )

    assert scored(framed)["entailment"].to_pylist() == [0.1, 0.1]
    assert scored(lambda pairs: pd.DataFrame(same_words(pairs)))["entailment"].to_pylist() == [0.8, 0.1]
    with pytest.raises(InputError, match="a DataFrame with the columns no, maybe, yes"):
        scored(lambda pairs: framed(pairs).set_axis(["no", "maybe", "yes"], axis=1))


def test_a_function_must_answer_canaries() -> None:
    with pytest.raises(ModelError, match="canary pairs right"):
        score_table(scorer_for(same_words), ROWS)


def test_a_loaded_model_scores_as_its_folder_does() -> None:
    from transformers import AutoModelForSequenceClassification, AutoTokenizer

    from nextset.scoring.models.sources import locate

    folder = str(locate("builtin:nli-electra").folder)
    loaded = AutoModelForSequenceClassification.from_pretrained(folder)
    waived = ModelSettings(canaries_waived="its own canaries are in its card")
    model = scorer_for((loaded, AutoTokenizer.from_pretrained(folder)), settings=waived)
    names = ["entailment", "neutral", "contradiction"]
    own, named = (score_table(m, ROWS) for m in (model, scorer_for("builtin:nli-electra")))
    np.testing.assert_allclose(
        np.array([own[n].to_pylist() for n in names]),
        np.array([named[n].to_pylist() for n in names]),
        atol=1e-6,
    )


def own_study(folder: Path, source: str, engine: str = "local") -> Path:
    small_study(folder / "study", engine, files=2, items=6)
    file = folder / "study" / "study.yaml"
    text = re.sub(r"  models: .*", "  models: [own.py:same_words]", file.read_text(encoding="utf-8"))
    waived = 'models: {"own.py:same_words": {canaries_waived: it is a toy}}\n'
    file.write_text(text + waived, encoding="utf-8")
    (folder / "study" / "own.py").write_text(source, encoding="utf-8")
    return folder / "study"


def test_a_study_names_a_function_and_must_be_trusted(tmp_path: Path) -> None:
    folder = own_study(tmp_path, SURE)
    with pytest.raises(StudyError, match="not trusted"):
        check_study_models(Study.load(folder))
    study = Study.load(folder, trust_code=True)
    artifact = score(study)
    assert set(artifact.table("scores")["model"].to_pylist()) == {"own.py:same_words"}


def test_changed_code_has_a_different_identity(tmp_path: Path) -> None:
    folder = own_study(tmp_path, SURE)
    study = Study.load(folder, trust_code=True)
    before = model_of(study, "own.py:same_words", "nli")
    (folder / "own.py").write_text(SURE + "\n# changed\n", encoding="utf-8")
    after = model_of(study, "own.py:same_words", "nli")
    assert before.source.digest != after.source.digest
    assert before.scope.key != after.scope.key


def test_an_error_of_own_code_keeps_finished_scores_and_names_the_line(tmp_path: Path) -> None:
    folder = own_study(tmp_path, "def same_words(pairs):\n    return pairs[0].missing\n")
    with pytest.raises(NextsetError, match=r"own\.py:2: same_words: it raised AttributeError"):
        score(Study.load(folder, trust_code=True))


def test_own_scorers_are_refused_on_ray_and_for_other_uses(tmp_path: Path) -> None:
    folder = own_study(tmp_path, SURE, engine="ray")
    with pytest.raises(StudyError, match="runs only on this machine"):
        model_of(Study.load(folder, trust_code=True), "own.py:same_words", "nli")
    from nextset.scoring.models.sources import locate

    with pytest.raises(ModelError, match="cannot be used here"):
        locate("own.py:same_words", folder)
    with pytest.raises(ModelError, match="no installed package has a scorer 'nothing'"):
        scorer_for("scorer:nothing")


class Odd:
    def __array__(self, *_: Any, **__: Any) -> Any:
        raise SystemExit(0)


class OddIndex:
    index = 7

    def __array__(self, *_: Any, **__: Any) -> Any:
        return np.full((1, 3), 1 / 3)


def exits(_: Any) -> Any:
    raise SystemExit(0)


@pytest.mark.parametrize(
    ("function", "problem"),
    [
        (exits, "exits: it raised SystemExit: 0"),
        (lambda pairs: Odd(), "it returned a Odd"),
        (
            lambda pairs: pd.DataFrame(
                np.full((len(pairs), 3), 1 / 3), columns=LABELS, index=range(len(pairs), 0, -1)
            ),
            "whose index is not 0, 1, …",
        ),
        (lambda pairs: OddIndex(), "it returned a OddIndex: TypeError"),
        (
            lambda pairs: [pd.Series([0.2, 0.3, 0.5], index=LABELS[::-1])] * len(pairs),
            "whose index is not 0, 1, …",
        ),
        (lambda pairs: np.ma.masked_array(np.full((len(pairs), 3), 1 / 3), mask=True), "masked"),  # type: ignore[no-untyped-call]
        (lambda pairs: np.full((len(pairs), 3), 1 / 3 + 1j), "complex"),
    ],
)
def test_a_function_that_ends_the_program_or_hides_numbers_is_an_error(function: Any, problem: str) -> None:
    with pytest.raises(InputError, match=problem):
        scored(function)


def test_functions_of_one_name_and_source_are_not_exchanged() -> None:
    def scorer_of(row: list[float]) -> Callable[[Sequence[Any]], Any]:
        def scorer(pairs: Sequence[Any]) -> Any:
            return np.tile(row, (len(pairs), 1))

        return scorer

    shares = [scored(scorer_of(row))["neutral"].to_pylist() for row in ([1.0, 0.0, 0.0], [0.0, 1.0, 0.0])]
    assert [set(of_function) for of_function in shares] == [{0.0}, {1.0}]


def test_a_table_of_pyarrow_is_read_by_its_names() -> None:
    def swapped(pairs: Sequence[Any]) -> Any:
        columns = {"contradiction": 0.1, "neutral": 0.2, "entailment": 0.7}
        return pa.table({name: [value] * len(pairs) for name, value in columns.items()})

    assert set(scored(swapped)["entailment"].to_pylist()) == {0.7}


def test_the_state_of_a_study_needs_no_trust_and_runs_no_code(tmp_path: Path) -> None:
    marker = tmp_path / "was run"
    folder = own_study(tmp_path, f"open({str(marker)!r}, 'w').close()\n" + SURE)
    recipe = score_recipe(Study.load(folder))
    assert not marker.exists()
    score(Study.load(folder, trust_code=True))
    assert marker.exists()
    assert is_current(folder / "out" / "score", recipe)


def test_a_file_that_changes_before_it_is_asked_is_an_error(tmp_path: Path) -> None:
    folder = own_study(tmp_path, SURE)
    model = model_of(Study.load(folder, trust_code=True), "own.py:same_words", "nli")
    (folder / "own.py").write_text(SURE.replace("0.8", "0.6"), encoding="utf-8")
    with pytest.raises(InputError, match=r"own\.py: the file was changed during the run"):
        score_table(model, ROWS)


def test_a_package_registers_a_scorer(site: Path) -> None:
    install_toy(site, "toy_scorers", "0.1", "[nextset.scorers]\nsame = toy_scorers:same_words\n", SURE)
    assert scored("scorer:same")["entailment"].to_pylist() == [0.8, 0.1]


def test_a_changed_scorer_of_a_package_is_a_different_model(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    entry_points = "[nextset.scorers]\nsame = toy_scorers:same_words\n"
    sites = (tmp_path / "a", SURE), (tmp_path / "b", SURE.replace("0.8, 0.1, 0.1", "0.6, 0.2, 0.2"))
    numbers, digests = [], set()
    for folder, source in sites:  # an editable installation keeps its version
        install_toy(folder, "toy_scorers", "0.1", entry_points, source)
        with monkeypatch.context() as patch, toys_on_path(folder, patch):
            model = scorer_for("scorer:same", settings=ModelSettings(canaries_waived="it is a toy"))
            digests.add(model.source.digest)
            assert model.cache is not None
            numbers.append(score_table(model, ROWS)["entailment"].to_pylist()[0])
    assert numbers == [0.8, 0.6]
    assert len(digests) == 2


@pytest.mark.parametrize("precision", ["float32", "float16"])
def test_scoring_leaves_a_loaded_model_as_it_was(precision: str) -> None:
    import torch
    from transformers import AutoModelForSequenceClassification, AutoTokenizer

    from nextset.scoring.models.sources import locate

    folder = str(locate("builtin:nli-electra").folder)
    dtype = getattr(torch, precision)
    loaded = AutoModelForSequenceClassification.from_pretrained(folder, dtype=dtype).train()
    loaded.config.pad_token_id = None
    weights = {name: (tensor.data_ptr(), tensor.dtype) for name, tensor in loaded.state_dict().items()}
    waived = ModelSettings(canaries_waived="its own canaries are in its card")
    model = scorer_for((loaded, AutoTokenizer.from_pretrained(folder)), settings=waived)
    assert score_table(model, ROWS).num_rows == 2
    assert all(module.training for module in loaded.modules())
    assert loaded.config.pad_token_id is None
    kept = {name: (tensor.data_ptr(), tensor.dtype) for name, tensor in loaded.state_dict().items()}
    assert kept == weights


def _of_items(function: Any) -> pa.Table:
    items = choice_items(1, 1, orders=((0, 1, 2),)).slice(0, 2)
    two = [o[:2] for o in items["options"].to_pylist()]
    options = pa.array([items["options"][0].as_py(), two[1]], items["options"].type)
    unknown = pa.array([2, None], pa.int64())
    items = items.set_column(items.column_names.index("options"), "options", options)
    items = items.set_column(items.column_names.index("unknown"), "unknown", unknown)
    model = scorer_for(function, "choice", settings=ModelSettings(canaries_waived="it is a toy"))
    return score_table(model, items)


@pytest.mark.parametrize(
    "returned",
    [
        [[0.2, 0.3, 0.5], [0.4, 0.6]],
        [[0.2, 0.3, 0.5], [0.4, 0.6, 0.0]],
        np.array([[0.2, 0.3, 0.5], [0.4, 0.6, np.nan]]),
        pd.DataFrame({"option2": [0.3, 0.6], "option1": [0.2, 0.4], "option3": [0.5, 0.0]}),
    ],
)
def test_a_function_of_choice_items_returns_as_many_numbers_as_options(returned: Any) -> None:
    scores = _of_items(lambda asked: returned)
    assert scores.select(["option1", "option2", "option3", "option4"]).to_pylist() == [
        {"option1": 0.2, "option2": 0.3, "option3": 0.5, "option4": None},
        {"option1": 0.4, "option2": 0.6, "option3": None, "option4": None},
    ]


@pytest.mark.parametrize(
    ("returned", "problem"),
    [
        ([[0.2, 0.3, 0.5], [0.4, 0.3, 0.3]], "not negative, and each row sums to 1"),
        ([[0.2, 0.3, 0.5], [0.4, 0.4]], "not negative, and each row sums to 1"),
        ([[0.2, 0.8], [0.4, 0.6]], r"not \(2, 3\)"),
        ([[0.2, 0.3, 0.5]], r"not \(2, 3\)"),
    ],
)
def test_wrong_numbers_of_options_are_refused(returned: Any, problem: str) -> None:
    with pytest.raises(InputError, match=problem):
        _of_items(lambda asked: returned)
