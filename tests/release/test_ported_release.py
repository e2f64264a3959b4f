"""The decisions on the templates of a set from another culture, in its dataset version."""

from __future__ import annotations

from pathlib import Path

import pytest

from nextset.generation.choices.port.decision_sheet import SheetDecision
from nextset.generation.choices.port.ported_templates import Port
from nextset.generation.choices.port.stereotype_survey import SurveyCounts, stereotype_key
from nextset.release.dataset_card.released_columns import columns_of
from nextset.release.loaded_version import load_version
from nextset.study.choice_settings import PortSettings
from tests.choice_rows import choice_items
from tests.release.choice_version import release_choices

REMOVED = SheetDecision(("age", "lost_phone_1"), "", "removed", (), "nobody | here says so", 2)
SURVEY = {
    # 9 of 10 people know the second stereotype, 8 of them name its target; 2 of 10 know the third
    stereotype_key("age", "old people lose things (2)"): SurveyCounts(10, 1, {"old": 8, "young": 1}),
    stereotype_key("age", "old people lose things (3)"): SurveyCounts(10, 8, {"old": 2}),
}


@pytest.fixture(scope="module")
def version(tmp_path_factory: pytest.TempPathFactory) -> Path:
    port = Port(PortSettings(answers=10), None, {REMOVED.key: REMOVED}, SURVEY)
    return release_choices(tmp_path_factory.mktemp("ported") / "study", choice_items(3, 1), port=port)


def test_the_card_lists_each_decision_with_the_shares_of_people(version: Path) -> None:
    card = (version / "README.md").read_text(encoding="utf-8")
    lines = card.splitlines()
    for line in (
        "| age | lost\\_phone\\_1 | old people lose things (1) | old | removed | 0 | – | – "
        "| no: removed by decision | nobody \\| here says so |",
        "| age | lost\\_phone\\_2 | old people lose things (2) | old | undecided | 10 | 90.0 % | 80.0 % "
        "| yes | – |",
        "| age | lost\\_phone\\_3 | old people lose things (3) | old | undecided | 10 | 20.0 % | 20.0 % "
        "| no: too few people know the stereotype | – |",
    ):
        assert line in lines
    assert "people of the culture were asked" in card


def test_the_version_has_a_config_with_the_decisions(version: Path) -> None:
    loaded = load_version(version)
    decisions = loaded["port_decisions"].to_arrow()
    assert decisions["kept"].to_pylist() == [False, True, False]
    assert all(column.meaning for column in columns_of(decisions, "port_decisions"))
    assert set(loaded["choices"].to_arrow()["template_id"].to_pylist()) == {"lost_phone_2"}


def test_a_set_that_was_not_ported_says_nothing_about_it(tmp_path: Path) -> None:
    version = release_choices(tmp_path / "study", choice_items(1, 1))
    assert "another culture" not in (version / "README.md").read_text(encoding="utf-8")
    assert not list(version.glob("data/port_decisions*"))
