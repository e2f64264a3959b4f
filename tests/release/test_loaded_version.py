"""nextset.load_version: a version in a folder or on the Hub as pandas, Arrow and `datasets` tables."""

from __future__ import annotations

from pathlib import Path

import pytest

from nextset.errors import ArtifactError, InputError
from nextset.records.class_labels import typed_table
from nextset.release.hub.hub_token import HubToken
from nextset.release.hub.push import push_version
from nextset.release.loaded_version import LoadedVersion, load_version
from tests.release.dataset_folders import make_version
from tests.release.loopback_hub import DUMMY, serving
from tests.release.loopback_hub_client import through_loopback
from tests.release.version_folders import item, items_table, scores_table, write_version

ROWS = [item("Nurses are kind."), item("Nurses are rude.", "anti"), item("Nurses work.", "test")]


@pytest.fixture
def version(tmp_path: Path) -> LoadedVersion:
    tables = {
        "items/gender": typed_table(items_table(ROWS[:1])),
        "items/religion": typed_table(items_table(ROWS[1:2])),
        "items:controls": typed_table(items_table(ROWS[2:])),
        "scores": scores_table({ROWS[0]["id"]: "neutral"}),
    }
    return load_version(write_version(tmp_path / "version", tables))


def test_the_configs_and_splits_of_a_folder(version: LoadedVersion) -> None:
    assert list(version) == ["items", "scores"]
    assert len(version) == 2
    assert "items" in version
    assert (version["items"].splits, version["items"].rows) == (("test", "controls"), 3)
    assert version.manifest.version == "1.0.0"


def test_pandas_and_arrow_tables_have_names_of_labels(version: LoadedVersion) -> None:
    frame = version["items"].to_pandas("test")
    assert list(frame["stance_design"]) == ["pro", "anti"]
    assert list(frame["label"]) == [row["label"] for row in ROWS[:2]]
    assert version["items"].to_arrow()["id"].to_pylist() == [row["id"] for row in ROWS]


def test_datasets_have_class_labels(version: LoadedVersion) -> None:
    made = version["items"].to_dataset()
    assert {split: part.num_rows for split, part in made.items()} == {"test": 2, "controls": 1}
    stance = made["test"].features["stance_design"]
    assert [stance.int2str(number) for number in made["test"]["stance_design"]] == ["pro", "anti"]


def test_unknown_names_are_errors_with_the_names_that_exist(version: LoadedVersion) -> None:
    with pytest.raises(InputError, match="no config 'questions'") as refused:
        version["questions"]
    assert refused.value.remedy == "use one of items, scores"
    with pytest.raises(InputError, match="no split 'train'"):
        version["items"].to_pandas("train")


def test_an_altered_file_is_refused(tmp_path: Path) -> None:
    folder = make_version(tmp_path / "version")
    (folder / "CITATION.cff").write_text("altered", encoding="utf-8")
    with pytest.raises(ArtifactError, match="differs from its manifest"):
        load_version(folder)


def test_a_name_that_is_neither_folder_nor_reference_is_refused() -> None:
    with pytest.raises(InputError, match="neither a folder nor a version on the Hub"):
        load_version("org/lefties")


@pytest.mark.slow
def test_a_version_on_the_hub_is_downloaded_and_checked(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("HF_TOKEN", raising=False)
    monkeypatch.setattr("huggingface_hub.constants.HF_TOKEN_PATH", str(tmp_path / "none"))
    with through_loopback(), serving(tmp_path / "hub") as hub:
        folder = make_version(tmp_path / "version")
        push_version(folder, "org/lefties", token=HubToken(DUMMY), endpoint=hub.url)
        version = load_version("org/lefties@v1.0.0", endpoint=hub.url)
    assert version.folder != folder
    assert version["items"].to_pandas()["id"].tolist() == [f"{i:04d}-{k}" for i in (0, 1) for k in range(3)]
