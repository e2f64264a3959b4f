"""An annotator who tries: what Label Studio would read otherwise, and what one may not do to others."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator
from pathlib import Path
from urllib.parse import parse_qs

import httpx2
import pytest

from nextset.validation.label_studio.studies_with_sessions import note_study
from tests.validation.gateway.project_gateway import PROJECT, TASK, at_own_project
from tests.validation.gateway.small_server import PASSWORD, SmallServer

ANA = {"Cookie": "sessionid=ana.1"}
ANNOTATIONS = f"/api/tasks/{TASK}/annotations"


@pytest.mark.parametrize(
    "kind",
    [
        "application/x-www-form-urlencoded",
        "APPLICATION/X-WWW-FORM-URLENCODED",
        "multipart/form-data; boundary=x",
        "application/json; charset=utf-7",
        "application/json; charset=utf-16",
        "text/plain",
        "",
    ],
)
def test_a_body_is_passed_on_as_what_it_was_read_as(tmp_path: Path, kind: str) -> None:
    comment = "&completed_by=3&task=99&result=[]&x=+ACIAXQ-,+ACI-completed_by+ACI-:3"
    region = {"from_name": "comment", "to_name": "text", "type": "textarea", "value": {"text": [comment]}}

    async def test(client: httpx2.AsyncClient, small: SmallServer) -> None:
        headers = {**ANA, "Content-Type": kind}
        answer = await client.post(ANNOTATIONS, content=json.dumps({"result": [region]}), headers=headers)
        assert answer.status_code == 200
        seen = answer.json()
        assert seen["headers"]["content-type"] == "application/json"
        assert json.loads(seen["body"]) == {"result": [region]}
        assert "completed_by" in parse_qs(seen["body"]), "as a form it would be another person's answer"

    at_own_project(tmp_path, test)


def test_letters_in_headers_are_passed_on_whatever_they_are(tmp_path: Path) -> None:
    async def test(client: httpx2.AsyncClient, small: SmallServer) -> None:
        headers = {b"Cookie": "theme=grün; sessionid=ana.1".encode(), b"User-Agent": "Käfer".encode()}
        answer = await client.get(f"/api/tasks/{TASK}", headers=headers)
        assert answer.status_code == 200
        assert answer.json()["headers"]["cookie"] == "sessionid=ana.1"
        for odd in (b"sessionid=\xe9", b"\xff"):
            nobody = await client.get("/user/login/", headers={b"Cookie": odd})
            assert nobody.status_code == 200
            token = await client.get(f"/api/tasks/{TASK}", headers={b"Authorization": odd})
            assert token.status_code == 401

    at_own_project(tmp_path, test)


def test_the_head_of_each_page_is_answered(tmp_path: Path) -> None:
    async def test(client: httpx2.AsyncClient, small: SmallServer) -> None:
        for path in (
            f"/api/projects/{PROJECT}", f"/api/tasks/{TASK}", "/api/current-user/whoami",
            f"/api/users?project={PROJECT}", "/nextset/session", f"/projects/{PROJECT}/data?labeling=1",
        ):  # fmt: skip
            answer = await client.head(path, headers=ANA)
            assert answer.status_code in (200, 302, 503), path
            assert not answer.content

    at_own_project(tmp_path, test)


def test_a_client_does_not_say_from_which_address_it_comes(tmp_path: Path) -> None:
    async def test(client: httpx2.AsyncClient, small: SmallServer) -> None:
        statuses = []
        for i in range(61):
            headers = [("X-Forwarded-For", f"10.1.1.{i}"), ("X-Forwarded-For", "10.9.9.9")]  # HAProxy's form
            form = {"email": f"a{i}@example.org", "password": "x"}
            statuses.append((await client.post("/user/login/", data=form, headers=headers)).status_code)
        assert statuses == [200] * 60 + [429]

    at_own_project(tmp_path, test, behind_proxy=True)


@pytest.mark.parametrize("attacker", ["10.6.6.6", "10.1.1.1"])
def test_wrong_passwords_of_others_do_not_lock_a_person_out(tmp_path: Path, attacker: str) -> None:
    async def test(client: httpx2.AsyncClient, small: SmallServer) -> None:
        right = {"email": "ana@example.org", "password": PASSWORD}
        here, there = {"X-Forwarded-For": "10.1.1.1"}, {"X-Forwarded-For": attacker}
        first = await client.post("/user/login/", data=right, headers=here)
        (device,) = [cookie for cookie in first.headers.get_list("set-cookie") if "nextset_device" in cookie]
        for attribute in ("HttpOnly", "Path=/user/login/", "SameSite=strict"):
            assert attribute in device
        client.cookies.clear()
        wrong = {**right, "password": "guess"}
        statuses = [
            (await client.post("/user/login/", data=wrong, headers=there)).status_code for _ in range(30)
        ]
        assert statuses == [200] * 10 + [429] * 20
        locked = (await client.post("/user/login/", data=right, headers=here)).status_code
        assert locked == (429 if attacker == "10.1.1.1" else 302), "without the cookie, by address"
        client.cookies.clear()
        known = {**here, "Cookie": device.partition(";")[0]}
        assert (await client.post("/user/login/", data=right, headers=known)).status_code == 302
        client.cookies.clear()
        ben = {**right, "email": "ben@example.org"}
        for _ in range(10):
            await client.post("/user/login/", data={**ben, "password": "guess"}, headers=known)
            client.cookies.clear()
        answer = await client.post("/user/login/", data=ben, headers=known)
        assert answer.status_code == 429, "a device is known for one account"

    at_own_project(tmp_path, test, behind_proxy=True)


def test_a_form_for_logging_in_has_the_pages_fields(tmp_path: Path) -> None:
    async def test(client: httpx2.AsyncClient, small: SmallServer) -> None:
        form = {"Content-Type": "application/x-www-form-urlencoded"}
        body = b"&".join(b"a=1" for _ in range(200_000))
        assert (await client.post("/user/login/", content=body, headers=form)).status_code == 403

    at_own_project(tmp_path, test)


def test_personal_answers_are_kept_by_no_cache(tmp_path: Path) -> None:
    async def test(client: httpx2.AsyncClient, small: SmallServer) -> None:
        for path in (
            f"/api/tasks/{TASK}",
            f"/projects/{PROJECT}/data?labeling=1",
            "/api/current-user/whoami",
        ):
            answer = await client.get(path, headers=ANA)
            assert "no-store" in answer.headers.get("cache-control", ""), path

    at_own_project(tmp_path, test)


@pytest.mark.parametrize("path", [f"/api/tasks/?project={PROJECT}&page=1&page_size=1", "/nextset/session"])
def test_one_person_leaves_room_for_others(tmp_path: Path, path: str) -> None:
    async def test(client: httpx2.AsyncClient, small: SmallServer) -> None:
        await client.get(path, headers=ANA)
        small.busiest = 0
        answers = await asyncio.gather(*(client.get(path, headers=ANA) for _ in range(40)))
        assert {answer.status_code for answer in answers} <= {200, 302}
        assert small.busiest == 6

    at_own_project(tmp_path, test)


def test_another_site_logs_nobody_out(tmp_path: Path) -> None:
    async def test(client: httpx2.AsyncClient, small: SmallServer) -> None:
        for path in ("/logout", "/logout/"):
            for site in ({"Sec-Fetch-Site": "cross-site"}, {"Origin": "https://evil.example.org"}):
                assert (await client.get(path, headers={**ANA, **site})).status_code == 403
        assert (await client.get("/api/version", headers=ANA)).status_code == 200
        owner = {"Cookie": "sessionid=owner.1", "Sec-Fetch-Site": "cross-site"}
        for path in ("/logout", "/%6cogout", "/logout%2f", "/logout%0A"):
            assert (await client.get(path, headers=owner)).status_code == 403, path
        assert not [asked for asked in small.asked if "logout" in asked]
        own = {**ANA, "Sec-Fetch-Site": "same-origin"}
        assert (await client.get("/logout", headers=own)).status_code == 302
        assert (await client.get("/api/version", headers=ANA)).status_code == 401

    at_own_project(tmp_path, test)


def test_an_answer_that_comes_slowly_is_not_taken_after_the_session(tmp_path: Path) -> None:
    async def slowly() -> AsyncIterator[bytes]:
        yield b'{"result": '
        plan = tmp_path / "study" / "judgments" / "plan.jsonl"
        plan.parent.mkdir(parents=True)
        plan.touch()  # a plan in which nobody may judge any more
        note_study(tmp_path, tmp_path / "study")
        yield b"[]}"

    async def test(client: httpx2.AsyncClient, small: SmallServer) -> None:
        assert (await client.get(f"/api/tasks/{TASK}", headers=ANA)).status_code == 200
        small.asked.clear()
        assert (await client.post(ANNOTATIONS, content=slowly(), headers=ANA)).status_code == 403
        assert not [asked for asked in small.asked if asked.startswith("POST")]

    at_own_project(tmp_path, test)


def test_other_peoples_projects_stay_closed(tmp_path: Path) -> None:
    async def test(client: httpx2.AsyncClient, small: SmallServer) -> None:
        ben = {"Cookie": "sessionid=ben.1"}
        assert (await client.get(f"/api/tasks/{TASK}", headers=ANA)).status_code == 200
        assert (await client.get(f"/api/tasks/{TASK}", headers=ben)).status_code == 403
        assert (await client.get(f"/api/projects/{PROJECT}", headers=ben)).status_code == 403

    at_own_project(tmp_path, test)
