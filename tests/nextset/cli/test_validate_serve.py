"""`nextset validate serve`: options that cannot work are said before a server is started."""

from __future__ import annotations

import signal
import socket
from collections.abc import Iterator
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from nextset.cli.app import app
from nextset.validation.judgments.pseudonyms import KEY_VARIABLE
from nextset.validation.label_studio.address_and_token import TOKEN_VARIABLE, URL_VARIABLE
from nextset.validation.label_studio.local_owner import DATA_VARIABLE
from tests.validation.gateway.small_server import small_server


@pytest.fixture(autouse=True)
def data(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """Where a server's data would be; nothing is there after an option that cannot work."""
    for name in (URL_VARIABLE, TOKEN_VARIABLE, DATA_VARIABLE, "ALLOWED_HOSTS"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    monkeypatch.setenv(KEY_VARIABLE, "a pseudonym key for tests")
    before = signal.getsignal(signal.SIGTERM)
    yield tmp_path / "data"
    signal.signal(signal.SIGTERM, before)
    assert not list((tmp_path / "data").rglob("owner.json")), "a server was started"


def serve(*options: str) -> Result:
    return CliRunner().invoke(app, ["validate", "serve", *options])


def refused(code: int, said: str, remedy: str, *options: str) -> None:
    done = serve(*options)
    shown = " ".join(done.stderr.split())
    assert (done.exit_code, done.stdout) == (code, ""), shown
    assert said in shown
    assert f"try: {remedy}" in shown


def test_a_certificate_without_its_key_and_a_key_without_its_certificate() -> None:
    refused(3, "--tls-cert is given, but --tls-key is not", "give both, or neither", "--tls-cert", "a.pem")
    refused(3, "--tls-key is given, but --tls-cert is not", "give both, or neither", "--tls-key", "a.key")
    remedy = "check that both files exist, can be read, are in PEM format and belong together"
    refused(10, "cannot be used for TLS", remedy, "--tls-cert", "a.pem", "--tls-key", "a.key")


@pytest.mark.parametrize("host", ["0.0.0.0", "::", "192.168.1.7"])
def test_other_machines_without_tls(host: str) -> None:
    refused(
        10, "people would send their passwords unencrypted", "give --tls-cert and --tls-key", "--host", host
    )


@pytest.mark.parametrize("proxy", ["http://judge.example.org", "judge.example.org", "https://[::1"])
def test_a_proxy_without_tls(proxy: str) -> None:
    refused(
        10,
        "the address of the proxy is not a plain https address",
        "write it as --behind-proxy https://NAME",
        "--behind-proxy",
        proxy,
    )


def test_further_names_that_are_none(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ALLOWED_HOSTS", "*")
    refused(10, "ALLOWED_HOSTS contains *", "write full names")


def test_a_port_in_use() -> None:
    with socket.create_server(("127.0.0.1", 0)) as other:
        port = str(other.getsockname()[1])
        refused(10, "the port is in use", "choose a different port with --port", "--port", port)


def test_a_server_of_ones_own_without_a_token() -> None:
    remedy = f"set {TOKEN_VARIABLE} to an access token"
    refused(
        10,
        f"{TOKEN_VARIABLE} is not set",
        remedy,
        "--port",
        "0",
        "--studio",
        "https://me:secret@labels.example.org",
    )
    assert "secret" not in serve("--studio", "https://me:secret@labels.example.org").output


@pytest.mark.parametrize(
    ("url", "said"),
    [
        ("labels", "the Label Studio address is not a valid URL"),
        ("https://me:secret@labels.example.org", "the Label Studio address is not a valid URL"),
        ("http://labels.example.org", "the token would be sent unencrypted to labels.example.org"),
    ],
)
def test_a_wrong_address_of_a_server_of_ones_own(
    url: str, said: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(TOKEN_VARIABLE, "a-token")
    done = serve("--port", "0", "--studio", url)
    shown = " ".join(done.stderr.split())
    assert done.exit_code == 10
    assert said in shown
    assert "try: " in shown
    assert "secret" not in shown


def test_a_server_of_ones_own_that_does_not_answer(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(TOKEN_VARIABLE, "a-token")
    with socket.create_server(("127.0.0.1", 0)) as closed:
        port = closed.getsockname()[1]
    done = serve("--port", "0", "--studio", f"http://127.0.0.1:{port}")
    assert done.exit_code == 10
    assert f"http://127.0.0.1:{port}" in done.stderr
    assert "try: " in done.stderr


def test_a_server_of_ones_own_that_does_not_take_the_token(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(TOKEN_VARIABLE, "wrong-token")
    with small_server() as studio:
        done = serve("--port", "0", "--studio", studio.url)
    assert done.exit_code == 10
    assert "wrong-token" not in done.output
    assert "try: " in done.stderr


@pytest.mark.parametrize(("option", "place"), [("--annotator", 2), ("--new-password", 1)])
def test_the_place_of_what_is_no_e_mail_address_is_named(option: str, place: int) -> None:
    said = f"{option}, number {place}: an annotator's e-mail address is not valid"
    named = ("--annotator", "ana@example.org", option, "Ben example.org")
    refused(10, said, "write it as NAME@HOST", *named)
