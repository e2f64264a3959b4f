"""The pace of judging in a browser: the time until the first item, the next item and the next batch."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from nextset.validation.label_studio.accounts import make_account
from nextset.validation.label_studio.api import LabelStudio
from nextset.validation.session.open import open_session, session_materials
from tests.validation.gateway.browser_people import OwnBrowser, open_browser
from tests.validation.session.sample_study import kept, made_study

if TYPE_CHECKING:
    from playwright.sync_api import Browser

__all__ = ["Pace", "measure_pace"]

_SESSION = """
    consent: Example University runs this study. Your answers are kept under a pseudonym.
    support: Talk to A. Example, office 1, if something troubles you.
    budget: {{batch: {items}, person: {person}, pause: 0}}
    overlap: 1
"""
_KEYS = (("2",), ("1", "p"), ("3",), ("2",), ("1", "a"), ("3",))
"""The keys for consecutive items: each of the three verdicts for a third of the items."""

_WATCH = """() => {
    const text = () => (document.querySelector('.ns-sentence') || {innerText: ''}).innerText.trim();
    window.pace = {key: 0, seconds: []};
    performance.setResourceTimingBufferSize(10000);
    performance.clearResourceTimings();
    let shown = text();
    window.addEventListener('keydown', e => { window.pace.key = e.timeStamp; }, true);
    const look = () => {
        const now = text();
        if (now && now !== shown) {
            shown = now;
            window.pace.seconds.push((performance.now() - window.pace.key) / 1000);
        }
        requestAnimationFrame(look);
    };
    look();
}"""
_REQUESTS = """() => performance.getEntriesByType('resource')
    .filter(e => /\\/api\\/tasks\\/\\d+\\/annotations/.test(e.name)).map(e => e.duration / 1000)"""
_PATIENCE = 60_000


@dataclass(frozen=True)
class Pace:
    """The measured times and keys."""

    seconds: Sequence[float]
    """Seconds from the keydown of the last key until the next sentence was drawn, per item."""
    requests: Sequence[float]
    """Of these, the seconds that the request with each answer took."""
    keys: float
    """The mean number of keys per item; Ctrl+Enter is one key."""
    first_item: float
    """Seconds from the answer at the gate until the first item is shown."""
    next_batch: float | None
    """Seconds from the last key of a batch until the next one is shown; None without the script, which leads
    there."""


def measure_pace(
    client: LabelStudio, browser: Browser, folder: Path, n: int, *, script: bool, reading: float = 0.5
) -> Pace:
    """Judge ``n`` items of a real session behind the gateway, with its script or without.

    ``reading``: the seconds before each answer.
    """
    email = f"pace-{'with' if script else 'without'}@example.org"
    made = make_account(client, email)
    assert made is not None
    study = made_study(folder, session=_SESSION.format(items=n + 1, person=2 * n + 2), table=kept(n + 5))
    link = open_session(study, client, [email]).people[0].link
    briefing = session_materials(study).briefing
    own = open_browser(browser, briefing.wording.pages)
    own.open(link)
    own.log_in(email, made.password)
    own.answer_gate(briefing)
    began = time.monotonic()
    own.page.locator(".ns-sentence").wait_for()
    first_item = time.monotonic() - began
    if not script:
        own.page.route("**/nextset/assets/judging.js*", lambda route: route.abort())
        own.page.reload()
        own.page.locator(".ns-sentence").wait_for()
    own.page.wait_for_load_state("networkidle")
    own.page.evaluate(_WATCH)
    pressed = 0
    for i in range(n):
        keys = _KEYS[i % len(_KEYS)] if script else (*_KEYS[i % len(_KEYS)], "Control+Enter")
        own.page.wait_for_timeout(1000 * reading)
        for key in keys:
            own.page.keyboard.press(key)
        own.page.wait_for_function("i => window.pace.seconds.length > i", arg=i, timeout=_PATIENCE)
        pressed += len(keys)
    seconds = own.page.evaluate("window.pace.seconds")
    requests = own.page.evaluate(_REQUESTS)
    assert len(seconds) == len(requests) == n
    next_batch = _next_batch(own) if script else None
    own.page.context.close()
    return Pace(seconds, requests, pressed / n, first_item, next_batch)


def _next_batch(own: OwnBrowser) -> float:
    """Judge the last item of a batch; return the seconds until the next batch is shown."""
    shown = own.page.locator(".ns-sentence").inner_text()
    own.page.keyboard.press("3")
    began = time.monotonic()
    assert own.next(shown) == "ready"
    return time.monotonic() - began
