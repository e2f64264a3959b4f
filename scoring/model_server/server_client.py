"""Requests to an OpenAI-compatible server: temporary faults are retried, errors are explained."""

from __future__ import annotations

import functools
import json
import os
import re
import time
from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from nextset.errors import ModelError
from nextset.http_patience import Retries, doubling, is_passing, retry_after
from nextset.redaction import redacted
from nextset.scoring.model_server.answer_cache import AnswerRequest, Answers
from nextset.scoring.model_server.completion import (
    CUT_OFF,
    NOT_AN_ANSWER,
    Completion,
    completion_of,
    whole_characters,
)
from nextset.scoring.model_server.model_requests import ModelRequests
from nextset.scoring.model_server.prompt_continuation import (
    NO_ECHO,
    continuation_of,
    refusal_proves_no_echo,
)
from nextset.scoring.model_server.rate_and_cost_limits import Ledger
from nextset.scoring.model_server.request_body import most_usage, refused_fields, request_body
from nextset.scoring.model_server.secret_headers import hide_secret_fields, key_refused, secret_headers
from nextset.scoring.model_server.token_usage import Usage, usage_of
from nextset.scoring.models.server_address import address_place

if TYPE_CHECKING:
    import ssl

    import httpx2

__all__ = [
    "COMPLETIONS",
    "FIRST_TOKENS",
    "Patience",
    "ServerClient",
    "connections",
    "stored_completion",
    "thoughts_alone",
]

LONGEST_ORDER = 600.0
"""The longest wait, in seconds, that a server may ask for; if it asks for a longer wait, the run ends."""
MOST_BYTES = 10_000_000
"""The longest response in bytes; an answer of 100,000 tokens has about 400,000 bytes."""
FIRST_TOKENS = 256
"""The most tokens of an answer, unless the study says how many or the model thinks."""
COMPLETIONS = "write scoring: {server: {api: completions}} in study.yaml"
"""The remedy for a base model."""
_NO_TEMPLATE = re.compile(r"chat[ _-]?template(?!_kwargs)|template[ _](?:error|not found)", re.IGNORECASE)
"""The words of vLLM, SGLang, TGI and transformers for a model without a usable chat template."""
_CERTIFICATES = ("SSL_CERT_FILE", "SSL_CERT_DIR")
"""The variables that httpx2 reads for certificates."""
_WORDLESS = re.compile(r"\s*(?:internal server error)?\s*", re.IGNORECASE)
"""The text of a failure that says nothing."""


@dataclass(frozen=True)
class Patience:
    """The limits on waiting for a server."""

    tries: int = 6
    """The maximum number of times that a request is sent."""
    first: float = 1.0
    """Seconds before the second try; doubled before each further try, plus a random part."""
    longest: float = 60.0
    """The maximum number of seconds between two tries, unless the server asks for a longer wait."""
    connect: float = 10.0
    """The time limit for a connection, in seconds."""
    answer: float = 300.0
    """The time limit for an answer, from its request to its end, in seconds."""
    sleep: Callable[[float], None] = time.sleep
    """The function that waits for a number of seconds."""


def stored_completion(answers: Answers, asked: AnswerRequest, first_tokens: int) -> Completion | None:
    """Return the answer to ``asked`` in ``answers``, also one of at most ``first_tokens`` tokens; else
    None."""
    for request in (asked, _short(asked, first_tokens)):
        known = answers.get(request)
        if known is not None and (request == asked or not thoughts_alone(known)):
            return known
    return None


def _short(asked: AnswerRequest, first_tokens: int) -> AnswerRequest:
    """Return ``asked`` with at most ``first_tokens`` tokens."""
    return replace(asked, answer_tokens=min(first_tokens, asked.answer_tokens))


def thoughts_alone(completion: Completion) -> bool:
    """Return True if the answer was cut off and shows nothing but thoughts, or nothing at all."""
    return completion.ending == CUT_OFF and not completion.answer


class _Passing(Exception):
    """A fault that may be gone at the next try."""

    def __init__(self, what: str, after: float = 0.0, *, unreached: bool = False) -> None:
        super().__init__(what)
        self.after, self.unreached = after, unreached


class _NoEcho(Exception):
    """The server refuses to echo a prompt."""

    def __init__(self, *, any_prompt: bool) -> None:
        super().__init__()
        self.any_prompt = any_prompt
        """True if it would refuse to echo any prompt."""


@dataclass(frozen=True, slots=True)
class _Reply:
    """A server's response."""

    status_code: int
    headers: Mapping[str, str]
    content: bytes

    @property
    def text(self) -> str:
        """The content as UTF-8, like JSON, regardless of the charset that the server names."""
        return self.content.decode("utf-8", "replace")

    def json(self) -> Any:
        """Return the content as JSON; raises ValueError or RecursionError."""
        return json.loads(self.content)


class ServerClient:
    """A client for one model at a server; threads may share it."""

    def __init__(
        self, requests: ModelRequests, http: httpx2.Client, ledger: Ledger, patience: Patience
    ) -> None:
        """Read the key and the headers from the environment; raises ModelError if one is missing or wrong."""
        source = requests.source
        self._source, self._name, self._address = source, source.name, source.address
        self._http, self._patience = http, patience
        self._account = ledger.account(source.name, requests.server)
        self._headers = secret_headers(source, requests.server.headers)
        hide_secret_fields(source, requests.server.body)
        self._traces = requests.traces
        self.echoes = True
        """False once the server has shown that it echoes no prompt with log probabilities."""
        self._refused: frozenset[str] = frozenset()
        self._thinks, self._answered, self._failed = False, False, 0

    def stored_or_asked(self, answers: Answers, asked: AnswerRequest, first_tokens: int) -> Completion:
        """Return the answer to ``asked`` in ``answers``, or ask for it and store it; raises ModelError.

        An answer gets at most ``first_tokens`` tokens at first, because most models need few and some never
        end. Only if these are all thoughts, which may also be hidden, is the whole answer asked for.
        """
        known = stored_completion(answers, asked, first_tokens)
        if known is not None:
            return known
        short = _short(asked, first_tokens)
        if not self._thinks:
            completion = self.ask(short)
            answers.put(short, completion)
            self._thinks = thoughts_alone(completion)
            if not self._thinks or short == asked:
                return completion
        completion = self.ask(asked)
        answers.put(asked, completion)
        return completion

    def continuation(self, answers: Answers, asked: AnswerRequest) -> Completion | None:
        """Return the continuation of ``asked`` with its log probabilities; raises ModelError.

        It is looked up in ``answers``, or asked and stored. None if the server does not echo this prompt.
        Only a reply that would be the same for any prompt ends the requests for continuations, so that a
        prompt's numbers do not depend on the prompts before it.
        """
        known = answers.get(asked)
        if known is not None or not self.echoes:
            return known
        try:
            completion = self.ask(asked)
        except _NoEcho as e:
            self.echoes = self.echoes and not e.any_prompt
            return None
        if completion.choice_logs is None:
            self.echoes = False
            return None
        answers.put(asked, completion)
        return completion

    def ask(self, asked: AnswerRequest) -> Completion:
        """Return the server's answer; raises ModelError if there is no answer after all tries."""
        p = self._patience
        retries = Retries(
            fault=_Passing,
            wait=doubling(p.first, p.longest, jitter=p.first),
            tries=p.tries,
            asked=lambda fault: fault.after,
            sleep=p.sleep,
        )
        try:
            return retries.of(lambda: self._once(asked))
        except _Passing as e:
            if e.unreached:
                raise ModelError(
                    f"{self._name}: no connection could be made to the server, in {p.tries} tries: {e}",
                    remedy=f"start the server, and check {self._place}, then run again; all answers so far "
                    "are kept",
                ) from None
            raise ModelError(
                f"{self._name} did not answer after {self._patience.tries} tries: {e}",
                remedy=f"check {self._place}, and that the server works, then run again; all answers so far "
                f"are kept. A base model has no chat template: {COMPLETIONS}",
            ) from None

    def _once(self, asked: AnswerRequest) -> Completion:
        """Try once and return the answer; fields that the server refuses are removed at once."""
        while True:
            refused = self._refused
            response = self._sent(asked, refused)
            refused_chat = response.status_code >= 400 or b'"choices"' not in response.content
            if refused_chat and self._lacks_template(response, asked):
                raise ModelError(
                    f"{self._name}: the server has no usable chat template for this model "
                    f"({response.status_code} {_one_line(response.text)})",
                    remedy=f"{COMPLETIONS} if it is a base model, or start the server with a chat template",
                )
            if response.status_code in NO_ECHO and asked.continuation:
                raise _NoEcho(any_prompt=refusal_proves_no_echo(response.status_code, response.text))
            if response.status_code in (400, 422) and self._learns(response, asked, refused):
                continue
            if response.status_code == 200:
                self._answered = True
                return self._completion(response, asked)
            raise self._fault(asked, response)

    def _completion(self, response: _Reply, asked: AnswerRequest) -> Completion:
        try:
            if asked.continuation:
                completion = continuation_of(response.json(), asked)
            else:
                completion = completion_of(response.json(), asked.answer_tokens)
            dated = replace(completion, date=datetime.now(UTC).date().isoformat())
            return dated if self._traces else dated.without_traces()
        except NOT_AN_ANSWER as e:  # not JSON, too deep, or not a completion
            message = str(e) if type(e) is ValueError else "the answer is not JSON"
            raise _Passing(_one_line(message)) from None

    def _sent(self, asked: AnswerRequest, refused: frozenset[str]) -> _Reply:
        import httpx2

        most = most_usage(asked)
        self._account.admit(most)
        try:
            patience = httpx2.Timeout(self._patience.answer, connect=self._patience.connect)
            path = "chat/completions" if asked.api == "chat" else "completions"
            response = self._reply("POST", path, patience, request_body(asked, refused))
        except httpx2.RequestError as e:
            # the request may have been read and answered, so its reserved cost stays booked
            unreached = isinstance(e, httpx2.ConnectError | httpx2.ConnectTimeout)
            raise _Passing(_one_line(f"{type(e).__name__} {e}"), unreached=unreached) from None
        self._account.settle(
            most, _usage(response, most) if response.status_code == 200 else Usage(0, 0, 0, 0)
        )
        return response

    def _reply(self, method: str, path: str, patience: httpx2.Timeout, body: Any = None) -> _Reply:
        """Return the whole response.

        Raises httpx2.RequestError if it does not arrive or does not end in time, and ModelError if it is too
        long.
        """
        import httpx2

        reader = ThreadPoolExecutor(1)  # the limit of httpx2 begins again with each byte of the headers
        reply = reader.submit(self._read, method, path, patience, body)
        reader.shutdown(wait=False)  # a reader that is given up ends when the client is closed
        try:
            return reply.result(patience.read)
        except TimeoutError:
            raise httpx2.ReadTimeout(f"the response has not ended after {patience.read:g} s") from None

    def _read(self, method: str, path: str, patience: httpx2.Timeout, body: Any) -> _Reply:
        import httpx2

        begun = time.monotonic()
        content = bytearray()
        with self._http.stream(
            method, f"{self._address}/{path}", json=body, headers=self._headers, timeout=patience
        ) as response:
            for part in response.iter_bytes():
                content += part
                if len(content) > MOST_BYTES:
                    raise ModelError(
                        f"{self._name}: the server's response has more than {MOST_BYTES:,} bytes",
                        remedy=f"check {self._place}; no answer of a model is that long",
                    )
                if patience.read is not None and time.monotonic() - begun > patience.read:
                    raise httpx2.ReadTimeout(f"the response has not ended after {patience.read:g} s")
            return _Reply(response.status_code, response.headers, bytes(content))

    def _lacks_template(self, response: _Reply, asked: AnswerRequest) -> bool:
        """Return True if a refused chat names the template, or fails in silence but the prompt is continued.

        `transformers serve` answers 500 without words. The second such answer, if there was no other, is
        followed by one request for a completion.
        """
        if asked.api != "chat":
            return False
        if _NO_TEMPLATE.search(response.text):
            return True
        if response.status_code != 500 or not _WORDLESS.fullmatch(response.text):
            return False
        self._failed += 1
        if self._failed != 2 or self._answered:
            return False
        try:
            probe = self._sent(replace(asked, api="completions", choices=(), answer_tokens=1), self._refused)
            return probe.status_code == 200 and bool(completion_of(probe.json(), 2))
        except (_Passing, *NOT_AN_ANSWER):
            return False

    def _learns(self, response: _Reply, asked: AnswerRequest, refused: frozenset[str]) -> bool:
        """Return True if the next try can omit a field: one that the refusal names, or the schema."""
        named = refused_fields(response.text, asked, refused)
        self._refused |= named
        return bool(named)

    def _fault(self, asked: AnswerRequest, response: _Reply) -> Exception:
        status, text = response.status_code, _one_line(response.text)
        if status == 409 or is_passing(status):
            after = retry_after(response.headers) or 0.0
            if after <= LONGEST_ORDER:
                return _Passing(f"{status} {text}", after)
            return ModelError(
                f"{self._name}: the server asks to wait {after:.0f} s before the next request ({status})",
                remedy="run again later; all answers so far are kept",
            )
        if status in (401, 403):
            return key_refused(self._source, status, sent="Authorization" in self._headers)
        if status == 404:
            return ModelError(
                f"{self._name}: the server has no model {asked.model!r}, or is not OpenAI-compatible",
                remedy=f"check {self._place}{self._version} and the model's name; {self._offered()}",
            )
        return ModelError(
            f"{self._name}: the server refuses with {status}: {text}",
            remedy="check the model's name, and that the server offers chat completions",
        )

    @property
    def _place(self) -> str:
        """Where the server's address is written."""
        return address_place(self._name, self._address)

    @property
    def _version(self) -> str:
        """A remark on an address that does not end in /v1; empty for one that does."""
        return "" if self._address.endswith("/v1") else " (many servers want an address that ends in /v1)"

    def _offered(self) -> str:
        """Return the models that the server says it offers, as text."""
        import httpx2

        try:
            response = self._reply("GET", "models", httpx2.Timeout(10.0))
            names = sorted(str(model["id"]) for model in response.json()["data"])
        except (httpx2.RequestError, ModelError, *NOT_AN_ANSWER):
            return "the server does not list its models"
        return _one_line(f"the server offers: {', '.join(names) or 'no model'}", most=2000)


def connections(at_once: int) -> httpx2.Client:
    """Return a client for a server with up to ``at_once`` connections at the same time.

    Raises ModelError for an unusable proxy in the environment.
    """
    import httpx2

    try:
        limits = httpx2.Limits(max_connections=at_once + 1, max_keepalive_connections=at_once)
        return httpx2.Client(limits=limits, verify=_certificates(*map(os.environ.get, _CERTIFICATES)))
    except (ValueError, ImportError, httpx2.InvalidURL):  # the error may show a password
        raise ModelError(
            "the proxy that HTTP_PROXY, HTTPS_PROXY or ALL_PROXY names cannot be used",
            remedy="set it to an address that begins with http:// or https://, or unset it",
        ) from None


@functools.cache
def _certificates(file: str | None, folder: str | None) -> ssl.SSLContext:
    """Return the certificates that the two variables in `_CERTIFICATES` name, or the common ones.

    They are read once, because that takes a tenth of a second and each chunk of inputs has its own client.
    """
    import httpx2

    return httpx2.create_ssl_context()


def _one_line(text: str, most: int = 300) -> str:
    """Return ``text`` on one line, cut to ``most`` characters, without secrets that the server repeats."""
    return " ".join(redacted(whole_characters(text)).split())[:most]


def _usage(response: _Reply, most: Usage) -> Usage:
    """Return the usage that the server reports; ``most`` if the report is missing or not credible."""
    try:
        return usage_of(response.json()) or most
    except NOT_AN_ANSWER:
        return most
