"""Which server, and which token."""

from __future__ import annotations

import http.server
import json
import os
import socketserver
import tempfile
import threading
from pathlib import Path

import keyring
import pytest
from hypothesis import given
from hypothesis import strategies as st
from keyring.backend import KeyringBackend
from keyring.errors import KeyringError

from nextset.errors import ServerError
from nextset.validation.label_studio.address_and_token import (
    SERVICE,
    TOKEN_VARIABLE,
    URL_VARIABLE,
    Connection,
    find_connection,
)
from nextset.validation.label_studio.api import LabelStudio
from nextset.validation.label_studio.gateway_record import GatewayRecord, note_gateway
from nextset.validation.label_studio.local_owner import DATA_VARIABLE, make_owner
from tests.validation.studio import QUICK

TOKEN = "0123456789abcdef"


class Ring(KeyringBackend):
    """A keyring in memory; one that is locked when nothing is in it."""

    priority = 1

    def __init__(self, entries: dict[str, str]) -> None:
        super().__init__()  # type: ignore[no-untyped-call]
        self.entries = entries

    def get_password(self, service: str, username: str) -> str | None:
        if not self.entries:
            raise KeyringError("locked")
        return self.entries.get(username) if service == SERVICE else None

    def set_password(self, service: str, username: str, password: str) -> None:
        assert service == SERVICE
        self.entries[username] = password


@pytest.fixture
def locked_ring(monkeypatch: pytest.MonkeyPatch) -> Ring:
    ring = Ring({})
    before = keyring.get_keyring()
    monkeypatch.delenv(URL_VARIABLE, raising=False)
    monkeypatch.delenv(TOKEN_VARIABLE, raising=False)
    monkeypatch.setattr("keyring.core._keyring_backend", before)
    keyring.set_keyring(ring)
    return ring


def test_the_environment_comes_first_then_the_keyring_then_the_own_server(
    tmp_path: Path, locked_ring: Ring, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv(DATA_VARIABLE, raising=False)
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path))
    data = tmp_path / "nextset" / "label-studio"
    with pytest.raises(ServerError, match="no Label Studio server was found") as e:
        find_connection()
    assert "nextset validate serve" in e.value.remedy
    owner = make_owner(data)
    with pytest.raises(ServerError, match="no Label Studio server was found"):
        find_connection()  # it does not run
    note_gateway(data, GatewayRecord(url="http://127.0.0.1:8181", pid=os.getpid(), socket="/run/ls"))
    own = Connection("http://127.0.0.1:8181", owner.token, Path("/run/ls"))
    assert find_connection() == own
    assert find_connection().folder == data
    keyring.set_password(SERVICE, "url", "https://ring.example.org/")
    assert find_connection().token == owner.token, "half of it is nothing"
    keyring.set_password(SERVICE, "token", TOKEN)
    assert find_connection() == Connection("https://ring.example.org", TOKEN)
    monkeypatch.setenv(DATA_VARIABLE, str(data))
    assert find_connection() == own, "a data folder that is named comes before the keyring"
    monkeypatch.delenv(DATA_VARIABLE)
    monkeypatch.setenv(URL_VARIABLE, "https://labels.example.org/studio/")
    with pytest.raises(ServerError, match=f"{TOKEN_VARIABLE} is not"):
        find_connection()
    monkeypatch.setenv(TOKEN_VARIABLE, TOKEN)
    assert find_connection().url == "https://labels.example.org/studio"


class _Answers(http.server.BaseHTTPRequestHandler):
    """Answers with the host and the token that it was sent."""

    def do_GET(self) -> None:
        sent = {"host": self.headers["Host"], "token": self.headers["Authorization"]}
        body = json.dumps(sent).encode()
        self.send_response(200)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def address_string(self) -> str:
        return "a socket has none"

    def log_message(self, format: str, *args: object) -> None:
        pass


def test_requests_go_to_the_socket_and_to_no_address() -> None:
    # Neither name exists, and nothing is encrypted on the way to the socket.
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "socket"
        with socketserver.ThreadingUnixStreamServer(str(path), _Answers) as server:
            thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02})
            thread.start()
            for url in ("https://labels.invalid", "http://labels.invalid:8181"):
                connection = Connection(url, TOKEN, path)
                assert connection.local
                with LabelStudio(connection, QUICK) as studio:
                    sent = {"host": "localhost", "token": f"Token {TOKEN}"}
                    assert studio.get("/") == sent
                    assert studio.login().startswith(f"{url}/user/login/")
            server.shutdown()
            thread.join()


@pytest.mark.parametrize(
    "url",
    [
        "http://127.0.0.1:8181",
        "http://localhost",
        "http://[::1]:80",
        "http://127.8.8.8",
        "https://example.org",
    ],
)
def test_addresses_that_are_safe(url: str) -> None:
    connection = Connection(f" {url}/ ", TOKEN)
    assert connection.url == url
    assert connection.local == ("example" not in url)
    assert TOKEN not in repr(connection)


@pytest.mark.parametrize("url", ["http://example.org", "http://192.168.1.7:8181", "http://0.0.0.0:8181"])
def test_a_token_does_not_travel_unencrypted(url: str) -> None:
    with pytest.raises(ServerError, match="unencrypted") as e:
        Connection(url, TOKEN)
    assert "https://" in e.value.remedy


@pytest.mark.parametrize(
    "url", ["", "example.org", "ftp://example.org", "https://", "https://me:secret@example.org",
            "https://example.org/?token=secret", "https://example.org:port", "https://[::1",
            "https://example..org", "https://é€.example", f"https://{'a' * 64}.example"]
)  # fmt: skip
def test_what_is_no_address_is_refused_and_not_shown(url: str) -> None:
    with pytest.raises(ServerError, match="is not a valid URL") as e:
        Connection(url, TOKEN)
    assert "secret" not in e.value.message + e.value.remedy


@given(st.text(max_size=20), st.text(max_size=20))
def test_whatever_is_given_is_a_connection_or_refused_without_the_token(url: str, token: str) -> None:
    token += "SECRET\n"
    with pytest.raises(ServerError) as e:
        Connection(url, token)
    assert "SECRET" not in e.value.message + e.value.remedy
