from __future__ import annotations

from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from nextset.release.dataset_files.splits import domain_folders, placed
from nextset.release.version_folder.dataset_folder import DatasetFolder, Place, config_name
from nextset.release.version_folder.release_manifest import read_release_manifest
from tests.release.card_example import full_card, item_rows
from tests.release.dataset_example import manifest_of


def content(folder: Path) -> dict[str, bytes]:
    return {p.relative_to(folder).as_posix(): p.read_bytes() for p in folder.rglob("*") if p.is_file()}


def write(folder: Path, rows: pa.Table, by_domain: bool = False) -> Path:
    written = DatasetFolder(folder)
    folders = domain_folders("items", rows["domain"].to_pylist()) if by_domain else None
    halves = [rows.slice(0, 3), rows.slice(3)]
    written.write_rows(pair for half in halves for pair in placed("items", half, folders))
    written.write("README.md", b"a card")
    written.add("csv/items.csv", lambda path: path.write_text("a\n"))  # type: ignore[arg-type]
    written.write_manifest(manifest_of(full_card(), ()))
    written.finish(folder)
    return folder


def test_rows_are_split_and_numbered_and_the_manifest_lists_every_file(tmp_path: Path) -> None:
    folder = write(tmp_path / "a", item_rows(7))
    manifest = read_release_manifest(folder)
    assert sorted(content(folder)) == [
        "README.md",
        "csv/items.csv",
        # the one control is in the second half
        "data/items/controls-00000-of-00001.parquet",
        "data/items/test-00000-of-00002.parquet",
        "data/items/test-00001-of-00002.parquet",
        "manifest.json",
    ]
    assert {f.path for f in manifest.files} == set(content(folder)) - {"manifest.json"}
    assert [f.rows for f in manifest.files_of("items", "test")] == [3, 3]
    assert pq.read_table(folder / "data/items/controls-00000-of-00001.parquet").num_rows == 1


def test_the_same_rows_give_the_same_bytes_and_the_old_folder_is_replaced_whole(tmp_path: Path) -> None:
    first = content(write(tmp_path / "a", item_rows(7)))
    assert content(write(tmp_path / "b", item_rows(7))) == first
    write(tmp_path / "a", item_rows(3))
    assert "data/items/test-00000-of-00001.parquet" in content(tmp_path / "a")
    assert not list((tmp_path / "a").rglob("*-of-00002*"))
    assert sorted(p.name for p in tmp_path.iterdir()) == ["a", "b"]


def test_a_domain_has_a_folder_of_its_own(tmp_path: Path) -> None:
    rows = pa.concat_tables([item_rows(5), item_rows(5, "left/../hand")])
    folder = write(tmp_path / "a", rows, by_domain=True)
    assert sorted({Path(p).parent.as_posix() for p in content(folder) if "/items/" in p}) == [
        "data/items/handedness",
        "data/items/left_hand",
    ]


@pytest.mark.parametrize(
    ("domains", "folders"),
    [
        (["a b", "a_b"], ["a_b", "a_b_"]),
        (["items", ""], ["items_", "other"]),
        (["../x"], ["x"]),
        (["Age", "age", "Items"], ["Age", "age_", "Items_"]),  # one folder each, also if case is ignored
        (["default", "Default"], ["Default_", "default__"]),
        (["Gender", "gender"], ["Gender", "gender_"]),
    ],
)
def test_folders_of_domains_are_safe_and_different(domains: list[str], folders: list[str]) -> None:
    assert sorted(domain_folders("items", domains).values()) == sorted(folders)


def test_names_of_configs_are_plain() -> None:
    assert config_name("Gender & work") == "Gender_work"
    assert config_name("性别") == "u6027u522b"
    assert config_name("…") == "other"


def test_an_empty_table_has_no_file(tmp_path: Path) -> None:
    written = DatasetFolder(tmp_path / "a")
    written.write_rows([(Place("judgments", "test"), item_rows(3).slice(0, 0))])
    assert written.files == ()
