"""The network that a request comes from, for limits: people cannot easily change it."""

from __future__ import annotations

import ipaddress
import re

__all__ = ["network_of"]


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
