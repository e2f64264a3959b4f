from __future__ import annotations

import json
from pathlib import Path

import pytest
import yaml

from nextset.errors import JudgmentError
from nextset.validation.file_exchange.potato import write_potato
from tests.validation.annotator_pages.briefings import HOSTILE, QUESTION, SENTENCE, told


@pytest.mark.parametrize(("kind", "row"), [("nli", SENTENCE), ("question", QUESTION)])
def test_what_potato_needs(tmp_path: Path, kind: str, row: dict[str, str]) -> None:
    files = write_potato(tmp_path, told(kind, "de"), [row])
    config = yaml.safe_load(files.config.read_text(encoding="utf-8"))
    (line,) = files.data.read_text(encoding="utf-8").splitlines()
    item = json.loads(line)
    assert files.n_tasks == 1
    assert config["data_files"] == [files.data.name]
    shown = [field["key"] for field in config["instance_display"]["fields"]]
    assert {config["item_properties"]["id_key"], config["item_properties"]["text_key"], *shown} <= set(item)
    first = config["annotation_schemes"][0]
    assert first["labels"][-1]["name"] == "declined"
    assert first["labels"][-1]["displayed_label"] == "Das möchte ich nicht beurteilen"
    for scheme in config["annotation_schemes"][1:-1]:
        (when,) = scheme["display_logic"]["show_when"]
        assert when["schema"] == first["name"]
    assert "stance_design" not in item
    assert told(kind, "de").consent in config["annotation_instructions"]


def test_an_item_ends_no_script_of_potatos(tmp_path: Path) -> None:
    files = write_potato(tmp_path, told(), [{**SENTENCE, "hypothesis": HOSTILE}])
    raw = files.data.read_text(encoding="utf-8")
    assert "<script" not in raw
    assert "</script" not in raw
    assert json.loads(raw)["hypothesis"].replace("\u2060", "") == HOSTILE


def test_hostile_text_is_refused_before_anything_is_written(tmp_path: Path) -> None:
    with pytest.raises(JudgmentError, match="NUL"):
        write_potato(tmp_path, told(), [{**SENTENCE, "hypothesis": "a\0"}])
    assert not list(tmp_path.iterdir())
