"""The devices where an account has logged in before, which a cookie of the gateway names."""

from __future__ import annotations

import hmac
import secrets
from collections.abc import Mapping
from hashlib import blake2b

__all__ = ["KnownDevices"]

_NAME = "nextset_device"


class KnownDevices:
    """Makes and reads the cookies, signed with ``secret``: the gateway itself remembers no device."""

    def __init__(self, secret: str) -> None:
        self._key = blake2b(secret.encode(), person=b"nextset device", digest_size=32).digest()

    def name(self, account: str) -> str:
        """Return the name of the account's cookie: several people may share a device."""
        return f"{_NAME}_{self._signed(account)[:12]}"

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
