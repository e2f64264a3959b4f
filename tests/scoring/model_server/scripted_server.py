"""A server on loopback whose answers a Python function writes.

    def answer(request: Request) -> str | Reply:
        return Reply("yes", reasoning="It is so.") if "Anna" in request.prompt else "no"

    with scripted(answer) as server:
        monkeypatch.setenv("OPENAI_BASE_URL", server.address)
        ...
        assert len(server.requests) == 3

It speaks ``POST /v1/chat/completions``, ``POST /v1/completions`` and ``GET /v1/models``, for any model name,
and answers 512 requests and more at the same time. The function is called in the thread of its request, so it
may wait, and it must be safe for threads. `Request` has the body, the headers and the place in the order of
arrival; `Reply` has everything that a reply can say: text, reasoning, usage, log probabilities, the ending, a
refusal, a status with a text, headers. Without a usage, words count as tokens. An exception of the function
is raised at the end of the ``with`` block.
"""

from __future__ import annotations

import http.server
import json
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

__all__ = ["Place", "Reply", "Request", "ScriptedServer", "scripted"]

Place = tuple[str, float, Sequence[tuple[str, float]]]
"""A token, its log probability, and the likeliest tokens at its place with theirs."""


@dataclass(frozen=True)
class Request:
    """A request as it arrived."""

    number: int
    """Its place in the order of arrival, from 0."""
    path: str
    """Such as /v1/chat/completions."""
    body: dict[str, Any]
    headers: Mapping[str, str]
    """The headers; names in lower case."""

    @property
    def messages(self) -> list[tuple[str, str]]:
        """The role and the text of each message; a prompt to complete is one message of the user."""
        if "prompt" in self.body:
            return [("user", self.body["prompt"])]
        return [(message["role"], message["content"]) for message in self.body["messages"]]

    @property
    def prompt(self) -> str:
        """The first message of the user: the prompt without a system prompt and without reminders."""
        return next(text for role, text in self.messages if role == "user")

    @property
    def system(self) -> str:
        """The system prompt; empty without one."""
        return next((text for role, text in self.messages if role == "system"), "")

    @property
    def choices(self) -> list[str]:
        """The choices in the schema of a chat, in the order of the columns of scores; empty without one."""
        schema = self.body.get("response_format", {}).get("json_schema", {}).get("schema", {})
        return list(schema.get("properties", {}).get("answer", {}).get("enum", []))

    @property
    def reminders(self) -> int:
        """The number of reminders after the prompt."""
        return sum(role == "user" for role, _ in self.messages) - 1


@dataclass(frozen=True)
class Reply:
    """What the server says."""

    text: str = ""
    """The text of the answer; for a status other than 200, the whole content."""
    reasoning: str = ""
    """Thoughts, which are sent apart, as ``reasoning_content``."""
    finish_reason: str | None = "stop"
    refusal: str = ""
    usage: Mapping[str, Any] | None = None
    """The object ``usage``; words are counted if it is None."""
    logprobs: Sequence[Place] | None = None
    """Sent if the request asks for log probabilities, in the format of its path."""
    model: str = "scripted-2026-01-01"
    fingerprint: str | None = "fp_scripted"
    status: int = 200
    headers: Mapping[str, str] = field(default_factory=dict)
    """Further headers, such as Retry-After."""
    content: Mapping[str, Any] | None = None
    """The whole reply as JSON, in place of all of the above except status and headers."""


class ScriptedServer:
    """The server, while it runs."""

    def __init__(self, answer: Callable[[Request], str | Reply]) -> None:
        self.answer = answer
        """May be replaced while the server runs."""
        self.address = ""
        """Such as http://127.0.0.1:1234/v1."""
        self.requests: list[Request] = []
        """All requests for answers, in the order of arrival."""
        self.most_at_once = 0
        """The most requests that were in progress at the same time."""
        self.failures: list[BaseException] = []
        """The exceptions of the function."""
        self._lock, self._now = threading.Lock(), 0

    @property
    def prompts(self) -> list[str]:
        """The prompt of each request, in the order of arrival."""
        return [request.prompt for request in self.requests]

    def reply(self, path: str, body: dict[str, Any], headers: Mapping[str, str]) -> Reply:
        """Return the function's reply to a request, which is counted."""
        with self._lock:
            request = Request(len(self.requests), path, body, headers)
            self.requests.append(request)
            self._now += 1
            self.most_at_once = max(self.most_at_once, self._now)
        try:
            answer = self.answer(request)
            reply = Reply(answer) if isinstance(answer, str) else answer
            if reply.content is None and reply.status == 200:
                return Reply(headers=reply.headers, content=_content(request, reply))
            return reply
        except Exception as e:  # noqa: BLE001 - raised where the test sees it
            self.failures.append(e)
            return Reply("the script failed", status=400)
        finally:
            with self._lock:
                self._now -= 1


@contextmanager
def scripted(answer: Callable[[Request], str | Reply]) -> Iterator[ScriptedServer]:
    """Run a server on loopback that answers as ``answer`` says."""
    script = ScriptedServer(answer)
    with _Server(("127.0.0.1", 0), _handler(script)) as server:
        script.address = f"http://127.0.0.1:{server.server_port}/v1"
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02})
        thread.start()
        try:
            yield script
        finally:
            server.shutdown()
            thread.join()
    if script.failures:
        raise script.failures[0]


class _Server(http.server.ThreadingHTTPServer):
    request_queue_size = 1024
    daemon_threads = True
    block_on_close = False


def _handler(script: ScriptedServer) -> type[http.server.BaseHTTPRequestHandler]:
    class Handler(http.server.BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"
        wbufsize = -1  # one packet for headers and content
        disable_nagle_algorithm = True

        def log_message(self, format: str, *args: object) -> None:
            pass

        def do_GET(self) -> None:
            self._say(Reply(content={"object": "list", "data": [{"id": "scripted"}]}))

        def do_POST(self) -> None:
            body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            headers = {name.lower(): value for name, value in self.headers.items()}
            self._say(script.reply(self.path, body, headers))

        def _say(self, reply: Reply) -> None:
            said = reply.text if reply.content is None else json.dumps(reply.content)
            content = said.encode()
            self.send_response(reply.status)
            for name, value in reply.headers.items():
                self.send_header(name, value)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(content)))
            self.end_headers()
            self.wfile.write(content)

    return Handler


def _content(request: Request, reply: Reply) -> dict[str, Any]:
    """Return the reply as JSON, in the format of the request's path."""
    asked = bool(request.body.get("logprobs"))
    logs = reply.logprobs if asked and reply.logprobs is not None else None
    choice: dict[str, Any] = {"index": 0, "finish_reason": reply.finish_reason}
    if request.path.endswith("/chat/completions"):
        choice["message"] = {"role": "assistant", "content": reply.text}
        choice["message"] |= {"reasoning_content": reply.reasoning} if reply.reasoning else {}
        choice["message"] |= {"refusal": reply.refusal} if reply.refusal else {}
        choice["logprobs"] = None if logs is None else {"content": [_place(place) for place in logs]}
    else:
        choice |= {"text": reply.text, "logprobs": None if logs is None else _columns(logs)}
    read = sum(len(text.split()) for _, text in request.messages)
    thinking = len(reply.reasoning.split())
    written = len(reply.text.split()) + thinking
    counted = {
        "prompt_tokens": read,
        "completion_tokens": written,
        "total_tokens": read + written,
        "completion_tokens_details": {"reasoning_tokens": thinking},
    }
    usage = counted if reply.usage is None else reply.usage
    return {
        "id": f"answer-{request.number}",
        "model": reply.model,
        "system_fingerprint": reply.fingerprint,
        "choices": [choice],
        "usage": usage,
    }


def _place(place: Place) -> dict[str, Any]:
    token, logprob, likeliest = place
    return {**_token(token, logprob), "top_logprobs": [_token(*one) for one in likeliest]}


def _token(token: str, logprob: float) -> dict[str, Any]:
    return {"token": token, "logprob": logprob, "bytes": list(token.encode())}


def _columns(logs: Sequence[Place]) -> dict[str, Any]:
    return {
        "tokens": [token for token, _, _ in logs],
        "token_logprobs": [logprob for _, logprob, _ in logs],
        "top_logprobs": [dict(likeliest) for _, _, likeliest in logs],
    }
