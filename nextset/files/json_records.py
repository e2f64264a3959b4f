"""JSON that nextset writes for itself, read against a schema; a record may carry its own digest."""

from __future__ import annotations

import dataclasses
import functools
import hashlib
import json
import math
from collections.abc import Mapping
from typing import Any, TypeVar, cast

from pydantic import BaseModel, ConfigDict, TypeAdapter, ValidationError

from nextset.files.unique_keys import unique_keys

__all__ = [
    "DamagedJson",
    "DigestedRecord",
    "JsonRecord",
    "check_digest",
    "check_version_digest",
    "dataclass_of",
    "parse_digested",
    "parse_record",
    "with_digest",
]


class DamagedJson(ValueError):
    """JSON that nextset wrote was changed; the message says how, without naming the file."""


class JsonRecord(BaseModel):
    """An object in JSON: unknown keys and values of another type are refused."""

    model_config = ConfigDict(extra="forbid", frozen=True, strict=True)


class DigestedRecord(JsonRecord):
    """An object in JSON with the digest of its other keys, so that any change of its bytes is found."""

    digest: str = ""
    """The sha256 of the JSON without this key; set by `as_bytes`."""

    def as_bytes(self, indent: int | None = None) -> bytes:
        """Return the record as JSON with its digest; the same record gives the same bytes."""
        return with_digest(self.model_dump(mode="json", exclude={"digest"}), indent)


Record = TypeVar("Record", bound=JsonRecord)
Stored = TypeVar("Stored")
Digested = TypeVar("Digested", bound=DigestedRecord)


def with_digest(fields: Mapping[str, Any], indent: int | None = None) -> bytes:
    """Return ``fields`` as JSON, with the sha256 of that JSON under the key digest at its end."""
    digest = hashlib.sha256(_json(fields, indent)).hexdigest()
    return _json({**fields, "digest": digest}, indent)


def check_digest(raw: bytes, indent: int | None = None) -> None:
    """Raise DamagedJson if the object that `with_digest` wrote to ``raw`` was changed in any byte."""
    fields = json.loads(raw)
    fields.pop("digest", None)
    if with_digest(fields, indent) != raw:
        raise DamagedJson("it was changed: its digest does not match its content")


def check_version_digest(raw: bytes) -> None:
    """Raise DamagedJson if the manifest of a dataset version in ``raw`` was changed, or has lost its digest.

    Versions of nextset before 0.1.0 wrote no digest, and no drafts.
    """
    fields = json.loads(raw)
    if "digest" in fields:
        check_digest(raw, indent=1)
    elif fields.get("draft") or not str(fields.get("nextset")).startswith("0.0."):
        raise DamagedJson("it was changed: the digest that nextset writes since 0.1.0 is missing")


def _json(fields: Mapping[str, Any], indent: int | None) -> bytes:
    return (json.dumps(fields, indent=indent, ensure_ascii=False) + "\n").encode()


def parse_record(raw: bytes, record: type[Record]) -> Record:
    """Return the ``record`` in ``raw``.

    Raises DamagedJson for bytes that are not UTF-8 or not JSON, for a repeated key in an object, and for keys
    and values that ``record`` does not have.
    """
    try:
        json.loads(raw.decode("utf-8"), object_pairs_hook=unique_keys)
        return record.model_validate_json(raw)
    except ValidationError as e:
        raise DamagedJson(_first(e)) from None
    except UnicodeDecodeError:
        raise DamagedJson("it is not UTF-8") from None
    except RecursionError:
        raise DamagedJson("it is nested too deeply") from None
    except ValueError as e:
        raise DamagedJson(f"it is not JSON as nextset writes it: {str(e)[:200]}") from None


def dataclass_of(fields: Mapping[str, Any], record: type[Stored]) -> Stored:
    """Return the dataclass ``record`` with the JSON values ``fields``.

    Raises DamagedJson for an unknown field, for a value of another type, and for a number that is not finite:
    NaN, which is not JSON, or an integer that is too large to be a float.
    """
    known = {field.name for field in dataclasses.fields(cast("Any", record))}
    unknown = sorted(set(fields) - known)
    if unknown:
        raise DamagedJson(f"{unknown[0][:40]}: unknown")
    try:
        instance = _adapter(cast("Any", record)).validate_json(json.dumps(fields), strict=True)
    except ValidationError as e:
        raise DamagedJson(_first(e)) from None
    for name in known:
        value = getattr(instance, name)
        if isinstance(value, float) and not math.isfinite(value):
            raise DamagedJson(f"{name}: not a finite number")
    return cast("Stored", instance)


@functools.cache
def _adapter(record: Any) -> TypeAdapter[Any]:
    return TypeAdapter(record)


def _first(e: ValidationError) -> str:
    error = e.errors(include_url=False, include_input=False, include_context=False)[0]
    where = ".".join(str(part)[:40] for part in error["loc"][:4])
    return f"{where}: {error['msg'][:200]}" if where else error["msg"][:200]


def parse_digested(raw: bytes, record: type[Digested], indent: int | None = None) -> Digested:
    """Return the ``record`` that `DigestedRecord.as_bytes` wrote to ``raw`` with this ``indent``.

    Raises DamagedJson if a byte was changed.
    """
    parsed = parse_record(raw, record)
    check_digest(raw, indent)
    return parsed
