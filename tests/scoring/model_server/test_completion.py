"""Whether an answer is whole, in the shapes in which servers say so; cut-off answers are never votes."""

from __future__ import annotations

import json
import urllib.parse
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from nextset.errors import ModelError
from nextset.scoring.asking import Asking
from nextset.scoring.cache.keys import Scope
from nextset.scoring.model_kinds import options_of
from nextset.scoring.model_server.answer_cache import Answers
from nextset.scoring.model_server.completion import CUT_OFF, Completion, completion_of
from nextset.scoring.model_server.rate_and_cost_limits import Ledger
from nextset.scoring.model_server.server_client import Patience
from nextset.scoring.model_server.server_scorer import ServerScorer
from nextset.scoring.models.sources import locate
from nextset.scoring.scorer_protocol import Pair
from nextset.study.scoring_settings import ScoringSettings, ServerSettings
from tests.scoring.model_server.served import Proxy, proxied

PAIRS = [Pair("Anna sleeps.", "Anna is asleep."), Pair("Bob sleeps.", "Bob is asleep.")]


def _chat(content: Any, **said: Any) -> dict[str, Any]:
    return {"choices": [{"message": {"role": "assistant", "content": content}, **said}]}


def _thought(content: Any, ending: str, **thoughts: str) -> dict[str, Any]:
    return {"choices": [{"message": {"content": content, **thoughts}, "finish_reason": ending}]}


@pytest.mark.parametrize("word", ["length", "LENGTH", "max_tokens", "MAX_TOKENS", "model_length"])
@pytest.mark.parametrize("field", ["finish_reason", "stop_reason"])
def test_every_word_for_a_cut_off_answer_is_known(word: str, field: str) -> None:
    assert completion_of(_chat("The premise says that yes", **{field: word}), 64).ending == CUT_OFF


@pytest.mark.parametrize(
    ("reply", "expected"),
    [
        (_chat("yes", finish_reason="stop"), Completion("yes")),
        (_chat("yes", finish_reason="stop", stop_reason="</s>"), Completion("yes")),
        (_chat("yes", finish_reason="eos_token"), Completion("yes")),
        (_chat("yes", stop_reason="end_turn"), Completion("yes")),
        (_chat("yes", finish_reason=None, stop_reason=128009), Completion("yes")),
        (_chat("yes", finish_reason=None, stop_reason="</s>"), Completion("yes")),
        (_chat("yes", finish_reason=None, stop_reason="<|im_end|>"), Completion("yes")),
        (_chat("yes", finish_reason=None, stop_reason="refusal"), Completion("yes", "refusal")),
        (_chat("yes", finish_reason="length", stop_reason="</s>"), Completion("yes", CUT_OFF)),
        (_chat("yes"), Completion("yes")),
        ({**_chat("yes"), "usage": {"completion_tokens": 63}}, Completion("yes")),
        ({**_chat("yes"), "usage": {"completion_tokens": 64}}, Completion("yes", CUT_OFF)),
        ({**_chat("yes"), "stop_reason": "max_tokens"}, Completion("yes", CUT_OFF)),
        # 64 tokens of thoughts that the server hides, or shows elsewhere
        (_chat("", finish_reason="length"), Completion("", CUT_OFF)),
        (
            _thought(None, "length", reasoning_content="Is it yes"),
            Completion("", CUT_OFF, "Is it yes"),
        ),
        (_thought("yes", "stop", reasoning="It is."), Completion("yes", thoughts="It is.")),
        (
            {**_chat("yes", finish_reason="stop"), "model": "m-1", "system_fingerprint": "fp"},
            Completion("yes", model="m-1", fingerprint="fp"),
        ),
        ({"choices": [{"text": "yes", "finish_reason": "length"}]}, Completion("yes", CUT_OFF)),
        ({"choices": [{"text": "yes", "finish_reason": "stop"}]}, Completion("yes")),
        (
            _chat([{"type": "thinking", "thinking": "no"}, {"type": "text", "text": "yes"}]),
            Completion("yes", thoughts="no"),
        ),
        (_chat("I will n", finish_reason="content_filter"), Completion("I will n", "content_filter")),
        (_chat(None, finish_reason="tool_calls"), Completion("", "tool_calls")),
        (_chat("<think>If yes", finish_reason="stop"), Completion("<think>If yes", CUT_OFF, "If yes")),
        (_chat("yes", finish_reason=None, native_finish_reason="MAX_TOKENS"), Completion("yes", CUT_OFF)),
        (_chat("yes", finish_reason="stop", native_finish_reason="STOP"), Completion("yes")),
        ({**_chat("yes"), "status": "incomplete"}, Completion("yes", CUT_OFF)),
        (
            {**_chat("yes"), "status": "incomplete", "incomplete_details": {"reason": "content_filter"}},
            Completion("yes", "content_filter"),
        ),
        (
            {"choices": [{"message": {"content": "yes", "refusal": "I cannot"}, "finish_reason": "stop"}]},
            Completion("yes", "refusal"),
        ),
        (
            {"choices": [{"index": 1, "text": "yes"}, {"index": 0, "text": "no", "finish_reason": "length"}]},
            Completion("no", CUT_OFF),
        ),
    ],
)
def test_servers_say_in_many_ways_how_an_answer_ended(reply: dict[str, Any], expected: Completion) -> None:
    assert completion_of(reply, 64) == expected


@pytest.mark.parametrize("word", ["error", "abort"])
def test_an_answer_that_failed_on_the_server_is_none(word: str) -> None:
    with pytest.raises(ValueError, match=f"ended with '{word}'"):
        completion_of(_chat("yes", finish_reason=word), 64)


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=5),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(["choices", "message", "content", "text", "type", "finish_reason", "usage"]),
            inner,
        )
    ),
    max_leaves=12,
)


@given(reply=JSON)
def test_any_json_is_a_completion_or_refused(reply: Any) -> None:
    try:
        completion_of(reply, 64)
    except ValueError as e:
        assert str(e) == "the answer is not a chat completion" or str(e).startswith("the answer ended with ")


@pytest.mark.parametrize(
    ("text", "answer"),
    [
        ("<think>no, or maybe</think>yes", "yes"),
        ("<think>\nno\n</think>\n\n yes ", "yes"),
        ("no, so </think> yes", "yes"),  # the template has written <think>
        ("[THINK]no[/THINK]yes", "yes"),
        ("<think>a</think>no<think>b</think>yes", "yes"),
        ("<|channel|>analysis<|message|>no<|end|><|start|>assistant<|channel|>final<|message|>yes", "yes"),
        ('<Thinking>no</Thinking>{"answer": "yes"}', '{"answer": "yes"}'),
        ("<think>yes", ""),
        ("<think>no</think><think>yes", ""),
        ("yes", "yes"),
        ("<answer>yes</answer>", "yes"),
        ("**yes**<|im_end|>", "**yes**"),
        ("yes</s>", "yes"),
        ("<scratchpad>no</scratchpad> yes", "yes"),
        ("<|START_THINKING|>no<|END_THINKING|><|START_RESPONSE|>yes<|END_RESPONSE|>", "yes"),
        ("<unused94>thought no<unused95>yes", "yes"),
    ],
)
def test_thoughts_are_taken_off(text: str, answer: str) -> None:
    assert Completion(text).answer == answer


@pytest.mark.parametrize(
    "text",
    [
        "<think >x yes",
        '<think a="1">Is it yes?',
        "< think >x yes",
        "<think\u200b>Is it yes",
        "&lt;think&gt;Is it yes?",
        "＜think＞Is it yes?",
        "<think Is it yes",
        "<scratchpad>Is it yes",
        "<reflection>Is it yes",
        "<analysis>Is it yes?",
        "<|channel|>commentary<|message|>Is it yes?",
        "<|START_THINKING|>Is it yes?",
        "<unused94>thought Is it yes?",
        "<tool_call>yes",
        "<answer>yes",
        "Is it no?&lt;/think&gt; yes",
    ],
)
def test_an_answer_with_marks_of_unknown_meaning_is_not_read(text: str) -> None:
    assert completion_of(_chat(text, finish_reason="stop"), 64).answer == ""


@pytest.fixture
def proxy(monkeypatch: pytest.MonkeyPatch) -> Iterator[Proxy]:
    """A server that answers as ``fault`` says; there is none behind it."""
    with proxied("http://127.0.0.1:9") as found:
        monkeypatch.setenv("OPENAI_BASE_URL", found.address)
        yield found


def _scorer(answers: Answers | None = None, **limits: Any) -> ServerScorer:
    settings = ScoringSettings(server=ServerSettings(at_once=1, **limits))
    asking = Asking("nli", settings)
    return ServerScorer(locate("openai:m"), asking, answers or Answers(None), Ledger(settings.server))


def _say(content: str, reason: str) -> str:
    return f"200 {json.dumps(_chat(content, finish_reason=reason))}"


def _choices(body: dict[str, Any]) -> list[str]:
    schema = body["response_format"]["json_schema"]["schema"]
    return list(schema["properties"]["answer"]["enum"])


def test_a_cut_off_answer_is_no_vote_and_is_asked_for_again(proxy: Proxy) -> None:
    """Each first answer mentions entailment alone; the whole answer is contradiction."""

    def said(n: int, body: dict[str, Any]) -> str:
        entailment, _, contradiction = _choices(body)
        first = len(body["messages"]) == 1
        return _say(f"The premise says that {entailment}", "length") if first else _say(contradiction, "stop")

    proxy.fault = said
    scorer = _scorer()
    assert scorer.scores(scorer.encoded(PAIRS[:1]))[0, :3].tolist() == pytest.approx([0, 0, 1])
    assert len(proxy.bodies) == 6  # three wordings, twice each


def test_a_model_that_is_always_cut_off_does_not_stop_the_run(proxy: Proxy, tmp_path: Path) -> None:
    proxy.fault = lambda n, body: _say("<think>The premise says that yes", "length")
    answers = Answers(tmp_path / "answers.sqlite")
    for _ in range(2):  # what was cut off is kept: it is not paid for twice
        scorer = _scorer(answers, answer_tokens=2000)
        found = scorer.scores(scorer.encoded(PAIRS[:1]))
        assert found[0, scorer.columns.index("cut_off")] == pytest.approx(1)
        assert len(proxy.bodies) == 9  # three wordings, three times each


def test_thoughts_are_no_votes_and_are_not_sent_back(proxy: Proxy) -> None:
    def said(n: int, body: dict[str, Any]) -> str:
        entailment, _, contradiction = _choices(body)
        return _say(f"<think>{entailment}?</think> {'zzz' if n == 0 else contradiction}", "stop")

    proxy.fault = said
    scorer = _scorer()
    assert scorer.scores(scorer.encoded(PAIRS[:1]))[0, :3].tolist() == pytest.approx([0, 0, 1])
    assert proxy.bodies[1]["messages"][1] == {"role": "assistant", "content": "zzz"}


def test_half_a_character_is_stored_and_shown_as_a_sign(proxy: Proxy, tmp_path: Path) -> None:
    """JSON can write a lone surrogate, which neither SQLite nor a terminal takes."""
    proxy.fault = lambda n, body: _say("\ud800 hello", "\udc00" if n else "stop")
    scorer = _scorer(Answers(tmp_path / "answers.sqlite"), unreadable_at_most=0.0)
    with pytest.raises(ModelError, match="� hello"):
        scorer.scores(scorer.encoded(MANY))


@pytest.mark.parametrize("charset", ["hex", "base64", "rot13", "undefined", "idna", "unicode_escape"])
def test_an_error_is_read_as_utf_8_whatever_charset_it_names(proxy: Proxy, charset: str) -> None:
    proxy.content_type = f"text/plain; charset={charset}"
    proxy.fault = lambda n, body: "418 \\ud800 hello"
    scorer = _scorer()
    with pytest.raises(ModelError, match=r"refuses with 418: \\ud800 hello"):
        scorer.scores(scorer.encoded(PAIRS[:1]))


@pytest.mark.parametrize("address", ["foo://a", "http://a:b:c", "http://a\x01"])
def test_a_proxy_that_cannot_be_used_is_told_without_its_password(
    proxy: Proxy, monkeypatch: pytest.MonkeyPatch, address: str
) -> None:
    monkeypatch.setenv("ALL_PROXY", address)
    scorer = _scorer()
    with pytest.raises(ModelError, match="HTTP_PROXY"):
        scorer.scores(scorer.encoded(PAIRS[:1]))


@pytest.mark.parametrize("fault", ["drip", "drip headers"])
def test_a_response_without_an_end_is_given_up(proxy: Proxy, fault: str) -> None:
    proxy.fault = lambda n, body: fault
    scorer = replace(_scorer(), patience=Patience(tries=2, sleep=lambda _: None, answer=0.3))
    with pytest.raises(ModelError, match=r"after 2 tries: Read.* has not ended after 0\.3 s"):
        scorer.scores(scorer.encoded(PAIRS[:1]))


def test_a_response_that_is_too_long_is_not_asked_for_again(proxy: Proxy) -> None:
    proxy.fault = lambda n, body: "flood"
    scorer = replace(_scorer(), patience=Patience(sleep=lambda _: None, answer=20.0))
    with pytest.raises(ModelError, match="the server's response has more than 10,000,000 bytes"):
        scorer.scores(scorer.encoded(PAIRS[:1]))
    assert len(proxy.bodies) == 1


KEY = "sk-secret-0123456789"
MANY = [Pair(f"{i} sleeps.", "It sleeps.") for i in range(20)]
"""60 prompts."""


def test_a_server_that_echoes_its_headers_gets_no_key_into_what_is_kept_or_shown(
    proxy: Proxy, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    host = proxy.address.removesuffix("/v1")
    echo = f"Authorization: Bearer {KEY} to {proxy.address}, {urllib.parse.quote(proxy.address, safe='')}"
    proxy.fault = lambda n, body: _say(echo, "stop" if n else f"stopped {KEY}")
    scorer = _scorer(Answers(tmp_path / "answers.sqlite"))
    with pytest.raises(ModelError, match=r"Bearer \*\*\* to \*\*\*") as e:
        scorer.scores(scorer.encoded(MANY))
    assert KEY in str(proxy.keys)
    shown = f"{e.value!r} {e.value.remedy} {scorer!r}"
    kept = b"".join(file.read_bytes() for file in tmp_path.iterdir())
    for secret in (KEY, host, urllib.parse.quote(host, safe="")):
        assert secret not in shown
        assert secret.encode() not in kept
    assert KEY not in json.dumps(proxy.bodies)


def test_unreadable_answers_are_shown_five_at_a_time(proxy: Proxy) -> None:
    proxy.fault = lambda n, body: _say("zzz", "tool_calls")
    scorer = _scorer()
    with pytest.raises(ModelError, match="did not answer 50 of 50 prompts with one of the choices") as e:
        scorer.scores(scorer.encoded(MANY))
    assert str(e.value).count("'zzz' (ended by 'tool_calls') to ") == 5
    assert str(e.value).endswith("and 45 more")
    assert len(proxy.bodies) == 50 * 3


def test_scores_of_the_earlier_reading_are_not_found_again(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_BASE_URL", "http://127.0.0.1:9/v1")
    now = options_of("server", Asking("nli", ScoringSettings()))
    before = {name: value for name, value in now.items() if name != "reading"}
    keys = {
        Scope("m", "", "server", "float32", ("entailment",), json.dumps(options)).key
        for options in (now, before)
    }
    assert len(keys) == 2
