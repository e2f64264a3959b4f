"""`import nextset`: errors, version, folders in place of studies, short reprs, a study without a filter."""

from __future__ import annotations

import dataclasses
import inspect
import pickle
import typing
from pathlib import Path

import pytest

import nextset
from nextset import errors

FUNCTIONS = [f for f in (getattr(nextset, name) for name in nextset.__all__) if inspect.isfunction(f)]
WITH_STUDY = [f for f in FUNCTIONS if next(iter(inspect.signature(f).parameters), "") == "study"]


def test_errors_and_the_version_are_in_nextset() -> None:
    assert nextset.__version__ == "0.1.0"
    classes = {name for name in errors.__all__ if isinstance(getattr(errors, name), type)}
    assert {name for name in classes if getattr(nextset, name) is getattr(errors, name)} == classes
    assert len(classes) > 10
    assert {"__version__", "StudyError"} <= set(dir(nextset))


@pytest.mark.parametrize("function", WITH_STUDY, ids=lambda f: f.__name__)
def test_functions_of_a_study_take_its_folder(function: typing.Any, tmp_path: Path) -> None:
    with pytest.raises(nextset.StudyError, match="no such study"):
        function(str(tmp_path / "nowhere"))


def test_results_are_shown_in_a_line(tmp_path: Path) -> None:
    study = nextset.new_study(tmp_path / "mine")
    assert repr(study) == f"Study({str(tmp_path / 'mine')!r})"
    # 4 hypotheses, 6 masked, 4 tests, 0 imported; one example of each of three kinds
    with pytest.raises(ValueError, match="examples is -1: it must be 0 or more"):
        nextset.preview(tmp_path / "mine", -1)
    previewed = repr(nextset.preview(tmp_path / "mine", 1))
    assert previewed.startswith("Preview(items=<4 int>, filled=60, prompts=6, scorings=<2 int>, examples=<3 ")
    assert len(previewed) < 400
    assert len(repr(nextset.lint(study.folder))) < 200
    assert repr(nextset.status(study)[0]) == (
        "StageStatus(stage='generate', state='missing', why='', rows=<none>, expected=None)"
    )


def test_every_result_has_a_short_repr() -> None:
    shown: set[type] = set()
    for function in FUNCTIONS:
        own = inspect.unwrap(function)
        result = typing.get_type_hints(own, {**own.__globals__, **_late(own)})["return"]
        shown |= {x for x in (result, *typing.get_args(result)) if isinstance(x, type)}
    shown = {x for x in shown if dataclasses.is_dataclass(x)}
    long = {x.__name__ for x in shown if x.__repr__.__module__ != "nextset.records.short_repr"}
    short = {"Artifact", "Connection", "NamedTables", "NewAccount", "Serving", "Study"}  # short by themselves
    assert long <= short
    assert len(shown - long) > 15


@pytest.mark.parametrize(
    ("function", "wrong", "said"),
    [
        ("new_language", {"language": 7}, "language: 7 is not a text"),
        ("new_language", {"language": Path("eo")}, r"language: .*Path\('eo'\) is not a text"),
        ("push_version", {"folder": None, "repo": "a/b"}, "folder: None is not a path"),
        ("push_version", {"folder": "nowhere", "repo": ["a/b"]}, r"repo: \['a/b'\] is not a text"),
        ("push_version", {"folder": "nowhere", "repo": "a/b"}, "nowhere"),
        ("train_model", {"file": b"t.yaml"}, "file: b't.yaml' is not a path or a text"),
        ("probe_pair", {"premise": (c for c in "a"), "models": "m"}, "premise: <generator .* is not a text"),
        ("probe_words", {"text": "A {{MASK}}.", "models": [7]}, "models: 7 is not the name of a model"),
        ("probe_words", {"text": "A {{MASK}}.", "models": None}, "models: None is not the name of a model"),
        ("language_status", {"folder": 7}, "folder: 7 is not a path or a text"),
        ("check_models", {"names": "builtin:nli-bart"}, "names: 'builtin:nli-bart' is not a list of texts"),
        ("evaluate_model", {"model": "m", "data": [3]}, r"data: \[3\] is not a text or a path or a list of"),
        ("lint", {"path": [3]}, r"path: \[3\] is not a study or a path or a text"),
    ],
)
def test_an_argument_of_another_type_is_an_expected_error(
    function: str, wrong: dict[str, typing.Any], said: str
) -> None:
    with pytest.raises(nextset.NextsetError, match=said):
        getattr(nextset, function)(**wrong)


def test_public_functions_can_be_pickled() -> None:
    """Pickle writes a function by its name in nextset, and refuses one that is not found there."""
    assert all(b"nextset" in pickle.dumps(function) for function in FUNCTIONS)


def _late(function: typing.Any) -> dict[str, object]:
    """Return what the function's module imports for types only."""
    import ast
    import importlib

    source = ast.parse(Path(inspect.getsourcefile(function) or "").read_text(encoding="utf-8"))
    return {
        alias.name: getattr(importlib.import_module(node.module), alias.name)
        for top in source.body
        if isinstance(top, ast.If)
        for node in top.body
        if isinstance(node, ast.ImportFrom) and node.module
        for alias in node.names
    }


def test_a_study_without_a_filter_generates_and_runs(tmp_path: Path) -> None:
    (tmp_path / "study.yaml").write_text('format: 1\nname: x\ntemplates: ["builtin:gender"]\n')
    assert nextset.generate(tmp_path).rows("items") > 0
    with pytest.raises(nextset.StudyError, match="'filter' is missing"):
        nextset.score(tmp_path)
    assert [stage.stage for stage in nextset.status(tmp_path)] == ["generate", "fill"]
