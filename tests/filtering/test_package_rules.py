"""Rules of other packages, and the decisions of nextset's rules, stated again plainly."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from nextset.errors import StudyError
from nextset.filtering.rules.own_rule import own_rules
from nextset.filtering.rules.rule_base import rule_of
from nextset.filtering.stage import own_rule_identity
from nextset.records.nli_items import LABELS, Label
from nextset.study.filter_rule_settings import RULES, FilterRule, rule_text
from nextset.study.study_folder import Study
from tests.filtering.scores import CERTAIN, answers
from tests.toy_packages import install_toy, toys_on_path

TOY = '''
from typing import Annotated
from pydantic import Field
from nextset.filtering.rules.rule_base import Decision, LabelRule

class Widest(LabelRule):
    """The margin of at least one model is this or more."""

    name = "widest"
    value_type = Annotated[float, Field(gt=0, le=1)]

    def clause(self, form):
        return f"the margin of at least one model is {self.value:g} or more"

    def decide_items(self, answers):
        return Decision.of((answers.margins >= self.value).any(axis=0), "every margin is small")

def nobody_right(answers):
    return answers.wrong.all(axis=0)
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
E, N, C = (CERTAIN[label] for label in ("entailment", "neutral", "contradiction"))


@pytest.fixture
def toy(site: Path) -> Path:
    """A folder on the path with an installed package that registers a class and a function."""
    entry_points = "[nextset.rules]\nwidest = toy_rules:Widest\nnobody_right = toy_rules:nobody_right\n"
    install_toy(site, "toy_rules", "0.1", entry_points, TOY)
    return site


def written(folder: Path, rule: str) -> FilterRule:
    (folder / "study.yaml").write_text(STUDY.replace("RULE", rule), encoding="utf-8")
    return Study.load(folder).filter.rule


def test_a_class_of_a_package_is_a_rule_without_trust(toy: Path) -> None:
    rule = written(toy, "{any_of: [all_wrong, {widest: 0.5}]}")
    assert rule_text(rule, "nli").endswith("or the margin of at least one model is 0.5 or more")
    said = answers({"a": [(0.4, 0.3, 0.3), N], "b": [(0.3, 0.4, 0.3), (0.4, 0.3, 0.3)]})
    decision = rule_of(rule).decide(said)
    assert decision.keep.tolist() == [False, True]
    assert decision.reasons[decision.why[0]] == "not every model gets it wrong; every margin is small"
    (row,) = own_rules(rule, lambda name: b"")
    assert (row.rule, row.package, row.sha256) == ("widest", "toy_rules 0.1", "")


def test_a_function_of_a_package_is_a_rule_by_its_name(toy: Path) -> None:
    rule = written(toy, "nobody_right")
    assert "the function nobody_right of toy_rules 0.1 keeps it" in rule_text(rule, "nli")
    assert rule_of(rule).decide(answers({"a": [E, N], "b": [C, E]})).keep.tolist() == [True, False]


def test_a_changed_rule_of_a_package_changes_the_recipe(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    entry_points = "[nextset.rules]\nnobody_right = toy_rules:nobody_right\n"
    identities = []
    for folder, source in ((tmp_path / "a", TOY), (tmp_path / "b", TOY.replace("all(axis", "any(axis"))):
        install_toy(folder, "toy_rules", "0.1", entry_points, source)  # an editable one keeps its version
        with monkeypatch.context() as patch, toys_on_path(folder, patch):
            written(tmp_path, "nobody_right")
            ((name, identity),) = own_rule_identity(Study.load(tmp_path))["own_rules"]
            assert name == "nobody_right"
            assert identity.startswith("toy_rules 0.1 ")
            identities.append(identity)
    assert identities[0] != identities[1]
    written(tmp_path, "all_wrong")
    assert own_rule_identity(Study.load(tmp_path)) == {}


def test_the_value_of_a_packages_rule_is_checked_with_its_line(toy: Path) -> None:
    for wrong, says in (
        ("{widest: 2}", "widest"),
        ("widest", "needs a value"),
        ("{widst: 0.5}", "unknown key"),
    ):
        with pytest.raises(StudyError, match=says) as caught:
            written(toy, wrong)
        assert caught.value.line == 6
    with pytest.raises(StudyError) as caught:
        written(toy, "{widst: 0.5}")
    assert "'widest'" in caught.value.remedy


def test_every_rule_has_the_name_that_it_is_registered_by() -> None:
    for name in RULES.names:
        assert RULES[name].name == name


labels = st.sampled_from(LABELS)


@given(st.lists(st.tuples(labels, st.lists(labels, min_size=3, max_size=3)), min_size=1, max_size=12))
def test_votes_and_disagreement_are_counted_again(items: list[tuple[Label, list[Label]]]) -> None:
    table = answers(
        {f"m{m}": [CERTAIN[given[m]] for _, given in items] for m in range(3)}, [right for right, _ in items]
    )
    wrong = [sum(label != right for label in given) for right, given in items]
    restated = {
        "any_wrong": [n >= 1 for n in wrong],
        "majority_wrong": [n >= 2 for n in wrong],
        "all_wrong": [n == 3 for n in wrong],
        "disagreement": [len(set(given)) > 1 for _, given in items],
    }
    for name, expected in restated.items():
        decision = rule_of(FilterRule.model_validate(name)).decide(table)
        assert decision.keep.tolist() == expected
        for (right, _), keep, why in zip(items, decision.keep, decision.why, strict=True):
            if name == "any_wrong" and not keep:
                assert decision.reasons[why] == f"every model says {right}"
