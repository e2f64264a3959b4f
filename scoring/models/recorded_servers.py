"""The servers that a study's models were asked at, by digest, so that results can be checked without them."""

from __future__ import annotations

import json
from collections.abc import Iterable
from pathlib import Path

from nextset.files.atomic_files import write_atomically
from nextset.files.foreign_json import parse_foreign_json
from nextset.scoring.models.server_address import server_place
from nextset.scoring.models.sources import SERVER, ModelSource
from nextset.study.scoring_settings import ModelServerSettings

__all__ = ["NO_ADDRESS", "record_servers", "recorded_server", "require_address"]

NO_ADDRESS = "unset:"
"""The address of a model whose results are known, but not its server; it cannot be asked."""
_FILE = "servers.json"
_Place = tuple[str, str]
"""The digest of the server's address and the model, and the variable that has the address."""


def record_servers(out: Path, asked: Iterable[tuple[ModelSource, ModelServerSettings]]) -> None:
    """Record in ``out`` the digest of the server of each model that was ``asked``; no address is stored."""
    before = _read(out)
    now = {
        source.name: (source.identity, _variable(server))
        for source, server in asked
        if source.name.startswith(SERVER) and source.address != NO_ADDRESS
    }
    if not now.items() <= before.items():
        text = json.dumps({**before, **now}, indent=2, sort_keys=True, ensure_ascii=False)
        write_atomically(out / _FILE, f"{text}\n".encode())


def recorded_server(out: Path, name: str, server: ModelServerSettings) -> ModelSource | None:
    """Return the model ``name`` as it was last asked, without its address.

    None if it was not asked under this name, or if its address was in another variable.
    """
    identity, variable = _read(out).get(name, ("", ""))
    if not identity or variable != _variable(server):
        return None
    return ModelSource(name, None, identity, identity, NO_ADDRESS)


def require_address(source: ModelSource, server: ModelServerSettings) -> None:
    """Raise AddressMissing if nothing says where the server of ``source`` is."""
    if source.address == NO_ADDRESS:
        server_place(source.name, server)


def _variable(server: ModelServerSettings) -> str:
    return "" if server.address.startswith("http") else server.address


def _read(out: Path) -> dict[str, _Place]:
    """Return the records in ``out``; empty if there are none, or if the file is damaged."""
    try:
        written = parse_foreign_json((out / _FILE).read_text(encoding="utf-8"))
        return {str(name): (str(identity), str(variable)) for name, (identity, variable) in written.items()}
    except (OSError, ValueError, TypeError, AttributeError):
        return {}
