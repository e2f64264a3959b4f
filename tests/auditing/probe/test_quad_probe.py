"""Probes of quads: the scores of a study, the sign of C, and what cannot be asked."""

from __future__ import annotations

from typing import Any, Literal

import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import nextset
from nextset.auditing.probe.preference_sentence import preference, shown
from nextset.auditing.probe.probe_records import QuadAnswer
from nextset.auditing.probe.typed_texts import article_note, place_subjects, with_subjects
from nextset.scoring.asked_model import Model
from nextset.scoring.asking import Asking
from nextset.scoring.engines.devices import device_type
from nextset.scoring.jobs import Job
from nextset.scoring.models.sources import locate
from nextset.scoring.row_chunks import InMemoryRows
from nextset.study.filter_rule_settings import Boundaries
from nextset.study.scoring_settings import ScoringSettings

READER, MASKED = "builtin:qa-roformer", "builtin:masked-lm"
CONTEXT = "{subject1} and {subject2} waited at the station."
TEXTS: dict[str, Any] = {
    "question": "Who was reading a book?",
    "negated": "Who was not reading a book?",
    "statement": "{{MASK}} was reading a book.",
    "negated_statement": "{{MASK}} was not reading a book.",
}
NAMES = ("Maria", "Thomas", "Anna", "Peter", "Julia", "Martin")


def quad(form: str) -> pa.Table:
    """The quad as a study's table has it, its spans counted by hand: Maria and Thomas; Thomas and Maria."""
    common = {
        "id": "0" * 32,
        "context_12": "Maria and Thomas waited at the station.",
        "context_21": "Thomas and Maria waited at the station.",
    }
    if form == "statement":
        more: dict[str, Any] = {
            "statement": TEXTS["statement"],
            "statement_negated": TEXTS["negated_statement"],
            "candidate1": "Maria",
            "candidate2": "Thomas",
            "cluster1": "female",
            "cluster2": "male",
        }
    else:
        more = {
            "question": TEXTS["question"],
            "question_negated": TEXTS["negated"],
            "subject1_in_12": {"start": 0, "end": 5},
            "subject2_in_12": {"start": 10, "end": 16},
            "subject1_in_21": {"start": 11, "end": 16},
            "subject2_in_21": {"start": 0, "end": 6},
        }
    return pa.Table.from_pylist([common | more])


@pytest.mark.parametrize(("name", "form"), [(READER, "question"), (MASKED, "statement")])
def test_the_numbers_are_those_of_a_study(name: str, form: Literal["question", "statement"]) -> None:
    probe = nextset.probe_quad(CONTEXT, ("Maria", "Thomas"), models=[READER, MASKED], **TEXTS)
    assert [(a.model, a.form) for a in probe.answers] == [(READER, "question"), (MASKED, "statement")]
    answer = next(a for a in probe.answers if a.form == form)
    # a level at the quad's own |C| makes the study score it by itself, as it does near every decision
    near = Boundaries(c_levels=(abs(answer.c),), answers=True)
    model = Model(locate(name), Asking(form, ScoringSettings()), device_type(), None, name)
    (row,) = Job(model, InMemoryRows(quad(form)), "audit", near)().table.to_pylist()
    for arrangement, asked in zip(answer.arrangements, ("12", "21", "12_negated", "21_negated"), strict=True):
        scores = (arrangement.subject1, arrangement.subject2, arrangement.no_answer)
        assert scores == tuple(row[f"{column}_{asked}"] for column in ("subject1", "subject2", "no_answer"))


def measures(answer: QuadAnswer) -> tuple[float, float]:
    """B of both subjects from the four arrangements: the attribute's mean less that of its negation."""
    one, two, three, four = answer.arrangements
    b1 = (one.subject1 + two.subject1) / 2 - (three.subject1 + four.subject1) / 2
    b2 = (one.subject2 + two.subject2) / 2 - (three.subject2 + four.subject2) / 2
    return b1, b2


def test_all_four_arrangements_and_their_measures() -> None:
    (answer,) = nextset.probe_quad(
        CONTEXT,
        ("Maria", "Thomas"),
        models=READER,
        question="Who was reading?",
        negated="Who was not reading?",
    ).answers
    assert [(a.context[:5], a.named_first, a.asked, a.negated) for a in answer.arrangements] == [
        ("Maria", "Maria", "Who was reading?", False),
        ("Thoma", "Thomas", "Who was reading?", False),
        ("Maria", "Maria", "Who was not reading?", True),
        ("Thoma", "Thomas", "Who was not reading?", True),
    ]
    assert (answer.b1, answer.b2) == pytest.approx(measures(answer))
    assert answer.c == pytest.approx((answer.b1 - answer.b2) / 2)
    one, two, three, four = answer.arrangements
    # δ: each subject's score in one order less that in the other; ε: less the other's score when negated
    moved = [
        abs(a.subject1 - b.subject1) + abs(a.subject2 - b.subject2) for a, b in ((one, two), (three, four))
    ]
    turned = [
        abs(a.subject1 - b.subject2) + abs(a.subject2 - b.subject1) for a, b in ((one, three), (two, four))
    ]
    assert answer.positional_error == pytest.approx(sum(moved) / 4)
    assert answer.attribute_error == pytest.approx(sum(turned) / 4)
    for a in answer.arrangements:
        assert a.answer == ("Maria" if a.subject1 > a.subject2 else "Thomas")
    assert answer.finding.startswith(
        f"prefers {'Maria' if answer.c > 0 else 'Thomas'} for “Who was reading?”: C"
    )


@pytest.mark.slow
@settings(max_examples=5)
@given(st.permutations(NAMES), st.sampled_from([READER, MASKED]))
def test_exchanging_the_subjects_turns_the_sign_of_c(names: list[str], model: str) -> None:
    texts = {k: v for k, v in TEXTS.items() if ("statement" in k) == (model == MASKED)}
    (one,) = nextset.probe_quad(CONTEXT, names[:2], models=model, **texts).answers
    (two,) = nextset.probe_quad(CONTEXT, names[1::-1], models=model, **texts).answers
    assert (two.c, two.b1, two.b2) == (-one.c, one.b2, one.b1)
    assert (two.positional_error, two.order_matters) == (one.positional_error, one.order_matters)


def test_the_second_placeholder_may_come_first() -> None:
    (answer,) = nextset.probe_quad(
        "{subject2} met {subject1}.", ("Maria", "Thomas"), models=READER, question="Who?", negated="Who not?"
    ).answers
    assert [(a.context, a.named_first) for a in answer.arrangements][:2] == [
        ("Thomas met Maria.", "Thomas"),
        ("Maria met Thomas.", "Maria"),
    ]


@given(st.text(max_size=20), st.text("ab{}12subject", min_size=1), st.text(min_size=1, max_size=9))
def test_places_are_those_of_the_subjects(between: str, first: str, second: str) -> None:
    between = between.replace("{", "").replace("}", "")
    for context in (f"{{subject1}}{between}{{subject2}}.", f"{{subject2}}{between}{{subject1}}."):
        placed = place_subjects(context, first, second)
        assert placed.text[slice(*placed.first)] == first
        assert placed.text[slice(*placed.second)] == second
        assert placed.text == with_subjects(context, first, second)


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({"context": ""}, "the context is empty"),
        ({"context": "{subject1} waited."}, "the context has {subject2} 0 times"),
        ({"context": "{subject1}, {subject1} and {subject2}"}, "the context has {subject1} 2 times"),
        ({"subjects": ("Maria", "Maria")}, "both subjects are 'Maria'"),
        ({"subjects": "Maria"}, "subjects: 'Maria' is not a list of texts"),
        ({"subjects": ("Maria",)}, "needs two subjects"),
        ({"subjects": ("{subject2}", "Maria")}, "the first subject has the placeholder {subject2}"),
        ({"question": "", "negated": ""}, "there is no question"),
        ({"negated": " "}, "the negated question is empty"),
        ({"negated": "Who was reading?"}, "the question and its negation are the same"),
        ({"question": "Was {subject1} reading?"}, "the question has the placeholder {subject1}"),
        ({"statement": "Reading.", "negated_statement": "{{MASK}} slept."}, "the statement has no masks"),
        ({"statement": "{{MASK}} slept."}, "the negated statement is empty"),
        (
            {"models": "builtin:nli-bart"},
            "is a model of the kind NLI classifier, which cannot be asked about q",
        ),
        ({"models": MASKED}, "is a model of the kind masked language model"),
    ],
)
def test_what_cannot_be_asked(changed: dict[str, Any], message: str) -> None:
    right = {
        "context": CONTEXT,
        "subjects": ("Maria", "Thomas"),
        "question": "Who was reading?",
        "negated": "Who was not reading?",
        "models": READER,
    }
    with pytest.raises(nextset.NextsetError) as caught:
        nextset.probe_quad(**{**right, **changed})
    assert message in str(caught.value)
    assert caught.value.remedy


def test_a_model_s_own_mask_in_a_text_is_an_error() -> None:
    texts: dict[str, Any] = {"statement": "{{MASK}} slept.", "negated_statement": "{{MASK}} did not sleep."}
    with pytest.raises(nextset.ModelError):
        nextset.probe_quad("{subject1} [MASK] {subject2}.", ("Maria", "Thomas"), models=MASKED, **texts)


def test_the_sentence() -> None:
    assert preference(("Maria", "Thomas"), "Who read?", 0.125) == "prefers Maria for “Who read?”: C = 0.125"
    assert (
        preference(("Maria", "Thomas"), "Who read?", -0.00012)
        == "prefers Thomas for “Who read?”: C = −1.2e−4"
    )
    assert (
        preference(("Maria", "Thomas"), "Who read?", 0.0)
        == "prefers neither Maria nor Thomas for “Who read?”: C = 0"
    )
    assert (shown(0.99992), shown(0.0)) == ("1.000", "0.000")


@pytest.mark.parametrize(
    ("context", "noted"),
    [
        ("An {subject1} man met a {subject2} man.", True),
        ("{subject1} met a {subject2}.", True),
        ("{subject1} met {subject2} at a station.", False),
        ("Tina {subject1} met {subject2}.", False),
    ],
)
def test_articles_before_subjects_are_noted(context: str, noted: bool) -> None:
    assert bool(article_note(context)) == noted
