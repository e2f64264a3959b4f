"""People who take part by a browser alone: they open the one link, and do what the pages ask for."""

from __future__ import annotations

import os
from collections.abc import Callable, Collection
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from nextset.validation.annotator_pages.briefing import Briefing
from nextset.validation.annotator_pages.gateway_page_wording import SessionPageWords
from nextset.validation.annotator_pages.page_wording import KnownSentence
from nextset.validation.judgment_choices import VERDICTS
from tests.validation.browsing import LAPTOP, PATIENCE

if TYPE_CHECKING:
    from playwright.sync_api import Browser, ConsoleMessage, Error, Page, Response

__all__ = ["PICTURES", "OwnBrowser", "open_browser"]

PICTURES = os.environ.get("NEXTSET_PICTURES", "")
"""A folder for pictures of the pages; none are kept when this is not set."""

_KEYS = {"valid": ("1", "p"), "invalid": ("2",), "incoherent": ("3",)}
_READY = """([before, moment]) => {
    const said = document.querySelector('main [role=status] h1');
    if (said) return said.innerText.trim() !== moment && 'over';
    const shown = document.querySelector('.ns-sentence');
    return shown && shown.innerText.trim() && shown.innerText !== before &&
        window.Htx && !window.Htx.isLoading && !window.Htx.isSubmitting &&
        document.documentElement.classList.contains('nextset-judging') &&
        'ready';
}"""


@dataclass
class OwnBrowser:
    """Somebody's browser, and what went wrong in it."""

    page: Page
    moment: str
    """What a page says that goes on by itself."""
    refused: list[str] = field(default_factory=list)
    """Requests that were answered with an error; that there is no item, or no tip, just now is none."""
    complaints: list[str] = field(default_factory=list)
    """Errors in the console that are our script's or our policy's."""

    def open(self, link: str) -> None:
        """Open a page."""
        self.page.goto(link)

    def log_in(self, email: str, password: str) -> None:
        """Fill in the page for logging in, which is shown."""
        self.page.fill("input[name=email]", email)
        self.page.fill("input[name=password]", password)
        self.page.keyboard.press("Enter")

    def answer_gate(self, briefing: Briefing, *, agrees: bool = True, declines: Collection[str] = ()) -> None:
        """Read the gate, answer it as the guidelines say, and submit it."""
        self.page.wait_for_function("() => window.Htx && !window.Htx.isLoading")
        self.page.locator(".ns").get_by_text(briefing.wording.gate.consent).wait_for()
        self.picture("gate")
        self.page.keyboard.press("y" if agrees else "x")
        if agrees:
            for item, card in enumerate(briefing.comprehension):
                assert isinstance(card, KnownSentence)
                choices = self.page.locator(".ns-check").nth(item).locator(".lsf-choice:visible")
                choices.nth(VERDICTS.index(card.verdict)).click()
                if card.stance:  # asked as soon as the verdict is valid
                    choices.nth(len(VERDICTS) + ("pro", "anti").index(card.stance)).click()
        for domain in declines:
            self.page.locator(".ns").get_by_text(domain, exact=True).last.click()
        self.submit_gate()

    def submit_gate(self) -> None:
        """Submit the gate, which leads away from it."""
        self.page.keyboard.press("Control+Enter")
        self.page.wait_for_url("**/nextset/session/*", wait_until="commit")

    def judge(self, verdict_of: Callable[[str], str], most: int = 1000) -> list[str]:
        """Judge by keys until there is nothing more, or ``most`` items; the sentences."""
        judged: list[str] = []
        before = ""
        while self.next(before) != "over" and len(judged) < most:
            before = self.page.locator(".ns-sentence").inner_text()
            judged.append(before.strip())
            for key in _KEYS[verdict_of(before)]:
                self.page.keyboard.press(key)
        return judged

    def next(self, before: str = "") -> str:
        """Wait for another item than ``before``: ready; or for a page that says that there is none: over."""
        from playwright.sync_api import TimeoutError

        try:
            return str(self.page.wait_for_function(_READY, arg=[before, self.moment]).json_value())
        except TimeoutError:
            shown = self.page.locator("body").inner_text()[:500]
            raise AssertionError(f"neither an item nor a page at {self.page.url}: {shown}") from None

    def told(self, text: str) -> None:
        """Wait until a page of the gateway says ``text``."""
        self.page.locator("main [role=status] h1").get_by_text(text, exact=True).wait_for()
        self.picture("told")

    def picture(self, name: str) -> None:
        """Keep a picture, where somebody wants to look."""
        if PICTURES:
            known = len(list(Path(PICTURES).glob("*.png")))
            self.page.screenshot(path=Path(PICTURES) / f"{known:03}-{name}.png")

    def check(self) -> None:
        """Fail if a request was refused or a script of ours complained."""
        assert self.refused == []
        assert self.complaints == []

    def _answered(self, response: Response) -> None:
        # the page for logging in asks for tips, which need the internet
        none = response.status == 404 and ("id=next_task" in response.url or "/heidi-tips" in response.url)
        if response.status >= 400 and not none:
            self.refused.append(f"{response.status} {response.request.method} {response.url}")

    def _written(self, message: ConsoleMessage) -> None:
        ours = "nextset" in message.text or "/nextset/" in str(message.location.get("url", ""))
        policy = "Content Security Policy" in message.text
        if message.type == "error" and (ours or policy):
            self.complaints.append(message.text)

    def _thrown(self, error: Error) -> None:
        if "nextset" in (error.stack or ""):
            self.complaints.append(str(error))


def open_browser(browser: Browser, words: SessionPageWords, **more: Any) -> OwnBrowser:
    """A browser of one's own, as large as a laptop's screen, for pages with ``words``; nothing is open."""
    page = browser.new_context(**{"viewport": LAPTOP, **more}).new_page()
    page.set_default_timeout(PATIENCE)
    own = OwnBrowser(page, words.moment)
    page.on("response", own._answered)
    page.on("console", own._written)
    page.on("pageerror", own._thrown)
    return own
