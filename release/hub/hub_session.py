"""The HTTP session of huggingface_hub: time limits, and notes about long waits."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator
from typing import Any

from nextset.errors import ServerError
from nextset.http_patience import retry_after

__all__ = ["LONGEST_WAIT", "hub_session"]

LONGEST_WAIT = 900.0
"""The most seconds to wait; if the Hub asks for more, the command stops with an error."""


@contextlib.contextmanager
def hub_session(timeout: float, note: Callable[[str], None]) -> Iterator[None]:
    """Make huggingface_hub give up on an answer after ``timeout`` seconds of silence, and hide its bars.

    ``note`` gets a line if the Hub asks to wait. Raises ServerError if the wait is longer than LONGEST_WAIT.
    The whole process has only one session; at the end, the previous session is restored.
    """
    import httpx2
    from huggingface_hub import constants, set_client_factory
    from huggingface_hub.utils import _http
    from huggingface_hub.utils.tqdm import (
        are_progress_bars_disabled,
        disable_progress_bars,
        enable_progress_bars,
    )

    def limit(request: Any) -> None:
        # Some calls of huggingface_hub set no time limit at all.
        limits = httpx2.Timeout(timeout, connect=min(timeout, 15.0)).as_dict()
        request.extensions = {**request.extensions, "timeout": limits}

    def watch(response: Any) -> None:
        if response.status_code == 429:
            wait = retry_after(response.headers) or 0.0
            if wait > LONGEST_WAIT:
                raise ServerError(
                    f"the Hub asks to wait for {wait / 60:.0f} minutes, which is too long",
                    remedy="run the same command again after that time",
                )
            note(f"the Hub asks to wait for {wait:g} s")

    previous = _http._GLOBAL_CLIENT_FACTORY

    def client() -> Any:
        made = previous()
        hooks = made.event_hooks
        made.event_hooks = {"request": [*hooks["request"], limit], "response": [*hooks["response"], watch]}
        return made

    bars = not are_progress_bars_disabled() and constants.HF_HUB_DISABLE_PROGRESS_BARS is None
    if bars:
        disable_progress_bars()
    set_client_factory(client)
    try:
        yield
    finally:
        set_client_factory(previous)
        if bars:
            enable_progress_bars()
