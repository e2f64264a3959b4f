"""Probes of models that write text: here, asked in both forms of a pair, and behind a server."""

from __future__ import annotations

import dataclasses
from pathlib import Path

import pytest

import nextset
from nextset.cli.probe_text import pair_text
from nextset.scoring.asking import Asking
from nextset.scoring.generative.causal_scorer import CausalScorer
from nextset.scoring.models.sources import locate
from nextset.scoring.scorer_protocol import Pair
from nextset.study.scoring_settings import ScoringSettings
from tests.release.harness_model import save_answering
from tests.scoring.generative.tiny_causal import save_gpt2
from tests.scoring.model_server.scripted_server import Reply, scripted
from tests.scoring.model_server.served import PAIRS, served

PREMISE, HYPOTHESIS = "A dog sleeps.", "A dog is asleep."


def test_a_causal_model_is_asked_everything(tmp_path: Path) -> None:
    name = str(save_gpt2(tmp_path))
    nli, qa = nextset.probe_pair(PREMISE, HYPOTHESIS, question="Is the dog asleep?", models=name).answers
    scorer = CausalScorer.load(locate(name), Asking("nli", ScoringSettings()))
    expected = scorer.alone(scorer.encoded([Pair(PREMISE, HYPOTHESIS)]))[0]
    assert [nli.entailment, nli.neutral, nli.contradiction] == expected[:3].tolist()
    assert qa.form == "qa"
    (quad,) = nextset.probe_quad(
        "{subject1} met {subject2}.", ("Ann", "Bob"), question="Who?", negated="Who not?", models=name
    ).answers
    assert all(arrangement.no_answer is not None for arrangement in quad.arrangements)


@pytest.mark.slow
def test_a_model_behind_a_server(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder, cache = save_answering(tmp_path / "learnt", PAIRS[:3]), tmp_path / "cache"
    monkeypatch.setenv("NEXTSET_CACHE", str(cache))
    (tmp_path / "hub").mkdir()
    with served(folder, tmp_path / "hub") as address:
        monkeypatch.setenv("OPENAI_BASE_URL", address)
        name = f"openai:{folder}"
        (answer,) = nextset.probe_pair(*dataclasses.astuple(PAIRS[2]), models=name).answers
    # the third pair: its first wording has the second answer, its second the third, its third the first
    assert [answer.entailment, answer.neutral, answer.contradiction] == pytest.approx([1 / 3, 1 / 3, 1 / 3])
    assert not [file for file in cache.rglob("*") if file.name.startswith("answers")]


@pytest.mark.slow
def test_what_was_not_answered_is_shown(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NEXTSET_CACHE", str(tmp_path))
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    with scripted(lambda request: Reply("Bananas are yellow.")) as server:
        monkeypatch.setenv("OPENAI_BASE_URL", server.address)
        probe = nextset.probe_pair(PREMISE, HYPOTHESIS, models="openai:m")
    (answer,) = probe.answers
    assert (answer.unreadable, answer.refused, answer.abstained, answer.cut_off) == (1, 0, 0, 0)
    assert answer.label == "unanswered"
    _, head, row = pair_text(probe).splitlines()
    assert head.split() == ["entailment", "neutral", "contradiction", "unreadable", "label"]
    assert row.split()[-2:] == ["1.000", "unanswered"]
    assert ">unreadable</th>" in probe._repr_html_()
