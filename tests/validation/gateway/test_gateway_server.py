"""A gateway that listens: its port, its certificate, the note that it runs, and how it stops."""

from __future__ import annotations

import logging
import os
import socket
import ssl
import time
from datetime import UTC, datetime, timedelta
from ipaddress import ip_address
from pathlib import Path

import httpx2
import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID

from nextset.errors import ServerError
from nextset.validation.gateway.gateway_server import Certificate, listening
from nextset.validation.label_studio.address_and_token import Connection
from nextset.validation.label_studio.gateway_record import read_gateway
from tests.validation.gateway.running_gateway import gateway_before, small_gateway
from tests.validation.gateway.small_server import SmallServer, small_server


def certificate(folder: Path, name: str = "gateway", password: bytes = b"") -> Certificate:
    """A certificate for this machine that signs itself, and its key."""
    key = ec.generate_private_key(ec.SECP256R1())
    subject = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "localhost")])
    names = [x509.DNSName("localhost"), x509.IPAddress(ip_address("127.0.0.1"))]
    now = datetime.now(UTC)
    made = (
        x509.CertificateBuilder(subject, subject, key.public_key(), x509.random_serial_number())
        .not_valid_before(now - timedelta(days=1))
        .not_valid_after(now + timedelta(days=2))
        .add_extension(x509.SubjectAlternativeName(names), critical=False)
        .add_extension(x509.BasicConstraints(ca=True, path_length=None), critical=True)
        .sign(key, hashes.SHA256())
    )
    locked = serialization.BestAvailableEncryption(password) if password else serialization.NoEncryption()
    chain, private = folder / f"{name}.pem", folder / f"{name}.key"
    chain.write_bytes(made.public_bytes(serialization.Encoding.PEM))
    pem, pkcs8 = serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8
    private.write_bytes(key.private_bytes(pem, pkcs8, locked))
    return Certificate(chain, private)


def test_over_tls_with_a_certificate_that_a_browser_would_check(tmp_path: Path) -> None:
    own = certificate(tmp_path)
    with small_gateway(tmp_path / "server", certificate=own) as front:
        trusting = ssl.create_default_context(cafile=own.chain)
        with httpx2.Client(base_url=front.listening.url, verify=trusting, trust_env=False) as client:
            answer = client.get("/user/login/")
            assert answer.status_code == 200
            assert answer.headers["strict-transport-security"] == "max-age=31536000"
            form = {"email": "ana@example.org", "password": "right"}
            cookie = client.post("/user/login/", data=form).headers["set-cookie"]
            assert cookie.endswith("; Secure")
        assert front.listening.url == f"https://127.0.0.1:{front.listening.port}"
        old = ssl.create_default_context(cafile=own.chain)
        old.minimum_version, old.maximum_version = ssl.TLSVersion.TLSv1_2, ssl.TLSVersion.TLSv1_2
        old.set_ciphers("ALL:@SECLEVEL=0")
        with (
            socket.create_connection(("127.0.0.1", front.listening.port)) as plain,
            old.wrap_socket(plain, server_hostname="localhost") as encrypted,
        ):
            assert encrypted.version() == "TLSv1.2"
        with pytest.raises(httpx2.RequestError):
            httpx2.get(f"http://127.0.0.1:{front.listening.port}/user/login/", trust_env=False)


@pytest.mark.parametrize("wrong", ["another key", "no file", "no PEM", "a folder", "a key with a password"])
def test_a_certificate_that_cannot_be_used(tmp_path: Path, wrong: str) -> None:
    own = certificate(tmp_path, password=b"secret" if wrong == "a key with a password" else b"")
    if wrong == "another key":
        own = Certificate(own.chain, certificate(tmp_path, "other").key)
    if wrong == "no file":
        own.chain.unlink()
    if wrong == "no PEM":
        own.key.write_text("nothing", encoding="utf-8")
    if wrong == "a folder":
        own = Certificate(tmp_path, own.key)
    with (
        pytest.raises(ServerError, match="cannot be used for TLS") as e,
        listening(Connection("http://127.0.0.1:9", "token", folder=tmp_path), port=0, certificate=own),
    ):
        pass
    assert str(own.chain) in e.value.message
    assert str(own.key) in e.value.message
    assert "the key has no password" in e.value.remedy


def test_a_port_in_use_and_an_address_of_another_machine(tmp_path: Path) -> None:
    connection = Connection("http://127.0.0.1:9", "token", folder=tmp_path)
    with socket.create_server(("127.0.0.1", 0)) as other:
        port = other.getsockname()[1]
        with (
            pytest.raises(ServerError, match=f"127.0.0.1:{port}: the port is in use") as e,
            listening(connection, port=port),
        ):
            pass
    assert e.value.remedy == "choose a different port with --port"
    for host in ("192.0.2.1", "no-such-host.invalid", "é..example"):
        own = certificate(tmp_path)
        with (
            pytest.raises(ServerError, match=f"cannot listen on {host}") as e,
            listening(connection, host, 0, certificate=own),
        ):
            pass
        assert "--host" in e.value.remedy
    assert read_gateway(tmp_path) is None


def test_people_are_told_before_anything_listens(tmp_path: Path) -> None:
    connection = Connection("http://127.0.0.1:9", "token", folder=tmp_path)
    with pytest.raises(ServerError, match="unencrypted"), listening(connection, "0.0.0.0", 0):
        pass


def test_it_is_noted_while_it_runs_and_not_afterwards(tmp_path: Path) -> None:
    folder = tmp_path / "server"
    with small_server() as studio:
        for _ in range(2):
            with gateway_before(studio, folder) as front:
                noted = read_gateway(folder)
                assert noted is not None
                assert (noted.url, noted.pid, noted.socket) == (front.listening.url, os.getpid(), "")
                assert (folder / "gateway.json").stat().st_mode & 0o777 == 0o600
            assert read_gateway(folder) is None
            assert not list(folder.iterdir())
            with pytest.raises(httpx2.ConnectError):
                httpx2.get(front.url, trust_env=False)
        with pytest.raises(KeyboardInterrupt), gateway_before(studio, folder):
            raise KeyboardInterrupt
        assert read_gateway(folder) is None


def test_a_line_that_connections_cause_again_and_again_is_said_once_while_it_runs(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    with small_gateway(tmp_path):
        for _ in range(5):  # as when a visitor sends many requests and goes away
            logging.getLogger("asyncio").warning("socket.send() raised exception.")
    assert caplog.messages.count("socket.send() raised exception.") == 1


def test_it_stops_within_seconds_while_answers_are_under_way(tmp_path: Path) -> None:
    with small_server() as studio:
        with (
            gateway_before(studio, tmp_path) as front,
            front.owner().stream("GET", "/static/stream.js") as answer,
        ):
            assert next(answer.iter_raw()) == b"first part;"
            began = time.monotonic()
            front.stack.pop_all().close()
            assert time.monotonic() - began < 20
        assert read_gateway(tmp_path) is None


def test_a_label_studio_that_does_not_take_the_token(tmp_path: Path) -> None:
    with small_server() as studio:
        studio_of_others = SmallServer(studio.url)
        connection = Connection(studio_of_others.url, "wrong-token", folder=tmp_path)
        with pytest.raises(ServerError), listening(connection, port=0):
            pass
        assert read_gateway(tmp_path) is None


def test_on_ip_6(tmp_path: Path) -> None:
    if not socket.has_ipv6:
        pytest.skip("this machine has no IPv6")
    with small_server() as studio:
        try:
            with listening(studio.connection(tmp_path), "::1", 0) as running:
                assert running.url == f"http://[::1]:{running.port}"
                answer = httpx2.get(f"{running.url}/user/login/", trust_env=False)
        except ServerError as e:
            pytest.skip(e.message)
        assert answer.status_code == 200
