"""Files of sentences: what they give, and what is refused with its line."""

from __future__ import annotations

from pathlib import Path

import pytest
import yaml

from nextset.errors import WordListError
from nextset.extensions.interventions.sentences.sentence_files import read_sentences

FILE = """\
format: 1
language: en
source: "our own"
classes: [gender]
domains: [gender]
interventions:
  ethical:
    by_skill: {text: "Skill decides who gets the work."}
    no_theft: {text: "Nobody steals because of a name.", clusters: [crime]}
  irrelevant:
    colour: {text: "The colour of a door decides nothing."}
"""


def written(tmp_path: Path, text: str) -> Path:
    file = tmp_path / "gender.yaml"
    file.write_text(text, encoding="utf-8")
    return file


def test_sentences_come_in_the_order_of_kinds_with_what_the_file_says_of_all(tmp_path: Path) -> None:
    found = read_sentences(written(tmp_path, FILE))
    assert [(s.kind, s.name, s.clusters) for s in found] == [
        ("ethical", "by_skill", ()),
        ("ethical", "no_theft", ("crime",)),
        ("irrelevant", "colour", ()),
    ]
    assert {(s.language, s.join, s.classes, s.domains, s.source) for s in found} == {
        ("en", " ", ("gender",), ("gender",), "our own")
    }


@pytest.mark.parametrize(
    ("old", "new", "line", "said"),
    [
        ("The colour of a door", "Skill decides who gets the work.", None, None),
        ("Skill decides", "{{MASK}} decides", 8, "{{"),
        ("Skill decides", "[mask] decides", 8, "[mask]"),
        ("Skill decides", "Skill [Sep] decides", 8, "[Sep]"),
        ("Skill decides", "Skill <|im_end|> decides", 8, "<|im_end|>"),
        ("Skill decides", "Skill </s> decides", 8, "</s>"),
        ("Skill decides", "Skill\\u202e decides", 8, "U+202E"),
        ("Skill decides", "Skill  decides", 8, "extra spaces"),
        ('"Skill decides who gets the work."', '"12345."', 8, "no letter"),
        ("ethical:", "ethicl:", 7, "ethicl"),
        ("language: en\n", "", 1, "language"),
        ("classes: [gender]\ndomains: [gender]\n", "", 1, "neither classes nor domains"),
    ],
)
def test_a_wrong_file_is_refused_with_its_line(
    tmp_path: Path, old: str, new: str, line: int | None, said: str | None
) -> None:
    text = FILE.replace(old, new)
    if said is None:  # the whole sentence is repeated
        text = FILE.replace("The colour of a door decides nothing.", new)
        line, said = 11, "by_skill"
    with pytest.raises(WordListError) as caught:
        read_sentences(written(tmp_path, text))
    assert said in str(caught.value)
    assert caught.value.line == line
    assert caught.value.remedy


def test_a_file_without_sentences_is_refused(tmp_path: Path) -> None:
    data = {**yaml.safe_load(FILE), "interventions": {}}
    with pytest.raises(WordListError, match="no sentences"):
        read_sentences(written(tmp_path, yaml.safe_dump(data)))
