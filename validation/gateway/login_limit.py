"""The limit of login attempts, which prevents the guessing of passwords."""

from __future__ import annotations

import ipaddress
import math
import re
import time
from collections import OrderedDict, deque
from collections.abc import Callable
from hashlib import blake2b

__all__ = ["LoginLimit"]

_SECONDS = 300.0
_OF_ACCOUNT = 10
_OF_ADDRESS = 60
"""The limit for one address: many people of a laboratory may share an address."""
_MOST = 20_000


class LoginLimit:
    """Counts login attempts: in five minutes, 10 of an account and 60 of an address may fail.

    An attempt counts from the moment it is made until it succeeds, so that many attempts at once cannot evade
    the limit.
    """

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._made: OrderedDict[bytes, deque[float]] = OrderedDict()

    def wait(self, account: str, address: str) -> int:
        """Return the minutes to wait before the next attempt; 0 if it may be made now."""
        now = self._clock()
        waits = [0.0]
        for key, most in zip(_keys(account, address), (_OF_ACCOUNT, _OF_ADDRESS), strict=True):
            made = self._made.get(key, deque())
            while made and now - made[0] >= _SECONDS:
                made.popleft()
            if len(made) >= most:
                waits.append(_SECONDS - (now - made[-most]))
        return math.ceil(max(waits) / 60)

    def begin(self, account: str, address: str) -> None:
        """Count an attempt."""
        for key in _keys(account, address):
            self._made.setdefault(key, deque()).append(self._clock())
            self._made.move_to_end(key)
        while len(self._made) > _MOST:
            self._made.popitem(last=False)

    def succeeded(self, account: str, address: str) -> None:
        """Stop counting the last attempt."""
        for key in _keys(account, address):
            if made := self._made.get(key):
                made.pop()


def _keys(account: str, address: str) -> tuple[bytes, bytes]:
    """Return the keys for remembering an attempt: short, however long the account's name is."""
    named = (f"account {account}", f"address {_network(address)}")
    one, other = (blake2b(name.encode("utf-8", "replace"), digest_size=16).digest() for name in named)
    return one, other


def _network(address: str) -> str:
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
