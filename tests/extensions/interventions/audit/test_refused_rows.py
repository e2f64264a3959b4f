"""Interventions are added to NLI items and questions; a study with other rows is told so first."""

from __future__ import annotations

from pathlib import Path

import pytest
import yaml

import nextset
from nextset.errors import StudyError
from nextset.extensions.interventions.audit.stage import check_told_models

STUDY = {
    "format": 1,
    "name": "refused",
    "choices": {"items": ["items.jsonl"]},
    "audit": {"models": ["builtin:qa-distilbert"]},
    "interventions": {"models": ["builtin:qa-distilbert"]},
}


def test_choice_items_get_no_interventions(tmp_path: Path) -> None:
    (tmp_path / "study.yaml").write_text(yaml.safe_dump(STUDY, sort_keys=False), encoding="utf-8")
    study = nextset.Study.load(tmp_path)
    with pytest.raises(StudyError, match="interventions cannot be added to choice items") as raised:
        check_told_models(study)
    assert raised.value.line is not None
    assert "in another study" in (raised.value.remedy or "")
