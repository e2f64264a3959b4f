"""The gateway or Label Studio is killed while an answer is submitted, and comes back: a browser's view."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

import pytest

from nextset.study.study_folder import Study
from nextset.validation.annotator_pages.page_wording import Wording
from nextset.validation.label_studio.api import LabelStudio
from nextset.validation.plan.event_log import EventLog
from nextset.validation.session.open import open_session, session_materials
from tests.chromium import BROWSER
from tests.validation.faulty_proxy import Asked, Fault, Proxy, proxied
from tests.validation.gateway.browser_people import OwnBrowser, open_browser
from tests.validation.session.sample_study import made_study
from tests.validation.studio import QUICK, Studio
from tests.validation.studio_gateway import GatewayProcess, gateway_process

if TYPE_CHECKING:
    from playwright.sync_api import Browser

pytestmark = BROWSER


@dataclass(frozen=True)
class Scene:
    """Somebody who judges, and what can be killed."""

    studio: Studio
    proxy: Proxy
    gateway: GatewayProcess
    study: Study
    own: OwnBrowser
    wording: Wording

    def answers(self) -> list[list[str]]:
        """What was chosen in each annotation of the work, by task; each task has one at most."""
        session = EventLog(self.study.judgments).state.current
        assert session is not None
        (part,) = session.people.values()
        tasks = list(self.studio.client().tasks(int(part.projects["work"])))
        assert all(len(task.annotations) <= 1 for task in tasks), "an item was answered twice"
        return [
            [r["value"]["choices"][0] for r in task.annotations[0]["result"]]
            for task in tasks
            if task.annotations
        ]


@pytest.fixture(scope="module")
def scene(
    studio: Studio, chromium_process: Browser, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Scene]:
    folder, token = tmp_path_factory.mktemp("interrupted"), studio.connection.token
    with ExitStack() as stack:
        proxy = stack.enter_context(proxied(studio.url))
        gateway = stack.enter_context(gateway_process(proxy.address, token, folder / "gateway"))
        client = stack.enter_context(LabelStudio(gateway.connection, QUICK))
        person = studio.annotator("ida@example.org")
        study = made_study(folder / "study", 11)
        link = open_session(study, client, [person.email]).people[0].link
        briefing = session_materials(study).briefing
        own = open_browser(chromium_process, briefing.wording.pages)
        own.open(link)
        own.log_in(person.email, person.password)
        own.answer_gate(briefing)
        own.next()
        yield Scene(studio, proxy, gateway, study, own, briefing.wording)


@pytest.mark.parametrize("stored", [False, True], ids=["lost", "stored"])
@pytest.mark.parametrize("killed", ["gateway", "label studio"])
def test_an_answer_stays_until_it_is_taken_and_is_there_once(
    studio: Studio, scene: Scene, killed: Literal["gateway", "label studio"], stored: bool
) -> None:
    page, before = scene.own.page, len(scene.answers())
    kill = scene.gateway.kill if killed == "gateway" else studio.kill
    _kill_at_the_answer(scene.proxy, kill, stored=stored)
    sentence = page.locator(".ns-sentence").inner_text()
    page.keyboard.press("2")
    problem = page.get_by_role("alert").get_by_text(scene.wording.judging.not_saved)
    problem.wait_for()
    scene.own.picture(f"{killed}-{stored}")
    # once more while nothing answers
    page.wait_for_function("() => !window.Htx.isSubmitting && !window.Htx.isLoading")
    page.keyboard.press("2")
    page.wait_for_function("() => !window.Htx.isSubmitting && !window.Htx.isLoading")
    problem.wait_for()
    chosen = page.locator(".ant-checkbox-wrapper-checked:visible b").all_inner_texts()
    assert (page.locator(".ns-sentence").inner_text(), chosen) == (sentence, ["Invalid"])

    if killed == "gateway":
        scene.gateway.restart()
    else:
        studio.restart()
    # on a busy machine the server needs a while to answer through the gateway again
    page.wait_for_function("async () => (await fetch(location.href)).ok")
    page.keyboard.press("3")
    assert scene.own.next(sentence) == "ready"
    assert problem.count() == 0
    answers = scene.answers()
    assert len(answers) == before + 1
    assert answers[-1] == ["incoherent"]


def _kill_at_the_answer(proxy: Proxy, kill: Callable[[], None], *, stored: bool) -> None:
    """Kill when the next answer comes by: before the server has it, or before it is acknowledged."""
    hit: list[int] = []

    def before(asked: Asked) -> Fault:
        if hit or asked.method != "POST" or "/annotations?" not in asked.path:
            return ""
        hit.append(asked.number)
        if stored:
            return "cut after"
        kill()
        return "cut before"

    proxy.fault = before
    proxy.passed = lambda asked: kill() if asked.number in hit else None
