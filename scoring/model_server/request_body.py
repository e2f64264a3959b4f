"""The body of a request for an answer, as an OpenAI-compatible server reads it."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from nextset.scoring.model_server.token_usage import Usage
from nextset.scoring.prompts.answer_parsing import answer_schema
from nextset.study.server_secrets import with_secrets

if TYPE_CHECKING:
    from nextset.scoring.model_server.answer_cache import AnswerRequest

__all__ = [
    "FEWER_LOGS",
    "LIKELIEST_TOKENS",
    "completed_prompt",
    "most_usage",
    "optional_fields",
    "refused_fields",
    "request_body",
]

LIKELIEST_TOKENS = 20
"""The number of tokens per place whose log probabilities are asked for; OpenAI and vLLM give no more."""
FEWER_LIKELIEST_TOKENS = 5
"""The number that is asked for if the server refuses more."""
FEWER_LOGS = "20 logprobs"
"""The mark, among the refused fields, of a server that refuses `LIKELIEST_TOKENS`."""
AROUND_PROMPT = 256
"""The maximum number of tokens that a server's template and schema add to a prompt, for its maximum cost."""


def request_body(asked: AnswerRequest, refused: frozenset[str] = frozenset()) -> dict[str, Any]:
    """Return the body of the request for ``asked``, without the fields that the server ``refused``.

    No schema restricts an answer whose log probabilities are asked for: servers apply the schema either
    before or after they take the probabilities, so that the same model would have other numbers elsewhere.
    """
    if asked.continuation:
        return _continued(asked, refused)
    body: dict[str, Any] = {
        "model": asked.model,
        "max_tokens": asked.answer_tokens,
        "temperature": asked.temperature,
        "seed": asked.seed,
        **(_prompt(asked) if asked.api == "completions" else _chat(asked)),
    }
    if asked.reasoning_effort:
        body["reasoning_effort"] = asked.reasoning_effort
    if asked.logprobs:
        body |= _logprobs(asked, FEWER_LIKELIEST_TOKENS if FEWER_LOGS in refused else LIKELIEST_TOKENS)
    further = _further(asked)
    template = {**body.get("chat_template_kwargs", {}), **further.get("chat_template_kwargs", {})}
    body |= {**further, **({"chat_template_kwargs": template} if template else {})}
    if "max_tokens" in refused:
        body["max_completion_tokens"] = body["max_tokens"]
    return {key: value for key, value in body.items() if key not in refused}


def completed_prompt(messages: Sequence[tuple[str, str]]) -> str:
    """Return the text that a base model completes: the system prompt, a blank line and the other messages, as
    for a model without a chat template on this machine."""
    system = [f"{text}\n\n" for role, text in messages if role == "system"]
    return "".join(system) + "\n".join(text for role, text in messages if role != "system")


def _further(asked: AnswerRequest) -> dict[str, Any]:
    """Return the further fields, with the values of the variables that are secrets."""
    written = json.loads(asked.body) if asked.body else {}
    return dict(with_secrets(written, lambda name: os.environ.get(name, "").strip()))


def optional_fields(asked: AnswerRequest) -> set[str]:
    """Return the fields of the body that are omitted if the server refuses them."""
    sent = request_body(asked)
    left_out = {
        "seed", "temperature", "max_tokens", "response_format", "stop", "reasoning_effort",
        "chat_template_kwargs", "logprobs", "top_logprobs",
    }  # fmt: skip
    written = json.loads(asked.body).keys() if asked.body else set()
    return left_out & (sent.keys() - written)


def refused_fields(words: str, asked: AnswerRequest, refused: frozenset[str]) -> frozenset[str]:
    """Return the further fields to omit after a refusal: those that its ``words`` name, or the schema."""
    optional = optional_fields(asked) - refused
    named = {field for field in optional if re.search(rf"\b{field}\b", words)}
    if "chat_template_kwargs" in optional and "enable_thinking" in words:
        named.add("chat_template_kwargs")
    if named & {"logprobs", "top_logprobs"} and FEWER_LOGS not in refused:
        named = named - {"logprobs", "top_logprobs"} | {FEWER_LOGS}
    elif named & {"logprobs", "top_logprobs"}:
        named |= {"logprobs", "top_logprobs"}
    if not named and "response_format" in optional:
        named = {"response_format"}
    return frozenset(named)


def most_usage(asked: AnswerRequest) -> Usage:
    """Return the most tokens that ``asked`` can use: a text has at most as many tokens as bytes."""
    texts = (*(text for _, text in asked.messages), *asked.choices, asked.continuation)
    read = sum(len(text.encode()) for text in texts)
    return Usage(read + AROUND_PROMPT, 0, 1 if asked.continuation else asked.answer_tokens, 0)


def _continued(asked: AnswerRequest, refused: frozenset[str]) -> dict[str, Any]:
    """Return the body that asks for the log probabilities of a prompt's own tokens.

    One token is generated, because not every server allows none.
    """
    prompt = completed_prompt(asked.messages) + asked.continuation
    body = {"model": asked.model, "prompt": prompt, "max_tokens": 1, "temperature": 0.0}
    further = _further(asked)
    fields = {**body, "echo": True, "logprobs": 1, **further}
    return {key: value for key, value in fields.items() if key not in refused}


def _prompt(asked: AnswerRequest) -> dict[str, Any]:
    """Return the fields of a prompt that a base model continues."""
    stop = {"stop": ["\n"]} if asked.choices else {}  # a base model goes on with more questions
    return {"prompt": completed_prompt(asked.messages), **stop}


def _chat(asked: AnswerRequest) -> dict[str, Any]:
    """Return the fields of a chat; enable_thinking is read by the templates of vLLM, SGLang and llama.cpp."""
    body: dict[str, Any] = {"messages": [{"role": role, "content": text} for role, text in asked.messages]}
    if asked.choices and not asked.logprobs:
        body["response_format"] = answer_schema(asked.choices)
    if asked.thinking is not None:
        body["chat_template_kwargs"] = {"enable_thinking": asked.thinking}
    return body


def _logprobs(asked: AnswerRequest, likeliest: int) -> dict[str, Any]:
    if asked.api == "completions":
        return {"logprobs": likeliest}
    return {"logprobs": True, "top_logprobs": likeliest}
