"""Settings of requests to servers: what is sent, what is stored, and which server gets which key."""

from __future__ import annotations

import json
import logging
import socket
import threading
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from nextset.errors import InputError, ModelError, StudyError
from nextset.redaction import redacted
from nextset.scoring.asking import Asking
from nextset.scoring.model_kinds import options_of
from nextset.scoring.model_server.answer_cache import AnswerRequest, Answers
from nextset.scoring.model_server.rate_and_cost_limits import Ledger
from nextset.scoring.model_server.request_body import completed_prompt, request_body
from nextset.scoring.model_server.secret_headers import hide_secret_fields
from nextset.scoring.model_server.server_client import Patience
from nextset.scoring.model_server.server_scorer import ServerScorer
from nextset.scoring.models.sources import ModelSource, locate
from nextset.scoring.prompt_wordings import own_prompts
from nextset.scoring.scorer_protocol import Pair
from nextset.study.model_key import settings_by_model
from nextset.study.scoring_settings import ModelSettings, ScoringSettings, ServerSettings
from nextset.study.study_folder import Study
from tests.scoring.model_server.scripted_server import Reply, Request, ScriptedServer, scripted

PAIRS = [Pair("Anna sleeps.", "Anna is asleep."), Pair("Bob sleeps.", "Bob is asleep.")]
KEY, OTHER = "planted-key-0123456789", "other-planted-key-98765"


def _yes(request: Request) -> str:
    return request.choices[0]


def _scorer(
    server: ScriptedServer, model: dict[str, Any] | None = None, answers: Answers | None = None, **common: Any
) -> ServerScorer:
    """A scorer of one wording, whose model has the address of ``server`` in its settings."""
    written = {**(model or {}), "server": {"address": server.address, **(model or {}).get("server", {})}}
    settings = ModelSettings.model_validate(written)
    traces = common.pop("traces", True)
    scoring = ScoringSettings(server=ServerSettings(**common), traces=traces)
    asking = Asking("nli", scoring, settings, own_prompts().only("nli", 1))
    source = locate("openai:m", settings=settings)
    patience = Patience(tries=2, sleep=lambda _: None)
    return ServerScorer(source, asking, answers or Answers(None), Ledger(scoring.server), patience)


def _scores(scorer: ServerScorer, pairs: list[Pair] = PAIRS) -> dict[str, list[float]]:
    numbers = scorer.scores(scorer.encoded(pairs))
    return {name: numbers[:, n].tolist() for n, name in enumerate(scorer.columns)}


def test_all_settings_reach_the_server() -> None:
    with scripted(_yes) as server:
        own = {
            "system_prompt": "Be brief.",
            "thinking": False,
            "server": {
                "temperature": 0.5,
                "seed": 7,
                "samples": 2,
                "reasoning_effort": "low",
                "body": {"top_p": 0.9, "chat_template_kwargs": {"style": "plain"}},
                "headers": {"X-Title": "nextset"},
            },
        }
        assert _scores(_scorer(server, own))["entailment"] == [1, 1]
    assert len(server.requests) == 2 * 2
    first = server.requests[0]
    assert first.system == "Be brief."
    assert first.headers["x-title"] == "nextset"
    sent = {k: first.body[k] for k in ("temperature", "top_p", "reasoning_effort", "chat_template_kwargs")}
    assert sent == {
        "temperature": 0.5,
        "top_p": 0.9,
        "reasoning_effort": "low",
        "chat_template_kwargs": {"style": "plain", "enable_thinking": False},
    }
    assert sorted(request.body["seed"] for request in server.requests) == [7, 7, 8, 8]


def test_fields_that_a_server_refuses_are_omitted() -> None:
    def answer(request: Request) -> Reply:
        for name in ("chat_template_kwargs", "reasoning_effort"):
            if name in request.body:
                return Reply(f'{{"error": "unknown field {name}"}}', status=422)
        return Reply(request.choices[0])

    with scripted(answer) as server:
        own = {"thinking": True, "server": {"reasoning_effort": "high", "at_once": 1}}
        assert _scores(_scorer(server, own))["entailment"] == [1, 1]
    assert len(server.requests) == 4  # two refusals, and two answers


def test_samples_give_finer_shares() -> None:
    with scripted(lambda r: r.choices[0 if r.body["seed"] < 7 else 2]) as server:
        found = _scores(_scorer(server, samples=10, temperature=1.0))
    assert found["entailment"] == pytest.approx([0.7, 0.7])
    assert found["contradiction"] == pytest.approx([0.3, 0.3])
    assert found["votes"] == [1, 1]


def test_log_probabilities_become_probabilities() -> None:
    def answer(request: Request) -> Reply:
        assert request.choices == []  # no schema restricts the answer
        likeliest = [("follows", np.log(0.6)), ("undecided", np.log(0.1)), ("Well", np.log(0.3))]
        place = ("follows", float(np.log(0.6)), [(t, float(p)) for t, p in likeliest])
        known = request.prompt.find("Anna") >= 0
        return Reply(choices[0], logprobs=[(choices[0], *place[1:])] if known else None)

    with scripted(answer) as server:
        scorer = _scorer(server, logprobs=True)
        choices = scorer.encoded(PAIRS)[0][0].choices
        found = _scores(scorer)
    assert found["votes"] == [0, 1]  # Bob's answer came without log probabilities
    assert found["entailment"] == [pytest.approx(1.0), 1]


def test_fewer_log_probabilities_are_asked_for_if_twenty_are_refused() -> None:
    def answer(request: Request) -> Reply:
        if request.body.get("top_logprobs", 0) > 5:
            return Reply("top_logprobs must be at most 5", status=400)
        return Reply(choices[0], logprobs=[(choices[0], -0.1, [(choices[0], -0.1)])])

    with scripted(answer) as server:
        scorer = _scorer(server, logprobs=True, at_once=1)
        choices = scorer.encoded(PAIRS)[0][0].choices
        assert _scores(scorer)["votes"] == [0, 0]
    assert [request.body["top_logprobs"] for request in server.requests] == [20, 5, 5]


def test_a_base_model_that_echoes_gives_exact_probabilities() -> None:
    weights = {0: 0.5, 1: 0.2, 2: 0.1}

    def answer(request: Request) -> Reply:
        assert request.body["echo"]
        text = request.body["prompt"]
        choice = next(n for n, c in enumerate(choices) if text.endswith(" " + c))
        head = text[: -len(choices[choice])]
        tokens = ["<s>", head[:5], head[5:], choices[choice], " and"]
        logs = {"tokens": tokens, "token_logprobs": [None, -1.0, -2.0, float(np.log(weights[choice])), -3.0]}
        content = {"choices": [{"text": text + " and", "finish_reason": "length", "logprobs": logs}]}
        return Reply(content=content)

    with scripted(answer) as server:
        scorer = _scorer(server, logprobs=True, api="completions")
        choices = scorer.encoded(PAIRS)[0][0].choices
        found = _scores(scorer)
        _scores(scorer)
    assert found["votes"] == [0, 0]
    numbers = np.array([found[name] for name in ("entailment", "neutral", "contradiction")])
    np.testing.assert_allclose(numbers[:, 0], np.array([0.5, 0.2, 0.1]) / 0.8)
    assert len(server.requests) == 2 * 3  # nothing is asked twice


def test_a_base_model_that_does_not_echo_is_asked_for_an_answer() -> None:
    def answer(request: Request) -> Reply:
        if "echo" in request.body:
            return Reply("echo is not supported", status=400)
        assert request.path == "/v1/completions"
        return Reply(f" {choices[2]}", logprobs=[(f" {choices[2]}", -0.1, [(f" {choices[2]}", -0.1)])])

    with scripted(answer) as server:
        scorer = _scorer(server, logprobs=True, api="completions", at_once=1)
        choices = scorer.encoded(PAIRS)[0][0].choices
        found = _scores(scorer)
    assert found["contradiction"] == pytest.approx([1, 1])
    assert found["votes"] == [0, 0]
    assert ["echo" in request.body for request in server.requests] == [True, False, False]


def _echo(choices: Sequence[str], request: Request, fault: str = "") -> Reply:
    """A reply with the log probabilities of the prompt, in which ``fault`` cannot be read; each choice has
    e times the probability of the next one."""
    text = request.body["prompt"]
    place = next(n for n, choice in enumerate(choices) if text.endswith(f" {choice}"))
    head = text.removesuffix(choices[place])
    shown = head.replace(fault, "\ufffd") if fault else head
    columns = {
        "tokens": [shown, choices[place], " and"],
        "token_logprobs": [None, -1.0 - place, -3.0],
    }
    return Reply(content={"choices": [{"text": text, "finish_reason": "length", "logprobs": columns}]})


def test_a_prompt_that_cannot_be_matched_concerns_no_other_prompt() -> None:
    pairs = [Pair("Anna sleeps.", "She is asleep."), Pair("Bob ☂ sleeps.", "He is asleep.")]

    def answer(request: Request) -> Reply:
        if "Carl" in request.body["prompt"] and "echo" in request.body:
            return Reply("this prompt is too long", status=400)
        if "echo" in request.body:
            return _echo(choices, request, "☂")
        return Reply(f" {choices[2]}", logprobs=[(f" {choices[2]}", -0.1, [(f" {choices[2]}", -0.1)])])

    found = []
    with scripted(answer) as server:
        pairs += [Pair("Carl sleeps.", "He is asleep.")]
        choices = _scorer(server).encoded(pairs)[0][0].choices
        for order in (pairs, pairs[::-1], pairs[1:2], pairs[:1], pairs[2:]):
            scorer = _scorer(server, logprobs=True, api="completions", at_once=1)
            found += [dict(zip(order, scorer.scores(scorer.encoded(order)), strict=True))]
            sent = len(server.requests)
            scorer.scores(scorer.encoded(order))  # the tokens that cannot be matched are stored too
            again = [request.body for request in server.requests[sent:]]
            assert all("Carl" in body["prompt"] and "echo" in body for body in again)
    powers = np.exp([0, -1, -2])
    np.testing.assert_allclose(found[0][pairs[0]][:3], powers / powers.sum())
    np.testing.assert_allclose(found[0][pairs[1]][:3], [0, 0, 1])
    np.testing.assert_allclose(found[0][pairs[2]][:3], [0, 0, 1])
    for other in found[1:]:
        for pair, numbers in other.items():
            np.testing.assert_array_equal(numbers, found[0][pair])


def test_a_system_prompt_is_completed_like_on_this_machine() -> None:
    def answer(request: Request) -> Reply:
        assert request.body["prompt"].startswith("Be fair.\n\n")
        return _echo(choices, request)

    with scripted(answer) as server:
        scorer = _scorer(server, {"system_prompt": "Be fair."}, logprobs=True, api="completions")
        choices = scorer.encoded(PAIRS)[0][0].choices
        assert _scores(scorer)["votes"] == [0, 0]
    assert all("echo" in request.body for request in server.requests)
    assert completed_prompt([("user", "A?"), ("assistant", "b"), ("user", "c")]) == "A?\nb\nc"


def test_thoughts_are_stored_unless_the_study_says_no(tmp_path: Path) -> None:
    for traces in (True, False):
        path = tmp_path / f"{traces}.sqlite"
        with scripted(lambda r: Reply(r.choices[0], reasoning="Anna could be awake.")) as server:
            _scores(_scorer(server, answers=Answers(path), traces=traces))
        assert (b"could be awake" in path.read_bytes()) == traces
    for n, text in enumerate(("<think>Perhaps awake.</think>", "<think>Perhaps awake.")):
        path = tmp_path / f"inside-{n}.sqlite"
        with scripted(lambda r, t=text: Reply(t + r.choices[0])) as server:  # type: ignore[misc]
            _scores(_scorer(server, answers=Answers(path), traces=False))
        assert b"Perhaps" not in path.read_bytes()


def test_two_servers_each_get_their_own_key_and_no_other(monkeypatch: pytest.MonkeyPatch) -> None:
    with scripted(_yes) as first, scripted(_yes) as second, scripted(_yes) as third:
        monkeypatch.setenv("OPENAI_BASE_URL", first.address)
        monkeypatch.setenv("OPENAI_API_KEY", KEY)
        monkeypatch.setenv("SECOND_KEY", OTHER)
        monkeypatch.setenv("THIRD_URL", third.address)
        common: dict[str, Any] = {"headers": {"X-Extra": "$OPENAI_API_KEY"}}
        _scores(_scorer(first, {"server": {"address": ""}}, **common))
        _scores(_scorer(second, {"server": {"key": "SECOND_KEY"}}, **common))
        _scores(_scorer(third, {"server": {"address": "THIRD_URL"}}, **common))
    assert {r.headers.get("authorization") for r in first.requests} == {f"Bearer {KEY}"}
    assert {r.headers.get("x-extra") for r in first.requests} == {KEY}
    assert {r.headers.get("authorization") for r in second.requests} == {f"Bearer {OTHER}"}
    assert {r.headers.get("authorization") for r in third.requests} == {None}
    assert KEY not in str([dict(r.headers) for r in (*second.requests, *third.requests)])


def test_keys_of_models_are_found_nowhere(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    """A server that repeats all headers, in every field that is stored or shown."""
    monkeypatch.setenv("SECOND_KEY", KEY)
    monkeypatch.setenv("GATEWAY_KEY", OTHER)
    own = {"server": {"key": "SECOND_KEY", "headers": {"X-Api-Key": "$GATEWAY_KEY"}}}

    def echo(request: Request) -> Reply:
        said = f"{request.headers['authorization']} {request.headers['x-api-key']} {server.address}"
        if request.prompt.find("Bob") >= 0:
            return Reply(said, status=418)
        usage = {"prompt_tokens": said, "completion_tokens": 1}
        text = f"{request.choices[0]}. {said}"
        return Reply(text, said, said, said, usage, model=said, fingerprint=said)

    with scripted(echo) as server, caplog.at_level(logging.DEBUG, "nextset"):
        answers = Answers(tmp_path / "answers.sqlite")
        _scores(_scorer(server, own, answers), PAIRS[:1])
        scorer = _scorer(server, own, answers)
        with pytest.raises(ModelError, match=r"refuses with 418: Bearer \*\*\* \*\*\* \*\*\*") as e:
            _scores(scorer)
    assert KEY in server.requests[0].headers["authorization"]
    shown = f"{e.value!r} {e.value.remedy} {scorer!r} {caplog.text}".encode()
    stored = b"".join(file.read_bytes() for file in tmp_path.iterdir())
    for secret in (KEY, OTHER, server.address):
        assert secret.encode() not in shown
        assert secret.encode() not in stored


@pytest.mark.parametrize("status", [401, 403])
def test_a_refused_key_is_told_by_its_place(monkeypatch: pytest.MonkeyPatch, status: int) -> None:
    monkeypatch.setenv("SECOND_KEY", KEY)
    with scripted(lambda r: Reply(f"wrong key {KEY}", status=status)) as server:
        with pytest.raises(
            ModelError, match=r"the key in SECOND_KEY that server\.key of openai:m .* is refused"
        ) as e:
            _scores(_scorer(server, {"server": {"key": "SECOND_KEY"}}))
        assert KEY not in f"{e.value} {e.value.remedy}"
        with pytest.raises(ModelError, match=f"answers {status}; no key was sent"):
            _scores(_scorer(server))
        monkeypatch.delenv("SECOND_KEY")
        with pytest.raises(ModelError, match="the environment variable SECOND_KEY is not set"):
            _scores(_scorer(server, {"server": {"key": "SECOND_KEY"}}))


PASTED = "sk-proj-abcdefghij0123456789"
WRONG: dict[str, tuple[str, str]] = {
    "a key": (f"key: {PASTED}", "not the name of an environment variable"),
    "a key with blanks": (f'key: " {PASTED} "', "not the name of an environment variable"),
    "a list of keys": (f"key: [{PASTED}]", "not the name of an environment variable"),
    "an address": (f"address: ftp://user:{PASTED}@host", "neither an address"),
    "an address with a name": (f"address: https://user:{PASTED}@host/v1", "neither an address"),
    "an address with a query": (f"address: https://host/v1?key={PASTED}", "neither an address"),
    "headers as text": (f'headers: "Authorization: {PASTED}"', "not keys with values"),
    "a secret header": (f"headers: {{Authorization: Bearer {PASTED}}}", "can be a secret"),
    "another secret header": (f"headers: {{X-Api-Key: {PASTED[3:]}}}", "can be a secret"),
    "a header like a key": (f"headers: {{X-Title: {PASTED}}}", "can be a secret"),
    "a header of two lines": (f'headers: {{X-Title: "a\\n{PASTED}"}}', "not a text of one line"),
    "a header that is no text": ("headers: {X-Title: [1]}", "not a text of one line"),
    "a header of HTTP": ("headers: {Host: a}", "is set by nextset"),
    "a header's name": (f"headers: {{{PASTED}: 'ä'}}", "the value of a header is not"),
    "an effort": (f"reasoning_effort: {PASTED}", "not in the expected form; the value is not shown"),
    "an effort in other letters": (f"reasoning_effort: ä{PASTED}", "the value is not shown"),
    "an API": (f"api: {PASTED}", "not a known value; the value is not shown"),
    "a number": (f"samples: {PASTED}", "not a whole number; the value is not shown"),
    "a price": (f"price_per_million_input_tokens: {PASTED}", "not a number; the value is not shown"),
    "true or false": (f"batch: {PASTED}", "neither true nor false; the value is not shown"),
    "an unknown key": (f"{PASTED}: 1", "server: an unknown key; it is not shown"),
    "an alias": (f"api: *{PASTED}", "found undefined alias"),
    "a tag": (f"api: !{PASTED} x", "not YAML"),
    "a key twice": (f"body: {{{PASTED}: 1, {PASTED}: 2}}", "is listed twice"),
    "a body's key": (f"body: {{api_key: {PASTED[8:]}}}", "can be a secret"),
    "a body's token": (f"body: {{extra: [{{authToken: {PASTED[8:]}}}]}}", "can be a secret"),
    "a body's password": (f"body: {{password: {{value: {PASTED[8:]}}}}}", "can be a secret"),
    "a body with a key": (f"body: {{x: {PASTED}}}", "contains a secret"),
}


@pytest.mark.parametrize("name", WRONG)
def test_a_secret_in_study_yaml_is_refused_without_being_shown(tmp_path: Path, name: str) -> None:
    written, problem = WRONG[name]
    head = "format: 1\nname: s\nfilter: {models: ['openai:x']}\nmodels:\n  openai:x:\n    server:\n"
    text = f"{head}      {written}\n"
    (tmp_path / "study.yaml").write_text(text, encoding="utf-8")
    with pytest.raises(StudyError, match=problem) as e:
        Study.load(tmp_path)
    assert e.value.line == 7
    for shown in (str(e.value), repr(e.value), e.value.remedy or ""):
        assert "abcdefghij" not in shown
    settings: Any = {"openai:x": {"server": {written.partition(":")[0]: PASTED}}}
    with pytest.raises(InputError) as again:
        settings_by_model(settings)
    assert "abcdefghij" not in f"{again.value} {again.value.remedy}"
    with pytest.raises(ValueError, match="server") as plain:
        ModelSettings.model_validate(settings["openai:x"])
    assert "abcdefghij" not in str(plain.value) or name == "an unknown key"  # a key is pydantic's location


@pytest.mark.parametrize("text", [PASTED, f"[{PASTED}]", PASTED[8:]])
def test_a_secret_in_place_of_a_server_is_not_shown(tmp_path: Path, text: str) -> None:
    head = "format: 1\nname: s\nfilter: {models: ['openai:x']}\n"
    for section in (f"scoring: {{server: {text}}}", f"models: {{'openai:x': {{server: {text}}}}}"):
        (tmp_path / "study.yaml").write_text(f"{head}{section}\n", encoding="utf-8")
        with pytest.raises(StudyError, match="server: not keys with values") as e:
            Study.load(tmp_path)
        assert "abcdefghij" not in f"{e.value} {e.value.remedy}"


@pytest.mark.parametrize(
    ("written", "shown"),
    [
        ("samples: 0", "too small (here: 0)"),
        ("api: chats", "not a known value (here: 'chats')"),
        ("sample: 2", "unknown key 'models.openai:x.server.sample'"),
    ],
)
def test_what_is_no_secret_is_shown(tmp_path: Path, written: str, shown: str) -> None:
    head = "format: 1\nname: s\nfilter: {models: ['openai:x']}\n"
    text = f"{head}models: {{'openai:x': {{server: {{{written}}}}}}}\n"
    (tmp_path / "study.yaml").write_text(text, encoding="utf-8")
    with pytest.raises(StudyError) as e:
        Study.load(tmp_path)
    assert shown in str(e.value)


def test_a_secret_in_the_body_is_sent_but_neither_stored_nor_shown(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("BODY_SECRET", "body-secret-12345")
    body = {"auth": {"token": "Bearer $BODY_SECRET"}, "min_tokens": 1, "note": "$BODY_SECRET"}
    body |= {"prompt_cache_key": "a"}
    asked = AnswerRequest("1" * 32, "m", (("user", "?"),), ("yes", "no"), 64, body=json.dumps(body))
    sent = request_body(asked)
    assert sent["auth"] == {"token": "Bearer body-secret-12345"}
    assert (sent["note"], sent["min_tokens"], sent["prompt_cache_key"]) == ("$BODY_SECRET", 1, "a")
    assert "body-secret" not in json.dumps(asked.as_json())
    source = ModelSource("openai:m", None, "1" * 32, "1" * 32, "http://localhost/v1")
    hide_secret_fields(source, body)
    assert redacted("it said body-secret-12345") == "it said ***"
    monkeypatch.delenv("BODY_SECRET")
    with pytest.raises(ModelError, match="body of openai:m: the environment variable"):
        hide_secret_fields(source, body)


@pytest.mark.parametrize("field", ["model", "messages", "max_tokens", "stream", "n"])
def test_a_field_that_nextset_sets_is_refused(tmp_path: Path, field: str) -> None:
    head = "format: 1\nname: s\nfilter: {models: ['openai:x']}\n"
    text = f"{head}scoring: {{server: {{body: {{{field}: 1}}}}}}\n"
    (tmp_path / "study.yaml").write_text(text, encoding="utf-8")
    with pytest.raises(StudyError, match=f"nextset sets the field {field} itself"):
        Study.load(tmp_path)


def test_only_settings_that_decide_answers_change_the_keys_of_scores() -> None:
    def options(model: dict[str, Any] | None = None, **common: Any) -> dict[str, Any]:
        scoring = ScoringSettings(server=ServerSettings(**common))
        return options_of("server", Asking("nli", scoring, ModelSettings.model_validate(model or {})))

    usual = options()
    assert set(usual) == {"form", "too_long", "prompts", "answer_tokens", "answer_phrases", "reading"}
    assert options(at_once=9, requests_per_minute=5, price_per_million_input_tokens=1.0) == usual
    assert options({"server": {"address": "https://a.example/v1", "key": "A_KEY"}}) == usual
    changed = [
        options(temperature=0.5),
        options(temperature=0.5, samples=3),
        options(seed=1),
        options(logprobs=True),
        options(reasoning_effort="low"),
        options(body={"top_p": 0.5}),
        options(headers={"X-A": "b"}),
        options({"system_prompt": "Be brief."}),
        options({"thinking": True}),
        options({"thinking": False}),
        options({"server": {"api": "completions"}}),
    ]
    assert len({str(one) for one in (usual, *changed)}) == 1 + len(changed)


def test_many_answers_that_are_cut_off_are_warned_of_once(caplog: pytest.LogCaptureFixture) -> None:
    pairs = [Pair(f"{n} sleeps.", "It sleeps.") for n in range(60)]
    with scripted(lambda r: Reply("and so on", finish_reason="length")) as server:
        found = _scores(_scorer(server, at_once=32), pairs)
    assert found["cut_off"] == [1] * 60
    (record,) = [r for r in caplog.records if "cut off" in r.getMessage()]
    assert "answer_tokens: 4096" in record.getMessage()
    assert "api: completions" in record.getMessage()


@pytest.mark.slow
def test_as_many_requests_as_allowed_are_in_progress_at_once() -> None:
    together = threading.Barrier(512)

    def answer(request: Request) -> str:
        together.wait(60)
        return request.choices[0]

    with scripted(answer) as server:
        found = _scores(
            _scorer(server, at_once=512), [Pair(f"{n} sleeps.", "It sleeps.") for n in range(512)]
        )
    assert found["entailment"] == [1] * 512
    assert server.most_at_once == 512


def test_a_model_without_an_address_is_told_where_to_write_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("OPENAI_BASE_URL", raising=False)
    with pytest.raises(ModelError, match="OPENAI_BASE_URL, the address of the server, is not set") as e:
        locate("openai:m")
    assert "server: {address: ADDRESS}" in (e.value.remedy or "")
    settings = ModelSettings.model_validate({"server": {"address": "MY_URL"}})
    with pytest.raises(ModelError, match="the environment variable MY_URL is not set"):
        locate("openai:m", settings=settings)


def test_the_digest_is_that_of_the_address_wherever_it_is_written(monkeypatch: pytest.MonkeyPatch) -> None:
    address = "http://127.0.0.1:9/v1"
    monkeypatch.setenv("OPENAI_BASE_URL", address + "/")
    monkeypatch.setenv("MY_URL", address)
    own = [ModelSettings.model_validate({"server": {"address": a}}) for a in (address, "MY_URL")]
    digests = {locate("openai:m").digest, *(locate("openai:m", settings=settings).digest for settings in own)}
    assert len(digests) == 1
    other = ModelSettings.model_validate({"server": {"address": "http://127.0.0.1:8/v1"}})
    assert locate("openai:m", settings=other).digest not in digests


def test_a_server_that_is_down_is_told_without_a_word_on_templates() -> None:
    with scripted(_yes) as server, socket.socket() as closed:
        closed.bind(("127.0.0.1", 0))
        address = f"http://127.0.0.1:{closed.getsockname()[1]}/v1"
        with pytest.raises(ModelError, match="no connection could be made to the server") as e:
            _scores(_scorer(server, {"server": {"address": address}}))
    assert "start the server" in e.value.remedy
    assert "template" not in e.value.remedy


@pytest.mark.parametrize("ends", [True, False])
def test_an_address_without_v1_is_remarked_on(ends: bool) -> None:
    with scripted(lambda r: Reply("no such page", status=404)) as server:
        address = server.address if ends else server.address.removesuffix("/v1") + "/v2"
        with pytest.raises(ModelError, match="has no model") as e:
            _scores(_scorer(server, {"server": {"address": address}}))
    assert ("many servers want an address that ends in /v1" in e.value.remedy) == (not ends)
