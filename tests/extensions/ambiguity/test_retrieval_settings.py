"""The section ambiguity.retrieval."""

from __future__ import annotations

from pathlib import Path

import pytest

from nextset.errors import StudyError
from nextset.extensions.ambiguity.settings.study_settings import retrieval_of
from nextset.study.study_folder import Study


def study(folder: Path, text: str) -> Study:
    written = f"format: 1\nname: small\nambiguity:\n  retrieval:\n    bm25: true\n    {text}\n"
    (folder / "study.yaml").write_text(written, encoding="utf-8")
    return Study.load(folder)


@pytest.mark.parametrize(
    ("text", "table"),
    [
        ("base_rate: collection", None),
        ("base_rate: equal", None),
        ("base_rate: {female: 0.333, male: 0.667}", None),
        ("base_rate: rates.csv", "rates.csv"),
        ("base_rate: $RATES/by_job.parquet", "$RATES/by_job.parquet"),
    ],
)
def test_base_rates(tmp_path: Path, text: str, table: str | None) -> None:
    assert retrieval_of(study(tmp_path, text)).base_rate_table == table


@pytest.mark.parametrize(
    ("text", "message", "remedy"),
    [
        ("base_rate: colection", "not a base rate", "write collection"),
        ("base_rate: rates.txt", "not a base rate", ".csv"),
        ("base_rate: 0.5", "not a base rate", "write collection"),
        ("base_rate: [0.5, 0.5]", "not a base rate", "write collection"),
        ("base_rate: {female: 0.5, male: 0.4}", "sum to 0.9", "sum to 1"),
        ("base_rate: {female: 1, male: 0}", "not all of its values are shares", "above 0"),
        ("base_rate: {female: .nan, male: 0.5}", "not all of its values are shares", "above 0"),
        ("base_rate: {female: half, male: 0.5}", "not all of its values are shares", "above 0"),
        ("base_rate: {women: 0.5, men: 0.5}", "different groups", "female, male"),
        ("groups: [female]", "number of values", "at least 2"),
        ("groups: [female, Female]", "repeated", "each entry once"),
        ("groups: [female, unknown]", "unknown is not a group", "remove it"),
    ],
)
def test_wrong_values(tmp_path: Path, text: str, message: str, remedy: str) -> None:
    with pytest.raises(StudyError) as caught:
        study(tmp_path, text)
    assert message in caught.value.message
    assert remedy in caught.value.remedy
    assert caught.value.line is not None
