"""The log probabilities of a text after a prompt, from a server that echoes prompts with them."""

from __future__ import annotations

import itertools
import re
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from nextset.redaction import redacted
from nextset.scoring.model_server.answer_cache import AnswerRequest
from nextset.scoring.model_server.answer_logprobs import TokenLog, joined, token_bytes, token_logs
from nextset.scoring.model_server.completion import Completion, completion_of
from nextset.scoring.model_server.request_body import completed_prompt

__all__ = ["NO_ECHO", "continuation_of", "continuation_requests", "refusal_proves_no_echo"]

NO_ECHO = frozenset({400, 404, 422, 501})
"""The statuses of a server that refuses to echo a prompt."""
BEFORE = 32
"""The bytes of the prompt's end whose tokens may depend on the text after it."""
MOST_FIRST_BYTES = 40
"""The most bytes of a token that the server puts before the prompt."""
_ECHO = re.compile(r"\b(?:echo|logprobs|prompt_logprobs)\b", re.IGNORECASE)


def continuation_requests(asked: AnswerRequest) -> list[AnswerRequest]:
    """Return a request for each choice of ``asked`` as the continuation of its prompt.

    Prompt and choice are joined as for a causal language model on this machine. If one choice begins another
    (Niger, Nigeria), a line end distinguishes them. The settings of sampling are left out.
    """
    bare = replace(asked, choices=(), temperature=0.0, seed=0, reasoning_effort="", thinking=None)
    space = "" if asked.messages[-1][1][-1:].isspace() else " "
    nested = any(a != b and b.startswith(a) for a in asked.choices for b in asked.choices)
    end = "\n" if nested else ""
    return [replace(bare, continuation=f"{space}{choice}{end}") for choice in asked.choices]


def continuation_of(reply: Any, asked: AnswerRequest) -> Completion:
    """Return the continuation of ``asked`` with the log probabilities of its tokens, as a completion.

    The tokens begin shortly before the end of the prompt. There are none if the tokens in ``reply`` are not
    those of the prompt and the continuation, and None if the server did not echo the prompt. Raises
    ValueError if ``reply`` is not a completion.
    """
    completion = replace(completion_of(reply, 2), text=asked.continuation, ending="", choice_logs=None)
    logs = token_logs(next(iter(reply["choices"]))) or ()
    if len(logs) <= 1:  # at most the token that follows
        return completion
    return replace(
        completion, choice_logs=_around(logs, completed_prompt(asked.messages), asked.continuation)
    )


def refusal_proves_no_echo(status: int, words: str) -> bool:
    """Return True if a refused continuation shows that the server echoes no prompt, whatever the prompt.

    Other refusals may be due to the prompt, such as its length, and concern this prompt alone.
    """
    return status in (404, 501) or _ECHO.search(words) is not None


def _around(logs: Sequence[TokenLog], prompt: str, continuation: str) -> tuple[TokenLog, ...]:
    """Return the tokens of ``continuation`` and those in the last `BEFORE` bytes of ``prompt``; none if
    ``logs`` do not cover both texts."""
    pieces = [token_bytes(log) for log in logs]
    text, whole = b"".join(pieces), (prompt + continuation).encode("utf-8", "replace")
    begins, shown = text.find(whole), joined(logs)
    if begins < 0 or begins > MOST_FIRST_BYTES or redacted(shown) != shown:
        return ()
    first, end = begins + len(prompt.encode("utf-8", "replace")) - BEFORE, begins + len(whole)
    places = itertools.accumulate(map(len, pieces), initial=0)
    spans = zip(places, pieces, logs, strict=False)
    return tuple(
        replace(log, likeliest=())
        for place, piece, log in spans
        if place + len(piece) > first and place < end
    )
