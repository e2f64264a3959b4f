"""Times as the logs write them: now, and read back so that they can be compared."""

from __future__ import annotations

from datetime import UTC, datetime

__all__ = ["moment", "now"]

_UNKNOWN = datetime.min.replace(tzinfo=UTC)


def moment(written: str) -> datetime:
    """ISO 8601 as a moment; one that is not known (an empty text) is before all others."""
    if not written:
        return _UNKNOWN
    at = datetime.fromisoformat(written)
    return at if at.tzinfo else at.replace(tzinfo=UTC)


def now() -> str:
    """ISO 8601 in UTC, with microseconds."""
    return datetime.now(UTC).isoformat(timespec="microseconds")
