"""Types that several sections of study.yaml share."""

from __future__ import annotations

from typing import Annotated

from pydantic import AfterValidator, Field

__all__ = ["ModelName", "Paths"]


def _can_be_paths(paths: tuple[str, ...]) -> tuple[str, ...]:
    for path in paths:
        if not path.strip() or "\0" in path:
            raise ValueError(f"{path!r} is not a path")
    return paths


ModelName = Annotated[str, Field(min_length=1, pattern=r"^[^\s\x00]+$")]
"""How a study names a model: builtin:NAME, a folder, a Hub id, or openai:MODEL."""

Paths = Annotated[tuple[str, ...], AfterValidator(_can_be_paths)]
"""Paths as study.yaml has them; `nextset.study.study_folder.Study.path` resolves them."""
