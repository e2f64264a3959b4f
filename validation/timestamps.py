"""Timestamps of the logs: the current one, and parsing for comparison."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

from nextset.files.json_records import DamagedJson

__all__ = ["check_timestamp", "current_timestamp", "is_future", "parse_timestamp", "read_timestamp"]

_UNKNOWN = datetime.min.replace(tzinfo=UTC)
_SLACK = timedelta(days=1)
"""The most that times without a zone, or from a wrong clock, can be ahead."""


def parse_timestamp(written: str) -> datetime:
    """Return the time of an ISO 8601 timestamp; an unknown time (an empty text) is before all others."""
    if not written:
        return _UNKNOWN
    at = datetime.fromisoformat(written)
    return at if at.tzinfo else at.replace(tzinfo=UTC)


def check_timestamp(written: str, name: str) -> None:
    """Raise DamagedJson if the field ``name`` of a log, ``written``, is not a time in ISO 8601."""
    try:
        parse_timestamp(written)
    except ValueError:
        raise DamagedJson(f"{name}: {ascii(written)[:60]} is not a time in ISO 8601") from None


def read_timestamp(written: str) -> str:
    """Return a time in ISO 8601 as the logs write it; a time without a zone is taken as UTC.

    Raises ValueError if ``written`` is anything else.
    """
    try:
        return parse_timestamp(written.strip()).astimezone(UTC).isoformat(timespec="microseconds")
    except OverflowError:
        raise ValueError("the time is outside the years 1 to 9999") from None


def current_timestamp() -> str:
    """Return the current time as ISO 8601 in UTC, with microseconds."""
    return datetime.now(UTC).isoformat(timespec="microseconds")


def is_future(written: str) -> bool:
    """Return whether an ISO 8601 timestamp is more than a day ahead of the current time."""
    # adding to the timestamp could exceed the years that datetime supports
    return parse_timestamp(written) - datetime.now(UTC) > _SLACK
