"""A version that is named as the previous one, or compared, has to be whole."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from nextset.errors import ArtifactError, InputError, StudyError
from nextset.release.dataset_card.citation_file import citation_bytes
from nextset.release.harness.release_source import local_source
from nextset.release.hub.hub_reference import local_version
from nextset.release.markdown_escape import escaped
from nextset.release.overlap.corpus_files import file_digest
from nextset.release.versions.previous_folder import previous_folder
from tests.release.dataset_folders import make_version


@pytest.mark.parametrize("damage", ["missing", "altered", "extra"])
def test_a_version_with_other_files_than_its_manifest_is_refused(tmp_path: Path, damage: str) -> None:
    folder = make_version(tmp_path / "whole")
    assert local_version("whole", tmp_path.joinpath) == folder
    table = sorted(folder.rglob("*.parquet"))[0]
    if damage == "missing":
        table.unlink()
    elif damage == "altered":
        table.write_bytes(table.read_bytes() + b"x")
    else:
        shutil.copy(table, folder / "notes.parquet")
    for use in (lambda: local_version("whole", tmp_path.joinpath), lambda: local_source(folder)):
        with pytest.raises(ArtifactError, match="differs from its manifest") as caught:
            use()
        assert f"nextset release verify {folder}" in caught.value.remedy


def test_a_previous_version_that_is_not_there_is_named_with_those_that_are(tmp_path: Path) -> None:
    built = tmp_path / "out" / "dataset"
    with pytest.raises(
        StudyError, match=r"release\.previous is 'lefties-0\.9\.0', but there is no folder"
    ) as e:
        previous_folder("lefties-0.9.0", tmp_path.joinpath)
    assert str(tmp_path / "lefties-0.9.0") in e.value.message
    assert "relative to the study's folder" in e.value.remedy
    for name in ("lefties-1.0.0", "lefties-1.1.0", "lefties-1.1.0.replaced"):
        make_version(built / name)
    with pytest.raises(StudyError) as e:
        previous_folder("out/dataset/lefties-0.9.0", tmp_path.joinpath)
    assert "(out/dataset/lefties-1.0.0, out/dataset/lefties-1.1.0)" in e.value.remedy
    assert "ORG/NAME@v1.0.0" in e.value.remedy
    assert previous_folder("out/dataset/lefties-1.0.0", tmp_path.joinpath) == built / "lefties-1.0.0"


def test_data_that_are_not_a_file_are_refused_and_not_waited_for() -> None:
    with pytest.raises(InputError, match="not a regular file"):
        file_digest(Path("/dev/zero"))


def test_text_that_turns_the_direction_does_not_reach_card_and_citation() -> None:
    turned = "A. \u202eAuthor\u2069"
    assert escaped(turned) == "A. Author"
    cited = citation_bytes(name="n", version="1.0.0", license_="mit", authors=[turned], kinds=["items"])
    assert "given-names: A." in cited.decode()
    assert "\u202e" not in cited.decode()
