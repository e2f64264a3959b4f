"""The answers of yes/no questions: nextset's own, and what is refused in a file of one's own."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from nextset.errors import ModelError, StudyError
from nextset.scoring.generative.prompt_wordings import own_prompts, read_prompts
from nextset.scoring.yes_no.answer_options import AnswerOptions, AnswerTexts

OPTIONS = """\
format: 1
options:
  choices: {entailment: ja, neutral: vielleicht, contradiction: nein}
  listed:
    - Ja, nein oder vielleicht.
    - Vielleicht, ja oder nein.
    - Nein, vielleicht oder ja.
"""


def _write(folder: Path, text: str) -> Path:
    file = folder / "prompts.yaml"
    file.write_text(text, encoding="utf-8")
    return file


def test_the_places_are_those_of_the_answers() -> None:
    options = own_prompts().answers
    for i, sentence in enumerate(options.listed):
        found = [sentence[a:b].lower() for a, b in options.places(i)]
        assert found == list(options.choices.in_order) == ["yes", "maybe", "no"]


def test_each_answer_stands_once_in_every_place_of_nextsets_own() -> None:
    options = own_prompts().answers
    order = [sorted(range(3), key=lambda k: options.places(i)[k]) for i in range(len(options.listed))]
    assert [{row[place] for row in order} for place in range(3)] == [{0, 1, 2}] * 3


def test_own_answers_are_read_and_known_by_their_content(tmp_path: Path) -> None:
    found = read_prompts(_write(tmp_path, OPTIONS)).answers
    assert found.choices.in_order == ("ja", "vielleicht", "nein")
    assert found.digest == read_prompts(_write(tmp_path, f"# a comment\n{OPTIONS}")).answers.digest
    assert found.digest != own_prompts().answers.digest


def test_a_file_without_answers_is_refused_when_they_are_needed(tmp_path: Path) -> None:
    prompts = read_prompts(_write(tmp_path, "format: 1\n"))
    with pytest.raises(ModelError, match="has no options") as told:
        _ = prompts.answers
    assert "add the section options" in told.value.remedy


@pytest.mark.parametrize(
    ("change", "line", "message"),
    [
        (("neutral: vielleicht", "neutral: JA"), 3, "two choices are the same"),
        (("Ja, nein", "Doch, nein"), 5, "has the choice 'ja' 0 times"),
        (("Ja, nein", "Ja, nein, nein"), 5, "has the choice 'nein' 2 times"),
        (("Nein, vielleicht oder ja", "Ja, vielleicht oder nein"), 4, "equally often"),
        (("    - Nein, vielleicht oder ja.\n", ""), 4, "equally often"),
        (("nein}", "no}"), 5, "has the choice 'no' 0 times"),
        (("contradiction: nein", "contradiction: no"), 3, "does not read this word as text"),
        (("listed:", "lists:"), 4, "unknown key"),
    ],
)
def test_what_is_wrong_is_told_with_its_line(
    tmp_path: Path, change: tuple[str, str], line: int, message: str
) -> None:
    if change[1] == "no}":  # in quotes it is a text
        change = ("nein}", '"no"}')
    file = _write(tmp_path, OPTIONS.replace(*change))
    with pytest.raises(StudyError, match=re.escape(message)) as told:
        read_prompts(file)
    assert (told.value.file, told.value.line) == (file, line)


def test_a_choice_inside_another_is_refused(tmp_path: Path) -> None:
    text = OPTIONS.replace("neutral: vielleicht", "neutral: ja und nein").replace("vielleicht", "ja und nein")
    with pytest.raises(StudyError, match="times"):
        read_prompts(_write(tmp_path, text.replace("Vielleicht", "Ja und nein")))


@given(
    st.lists(st.text(alphabet="abä ß.-", min_size=1, max_size=4).map(str.strip).filter(bool), min_size=3,
             max_size=3, unique_by=str.casefold)
)  # fmt: skip
def test_places_are_inside_the_sentence_whatever_the_answers_are(
    tmp_path_factory: object, texts: list[str]
) -> None:
    a, b, c = texts
    listed = (f"{a} , {b} , {c}", f"{b} , {c} , {a}", f"{c} , {a} , {b}")
    options = AnswerOptions(choices=AnswerTexts(entailment=a, neutral=b, contradiction=c), listed=listed)
    try:
        places = [options.places(i) for i in range(3)]
    except IndexError:  # check_options counts the answers before their places are asked for
        return
    for sentence, found in zip(listed, places, strict=True):
        assert [sentence[p:q].casefold() for p, q in found] == [text.casefold() for text in texts]
