"""The address and token of the Label Studio to use; neither is ever stored in a study."""

from __future__ import annotations

import ipaddress
import os
import re
from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import urlsplit

from nextset.errors import ServerError
from nextset.redaction import hide
from nextset.validation.label_studio.local_owner import read_owner

__all__ = ["SERVICE", "TOKEN_VARIABLE", "URL_VARIABLE", "Connection", "find_connection"]

URL_VARIABLE = "NEXTSET_LABEL_STUDIO_URL"
"""The environment variable with the address."""

TOKEN_VARIABLE = "NEXTSET_LABEL_STUDIO_TOKEN"
"""The environment variable with the token."""

SERVICE = "nextset-label-studio"
"""The name in the operating system's keyring, with the entries ``url`` and ``token``."""


@dataclass(frozen=True)
class Connection:
    """A server and its token; raises ServerError if the two cannot be used, or not safely."""

    url: str
    """Address, without a slash at its end."""
    token: str = field(repr=False)
    """An account's legacy token, or its newer personal access token."""

    def __post_init__(self) -> None:
        object.__setattr__(self, "url", _checked_url(self.url.strip().rstrip("/")))
        if not re.fullmatch(r"[!-~]+", self.token):
            raise ServerError(
                "the Label Studio token is empty or contains an invalid character",
                remedy="copy it again from Account & Settings on the server, without spaces or quotes",
            )
        hide(self.token)

    @property
    def local(self) -> bool:
        """Whether it is on this machine."""
        return _is_loopback(urlsplit(self.url).hostname or "")


def find_connection(data: Path | None = None) -> Connection:
    """Return the server to use: from the environment, else the keyring, else the one on this machine.

    ``data`` is the data folder of the latter, by default the usual one. Raises ServerError, with a remedy, if
    there is none.
    """
    url, token = os.environ.get(URL_VARIABLE, ""), os.environ.get(TOKEN_VARIABLE, "")
    if bool(url) != bool(token):
        there, lacking = (URL_VARIABLE, TOKEN_VARIABLE) if url else (TOKEN_VARIABLE, URL_VARIABLE)
        raise ServerError(f"{there} is set, but {lacking} is not", remedy="set both, or neither")
    if not url:
        url, token = _from_keyring()
    if not url:
        owner = read_owner(data)
        url, token = (owner.url, owner.token) if owner else ("", "")
    if not url:
        raise ServerError(
            "no Label Studio server was found",
            remedy=(
                "run `nextset validate serve` in another terminal and leave it running; or, for a server "
                f"that already exists, set {URL_VARIABLE} and {TOKEN_VARIABLE}, or put them into the "
                f"keyring with `keyring set {SERVICE} url` and `keyring set {SERVICE} token`"
            ),
        )
    return Connection(url, token)


def _from_keyring() -> tuple[str, str]:
    """Address and token, both empty if there is no keyring, or it has no entries for nextset."""
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


def _checked_url(url: str) -> str:
    try:
        parts = urlsplit(url)
        host, _ = parts.hostname or "", parts.port
    except ValueError:
        parts, host = urlsplit(""), ""
    clean = not (parts.username or parts.password or parts.query or parts.fragment)
    if parts.scheme not in ("http", "https") or not host or not clean:
        # It is not shown: it may hold a password.
        raise ServerError(
            "the Label Studio address is not a valid URL",
            remedy="write it as https://HOST or http://127.0.0.1:PORT, without name, password or query",
        )
    if parts.scheme == "http" and not _is_loopback(host):
        raise ServerError(
            f"the token would be sent unencrypted to {host}",
            remedy="use the server's https:// address; if it has none, put it behind a proxy that has one",
        )
    return url


def _is_loopback(host: str) -> bool:
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host.lower() == "localhost"
