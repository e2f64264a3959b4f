"""The address of a model's server and the variable of its key; errors show neither an address nor a key."""

from __future__ import annotations

import ipaddress
import os
import urllib.parse
from dataclasses import dataclass

from nextset.errors import ModelError
from nextset.redaction import hide
from nextset.study.model_key import ServerSettingError, setting_place
from nextset.study.scoring_settings import ModelServerSettings
from nextset.study.server_secrets import shown_variable

__all__ = ["BASE_URL", "OPENAI_KEY", "AddressMissing", "ServerPlace", "address_place", "server_place"]

BASE_URL = "OPENAI_BASE_URL"
"""The variable with the address of the server of models without an address of their own."""
OPENAI_KEY = "OPENAI_API_KEY"
"""The variable with the key of that server, which is sent to no other."""


class AddressMissing(ServerSettingError):
    """No address of a model's server is given."""


@dataclass(frozen=True)
class ServerPlace:
    """A server, and where its key is."""

    address: str
    """The address, without a key."""
    key: str
    """The name of the environment variable with the key; empty if no key is sent."""


def server_place(name: str, server: ModelServerSettings) -> ServerPlace:
    """Return the server of the model ``name``: that of its settings, or else that in OPENAI_BASE_URL.

    Raises AddressMissing if there is no address, and ModelError if it is not one.
    """
    example = f"export {BASE_URL}=http://127.0.0.1:8000/v1, or a different address, and run again"
    common = os.environ.get(BASE_URL, "").strip().rstrip("/")
    written, what, remedy = common, BASE_URL, example
    if server.address:
        literal = server.address.startswith("http")
        variable = "" if literal else server.address
        written = (server.address if literal else os.environ.get(variable, "")).strip().rstrip("/")
        what = setting_place(name, "server.address")
        remedy = f"write the server's address as {what}, or export the variable that it names"
        if not written:
            shown = shown_variable(variable)
            named = f"the environment variable {shown}" if shown else "the environment variable that it names"
            remedy = f"export {shown}=ADDRESS, or write the address itself" if shown else remedy
            raise AddressMissing(f"{what}: {named} is not set", remedy=remedy, name=name, key="address")
    if not written:
        own = f"models: {{'{name}': {{server: {{address: ADDRESS}}}}}}"
        raise AddressMissing(
            f"{name}: {BASE_URL}, the address of the server, is not set",
            remedy=f"{example}; a model with a server of its own has the address in study.yaml: {own}",
            name=name,
            key="address",
        )
    _check(written, what, remedy)
    key = server.key or (OPENAI_KEY if written == common else "")
    return ServerPlace(written, key)


def address_place(name: str, address: str) -> str:
    """Return where the ``address`` of the model ``name`` is written, as text."""
    common = os.environ.get(BASE_URL, "").strip().rstrip("/")
    return BASE_URL if address == common else setting_place(name, "server.address")


def _check(written: str, what: str, remedy: str) -> None:
    """Raise ModelError, which shows no part of the address, if it cannot be used; hide it from now on."""
    try:
        parts = urllib.parse.urlsplit(written)
        port = parts.port
    except ValueError:
        raise ModelError(f"{what} is not a valid address", remedy=remedy) from None
    if parts.scheme not in ("http", "https") or not parts.hostname or port == 0:
        raise ModelError(f"{what} is not an address that begins with http:// or https://", remedy=remedy)
    if parts.username is not None or parts.query or parts.fragment:
        raise ModelError(
            f"{what} contains a name, a key or a query in addition to the address",
            remedy=f"set it to only the address, and set {OPENAI_KEY} to the key"
            if what == BASE_URL
            else "write only the address, and the name of the variable that has the key as server.key",
        )
    if not _is_usable(written):
        raise ModelError(f"{what} is not a valid address", remedy=remedy)
    hide(written)
    if "." in parts.hostname and not _is_loopback(parts.hostname):
        hide(parts.hostname)


def _is_usable(address: str) -> bool:
    """Return True if requests can be sent to ``address``."""
    import httpx2

    try:
        httpx2.URL(address)
    except httpx2.InvalidURL:
        return False
    return address.isprintable() and " " not in address


def _is_loopback(host: str) -> bool:
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False
