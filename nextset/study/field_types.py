"""Types that several sections of study.yaml share."""

from __future__ import annotations

from typing import Annotated

from pydantic import AfterValidator

from nextset.files.yaml_values import WrongValue, written_as

__all__ = ["Language", "ModelName", "Paths"]


def _can_be_paths(paths: tuple[str, ...]) -> tuple[str, ...]:
    for path in paths:
        if not path.strip() or "\0" in path:
            raise WrongValue(f"{path!r} is not a path", "write a path, such as templates/mine.yaml")
    return paths


Language = Annotated[str, written_as(r"[a-z]{2,3}(-[A-Za-z0-9]+)*", "en")]
"""A language tag, such as en or pt-BR."""

ModelName = Annotated[str, written_as(r"[^\s\x00]+", "builtin:nli-electra")]
"""How a study names a model: builtin:NAME, a folder, a Hub id, or openai:MODEL."""

Paths = Annotated[tuple[str, ...], AfterValidator(_can_be_paths)]
"""Paths as study.yaml has them; `nextset.study.study_folder.Study.path` resolves them."""
