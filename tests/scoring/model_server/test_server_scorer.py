"""Models behind a server: a real one on loopback, and a proxy in front of it that makes faults."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any
from urllib.request import urlopen

import numpy as np
import pytest

from nextset.errors import ModelError
from nextset.forms import FormName
from nextset.scoring.asking import Asking
from nextset.scoring.generative.causal_scorer import CausalScorer
from nextset.scoring.model_kinds import scorer_of
from nextset.scoring.model_server import concurrent_requests
from nextset.scoring.model_server.answer_cache import Answers
from nextset.scoring.model_server.rate_and_cost_limits import Ledger
from nextset.scoring.model_server.server_client import Patience
from nextset.scoring.model_server.server_scorer import ServerScorer
from nextset.scoring.models.loading import load
from nextset.scoring.models.sources import locate
from nextset.scoring.prompt_wordings import own_prompts
from nextset.scoring.scorer_protocol import NLI_COLUMNS, OUTCOME_COLUMNS, Pair
from nextset.study.scoring_settings import ScoringSettings, ServerSettings
from tests.scoring.model_server.served import (
    PAIRS,
    QUESTIONS,
    YES_NO,
    Proxy,
    proxied,
    save_learnt,
    served,
    votes_learnt,
)

pytestmark = pytest.mark.slow

ZOE = Pair("Zoe is asleep.", "Nobody sat.")
PROMPTS = 3 * len(PAIRS)
KEY = "sk-secret-0123456789"
Fault = Callable[[int, dict[str, Any]], str]


@pytest.fixture(scope="session")
def learnt(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A model that knows its answers by heart."""
    return save_learnt(tmp_path_factory.mktemp("learnt"))


@pytest.fixture(scope="session")
def server(learnt: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The address of a real server with that model, which also knows of one on its Hub."""
    hub = tmp_path_factory.mktemp("hub")
    other = hub / "hub" / "models--tiny--other"
    (other / "snapshots" / "abc").mkdir(parents=True)
    (other / "refs").mkdir()
    (other / "refs" / "main").write_text("abc", encoding="utf-8")
    config = {"architectures": ["LlamaForCausalLM"], "model_type": "llama"}
    (other / "snapshots" / "abc" / "config.json").write_text(json.dumps(config), encoding="utf-8")
    with served(learnt, hub) as address:
        yield address


@pytest.fixture
def proxy(server: str, monkeypatch: pytest.MonkeyPatch) -> Iterator[Proxy]:
    """A proxy in front of the server, at the address that the environment names."""
    with proxied(server) as found:
        monkeypatch.setenv("OPENAI_BASE_URL", found.address)
        monkeypatch.setenv("OPENAI_API_KEY", KEY)
        yield found


class Waits:
    """Waiting that takes no time, noted."""

    def __init__(self) -> None:
        self.seconds: list[float] = []

    def __call__(self, seconds: float) -> None:
        self.seconds.append(seconds)


def asking(learnt: Path, form: FormName = "nli", waits: Waits | None = None, **limits: Any) -> ServerScorer:
    """A scorer whose answers are kept in memory, and which waits for nothing."""
    settings = ScoringSettings(server=ServerSettings(**limits))
    source = locate(f"openai:{learnt}")
    patience = Patience(tries=4, answer=120.0, sleep=waits or Waits())
    return ServerScorer(
        source, Asking(form, settings), Answers(None), Ledger(settings.server), patience
    )  # fmt: skip


def test_votes_are_the_shares_of_the_wordings(learnt: Path, proxy: Proxy) -> None:
    pairs, questions = asking(learnt), asking(learnt, "question")
    found = pairs.scores(pairs.encoded(PAIRS))
    np.testing.assert_allclose(found[:, :3], votes_learnt(PAIRS))
    np.testing.assert_allclose(questions.scores(questions.encoded(QUESTIONS))[:, :3], votes_learnt(QUESTIONS))
    assert found[:, 3].tolist() == [0.0] * len(PAIRS)
    assert set(proxy.keys) == {f"Bearer {KEY}"}
    body = proxy.bodies[0]
    assert (body["temperature"], body["seed"], body["max_tokens"]) == (0, 0, 256)


def test_a_server_answers_yes_no_questions(learnt: Path, proxy: Proxy) -> None:
    scorer = asking(learnt, "qa")
    found = scorer.scores(scorer.encoded(YES_NO))
    assert scorer.columns == NLI_COLUMNS + OUTCOME_COLUMNS
    np.testing.assert_allclose(found[:, :3], votes_learnt(YES_NO))


def test_one_wording_alone_asks_a_server_nothing_new(learnt: Path, proxy: Proxy) -> None:
    scorer = asking(learnt)
    whole = scorer.scores(scorer.encoded(PAIRS))
    sent = len(proxy.bodies)
    each = []
    for i in (1, 2, 3):
        alone = replace(scorer, asking=replace(scorer.asking, prompts=own_prompts().only("nli", i)))
        each.append(alone.scores(alone.encoded(PAIRS)))
    assert len(proxy.bodies) == sent
    np.testing.assert_allclose(np.mean(each, axis=0), whole)


def test_a_server_and_the_model_itself_agree(learnt: Path, proxy: Proxy) -> None:
    near = CausalScorer.load(locate(str(learnt)), Asking("question", ScoringSettings()))
    far = asking(learnt, "question")
    votes = far.scores(far.encoded(QUESTIONS))
    np.testing.assert_allclose(near.scores(near.encoded(QUESTIONS))[:, :3], votes[:, :3], atol=0.1)


def test_nothing_is_asked_twice(learnt: Path, proxy: Proxy) -> None:
    scorer = asking(learnt)
    first = scorer.scores(scorer.encoded(PAIRS + PAIRS))
    again = scorer.alone(scorer.encoded(PAIRS))
    assert len(proxy.bodies) == len(set(proxy.prompts)) == PROMPTS
    assert (first[: len(PAIRS)] == again).all()
    assert scorer.scores(scorer.encoded([])).shape == (0, 9)


def _every_third(what: str) -> Fault:
    return lambda n, body: what if n % 3 == 0 else ""


FAULTS = {
    "busy": _every_third('429 {"error": "slow down"}'),
    "broken": _every_third("500 oops"),
    "away": _every_third("503 "),
    "cut": _every_third("cut"),
    "garbage": _every_third("garbage"),
    "no completion": _every_third('200 {"object": "list"}'),
    "mixed": lambda n, body: ["cut", "garbage", "502 ", ""][n % 4] if n < 12 else "",
}


@pytest.mark.parametrize("name", FAULTS)
def test_faults_that_pass_change_nothing(learnt: Path, proxy: Proxy, name: str) -> None:
    proxy.fault, waits = FAULTS[name], Waits()
    scorer = asking(learnt, waits=waits, at_once=1)
    some = PAIRS[:3]
    np.testing.assert_allclose(scorer.scores(scorer.encoded(some))[:, :3], votes_learnt(some))
    assert len(waits.seconds) == len(proxy.bodies) - 3 * len(some) > 3
    assert scorer.ledger.requests == len(proxy.bodies)
    if name == "busy":
        assert all(7 <= seconds <= 60 for seconds in waits.seconds)  # Retry-After: 7


def test_several_at_once_bear_faults_as_well(learnt: Path, proxy: Proxy) -> None:
    proxy.fault = lambda n, body: ["cut", "garbage", "502 ", ""][
        proxy.prompts.count(body["messages"][0]["content"]) - 1
    ]
    scorer = asking(learnt, at_once=8)
    np.testing.assert_allclose(scorer.scores(scorer.encoded(PAIRS))[:, :3], votes_learnt(PAIRS))


def test_waits_become_longer(learnt: Path, proxy: Proxy) -> None:
    proxy.fault, waits = lambda n, body: "500 oops", Waits()
    scorer = asking(learnt, waits=waits, at_once=1)
    with pytest.raises(ModelError, match="after 4 tries: 500 oops") as told:
        scorer.scores(scorer.encoded(PAIRS))
    assert len(waits.seconds) == 3
    assert all(2**n <= seconds <= 2**n + 1 for n, seconds in enumerate(waits.seconds))
    assert "all answers so far are kept" in told.value.remedy
    assert len(proxy.bodies) == 4


def test_an_answer_that_does_not_come_is_not_waited_for_forever(learnt: Path, proxy: Proxy) -> None:
    proxy.fault = lambda n, body: "hold" if n == 0 else ""
    scorer = asking(learnt, at_once=1)
    quick = Patience(tries=4, answer=0.3, sleep=Waits())
    short = ServerScorer(scorer.source, scorer.asking, scorer.answers, scorer.ledger, quick)
    np.testing.assert_allclose(short.scores(short.encoded(PAIRS))[:, :3], votes_learnt(PAIRS))


def test_a_server_that_is_not_there(learnt: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_BASE_URL", "http://127.0.0.1:9/v1")
    scorer = asking(learnt)
    with pytest.raises(ModelError, match="in 4 tries: ConnectError") as told:
        scorer.scores(scorer.encoded(PAIRS[:1]))
    assert "127.0.0.1" not in f"{told.value} {told.value.remedy}"


def test_a_wait_of_hours_ends_the_run(learnt: Path, proxy: Proxy, monkeypatch: pytest.MonkeyPatch) -> None:
    proxy.retry_after = "86400"
    proxy.fault = lambda n, body: "429 quota"
    scorer = asking(learnt, at_once=1)
    with pytest.raises(ModelError, match="asks to wait 86400 s"):
        scorer.scores(scorer.encoded(PAIRS))
    assert len(proxy.bodies) == 1


REFUSED = '{"error": {"message": "This server does not know response_format", "code": 400}}'
RENAMED = '{"error": {"message": "Unsupported parameter: max_tokens. Use max_completion_tokens instead."}}'


def test_a_schema_that_is_refused_is_left_out_from_then_on(learnt: Path, proxy: Proxy) -> None:
    proxy.fault = lambda n, body: f"400 {REFUSED}" if "response_format" in body else ""
    scorer = asking(learnt, at_once=1)
    np.testing.assert_allclose(scorer.scores(scorer.encoded(PAIRS))[:, :3], votes_learnt(PAIRS))
    assert ["response_format" in body for body in proxy.bodies] == [True] + [False] * PROMPTS


def test_a_field_that_is_refused_by_name_goes_alone(learnt: Path, proxy: Proxy) -> None:
    proxy.fault = lambda n, body: f"400 {RENAMED}" if "max_tokens" in body else ""
    scorer = asking(learnt, at_once=1)
    np.testing.assert_allclose(scorer.scores(scorer.encoded(PAIRS))[:, :3], votes_learnt(PAIRS))
    assert proxy.bodies[1]["max_completion_tokens"] == 256
    assert all("response_format" in body for body in proxy.bodies)


def test_structured_answers_are_read(learnt: Path, proxy: Proxy) -> None:
    def structured(n: int, body: dict[str, Any]) -> str:
        choices = body["response_format"]["json_schema"]["schema"]["properties"]["answer"]["enum"]
        content = json.dumps({"answer": choices[1]})
        return "200 " + json.dumps({"choices": [{"message": {"content": content}}]})

    proxy.fault = structured
    scorer = asking(learnt)
    assert scorer.scores(scorer.encoded(PAIRS))[:, 1].tolist() == [1.0] * len(PAIRS)


def _zoe_says_nothing(n: int, body: dict[str, Any]) -> str:
    said = json.dumps({"choices": [{"message": {"content": "zzz"}}]})
    return f"200 {said}" if "Zoe" in body["messages"][0]["content"] else ""


def test_answers_that_are_no_choice_are_asked_again_and_counted(learnt: Path, proxy: Proxy) -> None:
    proxy.fault = _zoe_says_nothing
    scorer = asking(learnt)
    found = scorer.scores(scorer.encoded([ZOE, *PAIRS]))
    assert found[0, scorer.columns.index("unreadable")] == 1
    np.testing.assert_allclose(found[1:, :3], votes_learnt(PAIRS))
    assert found[:, scorer.columns.index("votes")].tolist() == [1.0] * (1 + len(PAIRS))
    reminded = [b for b in proxy.bodies if len(b["messages"]) == 3]
    assert reminded[0]["messages"][1]["role"] == "assistant"
    assert "nothing else" in reminded[0]["messages"][2]["content"]
    asked = len(proxy.bodies)
    assert asked == PROMPTS + 3 * 3  # the others were all asked
    np.testing.assert_allclose(scorer.scores(scorer.encoded(PAIRS))[:, :3], votes_learnt(PAIRS))
    assert len(proxy.bodies) == asked


def test_a_run_stops_at_its_limit_of_requests_and_the_next_goes_on(learnt: Path, proxy: Proxy) -> None:
    scorer = asking(learnt, max_requests=10)
    with pytest.raises(ModelError, match="limit of requests, 10;"):
        scorer.scores(scorer.encoded(PAIRS))
    assert len(proxy.bodies) == 10
    limits = scorer.asking.scoring.server
    again = ServerScorer(scorer.source, scorer.asking, scorer.answers, Ledger(limits), scorer.patience)
    np.testing.assert_allclose(again.scores(again.encoded(PAIRS))[:, :3], votes_learnt(PAIRS))
    assert len(proxy.bodies) == len(set(proxy.prompts)) == PROMPTS


def test_a_run_stops_before_its_limit_of_money(learnt: Path, proxy: Proxy) -> None:
    scorer = asking(
        learnt,
        max_cost=0.0015,
        at_once=2,
        answer_tokens=64,
        price_per_million_input_tokens=1.0,
        price_per_million_output_tokens=1.0,
    )
    with pytest.raises(ModelError, match=r"run's limit of 0\.0015"):
        scorer.scores(scorer.encoded(PAIRS))
    assert 0 < scorer.ledger.cost <= 0.0015
    assert 1 < len(proxy.bodies) < PROMPTS
    # about 100 tokens a prompt were booked, not the bytes that were set aside
    assert scorer.ledger.cost / len(proxy.bodies) < 200e-6


@pytest.mark.parametrize("status", [401, 403])
def test_a_key_that_is_refused_is_never_shown(learnt: Path, proxy: Proxy, status: int) -> None:
    proxy.fault = lambda n, body: f"{status} Incorrect API key provided: {KEY}"
    scorer = asking(learnt, at_once=1)
    with pytest.raises(ModelError, match="OPENAI_API_KEY is refused") as told:
        scorer.scores(scorer.encoded(PAIRS))
    assert KEY not in f"{told.value} {told.value.remedy}"
    assert len(proxy.bodies) == 1


@pytest.mark.parametrize("status", [400, 500])
def test_a_server_that_repeats_the_key_does_not_make_us_show_it(
    learnt: Path, proxy: Proxy, status: int
) -> None:
    proxy.fault = lambda n, body: f"{status} you said Bearer {KEY}"
    scorer = asking(learnt, at_once=1)
    with pytest.raises(ModelError, match=r"you said Bearer \*\*\*") as told:
        scorer.scores(scorer.encoded(PAIRS))
    assert KEY not in f"{told.value} {told.value.remedy}"


def test_without_a_key_none_is_sent(
    learnt: Path, proxy: Proxy, monkeypatch: pytest.MonkeyPatch
) -> None:  # fmt: skip
    monkeypatch.delenv("OPENAI_API_KEY")
    scorer = asking(learnt)
    scorer.scores(scorer.encoded(PAIRS))
    assert set(proxy.keys) == {None}
    proxy.fault = lambda n, body: "401 who are you"
    with pytest.raises(ModelError, match="OPENAI_API_KEY is not set"):
        scorer.scores(scorer.encoded([ZOE]))


@pytest.mark.parametrize("key", ["sk-a b", "sk-\nX: y", "sk-é", "“sk”"])
def test_a_key_that_cannot_be_one_is_refused_unseen(
    learnt: Path, proxy: Proxy, monkeypatch: pytest.MonkeyPatch, key: str
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", key)
    scorer = asking(learnt)
    with pytest.raises(ModelError, match="that is not allowed in a key") as told:
        scorer.scores(scorer.encoded(PAIRS))
    assert key not in f"{told.value} {told.value.remedy}"
    assert not proxy.bodies


def test_a_model_that_the_server_does_not_know(learnt: Path, proxy: Proxy) -> None:
    proxy.fault = lambda n, body: "404 no such model"
    scorer = asking(learnt, at_once=1)
    with pytest.raises(ModelError, match="has no model") as told:
        scorer.scores(scorer.encoded(PAIRS))
    with urlopen(f"{proxy.address}/models") as reply:
        listed = sorted(model["id"] for model in json.load(reply)["data"])
    assert listed  # with transformers 5.23 the Hub's cache, later the one model that the server is bound to
    assert f"the server offers: {', '.join(listed)}" in told.value.remedy


def test_another_refusal_is_told_in_the_servers_words(learnt: Path, proxy: Proxy) -> None:
    # This server is bound to its one model.
    scorer = asking(learnt.parent / "elsewhere", at_once=1)
    with pytest.raises(ModelError, match=r"refuses with 400: .*Server is pinned to"):
        scorer.scores(scorer.encoded(PAIRS))


def test_a_killed_run_goes_on_and_asks_nothing_twice(
    learnt: Path, proxy: Proxy, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, root: Path
) -> None:
    monkeypatch.setenv("NEXTSET_CACHE", str(tmp_path))
    proxy.fault = lambda n, body: "hold" if n == 5 else ""
    command = [sys.executable, "-m", "tests.scoring.model_server.killed_server_run", f"openai:{learnt}"]
    environment = {**os.environ, "PYTHONPATH": str(root)}
    process = subprocess.Popen(command, cwd=root, env=environment)
    assert proxy.reached.wait(240)
    process.send_signal(signal.SIGKILL)
    process.wait(120)
    scorer = ServerScorer.load(locate(f"openai:{learnt}"), Asking("nli", ScoringSettings()))
    np.testing.assert_allclose(scorer.scores(scorer.encoded(PAIRS))[:, :3], votes_learnt(PAIRS))
    # the sixth had no answer
    assert len(set(proxy.prompts)) == PROMPTS
    assert len(proxy.bodies) == PROMPTS + 1
    for file in tmp_path.iterdir():
        assert KEY.encode() not in file.read_bytes()


def test_without_the_cache_nothing_is_kept_on_disk(
    learnt: Path, proxy: Proxy, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("NEXTSET_CACHE", str(tmp_path))
    settings = ScoringSettings(cache=False)
    scorer = scorer_of(locate(f"openai:{learnt}"), Asking("nli", settings))
    assert isinstance(scorer, ServerScorer)
    scorer.scores(scorer.encoded(PAIRS[:1]))
    assert not list(tmp_path.iterdir())


def test_statements_are_refused_before_anything_is_sent(proxy: Proxy, learnt: Path) -> None:
    with pytest.raises(ModelError, match="'statement'"):
        ServerScorer.load(locate(f"openai:{learnt}"), Asking("statement", ScoringSettings()))


def test_a_model_behind_a_server_fills_no_masks(proxy: Proxy) -> None:
    with pytest.raises(ModelError, match="behind a server"):
        load(locate("openai:any"), "AutoModelForMaskedLM")


NO_TEMPLATE = {
    "vLLM": '400 {"error": {"message": "As of transformers v4.44, default chat template is no longer '
    'allowed, so you must provide a chat template if the tokenizer does not define one.", "code": 400}}',
    "TGI": '422 {"error": "Template error: template not found", "error_type": "template_error"}',
    "SGLang": '500 {"message": "Cannot use chat template functions because tokenizer.chat_template is not '
    'set and no template argument was passed!"}',
    "an error with the status of an answer": '200 {"error": {"message": "no chat_template", "code": 400}}',
}


@pytest.mark.parametrize("server", NO_TEMPLATE)
def test_a_base_model_without_a_chat_template_is_told_at_once(
    learnt: Path, proxy: Proxy, server: str
) -> None:
    proxy.fault, waits = lambda n, body: NO_TEMPLATE[server], Waits()
    scorer = asking(learnt, waits=waits, at_once=1)
    with pytest.raises(ModelError, match="no usable chat template for this model") as told:
        scorer.scores(scorer.encoded(PAIRS))
    assert "server: {api: completions}" in told.value.remedy
    assert (len(proxy.bodies), waits.seconds) == (1, [])


def test_a_chat_that_fails_without_words_is_told_if_completions_work(learnt: Path, proxy: Proxy) -> None:
    # transformers serve answers so for a model without a chat template
    proxy.fault, waits = lambda n, body: "500 Internal Server Error" if "messages" in body else "", Waits()
    scorer = asking(learnt, waits=waits, at_once=1)
    with pytest.raises(ModelError, match="no usable chat template for this model"):
        scorer.scores(scorer.encoded(PAIRS))
    assert [("prompt" in body, body["max_tokens"]) for body in proxy.bodies] == [
        (False, 256), (False, 256), (True, 1),
    ]  # fmt: skip
    assert len(waits.seconds) == 1


def _always(answer: str, n: int, body: object) -> str:
    return answer


def test_an_error_with_the_status_of_an_answer_is_told_in_the_servers_words(
    learnt: Path, proxy: Proxy
) -> None:
    for error in ('{"message": "the GPU is gone"}', '"the GPU is gone"', '{"why": "the GPU is gone"}'):
        answer, waits = f'200 {{"error": {error}}}', Waits()
        proxy.fault = partial(_always, answer)
        scorer = asking(learnt, waits=waits, at_once=1)
        with pytest.raises(ModelError, match=r"not a chat completion: .*'the GPU is gone'"):
            scorer.scores(scorer.encoded(PAIRS[:1]))


def _said(text: str, ending: str = "stop") -> str:
    return "200 " + json.dumps({"choices": [{"text": text, "finish_reason": ending}]})


def test_a_base_model_continues_the_prompt_to_the_character(learnt: Path, proxy: Proxy) -> None:
    choices = ["yes", "undecided", "open"]  # entailment in the first wording, neutral in the other two
    proxy.fault = lambda n, body: _said(f" {choices[n]}")
    scorer = asking(learnt, api="completions", at_once=1)
    np.testing.assert_allclose(scorer.scores(scorer.encoded(PAIRS[:1]))[:, :3], [[1 / 3, 2 / 3, 0]])
    prompts = [r.prompt for wordings in scorer.encoded(PAIRS[:1]) for r in wordings]
    assert [body["prompt"] for body in proxy.bodies] == prompts
    assert all(body["stop"] == ["\n"] and "messages" not in body for body in proxy.bodies)


def test_only_thoughts_get_all_tokens(learnt: Path, proxy: Proxy) -> None:
    def fault(n: int, body: dict[str, Any]) -> str:
        if body["max_tokens"] < 4096:
            return _said("<think>Let me see", "length")
        return _said("<think>Let me see.</think> yes")

    proxy.fault = fault
    scorer = asking(learnt, at_once=1)
    one = Asking("nli", scorer.asking.scoring, prompts=own_prompts().only("nli", 1))
    scorer = replace(scorer, asking=one)
    np.testing.assert_allclose(scorer.scores(scorer.encoded(PAIRS[:3]))[:, 0], [1, 1, 1])
    assert [body["max_tokens"] for body in proxy.bodies] == [256, 4096, 4096, 4096]
    np.testing.assert_allclose(scorer.scores(scorer.encoded(PAIRS[:3]))[:, 0], [1, 1, 1])
    assert len(proxy.bodies) == 4  # nothing is asked twice


@pytest.mark.parametrize(("written", "tokens"), [({}, 256), ({"answer_tokens": 900}, 900)])
def test_a_model_that_goes_on_and_on_is_cut_off(
    learnt: Path, proxy: Proxy, written: dict[str, Any], tokens: int
) -> None:
    proxy.fault = lambda n, body: _said("and then it went on and on", "length")
    scorer = asking(learnt, at_once=1, **written)
    found = scorer.scores(scorer.encoded(PAIRS[:1]))
    assert found[0, scorer.columns.index("cut_off")] == 1
    assert [body["max_tokens"] for body in proxy.bodies] == [tokens] * 9  # three wordings, three times each


def test_a_hint_while_no_answer_comes(
    learnt: Path, proxy: Proxy, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(concurrent_requests, "HINT_AFTER", 0.01)
    scorer = asking(learnt, at_once=1)
    scorer.scores(scorer.encoded(PAIRS[:1]))
    (record,) = caplog.records
    assert "has not answered within 0.01 s" in record.getMessage()
    assert "api: completions" in record.getMessage()
