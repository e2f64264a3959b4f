"""Log probabilities of tokens become probabilities of choices, in worked cases and for any distribution."""

from __future__ import annotations

import json
import math
from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from nextset.scoring.model_server.answer_logprobs import TokenLog, answer_logs, token_logs
from nextset.scoring.model_server.choice_logprobs import choice_probabilities, continuation_probabilities
from nextset.scoring.model_server.completion import completion_of

YES_NO = ("yes", "maybe", "no")


def _place(token: str, **likeliest: float) -> TokenLog:
    """A place with these probabilities; the keys of names that Python does not allow are given by _."""
    return _of(token, likeliest)


def _of(token: str, likeliest: dict[str, float]) -> TokenLog:
    logs = tuple((t, math.log(p)) for t, p in likeliest.items())
    return TokenLog(token, dict(logs).get(token, math.log(0.01)), logs)


def test_one_token_for_each_choice() -> None:
    logs = [_place("yes", yes=0.6, no=0.2, maybe=0.1, well=0.1)]
    found = choice_probabilities(logs, YES_NO)
    assert found is not None
    assert found.tolist() == pytest.approx([0.6 / 0.9, 0.1 / 0.9, 0.2 / 0.9])


def test_spellings_of_a_choice_are_added() -> None:
    logs = [_of(" Yes", {" Yes": 0.3, "yes": 0.2, "YES": 0.1, "No": 0.2, ' "no': 0.2})]
    found = choice_probabilities(logs, YES_NO)
    assert found is not None
    assert found.tolist() == pytest.approx([0.6, 0.0, 0.4])


def test_json_and_quotes_before_the_answer_are_skipped() -> None:
    logs = [
        _of('{"', {'{"': 0.5, "no": 0.5}),
        _of("answer", {"answer": 1.0}),
        _of('":', {'":': 1.0}),
        _of(' "', {' "': 1.0}),
        _of("yes", {"yes": 0.8, "no": 0.2}),
        _of('"}', {'"}': 1.0}),
    ]
    found = choice_probabilities(logs, YES_NO)
    assert found is not None
    assert found.tolist() == pytest.approx([0.5 * 0.8, 0, 0.5 + 0.5 * 0.2])


def test_choices_that_share_tokens_are_told_apart_at_the_next() -> None:
    logs = [
        _of("New", {"New": 0.8, "Boston": 0.1, "It": 0.1}),
        _of(" York", {" York": 0.75, " Jersey": 0.2, "born": 0.05}),
    ]
    found = choice_probabilities(logs, ("New York", "New Jersey", "Boston"))
    assert found is not None
    # 0.8 · 0.75 = 0.6, 0.8 · 0.2 = 0.16, and 0.1; together 0.86
    assert found.tolist() == pytest.approx([0.6 / 0.86, 0.16 / 0.86, 0.1 / 0.86])


def test_a_choice_that_begins_another_needs_the_place_after_it() -> None:
    niger = _of("Niger", {"Niger": 0.9, "Mali": 0.1})
    end = _of(".", {".": 0.7, "ia": 0.3})
    found = choice_probabilities([niger, end], ("Niger", "Nigeria", "Mali"))
    assert found is not None
    assert found.tolist() == pytest.approx([0.9 * 0.7, 0.9 * 0.3, 0.1])
    empty_end = _of("", {"": 0.7, "ia": 0.3})
    again = choice_probabilities([niger, empty_end], ("Niger", "Nigeria", "Mali"))
    assert again is not None
    assert again.tolist() == pytest.approx(found.tolist())
    assert choice_probabilities([niger], ("Niger", "Nigeria", "Mali")) is None  # only 0.1 can be told


def test_a_name_in_pieces_counts_at_its_first_piece() -> None:
    logs = [_of("Bob", {"Bob": 0.6, "Ng": 0.35, "I": 0.05})]
    found = choice_probabilities(logs, ("Bob", "Ngozi", "cannot be determined"))
    assert found is not None
    assert found.tolist() == pytest.approx([0.6 / 0.95, 0.35 / 0.95, 0])


def test_a_short_word_is_not_the_beginning_of_a_name() -> None:
    logs = [_of("Bob", {"Bob": 0.6, "I": 0.4})]  # I cannot say, or Ivan
    found = choice_probabilities(logs, ("Bob", "Ivan", "unknown"))
    assert found is not None
    assert found.tolist() == [1, 0, 0]


def test_letters_of_several_bytes_are_put_together() -> None:
    first, second = "김".encode()[:1], "김".encode()[1:]
    pieces = [piece.decode("utf-8", "surrogateescape") for piece in (first, second)]
    logs = [_of(pieces[0], {pieces[0]: 0.9, "박": 0.1}), _of(pieces[1], {pieces[1]: 1.0})]
    found = choice_probabilities(logs, ("김", "박", "이"))
    assert found is not None
    assert found.tolist() == pytest.approx([0.9, 0.1, 0])


@pytest.mark.parametrize(
    ("logs", "choices"),
    [
        (None, YES_NO),
        ([], YES_NO),
        ([_place("yes", yes=0.3, no=0.1, The=0.6)], YES_NO),  # 0.4 on the choices
        ([_place("The", The=1.0), _of(" yes", {" yes": 1.0})], YES_NO),
        ([_place("yes", yes=1.0)], ("yes", "Yes.", "no")),  # two choices are written alike
    ],
)
def test_what_cannot_be_told_is_a_vote(logs: Sequence[TokenLog] | None, choices: Sequence[str]) -> None:
    assert choice_probabilities(logs, choices) is None


words = st.sampled_from(
    ["yes", "Yes", " no", "NO", "maybe", "may", '"', "", " ", "I", "The", "n", "\udce2", "{"]
)
tables = st.dictionaries(words, st.floats(0.001, 1), min_size=1, max_size=8)


@given(tables=st.lists(tables, min_size=1, max_size=4), data=st.data())
def test_any_tokens_give_probabilities_or_none(tables: list[dict[str, float]], data: Any) -> None:
    logs = []
    for table in tables:
        total = sum(table.values())
        token = data.draw(st.sampled_from(sorted(table)))
        logs.append(_of(token, {t: p / total for t, p in table.items()}))
    found = choice_probabilities(logs, YES_NO)
    assert found is None or (found.sum() == pytest.approx(1) and (found >= 0).all())


@given(shares=st.lists(st.floats(0.01, 1), min_size=3, max_size=3), rest=st.floats(0, 0.9))
@example(shares=[0.5, 0.5, 0.3069], rest=0.5)
def test_the_planted_distribution_is_recovered(shares: list[float], rest: float) -> None:
    planted = np.array(shares) / sum(shares)
    likeliest = {choice: p * (1 - rest) for choice, p in zip(YES_NO, planted, strict=True)}
    found = choice_probabilities([_of("yes", {**likeliest, "Hm": max(rest, 1e-9)})], YES_NO)
    if abs(rest - 0.5) > 1e-9:  # at exactly one half, the sum of three rounded numbers decides
        assert (found is None) == (rest > 0.5)
    assert found is None or found.tolist() == pytest.approx(planted.tolist())


def test_continuations_are_compared_by_all_their_tokens() -> None:
    logs = [
        [TokenLog(" un", -0.1), TokenLog("decided", -1.0)],  # -1.1
        [TokenLog(" un", -0.1), TokenLog("known", -2.0)],  # -2.1
        [TokenLog(" no", -3.1)],
    ]
    found = continuation_probabilities(logs)
    assert found is not None
    powers = [1, math.exp(-1), math.exp(-2)]
    assert found.tolist() == pytest.approx([power / sum(powers) for power in powers])
    assert continuation_probabilities([logs[0], None, logs[2]]) is None
    assert continuation_probabilities([logs[0], logs[0]]) is None


CONTENT = [
    {"token": " yes", "logprob": -0.1, "bytes": [32, 121, 101, 115],
     "top_logprobs": [{"token": " yes", "logprob": -0.1, "bytes": None}, {"token": " no", "logprob": -2.5}]},
]  # fmt: skip
YES = TokenLog(" yes", -0.1, ((" yes", -0.1), (" no", -2.5)))


@pytest.mark.parametrize(
    ("written", "expected"),
    [
        ({"content": CONTENT}, (YES,)),  # chats of OpenAI, vLLM, SGLang, TGI; llama.cpp
        (
            {  # completions of OpenAI, vLLM, SGLang
                "tokens": [" yes"],
                "token_logprobs": [-0.1],
                "top_logprobs": [{" no": -2.5, " yes": -0.1}],
                "text_offset": [0],
            },
            (YES,),
        ),
        (
            {"tokens": ["a", " yes"], "token_logprobs": [None, -0.1], "top_logprobs": None},
            (TokenLog("a", -9999.0), TokenLog(" yes", -0.1)),
        ),
        ({"content": []}, None),
        ({"content": None}, None),
        ({"tokens": ["a"], "token_logprobs": []}, None),
        (None, None),
        ("x", None),
    ],
)
def test_formats_of_servers(written: Any, expected: tuple[TokenLog, ...] | None) -> None:
    assert token_logs({"logprobs": written}) == expected


def test_thoughts_before_the_answer_are_left_out() -> None:
    tokens = [TokenLog(t, -0.5) for t in ("<think>", "yes", "?", "</think>", "\n\n", "yes", "<|im_end|>")]
    assert answer_logs(tokens, "yes") == tuple(tokens[5:])
    assert answer_logs(tokens, "no") is None
    assert answer_logs(None, "yes") is None


def test_a_secret_in_pieces_is_not_stored(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "planted-key-123")
    pieces = ["planted", "-key", "-123", " yes"]
    content = [{"token": piece, "logprob": -0.1, "top_logprobs": []} for piece in pieces]
    reply = {"choices": [{"message": {"content": "".join(pieces)}, "logprobs": {"content": content}}]}
    completion = completion_of(reply, 64)
    assert completion.choice_logs is None
    assert "planted" not in json.dumps(completion.text)


values = st.recursive(
    st.none() | st.booleans() | st.floats() | st.text(max_size=3),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(
                ["content", "token", "logprob", "bytes", "top_logprobs", "tokens", "token_logprobs"]
            ),
            inner,
        )
    ),
    max_leaves=10,
)


@given(values)
def test_whatever_a_server_writes_is_read_or_ignored(written: Any) -> None:
    logs = token_logs({"logprobs": written})
    assert logs is None or choice_probabilities(logs, YES_NO) is None or True
    assert answer_logs(logs, "yes") is None or logs is not None
