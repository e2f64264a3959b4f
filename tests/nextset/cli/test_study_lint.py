"""Lint of study.yaml: licences that nobody knows, typographic quotes."""

from __future__ import annotations

from pathlib import Path

import pytest

import nextset
from nextset.errors import InputError
from nextset.release.dataset_card.license_ids import is_license_id, license_ids


def found(tmp_path: Path, old: str, new: str) -> list[tuple[str, int | None, str]]:
    """The findings in the starter's study.yaml with a change."""
    file = nextset.new_study(tmp_path / "mine").file.parent / "study.yaml"
    text = file.read_text(encoding="utf-8")
    assert old in text
    file.write_text(text.replace(old, new, 1), encoding="utf-8")
    findings = [f for f in nextset.lint(tmp_path / "mine").findings if f.file == file.resolve()]
    findings = findings or [f for f in nextset.lint(tmp_path / "mine").findings if f.file == file]
    return [(f.rule, f.line, f.message) for f in findings]


def test_a_new_study_is_twelve_lines_without_findings(tmp_path: Path) -> None:
    study = nextset.new_study(tmp_path / "mine")
    assert len(study.file.read_text(encoding="utf-8").splitlines()) == 12
    assert nextset.lint(study.file.parent).findings == ()


@pytest.mark.parametrize(
    ("written", "hint"),
    [
        ("CC BY 4.0", "did you mean 'cc-by-4.0'?"),
        ("cc-by-4", "did you mean 'cc-by-4.0'?"),
        ("apache", "did you mean 'apache-2.0'?"),
        ("ours", "write an identifier such as cc-by-4.0, or other"),
        ("MIT OR Apache-2.0", "'MIT OR Apache-2.0' is not the identifier"),
        ("LicenseRef-Ours", "is not the identifier of a licence at SPDX or on the Hub"),
    ],
)
def test_a_licence_that_nobody_knows_is_found(tmp_path: Path, written: str, hint: str) -> None:
    ((rule, line, message),) = found(tmp_path, "license: cc-by-4.0", f"license: {written}")
    assert (rule, line) == ("licence", 11)
    assert hint in message


def test_a_release_without_a_licence_is_found(tmp_path: Path) -> None:
    ((rule, line, message),) = found(tmp_path, "  license: cc-by-4.0\n", "")
    assert (rule, line) == ("licence", 9)
    assert "cannot be published" in message


@pytest.mark.parametrize("written", ["cc-by-4.0", "CC-BY-4.0", "mit", "0BSD", "odbl", "openrail++", "other"])
def test_identifiers_of_spdx_and_the_hub_are_known(written: str) -> None:
    assert is_license_id(written)
    assert all(map(is_license_id, license_ids()))


def test_typographic_quotes_in_study_yaml_are_found(tmp_path: Path) -> None:
    ((rule, line, message),) = found(tmp_path, "templates:", "about: “Carers.”\ntemplates:")
    assert (rule, line) == ("typographic-quotes", 3)
    assert "“Carers.”" in message


@pytest.mark.parametrize("name", ["Study.yml", "study.yml", "STUDY.yaml"])
def test_a_study_under_another_name_is_not_linted_as_templates(tmp_path: Path, name: str) -> None:
    file = nextset.new_study(tmp_path / "mine").file
    file.rename(file.with_name(name))
    with pytest.raises(InputError, match="a study is read from") as error:
        nextset.lint(tmp_path / "mine")
    assert error.value.file == tmp_path / "mine" / name


@pytest.mark.parametrize(
    ("added", "says"),
    [
        ("scoring: {prompts: nowhere.yaml}\n", r"nowhere\.yaml: no such file"),
        ("scoring: {prompts: mine.yaml}\n", r"mine\.yaml:3: .*unknown placeholder \{premiss\}"),
        ("  group_terms: nowhere.yaml\n", r"nowhere\.yaml: no such file"),
    ],
)
def test_a_file_that_a_study_names_is_read(tmp_path: Path, added: str, says: str) -> None:
    file = nextset.new_study(tmp_path / "mine").file
    file.with_name("mine.yaml").write_text(
        'format: 1\nnli:\n  - prompt: "{premiss} {hypothesis}"\n'
        "    choices: {entailment: a, neutral: b, contradiction: c}\n"
    )
    text = file.read_text(encoding="utf-8")
    in_release = "  license: cc-by-4.0\n"
    text = text.replace(in_release, in_release + added) if added.startswith(" ") else text + added
    file.write_text(text, encoding="utf-8")
    with pytest.raises(InputError, match=says):
        nextset.lint(tmp_path / "mine")


def test_texts_that_two_templates_share_are_found(tmp_path: Path) -> None:
    folder = nextset.new_study(tmp_path / "mine").file.parent
    (file,) = (folder / "templates").glob("*.yaml")
    text = file.read_text(encoding="utf-8")
    other = text.replace("stereotype: ", "stereotype: other ", 1)
    (folder / "templates/zz_other.yaml").write_text(other, encoding="utf-8")
    findings = [f for f in nextset.lint(folder).findings if f.rule == "repeated-texts"]
    assert [(f.file.name, f.line is not None) for f in findings] == [("zz_other.yaml", True)]
    assert file.name in findings[0].message
