"""Types that several sections of study.yaml share."""

from __future__ import annotations

from typing import Annotated, TypeVar

from pydantic import AfterValidator, BeforeValidator, Field

from nextset.files.yaml_values import WrongValue, written_as

__all__ = ["Language", "ModelName", "ModelNames", "Paths", "each_once"]

Written = TypeVar("Written", bound=tuple[str, ...])


def _can_be_paths(paths: tuple[str, ...]) -> tuple[str, ...]:
    for path in paths:
        if not path.strip() or "\0" in path:
            raise WrongValue(f"{path!r} is not a path", "write a path, such as templates/mine.yaml")
    return paths


def each_once(written: Written) -> Written:
    """Return ``written``; raises WrongValue if an entry is repeated."""
    if len(set(written)) < len(written):
        repeated = next(name for i, name in enumerate(written) if name in written[:i])
        raise WrongValue(f"{repeated} is repeated", "write each entry once")
    return written


def groups_once(written: tuple[str, ...]) -> tuple[str, ...]:
    """Return ``written``; raises WrongValue if two groups differ only by capitals, or one is unknown."""
    each_once(tuple(group.casefold() for group in written))
    if "unknown" in (group.casefold() for group in written):
        raise WrongValue("unknown is not a group", "remove it: people without a group count as unknown")
    return written


Language = Annotated[str, written_as(r"[a-z]{2,3}(-[A-Za-z0-9]+)*", "en")]
"""A language tag, such as en or pt-BR."""


def _without_spaces(name: object) -> object:
    """Return ``name``; raises WrongValue for a model behind a server with a space in its name."""
    if isinstance(name, str) and name.startswith("openai:") and " " in name.strip():
        meant = f"openai:{'-'.join(name.removeprefix('openai:').split())}"
        raise WrongValue("the name of a model has no spaces", f"write the server's own name, such as {meant}")
    return name


ModelName = Annotated[str, written_as(r"[^\s\x00]+", "builtin:nli-electra"), BeforeValidator(_without_spaces)]
"""The name of a model in a study: builtin:NAME, a folder, a Hub id, or openai:MODEL."""

ModelNames = Annotated[tuple[ModelName, ...], Field(min_length=1), AfterValidator(each_once)]
"""One model or more, each once."""

Paths = Annotated[tuple[str, ...], AfterValidator(_can_be_paths)]
"""Paths as written in study.yaml; `nextset.study.study_folder.Study.path` resolves them."""
