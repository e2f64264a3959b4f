from __future__ import annotations

from collections import Counter
from typing import Any
from xml.etree import ElementTree

import pytest

from nextset.errors import StudyError
from nextset.validation.annotator_pages.gate_page import GatePage, gate_config, gate_task
from nextset.validation.annotator_pages.labelling_config import labelling_config
from nextset.validation.annotator_pages.page_wording import KnownSentence
from nextset.validation.annotator_pages.tasks import task
from nextset.validation.forms.validated_form import VALIDATED_FORMS
from tests.validation.annotator_pages.briefings import (
    DOMAINS,
    HOSTILE,
    LANGUAGES,
    QUESTION,
    SENTENCE,
    choice,
    told,
)
from tests.validation.session.sample_annotators import right_answers

KINDS: list[str] = ["nli", "question"]
ITEM = {"nli": SENTENCE, "question": QUESTION}


def label_studio(config: str) -> Any:
    interface = pytest.importorskip("label_studio_sdk.label_interface", reason="label-studio-sdk is missing")
    made = interface.LabelInterface(config)
    made.validate()
    return made


def fields(config: str) -> set[str]:
    return {
        v[1:] for tag in ElementTree.fromstring(config).iter() for v in tag.attrib.values() if v[:1] == "$"
    }


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("premise", [False, True])
@pytest.mark.parametrize("votes", [None, "Valid, Pro × 2\nInvalid × 1"])
def test_label_studio_takes_the_page_and_its_tasks(
    kind: str, language: str, premise: bool, votes: str | None
) -> None:
    config = labelling_config(told(kind, language), premise=premise, votes=votes is not None)
    data = task(VALIDATED_FORMS[kind], ITEM[kind], premise=premise, votes=votes)
    page = label_studio(config)
    assert page.validate_task({"data": data})
    assert fields(config) == set(data) - {"unit_id"}
    blocks = {
        "nli": [choice("verdict", "valid"), choice("stance", "pro"), choice("reason", "grammar")],
        "question": [
            choice("underspecified", "yes"),
            choice("grammatical", "yes"),
            choice("free_of_hint", "no"),
        ],
    }
    of = "hypothesis" if kind == "nli" else "context"
    result = [{**block, "to_name": of} for block in blocks[kind]]
    assert page.validate_annotation({"result": result})


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("language", LANGUAGES)
def test_every_choice_of_a_page_has_a_key_of_its_own(kind: str, language: str) -> None:
    made = told(kind, language)
    for config in (labelling_config(made), gate_config(made, DOMAINS), gate_config(made, DOMAINS, "retry")):
        keys = [
            tag.attrib["hotkey"]
            for tag in ElementTree.fromstring(config).iter()
            if tag.tag in ("Choice", "Filter")
        ]
        assert [key for key, n in Counter(keys).items() if n > 1] == []
        assert "u" not in keys, "Label Studio uses it"
        for tag in ElementTree.fromstring(config).iter("Choice"):
            assert f"<kbd>{tag.attrib['hotkey']}</kbd>" in tag.attrib["html"]


@pytest.mark.parametrize("language", LANGUAGES)
def test_stored_choices_do_not_depend_on_the_language(language: str) -> None:
    def stored(language: str) -> list[str]:
        config = labelling_config(told("nli", language)) + gate_config(told("nli", language), DOMAINS)
        root = ElementTree.fromstring(f"<all>{config}</all>")
        return [tag.attrib["alias"] for tag in root.iter("Choice")]

    assert stored("en") == stored(language)
    assert {"valid", "declined", "pro", "agree", "gender"} <= set(stored(language))


def test_words_of_the_study_are_no_fields_and_no_tags() -> None:
    made = told(support=HOSTILE)
    assert fields(labelling_config(made)) <= set(SENTENCE)
    hostile = '<b onclick="x">$domain'
    config = gate_config(made, (hostile,))
    (found,) = [t for t in ElementTree.fromstring(config).iter("Choice") if t.attrib["alias"] == hostile]
    assert "<b onclick" not in found.attrib["html"]
    assert "$domain" not in found.attrib["value"]


def test_a_language_from_right_to_left_turns_the_page() -> None:
    made = told()
    turned = made.wording.model_copy(update={"direction": "rtl"})
    config = labelling_config(type(made)(**{**vars(made), "wording": turned}))
    assert "ns-rtl" in ElementTree.fromstring(config).attrib["className"]
    assert "ns-rtl" not in ElementTree.fromstring(labelling_config(made)).attrib["className"]


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("at", ["gate", "retry"])
def test_label_studio_takes_the_gate_which_holds_no_answer(kind: str, at: GatePage) -> None:
    made = told(kind)
    config, data = gate_config(made, DOMAINS, at), gate_task(made, None if at == "gate" else ["check_1"])
    page = label_studio(config)
    assert page.validate_task({"data": data})
    assert fields(config) == set(data) - {"unit_id"}
    items = made.comprehension if at == "gate" else made.again
    for item in items:
        assert item.why not in config + str(data)
        texts = (item.text,) if isinstance(item, KnownSentence) else (item.context, item.question)
        assert set(texts) <= set(data.values())
    answers = {**right_answers(items), "consent": "agree"}
    result = [{**choice(name, value), "to_name": "guidelines"} for name, value in answers.items()]
    assert page.validate_annotation({"result": result})
    assert made.consent in data.values()
    if at == "gate":
        assert made.warning in data.values()
        assert made.support in data["guidelines"]


def test_guidelines_are_shown_without_their_html() -> None:
    html = gate_task(told(support=HOSTILE + " [x](javascript:alert(1)) ![p](http://example.org/p.png)"))[
        "guidelines"
    ]
    assert "<script" not in html
    assert "<img" not in html
    assert 'href="javascript' not in html
    assert "&lt;script&gt;" in html


def test_more_choices_than_keys_are_refused() -> None:
    with pytest.raises(StudyError, match="needs 45 keys"):
        gate_config(told(), [f"domain {i}" for i in range(30)])
