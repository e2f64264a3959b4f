"""The tokens that servers count, by the names of several servers."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from nextset.scoring.model_server.token_usage import Usage, usage_of


@pytest.mark.parametrize(
    ("report", "expected"),
    [
        ({"prompt_tokens": 10, "completion_tokens": 4, "total_tokens": 14}, Usage(10, 0, 4, 0)),
        (
            {  # OpenAI and vLLM
                "prompt_tokens": 10,
                "prompt_tokens_details": {"cached_tokens": 8},
                "completion_tokens": 90,
                "completion_tokens_details": {"reasoning_tokens": 80},
                "total_tokens": 100,
            },
            Usage(10, 8, 90, 80),
        ),
        (  # SGLang
            {
                "prompt_tokens": 10,
                "completion_tokens": 9,
                "reasoning_tokens": 5,
                "prompt_tokens_details": None,
            },
            Usage(10, 0, 9, 5),
        ),
        (
            {"prompt_tokens": 10, "prompt_cache_hit_tokens": 6, "completion_tokens": 9},
            Usage(10, 6, 9, 0),
        ),
        ({"input_tokens": 10, "output_tokens": 9}, Usage(10, 0, 9, 0)),
        (  # thoughts that only the total counts: 100 - 10 - 20 = 70
            {"prompt_tokens": 10, "completion_tokens": 20, "total_tokens": 100},
            Usage(10, 0, 90, 70),
        ),
        (
            {
                "prompt_tokens": 10,
                "completion_tokens": 2,
                "completion_tokens_details": {"reasoning_tokens": 50},
            },
            Usage(10, 0, 52, 50),
        ),
        (  # more thoughts than the answer has tokens, and a total that includes only half of them
            {
                "prompt_tokens": 100,
                "completion_tokens": 5,
                "total_tokens": 115,
                "completion_tokens_details": {"reasoning_tokens": 20},
            },
            Usage(100, 0, 25, 20),
        ),
        ({"prompt_tokens": 10, "completion_tokens": None}, None),
        ({"prompt_tokens": True, "completion_tokens": 3}, None),
        ({"prompt_tokens": float("inf"), "completion_tokens": 3}, None),
        ({"prompt_tokens": -1, "completion_tokens": 3}, None),
        (None, None),
        ([], None),
    ],
)
def test_counts_of_servers(report: Any, expected: Usage | None) -> None:
    assert usage_of({"usage": report}) == expected


numbers = st.one_of(
    st.integers(-5, 2 * 10**9), st.integers(0, 50), st.floats(), st.none(), st.booleans(), st.text(max_size=3)
)
details = st.one_of(numbers, st.dictionaries(st.sampled_from(["cached_tokens", "reasoning_tokens"]), numbers))
names = st.sampled_from(
    ["prompt_tokens", "completion_tokens", "total_tokens", "prompt_tokens_details", "reasoning_tokens",
     "completion_tokens_details", "cached_tokens"]
)  # fmt: skip


@given(reply=st.one_of(numbers, st.fixed_dictionaries({"usage": st.dictionaries(names, details)})))
def test_any_report_gives_sound_counts_or_none(reply: Any) -> None:
    usage = usage_of(reply)
    assert usage is None or (0 <= usage.cached <= usage.read and 0 <= usage.thinking <= usage.written)
