"""The local Label Studio's data folder, and the file in it with its owner, readable only by the user."""

from __future__ import annotations

import os
import secrets
from pathlib import Path
from typing import Any

from pydantic import Field, model_validator

from nextset.errors import InputError, ServerError
from nextset.files.json_records import DamagedJson, JsonRecord, parse_record
from nextset.files.regular_file import has_file
from nextset.redaction import hide

__all__ = ["DATA_VARIABLE", "Owner", "data_home", "make_owner", "read_owner"]

DATA_VARIABLE = "NEXTSET_LABEL_STUDIO_DATA"
"""The environment variable that names the data folder of `nextset validate serve`."""


_NAME = "owner.json"


class Owner(JsonRecord):
    """The first account of a local server."""

    email: str
    """The login, which is made up."""
    password: str = Field(repr=False)
    """A random password."""
    token: str = Field(repr=False)
    """A legacy token of 40 random hex digits."""

    @model_validator(mode="before")
    @classmethod
    def _without_address(cls, fields: Any) -> Any:
        """Drop the server's address, which version 0.1.0 stored here before there was a gateway."""
        if not isinstance(fields, dict):
            return fields
        return {name: value for name, value in fields.items() if name not in ("url", "pid")}

    def model_post_init(self, context: object, /) -> None:
        """Keep the password and the token out of all texts of nextset."""
        hide(self.password)
        hide(self.token)


def data_home() -> Path:
    """Return the folder of annotators' work: ``nextset/label-studio`` in the user's data folder.

    The data folder, which is not a cache, is ``XDG_DATA_HOME``, or ``~/.local/share``.
    ``NEXTSET_LABEL_STUDIO_DATA`` names a different folder instead.
    """
    if other := os.environ.get(DATA_VARIABLE):
        return Path(other).expanduser().absolute()
    named = Path(os.environ.get("XDG_DATA_HOME", ""))
    # The XDG rules say that a path that is not absolute must be ignored.
    home = named if named.is_absolute() else Path.home() / ".local" / "share"
    return home / "nextset" / "label-studio"


def read_owner(data: Path | None = None) -> Owner | None:
    """Return the owner of the server in ``data`` (default: `data_home`), or None if there never was one."""
    path = (data or data_home()) / _NAME
    try:
        return parse_record(path.read_bytes(), Owner) if has_file(path, InputError) else None
    except (OSError, DamagedJson, InputError):
        raise ServerError(
            f"{path}, which names the owner of the Label Studio server, cannot be read",
            remedy="restore it from a backup; without it the projects on this server have no owner",
        ) from None


def make_owner(data: Path) -> Owner:
    """Return the owner of the server in ``data``, who is made and stored if there is none yet."""
    data.mkdir(parents=True, exist_ok=True)
    data.chmod(0o700)
    owner = read_owner(data)
    if owner is None:
        owner = Owner(
            email="owner@localhost", password=secrets.token_urlsafe(18), token=secrets.token_hex(20)
        )
        _write(data, owner)
    return owner


def _write(data: Path, owner: Owner) -> None:
    temporary = data / f"{_NAME}.tmp"
    temporary.unlink(missing_ok=True)
    with os.fdopen(
        os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w", encoding="utf-8"
    ) as f:
        f.write(owner.model_dump_json(indent=1))
        f.flush()
        os.fsync(f.fileno())
    temporary.replace(data / _NAME)
