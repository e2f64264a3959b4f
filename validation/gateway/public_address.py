"""Where people reach the gateway: its address, the names that it answers to, and whether TLS is before it."""

from __future__ import annotations

import ipaddress
import os
import re
import socket
from dataclasses import dataclass
from urllib.parse import SplitResult, urlsplit

from nextset.errors import ServerError

__all__ = ["PublicAddress", "public_address"]

_LOOPBACK = ("127.0.0.1", "localhost", "[::1]")
_EVERYWHERE = ("0.0.0.0", "::", "")


@dataclass(frozen=True)
class PublicAddress:
    """Where people reach the gateway."""

    url: str
    """The address in links, without a slash at its end."""
    hosts: tuple[str, ...]
    """The names by which requests may call it: no other site's name leads here."""
    behind_proxy: bool
    """Whether a proxy is before it, which says from which address a request comes."""

    @property
    def tls(self) -> bool:
        """Whether people reach it over TLS."""
        return self.url.startswith("https:")

    @property
    def origins(self) -> frozenset[str]:
        """The origins that pages of the gateway have, by every name that it answers to."""
        parts = urlsplit(self.url)
        port = f":{parts.port}" if parts.port else ""
        return frozenset(f"{parts.scheme}://{host}{port}" for host in self.hosts)


def public_address(host: str, port: int, *, tls: bool, proxy: str = "") -> PublicAddress:
    """Return the address of a gateway that listens on ``host`` and ``port``.

    ``proxy`` is the https address of a proxy before it. Further names come from the environment variable
    ``ALLOWED_HOSTS``, with commas between them; the first of them is the one in links where ``host`` is every
    address of this machine. Raises ServerError if people would send their passwords unencrypted.
    """
    if not (_is_loopback(host) or tls or proxy):
        raise ServerError(
            f"people would send their passwords unencrypted to {host or 'this machine'}",
            remedy="give --tls-cert and --tls-key, or --behind-proxy https://NAME if a proxy with TLS is "
            "before it; for this machine alone leave --host out",
        )
    named = _named_hosts()
    name = socket.gethostname().lower()
    here = [name, f"{name}.local"] if host in _EVERYWHERE else [_bracketed(host)]
    if proxy:
        public = _proxy(proxy)
        shown = _bracketed(public.hostname or "")
        hosts = tuple(dict.fromkeys((*_LOOPBACK, *here, shown, *named)))
        return PublicAddress(_url("https", shown, public.port), hosts, behind_proxy=True)
    shown = named[0] if named and host in _EVERYWHERE else here[0]
    hosts = tuple(dict.fromkeys((*_LOOPBACK, *here, *named)))
    return PublicAddress(_url("https" if tls else "http", shown, port), hosts, behind_proxy=False)


def _proxy(address: str) -> SplitResult:
    """The parts of a proxy's address."""
    try:
        parts = urlsplit(address)
        plain = parts.netloc.rpartition("@")[2] == parts.netloc and parts.port != 0
        usable = plain and parts.scheme == "https" and _is_name(parts.hostname or "")
    except ValueError:
        usable, parts = False, urlsplit("")
    if not usable or parts.path.strip("/") or parts.query or parts.fragment:
        raise ServerError(
            "the address of the proxy is not one that people can reach safely",
            remedy="write it as --behind-proxy https://NAME, with its port if it has one, nothing else",
        )
    return parts


def _named_hosts() -> list[str]:
    """The names in the environment variable."""
    written = os.environ.get("ALLOWED_HOSTS", "").split(",")
    names = [re.sub(r"^\[(.*)\]$", r"\1", name.strip().lower()) for name in written if name.strip()]
    for name in names:
        if not _is_name(name):
            raise ServerError(
                f"ALLOWED_HOSTS names {name}, which is not the name or the number of a host",
                remedy="write whole names without ports or *, with commas between them: a.example.org,b.org",
            )
    return [_bracketed(name) for name in names]


def _url(scheme: str, host: str, port: int | None) -> str:
    """Return the address as browsers write it: without the port that the scheme has anyway."""
    usual = {"http": 80, "https": 443}[scheme]
    return f"{scheme}://{host}" if port in (None, usual) else f"{scheme}://{host}:{port}"


def _is_name(host: str) -> bool:
    try:
        ipaddress.ip_address(host)
    except ValueError:
        return re.fullmatch(r"(?!-)[a-z0-9-]+(\.[a-z0-9-]+)*", host, re.ASCII) is not None
    return True


def _bracketed(host: str) -> str:
    return f"[{host}]" if ":" in host else host.lower()


def _is_loopback(host: str) -> bool:
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host.lower() == "localhost"
