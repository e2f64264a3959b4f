"""Hand-written YAML, checked against a pydantic model."""

from __future__ import annotations

from pathlib import Path
from typing import Any, TypeVar, get_args

from pydantic import BaseModel, ConfigDict, ValidationError, ValidatorFunctionWrapHandler, field_validator
from pydantic_core import PydanticKnownError

from nextset.errors import InputError, newer_format
from nextset.files.yaml_key_errors import first_error
from nextset.files.yaml_reader import LocatedYaml, read_yaml

__all__ = ["HandWritten", "read_model"]


class HandWritten(BaseModel):
    """A section of a hand-written file: unknown keys are refused, values are frozen."""

    model_config = ConfigDict(extra="forbid", frozen=True, str_strip_whitespace=True)

    @field_validator("*", mode="wrap")
    @classmethod
    def _as_written(cls, written: Any, read: ValidatorFunctionWrapHandler) -> Any:
        """Refuse values that pydantic converts: 1.0 and "yes" to true, true and 1.0 to the 1 of a Literal."""
        value = read(written)
        if isinstance(value, int) and type(value) is not type(written):
            raise PydanticKnownError("bool_type" if isinstance(value, bool) else "int_type")
        return value


Model = TypeVar("Model", bound=BaseModel)


def read_model(path: Path, model: type[Model], error: type[InputError]) -> tuple[Model, LocatedYaml]:
    """Read ``path`` as ``model``; the first problem is raised as ``error`` with its line.

    The error for an unknown key suggests the most similar known key. A file in a newer format is not read.
    """
    located = read_yaml(path, error)
    if not isinstance(located.data, dict):
        raise error(
            "the file does not begin with keys and values",
            file=path,
            line=1,
            remedy="begin it with `format: 1`, and write one key per line, as docs/reference shows",
        )
    known = get_args(model.model_fields["format"].annotation)[0] if "format" in model.model_fields else None
    if known is not None and (newer := newer_format(located.data.get("format"), known)) is not None:
        raise error(newer[0], file=path, line=located.line(("format",)), remedy=newer[1])
    try:
        return model.model_validate(located.data), located
    except ValidationError as e:
        raise first_error(e, path, located, model, error) from None
