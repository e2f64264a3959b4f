"""Hand-written YAML, checked against a pydantic model."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Annotated, Any, ClassVar, TypeVar, get_args

from pydantic import (
    BaseModel,
    ConfigDict,
    StringConstraints,
    ValidationError,
    ValidationInfo,
    ValidatorFunctionWrapHandler,
    field_validator,
)
from pydantic_core import InitErrorDetails, PydanticKnownError

from nextset.errors import InputError, newer_format
from nextset.files.yaml_key_errors import first_error
from nextset.files.yaml_reader import LocatedYaml, Location, read_yaml
from nextset.files.yaml_values import WrongValue

__all__ = ["EXACT", "ForPeople", "HandWritten", "Prose", "read_model"]

EXACT = "kept to the character"
"""The annotation of a field whose texts a model reads as they are written, with the blanks around them."""

Prose = Annotated[str, StringConstraints(strip_whitespace=True)]
"""A text that only people read: blanks and line breaks around it are removed."""


class HandWritten(BaseModel):
    """A section of a hand-written file: unknown keys are refused, values are frozen.

    Nothing is removed from a text in silence: blanks around it are kept (`EXACT`), are without meaning
    (`Prose`), or are refused.
    """

    model_config = ConfigDict(extra="forbid", frozen=True)
    earlier_names: ClassVar[Mapping[str, str]] = {}
    """The present keys by their earlier names, which the error for such a key and the reference give."""
    misplaced: ClassVar[Mapping[str, str]] = {}
    """The sections of keys that people write in this one, which the error for such a key names."""

    @field_validator("*", mode="wrap")
    @classmethod
    def _as_written(cls, written: Any, read: ValidatorFunctionWrapHandler, info: ValidationInfo) -> Any:
        """Refuse values that pydantic converts: 1.0 and "yes" to true, true and 1.0 to the 1 of a Literal.

        Refuse texts with blanks around them, unless the field is `EXACT`.
        """
        value = read(written)
        if isinstance(value, int) and type(value) is not type(written):
            raise PydanticKnownError("bool_type" if isinstance(value, bool) else "int_type")
        if EXACT not in cls.model_fields[str(info.field_name)].metadata:
            for at, text in _texts(value):
                if text != text.strip():
                    raise _blanks_around(cls.__name__, at, text)
        return value


class ForPeople(HandWritten):
    """A section whose texts only people read, as `Prose`."""

    model_config = ConfigDict(str_strip_whitespace=True)


def _texts(value: Any, at: Location = ()) -> Iterator[tuple[Location, str]]:
    """Yield the texts in ``value``, with their places, without those in sections inside it."""
    if isinstance(value, str):
        yield at, value
    elif isinstance(value, tuple | dict):
        for step, inner in value.items() if isinstance(value, dict) else enumerate(value):
            yield from _texts(inner, (*at, step))


def _blanks_around(section: str, at: Location, text: str) -> ValidationError:
    shown = text if len(text) <= 80 else f"{text[:40]} … {text[-30:]}"
    problem = WrongValue(
        f"{shown!r} has extra spaces or line breaks around it",
        "remove them; a text in a block ends with a line break unless the block begins with |- or >-",
    )
    details = InitErrorDetails(type="value_error", loc=at, input=text, ctx={"error": problem})
    return ValidationError.from_exception_data(section, [details])


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
