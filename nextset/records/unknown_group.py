"""The group of people whose group is not known."""

from __future__ import annotations

__all__ = ["UNKNOWN"]

UNKNOWN = "unknown"
"""What tables have in place of a group that nobody says, or that is not compared."""
