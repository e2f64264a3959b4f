"""Timestamps of the logs: the current one, and parsing for comparison."""

from __future__ import annotations

from datetime import UTC, datetime

__all__ = ["current_timestamp", "parse_timestamp", "read_timestamp"]

_UNKNOWN = datetime.min.replace(tzinfo=UTC)


def parse_timestamp(written: str) -> datetime:
    """Return the time of an ISO 8601 timestamp; an unknown one (an empty text) is before all others."""
    if not written:
        return _UNKNOWN
    at = datetime.fromisoformat(written)
    return at if at.tzinfo else at.replace(tzinfo=UTC)


def read_timestamp(written: str) -> str:
    """Return a time in ISO 8601 as the logs write it; one without a zone is in UTC.

    Raises ValueError if ``written`` is anything else.
    """
    try:
        return parse_timestamp(written.strip()).astimezone(UTC).isoformat(timespec="microseconds")
    except OverflowError:
        raise ValueError("the time is outside the years 1 to 9999") from None


def current_timestamp() -> str:
    """Return the current time as ISO 8601 in UTC, with microseconds."""
    return datetime.now(UTC).isoformat(timespec="microseconds")
