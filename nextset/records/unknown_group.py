"""The group name for people whose group is not known."""

from __future__ import annotations

__all__ = ["UNKNOWN"]

UNKNOWN = "unknown"
"""The value in tables for a group that is not given, or that is not compared."""
