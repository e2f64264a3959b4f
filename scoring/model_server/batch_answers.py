"""Answers by a server's batch API: prompts are sent as files, and the results are read when the batch ends.

A run that was killed at any point resumes the batches that it sent: `SentBatches` has a record of each
step, and the server is asked for a batch that may have been created while the process was killed. Each
result is stored as it is read. Missing and failed requests are sent again, in at most `ROUNDS` batches.
"""

from __future__ import annotations

import logging
import tempfile
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from pathlib import Path

from nextset.counted import counted
from nextset.errors import ModelError
from nextset.http_patience import doubling
from nextset.redaction import redacted
from nextset.scoring.model_server.answer_cache import AnswerRequest, Answers
from nextset.scoring.model_server.batch_client import (
    BatchClient,
    BatchProgress,
    PassingFault,
    RefusedBatch,
)
from nextset.scoring.model_server.batch_lines import (
    PASSING_WORDS,
    BatchResult,
    endpoint_of,
    file_sized,
    request_line,
    result_of,
)
from nextset.scoring.model_server.completion import (
    NOT_AN_ANSWER,
    Completion,
    completion_of,
    whole_characters,
)
from nextset.scoring.model_server.prompt_continuation import NO_ECHO, continuation_of
from nextset.scoring.model_server.rate_and_cost_limits import ModelAccount
from nextset.scoring.model_server.request_body import most_usage, refused_fields
from nextset.scoring.model_server.sent_batches import SentBatch, SentBatches
from nextset.scoring.model_server.token_usage import Usage

__all__ = ["answer_in_batches"]

ROUNDS = 3
"""The most times that a request is sent."""
DOWNLOADS = 3
"""The most downloads of results that have fewer lines than the server counts."""
LATE_LOOKS = 20
"""The number of looks at a batch that has ended but shows no results yet; about a quarter of an hour."""
LOOKS = 3
"""The number of times that the server's list is searched for a batch that may have been created."""
NOTE_EVERY = 60.0
"""Seconds between two lines about a batch in the log."""
GRACE = 3600.0
"""Seconds that a cancelled batch has to end."""
SHOWN = 5
"""The number of failed requests that an error shows."""
NOTHING = Usage(0, 0, 0, 0)
_LOG = logging.getLogger(__name__)


def answer_in_batches(
    requests: Sequence[AnswerRequest],
    client: BatchClient,
    server: str,
    answers: Answers,
    record: SentBatches,
    account: ModelAccount,
    *,
    traces: bool = True,
) -> dict[AnswerRequest, Completion]:
    """Return the answer to each of ``requests``, from ``answers`` or by batches at ``server``, a digest.

    Without ``traces``, the thoughts in answers are not stored. Raises ModelError if the server has no batch
    API, if a limit of the run is reached, or if requests fail; all answers that arrived are stored before.
    """
    errand = _Errand(client, server, answers, record, account, traces)
    errand.finish({request.key: request for request in requests})
    return {request: errand.completions[request.key] for request in requests}


@dataclass
class _Underway:
    """A batch at the server, with its requests by their keys."""

    sent: SentBatch
    requests: Mapping[str, AnswerRequest]
    booked: bool
    """True if this run's account has the batch's highest cost."""
    refused: frozenset[str]
    """The fields that its requests omit."""
    noted: float = 0.0
    """The time of the last line in the log, in seconds since the epoch."""
    late: int = 0
    """The number of looks since it has ended without results."""
    cancelled: float | None = None
    """The time of its cancellation, in seconds since the epoch; None if nobody cancelled it."""


@dataclass
class _Errand:
    """The work on some requests until each has an answer."""

    client: BatchClient
    server: str
    answers: Answers
    record: SentBatches
    account: ModelAccount
    traces: bool
    completions: dict[str, Completion] = field(default_factory=dict)
    faults: dict[str, BatchResult] = field(default_factory=dict)
    """The last fault of each request that failed."""
    sends: Counter[str] = field(default_factory=Counter)
    """The number of times that each request was sent."""
    refused: frozenset[str] = frozenset()
    """The fields that the server refuses."""
    limit: ModelError | None = None
    """The limit of the run that was reached."""

    def finish(self, wanted: Mapping[str, AnswerRequest]) -> None:
        """Send batches and read their results until all requests are answered; raises ModelError."""
        while True:
            with self.record.locked():
                missing = self._missing(wanted)
                if not missing:
                    return
                underway = self._resumed(missing)
                taken = {key for batch in underway for key in batch.requests}
                free = [request for key, request in missing.items() if key not in taken]
                hopeful = [request for request in free if not self._is_hopeless(request.key)]
                if not underway and not hopeful:
                    raise self._failure(free)
                underway += self._sent(hopeful)
            self._collect(underway)
            if self.limit is not None:
                raise self.limit

    def _missing(self, wanted: Mapping[str, AnswerRequest]) -> dict[str, AnswerRequest]:
        missing = {}
        for key, request in wanted.items():
            if key not in self.completions:
                known = self.answers.get(request)
                if known is None:
                    missing[key] = request
                else:
                    self.completions[key] = known
        return missing

    def _failure(self, failed: Sequence[AnswerRequest]) -> ModelError:
        """Return the error for requests that cannot succeed, or were sent as often as is allowed."""
        shown = [f"  {self._words(one.key)} to {one.messages[-1][1]!r:.150}" for one in failed[:SHOWN]]
        if len(failed) > SHOWN:
            shown.append(f"  and {len(failed) - SHOWN:,} more")
        return ModelError(
            f"{self.client.name}: requests without an answer after their batches: {len(failed):,}\n"
            + "\n".join(shown),
            remedy="check the model's name and settings, and run again: only these requests are sent again. "
            "Or write batch: false to send them one by one",
        )

    def _is_hopeless(self, key: str) -> bool:
        fault = self.faults.get(key)
        return self.sends[key] >= ROUNDS or (fault is not None and not fault.passes)

    def _words(self, key: str) -> str:
        fault = self.faults.get(key)
        return fault.fault if fault is not None and fault.fault else "no result"

    def _resumed(self, missing: Mapping[str, AnswerRequest]) -> list[_Underway]:
        """Return the batches that are underway and have one of the ``missing`` requests."""
        batches = []
        for sent in self.record.underway(self.server):
            requests = self.record.requests(sent, missing)
            if requests.keys().isdisjoint(missing):
                continue
            at_server = self._found(sent)
            if at_server is None:
                self.record.close(sent)  # nothing was run: its requests are free again
                continue
            _LOG.warning(
                "%s: resuming a batch of %s that was sent earlier",
                self.client.name, counted(len(requests), "requests"),
            )  # fmt: skip
            batches.append(_Underway(at_server, requests, booked=False, refused=frozenset()))
        return batches

    def _found(self, sent: SentBatch) -> SentBatch | None:
        """Return ``sent`` with the server's id of the batch; None if the server has not created it."""
        if sent.state == "created":
            return sent
        for look in range(LOOKS if sent.state == "uploaded" else 0):
            if look:
                self.client.patience.sleep(look * self.client.patience.first)
            batch = self.client.created(sent.file, sent.id)
            if batch is not None:
                return self.record.note_batch(sent, batch)
        return None

    def _sent(self, requests: Iterable[AnswerRequest]) -> list[_Underway]:
        """Send as many of ``requests`` as the run's limits admit, and return their batches."""
        admitted = []
        for request in requests:
            try:
                self.account.admit(most_usage(request))
            except ModelError as e:
                self.limit = e
                break
            admitted.append(request)
        return [self._created(part) for part in file_sized(admitted, self.refused)]

    def _created(self, requests: Sequence[AnswerRequest]) -> _Underway:
        """Send one file of requests and return its batch; each step is recorded before the next."""
        client = self.client
        sent = self.record.plan(self.server, requests)
        try:
            with tempfile.TemporaryDirectory(prefix="nextset-batch-") as folder:
                path = Path(folder) / f"{sent.id}.jsonl"
                with path.open("wb") as file:
                    file.writelines(request_line(request, self.refused) for request in requests)
                sent = self.record.note_file(sent, client.upload(path))
            batch = client.create(sent.file, endpoint_of(requests[0]), sent.id)
        except RefusedBatch:
            self.record.close(sent)
            raise
        sent = self.record.note_batch(sent, batch)
        self.sends.update(request.key for request in requests)
        _LOG.warning(
            "%s: a batch of %s is sent; this may take up to 24 hours; a run that is stopped resumes it",
            client.name, counted(len(requests), "requests"),
        )  # fmt: skip
        return _Underway(sent, {r.key: r for r in requests}, True, self.refused, client.patience.clock())

    def _collect(self, batches: Sequence[_Underway]) -> None:
        """Wait until each of ``batches`` has ended, and store its results; the waits grow."""
        patience = self.client.patience
        wait = doubling(patience.first, patience.longest)
        open_, looks = list(batches), 0
        try:
            while open_:
                open_ = [batch for batch in open_ if not self._has_ended(batch)]
                if open_:
                    looks += 1
                    patience.sleep(wait(looks))
        except KeyboardInterrupt:
            _LOG.warning(
                "%s: %s at the server; run again to read the answers",
                self.client.name, counted(len(open_), "batches continue", "batch continues"),
            )  # fmt: skip
            raise

    def _has_ended(self, batch: _Underway) -> bool:
        """Return True if ``batch`` has ended; its results are stored before."""
        progress = self.client.progress(batch.sent.batch)
        if progress.ended and progress.awaits_files and batch.late < LATE_LOOKS:
            batch.late += 1
            return False
        if progress.ended:
            self._read(batch, progress)
            self._close(batch, progress)
            return True
        now, patience = self.client.patience.clock(), self.client.patience
        if now - batch.noted >= NOTE_EVERY:
            batch.noted = now
            _LOG.warning(
                "%s: a batch is %s; %s of %s are done",
                self.client.name, redacted(progress.status).replace("_", " ")[:40], f"{progress.done or 0:,}",
                counted(progress.total or len(batch.requests), "requests"),
            )  # fmt: skip
        if batch.cancelled is None and now - batch.sent.begun > patience.window:
            self.client.cancel(batch.sent.batch)
            batch.cancelled = now
        elif batch.cancelled is not None and now - batch.cancelled > GRACE:
            raise ModelError(
                f"{self.client.name}: a batch has not ended after {(now - batch.sent.begun) / 3600:.0f} h",
                remedy="check it at the server, and run again; its answers will be read when it ends",
            )
        return False

    def _read(self, batch: _Underway, progress: BatchProgress) -> None:
        """Store the results of a batch that has ended; a download with too few lines is repeated."""
        seen, notes, downloads = dict[str, str](), Counter[str](), 0

        def download() -> None:
            nonlocal downloads
            downloads += 1
            notes.clear()
            for file in progress.files:
                for line in self.client.lines(file, len(batch.requests)):
                    notes[self._taken(line, batch, seen)] += 1
            answered = sum(key in self.completions for key in seen)
            most = DOWNLOADS if seen else self.client.patience.tries
            if answered < (progress.done or 0) and downloads < most:
                raise PassingFault(f"the results have {answered:,} of {progress.done:,} answers")

        self.client.retried(download)
        if not seen and not progress.lacks_answers:
            raise self.client.unsure("the results of a batch that has ended cannot be read")
        for note in ("damaged", "unknown", "different"):
            if notes[note]:
                _LOG.warning("%s: %s", self.client.name, _note(note, notes[note]))

    def _taken(self, line: bytes, batch: _Underway, seen: dict[str, str]) -> str:
        """Store the result in ``line`` and return the kind of the line; the first answer counts."""
        result = result_of(line)
        if result is None:
            return "damaged" if line.strip() else "empty"
        asked = batch.requests.get(result.key)
        if asked is None:
            return "unknown"
        completion = self._completion(result, asked)
        content = f"{completion.ending} {completion.text}" if completion is not None else ""
        earlier = seen.get(result.key)
        if earlier or (earlier is not None and not content):
            return "different" if content and content != earlier else "same"
        seen[result.key] = content
        if asked.continuation and _is_refused(result):
            self.completions[result.key] = Completion(
                asked.continuation
            )  # the server does not echo the prompt
            self.account.settle(most_usage(asked) if batch.booked else NOTHING, NOTHING)
            return "failed"
        if completion is None:
            self._note_fault(result, asked, batch)
            return "failed"
        self.answers.put(asked, completion)
        self.completions[result.key] = completion
        self.faults.pop(result.key, None)
        most = most_usage(asked)
        self.account.settle(most if batch.booked else NOTHING, completion.usage or most)
        return "answer"

    def _completion(self, result: BatchResult, asked: AnswerRequest) -> Completion | None:
        if result.reply is None:
            return None
        try:
            if asked.continuation:
                completion = continuation_of(result.reply, asked)
            else:
                completion = completion_of(result.reply, asked.answer_tokens)
        except NOT_AN_ANSWER:
            return None
        completion = replace(completion, date=datetime.now(UTC).date().isoformat())
        return completion if self.traces else completion.without_traces()

    def _note_fault(self, result: BatchResult, asked: AnswerRequest, batch: _Underway) -> None:
        """Remember the fault of a request; one that names a field is sent again without the field."""
        words = " ".join(redacted(whole_characters(result.fault)).split())[:200]
        fault = replace(result, fault=words, reply=None, passes=result.passes or result.reply is not None)
        if result.reply is not None:
            fault = replace(fault, fault="the response is not an answer")
        if result.status in (400, 422):
            named = refused_fields(words, asked, batch.refused)
            self.refused |= named
            if named:
                fault = replace(fault, passes=True)
                self.sends[result.key] -= 1
        self.faults[result.key] = fault

    def _close(self, batch: _Underway, progress: BatchProgress) -> None:
        """Close a batch whose results are stored; raises ModelError if it failed as a whole."""
        lost = (progress.done or 0) > sum(key in self.completions for key in batch.requests)
        for key, request in batch.requests.items():
            failed = key not in self.completions and (key in self.faults or not lost)
            if batch.booked and failed:  # a lost answer is paid, so its reserved cost stays booked
                self.account.settle(most_usage(request), NOTHING)
        self.record.close(batch.sent)
        if progress.status != "failed":
            return
        if any(word in progress.errors for word in PASSING_WORDS):
            self.client.patience.sleep(self.client.patience.longest)
            return
        raise ModelError(
            f"{self.client.name}: the server refuses a batch: {progress.errors or 'it does not say why'}",
            remedy="check the model's name, and that the server offers batches of it; or write batch: false",
        )


def _is_refused(result: BatchResult) -> bool:
    """Return True if the server does not want the request, now or later."""
    return result.reply is None and not result.passes and result.status in {0, *NO_ECHO}


def _note(kind: str, lines: int) -> str:
    """Return the text about lines of results that do not count."""
    n = counted(lines, "lines of results")
    if kind == "damaged":
        return f"{n} cannot be read and do not count"
    if kind == "unknown":
        return f"{n} belong to no request of the batch and do not count"
    return f"{n} repeat a request with a different answer; the first answer counts"
