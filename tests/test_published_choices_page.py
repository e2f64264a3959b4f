"""docs/how_to/published_choices.md: its study is read, and its lines run."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
import yaml

from nextset.published_choices.published_formats import FORMATS
from nextset.study.choice_settings import ChoiceSettings
from tests.docs_pages import ROOT, blocks
from tests.nextset.published_choices.published_examples import bbq_set, write_lines

PAGE = ROOT / "docs" / "how_to" / "published_choices.md"


def test_the_study_is_read() -> None:
    (study,) = blocks(PAGE, "yaml")
    settings = ChoiceSettings.model_validate(yaml.safe_load(study)["choices"])
    assert (len(settings.items), settings.subset) == (3, 2)


def test_the_lines_run(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    rows = [{**row, "some-model_pred_race": "the cat"} for row in bbq_set()]
    write_lines(tmp_path / "pets.jsonl", rows)
    code = "\n".join(blocks(PAGE, "python"))
    exec(compile(code, "<published_choices.md>", "exec"), {"__name__": "published"})
    # the cat is right in the two negative questions about disambiguated contexts, of eight
    assert capsys.readouterr().out == "some-model_pred_race: 0.25 right\n"
    again = (tmp_path / "again.jsonl").read_text(encoding="utf-8").splitlines()
    assert [json.loads(line) for line in again] == rows


def test_every_layout_stands_on_the_page() -> None:
    text = PAGE.read_text(encoding="utf-8")
    assert [layout.name for layout in FORMATS if layout.name not in text] == []
