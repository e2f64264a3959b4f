"""Log probabilities of tokens become probabilities of choices, in worked cases and for any distribution."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from nextset.scoring.model_server.answer_cache import AnswerRequest
from nextset.scoring.model_server.answer_logprobs import TokenLog, answer_logs, token_logs
from nextset.scoring.model_server.choice_logprobs import (
    LARGEST_ERROR,
    choice_masses,
    choice_probabilities,
    continuation_probabilities,
)
from nextset.scoring.model_server.completion import completion_of
from nextset.scoring.model_server.prompt_continuation import continuation_of

YES_NO = ("yes", "maybe", "no")


def _place(token: str, **likeliest: float) -> TokenLog:
    """A place with these probabilities; the keys of names that Python does not allow are given by _."""
    return _of(token, likeliest)


def _chat(logs: Sequence[TokenLog]) -> dict[str, Any]:
    """The reply of a chat with these tokens."""

    def written(token: str, logprob: float) -> dict[str, Any]:
        return {"token": token, "logprob": logprob, "bytes": list(token.encode())}

    content = [
        {**written(log.token, log.logprob), "top_logprobs": [written(*one) for one in log.likeliest]}
        for log in logs
    ]
    message = {"role": "assistant", "content": "".join(log.token for log in logs)}
    return {"choices": [{"message": message, "finish_reason": "stop", "logprobs": {"content": content}}]}


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
    choices = ("Bob", "Ivan", "unknown")
    assert choice_probabilities(logs, choices) is None  # the error is up to 0.4 / (0.6 + 0.4)
    found = choice_probabilities([_of("Bob", {"Bob": 0.96, "I": 0.04})], choices)
    assert found is not None
    assert found.tolist() == [1, 0, 0]


def test_what_is_written_before_the_answer_is_a_place_too() -> None:
    first = {"\n": 0.4, "yes": 0.35, " yes": 0.2, "no": 0.05}
    reply = _chat([_of("\n", first), _of("no", {"no": 0.9, "yes": 0.1})])
    found = choice_probabilities(completion_of(reply, 64).choice_logs, YES_NO)
    assert found is not None
    # 0.35 + 0.2 + 0.4 · 0.1 = 0.59, and 0.05 + 0.4 · 0.9 = 0.41
    assert found.tolist() == pytest.approx([0.59, 0, 0.41])


def test_tokens_that_may_become_several_choices_make_a_vote() -> None:
    choices = ("an American", "a Syrian", "not stated")
    logs = [_of("an", {"an": 0.52, "a": 0.46, "not": 0.02}), _of(" American", {" American": 1.0})]
    masses = choice_masses(logs, [choice.casefold() for choice in choices])
    assert masses.told.tolist() == pytest.approx([0.52, 0, 0])
    assert masses.ambiguous == pytest.approx(0.48)
    assert masses.error == pytest.approx(0.48)
    assert choice_probabilities(logs, choices) is None
    few = [_of("an", {"an": 0.96, "a": 0.02, "not": 0.02}), _of(" American", {" American": 1.0})]
    found = choice_probabilities(few, choices)
    assert found is not None
    assert found.tolist() == [1, 0, 0]  # true: 0.96, 0.02, 0.02; the error is 0.04


def test_different_tokens_with_the_same_text_are_added() -> None:
    pairs = [("no", 0.35), ("yes", 0.4), ("yes", 0.25)]
    for own, p in (("no", 0.35), ("yes", 0.4), ("yes", 0.25)):
        likeliest = tuple((token, math.log(q)) for token, q in pairs)
        found = choice_probabilities([TokenLog(own, math.log(p), likeliest)], YES_NO)
        assert found is not None
        assert found.tolist() == pytest.approx([0.65, 0, 0.35])


def test_a_part_of_a_name_is_read_with_the_place_after_it() -> None:
    logs = [_of("Mar", {"Mar": 0.6, "John": 0.4}), _of("ia", {"ia": 0.2, "k": 0.5, "y": 0.3})]
    found = choice_probabilities(logs, ("Maria", "John"))
    assert found is not None
    assert found.tolist() == pytest.approx([0.12 / 0.52, 0.4 / 0.52])


def test_a_choice_of_words_that_begin_another_ends_with_the_line() -> None:
    choices = ("man", "man of war")
    logs = [
        _of("man", {"man": 1.0}),
        _of(" of", {" of": 0.6, "\n": 0.4}),
        _of(" war", {" war": 0.9, " it": 0.1}),
    ]
    found = choice_probabilities(logs, choices)
    assert found is not None
    assert found.tolist() == pytest.approx([0.4 + 0.6 * 0.1, 0.6 * 0.9])


def test_vowel_signs_continue_a_word() -> None:
    logs = [_of("राम", {"राम": 0.3, "रामायण": 0.4, "सीता": 0.3})]
    found = choice_probabilities(logs, ("राम", "सीता"))
    assert found is not None
    assert found.tolist() == pytest.approx([0.5, 0.5])


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


CHOICES = ("new york", "new jersey", "niger", "nigeria", "yes")
TREE_TOKENS = [
    "New",
    " York",
    " Jersey",
    "Niger",
    "ia",
    "N",
    "ig",
    "er",
    "yes",
    ".",
    " ",
    "\n",
    '"',
    "I",
    "y",
    "",
]
Tree = dict[str, tuple[float, Any]]


@st.composite
def trees(draw: Any, depth: int = 4) -> Tree:
    """All answers of a model: each token with its probability and what follows it; an empty token is the
    end."""
    tokens = draw(st.lists(st.sampled_from(TREE_TOKENS), min_size=1, max_size=4, unique=True))
    weights = [draw(st.sampled_from([1, 5, 100])) for _ in tokens]
    return {
        token: (weight / sum(weights), draw(trees(depth - 1)) if token and depth > 1 else {})
        for token, weight in zip(tokens, weights, strict=True)
    }


def _written(text: str) -> str | None:
    """The choice that the text has become at the end of a token, by a definition of its own."""
    inner = text.lstrip(' \n".').casefold()
    line = re.sub(" +", " ", inner.split("\n")[0])
    begun = [c for c in CHOICES if line == c or (line.startswith(c) and not line[len(c)].isalpha())]
    if not begun or ("\n" not in inner and any(c.startswith(line) and c != line for c in CHOICES)):
        return None
    return max(begun, key=len)


def _exact(tree: Tree, text: str = "") -> dict[str, float]:
    """The probability of each choice, over all answers."""
    found = dict.fromkeys(CHOICES, 0.0)
    for token, (p, after) in tree.items():
        choice = _written(text + (token or "\n"))
        inner = {choice: 1.0} if choice else _exact(after, text + token)
        for name, q in inner.items():
            found[name] += p * q
    return found


@given(tree=trees(), data=st.data())
def test_no_number_is_wrong_by_more_than_the_bound(tree: Tree, data: Any) -> None:
    exact = np.array(list(_exact(tree).values()))
    logs = []
    while tree:
        token = data.draw(st.sampled_from(sorted(tree)))
        likeliest = tuple((t, math.log(p)) for t, (p, _) in tree.items())
        logs.append(TokenLog(token, math.log(tree[token][0]), likeliest))
        tree = tree[token][1]
    masses, total = choice_masses(logs, CHOICES), exact.sum()
    told = masses.told.sum()
    if total == 0 or told == 0:
        return
    error = np.abs(masses.told / told - exact / total).max()
    assert error <= (masses.ambiguous + masses.begun) / (told + masses.ambiguous) + 1e-9
    found = choice_probabilities(logs, CHOICES)
    if masses.begun == 0 and found is not None:
        assert np.abs(found - exact / total).max() <= LARGEST_ERROR + 1e-9


def test_continuations_are_compared_by_all_their_tokens() -> None:
    prompt = TokenLog(":", -5.0)
    logs = [
        [prompt, TokenLog(" un", -0.1), TokenLog("decided", -1.0)],  # -1.1
        [prompt, TokenLog(" un", -0.1), TokenLog("known", -2.0)],  # -2.1
        [prompt, TokenLog(" no", -3.1)],
    ]
    found = continuation_probabilities(logs)
    assert found is not None
    powers = [1, math.exp(-1), math.exp(-2)]
    assert found.tolist() == pytest.approx([power / sum(powers) for power in powers])
    assert continuation_probabilities([logs[0], None, logs[2]]) is None
    assert continuation_probabilities([logs[0], logs[0]]) is None
    assert continuation_probabilities([one[1:] for one in logs]) is None  # the prompt's tokens may differ


def test_a_token_across_the_end_of_the_prompt_counts_if_it_differs() -> None:
    before = [TokenLog("Answer", -3.0), TokenLog(":", -4.0)]
    logs = [
        [*before, TokenLog(" J", -1.0), TokenLog("osé", -0.5)],  # -1.5
        [*before, TokenLog(" ", -0.5), TokenLog("Zoë", -3.0)],  # -3.5
    ]
    found = []
    for one, choice in zip(logs, ("José", "Zoë"), strict=True):
        asked = AnswerRequest(
            "s", "m", (("user", "Answer: "),), (), 9, api="completions", continuation=choice
        )
        columns = {
            "tokens": ["<s>", *(log.token for log in one), " and"],
            "token_logprobs": [None, *(log.logprob for log in one), -1.0],
        }
        reply = {"choices": [{"text": f"Answer: {choice} and", "logprobs": columns}]}
        found.append(continuation_of(reply, asked).choice_logs)
    numbers = continuation_probabilities(found)
    assert numbers is not None
    assert numbers.tolist() == pytest.approx([1 / (1 + math.exp(-2)), math.exp(-2) / (1 + math.exp(-2))])


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
    assert answer_logs(tokens, "yes") == tuple(tokens[4:])
    words = [TokenLog(t, -0.5) for t in ("So", ":", " ", '"', "yes", '"')]
    assert answer_logs(words, "yes") == tuple(words[1:])
    tagged = [TokenLog(t, -0.5) for t in ("</think>\n", "<answer>", "yes", "</answer>")]
    assert answer_logs(tagged, "yes") == tuple(tagged[1:])
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
