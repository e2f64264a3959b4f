"""Studies that ran, for the tests of the whole pipeline."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

import nextset
from nextset.pipeline.stage_result import Summary


@pytest.fixture(scope="session")
def first_look(root: Path, tmp_path_factory: pytest.TempPathFactory) -> tuple[nextset.Study, Summary]:
    """studies/first_look, run in a folder of its own."""
    folder = tmp_path_factory.mktemp("studies") / "first look"  # with a space, as a clone may have
    shutil.copytree(root / "studies" / "first_look", folder, ignore=shutil.ignore_patterns("out"))
    study = nextset.Study.load(folder)
    return study, nextset.run(study)


@pytest.fixture(scope="session")
def starter_ran(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The study of a newcomer, run to its end."""
    folder = nextset.new_study(tmp_path_factory.mktemp("starter") / "mine").file.parent
    nextset.run(nextset.Study.load(folder))
    return folder


@pytest.fixture(scope="session")
def published_bbnli(
    root: Path, reference: Path, tmp_path_factory: pytest.TempPathFactory
) -> tuple[nextset.Study, Summary]:
    """studies/published_bbnli, run in a folder of its own; the published files stay as they are."""
    folder = tmp_path_factory.mktemp("studies") / "published"
    shutil.copytree(root / "studies" / "published_bbnli", folder, ignore=shutil.ignore_patterns("out"))
    before = {p: p.read_bytes() for p in (reference / "bbnli").rglob("*.json")}
    study = nextset.Study.load(folder)
    summary = nextset.run(study)
    assert {p: p.read_bytes() for p in (reference / "bbnli").rglob("*.json")} == before
    return study, summary
