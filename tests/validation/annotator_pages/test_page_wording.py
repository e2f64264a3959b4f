from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import yaml

from nextset.errors import StudyError
from nextset.validation.annotator_pages.briefing import briefing
from nextset.validation.annotator_pages.page_wording import (
    OURS,
    Comprehension,
    SecondTry,
    Wording,
    load_wording,
)
from nextset.validation.forms.judged_questions import JUDGED_QUESTIONS
from tests.validation.annotator_pages.briefings import LANGUAGES, SESSION, told

ENGLISH = (OURS / "wording" / "en.yaml").read_text(encoding="utf-8")


def write(folder: Path, name: str, **changed: Any) -> Path:
    """A copy of the English wording as ``name``, with other values; None takes a key away."""
    data = yaml.safe_load(ENGLISH)
    data["language"] = name
    for place, value in changed.items():
        *way, last = place.split("__")
        at = data
        for step in way:
            at = at[step]
        if value is None:
            del at[last]
        else:
            at[last] = value
    folder.mkdir(exist_ok=True)
    path = folder / f"{name}.yaml"
    path.write_text(yaml.safe_dump(data, allow_unicode=True), encoding="utf-8")
    return path


@pytest.mark.parametrize("language", LANGUAGES)
def test_ours_have_enough_of_everything_and_were_checked_by_nobody_yet(language: str) -> None:
    wording = load_wording(language, None)
    assert sum(len(topic.texts) for topic in wording.rest) == 30
    assert sum(len(topic.questions) for topic in wording.rest) == 18
    for known in (wording.comprehension, wording.comprehension.again):
        assert len(known.nli) == len(known.question) == 5
        assert {item.verdict for item in known.nli} == {"valid", "invalid", "incoherent"}
        assert {item.stance for item in known.nli} == {"pro", "anti", None}
        assert {item.asks for item in known.question} == {"underspecified", "grammatical", "free_of_hint"}
        assert {item.answer for item in known.question} == {"yes", "no"}
    assert wording.checked_by is None
    assert told("nli", language).unchecked


@pytest.mark.parametrize("place", ["warning", "choices__declined", "choices__declined__label", "checked_by"])
def test_a_wording_without_warning_or_a_way_out_is_refused(tmp_path: Path, place: str) -> None:
    path = write(tmp_path, "xx", **{place: None})
    with pytest.raises(StudyError, match="is missing") as e:
        load_wording("xx", tmp_path)
    assert e.value.file == path


@pytest.mark.parametrize("name", ["de.yml", "de.YAML", "en.MD"])
def test_a_file_with_another_ending_does_not_give_way_to_ours(tmp_path: Path, name: str) -> None:
    (tmp_path / name).touch()
    with pytest.raises(StudyError, match="is not read") as e:
        load_wording("de", tmp_path)
    assert e.value.file == tmp_path / name


@pytest.mark.parametrize(
    ("place", "value", "why"),
    [
        ("warning", "short", "too short"),
        ("choices__declined__label", "", "too short"),
        ("choices__declined__label", "a\x08b", "control character|not YAML"),
        ("direction", "down", "not a known value"),
        ("language", "de", "the file is named"),
        ("language", "a b", "not a language tag"),
        ("rest", [], "the list is empty"),
        ("headings__colour", "x", "unknown key"),
    ],
)
def test_what_is_wrong_is_named(tmp_path: Path, place: str, value: Any, why: str) -> None:
    path = write(tmp_path, "xx", **{place: value})
    with pytest.raises(StudyError, match=why) as e:
        load_wording("xx", tmp_path)
    assert e.value.file == path


def test_a_known_sentence_has_a_stance_when_it_is_valid_and_only_then(tmp_path: Path) -> None:
    items = yaml.safe_load(ENGLISH)["comprehension"]["nli"]
    items[0]["stance"] = None
    write(tmp_path, "xx", comprehension__nli=items)
    with pytest.raises(StudyError, match="a valid sentence needs a stance"):
        load_wording("xx", tmp_path)


def test_a_language_that_nobody_wrote_is_a_file_to_write(tmp_path: Path) -> None:
    with pytest.raises(StudyError, match="'pt'") as e:
        load_wording("pt", tmp_path)
    assert e.value.file == tmp_path / "pt.yaml"
    assert "en.yaml" in e.value.remedy
    assert "validate.session.wording" in e.value.remedy
    write(tmp_path, "pt")
    settings = SESSION.model_copy(update={"wording": "."})
    with pytest.raises(StudyError, match="'pt'") as e:
        briefing(JUDGED_QUESTIONS, "pt", settings, tmp_path.joinpath)
    assert e.value.file == tmp_path / "questions.pt.md"
    (tmp_path / "questions.pt.md").write_text("{{warning}} {{consent}} {{support}}", encoding="utf-8")
    assert briefing(JUDGED_QUESTIONS, "pt", settings, tmp_path.joinpath).wording.language == "pt"


def test_the_studys_own_files_go_before_ours_and_a_country_falls_back(tmp_path: Path) -> None:
    write(tmp_path, "de", required="Bitte!")
    assert load_wording("de", tmp_path).required == "Bitte!"
    assert load_wording("de-AT", tmp_path).required == "Bitte!"
    assert load_wording("en", tmp_path) == load_wording("en", None)
    with pytest.raises(StudyError, match="does not name a folder"):
        told(wording=str(tmp_path / "nowhere"))


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_languages_that_come_with_nextset_say_the_same_things(language: str) -> None:
    def keys(value: Any) -> Any:
        return (
            {name: keys(v) for name, v in value.items()} if isinstance(value, dict) else type(value).__name__
        )

    def shape(wording: Wording) -> Any:
        return keys(wording.model_dump(exclude={"comprehension", "rest"}))

    english, other = load_wording("en", None), load_wording(language, None)
    assert shape(english) == shape(other)
    assert answers(english.comprehension) == answers(other.comprehension)
    assert answers(english.comprehension.again) == answers(other.comprehension.again)


def answers(items: Comprehension | SecondTry) -> list[tuple[str, str | None]]:
    """What is right of each item."""
    sentences: list[tuple[str, str | None]] = [(i.verdict, i.stance) for i in items.nli]
    return [*sentences, *((i.asks, i.answer) for i in items.question)]


@pytest.mark.parametrize("language", LANGUAGES)
def test_comprehension_items_are_neither_in_the_guidelines_nor_among_the_rest_items(language: str) -> None:
    """Who copies an example, or remembers an item of rest, answers none of them."""
    wording = load_wording(language, None)
    first, again = wording.comprehension, wording.comprehension.again
    guidelines = _letters(told("nli", language).guidelines + told("question", language).guidelines)
    items = [*first.nli, *again.nli]
    texts = [_letters(item.text) for item in items]
    questions = [_letters(item.question) for item in (*first.question, *again.question)]
    contexts = [_letters(item.context) for item in (*first.question, *again.question)]
    assert len(set(texts)) == len(texts)
    assert len(set(zip(contexts, questions, strict=True))) == len(questions)
    rest = {_letters(text) for topic in wording.rest for text in topic.texts}
    asked = {
        _letters(text) for topic in wording.rest for q in topic.questions for text in (q.question, q.context)
    }
    for text in (*texts, *questions, *contexts):
        assert text not in guidelines
        assert text not in rest | asked
    topics = {topic.stereotype for topic in wording.rest}
    assert topics.isdisjoint(item.stereotype for item in items)
    assert {item.stereotype for item in first.nli}.isdisjoint(item.stereotype for item in again.nli)
    groups = {_letters(group) for topic in wording.rest for group in topic.groups}
    assert groups.isdisjoint(_letters(group) for item in items for group in item.groups)


def _letters(text: str) -> str:
    """``text`` without case, spaces and marks, so that they make no difference."""
    return "".join(c for c in text.casefold() if c.isalnum())
