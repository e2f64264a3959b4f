"""A study whose items are there already: nothing but scoring is left to do."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from nextset.artifacts.artifact import Recipe
from nextset.artifacts.build import Part, PartResult, build
from nextset.records.arrow_schema import table_of
from nextset.records.content_ids import content_id
from nextset.records.nli_items import NliItem
from nextset.study.study_folder import Study
from tests.records import ITEM

__all__ = ["MODELS", "small_study"]

MODELS = ("builtin:nli-electra", "builtin:nli-roberta")

WHO = ("A nurse", "A judge", "The surgeon", "His brother", "My aunt")
DID = ("slept", "ate a pear", "went home early", "read the long letter twice", "sang")


def small_study(folder: Path, engine: str, files: int = 4, items: int = 12) -> Study:
    """A study in ``folder`` with so many files of so many items, asked by `MODELS` through ``engine``."""
    folder.mkdir()
    (folder / "study.yaml").write_text(
        f"format: 1\nname: small\nscoring: {{engine: {engine}, cache: false}}\n"
        "release: {name: small, version: 0.1.0}\nvalidate: {judge: rule}\n"
        f"filter:\n  candidates: [plain]\n  models: [{', '.join(MODELS)}]\n"
    )
    study = Study.load(folder)
    build(study.out / "generate", Recipe("generate", 1), lambda: [_part(i, items) for i in range(files)])
    return study


def _part(file: int, items: int) -> Part:
    texts = [
        (f"{WHO[i % 5]} {DID[(i + file) % 5]}.", f"{WHO[(i // 5) % 5]} {DID[i % 5]} {file} times.")
        for i in range(items)
    ]
    rows = [
        replace(ITEM, id=content_id("small", *both), premise=both[0], hypothesis=both[1]) for both in texts
    ]
    return Part("items", lambda: PartResult(table_of(rows, NliItem)))
