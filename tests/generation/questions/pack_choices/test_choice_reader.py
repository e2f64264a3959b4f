"""The reader of templates of choices: each mistake has a file and a remedy, and nothing is read in part."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import yaml

import nextset
from nextset.errors import WordListError
from nextset.generation.questions.pack import read_pack, read_pack_choices
from nextset.generation.questions.pack_choices.choice_template import PackChoices
from tests.generation.questions.pack_choices.small_choices import AGES, KEYS, WINDOW, choice_pack

TWICE = {"ambiguous": "[subj1:a] met [subj2:a] and [subj2:a]."}
CROSSED = {"some": {"a Black woman": {"cluster": "black/female"}, "a white man": {"cluster": "white/male"}}}
BASE = {
    "ambiguous": "[subj1] met [subj2] at {{PLACE}}.",
    "disambiguating": "[subj1] lost the keys.",
    "options": "[subj1]",
}

MISTAKES: dict[str, tuple[dict[str, Any], str]] = {
    "a person too many": ({"template": TWICE}, "the ambiguous context has [subj1] and [subj2] and [subj2]"),
    "the second person first": (
        {"template": {"ambiguous": "[subj2:a] met [subj1:a]."}},
        "the ambiguous context has [subj2] and [subj1]",
    ),
    "no person": ({"template": {"ambiguous": "It rained."}}, "the ambiguous context has no person"),
    "nobody did it": (
        {"template": {"disambiguating": "The keys were lost."}},
        "the disambiguating text names no person",
    ),
    "a person in a question": (
        {"template": {"negative": "Did [subj1:the] lose the keys?"}},
        "the question names a person",
    ),
    "the same question twice": (
        {"template": {"non_negative": KEYS["negative"]}},
        "both questions have the same text",
    ),
    "another slot": ({"template": {"negative": "Who [p_act]?"}}, "[p_act] is not a person"),
    "a stray bracket": ({"template": {"negative": "Who] lost them?"}}, "has a stray ']'"),
    "a stray brace": ({"template": {"negative": "Who {lost} them?"}}, "has a stray '{'"),
    "a list in small letters": ({"template": {"negative": "Who lost {{keys}}?"}}, "{{keys}} is not a name"),
    "no kind of word": ({"template": {"negative": "Who is {{MASK:}}?"}}, "{{MASK:}} names no kind of word"),
    "an unknown kind of word": (
        {"template": {"negative": "Who is {{MASK:adjective}}?"}},
        "neither a category nor a form",
    ),
    "a mask in one question": (
        {"template": {"negative": "Who is {{MASK:adj}}?"}},
        "some items of a set would have a mask and others none",
    ),
    "a mask after the answer": (
        {"template": {"disambiguating": "[subj1:the] was {{MASK:adj}}."}},
        "some items of a set would have a mask and others none",
    ),
    "an unknown list": (
        {"template": {"negative": "Who lost {{WHAT}}?"}},
        "{{WHAT}} is not a list of the template",
    ),
    "a word with a slot": (
        {"template": {"words": {"PLACE": ["[subj1:the]"]}}},
        "the word '[subj1:the]' contains a bracket",
    ),
    "a word twice": ({"template": {"words": {"PLACE": ["here", "here"]}}}, "a word of PLACE is listed twice"),
    "a list called MASK": ({"template": {"words": {"MASK": ["x"]}}}, "MASK"),
    "a target that nobody is": ({"template": {"target": ["ancient"]}}, "no one in the lists is of the group"),
    "everyone": ({"template": {"target": ["old", "young"]}}, "everyone in the lists is in the target"),
    "a group on both sides": (
        {"template": {"against": ["old"]}},
        "'grandfather' is in target and in against",
    ),
    "contrasts without crossed groups": (
        {"template": {"along": ["gender"]}},
        "'gender' is not a crossed attribute",
    ),
    "a missing form": (
        {"template": {"ambiguous": "[subj1:dem] met [subj2:a]."}},
        "'grandfather' has no form 'dem', which keys in age.yaml needs",
    ),
    "options without a person": ({"template": {"options": "somebody"}}, "options is not a person"),
    "options with the second person": ({"template": {"options": "[subj2:the]"}}, "options is not a person"),
    "options that are the same": (
        {
            "people": {"ages": {**AGES, "uncle": {"forms": dict(AGES["aunt"]["forms"]), "cluster": "young"}}},
        },
        "are the same option, 'The aunt'",
    ),
    "an option that is unknown": (
        {"unknown": ["the Aunt"]},
        "'aunt' and the wording 'the Aunt' of unknown are the same option",
    ),
    "a wording twice": ({"unknown": ["Unknown", "unknown"]}, "the wording 'unknown' is listed twice"),
    "no list": ({"file": {"groups": {}}}, "the file names no list of people"),
    "a list that is not there": (
        {"file": {"groups": {"subjects": ["people"]}}},
        "there is no subjects/people.yaml",
    ),
    "a list twice": (
        {"file": {"groups": {"subjects": ["ages", "ages"]}}},
        "the list 'ages' is named twice",
    ),
    "a person without a group": (
        {"people": {"ages": {**AGES, "man": {}}}},
        "'man' has no cluster",
    ),
    "one group": (
        {"people": {"ages": {k: v for k, v in AGES.items() if v["cluster"] == "old"}}},
        "all people are of one group",
    ),
    "a part too few": (
        {"people": CROSSED, "template": {**BASE, "target": ["black/*"]}},
        "has several parts, and groups.crossed names no attributes",
    ),
    "a template and a control of one name": (
        {"controls": {"keys": WINDOW}},
        "the template 'keys' is also in age.yaml",
    ),
    "no source": ({"template": {"source": None}}, "source"),
    "an empty source": ({"template": {"source": ""}}, "the text is empty"),
    "a key that does not exist": ({"template": {"positive": "Who?"}}, "positive"),
    "no format": ({"file": {"format": 2}}, "format"),
    "a control character": ({"template": {"negative": "Who\u202e lost?"}}, "the control character U+202E"),
    "extra spaces": ({"template": {"negative": "Who  lost?"}}, "extra spaces"),
    "a very long text": ({"template": {"negative": "Who " * 300 + "?"}}, "more than 1,000"),
}


@pytest.mark.parametrize("name", MISTAKES)
def test_a_mistake_is_an_error_with_a_line_and_a_remedy(tmp_path: Path, name: str) -> None:
    keys, says = MISTAKES[name]
    pack = choice_pack(tmp_path, **keys)
    with pytest.raises(WordListError) as error:
        read_pack_choices(pack)
    assert says in str(error.value)
    assert error.value.file is not None
    assert error.value.file.is_relative_to(pack)
    assert error.value.remedy
    assert len(str(error.value)) < 1000
    with pytest.raises(WordListError):
        read_pack(pack)


@pytest.mark.parametrize(
    "text",
    [
        "- a list",
        "format: 1\ncategory: age\ntemplates: {a: *missing}",
        "format: 1\ncategory: !!python/object:os.system age",
        "format: 1\ncategory: age\ngroups: [ages]\ntemplates: 3",
        "a: &a [*a]",
        "\x00",
    ],
)
def test_a_file_that_is_no_template_file_is_refused(tmp_path: Path, text: str) -> None:
    pack = choice_pack(tmp_path)
    (pack / "choice" / "age.yaml").write_text(text, encoding="utf-8")
    with pytest.raises(WordListError) as error:
        read_pack_choices(pack)
    assert error.value.remedy


def test_two_files_of_a_category_are_refused(tmp_path: Path) -> None:
    pack = choice_pack(tmp_path)
    other = yaml.safe_load((pack / "choice" / "age.yaml").read_text(encoding="utf-8"))
    (pack / "choice" / "ages.yaml").write_text(yaml.safe_dump(other), encoding="utf-8")
    with pytest.raises(WordListError, match=r"age\.yaml has the category 'age' too"):
        read_pack_choices(pack)
    (pack / "choice" / "ages.yaml").write_text(
        yaml.safe_dump({**other, "category": "other"}), encoding="utf-8"
    )
    with pytest.raises(WordListError, match=r"the template 'keys' is also in age\.yaml"):
        read_pack_choices(pack)


def test_a_pack_without_choices_has_none_and_wordings_are_needed(tmp_path: Path) -> None:
    pack = choice_pack(tmp_path)
    (pack / "choice" / "unknown.yaml").unlink()
    with pytest.raises(WordListError, match="no wordings of the option"):
        read_pack_choices(pack)
    (pack / "choice" / "age.yaml").unlink()
    assert read_pack_choices(pack) is None
    (pack / "choice").rmdir()
    assert read_pack_choices(pack) is None
    with pytest.raises(WordListError, match="neither classes nor templates of choices"):
        read_pack(pack)


def test_the_commands_for_packs_take_a_pack_of_choices_alone(tmp_path: Path) -> None:
    pack = choice_pack(tmp_path / "pack")
    status = nextset.language_status(pack)
    assert status.problem == ""
    with pytest.raises(WordListError, match="no questions or statements, and a review shows only these"):
        nextset.review_language(pack, tmp_path / "review.csv")
    assert not (tmp_path / "review.csv").exists()


def read(pack: Path) -> PackChoices:
    choices = read_pack_choices(pack)
    assert choices is not None
    return choices


def test_a_name_takes_its_base_form_but_not_in_a_case(tmp_path: Path) -> None:
    names = {"Ada": {"cluster": "old"}, "Bob": {"cluster": "young"}}
    people: dict[str, Any] = {"ages": AGES, "names": names}
    groups = {"groups": {"subjects": ["ages"], "names": ["names"]}}
    choices = read(choice_pack(tmp_path / "a", people=people, file=groups))
    assert [s.name for s in choices.templates[0].people.names] == ["Ada", "Bob"]
    cases = {"ambiguous": "[subj1:a] met [subj2:dat].", "disambiguating": "[subj1:the] lost."}
    forms: dict[str, Any] = {n: {**s, "forms": {**s["forms"], "dat": n}} for n, s in AGES.items()}
    pack = choice_pack(tmp_path / "b", people={"ages": forms, "names": names}, file=groups, template=cases)
    with pytest.raises(WordListError, match="'Ada' has no form 'dat'"):
        read(pack)


def test_a_template_for_one_gender_takes_the_people_of_that_gender(tmp_path: Path) -> None:
    people = {
        "some": {
            "Ada": {"cluster": "a", "gender": "f"},
            "Eva": {"cluster": "b", "gender": "f"},
            "Bob": {"cluster": "b", "gender": "m"},
            "Max": {"cluster": "a", "gender": "m"},
        }
    }
    texts = {
        "ambiguous": "[subj1] met [subj2], [g?f=a woman|m=a man].",
        "disambiguating": "[subj1] lost, and [subj2.g?f=she|m=he] found.",
        "options": "[subj1]",
        "words": None,
        "target": ["a"],
    }
    women, men = read(choice_pack(tmp_path, people=people, template=texts)).templates
    assert (women.id, [s.name for s in women.people.subjects]) == ("keys.f", ["Ada", "Eva"])
    assert (men.id, [s.name for s in men.people.subjects]) == ("keys.m", ["Bob", "Max"])
    unknown = {**people["some"], "Sam": {"cluster": "a", "gender": "n"}}
    lacking = {**texts, "ambiguous": "[subj1] met [subj2]."}
    with pytest.raises(WordListError, match="no words for the gender of 'Sam'"):
        read(choice_pack(tmp_path / "n", people={"some": unknown}, template=lacking))
