"""The grammar of prompts: ``{name}`` is a placeholder, and there are no other braces."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Annotated

from pydantic import BeforeValidator, Field

from nextset.errors import StudyError
from nextset.files.yaml_values import WrongValue

__all__ = ["PromptText", "check_placeholders", "filled_prompt", "placeholders_of"]

_PLACEHOLDER = re.compile(r"\{([^{}]*)\}")


def _text(value: object) -> object:
    if isinstance(value, bool | int | float):
        written = str(value).lower()
        raise WrongValue("YAML does not read this word as text", f'put it in quotes, such as "{written}"')
    return "" if isinstance(value, str) and value.isspace() else value


PromptText = Annotated[str, BeforeValidator(_text), Field(min_length=1)]
"""A text in a file of prompts."""


def placeholders_of(prompt: str) -> list[str]:
    """Return the names of the placeholders in ``prompt``, in order."""
    return _PLACEHOLDER.findall(prompt)


def filled_prompt(prompt: str, texts: Mapping[str, str]) -> str:
    """Return ``prompt`` with all placeholders replaced in one pass, so that braces in a text stay."""
    return _PLACEHOLDER.sub(lambda m: texts[m[1]], prompt)


def check_placeholders(
    prompt: str, *, needed: Sequence[str], allowed: Sequence[str], file: Path, line: int | None
) -> None:
    """Raise StudyError for a placeholder that is not ``allowed`` or is missing, and for any other brace."""
    remedy = "use only these: " + ", ".join(f"{{{name}}}" for name in allowed)
    placeholders = placeholders_of(prompt)
    rest = _PLACEHOLDER.sub("", prompt)
    if unknown := [name for name in placeholders if name not in allowed]:
        raise StudyError(f"unknown placeholder {{{unknown[0]}}}", file=file, line=line, remedy=remedy)
    if "{" in rest or "}" in rest:
        message = "a brace that is not part of a placeholder"
        raise StudyError(message, file=file, line=line, remedy=remedy)
    if missing := [name for name in needed if name not in placeholders]:
        raise StudyError(
            f"the placeholder {{{missing[0]}}} is missing",
            file=file,
            line=line,
            remedy=f"add {{{missing[0]}}} to the prompt",
        )
