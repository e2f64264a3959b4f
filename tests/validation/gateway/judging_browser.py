"""Annotators who judge on Label Studio's page as the gateway gives it: with our script and style."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal

from nextset.validation.annotator_pages.page_wording import Wording
from tests.validation.browsing import Annotator, LoggedIn, numbers
from tests.validation.gateway.inserting_proxy import InsertingProxy
from tests.validation.studio import Studio

__all__ = ["SCREENS", "JudgingBrowser", "open_judging"]

SCREENS: dict[str, dict[str, Any]] = {
    "laptop": {"viewport": {"width": 1366, "height": 768}},
    "phone": {"viewport": {"width": 390, "height": 844}, "has_touch": True, "is_mobile": True},
    "phone on its side": {"viewport": {"width": 844, "height": 390}, "has_touch": True, "is_mobile": True},
    "tablet": {"viewport": {"width": 820, "height": 1180}, "has_touch": True, "is_mobile": True},
}
"""The screens that the pages are made for."""

_NEXT_SHOWN = """before => {
    const e = document.querySelector('.ns-sentence');
    const busy = window.Htx.isLoading || window.Htx.isSubmitting;
    return e && e.innerText.trim() && e.innerText.trim() !== before.trim() && !busy;
}"""


@dataclass
class JudgingBrowser(Annotator):
    """An annotator's browser behind the proxy."""

    proxy: InsertingProxy

    @property
    def sentence(self) -> str:
        """The sentence, or the context, that is shown."""
        return self.page.locator(".ns-sentence").inner_text().strip()

    def judge(self, *keys: str) -> None:
        """Press ``keys``, of which the last submits, and wait for the next item."""
        before = self.page.locator(".ns-sentence").inner_text()
        for key in keys:
            self.page.keyboard.press(key)
        self.wait_for_another(before)

    def wait_for_another(self, than: str) -> None:
        """Wait until another item than ``than`` is shown and can be judged."""
        self.page.wait_for_function(_NEXT_SHOWN, arg=than)

    def go_back(self) -> None:
        """Press the key that leads to the answer before."""
        before = self.page.locator(".ns-sentence").inner_text()
        self.page.keyboard.press("Backspace")
        self.wait_for_another(before)

    def chosen(self) -> list[str]:
        """The choices that are chosen on the screen."""
        return self.page.locator(".ant-checkbox-wrapper-checked:visible b").all_inner_texts()

    def asked(self) -> list[str]:
        """Method and path of the requests since the last call that concern items; empties the list."""
        found = [f"{method} {path.partition('?')[0]}" for method, path in self.proxy.asked]
        self.proxy.asked.clear()
        return [f for f in found if "/dm/project" not in f]


def open_judging(
    studio: Studio,
    browser: LoggedIn,
    proxy: InsertingProxy,
    wording: Wording,
    config: str,
    made: Sequence[dict[str, Any]],
    *,
    role: Literal["gate", "retry", "work"] = "work",
    submit: Literal["last_key", "explicit"] = "last_key",
    screen: str = "laptop",
    script: bool = True,
    instruction: str = "",
) -> JudgingBrowser:
    """A new project of somebody's, through the proxy, at the first task; ``script``: with our script."""
    client, name = studio.client(), f"nextset:judging-{next(numbers)}"
    project = client.make_project(name, "Sentences to judge", config, instruction).number
    client.push(project, list(made))
    if script:
        proxy.told[project] = {
            "role": role,
            "submit": submit,
            "words": wording.judging.model_dump(),
            "direction": wording.direction,
        }
    page = browser.page(**SCREENS[screen])
    # the list of tasks comes after the first of them
    with page.expect_response(lambda r: "/api/tasks?page=" in r.url):
        page.goto(studio.client(proxy.url).link(project))
        page.locator(".ns").wait_for()
    page.wait_for_load_state("networkidle")
    proxy.asked.clear()
    return JudgingBrowser(studio, page, project, browser.account.number, proxy)
