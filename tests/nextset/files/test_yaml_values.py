"""A wrong value in study.yaml is refused in our words."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import pytest
import yaml
from pydantic import Field

import nextset
from nextset.errors import InputError, StudyError
from nextset.files.yaml_model import EXACT, HandWritten, Prose, read_model


@pytest.mark.parametrize(
    ("old", "new", "says", "remedy"),
    [
        (
            "held_out: ",
            "rule: any_worng\n  held_out: ",
            "filter.rule: unknown value 'any_worng'",
            "'any_wrong'?",
        ),
        ("license: cc-by-4.0", "verdicts: majoryti", "release.verdicts: unknown value", "'majority'?"),
        (
            "held_out: ",
            "rule: {any_worng: true}\n  held_out: ",
            "unknown key 'filter.rule.any_worng'",
            "'any_wrong'?",
        ),
        ("top_k: 10", "top_k: ten", "fill.top_k: not a whole number (here: 'ten')", "write a whole number"),
        ("top_k: 10", "top_k: 0", "fill.top_k: too small (here: 0)", "write 1 or more"),
        ("templates: [templates]", "templates: a", "templates: not a list (here: 'a')", "write a list"),
        ("draft: true", "draft: maybe", "release.draft: neither true nor false", "write true or false"),
        ("license: cc-by-4.0", "license: 4.0", "release.license: not a text", "write text in quotes"),
        ("judge: rule", "judge: nobody", "validate.judge: not a known value", "write 'people' or 'rule'"),
        (
            "top_k: 10",
            "allow: all",
            "fill.allow: not a list (here: 'all')",
            "write a list, and in it write 'groups', 'other_groups'",
        ),
        ("top_k: 10", "allow: names", "fill.allow: not a list", "write a list, such as allow: [names]"),
        (
            "top_k: 10",
            "allow: {names: true}",
            "fill.allow: not a list",
            "write a list, and in it write 'groups'",
        ),
        (
            "templates: [templates]",
            "templates: 3",
            "templates: not a list (here: 3)",
            'and in it write text in quotes, such as "3"',
        ),
        (
            "templates: [templates]",
            "templates: [a, no]",
            "templates.1: not a text (here: no)",
            'text in quotes, such as "no"',
        ),
        (
            "license: cc-by-4.0",
            "license: no",
            "release.license: not a text (here: no)",
            'such as license: "no"',
        ),
        ("license: cc-by-4.0", "license:", "release.license: not a text (here: nothing)", 'license: "TEXT"'),
        (
            "top_k: 10",
            "fluency: builtin:masked-lm",
            "fill.fluency: neither true nor false, and not keys with values (here: 'builtin:masked-lm')",
            "write true or false, or write its keys below fluency, indented: at_least, model",
        ),
        (
            "license: cc-by-4.0",
            "verdicts: [majority]",
            "release.verdicts: it is not a rule",
            "write one of aggregated, majority",
        ),
        ("judge: rule", "session: 5", "validate.session: not keys with values", "write its keys"),
    ],
)
def test_a_wrong_value_is_refused_in_our_words(
    tmp_path: Path, old: str, new: str, says: str, remedy: str
) -> None:
    folder = nextset.new_study(tmp_path / "mine").file.parent
    text = (folder / "study.yaml").read_text(encoding="utf-8")
    assert old in text
    (folder / "study.yaml").write_text(text.replace(old, new, 1), encoding="utf-8")
    with pytest.raises(StudyError) as caught:
        nextset.Study.load(folder)
    assert caught.value.message.startswith(says)
    assert remedy in caught.value.remedy


class _Texts(HandWritten):
    prompt: Annotated[str, EXACT] = ""
    words: tuple[str, ...] = ()
    forms: dict[str, str] = Field(default_factory=dict)
    note: Prose = ""


@pytest.mark.parametrize("blank", [" ", "\\n", "\\t", "\\u00a0", "\\u3000"])
@pytest.mark.parametrize("text", ['"{0}a"', '"a{0}"', '"{0}a{0}"'])
def test_blanks_around_a_text_are_kept_or_refused_or_without_meaning(
    tmp_path: Path, text: str, blank: str
) -> None:
    file, written = tmp_path / "a.yaml", text.format(blank)
    value = yaml.safe_load(written)
    file.write_text(f"prompt: {written}\nnote: {written}\n", encoding="utf-8")
    read, _ = read_model(file, _Texts, StudyError)
    assert (read.prompt, read.note) == (value, "a")
    for refused, line, at in (
        (f"words:\n  - b\n  - {written}\n", 3, "words.1"),
        (f"forms:\n  x: b\n  y: {written}\n", 3, "forms.y"),
    ):
        file.write_text(refused, encoding="utf-8")
        with pytest.raises(StudyError) as caught:
            read_model(file, _Texts, StudyError)
        assert caught.value.line == line
        assert caught.value.message == f"{at}: {value!r} has extra spaces or line breaks around it"


def test_the_line_break_of_a_block_is_kept_or_refused(tmp_path: Path) -> None:
    file = tmp_path / "a.yaml"
    file.write_text("prompt: |\n  Answer:\nnote: >\n  one\n  two\n", encoding="utf-8")
    read, _ = read_model(file, _Texts, StudyError)
    assert (read.prompt, read.note) == ("Answer:\n", "one two")
    file.write_text("words:\n  - >\n    one\n", encoding="utf-8")
    with pytest.raises(StudyError) as caught:
        read_model(file, _Texts, StudyError)
    assert "unless the block begins with |- or >-" in caught.value.remedy


def test_a_study_s_texts_are_not_stripped_in_silence(tmp_path: Path) -> None:
    folder = nextset.new_study(tmp_path / "mine").file.parent
    study, template = folder / "study.yaml", next((folder / "templates").glob("*.yaml"))
    for file, old, new, at in (
        (study, "[templates]", '["templates "]', "templates.0"),
        (template, "- text: ", '- text: " a"\n    source: b\n  - text: ', "premises.0.text"),
    ):
        text = file.read_text(encoding="utf-8")
        assert old in text
        file.write_text(text.replace(old, new, 1), encoding="utf-8")
        with pytest.raises(InputError, match="has extra spaces") as caught:
            nextset.Study.load(folder) if file == study else nextset.load_templates(file)
        assert caught.value.message.startswith(at)
        assert caught.value.line is not None
