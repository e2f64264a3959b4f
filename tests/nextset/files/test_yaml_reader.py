"""Hand-written YAML: values that Python cannot take, or takes too long for, are refused with their line."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Any

import pytest

from nextset.errors import InputError
from nextset.files.yaml_reader import read_yaml

ROOT = Path(__file__).parents[3]


def write(folder: Path, text: str) -> Path:
    (folder / "a.yaml").write_text(text, encoding="utf-8")
    return folder / "a.yaml"


@pytest.mark.parametrize(
    ("value", "says"),
    [
        ("9" * 5_000, "a number of 5,000 characters"),
        ("0x" + "f" * 9_000, "a number of 9,002 characters"),
        ("1:1" * 5_000, "a number of 15,000 characters"),
        ("1:30", "the number 1:30, which YAML reads in base 60"),
        ("-1:30.5", "the number -1:30.5, which YAML reads in base 60"),
        ("010", "the number 010, which YAML reads in base 8"),
        ("!!bool x", "the tag 'tag:yaml.org,2002:bool' does not fit its value"),
        ("!!int ''", "the tag 'tag:yaml.org,2002:int' does not fit its value"),
        ("!!timestamp x", "the tag 'tag:yaml.org,2002:timestamp' does not fit its value"),
        ("!!set {x, y}", "the tag 'tag:yaml.org,2002:set'"),
        ("!!binary aGk=", "the tag 'tag:yaml.org,2002:binary'"),
        ("2001-99-99", "month must be in 1..12"),
        ("{[x]: 1}", "a key that is not a text"),
        ('{"\\ud800": 1}', "half a character (a lone surrogate)"),
        ('"a\\0b"', "the control character U+0000"),
        ('"a\\eb"', "the control character U+001B"),
        ('"a\\rb"', "the control character U+000D"),
        ('"a\\x9bb"', "the control character U+009B"),
        ("a\u202eb", "the control character U+202E"),
        ("{a\u2066b: 1}", "the control character U+2066"),
    ],
)
def test_a_value_is_refused_with_its_line(tmp_path: Path, value: str, says: str) -> None:
    with pytest.raises(InputError) as caught:
        read_yaml(write(tmp_path, f"a: 1\nb: {value}\n"), InputError)
    assert caught.value.message == f"not YAML: {says}"
    assert caught.value.line == 2
    assert caught.value.remedy


@pytest.mark.parametrize(
    ("value", "read"),
    [
        ("!!str 12", "12"),
        ("-1_000", -1000),
        ("1.5", 1.5),
        ("0.5", 0.5),
        ("0", 0),
        ("yes", True),
        ("~", None),
        ('"a\\tb\\nc"', "a\tb\nc"),
        ("می\u200cخواهم", "می\u200cخواهم"),
        ("क्\u200dष", "क्\u200dष"),
        ("a\u200f", "a\u200f"),
    ],
)
def test_a_plain_value_is_read(tmp_path: Path, value: str, read: Any) -> None:
    assert read_yaml(write(tmp_path, f"a: {value}\n"), InputError).data == {"a": read}


@pytest.mark.parametrize(
    ("text", "remedy"),
    [
        ("a: {{GROUP2}} own\n", "put a text that begins with {{ in quotes"),
        ("- {{GROUP1}} own\n", "put a text that begins with {{ in quotes"),
        ("about: Note: says\n", "put a text that contains a colon and a space in quotes"),
        ("a:\n\tb: 1\n", "indent with spaces, not with tabs"),
        ('a: "x\nb: 1\n', "check indentation and quotes in that line and the line before it"),
    ],
)
def test_usual_mistakes_have_their_own_remedy(tmp_path: Path, text: str, remedy: str) -> None:
    with pytest.raises(InputError) as caught:
        read_yaml(write(tmp_path, text), InputError)
    assert caught.value.remedy.endswith(remedy)


def test_the_remedy_for_a_long_line_is_found_at_once(tmp_path: Path) -> None:
    line = "x: y\n" + " " * 100_000 + "a: b: c\n"
    began = time.process_time()
    with pytest.raises(InputError, match="not YAML"):
        read_yaml(write(tmp_path, line), InputError)
    assert time.process_time() - began < 5


def answer(file: Path) -> tuple[object, ...]:
    try:
        located = read_yaml(file, InputError)
    except InputError as e:
        return str(e), e.remedy
    return located.data, dict(located.lines), dict(located.written)


BRACKETS = [f"a: {'[' * n}b{']' * n}\n" for n in (49, 50, 51, 900, 1100)]


@pytest.mark.parametrize(
    "text",
    [
        "a: b\t\n",
        "a: {b: c?d}\n",
        "a: [c, d? e]\n",
        "a: >#\n  b\n",
        "a: !\n",
        "!\n",
        "a: 'b\n",
        "- a\n b: c\n",
        *BRACKETS,
    ],
)
def test_libyaml_changes_no_answer(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, text: str) -> None:
    """What libyaml reads otherwise, found by mutating shipped files, PyYAML reads as ever."""
    file = tmp_path / "x.yaml"
    file.write_text(text, encoding="utf-8")
    read = answer(file)
    monkeypatch.setattr("nextset.files.yaml_reader._FAST", None)
    assert answer(file) == read


def test_libyaml_reads_shipped_files_as_pyyaml_does(monkeypatch: pytest.MonkeyPatch) -> None:
    files = [p for p in (ROOT / "bbnli_templates").rglob("*.yaml") if p.stat().st_size < 4_000]
    files += (ROOT / "studies").glob("*/study.yaml")
    read = [answer(file) for file in files]
    monkeypatch.setattr("nextset.files.yaml_reader._FAST", None)
    assert [answer(file) for file in files] == read
