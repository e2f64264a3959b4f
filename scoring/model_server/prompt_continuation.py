"""The log probabilities of a text after a prompt, from a server that echoes prompts with them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from nextset.redaction import redacted
from nextset.scoring.model_server.answer_cache import AnswerRequest
from nextset.scoring.model_server.answer_logprobs import TokenLog, joined, token_logs
from nextset.scoring.model_server.completion import Completion, completion_of

__all__ = ["continuation_of", "continuation_requests"]


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

    A token across the end of the prompt belongs to the continuation. Without log probabilities of the prompt
    in ``reply``, the completion has none. Raises ValueError if ``reply`` is not a completion.
    """
    completion = replace(completion_of(reply, 2), text=asked.continuation, ending="", choice_logs=None)
    logs = token_logs(next(iter(reply["choices"])))
    prompt = "\n".join(text for _, text in asked.messages)
    return replace(completion, choice_logs=_after(logs or (), prompt, asked.continuation))


def _after(logs: Sequence[TokenLog], prompt: str, continuation: str) -> tuple[TokenLog, ...] | None:
    """Return the tokens of ``continuation``; None if ``logs`` do not cover both texts."""
    text, whole = joined(logs), prompt + continuation
    begins = text.find(whole)  # a token that begins a text may come first
    if begins < 0 or begins > 40 or redacted(text) != text:
        return None
    first, end, tokens = begins + len(prompt), begins + len(whole), []
    place = 0
    for log in logs:
        here, place = place, place + len(joined([log]))
        if place > first and here < end:
            tokens.append(replace(log, likeliest=()))
    return tuple(tokens)
