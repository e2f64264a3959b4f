"""Logging in and out through the gateway of a real Label Studio, and the owner, who passes."""

from __future__ import annotations

from pathlib import Path

import httpx2
import pytest

from nextset.validation.gateway.gateway_server import listening
from nextset.validation.judgments.pseudonyms import KEY_VARIABLE
from nextset.validation.label_studio.address_and_token import Connection
from nextset.validation.label_studio.studies_with_sessions import note_study
from nextset.validation.plan.event_log import append_events
from nextset.validation.session.annotator_link import session_key
from tests.validation.gateway.project_gateway import at_own_project
from tests.validation.gateway.small_server import SmallServer
from tests.validation.plan.sample_plans import joins, opened
from tests.validation.session.sample_study import made_study
from tests.validation.studio import CONFIG, Studio

HTML = {"Accept": "text/html"}


@pytest.mark.slow
def test_an_annotator_logs_in_and_out_and_the_owner_works(
    studio: Studio, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(KEY_VARIABLE, "a pseudonym key for tests")
    monkeypatch.delenv("ALLOWED_HOSTS", raising=False)
    ana = studio.annotator("gateway-ana@example.org")
    behind = Connection("http://localhost", studio.connection.token, studio.serving.socket, tmp_path)
    with listening(behind, port=0) as running:
        with httpx2.Client(base_url=running.url, trust_env=False, timeout=60) as owner:
            owner.headers["Authorization"] = f"Token {studio.connection.token}"
            made = owner.post("/api/projects/", json={"title": "By the gateway", "label_config": CONFIG})
            assert made.status_code == 201, made.text
            project = made.json()["id"]
        with httpx2.Client(base_url=running.url, trust_env=False, timeout=60) as browser:
            browser.headers.update({"Origin": running.url, **HTML})
            assert browser.get("/").headers["location"] == "/user/login/?next=/"
            page = browser.get("/user/login/?next=/nextset/session/ab12")
            assert page.status_code == 200
            assert "/nextset/assets/login.css" in page.text
            assert browser.get("/heidi-tips").json() == {}, "no request to another site"
            for own, other in (
                ('<html lang="en" dir="ltr">', "<html>"),
                ("<label>E-mail</label>", "Email Address"),
                (">Keep me logged in on this device</label>", "in this browser"),
                ('aria-label="Log in"', 'aria-label="Log In"'),
            ):  # the page of this Label Studio has all places for the session's language
                assert own in page.text
                assert other not in page.text
            form = {"email": ana.email, "password": "wrong", "persist_session": "on"}
            form["csrfmiddlewaretoken"] = browser.cookies["csrftoken"]
            page = browser.post("/user/login/?next=/nextset/session/ab12", data=form)
            assert page.status_code == 200
            assert '<p class="error">The e-mail or the password is wrong.</p>' in page.text
            assert "/nextset/assets/login.css" in page.text
            form["password"] = ana.password
            entered = browser.post("/user/login/?next=/nextset/session/ab12", data=form)
            assert (entered.status_code, entered.headers["location"]) == (302, "/nextset/session/ab12")
            said = browser.get("/api/current-user/whoami", headers={"Accept": "application/json"})
            assert (said.status_code, said.json().get("email")) == (200, ana.email), said.text
            assert browser.get("/projects/").headers["location"] == "/nextset/session"
            assert "There is no session for you here" in browser.get("/nextset/session").text
            for path in (f"/projects/{project}/data?labeling=1", f"/api/projects/{project}", "/api/users"):
                assert browser.get(path).status_code == 403, path
            first = browser.cookies["sessionid"]
            assert browser.get("/logout").status_code == 302
            assert browser.get("/api/current-user/whoami", headers={"Accept": "*/*"}).status_code == 401
        old = {"Cookie": f"sessionid={first}"}
        assert httpx2.get(f"{running.url}/api/version", headers=old, trust_env=False).status_code == 401
        assert (
            httpx2.get(f"{studio.url}/api/current-user/whoami", headers=old, trust_env=False).status_code
            == 200
        )


def test_the_first_person_of_a_session_logs_in_in_its_language(tmp_path: Path) -> None:
    async def test(client: httpx2.AsyncClient, small: SmallServer) -> None:
        session = opened(["u1"], language="ar", mark="mark-ar")  # opened while the gateway runs
        study = made_study(tmp_path / "study", 4)
        append_events(study.judgments, [session, *joins("a-ana")])
        note_study(tmp_path, study.folder)
        link = f"/nextset/session/{session_key(session.mark)}"
        page = await client.get("/user/login/", params={"next": link}, headers=HTML)
        assert '<p class="nextset-session" lang="ar" dir="rtl">' in page.text

    at_own_project(tmp_path, test)
