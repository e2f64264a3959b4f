from __future__ import annotations

from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

from nextset.errors import JudgmentError
from nextset.records.content_ids import unit_ids
from nextset.records.question_quads import QuadId
from nextset.validation.forms.judged_hypotheses import GoldHypothesis
from nextset.validation.forms.judged_questions import GoldQuestion
from nextset.validation.plan.domains_and_groups import ItemFacts
from tests.validation.plan.gold_files import gold_of

HYPOTHESES = """\
hypotheses:
  - language: en
    domain: drinks
    stereotype: tea is calm
    groups: [tea, coffee]
    hypothesis: Tea calms everybody.
    verdict: valid
    stance: pro
    why: it says so
    source: the people who wrote this test
  - language: en
    domain: drinks
    stereotype: tea is calm
    groups: [tea, coffee]
    hypothesis: Tea tea the.
    verdict: incoherent
    why: no sentence
    source: the people who wrote this test
"""

QUESTIONS = """\
questions:
  - language: en
    domain: drinks
    stereotype: was calm
    subjects: [Tea, Coffee]
    contexts: [Tea stood beside coffee., Coffee stood beside tea.]
    question: Who was calm?
    question_negated: Who was not calm?
    underspecified: yes
    grammatical: yes
    free_of_hint: no
    why: cups do not differ
    source: the people who wrote this test
"""


def write(tmp_path: Path, text: str) -> Path:
    path = tmp_path / "gold.yaml"
    path.write_text(text, encoding="utf-8")
    return path


def test_gold_hypotheses_have_the_ids_of_units(tmp_path: Path) -> None:
    first, second = gold_of(write(tmp_path, HYPOTHESES), "nli")
    assert isinstance(first, GoldHypothesis)
    item = {
        "language": "en",
        "stereotype": "tea is calm",
        "hypothesis": "Tea calms everybody.",
        "bindings": {"group1": "tea", "group2": "coffee"},
    }
    assert [first.unit_id] == unit_ids(pa.Table.from_pylist([item]), "hypothesis")
    assert (first.verdict, first.stance) == ("valid", "pro")
    assert (second.verdict, second.unit_id != first.unit_id) == ("incoherent", True)
    assert first.facts == ItemFacts("drinks", ("coffee", "tea"))


def test_gold_questions_have_the_ids_of_quads(tmp_path: Path) -> None:
    path = write(tmp_path, QUESTIONS)
    (question,) = gold_of(path, "question")
    (statement,) = gold_of(path, "statement")
    assert isinstance(question, GoldQuestion)
    ids = QuadId("quad", "en", "drinks").contexts("Coffee stood beside tea.", "Tea stood beside coffee.")
    ids.update(QuadId.asked("Who was calm?", "Who was not calm?"))
    assert question.unit_id == ids.hexdigest() != statement.unit_id
    assert question.facts == ItemFacts("drinks", ("Coffee", "Tea"))
    assert question.verdict == "invalid"


@pytest.mark.parametrize(
    ("answers", "verdict"),
    [((True, True, True), "valid"), ((False, True, True), "invalid"), ((True, False, True), "incoherent")],
)
def test_the_verdict_of_a_question_follows(answers: tuple[bool, bool, bool], verdict: str) -> None:
    texts: dict[str, Any] = dict.fromkeys(
        ("unit_id", "language", "domain", "stereotype", "group1", "group2", "context", "question",
         "question_negated", "why", "source"), "x",
    )  # fmt: skip
    names = ("underspecified", "grammatical", "free_of_hint")
    texts.update(zip(names, answers, strict=True))
    assert GoldQuestion(**texts).verdict == verdict


@pytest.mark.parametrize(
    ("old", "new", "line", "message"),
    [
        ("stance: pro\n", "note: pro\n", 8, "unknown key 'hypotheses.0.note'"),
        ("    stance: pro\n", "", 2, "a valid hypothesis needs one"),
        (
            "verdict: incoherent",
            "verdict: incoherent\n    stance: anti",
            11,
            "no other hypothesis may have one",
        ),
        ("verdict: incoherent", "verdict: nonsense", 16, "(here: 'nonsense')"),
        ("groups: [tea, coffee]", "groups: [tea, tea]", 2, "two different groups"),
        ("    source: the people who wrote this test\n", "", 2, "'hypotheses.0.source' is missing"),
        ("Tea tea the.", "Tea calms everybody.", 11, "repeats the item in line 2"),
        ("language: en", "language: 12", 2, "language"),
        (
            "hypothesis: Tea calms everybody.",
            'hypothesis: "Tea\\x08"',
            6,
            "the control character U+0008",
        ),
    ],
)
def test_what_is_wrong_is_named_with_its_line(
    tmp_path: Path, old: str, new: str, line: int, message: str
) -> None:
    path = write(tmp_path, HYPOTHESES.replace(old, new, 1))
    with pytest.raises(JudgmentError) as e:
        gold_of(path, "nli")
    assert message in str(e.value)
    assert (e.value.file, e.value.line) == (path, line)


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("[Tea, Coffee]", "[Tea, Tea]", "two different subjects"),
        ("Coffee stood beside tea.]", "Tea stood beside coffee.]", "in the other order"),
        ("underspecified: yes", "underspecified: perhaps", "perhaps"),
    ],
)
def test_a_wrong_question_is_refused(tmp_path: Path, old: str, new: str, message: str) -> None:
    with pytest.raises(JudgmentError, match=message):
        gold_of(
            write(tmp_path, QUESTIONS.replace(old, new, 1)),
            "question",
        )


def test_gold_must_look_like_everything_else(tmp_path: Path) -> None:
    with pytest.raises(JudgmentError, match="it would be recognised as gold"):
        gold_of(write(tmp_path, HYPOTHESES), "nli", premise=True)
    with_premise = HYPOTHESES.replace("    verdict", "    premise: Tea is there.\n    verdict")
    assert len(gold_of(write(tmp_path, with_premise), "nli", premise=True)) == 2


def test_gold_of_another_form_is_none(tmp_path: Path) -> None:
    with pytest.raises(JudgmentError, match="there are no gold items under questions"):
        gold_of(write(tmp_path, HYPOTHESES), "question")
