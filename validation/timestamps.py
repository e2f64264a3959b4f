"""Timestamps of the logs: the current one, and parsing for comparison."""

from __future__ import annotations

from datetime import UTC, datetime

__all__ = ["current_timestamp", "parse_timestamp"]

_UNKNOWN = datetime.min.replace(tzinfo=UTC)


def parse_timestamp(written: str) -> datetime:
    """Return the time of an ISO 8601 timestamp; an unknown one (an empty text) is before all others."""
    if not written:
        return _UNKNOWN
    at = datetime.fromisoformat(written)
    return at if at.tzinfo else at.replace(tzinfo=UTC)


def current_timestamp() -> str:
    """Return the current time as ISO 8601 in UTC, with microseconds."""
    return datetime.now(UTC).isoformat(timespec="microseconds")
