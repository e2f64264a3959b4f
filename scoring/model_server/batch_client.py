"""Requests to the batch API of an OpenAI-compatible server: files, batches, and the lines of results."""

from __future__ import annotations

import json
import re
import time
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from nextset.errors import ModelError
from nextset.http_patience import Retries, doubling, is_passing, retry_after
from nextset.redaction import redacted
from nextset.scoring.model_server.completion import whole_characters

if TYPE_CHECKING:
    import httpx2

__all__ = ["ID", "BatchClient", "BatchPatience", "BatchProgress", "PassingFault", "RefusedBatch"]

MOST_REPLY_BYTES = 10_000_000
"""The longest reply about a file or a batch; a page of 100 batches has about 100,000 bytes."""
MOST_LINE_BYTES = 10_000_000
"""The longest line of results; a longer one is damaged."""
MOST_BYTES_PER_ROW = 1_000_000
"""The longest file of results has this many bytes per request."""
MOST_PAGES = 50
"""The most pages of 100 batches that are searched, the newest batches first."""
TRANSFER_SECONDS = 3600.0
"""The time limit for the upload of a file of requests, or the download of one with results."""
LONGEST_ORDER = 600.0
"""The longest wait, in seconds, that a server may ask for; if it asks for a longer wait, the run ends."""
MOST_COUNTED = 10**9
"""The highest number of requests that is believed."""
NO_BATCHES = (404, 405, 501)
"""The statuses of a server without the batch API."""
ID = re.compile(r"(?!\.+$)[\w.:@=-]{1,200}", re.ASCII)
"""An id that can be a part of a path; dots alone lead elsewhere."""

Result = TypeVar("Result")


@dataclass(frozen=True)
class BatchPatience:
    """The limits on waiting for a server's batches."""

    tries: int = 6
    """The maximum number of times that a request is sent."""
    first: float = 1.0
    """Seconds before the second try, or between the first two looks at a batch; later waits are longer."""
    longest: float = 60.0
    """The maximum number of seconds between two tries or looks, unless the server asks for a longer wait."""
    connect: float = 10.0
    """The time limit for a connection, in seconds."""
    reply: float = 300.0
    """The time limit for each part of a reply, in seconds."""
    window: float = 25 * 3600.0
    """Seconds after which a batch is cancelled: the completion window of 24 hours and one more."""
    clock: Callable[[], float] = time.time
    """The function that returns the time in seconds since the epoch."""
    sleep: Callable[[float], None] = time.sleep
    """The function that waits for a number of seconds."""


class RefusedBatch(ModelError):
    """The server refused a request, which therefore did nothing."""


class PassingFault(Exception):
    """A fault that may be gone at the next try."""

    def __init__(self, what: str, after: float = 0.0, *, refused: bool = False) -> None:
        super().__init__(what)
        self.after, self.refused = after, refused


@dataclass(frozen=True, slots=True)
class BatchProgress:
    """The server's report about a batch."""

    status: str
    """The server's word, such as in_progress, completed, failed, expired or cancelled."""
    files: tuple[str, ...]
    """The ids of the files of results: the output, and the errors."""
    done: int | None
    """The number of requests that have a response; None if the server does not say."""
    failed: int
    """The number of requests that have none; 0 if the server does not say."""
    total: int
    """The number of requests; 0 if the server does not say."""
    errors: str
    """The errors of a batch that failed; empty for others."""

    @property
    def ended(self) -> bool:
        """True if the batch does not change any more."""
        return self.status in ("completed", "failed", "expired", "cancelled")

    @property
    def lacks_answers(self) -> bool:
        """True if the server says that no request has an answer, so that all may be sent again."""
        return not self.done and (self.status != "completed" or self.failed > 0)

    @property
    def awaits_files(self) -> bool:
        """True if the files of a batch that has ended are not named yet; some servers name them later."""
        known = self.status == "failed" or self.failed > 0 or (self.status != "completed" and self.done == 0)
        return not self.files and not known


class BatchClient:
    """A client for the batches of one model at a server."""

    def __init__(
        self,
        name: str,
        address: str,
        headers: Mapping[str, str],
        http: httpx2.Client,
        patience: BatchPatience,
    ) -> None:
        self.name, self.patience = name, patience
        self._address, self._headers, self._http = address, headers, http

    def upload(self, file: Path) -> str:
        """Return the server's id of ``file``, which is uploaded; raises ModelError."""

        def send() -> str:
            with file.open("rb") as lines:
                form = {"file": (file.name, lines, "application/jsonl")}
                data = {"purpose": "batch"}
                return _id(self._json("POST", "files", uploaded=lines.tell, files=form, data=data))

        return self.retried(send)

    def create(self, file: str, endpoint: str, note: str) -> str:
        """Return the server's id of a new batch of the requests in ``file``; raises ModelError.

        The request is not simply repeated: if its reply was lost, the batch is looked for first.
        """
        order = {
            "input_file_id": file,
            "endpoint": endpoint,
            "completion_window": "24h",
            "metadata": {"nextset": note},
        }

        def send() -> str:
            try:
                return _id(self._json("POST", "batches", json=order))
            except PassingFault as e:
                if e.refused:
                    raise
                self.patience.sleep(self.patience.first)  # a batch may be listed only after a moment
                created = self.created(file, note)
                if created is None:
                    raise
                return created

        return self.retried(send)

    def created(self, file: str, note: str) -> str | None:
        """Return the server's id of the batch of ``file``; None if the server has no such batch."""
        after = ""
        for _ in range(MOST_PAGES):
            page = self.retried(lambda at=after: self._json("GET", f"batches?limit=100{at}"))  # type: ignore[misc]
            batches = page.get("data")
            if not isinstance(batches, list):
                raise self.unsure("the server does not list its batches")
            for batch in batches:
                if isinstance(batch, dict) and _is_of(batch, file, note):
                    return _id(batch)
            if not page.get("has_more") or not batches:
                return None
            after = f"&after={_id(batches[-1])}"
        return None

    def progress(self, batch: str) -> BatchProgress:
        """Return what the server says about ``batch``; raises ModelError."""
        return self.retried(lambda: _progress(self._json("GET", f"batches/{batch}")))

    def cancel(self, batch: str) -> None:
        """Ask the server to end ``batch``, whose results so far stay; raises ModelError."""
        self.retried(lambda: self._json("POST", f"batches/{batch}/cancel", json={}))

    def lines(self, file: str, rows: int) -> Iterator[bytes]:
        """Yield the lines of ``file``, which has results of ``rows`` requests; a line that is too long is
        empty. Memory use does not depend on the file. Raises PassingFault if the file ends too early."""
        import httpx2

        most = MOST_REPLY_BYTES + rows * MOST_BYTES_PER_ROW
        begun, size = time.monotonic(), 0
        split = _Lines()
        try:
            with self._opened(f"files/{file}/content") as response:
                if response.status_code != 200:
                    raise self._fault("GET", f"files/{file}", response, _content(response))
                for part in response.iter_bytes():
                    size += len(part)
                    if size > most or time.monotonic() - begun > TRANSFER_SECONDS:
                        raise self._endless(file)
                    yield from split.added(part)
        except httpx2.RequestError as e:
            raise PassingFault(_one_line(f"{type(e).__name__} {e}")) from None
        yield from split.rest()

    def retried(self, send: Callable[[], Result]) -> Result:
        """Return the result of ``send``, which is repeated after passing faults; raises ModelError."""
        p = self.patience
        retries = Retries(
            fault=PassingFault,
            wait=doubling(p.first, p.longest, jitter=p.first),
            tries=p.tries,
            asked=lambda fault: fault.after,
            sleep=p.sleep,
        )
        try:
            return retries.of(send)
        except PassingFault as e:
            raise ModelError(
                f"{self.name}: the server's batch API did not work after {p.tries} tries: {e}",
                remedy="run again when the server works; batches that were sent continue, and no answer is "
                "paid for twice. Or write batch: false",
            ) from None

    @contextmanager
    def _opened(self, path: str) -> Iterator[httpx2.Response]:
        """Yield the response to GET ``path``, whose headers have a time limit; raises PassingFault."""
        with ExitStack() as stack:
            stream = self._stream("GET", path)
            yield self._in_time(lambda: stack.enter_context(stream))

    def _in_time(self, send: Callable[[], Result], uploaded: Callable[[], int] = lambda: 0) -> Result:
        """Return the result of ``send``; raises PassingFault if it takes too long.

        The limit of httpx2 begins again with each byte of the headers. This one begins again only if
        ``uploaded``, the number of bytes that were sent, has grown.
        """
        sender = ThreadPoolExecutor(1)
        sent = sender.submit(send)
        sender.shutdown(wait=False)  # a sender that is given up ends when the client is closed
        begun, before = time.monotonic(), 0
        while True:
            try:
                return sent.result(self.patience.reply)
            except TimeoutError:
                now = uploaded()
                if now <= before or time.monotonic() - begun > TRANSFER_SECONDS:
                    what = f"the reply has not ended after {self.patience.reply:g} s"
                    raise PassingFault(what) from None
                before = now

    def _json(
        self, method: str, path: str, *, uploaded: Callable[[], int] = lambda: 0, **body: Any
    ) -> dict[str, Any]:
        """Return the reply to a request as a JSON object; raises PassingFault and ModelError."""
        import httpx2

        def send() -> tuple[httpx2.Response, bytes]:
            with self._stream(method, path, **body) as response:
                return response, _content(response)

        try:
            response, content = self._in_time(send, uploaded)
        except httpx2.RequestError as e:
            raise PassingFault(_one_line(f"{type(e).__name__} {e}")) from None
        if response.status_code not in (200, 201, 202):
            raise self._fault(method, path, response, content)
        try:
            reply = json.loads(content)
        except (ValueError, RecursionError):
            reply = None
        if not isinstance(reply, dict):
            raise PassingFault("the reply is not JSON")
        return reply

    def _stream(self, method: str, path: str, **body: Any) -> Any:
        import httpx2

        timeout = httpx2.Timeout(self.patience.reply, connect=self.patience.connect)
        return self._http.stream(
            method, f"{self._address}/{path}", headers=dict(self._headers), timeout=timeout, **body
        )

    def _fault(self, method: str, path: str, response: httpx2.Response, content: bytes) -> Exception:
        status, words = response.status_code, _one_line(content.decode("utf-8", "replace"))
        if status in NO_BATCHES and method == "POST" and path in ("files", "batches"):
            return RefusedBatch(
                f"{self.name}: the server has no batch API ({status} for {method} /{path}) {words}".rstrip(),
                remedy="write batch: false in the model's section server in study.yaml, or in scoring.server",
            )
        if status == 409 or is_passing(status):
            after = retry_after(response.headers) or 0.0
            if after <= LONGEST_ORDER:
                return PassingFault(f"{status} {words}", after, refused=status in (425, 429))
            return RefusedBatch(
                f"{self.name}: the server asks to wait {after:.0f} s before the next request ({status})",
                remedy="run again later; batches that were sent continue, and all answers so far are kept",
            )
        if status in (401, 403):
            return RefusedBatch(
                f"{self.name}: the server answers {status} to a request about batches",
                remedy="check the server's key, and that it may use files and batches; or write batch: false",
            )
        if status in NO_BATCHES and path.startswith("batches?"):
            return self.unsure(f"the server does not list its batches ({status})")
        if status in (404, 410) and method == "GET":
            return self.unsure(f"the server does not know {path} any more ({status})")
        return RefusedBatch(
            f"{self.name}: the server refuses {method} /{path.partition('?')[0]} with {status}: {words}",
            remedy="check the model's name and the server's batch API, or write batch: false",
        )

    def unsure(self, what: str) -> ModelError:
        """Return the error for a batch that may have been paid for, but cannot be found."""
        return ModelError(
            f"{self.name}: {what}; requests that may be paid for are not sent again",
            remedy="check the server's address and key, and run again. If the batch is really lost, remove "
            "answers.batches.sqlite in nextset's cache (nextset cache list shows the folder), and its "
            "requests are sent again; all answers so far are kept",
        )

    def _endless(self, file: str) -> ModelError:
        return ModelError(
            f"{self.name}: the file of results {file} does not end",
            remedy="check the server; all answers so far are kept",
        )


class _Lines:
    """Lines from parts of a file; a line that is too long is dropped while it is read."""

    def __init__(self) -> None:
        self._begun = bytearray()
        self._too_long = False

    def added(self, part: bytes) -> Iterator[bytes]:
        """Yield the lines that end in ``part``, without their ends."""
        *ended, open_ = part.split(b"\n")
        for piece in ended:
            self._add(piece)
            yield self._taken()
        self._add(open_)

    def rest(self) -> Iterator[bytes]:
        """Yield the last line if it has no end."""
        if self._begun or self._too_long:
            yield self._taken()

    def _add(self, piece: bytes) -> None:
        self._too_long = self._too_long or len(self._begun) + len(piece) > MOST_LINE_BYTES
        if self._too_long:
            self._begun.clear()
        else:
            self._begun += piece

    def _taken(self) -> bytes:
        line, self._begun, self._too_long = bytes(self._begun), bytearray(), False
        return line


def _content(response: httpx2.Response) -> bytes:
    """Return the whole content of a reply; raises PassingFault if it is too long."""
    content = bytearray()
    for part in response.iter_bytes():
        content += part
        if len(content) > MOST_REPLY_BYTES:
            raise PassingFault(f"the reply has more than {MOST_REPLY_BYTES:,} bytes")
    return bytes(content)


def _is_of(batch: dict[str, Any], file: str, note: str) -> bool:
    metadata = batch.get("metadata")
    noted = metadata.get("nextset") if isinstance(metadata, dict) else None
    return batch.get("input_file_id") == file or noted == note


def _id(reply: Any) -> str:
    """Return the id in ``reply``; raises PassingFault if there is none that can be stored."""
    value = reply.get("id") if isinstance(reply, dict) else None
    if not isinstance(value, str) or not ID.fullmatch(value) or redacted(value) != value:
        raise PassingFault("the reply has no id")
    return value


def _progress(reply: dict[str, Any]) -> BatchProgress:
    status, counts = reply.get("status"), reply.get("request_counts")
    if not isinstance(status, str):
        raise PassingFault("the reply is not a batch")
    counts = counts if isinstance(counts, dict) else {}
    done, failed, total = (_count(counts.get(name)) for name in ("completed", "failed", "total"))
    named = (reply.get(name) for name in ("output_file_id", "error_file_id"))
    files = tuple(_id({"id": file}) for file in named if file)
    word = {"canceled": "cancelled"}.get(status.lower(), status.lower())
    return BatchProgress(word, files, done, failed or 0, total or 0, _errors(reply.get("errors")))


def _count(value: Any) -> int | None:
    is_count = isinstance(value, int) and not isinstance(value, bool)
    return value if is_count and 0 <= value <= MOST_COUNTED else None


def _errors(errors: Any) -> str:
    """Return the errors of a batch on one line."""
    data = errors.get("data") if isinstance(errors, dict) else errors
    if isinstance(data, list):
        data = "; ".join(
            f"{one.get('code') or ''} {one.get('message') or ''}".strip()
            for one in data[:5]
            if isinstance(one, dict)
        )
    return _one_line(str(data or ""))


def _one_line(text: str, most: int = 300) -> str:
    """Return ``text`` on one line, cut to ``most`` characters, without secrets that the server repeats."""
    return " ".join(redacted(whole_characters(text)).split())[:most]
