from __future__ import annotations

from pathlib import Path

import pytest
from datasets import Dataset

from nextset.errors import ArtifactError
from nextset.release.dataset_card.card_configs import card_configs
from tests.release.card_example import item_rows
from tests.release.dataset_example import judgment_rows, write_tables


def test_configs_come_from_the_files(tmp_path: Path) -> None:
    rows = item_rows(4)
    files = write_tables(
        tmp_path,
        {
            ("items", "", "test"): rows,
            ("items", "", "controls"): rows,
            ("judgments", "", "test"): judgment_rows(),
        },
    )
    items, judgments = card_configs(tmp_path, files, ["items"])
    assert (items.name, items.default, items.rows, judgments.name, judgments.default) == (
        "items", True, 8, "judgments", False,
    )  # fmt: skip
    assert [(s.name, s.rows, s.patterns) for s in items.splits] == [
        ("test", 4, ("data/items/test-*.parquet",)),
        ("controls", 4, ("data/items/controls-*.parquet",)),
    ]
    # as datasets counts: from the bytes that are read, 1 more per file for each struct of which a row is null
    paths = [str(tmp_path / f.path) for f in files if f.config == "items"]
    loaded = Dataset.from_parquet(paths, cache_dir=str(tmp_path / "cache"))
    assert items.bytes == sum(split.bytes for split in items.splits) == loaded.info.splits["train"].num_bytes
    assert items.download == sum(f.bytes for f in files if f.config == "items")
    label = next(f for f in items.features if f["name"] == "label")
    names = {"0": "entailment", "1": "neutral", "2": "contradiction"}
    assert label["dtype"] == {"class_label": {"names": names}}


def test_domains_with_the_name_of_a_config_get_another(tmp_path: Path) -> None:
    files = write_tables(
        tmp_path,
        {
            ("items", "judgments", "test"): item_rows(4),
            ("items", "height", "test"): item_rows(2),
            ("judgments", "", "test"): judgment_rows(),
        },
    )
    configs = card_configs(tmp_path, files, ["items"], by_domain=True)
    assert [(c.name, c.rows) for c in configs] == [
        ("items", 6), ("judgments", 2), ("height", 2), ("items-judgments", 4),
    ]  # fmt: skip
    assert configs[0].splits[0].patterns == (
        "data/items/height/test-*.parquet", "data/items/judgments/test-*.parquet",
    )  # fmt: skip
    assert [c.name for c in card_configs(tmp_path, files, ["items"])] == ["items", "judgments"]


def test_no_config_of_a_domain_takes_the_place_of_another(tmp_path: Path) -> None:
    """The domain judgments becomes items-judgments, which is a domain here too."""
    tables = {("items", name, "test"): item_rows(2) for name in ("judgments", "items-judgments")}
    files = write_tables(tmp_path, {**tables, ("judgments", "", "test"): judgment_rows()})
    configs = card_configs(tmp_path, files, ["items"], by_domain=True)
    assert [c.name for c in configs] == ["items", "judgments", "items-judgments", "items-judgments_"]


@pytest.mark.parametrize("damage", [lambda raw: raw[: len(raw) // 2], lambda raw: b"", None])
def test_a_damaged_file_is_named(tmp_path: Path, damage: object) -> None:
    files = write_tables(tmp_path, {("items", "", "test"): item_rows(4)}, pieces=1)
    path = tmp_path / files[0].path
    if callable(damage):
        path.write_bytes(damage(path.read_bytes()))
    else:
        path.unlink()
    with pytest.raises(ArtifactError, match=r"test-00000-of-00001\.parquet is missing or damaged"):
        card_configs(tmp_path, files, ["items"])
