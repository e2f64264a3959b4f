"""Tags of new packs: their spelling, and those of languages that there are not."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from nextset.errors import InputError
from nextset.generation.pack_sheets.language_tag import checked_tag
from nextset.generation.pack_sheets.new_pack import new_language


@pytest.mark.parametrize(
    ("written", "tag"),
    [
        ("DE", "de"),
        ("PT-BR", "pt-BR"),
        ("pt_BR", "pt-BR"),
        ("ZH-hant", "zh-Hant"),
        ("nap", "nap"),
        ("qaa", "qaa"),
    ],
)
def test_tags_are_written_as_usual(written: str, tag: str) -> None:
    assert checked_tag(written) == tag


def test_the_default_folder_is_the_usual_tag(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    assert new_language("PT_br", countries=3).folder == Path("pt-BR")


@pytest.mark.parametrize(
    ("written", "message", "remedy"),
    [
        ("italian", "a language's name", "write it"),
        ("Brazilian Portuguese", "a language's name", "write pt-BR"),
        ("xx", "has no language", "qaa"),
        ("jt", "has no language", "it (Italian)"),
        ("Deutsch", "not a language tag", "such as de"),
        ("", "not a language tag", "such as de"),
    ],
)
def test_other_languages_are_refused(written: str, message: str, remedy: str) -> None:
    with pytest.raises(InputError, match=message) as caught:
        checked_tag(written)
    assert remedy in caught.value.remedy


@given(st.text(max_size=12))
def test_any_text_is_a_tag_or_refused(written: str) -> None:
    try:
        tag = checked_tag(written)
    except InputError:
        return
    assert checked_tag(tag) == tag
