"""A version in the form major.minor.patch as three numbers."""

from __future__ import annotations

import re

from nextset.errors import StudyError
from nextset.study.release_settings import VERSION

__all__ = ["parse_version"]


def parse_version(version: str) -> tuple[int, int, int]:
    """Return major, minor and patch. Raises StudyError if ``version`` does not have the form 1.2.0.

    The numbers have up to 9 digits and no leading zeros.
    """
    if re.fullmatch(VERSION, version) is None:
        raise StudyError(
            f"{version[:40]!a} is not a version", remedy="write major.minor.patch, such as 1.2.0"
        )
    major, minor, patch = version.split(".")
    return int(major), int(minor), int(patch)
