"""The gateway's public address: its URL, the host names that it answers to, and whether TLS protects it."""

from __future__ import annotations

import ipaddress
import os
import re
import socket
from dataclasses import dataclass
from urllib.parse import SplitResult, urlsplit

from nextset.errors import ServerError
from nextset.validation.label_studio.address_and_token import is_loopback

__all__ = ["PublicAddress", "network_of", "public_address"]

_LOOPBACK = ("127.0.0.1", "localhost", "[::1]")
_EVERYWHERE = ("0.0.0.0", "::", "")


@dataclass(frozen=True)
class PublicAddress:
    """The address that people use to reach the gateway."""

    url: str
    """The URL in links, without a slash at its end."""
    hosts: tuple[str, ...]
    """The host names that requests may use; requests with any other host name are refused."""
    behind_proxy: bool
    """True if it is behind a proxy, which then names the address that a request comes from."""

    @property
    def tls(self) -> bool:
        """True if people reach it over TLS."""
        return self.url.startswith("https:")

    @property
    def origins(self) -> frozenset[str]:
        """The origins of the gateway's pages, one for each host name that it answers to."""
        parts = urlsplit(self.url)
        port = f":{parts.port}" if parts.port else ""
        return frozenset(f"{parts.scheme}://{host}{port}" for host in self.hosts)


def public_address(host: str, port: int, *, tls: bool, proxy: str = "") -> PublicAddress:
    """Return the public address of a gateway that listens on ``host`` and ``port``.

    ``proxy`` is the https address of a proxy in front of it. Further host names come from the environment
    variable ``ALLOWED_HOSTS``, separated by commas; links use the first of them if ``host`` stands for every
    address of this machine. Raises ServerError if people would send their passwords unencrypted.
    """
    if not (is_loopback(host) or tls or proxy):
        raise ServerError(
            f"people would send their passwords unencrypted to {host or 'this machine'}",
            remedy="give --tls-cert and --tls-key, or --behind-proxy https://NAME if it is behind a proxy "
            "with TLS; to serve only this machine, omit --host",
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
    """Return the parts of a proxy's address."""
    try:
        parts = urlsplit(address)
        plain = parts.netloc.rpartition("@")[2] == parts.netloc and parts.port != 0
        usable = plain and parts.scheme == "https" and _is_name(parts.hostname or "")
    except ValueError:
        usable, parts = False, urlsplit("")
    if not usable or parts.path.strip("/") or parts.query or parts.fragment:
        raise ServerError(
            "the address of the proxy is not a plain https address",
            remedy="write it as --behind-proxy https://NAME, with the port if there is one and nothing else",
        )
    return parts


def _named_hosts() -> list[str]:
    """Return the host names in the environment variable."""
    written = os.environ.get("ALLOWED_HOSTS", "").split(",")
    names = [re.sub(r"^\[(.*)\]$", r"\1", name.strip().lower()) for name in written if name.strip()]
    for name in names:
        if not _is_name(name):
            raise ServerError(
                f"ALLOWED_HOSTS contains {name}, which is neither a host name nor an IP address",
                remedy="write full names without ports or *, separated by commas: a.example.org,b.org",
            )
    return [_bracketed(name) for name in names]


def _url(scheme: str, host: str, port: int | None) -> str:
    """Return the URL as browsers write it: without the scheme's default port."""
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


def network_of(address: str) -> str:
    """Return the address without its port; for IPv6 its network, where one person has all addresses."""
    host = re.sub(r"^(\d+(?:\.\d+){3}|\[.*\]):\d+$", r"\1", address).strip("[]")
    try:
        ip = ipaddress.ip_address(host.partition("%")[0])
    except ValueError:
        return address
    if isinstance(ip, ipaddress.IPv6Address):
        mapped = ip.ipv4_mapped
        return str(mapped or ipaddress.ip_network((ip, 64), strict=False))
    return str(ip)
