"""Snapshots keep the names that people gave their files, and never hide one another."""

from __future__ import annotations

import unicodedata
from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st

from nextset.generation.snapshot_names import named_snapshots


def names(*paths: str) -> list[str]:
    return list(named_snapshots({Path(path): path.encode() for path in paths}))


def test_a_file_keeps_its_name_and_folders_tell_apart_those_of_one_name() -> None:
    assert names("/w/s/b.yaml", "/w/s/a.yaml") == ["b.yaml", "a.yaml"]
    assert names("/w/en/subjects/x.yaml", "/w/de/subjects/x.yaml") == [
        "en-subjects-x.yaml",
        "de-subjects-x.yaml",
    ]
    assert names("/w/en/x.yaml", "/w/de/X.yaml", "/w/de/y.yaml") == ["en-x.yaml", "de-X.yaml", "y.yaml"]
    assert names("/w/über uns: 1.yaml", "/w/.hidden.yaml") == ["über_uns__1.yaml", "hidden.yaml"]


@given(st.lists(st.text(st.characters(exclude_characters="\0", exclude_categories=["Cs"]), min_size=1)))
def test_every_file_has_a_name_of_its_own_on_every_file_system(written: list[str]) -> None:
    files = {Path("/w") / text.replace("/", "_"): str(i).encode() for i, text in enumerate(written)}
    found = named_snapshots(files)
    assert list(found.values()) == list(files.values())
    assert len({unicodedata.normalize("NFC", name.casefold()) for name in found}) == len(files)
    for name in found:
        assert len(name.encode()) <= 255
        assert not set(name) & set('/\\:*?"<>|\n')
        assert name[0] not in ".-"
