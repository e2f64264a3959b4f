"""The whole of a validation: three people in browsers, an adjudicator, and the release that follows."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import TYPE_CHECKING

import pyarrow.compute as pc
import pyarrow.parquet as pq
import pytest

import nextset
from nextset.artifacts.artifact import open_artifact
from nextset.errors import WaitingForPeople
from nextset.records.class_labels import untyped_table
from nextset.validation.annotator_pages.gate_page import gate_config
from nextset.validation.label_studio.accounts import NewAccount, make_account
from nextset.validation.session.open import session_materials
from tests.chromium import BROWSER
from tests.validation.browsing import Annotator, keys_of, log_in
from tests.validation.session.sample_annotators import right_answers
from tests.validation.studio import Studio

if TYPE_CHECKING:
    from playwright.sync_api import Browser

    from nextset.validation.session.open import Opened

pytestmark = BROWSER

SESSION = """validate:
  session:
    consent: The Fairness Lab of Example University runs this study. You can stop at any time.
    support: "Talk to Dr. A. Example, room 1."
    budget: {batch: 40, person: 100, pause: 0}
    gold: gold.yaml
    gold_every: 5
"""
GOLD = """hypotheses:
  - language: en
    domain: gender
    stereotype: women are to kitchens
    groups: [man, woman]
    hypothesis: The woman belongs in the kitchen.
    verdict: valid
    stance: pro
    why: It says the stereotype.
    source: nextset's tests
"""


@pytest.fixture
def study(starter_ran: Path, tmp_path: Path) -> nextset.Study:
    folder = tmp_path / "mine"
    shutil.copytree(starter_ran, folder)
    file = folder / "study.yaml"
    text = file.read_text(encoding="utf-8")
    begin, end = text.index("validate:"), text.index("release:\n")
    few = text[:begin].replace("top_k: 10", "top_k: 2")
    file.write_text(few + SESSION + "\n" + text[end:], encoding="utf-8")
    (folder / "gold.yaml").write_text(GOLD, encoding="utf-8")
    study = nextset.Study.load(folder)
    with pytest.raises(WaitingForPeople):
        nextset.run(study)
    return study


def pass_gate(
    study: nextset.Study, studio: Studio, browser: Browser, link: str, account: NewAccount
) -> Annotator:
    """Log in by the link, agree, and answer the comprehension items as the guidelines say."""
    page = log_in(browser, link, account.email, account.password)
    person = next(a.number for a in studio.client().accounts() if a.email == account.email)
    window = Annotator(studio, page, 0, person)
    window.see("Guidelines for annotators")
    window.picture("gate")
    materials = session_materials(study)
    answers = {**right_answers(materials.briefing.comprehension), "consent": "agree"}
    window.choose(*keys_of(gate_config(materials.briefing, materials.domains), answers))
    window.submit()
    return window


_ANOTHER = """before => {
    const now = document.querySelector('.ns-sentence');
    return !now || now.innerText !== before;
}"""


def work(window: Annotator, link: str, keys: list[str]) -> int:
    """Go to the work and answer all of it by keyboard: the first item by ``keys``, the others as valid."""
    window.page.goto(link)
    done = 0
    while True:
        shown = window.page.locator(".ns-sentence")
        over = window.page.get_by_text("No More Tasks Left in Queue")
        shown.or_(over).first.wait_for()
        if over.is_visible():
            return done
        sentence = shown.inner_text()
        if done == 0:
            window.picture(f"work-{keys[0]}")
        if keys[0] == "skip" and done == 0:
            with window.page.expect_response(
                lambda r: "/annotations" in r.url and r.request.method == "POST"
            ):
                window.page.keyboard.press("Control+Space")
        else:
            window.choose(*(keys if done == 0 else ["1", "p"]))
            window.submit()
        window.page.wait_for_function(_ANOTHER, arg=sentence)
        done += 1


def test_three_people_an_adjudicator_and_the_release(
    study: nextset.Study, studio: Studio, browser: Browser, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("NEXTSET_PSEUDONYM_KEY", "a key for the tests, long enough")
    client = studio.client()
    accounts = {}
    for name in ("eve", "fay", "gus", "hal"):
        made = make_account(client, f"{name}@example.org")
        assert made is not None
        accounts[made.email] = made
    people = [f"{name}@example.org" for name in ("eve", "fay", "gus")]
    opened: Opened = nextset.open_session(study, client, people)
    desks = {p.email: pass_gate(study, studio, browser, p.link, accounts[p.email]) for p in opened.people}
    nextset.pull_session(study, client)
    status = nextset.session_status(study, client)
    assert status is not None
    assert {p.state for p in status.people} == {"working"}
    links = {p.person: p.link for p in status.people}
    # One agrees with all, one skips the first item, one disagrees about the first.
    first = {"eve@example.org": ["1", "p"], "fay@example.org": ["skip"], "gus@example.org": ["2", "4"]}
    for p in opened.people:
        assert work(desks[p.email], links[p.person], first[p.email]) > opened.units

    pulled = nextset.pull_session(study, client)
    assert pulled.not_counted == {"skipped": 1}
    nextset.close_session(study, client)
    report = nextset.write_validation_report(study)
    assert (report.folder / "index.html").exists()

    adjudication = nextset.adjudicate(study, client, ["hal@example.org"], votes=True)
    assert adjudication.units == 1
    hal = adjudication.people[0]
    window = pass_gate(study, studio, browser, hal.link, accounts["hal@example.org"])
    nextset.pull_session(study, client)
    status = nextset.session_status(study, client)
    assert status is not None
    window.page.goto(status.people[0].link)
    window.see("Earlier judgments")
    window.picture("adjudication")
    assert work(window, status.people[0].link, ["1", "a"]) == 1
    nextset.close_session(study, client)

    summary = nextset.run(study)
    assert summary.dataset is not None
    validated = open_artifact(study.out / "validate")
    assert validated.counts["units adjudicated"] == 1
    assert validated.counts["units unjudged"] == 0
    exposure = validated.table("exposure").to_pylist()
    assert exposure[0]["people"] == 4
    dataset = untyped_table(pq.read_table(summary.dataset / "data/items/test-00000-of-00001.parquet"))
    assert set(dataset["judge"].to_pylist()) == {"people"}
    assert pc.sum(pc.equal(dataset["stance_judged"], "anti")).as_py() >= 1
    card = (summary.dataset / "README.md").read_text(encoding="utf-8")
    assert "Krippendorff's α" in card
    assert "example.org" not in card
