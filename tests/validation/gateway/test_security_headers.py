"""The headers by which browsers keep other sites away: on every answer, whatever Label Studio says."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import httpx2
import pytest
from hypothesis import given
from hypothesis import strategies as st
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route
from starlette.testclient import TestClient

from nextset.validation.gateway.security_headers import LABEL_STUDIO_POLICY, OWN_POLICY, Secured, secured
from tests.validation.gateway.running_gateway import Front, small_gateway
from tests.validation.gateway.small_server import PASSWORD

HTML = {"Accept": "text/html"}
ALWAYS = {
    "x-frame-options": "DENY",
    "x-content-type-options": "nosniff",
    "referrer-policy": "same-origin",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
}


@pytest.fixture(scope="module")
def front(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Front]:
    with small_gateway(tmp_path_factory.mktemp("server")) as front:
        front.studio.release.set()
        yield front


@pytest.fixture(scope="module")
def proxied(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Front]:
    with small_gateway(tmp_path_factory.mktemp("server"), proxy="https://judge.example.org") as front:
        front.studio.release.set()
        yield front


def is_secured(answer: httpx2.Response, policy: str, *, tls: bool = False) -> None:
    for name, value in {**ALWAYS, "content-security-policy": policy}.items():
        assert answer.headers.get_list(name) == [value], (
            f"{name} of {answer.request.url}: {answer.status_code}"
        )
    assert ("strict-transport-security" in answer.headers) == tls
    assert not [name for name in answer.headers if name.startswith("access-control-")]
    assert "server" not in answer.headers


@pytest.mark.parametrize(
    ("method", "path", "who", "status", "policy"),
    [
        ("GET", "/echo", "owner", 200, LABEL_STUDIO_POLICY),
        ("GET", "/static/stream.js", "", 200, LABEL_STUDIO_POLICY),
        ("HEAD", "/static/stream.js", "", 200, LABEL_STUDIO_POLICY),
        ("GET", "/redirect?to=/projects/", "owner", 302, LABEL_STUDIO_POLICY),
        ("GET", "/crash", "owner", 500, LABEL_STUDIO_POLICY),
        ("GET", "/user/login/", "", 200, LABEL_STUDIO_POLICY),
        ("GET", "/projects/", "", 302, OWN_POLICY),
        ("GET", "/api/projects/", "", 401, OWN_POLICY),
        ("GET", "/", "ana", 302, OWN_POLICY),
        ("GET", "/organization/", "ana", 403, OWN_POLICY),
        ("GET", "/user/account/", "ana", 200, OWN_POLICY),
        ("DELETE", "/api/tasks/1/", "ana", 403, OWN_POLICY),
        ("GET", "/nextset/session/none", "ana", 403, OWN_POLICY),
        ("GET", "/nextset/session/none", "", 302, OWN_POLICY),
        ("GET", "/nextset/assets/judging.js", "", 200, OWN_POLICY),
        ("GET", "/nextset/assets/own_page.html.j2", "", 404, OWN_POLICY),
        ("GET", "/nextset/assets/..%2f__init__.py", "", 404, OWN_POLICY),
        ("GET", "/nextset/nothing", "", 404, OWN_POLICY),
        ("PROPFIND", "/echo", "owner", 405, OWN_POLICY),
        ("OPTIONS", "/api/projects/", "ana", 403, OWN_POLICY),
    ],
)
def test_every_kind_of_answer_has_them(
    front: Front, method: str, path: str, who: str, status: int, policy: str
) -> None:
    client = front.owner() if who == "owner" else front.client(f"{who}.1" if who else "")
    answer = client.request(method, path, headers=HTML if not path.startswith("/api/") else {})
    assert answer.status_code == status
    is_secured(answer, policy)


@pytest.mark.parametrize(
    "host", ["evil.example.org", "127.0.0.1.evil.example.org", "localhost@evil", "", "a" * 300, "[::2]"]
)
def test_a_name_that_is_not_the_gateways_is_refused(front: Front, host: str) -> None:
    answer = front.owner().get("/echo", headers={"Host": host})
    assert answer.status_code == 400
    is_secured(answer, OWN_POLICY)


@pytest.mark.parametrize("host", ["localhost", "LOCALHOST:9", "[::1]:8181", "127.0.0.1"])
def test_its_own_names_are_answered(front: Front, host: str) -> None:
    assert front.owner().get("/echo", headers={"Host": host}).status_code == 200


def test_an_error_of_the_gateway_itself_has_them() -> None:
    def failing(request: Request) -> Response:
        raise RuntimeError("a bug")

    app = Secured(Starlette(routes=[Route("/", failing)]), tls=False)
    answer = TestClient(app, raise_server_exceptions=False).get("/")
    assert answer.status_code == 500
    assert {name: answer.headers[name] for name in ALWAYS} == ALWAYS
    assert answer.headers["content-security-policy"] == OWN_POLICY


@pytest.mark.parametrize(
    "origin",
    [
        "https://evil.example.org",
        "null",
        "http://localhost",
        "http://127.0.0.1:1",
        "file://",
        "{url}.evil.example.org",
    ],
)
def test_other_sites_can_change_nothing(front: Front, origin: str) -> None:
    for method in ("POST", "PUT", "PATCH", "DELETE"):
        answer = front.owner().request(method, "/echo", headers={"Origin": origin.format(url=front.url)})
        assert answer.status_code == 403, method
    for site in ("cross-site", "same-site"):
        assert front.owner().post("/echo", headers={"Sec-Fetch-Site": site}).status_code == 403
    own = {"Origin": front.url, "Sec-Fetch-Site": "same-origin"}
    assert front.owner().post("/echo", headers=own).status_code == 200


def test_no_other_site_may_read_even_if_label_studio_lets_it(front: Front) -> None:
    loose = "Access-Control-Allow-Origin=*&Access-Control-Allow-Credentials=true&Server=y&X-Powered-By=z"
    loose += "&Content-Security-Policy=x&Content-Security-Policy-Report-Only=x"
    loose += "&X-Frame-Options=ALLOWALL&Referrer-Policy=unsafe-url"
    answer = front.owner().get(f"/headers?{loose}", headers={"Origin": "https://evil.example.org"})
    is_secured(answer, LABEL_STUDIO_POLICY)
    assert "x-powered-by" not in answer.headers
    assert "content-security-policy-report-only" not in answer.headers


def test_behind_tls_cookies_need_it_and_so_do_later_visits(proxied: Front, front: Front) -> None:
    given = "/headers?Set-Cookie=sessionid%3Da.b:c%3B%20Path%3D/%3B%20HttpOnly"
    given += "&Set-Cookie=csrftoken%3Dsecure%3B%20secure"
    answer = proxied.owner().get(given)
    cookies = answer.headers.get_list("set-cookie")
    assert cookies == ["sessionid=a.b:c; Path=/; HttpOnly; Secure", "csrftoken=secure; secure"]
    is_secured(answer, LABEL_STUDIO_POLICY, tls=True)
    is_secured(proxied.client().get("/nextset/nothing"), OWN_POLICY, tls=True)
    assert "Secure" not in front.owner().get(given).headers.get_list("set-cookie")[0]


headers = st.lists(
    st.tuples(
        st.sampled_from(
            [
                "Content-Type",
                "set-cookie",
                "Set-Cookie",
                "ACCESS-CONTROL-ALLOW-ORIGIN",
                "Content-Security-Policy",
                "x-frame-options",
                "Access-Control-Anything",
                "ETag",
                "Server",
                "Strict-Transport-Security",
            ]
        ),
        st.text(st.characters(min_codepoint=32, max_codepoint=126), max_size=20),
    ),
    max_size=8,
)


@given(headers, st.booleans())
def test_any_headers_come_out_secured(given_: list[tuple[str, str]], tls: bool) -> None:
    kept = secured(given_, "the policy", tls=tls)
    names = [name for name, _ in kept]
    assert all(name == name.lower() for name in names)
    assert [value for name, value in kept if name == "content-security-policy"] == ["the policy"]
    assert all(names.count(name) == 1 for name in ALWAYS)
    assert not [name for name in names if name.startswith("access-control-") or name == "server"]
    assert names.count("strict-transport-security") == tls
    given_cookies = [value for name, value in given_ if name.lower() == "set-cookie"]
    cookies = [value for name, value in kept if name == "set-cookie"]
    assert len(cookies) == len(given_cookies)
    for before, after in zip(given_cookies, cookies, strict=True):
        assert after.startswith(before)
        assert not tls or "secure" in after.lower()


def login(front: Front, email: str, password: str, **headers: str) -> httpx2.Response:
    form = {"email": email, "password": password}
    return front.client().post("/user/login/", data=form, headers={"Origin": front.url, **headers})


def test_passwords_cannot_be_tried_out(tmp_path: Path) -> None:
    with small_gateway(tmp_path) as front:
        assert login(front, "ana@example.org", PASSWORD).status_code == 302
        for _ in range(10):
            assert login(front, "Ana@example.org ", "wrong").status_code == 200
        refused = login(front, "ana@example.org", PASSWORD)
        assert refused.status_code == 429
        assert "Wait 5 minutes" in refused.text
        assert login(front, "ben@example.org", PASSWORD).status_code == 302
        posts = [asked for asked in front.studio.asked if asked.startswith("POST")]
        assert len(posts) == 12, "what is refused does not reach Label Studio"


def test_an_account_cannot_be_hidden_in_another_kind_of_form(front: Front) -> None:
    client, asked = front.client(), len(front.studio.asked)
    kinds = [
        {"files": {"email": (None, "ana@example.org"), "password": (None, "wrong")}},
        {"json": {"email": "ana@example.org", "password": "wrong"}},
        {
            "content": b"email=ana",
            "headers": {"Content-Type": "application/x-www-form-urlencoded; charset=utf-16"},
        },
        {"content": b"email=ana"},
    ]
    for kind in kinds:
        assert client.post("/user/login/", **kind).status_code == 403  # type: ignore[arg-type]
    assert len(front.studio.asked) == asked
