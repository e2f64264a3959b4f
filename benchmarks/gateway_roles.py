"""An annotator who tries everything through the gateway, and one who judges in a browser."""

from __future__ import annotations

import sys
from pathlib import Path

from tests.chromium import chromium
from tests.validation.gateway.browser_people import open_browser
from tests.validation.gateway.role_attempts import Attempts, attempt_everything, made_scene
from tests.validation.gateway.test_session_by_browser import session, verdict_of
from tests.validation.studio import Studio
from tests.validation.studio_gateway import gateway

__all__ = ["attempts_and_session"]


def _told(n: int, path: str) -> None:
    if n % 10 == 0:
        sys.stderr.write(f"{n} endpoints tried; next {path}\n")


def attempts_and_session(studio: Studio, scratch: Path) -> tuple[Attempts, list[str], int]:
    """Return the result of the attempts, the refused requests of a session, and its number of requests."""
    scene = made_scene(studio, scratch / "tried", "roles")
    with gateway(studio) as running:
        found = attempt_everything(scene, running.url, tick=_told)
    asked: list[str] = []
    with chromium() as browser, session(studio, browser, scratch / "judged", ["yan"], 12) as running_session:
        own = open_browser(browser, running_session.words)
        own.page.on("request", lambda request: asked.append(request.url))
        own.open(running_session.link)
        own.log_in("yan@example.org", running_session.accounts["yan@example.org"].password)
        own.answer_gate(running_session.briefing)
        own.judge(verdict_of)
        own.told(running_session.words.done)
    return found, own.refused, len(asked)
