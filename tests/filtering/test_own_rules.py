"""Own rules: a function in a file, a function of a package, a function over tables; every error names it."""

from __future__ import annotations

import hashlib
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

from nextset.errors import InputError, StudyError
from nextset.filtering.rules.own_rule import FunctionRule, OwnRule, own_rules
from nextset.filtering.rules.rule_base import rule_of
from nextset.filtering.table_filter import filter_table
from nextset.own_code import OwnCode, own_code
from nextset.scoring.subjects.quad_bias import ASKED
from nextset.study.filter_rule_settings import FilterRule
from nextset.study.study_folder import Study
from tests.filtering.scores import CERTAIN, answers, nli_scores, quad_answers_of

E, N = CERTAIN["entailment"], CERTAIN["neutral"]
SURE = '''
"""Own rules."""
import numpy as np

def sure_and_wrong(answers):
    sure = answers.probabilities.max(axis=-1) > 0.9
    return (sure & answers.wrong).any(axis=0), "no model is sure and wrong"
'''
STUDY = """\
format: 1
name: small
templates: [one.yaml]
filter:
  models: [a, b]
  rule: RULE
release: {name: small, version: 0.1.0}
"""
ITEMS = pa.table({"id": ["i0", "i1", "i2"], "label": ["neutral"] * 3, "set_id": ["s", "s", None]})
SCORES = pa.concat_tables(
    [
        nli_scores("a", {"i0": E, "i1": N, "i2": N}),
        nli_scores("b", {"i0": N, "i1": (0.5, 0.3, 0.2), "i2": N}),
    ]
)


def study(folder: Path, rule: str = "{own: rules.py:sure_and_wrong}", *, trust: bool = True) -> Study:
    (folder / "study.yaml").write_text(STUDY.replace("RULE", rule), encoding="utf-8")
    (folder / "rules.py").write_text(SURE, encoding="utf-8")
    return Study.load(folder, trust_code=trust)


def test_a_function_in_a_file_gets_the_probabilities_and_gives_the_reason(tmp_path: Path) -> None:
    loaded = study(tmp_path)
    said = answers({"a": [E, N, (0.5, 0.3, 0.2)]})
    scores = np.array([[E, N, (0.5, 0.3, 0.2)]])
    with_scores = replace(said, label_scores=scores)
    decision = rule_of(loaded.filter.rule).trusted(loaded.own_code).decide(with_scores)
    assert decision.keep.tolist() == [True, False, False]
    assert decision.reasons == ("no model is sure and wrong",)


def test_a_file_that_is_not_trusted_does_not_run(tmp_path: Path) -> None:
    loaded = study(tmp_path, trust=False)
    with pytest.raises(StudyError, match=r"sure_and_wrong.*not trusted") as caught:
        rule_of(loaded.filter.rule).trusted(loaded.own_code)
    assert "--trust-code" in caught.value.remedy


def test_the_digest_of_the_file_is_read_without_running_it(tmp_path: Path) -> None:
    loaded = study(tmp_path, "{any_of: [any_wrong, {own: rules.py:sure_and_wrong}]}", trust=False)
    (row,) = own_rules(loaded.filter.rule, lambda written: (tmp_path / written.split(":")[0]).read_bytes())
    assert row.rule == "rules.py:sure_and_wrong"
    assert row.sha256 == hashlib.sha256(SURE.encode()).hexdigest()
    assert own_rules(FilterRule.model_validate("any_wrong"), lambda written: b"") == []


def test_an_own_rule_is_written_as_file_and_name(tmp_path: Path) -> None:
    with pytest.raises(StudyError) as caught:
        study(tmp_path, "{own: sure_and_wrong}")
    assert "filter.rule.own" in caught.value.message
    assert "rules.py:my_rule" in caught.value.remedy
    with pytest.raises(StudyError, match=r"rules.py:mine is a function in a file") as caught:
        study(tmp_path, "rules.py:mine")
    assert caught.value.remedy == "write rule: {own: rules.py:mine}"


def test_a_name_that_is_not_a_function_is_refused(tmp_path: Path) -> None:
    (tmp_path / "rules.py").write_text("most = 3\n", encoding="utf-8")

    def code(written: str) -> OwnCode:
        return own_code(written, tmp_path.joinpath, None, trusted=True)

    with pytest.raises(InputError, match="most: is a int, not a function"):
        OwnRule("rules.py:most").trusted(code)


@pytest.mark.parametrize(
    ("returned", "says"),
    [
        (None, "my_rule: returned nothing"),
        ([True], r"returned an array of shape \(1,\), but the shape is \(3,\)"),
        ({True}, "returned a set, not an array"),
        ({0: True}, "returned a dict, not an array"),
        ((x for x in [True] * 3), "returned a generator, not an array"),
        (True, "returned a bool, not an array"),
        (np.ones((2, 3), bool), r"shape \(2, 3\)"),
        ([True, False, 1], r"row 0 \(counted from 0\) is 1, not True or False"),
        (np.array([1.0, float("nan"), 0.0]), "row 1 .* is nan"),
        (([True] * 3, ""), "the reason is not a text"),
        (([True] * 3, 7), "the reason is not a text"),
        ([[True], [True, False], [True]], "is not an array"),
    ],
)
def test_what_a_function_may_not_return_is_named(returned: Any, says: str) -> None:
    def my_rule(given: Any) -> Any:
        return returned

    with pytest.raises(InputError, match=says) as caught:
        FunctionRule("my_rule", my_rule, "it").decide(answers({"a": [E, N, N]}))
    assert caught.value.remedy.startswith("return an array of True and False")


def test_a_function_that_raises_is_named_with_file_and_line(tmp_path: Path) -> None:
    loaded = study(tmp_path, "{own: rules.py:broken}")
    (tmp_path / "rules.py").write_text("def broken(answers):\n    return answers.nothing\n", encoding="utf-8")
    rule = rule_of(loaded.filter.rule).trusted(loaded.own_code)
    with pytest.raises(InputError, match="broken raised AttributeError") as caught:
        rule.decide(answers({"a": [E]}))
    assert (caught.value.file, caught.value.line) == (tmp_path.resolve() / "rules.py", 2)


def test_a_function_cannot_change_the_answers() -> None:
    def change(given: Any) -> Any:
        given.labels[:] = 0
        return given.wrong.any(axis=0)

    with pytest.raises(InputError, match="change raised ValueError"):
        FunctionRule("change", change, "it").decide(answers({"a": [E, N]}))


def test_a_function_reads_c_of_questions() -> None:
    said = quad_answers_of({"a": [(0.25, False), (0.0, False)]})
    decision = FunctionRule("positive", lambda given: given.c[0] > 0, "it").decide(said)
    assert decision.keep.tolist() == [True, False]
    assert decision.reasons == ("the rule positive does not keep it",)


def test_tables_are_filtered_without_a_study() -> None:
    filtered = filter_table(ITEMS, SCORES, "any_wrong")
    assert filtered.kept["id"].to_pylist() == ["i0", "i1"]
    assert filtered.kept["missed_by"].to_pylist() == [["a"], ["b"]]
    assert filtered.rejected["reason"].to_pylist() == ["every model says neutral"]
    assert filter_table(ITEMS, SCORES, {"at_least_wrong": 2}).kept.num_rows == 0

    def sure_and_wrong(given: Any) -> Any:
        return ((given.probabilities.max(axis=-1) > 0.9) & given.wrong).any(axis=0), "not sure and wrong"

    own = filter_table(ITEMS, SCORES, sure_and_wrong)
    assert own.kept["kept_because"].to_pylist() == ["own", "with its pair"]
    assert own.rejected["reason"].to_pylist() == ["not sure and wrong"]
    assert filter_table(ITEMS, SCORES, sure_and_wrong, whole=False).kept["id"].to_pylist() == ["i0"]


def test_the_form_decides_which_rows_are_kept_together() -> None:
    ids = ["q0", "q1"]
    quads = pa.table({"id": ids, "set_id": ["s", "s"]})  # questions have no sets
    names = [f"subject{s}_{asked}" for s in (1, 2) for asked in ASKED]
    scores = {name: [0.5, 0.5] for name in names} | {"subject1_12": [0.9, 0.5]}
    table = pa.table({"item_id": ids, "model": ["a", "a"], **scores})
    filtered = filter_table(quads, table, {"c_at_least": 0.05}, form="question")
    assert filtered.kept["id"].to_pylist() == ["q0"]
    alone = filter_table(ITEMS.drop_columns(["set_id"]), SCORES, "any_wrong")
    assert alone.kept["kept_because"].to_pylist() == ["own"] * alone.kept.num_rows


@pytest.mark.parametrize(
    ("rule", "says"),
    [
        ("any_wrog", "no rule is named 'any_wrog'"),
        ({"at_least_wrong": 0}, "at_least_wrong"),
        ({"at_least_wrong": 9}, "9 models are more than the 2 filter models"),
        ("c_at_least", "c_at_least needs a value"),
        ("sign_consistent", "sign_consistent is for questions"),
        ({"own": "rules.py:mine"}, "has not been read from its file"),
    ],
)
def test_a_rule_over_tables_that_does_not_fit_is_an_error(rule: Any, says: str) -> None:
    with pytest.raises(InputError, match=says):
        filter_table(ITEMS, SCORES, rule)


def exits(_: Any) -> Any:
    raise SystemExit(0)


class OddIndex:
    index = 7

    def __array__(self, *_: Any, **__: Any) -> Any:
        return np.array([True, True, True])


@pytest.mark.parametrize(
    ("function", "problem"),
    [
        (exits, "raised SystemExit: 0"),
        (lambda a: pd.Series([True, False, True], index=[2, 0, 1]), "whose index is not 0, 1, …"),
        (lambda a: OddIndex(), "a OddIndex that is not an array"),
        (lambda a: np.ma.masked_array([True, True, True], mask=[True, False, False]), "masked values"),  # type: ignore[no-untyped-call]
        (lambda a: ([True, True, True], "a\ud800"), "cannot be printed"),
        (lambda a: ([True, True, True], "a\x1b[31m"), "cannot be printed"),
    ],
)
def test_a_function_that_ends_the_program_or_hides_rows_is_an_error(function: Any, problem: str) -> None:
    with pytest.raises(InputError, match=problem):
        FunctionRule("odd", function, "odd").decide(answers({"a": [E, N, N]}))
