from __future__ import annotations

import re
import stat
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from nextset.errors import JudgmentError
from nextset.validation.judgments.pseudonyms import KEY_VARIABLE, identity, pseudonym, pseudonym_key


@pytest.fixture(autouse=True)
def config(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.delenv(KEY_VARIABLE, raising=False)
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path))
    return tmp_path / "nextset"


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("ana@example.org", "ANA@Example.org "),
        ("ana@example.org", "\uff41na\uff20example.org"),
        ("Straße", "STRASSE"),
        ("İpek Işık", "IPEK IŞIK"),
        ("O'Brien", "O\u2019Brien"),
        ("Ana-Lena", "Ana\u2011Lena"),
        ("Ž", "z\u030c"),
    ],
)
def test_spellings_of_one_name(one: str, other: str) -> None:
    assert identity(one) == identity(other) == identity(identity(other))


@given(st.text())
def test_an_identity_is_its_own(name: str) -> None:
    assert identity(identity(name)) == identity(name)
    assert identity(f"  {name}\u200b") == identity(name)


def test_the_key_is_made_once_and_for_its_owner_alone(config: Path) -> None:
    key = pseudonym_key()
    assert len(key) == 64
    assert pseudonym_key() == key
    assert stat.S_IMODE((config / "pseudonym.key").stat().st_mode) == 0o600
    assert [p.name for p in config.iterdir()] == ["pseudonym.key"]


def test_the_variable_goes_before_the_file(config: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(KEY_VARIABLE, "sixteen letters!")
    assert pseudonym_key() == b"sixteen letters!"
    assert not config.exists()


def test_a_damaged_key_is_refused_and_not_replaced(config: Path) -> None:
    config.mkdir()
    (config / "pseudonym.key").write_text("short\n")
    with pytest.raises(JudgmentError, match="5 characters"):
        pseudonym_key()
    assert (config / "pseudonym.key").read_text() == "short\n"


def test_a_pseudonym_has_its_form_and_depends_on_person_and_key() -> None:
    made = {pseudonym(p, k) for p in ("1", "2") for k in (b"k", b"l")}
    assert len(made) == 4
    assert all(re.fullmatch("a-[0-9a-f]{12}", p) for p in made)
