"""Parquet files of others: an error of the machine is not said to be damage of the file."""

from __future__ import annotations

from pathlib import Path

import pytest

from nextset.errors import InputError
from nextset.files.parquet_rows import parquet_columns, parquet_rows


def test_a_missing_file_is_not_a_damaged_one(tmp_path: Path) -> None:
    gone, damaged = tmp_path / "gone.parquet", tmp_path / "damaged.parquet"
    damaged.write_bytes(b"PAR1 and no more")
    for read in (
        lambda file: parquet_columns(file, InputError),
        lambda file: list(parquet_rows(file, InputError, lambda table: table, None)),
    ):
        with pytest.raises(FileNotFoundError):
            read(gone)
        with pytest.raises(InputError, match="not Parquet, or damaged after row 0"):
            read(damaged)
