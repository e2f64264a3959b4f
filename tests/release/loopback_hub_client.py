"""Clients of the loopback Hub: huggingface_hub in this process, and processes of their own."""

from __future__ import annotations

import contextlib
import os
import warnings
from collections.abc import Iterator
from pathlib import Path

from tests.release.loopback_hub import DUMMY

__all__ = ["client_environment", "through_loopback"]


@contextlib.contextmanager
def through_loopback() -> Iterator[None]:
    """Let huggingface_hub, which reads its environment when it is imported, use the network and plain LFS."""
    import httpx2
    from huggingface_hub import constants, set_client_factory
    from huggingface_hub.utils import _http

    def client() -> httpx2.Client:
        # plain HTTP needs no certificates, which take longer to load than a push takes
        return httpx2.Client(verify=False, event_hooks={"request": [_http.hf_request_event_hook]})

    names = {"HF_HUB_OFFLINE": False, "HF_HUB_DISABLE_XET": True}
    before = {name: getattr(constants, name) for name in names}
    with warnings.catch_warnings():
        # huggingface_hub uploads files in a way that its HTTP library calls outdated
        warnings.filterwarnings("ignore", "Use 'content=", DeprecationWarning)
        try:
            for name, value in names.items():
                setattr(constants, name, value)
            set_client_factory(client)
            yield
        finally:
            set_client_factory(_http.default_client_factory)
            for name, value in before.items():
                setattr(constants, name, value)


def client_environment(url: str, home: Path, **more: str) -> dict[str, str]:
    """Return the environment of a process of its own that uses the hub at ``url``."""
    hub = {"HF_ENDPOINT": url, "HF_HOME": str(home), "HF_TOKEN": DUMMY, "HF_HUB_DISABLE_XET": "1"}
    return {**os.environ, **hub, "HF_HUB_OFFLINE": "0", "HF_HUB_DISABLE_TELEMETRY": "1", **more}
