"""The limit of login attempts, which prevents the guessing of passwords and locks out no rightful person."""

from __future__ import annotations

import hmac
import math
import secrets
import time
from collections import OrderedDict, deque
from collections.abc import Callable, Mapping
from hashlib import blake2b

from nextset.validation.gateway.public_address import network_of

__all__ = ["KnownDevices", "LoginLimit"]

_SECONDS = 300.0
_OF_ACCOUNT = 10
"""The limit for an account: from one address, or on one known device."""
_FROM_ANYWHERE = 100
"""The limit for an account on all devices that are not known, so that many addresses do not help."""
_OF_ADDRESS = 60
"""The limit for one address: many people of a laboratory may share an address."""
_MOST = 20_000
_COOKIE = "nextset_device"


class LoginLimit:
    """Counts login attempts that fail, in five minutes: 10 of an account from an address, 60 of an address,
    100 of an account from anywhere.

    On a device where the account has logged in before, only the device's own attempts count, 10 as well: no
    one else can lock its person out. An attempt counts from the moment it is made until it succeeds, so that
    many attempts at once cannot evade the limit.
    """

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._made: OrderedDict[bytes, deque[float]] = OrderedDict()

    def wait(self, account: str, address: str, device: str = "") -> int:
        """Return the minutes to wait before the next attempt; 0 if it may be made now.

        ``device`` is the name of the known device, empty if it is not known.
        """
        now = self._clock()
        waits = [0.0]
        for key, most in _limits(account, address, device).items():
            made = self._made.get(key, deque())
            while made and now - made[0] >= _SECONDS:
                made.popleft()
            if len(made) >= most:
                waits.append(_SECONDS - (now - made[-most]))
        return math.ceil(max(waits) / 60)

    def begin(self, account: str, address: str, device: str = "") -> None:
        """Count an attempt."""
        for key in _limits(account, address, device):
            self._made.setdefault(key, deque()).append(self._clock())
            self._made.move_to_end(key)
        while len(self._made) > _MOST:
            self._made.popitem(last=False)

    def succeeded(self, account: str, address: str, device: str = "") -> None:
        """Stop counting the last attempt."""
        for key in _limits(account, address, device):
            if made := self._made.get(key):
                made.pop()


def _limits(account: str, address: str, device: str) -> dict[bytes, int]:
    """Return the limits by the keys for remembering an attempt: short, however long the account's name is."""
    if device:
        return {_key("device", account, device): _OF_ACCOUNT}
    network = network_of(address)
    return {
        _key("here", account, network): _OF_ACCOUNT,
        _key("account", account): _FROM_ANYWHERE,
        _key("address", network): _OF_ADDRESS,
    }


def _key(*parts: str) -> bytes:
    return blake2b("\0".join(parts).encode("utf-8", "replace"), digest_size=16).digest()


class KnownDevices:
    """Makes and reads the cookies of the devices where an account has logged in before.

    They are signed with ``secret``: the gateway itself remembers no device.
    """

    def __init__(self, secret: str) -> None:
        self._key = blake2b(secret.encode(), person=b"nextset device", digest_size=32).digest()

    def name(self, account: str) -> str:
        """Return the name of the account's cookie: several people may share a device."""
        return f"{_COOKIE}_{self._signed(account)[:12]}"

    def device(self, account: str, cookies: Mapping[str, str]) -> str:
        """Return the name of the device that sent ``cookies``; empty if ``account`` never logged in on it."""
        device, _, signature = cookies.get(self.name(account), "").partition(".")
        right = hmac.compare_digest(signature.encode(), self._signed(account, device).encode())
        return device if device and right else ""

    def cookie(self, account: str, device: str) -> str:
        """Return the value of the account's cookie on ``device``; an empty name stands for a new device."""
        device = device or secrets.token_hex(16)
        return f"{device}.{self._signed(account, device)}"

    def _signed(self, *parts: str) -> str:
        text = "\0".join(parts).encode("utf-8", "replace")
        return blake2b(text, key=self._key, digest_size=16).hexdigest()
