"""The page's server: the answers, and every request that it refuses."""

from __future__ import annotations

import http.client
import json
import os
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import nextset
from nextset.auditing.probe.page_requests import FIELDS, parsed
from nextset.auditing.probe.page_server import MOST_BYTES, PageServer

NLI, MASKED = "builtin:nli-electra", "builtin:masked-lm"
PAIR = {"premise": "A dog sleeps.", "hypothesis": "A dog is asleep.", "models": [NLI]}


@pytest.fixture(scope="module")
def said() -> list[str]:
    """What the server said in its terminal."""
    return []


@pytest.fixture(scope="module")
def server(said: list[str]) -> Iterator[PageServer]:
    with PageServer([NLI, MASKED], 0, said.append) as server:
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        yield server
        server.shutdown()
        thread.join()
    assert said == []


def asked(
    server: PageServer, method: str, path: str, body: bytes | str | None = None, **headers: str
) -> tuple[int, dict[str, str], bytes]:
    """Ask; a header of the value "" is left out."""
    connection = http.client.HTTPConnection("127.0.0.1", server.server_port, timeout=60)
    host = f"127.0.0.1:{server.server_port}"
    usual = {"Host": host}
    if method == "POST":
        usual |= {"Origin": f"http://{host}", "Content-Type": "application/json"}
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    sent = {name: value for name, value in {**usual, **named}.items() if value}
    connection.request(method, path.replace("TOKEN", server.token), body, sent)
    answer = connection.getresponse()
    found = answer.status, dict(answer.getheaders()), answer.read()
    connection.close()
    return found


def test_a_pair_is_answered(server: PageServer) -> None:
    status, _, body = asked(server, "POST", "/TOKEN/pair", json.dumps({**PAIR, "models": [NLI, MASKED]}))
    found = json.loads(body)
    (answer,) = nextset.probe_pair("A dog sleeps.", "A dog is asleep.", models=NLI).answers
    assert status == 200
    assert found["answers"][0]["entailment"] == answer.entailment
    assert found["not_asked"] == [
        f"{MASKED} is a model of the kind masked language model, which cannot be asked about NLI pairs"
    ]


def test_a_quad_is_answered(server: PageServer) -> None:
    request = {
        "context": "{subject1} and {subject2} waited.",
        "subject1": "Maria",
        "subject2": "Thomas",
        "statement": "{{MASK}} was reading.",
        "negated_statement": "{{MASK}} was not reading.",
        "models": [MASKED],
    }
    status, _, body = asked(server, "POST", "/TOKEN/quad", json.dumps(request))
    assert status == 200
    assert len(json.loads(body)["answers"][0]["arrangements"]) == 4


def test_every_answer_has_the_strict_headers(server: PageServer) -> None:
    for path, status in (("/TOKEN/", 200), ("/TOKEN/probe.js", 200), ("/TOKEN/probe.css", 200), ("/x/", 404)):
        found, headers, body = asked(server, "GET", path)
        assert found == status
        policy = headers["Content-Security-Policy"]
        assert policy.startswith("default-src 'none'; script-src 'self';")
        assert "unsafe" not in policy
        assert (headers["X-Content-Type-Options"], headers["Cache-Control"]) == ("nosniff", "no-store")
        assert headers["Server"] == "nextset"
        assert not [name for name in headers if name.startswith("Access-Control")]
        assert server.token.encode() not in body


@pytest.mark.parametrize(
    ("method", "path", "headers", "status"),
    [
        ("GET", "/TOKEN/", {"Host": "evil.example"}, 421),
        ("GET", "/TOKEN/", {"Host": "127.0.0.1"}, 421),
        ("POST", "/TOKEN/pair", {"Host": "evil.example:80"}, 421),
        ("POST", "/TOKEN/pair", {"Origin": "http://evil.example"}, 403),
        ("POST", "/TOKEN/pair", {"Origin": "null"}, 403),
        ("POST", "/TOKEN/pair", {"Origin": ""}, 403),
        ("POST", "/TOKEN/pair", {"Content_Type": "text/plain"}, 415),
        ("POST", "/TOKEN/pair", {"Transfer_Encoding": "chunked"}, 411),
        ("POST", "/TOKEN/pair", {"Content_Length": "-1"}, 411),
        ("POST", "/TOKEN/pair", {"Content_Length": "9" * 30}, 411),
        ("POST", "/TOKEN/", {}, 404),
        ("POST", "/TOKEN/probe.js", {}, 404),
        ("POST", "/TOKEN/../pair", {}, 404),
        ("POST", "/pair", {}, 404),
        ("GET", "/", {}, 404),
        ("GET", "/TOKEN", {}, 404),
        ("GET", "/TOKENx/", {}, 404),
        ("GET", "/TOKEN/../../../etc/passwd", {}, 404),
        ("GET", "/TOKEN/probe.html", {}, 404),
        ("PUT", "/TOKEN/pair", {}, 501),
        ("OPTIONS", "/TOKEN/pair", {}, 501),
    ],
)
def test_what_is_refused(
    server: PageServer, method: str, path: str, headers: dict[str, str], status: int
) -> None:
    body = json.dumps(PAIR) if method == "POST" else None
    if "Transfer_Encoding" in headers or "Content_Length" in headers:
        body = ""  # nothing follows
    found, sent, answer = asked(server, method, path, body, **headers)
    assert found == status
    assert sent["Content-Type"] == "application/json; charset=utf-8"
    assert set(json.loads(answer)) == {"error", "remedy"}


@pytest.mark.parametrize(
    ("request_body", "message"),
    [
        (b"", "is not JSON"),
        (b"\xff\xfe", "is not JSON"),
        (b"[" * 60_000, "is not JSON"),
        (b"[]", "is not a JSON object"),
        (b'{"premise": 1}', "is not a text"),
        (b'{"models": "builtin:nli-electra"}', "are not a list of names"),
        (b'{"models": [1]}', "are not a list of names"),
        (b'{"path": "x"}', "unknown field 'path'"),
        (b"{}", "no model is chosen"),
        (b'{"models": ["builtin:nli-bart"]}', "'builtin:nli-bart' is not offered here"),
        (b'{"models": ["../../etc"]}', "'../../etc' is not offered here"),
        (b'{"models": ["builtin:nli-electra"]}', "the premise is empty"),
        (b'{"models": ["builtin:nli-electra"], "premise": "\\ud800", "hypothesis": "a"}', "not text"),
        (
            b'{"models": ["builtin:masked-lm"], "premise": "a", "hypothesis": "a"}',
            "cannot be asked about NLI",
        ),
    ],
)
def test_requests_that_cannot_be_asked(server: PageServer, request_body: bytes, message: str) -> None:
    status, _, answer = asked(server, "POST", "/TOKEN/pair", request_body)
    found = json.loads(answer)
    assert (status, message in found["error"]) == (400, True), found
    assert found["remedy"]
    assert "Traceback" not in found["error"]


def test_a_body_that_is_too_long_is_refused(server: PageServer) -> None:
    status, _, answer = asked(server, "POST", "/TOKEN/pair", b" " * (MOST_BYTES + 1))
    assert (status, "65,536 bytes" in json.loads(answer)["error"]) == (413, True)


def test_bytes_that_are_not_http(server: PageServer) -> None:
    for sent in (b"\x16\x03\x01\x02\x00\r\n\r\n", b"GET\r\n\r\n", b"G" * 70_000 + b"\r\n\r\n"):
        with socket.create_connection(("127.0.0.1", server.server_port), timeout=20) as connection:
            connection.sendall(sent)
            connection.shutdown(socket.SHUT_WR)
            assert b"Traceback" not in connection.recv(65_536)
    assert asked(server, "GET", "/TOKEN/")[0] == 200


def test_only_this_machine_is_listened_to(server: PageServer) -> None:
    assert server.server_address[0] == "127.0.0.1"


def test_two_at_once_are_asked_one_after_the_other(server: PageServer) -> None:
    found: list[int] = []
    threads = [
        threading.Thread(
            target=lambda: found.append(asked(server, "POST", "/TOKEN/pair", json.dumps(PAIR))[0])
        )
        for _ in range(4)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert found == [200] * 4


def test_a_port_in_use_is_named(server: PageServer) -> None:
    with pytest.raises(nextset.ServerError, match=f"{server.server_port}: the port is in use"):
        PageServer([NLI], server.server_port, print)


@given(st.sampled_from(sorted(FIELDS)), st.binary(max_size=200) | st.text(max_size=99).map(str.encode))
def test_any_bytes_are_read_or_refused(kind: str, body: bytes) -> None:
    try:
        found: dict[str, Any] = parsed(kind, body)
    except nextset.InputError as e:
        assert e.remedy
    else:
        assert set(found) == {*FIELDS[kind], "models"}


@pytest.mark.slow
def test_ctrl_c_ends_it_within_two_seconds() -> None:
    code = (
        "import signal, sys\n"
        "signal.signal(signal.SIGINT, signal.default_int_handler)\n"
        "sys.argv = ['nextset', 'probe', '--model', 'builtin:nli-electra', '--serve']\n"
        "from nextset.cli import main\n"
        "main()\n"
    )
    with subprocess.Popen(
        [sys.executable, "-c", code], stderr=subprocess.PIPE, text=True, env={**os.environ}
    ) as process:
        assert process.stderr is not None
        assert process.stderr.readline().startswith("open http://127.0.0.1:")
        begun = time.monotonic()
        process.send_signal(signal.SIGINT)
        assert process.wait(timeout=20) == 130
        assert time.monotonic() - begun < 2
