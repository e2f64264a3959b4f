"""The address and token of the Label Studio server to use; neither is ever stored in a study."""

from __future__ import annotations

import ipaddress
import os
import re
from dataclasses import dataclass, field
from hashlib import blake2b
from pathlib import Path
from urllib.parse import urlsplit

from nextset.errors import ServerError
from nextset.redaction import hide
from nextset.validation.label_studio.gateway_record import read_gateway
from nextset.validation.label_studio.local_owner import DATA_VARIABLE, data_home, read_owner

__all__ = [
    "SERVICE",
    "TOKEN_VARIABLE",
    "URL_VARIABLE",
    "Connection",
    "find_connection",
    "is_loopback",
    "local_connection",
    "server_folder",
]

URL_VARIABLE = "NEXTSET_LABEL_STUDIO_URL"
"""The environment variable with the address."""

TOKEN_VARIABLE = "NEXTSET_LABEL_STUDIO_TOKEN"
"""The environment variable with the token."""

SERVICE = "nextset-label-studio"
"""The name in the operating system's keyring, with the entries ``url`` and ``token``."""


@dataclass(frozen=True)
class Connection:
    """A server and its token; raises ServerError if they cannot be used safely."""

    url: str
    """The address, without a slash at its end."""
    token: str = field(repr=False)
    """An account's legacy token, or its newer personal access token."""
    socket: Path | None = None
    """The Unix socket that requests are sent to, unencrypted, instead of to ``url``."""
    folder: Path | None = field(default=None, compare=False)
    """The folder on this machine with data about the server: its annotators and its gateway."""

    def __post_init__(self) -> None:
        url = _checked_url(self.url.strip().rstrip("/"), encrypted=self.socket is None)
        object.__setattr__(self, "url", url)
        if not re.fullmatch(r"[!-~]+", self.token):
            raise ServerError(
                "the Label Studio token is empty or contains an invalid character",
                remedy="copy it again from Account & Settings on the server, without spaces or quotes",
            )
        hide(self.token)

    @property
    def local(self) -> bool:
        """True if the server is on this machine."""
        return self.socket is not None or is_loopback(urlsplit(self.url).hostname or "")


def find_connection() -> Connection:
    """Return the server to use: from the environment, else the keyring, else the one on this machine.

    A server whose data folder ``NEXTSET_LABEL_STUDIO_DATA`` names comes before the keyring. Raises
    ServerError if there is no server.
    """
    url, token = os.environ.get(URL_VARIABLE, ""), os.environ.get(TOKEN_VARIABLE, "")
    if bool(url) != bool(token):
        there, lacking = (URL_VARIABLE, TOKEN_VARIABLE) if url else (TOKEN_VARIABLE, URL_VARIABLE)
        raise ServerError(f"{there} is set, but {lacking} is not", remedy="set both, or neither")
    if not url and not os.environ.get(DATA_VARIABLE):
        url, token = _from_keyring()
    if url:
        return Connection(url, token, folder=server_folder(url))
    connection = local_connection(data_home())
    if connection is None:
        raise ServerError(
            "no Label Studio server was found",
            remedy=(
                "run `nextset validate serve` in another terminal and leave it running; or, for a server "
                f"that already exists, set {URL_VARIABLE} and {TOKEN_VARIABLE}, or store them in the "
                f"keyring with `keyring set {SERVICE} url` and `keyring set {SERVICE} token`"
            ),
        )
    return connection


def local_connection(data: Path) -> Connection | None:
    """Return the owner's connection to the Label Studio that runs on ``data``, or None if none runs."""
    owner, gateway = read_owner(data), read_gateway(data)
    if owner is None or gateway is None:
        return None
    return Connection(gateway.url, owner.token, Path(gateway.socket) if gateway.socket else None, data)


def server_folder(url: str) -> Path:
    """Return the folder on this machine with data about a server that the user runs."""
    named = blake2b(url.strip().rstrip("/").encode(), digest_size=8).hexdigest()
    return data_home().parent / "servers" / named


def _from_keyring() -> tuple[str, str]:
    """Return address and token from the keyring; both are empty if it is missing or has no such entries."""
    try:
        import keyring
        from keyring.errors import KeyringError
    except ImportError:
        return "", ""
    try:
        url, token = keyring.get_password(SERVICE, "url"), keyring.get_password(SERVICE, "token")
    except KeyringError:
        return "", ""
    return (url, token) if url and token else ("", "")


def _checked_url(url: str, *, encrypted: bool) -> str:
    import httpx2

    try:
        parts = urlsplit(url)
        host, _ = parts.hostname or "", parts.port
        httpx2.URL(url).host.encode("idna")  # as the request does; a name with an empty part is invalid
    except (ValueError, httpx2.InvalidURL):
        parts, host = urlsplit(""), ""
    clean = not (parts.username or parts.password or parts.query or parts.fragment)
    if parts.scheme not in ("http", "https") or not host or not clean:
        # The address is not shown, since it may contain a password.
        raise ServerError(
            "the Label Studio address is not a valid URL",
            remedy="write it as https://HOST or http://127.0.0.1:PORT, without name, password or query",
        )
    if encrypted and parts.scheme == "http" and not is_loopback(host):
        raise ServerError(
            f"the token would be sent unencrypted to {host}",
            remedy="use the server's https:// address; if it has none, put it behind a proxy with https",
        )
    return url


def is_loopback(host: str) -> bool:
    """Return whether ``host`` is this machine."""
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host.lower() == "localhost"
