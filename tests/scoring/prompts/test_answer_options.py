"""The answers of yes/no questions: nextset's own, and what is refused in a file of one's own."""

from __future__ import annotations

import itertools
import re
from pathlib import Path

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from nextset.errors import ModelError, StudyError
from nextset.scoring.prompt_wordings import own_prompts, read_prompts

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
        (("Ja, nein", "Doch, nein"), 5, "must have the choice 'ja' once, not 0 times"),
        (("Ja, nein", "Ja, nein, nein"), 5, "must have the choice 'nein' once, not 2 times"),
        (("Nein, vielleicht oder ja", "Ja, vielleicht oder nein"), 4, "equally often"),
        (("    - Nein, vielleicht oder ja.\n", ""), 4, "equally often"),
        (("nein}", "no}"), 5, "must have the choice 'no' once, not 0 times"),
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
    text = OPTIONS.replace("neutral: vielleicht", "neutral: ja-nein").replace(
        "Ja, nein oder vielleicht", "Ja-nein"
    )
    with pytest.raises(StudyError, match="one choice is part of another") as told:
        read_prompts(_write(tmp_path, text))
    assert told.value.line == 5


ANSWER = st.text(alphabet="abßÄ.- {", min_size=1, max_size=4)


@given(
    texts=st.lists(ANSWER, min_size=3, max_size=3),
    between=st.sampled_from([", ", " or ", "; ", "a"]),
    turns=st.lists(st.integers(0, 2), max_size=6),
)
def test_what_is_read_has_each_answer_in_each_place(
    tmp_path_factory: pytest.TempPathFactory, texts: list[str], between: str, turns: list[int]
) -> None:
    listed = [between.join((*texts[turn:], *texts[:turn])) for turn in turns]
    choices = dict(zip(("entailment", "neutral", "contradiction"), texts, strict=True))
    text = yaml.safe_dump(
        {"format": 1, "options": {"choices": choices, "listed": listed}}, allow_unicode=True
    )
    try:
        options = read_prompts(_write(tmp_path_factory.getbasetemp(), text)).answers
    except StudyError as e:
        assert e.remedy
        return
    assert sorted(turns.count(turn) for turn in range(3)) == [len(turns) // 3] * 3
    for i, sentence in enumerate(options.listed):
        places = options.places(i)
        found = [sentence[a:b].casefold() for a, b in places]
        assert found == [answer.casefold() for answer in options.choices.in_order]
        begins = sorted(places)
        assert all(a[1] <= b[0] for a, b in itertools.pairwise(begins))


def test_three_turned_sentences_are_read(tmp_path: Path) -> None:
    """The property above is not empty: such a file passes."""
    text = OPTIONS.replace("Nein, vielleicht oder ja.", "NEIN - vielleicht / ja?")
    assert len(read_prompts(_write(tmp_path, text)).answers.listed) == 3
