"""Sessions by the browser alone: after `open` no command is needed; the gateway leads everybody on."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

from nextset.study.study_folder import Study
from nextset.validation.annotator_pages.briefing import Briefing
from nextset.validation.annotator_pages.gateway_page_wording import SessionPageWords
from nextset.validation.judgments.judgment_log import read
from nextset.validation.label_studio.accounts import NewAccount, make_account
from nextset.validation.label_studio.address_and_token import local_connection
from nextset.validation.label_studio.api import LabelStudio
from nextset.validation.plan.event_log import EventLog
from nextset.validation.plan.state import Session
from nextset.validation.session.close import close_session
from nextset.validation.session.open import open_session, session_materials
from nextset.validation.session.session_status import SessionStatus, session_status
from tests.chromium import BROWSER
from tests.validation.gateway.browser_people import PICTURES, OwnBrowser, open_browser
from tests.validation.gateway.judging_browser import SCREENS
from tests.validation.session.sample_study import made_study
from tests.validation.studio import Studio
from tests.validation.studio_gateway import gateway

if TYPE_CHECKING:
    from playwright.sync_api import Browser

pytestmark = BROWSER

SESSION = """
    consent: Example University runs this study. Your answers are kept under a pseudonym.
    support: Talk to A. Example, room 1, when something troubles you.
    budget: {{batch: 5, person: 100, pause: {pause}}}
    rest_every: 4
    overlap: {overlap}
"""


@dataclass(frozen=True)
class Running:
    """An open session behind the gateway."""

    study: Study
    client: LabelStudio
    browser: Browser
    accounts: dict[str, NewAccount]
    people: dict[str, str]
    """Pseudonyms by e-mail."""
    link: str

    @property
    def briefing(self) -> Briefing:
        """What the gate asks."""
        return session_materials(self.study).briefing

    @property
    def words(self) -> SessionPageWords:
        """What the gateway's own pages say."""
        return self.briefing.wording.pages

    @property
    def plan(self) -> Session:
        """The session as the plan has it."""
        return list(EventLog(self.study.judgments).state.sessions.values())[-1]

    @property
    def status(self) -> SessionStatus:
        """What `nextset validate status` says."""
        status = session_status(self.study, self.client)
        assert status is not None
        return status

    def state(self, email: str) -> str:
        """What `nextset validate status` says about a person."""
        return next(p.state for p in self.status.people if p.person == self.people[email])

    def person_at_gate(self, email: str) -> OwnBrowser:
        """Somebody who has opened the link, and logged in."""
        own = open_browser(self.browser, self.words)
        own.open(self.link)
        own.log_in(email, self.accounts[email].password)
        return own


@contextmanager
def session(
    studio: Studio, browser: Browser, folder: Path, names: list[str], n: int, pause: int = 0
) -> Iterator[Running]:
    """A session of ``n`` units that everybody judges, closed at the end."""
    with gateway(studio) as running:
        connection = local_connection(studio.data)
        assert connection is not None
        with LabelStudio(connection) as client:
            accounts = {}
            for name in names:
                made = make_account(client, f"{name}@example.org")
                assert made is not None
                accounts[made.email] = made
            study = made_study(folder, n, SESSION.format(pause=pause, overlap=len(names)))
            opened = open_session(study, client, [*accounts])
            (link,) = {p.link for p in opened.people}
            assert link.startswith(f"{running.url}/nextset/session/")
            people = {p.email: p.person for p in opened.people}
            yield Running(study, client, browser, accounts, people, link)
            close_session(study, client)


def verdict_of(sentence: str) -> str:
    return ("valid", "invalid", "incoherent")[len(sentence) % 3]


def test_three_people_and_no_command_after_open(studio: Studio, browser: Browser, tmp_path: Path) -> None:
    names = ["una", "vic", "wim"]
    with session(studio, browser, tmp_path / "study", names, n=7, pause=1) as running:
        assert {p.link for p in running.status.people} == {running.link}
        everybody = {}
        said: dict[str, list[str]] = {}
        for email in running.accounts:
            own = everybody[email] = running.person_at_gate(email)
            own.answer_gate(running.briefing)
            said[email] = own.judge(verdict_of)
            assert len(said[email]) == len(running.plan.people[running.people[email]].batches[0].items)
            own.told(running.words.rest)
        for own in everybody.values():
            opens = own.page.locator(".opens time")
            if opens.count():
                at = datetime.fromisoformat(opens.get_attribute("datetime") or "")
                assert (at - datetime.now(UTC)).total_seconds() <= 61
                shown = own.page.evaluate(
                    "at => new Date(at).toLocaleTimeString('en', {timeStyle: 'short'})", at.isoformat()
                )
                assert shown in own.page.locator(".opens").inner_text()
        for email, own in everybody.items():
            own.page.locator(".ns-sentence").wait_for()  # by itself, when the break is over
            said[email] += own.judge(verdict_of)
            own.told(running.words.done)
            own.check()
        entries = read(running.study.judgments).entries
        dealt = {p: len(part.items) for p, part in running.plan.people.items()}
        assert {p: sum(e.judge == p for e in entries) for p in dealt} == dealt
        assert {email: len(set(sentences)) for email, sentences in said.items()} == {
            email: dealt[running.people[email]] for email in said
        }
        status = running.status
        assert {p.state for p in status.people} == {"done"}
        assert (status.enough, status.units, status.to_pull) == (7, 7, 0)


def test_who_does_not_agree_is_asked_nothing_more(studio: Studio, browser: Browser, tmp_path: Path) -> None:
    with session(studio, browser, tmp_path / "study", ["xia"], n=3) as running:
        own = running.person_at_gate("xia@example.org")
        own.answer_gate(running.briefing, agrees=False)
        own.told(running.words.disagreed)
        own.open(running.link)
        own.told(running.words.disagreed)
        assert running.state("xia@example.org") == "does not agree"
        # somebody who thinks again
        own.page.get_by_role("link", name=running.words.gate).click()
        own.page.locator(".ant-checkbox-wrapper-checked").first.wait_for()  # the earlier answer
        own.answer_gate(running.briefing)
        own.judge(verdict_of)
        own.told(running.words.done)
        own.check()
        assert running.state("xia@example.org") == "done"


def test_a_declined_domain_is_not_shown_and_consent_is_withdrawn_on_the_same_page(
    studio: Studio, browser: Browser, tmp_path: Path
) -> None:
    email = "yan@example.org"
    with session(studio, browser, tmp_path / "study", ["yan"], n=6) as running:
        own = running.person_at_gate(email)
        own.answer_gate(running.briefing, declines=["religion"])
        judged = own.judge(verdict_of)
        assert sum("keeps number" in sentence for sentence in judged) == 4
        assert not any("Catholic" in sentence for sentence in judged)
        own.told(running.words.done)
        assert running.state(email) == "done"
        own.page.get_by_role("link", name=running.words.gate).click()
        own.page.locator(".ant-checkbox-wrapper-checked").first.wait_for()
        own.page.keyboard.press("x")
        own.submit_gate()
        own.told(running.words.disagreed)
        assert running.state(email) == "withdrew"
        own.check()


def test_the_page_for_logging_in_is_a_form_that_fits_the_screen(studio: Studio, browser: Browser) -> None:
    with gateway(studio) as running:
        for screen in ("phone", "phone on its side", "laptop"):
            page = browser.new_context(**SCREENS[screen]).new_page()
            page.goto(f"{running.url}/user/login/?next=/nextset/session/ab12")
            page.get_by_role("button", name="Log In").wait_for()
            size = SCREENS[screen]["viewport"]
            if PICTURES:
                page.screenshot(path=Path(PICTURES) / f"login-{screen}.png")
            assert page.evaluate("document.scrollingElement.scrollWidth <= innerWidth")
            for name in ("email", "password"):
                box = page.locator(f"input[name={name}]").bounding_box()
                assert box is not None
                assert box["x"] >= 0
                assert box["x"] + box["width"] <= size["width"]
                assert box["height"] >= 40
            assert page.get_by_text("open source solution").is_hidden()
            page.context.close()


def test_two_people_one_after_the_other_in_one_browser(
    studio: Studio, browser: Browser, tmp_path: Path
) -> None:
    with session(studio, browser, tmp_path / "study", ["zoe", "abe"], n=3) as running:
        own = running.person_at_gate("zoe@example.org")
        own.answer_gate(running.briefing)
        first = own.judge(verdict_of)
        own.told(running.words.done)
        zoe = own.page.context.cookies()
        assert own.page.get_by_text("zoe@example.org").count() == 1
        own.page.get_by_role("link", name=running.words.log_out).click()
        own.page.locator("input[name=email]").wait_for()
        own.open(running.link)
        own.log_in("abe@example.org", running.accounts["abe@example.org"].password)
        own.answer_gate(running.briefing)
        second = own.judge(verdict_of)
        own.told(running.words.done)
        assert sorted(first) == sorted(second)
        assert own.page.get_by_text("abe@example.org").count() == 1
        entries = read(running.study.judgments).entries
        assert {e.judge for e in entries} == set(running.people.values())
        own.check()
        # whoever kept the cookie of a login that was ended is nobody
        thief = open_browser(browser, running.words)
        thief.page.context.add_cookies(zoe)  # type: ignore[arg-type]
        thief.open(running.link)
        thief.page.locator("input[name=email]").wait_for()
