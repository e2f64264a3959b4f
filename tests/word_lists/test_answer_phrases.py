"""answer_phrases.yaml: the shipped phrases are read in every language, and a wrong entry is named."""

from __future__ import annotations

from pathlib import Path

import pytest

from nextset.errors import WordListError
from nextset.scoring.model_server.answer_phrase_index import plain_sentence
from nextset.word_lists import FOLDER
from nextset.word_lists.answer_phrases import answer_phrases, answer_phrases_digest, read_answer_phrases

SHIPPED = answer_phrases().languages
PACKS = {file.parent.name for file in FOLDER.glob("*/pack.yaml")}


def test_the_languages_of_the_packs_and_of_published_questions_have_phrases() -> None:
    assert {"ca", "ko"} | PACKS <= set(SHIPPED)


@pytest.mark.parametrize("language", SHIPPED)
def test_a_language_has_enough_phrases_each_once(language: str) -> None:
    phrases = SHIPPED[language]
    assert len(phrases.abstentions) >= 14
    assert len(phrases.refusals) >= 10
    for section in (phrases.abstentions, phrases.refusals, phrases.lead_ins):
        plain = [plain_sentence(phrase) for phrase in section]
        assert "" not in plain
        kinds = [(text, phrase.startswith("…")) for text, phrase in zip(plain, section, strict=True)]
        assert sorted(kind for kind in set(kinds) if kinds.count(kind) > 1) == []


def test_no_phrase_is_both_an_abstention_and_a_refusal_in_any_language() -> None:
    plain = {
        section: {plain_sentence(p) for phrases in SHIPPED.values() for p in getattr(phrases, section)}
        for section in ("abstentions", "refusals")
    }
    assert plain["abstentions"] & plain["refusals"] == set()


def test_the_digest_changes_with_the_phrases_alone(tmp_path: Path) -> None:
    assert answer_phrases_digest() == answer_phrases_digest()
    text = (FOLDER / "answer_phrases.yaml").read_text(encoding="utf-8")
    file = tmp_path / "answer_phrases.yaml"
    file.write_text(text, encoding="utf-8")
    assert read_answer_phrases(file) == answer_phrases()


@pytest.mark.parametrize(
    ("text", "line", "says"),
    [
        ("format: 1\nabout: x\nlanguages:\n  en: {abstentions: [], refusals: [no]}\n", 4, "abstentions"),
        ("format: 1\nabout: x\nlanguages:\n  en: {abstentions: [unknown]}\n", 4, "refusals"),
        ("format: 1\nabout: x\nlanguages: {}\nphrases: {}\n", 4, "unknown key"),
    ],
)
def test_a_wrong_entry_is_named_with_its_line(tmp_path: Path, text: str, line: int, says: str) -> None:
    file = tmp_path / "answer_phrases.yaml"
    file.write_text(text, encoding="utf-8")
    with pytest.raises(WordListError) as caught:
        read_answer_phrases(file)
    assert says in str(caught.value)
    assert caught.value.line == line
