"""The lines of a batch's files, as OpenAI's batch API and vLLM's offline runner read and write them.

The file of requests is JSONL with one request per line:

    {"custom_id": KEY, "method": "POST", "url": "/v1/chat/completions", "body": {…}}

The files of results have one line per request, in any order:

    {"id": …, "custom_id": KEY, "response": {"status_code": 200, "request_id": …, "body": {…}}, "error": null}

The body of a request is the one that is sent to the server without a batch, and that of a response is the
reply. The KEY is the content hash of the request. Source: https://platform.openai.com/docs/guides/batch;
vLLM: `python -m vllm.entrypoints.openai.run_batch -i requests.jsonl -o results.jsonl`.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from nextset.http_patience import is_passing
from nextset.scoring.model_server.answer_cache import AnswerRequest
from nextset.scoring.model_server.completion import NOT_AN_ANSWER
from nextset.scoring.model_server.request_body import request_body

__all__ = ["BatchResult", "endpoint_of", "file_sized", "request_line", "result_of"]

MOST_REQUESTS = 50_000
"""The most requests of a file: https://platform.openai.com/docs/guides/batch."""
MOST_FILE_BYTES = 200_000_000
"""The most bytes of a file, from the same page."""
PASSING_WORDS = (
    "expired", "cancel", "rate_limit", "token_limit", "timeout", "overloaded", "unavailable", "server_error",
    "internal", "aborted",
)  # fmt: skip
"""Parts of the codes of errors after which a request may succeed in another batch."""


@dataclass(frozen=True, slots=True)
class BatchResult:
    """A line of a file of results."""

    key: str
    """The request's key."""
    reply: Any
    """The server's response as JSON; None if the request failed."""
    status: int
    """The HTTP status of the request; 0 if it is unknown."""
    fault: str = ""
    """The server's words for a request that failed; empty for a response."""
    passes: bool = False
    """True if the request may succeed in another batch."""


def endpoint_of(asked: AnswerRequest) -> str:
    """Return the server's function for ``asked``, as batches name it."""
    return "/v1/chat/completions" if asked.api == "chat" else "/v1/completions"


def request_line(asked: AnswerRequest, refused: frozenset[str]) -> bytes:
    """Return the line of a request, without the fields that the server ``refused``."""
    line = {
        "custom_id": asked.key,
        "method": "POST",
        "url": endpoint_of(asked),
        "body": request_body(asked, refused),
    }
    return json.dumps(line, ensure_ascii=False).encode("utf-8", "replace") + b"\n"


def file_sized(requests: Sequence[AnswerRequest], refused: frozenset[str]) -> Iterator[list[AnswerRequest]]:
    """Yield the requests in order, in parts that fit into one file each; a file has one function."""
    part: list[AnswerRequest] = []
    size = 0
    for asked in requests:
        length = len(request_line(asked, refused))
        full = len(part) >= MOST_REQUESTS or size + length > MOST_FILE_BYTES
        if part and (full or endpoint_of(part[0]) != endpoint_of(asked)):
            yield part
            part, size = [], 0
        part.append(asked)
        size += length
    if part:
        yield part


def result_of(line: bytes) -> BatchResult | None:
    """Return the result in ``line``; None if the line is damaged."""
    try:
        return _result(json.loads(line))
    except NOT_AN_ANSWER:
        return None


def _result(row: Any) -> BatchResult | None:
    key = row["custom_id"]
    response, error = row.get("response"), row.get("error")
    if not isinstance(key, str):
        return None
    response = response if isinstance(response, dict) else {}
    body, status = response.get("body"), response.get("status_code")
    status = status if isinstance(status, int) and not isinstance(status, bool) else 0
    if not error and isinstance(body, dict) and status in (0, 200):
        return BatchResult(key, body, status)
    if not error and status in (0, 200):
        return None  # neither a response nor an error
    code, words = _said(error or body)
    passes = _passes(code, status) if error or status else True
    return BatchResult(key, None, status, " ".join(filter(None, (str(status or ""), code, words))), passes)


def _passes(code: str, status: int) -> bool:
    if status not in (0, 200):
        return status == 409 or is_passing(status)
    return not code or any(word in code.lower() for word in PASSING_WORDS)


def _said(error: Any) -> tuple[str, str]:
    """Return the code and the words of an error."""
    if isinstance(error, dict) and isinstance(error.get("error"), dict | str):
        error = error["error"]
    if not isinstance(error, dict):
        return "", str(error or "")
    code = next((str(error[name]) for name in ("code", "type") if error.get(name)), "")
    return code, str(error.get("message") or "")
