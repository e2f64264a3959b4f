"""A study whose filter kept choice items, for tests of what people do with them."""

from __future__ import annotations

from pathlib import Path

import pyarrow as pa

from nextset.artifacts.artifact import Recipe
from nextset.artifacts.build import Part, PartResult, build
from nextset.study.study_folder import Study
from tests.choice_rows import choice_items
from tests.validation.session.sample_study import SESSION

__all__ = ["choice_study"]

_STUDY = """
format: 1
name: judged_choices
choices: {packs: ["builtin:en"]}
filter: {candidates: [choices], models: [builtin:nli-electra], rule: any_wrong}
validate:
"""


def choice_study(folder: Path, validate: str = "", session: str = "", templates: int = 1) -> Study:
    """A study with 8 units per template; ``validate`` and ``session`` are more lines of these sections."""
    folder.mkdir(parents=True)
    text = f"{_STUDY}{validate}  session:{SESSION}{session}"
    (folder / "study.yaml").write_text(text, encoding="utf-8")
    study = Study.load(folder)
    items = choice_items(templates=templates, words=1)
    kept = items.append_column("missed_by", pa.array([[]] * items.num_rows, pa.list_(pa.string())))
    build(study.out / "filter", Recipe("filter", 1), lambda: [Part("kept", lambda: PartResult(kept))])
    return study
