"""Own rules, scorers and measures: the version carries their source, and the card names file and hash."""

from __future__ import annotations

import functools
import hashlib
from collections.abc import Mapping
from pathlib import Path

import pyarrow as pa
import pytest

import nextset
from nextset.artifacts.artifact import Recipe, open_artifact
from nextset.artifacts.build import Part, PartResult, build
from nextset.errors import DamagedShard
from nextset.release.accompanying_data.own_sources import own_sources
from nextset.release.dataset_card.card import render_card
from nextset.release.dataset_card.card_facts import CardOwnCode
from nextset.release.dataset_files.stage import dataset_folder, dataset_version_recipe, write_dataset_version
from nextset.release.hub.verification import verify_folder
from tests.release.test_dataset import NASTY, card, items

SOURCE = b"raise SystemExit('never executed')\n"


def artifact(folder: Path, snapshots: Mapping[str, bytes]) -> None:
    part = Part("t", lambda: PartResult(pa.table({"x": [1]})))
    build(folder, Recipe("t", 1, {}, {}), lambda: [part], snapshots=snapshots)


def test_the_files_of_all_stages_by_path(tmp_path: Path) -> None:
    artifact(tmp_path / "filter", {"own/rules.py": SOURCE, "other.yaml": b""})
    artifact(tmp_path / "audit", {"own/rules.py": SOURCE, "own/lean.py": b"1\n"})
    lean, rules = own_sources(tmp_path)
    assert (lean.path, lean.uses, lean.source) == ("own_code/lean.py", ("measure",), b"1\n")
    assert (rules.path, rules.uses) == ("own_code/rules.py", ("rule", "measure"))
    assert rules.sha256 == hashlib.sha256(SOURCE).hexdigest()


def test_files_of_one_name_stay_apart(tmp_path: Path) -> None:
    artifact(tmp_path / "filter", {"own/a/Own.py": b"1\n"})
    artifact(tmp_path / "audit", {"own/own.py": b"2\n", "own/<b>.py": b"3\n"})
    paths = [own.path for own in own_sources(tmp_path)]
    one, two = (hashlib.sha256(raw).hexdigest()[:12] for raw in (b"1\n", b"2\n"))
    assert paths == [f"own_code/Own-{one}.py", "own_code/_b_.py", f"own_code/own-{two}.py"]


def test_an_altered_file_is_refused(tmp_path: Path) -> None:
    artifact(tmp_path / "filter", {"own/rules.py": SOURCE})
    (tmp_path / "filter" / "snapshots" / "own" / "rules.py").write_bytes(b"other")
    with pytest.raises(DamagedShard):
        own_sources(tmp_path)


def test_a_study_without_own_code_has_none(tmp_path: Path) -> None:
    assert own_sources(tmp_path) == ()
    assert "Code of the authors" not in render_card(card(items()))


def test_the_card_names_the_file_and_its_hash_escaped() -> None:
    shown = render_card(card(items(), own_code=(CardOwnCode(NASTY, "ab12", ("rule", "measure")),)))
    (row,) = (line for line in shown.splitlines() if "ab12" in line and "rule" in line)
    assert "<script>" not in row
    assert row.endswith("| rule, measure | ab12 |")


@pytest.mark.slow
def test_a_version_carries_the_source_and_verifies_it(tmp_path: Path) -> None:
    study = nextset.new_study(tmp_path / "mine")
    nextset.run(study)
    before = dataset_version_recipe(study)
    audited = open_artifact(study.out / "audit")
    tables = [Part(name, functools.partial(PartResult, audited.table(name))) for name in audited.tables]
    build(study.out / "audit", Recipe("audit", 0, {}, {}), lambda: tables, snapshots={"own/rules.py": SOURCE})
    assert dataset_version_recipe(study) != before
    written = dataset_folder(study)
    assert not (written / "own_code").exists()
    write_dataset_version(study)
    assert (dataset_folder(study) / "own_code" / "rules.py").read_bytes() == SOURCE
    assert verify_folder(dataset_folder(study)).intact
    assert "own_code/rules.py" in (dataset_folder(study) / "README.md").read_text().replace("\\", "")
