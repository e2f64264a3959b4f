"""What is passed on to Label Studio and back: in parts as it comes, each person's own."""

from __future__ import annotations

import socket
import threading
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from urllib.parse import urlsplit

import httpx2
import pytest

from nextset.validation.gateway.upstream import Upstream
from nextset.validation.label_studio.address_and_token import Connection
from tests.validation.gateway.running_gateway import Front, gateway_before, small_gateway
from tests.validation.gateway.small_server import LARGE, small_server


@pytest.fixture(scope="module")
def front(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Front]:
    with small_gateway(tmp_path_factory.mktemp("server")) as front:
        yield front


@pytest.fixture(autouse=True)
def _fresh(front: Front) -> Iterator[None]:
    front.studio.release.clear()
    front.studio.gone.clear()
    front.studio.asked.clear()
    front.studio.cookies.clear()
    yield
    front.studio.release.set()


def test_an_answer_is_passed_on_before_its_end_has_come(front: Front) -> None:
    with front.owner().stream("GET", "/static/stream.js") as answer:
        parts = answer.iter_raw()
        assert next(parts) == b"first part;"
        assert not front.studio.release.is_set(), "the end has not come yet"
        front.studio.release.set()
        assert b"".join(parts) == b"last part"


def test_a_visitor_who_does_not_read_a_file_keeps_label_studio_from_nothing(front: Front) -> None:
    parts = urlsplit(front.url)
    with ExitStack() as stack:
        for cookie in ("", "Cookie: sessionid=ana.1\r\n") * 2:
            front.studio.large.clear()
            visitor = stack.enter_context(socket.socket())
            visitor.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 2048)
            visitor.connect((parts.hostname or "", parts.port or 0))
            visitor.sendall(f"GET /static/large.js HTTP/1.1\r\nHost: {parts.netloc}\r\n{cookie}\r\n".encode())
            assert front.studio.large.wait(20), "it still sends, for somebody who does not read"
        assert front.client().get("/static/large.js").content == bytes(LARGE)
        assert front.client().head("/static/large.js").content == b""


def test_a_reader_who_goes_away_ends_the_answer_behind(front: Front) -> None:
    for _ in range(3):
        front.studio.gone.clear()
        with front.owner().stream("GET", "/static/stream.js") as answer:
            assert next(answer.iter_raw()) == b"first part;"
        assert front.studio.gone.wait(20), "the connection to Label Studio is still open"


def test_a_sender_who_goes_away_is_no_error_of_anybody_else(front: Front) -> None:
    parts = urlsplit(front.url)
    with socket.create_connection((parts.hostname or "", parts.port or 0)) as sender:
        head = f"POST /echo HTTP/1.1\r\nHost: {parts.netloc}\r\nAuthorization: Token owner-token\r\n"
        sender.sendall(f"{head}Content-Length: 100\r\n\r\nhalf of it".encode())
    assert front.owner().get("/echo").status_code == 200


@pytest.mark.parametrize(
    ("path", "status"),
    [("/echo#part", 400), (f"/nextset/assets/{'a' * 5000}.js", 404), ("/nextset/assets/%00.js", 404)],
)
def test_an_address_that_nothing_has_is_no_error_of_the_gateway(front: Front, path: str, status: int) -> None:
    parts = urlsplit(front.url)
    with socket.create_connection((parts.hostname or "", parts.port or 0)) as sender:
        head = f"GET {path} HTTP/1.1\r\nHost: {parts.netloc}\r\nAuthorization: Token owner-token\r\n\r\n"
        sender.sendall(head.encode())
        assert sender.recv(20).decode().startswith(f"HTTP/1.1 {status} ")


def test_an_owners_body_has_its_length_and_goes_on_in_parts(front: Front) -> None:
    owner = front.owner()
    said = owner.post("/api/projects/", content=b"x" * 3_000_000).json()
    assert said["headers"]["content-length"] == "3000000", "Django reads no body without a length"
    assert "transfer-encoding" not in said["headers"]
    assert len(said["body"]) == 3_000_000
    assert "content-length" not in owner.get("/api/projects/").json()["headers"]
    assert owner.delete("/api/projects/7/").json()["method"] == "DELETE"
    assert owner.head("/api/projects/").content == b""


def test_the_path_and_query_of_an_owner_go_on_as_they_were_sent(front: Front) -> None:
    said = front.owner().get("/api/a%2Fb%20c/%C3%A4/?q=%7B%22a%22%3A1%7D&q=2&e=").json()
    assert said["path"] == "/api/a%2Fb%20c/%C3%A4/"
    assert said["query"] == "q=%7B%22a%22%3A1%7D&q=2&e="


def test_headers_that_are_not_for_label_studio_stay_here(front: Front) -> None:
    sent = {
        "X-Forwarded-For": "6.6.6.6",
        "X-Forwarded-Host": "evil.example.org",
        "X-Forwarded-Proto": "https",
        "Forwarded": "for=6.6.6.6",
        "X-Real-IP": "6.6.6.6",
        "X-Http-Method-Override": "DELETE",
        "X-CSRFToken": "c",
        "Accept-Encoding": "gzip",
        "Connection": "keep-alive, X-CSRFToken",
        "TE": "trailers",
        "Accept-Language": "tr",
        "Origin": front.url,
        "Referer": f"{front.url}/x",
        "Proxy-Authorization": "Basic x",
        "Upgrade-Insecure-Requests": "1",
    }
    said = front.owner().post("/echo", headers=sent, content=b"").json()["headers"]
    assert set(said) <= {
        "host",
        "accept",
        "accept-encoding",
        "accept-language",
        "authorization",
        "connection",
        "content-length",
        "content-type",
        "origin",
        "referer",
        "user-agent",
        "x-csrftoken",
    }
    assert (said["accept-encoding"], said["accept-language"], said["x-csrftoken"]) == ("identity", "tr", "c")
    assert said["host"] == urlsplit(front.studio.url).netloc
    assert said["origin"] == front.studio.url


def test_headers_from_hop_to_hop_do_not_come_back(front: Front) -> None:
    answer = front.owner().get(
        "/headers?Keep-Alive=1&Proxy-Authenticate=Basic&Upgrade=h2c&ETag=a&Cache-Control=b&TE=c"
    )
    assert answer.content == b"headers"
    assert not {"keep-alive", "proxy-authenticate", "upgrade", "te"} & set(answer.headers)
    assert (answer.headers["etag"], answer.headers["cache-control"]) == ("a", "b")


@pytest.mark.parametrize(
    ("to", "location"),
    [
        ("/projects/7/data", "/projects/7/data"),
        ("{url}/projects/?a=1#top", "/projects/?a=1#top"),
        ("{url}", "/"),
        ("{url}//evil.example.org/", "/evil.example.org/"),
        ("https://docs.example.org/a", "https://docs.example.org/a"),
    ],
)
def test_redirections_do_not_lead_to_label_studios_own_address(front: Front, to: str, location: str) -> None:
    answer = front.owner().get("/redirect", params={"to": to.format(url=front.studio.url)})
    assert (answer.status_code, answer.headers["location"]) == (302, location)


def test_a_server_in_a_folder_of_a_host() -> None:
    upstream = Upstream(Connection("https://lab.example.org/ls", "token"), tls=True)
    for to, location in (
        ("/ls/projects", "/projects"),
        ("/lsx", "/lsx"),
        ("/ls", "/"),
        ("https://lab.example.org/ls/a", "/a"),
    ):
        assert upstream._location(to) == location


def test_cookies_of_one_person_never_go_along_with_anothers_request(front: Front) -> None:
    """The server gives a cookie with each answer, and the answer who somebody is takes its time."""
    ana = threading.Thread(target=front.client("ana.slow").get, args=("/api/version",))
    given = front.studio.renewals
    ana.start()
    waits = threading.Event()
    while front.studio.renewals == given:
        waits.wait(0.01)  # until the head of the slow answer, with its cookie, is on the way
    for _ in range(20):
        front.owner().get("/cookies")
        login = front.client().get("/user/login/", headers={"Accept": "text/html"})
        assert "set-cookie" not in login.headers
    front.studio.release.set()
    ana.join()
    assert front.studio.cookies == [""] * 20


def test_many_people_at_once_each_with_their_own_cookie(front: Front) -> None:
    front.studio.release.set()
    wrong: list[str] = []

    def ask(name: str) -> None:
        with httpx2.Client(base_url=front.url, trust_env=False, timeout=60.0) as client:
            for i in range(20):
                headers = {"Cookie": f"sessionid={name}.{i}"} if name else {}
                said = client.get("/api/current-user/whoami", headers=headers)
                client.cookies.clear()
                expected = f"{name.title()}@Example.org" if name else "log in first"
                if expected not in said.text:
                    wrong.append(f"{name}: {said.text}")

    threads = [threading.Thread(target=ask, args=(name,)) for name in ("ana", "ben", "", "ana", "ben", "")]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert wrong == []


def test_only_the_persons_own_login_goes_on(front: Front) -> None:
    front.studio.release.set()
    twice = {"Cookie": "sessionid=ben.1; csrftoken=c; sessionid=owner.1; other=x"}
    front.client().get("/cookies", headers=twice)
    assert front.studio.cookies == ["sessionid=owner.1; csrftoken=c; other=x"]
    both = {"Cookie": "sessionid=ben.1; csrftoken=c", "Authorization": "Token owner-token"}
    front.client().get("/cookies", headers=both)
    assert front.studio.cookies[1] == "", "with a token, no cookie counts"


def test_a_login_that_was_ended_is_not_shown_to_label_studio(front: Front) -> None:
    front.studio.release.set()
    ana = front.client("ana.7")
    assert ana.get("/api/version").status_code == 200
    assert ana.get("/logout").status_code == 302
    ana.cookies.clear()
    assert ana.get("/api/version").status_code == 401
    login = ana.get("/user/login/", headers={"Accept": "text/html"})
    assert (login.status_code, "Log in" in login.text) == (200, True), "and not led back and forth for ever"


def test_a_server_that_does_not_answer_is_said_and_the_page_comes_again(tmp_path: Path) -> None:
    with small_server() as studio, ExitStack() as stack:
        front = stack.enter_context(gateway_before(studio, tmp_path))
        owner = front.owner()
        assert owner.get("/echo").status_code == 200
        studio.stop()
        page = owner.get("/projects/", headers={"Accept": "text/html"})
        assert (page.status_code, page.headers["refresh"]) == (503, "1")
        assert "The server does not answer" in page.text
        said = owner.post("/api/tasks/1/annotations/", json={})
        assert (said.status_code, said.headers["retry-after"]) == (503, "2")
        link = front.client("ana.1").get("/nextset/session/abc")
        assert (link.status_code, link.headers["refresh"]) == (503, "1")
