"""Annotators in a browser on a real Label Studio, working by keyboard alone on a laptop's screen."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from itertools import count
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import urljoin
from xml.etree import ElementTree

from nextset.validation.forms.validated_form import VALIDATED_FORMS
from nextset.validation.judgments.annotation import account, read_answer
from nextset.validation.judgments.answer import Answer
from tests.validation.studio import Annotator as Account
from tests.validation.studio import Studio

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

__all__ = ["LAPTOP", "PATIENCE", "Annotator", "LoggedIn", "keys_of", "log_in", "open_page"]

LAPTOP = {"width": 1366, "height": 768}
"""The screen, unless another one is asked for."""
PATIENCE = 120_000
"""Milliseconds for a page on a busy machine."""
PICTURES = os.environ.get("NEXTSET_PICTURES", "")
"""A folder for pictures of the pages; none are kept when this is not set."""

numbers = count()


@dataclass
class Annotator:
    """An annotator's browser on a project of their own."""

    studio: Studio
    page: Page
    project: int
    person: int

    def see(self, text: str) -> None:
        """Wait until ``text`` is shown."""
        self.page.locator(".ns").get_by_text(text, exact=True).first.wait_for()

    def choose(self, *keys: str) -> None:
        """Press keys; each chooses what it stands beside."""
        for key in keys:
            self.page.keyboard.press(key)
            chosen = self.page.locator(".ant-checkbox-wrapper-checked:visible kbd")
            chosen.filter(has_text=key).first.wait_for()

    def comment(self, text: str) -> None:
        """Write a comment, by keyboard."""
        self.page.keyboard.press("c")
        self.page.keyboard.press("Tab")
        self.page.keyboard.type(text)
        self.page.keyboard.press("Enter")
        self.page.get_by_test_id("textarea-regions").get_by_text(text).wait_for()

    def submit(self) -> None:
        """Submit, by keyboard."""
        with self.page.expect_response(
            lambda r: "/annotations" in r.url and r.request.method == "POST"
        ) as said:
            self.page.keyboard.press("Control+Enter")
        assert said.value.ok

    def fits(self) -> bool:
        """Whether all of the page is seen without scrolling."""
        at = "const a = document.querySelector('.lsf-main-content'); "
        return bool(self.page.evaluate(f"(() => {{{at} return a.scrollHeight <= a.clientHeight}})()"))

    def picture(self, name: str, *, whole: bool = False) -> None:
        """Keep a picture, where somebody wants to look; ``whole``: also of what is below the screen."""
        if PICTURES:
            size = self.page.viewport_size
            if whole and size:
                height = "document.querySelector('.ns').scrollHeight + 200"
                self.page.set_viewport_size({"width": size["width"], "height": self.page.evaluate(height)})
            self.page.screenshot(path=Path(PICTURES) / f"{name}.png")
            if size:
                self.page.set_viewport_size(size)

    def annotations(self) -> list[dict[str, Any]]:
        """What is on the server, in the order of the tasks."""
        found = list(self.studio.client().answers(self.project))
        assert all(account(f.annotation) == str(self.person) for f in found)
        return [f.annotation for f in sorted(found, key=lambda f: f.unit_id)]

    def answers(self, kind: str) -> list[Answer]:
        """What was answered."""
        return [read_answer(annotation, VALIDATED_FORMS[kind]) for annotation in self.annotations()]


@dataclass(frozen=True)
class LoggedIn:
    """Somebody who stays logged in: one page a screen, whose browser keeps Label Studio's scripts."""

    browser: Browser
    account: Account
    _pages: dict[str, Page] = field(default_factory=dict)

    def page(self, **screen: Any) -> Page:
        """An empty page on ``screen``."""
        page = self._pages.get(repr(screen))
        if page is None:
            page = self._pages[repr(screen)] = self.browser.new_context(**screen).new_page()
            page.set_default_timeout(PATIENCE)
            cookies = {cookie.name: str(cookie.value) for cookie in self.account.http.cookies.jar}
            url = self.account.connection.url
            page.context.add_cookies([{"name": n, "value": v, "url": url} for n, v in cookies.items()])
        return page

    def leave(self) -> None:
        """Leave all pages; only the login and the cache are kept."""
        for page in self._pages.values():
            for other in page.context.pages:
                if other is not page:
                    other.close()
            if page.url != "about:blank":
                page.evaluate("() => { localStorage.clear(); sessionStorage.clear() }")
                page.goto(urljoin(page.url, "/health"))  # of the same server: the browser keeps its process


def open_page(
    studio: Studio,
    browser: LoggedIn,
    config: str,
    made: list[dict[str, Any]],
    first: str,
    instruction: str = "",
    size: dict[str, int] = LAPTOP,
) -> Annotator:
    """A new project of somebody's, by its link, at the first task; ``size``: of the screen."""
    client, name = studio.client(), f"nextset:page-{next(numbers)}"
    project = client.make_project(name, "Sentences to judge", config, instruction).number
    client.push(project, made)
    page = browser.page(viewport=size)
    page.goto(client.link(project))
    window = Annotator(studio, page, project, browser.account.number)
    window.see(first)
    return window


def log_in(browser: Browser, link: str, email: str, password: str) -> Page:
    """A browser of one's own at ``link``, logged in there."""
    page = browser.new_context(viewport=LAPTOP).new_page()  # type: ignore[arg-type]
    page.set_default_timeout(PATIENCE)
    page.goto(link)
    page.fill("input[name=email]", email)
    page.fill("input[name=password]", password)
    page.keyboard.press("Enter")
    return page


def keys_of(config: str, answers: Mapping[str, str]) -> list[str]:
    """The keys of ``answers``, choices by the names of their blocks, in the order of the page."""
    blocks = ElementTree.fromstring(config).iter("Choices")
    return [
        choice.attrib["hotkey"]
        for block in blocks
        for choice in block
        if choice.get("alias") == answers.get(block.attrib["name"])
    ]
