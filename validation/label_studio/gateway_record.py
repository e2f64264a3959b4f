"""The record of a running gateway and its address, which a session's commands read."""

from __future__ import annotations

import os
from pathlib import Path

from pydantic import Field

from nextset.errors import InputError, ServerError
from nextset.files.json_records import DamagedJson, JsonRecord, parse_record
from nextset.files.regular_file import has_file

__all__ = ["GatewayRecord", "note_gateway", "read_gateway", "remove_gateway"]

_NAME = "gateway.json"


class GatewayRecord(JsonRecord):
    """A running gateway."""

    url: str
    """The address that people get, without a slash at its end."""
    pid: int = Field(ge=1, lt=2**31)
    """The number of its process."""
    socket: str = ""
    """The Unix socket of its Label Studio; empty if that Label Studio has its own address."""


def note_gateway(folder: Path, record: GatewayRecord) -> None:
    """Record in the server's ``folder`` that a gateway runs."""
    folder.mkdir(parents=True, exist_ok=True)
    temporary = folder / f"{_NAME}.tmp"
    temporary.unlink(missing_ok=True)
    with os.fdopen(
        os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w", encoding="utf-8"
    ) as f:
        f.write(record.model_dump_json(indent=1))
    temporary.replace(folder / _NAME)


def remove_gateway(folder: Path) -> None:
    """Record that no gateway runs any more."""
    (folder / _NAME).unlink(missing_ok=True)


def read_gateway(folder: Path) -> GatewayRecord | None:
    """Return the gateway of the server with that ``folder``, or None if none runs.

    Raises ServerError if the file that names it is damaged.
    """
    path = folder / _NAME
    try:
        record = parse_record(path.read_bytes(), GatewayRecord) if has_file(path, InputError) else None
    except (OSError, DamagedJson, InputError):
        raise ServerError(
            f"{path}, which names the running gateway, cannot be read",
            remedy="stop `nextset validate serve`, delete the file, and start the command again",
        ) from None
    return record if record is not None and _runs(record.pid) else None


def _runs(pid: int) -> bool:
    """Return whether the process exists: a gateway that was killed does not remove its record."""
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        return True
    return True
