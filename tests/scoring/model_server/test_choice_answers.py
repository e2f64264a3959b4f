"""A server asked about choice items: letters, texts, abstentions, refusals, and a preferred place."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
import pytest

import nextset
from nextset.errors import ModelError
from nextset.scoring.asking import Asking
from nextset.scoring.chosen_options import NO_OPTION, chosen_options
from nextset.scoring.model_kinds import scorer_of
from nextset.scoring.models.sources import locate
from nextset.scoring.scorer_protocol import CHOICE_COLUMNS, OUTCOME_COLUMNS, ChoiceQuestion, Numbers
from nextset.study.scoring_settings import ScoringSettings, ServerSettings
from tests.choice_rows import choice_items
from tests.scoring.model_server.scripted_server import Reply, Request, ScriptedServer, scripted

pytestmark = pytest.mark.slow

COLUMNS = (*CHOICE_COLUMNS, *OUTCOME_COLUMNS)
ASKED = ChoiceQuestion("Ann met Bob.", "Who was late?", ("Bob", "Nobody knows", "Ann"), 1)
_LINE = re.compile(r"^(?:([A-F]): |- )(.+)$", re.MULTILINE)


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[ScriptedServer]:
    monkeypatch.setenv("NEXTSET_CACHE", str(tmp_path / "cache"))
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    with scripted(lambda request: request.choices[0]) as running:
        monkeypatch.setenv("OPENAI_BASE_URL", running.address)
        yield running


def numbers_of(*asked: ChoiceQuestion, **server: object) -> Numbers:
    settings = ScoringSettings(server=ServerSettings(unreadable_at_most=1, **server))  # type: ignore[arg-type]
    scorer = scorer_of(locate("openai:scripted"), Asking("choice", settings))
    assert scorer.columns == COLUMNS
    return scorer.scores(scorer.encoded(asked))


def number(numbers: Numbers, name: str) -> float:
    return float(numbers[0, COLUMNS.index(name)])


def choosing(option: str) -> Callable[[Request], str]:
    """A model that always chooses ``option``: by its letter where there are letters, with its text behind."""

    def answer(request: Request) -> str:
        lines = {text: letter for letter, text in _LINE.findall(request.prompt)}
        return f"({lines[option]}) {option}" if lines[option] else option

    return answer


def test_an_option_is_chosen_by_its_letter_in_every_order(server: ScriptedServer) -> None:
    server.answer = choosing("Ann")
    numbers = numbers_of(ASKED)
    assert numbers[0, :3].tolist() == [0, 0, 1]
    assert np.isnan(numbers[0, 3:6]).all()
    assert (number(numbers, "flips"), number(numbers, "order_margin"), number(numbers, "votes")) == (0, 1, 1)
    assert len(server.requests) == 6
    assert server.requests[0].choices in (["A", "B", "C"], ["Ann", "Bob", "Nobody knows"])


def test_a_model_that_prefers_the_first_place_chooses_nothing(server: ScriptedServer) -> None:
    numbers = numbers_of(ASKED)
    np.testing.assert_allclose(numbers[0, :3], 1 / 3)
    assert number(numbers, "flips") == pytest.approx(2 / 3)


def test_an_abstention_chooses_the_option_unknown(server: ScriptedServer) -> None:
    server.answer = lambda request: "It cannot be determined from the text."
    numbers = numbers_of(ASKED)
    assert numbers[0, :3].tolist() == [0, 1, 0]
    assert number(numbers, "abstained") == 0
    nothing = numbers_of(ChoiceQuestion("Ann met Bob.", "Who was late?", ("Bob", "Ann"), -1))
    assert nothing[0, :2].tolist() == [0, 0]
    assert number(nothing, "abstained") == 1
    assert np.isnan(number(nothing, "flips"))


def test_refusals_and_unreadable_and_cut_answers_are_outcomes(server: ScriptedServer) -> None:
    server.answer = lambda request: Reply(refusal="No.") if "C: Ann" in request.prompt else "Ann"
    numbers = numbers_of(ASKED)
    assert number(numbers, "refused") == pytest.approx(1 / 6)
    assert number(numbers, "option3") == pytest.approx(5 / 6)
    server.answer = lambda request: "Perhaps."
    assert number(numbers_of(ASKED, seed=1), "unreadable") == 1
    server.answer = lambda request: Reply("An", finish_reason="length")
    assert number(numbers_of(ASKED, seed=2, answer_tokens=1), "cut_off") == 1


def test_the_orders_of_an_item_share_their_answers(server: ScriptedServer) -> None:
    """The prompts do not depend on the item's own order, so nothing is asked twice."""
    server.answer = choosing("Ann")
    turned = ChoiceQuestion(ASKED.context, ASKED.question, ("Ann", "Bob", "Nobody knows"), 2)
    numbers = numbers_of(ASKED, turned)
    assert numbers[:, :3].tolist() == [[0, 0, 1], [1, 0, 0]]
    assert len(server.requests) == 6


def test_log_probabilities_are_shares_of_the_options(server: ScriptedServer) -> None:
    """The first token says .7 for the letter of Ann and .3 for that of Bob; texts are votes for Ann."""

    def answer(request: Request) -> str | Reply:
        lines = {text: letter for letter, text in _LINE.findall(request.prompt)}
        if not lines["Ann"]:
            return "Ann"
        likeliest = [(lines["Ann"], np.log(0.7)), (lines["Bob"], np.log(0.3))]
        return Reply(lines["Ann"], logprobs=[(lines["Ann"], np.log(0.7), likeliest)])

    server.answer = answer
    numbers = numbers_of(ASKED, logprobs=True)
    np.testing.assert_allclose(numbers[0, :3], [0.15, 0, 0.85], atol=1e-9)


def test_a_table_of_items_is_scored_by_a_server(server: ScriptedServer) -> None:
    items = choice_items(1, 1)
    server.answer = choosing("The grandson")
    scores = nextset.score(items, models="openai:scripted", canaries=False)["scores"]
    options = items["options"].to_pylist()
    chosen = chosen_options(scores).tolist()
    assert [row[place]["text"] for row, place in zip(options, chosen, strict=True)] == ["The grandson"] * len(
        options
    )
    server.answer = lambda request: Reply(refusal="No.")
    refused = nextset.score(items.slice(0, 1), models={"openai:other": {}}, canaries=False)["scores"]
    assert chosen_options(refused).tolist() == [NO_OPTION]


def test_a_model_that_always_says_a_fails_its_canaries(server: ScriptedServer) -> None:
    with pytest.raises(ModelError, match="0 of 10 canary questions with options right"):
        nextset.score(choice_items(1, 1), models="openai:scripted")


def test_a_model_that_reads_passes_its_canaries(server: ScriptedServer) -> None:
    from nextset.scoring.canaries.canary_texts import QUESTIONS

    right = {question: answer for _, question, answer, _ in QUESTIONS}

    def answer(request: Request) -> str:
        asked = next((a for q, a in right.items() if q in request.prompt), "The grandson")
        return choosing(asked)(request)

    server.answer = answer
    scores = nextset.score(choice_items(1, 1), models="openai:scripted")["scores"]
    assert (chosen_options(scores) >= 0).all()
