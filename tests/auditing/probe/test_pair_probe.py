"""Probes of pairs: the scores of a study, the exchange of subjects, and what cannot be asked."""

from __future__ import annotations

from pathlib import Path

import pyarrow as pa
import pytest

import nextset
from nextset.scoring.asked_model import Model
from nextset.scoring.asking import Asking
from nextset.scoring.engines.devices import device_type
from nextset.scoring.jobs import Job
from nextset.scoring.models.sources import locate
from nextset.scoring.predicted_labels import predicted
from nextset.scoring.row_chunks import InMemoryRows
from nextset.study.filter_rule_settings import Boundaries
from nextset.study.scoring_settings import ScoringSettings

NLI, READER = "builtin:nli-electra", "builtin:qa-roformer"
PREMISE, HYPOTHESIS = "The dog is sleeping on the sofa.", "The dog is asleep."


def test_the_numbers_are_those_of_a_study() -> None:
    (answer,) = nextset.probe_pair(PREMISE, HYPOTHESIS, models=NLI).answers
    rows = pa.table({"id": ["0"], "premise": [PREMISE], "hypothesis": [HYPOTHESIS], "label": ["neutral"]})
    asking = Asking("nli", ScoringSettings())
    # a margin at the pair's own makes the study score it by itself, as it does near every decision
    found = sorted((answer.entailment, answer.neutral or 0, answer.contradiction or 0))
    near = Boundaries(labels=True, margins=(found[2] - found[1],))
    model = Model(locate(NLI), asking, device_type(), None, NLI)
    scores = Job(model, InMemoryRows(rows), "audit", near)().table
    (row,) = scores.to_pylist()
    assert (answer.entailment, answer.neutral, answer.contradiction) == (
        row["entailment"],
        row["neutral"],
        row["contradiction"],
    )
    assert [answer.label] == predicted(scores).tolist()


def test_each_model_is_asked_what_it_knows() -> None:
    probe = nextset.probe_pair(PREMISE, HYPOTHESIS, question="Is the dog asleep?", models=[NLI, READER, NLI])
    assert [(a.model, a.form, a.asked) for a in probe.answers] == [
        (NLI, "nli", HYPOTHESIS),
        (READER, "qa", "Is the dog asleep?"),
    ]
    for answer in probe.answers:
        assert answer.neutral is not None
        assert answer.contradiction is not None
        assert answer.entailment + answer.neutral + answer.contradiction == pytest.approx(1)


def test_subjects_are_exchanged_in_the_hypothesis_only() -> None:
    probe = nextset.probe_pair(
        "{subject1} is at home.", "{subject1} waits for {subject2}.", models=NLI, subjects=("Anna", "Peter")
    )
    plain, exchanged = probe.answers
    assert (plain.premise, plain.asked, plain.exchanged) == (
        "Anna is at home.",
        "Anna waits for Peter.",
        False,
    )
    assert (exchanged.premise, exchanged.asked) == ("Anna is at home.", "Peter waits for Anna.")
    assert exchanged.exchanged
    (alone,) = nextset.probe_pair("Anna is at home.", "Peter waits for Anna.", models=NLI).answers
    assert (alone.entailment, alone.neutral) == (exchanged.entailment, exchanged.neutral)


@pytest.mark.parametrize(
    ("premise", "hypothesis", "subjects", "message"),
    [
        ("", "A dog.", None, "the premise is empty"),
        (" \n", "A dog.", None, "the premise is empty"),
        ("A dog.", "  ", None, "there is no hypothesis"),
        ("A dog.", "{subject1} sleeps.", None, "no subjects are given"),
        ("{subject1} sleeps.", "A dog.", None, "no subjects are given"),
        ("{subject1} sleeps.", "A dog.", ("Anna", "Peter"), "has neither {subject1} nor {subject2}"),
        ("A dog.", "{subject1} sleeps.", ("Anna", "Anna "), "both subjects are 'Anna'"),
        ("A dog.", "{subject1} sleeps.", ("Anna", ""), "the second subject is empty"),
        ("A dog.", "{subject1} sleeps.", ("Anna",), "needs two subjects"),
        ("A dog.", "{subject3} sleeps.", ("Anna", "Peter"), "has the placeholder {subject3}"),
        ("A {{MASK}}.", "A dog.", None, "has the placeholder {{MASK}}"),
        ("A dog \udc80.", "A dog.", None, r"not text: '\\udc80'"),
        ("A dog \0.", "A dog.", None, r"not text: '\\x00'"),
        ("dog " * 6000, "A dog.", None, "has 23,999 characters"),
    ],
)
def test_what_cannot_be_asked(
    premise: str, hypothesis: str, subjects: tuple[str, ...] | None, message: str
) -> None:
    with pytest.raises(nextset.InputError, match=message.replace("{", r"\{")) as caught:
        nextset.probe_pair(premise, hypothesis, models=NLI, subjects=subjects)
    assert caught.value.remedy


def test_models_that_cannot_be_asked(tmp_path: Path) -> None:
    with pytest.raises(nextset.InputError, match="no model is named"):
        nextset.probe_pair(PREMISE, HYPOTHESIS, models=[])
    with pytest.raises(nextset.ModelError, match="there is no built-in model 'none'"):
        nextset.probe_pair(PREMISE, HYPOTHESIS, models=[NLI, "builtin:none"])
    with pytest.raises(nextset.ModelError, match=f"{READER} is a model of the kind extractive reader"):
        nextset.probe_pair(PREMISE, HYPOTHESIS, models=[NLI, READER])
    (tmp_path / "config.json").write_text('{"architectures": ["BertForSequenceClassification"]}')
    (tmp_path / "model.safetensors").write_bytes(b"no weights")
    with pytest.raises(nextset.ModelError):
        nextset.probe_pair(PREMISE, HYPOTHESIS, models=str(tmp_path))
    with pytest.raises(nextset.ModelError, match="reads at most 256 tokens"):
        nextset.probe_pair("dog " * 400, HYPOTHESIS, models=NLI)


def test_braces_that_are_not_placeholders_are_text() -> None:
    (answer,) = nextset.probe_pair("The set is {1, 2}.", "The set {} is empty.", models=NLI).answers
    assert (answer.premise, answer.asked) == ("The set is {1, 2}.", "The set {} is empty.")


def test_progress_goes_from_model_to_model() -> None:
    ticks: list[tuple[int, int]] = []
    nextset.probe_pair(
        PREMISE,
        HYPOTHESIS,
        models=[NLI, "builtin:nli-bart"],
        progress=lambda stage: lambda *n: ticks.append(n),
    )
    assert ticks == [(0, 2), (1, 2), (2, 2)]
