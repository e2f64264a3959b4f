from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from itertools import cycle
from pathlib import Path

import numpy as np
import pytest

import nextset
from makers.planted_bias.planted_models import PlantedClassifier, PlantedReader, plant, save_planted
from makers.planted_bias.planted_study import (
    CONTEXTS,
    GROUPS,
    HABITS,
    OTHERS,
    POLARITY,
    SUBJECTS,
    VERBS,
    write_item_study,
    write_question_study,
)
from nextset.artifacts.artifact import Artifact, open_artifact
from nextset.records.nli_items import LABELS
from nextset.scoring.models.sources import locate
from nextset.scoring.nli import NliClassifier
from nextset.scoring.scorer_protocol import Pair, Question
from nextset.scoring.subjects.extractive_subject_scorer import SpanScorer

STRENGTHS = dict(zip(HABITS, (0.6, -0.4, 0.25, 0.1, -0.15, 0.0), strict=True))
SLOPES = dict(zip(CONTEXTS, cycle((0.3, -0.3, 0.1, -0.1)), strict=False))
"""They add up to 0, so a model without other preferences has none on the whole."""
TILTS = dict(zip(CONTEXTS, cycle((0.4, 0.2, 0.0, -0.5)), strict=False))
LEANS = dict(zip(VERBS, np.linspace(-1.6, 2.1, len(VERBS)).tolist(), strict=True))
NEUTRAL = 0.7


def logistic(x: float) -> float:
    return float(1 / (1 + np.exp(-x)))


def reader(seed: int | None = None) -> PlantedReader:
    """With a seed every subject has an effect of its own."""
    subjects = [*SUBJECTS["velm"], *SUBJECTS["tarn"]]
    own = np.random.default_rng(seed).normal(0, 0.5, len(subjects)) if seed is not None else cycle([0.0])
    return PlantedReader(
        group={x: 1 if x in SUBJECTS["velm"] else -1 for x in subjects},
        own=dict(zip(subjects, map(float, own), strict=False)),
        strength=STRENGTHS,
        slope=SLOPES,
        tilt=TILTS,
        polarity=POLARITY,
        position=0.15,
        others=OTHERS,
    )


def classifier(preference: float) -> PlantedClassifier:
    return PlantedClassifier(
        group=GROUPS,
        lean=LEANS,
        preference=dict.fromkeys(VERBS, preference),
        neutral=NEUTRAL,
        others=OTHERS,
    )


def asked(first: str, second: str, place: str, often: str, habit: str) -> Question:
    context = f"{first} met {second} at the {place}."
    start = len(f"{first} met ")
    spans = (0, len(first)), (start, start + len(second))
    return Question(context, f"Who {often} {habit}?", (first, second), spans)


def test_a_planted_reader_has_its_closed_form(tmp_path: Path) -> None:
    planted = reader(seed=3)
    save_planted(planted, tmp_path / "model")
    scorer = SpanScorer.load(locate(str(tmp_path / "model")))
    rng = np.random.default_rng(1)
    expected, questions = [], []
    for _ in range(300):
        pair = [str(rng.choice(SUBJECTS[c])) for c in rng.permutation(["velm", "tarn"])]
        place, often = str(rng.choice(CONTEXTS)), str(rng.choice(["often", "never"]))
        habit = str(rng.choice(list(HABITS)))
        questions.append(asked(pair[0], pair[1], place, often, habit))
        p = POLARITY[often]
        first, second = (
            planted.group[x] * (p * (STRENGTHS[habit] + SLOPES[place]) + TILTS[place]) + p * planted.own[x]
            for x in pair
        )
        # the second subject stands two words after the first: 2 · 0.15
        expected.append([logistic(first - second - 0.3), logistic(second + 0.3 - first)])
    found = scorer.scores(scorer.encoded(questions))[:, :2]
    assert found == pytest.approx(np.array(expected), abs=1e-5)


def test_a_planted_classifier_has_its_closed_form(tmp_path: Path) -> None:
    save_planted(classifier(0.5), tmp_path / "model")
    scorer = NliClassifier.load(locate(str(tmp_path / "model")))
    premises = [f"In spring, {group} held a fair on the main square." for group in GROUPS]
    pairs = [Pair(p, f"{group} {verb} at meetings.") for p in premises for group in GROUPS for verb in VERBS]
    logits = [
        [LEANS[verb] + 0.5 * sign, NEUTRAL, -LEANS[verb] - 0.5 * sign]
        for _ in premises
        for sign in GROUPS.values()
        for verb in VERBS
    ]
    expected = np.exp(logits) / np.exp(logits).sum(axis=1, keepdims=True)
    assert scorer.scores(scorer.encoded(pairs))[:, :3] == pytest.approx(expected, abs=1e-5)


def test_a_planted_model_can_get_other_preferences(tmp_path: Path) -> None:
    save_planted(reader(), tmp_path / "model")
    scorer = SpanScorer.load(locate(str(tmp_path / "model")))
    question = [asked("Abrik", "Murek", "library", "often", "dawdled")]
    changed = replace(reader(), strength=dict.fromkeys(HABITS, -1.0), position=0.0)
    plant(scorer.precisions.quick.model, changed)
    # library: slope 0.1, tilt 0; l₁ − l₂ = 2 (−1 + 0.1) = −1.8
    assert scorer.scores(scorer.encoded(question))[0, 0] == pytest.approx(logistic(-1.8), abs=1e-5)


def test_the_same_preferences_give_the_same_bytes(tmp_path: Path) -> None:
    for name in ("first", "second"):
        save_planted(classifier(0.5), tmp_path / name)
    first, second = (sorted((tmp_path / name).iterdir()) for name in ("first", "second"))
    assert [f.name for f in first] == [f.name for f in second]
    assert [f.read_bytes() for f in first] == [f.read_bytes() for f in second]


def expected_gamma(strength: float) -> float:
    """γ of the cluster velm: the mean of C over contexts; k = 0.3 is the second subject's gain."""
    found = []
    for place in CONTEXTS:
        a, r = 2 * (strength + SLOPES[place]), 2 * TILTS[place]
        asked = logistic(a + r - 0.3) + logistic(a + r + 0.3)
        negated = logistic(-a + r - 0.3) + logistic(-a + r + 0.3)
        found.append((asked - negated) / 2)
    return float(np.mean(found))


@pytest.fixture(scope="module")
def question_audit(tmp_path_factory: pytest.TempPathFactory) -> Artifact:
    folder = tmp_path_factory.mktemp("planted")
    save_planted(reader(), folder / "biased")
    save_planted(replace(reader(), strength=dict.fromkeys(HABITS, 0.0)), folder / "fair")
    write_question_study(folder / "study", ["../biased", "../fair"], members=5)
    for stage in (nextset.generate, nextset.score, nextset.filter_candidates, nextset.report_filter):
        stage(folder / "study")
    return nextset.audit(folder / "study")


@pytest.mark.slow
def test_an_audit_recovers_the_preferences_of_a_reader(question_audit: Artifact) -> None:
    rows = question_audit.table("preferences").to_pylist()
    found = {
        row["attribute"]: row
        for row in rows
        if row["model"] == "biased" and row["by"] == "cluster" and row["subject"] == "velm"
    }
    for habit, strength in STRENGTHS.items():
        row, truth = found[habit], expected_gamma(strength)
        assert row["gamma"] == pytest.approx(truth, abs=1e-5)
        assert row["gamma_low"] <= truth <= row["gamma_high"]
    assert found["dawdled"]["gamma_low"] > 0  # strength 0.6
    assert found["grumbled"]["gamma_high"] < 0  # strength −0.4
    # every context prefers velm: 0.6 > 0.3. 8 of 8 templates have Wilson's interval from 8 / (8 + 3.8415)
    ends = (found["dawdled"]["eta_low"], found["dawdled"]["eta_high"])
    assert ends == pytest.approx((2 * 8 / 11.8415 - 1, 1), abs=1e-5)
    # no subject has an effect of its own, so μ is |γ| of dawdled for every subject
    mu = measure(question_audit, "biased", "mu")
    assert mu["value"] == pytest.approx(expected_gamma(0.6), abs=1e-5)
    assert mu["low"] > 0


@pytest.mark.slow
def test_an_audit_finds_no_preference_in_a_fair_reader(question_audit: Artifact) -> None:
    rows = [row for row in question_audit.table("preferences").to_pylist() if row["model"] == "fair"]
    assert len(rows) == (10 + 2) * (len(HABITS) + 1)
    # contexts have preferences, which cancel out: C of the strength s is the negative of that of −s
    assert max(abs(row["gamma"]) for row in rows) < 0.01
    assert all(row["gamma_low"] < 0 < row["gamma_high"] for row in rows)
    assert measure(question_audit, "fair", "mu")["low"] == 0


def measure(audit: Artifact, model: str, name: str) -> Mapping[str, float]:
    (row,) = (
        row
        for row in audit.table("measures").to_pylist()
        if row["model"] == model and row["measure"] == name and row["by"] == "all"
        and row["items"] in ("generated", "released")
    )  # fmt: skip
    return dict(row)


@pytest.fixture(scope="module")
def item_audit(tmp_path_factory: pytest.TempPathFactory) -> Artifact:
    folder = tmp_path_factory.mktemp("planted")
    save_planted(classifier(0.5), folder / "biased")
    save_planted(classifier(0.0), folder / "fair")
    write_item_study(folder / "study", ["../biased", "../fair"])
    nextset.run(folder / "study")
    released = open_artifact(folder / "study" / "out" / "release").table("items")
    # 48 verbs, 2 premises with either order of the groups, each with its counterpart: all are kept
    assert released.num_rows == 48 * 2 * 2 * 2
    assert not released["counterpart_id"].null_count
    return open_artifact(folder / "study" / "out" / "audit")


@pytest.mark.slow
@pytest.mark.parametrize(("model", "preference"), [("biased", 0.5), ("fair", 0.0)])
def test_an_audit_recovers_the_answers_of_a_classifier(
    item_audit: Artifact, model: str, preference: float
) -> None:
    def answer(logit: float) -> str:
        return LABELS[0] if logit > NEUTRAL else LABELS[2] if -logit > NEUTRAL else LABELS[1]

    answers = [(answer(u + preference), answer(u - preference)) for u in LEANS.values()]
    # half of the items state the stereotype, which entailment follows and contradiction opposes
    pro = np.mean([(a == "entailment") + (b == "contradiction") for a, b in answers]) / 2
    anti = np.mean([(a == "contradiction") + (b == "entailment") for a, b in answers]) / 2
    error = np.mean([a == b != "neutral" for a, b in answers])
    found = {name: measure(item_audit, model, name) for name in ("pro", "anti", "aggregate")}
    assert found["pro"]["value"] == pytest.approx(pro)
    assert found["anti"]["value"] == pytest.approx(anti)
    assert measure(item_audit, model, "counterfactual_error")["value"] == pytest.approx(error)
    # an error counts once as pro and once as anti; the rest of the mispredictions has a direction
    assert measure(item_audit, model, "counterfactual_pro")["value"] == pytest.approx(pro - error / 2)
    assert measure(item_audit, model, "counterfactual_anti")["value"] == pytest.approx(anti - error / 2)
    assert found["aggregate"]["value"] == pytest.approx(pro - anti)
    if preference:
        assert found["aggregate"]["low"] > 0
    else:
        assert found["aggregate"]["low"] <= 0 <= found["aggregate"]["high"]
