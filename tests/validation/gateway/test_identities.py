"""Who a request is from: Label Studio says it, it is kept for a while, and a login that was ended is over."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import TypeVar

import httpx2
import pytest
from hypothesis import given
from hypothesis import strategies as st
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from nextset.validation.gateway.identities import Credentials, Identities, Person, credentials
from nextset.validation.label_studio.http_retries import Unanswered
from tests.validation.gateway.test_login_limit import Clock

T = TypeVar("T")
ANA, BEN, OWNER = (
    Person(2, "ana@example.org", False),
    Person(3, "ben@example.org", False),
    Person(1, "owner@example.org", True),
)


class Accounts:
    """Says who somebody is: cookies and tokens NAME.ANYTHING are of NAME, until ``out`` has them."""

    def __init__(self) -> None:
        self.asked: list[str] = []
        self.out: set[str] = set()
        self.answer: Response | None = None

    async def whoami(self, request: Request) -> Response:
        given = request.headers.get("authorization") or request.headers["cookie"].removeprefix("sessionid=")
        self.asked.append(given)
        if self.answer is not None:
            return self.answer
        people = {"ana": ANA, "ben": BEN, "owner": OWNER}
        found = people.get(given.removeprefix("Token ").partition(".")[0])
        if found is None or given in self.out:
            return JSONResponse({}, 401)
        return JSONResponse({"id": found.number, "email": f" {found.email.title()} "})


def asking(test: Callable[[Identities, Accounts, Clock], Awaitable[T]]) -> T:
    async def run() -> T:
        accounts, clock = Accounts(), Clock()
        app = Starlette(routes=[Route("/api/current-user/whoami", accounts.whoami)])
        async with httpx2.AsyncClient(
            transport=httpx2.ASGITransport(app=app), base_url="http://localhost"
        ) as http:
            return await test(Identities(http, 1, clock), accounts, clock)

    return asyncio.run(run())


def login(cookie: str) -> Credentials:
    return Credentials("", cookie)


def test_an_answer_is_kept_for_half_a_minute() -> None:
    async def test(identities: Identities, accounts: Accounts, clock: Clock) -> None:
        for _ in range(5):
            assert await identities.who(login("ana.1")) == ANA
            clock.seconds += 5
        assert accounts.asked == ["ana.1"]
        clock.seconds += 5
        accounts.out.add("ana.1")
        assert await identities.who(login("ana.1")) is None, "after 30 seconds it is asked again"
        assert await identities.who(login("ana.1")) is None
        assert len(accounts.asked) == 3, "that somebody is nobody is not kept"

    asking(test)


def test_the_owner_is_known_by_number_and_nothing_is_asked_without_credentials() -> None:
    async def test(identities: Identities, accounts: Accounts, clock: Clock) -> None:
        assert await identities.who(Credentials("Token owner.1", "")) == OWNER
        assert await identities.who(Credentials("", "")) is None
        assert accounts.asked == ["Token owner.1"]

    asking(test)


@pytest.mark.parametrize(
    "answer",
    [
        Response("<html>", 200),
        JSONResponse([]),
        JSONResponse({}),
        JSONResponse({"id": "x", "email": "a"}),
        JSONResponse({"id": None, "email": "a"}),
        JSONResponse(None),
        Response(status_code=403),
    ],
)
def test_an_answer_that_names_nobody(answer: Response) -> None:
    async def test(identities: Identities, accounts: Accounts, clock: Clock) -> None:
        accounts.answer = answer
        assert await identities.who(login("ana.1")) is None

    asking(test)


def test_an_error_of_the_server_logs_nobody_out() -> None:
    async def test(identities: Identities, accounts: Accounts, clock: Clock) -> None:
        accounts.answer = Response(status_code=500)
        with pytest.raises(Unanswered):
            await identities.who(login("ana.1"))

    asking(test)


def test_a_token_beats_a_cookie() -> None:
    assert credentials("Token ben.1", "sessionid=ana.1; csrftoken=x") == Credentials("Token ben.1", "")
    assert credentials("", "csrftoken=x; sessionid=ana.1") == Credentials("", "ana.1", "csrftoken=x")
    assert credentials("Token a", "").digest != credentials("", "sessionid=Token a").digest
    assert "ana" not in repr(credentials("", "sessionid=ana.1"))


@pytest.mark.parametrize(
    "cookie",
    [
        'x={"a": [1, 2]}; sessionid=ana.1',
        "sessionid=ana.1; a b=c",
        "ä=ö; sessionid=ana.1",
        "=;;; sessionid=ana.1",
        'sessionid="ana.1"',
        "sessionid=ben.1; sessionid=ana.1",
        "x; sessionid = ana.1 ",
    ],
)
def test_other_programs_cookies_on_the_same_host_do_not_hide_the_login(cookie: str) -> None:
    found = credentials("", cookie)
    assert found.login == "ana.1"
    assert "sessionid" not in found.others


@pytest.mark.parametrize(
    "cookie",
    [
        "sessionid=ana.1\xc2\xa0",
        'sessionid="ana.1 "',
        'sessionid="ana.1\t"',
        'sessionid=""ana.1" "',
        'sessionid=ana.1\x1f"',
        "sessionid=ana\\0561",
        "sessionid=ana.1,",
        "\xc2\xa0sessionid=ana.1",
        "\xe2\x80\x83sessionid=ana.1",
    ],
)
def test_a_login_that_django_reads_otherwise_is_none(cookie: str) -> None:
    found = credentials("", cookie)
    assert found == Credentials("", "")
    beside = credentials("", f"sessionid=ben.1; {cookie}; csrftoken=x")
    assert beside.login in ("ben.1", "")
    assert beside.others == "csrftoken=x"


@given(st.text(st.characters(max_codepoint=255), max_size=40))
def test_django_finds_the_same_login(cookie: str) -> None:
    found = credentials("", f"sessionid=ben.1; {cookie}")
    sent = "; ".join(part for part in (f"sessionid={found.login}", found.others) if part)
    read = {}
    for part in sent.encode("latin-1").decode("utf-8", "replace").split(";"):  # django.http.cookie
        name, _, value = part.partition("=") if "=" in part else ("", "", part)
        read[name.strip()] = value.strip()
    assert read.get("sessionid", "") == found.login


@given(st.text(max_size=40), st.text(max_size=40))
def test_any_headers_are_read(authorization: str, cookie: str) -> None:
    found = credentials(authorization, cookie)
    assert not (found.token and found.login)
    assert len(found.digest) == 32


def test_a_logout_ends_all_cookies_of_the_login_and_no_others() -> None:
    async def test(identities: Identities, accounts: Accounts, clock: Clock) -> None:
        for cookie in ("ana.1", "ana.9", "ben.1"):
            await identities.who(login(cookie))
        for before, after in (
            ("ana.1", "ana.2"),
            ("ana.2", "ana.3"),
            ("ana.2", "ana.4"),
            ("ana.9", "ana.10"),
        ):
            identities.renew(login(before), after)
        identities.end(login("ana.3"))
        for cookie in ("ana.1", "ana.2", "ana.3", "ana.4"):
            assert await identities.who(login(cookie)) is None, cookie
        clock.seconds += 3600
        assert await identities.who(login("ana.1")) is None, "Label Studio would still take it"
        assert await identities.who(login("ana.10")) == ANA, "another device"
        assert await identities.who(login("ben.1")) == BEN
        identities.renew(login("ana.2"), "ana.5")  # an answer that was under way at the logout
        assert await identities.who(login("ana.5")) is None
        assert "ana.5" not in accounts.asked

    asking(test)


def test_a_token_is_not_ended_by_a_logout() -> None:
    async def test(identities: Identities, accounts: Accounts, clock: Clock) -> None:
        token = Credentials("Token ana.1", "")
        assert await identities.who(token) == ANA
        identities.end(token)
        assert await identities.who(token) == ANA

    asking(test)


def test_a_new_cookie_is_known_no_longer_than_the_one_before() -> None:
    async def test(identities: Identities, accounts: Accounts, clock: Clock) -> None:
        await identities.who(login("ana.0"))
        for i in range(10):  # a cookie with each answer, for 40 seconds
            clock.seconds += 4
            identities.renew(login(f"ana.{i}"), f"ana.{i + 1}")
            assert await identities.who(login(f"ana.{i + 1}")) == ANA
        assert len(accounts.asked) == 2

    asking(test)


NAMES = st.sampled_from(["ana", "ben", "owner"])
STEPS = st.one_of(
    st.tuples(st.just("who"), NAMES, st.integers(0, 3)),
    st.tuples(st.just("renew"), NAMES, st.integers(0, 3), st.integers(0, 3)),
    st.tuples(st.just("end"), NAMES, st.integers(0, 3)),
    st.tuples(st.just("wait"), st.floats(0, 40)),
)


@given(st.lists(STEPS, max_size=25))
def test_nobody_is_ever_taken_for_another(steps: list[tuple[object, ...]]) -> None:
    people = {"ana": ANA, "ben": BEN, "owner": OWNER}

    async def test(identities: Identities, accounts: Accounts, clock: Clock) -> None:
        ended: set[str] = set()
        for step in steps:
            match step:
                case ("who", str(name), int(n)):
                    found = await identities.who(login(f"{name}.{n}"))
                    assert found in (people[name], None)
                    if f"{name}.{n}" in ended:
                        assert found is None
                case ("renew", str(name), int(n), int(m)):
                    identities.renew(login(f"{name}.{n}"), f"{name}.{m}")
                case ("end", str(name), int(n)):
                    identities.end(login(f"{name}.{n}"))
                    ended.add(f"{name}.{n}")
                case ("wait", float(seconds)):
                    clock.seconds += seconds

    asking(test)


def test_a_login_as_somebody_else_is_not_taken_for_the_same_person() -> None:
    async def test(identities: Identities, accounts: Accounts, clock: Clock) -> None:
        await identities.who(Credentials("Token owner.1", ""))
        identities.renew(Credentials("Token owner.1", ""), "ana.1")
        assert await identities.who(login("ana.1")) == ANA, "a token gives no cookie its person"
        await identities.who(login("owner.1"))
        identities.renew(login("owner.1"), "ana.1")
        assert await identities.who(login("ana.1")) == ANA, "a cookie that is known stays whose it is"

    asking(test)
