"""Failed requests to the Hub: their meaning, and the error that shows it in one line."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from nextset.errors import NextsetError, ServerError
from nextset.http_patience import retry_after
from nextset.redaction import redacted

__all__ = ["HubFailure", "failure_of", "failures", "server_error"]

_WRITE = "use a token with write access to the repository: set HF_TOKEN, or run `hf auth login`"
_REMEDIES = {
    400: "read the Hub's message; if it is about the card, build the version again",
    401: "log in with `hf auth login`, or set HF_TOKEN to a valid token",
    403: _WRITE,
    404: "check the name, and check that the token may see the repository",
    409: "look at the repository on the Hub, then run the same command again",
    412: "look at the repository on the Hub, then run the same command again",
    413: "build the version with smaller files, then run the same command again",
    429: "wait for the time that the Hub names, then run the same command again",
}
_WRITE_AGAIN = "run the same command again later: it checks what has arrived and continues"
_READ_AGAIN = (
    "run the same command again when the Hub can be reached, or name a folder that holds the version"
)


@dataclass(frozen=True, slots=True)
class HubFailure:
    """A request that did not succeed."""

    status: int | None
    """The HTTP status; null without a readable answer."""
    code: str
    """The Hub's error code, such as RepoNotFound; may be empty."""
    unclear: bool
    """True if the Hub may have carried out the request."""
    wait: float | None
    """The seconds that the Hub asks to wait; null if it does not say."""
    words: str
    """The problem, in one line, without the token."""


def failures() -> tuple[type[Exception], ...]:
    """Return the exceptions that a request through huggingface_hub can raise."""
    import httpx2

    answers = (ValueError, KeyError, TypeError, AttributeError)  # an answer that violates the API
    return (httpx2.HTTPError, httpx2.InvalidURL, ConnectionError, RuntimeError, *answers)


def failure_of(e: BaseException) -> HubFailure:
    """Return the meaning of the exception ``e``. Raises ``e`` if it is an error of nextset or of the disk."""
    import httpx2
    from huggingface_hub.errors import HfHubHTTPError, OfflineModeIsEnabled

    while type(e) is RuntimeError and e.__cause__ is not None:  # a thread of huggingface_hub wraps its error
        e = e.__cause__
    if isinstance(e, NextsetError):
        raise e
    if isinstance(e, HfHubHTTPError):
        return _answered(e)
    if isinstance(e, OfflineModeIsEnabled):
        return HubFailure(None, "offline", False, None, "HF_HUB_OFFLINE is set")
    if isinstance(e, OSError) and not isinstance(e, ConnectionError):
        raise e
    if isinstance(e, ValueError) and isinstance(e.__cause__, HfHubHTTPError):  # a card that the Hub refuses
        return HubFailure(400, "", False, None, f"the Hub refuses the card: {_short(str(e))}")
    if isinstance(e, httpx2.InvalidURL | httpx2.UnsupportedProtocol):
        return HubFailure(None, "address", False, None, "the address of the Hub is not a valid URL")
    if isinstance(e, httpx2.ConnectError | httpx2.ConnectTimeout):
        return HubFailure(None, "", False, None, f"the Hub cannot be reached ({_short(str(e))})")
    if isinstance(e, httpx2.TimeoutException):
        return HubFailure(None, "", True, None, "the Hub did not answer in time")
    if isinstance(e, httpx2.HTTPError | ConnectionError):
        return HubFailure(None, "", True, None, f"the connection broke ({_short(str(e))})")
    return HubFailure(
        None, "", True, None, f"the answer does not look like one from the Hub ({_short(str(e))})"
    )


def _answered(e: Any) -> HubFailure:
    status = e.response.status_code
    message = _short(e.server_message or "")
    return HubFailure(
        status=status,
        code=e.response.headers.get("X-Error-Code", ""),
        unclear=status >= 500 or status == 408,
        wait=retry_after(e.response.headers),
        words=f"the Hub answered {status}" + (f": {message}" if message else ""),
    )


def _short(text: str) -> str:
    line = " ".join(redacted(text).split())
    return line if len(line) <= 200 else f"{line[:199]}…"


def server_error(failure: HubFailure, repo: str, doing: str, *, writes: bool) -> ServerError:
    """Return the error for ``failure``, which happened while ``doing`` something with ``repo``.

    ``writes`` says whether the command sends a version, so that it can resume.
    """
    if failure.code == "offline":
        remedy = "unset HF_HUB_OFFLINE, then run the same command again"
    elif failure.code == "address":
        remedy = "set HF_ENDPOINT to the address of the Hub, or unset it"
    elif failure.code == "GatedRepo":
        remedy = f"ask for access on the page of {repo}, then run the same command again"
    else:
        remedy = _REMEDIES.get(failure.status or 0, _WRITE_AGAIN if writes else _READ_AGAIN)
    return ServerError(f"{repo}: {doing} failed: {failure.words}", remedy=remedy)
