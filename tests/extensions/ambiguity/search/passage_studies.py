"""Small studies that search a collection."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import yaml

from nextset.study.study_folder import Study

__all__ = ["PASSAGES", "QUESTIONS", "passage_study", "write_rows"]

PASSAGES: tuple[dict[str, Any], ...] = (
    {"id": "a", "title": "Ann", "text": "Ann discovered a comet in 1847.", "group": "female"},
    {"id": "b", "title": "Bob", "text": "The comet of Bob, the third comet, was large.", "group": "male"},
    {"id": "c", "title": "Cora", "text": "Cora built bridges of iron.", "group": "female"},
    {"id": "d", "title": "Dan", "text": "", "group": None},
    {"id": "e", "title": "Eve", "text": "Ann discovered a comet in 1847.", "group": "female"},
)
QUESTIONS: tuple[dict[str, Any], ...] = (
    {"question": "Who discovered a comet?", "occupation": "astronomy"},
    {"question": "Who built bridges?", "occupation": "engineering"},
    {"question": "Who baked bread?", "occupation": "baking"},
)


def write_rows(file: Path, rows: Sequence[Mapping[str, Any]]) -> Path:
    """Write ``rows`` as JSON lines."""
    file.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return file


def passage_study(
    folder: Path,
    *,
    passages: Sequence[Mapping[str, Any]] = PASSAGES,
    questions: Sequence[Mapping[str, Any]] = QUESTIONS,
    collection: Mapping[str, Any] | None = None,
    models: Mapping[str, Any] | None = None,
    scoring: Mapping[str, Any] | None = None,
    **retrieval: Any,
) -> Study:
    """Write a study with a collection and questions in ``folder``; ``retrieval`` are further settings."""
    folder.mkdir(exist_ok=True)
    write_rows(folder / "passages.jsonl", passages)
    write_rows(folder / "questions.jsonl", questions)
    named = dict(collection or {"source": "passages.jsonl"})
    section = {"passages": named, "questions": ["questions.jsonl"], **retrieval}
    written = {
        "format": 1,
        "name": "found",
        "ambiguity": {"retrieval": section},
        "scoring": dict(scoring or {}),
        "models": dict(models or {}),
    }
    (folder / "study.yaml").write_text(yaml.safe_dump(written), encoding="utf-8")
    return Study.load(folder)
