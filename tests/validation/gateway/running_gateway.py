"""A gateway that runs in front of the small server, and clients of it."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path

import httpx2
import pytest

from nextset.validation.gateway.gateway_server import Certificate, Listening, listening
from nextset.validation.judgments.pseudonyms import KEY_VARIABLE
from tests.validation.gateway.small_server import OWNER, SmallServer, small_server

__all__ = ["Front", "gateway_before", "small_gateway"]

KEY = "a pseudonym key for tests"


@dataclass
class Front:
    """A gateway and what is behind it."""

    listening: Listening
    studio: SmallServer
    stack: ExitStack
    tls: bool

    @property
    def url(self) -> str:
        """Where this machine reaches the gateway."""
        scheme = "https" if self.tls else "http"
        return f"{scheme}://127.0.0.1:{self.listening.port}"

    def client(self, cookie: str = "", token: str = "") -> httpx2.Client:
        """A client with that cookie of a login, NAME.NUMBER, or token; closed at the end."""
        client = httpx2.Client(base_url=self.url, trust_env=False, timeout=120.0, verify=False)
        if cookie:
            client.headers["Cookie"] = f"sessionid={cookie}"
        if token:
            client.headers["Authorization"] = f"Token {token}"
        return self.stack.enter_context(client)

    def owner(self) -> httpx2.Client:
        """The owner's client."""
        return self.client(token=OWNER)


@contextmanager
def small_gateway(
    folder: Path, *, certificate: Certificate | None = None, proxy: str = ""
) -> Iterator[Front]:
    """A gateway on a free port in front of a new small server, both ended at the end."""
    with (
        small_server() as studio,
        gateway_before(studio, folder, certificate=certificate, proxy=proxy) as front,
    ):
        yield front


@contextmanager
def gateway_before(
    studio: SmallServer, folder: Path, *, certificate: Certificate | None = None, proxy: str = ""
) -> Iterator[Front]:
    """A gateway on a free port in front of ``studio``, ended at the end."""
    with pytest.MonkeyPatch.context() as patch, ExitStack() as stack:
        patch.setenv(KEY_VARIABLE, KEY)
        patch.delenv("ALLOWED_HOSTS", raising=False)
        connection = studio.connection(folder)
        running = stack.enter_context(listening(connection, port=0, certificate=certificate, proxy=proxy))
        yield Front(running, studio, stack, certificate is not None)
